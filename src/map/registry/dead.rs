//! Where objects lay that died, for pointers that still point there: until another one dies at the address, and at least
//! as many as were alive at once.
//!
//! The place of a dead object stays in its map, as a hollow range. So a death changes one entry, and a birth at the same
//! place another; both happen all the time, on stacks and where an allocator hands freed blocks out again. Where another
//! range has the place, it is kept here until that one dies, or gives it back:
//!
//! ```text
//!   map:      |==== alive ====|-- hollow --|==== alive ====|-- hollow --|   |== alive ==|
//!   covered:                               |---------------|                                as long as what is there
//!   partly:   |----------|                                                        |---------|        of any length
//! ```
//!
//! None of these overlap each other. Deaths are counted in *terms*, each as long as the most that were alive at once.
//! When a term ends, those that died in the one before are *old*, and each death of the next term forgets two of them.

#![forbid(unsafe_code)]

use super::object::Serial;
use crate::hash::mix;
use crate::map::ranges::{Meant, Range, Ranges, SharedRanges};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// At least so many dead ranges are remembered.
pub(super) const REMEMBERED: usize = 4096;

/// The bits in the value of a hollow range that say in which term, of four, it died: above those of a slot.
const TERM: u64 = 3 << 29;
const NEXT_TERM: u64 = 1 << 29;
/// How many of the old a death forgets.
const AT_ONCE: usize = 2;

/// The value of a hollow range without the mark of its term: that of its object.
pub(super) fn plain(value: u64) -> u64 {
    value & !TERM
}

/// The map that the dead are hollow ranges of.
pub(super) trait Places {
    fn alive(&self) -> usize;
    fn make_hollow(&mut self, base: u64, which: impl Meant, mark: u64) -> Option<Range>;
    fn hollow_out(&mut self, base: u64, hollow: impl FnOnce(Range) -> Option<u64>) -> Option<Range>;
    fn remove_if(&mut self, base: u64, wanted: impl FnOnce(&Range) -> bool) -> Option<Range>;
    fn remove_hollow(&mut self, base: u64, is_meant: impl FnOnce(u64) -> bool) -> bool;
    fn find_hollow(&self, address: u64) -> Option<Range>;
    fn hollow(&self) -> Vec<Range>;
}

macro_rules! places {
    ($of:ty, $map:ident => $hollow:expr) => {
        impl Places for $of {
            fn alive(&self) -> usize {
                self.len()
            }
            #[inline(always)]
            fn make_hollow(&mut self, base: u64, which: impl Meant, mark: u64) -> Option<Range> {
                <$map>::make_hollow(self, base, which, mark)
            }
            fn hollow_out(&mut self, base: u64, hollow: impl FnOnce(Range) -> Option<u64>) -> Option<Range> {
                <$map>::hollow_out(self, base, hollow)
            }
            fn remove_if(&mut self, base: u64, wanted: impl FnOnce(&Range) -> bool) -> Option<Range> {
                <$map>::remove_if(self, base, wanted)
            }
            fn remove_hollow(&mut self, base: u64, is_meant: impl FnOnce(u64) -> bool) -> bool {
                <$map>::remove_hollow(self, base, |range| is_meant(range.value)).is_some()
            }
            fn find_hollow(&self, address: u64) -> Option<Range> {
                <$map>::find_hollow(self, address)
            }
            fn hollow(&self) -> Vec<Range> {
                let list: fn(&$map) -> Vec<Range> = $hollow;
                list(self)
            }
        }
    };
}
places!(Ranges, Ranges => |map| map.iter_hollow().collect());
places!(&SharedRanges, SharedRanges => |map| map.list_hollow());

/// See the module.
#[derive(Default)]
pub(super) struct Dead {
    covered: HashMap<u64, Range, BuildHasherDefault<AddressHasher>>,
    partly: Ranges,
    /// How many were alive at once, at least [`REMEMBERED`].
    most: usize,
    /// How many died in this term.
    died: usize,
    /// The mark of this term.
    term: u64,
    /// Those to be forgotten. Some have come back since, or are gone.
    old: Vec<Range>,
    /// The lowest and the highest address of all ranges that are remembered no more, nor replaced.
    lost: Option<(u64, u64)>,
    forgotten: Forgotten,
}

