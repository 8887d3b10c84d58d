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

use crate::hash::mix;
use crate::map::ranges::{Range, Ranges, SharedRanges};
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
    fn hollow_out(&mut self, base: u64, hollow: impl FnOnce(Range) -> Option<u64>) -> Option<Range>;
    fn remove(&mut self, base: u64, value: u64) -> bool;
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
            fn hollow_out(&mut self, base: u64, hollow: impl FnOnce(Range) -> Option<u64>) -> Option<Range> {
                <$map>::hollow_out(self, base, hollow)
            }
            fn remove(&mut self, base: u64, value: u64) -> bool {
                self.remove_if(base, |range| range.value == value).is_some()
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
}

impl Dead {
    /// The range of the map that begins at `base` dies, if it is the one that is meant, in place of all that it overlaps.
    /// `forget` gets the value of each that is remembered no more. Whether it overlaps any; None if nothing happens.
    #[inline]
    pub fn insert(
        &mut self,
        map: &mut impl Places,
        base: u64,
        is_meant: impl FnOnce(Range) -> bool,
        forget: impl FnMut(u64),
    ) -> Option<bool> {
        // Most are alive at once where one dies next, so no greater number passes unseen.
        self.most = self.most.max(map.alive()).max(REMEMBERED);
        let term = self.term;
        let range = map.hollow_out(base, |range| is_meant(range).then_some(range.value | term))?;
        self.died += 1;
        // Most die where nothing else did.
        let alone = self.outside() == 0 && self.old.is_empty() && self.died <= self.most;
        Some(!alone && self.replace(map, range, forget))
    }

    /// A range has died in place of all that it overlaps, as in [`insert`](Dead::insert).
    fn replace(&mut self, map: &mut impl Places, range: Range, mut forget: impl FnMut(u64)) -> bool {
        let covered = if self.covered.is_empty() { None } else { self.covered.remove(&range.base) };
        let mut overlaps = covered.is_some();
        covered.inspect(|there| forget(plain(there.value)));
        while self.partly.len() > 0
            && let Some(there) = self.partly.overlapping(range)
        {
            overlaps = true;
            self.partly.remove(there.base);
            forget(plain(there.value));
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
            _ => map.remove(base, value),
        }
    }

    /// Whether an object that is not in the map any more died, or may have, where a range lies or at its end.
    pub fn meets(&self, range: Range) -> bool {
        let below = || self.partly.below(range.end()).is_some_and(|there| there.end() > range.base);
        self.lost.is_some_and(|(low, high)| low <= range.end() && range.base < high)
            || self.partly.len() > 0 && below()
            || !self.covered.is_empty() && self.covered.contains_key(&range.end())
    }

