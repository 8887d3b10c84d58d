type(adtape_store) :: s
character(100), allocatable :: names(:)
call store_create_memory(s, 0_c_int64_t)
call store_list(s, names)
if (size(names) /= 0) error stop
call store_destroy(s)