/// Which objects are dead without being remembered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Forgotten {
    #[default]
    None,
    /// None that was born on this object's lane before it, nor on another lane.
    From(Serial),
    OfSeveralLanes,
}

impl Dead {
    /// The range of the map that begins at `base` dies, if it is the one that is meant, in place of all that it overlaps.
    /// `forget` gets the value of each that is remembered no more, and returns whose it is. Whether it overlaps any; None if
    /// nothing happens.
    #[inline(always)]
    pub fn insert(
        &mut self,
        map: &mut impl Places,
        base: u64,
        which: impl Meant,
        forget: impl FnMut(u64) -> Option<Serial>,
    ) -> Option<bool> {
        // Most are alive at once where one dies next, so no greater number passes unseen.
        self.most = self.most.max(map.alive()).max(REMEMBERED);
        let range = map.make_hollow(base, which, self.term)?;
        self.died += 1;
        // Most die where nothing else did.
        let alone = self.outside() == 0 && self.old.is_empty() && self.died <= self.most;
        Some(!alone && self.replace(map, range, forget))
    }

    /// A range has died in place of all that it overlaps, as in [`insert`](Dead::insert).
    #[cold]
    #[inline(never)]
    fn replace(&mut self, map: &mut impl Places, range: Range, mut forget: impl FnMut(u64) -> Option<Serial>) -> bool {
        let covered = if self.covered.is_empty() { None } else { self.covered.remove(&range.base) };
        let mut overlaps = covered.is_some();
        if let Some(there) = covered {
            self.is_forgotten(forget(plain(there.value)));
        }
        while self.partly.len() > 0
            && let Some(there) = self.partly.overlapping(range)
        {
            overlaps = true;
            self.partly.remove(there.base);
            self.is_forgotten(forget(plain(there.value)));
            if there.base < range.base || there.end() > range.end() {
                self.lose(there);
            }
        }
        for _ in 0..AT_ONCE.min(self.old.len()) {
            self.forget_old(map, &mut forget);
        }
        if self.died > self.most {
            self.end_term(map);
        }
        overlaps
    }

    /// A hollow range of the map gives way to one with this value, `wholly` if that is as long. It is the same object's
    /// if that comes back.
    pub fn give_way(&mut self, hollow: Range, wholly: bool, value: u64) {
        if plain(hollow.value) == value {
            return;
        }
        let apart = if wholly {
            self.covered.insert(hollow.base, hollow).is_none()
        } else {
            self.partly.insert(hollow).is_ok()
        };
        debug_assert!(apart, "the dead do not overlap");
    }

    /// Takes a range out of the map, as if it had never been there. Whether it was.
    pub fn leave(&mut self, map: &mut impl Places, base: u64, value: u64) -> bool {
        match self.covered.get(&base).copied() {
            Some(there) if map.hollow_out(base, |range| (range.value == value).then_some(there.value)).is_some() => {
                self.covered.remove(&base).is_some()
            }
            _ => map.remove_if(base, |range| range.value == value).is_some(),
        }
    }

    /// Whether an object that is not in the map any more died, or may have, where a range lies or at its end.
    pub fn meets(&self, range: Range) -> bool {
        let below = || self.partly.below(range.end()).is_some_and(|there| there.end() > range.base);
        self.lost.is_some_and(|(low, high)| low <= range.end() && range.base < high)
            || self.partly.len() > 0 && below()
            || !self.covered.is_empty() && self.covered.contains_key(&range.end())
    }

    /// An object is dead and not remembered; None: it comes back just now.
    pub fn is_forgotten(&mut self, serial: Option<Serial>) {
        let Some(serial) = serial else { return };
        self.forgotten = match self.forgotten {
            Forgotten::None => Forgotten::From(serial),
            Forgotten::From(first) if first.lane() == serial.lane() => Forgotten::From(first.min(serial)),
            _ => Forgotten::OfSeveralLanes,
        };
    }

    /// The birth of an object is reversed: what was born after it on its lane comes back no more.
    pub fn birth_is_undone(&mut self, serial: Serial) {
        if let Forgotten::From(first) = self.forgotten
            && first.lane() == serial.lane()
            && serial <= first
        {
            (self.lost, self.forgotten) = (None, Forgotten::None);
        }
    }

