use super::variable::fingerprint_of;
use super::*;
use crate::checkpoint::{CheckpointReader, CheckpointWriter};
use crate::schedule::Level;
use crate::store::{EntryReader, EntryWriter, MemoryStore, Store};
use crate::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// x <- a map of three numbers and the step, and its adjoint.
struct Map {
    x: [f64; 3],
    adjoint: [f64; 3],
    storage: MemoryStorage,
    /// The loop ends by itself after so many steps.
    ends: u64,
    tape: Vec<[f64; 3]>,
}

impl Map {
    fn new(ends: u64) -> Map {
        let storage = MemoryStorage::default();
        Map { x: [0.3, 0.5, 0.7], adjoint: [0.0; 3], storage, ends, tape: Vec::new() }
    }

    fn forward(&mut self, step: u64) {
        let [a, b, c] = self.x;
        let time = 1e-3 * step as f64;
        self.x = [0.9 * (2.0 * b * (1.0 - a)).sin(), 0.5 * a + 0.3 * (c + time).cos(), (a * b).sin()];
    }

    fn reverse(&mut self, step: u64, [a, b, c]: [f64; 3]) {
        let [ab, bb, cb] = self.adjoint;
        let time = 1e-3 * step as f64;
        let (first, last) = (1.8 * (2.0 * b * (1.0 - a)).cos() * ab, (a * b).cos() * cb);
        self.adjoint = [0.5 * bb - b * first + b * last, (1.0 - a) * first + a * last, -0.3 * (c + time).sin() * bb];
    }
}

impl Model for Map {
    fn step(&mut self, step: u64) -> Result<Flow, Error> {
        self.forward(step);
        Ok(if step + 1 == self.ends { Flow::Ended } else { Flow::Continue })
    }

    fn adjoint_step(&mut self, step: u64, first: bool) -> Result<(), Error> {
        let before = self.x;
        self.forward(step);
        if first {
            self.adjoint = [1.0, 2.0, 3.0];
        }
        self.reverse(step, before);
        Ok(())
    }

    fn save(&mut self, step: u64, place: Place) -> Result<(), Error> {
        self.storage.save(step, place, &[Variable::new("x", &mut self.x)])
    }

    fn load(&mut self, step: u64, place: Place) -> Result<(), Error> {
        self.storage.load(step, place, &[Variable::new("x", &mut self.x)])
    }

    fn forget(&mut self, step: u64, place: Place) -> Result<(), Error> {
        self.storage.forget(step, place)
    }

    fn record_step(&mut self, step: u64) -> Result<Flow, Error> {
        self.tape.push(self.x);
        self.step(step)
    }

    fn reverse_step(&mut self, step: u64, first: bool) -> Result<(), Error> {
        if first {
            self.adjoint = [1.0, 2.0, 3.0];
        }
        let before = self.tape.pop().expect("a record");
        self.reverse(step, before);
        Ok(())
    }
}

fn gradient(schedule: Result<Schedule, Error>, ends: u64) -> [u64; 3] {
    let mut model = Map::new(ends);
    let mut seen = 0;
    let done = drive(&mut schedule.unwrap(), &mut model, |progress| {
        assert!(progress.forward_steps >= seen && progress.fraction() <= 1.0, "{progress:?}");
        seen = progress.forward_steps;
    });
    let done = done.unwrap();
    assert!(model.adjoint.iter().all(|x| x.is_normal()), "{:?}", model.adjoint);
    assert_eq!((done.steps, done.reversed_steps), (ends, ends));
    assert!(done.forward_steps_total == 0 || done.forward_steps_total == done.forward_steps, "{done:?}");
    model.adjoint.map(f64::to_bits)
}

#[test]
fn every_schedule_gives_the_same_gradient_bit_for_bit() {
    for n in [1, 2, 3, 10, 77, 200] {
        let expected = gradient(Ok(Schedule::store_all(n)), n);
        for s in [1, 2, 3, 10, 50] {
            for schedule in [
                Schedule::binomial(n, s),
                Schedule::online(s),
                Schedule::mixed(n, s),
                Schedule::multistage(n, s, 0),
                // Loops that end before the length they were planned for.
                Schedule::binomial(3 * n + 1, s),
                Schedule::mixed(2 * n + 1, s),
            ] {
                assert_eq!(gradient(schedule, n), expected, "n = {n}, s = {s}");
            }
        }
    }
}

