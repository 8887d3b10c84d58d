//! The registry against a naive model: random programs run forward and backward, with allocators that reuse addresses
//! or never do. Rules by example: [`births`] and [`pointers`]; dangling pointers: [`stale`];
//! variables of procedures: [`frames`].

#![forbid(unsafe_code)]

mod births;
mod frames;
mod pointers;
mod stale;

use super::*;
use crate::error::Error;
use crate::error::Status;
use crate::part::part;
use fastrand::Rng;

fn registry() -> (Registry, u16) {
    let registry = Registry::new();
    let lane = registry.claim().unwrap();
    (registry, lane)
}

fn at(base: u64) -> Present {
    Present { base, adjoint_base: 0, adjoint_bytes: 0 }
}

fn status<T>(result: Result<T, Error>) -> Status {
    result.err().map_or(Status::Ok, |error| error.status())
}

/// How the allocator of a sweep chooses addresses.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Choice {
    /// The lowest that is free: freed addresses come back at once, ranges touch.
    Lowest,
    /// One that never was used.
    Fresh,
}

struct Allocator {
    choice: Choice,
    next: u64,
    /// Base and bytes of what is allocated, by base.
    blocks: std::collections::BTreeMap<u64, u64>,
}

impl Allocator {
    fn allocate(&mut self, bytes: u64) -> u64 {
        let mut base = self.next;
        match self.choice {
            Choice::Fresh => self.next += bytes + 64,
            Choice::Lowest => {
                for (start, length) in &self.blocks {
                    if base + bytes <= *start {
                        break;
                    }
                    base = start + length;
                }
            }
        }
        self.blocks.insert(base, bytes);
        base
    }
}

/// What the model knows of an object. Its place in the list is who it is.
#[derive(Clone, Copy, Debug)]
struct Truth {
    serial: Serial,
    base: u64,
    bytes: u64,
    kind: RangeKind,
    adjoint: u64,
    alive: bool,
}

enum Step {
    Birth(usize),
    Death(usize, RangeRecord),
    Pointer(Record, Option<(usize, u64)>),
}

struct Program {
    registry: Registry,
    lane: u16,
    random: Rng,
    objects: Vec<Truth>,
    /// Deaths whose addresses no later death has taken, as (object, base, bytes).
    past: Vec<(usize, u64, u64)>,
    allocator: Allocator,
    tape: Vec<Step>,
}

impl Program {
    fn pick(&mut self, alive: bool) -> Option<usize> {
        let which: Vec<usize> = (0..self.objects.len()).filter(|i| self.objects[*i].alive == alive).collect();
        (!which.is_empty()).then(|| which[self.random.usize(..which.len())])
    }

    fn birth(&mut self) {
        let bytes = 8 * (1 + self.random.u64(..6));
        let kind = RangeKind::ALL[self.random.usize(..5)];
        let base = self.allocator.allocate(bytes);
        let serial = self.registry.add(self.lane, base, bytes, kind, c"").unwrap();
        self.tape.push(Step::Birth(self.objects.len()));
        self.objects.push(Truth { serial, base, bytes, kind, adjoint: 0, alive: true });
    }

    fn death(&mut self) {
        let Some(i) = self.pick(true) else { return };
        let object = self.objects[i];
        let record = RangeRecord::of(&self.registry.remove(self.lane, object.base).unwrap());
        self.tape.push(Step::Death(i, record));
        self.objects[i].alive = false;
        self.allocator.blocks.remove(&object.base);
        let stack = object.kind == RangeKind::Stack;
        self.past.retain(|(j, base, bytes)| {
            let other_map = (self.objects[*j].kind == RangeKind::Stack) != stack;
            other_map || base + bytes <= object.base || object.base + object.bytes <= *base
        });
        self.past.push((i, object.base, object.bytes));
    }

    /// The object that an address belongs to, by looking at all of them.
    fn owner(&self, address: u64) -> Option<(usize, u64)> {
        let all = self.objects.iter().enumerate().filter(|(_, object)| object.alive);
        let within = all.filter(|(_, object)| object.base <= address && address <= object.base + object.bytes);
        if let Some((i, object)) = within.max_by_key(|(_, object)| object.base) {
            return Some((i, address - object.base));
        }
        // Dead objects of the stack are searched first.
        for stack in [true, false] {
            let past = self.past.iter().filter(|(i, ..)| (self.objects[*i].kind == RangeKind::Stack) == stack);
            let within = past.filter(|(_, base, bytes)| *base <= address && address <= base + bytes);
            if let Some((i, base, _)) = within.max_by_key(|(_, base, _)| *base) {
                return Some((*i, address - base));
            }
        }
        None
    }

