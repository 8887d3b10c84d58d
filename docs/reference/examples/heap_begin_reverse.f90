type(adtape_heap) :: h
type(c_ptr) :: p
real(c_double), pointer :: x, xb
h = heap_self()
call heap_set_recording(h, .false.)
p = heap_alloc(h, adtape_self(), 1000_c_int64_t)   ! an advance: nothing will be undone
call heap_free(h, adtape_self(), p)
call heap_set_recording(h, .true.)
p = heap_alloc(h, adtape_self(), 8_c_int64_t)
call c_f_pointer(p, x)
x = 0.5d0
call heap_begin_reverse(h)
call c_f_pointer(heap_adjoint(h, p), xb)
xb = xb + 2*x
call heap_undo_alloc(h, adtape_self())
call heap_end_reverse(h)
