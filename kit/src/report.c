/* What the kit prints, where and as it does: on standard output, in bytes. A block is what the kit's current version
 * calls one, 1 MiB. Sizes are exact (the peak to 1/64), not rounded to blocks; peak and traffic are those of all
 * threads, the rest is the calling thread's. Traffic is counted in check and profile mode. */

enum { KIT_BLOCK = 1 << 20, SHOWN_BYTES = 20 };

static uint64_t own_bytes(const void *site) {
    kit_thread_t *th = kit_this(site);
    uint64_t bytes = 0;
    for (int i = 0; i < ADTAPE_KIT_STREAMS_; i++) {
        if (th->stream[i].tape != NULL) {
            refresh(&th->stream[i]);
            bytes += th->stream[i].bytes;
        }
    }
    resume_look(th, site);
    return bytes;
}

static uint64_t peak_of_all(const void *site) {
    (void)own_bytes(site);
    pthread_mutex_lock(&kit.lock);
    uint64_t peak = kit.ended_peak_bytes;
    for (const kit_thread_t *th = kit.threads; th != NULL; th = th->next) {
        for (int i = 0; i < ADTAPE_KIT_STREAMS_; i++) {
            peak += th->stream[i].peak_bytes;
        }
    }
    pthread_mutex_unlock(&kit.lock);
    return peak;
}

static uint64_t traffic_of_all(void) {
    pthread_mutex_lock(&kit.lock);
    uint64_t bytes = kit.ended_traffic_bytes;
    for (const kit_thread_t *th = kit.threads; th != NULL; th = th->next) {
        bytes += th->traffic_bytes + th->traffic_bits / 8;
    }
    pthread_mutex_unlock(&kit.lock);
    return bytes;
}

static uint64_t blocks(uint64_t bytes) { return (bytes + KIT_BLOCK - 1) / KIT_BLOCK; }

/* A position as block and offset, as the kit shows it. */
static void show_location(uint64_t bytes) { printf("%" PRIu64 ".%05" PRIu64, bytes / KIT_BLOCK, bytes % KIT_BLOCK); }

/* The text of a Fortran string ends at its length, which C callers of these names do not pass, or at a NUL. */
static int shown_length(const char *text, size_t length) { return (int)strnlen(text, length < 80 ? length : 80); }

static void show_levels(const kit_thread_t *th) {
    printf("  %" PRIu64 " active\n", th->repeat_depth);
}

static void show_top(const kit_stream_t *s) {
    const adtape_t *t = s->tape;
    const uint64_t there = t->cur == adtape_abi0_closed.cur ? 0 : t->cur - t->floor;
    printf("  top:");
    for (uint64_t i = 1; i <= SHOWN_BYTES && i <= there; i++) {
        printf(" %02x", *(const unsigned char *)(t->cur - i));
    }
    printf(s->bytes > SHOWN_BYTES ? " ...<%" PRIu64 " bytes in all>\n" : " |\n", s->bytes);
}

static void show_stack(const char *name, int length, const void *site) {
    const uint64_t bytes = own_bytes(site);
    kit_thread_t *th = kit_this(site);
    if (bytes == 0) {
        printf("Stack at %.*s is empty\n", length, name);
    } else {
        /* Here the kit counts blocks from 1. */
        printf("Stack top at %.*s is ", length, name);
        show_location(bytes + KIT_BLOCK);
        printf(" :\n");
    }
    for (int i = 0; i < ADTAPE_KIT_STREAMS_; i++) {
        const kit_stream_t *s = &th->stream[i];
        adtape_stats_t stats;
        if (s->tape == NULL) {
            continue;
        }
        if (s->bytes > 0) {
            show_top(s);
        }
        must(adtape_stats(s->tape, &stats), site);
        if (i == (kit.order_by_type ? ADTAPE_KIT_BITS_ : ADTAPE_KIT_ARRAYS_)) {
            if (stats.pending_bits == 0) {
                printf("Bit buffer is empty\n");
            } else {
                printf("Bit buffer:%" PRIu64 " bits\n", stats.pending_bits);
            }
        }
    }
    if (th->repeat_depth > 0) {
        printf("Repetition levels:\n");
        show_levels(th);
    }
    printf("----------------\n");
    resume_look(th, site);
}