    fn pointer(&mut self) {
        let alive = self.random.u64(..4) > 0;
        let Some(i) = self.pick(alive) else { return };
        let address = self.objects[i].base + self.random.u64(..self.objects[i].bytes / 4 + 1) * 4;
        let owner = self.owner(address);
        let found = self.registry.find(self.lane, address);
        match owner {
            None => assert_eq!(status(found), Status::NoRange),
            Some((i, offset)) => {
                let place = found.unwrap().unwrap();
                assert_eq!((place.serial, place.offset), (self.objects[i].serial, offset as i64));
                self.tape.push(Step::Pointer(pack(Some(place)), owner));
            }
        }
    }

    /// Plays the tape back. Each pointer goes to a variable of its own, far from all objects.
    fn reverse(&mut self, choice: Choice, spread: u64) {
        const VARIABLES: u64 = 1 << 46;
        self.registry.turn().unwrap();
        self.allocator.choice = choice;
        if choice == Choice::Fresh {
            self.allocator.next = 1 << 40;
        }
        let mut waiting = std::collections::BTreeMap::new();
        for (k, step) in std::mem::take(&mut self.tape).into_iter().enumerate().rev() {
            match step {
                Step::Pointer(record, owner) => {
                    let place = unpack(record).unwrap().unwrap();
                    let (i, offset) = owner.unwrap();
                    let found = self.registry.locate_both(place).unwrap();
                    assert_eq!(found, self.truth(i, offset, spread), "pointer {k} to object {i}");
                    if found.is_none() {
                        let variable = VARIABLES + 16 * k as u64;
                        let target = Target::Object(place.serial, place.offset);
                        self.registry.wait(variable, Wait::new(target, false), || ());
                        self.registry.wait(variable + 8, Wait::new(target, true), || ());
                        waiting.insert(variable, (i, offset));
                    }
                }
                Step::Birth(i) => {
                    self.registry.undo_birth(self.lane, self.objects[i].base).unwrap();
                    self.objects[i].alive = false;
                    self.allocator.blocks.remove(&self.objects[i].base);
                }
                Step::Death(i, record) => {
                    let bytes = self.objects[i].bytes;
                    let base = self.allocator.allocate(bytes);
                    let adjoint = (1 << 44) + 1000 * i as u64;
                    let present = Present { base, adjoint_base: adjoint, adjoint_bytes: bytes * spread };
                    let arrivals = self.registry.restore_and_list(self.lane, &record, present).unwrap();
                    self.objects[i] = Truth { base, adjoint, alive: true, ..self.objects[i] };
                    let waited = arrivals.iter().filter(|a| a.held.is_none());
                    let mut arrived: Vec<_> = waited.map(|a| (a.variable, a.value)).collect();
                    arrived.sort_unstable();
                    let expected: Vec<(u64, u64)> = waiting
                        .iter()
                        .filter(|(_, (j, _))| *j == i)
                        .flat_map(|(v, (_, o))| [(*v, base + o), (*v + 8, adjoint + o * spread)])
                        .collect();
                    assert_eq!(arrived, expected);
                    waiting.retain(|_, (j, _)| *j != i);
                }
            }
        }
        assert_eq!(self.registry.list(), []);
        assert!(waiting.is_empty() && self.registry.waiting().is_empty());
    }

    fn truth(&self, i: usize, offset: u64, spread: u64) -> Option<(u64, u64)> {
        let object = self.objects[i];
        let adjoint = if object.adjoint == 0 { 0 } else { object.adjoint + offset * spread };
        object.alive.then_some((object.base + offset, adjoint))
    }
}

/// Every pointer of a forward sweep comes back to the same place of the same object, whatever the addresses do.
#[test]
fn random_programs_find_every_object_again_in_the_reverse_sweep() {
    for seed in 1..=part(400) {
        for (forward, backward) in
            [(Choice::Lowest, Choice::Lowest), (Choice::Lowest, Choice::Fresh), (Choice::Fresh, Choice::Lowest)]
        {
            let (registry, lane) = registry();
            let allocator = Allocator { choice: forward, next: 4096, blocks: Default::default() };
            let random = Rng::with_seed(seed);
            let mut program =
                Program { registry, lane, random, objects: vec![], past: vec![], allocator, tape: vec![] };
            for _ in 0..120 {
                match program.random.u64(..8) {
                    0..=2 => program.birth(),
                    3 | 4 => program.death(),
                    _ => program.pointer(),
                }
            }
            let alive = program.objects.iter().filter(|object| object.alive).count();
            assert_eq!(program.registry.list().len(), alive, "seed {seed}, {forward:?}, {backward:?}");
            println!("seed {seed}, {forward:?}, {backward:?}: {} objects", program.objects.len());
            program.reverse(backward, 1 + seed % 3);
        }
    }
}

