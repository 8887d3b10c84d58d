/* adtape/declarations.h: types and library calls. Generated from src/ffi; do not edit.
 * Included by adtape.h; not to be included alone. */
#ifndef ADTAPE_DECLARATIONS_H
#define ADTAPE_DECLARATIONS_H

#ifdef __cplusplus
extern "C" {
#endif

// The cold state of a tape.
typedef struct adtape_core adtape_core_t;

// A stable heap, of which a program sees where adjoints are. Not to be copied.
typedef struct adtape_heap {
    // Adjoint = address + delta, where there is one adjoint byte for each primal byte.
    intptr_t delta;
    // In general, adjoint = factor * address + origin.
    uintptr_t factor;
    uintptr_t origin;
} adtape_heap_t;

// A program's own reaction to an error that a push or pop cannot return; NULL for the default. The status is one
// of ADTAPE_STATUS_…, the message valid during the call, user what was given with the handler.
typedef void (*adtape_error_handler_t)(int32_t status, const char *message, void *user);

// The most dimensions of a section: as many as Fortran has.
#define ADTAPE_MAX_RANK 15

// What adtape_trim does: the kernel may take the pages when it is short of memory; they stay committed.
#define ADTAPE_TRIM_SOFT 0

// What adtape_trim does: the pages are given back now.
#define ADTAPE_TRIM_HARD 1

// For adtape_store_create_files: compress, without loss.
#define ADTAPE_STORE_COMPRESS 1

// For adtape_store_create_files: do not wait until the disk has the files; a crash of the machine may lose them.
#define ADTAPE_STORE_NO_SYNC 2

// For adtape_store_create_files: one file for all checkpoints of the run and rank.
#define ADTAPE_STORE_ONE_FILE 4

// For adtape_store_create_files: others may read the files, as far as the process's mask (umask) allows.
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

// For adtape_schedule_create: revolve, the least number of extra steps that there can be, and among those schedules the
// fewest saves. Snapshots that are used least lie on disk, if there are any (multi-stage).
#define ADTAPE_SCHEDULE_BINOMIAL 1

// For adtape_schedule_create: snapshots in memory cost nothing, and on disk there are as many as pay off. Optimal up to
// 4096 steps, and beyond that asymptotically. It takes up to a second to make.
#define ADTAPE_SCHEDULE_DISK_REVOLVE 2

// For adtape_schedule_create: a snapshot on disk every period, and between two of them a binomial schedule with the
// snapshots in memory besides the one on disk.
#define ADTAPE_SCHEDULE_TWO_LEVEL 3

// For adtape_schedule_create: for a loop whose length is not known. Up to (s + 1)(s + 2)/2 steps with s snapshots it
// costs as little as if the length had been known, and hardly more beyond.
#define ADTAPE_SCHEDULE_ONLINE 4

// For adtape_schedule_create: units in memory, each for a state or for the tape of one step, whichever saves more. It
// says ADTAPE_ACTION_RECORD and ADTAPE_ACTION_REVERSE; records lie on the tape last in, first out.
#define ADTAPE_SCHEDULE_MIXED 5

// For adtape_schedule_create: every step is recorded and its tape kept, so that there are no extra steps.
#define ADTAPE_SCHEDULE_STORE_ALL 6

// What a step returns: the loop goes on.
#define ADTAPE_FLOW_CONTINUE 0

// What a step returns: it was the loop's last.
#define ADTAPE_FLOW_ENDED 1

// What a call of the program returns to end the run with an error.
#define ADTAPE_FLOW_STOP 2

// What a registered variable is: state, which steps read and change. It is saved in snapshots.
#define ADTAPE_ROLE_STATE 0

// What a registered variable is: an adjoint or another result of adjoint steps. It is kept for a run that is resumed.
#define ADTAPE_ROLE_ADJOINT 1

// For adtape_heap_join: all blocks of the heap are one range.
#define ADTAPE_JOIN_RANGE 1

// For adtape_heap_join: the heap is part of what adtape_live_save saves.
#define ADTAPE_JOIN_STATE 2

// The kind of an error.
enum {
    // No error.
    ADTAPE_STATUS_OK = 0,
    // A handle is NULL.
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
    // There is no checkpoint, or no section of a checkpoint, of this name.
    ADTAPE_STATUS_NOT_FOUND = 19,
    // A checkpoint or spilled tape is not as it was written: cut off, changed, renamed, or none at all.
    ADTAPE_STATUS_DAMAGED = 20,
    // A checkpoint was written in another version of the format.
    ADTAPE_STATUS_OTHER_VERSION = 21,
    // A range overlaps one that is alive, or comes back while it is alive.
    ADTAPE_STATUS_OVERLAP = 22,
    // An address is in no range that is alive, or no range begins there.
    ADTAPE_STATUS_NO_RANGE = 23,
    // Several ranges begin at an address, empty ones among them.
    ADTAPE_STATUS_AMBIGUOUS = 24,
    // An offset does not come out whole when it is scaled to an adjoint of another size.
    ADTAPE_STATUS_UNEVEN = 25,
    // A function of the program asked to end what it was called from.
    ADTAPE_STATUS_STOPPED = 26,
    // A pointer that is freed is no block of the heap, was freed already, or points into the middle of one.
    ADTAPE_STATUS_BAD_BLOCK = 27,
    // The heap is not in the state of the forward sweep.
    ADTAPE_STATUS_HEAP_STATE = 28,
    // A block has no adjoint: the reversal point was not declared.
    ADTAPE_STATUS_NO_ADJOINT = 29,
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

// The kind of an [`Action`], for C.
enum {
    // Every step is reversed.
    ADTAPE_ACTION_DONE = 0,
    // Run steps, recording nothing.
    ADTAPE_ACTION_ADVANCE = 1,
    // Store the present state.
    ADTAPE_ACTION_SAVE = 2,
    // Bring a state back.
    ADTAPE_ACTION_LOAD = 3,
    // Forget a state.
    ADTAPE_ACTION_DROP = 4,
    // Run a step with recording, then its adjoint.
    ADTAPE_ACTION_TURN = 5,
    // Run a step with recording and keep its tape.
    ADTAPE_ACTION_RECORD = 6,
    // Run the adjoint of a step from its tape.
    ADTAPE_ACTION_REVERSE = 7,
};
typedef int32_t adtape_action_t;

// Where a snapshot is stored.
enum {
    // In memory.
    ADTAPE_LEVEL_MEMORY = 0,
    // On disk.
    ADTAPE_LEVEL_DISK = 1,
};
typedef int32_t adtape_level_t;

// A checkpoint that is being written or read.
typedef struct adtape_checkpoint_t adtape_checkpoint_t;

// A driver. Runs of one driver do not nest, because they would share its snapshots; runs of two do.
typedef struct adtape_driver_t adtape_driver_t;

// M′ of Alg. 4: which objects of a checkpoint lie elsewhere since it was restored.
typedef struct adtape_restoration_t adtape_restoration_t;

// A schedule: an iterator over [`Action`]s that ends when every step is reversed.
//
// ```
// use adtape::{Action, Schedule};
//
// # fn main() -> Result<(), adtape::Error> {
// let (mut schedule, mut turned) = (Schedule::binomial(1000, 10)?, Vec::new());
// assert_eq!(schedule.predict()?.extra_steps, 3636);
// while let Some(action) = schedule.next() {
//     match action {
//         Action::Advance { from, to } => { /* run the steps from..to */ }
//         Action::Save { place, .. } => { /* store the state */ }
//         Action::Load { place, .. } => { /* bring it back */ }
//         Action::Drop { .. } => {}
//         Action::Turn { step, first } => turned.push(step), // its forward and its reverse sweep
//         Action::Record { .. } | Action::Reverse { .. } => unreachable!("of mixed schedules"),
//     }
// }
// assert!(turned.iter().rev().copied().eq(0..1000));
// # Ok(())
// # }
// ```
typedef struct adtape_schedule_t adtape_schedule_t;

// What the tapes of a process share.
typedef struct adtape_objects_t adtape_objects_t;

// A store.
typedef struct adtape_store_t adtape_store_t;

// Memory of all tapes of a process, in bytes.
typedef struct {
    // The most that may be committed.
    int64_t limit_bytes;
    // Readable and writable now.
    int64_t committed_bytes;
    // The most that was committed at once.
    int64_t peak_committed_bytes;
    // Address space.
    int64_t reserved_bytes;
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
    int64_t offset_bytes;
    // The bit accumulator.
    uint64_t bits;
    // In check mode, the serial of the last push; else 0.
    uint64_t check;
} adtape_mark_t;

// Sizes of a tape, in bytes where not said otherwise.
typedef struct {
    // On the tape now; control bits that do not yet fill a word not included.
    int64_t bytes;
    // The most that was in use at once, repeat regions included. Never less than the truth, and at most 4096
    // bytes or 1/64 more, whichever is larger. Exact in profile mode and in check mode.
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

// A range of addresses and whose it is.
typedef struct {
    // The birth number of the object, which it keeps when its address changes.
    int64_t serial;
    // Where it lies; from the tape: where it lay in the forward sweep.
    void *base;
    // Its size.
    int64_t bytes;
    // Where its adjoint lies; NULL if it has none, and from the tape.
    void *adjoint_base;
    // The size of the adjoint.
    int64_t adjoint_bytes;
    // "" if it has none. Valid as long as the objects.
    const char *label;
    // One of ADTAPE_KIND_….
    int32_t kind;
    // The library's number for the label.
    int32_t label_number;
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
    // Pointers pushed that were both the end of a range and the base of another, which was taken.
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

// What a schedule is made of, for adtape_schedule_create. Fields that its kind does not use are 0.
typedef struct {
    // One of ADTAPE_SCHEDULE_….
    int32_t kind;
    // Steps of the loop; 0 for a loop whose length is not known (ONLINE, TWO_LEVEL).
    int64_t steps;
    // Snapshots in memory at most, that of the first state among them. MIXED: units, each for a state or for the tape
    // of a step.
    int64_t memory_snapshots;
    // BINOMIAL: snapshots on disk, besides those in memory.
    int64_t disk_snapshots;
    // TWO_LEVEL: steps between two snapshots on disk.
    int64_t period;
    // DISK_REVOLVE: what a save to disk costs, in forward steps.
    double save_cost;
    // DISK_REVOLVE: what a load from disk costs, in forward steps.
    double load_cost;
} adtape_schedule_options_t;

// What a schedule says to do next. Fields that an action does not have are 0.
typedef struct {
    // One of ADTAPE_ACTION_….
    int32_t action;
    // One of ADTAPE_LEVEL_…, of SAVE, LOAD, DROP, RECORD and REVERSE.
    int32_t level;
    // The step, or the step whose state is meant, from 0.
    int64_t step;
    // Of ADVANCE: the step after the last.
    int64_t to;
    // Which snapshot of that level, from 0.
    int64_t slot;
    // Of TURN and REVERSE: whether it is the first step of all that is reversed, the loop's last.
    bool first;
} adtape_instruction_t;

// What a whole schedule costs. A count that is too large, or would take too long to find, is
// `u64::MAX`, in C and Fortran -1.
typedef struct {
    // Steps of the loop, each of which is turned once.
    int64_t steps;
    // Forward steps besides those that the turns run themselves.
    int64_t extra_steps;
    // Snapshots written to memory.
    int64_t memory_saves;
    // Snapshots read from memory.
    int64_t memory_loads;
    // Snapshots written to disk.
    int64_t disk_saves;
    // Snapshots read from disk.
    int64_t disk_loads;
} adtape_prediction_t;

// A step of the program's loop. Returns ADTAPE_FLOW_CONTINUE, ADTAPE_FLOW_ENDED if it was the last, or
// ADTAPE_FLOW_STOP to end the run with an error.
typedef int32_t (*adtape_step_t)(int64_t step, void *user);

// The adjoint of a step; `first` is true for the first of all, the loop's last step. Returns
// ADTAPE_FLOW_CONTINUE, or ADTAPE_FLOW_STOP to end the run with an error.
typedef int32_t (*adtape_adjoint_step_t)(int64_t step, bool first, void *user);

// Saves or loads state `step` in `slot` of `level`, one of ADTAPE_LEVEL_…. Returns ADTAPE_FLOW_CONTINUE, or
// ADTAPE_FLOW_STOP to end the run with an error.
typedef int32_t (*adtape_snapshot_t)(int64_t step, int32_t level, int64_t slot, void *user);

// How much of a run is done.
typedef struct {
    // Steps of the loop; 0 while that is not known.
    int64_t steps;
    // Steps that were run forward, again and again.
    int64_t forward_steps;
    // Steps that will be run forward in all; 0 if that is not known.
    int64_t forward_steps_total;
    // Steps whose adjoint is done.
    int64_t reversed_steps;
    // Forward steps that were done before the process was killed that left the run; 0 of a run that was not resumed.
    int64_t resumed_steps;
    // Steps that check mode ran once more in this process, to compare the states; not among the forward steps.
    int64_t compared_steps;
    // Memory that the snapshots of registered state take, in bytes: the most of the driver's runs so far, as buffers are
    // kept for the next one. Said when a run has ended; 0 before. What lies in a store does not count.
    int64_t snapshot_bytes;
} adtape_progress_t;

// Gets how far a run is; `progress` is valid during the call.
typedef void (*adtape_progress_call_t)(const adtape_progress_t *progress, void *user);

// The program's functions for a driver; NULL for those that its schedules do not need.
typedef struct {
    // Runs a step and records nothing. Steps count from 0.
    adtape_step_t step;
    // Runs a step with recording and then its adjoint, both sweeps.
    adtape_adjoint_step_t adjoint_step;
    // MIXED and STORE_ALL: runs a step with recording and leaves the record on the tape.
    adtape_step_t record_step;
    // MIXED and STORE_ALL: runs the adjoint of the step that was recorded last.
    adtape_adjoint_step_t reverse_step;
    // Stores the present state. Both NULL, of this and the next: adtape stores what is registered.
    adtape_snapshot_t save;
    // Brings a stored state back.
    adtape_snapshot_t load;
    // Called after each step and action with how much is done.
    adtape_progress_call_t progress;
    // Whether a run shows a line on standard error that says how far it is and how long it will take, where standard
    // error is a terminal.
    bool show_progress;
} adtape_driver_calls_t;

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

/* ---- entry ----------------------------------------------------------------------------------------------- */

// What a module's pointer to the thread's tape points to at first.
extern const adtape_t adtape_abi0_closed;

/* ---- error ----------------------------------------------------------------------------------------------- */

// The message of this thread's last error, in one or more lines without a final line feed; "" if there was none. A
// success does not clear it. Never NULL. Valid until the thread's next error.
//
// Fortran: `text = adtape_error_message()`, a `character(:), allocatable`.
const char *adtape_error_message(void);

// The name of a status, e.g. "ADTAPE_STATUS_UNDERFLOW"; "unknown status" for other values. Never NULL, valid for
// ever.
//
// Fortran: `text = adtape_status_name(status)`.
const char *adtape_status_name(int32_t status);

/* ---- process --------------------------------------------------------------------------------------------- */

// Sets the most memory, in bytes, that all tapes of the process may have committed together. 0 stands for
// ADTAPE_MEMORY_LIMIT or, where that is not set, physical memory or the control group's limit, the smaller one.
// A push that would exceed it is an error (ADTAPE_STATUS_MEMORY_LIMIT); a limit below what is committed now stops
// all growth and takes nothing away.
//
// Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_COUNT_RANGE (a negative limit). Any thread.
// Fortran: `call process_set_memory_limit(limit_bytes)`, an `integer(c_int64_t)`.
adtape_status_t adtape_process_set_memory_limit(int64_t limit_bytes);

// Sets the directory that tapes spill to, a path: when a push, or a block of a stable heap, would exceed the memory
// limit, the oldest part of the tape with the largest idle part, on whichever thread, goes to a file there, which
// has no name, vanishes with the process, and is no child's of it (fork). It is read back by the pops that reach
// it; what is popped in a repeat region stays in memory until the region ends, and has to fit under the limit. NULL
// stands for ADTAPE_SPILL_DIRECTORY or, where that is not set, for none. Tapes that have spilled already stay where
// they are. Set the memory limit, too: by default it is all that the machine has.
//
// Later, a push for which the disk has no space is an error (ADTAPE_STATUS_IO) that leaves the tape unchanged; a pop
// for which the file cannot be read (ADTAPE_STATUS_IO) or does not hold what was written (ADTAPE_STATUS_DAMAGED)
// leaves the tape unusable. A child of fork that needs the file gets ADTAPE_STATUS_IO.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, or ADTAPE_STATUS_IO if there can be no file in it. Any thread.
// Fortran: `call process_set_spill_directory(directory)`; the argument is optional.
adtape_status_t adtape_process_set_spill_directory(const char *directory);

// What all tapes of the process have, in bytes.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or ADTAPE_STATUS_NULL_POINTER. Any thread.
// Fortran: `call process_memory(memory)`.
adtape_status_t adtape_process_memory(adtape_memory_t *out);

// Installs a handler for the errors of calls that return no status: pushes and pops. It is called on the thread
// that failed with the status, the message (valid during the call) and `user`, and must not return: it may
// end the process or the thread. If it does return, the process aborts. NULL restores the default, which
// prints the message to standard error and aborts.
//
// Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_HANDLE. Any thread.
// Fortran: `call process_set_error_handler(handler, user)` with a `bind(c)` procedure of the abstract interface
// `adtape_error_handler`, and a `type(c_ptr)`; both are optional.
adtape_status_t adtape_process_set_error_handler(adtape_error_handler_t handler, void *user);

/* ---- tape ------------------------------------------------------------------------------------------------ */

// Makes an empty tape that the calling thread owns, beside the thread's own. Takes no memory before the first
// push. Undone by adtape_destroy.
//
// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER or ADTAPE_STATUS_BAD_ENVIRONMENT.
// Fortran: `call adtape_create(t)`.
adtape_status_t adtape_create(adtape_t **out);

// Releases a tape, with whatever is on it. NULL is allowed and does nothing; in Fortran `t` is the NULL handle
// afterwards. The thread's own tape is emptied and gives its memory back; its next use makes a new one. Any thread may
// free a tape that was released (adtape_release), or whose thread has ended.
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

// Pushes the `bits` (1 to 64) low bits of a branch id. Undone by adtape_call_pop_control with the same width.
//
// Errors go to the error handler and leave the tape unchanged: NULL_HANDLE, BAD_ARGUMENT (bits; in check mode
// also a value that they do not hold), MEMORY_LIMIT, OUT_OF_MEMORY, or of ownership.
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
// Errors go to the error handler and leave the tape unchanged: NULL_HANDLE, MEMORY_LIMIT, OUT_OF_MEMORY, or of
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

// Compares two marks of a tape: `*order` is -1 if `a` is lower than `b`, 0 if they are the same position, 1 if it is
// higher; `*bytes` is what was pushed from `a` to `b`, negative if `b` is lower. Either result may be NULL: not wanted.
// Control bits decide the order one by one, and count as bytes when their word of 62 is full. Any thread may call it.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER, or ADTAPE_STATUS_MARK_FOREIGN for marks of two tapes.
// Fortran: `call mark_compare(a, b, order, bytes)`, `bytes` optional.
adtape_status_t adtape_mark_compare(const adtape_mark_t *a,
                                    const adtape_mark_t *b,
                                    int32_t *order,
                                    int64_t *bytes);

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

/* ---- store ----------------------------------------------------------------------------------------------- */

// Makes a store in memory. `limit_bytes` is the most that its buffers have together, 0 for no limit. Checkpoints beyond
// it go to `below`, whole, any store, which may be destroyed at once: the new store keeps what it needs of it. NULL for
// none: a checkpoint beyond the limit is an error. Buffers of removed and replaced checkpoints are used again. Undone by
// adtape_store_destroy.
//
// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER or ADTAPE_STATUS_COUNT_RANGE (a negative
// limit). Any thread.
// Fortran: `call store_create_memory(s, limit_bytes, below)`, `below` optional.
adtape_status_t adtape_store_create_memory(int64_t limit_bytes,
                                           const adtape_store_t *below,
                                           adtape_store_t **out);

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
// A run and rank has one store at a time, in all processes; the system drops the lock of a process that ends, in
// whatever way. A child by fork cannot write to its parent's store.
//
// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_BAD_ARGUMENT,
// ADTAPE_STATUS_IO (also if another store has the run and rank: the message names its process and host) or, of one file
// for all, ADTAPE_STATUS_DAMAGED and ADTAPE_STATUS_OTHER_VERSION. Any thread.
// Fortran: `call store_create_files(s, directory, run, rank, flags)`; all but the first two are optional.
adtape_status_t adtape_store_create_files(const char *directory,
                                          const char *run,
                                          int32_t rank,
                                          int32_t flags,
                                          adtape_store_t **out);

// Makes a store of calls that the program supplies: all those of `calls`, which is copied, with `user` handed to each.
// The calls and what `user` points to must live as long as the store. Undone by adtape_store_destroy.
//
// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK or, if a pointer or a call is NULL,
// ADTAPE_STATUS_NULL_POINTER. Any thread.
// Fortran: not offered; a few lines of C can hand the store over.
adtape_status_t adtape_store_create_user(const adtape_store_calls_t *calls,
                                         void *user,
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

// Removes a checkpoint from a store.
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
// `section`. Read by adtape_checkpoint_read with the same name, type and count. 0 values are legal, also at NULL.
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
// Its shape is kept and compared when it is read.
//
// `lower` is NULL for a variable that exists when it is read. For something that is allocated when it is read it is the
// lower bound of each dimension; `base` NULL then says that it is not allocated. Before its values are read with
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
// strides may differ from those that it was written with.
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

// The range that begins at `base` ends in the forward sweep, and nothing will bring it back; adtape_live_end is for one
// that comes back. Where it lay is remembered for pointers that still point there and are pushed later, until
// another range has ended there, and for as many ranges as were alive at once. Pointer variables in it wait no more.
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
// Errors: as adtape_live_remove, and those of a push; they change nothing. One thread uses `t` at a time; `o` is for all.
// Fortran: `call live_end(base)`, `call live_end(t, base)`. Source: Alg. 2, lines 4 and 13.
void adtape_live_end(adtape_t *t,
                     const adtape_objects_t *o,
                     const void *base);

// What lives at `base` has its adjoint of `adjoint_bytes` bytes at `adjoint_base`, from now on: for objects whose
// adjoint exists while they live. One that comes back gets its adjoint by adtape_rebase_add. The sizes may differ (a
// float with a double for its adjoint); offsets are then scaled. NULL takes the adjoint away.
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

// Counts of the maps: ranges, bytes, births, waiting and ambiguous pointers.
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
// of a frame that is entered again, and tells by adtape_rebase_add where it lies. Undoes adtape_live_end.
//
// Errors go to the error handler and leave the tape as it was: NULL_HANDLE, NULL_POINTER, UNDERFLOW, CORRUPT (no
// range lies there), MISMATCH in check mode.
// Fortran: `call pop_range(range)`, `call pop_range(t, range)`. Source: Alg. 2, lines 6 and 14.
void adtape_pop_range(adtape_t *t, const adtape_objects_t *o, adtape_range_t *range);

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
// is back yet, the variables are NULL and wait, as those of adtape_pop_pointer do. NULL stays NULL.
//
// Errors go to the error handler and change nothing: NULL_HANDLE, UNEVEN.
// Cost: two searches by address. Any thread. Fortran: `call rebase_pointer(address, p, p_adjoint)`.
void adtape_rebase_pointer(const adtape_objects_t *o,
                           const void *address,
                           void **p,
                           void **p_adjoint);

/* ---- pointer --------------------------------------------------------------------------------------------- */

// Pushes a pointer that is about to be overwritten, as the object that it points into and an offset: 8 bytes for
// offsets below 512 MiB, else 24; 8 for NULL. A pointer to where two ranges touch points to the one whose base it is;
// that is counted, and code that needs it otherwise uses pairs. A pointer to where a range was that ended, and no
// other ended since, is one to that range. Undone by adtape_pop_pointer.
//
// Errors go to the error handler and change nothing: NULL_HANDLE, NO_RANGE (in no range; names the nearest), those
// of a push.
// Cost: one search by address. One thread uses `t` at a time; `s` is for all.
// Fortran: `call push_pointer(p)`, `call push_pointer(t, p)` with a type(c_ptr), or `c_loc` of a Fortran pointer's
// target. Source: Alg. 2, line 18.
void adtape_push_pointer(adtape_t *t, const adtape_objects_t *o, const void *p);

// Pops a pointer: sets `*p` to where it points now and `*p_adjoint` to the same place in the adjoint, NULL if there is
// none. Either address may be NULL: that is not wanted.
//
// If the object is not back yet, both variables become NULL and wait: the call of adtape_rebase_add that brings it
// back sets them. Until then, or until another pop sets them, or until the range that they lie in ends, they must be
// there to be written to. Those that wait are listed by adtape_live_list_waiting.
//
// A pointer into an object that was born where another had died may have been left over from that one. When that one
// comes back, both variables are set anew if they still hold what this call wrote; they need not be there any more.
//
// Errors go to the error handler and leave the tape as it was: NULL_HANDLE, UNDERFLOW, CORRUPT (no pointer lies
// there), UNEVEN, MISMATCH in check mode.
// Cost: one search by number. One thread uses `t` at a time; `s` is for all.
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
// Cost: one search by address. One thread uses `t` at a time; `s` is for all.
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

/* ---- schedule -------------------------------------------------------------------------------------------- */

// Makes a schedule. `options` says which, and for how many steps and snapshots; it is not used later. Undone by
// adtape_schedule_destroy. Memory: 40 bytes a snapshot; any number of steps and snapshots. A schedule for a loop whose
// length is not known needs adtape_schedule_end_at.
//
// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_NULL_POINTER; ADTAPE_STATUS_COUNT_RANGE (a negative
// number); ADTAPE_STATUS_BAD_ARGUMENT (an unknown kind; a field that the kind does not use; more than one step and no
// snapshot; a period of 0; a cost that is negative or not finite; MIXED with steps² · units above 2³², the operations
// that it takes to make). A schedule is used by one thread at a time.
// Fortran: `call schedule_create(schedule, kind, steps, memory_snapshots, disk_snapshots, period, save_cost,
// load_cost)`, of which all but the first two are optional.
// Source: BINOMIAL: A. Griewank, A. Walther, Algorithm 799: revolve, ACM TOMS 26 (2000); with snapshots on disk: P.
// Stumm, A. Walther, MultiStage approaches for optimal offline checkpointing, SIAM J. Sci. Comput. 31 (2009).
// DISK_REVOLVE: G. Aupy, J. Herrmann, P. Hovland, Y. Robert, Optimal multistage algorithm for adjoint computation, SIAM
// J. Sci. Comput. 38 (2016); G. Aupy, J. Herrmann, Periodicity in optimal hierarchical checkpointing schemes, OMS 32
// (2017). TWO_LEVEL: G. Pringle, D. Jones, S. Goswami, S. Narayanan, D. Goldberg, Providing the ARCHER community with
// adjoint modelling tools (2016). ONLINE: P. Stumm, A. Walther, New algorithms for optimal online checkpointing, SIAM J.
// Sci. Comput. 32 (2010); Q. Wang, P. Moin, G. Iaccarino, Minimal repetition dynamic checkpointing algorithm for
// unsteady adjoint calculation, SIAM J. Sci. Comput. 31 (2009). MIXED: J. R. Maddison, On the implementation of
// checkpointing with high-level algorithmic differentiation (2024).
adtape_status_t adtape_schedule_create(const adtape_schedule_options_t *options,
                                       adtape_schedule_t **out);

// Releases a schedule. NULL is allowed and does nothing.
//
// Fortran: `call schedule_destroy(schedule)`.
void adtape_schedule_destroy(adtape_schedule_t *s);

// What to do next; ADTAPE_ACTION_DONE when every step is reversed, again and again. The caller performs it before it
// asks again.
//
// | action | to do |
// |---|---|
// | ADVANCE | run steps `step` to `to` - 1, recording nothing |
// | SAVE | store the present state, state `step`, in `slot` of `level` |
// | LOAD | bring state `step` back from there; it stays stored |
// | DROP | the slot is free: what it holds is not needed any more |
// | TURN | run `step` with recording, then its adjoint |
// | RECORD | run `step` with recording and keep its tape, which takes the slot (mixed) |
// | REVERSE | run the adjoint of `step` from its tape; the slot is free (mixed) |
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or ADTAPE_STATUS_NULL_POINTER. Cost: independent of the number
// of steps. Fortran: `call schedule_next(schedule, instruction)`. Kit: adBinomial_next.
adtape_status_t adtape_schedule_next(adtape_schedule_t *s, adtape_instruction_t *out);

// The loop has ended, or left early, after `step` steps: step `step` - 1 is the first to be reversed. `step` lies
// within the ADVANCE or RECORD that is being performed: from its first step to the one after its last. Loops whose
// length is not known need this call, for others it shortens what is left. Only before the first TURN or REVERSE.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_COUNT_RANGE (a negative number) or
// ADTAPE_STATUS_BAD_ARGUMENT; the schedule is then unchanged.
// Fortran: `call schedule_end_at(schedule, step)`. Kit: adBinomial_resize.
adtape_status_t adtape_schedule_end_at(adtape_schedule_t *s, int64_t step);

// What the schedule costs in all, if the loop runs to its end: extra_steps / steps is how many times the forward
// run is repeated. Asked before the first action of a schedule whose length is known.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, or ADTAPE_STATUS_BAD_ARGUMENT.
// Cost: below a millisecond, except for two snapshots and billions of steps.
// Fortran: `call schedule_predict(schedule, prediction)`.
adtape_status_t adtape_schedule_predict(adtape_schedule_t *s, adtape_prediction_t *out);

/* ---- driver ---------------------------------------------------------------------------------------------- */

// Makes a driver without functions and state. Undone by adtape_driver_destroy. Used by one thread at a time.
//
// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_POINTER.
// Fortran: `call driver_create(driver)`.
adtape_status_t adtape_driver_create(adtape_driver_t **out);

// Releases a driver that is not running, with its snapshots, and with what it left in a store to be resumed if its run
// came to the end. NULL is allowed and does nothing.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_BAD_ARGUMENT if it is running, or ADTAPE_STATUS_IO (what is in the store
// cannot be removed; the driver is released).
// Fortran: `call driver_destroy(driver)`.
adtape_status_t adtape_driver_destroy(adtape_driver_t *d);

// Gives the driver the program's functions, in place of all that it had: the loop and its adjoint, and what else its
// schedules need. `calls` is copied; `user` is handed to every function.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, or ADTAPE_STATUS_BAD_ARGUMENT if the
// driver is running.
// Fortran: `call driver_set_calls(driver, step, adjoint_step, record_step, reverse_step, save_state, load_state,
// progress, show_progress, user)` with `bind(c)` functions; all but the first are optional.
adtape_status_t adtape_driver_set_calls(adtape_driver_t *d,
                                        const adtape_driver_calls_t *calls,
                                        void *user);

// Runs the loop and its adjoint by the schedule, to its end. State 0 is present before. Drivers nest: an adjoint
// step may run another driver. `*done` is what was done, NULL if not wanted; it is as before if the run fails.
//
// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_NULL_HANDLE; ADTAPE_STATUS_NULL_POINTER (a function that the schedule needs
// is missing); ADTAPE_STATUS_STOPPED (a function of the program returned ADTAPE_FLOW_STOP); ADTAPE_STATUS_BAD_ARGUMENT
// (the driver is running; a function returned no flow; the schedule stores on disk and there is no store);
// ADTAPE_STATUS_OUT_OF_MEMORY; what adtape_driver_set_store says; in check mode ADTAPE_STATUS_MISMATCH (a step that is
// run again led to another registered state than before: it reads something that is not registered). After a failure
// the schedule is of no further use.
//
// In check mode (ADTAPE_CHECK=1) the steps from each snapshot that is loaded to the next turn are run once more, and
// registered states are compared wherever they are computed again.
// Cost: that of the program's functions; a save or load of registered state copies it once.
// Fortran: `call driver_run(driver, schedule, done)`, `done` optional.
adtape_status_t adtape_driver_run(adtape_driver_t *d,
                                  adtape_schedule_t *s,
                                  adtape_progress_t *done);

/* ---- variable -------------------------------------------------------------------------------------------- */

// Registers a variable, which adtape saves and loads by itself. All of what a step reads and an earlier step wrote has to
// be registered as state. The memory is the program's and stays where it is until the driver is destroyed; registered
// parts do not overlap.
//
// `role` is ADTAPE_ROLE_STATE, or ADTAPE_ROLE_ADJOINT for what adjoint steps compute and add to: adjoints of the state
// and of parameters. Only a run that can be resumed needs the latter (adtape_driver_set_store). In a store the variable
// is a section of a checkpoint, like those that adtape_checkpoint_write_section writes, and it is read back only into
// the like. `name` is that of the section; it has 1 to 1000 bytes and is that of no other variable of the driver; NULL
// for `state-0`, `state-1`, …, `adjoint-0`, …. `type_code`, `base`, `rank`, `extents` and `strides_bytes` are those of
// adtape_push_section; `strides_bytes` NULL stands for elements one behind the other. Values of a type that adtape does
// not know are bytes (ADTAPE_TYPE_BYTES), along a first dimension.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_COUNT_RANGE, or
// ADTAPE_STATUS_BAD_ARGUMENT (role, name, type or shape make no sense; it overlaps with another part; the driver is
// running). Sections with gaps are not checked for overlaps.
// Fortran: `call driver_register(driver, x, name)`, `call driver_register_adjoint(driver, x, name)`: any variable that
// is a target; `name` is optional.
adtape_status_t adtape_driver_register(adtape_driver_t *d,
                                       int32_t role,
                                       const char *name,
                                       adtape_type_t type_code,
                                       void *base,
                                       int32_t rank,
                                       const int64_t *extents,
                                       const int64_t *strides_bytes);

// Snapshots of registered state that a schedule has on disk go to the store. It may be destroyed before the driver.
// NULL: such schedules are refused.
//
// `name` is NULL: the snapshots have names of their own; any number of drivers can share one store. Runs cannot be
// resumed; `interval_seconds` is then ignored.
//
// With a `name`, runs go on after their process was killed. Every `interval_seconds`, and so seldom that it takes a
// tenth of the time at most, the driver leaves a checkpoint of that name in the store: the registered state and adjoints
// as they are between two steps, the snapshots in memory, and how far the run is. adtape_driver_run, called in a new
// process with a new schedule like the first one and the same initial state, finds it and goes on from there; the
// result is the same, bit for bit, if steps compute the same when they are run again. Snapshots that the schedule has
// on disk are called `name-step-K`.
//
// `name` has letters, digits, '-', '_' and '.', 74 at most, and is used by no other run in the store. With an interval
// of 0 there is a checkpoint after every step. Only a store of files, with the name of a run, outlives a process. After
// a run that came to its end the checkpoint stays until the driver is destroyed, so that a process killed before it has
// used the result does not compute it again. Several processes that exchange data within a step would not go on from
// the same step: they cannot be resumed in this way.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, or ADTAPE_STATUS_BAD_ARGUMENT (the driver is running; a name or
// an interval that makes no sense).
// With a name adtape_driver_run returns besides: ADTAPE_STATUS_MISMATCH (the checkpoint is of a run with another
// schedule, another initial state or other variables: what differs is said), ADTAPE_STATUS_DAMAGED,
// ADTAPE_STATUS_OTHER_VERSION, ADTAPE_STATUS_NOT_FOUND (a snapshot on disk is gone), ADTAPE_STATUS_IO;
// ADTAPE_STATUS_BAD_ARGUMENT if functions of the program save and load. Nothing was computed then, and
// adtape_store_remove of the checkpoint lets the run begin anew.
// Cost: of each checkpoint one write of all registered variables and all snapshots in memory; to go on, one read and
// the schedule's actions up to there, some ns each. While one is written there are two in the store.
// Fortran: `call driver_set_store(driver, store, name, interval_seconds)`, the last two optional.
adtape_status_t adtape_driver_set_store(adtape_driver_t *d,
                                        const adtape_store_t *store,
                                        const char *name,
                                        double interval_seconds);

// Makes the best schedule in memory for the registered state and `budget_bytes`: binomial for `steps` steps, or, if
// `steps` is 0, online for a loop whose length is not known. Undone by adtape_schedule_destroy.
//
// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER,
// ADTAPE_STATUS_COUNT_RANGE, or ADTAPE_STATUS_BAD_ARGUMENT (nothing is registered, or it does not fit into the budget).
// Fortran: `call driver_create_schedule(driver, steps, budget_bytes, schedule)`.
adtape_status_t adtape_driver_create_schedule(adtape_driver_t *d,
                                              int64_t steps,
                                              int64_t budget_bytes,
                                              adtape_schedule_t **out);

/* ---- heap ------------------------------------------------------------------------------------------------ */

// Makes an empty heap that the calling thread owns. Reserves address space, which takes no memory. Undone by
// adtape_heap_destroy.
//
// adjoint_factor: adjoint bytes for each primal byte; 1 for equal sizes, 2 for float with adjoints in double, the
// number of directions in vector mode, 0 for no adjoints. At most 1024. reserve_bytes: address space for blocks up to
// 8 KiB, and as much for larger ones; 0 for as much as the machine has memory, at least 32 GiB where that can be had.
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
// that was released, or whose thread has ended.
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
// Fortran: `call heap_set_recording(h, on)`.
adtape_status_t adtape_heap_set_recording(adtape_heap_t *h, bool on);

// The reversal point: the forward sweep, or the section of it that was run again, ends here and its reverse sweep
// begins. Each block that has no adjoint yet gets one, of zero. Cost: the first time proportional to what is alive;
// after a section that was run again, none if the same blocks are alive as before.
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
// is the same without the check, in one addition.
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
// adtape_pop_pointer returns the same address and its adjoint. Pointer variables may lie in blocks too: what waits in a
// block waits no more when the block goes, and moves along where its contents move. `label` names the heap in messages;
// it is copied; NULL for none. A pointer into a block that is gone still counts as a pointer into the heap. To detect
// it, register each block (adtape_live_add after its allocation, adtape_live_end before its release) and not the heap.
//
// ADTAPE_JOIN_STATE: the heap is part of the state that adtape_live_save saves; its blocks come back at their addresses.
//
// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_OVERLAP (a block is registered), ADTAPE_STATUS_BAD_ARGUMENT (`how`; it has
// joined already), ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED; nothing has changed
// then.
// Cost: one insertion; after it, one comparison for each free, realloc and undo while nothing waits.
// Fortran: `call heap_join(h, how, label)`, label optional.
adtape_status_t adtape_heap_join(adtape_heap_t *h,
                                 const adtape_objects_t *o,
                                 int32_t how,
                                 const char *label);

// The heap leaves the objects that it joined: pointers into it are in no range any more, and checkpoints go without it.
// Done after the reverse sweep; adtape_heap_destroy does it too. A heap that has not joined is left alone.
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

// The same in place of calloc(count, bytes): `count` times `bytes` bytes of zero. Undone by adtape_heap_undo_alloc.
// Errors: as there. Fortran: `p = heap_calloc(h, t, count, bytes)`.
void *adtape_heap_calloc(adtape_heap_t *h, adtape_t *t, int64_t count, int64_t bytes);

// The same in place of aligned_alloc: at a multiple of `alignment`, a power of two from 1 to 65536. Undone by
// adtape_heap_undo_alloc. Errors: as there, and BAD_ARGUMENT (alignment).
// Fortran: `p = heap_alloc_aligned(h, t, bytes, alignment)`.
void *adtape_heap_alloc_aligned(adtape_heap_t *h, adtape_t *t, int64_t bytes, int64_t alignment);

// Gives a block another size, in place of realloc(p, bytes): its contents up to the smaller of both sizes stay, its
// address may change. `p` is NULL, for a new block, or a block of this heap. What is cut off is not kept. Undone by
// adtape_heap_undo_realloc. Pushes 24 to 40 bytes onto `t`. Never NULL.
//
// Errors go to the error handler and change nothing: as adtape_heap_alloc, and BAD_BLOCK (p is no block of this
// heap that is alive, or points into the middle of one).
// Fortran: `p = heap_realloc(h, t, p, bytes)`.
void *adtape_heap_realloc(adtape_heap_t *h, adtape_t *t, void *p, int64_t bytes);

// The same, with what is cut off pushed onto `t`; adtape_heap_undo_realloc brings it back. Errors: as there.
// Fortran: `p = heap_realloc_save(h, t, p, bytes)`.
void *adtape_heap_realloc_save(adtape_heap_t *h, adtape_t *t, void *p, int64_t bytes);

/* ---- block ----------------------------------------------------------------------------------------------- */

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

// The same, with the contents of the block pushed onto `t`; adtape_heap_undo_free brings them back. Errors: as there.
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
// where they went, and without a record. Never NULL. Undone by adtape_heap_free_adjoint.
//
// Errors: as adtape_heap_alloc. Fortran: `p = heap_alloc_adjoint(h, bytes)`.
void *adtape_heap_alloc_adjoint(adtape_heap_t *h, int64_t bytes);

// Frees what adtape_heap_alloc_adjoint returned; NULL is allowed. Errors go to the error handler: NULL_HANDLE,
// BAD_BLOCK, WRONG_THREAD, RELEASED. Fortran: `call heap_free_adjoint(h, p)`.
void adtape_heap_free_adjoint(adtape_heap_t *h, void *p);

/* ---- snapshot -------------------------------------------------------------------------------------------- */

// Takes a mark: a fingerprint of the blocks that are alive, a plain value. A checkpoint keeps it beside its own data, or
// a tape does (adtape_push_bytes).
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD or
// ADTAPE_STATUS_RELEASED. Fortran: `call heap_mark_take(h, m)`.
adtape_status_t adtape_heap_mark_take(adtape_heap_t *h,
                                      adtape_heap_mark_t *m);

// Checks that the same blocks are alive as when the mark was taken: at the end of a section that was run again, or in
// the reverse sweep.
//
// Returns ADTAPE_STATUS_OK, or ADTAPE_STATUS_HEAP_STATE with both states in the message; ADTAPE_STATUS_NULL_HANDLE,
// ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED.
// Fortran: `call heap_mark_check(h, m)`.
adtape_status_t adtape_heap_mark_check(adtape_heap_t *h, const adtape_heap_mark_t *m);

// Writes a snapshot of the heap, for a checkpoint in the program's memory: which blocks are alive, and their contents. It belongs to this
// heap and this process, because it restores blocks at their addresses. Undone by adtape_heap_restore.
//
// `out` has room for `bytes` bytes. NULL: nothing is written, and the size is found. `*need` is the size of the
// snapshot, also where there is too little room; NULL: not wanted. The snapshot is the program's, in memory; a checkpoint
// in a store, with all that is alive, is written by adtape_live_save.
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_COUNT_RANGE (too little room), ADTAPE_STATUS_NULL_HANDLE,
// ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED. Cost: a copy of all that is alive; without `out` none.
// Fortran: `call heap_save(h, out, bytes, need)`, `need` optional.
adtape_status_t adtape_heap_save(adtape_heap_t *h,
                                 void *out,
                                 int64_t bytes,
                                 int64_t *need);

// Puts the heap back into the state of a snapshot, contents included, to run a section again. Adjoints stay as they
// are: at its reversal point the section must have come to the state that they belong to.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_DAMAGED (no snapshot), ADTAPE_STATUS_HEAP_STATE (one of another heap),
// ADTAPE_STATUS_COUNT_RANGE, ADTAPE_STATUS_MEMORY_LIMIT, ADTAPE_STATUS_OUT_OF_MEMORY, ADTAPE_STATUS_NULL_HANDLE,
// ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED; the heap is then as before.
// Cost: a copy of all that comes alive, and of the list of what was. Fortran: `call heap_restore(h, snapshot,
// bytes)`.
adtape_status_t adtape_heap_restore(adtape_heap_t *h, const void *snapshot, int64_t bytes);

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
// `bases` NULL: the contents of all ranges. Else of those only that begin at one of these `count` addresses: the others
// are restored as memory, and what is in them is the program's task, which writes it by adtape_checkpoint_write, say.
// `counts` may be NULL.
//
// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_NO_RANGE (a pointer to nowhere; the message names it), ADTAPE_STATUS_UNEVEN
// (an object is no whole number of records), ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_COUNT_RANGE, ADTAPE_STATUS_BAD_ARGUMENT (the checkpoint is
// being read), ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED (a heap), which change nothing; those of
// adtape_checkpoint_write, after which the checkpoint cannot be completed.
// Cost: that of a copy, and a search for each pointer. No other thread changes the maps meanwhile.
// Fortran: `call live_save(c, bases, counts)`, an array of type(c_ptr), and `counts`, both optional. Source: section 5 of the paper.
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
// out: what adtape_live_arrive needs, which ends it, or adtape_live_forget_adjoints if the sweep is given up; NULL: not
// wanted. counts: may be NULL.
// Returns ADTAPE_STATUS_OK. Errors change nothing: ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_BAD_ARGUMENT (no allocator
// for an allocatable; the checkpoint is being written), ADTAPE_STATUS_NOT_FOUND (no such sections),
// ADTAPE_STATUS_DAMAGED, ADTAPE_STATUS_IO, ADTAPE_STATUS_OUT_OF_MEMORY, ADTAPE_STATUS_NO_RANGE (a pointer to a
// variable of the stack that is not there; static memory that another run has not registered), ADTAPE_STATUS_OVERLAP
// (an adjoint in memory that would be overwritten), ADTAPE_STATUS_HEAP_STATE (a stable heap that is not there); the
// message tells if an allocator that failed left allocatables deallocated.
// Cost: that of a copy, and a search for each range and pointer. No other thread changes the maps meanwhile.
// Fortran: `call live_restore(c, r, counts)`, `r` and `counts` optional. Source: Alg. 4.
adtape_status_t adtape_live_restore(const adtape_objects_t *o,
                                    adtape_checkpoint_t *c,
                                    adtape_restoration_t **out,
                                    adtape_restore_stats_t *counts);

// The reverse sweep is back where the checkpoint of this restoration was written. What lies below on the tape was
// recorded when objects lay where they lay then, so that addresses of that forward sweep (adtape_rebase_pointer) are
// from now on those of the checkpoint. Pointers that adtape_push_pointer pushed do not need it. Ends `r`: the handle is
// gone.
//
// Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_HANDLE. Cost: proportional to the objects that lie elsewhere.
// Fortran: `call live_arrive(r)`. Source: M′ of Alg. 4, composed with M̄.
adtape_status_t adtape_live_arrive(const adtape_objects_t *o,
                                   adtape_restoration_t *r);

// The reverse sweep is given up: adjoints that wait for objects of a section that is run again are forgotten, so that
// adtape_live_begin_reverse does not ask for them. `*count` is how many did; NULL: not wanted. `r` is a restoration that
// nobody will arrive at (adtape_live_arrive), which is released; NULL for none.
//
// Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_HANDLE. Fortran: `call live_forget_adjoints(r, count)`, both optional.
adtape_status_t adtape_live_forget_adjoints(const adtape_objects_t *o,
                                            adtape_restoration_t *r,
                                            int64_t *count);

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

/* ---- entry ----------------------------------------------------------------------------------------------- */

// Glue code in another language says on whose behalf this thread calls the functions for addresses; NULL for its own.
void adtape_abi0_site(const void *site);

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

// Ends in the error handler, for glue code in other languages. Does not return.
void adtape_abi0_fail(int32_t status, const char *message, const void *site);

// Remembers what went wrong as this thread's last error, for glue code in other languages; returns the status.
adtape_status_t adtape_abi0_error(int32_t status, const char *message);

#ifdef __cplusplus
}
#endif

#endif
