real(c_double), target :: x
type(adtape_range) :: range
call live_add(c_loc(x), 8, ADTAPE_KIND_STACK, 'x (a double)')
call live_find(c_loc(x), range)
if (range_label(range) /= 'x (a double)') error stop