    /// Where a dead object lay is not remembered by itself any more.
    pub fn lose(&mut self, range: Range) {
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

    fn forget_old(&mut self, map: &mut impl Places, forget: &mut impl FnMut(u64)) {
        let Some(there) = self.old.pop() else { return };
        if self.old.is_empty() {
            self.old = Vec::new();
        }
        if self.take(map, there.base, |value| value == there.value) {
            self.lose(there);
            forget(plain(there.value));
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
mod tests {
    use super::*;
    use fastrand::Rng;

    fn range(base: u64, value: u64) -> Range {
        Range { base, bytes: 8, value }
    }

    /// A map with its dead.
    #[derive(Default)]
    struct Both {
        map: Ranges,
        dead: Dead,
    }

    impl Both {
        /// Whether it comes where others are dead.
        fn birth(&mut self, range: Range) -> bool {
            let Both { map, dead } = self;
            let touching = map.insert_over(range, |there, wholly| dead.give_way(there, wholly, range.value));
            touching.expect("free").hollow || dead.meets(range)
        }

        /// Values that are forgotten when the range dies.
        fn death(&mut self, range: Range) -> Vec<u64> {
            let mut gone = Vec::new();
            self.dead
                .insert(&mut self.map, range.base, |there| there == range, |value| gone.push(value))
                .expect("alive");
            gone
        }

        fn find(&self, address: u64) -> Option<u64> {
            self.dead.find(&self.map, address).map(|range| range.value)
        }

        fn len(&self) -> usize {
            self.map.hollow() + self.dead.outside()
        }
    }

    #[test]
    fn dead_ranges_are_remembered_for_as_many_deaths_as_were_alive_at_once() {
        for alive in [0, 3 * REMEMBERED as u64] {
            let (mut both, most) = (Both::default(), REMEMBERED.max(alive as usize) as u64);
            (0..alive).for_each(|i| _ = both.birth(range((1 << 40) + 8 * i, 1 << 20)));
            let (mut forgotten, mut gone) = (0, std::collections::HashSet::new());
            for i in 0..5 * most {
                both.birth(range(16 * i, i));
                for value in both.death(range(16 * i, i)) {
                    assert!(gone.insert(value) && value + most <= i, "{value} is forgotten when {i} dies");
                    forgotten += 1;
                }
                assert_eq!(both.find(16 * i + 4), Some(i));
                assert_eq!(both.find((16 * i).saturating_sub(16 * (most - 1)) + 4), Some((i + 1).saturating_sub(most)));
                assert_eq!(both.len() as u64, i + 1 - forgotten);
                assert!(both.len() as u64 <= 3 * (most + 2));
            }
            assert!(forgotten > 2 * most && both.birth(range(4, 1)), "what is forgotten may have been there");
        }
    }

    #[test]
    fn dead_ranges_are_forgotten_where_another_one_died_since() {
        let mut both = Both::default();
        for i in 0..4 {
            both.birth(range(100 + 8 * i, i));
        }
        for i in 0..4 {
            assert_eq!(both.death(range(100 + 8 * i, i)), []);
        }
        both.birth(range(92, 7));
        assert_eq!(both.death(range(92, 7)), []);
        let wide = Range { base: 107, bytes: 10, value: 9 };
        assert!(both.birth(wide));
        assert_eq!((both.find(103), both.find(120), both.len()), (Some(0), Some(2), 5), "until it dies");
        let mut gone = both.death(wide);
        gone.sort_unstable();
        assert_eq!((gone, both.len(), both.find(103)), (vec![0, 1, 2], 3, None));
        let Both { map, dead } = &mut both;
        dead.remove(map, 107, 8);
        assert!(dead.holds(map, 107, 9));
        dead.remove(map, 107, 9);
        assert_eq!(both.len(), 2);
    }

    #[test]
    fn range_meets_the_dead_that_it_overlaps_or_that_begin_at_its_end() {
        for (base, bytes, meets) in [(92, 8, true), (92, 7, false), (107, 1, true), (108, 8, false), (1, 500, true)] {
            let mut both = Both::default();
            both.birth(range(100, 1));
            both.death(range(100, 1));
            assert_eq!(both.birth(Range { base, bytes, value: 2 }), meets, "{base}, {bytes}");
        }
    }

    #[test]
    fn nested_ranges_that_come_and_go_leave_no_more_behind_than_there_are_places() {
        let mut both = Both::default();
        for i in 0..10_000 {
            for depth in 0..16 {
                assert_eq!(both.birth(range(1000 - 8 * depth, 100 * i + depth)), i > 0);
            }
            let gone: Vec<u64> = (0..16).rev().flat_map(|d| both.death(range(1000 - 8 * d, 100 * i + d))).collect();
            assert_eq!((gone.len(), both.len()), (if i > 0 { 16 } else { 0 }, 16));
        }
        assert_eq!(both.dead.lost, None);
    }

    /// Lists of what is alive and of what is dead, searched from the front.
    #[derive(Default)]
    struct Model {
        alive: Vec<Range>,
        dead: Vec<Range>,
    }

    #[test]
    fn random_programs_remember_the_dead_as_the_model_does() {
        for seed in 1..=300 {
            let mut random = Rng::with_seed(seed);
            let (mut both, mut model) = (Both::default(), Model::default());
            let size = if seed % 2 == 0 { 1 } else { 1 + random.u64(..20) };
            for value in 1..400 {
                let base = 100 + size * random.u64(..30);
                let new = Range { base, bytes: if size == 1 { 1 + random.u64(..6) } else { size }, value };
                let overlap = |there: &Range| there.base < new.end() && base < there.end();
                let one = (!model.alive.is_empty()).then(|| random.usize(..model.alive.len()));
                match (random.u64(..8), one) {
                    (0..=3, _) if !model.alive.iter().any(overlap) => {
                        let reused = model.dead.iter().any(|there| overlap(there) || there.base == new.end());
                        assert_eq!(both.birth(new), reused, "seed {seed}: {new:?}");
                        model.alive.push(new);
                    }
                    (4 | 5, Some(i)) => {
                        let died = model.alive.swap_remove(i);
                        let is_gone = |there: &Range| there.base < died.end() && died.base < there.end();
                        let (mut gone, mut expected) = (both.death(died), Vec::new());
                        model.dead.retain(|there| {
                            expected.extend(is_gone(there).then_some(there.value));
                            !is_gone(there)
                        });
                        gone.sort_unstable();
                        expected.sort_unstable();
                        assert_eq!(gone, expected, "seed {seed}: {died:?}");
                        // What stood out beyond the range that died counts as dead for ever.
                        both.dead.lost = None;
                        model.dead.push(died);
                    }
                    (6, Some(i)) => {
                        let gone = model.alive.swap_remove(i);
                        let Both { map, dead } = &mut both;
                        assert!(dead.leave(map, gone.base, gone.value) && !dead.leave(map, gone.base, gone.value));
                    }
                    (7, _) if !model.dead.is_empty() => {
                        let back = model.dead.swap_remove(random.usize(..model.dead.len()));
                        let Both { map, dead } = &mut both;
                        assert!(dead.holds(map, back.base, back.value), "seed {seed}: {back:?}");
                        dead.remove(map, back.base, back.value);
                        assert!(!dead.holds(map, back.base, back.value));
                    }
                    _ => {}
                }
                for address in 98..100 + 31 * size {
                    let within = |there: &&Range| there.base <= address && address <= there.end();
                    if model.alive.iter().any(|there| within(&there)) {
                        continue;
                    }
                    let found = model.dead.iter().filter(within).max_by_key(|there| there.base);
                    assert_eq!(both.find(address), found.map(|there| there.value), "seed {seed}: {address}");
                }
                assert_eq!(both.len(), model.dead.len(), "seed {seed}");
            }
            let (mut gone, Both { map, dead }) = (0, &mut both);
            dead.clear(map, |_| gone += 1);
            assert_eq!((gone, both.len(), both.map.len()), (model.dead.len(), 0, model.alive.len()));
        }
    }
}
