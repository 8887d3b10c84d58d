type(adtape_traffic) :: traffic
real(c_double) :: a(10), x
a = 0
call stats_set_profile(.true.)
call push(a)
call push(1.0_c_double)
call stats_traffic(ADTAPE_TYPE_F64, ADTAPE_OPERATION_PUSH, traffic)
if (traffic%calls /= 2 .or. traffic%elements /= 11 .or. traffic%bytes /= 88) error stop
call pop(x)
call pop(a)
call stats_traffic(0, ADTAPE_OPERATION_POP, traffic)
if (traffic%bytes /= 88) error stop
call stats_set_profile(.false.)
