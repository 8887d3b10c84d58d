type(adtape_tape) :: t
real(c_double) :: x
t = adtape_self()
call push(t, 0.5_c_double)
call pop(x)                                        ! the same tape
if (x /= 0.5_c_double) error stop
