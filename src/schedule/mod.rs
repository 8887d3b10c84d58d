//! Schedules: which step to run, to store, to bring back or to reverse next, so that the adjoint of a long time loop
//! fits in bounded memory. Pure arithmetic: a schedule performs nothing, it says what to do.
//!
//! | word | meaning |
//! |---|---|
//! | state k | what step k starts from; step k leads from state k to state k + 1 |
//! | n, s | number of steps; number of snapshots that may be stored at once, state 0 among them |
//! | snapshot | a stored state |
//! | turn | run a step with recording, and then its adjoint: the reversal point lies in the middle |
//! | present state | the state that the program's variables hold |
//! | place | level (memory or disk) and slot of a snapshot: no two that are stored have the same |
//! | extra steps | forward steps besides the n that the turns run themselves |
//!
//! The binomial schedule of 6 steps and 2 snapshots; time runs down, `S` saves, `L` loads, `T` turns:
//!
//! ```text
//!   step   0   1   2   3   4   5
//!          S---------> S-----> T      advance, advance, turn
//!                      L-> T          load 3, advance, turn
//!                      LT
//!          L-----> T                  snapshot 3 is dropped; load 0
//!          L-> T
//!          LT
//! ```
//!
//! | schedule | for | paper |
//! |---|---|---|
//! | [`Schedule::binomial`] | known length, snapshots in memory | Griewank & Walther 2000 (revolve) |
//! | [`Schedule::multistage`] | some in memory, some on disk | Stumm & Walther 2009 |
//! | [`Schedule::disk_revolve`] | as many on disk as pay off | Aupy, Herrmann, Hovland & Robert 2016 |
//! | [`Schedule::two_level`] | one on disk every so many steps | Pringle et al. 2016 |
//! | [`Schedule::online`] | unknown length | Stumm & Walther 2010; Wang, Moin & Iaccarino 2009 |
//! | [`Schedule::mixed`] | storing a step's tape instead of its state | Maddison 2024 |
//! | [`Schedule::store_all`] | enough memory for every tape | |

#![forbid(unsafe_code)]

mod action;
mod binomial;
mod count;
mod disk_revolve;
#[cfg(test)]
mod executor;
mod mixed;
mod multistage;
mod online;
#[cfg(test)]
mod tests;
mod two_level;

pub use action::{Action, ActionKind, Level, Place, Prediction};

use crate::error::{Error, Status};
use binomial::Binomial;
use disk_revolve::DiskRevolve;
use mixed::Mixed;
use online::Online;
use two_level::TwoLevel;

#[derive(Clone)]
enum Kind {
    Binomial(Binomial),
    TwoLevel(TwoLevel),
    DiskRevolve(Box<DiskRevolve>),
    Online(Online),
    Mixed(Mixed),
}

/// A schedule: an iterator over [`Action`]s that ends when every step is reversed.
///
/// ```
/// use adtape::{Action, Schedule};
///
/// # fn main() -> Result<(), adtape::Error> {
/// let (mut schedule, mut turned) = (Schedule::binomial(1000, 10)?, Vec::new());
/// assert_eq!(schedule.predict()?.extra_steps, 3636);
/// while let Some(action) = schedule.next() {
///     match action {
///         Action::Advance { from, to } => { /* run the steps from..to */ }
///         Action::Save { place, .. } => { /* store the state */ }
///         Action::Load { place, .. } => { /* bring it back */ }
///         Action::Drop { .. } => {}
///         Action::Turn { step, first } => turned.push(step), // its forward and its reverse sweep
///         Action::Record { .. } | Action::Reverse { .. } => unreachable!("of mixed schedules"),
///     }
/// }
/// assert!(turned.iter().rev().copied().eq(0..1000));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Schedule {
    kind: Kind,
    /// None before a loop of unknown length has ended.
    steps: Option<u64>,
    /// The steps where the loop may end now: those of the last action, while nothing is turned.
    running: Option<(u64, u64)>,
    /// A step is turned or [`Schedule::end_at`] was called: the length is final.
    settled: bool,
    /// It was asked for an action.
    begun: bool,
    /// Kind and parameters.
    name: String,
}

impl Schedule {
    fn new(kind: Kind, steps: Option<u64>, name: String) -> Schedule {
        Schedule { kind, steps, running: Some((0, 0)), settled: false, begun: false, name }
    }

    /// The binomial schedule, revolve: with `snapshots` in memory the least number of extra steps there can be, and
    /// among those schedules the fewest saves. A. Griewank and A. Walther, Algorithm 799: revolve, ACM Transactions on
    /// Mathematical Software 26 (2000). Memory: one entry a snapshot; cost of an action: independent of `steps`.
    pub fn binomial(steps: u64, snapshots: u64) -> Result<Schedule, Error> {
        enough(steps, snapshots)?;
        let kind = Kind::Binomial(Binomial::new(0, steps, snapshots, multistage::Places::memory()));
        Ok(Schedule::new(kind, Some(steps), format!("binomial, {steps} steps, {snapshots} snapshots")))
    }

