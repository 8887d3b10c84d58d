real(c_double), allocatable, target :: x(:, :), x_adjoint(:, :)
real(c_double), pointer :: p(:), p_adjoint(:)
allocate (x(10, 10), x_adjoint(10, 10))
call live_add(x, ADTAPE_KIND_ALLOCATABLE, 'x (real(8), 10 10)')
call live_set_adjoint(x, x_adjoint)
p(0:) => x(9:1:-2, 4)
call push_pointer(p)
nullify (p)
call pop_pointer(p, p_adjoint)
if (.not. associated(p, x(9:1:-2, 4)) .or. lbound(p, 1) /= 0) error stop
if (.not. associated(p_adjoint, x_adjoint(9:1:-2, 4))) error stop
