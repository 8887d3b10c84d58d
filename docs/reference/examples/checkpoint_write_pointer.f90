type(adtape_store) :: store
type(adtape_checkpoint) :: c
real(c_double), target :: x(4)
type(c_ptr) :: p
call live_add(c_loc(x), 32, ADTAPE_KIND_STACK, 'x')
call store_create_memory(store, 0_c_int64_t)
call checkpoint_create(c, store, 'a')
call checkpoint_write_pointer(c, 'p', c_loc(x(3)))
call checkpoint_commit(c)
call checkpoint_open(c, store, 'a')
call checkpoint_read_pointer(c, 'p', p)
call checkpoint_close(c)
if (.not. c_associated(p, c_loc(x(3)))) error stop
call store_destroy(store)
