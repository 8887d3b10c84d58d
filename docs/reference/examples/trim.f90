type(adtape_stats) :: before, after
real(c_double), allocatable :: a(:)
allocate (a(1000000), source=0.0_c_double)
call push(a)
call pop(a)
call tape_stats(before)
call adtape_trim(ADTAPE_TRIM_HARD)
call tape_stats(after)
if (before%committed_bytes < 8000000 .or. after%committed_bytes > 1000000) error stop
