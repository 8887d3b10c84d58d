//! The driver: performs a schedule on the program's time loop.
//!
//! | word | meaning |
//! |---|---|
//! | model | the program's side: a step, its adjoint, its state |
//! | storage | where snapshots of registered state go |
//! | progress | how much is done: steps run and steps reversed |
//!
//! A driver has no state outside its run and no lock: an adjoint step may run a driver of its own.

#![forbid(unsafe_code)]

mod progress;
mod storage;
#[cfg(test)]
mod tests;

pub use progress::{Progress, ProgressLine};
pub use storage::{MemoryStorage, Storage, StoreStorage};

use crate::error::{Error, Status};
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

/// Performs the schedule on the model to its end; `progress` is told after every step and action. An error of the
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
    let mut done = Progress::new(schedule);
    while let Some(action) = schedule.next() {
        match action {
            Action::Advance { from, to } => advance(schedule, model, (from, to), &mut done, &mut progress)?,
            Action::Save { step, place } => model.save(step, place)?,
            Action::Load { step, place } => model.load(step, place)?,
            Action::Drop { step, place } => model.forget(step, place)?,
            Action::Turn { step, first } => {
                done.begin_reverse(schedule);
                model.adjoint_step(step, first)?;
                done.forward_steps += 1;
                done.reversed_steps += 1;
            }
            Action::Record { step, .. } => {
                let flow = model.record_step(step)?;
                done.forward_steps += 1;
                if flow == Flow::Ended && schedule.may_end() {
                    schedule.end_at(step + 1)?;
                }
            }
            Action::Reverse { step, first, .. } => {
                done.begin_reverse(schedule);
                model.reverse_step(step, first)?;
                done.reversed_steps += 1;
            }
        }
        progress(&done);
    }
    Ok(done)
}

fn advance(
    schedule: &mut Schedule,
    model: &mut (impl Model + ?Sized),
    (from, to): (u64, u64),
    done: &mut Progress,
    progress: &mut impl FnMut(&Progress),
) -> Result<(), Error> {
    for step in from..to {
        let flow = model.step(step)?;
        done.forward_steps += 1;
        // Steps that are run again end as they ended before.
        if flow == Flow::Ended && schedule.may_end() {
            return schedule.end_at(step + 1);
        }
        if step + 1 < to {
            progress(done);
        }
    }
    Ok(())
}
