/* A thread's tapes, and the slow path.
 *
 * By default a thread has one tape here, its own (adtape_self), in slot ADTAPE_KIT_ARRAYS_. Where the order is by
 * type it has one for each stream, made at first use.
 *
 * Invariant: outside this library's calls, the thread's own tape is open only if the order is one and no LOOK is reading.
 * Otherwise it is lent to a local cursor that nobody uses (kit_thread_t.lent), which closes it: every push and pop comes
 * through tape_for. */

typedef struct {
    adtape_t *tape; /* NULL before its first use */
    bool looking;
    adtape_mark_t look; /* up to where LOOK calls have read */
    /* As of the last slow call; other threads read them, see report.c. */
    uint64_t bytes, peak_bytes;
    uintptr_t base;  /* where the tape would be empty, if it is written in place */
    uintptr_t limit; /* of the cursor then: while it is the same, neither base nor peak has changed */
} kit_stream_t;

typedef struct kit_thread {
    kit_stream_t stream[ADTAPE_KIT_STREAMS_];
    adtape_local_t local; /* to whom the thread's own tape is lent */
    bool lent;
    uint64_t repeat_depth;
    adtape_mark_t *repeat_marks; /* of the older interface, see repeat.c */
    int repeat_marks_count, repeat_marks_room;
    uint64_t traffic_bytes, traffic_bits; /* in check and profile mode */
    int64_t buffer_traffic;
    struct kit_thread *next;
} kit_thread_t;

static struct {
    pthread_mutex_t lock;
    kit_thread_t *threads;
    uint64_t ended_peak_bytes, ended_traffic_bytes, ended_threads;
    pthread_key_t key;
    bool order_by_type;
    bool in_use;
} kit = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_once_t kit_once = PTHREAD_ONCE_INIT;

static __thread kit_thread_t *kit_mine __attribute__((tls_model("initial-exec")));

static void must(adtape_status_t status, const void *site) {
    if (status != ADTAPE_STATUS_OK) {
        adtape_abi0_fail(status, adtape_error_message(), site);
    }
}

/* ---- the beginning and end of a thread ---------------------------------------------------------- */

static uint64_t stream_leftover(const kit_stream_t *s) {
    const adtape_t *t = s->tape;
    if (t == NULL) {
        return 0;
    }
    /* A cursor that is closed or reads does not say; then sizes are those after the last operation. */
    if (t->cur == adtape_abi0_closed.cur || t->limit == 0 || t->cur < s->base) {
        return s->bytes;
    }
    return t->cur - s->base;
}

/* What the calling thread's own streams hold, exactly: in a repeat region a tape's base moves without the slow path. */
static uint64_t own_leftover(const kit_thread_t *th) {
    uint64_t left = 0;
    for (int i = 0; i < ADTAPE_KIT_STREAMS_; i++) {
        adtape_stats_t stats;
        if (th->stream[i].tape != NULL && adtape_stats(th->stream[i].tape, &stats) == ADTAPE_STATUS_OK) {
            left += stats.bytes;
        }
    }
    return left;
}

/* A thread ends. Its own tape is the core's business; the others are ours. */
static void kit_thread_end(void *argument) {
    kit_thread_t *th = (kit_thread_t *)argument;
    uint64_t left = 0;
    pthread_mutex_lock(&kit.lock);
    for (kit_thread_t **p = &kit.threads; *p != NULL; p = &(*p)->next) {
        if (*p == th) {
            *p = th->next;
            break;
        }
    }
    for (int i = 0; i < ADTAPE_KIT_STREAMS_; i++) {
        kit.ended_peak_bytes += th->stream[i].peak_bytes;
    }
    kit.ended_traffic_bytes += th->traffic_bytes + th->traffic_bits / 8;
    kit.ended_threads += 1;
    pthread_mutex_unlock(&kit.lock);
    if (kit.order_by_type) {
        left = own_leftover(th);
        for (int i = 0; i < ADTAPE_KIT_STREAMS_; i++) {
            (void)adtape_destroy(th->stream[i].tape);
        }
    }
    if (left > 0) {
        fprintf(stderr,
                "adtape: warning: a thread ended with %" PRIu64 " bytes on its tapes, which are lost\n  pushes and pops "
                "of a thread must balance; a team of threads that shrinks between the sweeps loses values\n  run with "
                "ADTAPE_CHECK=1 to see the first pop that does not match its push\n",
                left);
    }
    free(th->repeat_marks);
    free(th);
    kit_mine = NULL;
}

/* The process ends. Threads that the OpenMP run-time keeps for later do not end before: what is still on their tapes
 * was never asked for. Nor does the main thread's end come through kit_thread_end; its own tape is the core's business. */
