real(c_double), target :: x(4)
type(adtape_range) :: range, ranges(10)
integer(c_int64_t) :: count
call live_add(c_loc(x), 32, ADTAPE_KIND_STACK, 'x')
call live_find(c_loc(x(3)), range)
if (.not. c_associated(range%base, c_loc(x)) .or. range%bytes /= 32) error stop
call live_list(ranges, count)
if (count /= 1 .or. ranges(1)%serial /= range%serial) error stop
