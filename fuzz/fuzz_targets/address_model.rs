//! Bytes as a program of the safe Rust API on addresses, run on `Objects` and on a naive model of them: lists, searched from
//! the front.
//!
//! Objects are few, so that ranges touch, overlap, lie in each other's former places and hold each other's pointers.
//! One thread; nothing is forgotten for want of room.

use adtape::{Error, LiveRange, Objects, RangeKind, Status, Tape};
use std::collections::BTreeMap;

/// What is left of the input: zeros, once it ends.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u64 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        u64::from(*first)
    }

    fn below(&mut self, n: usize) -> usize {
        self.byte() as usize % n
    }

    /// In 2 KiB at the bottom of the address space or, now and then, at its top.
    fn address(&mut self) -> u64 {
        match (self.byte(), self.byte()) {
            (units, 0..200) => 8 * units,
            (units, more @ 200..250) => 8 * units + more % 8,
            (units, _) => u64::MAX - 4 * units,
        }
    }

    fn bytes(&mut self) -> u64 {
        8 * (self.byte() % 12)
    }

    fn kind(&mut self) -> RangeKind {
        RangeKind::ALL[self.below(5)]
    }
}

/// What the model knows of an object. Its place in the list is who it is.
#[derive(Clone, Copy, Debug)]
struct Object {
    serial: u64,
    base: u64,
    bytes: u64,
    kind: RangeKind,
    forward_base: u64,
    adjoint_base: u64,
    adjoint_bytes: u64,
    alive: bool,
    /// Another one had died where it was born, and was dead still.
    reused: bool,
    /// When it came last.
    came: usize,
}

impl Object {
    fn end(&self) -> u64 {
        self.base + self.bytes
    }

    fn is_stack(&self) -> bool {
        self.kind == RangeKind::Stack
    }

    /// Where its adjoint has what is at this offset.
    fn adjoint(&self, by: i64) -> Result<u64, Status> {
        if self.adjoint_base == 0 {
            return Ok(0);
        }
        let (product, bytes) = (i128::from(by) * i128::from(self.adjoint_bytes), i128::from(self.bytes));
        match (self.adjoint_bytes == self.bytes || by == 0, bytes != 0 && product % bytes == 0) {
            (true, _) => Ok(self.adjoint_base.wrapping_add_signed(by)),
            (_, true) => Ok(self.adjoint_base.wrapping_add_signed((product / bytes) as i64)),
            _ => Err(Status::Uneven),
        }
    }

    fn now(&self, by: i64) -> Result<(u64, u64), Status> {
        Ok((self.base.wrapping_add_signed(by), self.adjoint(by)?))
    }
}

/// Where something lay: an object and `[base, base + bytes)`.
#[derive(Clone, Copy)]
struct Lay {
    object: usize,
    base: u64,
    bytes: u64,
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Object(usize, i64),
    Forward(u64),
}

/// What a variable that does not wait was set to last.
#[derive(Clone, Copy, Debug)]
struct Set {
    /// In an object; of one whose birth was reversed, where that lay in the forward sweep.
    target: Target,
    adjoint: bool,
    /// The offset, if this is a pair.
    pair: Option<i64>,
    held: u64,
    /// The other variable of the two, or 0.
    beside: u64,
    /// Whether the variable has to be set again if an older object comes back there; else it may be.
    certain: bool,
}

enum Item {
    Range(usize, u64),
    Pointer(Option<(usize, i64)>),
    Pair(Option<(usize, i64)>),
}

#[derive(Default)]
struct Model {
    objects: Vec<Object>,
    /// Deaths, and what lies elsewhere than in the forward sweep, each without what has its place since.
    dead: Vec<Lay>,
    moved: Vec<Lay>,
    /// Of all that died and are not back, where they lay.
    deaths: Vec<Lay>,
    /// What for, whether in the adjoint, the offset of a pair, the other variable.
    waiting: BTreeMap<u64, (Target, bool, Option<i64>, u64)>,
    set: BTreeMap<u64, Set>,
    tape: Vec<Item>,
    popped: Vec<(usize, LiveRange)>,
    clock: usize,
}

