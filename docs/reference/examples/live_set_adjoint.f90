real(c_float), target :: x(8)
real(c_double), target :: x_adjoint(8)
type(c_ptr) :: p, p_adjoint
call live_add(x, ADTAPE_KIND_STACK, 'x')
call live_set_adjoint(x, x_adjoint)
call push_pointer(c_loc(x(5)))
call pop_pointer(p, p_adjoint)
if (.not. c_associated(p_adjoint, c_loc(x_adjoint(5)))) error stop
