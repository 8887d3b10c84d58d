//! What happens to objects: birth and death in the forward sweep, both reversed in the reverse sweep.

#![forbid(unsafe_code)]

use super::lane::{Dead, Lane};
use super::object::{Object, RangeKind, Serial, State};
use super::{Arrival, MAX_BYTES, Present, RangeRecord, Registry, Wait, describe, offset, value};
use crate::error::Error;
use crate::map::ranges::{Range, Touching};
use crate::sync::{OnceLock, Ordering};
use std::ffi::CStr;

impl Registry {
    /// An object is born on the lane.
    pub fn add(&self, lane: u16, base: u64, bytes: u64, kind: RangeKind, label: &CStr) -> Result<Serial, Error> {
        check_extent(base, bytes)?;
        let own = self.lane(lane);
        let label = own.number(label, &self.labels);
        let birth = own.births.load(Ordering::Relaxed) + 1;
        let serial = Serial::new(lane, birth);
        let object = Object { serial, home: lane, ..Object::new(base, bytes, kind, label) };
        self.place_as(State::Alive, object)?;
        self.associate(&object);
        own.births.store(birth, Ordering::Relaxed);
        Ok(serial)
    }

    /// The object that begins at `base` dies in the forward sweep.
    pub fn remove(&self, lane: u16, base: u64) -> Result<Object, Error> {
        let (value, object) = self.exact(lane, base)?;
        self.end(lane, value, &object)?;
        Ok(object)
    }

    /// The same of an object that was found.
    pub fn end(&self, lane: u16, value: u64, object: &Object) -> Result<(), Error> {
        if object.bytes == 0 {
            self.take(lane, value, object)?;
            self.erase(value, |_| true);
            return Ok(());
        }
        let die = |dead: &mut Dead, alive: &dyn Fn() -> usize| {
            self.update(value, |object| {
                object.state = State::Dead;
                (object.adjoint_base, object.adjoint_bytes) = (0, 0);
            });
            let range = Range { base: object.base, bytes: object.bytes, value };
            dead.insert(range, alive, |value| self.forget(value));
        };
        if object.kind != RangeKind::Stack {
            self.take(lane, value, object)?;
            die(&mut self.past().dead, &|| self.heap.len());
            return Ok(());
        }
        let mut stack = self.lane(object.home).stack();
        if !stack.leave(value, object) {
            drop(stack);
            return Err(self.describe().no_base(lane, object.base));
        }
        let alive = stack.ranges.len();
        die(&mut stack.dead, &|| alive);
        drop(stack);
        self.left(object);
        self.beside.ended(object);
        Ok(())
    }

    /// The birth of the object that begins at `base` is reversed.
    pub fn unbear(&self, lane: u16, base: u64) -> Result<Object, Error> {
        let (value, object) = self.exact(lane, base)?;
        self.take(lane, value, &object)?;
        self.erase(value, |_| true);
        Ok(object)
    }

    /// Its death is reversed: an object is back, at `present.base`. `set` sets each pointer variable that waited for
    /// it.
    pub fn restore(
        &self,
        lane: u16,
        record: &RangeRecord,
        present: Present,
        mut set: impl FnMut(Arrival),
    ) -> Result<(), Error> {
        check_extent(present.base, record.bytes)?;
        check_extent(record.base, record.bytes)?;
        check_adjoint(present.adjoint_base, present.adjoint_bytes)?;
        let RangeRecord { serial, bytes, kind, label, .. } = *record;
        let home = self.lanes.get(usize::from(serial.lane())).and_then(OnceLock::get);
        let births = home.map_or(0, |home| home.births.load(Ordering::Relaxed));
        if !(1..=births).contains(&serial.birth()) {
            return Err(describe::no_record(serial));
        }
        let object = Object {
            serial,
            forward_base: record.base,
            adjoint_base: present.adjoint_base,
            adjoint_bytes: present.adjoint_bytes,
            home: lane,
            ..Object::new(present.base, bytes, kind, label)
        };
        let value = |by, wait: Wait| {
            wait.elements.map_or(Ok(()), |elements| self.check_elements(&object, elements))?;
            if wait.adjoint { self.scaled(&object, by) } else { Ok(offset(object.base, by)) }
        };
        for (_, by, wait) in self.waiting.of(serial, record.base, bytes) {
            value(by, wait)?;
        }
        self.place(object)?;
        // Those, and whoever looked before it was there and waits since. Who waits later looks once more.
        self.waiting.take(serial, record.base, bytes, |variable, by, wait| {
            let value = value(by, wait).ok();
            value.into_iter().for_each(|value| set(Arrival { variable, value, offset: by }));
            value.is_some()
        });
        Ok(())
    }

    /// As [`restore`](Registry::restore); returns the pointer variables.
    #[cfg(test)]
    pub fn restore_and_list(&self, lane: u16, record: &RangeRecord, present: Present) -> Result<Vec<Arrival>, Error> {
        let mut arrivals = Vec::new();
        self.restore(lane, record, present, |arrival| arrivals.push(arrival)).map(|()| arrivals)
    }

    /// The object that begins at `base` has its adjoint there.
    pub fn set_adjoint(&self, lane: u16, base: u64, adjoint_base: u64, adjoint_bytes: u64) -> Result<(), Error> {
        check_adjoint(adjoint_base, adjoint_bytes)?;
        let (value, _) = self.exact(lane, base)?;
        self.update(value, |object| (object.adjoint_base, object.adjoint_bytes) = (adjoint_base, adjoint_bytes));
        Ok(())
    }

