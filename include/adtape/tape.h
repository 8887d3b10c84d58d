/* adtape/tape.h: values, arrays, sections, control, marks, repeat regions, statistics.
 * Generated from src/ffi/tape; do not edit. */
#ifndef ADTAPE_TAPE_H
#define ADTAPE_TAPE_H

#include "process.h"

#ifdef __cplusplus
extern "C" {
#endif

// The cold state of a tape.
typedef struct adtape_core adtape_core_t;

// The most dimensions of a section: as many as Fortran has.
#define ADTAPE_MAX_RANK 15

// What adtape_trim does: the kernel may take the pages when it is short of memory; they stay committed.
#define ADTAPE_TRIM_SOFT 0

// What adtape_trim does: the pages are given back now.
#define ADTAPE_TRIM_HARD 1

// What is pushed and popped. The value is the type's code in C and Fortran.
enum {
    // Signed integer of 8 bits.
    ADTAPE_TYPE_I8 = 1,
    // Signed integer of 16 bits.
    ADTAPE_TYPE_I16 = 2,
    // Signed integer of 32 bits.
    ADTAPE_TYPE_I32 = 3,
    // Signed integer of 64 bits.
    ADTAPE_TYPE_I64 = 4,
    // IEEE single precision.
    ADTAPE_TYPE_F32 = 5,
    // IEEE double precision.
    ADTAPE_TYPE_F64 = 6,
    // Extended precision of x87, padded to 16 bytes.
    ADTAPE_TYPE_F80 = 7,
    // IEEE quadruple precision.
    ADTAPE_TYPE_F128 = 8,
    // Two of F32: real part, imaginary part.
    ADTAPE_TYPE_COMPLEX_F32 = 9,
    // Two of F64.
    ADTAPE_TYPE_COMPLEX_F64 = 10,
    // Two of F80.
    ADTAPE_TYPE_COMPLEX_F80 = 11,
    // Two of F128.
    ADTAPE_TYPE_COMPLEX_F128 = 12,
    // C `bool`.
    ADTAPE_TYPE_BOOL = 13,
    // Logical of 8 bits.
    ADTAPE_TYPE_LOGICAL8 = 14,
    // Logical of 16 bits.
    ADTAPE_TYPE_LOGICAL16 = 15,
    // Logical of 32 bits.
    ADTAPE_TYPE_LOGICAL32 = 16,
    // Logical of 64 bits.
    ADTAPE_TYPE_LOGICAL64 = 17,
    // Logical of 128 bits.
    ADTAPE_TYPE_LOGICAL128 = 18,
    // A character of one byte.
    ADTAPE_TYPE_CHAR = 19,
    // Bytes without a type.
    ADTAPE_TYPE_BYTES = 20,
    // An address, as an opaque word.
    ADTAPE_TYPE_OPAQUE = 21,
    // Bits of a branch id; counted in bits.
    ADTAPE_TYPE_CONTROL = 22,
    // A loop counter of variable length.
    ADTAPE_TYPE_COUNT = 23,
    // A pointer, as the object that it points into and an offset.
    ADTAPE_TYPE_POINTER = 24,
    // A pointer that may lie outside of its object: base and offset.
    ADTAPE_TYPE_PAIR = 25,
    // What brings a range of addresses back.
    ADTAPE_TYPE_RANGE = 26,
    // A Fortran pointer or allocatable: its shape, and where it points or which range it is.
    ADTAPE_TYPE_DESCRIPTOR = 27,
};
typedef int32_t adtape_type_t;

// What moves values.
enum {
    // Onto the tape.
    ADTAPE_OPERATION_PUSH = 0,
    // Off the tape.
    ADTAPE_OPERATION_POP = 1,
};
typedef int32_t adtape_operation_t;

// The hot state of a tape; what a handle points to. Its layout is known to the inline code of C programs.
typedef struct {
    // Address behind the last value.
    uintptr_t cur;
    // Pushes up to here need no slow path.
    uintptr_t limit;
    // Pops down to here need no slow path.
    uintptr_t floor;
    // Control bits not yet on the tape.
    uint64_t bits;
    // Where the direction last changed, as far as arrays know: decides about streaming stores only.
    uintptr_t edge;
    // The rest of the tape, null before its first use.
    adtape_core_t *core;
} adtape_t;

// A local copy of a tape's cursor, made by adtape_attach.
typedef struct {
    adtape_t c;
} adtape_local_t;

// A position on a tape: everything pushed before it was taken is below it. Valid while nothing below it is
// popped.
typedef struct {
    // Which tape.
    uint64_t tape;
    // Bytes below.
    int64_t offset_bytes;
    // The bit accumulator.
    uint64_t bits;
    // In check mode, a number of the position; else 0.
    uint64_t check;
} adtape_mark_t;

// Sizes of a tape, in bytes where not said otherwise.
typedef struct {
    // On the tape now; control bits that do not yet fill a word not included.
    int64_t bytes;
    // The most that was in use at once, repeat regions included. Never less than the truth, and at most 4096
    // bytes or 1/64 more, whichever is larger. Exact in check mode, and in profile mode for a million pushes.
    int64_t peak_bytes;
    // Control bits that do not yet fill a word, 0 to 61.
    int64_t pending_bits;
    // Memory, what is in the spill store not included.
    int64_t committed_bytes;
    // Address space.
    int64_t reserved_bytes;
    // Active repeat regions.
    int64_t repeat_depth;
    // How often the tape outgrew its address space and moved.
    int64_t moves;
    // How often an operation took the slow path.
    int64_t slow_calls;
    // In the spill store instead of in memory.
    int64_t spilled_bytes;
} adtape_stats_t;

// What was moved since profile mode was turned on.
typedef struct {
    // Pushes or pops; an array is one.
    int64_t calls;
    // Values; of control the bits, of raw bytes the bytes.
    int64_t elements;
    // Bytes; of control bits none, because they fill words together.
    int64_t bytes;
} adtape_traffic_t;

/* ---- entry ----------------------------------------------------------------------------------------------- */

// What a module's pointer to the thread's tape points to at first.
extern const adtape_t adtape_abi0_closed;

/* ---- tape ------------------------------------------------------------------------------------------------ */

// Makes an empty tape that the calling thread owns, beside the thread's own. Takes no memory before the first
// push. Undone by adtape_destroy.
//
// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER or ADTAPE_STATUS_BAD_ENVIRONMENT.
// Fortran: `call adtape_create(t)`.
adtape_status_t adtape_create(adtape_t **out);

// Releases a tape, with whatever is on it. NULL is allowed and does nothing; in Fortran `t` is the NULL handle
// afterwards. The thread's own tape is emptied and gives its memory back; its next use makes a new one. Any thread may
// free a tape that was released (adtape_release), whose thread has ended, or whose thread a child of fork does not have.
//
// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_ATTACHED if the tape may not be used here
// and now (it then lives on).
// Fortran: `call adtape_destroy(t)`.
adtape_status_t adtape_destroy(adtape_t *t);

// Gives the calling thread's tape `t` up, so that another thread can go on with it: that thread, or the same one,
// calls adtape_acquire on `*handle`. For a tape made by adtape_create, `*handle` is `t`; for the thread's own, it is a
// new handle that takes the contents along (undone by adtape_destroy), and the thread starts over with an empty tape.
// Orders what this thread wrote before what the other reads. Until then every use of the tape is an error.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD,
// ADTAPE_STATUS_RELEASED or ADTAPE_STATUS_ATTACHED.
// Fortran: `call adtape_release(t, handle)`.
adtape_status_t adtape_release(adtape_t *t,
                               adtape_t **handle);

// Makes the calling thread the owner of a tape that was given up by adtape_release.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or, if the tape is not released, ADTAPE_STATUS_RELEASED.
// Fortran: `call adtape_acquire(t)`.
adtape_status_t adtape_acquire(adtape_t *handle);

// Gives memory above the top of the tape, which is kept warm from one sweep to the next, back to the system. With
// ADTAPE_TRIM_SOFT the kernel may take it when it is short of memory; it stays committed. With ADTAPE_TRIM_HARD the
// kernel gets it now; it is no longer committed and no longer counts against the memory limit. The contents stay.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_BAD_ARGUMENT (how), or a status of ownership.
// Fortran: `call adtape_trim(t, how)`, `call adtape_trim(how)`.
adtape_status_t adtape_trim(adtape_t *t, int32_t how);

// Copies the cursor of a tape to a local variable, which the compiler can keep in registers: adtape_local_push_…
// and adtape_local_pop_… use it. Do not store the address of `l`. Until adtape_detach, a use of the tape through its
// handle fails with ADTAPE_STATUS_ATTACHED. Undone by adtape_detach. Cost: a call each; in between, pushes and pops
// touch no memory but the tape.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, or a status of ownership.
// Fortran: not offered, as there is nothing to gain.
adtape_status_t adtape_attach(adtape_t *t,
                              adtape_local_t *l);

// Ends what adtape_attach began: the tape is used through its handle again, and the local cursor is closed.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_ATTACHED if the cursor is not attached, or
// a status of ownership.
// Fortran: not offered.
adtape_status_t adtape_detach(adtape_local_t *l);

/* ---- array ----------------------------------------------------------------------------------------------- */

// Pushes `count` contiguous values of a type (ADTAPE_TYPE_…) that start at `x`. Undone by adtape_pop_array with
// the same type and count. 0 values are legal, also at NULL. Counts are elements; one call moves up to 2^47 bytes. C
// programs that know the type use `adtape_push_array_<type>`, which is inlined. Cost: as memcpy, or as streaming
// stores on a tape larger than the cache. Kit: `pushReal8Array`, ..., `pushNArray`.
//
// In Fortran an assumed-size array `x(*)` has no shape: push `x(1:n)`, or use `push_bytes(x, n*8)`. Of an array of a
// derived type, push the components: `call push(x%v)`.
//
// Errors go to the error handler and leave the tape unchanged: NULL_HANDLE, NULL_POINTER (in Fortran: not
// allocated, not associated), COUNT_RANGE, BAD_ARGUMENT (type; in Fortran a derived type), MEMORY_LIMIT,
// OUT_OF_MEMORY, or of ownership.
// Fortran: `call push(t, x)`, `call push(x)` with an array `x` of rank 1 to 7.
void adtape_push_array(adtape_t *t, adtape_type_t type_code, const void *x, int64_t count);

// Pops `count` values of a type into `x`. Undoes adtape_push_array.
//
// Errors go to the error handler and leave the tape unchanged: those of adtape_push_array, UNDERFLOW, and
// MISMATCH in check mode.
// Fortran: `call pop(t, x)`, `call pop(x)`.
void adtape_pop_array(adtape_t *t, adtape_type_t type_code, void *x, int64_t count);

// adtape_push_array on the thread's own tape.
void adtape_self_push_array(adtape_type_t type_code, const void *x, int64_t count);

// adtape_pop_array on the thread's own tape.
void adtape_self_pop_array(adtape_type_t type_code, void *x, int64_t count);

/* ---- section --------------------------------------------------------------------------------------------- */

// adtape_push_section, at a call site that glue code knows.
void adtape_abi0_push_section(adtape_t *t,
                              adtape_type_t type_code,
                              const void *base,
                              int32_t rank,
                              const int64_t *extents,
                              const int64_t *strides_bytes,
                              const void *site);

// adtape_pop_section, at a call site that glue code knows.
void adtape_abi0_pop_section(adtape_t *t,
                             adtape_type_t type_code,
                             void *base,
                             int32_t rank,
                             const int64_t *extents,
                             const int64_t *strides_bytes,
                             const void *site);

/* ---- control --------------------------------------------------------------------------------------------- */

// adtape_push_control on a tape by its handle, as a function of the library, for languages that cannot include
// `adtape.h`.
//
// Errors go to the error handler and leave the tape unchanged: as adtape_push_control, NULL_HANDLE, or of ownership.
// Fortran: `call push_control(t, value, bits)`.
void adtape_call_push_control(adtape_t *t, uint64_t value, int32_t bits);

// adtape_pop_control on a tape by its handle, likewise. Fortran: `call pop_control(t, value, bits)`.
uint64_t adtape_call_pop_control(adtape_t *t, int32_t bits);

// adtape_push_control on the thread's own tape, likewise. Fortran: `call push_control(value, bits)`.
void adtape_self_push_control(uint64_t value, int32_t bits);

// adtape_pop_control on the thread's own tape, likewise. Fortran: `call pop_control(value, bits)`.
uint64_t adtape_self_pop_control(int32_t bits);

// adtape_push_count on a tape by its handle, as a function of the library. Errors: as there, NULL_HANDLE, or of
// ownership. Fortran: `call push_count(t, n)`.
void adtape_call_push_count(adtape_t *t, int64_t count);

// adtape_pop_count on a tape by its handle, likewise. Fortran: `call pop_count(t, n)`.
int64_t adtape_call_pop_count(adtape_t *t);

// adtape_push_count on the thread's own tape, likewise. Fortran: `call push_count(n)`.
void adtape_self_push_count(int64_t count);

// adtape_pop_count on the thread's own tape, likewise. Fortran: `call pop_count(n)`.
int64_t adtape_self_pop_count(void);

/* ---- mark ------------------------------------------------------------------------------------------------ */

// Takes a mark: the present position of the tape. A plain value, to be copied and forgotten at will; valid as
// long as nothing below it is popped.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, or a status of ownership.
// Fortran: `call mark_take(t, m)`, `call mark_take(m)`.
adtape_status_t adtape_mark_take(adtape_t *t, adtape_mark_t *m);

// Compares two marks of a tape: `*order` is -1 if `a` is lower than `b`, 0 if they are the same position, 1 if it is
// higher; `*bytes` is what was pushed from `a` to `b`, negative if `b` is lower. Either result may be NULL: not
// wanted. Control bits decide the order one by one, and count as bytes when their word of 62 is full. Any thread may
// call it.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER, or ADTAPE_STATUS_MARK_FOREIGN for marks of two tapes.
// Fortran: `call mark_compare(a, b, order, bytes)`, `bytes` optional.
adtape_status_t adtape_mark_compare(const adtape_mark_t *a, const adtape_mark_t *b, int32_t *order, int64_t *bytes);

// Discards everything that was pushed since the mark was taken.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_MARK_FOREIGN (a
// mark of another tape), ADTAPE_STATUS_MARK_ABOVE_TOP (what it points to was popped; values pushed in its place
// since are noticed in check mode only), or a status of ownership.
// Fortran: `call mark_reset(t, m)`, `call mark_reset(m)`.
adtape_status_t adtape_mark_reset(adtape_t *t, const adtape_mark_t *m);

/* ---- repeat ---------------------------------------------------------------------------------------------- */

// Starts a repeat region, which pops one part of the tape several times, as the adjoint of a fixed-point iteration
// does: what lies on the tape now can be popped, and popped again after every adtape_repeat_reset. Values pushed
// inside go on top and are popped first. Regions nest. Undone by adtape_repeat_end. Cost: a copy of the region's
// list of segments, short unless regions nest; inside, a change between popping what lies below and pushing on top
// takes the slow path.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, or a status of ownership.
// Kit: `adStack_startRepeat`.
// Fortran: `call repeat_start(t)`, `call repeat_start()`.
adtape_status_t adtape_repeat_start(adtape_t *t);

// Puts the tape back to where it was at the start of the innermost region, pending control bits included; what
// was pushed inside and not popped is discarded.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_REPEAT_UNBALANCED, or a status of ownership.
// Kit: `adStack_resetRepeat`.
// Fortran: `call repeat_reset(t)`, `call repeat_reset()`.
adtape_status_t adtape_repeat_reset(adtape_t *t);

// Ends the innermost region where the tape stands: what was popped in it since the last reset is gone, what was
// pushed in it and not popped stays on top.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_REPEAT_UNBALANCED, or a status of ownership.
// Kit: `adStack_endRepeat`.
// Fortran: `call repeat_end(t)`, `call repeat_end()`.
adtape_status_t adtape_repeat_end(adtape_t *t);

/* ---- stats ----------------------------------------------------------------------------------------------- */

// Sizes of a tape: bytes now and at most, control bits, memory, address space. They are always known. Cost: a call.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, or a status of ownership.
// Fortran: `call tape_stats(t, stats)`, `call tape_stats(stats)`.
adtape_status_t adtape_stats(adtape_t *t, adtape_stats_t *out);

// Whether nothing is on the tape: no values and no control bits. After a reverse sweep it is true.
//
// Errors, ADTAPE_STATUS_NULL_HANDLE or a status of ownership, end in the error handler, as those of a push do.
// Fortran: `tape_is_empty(t)`, `tape_is_empty()`.
bool adtape_is_empty(adtape_t *t);

// Turns profile mode on, with all counts at zero if it was off, or off, which forgets the counts. ADTAPE_PROFILE=1
// turns it on for every tape. In profile mode each push and pop takes the slow path and is counted.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, or a status of ownership.
// Fortran: `call stats_set_profile(t, on)`, `call stats_set_profile(on)`.
adtape_status_t adtape_stats_set_profile(adtape_t *t, bool on);

// Calls, elements and bytes of one type (ADTAPE_TYPE_…, or 0 for all together) and operation
// (ADTAPE_OPERATION_PUSH or ADTAPE_OPERATION_POP) since profile mode was turned on; zero outside profile mode.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_BAD_ARGUMENT (type,
// operation), or a status of ownership.
// Fortran: `call stats_traffic(t, type, operation, traffic)`, `call stats_traffic(type, operation, traffic)`.
adtape_status_t adtape_stats_traffic(adtape_t *t, adtape_type_t type_code, int32_t operation, adtape_traffic_t *out);

// Sets all traffic and the count of slow calls to zero, and the peak to what is on the tape now.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, or a status of ownership.
// Fortran: `call stats_reset(t)`, `call stats_reset()`.
adtape_status_t adtape_stats_reset(adtape_t *t);

// Writes a report for people to a file descriptor (1 is standard output, 2 standard error): the sizes and, in
// profile mode, the traffic by type. In Fortran it goes to standard output, past the buffer of Fortran's unit.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_BAD_ARGUMENT (negative descriptor),
// ADTAPE_STATUS_IO, or a status of ownership.
// Fortran: `call stats_print(t)`, `call stats_print()`.
adtape_status_t adtape_stats_print(adtape_t *t, int32_t fd);

// The name of a type as in `adtape_push_<name>`, e.g. "f64"; "unknown type" for other values. Never NULL, valid for
// ever.
//
// Fortran: `text = adtape_type_name(type)`.
const char *adtape_type_name(adtape_type_t type_code);

/* ---- entry ----------------------------------------------------------------------------------------------- */

// Glue code in another language says on whose behalf this thread calls the functions for addresses; NULL for its own.
void adtape_abi0_site(const void *site);

// Keeps the library that an address is in loaded, whoever closes it: for one that has left a destructor of threads.
void adtape_abi0_stay(const void *inside);

// The calling thread's own tape.
adtape_t *adtape_abi0_self(void);

// Makes one push of `count` values possible and returns the tape to do it on.
adtape_t *adtape_abi0_push_room(adtape_t *t, adtape_type_t type_code, int64_t count, const void *site);

// Makes one pop of `count` values possible and returns the tape to do it on.
adtape_t *adtape_abi0_pop_room(adtape_t *t, adtape_type_t type_code, int64_t count, const void *site);

// `adtape_abi0_push_room` for values that lie at `from`.
adtape_t *adtape_abi0_push_room_from(adtape_t *t,
                                     adtape_type_t type_code,
                                     int64_t count,
                                     const void *from,
                                     const void *site);

// `adtape_abi0_pop_room` for values that the caller copies to `into`.
adtape_t *adtape_abi0_pop_room_into(adtape_t *t,
                                    adtape_type_t type_code,
                                    int64_t count,
                                    void *into,
                                    const void *site);

// Bytes on a tape of the calling thread, and at most, without an operation on it. Returns whether all of its operations
// take the slow path, as in check mode.
bool adtape_abi0_sizes(const adtape_t *t,
                       int64_t *bytes,
                       int64_t *peak_bytes);

// Copies an array of `bytes` bytes onto the tape, which has room for them.
void adtape_abi0_copy_in(adtape_t *t, const void *x, uint64_t bytes);

// Copies the last `bytes` bytes of the tape to `x` and takes them off.
void adtape_abi0_copy_out(adtape_t *t, void *x, uint64_t bytes);

// The slow path of adtape_push_control.
void adtape_abi0_push_control(adtape_t *t, uint64_t value, int32_t bits, const void *site);

// The slow path of adtape_pop_control.
uint64_t adtape_abi0_pop_control(adtape_t *t, int32_t bits, const void *site);

// The slow path of adtape_push_count.
void adtape_abi0_push_count(adtape_t *t, int64_t count, const void *site);

// The slow path of adtape_pop_count.
int64_t adtape_abi0_pop_count(adtape_t *t, const void *site);

// A NULL address with `count` values behind it, or a NULL handle (`count` -1). Does not return.
void adtape_abi0_null(int64_t count, const void *site);

// Ends in the error handler, for glue code in other languages. Does not return.
void adtape_abi0_fail(int32_t status, const char *message, const void *site);

// Remembers what went wrong as this thread's last error, for glue code in other languages; returns the status.
adtape_status_t adtape_abi0_error(int32_t status, const char *message);

#ifdef __cplusplus
}
#endif

#include "inline.h"

#endif
