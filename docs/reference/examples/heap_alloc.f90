type(adtape_heap) :: h
type(adtape_tape) :: t
type(c_ptr) :: p
real(c_double), pointer :: x(:), y(:)
h = heap_self()
t = adtape_self()
p = heap_alloc(h, t, 100*8_c_int64_t)
call c_f_pointer(p, x, [100])
x = 1
p = heap_calloc(h, t, 100_c_int64_t, 8_c_int64_t)
call c_f_pointer(p, y, [100])
if (any(y /= 0)) error stop
p = heap_alloc_aligned(h, t, 800_c_int64_t, 64_c_int64_t)
call heap_begin_reverse(h)
call heap_undo_alloc(h, t)
call heap_undo_alloc(h, t)                         ! y
call heap_undo_alloc(h, t)                         ! x
