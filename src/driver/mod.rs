//! The driver: performs a schedule on the program's time loop.
//!
//! | word | meaning |
//! |---|---|
//! | model | the program's side: a step, its adjoint, its state |
//! | variable | a part of the model's state, with a name; one that a driver saves by itself is registered |
//! | storage | where snapshots of variables go |
//! | point | what a run leaves in a store, to go on after its process was killed: [`resume`] |
//! | keeper | who keeps the points: a store, by the clock, or several processes together |
//! | progress | how much is done: steps run and steps reversed |
//!
//! A driver has no state outside its run and no lock: an adjoint step may run a driver of its own.

#![forbid(unsafe_code)]

mod parameters;
mod passes;
mod progress;
mod recomputed;
mod registered;
mod resume;
mod run;
mod storage;
#[cfg(test)]
mod tests;
mod variable;

pub use passes::{Part, Passes};
pub use progress::{Progress, ProgressLine};
use recomputed::States;
pub(crate) use registered::{Registered, Role};
pub use resume::{Keeper, ReadPoint, Resumable, Resume, WritePoint, drive_resumable};
pub use run::{Driver, Program, schedule_within};
pub use storage::{MemoryStorage, Storage, StoreStorage};
pub use variable::Variable;

use crate::error::{Error, Status};
use crate::profile;
use crate::schedule::{Action, Place, Schedule};

/// Whether a loop goes on after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// There may be further steps.
    Continue,
    /// This step was the loop's last. Looked at only in the first sweep, and ignored in a turn.
    Ended,
}

/// A time loop and its adjoint, as a driver calls it. Steps count from 0; state k is what step k starts from.
pub trait Model {
    /// Runs a step, recording nothing.
    fn step(&mut self, step: u64) -> Result<Flow, Error>;

    /// Runs a step with recording, and then its adjoint: both sweeps. `first` is true for the first step that is
    /// reversed, the loop's last: the adjoint of what follows the loop is set before its reverse sweep.
    fn adjoint_step(&mut self, step: u64, first: bool) -> Result<(), Error>;

    /// Stores the present state, state `step`.
    fn save(&mut self, step: u64, place: Place) -> Result<(), Error>;

    /// Brings a state back, which stays stored.
    fn load(&mut self, step: u64, place: Place) -> Result<(), Error>;

    /// A stored state is not needed any more; its place may be used by another.
    fn forget(&mut self, _step: u64, _place: Place) -> Result<(), Error> {
        Ok(())
    }

    /// All of the present state, for check mode: there the driver compares it whenever a state is reached again, and an
    /// error says which step led to another one, and which variable differs where. None: nothing is compared.
    fn state(&mut self) -> Option<Vec<Variable<'_>>> {
        None
    }

    /// Runs a step with recording and leaves the record on the tape. Only mixed schedules ask for it.
    fn record_step(&mut self, step: u64) -> Result<Flow, Error> {
        Err(no_records(step))
    }

    /// Runs the adjoint of the step that was recorded last. Only mixed schedules ask for it.
    fn reverse_step(&mut self, step: u64, _first: bool) -> Result<(), Error> {
        Err(no_records(step))
    }
}

#[cold]
fn no_records(step: u64) -> Error {
    Error::new(
        Status::BadArgument,
        format!(
            "the schedule keeps the tape of step {step}, and the program cannot record a step without reversing it\n  \
             give it a call for that, or take a schedule that stores states only"
        ),
    )
}

/// Performs the schedule on the model to its end; `progress` is called after every step and action. An error of the
/// model ends the run and is returned.
///
/// ```
/// use adtape::{Error, Flow, Model, Place, Schedule, drive};
///
/// /// x <- x², four times.
/// struct Squares { x: f64, x_adjoint: f64, stored: Vec<f64> }
///
/// impl Model for Squares {
///     fn step(&mut self, _: u64) -> Result<Flow, Error> {
///         self.x *= self.x;
///         Ok(Flow::Continue)
///     }
///     fn adjoint_step(&mut self, _: u64, first: bool) -> Result<(), Error> {
///         if first {
///             self.x_adjoint = 1.0;
///         }
///         self.x_adjoint *= 2.0 * self.x;
///         Ok(())
///     }
///     fn save(&mut self, _: u64, place: Place) -> Result<(), Error> {
///         self.stored[place.slot as usize] = self.x;
///         Ok(())
///     }
///     fn load(&mut self, _: u64, place: Place) -> Result<(), Error> {
///         self.x = self.stored[place.slot as usize];
///         Ok(())
///     }
/// }
///
/// # fn main() -> Result<(), Error> {
/// let mut squares = Squares { x: 1.1, x_adjoint: 0.0, stored: vec![0.0; 2] };
/// drive(&mut Schedule::binomial(4, 2)?, &mut squares, |_| ())?;
/// assert!((squares.x_adjoint - 16.0 * 1.1_f64.powi(15)).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
pub fn drive(
    schedule: &mut Schedule,
    model: &mut (impl Model + ?Sized),
    mut progress: impl FnMut(&Progress),
) -> Result<Progress, Error> {
    let mut run = Run::new(schedule, model);
    run.finish(None, |_, _, done| {
        progress(done);
        Ok(())
    })?;
    Ok(run.done)
}