static void show_peak(const void *site) {
    const uint64_t peak = peak_of_all(site);
    printf("Peak stack size (%" PRIu64 " blocks): %" PRIu64 " bytes\n", blocks(peak), peak);
}
static void show_traffic(const void *site) {
    (void)kit_state(site);
    printf("Total push/pop traffic %" PRIu64 " bytes\n", traffic_of_all());
}
static void show_size(int label, const void *site) { printf(" %i--> <%" PRIu64 ">", label, own_bytes(site)); }
static void show_error_context(const void *site) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    printf("t%09li ERROR AT:", now.tv_nsec);
    show_location(own_bytes(site));
    printf("\nREPETITION LEVELS:\n");
    show_levels(kit_mine);
    fflush(stdout);
}

KIT_API void adStack_showPeakSize(void) { show_peak(KIT_SITE); }
KIT_API void adstack_showpeaksize_(void) { show_peak(KIT_SITE); }
KIT_API void adstack_showpeaksize__(void) { show_peak(KIT_SITE); }
KIT_API void adStack_showTotalTraffic(void) { show_traffic(KIT_SITE); }
KIT_API void adstack_showtotaltraffic_(void) { show_traffic(KIT_SITE); }
KIT_API void adStack_showStackSize(int label) { show_size(label, KIT_SITE); }
KIT_API void adstack_showstacksize_(const int *label) { show_size(*label, KIT_SITE); }
KIT_API void adStack_showStack(const char *name) { show_stack(name, shown_length(name, 80), KIT_SITE); }
KIT_API void adstack_showstack_(const char *name, size_t length) {
    show_stack(name, shown_length(name, length), KIT_SITE);
}
KIT_API uint64_t adStack_getCurrentStackSize(void) { return own_bytes(KIT_SITE); }
KIT_API void showErrorContext(void) { show_error_context(KIT_SITE); }
KIT_API void showerrorcontext_(void) { show_error_context(KIT_SITE); }

/* The position as the number of a block, from 1 up, and the offset in it; 0 and 0 for a stack never used. */
KIT_API int locstrb_(void) {
    const uint64_t bytes = own_bytes(KIT_SITE);
    return kit_mine->stream[0].peak_bytes == 0 && bytes == 0 ? 0 : (int)(bytes / KIT_BLOCK) + 1;
}
KIT_API int locstro_(void) { return (int)(own_bytes(KIT_SITE) % KIT_BLOCK); }

/* ---- kits with buffers -------------------------------------------------------------------------- */

/* Bytes that a program says it has in buffers of its own. */
static void add_traffic(int bytes, const void *site) { kit_state(site)->buffer_traffic += bytes; }
static void show_pushed(uint64_t buffers) {
    printf("Total pushed traffic %" PRIu64 " bytes\n", traffic_of_all() + buffers);
}

KIT_API void addBufferTraffic(int bytes) { add_traffic(bytes, KIT_SITE); }
KIT_API void addftraffic(int bytes) { add_traffic(bytes, KIT_SITE); }
KIT_API void addftraffic_(const int *bytes) { add_traffic(*bytes, KIT_SITE); }
KIT_API void showTotalTraffic(unsigned long long bytes) { show_pushed(bytes); }
KIT_API void showtotaltraffic_(const unsigned long long *bytes) { show_pushed(*bytes); }
KIT_API void adStack_showTraffic(void) { show_pushed((uint64_t)kit_state(KIT_SITE)->buffer_traffic); }
KIT_API void adstack_showtraffic_(void) { show_pushed((uint64_t)kit_state(KIT_SITE)->buffer_traffic); }
KIT_API void showStack(void) { show_stack("", 0, KIT_SITE); }
KIT_API void showstack_(void) { show_stack("", 0, KIT_SITE); }
KIT_API void showStackAndBuffers(const char *name) { show_stack(name, shown_length(name, 80), KIT_SITE); }
KIT_API void showstackandbuffers_(const char *name, size_t length) {
    show_stack(name, shown_length(name, length), KIT_SITE);
}

/* The fill of the caller's nine buffers behind the size of the stack. A tenth argument, a label, came with a later
 * version; callers of the earlier one do not pass it, so it is not read. */
static void show_sizes(const int fill[9], const void *site) {
    printf(" --> <");
    show_location(own_bytes(site));
    printf(">");
    for (int i = 0; i < 9; i++) {
        printf(i == 0 ? "%i" : ".%i", fill[i]);
    }
    printf("\n");
}
KIT_API void showStackSize(int i4, int i8, int r4, int r8, int c8, int c16, int s1, int bit, int ptr) {
    show_sizes((const int[9]){i4, i8, r4, r8, c8, c16, s1, bit, ptr}, KIT_SITE);
}
KIT_API void showstacksize_(const int *i4, const int *i8, const int *r4, const int *r8, const int *c8, const int *c16,
                            const int *s1, const int *bit, const int *ptr) {
    show_sizes((const int[9]){*i4, *i8, *r4, *r8, *c8, *c16, *s1, *bit, *ptr}, KIT_SITE);
}
KIT_API void showStackAndBuffersSize(int label) {
    printf(" --%5i", label);
    show_sizes((const int[9]){0}, KIT_SITE);
}
/* The label came with a later version, too. */
KIT_API void showstackandbufferssize_(void) { show_sizes((const int[9]){0}, KIT_SITE); }

