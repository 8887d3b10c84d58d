type(adtape_heap) :: h
type(adtape_tape) :: t
type(c_ptr) :: p
real(c_double), pointer :: x
character(kind=c_char), allocatable, target :: snapshot(:)
integer(c_int64_t) :: bytes
h = heap_self()
t = adtape_self()
call heap_set_recording(h, .false.)
p = heap_alloc(h, t, 8_c_int64_t)
call c_f_pointer(p, x)
x = 0.5d0
call heap_save(h, c_null_ptr, 0_c_int64_t, bytes)
allocate (snapshot(bytes))
call heap_save(h, c_loc(snapshot), bytes)
call heap_free(h, t, p)                            ! an advance to the next checkpoint
call heap_restore(h, c_loc(snapshot), bytes)
if (x /= 0.5d0) error stop
call heap_free(h, t, p)
