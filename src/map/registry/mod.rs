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
//! | undo_birth | its birth is reversed: it is as if it had never been |
//!
//! A NULL pointer is in no range and always NULL. A range without bytes is found by its base where nothing else is.

#![forbid(unsafe_code)]

mod comeback;
mod counts;
mod dead;
mod describe;
mod empties;
mod events;
mod find;
mod fork;
mod frames;
mod history;
mod labels;
mod lane;
mod lanes;
#[cfg(all(test, loom))]
mod models;
mod moved;
mod moving;
mod object;
mod objects;
mod range;
mod recent;
mod record;
mod saved;
mod side_tables;
mod snapshot;
mod spans;
mod stack;
mod table;
#[cfg(all(test, not(loom)))]
mod tests;
mod waiting;

pub(crate) use describe::number;
pub use object::RangeKind;
pub(crate) use object::{Extents, LABELS, LifeState, Object, Present, Serial};
pub(crate) use range::RangeRecord;
pub(crate) use record::{LONG, Located, ObjectOffset, Record, pack, unpack, unpack_first_lane};
pub(crate) use saved::{Saved, SavedObject, Slot, decode_slots, encode_slots};
pub(crate) use snapshot::Exchange;
pub(crate) use waiting::{Arrival, Target, Variables, Wait};

use crate::map::ranges::{Range, SharedRanges};
use crate::settings::settings;
use crate::sync::{Arc, AtomicU64, ForkLock, LockGuard, OnceLock};
use dead::Dead;
use empties::Empties;
pub(crate) use history::History;
use labels::Labels;
use lane::{GROUP, Lane, LaneGroup};
use moved::{Entered, Moved};
use object::{LANES, Whereabouts, lane_of, value};
use side_tables::SideTables;
use spans::Spans;
use waiting::Waiting;

/// See the module.
pub(crate) struct Registry {
    /// The first thread's, which is alone in most programs.
    first_lane: Lane,
    /// Groups of lanes, as most never are.
    other_lanes: [OnceLock<LaneGroup>; LANES / GROUP],
    idle: ForkLock<Idle>,
    spans: Spans,
    heap: SharedRanges,
    heap_past: ForkLock<Past>,
    /// Where the moved lay, as in the past, for those who only look.
    heap_moved: Arc<Entered>,
    empties: Empties,
    labels: Labels,
    waiting: Waiting,
    side_tables: SideTables,
    ambiguous: AtomicU64,
    /// In check mode.
    history: Option<History>,
}

/// Lanes that no thread uses.
#[derive(Default)]
struct Idle {
    returned: Vec<u16>,
    fresh: u16,
}

/// Of ranges that are not of a stack: where the dead lay, where the moved lay. Whoever changes the map holds the lock of
/// this.
#[derive(Default)]
struct Past {
    dead: Dead,
    moved: Moved,
}

impl Registry {
    pub fn new() -> Registry {
        let past = Past::default();
        let heap_moved = past.moved.entered();
        Registry {
            first_lane: Lane::new(0),
            other_lanes: [const { OnceLock::new() }; LANES / GROUP],
            idle: ForkLock::new(Idle::default()),
            spans: Spans::new(),
            heap: SharedRanges::new(),
            heap_past: ForkLock::new(past),
            heap_moved,
            empties: Empties::new(),
            labels: Labels::new(),
            waiting: Waiting::new(),
            side_tables: SideTables::new(),
            ambiguous: AtomicU64::new(0),
            history: settings().is_ok_and(|settings| settings.check).then(History::default),
        }
    }

    fn past(&self) -> LockGuard<'_, Past> {
        self.heap_past.lock()
    }

    /// Where objects came and went, in check mode.
    pub fn history(&self) -> Option<&History> {
        self.history.as_ref()
    }

    // ---- objects ---------------------------------------------------------------------------------------

    #[inline(always)]
    fn object(&self, value: u64) -> Option<Object> {
        self.lane(lane_of(value)).objects.at(value as u32)
    }

    /// Where the object with a value lies, if it is in the stack of this lane or, with None, in no stack. A slot may have
    /// an object of another map by now.
    #[inline(always)]
    fn whereabouts(&self, value: u64, stack: Option<u16>) -> Option<Whereabouts> {
        let there = self.lane(lane_of(value)).objects.whereabouts(value as u32);
        there.filter(|there| there.stack == stack)
    }

    /// The object of a range of the live map; None if it ended after it was found there. A slot gets another object
    /// then.
    #[inline(always)]
    fn object_of(&self, range: Range) -> Option<Object> {
        self.object(range.value).filter(|object| object.base == range.base && object.bytes == range.bytes)
    }

    /// If it is there still.
    fn update(&self, value: u64, change: impl FnOnce(&mut Object)) {
        self.lane(lane_of(value)).objects.update(value as u32, change);
    }

    /// An object is touched, if it is there still.
    fn touch_value(&self, value: u64) {
        self.lane(lane_of(value)).objects.touch(value as u32);
    }

    /// A dead object's place is remembered no more. Which object; None if it comes back just now.
    fn forget(&self, value: u64) -> Option<Serial> {
        let objects = &self.lane(lane_of(value)).objects;
        objects.remove_if(value as u32, |object| object.state == LifeState::Dead).map(|object| object.serial)
    }

    fn erase(&self, value: u64, wanted: impl FnOnce(&Object) -> bool) {
        self.lane(lane_of(value)).objects.remove_if(value as u32, wanted);
    }

    /// The dead of an object's map.
    fn with_dead<R>(&self, object: &Object, run: impl FnOnce(&mut Dead) -> R) -> R {
        match object.kind {
            RangeKind::Stack => run(&mut self.lane(object.home).stack().dead),
            _ => run(&mut self.past().dead),
        }
    }

    /// Forgets the place of a dead object that is back there.
    fn forget_outside(&self, object: &Object, value: u64) {
        self.with_dead(object, |dead| dead.remove_outside(object.base, value));
    }

    /// Forgets the place of a dead object. Its death may have taken the place of others, which are dead still.
    fn forget_place(&self, object: &Object, value: u64) {
        if object.kind == RangeKind::Stack {
            // Frames are no dead objects.
            let stack = &mut *self.lane(object.home).stack();
            stack.dead.remove(&mut stack.ranges, object.base, value);
            object.reused.then(|| stack.dead.lose(object.range(value)));
        } else {
            let dead = &mut self.past().dead;
            dead.remove(&mut &self.heap, object.base, value);
            object.reused.then(|| dead.lose(object.range(value)));
        }
    }

    /// Whether the place of a dead object is remembered.
    fn remembers(&self, object: &Object, value: u64) -> bool {
        if object.kind == RangeKind::Stack {
            let stack = self.stack(self.lane(object.home));
            stack.dead.holds(&stack.ranges, object.base, value)
        } else {
            self.past().dead.holds(&&self.heap, object.base, value)
        }
    }

    /// The object with this serial, if it is alive.
    pub fn alive(&self, serial: Serial) -> Option<Object> {
        let lane = self.lane_if_claimed(serial.lane())?;
        self.settle_lane(lane);
        lane.objects.get(serial).map(|(_, object)| object).filter(|object| object.state == LifeState::Alive)
    }
}

/// An address so many bytes from a base.
fn offset(base: u64, by: i64) -> u64 {
    base.wrapping_add_signed(by)
}
