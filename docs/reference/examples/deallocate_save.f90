real(c_double), allocatable, target :: x(:), x_adjoint(:)
allocate (x(0:9), source=2d0)
call live_add(x, ADTAPE_KIND_ALLOCATABLE, 'x')
call deallocate_save(x)                            ! line 13
call live_begin_reverse()
call undo_deallocate(x, x_adjoint)                 ! 14
if (lbound(x, 1) /= 0 .or. any(x /= 2) .or. any(x_adjoint /= 0)) error stop
call undo_allocate(x, x_adjoint)                   ! 11
if (allocated(x) .or. allocated(x_adjoint)) error stop
