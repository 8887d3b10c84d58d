/* adtape/driver.h: schedules, and drivers that perform them.
 * Generated from src/ffi/driver; do not edit. */
#ifndef ADTAPE_DRIVER_H
#define ADTAPE_DRIVER_H

#include "checkpoint.h"

#ifdef __cplusplus
extern "C" {
#endif

// For adtape_schedule_create: revolve, the least number of extra steps that there can be, and among those schedules
// the fewest saves. Snapshots that are used least lie on disk, if there are any (multi-stage).
#define ADTAPE_SCHEDULE_BINOMIAL 1

// For adtape_schedule_create: snapshots in memory cost nothing, and on disk there are as many as pay off. Optimal up
// to 4096 steps, and beyond that asymptotically. It takes up to a second to make.
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

// What a registered variable is: a parameter or forcing, which steps read and never change. A run that is resumed is
// refused if it has other values.
#define ADTAPE_ROLE_PARAMETER 2

// Added to a role: `base` is the address of the program's pointer variable that leads to the first value. A run that
// finds it leading elsewhere ends with ADTAPE_STATUS_MISMATCH.
#define ADTAPE_ROLE_POINTER 16

// The kind of an `Action`, for C.
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

// A driver. Runs of one driver do not nest, because they would share its snapshots; runs of two do.
typedef struct adtape_driver_t adtape_driver_t;

// A loop whose passes the reverse sweep runs again from snapshots: the passes, and the states that are kept.
typedef struct adtape_passes_t adtape_passes_t;

// The point of a run, during a call of its keeper.
typedef struct adtape_point_t adtape_point_t;

// A schedule: an iterator over `Action`s that ends when every step is reversed.
typedef struct adtape_schedule_t adtape_schedule_t;

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
    // Which snapshot of that level, from 0: no two that are stored have the same.
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
    // Stores the present state. Both NULL, of this and the next: adtape stores what is registered. A schedule with
    // snapshots on disk needs both, or a store.
    adtape_snapshot_t save;
    // Brings a stored state back.
    adtape_snapshot_t load;
    // Called after each step and action with how much is done.
    adtape_progress_call_t progress;
    // Whether a run shows a line on standard error that says how far it is and how long it will take: a line that changes
    // where standard error is a terminal, else a new one each minute, and one where a run goes on that was killed.
    bool show_progress;
} adtape_driver_calls_t;

// Writes a point with adtape_abi0_point_write, or reads the last one with adtape_abi0_point_read, or does neither.
// Returns a status; adtape_error_message() says why. `finished`: the run has come to its end.
typedef int32_t (*adtape_point_call_t)(adtape_point_t *point, bool finished, void *user);

/* ---- schedule -------------------------------------------------------------------------------------------- */

// Makes a schedule. `options` says which, and for how many steps and snapshots; it is not used later. Undone by
// adtape_schedule_destroy. Memory: 40 bytes a snapshot, whatever the number of steps; MIXED 4 bytes a step and unit,
// DISK_REVOLVE at most 2 MB. A schedule for a loop whose length is not known needs adtape_schedule_end_at.
//
// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_NULL_POINTER; ADTAPE_STATUS_COUNT_RANGE (a
// negative number); ADTAPE_STATUS_BAD_ARGUMENT (an unknown kind; a field that the kind does not use; more than one
// step and no snapshot; a period of 0; a cost that is negative or not finite; MIXED with steps² · units above 2³², the
// operations that it takes to make). A schedule is used by one thread at a time.
// Fortran: `call schedule_create(schedule, kind, steps, memory_snapshots, disk_snapshots, period, save_cost,
// load_cost)`, of which all but the first two are optional.
// Source: BINOMIAL: A. Griewank, A. Walther, Algorithm 799: revolve, ACM TOMS 26 (2000); with snapshots on disk: P.
// Stumm, A. Walther, MultiStage approaches for optimal offline checkpointing, SIAM J. Sci. Comput. 31 (2009).
// DISK_REVOLVE: G. Aupy, J. Herrmann, P. Hovland, Y. Robert, Optimal multistage algorithm for adjoint computation,
// SIAM J. Sci. Comput. 38 (2016); G. Aupy, J. Herrmann, Periodicity in optimal hierarchical checkpointing schemes, OMS
// 32 (2017). TWO_LEVEL: G. Pringle, D. Jones, S. Goswami, S. Narayanan, D. Goldberg, Providing the ARCHER community
// with adjoint modelling tools (2016). ONLINE: P. Stumm, A. Walther, New algorithms for optimal online checkpointing,
// SIAM J. Sci. Comput. 32 (2010); Q. Wang, P. Moin, G. Iaccarino, Minimal repetition dynamic checkpointing algorithm
// for unsteady adjoint calculation, SIAM J. Sci. Comput. 31 (2009). MIXED: J. R. Maddison, On the implementation of
// checkpointing with high-level algorithmic differentiation (2024).
adtape_status_t adtape_schedule_create(const adtape_schedule_options_t *options,
                                       adtape_schedule_t **out);

