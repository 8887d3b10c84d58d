real(c_double), target :: x
type(adtape_range) :: range
call live_add(c_loc(x), 8, ADTAPE_KIND_STACK, 'x')
call live_end(c_loc(x))
call pop_range(range)
if (.not. c_associated(range%base, c_loc(x)) .or. range_label(range) /= 'x') error stop
