//! Deaths that are reversed: an object comes back, and what waited for it is set.

#![forbid(unsafe_code)]

use super::events::{check_adjoint, check_extent};
use super::object::{Object, Present, RangeKind, Serial};
use super::range::RangeRecord;
use super::waiting::{Arrival, Variables, Wait};
use super::{Registry, dead, describe, offset};
use crate::error::Error;
use crate::sync::Ordering;

impl Registry {
    /// Its death is reversed: an object is back, at `present.base`. Sets each pointer variable that waited for it, and
    /// each that was set to a younger object at its address and still holds that.
    pub fn restore(
        &self,
        lane: u16,
        record: &RangeRecord,
        present: Present,
        mut variables: impl Variables,
    ) -> Result<(), Error> {
        check_extent(present.base, record.bytes)?;
        check_extent(record.base, record.bytes)?;
        check_adjoint(present.adjoint_base, present.adjoint_bytes)?;
        let RangeRecord { serial, bytes, kind, label, .. } = *record;
        let home = self.lane_if_claimed(serial.lane());
        home.inspect(|home| self.settle_lane(home));
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
        if self.waiting.waits() > 0 {
            self.check_arrivals(&object)?;
        }
        let reused = self.place_at_once(&object).map_or_else(|| self.place(object), Ok)?;
        // Those that were checked, and whoever looked before it was there and waits since. Who waits later looks once
        // more.
        if self.waiting.concerns(object.forward_base, object.bytes) {
            self.set_arrivals(lane, &object, reused, &mut variables);
        }
        Ok(())
    }

    /// Refuses an object that has no place for a variable that waits for it.
    #[cold]
    #[inline(never)]
    fn check_arrivals(&self, object: &Object) -> Result<(), Error> {
        for (_, by, wait) in self.waiting.of(object.serial, object.forward_base, object.bytes) {
            self.value_of(object, by, wait)?;
        }
        Ok(())
    }

    /// What a variable is to be set to that waits for a place in the object.
    fn value_of(&self, object: &Object, by: i64, wait: Wait) -> Result<u64, Error> {
        wait.elements.map_or(Ok(()), |elements| self.check_elements(object, elements))?;
        if wait.adjoint { self.scaled(object, by) } else { Ok(offset(object.base, by)) }
    }

    /// Sets the variables that wait for an object that is back, and those that follow an address in it.
    #[cold]
    #[inline(never)]
    fn set_arrivals(&self, lane: u16, object: &Object, reused: bool, variables: &mut impl Variables) {
        let back = (object.serial, object.forward_base, object.bytes);
        self.waiting.take(back, reused, |variable, by, wait| {
            let value = self.value_of(object, by, wait).ok()?;
            variables.set(Arrival { variable, value, offset: by, held: None });
            Some(value)
        });
        self.waiting.take_followers(back, reused, variables, |by, wait, held| {
            let value = self.value_of(object, by, wait).ok();
            value.filter(|_| !self.was_set_anew(lane, object.serial, wait, held))
        });
    }

    /// Whether variables that follow seem to have been set by the program since, to another object that is alive, by
    /// chance where they pointed before: as `x = malloc(range.bytes)` does, they have its base and that of its adjoint.
    fn was_set_anew(&self, lane: u16, but: Serial, wait: Wait, held: &[(u64, u64)]) -> bool {
        let (primal, adjoint) = match (wait.adjoint, held) {
            (false, [(_, value)]) => (*value, None),
            (false, [(_, value), (_, adjoint), ..]) => (*value, Some(*adjoint)),
            (true, [(_, adjoint), (_, value), ..]) => (*value, Some(*adjoint)),
            _ => return false,
        };
        let by = wait.pair.unwrap_or(0);
        let found = self.range_of(lane, offset(primal, -by)).and_then(|range| self.object_of(range));
        let found = found.filter(|there| there.serial != but && offset(there.base, by) == primal);
        found.is_some_and(|there| adjoint.is_none_or(|adjoint| self.scaled(&there, by).is_ok_and(|at| at == adjoint)))
    }

    /// As [`restore`](Registry::restore); returns the pointer variables.
    #[cfg(test)]
    pub fn restore_and_list(&self, lane: u16, record: &RangeRecord, present: Present) -> Result<Vec<Arrival>, Error> {
        let mut arrivals = Vec::new();
        self.restore(lane, record, present, |arrival| arrivals.push(arrival)).map(|()| arrivals)
    }

    /// As [`place`](Registry::place), of a block that died and whose place is remembered where it was, unless there is more
    /// to it.
    #[inline(always)]
    fn place_at_once(&self, object: &Object) -> Option<bool> {
        if object.kind == RangeKind::Stack || object.bytes == 0 || !self.spans.are_apart(object.base, object.end()) {
            return None;
        }
        let past = &mut *self.past();
        if past.dead.outside() > 0 {
            return None;
        }
        // Whoever has the lock of the past may ask for both others in any order.
        let mut above = None;
        let (value, was) = self.lane(object.serial.lane()).objects.revive(object, |value, was| {
            if was.is_stack {
                return None;
            }
            let range = object.range(value);
            let touching = self.heap.revive(was.range.base, |there| dead::plain(there) == value, range)?;
            above = touching.above;
            Some(touching.below)
        })?;
        if object.forward_base != object.base {
            past.moved.insert(value, |value| self.whereabouts(value, None));
        }
        if was.reused && was.range.base != object.base {
            // Its death may have taken the place of others, which are dead still.
            past.dead.lose(was.range);
        }
        above.inspect(|above| self.touch_value(*above));
        Some(was.reused)
    }
}