/// An outer step that is itself a loop with a driver of its own.
struct Nested {
    inner: Map,
    inner_steps: u64,
    outer: MemoryStorage,
}

impl Model for Nested {
    fn step(&mut self, _: u64) -> Result<Flow, Error> {
        (0..self.inner_steps).for_each(|k| self.inner.forward(k));
        Ok(Flow::Continue)
    }

    fn adjoint_step(&mut self, _: u64, first: bool) -> Result<(), Error> {
        let carried = self.inner.adjoint;
        let steps = self.inner_steps;
        let mut unseeded = Unseeded(&mut self.inner, if first { [1.0, 2.0, 3.0] } else { carried });
        drive(&mut Schedule::binomial(steps, 2)?, &mut unseeded, |_| ()).map(drop)
    }

    fn save(&mut self, step: u64, place: Place) -> Result<(), Error> {
        self.outer.save(step, place, &[Variable::new("x", &mut self.inner.x)])
    }

    fn load(&mut self, step: u64, place: Place) -> Result<(), Error> {
        self.outer.load(step, place, &[Variable::new("x", &mut self.inner.x)])
    }
}

/// A loop whose adjoint begins with a given one.
struct Unseeded<'a>(&'a mut Map, [f64; 3]);

impl Model for Unseeded<'_> {
    fn step(&mut self, step: u64) -> Result<Flow, Error> {
        self.0.step(step)
    }
    fn adjoint_step(&mut self, step: u64, first: bool) -> Result<(), Error> {
        if first {
            self.0.adjoint = self.1;
        }
        self.0.adjoint_step(step, false)
    }
    fn save(&mut self, step: u64, place: Place) -> Result<(), Error> {
        self.0.save(step, place)
    }
    fn load(&mut self, step: u64, place: Place) -> Result<(), Error> {
        self.0.load(step, place)
    }
}

#[test]
fn drivers_nest() {
    let run = |snapshots| {
        let mut model = Nested { inner: Map::new(u64::MAX), inner_steps: 9, outer: MemoryStorage::default() };
        drive(&mut Schedule::binomial(12, snapshots).unwrap(), &mut model, |_| ()).unwrap();
        model.inner.adjoint.map(f64::to_bits)
    };
    assert_eq!(run(1), run(12));
    assert_eq!(run(3), run(12));
}

#[test]
fn error_of_the_model_ends_the_run() {
    struct Failing(u64);
    impl Model for Failing {
        fn step(&mut self, step: u64) -> Result<Flow, Error> {
            self.0 = step;
            if step == 3 { Err(Error::new(Status::Io, "no more disk")) } else { Ok(Flow::Continue) }
        }
        fn adjoint_step(&mut self, _: u64, _: bool) -> Result<(), Error> {
            panic!("after an error")
        }
        fn save(&mut self, _: u64, _: Place) -> Result<(), Error> {
            Ok(())
        }
        fn load(&mut self, _: u64, _: Place) -> Result<(), Error> {
            panic!("after an error")
        }
    }
    let mut model = Failing(0);
    let error = drive(&mut Schedule::binomial(10, 2).unwrap(), &mut model, |_| ()).unwrap_err();
    assert_eq!((error.status(), model.0), (Status::Io, 3));
    let error = drive(&mut Schedule::store_all(10), &mut model, |_| ()).unwrap_err();
    assert!(error.message().contains("keeps the tape of step 0"), "{error}");
}

#[test]
fn memory_storage_refuses_what_it_does_not_have() {
    let mut storage = MemoryStorage::default();
    let at = |slot| Place { level: Level::Memory, slot };
    let (mut a, mut b) = ([1_i16, 2], [3_i64]);
    storage.save(5, at(2), &[Variable::new("a", &mut a), Variable::new("b", &mut b)]).unwrap();
    (a, b) = ([0; 2], [0; 1]);
    storage.load(5, at(2), &[Variable::new("a", &mut a), Variable::new("b", &mut b)]).unwrap();
    assert_eq!((a, b), ([1, 2], [3]));
    let mut load = |step, slot| storage.load(step, at(slot), &[Variable::new("a", &mut a), Variable::new("b", &mut b)]);
    assert!(load(4, 2).is_err(), "another step");
    assert!(load(5, 1).is_err(), "another slot");
    assert!(storage.load(5, at(2), &[Variable::new("a", &mut a)]).is_err(), "fewer variables");
    storage.forget(5, at(2)).unwrap();
    assert!(storage.load(5, at(2), &[Variable::new("a", &mut a), Variable::new("b", &mut b)]).is_err(), "forgotten");
    let disk = storage.save(5, Place { level: Level::Disk, slot: 0 }, &[]).unwrap_err();
    assert_eq!(disk.status(), Status::BadArgument);
    assert!(storage.bytes() >= 12);
}