    /// The binomial schedule with `memory_snapshots` + `disk_snapshots` in all, of which those that are used least lie
    /// on disk. P. Stumm and A. Walther, MultiStage approaches for optimal offline checkpointing, SIAM Journal on
    /// Scientific Computing 31 (2009).
    pub fn multistage(steps: u64, memory_snapshots: u64, disk_snapshots: u64) -> Result<Schedule, Error> {
        let snapshots = memory_snapshots.saturating_add(disk_snapshots);
        enough(steps, snapshots)?;
        let places = multistage::Places::multistage(steps, memory_snapshots, snapshots);
        let name = format!("multistage, {steps} steps, {memory_snapshots} + {disk_snapshots} snapshots");
        Ok(Schedule::new(Kind::Binomial(Binomial::new(0, steps, snapshots, places)), Some(steps), name))
    }

    /// `memory_snapshots` in memory, which cost nothing, and as many on disk as pay off, where a save costs as much as
    /// `save_cost` forward steps and a load as `load_cost`. G. Aupy, J. Herrmann, P. Hovland and Y. Robert, Optimal
    /// multistage algorithm for adjoint computation, SIAM Journal on Scientific Computing 38 (2016). Optimal up to
    /// 4096 steps; longer loops begin with snapshots at the asymptotically best distance, as G. Aupy and J. Herrmann,
    /// Periodicity in optimal hierarchical checkpointing schemes, Optimization Methods and Software 32 (2017).
    pub fn disk_revolve(steps: u64, memory_snapshots: u64, save_cost: f64, load_cost: f64) -> Result<Schedule, Error> {
        enough(steps, memory_snapshots)?;
        for (what, cost) in [("save", save_cost), ("load", load_cost)] {
            if !(cost.is_finite() && cost >= 0.0) {
                return Err(Error::new(
                    Status::BadArgument,
                    format!("the cost of a {what} is {cost}\n  pass it in units of a forward step, 0 or more"),
                ));
            }
        }
        let kind = DiskRevolve::new(steps, memory_snapshots, save_cost, load_cost);
        let name = format!(
            "disk_revolve, {steps} steps, {memory_snapshots} snapshots in memory, costs {save_cost} and {load_cost}"
        );
        Ok(Schedule::new(Kind::DiskRevolve(Box::new(kind)), Some(steps), name))
    }

    /// A snapshot on disk every `period` steps; between two of them the binomial schedule, with `memory_snapshots`
    /// besides the one on disk. `steps` is None if the length is not known: then [`Schedule::end_at`]. G. Pringle, D.
    /// Jones, S. Goswami, S. Narayanan and D. Goldberg, Providing the ARCHER community with adjoint modelling tools for
    /// high-performance oceanographic and cryospheric computation (2016).
    pub fn two_level(steps: Option<u64>, period: u64, memory_snapshots: u64) -> Result<Schedule, Error> {
        if period == 0 {
            return Err(Error::new(Status::BadArgument, "the period is 0 steps\n  pass 1 or more"));
        }
        let length = steps.map_or("an unknown number of".to_owned(), |steps| steps.to_string());
        let name = format!("two_level, {length} steps, period {period}, {memory_snapshots} snapshots in memory");
        Ok(Schedule::new(Kind::TwoLevel(TwoLevel::new(steps, period, memory_snapshots)), steps, name))
    }

    /// For loops whose length is not known: run what the schedule says and tell it by [`Schedule::end_at`] where the
    /// loop ended. Up to (s + 1)(s + 2)/2 steps with s snapshots no choice of snapshots would have cost less, had the
    /// length been known, and hardly any beyond: P. Stumm and A. Walther, New algorithms for optimal online
    /// checkpointing, SIAM Journal on Scientific Computing 32 (2010). Which snapshots are kept goes, up to there, by Q.
    /// Wang, P. Moin and G. Iaccarino, Minimal repetition dynamic checkpointing algorithm for unsteady adjoint
    /// calculation, SIAM Journal on Scientific Computing 31 (2009), and then by what their reversal costs. Memory: one
    /// entry a snapshot; cost of an action: independent of the steps, with a search among the snapshots when one is
    /// given away.
    pub fn online(snapshots: u64) -> Result<Schedule, Error> {
        enough(u64::MAX, snapshots)?;
        Ok(Schedule::new(Kind::Online(Online::new(snapshots)), None, format!("online, {snapshots} snapshots")))
    }