/// Whether two places overlap.
fn meet(a: (u64, u64), b: (u64, u64)) -> bool {
    let end = |(base, bytes): (u64, u64)| u128::from(base) + u128::from(bytes);
    u128::from(a.0) < end(b) && u128::from(b.0) < end(a)
}

fn extent(base: u64, bytes: u64) -> Result<(), Status> {
    match base.checked_add(bytes) {
        None => Err(Status::CountRange),
        Some(_) if base == 0 && bytes > 0 => Err(Status::NullPointer),
        Some(_) => Ok(()),
    }
}

impl Model {
    fn alive(&self) -> impl Iterator<Item = (usize, &Object)> {
        self.objects.iter().enumerate().filter(|(_, object)| object.alive)
    }

    fn free(&self, base: u64, bytes: u64) -> Result<(), Status> {
        let taken = bytes > 0 && self.alive().any(|(_, o)| o.bytes > 0 && meet((o.base, o.bytes), (base, bytes)));
        if taken { Err(Status::Overlap) } else { Ok(()) }
    }

    /// The object that begins at `base`.
    fn exact(&self, base: u64) -> Result<usize, Status> {
        let mut found = self.alive().filter(|(_, object)| object.base == base);
        match (found.next(), found.next()) {
            (Some((i, _)), None) => Ok(i),
            (None, _) => Err(Status::NoRange),
            _ => Err(Status::Ambiguous),
        }
    }

    /// The object with bytes that an address is in.
    fn within(&self, address: u64) -> Option<usize> {
        let full = self.alive().filter(|(_, object)| object.bytes > 0);
        let within = full.filter(|(_, object)| object.base <= address && address <= object.end());
        within.max_by_key(|(_, object)| object.base).map(|(i, _)| i)
    }

    /// Of places of the stack, and of others, the last that begins at or below an address, if it reaches there.
    fn lays(&self, places: &[Lay], address: u64) -> Vec<Lay> {
        let last = |stack| {
            let class = places.iter().filter(|lay| self.objects[lay.object].is_stack() == stack);
            let below = class.filter(|lay| lay.base <= address).max_by_key(|lay| lay.base);
            below.filter(|lay| address - lay.base <= lay.bytes).copied()
        };
        [true, false].into_iter().filter_map(last).collect()
    }

    fn past(&self, address: u64) -> Option<(usize, i64)> {
        let empties = self.alive().filter(|(_, object)| object.bytes == 0 && object.base == address);
        if let Some((i, _)) = empties.max_by_key(|(_, object)| object.came) {
            return Some((i, 0));
        }
        self.lays(&self.dead, address).first().map(|lay| (lay.object, (address - lay.base) as i64))
    }

    fn find(&self, address: u64) -> Result<Option<(usize, i64)>, Status> {
        if address == 0 {
            return Ok(None);
        }
        let within = self.within(address).map(|i| (i, (address - self.objects[i].base) as i64));
        within.or_else(|| self.past(address)).map(Some).ok_or(Status::NoRange)
    }

    fn find_pair(&self, base: u64, offset: i64) -> Result<Option<(usize, i64)>, Status> {
        if base == 0 {
            return if offset == 0 { Ok(None) } else { Err(Status::NullPointer) };
        }
        match self.exact(base) {
            Ok(i) => Ok(Some((i, offset))),
            Err(Status::NoRange) => match self.past(base) {
                Some((i, 0)) => Ok(Some((i, offset))),
                _ => Err(Status::NoRange),
            },
            Err(other) => Err(other),
        }
    }

    /// Puts a place into a list, where it replaces what it overlaps of its class.
    fn replace(objects: &[Object], places: &mut Vec<Lay>, new: Lay) {
        let stack = objects[new.object].is_stack();
        places.retain(|lay| {
            objects[lay.object].is_stack() != stack || !meet((lay.base, lay.bytes), (new.base, new.bytes))
        });
        places.push(new);
    }

