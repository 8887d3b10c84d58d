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
#if !defined(ADTAPE_INLINED) /* which leaves scalars and control: see glue/scalars.inc */
#include <ISO_Fortran_binding.h>
#endif
#include <adtape.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define SITE_ __builtin_return_address(0)
#define INLINE_ static inline __attribute__((always_inline))

/* ---- errors ------------------------------------------------------------------------------------ */

/* Ends in the error handler. */
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

#include "generated/kinds_glue.inc"

#if !defined(ADTAPE_INLINED)

/* Ends a call with an optional `stat`: a failure that nobody asks for goes to the error handler. */
static void finish(adtape_status_t status, int32_t *stat, const void *site) {
    if (stat != NULL) {
        *stat = status;
    } else if (status != ADTAPE_STATUS_OK) {
        refuse(status, site, "%s", adtape_error_message());
    }
}

/* ---- contiguous values at a site ------------------------------------------------------------------ */

/* From so many values on, and for none, the slow path checks the count: less than MAX_BYTES_ of the largest type. The
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
        t = adtape_abi0_push_room_from(adtape_real_(t), type, count, x, site);
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
        t = adtape_abi0_pop_room_into(adtape_real_(t), type, count, x, site);
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

/* ---- characters as C strings ----------------------------------------------------------------------- */

/* Characters without trailing blanks as a C string, cut to what there is room for. */
INLINE_ const char *terminated(const char *text, size_t n, char *to, size_t room) {
    while (n > 0 && text[n - 1] == ' ') {
        n--;
    }
    n = n < room ? n : room - 1;
    memcpy(to, n == 0 ? "" : text, n);
    to[n] = '\0';
    return to;
}

/* A C string of the characters of a descriptor; empty if it is absent. */
INLINE_ const char *c_string(const CFI_cdesc_t *x, char *to, size_t room) {
    return terminated(x == NULL ? NULL : x->base_addr, x == NULL ? 0 : x->elem_len, to, room);
}

/* A name or path. One that is longer than any is allowed to be is cut, and refused by the library as too long. */
typedef struct text {
    char characters[4100];
} text_t;

static const char *c_text(const CFI_cdesc_t *x, text_t *to) {
    return c_string(x, to->characters, sizeof to->characters);
}

/* A name as an external gets it: by address, and by length behind all arguments. */
static const char *c_name(const char *name, size_t bytes, text_t *to) {
    return terminated(name, bytes, to->characters, sizeof to->characters);
}

/* A label in messages. */
typedef struct label {
    char characters[256];
} label_t;

INLINE_ const char *label_of(const char *label, size_t bytes, label_t *to) {
    return terminated(label, label == NULL ? 0 : bytes, to->characters, sizeof to->characters);
}
INLINE_ const char *c_label(const CFI_cdesc_t *x, label_t *to) {
    return c_string(x, to->characters, sizeof to->characters);
}

/* A call that fails at a place in the program: the one that called the glue. */
#define AT_(site, call)         \
    do {                        \
        adtape_abi0_site(site); \
        call;                   \
        adtape_abi0_site(NULL); \
    } while (0)
#define AT_SITE_(call) AT_(SITE_, call)

/* Refuses a negative number. */
static int64_t number(int64_t n, const char *what, const void *site) {
    if (n < 0) {
        refuse(ADTAPE_STATUS_COUNT_RANGE, site, "%s: %" PRId64 "\n  give 0 or more", what, n);
    }
    return n;
}
#define NUMBER_(n) number(n, #n, SITE_)

/* ---- calls, by theme: by hand what reads descriptors, generated what only converts arguments ------------------ */

#include "glue/descriptor.inc"
#include "glue/variable.inc"
#include "glue/argument.inc"

#include "generated/process_glue.inc"
#include "glue/process.inc"

#include "generated/tape_glue.inc"
#include "glue/arrays.inc"

#include "generated/objects_glue.inc"
#include "glue/pointers.inc"
#include "glue/texts.inc"
#include "glue/addresses.inc"

#include "generated/heap_glue.inc"
#include "glue/heap.inc"

#include "generated/checkpoint_glue.inc"
#include "glue/checkpoint.inc"
#include "glue/restoration.inc"

#include "generated/driver_glue.inc"
#include "glue/driver.inc"

#include "glue/verify.inc"

#endif

#include "glue/scalars.inc"
#include "glue/control.inc"
