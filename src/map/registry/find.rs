//! Objects by address, in the present and in the forward sweep; places by object.

#![forbid(unsafe_code)]

use super::lane::Lane;
use super::object::{Extents, LifeState, Object, Serial, SimplePlace, birth_in, lane_of};
use super::record::{Located, ObjectOffset};
use super::{Registry, describe, offset};
use crate::error::{Error, Status};
use crate::map::ranges::Range;
use crate::sync::{AtomicU64, Ordering, wait};

impl Registry {
    /// The object that begins at `base`, after what the maps find.
    pub fn exact(&self, lane: u16, base: u64) -> Result<(u64, Object), Error> {
        let own = self.lane(lane);
        let mut found = own.span.meets(base, base).then(|| self.stack(own).ranges.at(base)).flatten();
        found = found.or_else(|| self.heap.at(base));
        found = found
            .or_else(|| self.other_stacks(Some(own), base, base).find_map(|other| self.stack(other).ranges.at(base)));
        let empties = self.empties.at(base);
        let value = match (found, &empties[..]) {
            (Some(range), []) => range.value,
            (None, [value]) => *value,
            (Some(range), [other, ..]) => return Err(self.shared_base(lane, base, range.value, *other)),
            (None, [one, other, ..]) => return Err(self.shared_base(lane, base, *one, *other)),
            (None, []) => return Err(self.describe().no_base(lane, base)),
        };
        let object = self.object(value).filter(|object| object.base == base);
        Ok((value, object.ok_or_else(|| self.describe().no_base(lane, base))?))
    }

    /// The object that begins at `base`, as the tape knows it.
    pub fn begins_at(&self, lane: u16, base: u64) -> Result<Object, Error> {
        self.exact(lane, base).map(|(_, object)| object)
    }

    #[cold]
    fn shared_base(&self, lane: u16, base: u64, one: u64, other: u64) -> Error {
        match (self.object(one), self.object(other)) {
            (Some(one), Some(other)) => self.describe().shared_base(&one, &other),
            _ => self.describe().no_base(lane, base),
        }
    }

    /// The range that an address is in, whatever the kind.
    pub(super) fn range_of(&self, lane: u16, address: u64) -> Option<Range> {
        let own = self.lane(lane);
        let mut end_of = None;
        let mut inside = |range: Option<Range>| match range {
            Some(range) if address < range.end() => Some(range),
            range => {
                end_of = end_of.or(range);
                None
            }
        };
        let stack = own.span.meets(address, address).then(|| self.stack(own).ranges.find(address)).flatten();
        if let Some(range) = inside(stack).or_else(|| inside(self.heap.find(address))) {
            return Some(range);
        }
        for other in self.other_stacks(Some(own), address, address) {
            let found = self.stack(other).ranges.find(address);
            if let Some(range) = inside(found) {
                return Some(range);
            }
        }
        end_of
    }

    /// As [`find`](Registry::find), of an address inside of a block, unless there is more to it.
    #[inline(always)]
    pub fn find_at_once(&self, lane: u16, address: u64) -> Option<ObjectOffset> {
        if self.lane(lane).span.meets(address, address) {
            return None;
        }
        // A slot has the object before the map has its range, and another one only after: while the map does not change,
        // the first word is that of the range's object.
        let (range, first) = self.heap.find_with(address, |range| {
            self.lane_if_claimed(lane_of(range.value))?.objects.first(range.value as u32)
        })?;
        let by = address.wrapping_sub(range.base);
        let birth = first.filter(|first| by > 0 || !Object::is_touched(*first)).map(birth_in)?;
        let serial = Serial::new(lane_of(range.value), birth);
        (birth != 0 && by < range.bytes).then_some(ObjectOffset { serial, offset: by as i64 })
    }