static void kit_process_end(void) {
    uint64_t left = 0, own = 0;
    int threads = 0;
    pthread_mutex_lock(&kit.lock);
    for (const kit_thread_t *th = kit.threads; th != NULL; th = th->next) {
        if (th == kit_mine) {
            own = kit.order_by_type ? own_leftover(th) : 0;
            continue;
        }
        uint64_t here = 0;
        for (int i = 0; i < ADTAPE_KIT_STREAMS_; i++) {
            here += stream_leftover(&th->stream[i]);
        }
        left += here;
        threads += here > 0;
    }
    pthread_mutex_unlock(&kit.lock);
    if (left > 0) {
        fprintf(stderr,
                "adtape: warning: the program ends with %" PRIu64 " bytes on the tapes of %d other threads\n  pushes "
                "and pops of a thread must balance; a team of threads that shrinks between the sweeps loses values\n  run "
                "with ADTAPE_CHECK=1 to see the first pop that does not match its push\n",
                left, threads);
    }
    if (own > 0) {
        fprintf(stderr,
                "adtape: warning: the program ended with %" PRIu64 " bytes on its tapes, which are lost\n  the reverse "
                "sweep popped less than the forward sweep pushed, so derivatives may be wrong\n  run with ADTAPE_CHECK=1 "
                "to see the first pop that does not match its push\n",
                own);
    }
}

static void kit_begin(void) {
    const char *order = getenv("ADTAPE_KIT_ORDER");
    if (order != NULL && strcmp(order, "one") != 0 && order[0] != '\0') {
        if (strcmp(order, "type") != 0) {
            adtape_abi0_fail(ADTAPE_STATUS_BAD_ENVIRONMENT,
                             "ADTAPE_KIT_ORDER is neither \"one\" nor \"type\"\n  one: one order for all values; type: an "
                             "order for each type, as the kits with buffers had",
                             NULL);
        }
        kit.order_by_type = true;
    }
    /* A plugin that contains this may be closed before its threads end. */
    adtape_abi0_stay((const void *)&kit);
    pthread_key_create(&kit.key, kit_thread_end);
    atexit(kit_process_end);
}

/* By type a thread's own tape only stands in the way of the fast path. One that is open already let scalars pass. */
static void refuse_own_tape(adtape_t *own, const void *site) {
    adtape_stats_t stats;
    must(adtape_stats(own, &stats), site);
    if (stats.peak_bytes > 0 || stats.pending_bits > 0) {
        adtape_abi0_fail(ADTAPE_STATUS_BAD_ARGUMENT,
                         "order by type in a thread that has used its own tape (adtape_self)\n  with "
                         "ADTAPE_KIT_ORDER=type use tapes of adtape_create beside the kit's calls",
                         site);
    }
}

static kit_thread_t *kit_thread_begin(const void *site) {
    kit_thread_t *th = (kit_thread_t *)calloc(1, sizeof *th);
    pthread_once(&kit_once, kit_begin);
    if (th == NULL) {
        adtape_abi0_fail(ADTAPE_STATUS_OUT_OF_MEMORY, "no memory for a thread's list of tapes", site);
        abort();
    }
    adtape_t *own = adtape_abi0_self();
    if (!kit.order_by_type) {
        th->stream[0].tape = own;
    } else {
        refuse_own_tape(own, site);
    }
    pthread_mutex_lock(&kit.lock);
    kit.in_use = true;
    th->next = kit.threads;
    kit.threads = th;
    pthread_mutex_unlock(&kit.lock);
    pthread_setspecific(kit.key, th);
    kit_mine = th;
    return th;
}

/* Closes the thread's own tape. */
static void lend(kit_thread_t *th, const void *site) {
    if (!th->lent) {
        must(adtape_attach(adtape_abi0_self(), &th->local), site);
        th->lent = true;
    }
}
static void take_back(kit_thread_t *th, const void *site) {
    if (th->lent && !kit.order_by_type) {
        must(adtape_detach(&th->local), site);
        th->lent = false;
    }
}

static kit_thread_t *kit_state(const void *site) { return kit_mine != NULL ? kit_mine : kit_thread_begin(site); }

/* This thread's state, its tape ready for the library's calls; to be followed by resume_look where a LOOK may go on. */
static kit_thread_t *kit_this(const void *site) {
    kit_thread_t *th = kit_state(site);
    take_back(th, site);
    if (kit.order_by_type) {
        lend(th, site);
    }
    return th;
}

static void resume_look(kit_thread_t *th, const void *site) {
    if (th->stream[ADTAPE_KIT_ARRAYS_].looking && !kit.order_by_type) {
        lend(th, site);
    }
}

