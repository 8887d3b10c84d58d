adtape_heap_t *h = adtape_heap_self();
must(adtape_heap_release(h));
assert(adtape_heap_begin_reverse(h) == ADTAPE_STATUS_RELEASED);
must(adtape_heap_acquire(h)); /* in another thread, usually */
must(adtape_heap_destroy(h));
