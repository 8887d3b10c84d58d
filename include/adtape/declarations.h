/* adtape/declarations.h: types and library calls. Generated from src/ffi; do not edit.
 * Included by adtape.h; not to be included alone. */
#ifndef ADTAPE_DECLARATIONS_H
#define ADTAPE_DECLARATIONS_H

#ifdef __cplusplus
extern "C" {
#endif

// The cold state of a tape.
typedef struct adtape_core adtape_core_t;

// A program's own reaction to an error that a push or pop cannot return; NULL for the default. The status is one
// of ADTAPE_STATUS_…, the message valid during the call, user what was given with the handler.
typedef void (*adtape_error_handler_t)(int32_t status, const char *message, void *user);

// The most dimensions of a section: as many as Fortran has.
#define ADTAPE_MAX_RANK 15

// What adtape_trim does: the kernel may take the pages when it is short of memory; they stay committed.
#define ADTAPE_TRIM_SOFT 0

// What adtape_trim does: the pages are given back now.
#define ADTAPE_TRIM_HARD 1

// The kind of an error.
enum {
    // No error.
    ADTAPE_STATUS_OK = 0,
    // A tape or session handle is NULL.
    ADTAPE_STATUS_NULL_HANDLE = 1,
    // An address is NULL and its count is not zero.
    ADTAPE_STATUS_NULL_POINTER = 2,
    // A count is negative or larger than the address space.
    ADTAPE_STATUS_COUNT_RANGE = 3,
    // An argument has no meaning here: a type, a width in bits, a rank, an extent, an enumerated value.
    ADTAPE_STATUS_BAD_ARGUMENT = 4,
    // A pop of more than the tape holds.
    ADTAPE_STATUS_UNDERFLOW = 5,
    // The process's memory limit would be exceeded.
    ADTAPE_STATUS_MEMORY_LIMIT = 6,
    // The operating system refuses memory or address space.
    ADTAPE_STATUS_OUT_OF_MEMORY = 7,
    // A repeat region is reset or ended that was not started.
    ADTAPE_STATUS_REPEAT_UNBALANCED = 8,
    // A mark was taken on another tape.
    ADTAPE_STATUS_MARK_FOREIGN = 9,
    // A mark lies above the top: what it points to was popped since.
    ADTAPE_STATUS_MARK_ABOVE_TOP = 10,
    // Check mode: the value popped is not of the type and count that were pushed.
    ADTAPE_STATUS_MISMATCH = 11,
    // What is popped as control bits or as a count was not pushed as one.
    ADTAPE_STATUS_CORRUPT = 12,
    // The tape belongs to another thread.
    ADTAPE_STATUS_WRONG_THREAD = 13,
    // The tape was released and not acquired since, or is not released and cannot be acquired.
    ADTAPE_STATUS_RELEASED = 14,
    // The tape is attached to a local cursor, or is not and cannot be detached.
    ADTAPE_STATUS_ATTACHED = 15,
    // An earlier failure left the tape unusable.
    ADTAPE_STATUS_POISONED = 16,
    // An environment variable of adtape has a value that cannot be understood.
    ADTAPE_STATUS_BAD_ENVIRONMENT = 17,
    // A store or a file descriptor could not be written or read.
    ADTAPE_STATUS_IO = 18,
};
typedef int32_t adtape_status_t;

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
    // C `long double`, Fortran `real(10)`: 16 bytes.
    ADTAPE_TYPE_F80 = 7,
    // IEEE quadruple precision, Fortran `real(16)`.
    ADTAPE_TYPE_F128 = 8,
    // Two of F32.
    ADTAPE_TYPE_COMPLEX_F32 = 9,
    // Two of F64.
    ADTAPE_TYPE_COMPLEX_F64 = 10,
    // Two of F80.
    ADTAPE_TYPE_COMPLEX_F80 = 11,
    // Two of F128.
    ADTAPE_TYPE_COMPLEX_F128 = 12,
    // C `bool`.
    ADTAPE_TYPE_BOOL = 13,
    // Fortran `logical(1)`.
    ADTAPE_TYPE_LOGICAL8 = 14,
    // Fortran `logical(2)`.
    ADTAPE_TYPE_LOGICAL16 = 15,
    // Fortran `logical(4)`.
    ADTAPE_TYPE_LOGICAL32 = 16,
    // Fortran `logical(8)`.
    ADTAPE_TYPE_LOGICAL64 = 17,
    // Fortran `logical(16)`.
    ADTAPE_TYPE_LOGICAL128 = 18,
    // A character of one byte.
    ADTAPE_TYPE_CHAR = 19,
    // Bytes without a type.
    ADTAPE_TYPE_BYTES = 20,
    // An address, as an opaque word.
    ADTAPE_TYPE_PTR = 21,
    // Bits of a branch id; counted in bits.
    ADTAPE_TYPE_CONTROL = 22,
    // A loop counter of variable length.
    ADTAPE_TYPE_COUNT = 23,
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

// What the tapes of a process share.
typedef struct adtape_session_t adtape_session_t;

// Memory of all tapes of a process, in bytes.
typedef struct {
    // The most that may be committed.
    uint64_t limit_bytes;
    // Readable and writable now.
    uint64_t committed_bytes;
    // The most that was committed at once.
    uint64_t peak_committed_bytes;
    // Address space.
    uint64_t reserved_bytes;
} adtape_memory_t;

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
    uint64_t offset_bytes;
    // The bit accumulator.
    uint64_t bits;
    // In check mode, the serial of the last push; else 0.
    uint64_t check;
} adtape_mark_t;

