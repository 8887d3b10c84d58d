//! What happens to objects: birth and death in the forward sweep, births reversed in the reverse sweep; deaths reversed
//! are in [`super::comeback`].

#![forbid(unsafe_code)]

use super::dead::{Dead, Places};
use super::lane::{Lane, Stack};
use super::moved::Moved;
use super::object::{Ended, LifeState, MAX_BYTES, Object, RangeKind, Serial, lane_of};
use super::range::RangeRecord;
use super::{Past, Registry, describe, value};
use crate::error::Error;
use crate::map::ranges::{Meant, Range, Touching};
use crate::sync::Ordering;
use std::ffi::CStr;

/// Ends the object of the range that is to become hollow, if `push` pushes its record.
struct Ending<'a, P> {
    registry: &'a Registry,
    /// What it was.
    kept: Option<&'a mut Object>,
    push: P,
    /// Its value in the maps, and what else is to be done.
    ended: &'a mut Option<(u64, Ended)>,
}

impl<P: FnOnce(&RangeRecord) -> bool> Meant for Ending<'_, P> {
    #[inline(always)]
    fn means(self, range: Range) -> bool {
        let objects = &self.registry.lane(lane_of(range.value)).objects;
        *self.ended = objects.end(range, self.kept, self.push).map(|ended| (range.value, ended));
        self.ended.is_some()
    }
}

impl Registry {
    /// An object is born on the lane.
    pub fn add(&self, lane: u16, base: u64, bytes: u64, kind: RangeKind, label: &CStr) -> Result<Serial, Error> {
        check_extent(base, bytes)?;
        let own = self.lane(lane);
        let label = own.number(label, &self.labels);
        if kind == RangeKind::Stack
            && bytes > 0
            && let Some(serial) = self.add_frame(own, base, bytes, label)
        {
            return Ok(serial);
        }
        let birth = own.births.load(Ordering::Relaxed) + 1;
        let serial = Serial::new(lane, birth);
        let object = Object { serial, home: lane, ..Object::new(base, bytes, kind, label) };
        match own.objects.add(&object) {
            Some(slot) => self.place_new(slot, &object)?,
            None => _ = self.place_as(LifeState::Alive, object)?,
        }
        self.associate(&object);
        own.births.store(birth, Ordering::Relaxed);
        Ok(serial)
    }

    /// The object that begins at `base` dies in the forward sweep.
    pub fn remove(&self, lane: u16, base: u64) -> Result<Object, Error> {
        if let Some(RangeRecord { serial, bytes, kind, label, .. }) =
            self.frame(lane, base).filter(|record| self.end_frame(lane, record))
        {
            return Ok(Object { serial, home: lane, ..Object::new(base, bytes, kind, label) });
        }
        let (value, object) = self.exact(lane, base)?;
        self.end(lane, value, &object)?;
        Ok(object)
    }

    /// As [`end`](Registry::end), of a block that begins at `base` and whose record `push` has pushed, unless there is more
    /// to it.
    #[inline(always)]
    pub fn end_at_once(&self, lane: u16, base: u64, push: impl FnOnce(&RangeRecord) -> bool) -> Option<()> {
        if self.is_in_doubt(lane, base) {
            return None;
        }
        // Only who waits, and who has more than the maps, needs to know what it was.
        let mut kept =
            (!self.waiting.is_empty() || !self.side_tables.is_empty()).then(|| Object::new(0, 0, RangeKind::Heap, 0));
        let mut past = self.past();
        let Past { dead, moved } = &mut *past;
        let mut ended = None;
        // It is dead before its range is hollow: nobody else changes either meanwhile.
        let ending = Ending { registry: self, kept: kept.as_mut(), push, ended: &mut ended };
        let overlaps = dead.insert(&mut &self.heap, base, ending, |value| self.forget(value))?;
        let (value, Ended { forward_base, reused }) = ended?;
        if overlaps && !reused {
            self.update(value, |object| object.reused = true);
        }
        if forward_base != base {
            moved.remove(forward_base, value);
        }
        drop(past);
        if let Some(object) = kept {
            self.side_tables.ended(&object);
            self.waiting.ended(&object, None);
        }
        Some(())
    }