#[test]
fn snapshots_in_a_store_come_back_and_leave_nothing_behind() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut storages = ["a", "b"].map(|prefix| StoreStorage::new(store.clone(), prefix));
    let at = Place { level: Level::Disk, slot: 0 };
    for (i, storage) in storages.iter_mut().enumerate() {
        storage.save(5, at, &[Variable::new("x", &mut [1.0, 2.0 + i as f64])]).unwrap();
    }
    for (i, storage) in storages.iter_mut().enumerate() {
        let mut x = [0.0; 2];
        storage.load(5, at, &[Variable::new("x", &mut x)]).unwrap();
        assert_eq!(x, [1.0, 2.0 + i as f64]);
        for other in
            [Variable::new("x", &mut [0.0; 3]), Variable::new("x", &mut [0_i64; 2]), Variable::new("y", &mut x)]
        {
            assert_eq!(storage.load(5, at, &[other]).unwrap_err().status(), Status::Mismatch);
        }
        assert_eq!(storage.load(4, at, &[]).unwrap_err().status(), Status::NotFound);
        storage.forget(5, at).unwrap();
    }
    assert_eq!(store.names().unwrap(), [""; 0]);
}

// ---- states that are computed again ----------------------------------------------------------------------------

/// A map whose step may read and change a number that is not saved.
struct Forgetful {
    map: Map,
    counter: u64,
    /// The first step that reads it, and the first that changes it.
    reads: u64,
    writes: u64,
}

impl Forgetful {
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
        self.map.load(step, place)
    }
    fn state_number(&mut self) -> Option<u64> {
        Some(fingerprint_of(&[Variable::new("x", &mut self.map.x)]))
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

/// The same, and how far it came.
fn checked_steps(mut schedule: Schedule, reads: u64, writes: u64) -> Result<([u64; 3], Progress), Error> {
    let mut model = Forgetful { map: Map::new(u64::MAX), counter: 0, reads, writes };
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
    }
    // Steps 0 to 4 neither read nor change it: the first that is different is step 5.
    let error = checked(Schedule::binomial(N, 1).unwrap(), 5, 5).unwrap_err();
    assert!(error.message().starts_with("step 5, run again"), "{error}");
}

#[test]
fn snapshot_that_is_not_what_was_saved_is_named() {
    struct Careless(Forgetful);
    impl Model for Careless {
        fn step(&mut self, step: u64) -> Result<Flow, Error> {
            self.0.step(step)
        }
        fn adjoint_step(&mut self, step: u64, first: bool) -> Result<(), Error> {
            self.0.adjoint_step(step, first)
        }
        fn save(&mut self, step: u64, place: Place) -> Result<(), Error> {
            self.0.save(step, place)
        }
        fn load(&mut self, step: u64, place: Place) -> Result<(), Error> {
            self.0.load(step, place)?;
            self.0.map.x[1] += f64::from(u8::from(step == 4));
            Ok(())
        }
        fn state_number(&mut self) -> Option<u64> {
            self.0.state_number()
        }
    }
    let mut schedule = Schedule::binomial(8, 8).unwrap();
    let map = Map::new(u64::MAX);
    let mut model = Careless(Forgetful { map, counter: 0, reads: u64::MAX, writes: u64::MAX });
    let mut run = Run::new(&mut schedule, &mut model);
    run.states = Some(recomputed::States::new());
    let error = run.finish(None, |_, _, _| Ok(())).unwrap_err();
    assert_eq!(error.status(), Status::Mismatch);
    assert!(error.message().starts_with("the state of step 4 that was loaded"), "{error}");
}

// ---- runs that are killed and resumed --------------------------------------------------------------------------

/// A map whose process is killed at one of its calls: what is in memory is lost, what is in the store is not.
struct Killed {
    map: Map,
    disk: StoreStorage,
    calls: u64,
    kill_at: u64,
}

