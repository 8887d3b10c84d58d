adtape_memory_t memory;
adtape_push_f64(adtape_self(), 1.0);
must(adtape_session_memory(adtape_session_default(), &memory));
assert(memory.committed_bytes >= sizeof(double) && memory.committed_bytes <= memory.limit_bytes);
must(adtape_free(adtape_self()));