/* ---- kits of 2007 to 2016 ----------------------------------------------------------------------- */

/* A number with spaces between its thousands. */
static void print_grouped(uint64_t n) {
    if (n >= 1000) {
        print_grouped(n / 1000);
        printf(" %03" PRIu64, n % 1000);
    } else {
        printf("%" PRIu64, n);
    }
}
static void print_line(const char *head, uint64_t bytes) {
    printf("%s", head);
    print_grouped(bytes);
    printf(" bytes\n");
}
static uint64_t look_bytes(const void *site) {
    const kit_thread_t *th = kit_state(site);
    const kit_stream_t *s = &th->stream[ADTAPE_KIT_ARRAYS_];
    return s->looking ? (uint64_t)s->look.offset_bytes : own_bytes(site);
}

KIT_API void printbigbytes(long blocks_, long block, long bytes) {
    print_grouped((uint64_t)blocks_ * (uint64_t)block + (uint64_t)bytes);
}
KIT_API void printctraffic_(void) { print_line(" C Traffic: ", traffic_of_all()); }
KIT_API void printftrafficinc_(const long *blocks_, const int *block, const int *bytes) {
    print_line(" F Traffic: ", (uint64_t)*blocks_ * (uint64_t)*block + (uint64_t)*bytes);
}
KIT_API void printtotaltraffic_(const long *blocks_, const int *block, const int *bytes) {
    printf(" C+F Traffic: ");
    print_grouped(traffic_of_all());
    print_line(" + ", (uint64_t)*blocks_ * (uint64_t)*block + (uint64_t)*bytes);
}
static void print_traffic(const void *site) {
    print_line(" C Traffic: ", traffic_of_all());
    print_line(" F Traffic: ", (uint64_t)kit_state(site)->buffer_traffic);
}
KIT_API void printtraffic(void) { print_traffic(KIT_SITE); }
KIT_API void printtraffic_(void) { print_traffic(KIT_SITE); }
KIT_API void printtopplace_(void) { print_line(" Stack size: ", own_bytes(KIT_SITE)); }
KIT_API void printtopplacenum_(const int *label) {
    printf(" Stack size at location %i : ", *label);
    print_line("", own_bytes(KIT_SITE));
}
KIT_API void printstackmax_(void) {
    const uint64_t peak = peak_of_all(KIT_SITE);
    printf(" Max Stack size (%" PRIu64 " blocks): ", blocks(peak));
    print_line("", peak);
}
KIT_API void printlookingplace_(void) {
    const void *site = KIT_SITE;
    const bool looking = kit_state(site)->stream[ADTAPE_KIT_ARRAYS_].looking;
    print_line(looking ? " Stack look at: " : " Stack size: ", look_bytes(site));
}
KIT_API void showrecentcstack_(void) { show_stack("TOP OF C STACK", 14, KIT_SITE); }
KIT_API void showallstacks(void) { show_stack("TOP OF C STACK", 14, KIT_SITE); }
KIT_API void showallstacks_(void) { show_stack("TOP OF C STACK", 14, KIT_SITE); }
KIT_API void getnbblocksinstack_(int *count) { *count = (int)blocks(own_bytes(KIT_SITE)); }
KIT_API void getbigcsizes_(int *blocks_, int *rest, int *look_blocks, int *look_rest) {
    const void *site = KIT_SITE;
    const uint64_t bytes = own_bytes(site), look = look_bytes(site);
    *blocks_ = (int)(bytes / KIT_BLOCK);
    *rest = (int)(bytes % KIT_BLOCK);
    *look_blocks = (int)(look / KIT_BLOCK);
    *look_rest = (int)(look % KIT_BLOCK);
}

/* Nothing is held back in buffers. */
static void print_buffer(void) { printf("Buffer size:0 bytes i.e. 0 Kbytes\n"); }
KIT_API void printbuffertop(void) { print_buffer(); }
KIT_API void printbuffertop_(void) { print_buffer(); }
KIT_API int smallstacksize_(void) { return 0; }
static void print_all(const void *site) {
    print_line(" Stack size: ", own_bytes(site));
    print_buffer();
}
KIT_API void printallbuffers(void) { print_all(KIT_SITE); }
KIT_API void printallbuffers_(void) { print_all(KIT_SITE); }
