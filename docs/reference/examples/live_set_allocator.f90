integer(c_int32_t), allocatable, target :: x(:)
type(adtape_wanted) :: wanted
type(adtape_range) :: range
call live_set_allocator('x')
allocate (x(5:9))
call live_add_allocatable(x, 'x')
call live_set_bounds(c_loc(x), [5_c_int64_t], [5_c_int64_t])
call live_find(c_loc(x), range)
if (range%bytes /= 20 .or. range%kind /= ADTAPE_KIND_ALLOCATABLE) error stop
call live_remove(c_loc(x))
wanted%bytes = 12                                  ! as a procedure like adtape_allocate gets it;
wanted%rank = 1
wanted%lower(1) = -1
wanted%extents(1) = 3
call allocate_wanted(x, wanted)
if (lbound(x, 1) /= -1 .or. size(x) /= 3) error stop
deallocate (x)                                     ! what one like adtape_deallocate does
