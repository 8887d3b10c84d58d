type(adtape_store) :: s
call store_create_files(s, '/tmp', run='assimilation', rank=0)
call store_destroy(s)
