//! Checkpoints of everything that is alive, against a naive model: random programs of allocations, frees, stack frames,
//! pointer writes and values, whose sweep is split at random places by checkpoints, restorations and records, over
//! allocators that reuse addresses at once, that never do, and over the stable heap; and rules by example.
//!
//! `make restoration` runs 100000 programs; the test runs fewer (ADTAPE_RESTORATION_RUNS sets how many).

mod program;
mod rules;
mod world;

use adtape::{CheckpointReader, CheckpointWriter, MemoryStore, Objects, Restoration, Status, Tape};
use fastrand::Rng;
use program::{Adjoints, Op, Program, State};
use std::collections::BTreeMap;
use world::{Policy, World};

/// Says which program failed.
struct Which(u64, Policy);

impl Drop for Which {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("failed: seed {}, {:?}", self.0, self.1);
        }
    }
}

/// A program that is run, with its memory, its tape and what the model says.
struct Run<'a> {
    objects: &'a Objects,
    tape: &'a Tape,
    store: MemoryStore,
    world: World,
    program: Program,
    states: Vec<State>,
    /// What the adjoints should be.
    adjoints: Adjoints,
    random: Rng,
    checkpoints: u64,
    restorations: u64,
    /// Objects that restorations allocated, gave the memory of others, bound.
    done: [u64; 3],
    refused: u64,
}

/// Where a checkpoint was written.
struct Written {
    name: String,
    step: usize,
}

impl<'a> Run<'a> {
    fn new(objects: &'a Objects, tape: &'a Tape, seed: u64, policy: Policy) -> Run<'a> {
        let mut random = Rng::with_seed(seed);
        let program = Program::random(&mut random);
        let states = program.states();
        let mut run = Run {
            objects,
            tape,
            store: MemoryStore::new(),
            world: World::new(policy),
            program,
            states,
            adjoints: Adjoints::default(),
            random,
            checkpoints: 0,
            restorations: 0,
            done: [0; 3],
            refused: 0,
        };
        run.world.declare_layouts(run.objects);
        for id in run.states[0].objects.keys().copied().collect::<Vec<_>>() {
            let object = run.states[0].objects[&id].clone();
            run.world.bear(run.objects, run.tape, id, &object);
        }
        run
    }

    /// The whole gradient: everything forward, everything backward, from state 0.
    fn gradient(&mut self) {
        let end = self.program.ops.len();
        self.sweep(0, end);
        self.compare(0, true);
        assert_eq!(self.tape.stats().unwrap().bytes, 0);
    }

    /// Restores a state in which nothing had been born.
    fn end(&mut self, empty: &MemoryStore) {
        let heap = self.world.without_heap();
        let mut checkpoint = CheckpointReader::open(empty, "empty").unwrap();
        let restoration = self.world.restore(self.objects, &mut checkpoint).unwrap();
        assert_eq!((restoration.counts.kept, restoration.counts.ended), (0, 2));
        assert_eq!(self.objects.stats().births, 0);
        assert_eq!(self.objects.forget_adjoints(), 2);
        drop(heap);
    }

    /// From state `from` of a forward sweep to state `to`, and back to `from` in the reverse sweep.
    fn sweep(&mut self, from: usize, to: usize) {
        let middle = from + self.random.usize(..(to - from).max(1));
        match self.random.u64(..4) {
            _ if to - from < 2 => self.record_and_reverse(from, to),
            0 => self.record_and_reverse(from, to),
            // What lies below the checkpoint is on the tape.
            1 => {
                self.forward(from, middle, true);
                self.sweep(middle, to);
                self.backward(middle, from);
            }
            _ => {
                let written = self.save(from);
                self.forward(from, middle.max(from + 1), false);
                self.sweep(middle.max(from + 1), to);
                let restoration = self.restore(&written);
                // Perhaps it takes two attempts.
                let restoration = match self.random.u64(..4) {
                    0 => {
                        let further = self.random.usize(..(middle.max(from + 1) - from));
                        self.forward(from, from + further, false);
                        self.restore(&written)
                    }
                    _ => restoration,
                };
                self.sweep(from, middle.max(from + 1));
                self.objects.arrive(&restoration);
            }
        }
    }

    fn record_and_reverse(&mut self, from: usize, to: usize) {
        self.forward(from, to, true);
        self.turn(to);
        self.backward(to, from);
    }

    fn forward(&mut self, from: usize, to: usize, record: bool) {
        self.world.set_recording(record);
        for step in from..to {
            let op = self.program.ops[step].clone();
            self.world.forward(self.objects, self.tape, &op, record);
            self.compare(step + 1, false);
        }
        self.world.set_recording(true);
    }

    fn turn(&mut self, step: usize) {
        self.objects.live_begin_reverse().unwrap();
        self.world.begin_reverse(self.objects);
        self.adjoints.turn(&self.states[step]);
        self.compare(step, true);
    }

    fn backward(&mut self, from: usize, to: usize) {
        for step in (to..from).rev() {
            let op = self.program.ops[step].clone();
            self.world.backward(self.objects, self.tape, &op);
            self.adjoints.backward(&op, &self.states[step], &self.states[step + 1]);
            self.compare(step, true);
        }
    }

    fn save(&mut self, step: usize) -> Written {
        self.checkpoints += 1;
        let name = format!("c{}", self.checkpoints);
        let mut checkpoint = CheckpointWriter::create(&self.store, &name).unwrap();
        let counts = self.world.save(self.objects, &mut checkpoint);
        assert_eq!(counts.ranges, self.states[step].objects.len() as u64);
        checkpoint.commit().unwrap();
        Written { name, step }
    }

    fn restore(&mut self, written: &Written) -> Restoration {
        // An allocation fails, now and then: nothing has changed.
        if self.random.u64(..4) == 0 {
            self.world.fail_after = Some(self.random.u64(..2));
            let before = (self.objects.live_list(), self.world.contents());
            let mut checkpoint = CheckpointReader::open(&self.store, &written.name).unwrap();
            let result = self.world.restore(self.objects, &mut checkpoint);
            self.world.fail_after = None;
            match result {
                Err(error) => {
                    assert_eq!(error.status(), Status::OutOfMemory);
                    assert_eq!((self.objects.live_list(), self.world.contents()), before);
                    self.refused += 1;
                }
                Ok(restoration) => {
                    self.restorations += 1;
                    self.compare(written.step, false);
                    return restoration;
                }
            }
        }
        let mut checkpoint = CheckpointReader::open(&self.store, &written.name).unwrap();
        let restoration = self.world.restore(self.objects, &mut checkpoint).unwrap();
        self.restorations += 1;
        assert_eq!(restoration.counts.dead, 0);
        let counts = restoration.counts;
        for (sum, n) in self.done.iter_mut().zip([counts.allocated - counts.reused, counts.reused, counts.bound]) {
            *sum += n;
        }
        self.compare(written.step, false);
        restoration
    }

    /// Every object of the model's state is alive and has its contents, every pointer points where it should, and there
    /// is no other memory; in the reverse sweep, adjoints are right.
    fn compare(&self, step: usize, reverse: bool) {
        let state = &self.states[step];
        let live: BTreeMap<u64, _> = self.objects.live_list().into_iter().map(|range| (range.serial, range)).collect();
        assert!(live.keys().eq(state.objects.keys()), "step {step}: {:?} {:?}", live.keys(), state.objects.keys());
        self.world.check_blocks(live.values().map(|range| range.base));
        for (id, object) in &state.objects {
            let range = live[id];
            let found = self.world.words(range.base, range.bytes);
            let pointers = object.slots.iter().map(|slot| slot.map_or(0, |(to, by)| live[&to].base as u64 + by));
            let expected: Vec<u64> = pointers.chain(object.values.iter().copied()).collect();
            assert_eq!(found, expected, "step {step}, object {id}");
            if reverse {
                let adjoint = self.world.words(range.adjoint_base, range.adjoint_bytes);
                assert_eq!(adjoint[object.slots.len()..], self.adjoints.0[id], "step {step}, adjoint of object {id}");
            }
        }
    }
}

