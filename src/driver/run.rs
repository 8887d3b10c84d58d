//! A driver with storage: the program gives its steps and says what its state is, the driver saves and loads it.

#![forbid(unsafe_code)]

use super::progress::{Progress, ProgressLine};
use super::resume::{Keeper, Resumable, Resume, drive_resumable};
use super::storage::{Snapshots, Storage, StoreStorage};
use super::variable::{Variable, fingerprint_of};
use super::{Flow, Model, drive, no_records};
use crate::checkpoint::{CheckpointReader, CheckpointWriter};
use crate::error::{Error, Status, bytes};
use crate::schedule::{Place, Schedule};
use crate::store::{Store, check_name};
use crate::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A time loop, its adjoint and its state, as a [`Driver`] runs it. Steps count from 0; state k is what step k starts
/// from.
pub trait Program {
    /// Runs a step, recording nothing.
    fn step(&mut self, step: u64) -> Result<Flow, Error>;

    /// Runs a step with recording, and then its adjoint: both sweeps. `first` is true for the first step that is
    /// reversed, the loop's last.
    fn adjoint_step(&mut self, step: u64, first: bool) -> Result<(), Error>;

    /// All of what a step reads and an earlier step wrote, the same variables each time. The driver saves and loads it.
    fn state(&mut self) -> Vec<Variable<'_>>;

    /// What adjoint steps compute and add to. Only a run that can be resumed needs it.
    fn adjoints(&mut self) -> Vec<Variable<'_>> {
        Vec::new()
    }

    /// What steps read and never change. A run that is resumed is refused if it has other values.
    fn parameters(&mut self) -> Vec<Variable<'_>> {
        Vec::new()
    }

    /// Whether the variables are where the driver takes them to be; asked before they are saved or loaded.
    fn check_places(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Runs a step with recording and leaves the record on the tape, for mixed schedules.
    fn record_step(&mut self, step: u64) -> Result<Flow, Error> {
        Err(no_records(step))
    }

    /// Runs the adjoint of the step that was recorded last, for mixed schedules.
    fn reverse_step(&mut self, step: u64, _first: bool) -> Result<(), Error> {
        Err(no_records(step))
    }

    /// Stores the present state itself; None: the driver does it.
    fn save(&mut self, _step: u64, _place: Place) -> Option<Result<(), Error>> {
        None
    }

    /// Brings a state back that [`save`](Program::save) stored; None: the driver does it.
    fn load(&mut self, _step: u64, _place: Place) -> Option<Result<(), Error>> {
        None
    }

    /// Whether the program stores snapshots itself, by [`save`](Program::save) and [`load`](Program::load).
    fn saves(&self) -> bool {
        false
    }
}

/// Runs a [`Program`] by a schedule: it keeps the snapshots of the program's state, in memory or in a store, and leaves
/// points that a killed run goes on from.
///
/// ```
/// use adtape::{Driver, Error, Flow, Program, Schedule, Variable};
///
/// /// x <- x², four times.
/// struct Squares { x: [f64; 1], x_adjoint: f64 }
///
/// impl Program for Squares {
///     fn step(&mut self, _: u64) -> Result<Flow, Error> {
///         self.x[0] *= self.x[0];
///         Ok(Flow::Continue)
///     }
///     fn adjoint_step(&mut self, _: u64, first: bool) -> Result<(), Error> {
///         if first {
///             self.x_adjoint = 1.0;
///         }
///         self.x_adjoint *= 2.0 * self.x[0];
///         Ok(())
///     }
///     fn state(&mut self) -> Vec<Variable<'_>> {
///         vec![Variable::new("x", &mut self.x)]
///     }
/// }
///
/// # fn main() -> Result<(), Error> {
/// let mut squares = Squares { x: [1.1], x_adjoint: 0.0 };
/// let done = Driver::new().run(&mut Schedule::binomial(4, 2)?, &mut squares, |_| ())?;
/// assert!((squares.x_adjoint - 16.0 * 1.1_f64.powi(15)).abs() < 1e-12);
/// assert_eq!((done.reversed_steps, done.snapshot_bytes), (4, 16));
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct Driver {
    snapshots: Snapshots,
    resume: Option<Resume>,
    keeper: Option<Box<dyn Keeper>>,
    shows_progress: bool,
}