// Releases a schedule. NULL is allowed and does nothing. Returns ADTAPE_STATUS_OK.
//
// Fortran: `call schedule_destroy(schedule)`.
adtape_status_t adtape_schedule_destroy(adtape_schedule_t *s);

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
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, or ADTAPE_STATUS_BAD_ARGUMENT (the
// length is not known, or the schedule has begun).
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
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, or ADTAPE_STATUS_BAD_ARGUMENT if
// the driver is running.
// Fortran: `call driver_set_calls(driver, step, adjoint_step, record_step, reverse_step, save_state, load_state,
// progress, show_progress, user)` with `bind(c)` functions; all but the first are optional.
adtape_status_t adtape_driver_set_calls(adtape_driver_t *d, const adtape_driver_calls_t *calls, void *user);

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

/* ---- passes ---------------------------------------------------------------------------------------------- */

// Begins a loop whose passes the reverse sweep runs again from snapshots, because their tape would be too large: for
// code whose forward and reverse sweep are two functions, as the generator writes it. At most `snapshots` states are
// kept at once: in memory, which counts as that of tapes, and beyond the memory limit of the process in the directory
// that tapes spill to. `passes` is how many passes there are at most; a negative number: that is not known. The handle
// goes from one sweep to the other, on the tape, say. Used by one thread at a time. Never NULL. Undone by
// adtape_abi0_passes_destroy.
//
// Forward: adtape_abi0_passes_enter first in each pass, adtape_abi0_passes_leave behind the loop. Reverse, for each pass, the
// last one first: as long as adtape_abi0_passes_state is true, the parts of a state; then, if adtape_abi0_passes_run is true,
// the pass without a tape, and adtape_abi0_passes_state again; if not, the pass with a tape, and its reversal.
//
// Errors go to the error handler: COUNT_RANGE, BAD_ARGUMENT (no snapshot). Cost: a few ns a pass, and a copy of each
// state that is kept or comes back. As many passes are run again as with ADTAPE_SCHEDULE_BINOMIAL, or
// ADTAPE_SCHEDULE_ONLINE where the number is not known.
adtape_passes_t *adtape_abi0_passes_create(int64_t snapshots,
                                           int64_t passes);

// Ends the loop, with its snapshots: where all its passes are reversed, or nobody wants them to be. NULL is allowed
// and does nothing.
void adtape_abi0_passes_destroy(adtape_passes_t *p);

// A pass begins in the forward sweep. True if its state is to be kept: all that a pass reads and an earlier one wrote,
// by adtape_abi0_passes_move, part by part, in the same order each time.
//
// Errors go to the error handler: NULL_HANDLE, BAD_ARGUMENT (more passes than were announced; the loop is in its
// reverse sweep; the state had other parts before), MEMORY_LIMIT and IO (no room for the last state).
bool adtape_abi0_passes_enter(adtape_passes_t *p);

// The loop has ended in the forward sweep: of itself, or because it was left.
//
// Errors go to the error handler: NULL_HANDLE, BAD_ARGUMENT (the loop is in its reverse sweep), MEMORY_LIMIT and IO (no
// room for the last state).
void adtape_abi0_passes_leave(adtape_passes_t *p);

// On the way to the head of the next pass that is reversed. True if a state is to be kept or comes back now, by
// adtape_abi0_passes_move, part by part; then it is asked again.
//
// Errors go to the error handler: NULL_HANDLE, BAD_ARGUMENT (the forward sweep has not ended; all passes are reversed;
// the state had other parts before), MEMORY_LIMIT and IO (no room for the last state), DAMAGED (what comes back from a
// disk is something else).
bool adtape_abi0_passes_state(adtape_passes_t *p);

// Once adtape_abi0_passes_state is false: true if a pass is to be run without a tape. False: the state is that of the pass
// to be reversed now.
//
// Errors go to the error handler: NULL_HANDLE, BAD_ARGUMENT (adtape_abi0_passes_state was not asked).
bool adtape_abi0_passes_run(adtape_passes_t *p);

// The next part of the state, `bytes` bytes at `part`, which is kept or comes back. 0 or fewer bytes: there is none.
//
// Errors go to the error handler: NULL_HANDLE, NULL_POINTER, OUT_OF_MEMORY, BAD_ARGUMENT (no state is to be kept or to
// come back; it had other parts). Cost: that of a copy.
void adtape_abi0_passes_move(adtape_passes_t *p,
                             void *part,
                             int64_t bytes);

/* ---- variable -------------------------------------------------------------------------------------------- */

// Registers a variable, which adtape saves and loads by itself. All of what a step reads and an earlier step wrote has
// to be registered as state. The memory is the program's and stays where it is until the driver is destroyed;
// registered parts do not overlap.
//
// `role` is ADTAPE_ROLE_STATE, or ADTAPE_ROLE_ADJOINT for what adjoint steps compute and add to: adjoints of the state
// and of parameters, or ADTAPE_ROLE_PARAMETER for what steps read and never change: parameters, forcings, options.
// Only a run that can be resumed needs the latter two (adtape_driver_set_store). A parameter is neither saved nor
// written to: a run that is to go on with another value than it began with is refused, and says which parameter
// differs. Added to a role, ADTAPE_ROLE_POINTER says that `base` is the address of a pointer variable, of whatever type,
// which leads to the first value and lives until the driver is destroyed: programs swap buffers or allocate an array
// anew, and the driver would go on to save and load the old memory. It compares the pointer with what that was before
// each save, load and point, and ends a run with ADTAPE_STATUS_MISMATCH if they differ. In a store state and adjoints are sections of a checkpoint, like those that adtape_checkpoint_write_section writes,
// and are read back only into the like. `name` is that of the section; it has 1 to 1000 bytes and is that of no other
// variable of the driver; NULL for `state-0`, `state-1`, …, `adjoint-0`, …, `parameter-0`, …. `type_code`, `base`,
// `rank`, `extents` and `strides_bytes` are those of adtape_push_section; `strides_bytes` NULL stands for elements one
// behind the other. Values of a type that adtape does not know are bytes (ADTAPE_TYPE_BYTES), along a first dimension.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_COUNT_RANGE, or
// ADTAPE_STATUS_BAD_ARGUMENT (role, name, type or shape make no sense; it overlaps with another part; the driver is
// running). Sections with gaps are not checked for overlaps.
// Fortran: `call driver_register(driver, x, name)`, `call driver_register_adjoint(driver, x, name)`,
// `call driver_register_parameter(driver, x, name)`: any variable that is a target; `name` is optional.
// `call driver_watch(driver, x)`, behind one of them: an allocatable or pointer array, as ADTAPE_ROLE_POINTER.
adtape_status_t adtape_driver_register(adtape_driver_t *d,
                                       int32_t role,
                                       const char *name,
                                       adtape_type_t type_code,
                                       void *base,
                                       int32_t rank,
                                       const int64_t *extents,
                                       const int64_t *strides_bytes);

// Watches a pointer variable that leads to the beginning of a registered variable without gaps, as
// ADTAPE_ROLE_POINTER does. For libraries that have the address of a variable's own descriptor.
adtape_status_t adtape_abi0_driver_watch(adtape_driver_t *d, const void *pointer);

// Snapshots of registered state that a schedule has on disk go to the store. It may be destroyed before the driver.
// NULL: such schedules are refused.
//
// `name` is NULL: the snapshots have names of their own; any number of drivers can share one store. Runs cannot be
// resumed; `interval_seconds` is then ignored.
//
// With a `name`, runs go on after their process was killed. Every `interval_seconds`, and so seldom that it takes a
// tenth of the time at most, the driver leaves a checkpoint of that name in the store: the registered state and
// adjoints as they are between two steps, the snapshots in memory, and how far the run is. adtape_driver_run, called
// in a new process with a new schedule like the first one and the same initial state, finds it and goes on from there;
// the result is the same, bit for bit, if steps compute the same when they are run again. A checkpoint replaces the
// one before as a whole: a process killed at any moment leaves one or the other. Snapshots that the schedule has on
// disk are called `name-step-K`.
//
// `name` has letters, digits, '-', '_' and '.', 74 at most, and is used by no other run in the store. With an interval
// of 0 there is a checkpoint after every step. Only a store of files, with the name of a run, outlives a process.
// After a run that came to its end the checkpoint stays until the driver is destroyed, so that a process killed before
// it has used the result does not compute it again. Several processes that exchange data within a step would not go on
// from the same step: they cannot be resumed in this way.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, or ADTAPE_STATUS_BAD_ARGUMENT (the driver is running; a name or
// an interval that makes no sense).
// With a name adtape_driver_run returns besides: ADTAPE_STATUS_MISMATCH (the checkpoint is of a run with another
// schedule, another initial state, other parameters or other variables: what differs is said), ADTAPE_STATUS_DAMAGED,
// ADTAPE_STATUS_OTHER_VERSION, ADTAPE_STATUS_NOT_FOUND (a snapshot on disk is gone), ADTAPE_STATUS_IO;
// ADTAPE_STATUS_BAD_ARGUMENT if functions of the program save and load. Nothing was computed then, and
// adtape_store_remove of the checkpoint lets the run begin anew. ADTAPE_STATUS_MISMATCH also comes later, at a
// checkpoint, if a parameter has changed since the run began.
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
// ADTAPE_STATUS_COUNT_RANGE, or ADTAPE_STATUS_BAD_ARGUMENT (nothing is registered, or it does not fit into the
// budget).
// Fortran: `call driver_create_schedule(driver, steps, budget_bytes, schedule)`.
adtape_status_t adtape_driver_create_schedule(adtape_driver_t *d,
                                              int64_t steps,
                                              int64_t budget_bytes,
                                              adtape_schedule_t **out);

// The points of this driver's runs are kept by `keep`, which is asked where adtape_driver_set_store would look at its
// clock, and the last one is read by `last`, before a run begins. Snapshots that a schedule has on disk go to the store
// as `name-step-K`. For libraries that run one schedule in several processes.
adtape_status_t adtape_abi0_driver_set_keeper(adtape_driver_t *d,
                                              const adtape_store_t *store,
                                              const char *name,
                                              adtape_point_call_t keep,
                                              adtape_point_call_t last,
                                              void *user);

// Bytes of the registered state: of a snapshot.
adtape_status_t adtape_abi0_driver_state_bytes(adtape_driver_t *d, int64_t *bytes);

// Writes the point into a checkpoint, behind what is there.
adtape_status_t adtape_abi0_point_write(adtape_point_t *point, adtape_checkpoint_t *c);

// Reads the point from a checkpoint, from the section that is next to its end.
adtape_status_t adtape_abi0_point_read(adtape_point_t *point, adtape_checkpoint_t *c);

#ifdef __cplusplus
}
#endif

#endif
