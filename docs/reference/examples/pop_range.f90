real(c_double), allocatable, target :: x(:), x_adjoint(:)
type(adtape_range) :: range
allocate (x(10))
call live_add(c_loc(x), 80, ADTAPE_KIND_ALLOCATABLE, 'x')
call live_end(c_loc(x))                            ! forward sweep: deallocate (x)
deallocate (x)
call live_begin_reverse()
call pop_range(range)                              ! reverse sweep
allocate (x(range%bytes/8), x_adjoint(range%bytes/8))
call rebase_add(range, c_loc(x), c_loc(x_adjoint), range%bytes)
call rebase_remove(c_loc(x))                       ! reverse sweep of allocate (x(10))
deallocate (x, x_adjoint)