impl Driver {
    /// A driver that keeps snapshots in memory.
    pub fn new() -> Driver {
        Driver::default()
    }

    /// Snapshots that a schedule has on disk go to the store, under names of their own: any number of drivers can share
    /// one. None: such schedules are refused. Runs cannot be resumed.
    pub fn set_store(&mut self, store: Option<Arc<dyn Store>>) {
        static DRIVERS: AtomicU64 = AtomicU64::new(0);
        let prefix = format!("driver-{}", DRIVERS.fetch_add(1, Ordering::Relaxed));
        self.snapshots.disk = store.map(|store| StoreStorage::new(store, prefix));
        (self.resume, self.keeper) = (None, None);
    }

    /// Makes runs that go on after their process was killed: about every `interval` the driver leaves a point, the
    /// checkpoint `name`, in the store, as [`Resume::new`] says. Snapshots that a schedule has on disk go there too.
    pub fn set_resume(&mut self, store: Arc<dyn Store>, name: &str, interval: Duration) -> Result<(), Error> {
        let resume = Resume::new(store.clone(), name, interval)?;
        self.snapshots.disk = Some(StoreStorage::lasting(store, name));
        (self.resume, self.keeper) = (Some(resume), None);
        Ok(())
    }

    /// As [`set_resume`](Driver::set_resume), but another keeps the points. Snapshots that a schedule has on disk go to
    /// the store, and begin with the keeper's name.
    pub fn set_keeper(&mut self, store: Arc<dyn Store>, keeper: Box<dyn Keeper>) -> Result<(), Error> {
        check_name(&format!("{}-step-{}", keeper.name(), u64::MAX))?;
        self.snapshots.disk = Some(StoreStorage::lasting(store, keeper.name()));
        (self.resume, self.keeper) = (None, Some(keeper));
        Ok(())
    }

    /// Whether a run shows on standard error how far it is: in one line where that is a terminal, else in one a minute.
    pub fn show_progress(&mut self, on: bool) {
        self.shows_progress = on;
    }

    /// Runs the loop and its adjoint by the schedule, to its end; state 0 is present before. `progress` is called after
    /// every step and action. What was done is returned.
    pub fn run(
        &mut self,
        schedule: &mut Schedule,
        program: &mut (impl Program + ?Sized),
        mut progress: impl FnMut(&Progress),
    ) -> Result<Progress, Error> {
        let mut line = self.shows_progress.then(ProgressLine::default);
        let tell = |done: &Progress| {
            if let Some(line) = &mut line {
                line.show(done);
            }
            progress(done);
        };
        let mut stored = Stored { program, snapshots: &mut self.snapshots };
        let done = match (&mut self.keeper, &mut self.resume) {
            (None, None) => drive(schedule, &mut stored, tell),
            (None, Some(resume)) => drive_resumable(schedule, &mut stored, resume, tell),
            (Some(keeper), _) => drive_resumable(schedule, &mut stored, &mut **keeper, tell),
        }?;
        Ok(Progress { snapshot_bytes: self.snapshots.memory.bytes(), ..done })
    }

    /// Removes the point of a run that came to its end in this process: it is of no more use.
    pub fn remove_point(&mut self) -> Result<(), Error> {
        match &mut self.resume {
            Some(resume) if resume.is_finished() => resume.remove(),
            _ => Ok(()),
        }
    }
}

/// The best schedule in memory for a state of `state_bytes` and a budget: binomial, or online for a loop whose length is
/// not known.
///
/// ```
/// let schedule = adtape::schedule_within(32, Some(10), 100)?;
/// assert_eq!(schedule.predict()?.extra_steps, 15); // 3 snapshots
/// # Ok::<(), adtape::Error>(())
/// ```
pub fn schedule_within(state_bytes: u64, steps: Option<u64>, budget_bytes: u64) -> Result<Schedule, Error> {
    match (budget_bytes.checked_div(state_bytes).unwrap_or(0), steps) {
        (0, _) => Err(Error::new(
            Status::BadArgument,
            format!(
                "no snapshot of the registered state, {}, fits into {}\n  \
                 register the state first, and allow at least its size",
                bytes(state_bytes),
                bytes(budget_bytes)
            ),
        )),
        (snapshots, None) => Schedule::online(snapshots),
        (snapshots, Some(steps)) => Schedule::binomial(steps, snapshots),
    }
}

