type(adtape_heap) :: h
type(c_ptr) :: p, found
integer(c_int32_t) :: status
h = heap_self()
p = heap_calloc(h, adtape_self(), 10_c_int64_t, 8_c_int64_t)
call heap_find_adjoint(h, p, found, status)
if (status /= ADTAPE_STATUS_NO_ADJOINT) error stop
call heap_begin_reverse(h)
call heap_find_adjoint(h, p, found)
if (.not. c_associated(found, heap_adjoint(h, p))) error stop
call heap_undo_alloc(h, adtape_self())
