real(c_double), target :: x
type(c_ptr), target :: p
type(c_ptr) :: variables(1)
type(adtape_range) :: range
integer(c_int64_t) :: count
call live_add(c_loc(x), 8, ADTAPE_KIND_STACK, 'x')
p = c_loc(x)
call live_end(p)
call push_pointer(p)                               ! dangling
call live_begin_reverse()
call pop_pointer(p)
call live_list_waiting(variables, count)
if (c_associated(p) .or. count /= 1 .or. .not. c_associated(variables(1), c_loc(p))) error stop
call pop_range(range)
call rebase_add(range, c_loc(x))
if (.not. c_associated(p, c_loc(x))) error stop