#[test]
fn random_programs_come_through_restorations_as_in_the_model() {
    let runs = std::env::var("ADTAPE_RESTORATION_RUNS").map_or(600, |runs| runs.parse().expect("a number of runs"));
    let first: u64 = std::env::var("ADTAPE_RESTORATION_FIRST").map_or(1, |first| first.parse().expect("a seed"));
    let (mut restorations, mut done, mut refused) = (0, [0; 3], 0);
    let (objects, tape, empty) = (Objects::new(), Tape::new().unwrap(), MemoryStore::new());
    let mut checkpoint = CheckpointWriter::create(&empty, "empty").unwrap();
    World::new(Policy::NeverReuse).save(&objects, &mut checkpoint);
    checkpoint.commit().unwrap();
    for seed in first..first + runs {
        let policy = Policy::ALL[(seed % 3) as usize];
        let _which = Which(seed, policy);
        let mut run = Run::new(&objects, &tape, seed, policy);
        run.gradient();
        run.end(&empty);
        restorations += run.restorations;
        refused += run.refused;
        done.iter_mut().zip(run.done).for_each(|(sum, n)| *sum += n);
    }
    println!("{runs} programs, {restorations} restorations, {refused} refused; allocated, reused, bound: {done:?}");
    assert!(restorations > runs && refused > runs / 50 && done.iter().all(|n| *n > runs / 20));
}

/// What the test above would not notice if programs did nothing.
#[test]
fn random_programs_do_everything() {
    let mut seen = [0; 6];
    for seed in 1..100 {
        for op in Program::random(&mut Rng::with_seed(seed)).ops {
            seen[match op {
                Op::Bear { .. } => 0,
                Op::End { .. } => 1,
                Op::Frame { .. } => 2,
                Op::Point { raw: false, .. } => 3,
                Op::Point { raw: true, .. } => 4,
                Op::Compute { .. } => 5,
            }] += 1;
        }
    }
    assert!(seen.iter().all(|n| *n > 50), "{seen:?}");
}