    /// The object that an address is in, dead ones last; None for NULL.
    pub fn find(&self, lane: u16, address: u64) -> Result<Option<ObjectOffset>, Error> {
        if address == 0 {
            return Ok(None);
        }
        if let Some(place) = self.find_at_once(lane, address) {
            return Ok(Some(place));
        }
        let mut attempts = 0;
        while let Some(range) = self.range_of(lane, address) {
            let Some(object) = self.object_of(range) else {
                wait(&mut attempts);
                continue;
            };
            if address == range.base && object.touched && self.ends_at(lane, address) {
                self.ambiguous.fetch_add(1, Ordering::Relaxed);
            }
            return Ok(Some(ObjectOffset { serial: object.serial, offset: (address - range.base) as i64 }));
        }
        self.find_past(lane, address).map(Some).ok_or_else(|| self.describe().no_range(lane, address))
    }

    /// An empty range at the address, or a dead range that it was in.
    fn find_past(&self, lane: u16, address: u64) -> Option<ObjectOffset> {
        let empties = self.empties.at(address).into_iter().rev().filter_map(|value| self.object(value));
        if let Some(object) = empties.into_iter().find(|object| object.base == address && object.bytes == 0) {
            return Some(ObjectOffset { serial: object.serial, offset: 0 });
        }
        // While the lock is held, no dead object is forgotten and its slot given to another one.
        let place = |range: Option<Range>| {
            let range = range?;
            let object = self.object(range.value)?;
            Some(ObjectOffset { serial: object.serial, offset: (address - range.base) as i64 })
        };
        let of_stack = |lane: &Lane| {
            let stack = self.stack(lane);
            place(stack.dead.find(&stack.ranges, address))
        };
        let own = self.lane(lane);
        let mut others = self.other_stacks(Some(own), address, address);
        let found = of_stack(own).or_else(|| place(self.past().dead.find(&&self.heap, address)));
        found.or_else(|| others.find_map(of_stack))
    }

    /// Whether a range that is alive ends at the address.
    fn ends_at(&self, lane: u16, address: u64) -> bool {
        let own = self.lane(lane);
        let in_stack = own.span.meets(address, address) && self.stack(own).ranges.ends_at(address);
        in_stack || self.heap.ends_at(address)
    }

    /// As [`find_pair`](Registry::find_pair), of a block, unless there is more to it.
    #[inline(always)]
    pub fn find_pair_at_once(&self, lane: u16, base: u64, offset: i64) -> Option<ObjectOffset> {
        if self.empties.len() > 0 {
            return None;
        }
        let place = self.find_at_once(lane, base).filter(|place| place.offset == 0)?;
        Some(ObjectOffset { offset, ..place })
    }

    /// The object that begins at `base`, be it dead, with this offset; None for NULL.
    pub fn find_pair(&self, lane: u16, base: u64, offset: i64) -> Result<Option<ObjectOffset>, Error> {
        if base == 0 {
            return if offset == 0 { Ok(None) } else { Err(describe::null_pair(offset)) };
        }
        match self.exact(lane, base) {
            Ok((_, object)) => Ok(Some(ObjectOffset { serial: object.serial, offset })),
            Err(error) if error.status() != Status::NoRange => Err(error),
            Err(error) => match self.find_past(lane, base) {
                Some(place) if place.offset == 0 => Ok(Some(ObjectOffset { offset, ..place })),
                _ => Err(error),
            },
        }
    }

    // ---- where things lie now --------------------------------------------------------------------------

    /// As [`locate_at_once`](Registry::locate_at_once), of what was born on the first lane, is found without the index and
    /// is on memory that is not reused.
    #[inline(always)]
    pub fn locate_recent(&self, place: ObjectOffset) -> Option<Located> {
        Some(located_simply(self.first_lane.objects.place_at_once(place.serial.birth())?, place))
    }

    /// Where a place and its adjoint lie, unless there is more to it.
    #[inline(always)]
    pub fn locate_at_once(&self, place: ObjectOffset) -> Option<Located> {
        let lane = self.lane_if_claimed(place.serial.lane())?;
        if lane.has_frames.load(Ordering::Relaxed) != 0 {
            return None;
        }
        Some(located_simply(lane.objects.simple_place(place.serial.birth())?, place))
    }