impl Killed {
    fn new(store: &Arc<dyn Store>, ends: u64, kill_at: u64) -> Killed {
        Killed { map: Map::new(ends), disk: StoreStorage::lasting(store.clone(), "run"), calls: 0, kill_at }
    }

    fn call(&mut self) -> Result<(), Error> {
        self.calls += 1;
        if self.calls == self.kill_at { Err(Error::new(Status::Stopped, "killed")) } else { Ok(()) }
    }
}

impl Model for Killed {
    fn step(&mut self, step: u64) -> Result<Flow, Error> {
        self.call()?;
        self.map.step(step)
    }
    fn adjoint_step(&mut self, step: u64, first: bool) -> Result<(), Error> {
        self.call()?;
        self.map.adjoint_step(step, first)
    }
    fn save(&mut self, step: u64, place: Place) -> Result<(), Error> {
        self.call()?;
        match place.level {
            Level::Memory => self.map.save(step, place),
            Level::Disk => self.disk.save(step, place, &[Variable::new("x", &mut self.map.x)]),
        }
    }
    fn load(&mut self, step: u64, place: Place) -> Result<(), Error> {
        self.call()?;
        match place.level {
            Level::Memory => self.map.load(step, place),
            Level::Disk => self.disk.load(step, place, &[Variable::new("x", &mut self.map.x)]),
        }
    }
    fn forget(&mut self, step: u64, place: Place) -> Result<(), Error> {
        self.call()?;
        match place.level {
            Level::Memory => self.map.forget(step, place),
            Level::Disk => self.disk.forget(step, place),
        }
    }
    fn record_step(&mut self, step: u64) -> Result<Flow, Error> {
        self.call()?;
        self.map.record_step(step)
    }
    fn reverse_step(&mut self, step: u64, first: bool) -> Result<(), Error> {
        self.call()?;
        self.map.reverse_step(step, first)
    }
}

impl Resumable for Killed {
    fn fingerprint(&mut self) -> Result<u64, Error> {
        Ok(fingerprint_of(&[Variable::new("x", &mut self.map.x)]))
    }
    fn keep(&mut self, point: &mut CheckpointWriter) -> Result<(), Error> {
        self.call()?;
        let map = &mut self.map;
        point.write("x", &map.x)?;
        point.write("adjoint", &map.adjoint)?;
        map.storage.write(point)?;
        self.call()
    }
    fn resume(&mut self, point: &mut CheckpointReader) -> Result<(), Error> {
        self.call()?;
        let map = &mut self.map;
        point.read("x", &mut map.x)?;
        point.read("adjoint", &mut map.adjoint)?;
        map.storage.read(point)
    }
    fn kept(&mut self) -> Result<(), Error> {
        self.call()?;
        self.disk.kept()
    }
    fn keep_only(&mut self, steps: &[u64]) -> Result<(), Error> {
        self.call()?;
        self.disk.keep_only(steps)
    }
}

/// Of `ends` steps.
fn schedules(n: u64) -> Vec<Schedule> {
    let all = [
        Schedule::binomial(n, 1),
        Schedule::binomial(n, 3),
        Schedule::binomial(2 * n, 3),
        Schedule::online(3),
        Schedule::multistage(n, 1, 2),
        Schedule::multistage(n + 3, 2, 2),
        Schedule::disk_revolve(n, 2, 1.5, 0.5),
        Schedule::two_level(Some(n), 4, 2),
        Schedule::two_level(None, 3, 1),
        Schedule::mixed(n, 3),
    ];
    all.into_iter().map(Result::unwrap).chain([Schedule::store_all(n)]).collect()
}

