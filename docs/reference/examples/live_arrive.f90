type(adtape_store) :: store
type(adtape_checkpoint) :: c
type(adtape_restoration) :: r
call store_create_memory(store, 0_c_int64_t)
call checkpoint_create(c, store, 'a')
call live_save(c)
call checkpoint_commit(c)
call checkpoint_open(c, store, 'a')
call live_restore(c, r)
call checkpoint_close(c)
call live_forget_adjoints()                        ! no reverse sweep follows
call live_begin_reverse()
call live_arrive(r)
call store_destroy(store)
