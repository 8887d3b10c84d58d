type(adtape_heap) :: h, own
type(c_ptr) :: p
real(c_double), pointer :: xb(:)
call heap_create(h, 2, 1073741824_c_int64_t)
p = heap_alloc(h, adtape_self(), 100*4_c_int64_t)  ! real(4) :: x(100)
call heap_begin_reverse(h)
call c_f_pointer(heap_adjoint(h, p), xb, [100])
if (any(xb /= 0)) error stop
call heap_undo_alloc(h, adtape_self())
call heap_destroy(h)
own = heap_self()
if (.not. c_associated(own%handle)) error stop
