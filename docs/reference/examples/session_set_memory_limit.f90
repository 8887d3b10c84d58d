type(adtape_memory_use) :: memory
call adtape_set_memory_limit(8*1024_c_int64_t**3)
call adtape_memory(memory)
if (memory%limit_bytes /= 8*1024_c_int64_t**3) error stop