    /// The object that an address is inside of, unless there is more to it.
    #[inline(always)]
    pub fn extents_of_address_at_once(&self, lane: u16, address: u64) -> Option<Extents> {
        if self.lane(lane).span.meets(address, address)
            && let Some(extents) = self.extents_in_stack(lane, address)
        {
            return Some(extents);
        }
        let (range, extents) = self.heap.find_with(address, |range| {
            self.lane_if_claimed(lane_of(range.value))?.objects.extents_in(range.value as u32)
        })?;
        extents.filter(|extents| extents.base == range.base && address.wrapping_sub(extents.base) < extents.bytes)
    }

    /// Where an object and its adjoint lie, unless there is more to it.
    #[inline(always)]
    pub fn extents_at_once(&self, serial: Serial) -> Option<Extents> {
        self.lane_if_claimed(serial.lane())?.objects.extents(serial)
    }

    /// Where the changes of an object's lane are counted.
    pub fn counter(&self, serial: Serial) -> Option<&AtomicU64> {
        Some(self.lane_if_claimed(serial.lane())?.objects.counter())
    }

    /// Where a place lies; None while its object is not alive.
    pub fn locate(&self, place: ObjectOffset) -> Result<Option<Located>, Error> {
        self.alive(place.serial).map(|object| self.located(&object, place.offset)).transpose()
    }

    /// The address of a place, and that in the adjoint.
    #[cfg(test)]
    pub fn locate_both(&self, place: ObjectOffset) -> Result<Option<(u64, u64)>, Error> {
        Ok(self.locate(place)?.map(|now| (now.address, now.adjoint)))
    }

    /// As [`rebase`](Registry::rebase), as two addresses.
    #[cfg(all(test, not(loom)))]
    pub fn rebase_both(&self, lane: u16, address: u64) -> Result<Option<(u64, u64)>, Error> {
        Ok(self.rebase(lane, address)?.map(|now| (now.address, now.adjoint)))
    }

    fn located(&self, object: &Object, by: i64) -> Result<Located, Error> {
        let (address, adjoint) = (offset(object.base, by), self.scaled(object, by)?);
        let place = ObjectOffset { serial: object.serial, offset: by };
        Ok(Located { place, address, adjoint, reused: object.reused })
    }

    /// The address in the adjoint for an offset in the object; 0 if it has none.
    pub(super) fn scaled(&self, object: &Object, by: i64) -> Result<u64, Error> {
        if object.adjoint_base == 0 {
            return Ok(0);
        }
        if object.adjoint_bytes == object.bytes || by == 0 {
            return Ok(offset(object.adjoint_base, by));
        }
        let (product, bytes) = (i128::from(by) * i128::from(object.adjoint_bytes), i128::from(object.bytes));
        if bytes == 0 || product % bytes != 0 {
            return Err(self.describe().uneven(object, by));
        }
        Ok(offset(object.adjoint_base, (product / bytes) as i64))
    }

    /// Refuses elements of the object and of its adjoint whose sizes are not in the ratio of the two.
    pub fn check_elements(&self, object: &Object, (element, of_adjoint): (u64, u64)) -> Result<(), Error> {
        let even = u128::from(object.adjoint_bytes) * u128::from(element);
        if object.adjoint_base == 0 || even == u128::from(object.bytes) * u128::from(of_adjoint) {
            return Ok(());
        }
        Err(self.describe().uneven_elements(object, element, of_adjoint))
    }

    /// Refuses what reaches from `low` to `high`, in bytes from a place, if that is not all inside the place's object.
    /// Of an object that ended nothing is said.
    pub fn check_inside(&self, place: ObjectOffset, low: i64, high: i64) -> Result<(), Error> {
        let Some(object) = self.alive(place.serial) else { return Ok(()) };
        let (low, high) = (place.offset.saturating_add(low), place.offset.saturating_add(high));
        if low >= 0 && high <= object.bytes as i64 { Ok(()) } else { Err(self.describe().leaves(&object, low, high)) }
    }

