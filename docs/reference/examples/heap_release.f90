type(adtape_heap) :: h
integer(c_int32_t) :: status
h = heap_self()
call heap_release(h)
call heap_begin_reverse(h, status)
if (status /= ADTAPE_STATUS_RELEASED) error stop
call heap_acquire(h)                               ! in another thread, usually
call heap_destroy(h)