    fn end(&mut self, i: usize) {
        let object = self.objects[i];
        self.objects[i].alive = false;
        self.moved.retain(|lay| lay.object != i);
        for (base, bytes) in [(object.base, object.bytes), (object.adjoint_base, object.adjoint_bytes)] {
            self.waiting.retain(|variable, _| !(base..base.saturating_add(bytes)).contains(variable));
            self.set.retain(|variable, _| !(base..base.saturating_add(bytes)).contains(variable));
        }
    }

    /// What was set to an object whose birth is reversed points where it lay in the forward sweep.
    fn release(&mut self, i: usize) {
        let base = self.objects[i].forward_base;
        for set in self.set.values_mut() {
            match set.target {
                Target::Object(there, by) if there == i => {
                    let by = if set.pair.is_some() { 0 } else { by };
                    set.target = Target::Forward(base.wrapping_add_signed(by));
                }
                _ => {}
            }
        }
    }

    fn note_set(&mut self, variable: u64, (i, by): (usize, i64), set: Set) {
        if set.held != 0 || set.beside != 0 {
            let certain = self.objects[i].reused;
            self.set.insert(variable, Set { target: Target::Object(i, by), certain, ..set });
        }
    }

    /// Variables that were set to where an object lay in the forward sweep, as far as they are to be set to it, with the
    /// offset and the value; the others are forgotten.
    fn followers(&mut self, i: usize, base: u64, bytes: u64) -> Vec<(u64, i64, u64, Set)> {
        let came = self.objects[i];
        let (mut found, mut others) = (Vec::new(), Vec::new());
        for (variable, set) in &self.set {
            let Target::Forward(address) = set.target else { continue };
            let there = if set.pair.is_some() { address == base } else { (base..=base + bytes).contains(&address) };
            if !there {
                continue;
            }
            let by = set.pair.unwrap_or(address.wrapping_sub(base) as i64);
            let value = if set.adjoint { came.adjoint(by) } else { Ok(came.base.wrapping_add_signed(by)) };
            let beside = (set.beside != 0).then(|| self.set.get(&set.beside).filter(|other| other.beside == *variable));
            match (value, beside) {
                (Ok(value), None) if !self.set_anew(i, set, None) => found.push((*variable, by, value, *set)),
                (Ok(value), Some(Some(other))) if !self.set_anew(i, set, Some(other.held)) => {
                    found.push((*variable, by, value, *set));
                }
                _ => others.push(*variable),
            }
        }
        others.iter().for_each(|variable| _ = self.set.remove(variable));
        found
    }

    /// Whether another object lies now where variables point that are set together.
    fn set_anew(&self, i: usize, set: &Set, beside: Option<u64>) -> bool {
        let (primal, adjoint) = match (set.adjoint, beside) {
            (false, beside) => (set.held, beside),
            (true, Some(primal)) => (primal, Some(set.held)),
            (true, None) => return false,
        };
        let by = set.pair.unwrap_or(0);
        let there = self.within(primal.wrapping_sub(by as u64)).map(|i| (i, self.objects[i]));
        there.is_some_and(|(other, there)| {
            let same = there.base.wrapping_add_signed(by) == primal;
            other != i && same && adjoint.is_none_or(|adjoint| there.adjoint(by) == Ok(adjoint))
        })
    }

    fn die(&mut self, i: usize) {
        self.end(i);
        let Object { base, bytes, .. } = self.objects[i];
        if bytes > 0 {
            Model::replace(&self.objects, &mut self.dead, Lay { object: i, base, bytes });
            self.deaths.push(Lay { object: i, base, bytes });
        }
        self.set.retain(|_, set| !matches!(set.target, Target::Object(there, _) if there == i));
    }

