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
}

const FREE: Slot = Slot { key: 0, digest: 0 };
/// Addresses that are remembered.
const MOST: usize = 1 << 15;

#[derive(Default)]
pub(super) struct Seen {
    /// None or a power of two, at most half of them taken.
    slots: Vec<Slot>,
    taken: usize,
    /// One address of 2^shift is remembered.
    shift: u32,
}

impl Seen {
    /// How many addresses this one stands for, if it is remembered and what lies there is what the place pushed from it
    /// the time before; else 0.
    #[inline]
    pub fn unchanged(&mut self, place: u32, address: usize, digest: u64) -> u64 {
        let key = mix(mix(address as u64) ^ u64::from(place)) | 1;
        if key.leading_zeros() < self.shift {
            return 0;
        }
        if 2 * self.taken >= self.slots.len() {
            self.make_room();
        }
        let at = find(&self.slots, key);
        let slot = &mut self.slots[at];
        if slot.key == 0 {
            *slot = Slot { key, digest };
            self.taken += 1;
            return 0;
        }
        if std::mem::replace(&mut slot.digest, digest) == digest { 1 << self.shift } else { 0 }
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
                let found = seen.unchanged((i % 2) as u32, 8 * i, if changed { round } else { 7 });
                assert_eq!(found, u64::from(round > 0 && !changed), "{i}");
            }
        }
    }

    #[test]
    fn many_addresses_are_counted_by_a_part_of_them() {
        let mut seen = Seen::default();
        let count = 1_000_000;
        let mut round = || (0..count).map(|i| seen.unchanged(3, 64 * i, 1)).sum::<u64>();
        assert!(round() < 100);
        let all = round();
        assert!(all.abs_diff(count as u64) < count as u64 / 50, "{all} of {count}");
        assert!(seen.slots.len() <= 4 * MOST);
    }
}