/// The model that a driver runs: the program, and storage for its state.
struct Stored<'a, P: ?Sized> {
    program: &'a mut P,
    snapshots: &'a mut Snapshots,
}

impl<P: Program + ?Sized> Stored<'_, P> {
    /// Does with the state's variables what is to be done; they are there.
    fn with_state(
        &mut self,
        what: &str,
        place: Place,
        own: impl FnOnce(&mut dyn Storage, &[Variable]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.program.check_places()?;
        let state = self.program.state();
        if state.is_empty() {
            return Err(Error::new(
                Status::NullPointer,
                format!("the driver has no function for {what}, and no state is registered\n  give it one of both"),
            ));
        }
        own(self.snapshots.storage(place), &state)
    }

    /// State and adjoints, each once.
    fn each(&mut self, mut visit: impl FnMut(&Variable) -> Result<(), Error>) -> Result<(), Error> {
        self.program.check_places()?;
        self.program.state().iter().try_for_each(&mut visit)?;
        self.program.adjoints().iter().try_for_each(&mut visit)
    }
}

impl<P: Program + ?Sized> Model for Stored<'_, P> {
    fn step(&mut self, step: u64) -> Result<Flow, Error> {
        self.program.step(step)
    }

    fn adjoint_step(&mut self, step: u64, first: bool) -> Result<(), Error> {
        self.program.adjoint_step(step, first)
    }

    fn save(&mut self, step: u64, place: Place) -> Result<(), Error> {
        match self.program.save(step, place) {
            Some(saved) => saved,
            None => self.with_state("save", place, |storage, state| storage.save(step, place, state)),
        }
    }

    fn load(&mut self, step: u64, place: Place) -> Result<(), Error> {
        match self.program.load(step, place) {
            Some(loaded) => loaded,
            None => self.with_state("load", place, |storage, state| storage.load(step, place, state)),
        }
    }

    fn forget(&mut self, step: u64, place: Place) -> Result<(), Error> {
        if self.program.saves() { Ok(()) } else { self.snapshots.storage(place).forget(step, place) }
    }

    fn state(&mut self) -> Option<Vec<Variable<'_>>> {
        // What the program saves itself may be more than what is registered.
        if self.program.saves() {
            return None;
        }
        Some(self.program.state()).filter(|state| !state.is_empty())
    }

    fn record_step(&mut self, step: u64) -> Result<Flow, Error> {
        self.program.record_step(step)
    }

    fn reverse_step(&mut self, step: u64, first: bool) -> Result<(), Error> {
        self.program.reverse_step(step, first)
    }
}

impl<P: Program + ?Sized> Resumable for Stored<'_, P> {
    fn fingerprint(&mut self) -> Result<u64, Error> {
        if self.program.saves() {
            return Err(Error::new(
                Status::BadArgument,
                "the program stores its snapshots itself, so its run cannot be resumed\n  register the state instead",
            ));
        }
        Ok(fingerprint_of(&self.program.state()))
    }

    fn parameters(&mut self) -> Vec<Variable<'_>> {
        self.program.parameters()
    }

    fn keep(&mut self, point: &mut CheckpointWriter) -> Result<(), Error> {
        self.each(|variable| variable.write(point))?;
        self.snapshots.memory.write(point)
    }

    fn resume(&mut self, point: &mut CheckpointReader) -> Result<(), Error> {
        self.each(|variable| variable.read(point))?;
        self.snapshots.memory.read(point)
    }

    fn kept(&mut self) -> Result<(), Error> {
        self.snapshots.disk.as_mut().map_or(Ok(()), StoreStorage::kept)
    }

    fn keep_only(&mut self, steps: &[u64]) -> Result<(), Error> {
        self.snapshots.disk.as_mut().map_or(Ok(()), |disk| disk.keep_only(steps))
    }
}