// Sizes of a tape, in bytes where not said otherwise.
typedef struct {
    // On the tape now; control bits that do not yet fill a word not included.
    uint64_t bytes;
    // The most that was in use at once, repeat regions included. Never less than the truth, and at most 4096
    // bytes or 1/64 more, whichever is larger. Exact in profile mode and in check mode.
    uint64_t peak_bytes;
    // Control bits that do not yet fill a word, 0 to 61.
    uint64_t pending_bits;
    // Readable and writable memory.
    uint64_t committed_bytes;
    // Address space.
    uint64_t reserved_bytes;
    // Active repeat regions.
    uint64_t repeat_depth;
    // How often the tape outgrew its address space and moved.
    uint64_t moves;
    // How often an operation took the slow path.
    uint64_t slow_calls;
    // In the spill store instead of in memory.
    uint64_t spilled_bytes;
} adtape_stats_t;

// What was moved since profile mode was turned on.
typedef struct {
    // Pushes or pops; an array is one.
    uint64_t calls;
    // Values; of control the bits, of raw bytes the bytes.
    uint64_t elements;
    // Bytes; of control bits none, because they fill words together.
    uint64_t bytes;
} adtape_traffic_t;

/* ---- entry ----------------------------------------------------------------------------------------------- */

// What a module's pointer to the thread's tape points to at first.
extern const adtape_t adtape_abi0_closed;

/* ---- error ----------------------------------------------------------------------------------------------- */

// The message of this thread's last error, in one or more lines without a final line feed; "" if there was none.
// Never NULL. Valid until the thread's next error.
//
// Fortran: `adtape_error_message()`, a `character(:), allocatable`.
const char *adtape_error_message(void);

// The name of a status, e.g. "ADTAPE_STATUS_UNDERFLOW"; "unknown status" for other values. Never NULL, valid for
// ever.
//
// Fortran: `adtape_status_name(status)`.
const char *adtape_status_name(int32_t status);

/* ---- session --------------------------------------------------------------------------------------------- */

// The session of the process. Never NULL; lives as long as the process.
//
// Fortran: implied.
const adtape_session_t *adtape_session_default(void);

// Sets the most memory, in bytes, that all tapes of the process may have committed together. 0 stands for
// ADTAPE_MEMORY_LIMIT or, where that is not set, physical memory and swap or the control group's limit. A push
// that would exceed it is an error (ADTAPE_STATUS_MEMORY_LIMIT); a limit below what is committed now stops all
// growth and takes nothing away.
//
// Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_HANDLE. Any thread.
// Fortran: `call adtape_set_memory_limit(limit_bytes)`.
adtape_status_t adtape_session_set_memory_limit(const adtape_session_t *s, uint64_t limit_bytes);

// What all tapes of the process have, in bytes.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or ADTAPE_STATUS_NULL_POINTER. Any thread.
// Fortran: `call adtape_memory(memory)`.
adtape_status_t adtape_session_memory(const adtape_session_t *s, adtape_memory_t *out);

