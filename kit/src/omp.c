/* Schedules of OpenMP loops: the same thread gets the same iterations in both sweeps. The library does not need an
 * OpenMP run-time: without one there is one thread. */

extern int omp_get_num_threads(void) __attribute__((weak));
extern int omp_get_thread_num(void) __attribute__((weak));

/* Threads have tapes of their own, always: nothing to refuse. */
KIT_API void assertSafeStack(void) {}
KIT_API void assertsafestack_(void) {}
KIT_API int stackIsThreadSafe(void) { return 1; }
KIT_API int stackisthreadsafe_(void) { return 1; }

/* One block of consecutive iterations for each thread, the first `trips % threads` of them one longer. A thread
 * without iterations gets an empty range: for a stride of either sign, its first lies one stride behind its last. */
static void static_schedule(int lo, int hi, int stride, int *thread_lo, int *thread_hi) {
    const int64_t threads = omp_get_num_threads != NULL ? omp_get_num_threads() : 1;
    const int64_t me = omp_get_thread_num != NULL ? omp_get_thread_num() : 0;
    const int64_t span = ((int64_t)hi - lo + stride) / stride, trips = span > 0 ? span : 0;
    const int64_t share = trips / threads, longer = trips % threads;
    const int64_t mine = share + (me < longer), before = me * share + (me < longer ? me : longer);
    if (mine == 0) {
        *thread_hi = 0;
        *thread_lo = stride;
        return;
    }
    *thread_lo = (int)(lo + before * stride);
    *thread_hi = (int)(lo + (before + mine - 1) * stride);
}
KIT_API void getStaticSchedule(int lo, int hi, int stride, int *threadlo, int *threadhi) {
    static_schedule(lo, hi, stride, threadlo, threadhi);
}
KIT_API void getstaticschedule_(const int *lo, const int *hi, const int *stride, int *threadlo, int *threadhi) {
    static_schedule(*lo, *hi, *stride, threadlo, threadhi);
}

/* The chunk that the thread is working on, and how many there were with it. */
static __thread struct {
    int count, start, last;
} kit_chunk __attribute__((tls_model("initial-exec")));

static void chunk_push(void) {
    adtape_kit_push_(&kit_chunk.start, ADTAPE_KIT_INTEGER4_);
    adtape_kit_push_(&kit_chunk.last, ADTAPE_KIT_INTEGER4_);
}
static void dynamic_record(int counter, int stride) {
    if (kit_chunk.count == 0 || kit_chunk.last + stride != counter) {
        if (kit_chunk.count > 0) {
            chunk_push();
        }
        kit_chunk.start = counter;
        kit_chunk.count++;
    }
    kit_chunk.last = counter;
}
/* A thread without iterations pushes the number 0 and nothing else: that is all that the reverse sweep pops. */
static void dynamic_finalize(void) {
    if (kit_chunk.count > 0) {
        chunk_push();
    }
    adtape_kit_push_(&kit_chunk.count, ADTAPE_KIT_INTEGER4_);
}

KIT_API void initDynamicSchedule(void) { kit_chunk.count = 0; }
KIT_API void initdynamicschedule_(void) { kit_chunk.count = 0; }
KIT_API void recordDynamicSchedule(int counter, int stride) { dynamic_record(counter, stride); }
KIT_API void recorddynamicschedule_(const int *counter, const int *stride) { dynamic_record(*counter, *stride); }
KIT_API void finalizeDynamicSchedule(void) { dynamic_finalize(); }
KIT_API void finalizedynamicschedule_(void) { dynamic_finalize(); }
