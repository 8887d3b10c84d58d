//! What was pushed last from an address.
//!
//! The table is bounded: beyond that it keeps to a half, a quarter, ... of all addresses, chosen by their hashes, and each
//! of these stands for two, four, ...

#![forbid(unsafe_code)]

use crate::hash::mix;

#[derive(Clone, Copy)]
struct Slot {
    /// A hash of place and address; 0 in a slot that is free.
    key: u64,
    digest: u64,
    /// Pushes behind the first one, each with its weight; [`CHANGED`] once they differ.
    again: u64,
}

const FREE: Slot = Slot { key: 0, digest: 0, again: 0 };
const CHANGED: u64 = u64::MAX;
/// Addresses that are remembered.
const MOST: usize = 1 << 15;

/// What a push has in common with the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Same {
    /// Pushes that this one stands for; 0 if its address is not remembered.
    pub times: u64,
    /// Bits that did not change.
    pub bits: u64,
    /// Bits that never changed.
    pub never: u64,
    /// Weighted bits that earlier pushes had counted as such, and that changed now.
    pub changed: u64,
}

#[derive(Default)]
pub(super) struct Seen {
    /// None or a power of two, at most half of them taken.
    slots: Vec<Slot>,
    taken: usize,
    /// One address of 2^shift is remembered.
    shift: u32,
}

impl Seen {
    /// A place pushes `bits` bits from an address.
    #[inline]
    pub fn push(&mut self, (place, address): (u32, usize), digest: u64, weight: u64, bits: u64) -> Same {
        let key = mix(mix(address as u64) ^ u64::from(place)) | 1;
        if key.leading_zeros() < self.shift {
            return Same::default();
        }
        if 2 * self.taken >= self.slots.len() {
            self.make_room();
        }
        let at = find(&self.slots, key);
        let slot = &mut self.slots[at];
        if slot.key == 0 {
            *slot = Slot { key, digest, again: 0 };
            self.taken += 1;
            return Same::default();
        }
        let times = 1 << self.shift;
        if std::mem::replace(&mut slot.digest, digest) != digest {
            let again = std::mem::replace(&mut slot.again, CHANGED);
            let changed = if again == CHANGED { 0 } else { again * bits };
            return Same { times, changed, ..Same::default() };
        }
        if slot.again == CHANGED {
            return Same { times, bits, ..Same::default() };
        }
        slot.again += times * weight;
        Same { times, bits, never: bits, changed: 0 }
    }

    #[inline(never)]
    fn make_room(&mut self) {
        let mut slots = 1 << 8;
        if self.taken >= MOST {
            self.shift += 1;
            slots = self.slots.len();
        } else {
            slots = slots.max(2 * self.slots.len());
        }
        let old = std::mem::replace(&mut self.slots, vec![FREE; slots]);
        self.taken = 0;
        for slot in old.into_iter().filter(|slot| slot.key != 0 && slot.key.leading_zeros() >= self.shift) {
            let at = find(&self.slots, slot.key);
            self.slots[at] = slot;
            self.taken += 1;
        }
    }
}

/// Where a key is, or where it goes.
#[inline]
fn find(slots: &[Slot], key: u64) -> usize {
    let last = slots.len() - 1;
    let mut at = (key >> 1) as usize & last;
    while slots[at].key != key && slots[at].key != 0 {
        at = (at + 1) & last;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_addresses_are_all_seen() {
        let mut seen = Seen::default();
        for round in 0..4 {
            for i in 0..10_000 {
                let changed = i % 3 == 0;
                let found = seen.push(((i % 2) as u32, 8 * i), if changed { round } else { 7 }, 16, 64);
                let same = if round > 0 && !changed { 64 } else { 0 };
                assert_eq!((found.bits, found.never, found.changed), (same, same, 0), "{i}");
            }
        }
    }

    #[test]
    fn value_that_changes_late_never_counted_as_one_that_does_not() {
        let mut seen = Seen::default();
        let mut never = 0;
        for digest in [1, 1, 1, 2, 2] {
            let found = seen.push((0, 8), digest, 16, 64);
            never = never + 16 * found.times * found.never - found.changed;
        }
        assert_eq!(never, 0);
    }

    #[test]
    fn many_addresses_are_counted_by_a_part_of_them() {
        let mut seen = Seen::default();
        let count = 1_000_000;
        let mut round =
            || (0..count).map(|i| seen.push((3, 64 * i), 1, 16, 1)).map(|same| same.times * same.bits).sum::<u64>();
        assert!(round() < 100);
        let all = round();
        assert!(all.abs_diff(count as u64) < count as u64 / 50, "{all} of {count}");
        assert!(seen.slots.len() <= 4 * MOST);
    }
}