// Installs a handler for the errors of calls that return no status: pushes and pops. It is called on the thread
// that failed with the status, the message (valid during the call) and `user`, and must not return: it may
// end the process or the thread. If it does return, the process aborts. NULL restores the default, which
// prints the message to standard error and aborts.
//
// Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_HANDLE. Any thread.
// Fortran: `call adtape_set_error_handler(handler, user)` with a `bind(c)` procedure; both are optional.
adtape_status_t adtape_session_set_error_handler(const adtape_session_t *s,
                                                 adtape_error_handler_t handler,
                                                 void *user);

/* ---- tape ------------------------------------------------------------------------------------------------ */

// Makes an empty tape that the calling thread owns, beside the thread's own. Takes no memory before the first
// push. Undone by adtape_free.
//
// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER or
// ADTAPE_STATUS_BAD_ENVIRONMENT.
// Fortran: `call adtape_new(t)`.
adtape_status_t adtape_new(const adtape_session_t *s, adtape_t **out);

// Releases a tape, with whatever is on it. NULL is allowed and does nothing. The thread's own tape is emptied
// and given back; its next use makes a new one.
//
// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_ATTACHED if the tape may not be used here
// and now (it then lives on). A released tape (adtape_release) may be freed by any thread.
// Fortran: `call adtape_free(t)`.
adtape_status_t adtape_free(adtape_t *t);

// Gives the calling thread's tape `t` up, so that another thread can go on with it: that thread calls
// adtape_acquire on `*handle`. For a tape made by adtape_new, `*handle` is `t`; for the thread's own, it is a new
// handle that takes the contents along (undone by adtape_free), and the thread starts over with an empty tape.
// Orders what this thread wrote before what the other reads. Until then every use of the tape is an error.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD,
// ADTAPE_STATUS_RELEASED or ADTAPE_STATUS_ATTACHED.
// Fortran: `call adtape_release(t, handle)`.
adtape_status_t adtape_release(adtape_t *t, adtape_t **handle);

// Makes the calling thread the owner of a tape that was given up by adtape_release.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or, if the tape is not released, ADTAPE_STATUS_RELEASED.
// Fortran: `call adtape_acquire(t)`.
adtape_status_t adtape_acquire(adtape_t *handle);

// Gives memory above the top of the tape, which is kept warm from one sweep to the next, back to the system:
// ADTAPE_TRIM_SOFT when the system is short of it, ADTAPE_TRIM_HARD now. The contents stay.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_BAD_ARGUMENT, or a status of ownership.
// Fortran: `call adtape_trim(t, how)`, `call adtape_trim(how)`.
adtape_status_t adtape_trim(adtape_t *t, int32_t how);

// Copies the cursor of a tape to a local variable, which the compiler can keep in registers: adtape_local_push_…
// and adtape_local_pop_… use it. Until adtape_detach, a use of the tape through its handle is an error. Undone by
// adtape_detach.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, or a status of ownership.
// Fortran: not offered (nothing to gain).
adtape_status_t adtape_attach(adtape_t *t, adtape_local_t *l);

// Ends what adtape_attach began: the tape is used through its handle again, and the local cursor is closed.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_ATTACHED if the cursor is not attached, or
// a status of ownership.
// Fortran: not offered.
adtape_status_t adtape_detach(adtape_local_t *l);

/* ---- array ----------------------------------------------------------------------------------------------- */

// Pushes `count` contiguous values of a type (ADTAPE_TYPE_…) that start at `x`. Undone by adtape_pop_array with
// the same type and count. 0 values are legal, also at NULL. C programs that know the type use
// adtape_push_array_<type>, which is inlined. Cost: as memcpy, or as streaming stores on a tape larger than the
// cache.
//
// Errors go to the session's handler and leave the tape unchanged: NULL_HANDLE, NULL_POINTER, COUNT_RANGE,
// BAD_ARGUMENT (type), MEMORY_LIMIT, OUT_OF_MEMORY, or of ownership.
// Fortran: `call push(t, x)` with an array `x` of rank 1 to 7.
void adtape_push_array(adtape_t *t, adtape_type_t type_code, const void *x, int64_t count);

