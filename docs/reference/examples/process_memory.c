adtape_memory_t memory;
adtape_push_f64(adtape_self(), 1.0);
must(adtape_process_memory(&memory));
assert(memory.committed_bytes >= (int64_t)sizeof(double) && memory.committed_bytes <= memory.limit_bytes);
must(adtape_destroy(adtape_self()));