    /// An object that was found dies in the forward sweep.
    pub fn end(&self, lane: u16, value: u64, object: &Object) -> Result<(), Error> {
        self.remember(lane, value, object)?;
        self.waiting.released(object.serial, None);
        Ok(())
    }

    fn remember(&self, lane: u16, value: u64, object: &Object) -> Result<(), Error> {
        if object.bytes == 0 {
            self.take(lane, value, object)?;
            self.erase(value, |_| true);
            return Ok(());
        }
        let range = object.range(value);
        let died = if object.kind == RangeKind::Stack {
            let Stack { ranges, dead, moved, .. } = &mut *self.stack(self.lane(object.home));
            self.die(range, object, ranges, dead, moved)
        } else {
            let Past { dead, moved } = &mut *self.past();
            self.die(range, object, &mut &self.heap, dead, moved)
        };
        if !died {
            return Err(self.describe().no_base(lane, object.base));
        }
        self.left(object);
        self.side_tables.ended(object);
        Ok(())
    }

    /// An object with bytes dies in its map. Whether it was there.
    #[inline]
    pub(super) fn die(
        &self,
        range: Range,
        object: &Object,
        map: &mut impl Places,
        dead: &mut Dead,
        moved: &mut Moved,
    ) -> bool {
        let overlaps = dead.insert(map, range.base, |there| there == range, |value| self.forget(value));
        let Some(overlaps) = overlaps else { return false };
        self.died(range.value, object, overlaps, moved);
        true
    }

    /// An object is hollow in its map.
    #[inline]
    fn died(&self, value: u64, object: &Object, reused: bool, moved: &mut Moved) {
        self.lane(lane_of(value)).objects.die(value as u32, reused);
        if object.forward_base != object.base {
            moved.remove(object.forward_base, value);
        }
    }

    /// The birth of the object that begins at `base` is reversed.
    pub fn undo_birth(&self, lane: u16, base: u64) -> Result<Object, Error> {
        let (value, object) = match self.take_at_once(lane, base) {
            Some(taken) => taken,
            None => {
                let (value, object) = self.exact(lane, base)?;
                self.take(lane, value, &object)?;
                (value, object)
            }
        };
        self.erase(value, |_| true);
        self.waiting.ended(&object, Some(object.forward_base));
        if object.reused {
            self.with_dead(&object, |dead| {
                // Its death may have taken the place of others, which are dead still.
                dead.lose(object.range(value));
                dead.birth_is_undone(object.serial);
            });
        }
        Ok(object)
    }

    /// The object that begins at `base` has its adjoint there.
    pub fn set_adjoint(&self, lane: u16, base: u64, adjoint_base: u64, adjoint_bytes: u64) -> Result<(), Error> {
        check_adjoint(adjoint_base, adjoint_bytes)?;
        let (value, _) = self.exact(lane, base)?;
        self.update(value, |object| (object.adjoint_base, object.adjoint_bytes) = (adjoint_base, adjoint_bytes));
        Ok(())
    }

    /// Puts an object that is not alive into the maps, or changes nothing. Whether it is reused.
    pub(super) fn place(&self, object: Object) -> Result<bool, Error> {
        self.place_as(LifeState::Coming, object)
    }

    /// Puts an object with a serial above all others, in this slot of its lane, into the maps.
    fn place_new(&self, slot: u32, object: &Object) -> Result<(), Error> {
        let objects = &self.lane(object.serial.lane()).objects;
        match self.enter(object, value(object.serial, slot)) {
            Ok(Touching { below: false, hollow: false, .. }) => {}
            // A newborn meets the dead of its place; nobody else knows it yet.
            Ok(Touching { below, hollow, .. }) => {
                objects.put(slot, Object { touched: below, reused: hollow, ..*object })
            }
            Err(there) => {
                objects.remove_if(slot, |_| true);
                return Err(self.describe().overlap(object, there.as_ref()));
            }
        }
        Ok(())
    }

