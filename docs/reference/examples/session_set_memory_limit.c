adtape_memory_t memory;
must(adtape_session_set_memory_limit(adtape_session_default(), UINT64_C(8) << 30));
must(adtape_session_memory(adtape_session_default(), &memory));
assert(memory.limit_bytes == UINT64_C(8) << 30);
