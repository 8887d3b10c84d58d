/* adtape/heap.h: the stable heap, whose blocks come back at their addresses.
 * Generated from src/ffi/heap; do not edit. */
#ifndef ADTAPE_HEAP_H
#define ADTAPE_HEAP_H

#include "objects.h"

#ifdef __cplusplus
extern "C" {
#endif

// A stable heap, of which a program sees where adjoints are. Not to be copied.
typedef struct adtape_heap {
    // Adjoint = address + delta, where there is one adjoint byte for each primal byte.
    intptr_t delta;
    // In general, adjoint = factor * address + origin.
    uintptr_t factor;
    uintptr_t origin;
} adtape_heap_t;

// For adtape_heap_join: all blocks of the heap are one range.
#define ADTAPE_JOIN_RANGE 1

// For adtape_heap_join: the heap is part of what adtape_live_save saves.
#define ADTAPE_JOIN_STATE 2

// Sizes of a heap, in bytes where not said otherwise.
typedef struct {
    // Blocks alive.
    int64_t blocks;
    // What they take, each rounded up to its size class.
    int64_t bytes;
    // The most that were alive at once.
    int64_t peak_bytes;
    // Operations of the forward sweep that were not undone.
    int64_t operations;
    // Blocks freed by another thread, whose free was not undone.
    int64_t quarantined_blocks;
    // Memory behind blocks and the free intervals between them.
    int64_t committed_bytes;
    // Memory behind adjoints.
    int64_t adjoint_committed_bytes;
    // Memory that the heap has for itself.
    int64_t overhead_bytes;
    // Address space for blocks: half of it for small ones, up to 8 KiB, half for large ones.
    int64_t reserved_bytes;
    // Where that lies: one range for maps of addresses. It never moves; most of it has no memory.
    void *base;
    // Where the adjoints of all of it lie; NULL if there are none.
    void *adjoint_base;
    // Address space for adjoints.
    int64_t adjoint_reserved_bytes;
} adtape_heap_stats_t;

// The state of a heap: a fingerprint of the blocks that are alive. Taken where a checkpoint is, compared when the
// program has come there again.
typedef struct {
    // Exclusive or of a hash of base and size of each block.
    uint64_t fingerprint;
    // Blocks alive.
    int64_t blocks;
    // What they take.
    int64_t bytes;
    // Operations of the forward sweep up to here.
    int64_t operations;
} adtape_heap_mark_t;

/* ---- heap ------------------------------------------------------------------------------------------------ */

// Makes an empty heap that the calling thread owns. Reserves address space, which takes no memory. Undone by
// adtape_heap_destroy.
//
// adjoint_factor: adjoint bytes for each primal byte; 1 for equal sizes, 2 for float with adjoints in double, the
// number of directions in vector mode, 0 for no adjoints. At most 1024. reserve_bytes: address space for blocks up to
// 8 KiB, and as much for larger ones; 0 for as much as the machine has memory, at least 32 GiB where that can be had.
// A heap cannot move, so it cannot outgrow that.
//
// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER,
// ADTAPE_STATUS_BAD_ARGUMENT, ADTAPE_STATUS_COUNT_RANGE, ADTAPE_STATUS_OUT_OF_MEMORY or
// ADTAPE_STATUS_BAD_ENVIRONMENT.
// Fortran: `call heap_create(h, adjoint_factor, reserve_bytes)`.
adtape_status_t adtape_heap_create(int32_t adjoint_factor, int64_t reserve_bytes, adtape_heap_t **out);

// Gives a heap back, with all of its blocks and adjoints. NULL is allowed and does nothing. The thread's own heap
// is made anew at its next use.
//
// Returns ADTAPE_STATUS_OK or, if it is another thread's, ADTAPE_STATUS_WRONG_THREAD. Any thread may destroy a heap
// that was released, or whose thread has ended. In a child of fork, the blocks of a heap whose thread the child does not
// have stay where they are.
// Fortran: `call heap_destroy(h)`.
adtape_status_t adtape_heap_destroy(adtape_heap_t *h);

// The calling thread's own heap, with one adjoint byte for each primal byte; made at its first use, given back when
// the thread ends (if blocks are alive then, they stay, and standard error says so). Never NULL.
//
// Errors go to the error handler: OUT_OF_MEMORY, BAD_ENVIRONMENT.
// Fortran: `heap_self()`.
adtape_heap_t *adtape_heap_self(void);

// Gives a heap of the calling thread up, so that another thread can go on with it (adtape_heap_acquire). The thread's
// own heap is replaced by a new one at its next use, and this one is then undone by adtape_heap_destroy. Orders what
// this thread wrote before what the other reads.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED.
// Fortran: `call heap_release(h)`.
adtape_status_t adtape_heap_release(adtape_heap_t *h);

// Makes the calling thread the owner of a heap that was given up by adtape_heap_release.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or, if it is not released, ADTAPE_STATUS_RELEASED.
// Fortran: `call heap_acquire(h)`.
adtape_status_t adtape_heap_acquire(adtape_heap_t *h);

// Whether operations leave records on the tape: true, as at first, or false for a part of the forward sweep that is
// run only to come to a later state (an advance between checkpoints). `t` is then ignored and may be NULL.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED.
// Fortran: `call heap_set_recording(h, on)`, `on` a logical.
adtape_status_t adtape_heap_set_recording(adtape_heap_t *h, bool on);

// The reversal point: the forward sweep, or the section of it that was run again, ends here and its reverse sweep
// begins. Each block that has no adjoint yet gets one, of zero; from then on adjoints begin and end with the blocks of
// the reverse sweep. Cost: the first time proportional to what is alive; after a section that was run again, none if
// the same blocks are alive as before.
//
// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_HEAP_STATE if a block whose adjoint is in use is not alive: the section
// was not run again as it was the first time; ADTAPE_STATUS_MEMORY_LIMIT, ADTAPE_STATUS_OUT_OF_MEMORY,
// ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED. Fortran: `call
// heap_begin_reverse(h)`.
adtape_status_t adtape_heap_begin_reverse(adtape_heap_t *h);

// The end of the reverse sweep: no block has an adjoint any more, and a use of one before the next reversal point is a
// segmentation fault. Their memory is kept warm.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED.
// Fortran: `call heap_end_reverse(h)`.
adtape_status_t adtape_heap_end_reverse(adtape_heap_t *h);

// The adjoint of an address in a block, checked: `*adjoint` is NULL for NULL. adtape_heap_adjoint, which is inlined,
// does not check and costs one addition.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_BAD_BLOCK (in no block of this heap that is alive), ADTAPE_STATUS_NO_ADJOINT
// (before the reversal point), ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD or
// ADTAPE_STATUS_RELEASED. Cost: for a block above 8 KiB a search in an ordered set.
// Fortran: `call heap_find_adjoint(h, p, adjoint)`.
adtape_status_t adtape_heap_find_adjoint(adtape_heap_t *h,
                                         const void *p,
                                         void **adjoint);

// Gives memory that no block needs back to the system. Without this call, free intervals of 1 MiB and more give theirs
// back when the memory limit is near, the one that has been free for longest first.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED.
// Fortran: `call heap_trim(h)`.
adtape_status_t adtape_heap_trim(adtape_heap_t *h);

// Sizes of a heap, and where it lies.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD or
// ADTAPE_STATUS_RELEASED. Fortran: `call heap_stats(h, stats)`.
adtape_status_t adtape_heap_stats(adtape_heap_t *h, adtape_heap_stats_t *out);

/* ---- join ------------------------------------------------------------------------------------------------ */

// The heap joins the objects `o`. `how` is ADTAPE_JOIN_RANGE, ADTAPE_JOIN_STATE or the sum of both. Undone by
// adtape_heap_leave.
//
// ADTAPE_JOIN_RANGE: all of its blocks are one range of kind ADTAPE_KIND_STATIC, and their adjoints its adjoint. So
// adtape_push_pointer takes pointers into blocks beside pointers to variables and to blocks of malloc, and
// adtape_pop_pointer returns the same address and its adjoint. Pointer variables may lie in blocks too: what waits in
// a block waits no more when the block goes, and moves along where its contents move; what waits in an adjoint, when
// the birth of its block is undone or at adtape_heap_end_reverse. `label` names the heap in messages; it is copied;
// NULL for none. A pointer into a block that is gone still counts as a pointer into the heap. To detect it, register
// each block (adtape_live_add after its allocation, adtape_live_end before its release) and not the heap.
//
// ADTAPE_JOIN_STATE: the heap is part of the state that adtape_live_save saves; its blocks come back at their
// addresses.
//
// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_OVERLAP (a block is registered), ADTAPE_STATUS_BAD_ARGUMENT (`how`; it has
// joined already), ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED; nothing has
// changed then.
// Cost: one insertion; after it, one comparison for each free, realloc and undo while nothing waits.
// Fortran: `call heap_join(h, how, label)`, label optional.
adtape_status_t adtape_heap_join(adtape_heap_t *h, const adtape_objects_t *o, int32_t how, const char *label);

// The heap leaves the objects that it joined: pointers into it are in no range any more, and checkpoints go without
// it. Done after the reverse sweep; adtape_heap_destroy does it too. A heap that has not joined is left alone.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED.
// Fortran: `call heap_leave(h)`.
adtape_status_t adtape_heap_leave(adtape_heap_t *h);

// Allocates a block, in place of malloc(bytes) in the forward sweep: at a multiple of 16, contents undefined, an
// address of its own also for 0 bytes. Never NULL. Undone by adtape_heap_undo_alloc. Pushes 8 bytes onto `t`, 16 for
// a block above 8 KiB. Cost: as malloc; for a block above 8 KiB two searches in an ordered set.
//
// Errors go to the error handler and change nothing: NULL_HANDLE, COUNT_RANGE, MEMORY_LIMIT, OUT_OF_MEMORY,
// WRONG_THREAD, RELEASED.
// Fortran: `p = heap_alloc(h, t, bytes)`, then `call c_f_pointer(p, x, [n])`. Source: Alg. 2, line 10.
void *adtape_heap_alloc(adtape_heap_t *h, adtape_t *t, int64_t bytes);

// Allocates a block of zeros, in place of calloc(count, bytes): `count` times `bytes` bytes. Undone by
// adtape_heap_undo_alloc.
// Errors: as adtape_heap_alloc. Fortran: `p = heap_calloc(h, t, count, bytes)`.
void *adtape_heap_calloc(adtape_heap_t *h, adtape_t *t, int64_t count, int64_t bytes);

/* ---- block ----------------------------------------------------------------------------------------------- */

// Allocates a block at a multiple of `alignment`, a power of two from 1 to 65536, in place of aligned_alloc. Undone by
// adtape_heap_undo_alloc. Errors: as adtape_heap_alloc, and BAD_ARGUMENT (alignment).
// Fortran: `p = heap_alloc_aligned(h, t, bytes, alignment)`.
void *adtape_heap_alloc_aligned(adtape_heap_t *h,
                                adtape_t *t,
                                int64_t bytes,
                                int64_t alignment);

// Gives a block another size, in place of realloc(p, bytes): its contents up to the smaller of both sizes stay, its
// address may change. `p` is NULL, for a new block, or a block of this heap. What is cut off is not kept. Undone by
// adtape_heap_undo_realloc. Pushes 24 to 40 bytes onto `t`. Never NULL.
//
// Errors go to the error handler and change nothing: as adtape_heap_alloc, and BAD_BLOCK (p is no block of this
// heap that is alive, or points into the middle of one; a block of another thread's heap would have to move: allocate,
// copy, free).
// Fortran: `p = heap_realloc(h, t, p, bytes)`.
void *adtape_heap_realloc(adtape_heap_t *h,
                          adtape_t *t,
                          void *p,
                          int64_t bytes);

// Gives a block another size as adtape_heap_realloc does, and pushes what is cut off onto `t`;
// adtape_heap_undo_realloc brings it back. Errors: as adtape_heap_realloc.
// Fortran: `p = heap_realloc_save(h, t, p, bytes)`.
void *adtape_heap_realloc_save(adtape_heap_t *h, adtape_t *t, void *p, int64_t bytes);

// Frees a block, in place of free(p). `p` is NULL or a block of this heap or of another thread's; the latter is kept
// aside until this is undone, and no new block gets its address. The contents are not kept: what the reverse sweep
// needs of them, the program pushes before (or calls adtape_heap_free_save). Undone by adtape_heap_undo_free. Pushes 8
// bytes onto `t`, 16 for a block above 8 KiB or of another heap.
//
// Errors go to the error handler and change nothing: NULL_HANDLE, BAD_BLOCK (p came from elsewhere, was freed
// already, or points into the middle of a block), MEMORY_LIMIT (of the tape), WRONG_THREAD, RELEASED.
// Fortran: `call heap_free(h, t, p)`. Source: Alg. 2, line 13.
void adtape_heap_free(adtape_heap_t *h,
                      adtape_t *t,
                      void *p);

// Frees a block as adtape_heap_free does, and pushes its contents onto `t`; adtape_heap_undo_free brings them back.
// Errors: as adtape_heap_free.
// Fortran: `call heap_free_save(h, t, p)`.
void adtape_heap_free_save(adtape_heap_t *h, adtape_t *t, void *p);

// Undoes adtape_heap_alloc, adtape_heap_calloc or adtape_heap_alloc_aligned, which must be the last operation of
// this heap that is not undone: the block goes, and its adjoint. Cost: as free.
//
// Errors go to the error handler; heap and tape are as before: HEAP_STATE (another operation is the last one, or
// the heap is not in the state that it had after it), NO_ADJOINT (before the reversal point), BAD_BLOCK (another
// thread freed the block and has not undone that), UNDERFLOW, MISMATCH in check mode, NULL_HANDLE, WRONG_THREAD,
// RELEASED. Fortran: `call heap_undo_alloc(h, t)`. Source: Alg. 2, line 11.
void adtape_heap_undo_alloc(adtape_heap_t *h, adtape_t *t);

// Undoes adtape_heap_realloc or adtape_heap_realloc_save, the last operation: the block has its old address and size
// again. Contents and adjoint up to the smaller of both sizes go back with it; of what had been cut off the adjoint is
// zero, and the contents come back if they were saved. Returns its address, NULL if the realloc was of NULL.
//
// Errors: as adtape_heap_undo_alloc, MEMORY_LIMIT. Fortran: `p = heap_undo_realloc(h, t)`.
void *adtape_heap_undo_realloc(adtape_heap_t *h,
                               adtape_t *t);

// Undoes adtape_heap_free or adtape_heap_free_save, the last operation: the block comes back where it was, with an
// adjoint of zero; with its contents if they were saved, else with undefined ones. Returns its address, NULL if NULL
// was freed.
//
// Errors: as adtape_heap_undo_alloc, MEMORY_LIMIT. Fortran: `p = heap_undo_free(h, t)`. Source: Alg. 2, line 14.
void *adtape_heap_undo_free(adtape_heap_t *h, adtape_t *t);

// Allocates a block of zeros that only the reverse sweep uses: in an arena of its own, so that recorded blocks go
// where they went, and without a record; malloc does as well. Never NULL. Undone by adtape_heap_free_adjoint.
//
// Errors: as adtape_heap_alloc. Fortran: `p = heap_alloc_adjoint(h, bytes)`.
void *adtape_heap_alloc_adjoint(adtape_heap_t *h, int64_t bytes);

// Frees what adtape_heap_alloc_adjoint returned; NULL is allowed. Errors go to the error handler: NULL_HANDLE,
// BAD_BLOCK, WRONG_THREAD, RELEASED. Fortran: `call heap_free_adjoint(h, p)`.
void adtape_heap_free_adjoint(adtape_heap_t *h, void *p);

/* ---- snapshot -------------------------------------------------------------------------------------------- */

// Takes a mark: a fingerprint of the blocks that are alive, a plain value. A checkpoint keeps it beside its own data,
// or a tape does (adtape_push_bytes).
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD or
// ADTAPE_STATUS_RELEASED. Fortran: `call heap_mark_take(h, m)`.
adtape_status_t adtape_heap_mark_take(adtape_heap_t *h, adtape_heap_mark_t *m);

// Checks that the same blocks are alive as when the mark was taken, by all 64 bits of the fingerprint, of which each
// undo compares 18: at the end of a section that was run again, or in the reverse sweep.
//
// Returns ADTAPE_STATUS_OK, or ADTAPE_STATUS_HEAP_STATE with both states in the message; ADTAPE_STATUS_NULL_HANDLE,
// ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED.
// Fortran: `call heap_mark_check(h, m)`.
adtape_status_t adtape_heap_mark_check(adtape_heap_t *h, const adtape_heap_mark_t *m);

// Writes a snapshot of the heap into memory of the program: which blocks are alive, and their contents. It belongs to
// this heap and this process, because it restores blocks at their addresses. Undone by adtape_heap_restore. (A
// checkpoint in a store, with all that is alive, is written by adtape_live_save.)
//
// `out` has room for `bytes` bytes. NULL: nothing is written, and the size is found. `*need` is the size of the
// snapshot, also where there is too little room; NULL: not wanted.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_COUNT_RANGE (too little room), ADTAPE_STATUS_NULL_HANDLE,
// ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED. Cost: a copy of all that is alive; without `out` none.
// Fortran: `call heap_save(h, out, bytes, need)`, `need` optional.
adtape_status_t adtape_heap_save(adtape_heap_t *h, void *out, int64_t bytes, int64_t *need);

// Puts the heap back into the state of a snapshot, contents included, to run a section again. Adjoints stay as they
// are: at its reversal point the section must have come to the state that they belong to.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_DAMAGED (no snapshot), ADTAPE_STATUS_HEAP_STATE (one of another heap),
// ADTAPE_STATUS_COUNT_RANGE, ADTAPE_STATUS_MEMORY_LIMIT, ADTAPE_STATUS_OUT_OF_MEMORY, ADTAPE_STATUS_NULL_HANDLE,
// ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED; the heap is then as before.
// Cost: a copy of all that comes alive, and of the list of what was. Fortran: `call heap_restore(h, snapshot,
// bytes)`.
adtape_status_t adtape_heap_restore(adtape_heap_t *h, const void *snapshot, int64_t bytes);

#ifdef __cplusplus
}
#endif

#include "inline_heap.h"

#endif