KIT_API void adtape_kit_order_by_type(void) {
    pthread_once(&kit_once, kit_begin);
    if (kit.in_use && !kit.order_by_type) {
        adtape_abi0_fail(ADTAPE_STATUS_BAD_ARGUMENT,
                         "adtape_kit_order_by_type after the first push\n  call it at the start of the program, or set "
                         "ADTAPE_KIT_ORDER=type",
                         KIT_SITE);
    }
    kit.order_by_type = true;
    (void)kit_this(KIT_SITE);
}
KIT_API void adtape_kit_order_by_type_(void) { adtape_kit_order_by_type(); }

/* Where the environment asks for it, the first thread's tape is closed before the program can open it. */
__attribute__((constructor)) static void kit_order_of_environment(void) {
    const char *order = getenv("ADTAPE_KIT_ORDER");
    if (order != NULL && strcmp(order, "type") == 0) {
        (void)kit_this(NULL);
    }
}

/* ---- the tape for an operation ------------------------------------------------------------------ */

static kit_stream_t *stream_of(kit_thread_t *th, int what, const void *site) {
    kit_stream_t *s = &th->stream[kit.order_by_type ? what >> 16 : ADTAPE_KIT_ARRAYS_];
    if (s->tape == NULL) {
        must(adtape_create(&s->tape), site);
        for (uint64_t i = 0; i < th->repeat_depth; i++) {
            must(adtape_repeat_start(s->tape), site);
        }
    }
    return s;
}

/* The stream on which a push or pop is to be performed: it ends what LOOK calls were reading there. */
static kit_stream_t *tape_for(adtape_t **self, int what, const void *site) {
    kit_thread_t *th = kit_this(site);
    kit_stream_t *s = stream_of(th, what, site);
    s->looking = false;
    if (self != NULL) {
        *self = kit.order_by_type ? adtape_abi0_self() : s->tape;
    }
    return s;
}

/* Remembers sizes for the reports of other threads. Whether all operations come by here: check or profile mode. */
static bool refresh(kit_stream_t *s) {
    int64_t bytes = 0, peak_bytes = 0;
    const bool all = adtape_abi0_sizes(s->tape, &bytes, &peak_bytes);
    s->bytes = (uint64_t)bytes;
    s->peak_bytes = (uint64_t)peak_bytes;
    s->base = s->tape->cur - s->bytes;
    s->limit = s->tape->limit;
    return all;
}

/* The end of an operation on the slow path. The cursor of a watched tape, which is closed or let one operation pass, has
 * no room. */
static void note(kit_stream_t *s, uint64_t bytes, uint64_t bits) {
    const adtape_t *t = s->tape;
    if (ADTAPE_RARE_(t->limit != s->limit || t->limit == 0 || t->limit == t->floor) && refresh(s)) {
        kit_mine->traffic_bytes += bytes;
        kit_mine->traffic_bits += bits;
    }
}

/* ---- slow path ---------------------------------------------------------------------------------- */

#define KIT_SLOW __attribute__((noinline, cold)) KIT_API

static adtape_type_t type_in(int what) { return what & 0xff; }
static uint64_t bytes_in(int what) { return ADTAPE_KIT_BYTES_IN_(what); }

KIT_SLOW void adtape_kit0_push2(adtape_t **self, int what, uint64_t low, uint64_t high) {
    const void *site = KIT_SITE;
    const uint64_t words[2] = {low, high}, bytes = bytes_in(what);
    kit_stream_t *s = tape_for(self, what, site);
    adtape_t *t = s->tape;
    if (t->cur + bytes > t->limit) {
        t = adtape_abi0_push_room(t, type_in(what), 1, site);
    }
    memcpy((void *)t->cur, words, bytes);
    t->cur += bytes;
    note(s, bytes, 0);
}
KIT_SLOW void adtape_kit0_push(adtape_t **self, int what, uint64_t word) {
    const void *site = KIT_SITE;
    const uint64_t bytes = bytes_in(what);
    kit_stream_t *s = tape_for(self, what, site);
    adtape_t *t = s->tape;
    if (t->cur + bytes > t->limit) {
        t = adtape_abi0_push_room(t, type_in(what), 1, site);
    }
    memcpy((void *)t->cur, &word, bytes);
    t->cur += bytes;
    note(s, bytes, 0);
}
KIT_SLOW void adtape_kit0_pop(adtape_t **self, int what, void *x) {
    const void *site = KIT_SITE;
    const uint64_t bytes = bytes_in(what);
    kit_stream_t *s = tape_for(self, what, site);
    adtape_t *t = s->tape;
    if (t->cur - bytes < t->floor) {
        t = adtape_abi0_pop_room_into(t, type_in(what), 1, x, site);
    }
    t->cur -= bytes;
    memcpy(x, (const void *)t->cur, bytes);
    note(s, bytes, 0);
}

