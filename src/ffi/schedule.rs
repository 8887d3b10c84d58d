//! Schedules: which steps of a long loop to store, to run again and to reverse.

use super::{null_handle, null_pointer, status, write_out};
use crate::error::{Error, Status};
use crate::schedule::{Action, ActionKind, Level, Place, Prediction, Schedule};

/// What a schedule says to do next. Fields that an action does not have are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Instruction {
    /// One of ADTAPE_ACTION_….
    pub action: u64,
    /// The step, or the step whose state is meant, from 0.
    pub step: u64,
    /// Of ADVANCE: the step after the last.
    pub to: u64,
    /// One of ADTAPE_LEVEL_…, of SAVE, LOAD, DROP, RECORD and REVERSE.
    pub level: u64,
    /// Which snapshot of that level, from 0.
    pub slot: u64,
    /// Of TURN and REVERSE: 1 for the first step of all that is reversed, the loop's last; else 0.
    pub first: u64,
}

impl Instruction {
    fn new(action: Option<Action>) -> Instruction {
        let plain = |kind: ActionKind, step| Instruction { action: kind as u64, step, ..Instruction::default() };
        let stored =
            |kind, step, place: Place| Instruction { level: place.level as u64, slot: place.slot, ..plain(kind, step) };
        match action {
            None => plain(ActionKind::Done, 0),
            Some(Action::Advance { from, to }) => Instruction { to, ..plain(ActionKind::Advance, from) },
            Some(Action::Save { step, place }) => stored(ActionKind::Save, step, place),
            Some(Action::Load { step, place }) => stored(ActionKind::Load, step, place),
            Some(Action::Drop { step, place }) => stored(ActionKind::Drop, step, place),
            Some(Action::Turn { step, first }) => Instruction { first: first.into(), ..plain(ActionKind::Turn, step) },
            Some(Action::Record { step, place }) => stored(ActionKind::Record, step, place),
            Some(Action::Reverse { step, place, first }) => {
                Instruction { first: first.into(), ..stored(ActionKind::Reverse, step, place) }
            }
        }
    }
}

/// # Safety
/// `s` is NULL or a schedule that nobody else uses.
pub(super) unsafe fn schedule<'a>(s: *mut Schedule) -> Result<&'a mut Schedule, Error> {
    // SAFETY: by contract.
    unsafe { s.as_mut() }.ok_or_else(|| null_handle("schedule", "what adtape_schedule_new_… returned"))
}

/// # Safety
/// `out` is NULL or valid for a write.
pub(super) unsafe fn make(out: *mut *mut Schedule, schedule: impl FnOnce() -> Result<Schedule, Error>) -> Status {
    if out.is_null() {
        return status(Err(null_pointer("the new schedule")));
    }
    // SAFETY: not NULL, so valid by contract.
    unsafe { out.write(std::ptr::null_mut()) };
    // SAFETY: as above.
    status(unsafe { write_out(out, "the new schedule", || schedule().map(|made| Box::into_raw(Box::new(made)))) })
}

/// Makes the binomial schedule (revolve) of `steps` steps with `snapshots` in memory at most, the first state's
/// among them: the least number of extra steps there can be, and among those schedules the fewest saves. Undone by
/// adtape_schedule_destroy. Memory: 40 bytes a snapshot; any number of steps and snapshots.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER, or ADTAPE_STATUS_BAD_ARGUMENT
/// (more than one step and no snapshot). A schedule is used by one thread at a time.
/// Fortran: `call schedule_create_binomial(schedule, steps, snapshots)`. Source: A. Griewank, A. Walther, Algorithm
/// 799: revolve, ACM TOMS 26 (2000).
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_schedule_create_binomial(
    steps: u64,
    snapshots: u64,
    out: *mut *mut Schedule,
) -> Status {
    // SAFETY: by contract.
    unsafe { make(out, || Schedule::binomial(steps, snapshots)) }
}