/// Threads that add, find and remove ranges of their own and search those of all.
#[test]
fn threads_find_what_is_alive_while_others_add_and_remove() {
    let registry = Registry::new();
    let first = registry.claim().unwrap();
    let fixed: Vec<Serial> =
        (0..100).map(|i| registry.add(first, (1 << 40) + 100 * i, 64, RangeKind::Heap, c"fixed").unwrap()).collect();
    std::thread::scope(|scope| {
        for t in 0..4_u64 {
            let (registry, fixed) = (&registry, &fixed);
            scope.spawn(move || {
                let lane = registry.claim().unwrap();
                let mut random = Rng::with_seed(77 + t);
                for round in 0..3000 {
                    let (heap, stack) = ((t + 1) << 32, (t + 11) << 32);
                    let own = registry.add(lane, heap + round % 7 * 64, 64, RangeKind::Heap, c"own").unwrap();
                    registry.add(lane, stack, 16, RangeKind::Stack, c"local").unwrap();
                    let i = random.u64(..100);
                    let place = registry.find(lane, (1 << 40) + 100 * i + 5).unwrap().unwrap();
                    assert_eq!(place, ObjectOffset { serial: fixed[i as usize], offset: 5 });
                    assert_eq!(registry.locate_both(place).unwrap(), Some(((1 << 40) + 100 * i + 5, 0)));
                    let place = registry.find(lane, heap + round % 7 * 64 + 64).unwrap().unwrap();
                    assert_eq!(place, ObjectOffset { serial: own, offset: 64 });
                    let record = RangeRecord::of(&registry.remove(lane, heap + round % 7 * 64).unwrap());
                    registry.restore_and_list(lane, &record, at(heap + 4096)).unwrap();
                    assert_eq!(registry.locate_both(place).unwrap(), Some((heap + 4096 + 64, 0)));
                    registry.undo_birth(lane, heap + 4096).unwrap();
                    registry.remove(lane, stack).unwrap();
                }
                registry.give_back(lane);
            });
        }
    });
    assert_eq!(registry.list().len(), 100);
    assert_eq!(registry.births(), 100 + 4 * 3000 * 2);
}

/// Free addresses, given out at random: what one thread gives back another one gets.
struct Pool(std::sync::Mutex<(Rng, Vec<u64>)>);

impl Pool {
    fn take(&self) -> u64 {
        let (random, free) = &mut *self.0.lock().unwrap();
        let i = random.usize(..free.len());
        free.swap_remove(i)
    }

    fn give(&self, base: u64) {
        self.0.lock().unwrap().1.push(base);
    }
}

/// Sweeps forward and backward in several threads at once, over the same few addresses, which touch: dead objects are
/// forgotten while others come back, neighbours end while a new range touches them.
#[test]
fn threads_in_both_sweeps_reuse_each_others_addresses() {
    const BYTES: u64 = 64;
    let registry = Registry::new();
    let addresses = (0..60).map(|i| (1 << 32) + BYTES * i).collect();
    let pool = Pool(std::sync::Mutex::new((Rng::with_seed(99), addresses)));
    std::thread::scope(|scope| {
        for t in 0..4_u64 {
            let (registry, pool) = (&registry, &pool);
            scope.spawn(move || {
                let lane = registry.claim().unwrap();
                let mut random = Rng::with_seed(1234 + t);
                for _ in 0..400 {
                    let kind = RangeKind::ALL[random.usize(..5)];
                    let (mut tape, mut alive) = (Vec::new(), Vec::new());
                    for _ in 0..8 {
                        let base = pool.take();
                        let serial = registry.add(lane, base, BYTES, kind, c"x").unwrap();
                        let place = registry.find(lane, base + 8).unwrap().unwrap();
                        assert_eq!(place, ObjectOffset { serial, offset: 8 });
                        alive.push((base, place));
                        if random.bool() {
                            let (base, place) = alive.swap_remove(random.usize(..alive.len()));
                            tape.push((RangeRecord::of(&registry.remove(lane, base).unwrap()), place));
                            pool.give(base);
                        }
                    }
                    for (record, place) in tape.into_iter().rev() {
                        let base = pool.take();
                        assert_eq!(registry.locate_both(place).unwrap(), None);
                        assert_eq!(registry.restore_and_list(lane, &record, at(base)).unwrap(), []);
                        assert_eq!(registry.locate_both(place).unwrap(), Some((base + 8, 0)));
                        alive.push((base, place));
                    }
                    for (base, place) in alive {
                        assert_eq!(registry.find(lane, base + 8).unwrap(), Some(place));
                        assert_eq!(registry.undo_birth(lane, base).unwrap().serial, place.serial);
                        pool.give(base);
                    }
                }
                registry.give_back(lane);
            });
        }
    });
    assert_eq!(registry.list(), []);
    let mut slots = 0;
    registry.claimed().for_each(|lane| lane.objects.for_each(|_, _| slots += 1));
    assert_eq!(slots, registry.dead(), "an object for each that is remembered");
}