KIT_SLOW adtape_kit_words_t adtape_kit0_pop_words(adtape_t **self, int what) {
    const void *site = KIT_SITE;
    const uint64_t bytes = bytes_in(what);
    adtape_kit_words_t words = {0, 0};
    kit_stream_t *s = tape_for(self, what, site);
    adtape_t *t = s->tape;
    if (t->cur - bytes < t->floor) {
        t = adtape_abi0_pop_room(t, type_in(what), 1, site);
    }
    t->cur -= bytes;
    memcpy(&words, (const void *)t->cur, bytes);
    note(s, bytes, 0);
    return words;
}

static void push_values(kit_stream_t *s, int what, const void *x, int64_t count, const void *site) {
    const uint64_t bytes = (uint64_t)count * bytes_in(what);
    adtape_t *t = s->tape;
    if (x == NULL) {
        adtape_abi0_null(count, site);
    }
    if (t->cur + bytes > t->limit) {
        t = adtape_abi0_push_room_from(t, type_in(what), count, x, site);
    }
    adtape_abi0_copy_in(t, x, bytes);
    note(s, bytes, 0);
}
static void pop_values(kit_stream_t *s, int what, void *x, int64_t count, const void *site) {
    const uint64_t bytes = (uint64_t)count * bytes_in(what);
    adtape_t *t = s->tape;
    if (x == NULL) {
        adtape_abi0_null(count, site);
    }
    if (bytes > t->cur - t->floor) {
        t = adtape_abi0_pop_room_into(t, type_in(what), count, x, site);
    }
    adtape_abi0_copy_out(t, x, bytes);
    note(s, bytes, 0);
}

KIT_SLOW void adtape_kit0_push_array(adtape_t **self, int what, const void *x, int64_t count) {
    const void *site = KIT_SITE;
    push_values(tape_for(self, (what & 0xffff) | ADTAPE_KIT_ARRAYS_ << 16, site), what, x, count, site);
}
KIT_SLOW void adtape_kit0_pop_array(adtape_t **self, int what, void *x, int64_t count) {
    const void *site = KIT_SITE;
    if (count <= 0) {
        return;
    }
    pop_values(tape_for(self, (what & 0xffff) | ADTAPE_KIT_ARRAYS_ << 16, site), what, x, count, site);
}

/* An open cursor puts a word that is full, 62 bits below a marker, onto the tape, and takes the next one from it, here and
 * at once: that is every 62nd bit. A closed one holds other bits. All else is apart, so that this needs no stack. */
static __attribute__((noinline)) void push_bits(adtape_t **self, uint64_t value, int bits, const void *site) {
    kit_stream_t *s = tape_for(self, ADTAPE_KIT_BITS_ << 16, site);
    adtape_abi0_push_control(s->tape, value, bits, site);
    note(s, 0, (uint64_t)bits);
}
static __attribute__((noinline)) uint64_t pop_bits(adtape_t **self, int bits, const void *site) {
    kit_stream_t *s = tape_for(self, ADTAPE_KIT_BITS_ << 16, site);
    const uint64_t value = adtape_abi0_pop_control(s->tape, bits, site);
    note(s, 0, (uint64_t)bits);
    return value;
}
KIT_SLOW void adtape_kit0_push_bits(adtape_t **self, uint64_t value, int bits) {
    adtape_t *t = self != NULL ? *self : ADTAPE_KIT_CURSOR_;
    const uint64_t have = t->bits;
    if (have >> 62 != 0 || t->cur + 8 > t->limit) {
        push_bits(self, value, bits, KIT_SITE);
        return;
    }
    const int room = __builtin_clzll(have) - 1, left = bits - room;
    const uint64_t word = have << room | value >> left, next = UINT64_C(1) << left;
    memcpy((void *)t->cur, &word, 8);
    t->cur += 8;
    t->bits = next | (value & (next - 1));
}
KIT_SLOW int adtape_kit0_pop_control(adtape_t **self, int bits, int *cc) {
    adtape_t *t = self != NULL ? *self : ADTAPE_KIT_CURSOR_;
    const uint64_t have = t->bits;
    uint64_t word = 0;
    if (have >> 62 == 0 && t->cur - 8 >= t->floor) {
        memcpy(&word, (const void *)(t->cur - 8), 8);
    }
    if (word >> 62 == 1) {
        const int there = 63 - __builtin_clzll(have), left = bits - there;
        t->cur -= 8;
        t->bits = word >> left;
        word = word << there | (have ^ UINT64_C(1) << there);
    } else {
        word = pop_bits(self, bits, KIT_SITE);
    }
    const int value = (int)adtape_kit_reverse_(word & ((UINT64_C(1) << bits) - 1), bits);
    if (cc != NULL) {
        *cc = value;
    }
    return value;
}
