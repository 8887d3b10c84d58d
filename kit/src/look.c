/* LOOK: reading without popping, of the kits of 2007 to 2016.
 *
 * A sequence of LOOK calls yields what the same sequence of pops would. It starts over at the top after any push or
 * pop on the stream (so after any at all by default), and after resetADLookStack.
 *
 * The tape has no such call: each LOOK starts a repeat region, goes back to where the last one ended, pops, remembers
 * where it ends, and undoes all of it by ending the region. While reading, the thread's own tape is closed, so that the
 * next push or pop comes through tape_for, which ends the reading. */

static kit_stream_t *look_begin(int what, const void *site) {
    kit_thread_t *th = kit_this(site);
    kit_stream_t *s = stream_of(th, what, site);
    must(adtape_repeat_start(s->tape), site);
    if (s->looking) {
        must(adtape_mark_reset(s->tape, &s->look), site);
    }
    return s;
}

static void look_end(kit_stream_t *s, const void *site) {
    kit_thread_t *th = kit_mine;
    must(adtape_mark_take(s->tape, &s->look), site);
    must(adtape_repeat_reset(s->tape), site);
    must(adtape_repeat_end(s->tape), site);
    s->looking = true;
    resume_look(th, site);
}

static void look_values(int what, void *x, int count, const void *site) {
    if (count <= 0) {
        return;
    }
    kit_stream_t *s = look_begin(what, site);
    adtape_t *t = s->tape;
    if (x == NULL) {
        adtape_abi0_null(count, site);
    }
    if ((uint64_t)count * bytes_in(what) > t->cur - t->floor) {
        t = adtape_abi0_pop_room(t, type_in(what), count, site);
    }
    adtape_abi0_copy_out(t, x, (uint64_t)count * bytes_in(what));
    look_end(s, site);
}

static int look_control(int bits, const void *site) {
    kit_stream_t *s = look_begin(ADTAPE_KIT_BITS_ << 16, site);
    const uint64_t value = adtape_abi0_pop_control(s->tape, bits, site);
    look_end(s, site);
    return (int)adtape_kit_reverse_(value, bits);
}

/* As in those kits, this is about what lies on the one stack: by type, the arrays. */
static void look_reset(const void *site) {
    kit_thread_t *th = kit_this(site);
    th->stream[ADTAPE_KIT_ARRAYS_].looking = false;
}
KIT_API void resetADLookStack(void) { look_reset(KIT_SITE); }
KIT_API void resetadlookstack_(void) { look_reset(KIT_SITE); }

#define KIT_AS_ARRAY(what) (((what)&0xffff) | ADTAPE_KIT_ARRAYS_ << 16)

/* Scalars, both spellings take an address. */
#define KIT_DEFINE_LOOK(Name, name, T, what)                                            \
    KIT_API void look##name(void *x) { look_values(what, x, 1, KIT_SITE); }             \
    KIT_API void look##name##_(void *x) { look_values(what, x, 1, KIT_SITE); }
ADTAPE_KIT_VALUE_TYPES_(KIT_DEFINE_LOOK)
ADTAPE_KIT_POINTER_TYPES_(KIT_DEFINE_LOOK)
ADTAPE_KIT_REAL16_TYPES_(KIT_DEFINE_LOOK)

#define KIT_DEFINE_LOOK_CONTROL(bits)                                                   \
    KIT_API void lookcontrol##bits##b(int *cc) { *cc = look_control(bits, KIT_SITE); }
#define KIT_DEFINE_LOOK_CONTROL_FORTRAN(bits)                                           \
    KIT_API void lookcontrol##bits##b_(int *cc) { *cc = look_control(bits, KIT_SITE); }
ADTAPE_KIT_OLD_WIDTHS_(KIT_DEFINE_LOOK_CONTROL)
ADTAPE_KIT_FORTRAN_WIDTHS_(KIT_DEFINE_LOOK_CONTROL_FORTRAN)
KIT_API void lookboolean_(void *x) {
    const int logical = look_control(1, KIT_SITE);
    memcpy(x, &logical, sizeof logical);
}
KIT_API int lookbit(void) { return look_control(1, KIT_SITE); }
KIT_API int lookbit_(void) { return look_control(1, KIT_SITE); }

#define KIT_DEFINE_LOOK_ARRAY(Name, name, T, what)                                                                   \
    KIT_API void look##name##array(void *x, int n) { look_values(KIT_AS_ARRAY(what), x, n, KIT_SITE); }              \
    KIT_API void look##name##array_(void *x, const int *n) { look_values(KIT_AS_ARRAY(what), x, *n, KIT_SITE); }
ADTAPE_KIT_OLD_ARRAY_TYPES_(KIT_DEFINE_LOOK_ARRAY)
KIT_API void lookNarray(char *x, int bytes) { look_values(ADTAPE_KIT_BYTES_, x, bytes, KIT_SITE); }