    /// The place of an address of the forward sweep: in an object, or else at the end of one; first those that moved.
    fn rebase(&self, address: u64) -> Option<(usize, i64)> {
        let moved = self.lays(&self.moved, address);
        let inside = moved.iter().find(|lay| address < lay.base + lay.bytes).map(|lay| lay.object);
        let end_of = moved.first().map(|lay| lay.object);
        let unmoved = |at: u64| self.within(at).filter(|i| self.objects[*i].forward_base == self.objects[*i].base);
        let inside_unmoved = unmoved(address).filter(|i| address < self.objects[*i].end());
        let end_of_unmoved = || unmoved(address - 1).filter(|i| address == self.objects[*i].end());
        let i = inside.or(inside_unmoved).or(end_of).or_else(end_of_unmoved)?;
        Some((i, address.wrapping_sub(self.objects[i].forward_base) as i64))
    }
}

struct Run<'a> {
    objects: Objects,
    tape: Tape,
    model: Model,
    input: Input<'a>,
}

fn status<T>(result: &Result<T, Error>) -> Status {
    result.as_ref().err().map_or(Status::Ok, Error::status)
}

/// Runs a program to its end.
pub fn run(input: &[u8]) {
    let tape = Tape::new().expect("a tape");
    let mut run = Run { objects: Objects::new(), tape, model: Model::default(), input: Input(input) };
    while !run.input.0.is_empty() {
        run.step();
        run.compare();
    }
}

