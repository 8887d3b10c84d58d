type(adtape_stats) :: stats
real(c_double) :: a(10000)
a = 0
call push(a)
call pop(a)
call stats_reset()
call tape_stats(stats)
if (stats%peak_bytes /= 0) error stop
