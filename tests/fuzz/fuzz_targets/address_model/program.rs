//! A program: one call after the other, on `Objects` and on the model, and after each all that can be listed of both.

use super::input::Input;
use super::model::{Item, Lay, Model, Object, Target, extent, meet};
use adtape::{Error, LiveRange, Objects, RangeKind, Status, Tape};

pub struct Run<'a> {
    pub objects: Objects,
    pub tape: Tape,
    pub model: Model,
    pub input: Input<'a>,
}

pub fn status<T>(result: &Result<T, Error>) -> Status {
    result.as_ref().err().map_or(Status::Ok, Error::status)
}

/// Runs a program to its end.
pub fn run(input: &[u8]) {
    let mut run = Run::new(Input(input));
    while !run.input.0.is_empty() {
        run.step();
        run.compare();
    }
}

impl Run<'_> {
    pub fn new(input: Input<'_>) -> Run<'_> {
        Run { objects: Objects::new(), tape: Tape::new().expect("a tape"), model: Model::default(), input }
    }

    /// The base of an object, mostly one that is alive.
    pub fn base(&mut self) -> u64 {
        let n = self.input.byte() as usize;
        let alive: Vec<u64> = self.model.alive().map(|(_, object)| object.base).collect();
        if n < 240 && !alive.is_empty() { alive[n % alive.len()] } else { self.input.address() }
    }

    /// An address in, at the end of, or out of an object.
    pub fn pointer(&mut self) -> u64 {
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
            13 => self.rebase_remove(),
            14 => self.rebase_pointer(),
            _ => self.begin_reverse(),
        }
    }

    pub fn begin_reverse(&mut self) {
        self.objects.live_begin_reverse().expect("no adjoint waits");
        self.model.moved.clear();
        self.model.objects.iter_mut().filter(|o| o.alive).for_each(|object| object.forward_base = object.base);
    }

    fn add(&mut self) {
        let (base, bytes, kind) = (self.input.address(), self.input.bytes(), self.input.kind());
        let label = ["", "x", "y double[8]"][self.input.below(3)];
        self.add_there(base, bytes, kind, label);
    }

    pub fn add_there(&mut self, base: u64, bytes: u64, kind: RangeKind, label: &str) {
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

    fn rebase_remove(&mut self) {
        let base = self.base();
        self.undo_birth(base);
    }

    pub fn undo_birth(&mut self, base: u64) {
        let expected = self.model.exact(base);
        let result = self.objects.rebase_remove(base as usize);
        assert_eq!(status(&result), expected.err().unwrap_or(Status::Ok), "rebase_remove {base:#x}: {result:?}");
        expected.into_iter().for_each(|i| {
            self.model.end(i);
            self.model.release(i);
            // What was born later comes back no more.
            self.model.deaths.retain(|lay| lay.object < i);
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

    pub fn end(&mut self) {
        let base = self.base();
        let expected = self.model.exact(base);
        let result = self.objects.live_end(&self.tape, base as usize);
        assert_eq!(status(&result), expected.err().unwrap_or(Status::Ok), "{result:?}");
        if let Ok(i) = expected {
            self.model.tape.push(Item::Range(i, base));
            self.model.die(i);
        }
    }

    pub fn push_pointer(&mut self) {
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

    /// Everything that can be listed.
    pub fn compare(&self) {
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