    /// `units` of storage, each for a state or for the tape of one step, whichever saves more. J. R. Maddison, On the
    /// implementation of checkpointing with high-level algorithmic differentiation (2024). Its table takes
    /// steps² · units operations; more than 2³² are refused.
    pub fn mixed(steps: u64, units: u64) -> Result<Schedule, Error> {
        enough(steps, units)?;
        Ok(Schedule::new(
            Kind::Mixed(Mixed::new(steps, units)?),
            Some(steps),
            format!("mixed, {steps} steps, {units} units"),
        ))
    }

    /// Every step is recorded and its tape kept: no extra steps, and a tape for each step.
    pub fn store_all(steps: u64) -> Schedule {
        Schedule::new(Kind::Mixed(Mixed::store_all(steps)), Some(steps), format!("store_all, {steps} steps"))
    }

    /// The loop has ended (or left early) after `step` steps: state `step` is its last, and step `step - 1` is the
    /// first to be turned. `step` lies within the action that is being performed. Loops of unknown length need this
    /// call; for others it shortens what is left. Only before the first turn.
    pub fn end_at(&mut self, step: u64) -> Result<(), Error> {
        let Some((from, to)) = self.running.filter(|_| !self.settled) else {
            return Err(Error::new(
                Status::BadArgument,
                format!(
                    "the loop cannot end at step {step} now\n  \
                     say so while or right after it advances, before the first turn"
                ),
            ));
        };
        if step < from || step > to {
            return Err(Error::new(
                Status::BadArgument,
                format!("the loop cannot end at step {step}: the present action runs steps {from} to {to}"),
            ));
        }
        match &mut self.kind {
            Kind::Binomial(schedule) => schedule.end_at(step),
            Kind::TwoLevel(schedule) => schedule.end_at(step),
            Kind::DiskRevolve(schedule) => schedule.end_at(step),
            Kind::Online(schedule) => schedule.end_at(step),
            Kind::Mixed(schedule) => schedule.end_at(step),
        }
        self.steps = Some(step);
        self.settled = true;
        Ok(())
    }

    /// Whether the loop may still end at another step than the schedule has it.
    pub(crate) fn may_end(&self) -> bool {
        !self.settled
    }

    /// Kind and parameters: two schedules of one name say the same. `binomial, 1000 steps, 10 snapshots`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it has been asked for an action.
    pub(crate) fn has_begun(&self) -> bool {
        self.begun
    }

    /// The number of steps, as far as it is known.
    pub fn steps(&self) -> Option<u64> {
        self.steps
    }

    /// What the schedule costs in all, if the loop runs to its end. Asked before its first action.
    pub fn predict(&self) -> Result<Prediction, Error> {
        let (Some(steps), false) = (self.steps, self.has_begun()) else {
            return Err(Error::new(
                Status::BadArgument,
                "the cost cannot be predicted: the loop's length is not known, or the schedule has begun\n  \
                 ask a schedule of known length before its first action",
            ));
        };
        let costs = match &self.kind {
            Kind::Binomial(schedule) => schedule.predict(),
            Kind::TwoLevel(schedule) => schedule.predict(),
            Kind::DiskRevolve(schedule) => schedule.predict(),
            Kind::Online(_) => Prediction::default(),
            Kind::Mixed(schedule) => schedule.predict(),
        };
        Ok(Prediction { steps, ..costs })
    }

    /// By the formula, from the snapshots that are stored now; of a binomial schedule, after a turn or a load.
    #[cfg(test)]
    fn extra_steps_left(&self) -> u128 {
        let Kind::Binomial(schedule) = &self.kind else { panic!("not binomial") };
        schedule.extra_steps_left()
    }
}

impl Iterator for Schedule {
    type Item = Action;

    #[inline]
    fn next(&mut self) -> Option<Action> {
        self.begun = true;
        let action = match &mut self.kind {
            Kind::Binomial(schedule) => schedule.next(),
            Kind::TwoLevel(schedule) => schedule.next(),
            Kind::DiskRevolve(schedule) => schedule.next(),
            Kind::Online(schedule) => schedule.next(),
            Kind::Mixed(schedule) => schedule.next(),
        };
        match action {
            Some(Action::Advance { from, to }) if !self.settled => self.running = Some((from, to)),
            Some(Action::Record { step, .. }) if !self.settled => self.running = Some((step, step + 1)),
            Some(Action::Turn { .. } | Action::Reverse { .. }) => self.settled = true,
            _ => {}
        }
        action
    }
}

/// Refuses a schedule that has nowhere to keep the first state.
fn enough(steps: u64, snapshots: u64) -> Result<(), Error> {
    if steps <= 1 || snapshots >= 1 {
        return Ok(());
    }
    Err(Error::new(
        Status::BadArgument,
        "a loop of more than one step cannot be reversed without a snapshot\n  allow 1 or more: the first state counts",
    ))
}
