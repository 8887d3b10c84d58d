real(c_double) :: x
call push(0.5_c_double)                            ! adtape_self_push_f64
call push(adtape_self(), 0.25_c_double)            ! adtape_call_push_f64
call pop(adtape_self(), x)
call pop(x)
if (x /= 0.5_c_double) error stop
