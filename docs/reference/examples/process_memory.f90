type(adtape_memory) :: memory
real(c_double) :: x
call push(1.0_c_double)
call process_memory(memory)
if (memory%committed_bytes < 8 .or. memory%committed_bytes > memory%limit_bytes) error stop
call pop(x)
