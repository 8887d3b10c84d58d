/* adtape_glue.c: what stands between the Fortran module and the library: descriptors of arrays and characters,
 * optional arguments, kinds that have no interoperable type.
 *
 * Compile it with the C compiler that goes with the Fortran compiler, whose ISO_Fortran_binding.h it includes:
 * layout and type codes of a descriptor differ from compiler to compiler.
 *
 *     gfortran: gcc -O2 -I<include> -c adtape_glue.c
 *     flang:    clang -O2 -I<include> -c adtape_glue.c      (of the same version)
 *
 * Every function here that Fortran calls passes its own return address on as the call site, so that check mode
 * and messages name the line in the user's program. */
#include <ISO_Fortran_binding.h>
#include <adtape.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define SITE_ __builtin_return_address(0)
#define INLINE_ static inline __attribute__((always_inline))

/* ---- errors ------------------------------------------------------------------------------------ */

/* Ends in the error handler of the session. */
static __attribute__((noinline, cold, noreturn, format(printf, 3, 4))) void
refuse(adtape_status_t status, const void *site, const char *format, ...) {
    char message[1500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    adtape_abi0_fail(status, message, site);
    abort();
}

/* Ends a call with an optional `stat`: a failure that nobody asks for goes to the error handler. */
static void finish(adtape_status_t status, int32_t *stat, const void *site) {
    if (stat != NULL) {
        *stat = status;
    } else if (status != ADTAPE_STATUS_OK) {
        refuse(status, site, "%s", adtape_error_message());
    }
}

/* ---- contiguous values at a site ------------------------------------------------------------------ */

/* From so many values on, and for none, the slow path looks at the count: less than MAX_BYTES_ of the largest type. The
 * exact bound would take a division. */
#define MANY_ (ADTAPE_MAX_BYTES_ / 32)

/* As adtape_push_array_raw_ of adtape/inline.h, with the site given. */
INLINE_ void push_values(adtape_t *t, adtape_type_t type, uint64_t bytes_each, const void *x, int64_t count,
                         const void *site) {
    const uint64_t bytes = (uint64_t)count * bytes_each;
    if (ADTAPE_RARE_(t == NULL)) {
        adtape_abi0_null(-1, site);
    }
    if (ADTAPE_RARE_((uint64_t)count - 1 >= MANY_ || x == NULL || t->cur + bytes > t->limit)) {
        if (x == NULL && count != 0) {
            adtape_abi0_null(count, site);
        }
        t = adtape_abi0_push_room(adtape_real_(t), type, count, site);
        if (count == 0) {
            return;
        }
    }
    if (bytes < ADTAPE_BIG_BYTES_) {
        memcpy((void *)t->cur, x, bytes);
        t->cur += bytes;
    } else {
        adtape_abi0_copy_in(t, x, bytes);
    }
}

/* As adtape_pop_array_raw_ of adtape/inline.h, with the site given. */
INLINE_ void pop_values(adtape_t *t, adtape_type_t type, uint64_t bytes_each, void *x, int64_t count,
                        const void *site) {
    const uint64_t bytes = (uint64_t)count * bytes_each;
    if (ADTAPE_RARE_(t == NULL)) {
        adtape_abi0_null(-1, site);
    }
    if (ADTAPE_RARE_((uint64_t)count - 1 >= MANY_ || x == NULL || bytes > t->cur - t->floor)) {
        if (x == NULL && count != 0) {
            adtape_abi0_null(count, site);
        }
        t = adtape_abi0_pop_room(adtape_real_(t), type, count, site);
        if (count == 0) {
            return;
        }
    }
    if (bytes < ADTAPE_BIG_BYTES_) {
        t->cur -= bytes;
        memcpy(x, (const void *)t->cur, bytes);
    } else {
        adtape_abi0_copy_out(t, x, bytes);
    }
}

/* ---- arrays -------------------------------------------------------------------------------------- */

#include "adtape_descriptor.inc"

static __attribute__((noinline)) void push_section(adtape_t *t, adtape_type_t type, const CFI_cdesc_t *x,
                                                   const void *site) {
    section_t s;
    read_section(x, type, &s);
    adtape_abi0_push_section(t, type, x->base_addr, s.rank, s.extents, s.strides_bytes, site);
}
static __attribute__((noinline)) void pop_section(adtape_t *t, adtape_type_t type, const CFI_cdesc_t *x,
                                                  const void *site) {
    section_t s;
    read_section(x, type, &s);
    adtape_abi0_pop_section(t, type, x->base_addr, s.rank, s.extents, s.strides_bytes, site);
}

INLINE_ void push_array(adtape_t *t, const CFI_cdesc_t *x, const void *site) {
    const array_t a = read_array(x, "push", site);
    if (ADTAPE_RARE_(t == NULL)) {
        adtape_abi0_null(-1, site);
    }
    if (a.contiguous || a.count == 0) {
        push_values(t, a.type, BYTES[a.type], x->base_addr, a.count, site);
    } else {
        push_section(t, a.type, x, site);
    }
}
INLINE_ void pop_array(adtape_t *t, const CFI_cdesc_t *x, const void *site) {
    const array_t a = read_array(x, "pop", site);
    if (ADTAPE_RARE_(t == NULL)) {
        adtape_abi0_null(-1, site);
    }
    if (a.contiguous || a.count == 0) {
        pop_values(t, a.type, BYTES[a.type], x->base_addr, a.count, site);
    } else {
        pop_section(t, a.type, x, site);
    }
}

/* One routine for all ranks, under a name for each: interfaces that differ must not share a binding label. */
void adtape_fortran_push_1(adtape_t *t, const CFI_cdesc_t *x) { push_array(t, x, SITE_); }
void adtape_fortran_pop_1(adtape_t *t, CFI_cdesc_t *x) { pop_array(t, x, SITE_); }
void adtape_fortran_self_push_1(const CFI_cdesc_t *x) { push_array(adtape_self(), x, SITE_); }
void adtape_fortran_self_pop_1(CFI_cdesc_t *x) { pop_array(adtape_self(), x, SITE_); }
#define RANK_(n)                                                                                               \
    void adtape_fortran_push_##n(adtape_t *, const CFI_cdesc_t *) __attribute__((alias("adtape_fortran_push_1"))); \
    void adtape_fortran_pop_##n(adtape_t *, CFI_cdesc_t *) __attribute__((alias("adtape_fortran_pop_1")));     \
    void adtape_fortran_self_push_##n(const CFI_cdesc_t *) __attribute__((alias("adtape_fortran_self_push_1"))); \
    void adtape_fortran_self_pop_##n(CFI_cdesc_t *) __attribute__((alias("adtape_fortran_self_pop_1")));
RANK_(2) RANK_(3) RANK_(4) RANK_(5) RANK_(6) RANK_(7)

/* ---- characters ----------------------------------------------------------------------------------- */

/* A scalar character of any length: as many values of type CHAR. */
INLINE_ void push_text(adtape_t *t, const CFI_cdesc_t *x, const void *site) {
    push_values(t, ADTAPE_TYPE_CHAR, 1, x->base_addr, (int64_t)x->elem_len, site);
}
INLINE_ void pop_text(adtape_t *t, CFI_cdesc_t *x, const void *site) {
    pop_values(t, ADTAPE_TYPE_CHAR, 1, x->base_addr, (int64_t)x->elem_len, site);
}
void adtape_fortran_push_text(adtape_t *t, const CFI_cdesc_t *x) { push_text(t, x, SITE_); }
void adtape_fortran_pop_text(adtape_t *t, CFI_cdesc_t *x) { pop_text(t, x, SITE_); }
void adtape_fortran_self_push_text(const CFI_cdesc_t *x) { push_text(adtape_self(), x, SITE_); }
void adtape_fortran_self_pop_text(CFI_cdesc_t *x) { pop_text(adtape_self(), x, SITE_); }

/* ---- scalars without an interoperable type --------------------------------------------------------- */

/* External procedures of Fortran, which passes everything by address: adtapeself<name>(x), adtapecall<name>(t, x).
 * Their symbols are those that gfortran and flang give to externals, with and without -fno-underscoring; a name
 * with an underscore in it would be yet another under -fsecond-underscore. */
#define EXTERNAL_(name, bytes, type)                                                                           \
    void adtapeselfpush##name##_(const void *x) { push_values(adtape_self(), type, bytes, x, 1, SITE_); }      \
    void adtapeselfpop##name##_(void *x) { pop_values(adtape_self(), type, bytes, x, 1, SITE_); }              \
    void adtapecallpush##name##_(adtape_t *const *t, const void *x) { push_values(*t, type, bytes, x, 1, SITE_); } \
    void adtapecallpop##name##_(adtape_t *const *t, void *x) { pop_values(*t, type, bytes, x, 1, SITE_); }     \
    void adtapeselfpush##name(const void *) __attribute__((alias("adtapeselfpush" #name "_")));                \
    void adtapeselfpop##name(void *) __attribute__((alias("adtapeselfpop" #name "_")));                        \
    void adtapecallpush##name(adtape_t *const *, const void *) __attribute__((alias("adtapecallpush" #name "_"))); \
    void adtapecallpop##name(adtape_t *const *, void *) __attribute__((alias("adtapecallpop" #name "_")));
EXTERNAL_(logical16, 2, ADTAPE_TYPE_LOGICAL16)
EXTERNAL_(logical32, 4, ADTAPE_TYPE_LOGICAL32)
EXTERNAL_(logical64, 8, ADTAPE_TYPE_LOGICAL64)
EXTERNAL_(logical128, 16, ADTAPE_TYPE_LOGICAL128)
EXTERNAL_(f128, 16, ADTAPE_TYPE_F128)
EXTERNAL_(complexf128, 32, ADTAPE_TYPE_COMPLEX_F128)

/* ---- bytes ------------------------------------------------------------------------------------------ */

/* By the address of anything, and by an array of assumed size: the same for C. */
#define BYTES_CALLS_(kind, T)                                                                                  \
    void adtape_fortran_push_address_##kind(adtape_t *t, const void *x, T bytes) {                             \
        push_values(t, ADTAPE_TYPE_BYTES, 1, x, bytes, SITE_);                                                 \
    }                                                                                                          \
    void adtape_fortran_pop_address_##kind(adtape_t *t, void *x, T bytes) {                                    \
        pop_values(t, ADTAPE_TYPE_BYTES, 1, x, bytes, SITE_);                                                  \
    }                                                                                                          \
    void adtape_fortran_self_push_address_##kind(const void *x, T bytes) {                                     \
        push_values(adtape_self(), ADTAPE_TYPE_BYTES, 1, x, bytes, SITE_);                                     \
    }                                                                                                          \
    void adtape_fortran_self_pop_address_##kind(void *x, T bytes) {                                            \
        pop_values(adtape_self(), ADTAPE_TYPE_BYTES, 1, x, bytes, SITE_);                                      \
    }                                                                                                          \
    void adtape_fortran_push_bytes_##kind(adtape_t *, const void *, T)                                         \
        __attribute__((alias("adtape_fortran_push_address_" #kind)));                                          \
    void adtape_fortran_pop_bytes_##kind(adtape_t *, void *, T)                                                \
        __attribute__((alias("adtape_fortran_pop_address_" #kind)));                                           \
    void adtape_fortran_self_push_bytes_##kind(const void *, T)                                                \
        __attribute__((alias("adtape_fortran_self_push_address_" #kind)));                                     \
    void adtape_fortran_self_pop_bytes_##kind(void *, T)                                                       \
        __attribute__((alias("adtape_fortran_self_pop_address_" #kind)));
BYTES_CALLS_(i32, int32_t)
BYTES_CALLS_(i64, int64_t)

/* ---- control and counts -------------------------------------------------------------------------------- */

/* Refuses more bits than the integer has: they would be made up at a push and lost at a pop. */
INLINE_ int bits_of(int64_t bits, int most, const char *what, const void *site) {
    if (ADTAPE_RARE_(bits > most)) {
        refuse(ADTAPE_STATUS_BAD_ARGUMENT, site,
               "%s of %" PRId64 " bits of an integer(%d)\n  it has %d; give 1 to %d%s", what, bits, most / 8, most, most,
               most < 64 ? ", or an integer(8) with up to 64" : "");
    }
    return bits < 0 ? -1 : (int)bits;
}
/* As adtape_push_control and adtape_push_count of adtape/inline.h, with the site given. */
INLINE_ void push_control(adtape_t *t, uint64_t value, int bits, const void *site) {
    if (ADTAPE_RARE_(t == NULL)) {
        adtape_abi0_null(-1, site);
    }
    if (ADTAPE_RARE_((unsigned)bits - 1u >= 61u || t->bits >= UINT64_C(1) << (62 - bits))) {
        adtape_abi0_push_control(adtape_real_(t), value, bits, site);
    } else {
        t->bits = t->bits << bits | (value & ((UINT64_C(1) << bits) - 1));
    }
}
INLINE_ uint64_t pop_control(adtape_t *t, int bits, const void *site) {
    uint64_t value;
    if (ADTAPE_RARE_(t == NULL)) {
        adtape_abi0_null(-1, site);
    }
    if (ADTAPE_RARE_((unsigned)bits - 1u >= 61u || (int64_t)t->bits < (int64_t)(UINT64_C(1) << bits))) {
        return adtape_abi0_pop_control(adtape_real_(t), bits, site);
    }
    value = t->bits & ((UINT64_C(1) << bits) - 1);
    t->bits >>= bits;
    return value;
}
INLINE_ void push_count(adtape_t *t, int64_t n, const void *site) {
    if (ADTAPE_RARE_(t == NULL)) {
        adtape_abi0_null(-1, site);
    }
    if (ADTAPE_RARE_((uint64_t)n > 127 || t->cur + 1 > t->limit)) {
        adtape_abi0_push_count(adtape_real_(t), n, site);
    } else {
        *(unsigned char *)t->cur = (unsigned char)n;
        t->cur += 1;
    }
}
INLINE_ int64_t pop_count(adtape_t *t, int64_t least, int64_t most, const void *site) {
    int64_t n;
    if (ADTAPE_RARE_(t == NULL)) {
        adtape_abi0_null(-1, site);
    }
    if (ADTAPE_RARE_(t->cur - 1 < t->floor || *(const unsigned char *)(t->cur - 1) > 127)) {
        n = adtape_abi0_pop_count(adtape_real_(t), site);
    } else {
        t->cur -= 1;
        n = *(const unsigned char *)t->cur;
    }
    if (ADTAPE_RARE_(n < least || n > most)) {
        refuse(ADTAPE_STATUS_BAD_ARGUMENT, site,
               "pop of a count into an integer(4): it is %" PRId64 "\n  pop it into an integer(8)", n);
    }
    return n;
}

/* `wide`: with the number of bits in an integer(8), as a literal is under -fdefault-integer-8. */
#define CONTROL_CALLS_(kind, wide, T, U, BITS)                                                                     \
    void adtape_fortran_push_control_##kind##wide(adtape_t *t, T value, BITS bits) {                               \
        push_control(t, (U)value, bits_of(bits, 8 * (int)sizeof(T), "push_control", SITE_), SITE_);                \
    }                                                                                                              \
    void adtape_fortran_pop_control_##kind##wide(adtape_t *t, T *value, BITS bits) {                               \
        *value = (T)pop_control(t, bits_of(bits, 8 * (int)sizeof(T), "pop_control", SITE_), SITE_);                \
    }                                                                                                              \
    void adtape_fortran_self_push_control_##kind##wide(T value, BITS bits) {                                       \
        push_control(adtape_self(), (U)value, bits_of(bits, 8 * (int)sizeof(T), "push_control", SITE_), SITE_);    \
    }                                                                                                              \
    void adtape_fortran_self_pop_control_##kind##wide(T *value, BITS bits) {                                       \
        *value = (T)pop_control(adtape_self(), bits_of(bits, 8 * (int)sizeof(T), "pop_control", SITE_), SITE_);    \
    }
CONTROL_CALLS_(i32, , int32_t, uint32_t, int32_t)
CONTROL_CALLS_(i32, _wide, int32_t, uint32_t, int64_t)
CONTROL_CALLS_(i64, , int64_t, uint64_t, int32_t)
CONTROL_CALLS_(i64, _wide, int64_t, uint64_t, int64_t)

#define COUNT_CALLS_(kind, T, LEAST, MOST)                                                                     \
    void adtape_fortran_push_count_##kind(adtape_t *t, T n) { push_count(t, n, SITE_); }                       \
    void adtape_fortran_pop_count_##kind(adtape_t *t, T *n) { *n = (T)pop_count(t, LEAST, MOST, SITE_); }      \
    void adtape_fortran_self_push_count_##kind(T n) { push_count(adtape_self(), n, SITE_); }                   \
    void adtape_fortran_self_pop_count_##kind(T *n) { *n = (T)pop_count(adtape_self(), LEAST, MOST, SITE_); }
COUNT_CALLS_(i32, int32_t, INT32_MIN, INT32_MAX)
COUNT_CALLS_(i64, int64_t, INT64_MIN, INT64_MAX)

#include "adtape_checkpoint_glue.inc"
#include "adtape_variable.inc"
#include "adtape_pointer_glue.inc"

/* ---- calls with a status ---------------------------------------------------------------------------------- */

/* On a tape by handle, and on the thread's own. */
#define ON_TAPE_AND_SELF_(name, call, ...)                                                                     \
    void adtape_fortran_##name(adtape_t *t, __VA_ARGS__) { finish(call, stat, SITE_); }                        \
    void adtape_fortran_self_##name(__VA_ARGS__) {                                                             \
        adtape_t *const t = adtape_self();                                                                     \
        finish(call, stat, SITE_);                                                                             \
    }
ON_TAPE_AND_SELF_(mark_take, adtape_mark_take(t, mark), adtape_mark_t *mark, int32_t *stat)
ON_TAPE_AND_SELF_(mark_reset, adtape_mark_reset(t, mark), const adtape_mark_t *mark, int32_t *stat)
ON_TAPE_AND_SELF_(repeat_start, adtape_repeat_start(t), int32_t *stat)
ON_TAPE_AND_SELF_(repeat_reset, adtape_repeat_reset(t), int32_t *stat)
ON_TAPE_AND_SELF_(repeat_end, adtape_repeat_end(t), int32_t *stat)
ON_TAPE_AND_SELF_(stats_get, adtape_stats_get(t, stats), adtape_stats_t *stats, int32_t *stat)
ON_TAPE_AND_SELF_(stats_traffic, adtape_stats_traffic(t, type, operation, traffic), int32_t type, int32_t operation,
                  adtape_traffic_t *traffic, int32_t *stat)
ON_TAPE_AND_SELF_(stats_reset, adtape_stats_reset(t), int32_t *stat)
ON_TAPE_AND_SELF_(stats_print, adtape_stats_print(t, 1), int32_t *stat)
ON_TAPE_AND_SELF_(trim, adtape_trim(t, how), int32_t how, int32_t *stat)

void adtape_fortran_stats_set_profile(adtape_t *t, int32_t on, int32_t *stat) {
    finish(adtape_stats_set_profile(t, on != 0), stat, SITE_);
}
void adtape_fortran_mark_compare(const adtape_mark_t *a, const adtape_mark_t *b, int32_t *order, int32_t *stat) {
    finish(adtape_mark_compare(a, b, order), stat, SITE_);
}
void adtape_fortran_mark_bytes_between(const adtape_mark_t *a, const adtape_mark_t *b, int64_t *bytes, int32_t *stat) {
    finish(adtape_mark_bytes_between(a, b, bytes), stat, SITE_);
}
void adtape_fortran_new(adtape_t **t, int32_t *stat) {
    finish(adtape_new(adtape_session_default(), t), stat, SITE_);
}
void adtape_fortran_free(adtape_t **t, int32_t *stat) {
    const adtape_status_t status = adtape_free(*t);
    if (status == ADTAPE_STATUS_OK) {
        *t = NULL;
    }
    finish(status, stat, SITE_);
}
void adtape_fortran_release(adtape_t *t, adtape_t **handle, int32_t *stat) {
    finish(adtape_release(t, handle), stat, SITE_);
}
void adtape_fortran_acquire(adtape_t *t, int32_t *stat) { finish(adtape_acquire(t), stat, SITE_); }

void adtape_fortran_set_memory_limit(int64_t limit_bytes, int32_t *stat) {
    if (limit_bytes < 0) {
        refuse(ADTAPE_STATUS_COUNT_RANGE, SITE_,
               "a memory limit of %" PRId64 " bytes\n  give at least 1, or 0 for what the machine has", limit_bytes);
    }
    finish(adtape_session_set_memory_limit(adtape_session_default(), (uint64_t)limit_bytes), stat, SITE_);
}
void adtape_fortran_memory(adtape_memory_t *memory, int32_t *stat) {
    finish(adtape_session_memory(adtape_session_default(), memory), stat, SITE_);
}
void adtape_fortran_set_error_handler(adtape_error_handler_t handler, void *user, int32_t *stat) {
    finish(adtape_session_set_error_handler(adtape_session_default(), handler, user), stat, SITE_);
}

/* ---- addresses ------------------------------------------------------------------------------------------- */

/* A call that fails at the place in the program that called the glue. */
#define AT_SITE_(call)           \
    do {                         \
        adtape_abi0_site(SITE_); \
        call;                    \
        adtape_abi0_site(NULL);  \
    } while (0)

#define SESSION_ adtape_session_default()

/* A label as a C string, without trailing blanks. */
#define LABEL_BYTES_ 256
INLINE_ const char *label_of(const CFI_cdesc_t *label, char *buffer) {
    size_t n = label == NULL ? 0 : label->elem_len;
    const char *text = n == 0 ? "" : label->base_addr;
    while (n > 0 && text[n - 1] == ' ') {
        n--;
    }
    n = n < LABEL_BYTES_ ? n : LABEL_BYTES_ - 1;
    memcpy(buffer, text, n);
    buffer[n] = '\0';
    return buffer;
}

/* Bytes of a contiguous array of any rank and type. */
static uint64_t bytes_of_array(const CFI_cdesc_t *x, const char *what, const void *site) {
    uint64_t bytes = x->elem_len;
    for (int i = 0; i < x->rank; i++) {
        if (x->dim[i].extent < 0) {
            refuse(ADTAPE_STATUS_BAD_ARGUMENT, site, "%s: an assumed-size array has no size\n  pass a section, x(1:n)", what);
        }
        if (x->dim[i].extent > 1 && (uint64_t)x->dim[i].sm != bytes) {
            refuse(ADTAPE_STATUS_BAD_ARGUMENT, site,
                   "%s is not contiguous\n  pass the whole array, or its parts one by one", what);
        }
        bytes *= (uint64_t)x->dim[i].extent;
    }
    return bytes;
}

static void add_array(const CFI_cdesc_t *x, int32_t kind, const CFI_cdesc_t *label, const void *site) {
    char buffer[LABEL_BYTES_];
    const uint64_t bytes = bytes_of_array(x, "the array of live_add", site);
    if (x->base_addr == NULL) {
        refuse_null("live_add", x, site);
    }
    adtape_abi0_site(site);
    adtape_live_add(SESSION_, x->base_addr, bytes, kind, label_of(label, buffer));
    adtape_abi0_site(NULL);
}
static void set_adjoint_array(const CFI_cdesc_t *x, const CFI_cdesc_t *adjoint, const void *site) {
    const uint64_t bytes = bytes_of_array(adjoint, "the adjoint of live_adjoint", site);
    if (x->base_addr == NULL || adjoint->base_addr == NULL) {
        refuse_null("live_adjoint", x, site);
    }
    adtape_abi0_site(site);
    adtape_live_adjoint(SESSION_, x->base_addr, adjoint->base_addr, bytes);
    adtape_abi0_site(NULL);
}

/* A name for each rank, as for push and pop. */
void adtape_fortran_live_add_1(const CFI_cdesc_t *x, int32_t kind, const CFI_cdesc_t *label) {
    add_array(x, kind, label, SITE_);
}
void adtape_fortran_live_adjoint_1(const CFI_cdesc_t *x, const CFI_cdesc_t *adjoint) {
    set_adjoint_array(x, adjoint, SITE_);
}
#define LIVE_OF_RANK_(n)                                                                        \
    void adtape_fortran_live_add_##n(const CFI_cdesc_t *, int32_t, const CFI_cdesc_t *)         \
        __attribute__((alias("adtape_fortran_live_add_1")));                                    \
    void adtape_fortran_live_adjoint_##n(const CFI_cdesc_t *, const CFI_cdesc_t *)              \
        __attribute__((alias("adtape_fortran_live_adjoint_1")));
LIVE_OF_RANK_(2) LIVE_OF_RANK_(3) LIVE_OF_RANK_(4) LIVE_OF_RANK_(5) LIVE_OF_RANK_(6) LIVE_OF_RANK_(7)

#define ADDRESS_CALLS_(kind_of_bytes, T)                                                                        \
    void adtape_fortran_live_add_##kind_of_bytes(void *base, T bytes, int32_t kind, const CFI_cdesc_t *label) { \
        char buffer[LABEL_BYTES_];                                                                              \
        AT_SITE_(adtape_live_add(SESSION_, base, (uint64_t)(int64_t)bytes, kind, label_of(label, buffer)));     \
    }                                                                                                           \
    void adtape_fortran_live_adjoint_##kind_of_bytes(const void *base, const void *adjoint_base, T bytes) {     \
        AT_SITE_(adtape_live_adjoint(SESSION_, base, adjoint_base, (uint64_t)(int64_t)bytes));                  \
    }                                                                                                           \
    void adtape_fortran_rebase_add_##kind_of_bytes(const adtape_range_t *range, void *new_base,                 \
                                                   void *adjoint_base, T bytes) {                               \
        AT_SITE_(adtape_rebase_add(SESSION_, range, new_base, adjoint_base, (uint64_t)(int64_t)bytes));         \
    }
ADDRESS_CALLS_(i32, int32_t)
ADDRESS_CALLS_(i64, int64_t)

void adtape_fortran_rebase_add(const adtape_range_t *range, void *new_base) {
    AT_SITE_(adtape_rebase_add(SESSION_, range, new_base, NULL, 0));
}
void adtape_fortran_live_remove(const void *base) { AT_SITE_(adtape_live_remove(SESSION_, base)); }
void adtape_fortran_rebase_remove(const void *new_base) { AT_SITE_(adtape_rebase_remove(SESSION_, new_base)); }
void adtape_fortran_begin_reverse(void) { AT_SITE_(adtape_begin_reverse(SESSION_)); }
void adtape_fortran_rebase_pointer(const void *address, void **p, void **p_adjoint) {
    AT_SITE_(adtape_rebase_pointer(SESSION_, address, p, p_adjoint));
}

/* On a tape by handle, and on the thread's own. */
#define ADDRESS_ON_TAPE_(name, call, ...)                                                          \
    void adtape_fortran_##name(adtape_t *t, __VA_ARGS__) { AT_SITE_(call); }                       \
    void adtape_fortran_self_##name(__VA_ARGS__) {                                                 \
        adtape_t *const t = adtape_self();                                                         \
        AT_SITE_(call);                                                                            \
    }
ADDRESS_ON_TAPE_(live_end, adtape_live_end(t, SESSION_, base), const void *base)
ADDRESS_ON_TAPE_(push_range, adtape_push_range(t, SESSION_, base), const void *base)
ADDRESS_ON_TAPE_(pop_range, adtape_pop_range(t, SESSION_, range), adtape_range_t *range)
ADDRESS_ON_TAPE_(push_pointer, adtape_push_pointer(t, SESSION_, p), const void *p)
ADDRESS_ON_TAPE_(pop_pointer, adtape_pop_pointer(t, SESSION_, p, p_adjoint), void **p, void **p_adjoint)
ADDRESS_ON_TAPE_(push_pair, adtape_push_pair(t, SESSION_, base, offset), const void *base, int64_t offset)
ADDRESS_ON_TAPE_(pop_pair, adtape_pop_pair(t, SESSION_, pair, p, p_adjoint), adtape_pair_t *pair, void **p,
                 void **p_adjoint)

void adtape_fortran_live_find(const void *address, adtape_range_t *range, int32_t *stat) {
    finish(adtape_live_find(SESSION_, address, range), stat, SITE_);
}
void adtape_fortran_live_list(const CFI_cdesc_t *ranges, int64_t *count, int32_t *stat) {
    finish(adtape_live_list(SESSION_, ranges->base_addr, ranges->dim[0].extent, count), stat, SITE_);
}
void adtape_fortran_pointer_waiting(const CFI_cdesc_t *variables, int64_t *count, int32_t *stat) {
    finish(adtape_pointer_waiting(SESSION_, variables->base_addr, variables->dim[0].extent, count), stat, SITE_);
}
void adtape_fortran_live_stats(adtape_live_stats_t *counts, int32_t *stat) {
    finish(adtape_live_stats(SESSION_, counts), stat, SITE_);
}
void adtape_fortran_live_print(int32_t *stat) { finish(adtape_live_print(SESSION_, 1), stat, SITE_); }

#include "adtape_restoration_glue.inc"

/* ---- schedules and drivers ----------------------------------------------------------------------------------- */

/* Refuses a negative number. */
static uint64_t number(int64_t n, const char *what, const void *site) {
    if (n < 0) {
        refuse(ADTAPE_STATUS_COUNT_RANGE, site, "%s: %" PRId64 "\n  give 0 or more", what, n);
    }
    return (uint64_t)n;
}
#define NUMBER_(n) number(n, #n, SITE_)

void adtape_fortran_new_binomial(adtape_schedule_t **out, int64_t steps, int64_t snapshots, int32_t *stat) {
    finish(adtape_schedule_new_binomial(NUMBER_(steps), NUMBER_(snapshots), out), stat, SITE_);
}
void adtape_fortran_new_multistage(adtape_schedule_t **out, int64_t steps, int64_t memory_snapshots,
                                   int64_t disk_snapshots, int32_t *stat) {
    finish(adtape_schedule_new_multistage(NUMBER_(steps), NUMBER_(memory_snapshots), NUMBER_(disk_snapshots), out), stat,
           SITE_);
}
void adtape_fortran_new_disk_revolve(adtape_schedule_t **out, int64_t steps, int64_t memory_snapshots, double save_cost,
                                     double load_cost, int32_t *stat) {
    finish(adtape_schedule_new_disk_revolve(NUMBER_(steps), NUMBER_(memory_snapshots), save_cost, load_cost, out), stat,
           SITE_);
}
void adtape_fortran_new_two_level(adtape_schedule_t **out, int64_t steps, int64_t period, int64_t memory_snapshots,
                                  int32_t *stat) {
    finish(adtape_schedule_new_two_level(NUMBER_(steps), NUMBER_(period), NUMBER_(memory_snapshots), out), stat, SITE_);
}
void adtape_fortran_new_online(adtape_schedule_t **out, int64_t snapshots, int32_t *stat) {
    finish(adtape_schedule_new_online(NUMBER_(snapshots), out), stat, SITE_);
}
void adtape_fortran_new_mixed(adtape_schedule_t **out, int64_t steps, int64_t units, int32_t *stat) {
    finish(adtape_schedule_new_mixed(NUMBER_(steps), NUMBER_(units), out), stat, SITE_);
}
void adtape_fortran_new_store_all(adtape_schedule_t **out, int64_t steps, int32_t *stat) {
    finish(adtape_schedule_new_store_all(NUMBER_(steps), out), stat, SITE_);
}
void adtape_fortran_schedule_free(adtape_schedule_t **schedule) {
    adtape_schedule_free(*schedule);
    *schedule = NULL;
}
void adtape_fortran_schedule_next(adtape_schedule_t *schedule, adtape_instruction_t *instruction, int32_t *stat) {
    finish(adtape_schedule_next(schedule, instruction), stat, SITE_);
}
void adtape_fortran_schedule_end_at(adtape_schedule_t *schedule, int64_t step, int32_t *stat) {
    finish(adtape_schedule_end_at(schedule, NUMBER_(step)), stat, SITE_);
}
void adtape_fortran_schedule_predict(adtape_schedule_t *schedule, adtape_prediction_t *prediction, int32_t *stat) {
    finish(adtape_schedule_predict(schedule, prediction), stat, SITE_);
}

void adtape_fortran_driver_new(adtape_driver_t **driver, int32_t *stat) {
    finish(adtape_driver_new(driver), stat, SITE_);
}
void adtape_fortran_driver_free(adtape_driver_t **driver, int32_t *stat) {
    const adtape_status_t status = adtape_driver_free(*driver);
    if (status == ADTAPE_STATUS_OK) {
        *driver = NULL;
    }
    finish(status, stat, SITE_);
}
void adtape_fortran_driver_set_steps(adtape_driver_t *driver, adtape_step_t step, adtape_adjoint_step_t adjoint_step,
                                     void *user, int32_t *stat) {
    finish(adtape_driver_set_steps(driver, step, adjoint_step, user), stat, SITE_);
}
void adtape_fortran_driver_set_records(adtape_driver_t *driver, adtape_step_t record_step,
                                       adtape_adjoint_step_t reverse_step, int32_t *stat) {
    finish(adtape_driver_set_records(driver, record_step, reverse_step), stat, SITE_);
}
void adtape_fortran_driver_set_snapshots(adtape_driver_t *driver, adtape_snapshot_t save, adtape_snapshot_t load,
                                         int32_t *stat) {
    finish(adtape_driver_set_snapshots(driver, save, load), stat, SITE_);
}
void adtape_fortran_driver_set_progress(adtape_driver_t *driver, adtape_progress_call_t progress, void *user,
                                        int32_t *stat) {
    finish(adtape_driver_set_progress(driver, progress, user), stat, SITE_);
}
void adtape_fortran_driver_show_progress(adtape_driver_t *driver, int32_t on, int32_t *stat) {
    finish(adtape_driver_show_progress(driver, on != 0), stat, SITE_);
}
/* Any rank, strides and type; elements of a type that is none of ours are bytes. */
static void driver_register(adtape_driver_t *driver, int32_t role, const CFI_cdesc_t *x, const CFI_cdesc_t *name,
                            int32_t *stat, const void *site) {
    const adtape_type_t type = type_of(x) == 0 ? ADTAPE_TYPE_BYTES : type_of(x);
    text_t text;
    section_t s;
    if (x->rank > 0 && x->dim[x->rank - 1].extent < 0) {
        refuse(ADTAPE_STATUS_BAD_ARGUMENT, site, "an assumed-size array has no size\n  register a section, x(1:n)");
    }
    read_section(x, type, &s);
    finish(adtape_driver_register_section(driver, role, name == NULL ? NULL : c_text(name, &text), type, x->base_addr,
                                          s.rank, s.extents, s.strides_bytes),
           stat, site);
}
void adtape_fortran_driver_register(adtape_driver_t *driver, const CFI_cdesc_t *x, const CFI_cdesc_t *name,
                                    int32_t *stat) {
    driver_register(driver, ADTAPE_ROLE_STATE, x, name, stat, SITE_);
}
void adtape_fortran_driver_register_adjoint(adtape_driver_t *driver, const CFI_cdesc_t *x, const CFI_cdesc_t *name,
                                            int32_t *stat) {
    driver_register(driver, ADTAPE_ROLE_ADJOINT, x, name, stat, SITE_);
}
void adtape_fortran_driver_set_resume(adtape_driver_t *driver, const adtape_store_t *store, const CFI_cdesc_t *name,
                                      double interval_seconds, int32_t *stat) {
    text_t text;
    finish(adtape_driver_set_resume(driver, store, c_text(name, &text), interval_seconds), stat, SITE_);
}
void adtape_fortran_driver_new_schedule(adtape_driver_t *driver, int64_t steps, int64_t budget_bytes,
                                        adtape_schedule_t **out, int32_t *stat) {
    finish(adtape_driver_new_schedule(driver, NUMBER_(steps), NUMBER_(budget_bytes), out), stat, SITE_);
}
void adtape_fortran_driver_set_store(adtape_driver_t *driver, const adtape_store_t *store, int32_t *stat) {
    finish(adtape_driver_set_store(driver, store), stat, SITE_);
}
void adtape_fortran_driver_snapshot_bytes(adtape_driver_t *driver, int64_t *bytes, int32_t *stat) {
    finish(adtape_driver_snapshot_bytes(driver, bytes), stat, SITE_);
}
void adtape_fortran_driver_run(adtape_driver_t *driver, adtape_schedule_t *schedule, int32_t *stat) {
    finish(adtape_driver_run(driver, schedule), stat, SITE_);
}

/* ---- the stable heap -------------------------------------------------------------------------------------- */

void adtape_fortran_heap_new(adtape_heap_t **h, int32_t adjoint_factor, int64_t reserve_bytes, int32_t *stat) {
    finish(adtape_heap_new(adtape_session_default(), adjoint_factor, reserve_bytes, h), stat, SITE_);
}
void adtape_fortran_heap_destroy(adtape_heap_t **h, int32_t *stat) {
    const adtape_status_t status = adtape_heap_destroy(*h);
    if (status == ADTAPE_STATUS_OK) {
        *h = NULL;
    }
    finish(status, stat, SITE_);
}
void *adtape_fortran_heap_adjoint(const adtape_heap_t *h, const void *p) {
    if (h == NULL) {
        refuse(ADTAPE_STATUS_NULL_HANDLE, SITE_, "the heap handle is NULL\n  pass heap_self() or what heap_new made");
    }
    return p == NULL ? NULL : adtape_heap_adjoint_scaled(h, p);
}
void *adtape_fortran_self_heap_adjoint(const void *p) { return adtape_self_adjoint(p); }
/* Tail calls: the place that messages name is the one in the program. */
void *adtape_fortran_self_heap_alloc(int64_t bytes) { return adtape_self_malloc((size_t)bytes); }
void *adtape_fortran_self_heap_calloc(int64_t count, int64_t bytes) {
    return adtape_self_calloc((size_t)count, (size_t)bytes);
}
void *adtape_fortran_self_heap_realloc(void *p, int64_t bytes) { return adtape_self_realloc(p, (size_t)bytes); }
void adtape_fortran_self_heap_free(void *p) { adtape_self_free(p); }
void adtape_fortran_self_heap_free_save(void *p) { adtape_self_free_save(p); }
void adtape_fortran_self_heap_undo_alloc(void) { adtape_self_undo_malloc(); }
void *adtape_fortran_self_heap_undo_realloc(void) { return adtape_self_undo_realloc(); }
void *adtape_fortran_self_heap_undo_free(void) { return adtape_self_undo_free(); }
void adtape_fortran_heap_find_adjoint(adtape_heap_t *h, const void *p, void **adjoint, int32_t *stat) {
    finish(adtape_heap_find_adjoint(h, p, adjoint), stat, SITE_);
}
void adtape_fortran_heap_release(adtape_heap_t *h, int32_t *stat) { finish(adtape_heap_release(h), stat, SITE_); }
void adtape_fortran_heap_acquire(adtape_heap_t *h, int32_t *stat) { finish(adtape_heap_acquire(h), stat, SITE_); }
void adtape_fortran_heap_begin_reverse(adtape_heap_t *h, int32_t *stat) {
    finish(adtape_heap_begin_reverse(h), stat, SITE_);
}
void adtape_fortran_heap_end_reverse(adtape_heap_t *h, int32_t *stat) {
    finish(adtape_heap_end_reverse(h), stat, SITE_);
}
void adtape_fortran_heap_trim(adtape_heap_t *h, int32_t *stat) { finish(adtape_heap_trim(h), stat, SITE_); }
void adtape_fortran_heap_set_recording(adtape_heap_t *h, int32_t on, int32_t *stat) {
    finish(adtape_heap_set_recording(h, on), stat, SITE_);
}
void adtape_fortran_heap_stats_get(adtape_heap_t *h, adtape_heap_stats_t *stats, int32_t *stat) {
    finish(adtape_heap_stats_get(h, stats), stat, SITE_);
}
void adtape_fortran_heap_range(adtape_heap_t *h, void **base, int64_t *bytes, void **adjoint_base,
                               int64_t *adjoint_bytes, int32_t *stat) {
    finish(adtape_heap_range(h, base, bytes, adjoint_base, adjoint_bytes), stat, SITE_);
}
void adtape_fortran_heap_join(adtape_heap_t *h, const CFI_cdesc_t *label, int32_t *stat) {
    char buffer[LABEL_BYTES_];
    finish(adtape_heap_join(h, SESSION_, label_of(label, buffer)), stat, SITE_);
}
void adtape_fortran_heap_leave(adtape_heap_t *h, int32_t *stat) { finish(adtape_heap_leave(h), stat, SITE_); }
void adtape_fortran_heap_mark_take(adtape_heap_t *h, adtape_heap_mark_t *mark, int32_t *stat) {
    finish(adtape_heap_mark_take(h, mark), stat, SITE_);
}
void adtape_fortran_heap_mark_check(adtape_heap_t *h, const adtape_heap_mark_t *mark, int32_t *stat) {
    finish(adtape_heap_mark_check(h, mark), stat, SITE_);
}
void adtape_fortran_heap_save_bytes(adtape_heap_t *h, int64_t *bytes, int32_t *stat) {
    finish(adtape_heap_save_bytes(h, bytes), stat, SITE_);
}
void adtape_fortran_heap_save(adtape_heap_t *h, void *out, int64_t bytes, int32_t *stat) {
    finish(adtape_heap_save(h, out, bytes), stat, SITE_);
}
void adtape_fortran_heap_restore(adtape_heap_t *h, const void *snapshot, int64_t bytes, int32_t *stat) {
    finish(adtape_heap_restore(h, snapshot, bytes), stat, SITE_);
}
