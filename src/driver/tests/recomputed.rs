//! What check mode finds of steps that are run again.

use super::*;

/// A map whose step may read and change a number that is not saved.
struct Forgetful {
    map: Map,
    counter: u64,
    /// The first step that reads it, and the first that changes it.
    reads: u64,
    writes: u64,
    /// The step whose state it loads wrong.
    spoils: u64,
}

impl Forgetful {
    fn new(reads: u64, writes: u64) -> Forgetful {
        Forgetful { map: Map::new(u64::MAX), counter: 0, reads, writes, spoils: u64::MAX }
    }

    fn touch(&mut self, step: u64) {
        if step >= self.reads {
            self.map.x[0] += 1e-9 * self.counter as f64;
        }
        self.counter += u64::from(step >= self.writes);
    }
}

impl Model for Forgetful {
    fn step(&mut self, step: u64) -> Result<Flow, Error> {
        self.touch(step);
        self.map.step(step)
    }
    fn adjoint_step(&mut self, step: u64, first: bool) -> Result<(), Error> {
        self.touch(step);
        self.map.adjoint_step(step, first)
    }
    fn save(&mut self, step: u64, place: Place) -> Result<(), Error> {
        self.map.save(step, place)
    }
    fn load(&mut self, step: u64, place: Place) -> Result<(), Error> {
        self.map.load(step, place)?;
        self.map.x[1] += f64::from(u8::from(step == self.spoils));
        Ok(())
    }
    fn state(&mut self) -> Option<Vec<Variable<'_>>> {
        Some(vec![Variable::new("x", &mut self.map.x)])
    }
    fn record_step(&mut self, step: u64) -> Result<Flow, Error> {
        self.touch(step);
        self.map.record_step(step)
    }
    fn reverse_step(&mut self, step: u64, first: bool) -> Result<(), Error> {
        self.map.reverse_step(step, first)
    }
}

/// The gradient of a run in check mode, or its error.
fn checked(schedule: Schedule, reads: u64, writes: u64) -> Result<[u64; 3], Error> {
    checked_steps(schedule, reads, writes).map(|(adjoint, _)| adjoint)
}

/// The gradient of a run in check mode, and how far the run came.
fn checked_steps(mut schedule: Schedule, reads: u64, writes: u64) -> Result<([u64; 3], Progress), Error> {
    let mut model = Forgetful::new(reads, writes);
    let mut run = Run::new(&mut schedule, &mut model);
    run.states = Some(recomputed::States::new());
    run.finish(None, |_, _, _| Ok(()))?;
    // What check mode runs once more is counted apart: the forward steps are those of the schedule.
    assert_eq!(run.done.forward_steps, run.done.forward_steps_total, "{:?}", run.done);
    let done = run.done;
    Ok((model.map.adjoint.map(f64::to_bits), done))
}

/// One snapshot for ten steps: each turn but the last needs all steps below it again, which check mode tries first.
#[test]
fn steps_that_check_mode_compares_are_counted_apart() {
    let (_, done) = checked_steps(Schedule::binomial(10, 1).unwrap(), u64::MAX, 0).unwrap();
    assert_eq!((done.forward_steps, done.compared_steps), (10 + 45, 45));
}

/// A step that read an unregistered variable gave another gradient, with status OK.
#[test]
fn step_that_reads_what_is_not_registered_is_named_under_every_schedule() {
    const N: u64 = 12;
    let schedules =
        [Schedule::binomial(N, 1), Schedule::binomial(N, 3), Schedule::binomial(N, N), Schedule::mixed(N, 2)];
    let expected = gradient(Ok(Schedule::store_all(N)), N);
    for schedule in schedules.map(Result::unwrap) {
        let name = schedule.name().to_owned();
        assert_eq!(checked(schedule.clone(), u64::MAX, 0).unwrap(), expected, "{name}: nothing is read");
        let error = checked(schedule, 0, 0).expect_err("a step reads the counter");
        assert_eq!(error.status(), Status::Mismatch);
        assert!(error.message().contains("step ") && error.message().contains("not registered"), "{name}: {error}");
        let differ = error.message().lines().nth(1).unwrap_or_default();
        assert!(differ.starts_with("  x: ") && differ.contains(" of 3, counted from 0, was 0."), "{name}: {error}");
    }
    // Steps 0 to 4 neither read nor change it: the first that is different is step 5.
    let error = checked(Schedule::binomial(N, 1).unwrap(), 5, 5).unwrap_err();
    assert!(error.message().starts_with("step 5, run again"), "{error}");
}

#[test]
fn snapshot_that_is_not_what_was_saved_is_named() {
    let mut schedule = Schedule::binomial(8, 8).unwrap();
    let mut model = Forgetful { spoils: 4, ..Forgetful::new(u64::MAX, u64::MAX) };
    let mut run = Run::new(&mut schedule, &mut model);
    run.states = Some(recomputed::States::new());
    let error = run.finish(None, |_, _, _| Ok(())).unwrap_err();
    assert_eq!(error.status(), Status::Mismatch);
    assert!(error.message().starts_with("the state of step 4 that was loaded"), "{error}");
    assert!(error.message().contains("\n  x: element 1 of 3, counted from 0, was "), "{error}");
}
