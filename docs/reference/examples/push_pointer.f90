real(c_double), target :: x(4), x_adjoint(4)
type(c_ptr) :: p, p_adjoint
call live_add(c_loc(x), 32, ADTAPE_KIND_STACK, 'x')
call live_set_adjoint(c_loc(x), c_loc(x_adjoint), 32)
p = c_loc(x(3))
call push_pointer(p)
p = c_null_ptr
call pop_pointer(p, p_adjoint)
if (.not. c_associated(p, c_loc(x(3))) .or. .not. c_associated(p_adjoint, c_loc(x_adjoint(3)))) error stop
