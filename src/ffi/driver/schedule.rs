//! Schedules: which steps of a long loop to store, to run again and to reverse.

use crate::error::{Error, Status};
use crate::ffi::arguments::{null_handle, null_pointer, number, write_out};
use crate::ffi::handles::{create, destroy};
use crate::ffi::outcome::status;
use crate::schedule::{Action, ActionKind, Place, Prediction, Schedule};

/// What a schedule says to do next. Fields that an action does not have are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Instruction {
    /// One of ADTAPE_ACTION_….
    pub action: i32,
    /// One of ADTAPE_LEVEL_…, of SAVE, LOAD, DROP, RECORD and REVERSE.
    pub level: i32,
    /// The step, or the step whose state is meant, from 0.
    pub step: i64,
    /// Of ADVANCE: the step after the last.
    pub to: i64,
    /// Which snapshot of that level, from 0: no two that are stored have the same.
    pub slot: i64,
    /// Of TURN and REVERSE: whether it is the first step of all that is reversed, the loop's last.
    pub first: bool,
}

impl Instruction {
    fn new(action: Option<Action>) -> Instruction {
        let plain = |kind: ActionKind, step: u64| Instruction {
            action: kind as i32,
            step: step as i64,
            ..Instruction::default()
        };
        let stored = |kind: ActionKind, step, place: Place| Instruction {
            level: place.level as i32,
            slot: place.slot as i64,
            ..plain(kind, step)
        };
        match action {
            None => plain(ActionKind::Done, 0),
            Some(Action::Advance { from, to }) => Instruction { to: to as i64, ..plain(ActionKind::Advance, from) },
            Some(Action::Save { step, place }) => stored(ActionKind::Save, step, place),
            Some(Action::Load { step, place }) => stored(ActionKind::Load, step, place),
            Some(Action::Drop { step, place }) => stored(ActionKind::Drop, step, place),
            Some(Action::Turn { step, first }) => Instruction { first, ..plain(ActionKind::Turn, step) },
            Some(Action::Record { step, place }) => stored(ActionKind::Record, step, place),
            Some(Action::Reverse { step, place, first }) => {
                Instruction { first, ..stored(ActionKind::Reverse, step, place) }
            }
        }
    }
}

/// # Safety
/// `s` is NULL or a schedule that nobody else uses.
pub(in crate::ffi) unsafe fn schedule<'a>(s: *mut Schedule) -> Result<&'a mut Schedule, Error> {
    // SAFETY: by contract.
    unsafe { s.as_mut() }.ok_or_else(|| null_handle("schedule", "what adtape_schedule_create returned"))
}

/// What a schedule is made of, for adtape_schedule_create. Fields that its kind does not use are 0.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct ScheduleOptions {
    /// One of ADTAPE_SCHEDULE_….
    pub kind: i32,
    /// Steps of the loop; 0 for a loop whose length is not known (ONLINE, TWO_LEVEL).
    pub steps: i64,
    /// Snapshots in memory at most, that of the first state among them. MIXED: units, each for a state or for the tape
    /// of a step.
    pub memory_snapshots: i64,
    /// BINOMIAL: snapshots on disk, besides those in memory.
    pub disk_snapshots: i64,
    /// TWO_LEVEL: steps between two snapshots on disk.
    pub period: i64,
    /// DISK_REVOLVE: what a save to disk costs, in forward steps.
    pub save_cost: f64,
    /// DISK_REVOLVE: what a load from disk costs, in forward steps.
    pub load_cost: f64,
}

/// For adtape_schedule_create: revolve, the least number of extra steps that there can be, and among those schedules
/// the fewest saves. Snapshots that are used least lie on disk, if there are any (multi-stage).
pub const ADTAPE_SCHEDULE_BINOMIAL: i32 = 1;
/// For adtape_schedule_create: snapshots in memory cost nothing, and on disk there are as many as pay off. Optimal up
/// to 4096 steps, and beyond that asymptotically. It takes up to a second to make.
pub const ADTAPE_SCHEDULE_DISK_REVOLVE: i32 = 2;
/// For adtape_schedule_create: a snapshot on disk every period, and between two of them a binomial schedule with the
/// snapshots in memory besides the one on disk.
pub const ADTAPE_SCHEDULE_TWO_LEVEL: i32 = 3;
/// For adtape_schedule_create: for a loop whose length is not known. Up to (s + 1)(s + 2)/2 steps with s snapshots it
/// costs as little as if the length had been known, and hardly more beyond.
pub const ADTAPE_SCHEDULE_ONLINE: i32 = 4;
/// For adtape_schedule_create: units in memory, each for a state or for the tape of one step, whichever saves more. It
/// says ADTAPE_ACTION_RECORD and ADTAPE_ACTION_REVERSE; records lie on the tape last in, first out.
pub const ADTAPE_SCHEDULE_MIXED: i32 = 5;
/// For adtape_schedule_create: every step is recorded and its tape kept, so that there are no extra steps.
pub const ADTAPE_SCHEDULE_STORE_ALL: i32 = 6;

