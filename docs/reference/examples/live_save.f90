type(adtape_store) :: store
type(adtape_checkpoint) :: c
type(adtape_save_stats) :: saved
type(adtape_restore_stats) :: done
real(c_double), target :: x(10)
type(c_ptr), target :: p
x = 0.5d0
p = c_loc(x(4))
call live_add(c_loc(x), 80, ADTAPE_KIND_STATIC, 'x (real(8), 10)')
call live_add(c_loc(p), 8, ADTAPE_KIND_STATIC, 'p')
call live_set_pointers('p', 8_c_int64_t, [0_c_int64_t])
call store_create_memory(store, 0_c_int64_t)
call checkpoint_create(c, store, 'all')
call live_save(c, counts=saved)
call checkpoint_commit(c)
call checkpoint_create(c, store, 'some')
call live_save(c, [c_loc(p)])
call checkpoint_commit(c)
x = 0
p = c_null_ptr
call checkpoint_open(c, store, 'some')
call live_restore(c, counts=done)
call checkpoint_close(c)
if (.not. c_associated(p, c_loc(x(4))) .or. x(4) /= 0) error stop
call checkpoint_open(c, store, 'all')
call live_restore(c)
call checkpoint_close(c)
if (x(4) /= 0.5d0 .or. saved%pointers /= 1 .or. done%kept /= 2) error stop
call store_destroy(store)
