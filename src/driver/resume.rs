//! Runs that go on after their process was killed.
//!
//! | word | meaning |
//! |---|---|
//! | point | a checkpoint of what a run has in memory, between two steps or actions |
//! | position | how many actions of the schedule were begun, and how far the last one is |
//!
//! ```text
//!   NAME            version | position | schedule | parameters | what the model has   the last point, replaced whole
//!   NAME-step-K     a snapshot that the schedule has on disk
//! ```
//!
//! A schedule says the same every time, so it comes to a position by being asked as often as it was before; and what
//! was done since the last point is done once more, with the same result. What is on disk is forgotten only once there
//! is a point that does not need it.

#![forbid(unsafe_code)]

use super::parameters::{Parameters, changed};
use super::variable::Variable;
use super::{Model, Position, Progress, Run};
use crate::checkpoint::{CheckpointReader, CheckpointWriter};
use crate::error::{Error, Status};
use crate::schedule::{Action, Level, Schedule};
use crate::store::{Store, check_name};
use crate::sync::Arc;
use crate::tape::Type;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Version of what is in a point.
const VERSION: i64 = 1;
const VERSION_SECTION: &str = "adtape-resume-version";
const POSITION_SECTION: &str = "adtape-position";
const SCHEDULE_SECTION: &str = "adtape-schedule";

/// A model whose run can be resumed.
pub trait Resumable: Model {
    /// Tells this run from others: a number that depends on the initial state. Asked before the first step.
    fn fingerprint(&mut self) -> Result<u64, Error>;

    /// What steps read and never change; the run is refused if a process that resumes it has other values.
    fn parameters(&mut self) -> Vec<Variable<'_>> {
        Vec::new()
    }

    /// Writes all that is in memory and comes from steps: the present state, the adjoint, the snapshots in memory.
    fn keep(&mut self, point: &mut CheckpointWriter) -> Result<(), Error>;

    /// Reads what [`keep`](Resumable::keep) wrote in a process that was killed, all of it: a section that is left is an
    /// error.
    fn resume(&mut self, point: &mut CheckpointReader) -> Result<(), Error>;

    /// The point is in the store: snapshots on disk that were forgotten before may go.
    fn kept(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Before the run begins or goes on: of these steps, in ascending order, there are snapshots on disk. Others are of
    /// a process that was killed, and may go.
    fn keep_only(&mut self, _steps: &[u64]) -> Result<(), Error> {
        Ok(())
    }
}

/// Writes a point into a checkpoint, behind what is there.
pub type WritePoint<'a> = &'a mut dyn FnMut(&mut CheckpointWriter) -> Result<(), Error>;
/// Reads a point from a checkpoint, to its end.
pub type ReadPoint<'a> = &'a mut dyn FnMut(&mut CheckpointReader) -> Result<(), Error>;

/// Who keeps the points of a run: a store, by the clock ([`Resume`]), or several processes together.
pub trait Keeper {
    /// Leaves a point by `write`, or none, and says which. Asked after each step and action behind which a run can go
    /// on; `finished`: the run has come to its end, so that its result is lost without a point.
    fn keep(&mut self, finished: bool, write: WritePoint) -> Result<bool, Error>;

    /// Reads the last point by `read`, if there is one, and says whether there is.
    fn last(&mut self, read: ReadPoint) -> Result<bool, Error>;

    /// The name of the points, for messages.
    fn name(&self) -> &str;

    /// The run has come to its end, in this process or in one that left the last point.
    fn ended(&mut self) {}
}

/// Where a run leaves its points.
pub struct Resume {
    store: Arc<dyn Store>,
    name: String,
    interval: Duration,
    /// No point before that.
    next: Instant,
    /// The run came to its end in this process: its point is of no more use.
    finished: bool,
}

impl Resume {
    /// A point every `interval`, and so seldom that they take a tenth of the time at most; with 0, after every step.
    /// `name` is that of the checkpoint; other runs in the store have other ones, of which none continues it by
    /// `-step-`.
    pub fn new(store: Arc<dyn Store>, name: &str, interval: Duration) -> Result<Resume, Error> {
        check_name(name)?;
        check_name(&format!("{name}-step-{}", u64::MAX))?;
        Ok(Resume { store, name: name.to_owned(), interval, next: Instant::now(), finished: false })
    }