// Pops `count` values of a type into `x`. Undoes adtape_push_array.
//
// Errors go to the session's handler and leave the tape unchanged: those of adtape_push_array, UNDERFLOW, and
// MISMATCH in check mode.
// Fortran: `call pop(t, x)`.
void adtape_pop_array(adtape_t *t, adtape_type_t type_code, void *x, int64_t count);

// adtape_push_array on the thread's own tape.
//
// Fortran: `call push(x)`.
void adtape_self_push_array(adtape_type_t type_code, const void *x, int64_t count);

// adtape_pop_array on the thread's own tape.
//
// Fortran: `call pop(x)`.
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

// Pushes the `bits` (1 to 64) low bits of a branch id. Undone by adtape_call_pop_control with the same width.
//
// Errors go to the session's handler and leave the tape unchanged: NULL_HANDLE, BAD_ARGUMENT (bits),
// MEMORY_LIMIT, OUT_OF_MEMORY, or of ownership.
// Fortran: `call push_control(t, value, bits)`. C programs use adtape_push_control, which is inlined.
void adtape_call_push_control(adtape_t *t, uint64_t value, int32_t bits);

// Pops what adtape_call_push_control pushed and returns it. Errors: as there, UNDERFLOW, CORRUPT (no control bits
// lie there), MISMATCH in check mode.
// Fortran: `call pop_control(t, value, bits)`. C programs use adtape_pop_control, which is inlined.
uint64_t adtape_call_pop_control(adtape_t *t, int32_t bits);

// adtape_call_push_control on the thread's own tape. Fortran: `call push_control(value, bits)`.
void adtape_self_push_control(uint64_t value, int32_t bits);

// adtape_call_pop_control on the thread's own tape. Fortran: `call pop_control(value, bits)`.
uint64_t adtape_self_pop_control(int32_t bits);

// Pushes a loop counter or block id in few bytes: 1 for 0 to 127, one more for every factor of 128, at most 10;
// negative ones take 10. Undone by adtape_call_pop_count.
//
// Errors go to the session's handler and leave the tape unchanged: NULL_HANDLE, MEMORY_LIMIT, OUT_OF_MEMORY, or of
// ownership.
// Fortran: `call push_count(t, n)`. C programs use adtape_push_count, which is inlined.
void adtape_call_push_count(adtape_t *t, int64_t count);

// Pops what adtape_call_push_count pushed and returns it. Errors: as there, UNDERFLOW, CORRUPT (no count lies
// there), MISMATCH in check mode.
// Fortran: `call pop_count(t, n)`. C programs use adtape_pop_count, which is inlined.
int64_t adtape_call_pop_count(adtape_t *t);

// adtape_call_push_count on the thread's own tape. Fortran: `call push_count(n)`.
void adtape_self_push_count(int64_t count);

// adtape_call_pop_count on the thread's own tape. Fortran: `call pop_count(n)`.
int64_t adtape_self_pop_count(void);

/* ---- mark ------------------------------------------------------------------------------------------------ */

// Takes a mark: the present position of the tape. A plain value, to be copied and forgotten at will; valid as
// long as nothing below it is popped.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, or a status of ownership.
// Fortran: `call mark_take(t, m)`, `call mark_take(m)`.
adtape_status_t adtape_mark_take(adtape_t *t, adtape_mark_t *m);

// Compares two marks of a tape: `*order` is -1 if `a` is lower than `b`, 0 if they are the same position, 1 if it
// is higher.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER, or ADTAPE_STATUS_MARK_FOREIGN for marks of two tapes.
// Fortran: `call mark_compare(a, b, order)`.
adtape_status_t adtape_mark_compare(const adtape_mark_t *a, const adtape_mark_t *b, int32_t *order);

// Bytes pushed from mark `a` to mark `b` of a tape; negative if `b` is lower. Control bits count when their word
// of 62 is full.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER, or ADTAPE_STATUS_MARK_FOREIGN for marks of two tapes.
// Fortran: `call mark_bytes_between(a, b, bytes)`.
adtape_status_t adtape_mark_bytes_between(const adtape_mark_t *a, const adtape_mark_t *b, int64_t *bytes);

// Discards everything that was pushed since the mark was taken.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_MARK_FOREIGN (a
// mark of another tape), ADTAPE_STATUS_MARK_ABOVE_TOP (what it points to was popped; values pushed in its place
// since are noticed in check mode only), or a status of ownership.
// Fortran: `call mark_reset(t, m)`, `call mark_reset(m)`.
adtape_status_t adtape_mark_reset(adtape_t *t, const adtape_mark_t *m);

