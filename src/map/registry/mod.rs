//! The registry: every object that is alive, in both sweeps, by who it is and by where it lies.
//!
//! An *object* is a variable or block of memory from its birth to its death; a *serial*, its birth number, is who it
//! is, because addresses are reused and objects move between the sweeps. The live map (M of Alg. 2) finds the object at
//! an address; the rebase map (M̄) says where an object of the forward sweep lies now, it and its adjoint. Both are
//! views of the one registry:
//!
//! ```text
//!   address ----- live map: stack ranges by lane, all others shared -----+
//!                                                                        v
//!   serial  ----- index of its lane -------------------------> object: serial, forward base, bytes, kind, label,
//!                                                              present base, adjoint base, adjoint bytes
//!   forward address ---- those that lie elsewhere now -------------------^
//! ```
//!
//! | event | what happens |
//! |---|---|
//! | add | birth in the forward sweep: the lane's next serial |
//! | remove | death in the forward sweep: where it lay is remembered, for pointers that still point there |
//! | restore | its death is reversed: same serial, perhaps another address; pointers that wait for it are set |
//! | unbear | its birth is reversed: it is as if it had never been |
//!
//! A NULL pointer is in no range and always NULL. A range without bytes is found by its base where nothing else is.

#![forbid(unsafe_code)]

mod describe;
mod empties;
mod events;
mod find;
mod labels;
mod lane;
#[cfg(all(test, loom))]
mod models;
mod moving;
mod object;
mod objects;
mod record;
mod saved;
mod snapshot;
mod spans;
mod table;
#[cfg(all(test, not(loom)))]
mod tests;
mod waiting;

pub use object::RangeKind;
pub(crate) use object::{Object, Serial, State};
pub(crate) use record::{LONG, Place, Record, pack, unpack};
pub(crate) use saved::{Saved, SavedObject, Slot, decode_slots, encode_slots};
pub(crate) use snapshot::Exchange;
pub(crate) use waiting::{Target, Variables, Wait};

use crate::error::Error;
use crate::map::ranges::{Range, SharedRanges};
use crate::sync::{AtomicU64, Lock, LockGuard, OnceLock, Ordering};
use empties::Empties;
use labels::Labels;
use lane::{Dead, Lane, Moved};
use snapshot::Beside;
use spans::Spans;
use std::ffi::CStr;
use waiting::Waiting;

/// Most threads that use a registry at the same time.
const LANES: usize = if cfg!(loom) { 2 } else { 4096 };

/// Most bytes of a range: the size of the user half of the address space.
const MAX_BYTES: u64 = 1 << 47;

/// See the module.
pub(crate) struct Registry {
    /// Boxed, as most never are.
    lanes: Box<[OnceLock<Box<Lane>>]>,
    idle: Lock<Idle>,
    spans: Spans,
    heap: SharedRanges,
    heap_past: Lock<Past>,
    empties: Empties,
    labels: Labels,
    waiting: Waiting,
    beside: Beside,
    ambiguous: AtomicU64,
}

/// Lanes that no thread uses.
#[derive(Default)]
struct Idle {
    returned: Vec<u16>,
    fresh: u16,
}

/// Of ranges that are not of a stack: where the dead lay, where the moved lay.
#[derive(Default)]
struct Past {
    dead: Dead,
    moved: Moved,
}

/// What brings an object back: its record on the tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RangeRecord {
    pub serial: Serial,
    pub base: u64,
    pub bytes: u64,
    pub kind: RangeKind,
    pub label: u32,
}

impl RangeRecord {
    pub fn of(object: &Object) -> RangeRecord {
        let Object { serial, base, bytes, kind, label, .. } = *object;
        RangeRecord { serial, base, bytes, kind, label }
    }
}

/// A pointer variable that waited or followed, and is to be set now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub variable: u64,
    pub value: u64,
    /// In bytes from the object's base.
    pub offset: i64,
    /// It did not wait, but follows: to be set only if it holds this still.
    pub held: Option<u64>,
}

