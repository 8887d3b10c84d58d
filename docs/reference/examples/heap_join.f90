type(adtape_heap) :: h
type(c_ptr), target :: q, qb
type(c_ptr) :: p
h = heap_self()
call heap_join(h, ADTAPE_JOIN_RANGE, 'heap')
p = heap_alloc(h, adtape_self(), 80_c_int64_t)
call push_pointer(p)
call heap_begin_reverse(h)
call pop_pointer(q, qb)
if (.not. c_associated(q, p) .or. .not. c_associated(qb, heap_adjoint(h, p))) error stop
call heap_undo_alloc(h, adtape_self())
call heap_leave(h)