/* ---- repeat ---------------------------------------------------------------------------------------------- */

// Starts a repeat region: what lies on the tape now can be popped, and popped again after every
// adtape_repeat_reset. Values pushed inside go on top and are popped first. Regions nest. Undone by
// adtape_repeat_end. Cost: a copy of the region's list of segments, short unless regions nest.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, or a status of ownership.
// Fortran: `call repeat_start(t)`, `call repeat_start()`. Kit: adStack_startRepeat.
adtape_status_t adtape_repeat_start(adtape_t *t);

// Puts the tape back to where it was at the start of the innermost region, pending control bits included; what
// was pushed inside and not popped is discarded.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_REPEAT_UNBALANCED, or a status of ownership.
// Fortran: `call repeat_reset(t)`, `call repeat_reset()`. Kit: adStack_resetRepeat.
adtape_status_t adtape_repeat_reset(adtape_t *t);

// Ends the innermost region where the tape stands: what was popped in it since the last reset is gone, what was
// pushed in it and not popped stays on top.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_REPEAT_UNBALANCED, or a status of ownership.
// Fortran: `call repeat_end(t)`, `call repeat_end()`. Kit: adStack_endRepeat.
adtape_status_t adtape_repeat_end(adtape_t *t);

/* ---- stats ----------------------------------------------------------------------------------------------- */

// Sizes of a tape: bytes now and at most, control bits, memory, address space.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, or a status of ownership.
// Fortran: `call stats_get(t, stats)`, `call stats_get(stats)`.
adtape_status_t adtape_stats_get(adtape_t *t, adtape_stats_t *out);

// Turns profile mode on, with all counts at zero if it was off, or off, which forgets the counts. ADTAPE_PROFILE=1
// turns it on for every tape. In profile mode each push and pop takes the slow path and is counted.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, or a status of ownership.
// Fortran: `call stats_set_profile(t, on)`, `call stats_set_profile(on)`.
adtape_status_t adtape_stats_set_profile(adtape_t *t, bool on);

// Calls, elements and bytes of one type (ADTAPE_TYPE_…, or 0 for all together) and operation
// (ADTAPE_OPERATION_…) since profile mode was turned on; zero outside profile mode.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_BAD_ARGUMENT, or
// a status of ownership.
// Fortran: `call stats_traffic(t, type, operation, traffic)`, `call stats_traffic(type, operation, traffic)`.
adtape_status_t adtape_stats_traffic(adtape_t *t, adtape_type_t type_code, int32_t operation, adtape_traffic_t *out);

// Sets all traffic and the count of slow calls to zero, and the peak to what is on the tape now.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, or a status of ownership.
// Fortran: `call stats_reset(t)`, `call stats_reset()`.
adtape_status_t adtape_stats_reset(adtape_t *t);

// Writes a report for people to a file descriptor (1 is standard output, 2 standard error): the sizes and, in
// profile mode, the traffic by type.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_BAD_ARGUMENT (negative descriptor),
// ADTAPE_STATUS_IO, or a status of ownership.
// Fortran: `call stats_print(t)`, `call stats_print()`; to standard output.
adtape_status_t adtape_stats_print(adtape_t *t, int32_t fd);

// The name of a type as in adtape_push_<name>, e.g. "f64"; "unknown type" for other values. Never NULL, valid for
// ever.
//
// Fortran: `adtape_type_name(type)`.
const char *adtape_type_name(adtape_type_t type_code);

/* ---- entry ----------------------------------------------------------------------------------------------- */

// The calling thread's own tape.
adtape_t *adtape_abi0_self(void);

// Makes one push of `count` values possible and returns the tape to do it on.
adtape_t *adtape_abi0_push_room(adtape_t *t, adtape_type_t type_code, int64_t count, const void *site);

// Makes one pop of `count` values possible and returns the tape to do it on.
adtape_t *adtape_abi0_pop_room(adtape_t *t, adtape_type_t type_code, int64_t count, const void *site);

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

// Ends in the session's error handler, for glue code in other languages. Does not return.
void adtape_abi0_fail(int32_t status, const char *message, const void *site);

#ifdef __cplusplus
}
#endif

#endif
