type(adtape_store) :: s
integer(c_int32_t) :: status
call store_create_memory(s, 0_c_int64_t)
call store_remove(s, 'step-0', stat=status)
if (status /= ADTAPE_STATUS_NOT_FOUND) error stop
call store_destroy(s)