/// Where a place and its adjoint lie now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Located {
    pub place: Place,
    pub address: u64,
    pub adjoint: u64,
    /// Its object is, see [`Object`].
    pub reused: bool,
}

/// Where an object and its adjoint lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Present {
    pub base: u64,
    pub adjoint_base: u64,
    pub adjoint_bytes: u64,
}

/// A lane and a slot in one word, which is what the maps find.
fn value(serial: Serial, slot: u32) -> u64 {
    u64::from(serial.lane()) << 32 | u64::from(slot)
}

impl Registry {
    pub fn new() -> Registry {
        Registry {
            lanes: (0..LANES).map(|_| OnceLock::new()).collect(),
            idle: Lock::new(Idle::default()),
            spans: Spans::new(),
            heap: SharedRanges::new(),
            heap_past: Lock::new(Past::default()),
            empties: Empties::new(),
            labels: Labels::new(),
            waiting: Waiting::new(),
            beside: Beside::new(),
            ambiguous: AtomicU64::new(0),
        }
    }

    // ---- lanes -----------------------------------------------------------------------------------------

    /// A lane for a thread.
    pub fn claim(&self) -> Result<u16, Error> {
        let mut idle = self.idle.lock();
        if let Some(lane) = idle.returned.pop() {
            return Ok(lane);
        }
        let lane = idle.fresh;
        if usize::from(lane) == LANES {
            return Err(describe::too_many_threads(LANES));
        }
        idle.fresh += 1;
        self.lanes[usize::from(lane)].get_or_init(|| Box::new(Lane::new(lane)));
        Ok(lane)
    }

    /// Takes a lane back from a thread that ends. What is left of its stack's ranges ends with it.
    pub fn give_back(&self, lane: u16) {
        let own = self.lane(lane);
        let mut left: Vec<u64> = own.stack().ranges.iter().map(|range| range.value).collect();
        left.extend(self.empties.values());
        for value in left {
            let object = self.object(value).filter(|object| object.kind == RangeKind::Stack && object.home == lane);
            if let Some(object) = object.filter(|object| self.leave(value, object)) {
                self.beside.ended(&object);
                self.erase(value, |_| true);
                self.waiting.released(object.serial, None);
            }
        }
        let mut stack = own.stack();
        stack.dead.clear(|value| self.forget(value));
        self.spans.clear(&own.span, lane);
        drop(stack);
        self.idle.lock().returned.push(lane);
    }

    fn lane(&self, lane: u16) -> &Lane {
        self.lanes[usize::from(lane)].get().expect("a lane that was claimed")
    }

    fn claimed(&self) -> impl Iterator<Item = &Lane> {
        self.lanes.iter().map_while(OnceLock::get).map(|lane| &**lane)
    }

    /// The lanes but `but` whose stack may have something between two addresses, both included; some more than once.
    fn other_stacks<'a>(&'a self, but: Option<&'a Lane>, low: u64, high: u64) -> impl Iterator<Item = &'a Lane> {
        let crossed = self.spans.crossed();
        let all = crossed.then(|| self.claimed()).into_iter().flatten();
        // Spans that do not cross leave nobody else what is in this one.
        let elsewhere = !crossed && !but.is_some_and(|but| but.span.holds(low, high));
        let near = elsewhere.then(|| self.spans.between(low, high)).into_iter().flatten();
        let lanes = all.chain(near.map(|lane| self.lane(lane)));
        lanes.filter(move |lane| lane.span.meets(low, high) && !but.is_some_and(|but| std::ptr::eq(*lane, but)))
    }