impl Run<'_> {
    /// The base of an object, mostly one that is alive.
    fn base(&mut self) -> u64 {
        let n = self.input.byte() as usize;
        let alive: Vec<u64> = self.model.alive().map(|(_, object)| object.base).collect();
        if n < 240 && !alive.is_empty() { alive[n % alive.len()] } else { self.input.address() }
    }

    /// An address in, at the end of, or out of an object.
    fn pointer(&mut self) -> u64 {
        let n = self.input.byte() as usize;
        if n > 220 || self.model.objects.is_empty() {
            return self.input.address();
        }
        let object = self.model.objects[n % self.model.objects.len()];
        object.base + self.input.byte() % (object.bytes + 1)
    }

    fn step(&mut self) {
        match self.input.byte() % 16 {
            0..3 => self.add(),
            3 => self.remove(),
            4 => self.adjoint(),
            5 => self.push_range(),
            6 => self.end(),
            7 => self.push_pointer(),
            8 => self.push_pair(),
            9..12 => self.pop(),
            12 => self.rebase_add(),
            13 => self.unbear(),
            14 => self.rebase_pointer(),
            _ => {
                self.objects.live_begin_reverse().expect("no adjoint waits");
                self.model.moved.clear();
                self.model.objects.iter_mut().filter(|o| o.alive).for_each(|object| object.forward_base = object.base);
            }
        }
    }

    fn add(&mut self) {
        let (base, bytes, kind) = (self.input.address(), self.input.bytes(), self.input.kind());
        let label = ["", "x", "y double[8]"][self.input.below(3)];
        let result = self.objects.live_add(base as usize, bytes as usize, kind, label);
        let expected = extent(base, bytes).and_then(|()| self.model.free(base, bytes));
        assert_eq!(status(&result), expected.err().unwrap_or(Status::Ok), "add {base:#x}, {bytes}: {result:?}");
        if let Ok(serial) = result {
            let came = self.model.clock;
            self.model.clock += 1;
            let (forward_base, adjoint_base, adjoint_bytes) = (base, 0, 0);
            // Memory of the stack is no other memory at another time.
            let stack = kind == RangeKind::Stack;
            let same_map = |lay: &&Lay| self.model.objects[lay.object].is_stack() == stack;
            let mut deaths = self.model.deaths.iter().filter(same_map);
            let reused = bytes > 0 && deaths.any(|lay| meet((lay.base, lay.bytes), (base, bytes)));
            let alive = true;
            let object =
                Object { serial, base, bytes, kind, forward_base, adjoint_base, adjoint_bytes, alive, reused, came };
            assert!(self.model.objects.last().is_none_or(|last| last.serial < serial));
            self.model.objects.push(object);
        }
    }

    fn remove(&mut self) {
        let base = self.base();
        let expected = self.model.exact(base);
        let result = self.objects.live_remove(base as usize);
        assert_eq!(status(&result), expected.err().unwrap_or(Status::Ok), "remove {base:#x}: {result:?}");
        expected.into_iter().for_each(|i| self.model.die(i));
    }

    fn unbear(&mut self) {
        let base = self.base();
        let expected = self.model.exact(base);
        let result = self.objects.rebase_remove(base as usize);
        assert_eq!(status(&result), expected.err().unwrap_or(Status::Ok), "unbear {base:#x}: {result:?}");
        expected.into_iter().for_each(|i| {
            self.model.end(i);
            self.model.release(i);
        });
    }

    fn adjoint(&mut self) {
        let (base, adjoint_base, adjoint_bytes) = (self.base(), self.input.address(), self.input.bytes());
        let checked = adjoint_base.checked_add(adjoint_bytes).ok_or(Status::CountRange);
        let expected = checked.and_then(|_| self.model.exact(base));
        let result = self.objects.live_set_adjoint(base as usize, adjoint_base as usize, adjoint_bytes as usize);
        assert_eq!(status(&result), expected.err().unwrap_or(Status::Ok), "{result:?}");
        if let Ok(i) = expected {
            let object = &mut self.model.objects[i];
            (object.adjoint_base, object.adjoint_bytes) = (adjoint_base, adjoint_bytes);
        }
    }

    fn push_range(&mut self) {
        let base = self.base();
        let expected = self.model.exact(base);
        let result = self.objects.push_range(&self.tape, base as usize);
        assert_eq!(status(&result), expected.err().unwrap_or(Status::Ok), "{result:?}");
        self.model.tape.extend(expected.map(|i| Item::Range(i, base)));
    }

    fn end(&mut self) {
        let base = self.base();
        let expected = self.model.exact(base);
        let result = self.objects.live_end(&self.tape, base as usize);
        assert_eq!(status(&result), expected.err().unwrap_or(Status::Ok), "{result:?}");
        if let Ok(i) = expected {
            self.model.tape.push(Item::Range(i, base));
            self.model.die(i);
        }
    }

    fn push_pointer(&mut self) {
        let address = self.pointer();
        let expected = self.model.find(address);
        let result = self.objects.push_pointer(&self.tape, address as usize);
        assert_eq!(status(&result), expected.err().unwrap_or(Status::Ok), "push {address:#x}: {result:?}");
        self.model.tape.extend(expected.map(Item::Pointer));
    }

    fn push_pair(&mut self) {
        let (base, offset) = (self.base(), 7 * self.input.byte() as i64 - 700);
        let expected = self.model.find_pair(base, offset);
        let result = self.objects.push_pair(&self.tape, base as usize, offset as isize);
        assert_eq!(status(&result), expected.err().unwrap_or(Status::Ok), "pair {base:#x}: {result:?}");
        self.model.tape.extend(expected.map(Item::Pair));
    }

    fn pop(&mut self) {
        match self.model.tape.pop() {
            None => assert!(self.objects.pop_range(&self.tape).is_err(), "the tape is empty"),
            Some(Item::Range(i, base)) => {
                let range = self.objects.pop_range(&self.tape).expect("a range was pushed");
                let Object { serial, bytes, kind, .. } = self.model.objects[i];
                let found = (range.serial, range.base as u64, range.bytes as u64, range.kind, range.adjoint_base);
                assert_eq!(found, (serial, base, bytes, kind, 0));
                self.model.popped.push((i, range));
            }
            Some(Item::Pointer(place)) => {
                let pop = |run: &Self, a, b| run.objects.pop_pointer(&run.tape, a as usize, b as usize);
                self.pop_place(place, false, pop, Item::Pointer);
            }
            Some(Item::Pair(place)) => {
                let pop = |run: &Self, a, b| run.objects.pop_pair(&run.tape, a as usize, b as usize);
                self.pop_place(place, true, pop, Item::Pair);
            }
        }
    }

    fn pop_place(
        &mut self,
        place: Option<(usize, i64)>,
        is_pair: bool,
        pop: impl Fn(&Self, u64, u64) -> Result<adtape::Restored, Error>,
        item: impl Fn(Option<(usize, i64)>) -> Item,
    ) {
        let variables = [self.input.address(), self.input.address()];
        let result = pop(self, variables[0], variables[1]);
        let alive = place.filter(|(i, _)| self.model.objects[*i].alive);
        let target = place.map(|(i, by)| Target::Object(i, by));
        let pair = place.filter(|_| is_pair).map(|(_, by)| by);
        if !self.restored(&variables, result, alive, target, pair) {
            self.model.tape.push(item(place));
        }
    }

    /// Compares what a call made of a pointer to a place, or of one that waits for a target, or of NULL; whether it
    /// succeeded.
    fn restored(
        &mut self,
        variables: &[u64; 2],
        result: Result<adtape::Restored, Error>,
        place: Option<(usize, i64)>,
        target: Option<Target>,
        pair: Option<i64>,
    ) -> bool {
        let now = match place.map(|(i, by)| self.model.objects[i].now(by)).transpose() {
            Err(error) => {
                assert_eq!(status(&result), error, "{result:?}");
                return false;
            }
            Ok(now) => now,
        };
        let restored = result.expect("the pointer is restored or waits");
        assert_eq!(restored.waits, now.is_none() && target.is_some(), "{target:?} is at {now:x?}");
        let now = now.unwrap_or((0, 0));
        assert_eq!((restored.address as u64, restored.adjoint as u64), now);
        for (i, variable) in variables.iter().enumerate().filter(|(_, variable)| **variable != 0) {
            let (adjoint, beside) = (i == 1, variables[1 - i]);
            let waits = target.filter(|_| restored.waits);
            self.model.set.remove(variable);
            match waits {
                Some(target) => _ = self.model.waiting.insert(*variable, (target, adjoint, pair, beside)),
                None => _ = self.model.waiting.remove(variable),
            }
            if let Some(place) = place {
                let (target, held) = (Target::Object(place.0, place.1), [now.0, now.1][i]);
                self.model.note_set(*variable, place, Set { target, adjoint, pair, held, beside, certain: false });
            }
        }
        true
    }

    fn rebase_pointer(&mut self) {
        let n = self.input.byte() as usize;
        let address = match self.model.moved.get(n % (self.model.moved.len() + 1)) {
            Some(lay) => lay.base + self.input.byte() % (lay.bytes + 1),
            None => self.pointer(),
        };
        let variables = [self.input.address(), self.input.address()];
        let result = self.objects.rebase_pointer(address as usize, variables[0] as usize, variables[1] as usize);
        let null = address == 0;
        let place = (!null).then(|| self.model.rebase(address)).flatten();
        self.restored(&variables, result, place, (!null).then_some(Target::Forward(address)), None);
    }

    fn rebase_add(&mut self) {
        if self.model.popped.is_empty() {
            return;
        }
        let (i, range) = self.model.popped[self.input.below(self.model.popped.len())];
        let (new_base, bytes) = (self.input.address(), range.bytes as u64);
        let adjoint_base = self.input.address();
        let adjoint_bytes = [0, bytes / 2, bytes, 2 * bytes][self.input.below(4)];
        let (base, was) = (range.base as u64, self.model.objects[i]);
        let came = Object { base: new_base, forward_base: base, adjoint_base, adjoint_bytes, alive: true, ..was };
        let mut arrivals = Vec::new();
        for (variable, (target, adjoint, pair, beside)) in &self.model.waiting {
            let by = match target {
                Target::Object(object, by) if *object == i => *by,
                Target::Forward(address) if (base..base + bytes).contains(address) => (address - base) as i64,
                _ => continue,
            };
            let value = if *adjoint { came.adjoint(by) } else { Ok(new_base.wrapping_add_signed(by)) };
            arrivals.push((*variable, by, value, (*adjoint, *pair, *beside)));
        }
        let uneven = arrivals.iter().find_map(|(_, _, value, _)| value.err());
        let checks = [
            extent(new_base, bytes),
            adjoint_base.checked_add(adjoint_bytes).map(drop).ok_or(Status::CountRange),
            uneven.map_or(Ok(()), Err),
            if was.alive { Err(Status::Overlap) } else { Ok(()) },
            self.model.free(new_base, bytes),
        ];
        let expected = checks.into_iter().find_map(Result::err).unwrap_or(Status::Ok);
        let result = self.objects.rebase_add(&range, new_base as usize, adjoint_base as usize, adjoint_bytes as usize);
        assert_eq!(status(&result), expected, "{range:?} at {new_base:#x}: {result:?}");
        let Ok(set) = result else { return };
        let (mut waited, followed): (Vec<_>, Vec<_>) = set.into_iter().partition(|waiter| waiter.held.is_none());
        waited.sort_unstable_by_key(|waiter| waiter.variable);
        let waited: Vec<_> = waited.iter().map(|w| (w.variable as u64, w.offset as i64, Ok(w.value as u64))).collect();
        assert_eq!(
            waited,
            arrivals.iter().map(|(variable, by, value, _)| (*variable, *by, *value)).collect::<Vec<_>>()
        );
        self.model.objects[i] = Object { came: self.model.clock, ..came };
        self.model.clock += 1;
        self.model.deaths.retain(|lay| lay.object != i);
        for (variable, by, value, (adjoint, pair, beside)) in arrivals {
            self.model.waiting.remove(&variable);
            let (target, held) = (Target::Object(i, by), value.expect("it was set"));
            self.model.note_set(variable, (i, by), Set { target, adjoint, pair, held, beside, certain: false });
        }
        let mut expected = self.model.followers(i, base, bytes);
        for waiter in followed {
            let found = expected.iter().position(|(variable, ..)| *variable == waiter.variable as u64);
            let (variable, by, value, set) =
                expected.remove(found.unwrap_or_else(|| panic!("{waiter:?} is not to be set")));
            let found = (waiter.offset as i64, waiter.value as u64, waiter.held);
            assert_eq!(found, (by, value, Some(set.held as usize)), "{variable:#x}");
            self.model.note_set(variable, (i, by), Set { held: value, ..set });
        }
        for (variable, .., set) in expected {
            assert!(!set.certain, "{variable:#x} holds {:#x} still, where object {i} was", set.held);
            self.model.set.remove(&variable);
        }
        self.model.dead.retain(|lay| lay.object != i);
        if bytes > 0 && new_base != base {
            Model::replace(&self.model.objects, &mut self.model.moved, Lay { object: i, base, bytes });
        }
    }

    /// Everything that can be listed.
    fn compare(&self) {
        let model = &self.model;
        let found: Vec<_> = self
            .objects
            .live_list()
            .into_iter()
            .map(|range| {
                let LiveRange { serial, base, bytes, kind, adjoint_base, adjoint_bytes, .. } = range;
                (base as u64, bytes as u64, serial, kind, adjoint_base as u64, adjoint_bytes as u64)
            })
            .collect();
        let alive = model.alive().map(|(_, o)| (o.base, o.bytes, o.serial, o.kind, o.adjoint_base, o.adjoint_bytes));
        let mut expected: Vec<_> = alive.collect();
        expected.sort_unstable_by_key(|object| (object.0, object.1, object.2));
        assert_eq!(found, expected);
        let waiting = self.objects.waiting();
        let waiting: Vec<_> = waiting.iter().map(|w| (w.variable as u64, w.serial, w.offset as i64)).collect();
        let expected = model.waiting.iter().map(|(variable, (target, ..))| match target {
            Target::Object(i, by) => (*variable, model.objects[*i].serial, *by),
            Target::Forward(address) => (*variable, 0, *address as i64),
        });
        assert_eq!(waiting, expected.collect::<Vec<_>>());
        let stats = self.objects.stats();
        assert_eq!((stats.births, stats.dead), (model.objects.len() as u64, model.dead.len() as u64));
        let bytes: u64 = model.alive().map(|(_, object)| object.bytes).sum();
        assert_eq!((stats.ranges, stats.bytes), (model.alive().count() as u64, bytes));
        assert_eq!(stats.waiting, model.waiting.len() as u64);
    }
}
