type(adtape_heap) :: h
type(c_ptr) :: p
real(c_double), pointer :: work(:)
h = heap_self()
p = heap_alloc_adjoint(h, 800_c_int64_t)
call c_f_pointer(p, work, [100])
if (any(work /= 0)) error stop
call heap_free_adjoint(h, p)
