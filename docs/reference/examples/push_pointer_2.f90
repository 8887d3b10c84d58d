real(c_double), target :: x(4)
type(c_ptr), target :: rows(0:2)
call live_add(c_loc(x), 32, ADTAPE_KIND_STACK, 'x')
rows = [c_loc(x(4)), c_null_ptr, c_loc(x(1))]
call push_pointers(rows)
rows = c_null_ptr
call pop_pointers(rows)
if (.not. c_associated(rows(0), c_loc(x(4))) .or. c_associated(rows(1))) error stop
