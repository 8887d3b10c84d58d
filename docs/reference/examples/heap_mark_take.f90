type(adtape_heap) :: h
type(adtape_tape) :: t
type(adtape_heap_mark) :: m
type(c_ptr) :: p
integer(c_int32_t) :: status
h = heap_self()
t = adtape_self()
call heap_mark_take(h, m)
p = heap_alloc(h, t, 100_c_int64_t)
call heap_mark_check(h, m, status)
if (status /= ADTAPE_STATUS_HEAP_STATE) error stop
call heap_begin_reverse(h)
call heap_undo_alloc(h, t)
call heap_mark_check(h, m)
