type(adtape_mark) :: before
real(c_double) :: x
call push(1.0_c_double)
call mark_take(before)
call push(2.0_c_double)                            ! a trial step that is rejected
call push_control(1, 1)
call mark_reset(before)
call pop(x)
if (x /= 1) error stop
