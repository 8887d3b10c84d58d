/* adtape/checkpoint.h: stores, checkpoints, checkpoints of everything alive.
 * Generated from src/ffi/checkpoint; do not edit. */
#ifndef ADTAPE_CHECKPOINT_H
#define ADTAPE_CHECKPOINT_H

#include "heap.h"

#ifdef __cplusplus
extern "C" {
#endif

// For adtape_store_create_files: compress, without loss.
#define ADTAPE_STORE_COMPRESS 1

// For adtape_store_create_files: do not wait until the disk has the files; a crash of the machine may lose them.
#define ADTAPE_STORE_NO_SYNC 2

// For adtape_store_create_files: one file for all checkpoints of the run and rank.
#define ADTAPE_STORE_ONE_FILE 4

// For adtape_store_create_files: others may read the files, as far as the process's mask (umask) allows; otherwise
// only their owner may.
#define ADTAPE_STORE_SHARED 8

// What a section of a checkpoint is: values of a variable that exists when they are read.
#define ADTAPE_SECTION_VALUES 1

// What a section of a checkpoint is: values and bounds of something that is allocated when they are read.
#define ADTAPE_SECTION_ALLOCATABLE 2

// What a section of a checkpoint is: a pointer variable, as adtape_checkpoint_write_pointer writes it.
#define ADTAPE_SECTION_POINTER 3

// What a section of a checkpoint is: which ranges were alive, as adtape_live_save writes them.
#define ADTAPE_SECTION_RANGES 4

// What a section of a checkpoint is: the pointers inside of those ranges.
#define ADTAPE_SECTION_SLOTS 5

// What a section of a checkpoint is: the contents of those ranges, one after the other.
#define ADTAPE_SECTION_CONTENTS 6

// What a section of a checkpoint is: the state of a stable heap.
#define ADTAPE_SECTION_HEAP 7

// A checkpoint that is being written or read.
typedef struct adtape_checkpoint_t adtape_checkpoint_t;

// M′ of Alg. 4: which objects of a checkpoint lie elsewhere since it was restored.
typedef struct adtape_restoration_t adtape_restoration_t;

// A store of checkpoints.
typedef struct adtape_store_t adtape_store_t;

// The calls of a store that the program supplies, for adtape_store_create_user. An *entry* is a checkpoint's bytes.
// Each call gets `user` as it was given, and returns ADTAPE_STATUS_OK or another status; ADTAPE_STATUS_NOT_FOUND where
// there is no entry of the name. They may be called by any thread that uses the store.
typedef struct {
    // Begins an entry; `*entry` is handed to append, and then to commit or abandon, whichever ends it.
    int32_t (*create)(void *user, const char *name, void **entry);
    // Adds bytes at the end of an entry.
    int32_t (*append)(void *user, void *entry, const void *x, int64_t bytes);
    // Makes an entry complete and visible, in place of an older one of its name.
    int32_t (*commit)(void *user, void *entry);
    // Forgets an entry that was not committed.
    void (*abandon)(void *user, void *entry);
    // Opens an entry for reading; `*entry` is handed to read and close, `*bytes` is its size.
    int32_t (*open)(void *user, const char *name, void **entry, int64_t *bytes);
    // Reads `bytes` bytes at an offset.
    int32_t (*read)(void *user, void *entry, int64_t offset, void *x, int64_t bytes);
    // Ends the reading of an entry.
    void (*close)(void *user, void *entry);
    // Removes an entry.
    int32_t (*remove)(void *user, const char *name);
    // Calls `visit` with `context` and the name of every entry, in any order.
    int32_t (*list)(void *user, void (*visit)(void *context, const char *name), void *context);
} adtape_store_calls_t;

// A section of a checkpoint, as adtape_checkpoint_next describes it.
typedef struct {
    // Its name; NULL behind the last section. Valid until the next call on the checkpoint.
    const char *name;
    // ADTAPE_SECTION_….
    int32_t kind;
    // ADTAPE_TYPE_….
    int32_t type_code;
    // Number of values.
    int64_t count;
    // Whether there are values: false for an allocatable that was not allocated.
    bool allocated;
    // Number of dimensions whose bounds are known; 0 for values that were written as a list.
    int32_t rank;
    // Lower bound of each dimension of an allocatable, the fastest first.
    int64_t lower[16];
    // Number of elements along each dimension.
    int64_t extents[16];
} adtape_section_t;

// An object that a restoration needs memory for, or needs no longer.
typedef struct {
    // As it was registered; valid during the call.
    const char *label;
    // Its size.
    int64_t bytes;
    // ADTAPE_KIND_….
    int32_t kind;
    // Number of dimensions whose bounds are known; 0 if adtape_live_set_bounds has not told any.
    int32_t rank;
    // Lower bound of each dimension, the fastest first.
    int64_t lower[16];
    // Number of elements along each dimension.
    int64_t extents[16];
} adtape_wanted_t;

// Allocates an object and returns its address, or NULL if it cannot.
typedef void *(*adtape_allocate_t)(const adtape_wanted_t *wanted, void *user);

// Deallocates an object at `base`.
typedef void (*adtape_deallocate_t)(const adtape_wanted_t *wanted, void *base, void *user);

// What a checkpoint of everything has.
typedef struct {
    // Objects.
    int64_t ranges;
    // Bytes of contents, those of stable heaps among them.
    int64_t bytes;
    // Pointers inside of objects.
    int64_t pointers;
    // Check mode: words in the contents that are addresses of heap ranges, and no pointer that is known.
    int64_t suspects;
} adtape_save_stats_t;

// What a restoration did.
typedef struct {
    // Objects that were alive and stayed.
    int64_t kept;
    // Objects that were missing and have memory again.
    int64_t allocated;
    // Of those, the ones that took over the memory of a superfluous object.
    int64_t reused;
    // Missing variables that took the place of one of the same label and frame.
    int64_t bound;
    // Missing variables of the stack that there is no such place for.
    int64_t dead;
    // Superfluous objects.
    int64_t ended;
    // Pointers inside of objects that were set.
    int64_t pointers;
} adtape_restore_stats_t;

/* ---- store ----------------------------------------------------------------------------------------------- */

// Makes a store in memory. `limit_bytes` is the most that its buffers have together, 0 for no limit. Checkpoints
// beyond it go to `below`, whole, any store, which may be destroyed at once: the new store keeps what it needs of it.
// NULL for none: a checkpoint beyond the limit is an error. Buffers of removed and replaced checkpoints are used
// again; there are no checksums. Undone by adtape_store_destroy.
//
// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER or ADTAPE_STATUS_COUNT_RANGE (a
// negative limit). Any thread.
// Fortran: `call store_create_memory(s, limit_bytes, below)`, `below` optional.
adtape_status_t adtape_store_create_memory(int64_t limit_bytes, const adtape_store_t *below, adtape_store_t **out);

// Makes a store of files in a directory that exists, one file for each checkpoint or one for all, checksummed and on
// the disk when adtape_checkpoint_commit returns. Undone by adtape_store_destroy, which leaves the files of a named
// run.
//
// `directory` is its path. `run` is the name of the run, letters, digits, '-' and '_': a process that is started
// again with the same one finds its checkpoints; NULL for files that are private to this process and are removed with
// the store. `rank` tells the processes of a run apart: -1 for the MPI rank that the launcher says in the environment
// (Open MPI, MPICH, MVAPICH, PMIx, Slurm), 0 without one. What a killed process of the same run and rank left half
// written is removed.
//
// `flags` are 0 or a sum of ADTAPE_STORE_COMPRESS (without loss: LZ4 over bytes sorted by their place in the numbers),
// ADTAPE_STORE_NO_SYNC (a crash of the machine, not of the process, may lose checkpoints), ADTAPE_STORE_ONE_FILE (for
// file systems that mind many files; a checkpoint is written twice, the second time at its commit) and
// ADTAPE_STORE_SHARED (others may read the files, as far as the process's umask allows). A file that cannot grow is an
// error; a program under `ulimit -f` should ignore SIGXFSZ, which ends it otherwise.
//
// A run and rank has one store at a time, in all processes, also on machines that share the directory over NFS; a
// second one is refused, and the message names both. The system drops the lock of a process that ends, in whatever
// way. A child by fork cannot write to its parent's store.
//
// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_BAD_ARGUMENT (also if
// a store of this process has the run and rank), ADTAPE_STATUS_IN_USE (another process has them: the message names it
// and its host), ADTAPE_STATUS_IO or, of one file for all, ADTAPE_STATUS_DAMAGED and ADTAPE_STATUS_OTHER_VERSION. Any
// thread.
// Fortran: `call store_create_files(s, directory, run, rank, flags)`; all but the first two are optional.
adtape_status_t adtape_store_create_files(const char *directory,
                                          const char *run,
                                          int32_t rank,
                                          int32_t flags,
                                          adtape_store_t **out);

// Releases a store. NULL is allowed and does nothing. A store in memory goes with its checkpoints, a private one of
// files too; files of a named run stay. Checkpoints that are being read or written can be ended afterwards.
//
// Returns ADTAPE_STATUS_OK. Any thread.
// Fortran: `call store_destroy(s)`.
adtape_status_t adtape_store_destroy(adtape_store_t *s);

// Gives memory back to the system that a store in memory keeps for checkpoints to come: the buffers of
// those that were removed or replaced. Other stores keep none.
//
// Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_HANDLE. Any thread.
// Fortran: `call store_trim(s)`.
adtape_status_t adtape_store_trim(const adtape_store_t *s);

// Removes a checkpoint from a store. Who reads it just now can read it to its end.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_NOT_FOUND or
// ADTAPE_STATUS_IO. Any thread.
// Fortran: `call store_remove(s, name)`.
adtape_status_t adtape_store_remove(const adtape_store_t *s, const char *name);

// The number of checkpoints in a store, committed ones, and the name of the one in place `index` in ascending order:
// `*name` is NULL if there are not that many, else a C string that is valid until the next call on this thread. Both
// results may be NULL.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or ADTAPE_STATUS_IO. Any thread.
// Fortran: `call store_list(s, names)`, with `character(100), allocatable :: names(:)`.
adtape_status_t adtape_store_list(const adtape_store_t *s, int64_t index, int64_t *count, const char **name);

// Makes a store of calls that the program supplies: all those of `calls`, which is copied, with `user` handed to each.
// The calls and what `user` points to must live as long as the store. Undone by adtape_store_destroy.
//
// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK or, if a pointer or a call is NULL,
// ADTAPE_STATUS_NULL_POINTER. Any thread.
// Fortran: not offered; a few lines of C can hand the store over.
adtape_status_t adtape_store_create_user(const adtape_store_calls_t *calls,
                                         void *user,
                                         adtape_store_t **out);

/* ---- checkpoint ------------------------------------------------------------------------------------------ */

// Begins a checkpoint, which becomes visible in the store under `name`, in place of an older one, when
// adtape_checkpoint_commit completes it. `name` consists of up to 100 letters, digits, '-', '_' and '.'. Ended by
// adtape_checkpoint_commit, or undone by adtape_checkpoint_close. One thread at a time uses it; several threads can
// write checkpoints to one store.
//
// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER,
// ADTAPE_STATUS_BAD_ARGUMENT (name), ADTAPE_STATUS_IO, ADTAPE_STATUS_MEMORY_LIMIT or ADTAPE_STATUS_OUT_OF_MEMORY.
// Fortran: `call checkpoint_create(c, s, name)`.
adtape_status_t adtape_checkpoint_create(const adtape_store_t *s, const char *name, adtape_checkpoint_t **out);

// Writes `count` contiguous values of a type (ADTAPE_TYPE_…, but no control bits and counts) as a section named
// `section`. The name has up to 1000 bytes; sections may share one. Read by adtape_checkpoint_read with the same name,
// type and count. 0 values are legal, also at NULL.
// Cost: that of memcpy into a store in memory.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_COUNT_RANGE or
// ADTAPE_STATUS_BAD_ARGUMENT, which change nothing; ADTAPE_STATUS_IO (a full disk, for instance),
// ADTAPE_STATUS_MEMORY_LIMIT or ADTAPE_STATUS_OUT_OF_MEMORY, after which the checkpoint cannot be completed
// (ADTAPE_STATUS_POISONED) and an older one of its name is as it was.
// Fortran: `call checkpoint_write(c, section, x)`, with `x` a scalar or an array.
adtape_status_t adtape_checkpoint_write(adtape_checkpoint_t *c,
                                        const char *section,
                                        adtape_type_t type_code,
                                        const void *x,
                                        int64_t count);

// Writes a strided section of an array, described as for adtape_push_section: first element, rank up to
// ADTAPE_MAX_RANK, extents in elements and strides in bytes (NULL: one behind the other), the fastest dimension first.
// Nothing is copied before. Its shape is kept and compared when it is read.
//
// `lower` is NULL for a variable that exists when it is read. For something that is allocated when it is read it is
// the lower bound of each dimension; `base` NULL then says that it is not allocated. Before its values are read with
// adtape_checkpoint_read_section, adtape_checkpoint_next says what to allocate.
//
// Returns the statuses of adtape_checkpoint_write.
// Fortran: `call checkpoint_write(c, section, x)`, `call checkpoint_write_allocatable(c, section, x)`.
adtape_status_t adtape_checkpoint_write_section(adtape_checkpoint_t *c,
                                                const char *section,
                                                adtape_type_t type_code,
                                                const void *base,
                                                int32_t rank,
                                                const int64_t *lower,
                                                const int64_t *extents,
                                                const int64_t *strides_bytes);

// Completes a checkpoint and ends it: the handle is gone, whatever is returned. With a store of files the checkpoint
// is on the disk when this returns.
//
// Returns ADTAPE_STATUS_OK; on ADTAPE_STATUS_IO, ADTAPE_STATUS_POISONED (an earlier write failed) or
// ADTAPE_STATUS_MEMORY_LIMIT an older checkpoint of its name is as it was; ADTAPE_STATUS_NULL_HANDLE;
// ADTAPE_STATUS_BAD_ARGUMENT for a checkpoint that is being read.
// Fortran: `call checkpoint_commit(c)`.
adtape_status_t adtape_checkpoint_commit(adtape_checkpoint_t *c);

// Opens a checkpoint for reading. It can be read to its end even if it is removed or replaced meanwhile. Undone by
// adtape_checkpoint_close. One thread at a time uses it.
//
// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER,
// ADTAPE_STATUS_NOT_FOUND, ADTAPE_STATUS_DAMAGED (cut off or changed; the message says where),
// ADTAPE_STATUS_OTHER_VERSION or ADTAPE_STATUS_IO.
// Fortran: `call checkpoint_open(c, s, name)`.
adtape_status_t adtape_checkpoint_open(const adtape_store_t *s, const char *name, adtape_checkpoint_t **out);

// Reads the next section, which must have this name, type and count, into `x`. Undoes adtape_checkpoint_write.
//
// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_MISMATCH (the message says what is there and what is asked for),
// ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_COUNT_RANGE or ADTAPE_STATUS_BAD_ARGUMENT,
// which change nothing; ADTAPE_STATUS_DAMAGED or ADTAPE_STATUS_IO, which leave `x` undefined.
// Fortran: `call checkpoint_read(c, section, x)`.
adtape_status_t adtape_checkpoint_read(adtape_checkpoint_t *c,
                                       const char *section,
                                       adtape_type_t type_code,
                                       void *x,
                                       int64_t count);

// Reads the next section into a strided section of an array. Undoes adtape_checkpoint_write_section. The
// strides may differ from those that it was written with; where both have two dimensions or more, the extents may not.
//
// Returns the statuses of adtape_checkpoint_read.
// Fortran: `call checkpoint_read(c, section, x)`, `call checkpoint_read_allocatable(c, section, x)`.
adtape_status_t adtape_checkpoint_read_section(adtape_checkpoint_t *c,
                                               const char *section,
                                               adtape_type_t type_code,
                                               void *base,
                                               int32_t rank,
                                               const int64_t *extents,
                                               const int64_t *strides_bytes);

// Passes over `skip` sections, and describes the one that is next then, without reading its values and without passing
// over it; behind the last one, `out->name` is NULL. `out` may be NULL: not wanted.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_COUNT_RANGE (a negative number),
// ADTAPE_STATUS_DAMAGED, ADTAPE_STATUS_IO, or ADTAPE_STATUS_BAD_ARGUMENT for a checkpoint that is being written.
// Fortran: `call checkpoint_next(c, section, skip)`, `skip` optional.
adtape_status_t adtape_checkpoint_next(adtape_checkpoint_t *c,
                                       int64_t skip,
                                       adtape_section_t *out);

// Goes to a section by its name, so that it is the next one: the first that has it from here on, else the first at
// all. Cost: proportional to the number of sections in between.
//
// Returns the statuses of adtape_checkpoint_next, or ADTAPE_STATUS_NOT_FOUND, which changes nothing.
// Fortran: `call checkpoint_find(c, section)`.
adtape_status_t adtape_checkpoint_find(adtape_checkpoint_t *c, const char *section);

// Ends the reading of a checkpoint, or abandons one that is being written: an older one of its name is then as it was.
// NULL is allowed and does nothing.
//
// Returns ADTAPE_STATUS_OK.
// Fortran: `call checkpoint_close(c)`.
adtape_status_t adtape_checkpoint_close(adtape_checkpoint_t *c);

/* ---- restoration ----------------------------------------------------------------------------------------- */

// Says where pointers are in the objects that are registered with this label: in every record of `record_bytes` bytes,
// `count` of them at these offsets. adtape_live_save saves them as pointers; all else is saved as bytes. A later call
// for the label replaces what the earlier one said; a count of 0 says that there are none.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_COUNT_RANGE, or
// ADTAPE_STATUS_BAD_ARGUMENT (pointers overlap or leave the record). Any thread.
// Fortran: `call live_set_pointers(label, record_bytes, offsets)`.
adtape_status_t adtape_live_set_pointers(const adtape_objects_t *o,
                                         const char *label,
                                         int64_t record_bytes,
                                         const int64_t *offsets,
                                         int64_t count);

// Says how objects with this label are allocated and deallocated by adtape_live_restore, which otherwise takes malloc
// and free for those of kind HEAP and an error for those of kind ALLOCATABLE. Both calls get `user`; they register
// nothing. Both NULL: as if never said.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or ADTAPE_STATUS_NULL_POINTER. Any thread.
// Fortran: `call live_set_allocator(label, allocate, deallocate, user)`, `user` optional, with `bind(c)` procedures.
adtape_status_t adtape_live_set_allocator(const adtape_objects_t *o,
                                          const char *label,
                                          adtape_allocate_t allocate,
                                          adtape_deallocate_t deallocate,
                                          void *user);

// The object that begins at `base` is an array with these bounds: lower bound and number of elements of each of `rank`
// dimensions, the fastest first. Checkpoints keep them, and hand them to an allocator (adtape_live_set_allocator).
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_COUNT_RANGE,
// ADTAPE_STATUS_BAD_ARGUMENT (a rank above 16, a negative extent), ADTAPE_STATUS_NO_RANGE or ADTAPE_STATUS_AMBIGUOUS.
// Fortran: `call live_set_bounds(base, lower, extents)`; live_add_allocatable does it by itself.
adtape_status_t adtape_live_set_bounds(const adtape_objects_t *o,
                                       const void *base,
                                       int32_t rank,
                                       const int64_t *lower,
                                       const int64_t *extents);

// Writes everything that is alive into a checkpoint, as sections of their own: which ranges there are (M of the
// paper), the pointers in them (adtape_live_set_pointers), their contents, and stable heaps (adtape_heap_join).
// Ranges of kind FOREIGN are known to the checkpoint and not saved. Undone by adtape_live_restore. Pointers that point
// nowhere are NULL. In check mode, words in the contents that are addresses of heap ranges, and no pointer that a
// layout names, are reported on standard error.
//
// `bases` NULL: the contents of all ranges. Else of those only that begin at one of these `count` addresses: the
// others are restored as memory, and what is in them is the program's task, which writes it by
// adtape_checkpoint_write, say. `counts` may be NULL.
//
// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_NO_RANGE (a pointer to nowhere; the message names it), ADTAPE_STATUS_UNEVEN
// (an object is no whole number of records), ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_COUNT_RANGE,
// ADTAPE_STATUS_BAD_ARGUMENT (the checkpoint is being read), ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED (a
// heap), which change nothing; those of adtape_checkpoint_write, after which the checkpoint cannot be completed.
// Cost: that of a copy, and a search for each pointer. No other thread changes the maps meanwhile.
// Fortran: `call live_save(c, bases, counts)`, an array of type(c_ptr), and `counts`, both optional.
// Source: section 5 of the paper.
adtape_status_t adtape_live_save(const adtape_objects_t *o,
                                 adtape_checkpoint_t *c,
                                 const void *const *bases,
                                 int64_t count,
                                 adtape_save_stats_t *counts);

// Brings the state that adtape_live_save wrote back, so that its section of the forward sweep can be run again.
// Objects that are alive in both stay where they are. Missing ones are allocated: by malloc, by their stable heap, by
// the allocator of their label; those of the stack take the place of a variable of the same label and frame.
// Superfluous ones end, and their memory is deallocated; their adjoints stay, and are theirs again when the section
// that is run again makes them. Then contents are read, then pointers are set. The next objects that are born get the
// serials that they got the first time.
//
// out: what adtape_live_arrive needs, which ends it, or adtape_live_forget_adjoints if the sweep is given up; NULL:
// not wanted. counts: may be NULL.
// Returns ADTAPE_STATUS_OK. Errors change nothing: ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_BAD_ARGUMENT (no allocator
// for an allocatable; the checkpoint is being written), ADTAPE_STATUS_NOT_FOUND (no such sections),
// ADTAPE_STATUS_DAMAGED, ADTAPE_STATUS_IO, ADTAPE_STATUS_OUT_OF_MEMORY, ADTAPE_STATUS_NO_RANGE (a pointer to a
// variable of the stack that is not there; static memory that another run has not registered), ADTAPE_STATUS_OVERLAP
// (an adjoint in memory that would be overwritten), ADTAPE_STATUS_HEAP_STATE (a stable heap that is not there); the
// message says so in three exceptions: allocatables that were deallocated before an allocator failed; a stable heap
// that was restored before another one had no memory; a store that could not read what it had read just before.
// Cost: that of a copy, and a search for each range and pointer. No other thread changes the maps meanwhile.
// Fortran: `call live_restore(c, r, counts)`, `r` and `counts` optional. Source: Alg. 4.
adtape_status_t adtape_live_restore(const adtape_objects_t *o,
                                    adtape_checkpoint_t *c,
                                    adtape_restoration_t **out,
                                    adtape_restore_stats_t *counts);

// The reverse sweep is back where the checkpoint of this restoration was written. What lies below on the tape was
// recorded when objects lay where they lay then, so that addresses of that forward sweep (adtape_rebase_pointer) are
// from now on those of the checkpoint. Pointers that adtape_push_pointer pushed do not need it. Ends `r`: the handle
// is gone.
//
// Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_HANDLE. Cost: proportional to the objects that lie elsewhere.
// Fortran: `call live_arrive(r)`. Source: M′ of Alg. 4, composed with M̄.
adtape_status_t adtape_live_arrive(const adtape_objects_t *o, adtape_restoration_t *r);

// The reverse sweep is given up: adjoints that wait for objects of a section that is run again are forgotten, so that
// adtape_live_begin_reverse does not ask for them. `*count` is how many did; NULL: not wanted. `r` is a restoration
// that nobody will arrive at (adtape_live_arrive), which is released; NULL for none.
//
// Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_HANDLE. Fortran: `call live_forget_adjoints(r, count)`, both
// optional.
adtape_status_t adtape_live_forget_adjoints(const adtape_objects_t *o, adtape_restoration_t *r, int64_t *count);

// Writes a pointer variable as a section: the object that it points into, and an offset. It is NULL, or in a range
// that is alive. Undone by adtape_checkpoint_read_pointer.
//
// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_NO_RANGE, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER or
// ADTAPE_STATUS_BAD_ARGUMENT, which change nothing; those of adtape_checkpoint_write.
// Fortran: `call checkpoint_write_pointer(c, section, p)`, a type(c_ptr). Source: section 5 of the paper.
adtape_status_t adtape_checkpoint_write_pointer(adtape_checkpoint_t *c,
                                                const adtape_objects_t *o,
                                                const char *section,
                                                const void *p);

// Reads the next section, a pointer of this name: sets `*p` to where it points now and `*p_adjoint` to the same place
// in the adjoint, NULL if there is none. `p_adjoint` may be NULL. The object that it points into is alive: restored,
// or it never went.
//
// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_MISMATCH, ADTAPE_STATUS_NO_RANGE (the object is not alive),
// ADTAPE_STATUS_UNEVEN, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER or ADTAPE_STATUS_BAD_ARGUMENT, which
// change nothing; ADTAPE_STATUS_DAMAGED or ADTAPE_STATUS_IO.
// Fortran: `call checkpoint_read_pointer(c, section, p, p_adjoint)`, the last optional.
adtape_status_t adtape_checkpoint_read_pointer(adtape_checkpoint_t *c,
                                               const adtape_objects_t *o,
                                               const char *section,
                                               void **p,
                                               void **p_adjoint);

#ifdef __cplusplus
}
#endif

#endif