    fn past(&self) -> LockGuard<'_, Past> {
        self.heap_past.lock()
    }

    // ---- objects ---------------------------------------------------------------------------------------

    fn object(&self, value: u64) -> Option<Object> {
        self.lane((value >> 32) as u16).objects.at(value as u32)
    }

    /// The object of a range of the live map; None if it ended after it was found there. A slot gets another object
    /// then.
    fn object_of(&self, range: Range) -> Option<Object> {
        self.object(range.value).filter(|object| object.base == range.base && object.bytes == range.bytes)
    }

    /// If it is there still.
    fn update(&self, value: u64, change: impl FnOnce(&mut Object)) {
        self.lane((value >> 32) as u16).objects.update(value as u32, change);
    }

    /// A dead object whose place is remembered no more, unless it comes back just now.
    fn forget(&self, value: u64) {
        self.erase(value, |object| object.state == State::Dead);
    }

    fn erase(&self, value: u64, wanted: impl FnOnce(&Object) -> bool) {
        self.lane((value >> 32) as u16).objects.remove_if(value as u32, wanted);
    }

    /// The dead among whom an object lies when it dies.
    fn dead_of<R>(&self, object: &Object, with: impl FnOnce(&mut Dead) -> R) -> R {
        match object.kind {
            RangeKind::Stack => with(&mut self.lane(object.home).stack().dead),
            _ => with(&mut self.past().dead),
        }
    }

    /// The object with this serial, if it is alive.
    pub fn alive(&self, serial: Serial) -> Option<Object> {
        let lane = self.lanes.get(usize::from(serial.lane()))?.get()?;
        lane.objects.get(serial).map(|(_, object)| object).filter(|object| object.state == State::Alive)
    }

    /// All that are alive, by address.
    pub fn list(&self) -> Vec<Object> {
        let mut all = Vec::new();
        for lane in self.claimed() {
            lane.objects.for_each(|_, object| all.extend((object.state == State::Alive).then_some(object)));
        }
        all.sort_by_key(|object| (object.base, object.bytes, object.serial));
        all
    }

    /// How many are alive, and their bytes.
    pub fn alive_count(&self) -> (usize, u64) {
        let stacks = self.claimed().map(|lane| {
            let stack = lane.stack();
            (stack.ranges.len(), stack.ranges.covered())
        });
        let others = (self.heap.len() + self.empties.len(), self.heap.covered());
        stacks.fold(others, |sum, stack| (sum.0 + stack.0, sum.1 + stack.1))
    }

    /// How many died whose place is remembered.
    pub fn dead(&self) -> usize {
        self.past().dead.len() + self.claimed().map(|lane| lane.stack().dead.len()).sum::<usize>()
    }

    /// How many were born.
    pub fn births(&self) -> u64 {
        self.claimed().map(|lane| lane.births.load(Ordering::Relaxed)).sum()
    }

    /// How often an address was both the end of a range and the base of another.
    pub fn ambiguous(&self) -> u64 {
        self.ambiguous.load(Ordering::Relaxed)
    }

    /// The label with this number, which lives as long as the registry.
    pub fn label(&self, number: u32) -> &CStr {
        self.labels.text(number)
    }

    /// Pointer variables that wait, with what for.
    pub fn waiting(&self) -> Vec<(u64, Wait)> {
        self.waiting.list()
    }

    /// How many pointer variables wait.
    pub fn waiting_count(&self) -> usize {
        self.waiting.waits()
    }

    // ---- waiting ---------------------------------------------------------------------------------------

    /// A pointer variable is about to be set: it waits no more, and nobody else sets it.
    pub fn settle(&self, variable: u64) {
        self.waiting.forget(variable);
    }

    /// A pointer variable waits, and `clear` sets it to NULL. Who calls this looks once more for the target, which may
    /// have come meanwhile.
    pub fn wait(&self, variable: u64, wait: Wait, clear: impl FnOnce()) {
        self.waiting.add(variable, wait, clear);
    }

    /// Pointer variables are about to be set to places in an object that is reused, and follow.
    pub fn follow(&self, variables: impl IntoIterator<Item = (u64, Wait)>) {
        self.waiting.follow(variables);
    }

    fn describe(&self) -> describe::Describe<'_> {
        describe::Describe(self)
    }
}

/// An address so many bytes from a base.
fn offset(base: u64, by: i64) -> u64 {
    base.wrapping_add_signed(by)
}