/// An action, as a profile has it.
fn done_by(action: Action) -> profile::Done {
    let (action, step, to) = match action {
        Action::Advance { from, to } => ("advance", from, Some(to)),
        Action::Save { step, .. } => ("store", step, None),
        Action::Load { step, .. } => ("restore", step, None),
        Action::Drop { step, .. } => ("discard", step, None),
        Action::Record { step, .. } => ("record", step, None),
        Action::Turn { step, .. } | Action::Reverse { step, .. } => ("reverse", step, None),
    };
    profile::Done { action, step, to }
}

/// Where a run is, between two steps or actions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Position {
    /// Actions that were begun.
    actions: u64,
    /// The next step of the last of them, if it is an advance that is not done.
    within: Option<u64>,
    /// The action, counted from 1, in which the loop ended by itself, and its number of steps.
    ended: Option<(u64, u64)>,
    /// Steps whose tape is kept.
    records: u64,
}

/// A schedule that is being performed.
struct Run<'a, M: ?Sized> {
    schedule: &'a mut Schedule,
    model: &'a mut M,
    at: Position,
    done: Progress,
    /// In check mode.
    states: Option<States>,
    profile: profile::Run,
}

impl<'a, M: Model + ?Sized> Run<'a, M> {
    fn new(schedule: &'a mut Schedule, model: &'a mut M) -> Run<'a, M> {
        let done = Progress::new(schedule);
        let profile = profile::Run::begin(schedule.steps(), schedule.name());
        Run { schedule, model, at: Position::default(), done, states: States::in_check_mode(), profile }
    }

    /// Performs `rest`, which is left of an advance, and then all other actions. `between` is called after every step
    /// and action.
    fn finish(
        &mut self,
        rest: Option<(u64, u64)>,
        mut between: impl FnMut(&mut M, &Position, &Progress) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if let Some(steps) = rest {
            self.advance(steps, &mut between)?;
            between(self.model, &self.at, &self.done)?;
        }
        while let Some(action) = self.schedule.next() {
            self.at.actions += 1;
            self.profile.act(|| done_by(action));
            match action {
                Action::Advance { from, to } => self.advance((from, to), &mut between)?,
                Action::Save { step, place } => self.model.save(step, place)?,
                Action::Load { step, place } => self.load(step, place)?,
                Action::Drop { step, place } => self.model.forget(step, place)?,
                Action::Turn { step, first } => {
                    self.done.begin_reverse(self.schedule);
                    self.model.adjoint_step(step, first)?;
                    self.done.forward_steps += 1;
                    self.done.reversed_steps += 1;
                }
                Action::Record { step, .. } => {
                    let flow = self.model.record_step(step)?;
                    self.compare(step)?;
                    self.done.forward_steps += 1;
                    self.at.records += 1;
                    self.look_for_the_end(flow, step + 1)?;
                }
                Action::Reverse { step, first, .. } => {
                    self.done.begin_reverse(self.schedule);
                    self.model.reverse_step(step, first)?;
                    self.done.reversed_steps += 1;
                    self.at.records -= 1;
                }
            }
            between(self.model, &self.at, &self.done)?;
        }
        Ok(())
    }

    fn advance(
        &mut self,
        (from, to): (u64, u64),
        between: &mut impl FnMut(&mut M, &Position, &Progress) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for step in from..to {
            let flow = self.model.step(step)?;
            self.compare(step)?;
            self.done.forward_steps += 1;
            self.at.within = (step + 1 < to).then_some(step + 1);
            if self.look_for_the_end(flow, step + 1)? {
                self.at.within = None;
                return Ok(());
            }
            if self.at.within.is_some() {
                between(self.model, &self.at, &self.done)?;
            }
        }
        Ok(())
    }

    /// After a step, in check mode.
    fn compare(&mut self, step: u64) -> Result<(), Error> {
        match &mut self.states {
            Some(states) => states.computed(step, self.model.state()),
            None => Ok(()),
        }
    }

    /// In check mode the steps up to the next turn are tried first.
    fn load(&mut self, step: u64, place: Place) -> Result<(), Error> {
        self.model.load(step, place)?;
        let Some(states) = &mut self.states else { return Ok(()) };
        states.loaded(step, self.model.state())?;
        let end = self.schedule.steps().unwrap_or(0).saturating_sub(self.done.reversed_steps);
        let mut tried = step;
        while tried < end && states.knows(tried + 1) {
            self.model.step(tried)?;
            self.done.compared_steps += 1;
            states.computed(tried, self.model.state())?;
            tried += 1;
        }
        if tried > step { self.model.load(step, place) } else { Ok(()) }
    }

    /// After a step that led to state `state`. Steps that are run again end as they ended before.
    fn look_for_the_end(&mut self, flow: Flow, state: u64) -> Result<bool, Error> {
        let ends = flow == Flow::Ended && self.schedule.may_end();
        if ends {
            self.schedule.end_at(state)?;
            self.at.ended = Some((self.at.actions, state));
        }
        Ok(ends)
    }
}
