type(adtape_memory_use) :: memory
real(c_double) :: x
call push(1.0_c_double)
call adtape_memory(memory)
if (memory%committed_bytes < 8 .or. memory%committed_bytes > memory%limit_bytes) error stop
call pop(x)