/// Makes the binomial schedule with `memory_snapshots` + `disk_snapshots` in all, of which those that are used least
/// lie on disk. Otherwise as adtape_schedule_create_binomial.
///
/// Fortran: `call schedule_create_multistage(schedule, steps, memory_snapshots, disk_snapshots)`. Source: P. Stumm, A.
/// Walther, MultiStage approaches for optimal offline checkpointing, SIAM J. Sci. Comput. 31 (2009).
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_schedule_create_multistage(
    steps: u64,
    memory_snapshots: u64,
    disk_snapshots: u64,
    out: *mut *mut Schedule,
) -> Status {
    // SAFETY: by contract.
    unsafe { make(out, || Schedule::multistage(steps, memory_snapshots, disk_snapshots)) }
}

/// Makes a schedule with `memory_snapshots` in memory, which cost nothing, and as many on disk as pay off, where
/// a save costs as much as `save_cost` forward steps and a load as `load_cost`. Optimal up to 4096 steps, and beyond
/// that asymptotically. It takes up to a second to make.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER, or ADTAPE_STATUS_BAD_ARGUMENT
/// (no snapshot in memory; a cost that is negative or not finite).
/// Fortran: `call schedule_create_disk_revolve(schedule, steps, memory_snapshots, save_cost, load_cost)`. Source: G.
/// Aupy, J. Herrmann, P. Hovland, Y. Robert, Optimal multistage algorithm for adjoint computation, SIAM J. Sci. Comput.
/// 38 (2016); G. Aupy, J. Herrmann, Periodicity in optimal hierarchical checkpointing schemes, OMS 32 (2017).
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_schedule_create_disk_revolve(
    steps: u64,
    memory_snapshots: u64,
    save_cost: f64,
    load_cost: f64,
    out: *mut *mut Schedule,
) -> Status {
    // SAFETY: by contract.
    unsafe { make(out, || Schedule::disk_revolve(steps, memory_snapshots, save_cost, load_cost)) }
}

/// Makes a schedule with a snapshot on disk every `period` steps, and between two of them the binomial schedule with
/// `memory_snapshots` besides the one on disk. `steps` is 0 if the length is not known: see adtape_schedule_end_at.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER, or ADTAPE_STATUS_BAD_ARGUMENT (a
/// period of 0).
/// Fortran: `call schedule_create_two_level(schedule, steps, period, memory_snapshots)`. Source: G. Pringle, D. Jones,
/// S. Goswami, S. Narayanan, D. Goldberg, Providing the ARCHER community with adjoint modelling tools (2016).
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_schedule_create_two_level(
    steps: u64,
    period: u64,
    memory_snapshots: u64,
    out: *mut *mut Schedule,
) -> Status {
    // SAFETY: by contract.
    unsafe { make(out, || Schedule::two_level((steps > 0).then_some(steps), period, memory_snapshots)) }
}

/// Makes a schedule for a loop whose length is not known, with `snapshots` in memory at most. Up to (s + 1)(s + 2)/2
/// steps with s snapshots it costs as little as if the length had been known, and hardly more beyond. See
/// adtape_schedule_end_at.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER, or ADTAPE_STATUS_BAD_ARGUMENT (no
/// snapshot).
/// Fortran: `call schedule_create_online(schedule, snapshots)`. Source: P. Stumm, A. Walther, New algorithms for
/// optimal online checkpointing, SIAM J. Sci. Comput. 32 (2010); Q. Wang, P. Moin, G. Iaccarino, Minimal repetition
/// dynamic checkpointing algorithm for unsteady adjoint calculation, SIAM J. Sci. Comput. 31 (2009).
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_schedule_create_online(snapshots: u64, out: *mut *mut Schedule) -> Status {
    // SAFETY: by contract.
    unsafe { make(out, || Schedule::online(snapshots)) }
}