    /// Puts an object that is not alive into the maps, or changes nothing.
    pub(super) fn place(&self, object: Object) -> Result<(), Error> {
        self.place_as(State::Coming, object)
    }

    /// The same; until the object is in the maps, it is in this state. Of one that is born nobody knows the serial yet,
    /// so it may be alive; while one is still to be entered that comes back, pointers to it must wait.
    fn place_as(&self, state: State, object: Object) -> Result<(), Error> {
        let objects = &self.lane(object.serial.lane()).objects;
        let (slot, was) =
            objects.claim(Object { state, ..object }).map_err(|there| self.describe().twice(&there, &object))?;
        let value = value(object.serial, slot);
        let entered = self.enter(&object, value);
        match (entered, was) {
            (Ok(touched), _) => {
                if let Some(was) = was {
                    self.dead_of(&was, |dead| dead.remove(was.base, value));
                }
                if touched || was.is_some() || state != object.state {
                    objects.update(slot, |there| *there = Object { touched: touched || there.touched, ..object });
                }
                Ok(())
            }
            (Err(there), None) => {
                objects.remove_if(slot, |_| true);
                Err(self.describe().overlap(&object, there.as_ref()))
            }
            (Err(there), Some(was)) => {
                objects.update(slot, |there| *there = was);
                // Another death may have taken its place meanwhile.
                if !self.dead_of(&was, |dead| dead.holds(was.base, value)) {
                    self.forget(value);
                }
                Err(self.describe().overlap(&object, there.as_ref()))
            }
        }
    }

    /// Enters an object's range into the map of its kind. Whether a range ends where it begins; or the one in the way.
    fn enter(&self, object: &Object, value: u64) -> Result<bool, Option<Object>> {
        let range = Range { base: object.base, bytes: object.bytes, value };
        if range.bytes == 0 {
            self.empties.insert(range.base, value);
            return Ok(false);
        }
        let before = Range { base: object.forward_base, ..range };
        let moved = before.base != range.base;
        if object.kind == RangeKind::Stack {
            if let Some(there) = self.heap.below(range.end() - 1).filter(|there| there.end() > range.base) {
                return Err(self.object(there.value));
            }
            let lane = self.lane(object.home);
            self.free_in_stacks(range, Some(lane))?;
            let mut stack = lane.stack();
            let touching = stack.ranges.insert(range).map_err(|there| self.object(there.value))?;
            if moved {
                stack.moved.insert(before);
            }
            lane.widen(range.base, range.bytes);
            return Ok(self.touch(touching));
        }
        self.free_in_stacks(range, None)?;
        let touching = self.heap.insert(range).map_err(|there| self.object(there.value))?;
        if moved {
            self.past().moved.insert(before);
        }
        Ok(self.touch(touching))
    }

    /// Whether no stack range overlaps this one, those of one lane apart; or the one that does.
    fn free_in_stacks(&self, range: Range, but: Option<&Lane>) -> Result<(), Option<Object>> {
        let others = self.claimed().filter(|lane| !but.is_some_and(|but| std::ptr::eq(*lane, but)));
        for lane in others.filter(|lane| lane.may_overlap(range.base, range.bytes)) {
            let there = lane.stack().ranges.below(range.end() - 1).filter(|there| there.end() > range.base);
            if let Some(there) = there {
                return Err(self.object(there.value));
            }
        }
        Ok(())
    }

    /// Whether a range ends where a new one begins; one that begins where the new one ends is told.
    fn touch(&self, touching: Touching) -> bool {
        if let Some(above) = touching.above {
            self.update(above, |object| object.touched = true);
        }
        touching.below
    }

    /// Takes an object that was found out of the maps; an error if it was not there any more.
    fn take(&self, lane: u16, value: u64, object: &Object) -> Result<(), Error> {
        if !self.leave(value, object) {
            return Err(self.describe().no_base(lane, object.base));
        }
        self.beside.ended(object);
        Ok(())
    }

    /// Takes an object out of the maps, with what waits in it. Whether it was there.
    pub(super) fn leave(&self, value: u64, object: &Object) -> bool {
        let there = match (object.bytes, object.kind) {
            (0, _) => self.empties.remove(object.base, value),
            (_, RangeKind::Stack) => self.lane(object.home).stack().leave(value, object),
            _ => {
                if object.forward_base != object.base {
                    self.past().moved.remove(object.forward_base, value);
                }
                self.heap.remove_if(object.base, |range| range.value == value).is_some()
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

fn check_extent(base: u64, bytes: u64) -> Result<(), Error> {
    match base.checked_add(bytes) {
        Some(_) if bytes > MAX_BYTES => Err(describe::too_long(base, bytes)),
        None => Err(describe::too_long(base, bytes)),
        Some(_) if base == 0 && bytes > 0 => Err(describe::at_null(bytes)),
        Some(_) => Ok(()),
    }
}

fn check_adjoint(base: u64, bytes: u64) -> Result<(), Error> {
    match base.checked_add(bytes) {
        Some(_) if bytes <= MAX_BYTES => Ok(()),
        _ => Err(describe::too_long(base, bytes)),
    }
}