impl ScheduleOptions {
    fn schedule(&self) -> Result<Schedule, Error> {
        let ScheduleOptions { kind, steps, memory_snapshots, disk_snapshots, period, save_cost, load_cost } = *self;
        let [steps, memory, disk, period] = [
            number(steps, "steps")?,
            number(memory_snapshots, "snapshots in memory")?,
            number(disk_snapshots, "snapshots on disk")?,
            number(period, "steps between snapshots")?,
        ];
        let given = [steps > 0, memory > 0, disk > 0, period > 0, save_cost != 0.0, load_cost != 0.0];
        // Which of the fields after `kind` each kind uses.
        let (used, make): ([u8; 6], &dyn Fn() -> Result<Schedule, Error>) = match kind {
            ADTAPE_SCHEDULE_BINOMIAL if disk == 0 => ([1, 1, 1, 0, 0, 0], &|| Schedule::binomial(steps, memory)),
            ADTAPE_SCHEDULE_BINOMIAL => ([1, 1, 1, 0, 0, 0], &|| Schedule::multistage(steps, memory, disk)),
            ADTAPE_SCHEDULE_DISK_REVOLVE => {
                ([1, 1, 0, 0, 1, 1], &|| Schedule::disk_revolve(steps, memory, save_cost, load_cost))
            }
            ADTAPE_SCHEDULE_TWO_LEVEL => {
                ([1, 1, 0, 1, 0, 0], &|| Schedule::two_level((steps > 0).then_some(steps), period, memory))
            }
            ADTAPE_SCHEDULE_ONLINE => ([0, 1, 0, 0, 0, 0], &|| Schedule::online(memory)),
            ADTAPE_SCHEDULE_MIXED => ([1, 1, 0, 0, 0, 0], &|| Schedule::mixed(steps, memory)),
            ADTAPE_SCHEDULE_STORE_ALL => ([1, 0, 0, 0, 0, 0], &|| Ok(Schedule::store_all(steps))),
            _ => {
                return Err(Error::new(
                    Status::BadArgument,
                    format!("{kind} is no kind of schedule\n  pass one of ADTAPE_SCHEDULE_…, 1 to 6"),
                ));
            }
        };
        const NAMES: [&str; 6] = ["steps", "memory_snapshots", "disk_snapshots", "period", "save_cost", "load_cost"];
        match (0..6).find(|i| given[*i] && used[*i] == 0) {
            Some(unused) => Err(Error::new(
                Status::BadArgument,
                format!("a schedule of kind {kind} has no {}\n  leave it 0, or pass another kind", NAMES[unused]),
            )),
            None => make(),
        }
    }
}

/// Makes a schedule. `options` says which, and for how many steps and snapshots; it is not used later. Undone by
/// adtape_schedule_destroy. Memory: 40 bytes a snapshot, whatever the number of steps; MIXED 4 bytes a step and unit,
/// DISK_REVOLVE at most 2 MB. A schedule for a loop whose length is not known needs adtape_schedule_end_at.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_NULL_POINTER; ADTAPE_STATUS_COUNT_RANGE (a
/// negative number); ADTAPE_STATUS_BAD_ARGUMENT (an unknown kind; a field that the kind does not use; more than one
/// step and no snapshot; a period of 0; a cost that is negative or not finite; MIXED with steps² · units above 2³², the
/// operations that it takes to make). A schedule is used by one thread at a time.
/// Fortran: `call schedule_create(schedule, kind, steps, memory_snapshots, disk_snapshots, period, save_cost,
/// load_cost)`, of which all but the first two are optional.
/// Source: BINOMIAL: A. Griewank, A. Walther, Algorithm 799: revolve, ACM TOMS 26 (2000); with snapshots on disk: P.
/// Stumm, A. Walther, MultiStage approaches for optimal offline checkpointing, SIAM J. Sci. Comput. 31 (2009).
/// DISK_REVOLVE: G. Aupy, J. Herrmann, P. Hovland, Y. Robert, Optimal multistage algorithm for adjoint computation,
/// SIAM J. Sci. Comput. 38 (2016); G. Aupy, J. Herrmann, Periodicity in optimal hierarchical checkpointing schemes, OMS
/// 32 (2017). TWO_LEVEL: G. Pringle, D. Jones, S. Goswami, S. Narayanan, D. Goldberg, Providing the ARCHER community
/// with adjoint modelling tools (2016). ONLINE: P. Stumm, A. Walther, New algorithms for optimal online checkpointing,
/// SIAM J. Sci. Comput. 32 (2010); Q. Wang, P. Moin, G. Iaccarino, Minimal repetition dynamic checkpointing algorithm
/// for unsteady adjoint calculation, SIAM J. Sci. Comput. 31 (2009). MIXED: J. R. Maddison, On the implementation of
/// checkpointing with high-level algorithmic differentiation (2024).
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_schedule_create(options: *const ScheduleOptions, out: *mut *mut Schedule) -> Status {
    // SAFETY: by contract.
    let options = unsafe { options.as_ref() };
    let new = || options.ok_or_else(|| null_pointer("the options of a schedule"))?.schedule();
    // SAFETY: by contract.
    unsafe { create(out, "the new schedule", new) }
}

/// Releases a schedule. NULL is allowed and does nothing. Returns ADTAPE_STATUS_OK.
///
/// Fortran: `call schedule_destroy(schedule)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation; the handle is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_schedule_destroy(s: *mut Schedule) -> Status {
    // SAFETY: it came from `create`.
    unsafe { destroy(s) }
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
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_COUNT_RANGE (a negative number) or
/// ADTAPE_STATUS_BAD_ARGUMENT; the schedule is then unchanged.
/// Fortran: `call schedule_end_at(schedule, step)`. Kit: adBinomial_resize.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_schedule_end_at(s: *mut Schedule, step: i64) -> Status {
    // SAFETY: by contract.
    status(unsafe { schedule(s) }.and_then(|schedule| schedule.end_at(number(step, "steps")?)))
}

/// What the schedule costs in all, if the loop runs to its end: extra_steps / steps is how many times the forward
/// run is repeated. Asked before the first action of a schedule whose length is known.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, or ADTAPE_STATUS_BAD_ARGUMENT (the
/// length is not known, or the schedule has begun).
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