    /// Puts an object into the maps; until it is there, it is in this state. Nobody knows a newborn's serial yet, so it
    /// may be alive. Pointers to an object that comes back must wait until it is entered.
    fn place_as(&self, state: LifeState, mut object: Object) -> Result<bool, Error> {
        let objects = &self.lane(object.serial.lane()).objects;
        let (slot, was) =
            objects.claim(Object { state, ..object }).map_err(|there| self.describe().twice(&there, &object))?;
        if state == LifeState::Coming {
            // Others have died since where one lay that is not remembered: nobody knows who was there before.
            object.reused = object.bytes > 0 && was.is_none_or(|was| was.reused);
        }
        let value = value(object.serial, slot);
        let entered = self.enter(&object, value);
        match (entered, was) {
            (Ok(touching), _) => {
                if let Some(was) = was {
                    let place = |object: &Object| (object.base, object.bytes, object.kind, object.home);
                    if place(&was) == place(&object) {
                        self.forget_outside(&was, value);
                    } else {
                        self.forget_place(&was, value);
                    }
                }
                // A newborn meets the dead of its place; nobody else knows it yet.
                object.reused |= touching.hollow && state == LifeState::Alive;
                if touching.below || object.reused || was.is_some() || state != object.state {
                    objects.put(slot, Object { touched: touching.below, ..object });
                }
                Ok(object.reused)
            }
            (Err(there), None) => {
                objects.remove_if(slot, |_| true);
                Err(self.describe().overlap(&object, there.as_ref()))
            }
            (Err(there), Some(was)) => {
                objects.update(slot, |there| *there = was);
                // Another death may have taken its place meanwhile.
                if !self.remembers(&was, value) {
                    let serial = self.forget(value);
                    self.with_dead(&was, |dead| {
                        dead.is_forgotten(serial);
                        dead.lose(was.range(value));
                    });
                }
                Err(self.describe().overlap(&object, there.as_ref()))
            }
        }
    }

    /// Enters an object's range into the map of its kind. What it touches, dead ranges as hollow ones; or the one in the
    /// way.
    fn enter(&self, object: &Object, value: u64) -> Result<Touching, Option<Object>> {
        let range = object.range(value);
        if range.bytes == 0 {
            self.empties.insert(range.base, value);
            return Ok(Touching::default());
        }
        let moved = object.forward_base != range.base;
        if object.kind == RangeKind::Stack {
            if let Some(there) = self.heap.overlapping(range) {
                return Err(self.object(there.value));
            }
            let lane = self.lane(object.home);
            self.free_in_stacks(range, Some(lane))?;
            let stack = &mut *self.stack(lane);
            let touching = stack.ranges.insert_over(range, |there, wholly| stack.dead.give_way(there, wholly, value));
            let touching = touching.map_err(|there| self.object(there.value))?;
            if moved {
                lane.has_moved.store(1, Ordering::Relaxed);
                stack.moved.insert(value, |value| self.whereabouts(value, Some(object.home)));
            }
            self.spans.widen(&lane.span, object.home, range.base, range.bytes);
            return Ok(self.touch(range, touching, &stack.dead));
        }
        self.free_in_stacks(range, None)?;
        let past = &mut *self.past();
        let touching = self.heap.insert_over(range, |there, wholly| past.dead.give_way(there, wholly, value));
        let touching = touching.map_err(|there| self.object(there.value))?;
        if moved {
            past.moved.insert(value, |value| self.whereabouts(value, None));
        }
        Ok(self.touch(range, touching, &past.dead))
    }

    /// Whether no stack range overlaps this one, those of one lane apart; or the one that does.
    fn free_in_stacks(&self, range: Range, but: Option<&Lane>) -> Result<(), Option<Object>> {
        if but.is_none() && self.spans.are_apart(range.base, range.end()) {
            return Ok(());
        }
        for lane in self.other_stacks(but, range.base, range.end()) {
            let there = self.stack(lane).ranges.overlapping(range);
            if let Some(there) = there {
                return Err(self.object(there.value));
            }
        }
        Ok(())
    }

