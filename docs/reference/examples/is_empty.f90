real(c_double) :: x
call push(1.0_c_double)
if (tape_is_empty()) error stop
call pop(x)
if (.not. tape_is_empty()) error stop