    /// An object was registered with another size than it has.
    pub fn other_size(&self, object: &Object, bytes: u64) -> Error {
        self.describe().other_size(object, bytes)
    }

    /// As [`rebase`](Registry::rebase), of an address inside of a block that lies elsewhere now, unless there is more to
    /// it.
    #[inline(always)]
    pub fn rebase_at_once(&self, lane: u16, address: u64) -> Option<Located> {
        if self.lane(lane).has_moved.load(Ordering::Relaxed) != 0 {
            return None;
        }
        if self.heap_moved.lacks_some() {
            self.enter_moved();
        }
        let range = self.heap_moved.find(address)?;
        let by = address.checked_sub(range.base).filter(|by| *by < range.bytes)? as i64;
        let home = lane_of(range.value);
        let (birth, now) = self.lane(home).objects.simple_place_of(range)?;
        Some(located_simply(now, ObjectOffset { serial: Serial::new(home, birth), offset: by }))
    }

    /// Blocks that came back elsewhere are found by an address of the forward sweep.
    #[cold]
    #[inline(never)]
    fn enter_moved(&self) {
        self.past().moved.enter(|value| self.whereabouts(value, None));
    }

    /// Where an address of the forward sweep and its adjoint lie now; None if its object is not there.
    pub fn rebase(&self, lane: u16, address: u64) -> Result<Option<Located>, Error> {
        // A base wins over an end, also where one of the two objects lies elsewhere now and the other one does not.
        let object = |range: Range| {
            let same = |object: &Object| object.forward_base == range.base && object.bytes == range.bytes;
            self.object(range.value).filter(|object| same(object) && object.state == LifeState::Alive)
        };
        let moved = self.moved_at(lane, address).and_then(object);
        let unmoved = |address: u64| self.range_of(lane, address).and_then(object);
        let inside = |object: &Object| address < object.forward_base + object.bytes;
        let found = moved.filter(inside).or_else(|| unmoved(address).filter(inside)).or(moved);
        let ends_here = || unmoved(address - 1).filter(|object| object.forward_base + object.bytes == address);
        let Some(object) = found.or_else(ends_here) else { return Ok(None) };
        self.located(&object, (address - object.forward_base) as i64).map(Some)
    }

    /// The range of the forward sweep, of an object that lies elsewhere now, that an address is in.
    fn moved_at(&self, lane: u16, address: u64) -> Option<Range> {
        let of_stack = |of: &Lane| of.stack().moved.find(address, |value| self.whereabouts(value, Some(of.number)));
        let own = of_stack(self.lane(lane));
        let heap = self.past().moved.find(address, |value| self.whereabouts(value, None));
        let inside = |range: &Range| address < range.end();
        let others = || self.claimed().find_map(of_stack);
        own.filter(inside).or(heap.filter(inside)).or(own).or(heap).or_else(others)
    }

    /// The reversal point: addresses of the forward sweep are where objects lie now. An error, which changes nothing,
    /// while an adjoint waits for an object that the section should have brought back.
    pub fn turn(&self) -> Result<(), Error> {
        self.check_detached()?;
        let mut values = self.past().moved.take();
        self.claimed().for_each(|lane| {
            let mut stack = lane.stack();
            values.extend(stack.moved.take());
            lane.has_moved.store(0, Ordering::Relaxed);
        });
        values.into_iter().for_each(|value| self.update(value, |object| object.forward_base = object.base));
        Ok(())
    }
}

/// Where a place in an object is that lies there.
#[inline(always)]
fn located_simply(now: SimplePlace, place: ObjectOffset) -> Located {
    let at = |base: u64| offset(base, place.offset);
    let adjoint = if now.adjoint_base == 0 { 0 } else { at(now.adjoint_base) };
    Located { place, address: at(now.base), adjoint, reused: now.reused }
}
