//! Which parts of a file are free.
//!
//! ```text
//!   0                                    end           taken
//!   |== used ==| free |== used ==| free |== used ==|....... on the disk, unused .......|
//! ```
//!
//! *Free* parts lie between used ones, merged with their neighbours; one that would lie at the end lowers the end instead.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;

/// Parts begin at multiples of this, and their lengths are rounded up to it.
pub(super) const UNIT: u64 = 4096;

/// The used and the free parts of a file.
#[derive(Default)]
pub(super) struct Extents {
    /// Length by offset. No two touch, none touches the end.
    free: BTreeMap<u64, u64>,
    /// Behind the last used part.
    end: u64,
    /// Bytes in use.
    used: u64,
}

impl Extents {
    pub fn end(&self) -> u64 {
        self.end
    }

    pub fn used(&self) -> u64 {
        self.used
    }

    /// What a part of so many bytes takes.
    pub fn room(bytes: u64) -> u64 {
        bytes.next_multiple_of(UNIT)
    }

    /// Takes a part of `bytes` bytes, the first that is free; its offset.
    pub fn take(&mut self, bytes: u64) -> u64 {
        let room = Extents::room(bytes);
        self.used += room;
        let found = self.free.iter().find(|(_, length)| **length >= room).map(|(offset, length)| (*offset, *length));
        let Some((offset, length)) = found else {
            self.end += room;
            return self.end - room;
        };
        self.free.remove(&offset);
        if length > room {
            self.free.insert(offset + room, length - room);
        }
        offset
    }

    /// Gives back a part that was taken.
    pub fn give(&mut self, offset: u64, bytes: u64) {
        let (mut from, mut to) = (offset, offset + Extents::room(bytes));
        self.used -= to - from;
        if let Some((before, length)) = self.free.range(..from).next_back().map(|(offset, length)| (*offset, *length))
            && before + length == from
        {
            self.free.remove(&before);
            from = before;
        }
        if let Some(length) = self.free.remove(&to) {
            to += length;
        }
        if to == self.end {
            self.end = from;
        } else {
            self.free.insert(from, to - from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_disjoint_merged_and_the_lowest_that_fit() {
        let mut extents = Extents::default();
        let parts: Vec<u64> = (0..4).map(|_| extents.take(2 * UNIT - 1)).collect();
        assert_eq!(parts, [0, 2 * UNIT, 4 * UNIT, 6 * UNIT]);
        extents.give(parts[0], 2 * UNIT);
        extents.give(parts[2], 2 * UNIT);
        assert_eq!((extents.take(3 * UNIT), extents.end()), (8 * UNIT, 11 * UNIT), "neither is large enough");
        extents.give(parts[1], 2 * UNIT);
        assert_eq!(extents.free, [(0, 6 * UNIT)].into());
        assert_eq!((extents.take(5 * UNIT), extents.take(1)), (0, 5 * UNIT));
        extents.give(8 * UNIT, 3 * UNIT);
        assert_eq!((extents.end(), extents.used()), (8 * UNIT, 8 * UNIT), "what is free at the end is no part");
    }

    /// Against a list of what is used.
    #[test]
    fn parts_at_random_never_overlap_and_leave_nothing_behind() {
        let mut random = fastrand::Rng::with_seed(5);
        let (mut extents, mut used) = (Extents::default(), Vec::<(u64, u64)>::new());
        for round in 0..4000 {
            if random.u32(..100) < if round % 1000 < 500 { 70 } else { 30 } {
                let bytes = random.u64(1..20 * UNIT);
                let offset = extents.take(bytes);
                let overlaps = |(o, n): &(u64, u64)| offset < o + n && *o < offset + bytes;
                assert!(!used.iter().any(overlaps) && offset.is_multiple_of(UNIT));
                used.push((offset, bytes));
            } else if !used.is_empty() {
                let (offset, bytes) = used.swap_remove(random.usize(..used.len()));
                extents.give(offset, bytes);
            }
            let end = used.iter().map(|(offset, bytes)| offset + Extents::room(*bytes)).max().unwrap_or(0);
            let free: u64 = extents.free.values().sum();
            assert_eq!((extents.end(), extents.used() + free), (end, end));
        }
        used.iter().for_each(|(offset, bytes)| extents.give(*offset, *bytes));
        assert_eq!((extents.end(), extents.used(), extents.free.len()), (0, 0, 0));
    }
}