    /// Dead objects that lay there may not be remembered any more.
    pub fn lose(&mut self, range: Range) {
        if self.forgotten == Forgotten::None {
            return;
        }
        let (low, high) = self.lost.unwrap_or((range.base, range.end()));
        self.lost = Some((low.min(range.base), high.max(range.end())));
    }

    /// Those that died in the term before this one, which ends, are old.
    fn end_term(&mut self, map: &mut impl Places) {
        debug_assert!(self.old.is_empty(), "a term is long enough to forget all of them");
        let before = self.term.wrapping_sub(NEXT_TERM) & TERM;
        let outside = self.covered.values().copied().chain(self.partly.iter());
        self.old = map.hollow().into_iter().chain(outside).filter(|there| there.value & TERM == before).collect();
        (self.term, self.died) = ((self.term + NEXT_TERM) & TERM, 0);
    }

    fn forget_old(&mut self, map: &mut impl Places, forget: &mut impl FnMut(u64) -> Option<Serial>) {
        let Some(there) = self.old.pop() else { return };
        if self.old.is_empty() {
            self.old = Vec::new();
        }
        if self.take(map, there.base, |value| value == there.value) {
            self.is_forgotten(forget(plain(there.value)));
            self.lose(there);
        }
    }

    /// Forgets the range of an object that is back.
    pub fn remove(&mut self, map: &mut impl Places, base: u64, value: u64) {
        self.take(map, base, |there| plain(there) == value);
    }

    /// As [`remove`](Dead::remove), where the object came back to the same place in the map.
    pub fn remove_outside(&mut self, base: u64, value: u64) {
        self.take_outside(base, |there| plain(there) == value);
    }

    /// Takes a dead range out whose value is the one that is meant. Whether it was there.
    fn take(&mut self, map: &mut impl Places, base: u64, is_meant: impl Fn(u64) -> bool) -> bool {
        map.remove_hollow(base, &is_meant) || self.take_outside(base, is_meant)
    }

    /// As [`take`](Dead::take), of those that are not in the map.
    fn take_outside(&mut self, base: u64, is_meant: impl Fn(u64) -> bool) -> bool {
        if self.outside() == 0 {
            return false;
        }
        if self.covered.get(&base).is_some_and(|there| is_meant(there.value)) {
            self.covered.remove(&base);
            if self.covered.is_empty() {
                self.covered = HashMap::default();
            }
            return true;
        }
        let removed = self.partly.remove_if(base, |there| is_meant(there.value)).is_some();
        if removed && self.partly.len() == 0 {
            self.partly = Ranges::new();
        }
        removed
    }

    /// Forgets all.
    pub fn clear(&mut self, map: &mut impl Places, mut forget: impl FnMut(u64)) {
        for there in map.hollow() {
            map.remove_hollow(there.base, |_| true);
            forget(plain(there.value));
        }
        self.covered.values().copied().chain(self.partly.iter()).for_each(|there| forget(plain(there.value)));
        *self = Dead::default();
    }

    /// The dead range that an address is in, where nothing is alive.
    pub fn find(&self, map: &impl Places, address: u64) -> Option<Range> {
        let (hollow, partly) = (map.find_hollow(address), self.partly.find(address));
        let range = [hollow, partly].into_iter().flatten().max_by_key(|range| range.base)?;
        Some(Range { value: plain(range.value), ..range })
    }

    /// Whether the place of a dead object is remembered.
    pub fn holds(&self, map: &impl Places, base: u64, value: u64) -> bool {
        let places = [map.find_hollow(base), self.covered.get(&base).copied(), self.partly.at(base)];
        places.into_iter().flatten().any(|there| there.base == base && plain(there.value) == value)
    }

    /// How many are not in the map.
    pub fn outside(&self) -> usize {
        self.covered.len() + self.partly.len()
    }
}

/// The hash of an address.
#[derive(Default)]
pub(super) struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        // The table begins with the low bits.
        self.0.rotate_left(32)
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(self.0 ^ u64::from(*byte)));
    }

    fn write_u64(&mut self, address: u64) {
        self.0 = mix(address);
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