    /// What a range that came touches, the dead outside of the map included. Marks the one that begins where it ends.
    pub(super) fn touch(&self, range: Range, touching: Touching, dead: &Dead) -> Touching {
        if let Some(above) = touching.above {
            self.touch_value(above);
        }
        Touching { hollow: touching.hollow || dead.meets(range), ..touching }
    }

    /// Takes an object that was found out of the maps; an error if it was not there any more.
    fn take(&self, lane: u16, value: u64, object: &Object) -> Result<(), Error> {
        if !self.leave(value, object) {
            return Err(self.describe().no_base(lane, object.base));
        }
        self.side_tables.ended(object);
        Ok(())
    }

    /// As [`take`](Registry::take), of the block or variable of the lane's stack that begins at `base`, with its value, unless
    /// there is more to it. What waits in it is left.
    fn take_at_once(&self, lane: u16, base: u64) -> Option<(u64, Object)> {
        if self.empties.len() > 0 {
            return None;
        }
        let own = self.lane(lane);
        if own.span.meets(base, base) {
            let Stack { ranges, dead, moved, .. } = &mut *self.stack(own);
            return self.take_from(base, ranges, dead, moved);
        }
        let Past { dead, moved } = &mut *self.past();
        self.take_from(base, &mut &self.heap, dead, moved)
    }

    #[inline(always)]
    fn take_from(&self, base: u64, map: &mut impl Places, dead: &Dead, moved: &mut Moved) -> Option<(u64, Object)> {
        if dead.outside() > 0 {
            return None;
        }
        let mut found = None;
        let range = map.remove_if(base, |range| {
            found = self.object_of(*range).filter(|object| object.state == LifeState::Alive);
            found.is_some()
        })?;
        let object = found?;
        if object.forward_base != object.base {
            moved.remove(object.forward_base, range.value);
        }
        self.side_tables.ended(&object);
        Some((range.value, object))
    }

    /// Whether something else than a block of the heap may begin at `base`.
    #[inline(always)]
    fn is_in_doubt(&self, lane: u16, base: u64) -> bool {
        self.empties.len() > 0 || self.lane(lane).span.meets(base, base)
    }

    /// Takes an object out of the maps, with what waits in it. Whether it was there.
    pub(super) fn leave(&self, value: u64, object: &Object) -> bool {
        let there = match (object.bytes, object.kind) {
            (0, _) => self.empties.remove(object.base, value),
            (_, RangeKind::Stack) => self.stack(self.lane(object.home)).leave(value, object),
            _ => {
                let past = &mut *self.past();
                if object.forward_base != object.base {
                    past.moved.remove(object.forward_base, value);
                }
                past.dead.leave(&mut &self.heap, object.base, value)
            }
        };
        if there {
            self.left(object);
        }
        there
    }

    /// What waits in an object that is not in the maps any more waits no more.
    fn left(&self, object: &Object) {
        self.waiting.forget_inside(object.base, object.bytes);
        self.waiting.forget_inside(object.adjoint_base, object.adjoint_bytes);
    }
}

pub(super) fn check_extent(base: u64, bytes: u64) -> Result<(), Error> {
    match base.checked_add(bytes) {
        Some(_) if bytes > MAX_BYTES => Err(describe::too_long(base, bytes)),
        None => Err(describe::too_long(base, bytes)),
        Some(_) if base == 0 && bytes > 0 => Err(describe::at_null(bytes)),
        Some(_) => Ok(()),
    }
}

pub(super) fn check_adjoint(base: u64, bytes: u64) -> Result<(), Error> {
    match base.checked_add(bytes) {
        Some(_) if bytes <= MAX_BYTES => Ok(()),
        _ => Err(describe::too_long(base, bytes)),
    }
}