#[test]
fn run_that_is_killed_at_any_call_again_and_again_goes_on_to_the_same_gradient() {
    const N: u64 = 11;
    let expected = gradient(Ok(Schedule::store_all(N)), N);
    for schedule in schedules(N) {
        for every in (1..80).chain([1000]) {
            let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
            let (mut kills, mut resumed, mut kill_at) = (0, 0, every);
            let (map, done) = loop {
                let mut model = Killed::new(&store, N, kill_at);
                let mut resume = Resume::new(store.clone(), "run", Duration::ZERO).unwrap();
                match drive_resumable(&mut schedule.clone(), &mut model, &mut resume, |_| ()) {
                    Ok(done) => {
                        resume.remove().unwrap();
                        break (model.map, done);
                    }
                    Err(error) => assert_eq!(error.status(), Status::Stopped, "{error}"),
                }
                // A process that is killed before its first point gets no further: the next one lives longer.
                (kills, resumed, kill_at) = (kills + 1, resumed + 1, kill_at + 1);
                assert!(kills < 1000, "{} does not get on", schedule.name());
            };
            assert_eq!(map.adjoint.map(f64::to_bits), expected, "{}, every {every}", schedule.name());
            assert_eq!((done.steps, done.reversed_steps), (N, N));
            assert!(done.forward_steps_total == 0 || done.forward_steps_total == done.forward_steps, "{done:?}");
            assert_eq!(store.names().unwrap(), [""; 0], "{}, every {every}", schedule.name());
        }
    }
}

#[test]
fn result_of_a_run_that_ended_is_there_until_it_is_removed() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let run = |resume: &mut Resume| {
        let mut model = Killed::new(&store, 20, u64::MAX);
        drive_resumable(&mut Schedule::binomial(20, 3).unwrap(), &mut model, resume, |_| ()).unwrap();
        (model.map.adjoint.map(f64::to_bits), model.calls)
    };
    let new = || Resume::new(store.clone(), "run", Duration::from_secs(3600)).unwrap();
    let mut first = new();
    let (gradient, calls) = run(&mut first);
    assert_eq!(run(&mut new()), (gradient, 1), "it is read");
    assert_eq!(run(&mut first), (gradient, calls), "a second run in one process is computed");
    first.remove().unwrap();
    assert_eq!(run(&mut new()), (gradient, calls));
}

#[test]
fn point_of_another_run_is_refused_with_both() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let resume = || Resume::new(store.clone(), "run", Duration::ZERO).unwrap();
    let killed = Killed::new(&store, 20, 40);
    let start = |n, mut model: Killed| {
        drive_resumable(&mut Schedule::binomial(n, 3).unwrap(), &mut model, &mut resume(), |_| ())
    };
    assert_eq!(start(20, killed).unwrap_err().status(), Status::Stopped);
    let other = start(30, Killed::new(&store, 30, u64::MAX)).unwrap_err();
    assert_eq!(other.status(), Status::Mismatch);
    assert!(other.message().contains("20 steps") && other.message().contains("30 steps"), "{other}");
    let mut model = Killed::new(&store, 20, u64::MAX);
    model.map.x[1] += 1e-15;
    let other = start(20, model).unwrap_err();
    assert!(other.status() == Status::Mismatch && other.message().contains("initial state"), "{other}");
    let mut begun = Schedule::binomial(20, 3).unwrap();
    begun.next();
    let begun = drive_resumable(&mut begun, &mut Killed::new(&store, 20, u64::MAX), &mut resume(), |_| ()).unwrap_err();
    assert!(begun.status() == Status::BadArgument && begun.message().contains("has begun"), "{begun}");
    start(20, Killed::new(&store, 20, u64::MAX)).unwrap();
}

/// A variable that was registered no more when the run resumed was left in the checkpoint: another gradient, status OK.
#[test]
fn what_is_left_of_a_point_or_of_a_snapshot_is_refused() {
    struct Fewer(Killed);
    impl Model for Fewer {
        fn step(&mut self, step: u64) -> Result<Flow, Error> {
            self.0.step(step)
        }
        fn adjoint_step(&mut self, step: u64, first: bool) -> Result<(), Error> {
            self.0.adjoint_step(step, first)
        }
        fn save(&mut self, step: u64, place: Place) -> Result<(), Error> {
            self.0.save(step, place)
        }
        fn load(&mut self, step: u64, place: Place) -> Result<(), Error> {
            self.0.load(step, place)
        }
    }
    impl Resumable for Fewer {
        fn fingerprint(&mut self) -> Result<u64, Error> {
            self.0.fingerprint()
        }
        fn keep(&mut self, point: &mut CheckpointWriter) -> Result<(), Error> {
            self.0.keep(point)
        }
        fn resume(&mut self, point: &mut CheckpointReader) -> Result<(), Error> {
            point.read("x", &mut self.0.map.x)?;
            self.0.map.storage.read(point)
        }
    }
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let start = |kill_at| {
        let mut resume = Resume::new(store.clone(), "run", Duration::ZERO).unwrap();
        let mut model = Fewer(Killed::new(&store, 20, kill_at));
        drive_resumable(&mut Schedule::binomial(20, 3).unwrap(), &mut model, &mut resume, |_| ()).unwrap_err()
    };
    assert_eq!(start(40).status(), Status::Stopped);
    let error = start(u64::MAX);
    assert_eq!(error.status(), Status::Mismatch);
    assert!(error.message().contains("\"adjoint\"") && error.message().contains("register all"), "{error}");
    // And of a snapshot on disk.
    let mut storage = StoreStorage::new(store.clone(), "other");
    let at = Place { level: Level::Disk, slot: 0 };
    let (mut x, mut y) = ([1.0], [2.0]);
    storage.save(5, at, &[Variable::new("x", &mut x), Variable::new("y", &mut y)]).unwrap();
    let error = storage.load(5, at, &[Variable::new("x", &mut x)]).unwrap_err();
    assert!(error.status() == Status::Mismatch && error.message().contains("\"y\""), "{error}");
}

