real(c_double), target :: x
type(adtape_live_stats) :: counts
call live_add(c_loc(x), 8, ADTAPE_KIND_STACK, 'x')
call live_stats(counts)
if (counts%ranges /= 1 .or. counts%bytes /= 8 .or. counts%births /= 1) error stop
call live_print()
