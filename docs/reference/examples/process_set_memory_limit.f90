type(adtape_memory) :: memory
call process_set_memory_limit(8*1024_c_int64_t**3)
call process_memory(memory)
if (memory%limit_bytes /= 8*1024_c_int64_t**3) error stop
