type(adtape_tape) :: t
real(c_double) :: x
call adtape_create(t)
call push(t, 1.0_c_double)
call push(2.0_c_double)                            ! has nothing to do with t
call pop(t, x)
if (x /= 1) error stop
call pop(x)
call adtape_destroy(t)
if (c_associated(t%handle)) error stop
