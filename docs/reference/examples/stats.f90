type(adtape_stats) :: stats
real(c_double) :: x
integer :: branch
call push(1.0_c_double)
call push_control(1, 3)
call tape_stats(stats)
if (stats%bytes /= 8 .or. stats%pending_bits /= 3 .or. stats%peak_bytes < 8) error stop
call pop_control(branch, 3)
call pop(x)