/// Makes a schedule with `units` of storage in memory, each for a state or for the tape of one step, whichever saves
/// more. It says ADTAPE_ACTION_RECORD and ADTAPE_ACTION_REVERSE; records lie on the tape last in, first out.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER, or ADTAPE_STATUS_BAD_ARGUMENT (no
/// unit; steps² · units above 2³², the operations that it takes to make).
/// Fortran: `call schedule_create_mixed(schedule, steps, units)`. Source: J. R. Maddison, On the implementation of
/// checkpointing with high-level algorithmic differentiation (2024).
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_schedule_create_mixed(steps: u64, units: u64, out: *mut *mut Schedule) -> Status {
    // SAFETY: by contract.
    unsafe { make(out, || Schedule::mixed(steps, units)) }
}

/// Makes the schedule that records every step and keeps its tape: no extra steps.
///
/// Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_POINTER.
/// Fortran: `call schedule_create_store_all(schedule, steps)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_schedule_create_store_all(steps: u64, out: *mut *mut Schedule) -> Status {
    // SAFETY: by contract.
    unsafe { make(out, || Ok(Schedule::store_all(steps))) }
}

/// Releases a schedule. NULL is allowed and does nothing.
///
/// Fortran: `call schedule_destroy(schedule)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation; the handle is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_schedule_destroy(s: *mut Schedule) {
    if !s.is_null() {
        // SAFETY: it came from Box::into_raw in `make`.
        drop(unsafe { Box::from_raw(s) });
    }
}

/// What to do next; ADTAPE_ACTION_DONE when every step is reversed, again and again. The caller performs it before it
/// asks again.
///
/// | action | to do |
/// |---|---|
/// | ADVANCE | run steps `step` to `to` - 1, recording nothing |
/// | SAVE | store the present state, state `step`, in `slot` of `level` |
/// | LOAD | bring state `step` back from there; it stays stored |
/// | DROP | the slot is free: what it holds is not needed any more |
/// | TURN | run `step` with recording, then its adjoint |
/// | RECORD | run `step` with recording and keep its tape, which takes the slot (mixed) |
/// | REVERSE | run the adjoint of `step` from its tape; the slot is free (mixed) |
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or ADTAPE_STATUS_NULL_POINTER. Cost: independent of the number
/// of steps. Fortran: `call schedule_next(schedule, instruction)`. Kit: adBinomial_next.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_schedule_next(s: *mut Schedule, out: *mut Instruction) -> Status {
    // SAFETY: by contract.
    status(unsafe {
        schedule(s).and_then(|schedule| write_out(out, "the result", || Ok(Instruction::new(schedule.next()))))
    })
}

/// The loop has ended, or left early, after `step` steps: step `step` - 1 is the first to be reversed. `step` lies
/// within the ADVANCE or RECORD that is being performed: from its first step to the one after its last. Loops whose
/// length is not known need this call, for others it shortens what is left. Only before the first TURN or REVERSE.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, or ADTAPE_STATUS_BAD_ARGUMENT; the schedule is then unchanged.
/// Fortran: `call schedule_end_at(schedule, step)`. Kit: adBinomial_resize.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_schedule_end_at(s: *mut Schedule, step: u64) -> Status {
    // SAFETY: by contract.
    status(unsafe { schedule(s) }.and_then(|schedule| schedule.end_at(step)))
}

/// What the schedule costs in all, if the loop runs to its end: extra_steps / steps is how many times the forward
/// run is repeated. Asked before the first action of a schedule whose length is known.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, or ADTAPE_STATUS_BAD_ARGUMENT.
/// Cost: below a millisecond, except for two snapshots and billions of steps.
/// Fortran: `call schedule_predict(schedule, prediction)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_schedule_predict(s: *mut Schedule, out: *mut Prediction) -> Status {
    // SAFETY: by contract.
    status(unsafe { schedule(s).and_then(|schedule| write_out(out, "the result", || schedule.predict())) })
}

// The codes of levels go through `u64` fields.
const _: () = assert!(Level::Memory as u64 == 0 && Level::Disk as u64 == 1);
