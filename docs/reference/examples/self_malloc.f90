type(c_ptr) :: p, q
real(c_double), pointer :: x(:)
p = heap_calloc(10_c_int64_t, 8_c_int64_t)
call c_f_pointer(p, x, [10])
x(4) = 4
q = heap_realloc(p, 80000_c_int64_t)
call heap_free_save(q)
call heap_begin_reverse(heap_self())
q = heap_undo_free()
p = heap_undo_realloc()
call c_f_pointer(p, x, [10])
if (x(4) /= 4) error stop
call c_f_pointer(heap_adjoint(p), x, [10])
if (x(4) /= 0) error stop
call heap_undo_alloc()
