/* adtape/objects.h: what is alive and where: ranges, pointers, pairs, rebase.
 * Generated from src/ffi/objects; do not edit. */
#ifndef ADTAPE_OBJECTS_H
#define ADTAPE_OBJECTS_H

#include "tape.h"

#ifdef __cplusplus
extern "C" {
#endif

// What sort of memory a range is. The value is its code in C and Fortran.
enum {
    // A variable of a procedure: alive until it returns, seen by its own thread first.
    ADTAPE_KIND_STACK = 0,
    // A block of an allocator.
    ADTAPE_KIND_HEAP = 1,
    // Memory that never moves: global variables, code.
    ADTAPE_KIND_STATIC = 2,
    // An allocatable variable of Fortran.
    ADTAPE_KIND_ALLOCATABLE = 3,
    // Memory of somebody else, which the program does not allocate.
    ADTAPE_KIND_FOREIGN = 4,
};
typedef int32_t adtape_kind_t;

// The program's objects: which are alive, and where. Shared by all threads; each call may be made by any.
// Addresses are plain numbers, 0 is NULL, sizes and offsets are in bytes.
typedef struct adtape_objects_t adtape_objects_t;

// Where an object and its adjoint lie.
typedef struct {
    int64_t serial;
    int64_t base;
    int64_t bytes;
    // 0: it has no adjoint.
    int64_t adjoint_base;
    int64_t adjoint_bytes;
    // How many changes of objects were known then.
    int64_t changes;
    // Where they are counted: all this holds as long as an atomic read finds `changes` there. NULL: nobody counts them.
    const int64_t *counter;
} adtape_abi0_buffer_t;

// A range of addresses and whose it is.
typedef struct {
    // One of ADTAPE_KIND_….
    int32_t kind;
    // The library's number for the label: adtape_range_label.
    int32_t label;
    // Its size.
    int64_t bytes;
    // Where it lies; from the tape: where it lay in the forward sweep.
    void *base;
    // The birth number of the object, which it keeps when its address changes.
    int64_t serial;
    // Where its adjoint lies; NULL if it has none, and from the tape.
    void *adjoint_base;
    // The size of the adjoint.
    int64_t adjoint_bytes;
} adtape_range_t;

// Counts of the maps.
typedef struct {
    // Ranges that are alive.
    int64_t ranges;
    // Bytes in them.
    int64_t bytes;
    // Objects born.
    int64_t births;
    // Ranges that died and whose place is remembered, for pointers that still point there.
    int64_t dead;
    // Pointer variables that wait for their object.
    int64_t waiting;
    // Pointers pushed that were both the end of a range and the base of another, which was taken; both of one thread's
    // stack, or neither of a stack.
    int64_t ambiguous;
} adtape_live_stats_t;

// A pointer as the base of an object and an offset in bytes; (NULL, 0) to begin with.
typedef struct {
    // Base of the variable or block, as it was registered; or NULL.
    void *base;
    // Distance from the base, in bytes; 0 if the base is NULL.
    int64_t offset;
} adtape_pair_t;

// A pointer or allocatable variable of Fortran, whatever its compiler.
typedef struct {
    // The first element; NULL if it is not associated or allocated.
    void *base;
    // Element size. For characters the length; UINT64_MAX on a pop means "as pushed". For derived types, which are
    // ADTAPE_TYPE_BYTES, the size.
    uint64_t element_bytes;
    // One of ADTAPE_TYPE_….
    int32_t type_code;
    // 0 to ADTAPE_MAX_RANK.
    int32_t rank;
    // Lower bound of each dimension.
    int64_t lower[ADTAPE_MAX_RANK];
    // Number of elements of each dimension, 0 or more.
    int64_t extents[ADTAPE_MAX_RANK];
    // Distance between elements in each dimension, in bytes.
    int64_t strides_bytes[ADTAPE_MAX_RANK];
    // The address of the variable, whose first word is `base`; NULL if it has none that stays.
    void *variable;
} adtape_descriptor_t;

/* ---- objects --------------------------------------------------------------------------------------------- */

// Makes objects (live map, rebase map, waiting pointers) apart from those of the process, for libraries and tests that
// keep theirs to themselves. Every call on addresses takes objects; NULL stands for those of the process. Undone by
// adtape_objects_destroy.
//
// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_POINTER. Any thread.
// Fortran: not offered; its calls are on the objects of the process.
adtape_status_t adtape_objects_create(adtape_objects_t **out);

// Releases objects that adtape_objects_create made. NULL is allowed and does nothing.
//
// Returns ADTAPE_STATUS_OK. No other thread uses the objects, or will.
// Fortran: not offered.
adtape_status_t adtape_objects_destroy(adtape_objects_t *o);

// The object of the process that an address is in; false: it is in none that is alive, and nothing is written.
bool adtape_abi0_buffer_find(uint64_t address, adtape_abi0_buffer_t *buffer);

// The object of the process with this serial; false: it is not alive, and nothing is written.
bool adtape_abi0_buffer_locate(uint64_t serial, adtape_abi0_buffer_t *buffer);

/* ---- live ------------------------------------------------------------------------------------------------ */

// A variable or block of `bytes` bytes comes alive at `base`. `kind` is one of ADTAPE_KIND_…: a stack range is in a
// map of the calling thread, all others in one that threads share. `label` names it in messages, e.g.
// `"x (double[1000])"`; it is copied; NULL for none. Returns its serial, the birth number that stays with the object
// when its address changes. Undone by adtape_live_remove or adtape_live_end, and in the reverse sweep by
// adtape_rebase_remove.
//
// A range of no bytes is legal, at any address; it is found by its base where nothing else is. Parts of an object
// need no range of their own.
// Errors go to the error handler and change nothing: NULL_HANDLE, NULL_POINTER (base NULL with bytes), OVERLAP
// (names both ranges), COUNT_RANGE, BAD_ARGUMENT (kind).
// Cost: one insertion. Any thread.
// Fortran: `call live_add(base, bytes, kind, label)`, label optional, base a type(c_ptr).
// Source: Alg. 2, lines 3 and 10.
int64_t adtape_live_add(const adtape_objects_t *o, void *base, int64_t bytes, adtape_kind_t kind, const char *label);

// The range that begins at `base` ends in the forward sweep, and nothing will bring it back; adtape_live_end is for
// one that comes back. Where it lay is remembered for pointers that still point there and are pushed later, until
// another range has ended there, and for as many ranges as were alive at once (at least 4096). Pointer variables in it
// wait no more.
//
// Errors go to the error handler and change nothing: NULL_HANDLE, NO_RANGE (no range begins there; names the
// nearest), AMBIGUOUS (several begin there, empty ones among them).
// Fortran: `call live_remove(base)`. Source: Alg. 2, lines 4 and 13.
void adtape_live_remove(const adtape_objects_t *o,
                        const void *base);

// PUSHRANGE, and the end of the range: a variable or block ends in the forward sweep and comes back in the reverse
// sweep. What brings the range that begins at `base` back goes onto the tape, 32 bytes; all else is as in
// adtape_live_remove, after which nothing comes back. Undone by adtape_pop_range and adtape_rebase_add.
//
// Errors: as adtape_live_remove, and those of a push; they change nothing. One thread uses `t` at a time; `o` is for
// all.
// Fortran: `call live_end(base)`, `call live_end(t, base)`. Source: Alg. 2, lines 4 and 13.
void adtape_live_end(adtape_t *t, const adtape_objects_t *o, const void *base);

// What lives at `base` has its adjoint of `adjoint_bytes` bytes at `adjoint_base`, from now on: for objects whose
// adjoint exists while they live. One that comes back gets its adjoint by adtape_rebase_add. The sizes may differ (a
// float with a double for its adjoint): an offset is scaled by their ratio, and must come out whole. NULL takes the
// adjoint away.
//
// Errors go to the error handler and change nothing: NULL_HANDLE, NO_RANGE, AMBIGUOUS, COUNT_RANGE.
// Fortran: `call live_set_adjoint(base, adjoint_base, adjoint_bytes)`.
void adtape_live_set_adjoint(const adtape_objects_t *o,
                             const void *base,
                             const void *adjoint_base,
                             int64_t adjoint_bytes);

// The range that `address` is in.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER or ADTAPE_STATUS_NO_RANGE. Any
// thread.
// Fortran: `call live_find(address, range)`.
adtape_status_t adtape_live_find(const adtape_objects_t *o, const void *address, adtape_range_t *out);

// The ranges that are alive, by address: the first `capacity` of them in `ranges`, their number in `*count`, which may
// be larger. `ranges` is NULL only with a capacity of 0.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER or ADTAPE_STATUS_COUNT_RANGE.
// Cost: of sorting them all. Any thread.
// Fortran: `call live_list(ranges, count)`, an array of type(adtape_range).
adtape_status_t adtape_live_list(const adtape_objects_t *o,
                                 adtape_range_t *ranges,
                                 int64_t capacity,
                                 int64_t *count);

// Counts of the maps: ranges, bytes, births, waiting and ambiguous pointers. What they cost grows with the number of
// threads, not with that of ranges.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or ADTAPE_STATUS_NULL_POINTER. Any thread.
// Fortran: `call live_stats(stats)`.
adtape_status_t adtape_live_stats(const adtape_objects_t *o, adtape_live_stats_t *out);

// Writes a report for people to a file descriptor (1 is standard output, 2 standard error): the counts, every range
// that is alive, every pointer variable that waits.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_BAD_ARGUMENT (negative descriptor) or
// ADTAPE_STATUS_IO. Any thread.
// Fortran: `call live_print()`; to standard output.
adtape_status_t adtape_live_print(const adtape_objects_t *o, int32_t fd);

/* ---- range ----------------------------------------------------------------------------------------------- */

// POPRANGE: pops the range whose death is to be reversed. The program allocates `range->bytes`, or takes the variable
// of a frame that is entered again, and says by adtape_rebase_add where it lies. Undoes adtape_live_end.
//
// Errors go to the error handler and leave the tape as it was: NULL_HANDLE, NULL_POINTER, UNDERFLOW, CORRUPT (no
// range lies there), MISMATCH in check mode.
// Fortran: `call pop_range(range)`, `call pop_range(t, range)`. Source: Alg. 2, lines 6 and 14.
void adtape_pop_range(adtape_t *t, const adtape_objects_t *o, adtape_range_t *range);

// The label of a range of these objects; "" if it has none. Valid as long as they are.
//
// Errors go to the error handler: NULL_POINTER. Cost: a call. Any thread.
// Fortran: `text = range_label(range)`.
const char *adtape_range_label(const adtape_objects_t *o, const adtape_range_t *range);

/* ---- rebase ---------------------------------------------------------------------------------------------- */

// The reversal point: a section's forward sweep ends here and its reverse sweep begins. What is alive stays where it
// is, with the adjoint that it has; addresses of the forward sweep (adtape_rebase_pointer) are from now on those that
// objects have at this point.
//
// Errors go to the error handler and change nothing: NULL_HANDLE; HEAP_STATE (a section that was run again from a
// checkpoint did not bring back every object that has an adjoint).
// Cost: proportional to the objects that came back since the last reversal point and are alive. No thread changes
// the maps meanwhile. Fortran: `call live_begin_reverse()`.
void adtape_live_begin_reverse(const adtape_objects_t *o);

// The death of a range is reversed: what adtape_pop_range returned lies at `new_base` now, its adjoint of
// `adjoint_bytes` bytes at `adjoint_base`; NULL and 0 if it has none. The sizes may differ; offsets are then scaled.
// Pointer variables that wait for it are set, and those that were left over from it (adtape_pop_pointer). Undone by
// adtape_rebase_remove, where its birth is reversed.
//
// Errors go to the error handler and change nothing: NULL_HANDLE, NULL_POINTER, OVERLAP (something lies there, or
// the object is back already), UNEVEN (a pointer that waits has no place in an adjoint of this size), COUNT_RANGE,
// BAD_ARGUMENT (the range is of other objects).
// Cost: one insertion. Any thread; a stack range goes to the map of the calling thread.
// Fortran: `call rebase_add(range, new_base, adjoint_base, adjoint_bytes)`, the last two optional. Source: Alg. 2,
// lines 6 and 14.
void adtape_rebase_add(const adtape_objects_t *o,
                       const adtape_range_t *range,
                       void *new_base,
                       void *adjoint_base,
                       int64_t adjoint_bytes);

// The birth of what lies at `new_base` is reversed, of objects that came back and of those that stayed alike: it is as
// if it had never been. The program then deallocates it, or leaves the frame. Pointer variables in it and in its
// adjoint wait no more.
//
// Errors go to the error handler and change nothing: NULL_HANDLE, NO_RANGE, AMBIGUOUS.
// Fortran: `call rebase_remove(new_base)`. Source: Alg. 2, lines 7 and 11.
void adtape_rebase_remove(const adtape_objects_t *o,
                          const void *new_base);

// Sets pointer variables to where `address` and its adjoint are now; each may be NULL. For addresses of this
// section's forward sweep that came back among other data, as in a structure that is pushed as bytes; a pointer that
// the program pushes itself is better pushed by adtape_push_pointer, which knows the object. If nothing that lay there
// is back yet, the variables are NULL and wait, as those of adtape_pop_pointer do; only an address below the end of
// the range is known to be of it then. NULL stays NULL.
//
// Errors go to the error handler and change nothing: NULL_HANDLE, UNEVEN.
// Cost: two searches by address. Any thread. Fortran: `call rebase_pointer(address, p, p_adjoint)`.
void adtape_rebase_pointer(const adtape_objects_t *o,
                           const void *address,
                           void **p,
                           void **p_adjoint);

/* ---- pointer --------------------------------------------------------------------------------------------- */

// Pushes a pointer that is about to be overwritten, as the object that it points into and an offset: 8 bytes for
// offsets below 512 MiB, else 24; 8 for NULL. So it is found again wherever the object lies then, and an address that
// has another owner meanwhile is not mistaken. A pointer to where two ranges touch points to the one whose base it is;
// that is counted, and code that needs it otherwise uses pairs. A pointer into an ended range still means that range,
// until another range ends at that address. Undone by adtape_pop_pointer.
//
// Errors go to the error handler and change nothing: NULL_HANDLE, NO_RANGE (in no range; names the nearest), those
// of a push.
// Cost: one search by address. One thread uses `t` at a time; `o` is for all.
// Fortran: `call push_pointer(p)`, `call push_pointer(t, p)` with a type(c_ptr), or `c_loc` of a Fortran pointer's
// target. Source: Alg. 2, line 18.
void adtape_push_pointer(adtape_t *t,
                         const adtape_objects_t *o,
                         const void *p);

// Pops a pointer: sets `*p` to where it points now and `*p_adjoint` to the same place in the adjoint, NULL if there is
// none. Either address may be NULL: that is not wanted.
//
// If the object is not back yet, both variables become NULL and wait: the call of adtape_rebase_add that brings it
// back, on whichever thread, sets them. Until then, or until another pop sets them, or until the range that they lie
// in ends, they must be there to be written to. Those that wait are listed by adtape_live_list_waiting.
//
// A pointer into an object that was born where another had died may have been left over from that one:
// `p = a + 1; free(a); b = malloc(n);`. When that one comes back, both variables are set anew if they still hold what
// this call wrote; they need not be there any more.
//
// Errors go to the error handler and leave the tape as it was: NULL_HANDLE, UNDERFLOW, CORRUPT (no pointer lies
// there), UNEVEN, MISMATCH in check mode.
// Cost: one search by number. One thread uses `t` at a time; `o` is for all.
// Fortran: `call pop_pointer(p, p_adjoint)`, `call pop_pointer(t, p, p_adjoint)`, the last optional. Source: Alg. 2,
// line 20.
void adtape_pop_pointer(adtape_t *t,
                        const adtape_objects_t *o,
                        void **p,
                        void **p_adjoint);

// The pointer variables that wait for their object, by address: the addresses of the first `capacity` of them in
// `variables`, their number in `*count`, which may be larger. `variables` is NULL only with a capacity of 0.
// adtape_live_print says what each waits for.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER or ADTAPE_STATUS_COUNT_RANGE. Any
// thread. Fortran: `call live_list_waiting(variables, count)`, an array of type(c_ptr).
adtape_status_t adtape_live_list_waiting(const adtape_objects_t *o,
                                         void **variables,
                                         int64_t capacity,
                                         int64_t *count);

/* ---- pair ------------------------------------------------------------------------------------------------ */

// Pushes a pointer as base and offset, which may lead anywhere: 8 bytes for offsets below 512 MiB, else 24. `base` is
// that of a range that is alive (or ended, see adtape_push_pointer), or NULL with an offset of 0. Undone by
// adtape_pop_pair.
//
// Errors go to the error handler and change nothing: NULL_HANDLE, NO_RANGE (no range begins there; names the
// nearest), AMBIGUOUS, NULL_POINTER (NULL with an offset), those of a push.
// Cost: one search by address. One thread uses `t` at a time; `o` is for all.
// Fortran: `call push_pair(base, offset)`, `call push_pair(t, base, offset)`. Source: Alg. 3, line 18*.
void adtape_push_pair(adtape_t *t, const adtape_objects_t *o, const void *base, int64_t offset);

// Pops a pair: sets `*pair` to the base as it is now and the offset, `*p` to base + offset, and `*p_adjoint` to the
// same place in, or beside, the adjoint, NULL if there is none. Each address may be NULL: that is not wanted. If the
// object is not back yet, base and pointers become NULL and wait, as in adtape_pop_pointer.
//
// Errors go to the error handler and leave the tape as it was: NULL_HANDLE, UNDERFLOW, CORRUPT (no pair lies
// there), UNEVEN, MISMATCH in check mode.
// Fortran: `call pop_pair(pair, p, p_adjoint)`, `call pop_pair(t, pair, p, p_adjoint)`, the last two optional.
// Source: Alg. 3, line 20*.
void adtape_pop_pair(adtape_t *t, const adtape_objects_t *o, adtape_pair_t *pair, void **p, void **p_adjoint);

// The pair of a pointer that is assigned `q + bytes`, from the pair of q: (0, 0) if its base is NULL, else (base,
// offset + bytes). Offsets wrap as integers do.
//
// Fortran: `adtape_pair_add(q, bytes)`. Source: eq. (3).
adtape_pair_t adtape_pair_add(adtape_pair_t q, int64_t bytes);

/* ---- descriptor ------------------------------------------------------------------------------------------ */

// Pushes what a pointer variable is: NULL, or its bounds and strides and the object that its first element lies in.
// Undone by adtape_abi0_pop_association. Returns ADTAPE_STATUS_NO_RANGE if it points into no range or beyond one.
adtape_status_t adtape_abi0_push_association(adtape_t *t,
                                             const adtape_objects_t *o,
                                             const adtape_descriptor_t *p,
                                             const void *site);

// Pops a pointer into `*p`, which says type, element and rank, and its adjoint into `*p_adjoint`, unless that is NULL:
// bounds, strides and the length of a character are as they were, `base` is where the target is now, `nowhere` if
// there are no elements, and NULL while the target is not back; the first word of the variables is then set when it
// comes.
adtape_status_t adtape_abi0_pop_association(adtape_t *t,
                                            const adtape_objects_t *o,
                                            adtape_descriptor_t *p,
                                            adtape_descriptor_t *p_adjoint,
                                            void *nowhere,
                                            const void *site);

// Pushes an allocatable that is about to be deallocated, contiguous if it is allocated: its values, bounds and range,
// which ends. Undone by adtape_abi0_pop_allocation.
adtape_status_t adtape_abi0_push_allocation(adtape_t *t,
                                            const adtape_objects_t *o,
                                            const adtape_descriptor_t *x,
                                            const void *site);

// The bounds, and the length of a character, that an allocatable, whose type, element and rank `*x` says, had when it
// was deallocated, in `*x`; in `*allocated`, whether it was allocated. The tape stays as it is. Refuses an allocatable
// that is allocated.
adtape_status_t adtape_abi0_peek_allocation(adtape_t *t,
                                            const adtape_objects_t *o,
                                            adtape_descriptor_t *x,
                                            int32_t *allocated,
                                            const void *site);

// Pops an allocatable that is allocated again with the bounds of adtape_abi0_peek_allocation, or not if it was not:
// its values; its range is where it lies now, with the adjoint `*x_adjoint`, unless that is NULL.
adtape_status_t adtape_abi0_pop_allocation(adtape_t *t,
                                           const adtape_objects_t *o,
                                           const adtape_descriptor_t *x,
                                           const adtape_descriptor_t *x_adjoint,
                                           const void *site);

// The birth of the allocatable at `base` is reversed: adtape_rebase_remove with a status.
adtape_status_t adtape_abi0_undo_allocation(const adtape_objects_t *o, const void *base);

#ifdef __cplusplus
}
#endif

#include "inline_objects.h"

#endif
