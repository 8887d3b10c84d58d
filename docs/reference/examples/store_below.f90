type(adtape_store) :: files, s
call store_create_files(files, '/tmp')
call store_create_memory(s, 67108864_c_int64_t, files)  ! in memory first, beyond 64 MiB in files
call store_destroy(files)
call store_destroy(s)
