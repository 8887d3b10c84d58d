real(c_double), allocatable, target :: x(:)
allocate (x(1000))
call live_add(x, ADTAPE_KIND_ALLOCATABLE, 'x (real(8), 1000)')
call live_remove(c_loc(x))
