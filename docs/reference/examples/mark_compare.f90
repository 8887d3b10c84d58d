type(adtape_mark) :: a, b
integer(c_int32_t) :: order
integer(c_int64_t) :: bytes
real(c_double) :: x
call mark_take(a)
call push(1.0_c_double)
call mark_take(b)
call mark_compare(a, b, order, bytes)
if (order /= -1 .or. bytes /= 8) error stop
call pop(x)
call mark_take(b)                                  ! the reverse sweep has come back to a
call mark_compare(a, b, order)
if (order /= 0) error stop
