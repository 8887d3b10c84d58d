type(adtape_heap) :: h
type(adtape_tape) :: t
type(c_ptr) :: p, q, back
real(c_double), pointer :: x(:)
h = heap_self()
t = adtape_self()
p = heap_realloc(h, t, c_null_ptr, 80_c_int64_t)
call c_f_pointer(p, x, [10])
x(10) = 9
q = heap_realloc_save(h, t, p, 8000_c_int64_t)
call c_f_pointer(q, x, [1000])
if (x(10) /= 9) error stop
call heap_begin_reverse(h)
back = heap_undo_realloc(h, t)
if (.not. c_associated(back, p)) error stop
back = heap_undo_realloc(h, t)
if (c_associated(back)) error stop
