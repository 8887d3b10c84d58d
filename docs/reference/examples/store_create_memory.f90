type(adtape_store) :: s
call store_create_memory(s, 0_c_int64_t)
call store_destroy(s)