/// A store in memory whose disk is full now and then.
struct Full {
    memory: MemoryStore,
    creates: AtomicU64,
    refuses: u64,
}

impl Store for Full {
    fn create(&self, name: &str) -> Result<Box<dyn EntryWriter>, Error> {
        if self.creates.fetch_add(1, Ordering::Relaxed) + 1 == self.refuses {
            Err(Error::new(Status::Io, "the disk is full"))
        } else {
            self.memory.create(name)
        }
    }
    fn open(&self, name: &str) -> Result<Box<dyn EntryReader>, Error> {
        self.memory.open(name)
    }
    fn remove(&self, name: &str) -> Result<(), Error> {
        self.memory.remove(name)
    }
    fn names(&self) -> Result<Vec<String>, Error> {
        self.memory.names()
    }
}

#[test]
fn disk_that_is_full_ends_the_run_and_it_goes_on_from_the_point_before() {
    const N: u64 = 11;
    let expected = gradient(Ok(Schedule::store_all(N)), N);
    for refuses in 1..40 {
        let memory = MemoryStore::new();
        let mut store: Arc<dyn Store> = Arc::new(Full { memory: memory.clone(), creates: AtomicU64::new(0), refuses });
        let mut ends = 0;
        let map = loop {
            let mut model = Killed::new(&store, N, u64::MAX);
            let mut resume = Resume::new(store.clone(), "run", Duration::ZERO).unwrap();
            let schedule = Schedule::multistage(N, 1, 2);
            match drive_resumable(&mut schedule.unwrap(), &mut model, &mut resume, |_| ()) {
                Ok(_) => break model.map,
                Err(error) => assert_eq!(error.status(), Status::Io, "{error}"),
            }
            ends += 1;
            store = Arc::new(memory.clone());
        };
        assert_eq!(ends, 1, "{refuses}");
        assert_eq!(map.adjoint.map(f64::to_bits), expected, "{refuses}");
        assert_eq!(memory.names().unwrap(), ["run"]);
    }
}

#[test]
fn snapshot_on_disk_that_is_gone_is_an_error_before_anything_is_computed() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let run = |kill_at| {
        let mut model = Killed::new(&store, 30, kill_at);
        let mut resume = Resume::new(store.clone(), "run", Duration::ZERO).unwrap();
        let done = drive_resumable(&mut Schedule::multistage(30, 1, 3).unwrap(), &mut model, &mut resume, |_| ());
        (done.map(drop), model.calls)
    };
    assert_eq!(run(100).0.unwrap_err().status(), Status::Stopped);
    store.remove("run-step-0").unwrap();
    let (result, calls) = run(u64::MAX);
    let error = result.unwrap_err();
    assert!(error.status() == Status::NotFound && error.message().contains("run-step-0"), "{error}");
    assert_eq!(calls, 1, "that of keep_only");
}

#[test]
fn name_of_a_run_that_cannot_be_one_is_refused() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    for name in ["", "a/b", &"x".repeat(75)] {
        let error = Resume::new(store.clone(), name, Duration::ZERO).err().unwrap();
        assert_eq!(error.status(), Status::BadArgument, "{name:?}");
    }
    Resume::new(store, &"x".repeat(74), Duration::ZERO).unwrap();
}
