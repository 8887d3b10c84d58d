/* Repeat regions: what lies on the stack can be popped again after each reset.
 *
 * The older interface is for a program that keeps buffers of its own above the stack (adBuffer.o): it pushes what is
 * in them between start 1 and start 2, and pops that between reset 1 and reset 2. Here start 1 remembers the position
 * P and protects what is below; start 2 protects the buffers' contents too and goes back to P; reset 1 returns to
 * above them; when they are popped, reset 2 finds itself at P. */

static void repeat_all(adtape_status_t (*operation)(adtape_t *), const void *site) {
    kit_thread_t *th = kit_this(site);
    for (int i = 0; i < ADTAPE_KIT_STREAMS_; i++) {
        if (th->stream[i].tape != NULL) {
            must(operation(th->stream[i].tape), site);
            refresh(&th->stream[i]);
        }
        th->stream[i].looking = false;
    }
}
static void repeat_start(const void *site) {
    repeat_all(adtape_repeat_start, site);
    kit_mine->repeat_depth++;
}
static void repeat_reset(const void *site) {
    const kit_thread_t *th = kit_this(site);
    if (th->repeat_depth == 0) {
        adtape_abi0_fail(ADTAPE_STATUS_REPEAT_UNBALANCED, "reset of a repeat region, but none is active", site);
    }
    repeat_all(adtape_repeat_reset, site);
}
static void repeat_end(const void *site) {
    kit_thread_t *th = kit_this(site);
    if (th->repeat_depth == 0) {
        adtape_abi0_fail(ADTAPE_STATUS_REPEAT_UNBALANCED, "end of a repeat region, but none is active", site);
    }
    repeat_all(adtape_repeat_end, site);
    th->repeat_depth--;
}

KIT_API void adStack_startRepeat(void) { repeat_start(KIT_SITE); }
KIT_API void adstack_startrepeat_(void) { repeat_start(KIT_SITE); }
KIT_API void adStack_resetRepeat(void) { repeat_reset(KIT_SITE); }
KIT_API void adstack_resetrepeat_(void) { repeat_reset(KIT_SITE); }
KIT_API void adStack_endRepeat(void) { repeat_end(KIT_SITE); }
KIT_API void adstack_endrepeat_(void) { repeat_end(KIT_SITE); }

/* ---- the older interface ------------------------------------------------------------------------ */

/* Only the stream that arrays are on takes part: the caller's buffers hold the scalars. */
static adtape_t *stack_tape(const void *site) {
    return stream_of(kit_this(site), ADTAPE_KIT_ARRAYS_ << 16, site)->tape;
}

static void stack_start1(const void *site) {
    kit_thread_t *th = kit_this(site);
    if (th->repeat_marks_count == th->repeat_marks_room) {
        th->repeat_marks_room = 2 * th->repeat_marks_room + 4;
        th->repeat_marks = (adtape_mark_t *)realloc(th->repeat_marks,
                                                    (size_t)th->repeat_marks_room * sizeof *th->repeat_marks);
        if (th->repeat_marks == NULL) {
            adtape_abi0_fail(ADTAPE_STATUS_OUT_OF_MEMORY, "no memory for the position of a repeat region", site);
        }
    }
    repeat_start(site);
    must(adtape_mark_take(stack_tape(site), &th->repeat_marks[th->repeat_marks_count++]), site);
}

static const adtape_mark_t *stack_mark(const void *site) {
    const kit_thread_t *th = kit_this(site);
    if (th->repeat_marks_count == 0) {
        adtape_abi0_fail(ADTAPE_STATUS_REPEAT_UNBALANCED,
                         "startStackRepeat1 comes first: no repeat region of that kind is active", site);
    }
    return &th->repeat_marks[th->repeat_marks_count - 1];
}

static void stack_start2(const void *site) {
    const adtape_mark_t *mark = stack_mark(site);
    repeat_start(site);
    must(adtape_mark_reset(stack_tape(site), mark), site);
}
static void stack_reset1(const void *site) {
    (void)stack_mark(site);
    repeat_reset(site);
}
static void stack_reset2(const void *site) { must(adtape_mark_reset(stack_tape(site), stack_mark(site)), site); }
static void stack_end(const void *site) {
    (void)stack_mark(site);
    repeat_end(site);
    repeat_end(site);
    kit_mine->repeat_marks_count--;
}

KIT_API void startStackRepeat1(void) { stack_start1(KIT_SITE); }
KIT_API void startstackrepeat1_(void) { stack_start1(KIT_SITE); }
KIT_API void startStackRepeat2(void) { stack_start2(KIT_SITE); }
KIT_API void startstackrepeat2_(void) { stack_start2(KIT_SITE); }
KIT_API void resetStackRepeat1(void) { stack_reset1(KIT_SITE); }
KIT_API void resetstackrepeat1_(void) { stack_reset1(KIT_SITE); }
KIT_API void resetStackRepeat2(void) { stack_reset2(KIT_SITE); }
KIT_API void resetstackrepeat2_(void) { stack_reset2(KIT_SITE); }
KIT_API void endStackRepeat(void) { stack_end(KIT_SITE); }
KIT_API void endstackrepeat_(void) { stack_end(KIT_SITE); }