    /// Removes the point, after which a run begins anew.
    pub fn remove(&mut self) -> Result<(), Error> {
        self.finished = false;
        match self.store.remove(&self.name) {
            Err(error) if error.status() != Status::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Whether there is a point of a run that came to its end in this process.
    pub fn is_finished(&self) -> bool {
        self.finished
    }
}

impl Keeper for Resume {
    fn keep(&mut self, finished: bool, write: WritePoint) -> Result<bool, Error> {
        let begun = Instant::now();
        if !finished && begun < self.next {
            return Ok(false);
        }
        let mut checkpoint = CheckpointWriter::create(&*self.store, &self.name)?;
        write(&mut checkpoint)?;
        checkpoint.commit()?;
        self.next = Instant::now()
            + if self.interval.is_zero() { self.interval } else { self.interval.max(begun.elapsed() * 9) };
        Ok(true)
    }

    fn last(&mut self, read: ReadPoint) -> Result<bool, Error> {
        if self.finished {
            self.remove()?;
        }
        let found = match CheckpointReader::open(&*self.store, &self.name) {
            Err(error) if error.status() == Status::NotFound => false,
            Err(error) => return Err(error),
            Ok(mut checkpoint) => {
                read(&mut checkpoint)?;
                true
            }
        };
        self.next = Instant::now() + self.interval;
        Ok(found)
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn ended(&mut self) {
        self.finished = true;
    }
}

#[cold]
fn other_run(name: &str, what: &str) -> Error {
    Error::new(
        Status::Mismatch,
        format!(
            "the checkpoint {name:?} is of another run: {what}\n  \
             start the program as it was started before; or give this run another name, \
             or remove the checkpoint, to begin anew"
        ),
    )
}

/// What a point says besides what the model has in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Point {
    at: Position,
    done: Progress,
    fingerprint: u64,
    finished: bool,
    schedule: String,
    parameters: Parameters,
}

const NONE: i64 = -1;

impl Point {
    fn write(&self, checkpoint: &mut CheckpointWriter) -> Result<(), Error> {
        checkpoint.write(VERSION_SECTION, &[VERSION])?;
        checkpoint.write(POSITION_SECTION, &self.encode())?;
        checkpoint.write_bytes(SCHEDULE_SECTION, Type::Bytes, self.schedule.as_bytes())?;
        self.parameters.write(checkpoint)
    }

    fn encode(&self) -> [i64; 10] {
        let Position { actions, within, ended, .. } = self.at;
        let Progress { steps, forward_steps, forward_steps_total, reversed_steps, .. } = self.done;
        let or_none = |number: Option<u64>| number.map_or(NONE, |number| number as i64);
        [
            actions as i64,
            or_none(within),
            or_none(ended.map(|ended| ended.0)),
            or_none(ended.map(|ended| ended.1)),
            steps as i64,
            forward_steps as i64,
            forward_steps_total as i64,
            reversed_steps as i64,
            self.fingerprint as i64,
            self.finished.into(),
        ]
    }

    fn read(checkpoint: &mut CheckpointReader) -> Result<Point, Error> {
        let mut version = [0];
        checkpoint.read(VERSION_SECTION, &mut version)?;
        if version != [VERSION] {
            return Err(Error::new(
                Status::OtherVersion,
                format!(
                    "the point to resume from is of version {}, and this library reads version {VERSION}\n  \
                     resume it with the version of adtape that wrote it",
                    version[0]
                ),
            ));
        }
        let mut numbers = [0_i64; 10];
        checkpoint.read(POSITION_SECTION, &mut numbers)?;
        let mut schedule = vec![0; checkpoint.peek()?.map_or(0, |section| section.bytes() as usize)];
        checkpoint.read_bytes(SCHEDULE_SECTION, Type::Bytes, &mut schedule)?;
        let parameters = Parameters::read(checkpoint)?;
        let [actions, within, ended_in, ended_at, rest @ ..] = numbers.map(|number| number as u64);
        let [steps, forward_steps, forward_steps_total, reversed_steps, fingerprint, finished] = rest;
        let some = |number: u64| (number != NONE as u64).then_some(number);
        let ended = some(ended_in).zip(some(ended_at));
        Ok(Point {
            at: Position { actions, within: some(within), ended, records: 0 },
            done: Progress {
                steps,
                forward_steps,
                forward_steps_total,
                reversed_steps,
                resumed_steps: forward_steps,
                compared_steps: 0,
                snapshot_bytes: 0,
            },
            fingerprint,
            finished: finished != 0,
            schedule: String::from_utf8_lossy(&schedule).into_owned(),
            parameters,
        })
    }
}

/// What a schedule says of a position.
pub(super) struct There {
    /// What is left of the advance in which it lies.
    pub(super) rest: Option<(u64, u64)>,
    /// Steps whose snapshots are on disk, in order.
    pub(super) on_disk: Vec<u64>,
}

/// Brings a new schedule to a position. None if it has no such position.
pub(super) fn replay(schedule: &mut Schedule, at: &Position) -> Option<There> {
    let (mut last, mut on_disk) = (None, BTreeSet::new());
    for count in 1..=at.actions {
        let action = schedule.next()?;
        match action {
            Action::Save { step, place } if place.level == Level::Disk => drop(on_disk.insert(step)),
            Action::Drop { step, place } if place.level == Level::Disk => drop(on_disk.remove(&step)),
            _ => {}
        }
        if let Some((_, steps)) = at.ended.filter(|(action, _)| *action == count) {
            schedule.end_at(steps).ok()?;
        }
        last = Some(action);
    }
    let rest = match (at.within, last) {
        (None, _) => None,
        (Some(step), Some(Action::Advance { from, to })) if from < step && step < to => Some((step, to)),
        _ => return None,
    };
    Some(There { rest, on_disk: on_disk.into_iter().collect() })
}

/// Performs the schedule on the model as [`drive`](super::drive) does, and leaves points from which the run goes on
/// when this function is called again in another process: with the same schedule, anew, and the same initial state. The
/// point of a run that has come to its end stays, too, until [`Resume::remove`]: only then is its result in safety.
///
/// ```
/// use adtape::*;
/// use std::{sync::Arc, time::Duration};
///
/// /// x <- x² + step.
/// struct Quadratic { x: [f64; 1], adjoint: [f64; 1], memory: MemoryStorage, kill_at: u64 }
///
/// impl Model for Quadratic {
///     fn step(&mut self, step: u64) -> Result<Flow, Error> {
///         if step == self.kill_at {
///             return Err(Error::new(Status::Stopped, "pretends to be killed"));
///         }
///         self.x[0] = 1e-2 * self.x[0] * self.x[0] + step as f64;
///         Ok(Flow::Continue)
///     }
///     fn adjoint_step(&mut self, _: u64, first: bool) -> Result<(), Error> {
///         self.adjoint[0] = if first { 1.0 } else { self.adjoint[0] } * 2e-2 * self.x[0];
///         Ok(())
///     }
///     fn save(&mut self, step: u64, place: Place) -> Result<(), Error> {
///         self.memory.save(step, place, &[Variable::new("x", &mut self.x)])
///     }
///     fn load(&mut self, step: u64, place: Place) -> Result<(), Error> {
///         self.memory.load(step, place, &[Variable::new("x", &mut self.x)])
///     }
/// }
///
/// impl Resumable for Quadratic {
///     fn fingerprint(&mut self) -> Result<u64, Error> {
///         Ok(self.x[0].to_bits())
///     }
///     fn keep(&mut self, point: &mut CheckpointWriter) -> Result<(), Error> {
///         point.write("x", &self.x)?;
///         point.write("adjoint", &self.adjoint)?;
///         self.memory.write(point)
///     }
///     fn resume(&mut self, point: &mut CheckpointReader) -> Result<(), Error> {
///         point.read("x", &mut self.x)?;
///         point.read("adjoint", &mut self.adjoint)?;
///         self.memory.read(point)
///     }
/// }
///
/// # fn main() -> Result<(), Error> {
/// let store: Arc<dyn Store> = Arc::new(MemoryStore::new()); // files, if the process is to be killed indeed
/// let run = |kill_at| {
///     let mut model = Quadratic { x: [0.5], adjoint: [0.0], memory: MemoryStorage::default(), kill_at };
///     let mut resume = Resume::new(store.clone(), "run", Duration::ZERO)?;
///     let done = drive_resumable(&mut Schedule::binomial(10, 2)?, &mut model, &mut resume, |_| ())?;
///     resume.remove()?;
///     Ok::<_, Error>((model.adjoint[0], done.resumed_steps))
/// };
/// assert_eq!(run(7).unwrap_err().status(), Status::Stopped);
/// let (resumed, steps) = run(u64::MAX)?;
/// assert_eq!(steps, 7);
/// assert_eq!(run(u64::MAX)?, (resumed, 0));
/// # Ok(())
/// # }
/// ```
pub fn drive_resumable<M: Resumable + ?Sized>(
    schedule: &mut Schedule,
    model: &mut M,
    keeper: &mut (impl Keeper + ?Sized),
    mut progress: impl FnMut(&Progress),
) -> Result<Progress, Error> {
    if schedule.has_begun() {
        return Err(Error::new(
            Status::BadArgument,
            "the schedule has begun, and a run that can be resumed performs all of it\n  pass a new one",
        ));
    }
    let fingerprint = model.fingerprint()?;
    let parameters = Parameters::of(&model.parameters());
    let (schedule_name, points) = (schedule.name().to_owned(), keeper.name().to_owned());
    let mut run = Run::new(schedule, model);
    let (mut rest, mut was_finished) = (None, false);
    let found = keeper.last(&mut |checkpoint| {
        let point = Point::read(checkpoint)?;
        if point.schedule != schedule_name {
            let what = format!("its schedule is {}; this one is {schedule_name}", point.schedule);
            return Err(other_run(&points, &what));
        }
        if let Some(what) = point.parameters.difference(&parameters) {
            return Err(other_run(&points, &what));
        }
        if point.fingerprint != fingerprint {
            return Err(other_run(&points, "its initial state was another one"));
        }
        (run.at, run.done, was_finished) = (point.at, point.done, point.finished);
        if !point.finished {
            let there = replay(run.schedule, &point.at);
            let there = there.ok_or_else(|| other_run(&points, "its schedule was another one"))?;
            run.model.keep_only(&there.on_disk)?;
            rest = there.rest;
        }
        run.model.resume(checkpoint)?;
        checkpoint.expect_end()
    })?;
    if was_finished {
        keeper.ended();
        return Ok(run.done);
    }
    if !found {
        run.model.keep_only(&[])?;
    }
    let (at, done, finished) = (run.at, run.done, false);
    let mut point = Point { at, done, fingerprint, finished, schedule: schedule_name, parameters };
    run.finish(rest, |model, at, done| {
        progress(done);
        // What is on the tape cannot be brought back.
        if at.records > 0 {
            return Ok(());
        }
        (point.at, point.done) = (*at, *done);
        leave(keeper, model, &point)
    })?;
    (point.at, point.done, point.finished) = (run.at, run.done, true);
    leave(keeper, run.model, &point)?;
    keeper.ended();
    Ok(run.done)
}

/// Leaves a point, if the keeper wants one.
fn leave<M: Resumable + ?Sized>(
    keeper: &mut (impl Keeper + ?Sized),
    model: &mut M,
    point: &Point,
) -> Result<(), Error> {
    let kept = keeper.keep(point.finished, &mut |checkpoint| {
        if let Some(what) = point.parameters.difference(&Parameters::of(&model.parameters())) {
            return Err(changed(&what));
        }
        point.write(checkpoint)?;
        model.keep(checkpoint)
    })?;
    if kept { model.kept() } else { Ok(()) }
}
