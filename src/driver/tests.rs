mod parameters;
mod recomputed;
mod registered;
mod resume;

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
