type(adtape_heap) :: h
type(adtape_tape) :: t
type(c_ptr) :: p, q, back
real(c_double), pointer :: x, y
h = heap_self()
t = adtape_self()
p = heap_alloc(h, t, 8_c_int64_t)
q = heap_alloc(h, t, 8_c_int64_t)
call c_f_pointer(p, x)
call c_f_pointer(q, y)
x = 0.5d0
y = 0.5d0
call push(x)                                       ! needed below
call heap_free(h, t, p)
call heap_free_save(h, t, q)
call heap_begin_reverse(h)
back = heap_undo_free(h, t)
if (.not. c_associated(back, q) .or. y /= 0.5d0) error stop
back = heap_undo_free(h, t)
if (.not. c_associated(back, p)) error stop
call pop(x)
call heap_undo_alloc(h, t)
call heap_undo_alloc(h, t)
