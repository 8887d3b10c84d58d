adtape_memory_t memory;
must(adtape_process_set_memory_limit(UINT64_C(8) << 30));
must(adtape_process_memory(&memory));
assert(memory.limit_bytes == UINT64_C(8) << 30);
