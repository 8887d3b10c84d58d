//! Blocks above 8 KiB: best fit in an ordered set of free intervals.
//!
//! A block goes to the smallest free interval that holds it, of those the lowest, at its lowest end. Free intervals are
//! merged with their neighbours at once, so that they are the complement of the blocks alive, and where a block goes
//! depends on nothing else.

#![forbid(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet};

/// Large blocks begin and end at multiples of this.
pub(super) const UNIT: usize = 64;

/// A free interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    pub bytes: usize,
    /// When its youngest part was freed.
    pub stamp: u64,
}

/// Which intervals of a range of offsets are taken.
pub(super) struct Large {
    start: usize,
    end: usize,
    blocks: BTreeMap<usize, usize>,
    gaps: BTreeMap<usize, Gap>,
    by_size: BTreeSet<(usize, usize)>,
}

impl Large {
    /// All of `[start, end)` free.
    pub fn new(start: usize, end: usize) -> Large {
        let mut large = Large { start, end, blocks: BTreeMap::new(), gaps: BTreeMap::new(), by_size: BTreeSet::new() };
        large.add_gap(start, Gap { bytes: end - start, stamp: 0 });
        large
    }

    fn add_gap(&mut self, at: usize, gap: Gap) {
        if gap.bytes > 0 {
            self.gaps.insert(at, gap);
            self.by_size.insert((gap.bytes, at));
        }
    }

    fn remove_gap(&mut self, at: usize) -> Option<Gap> {
        let gap = self.gaps.remove(&at)?;
        self.by_size.remove(&(gap.bytes, at));
        Some(gap)
    }

    /// Where a block of `bytes`, a multiple of [`UNIT`], goes; `None` where none does.
    pub fn place(&self, bytes: usize, alignment: usize) -> Option<usize> {
        let fits = self.by_size.range((bytes, 0)..);
        fits.map(|(size, at)| (at.next_multiple_of(alignment.max(UNIT)), at + size))
            .find(|(at, end)| at + bytes <= *end)
            .map(|(at, _)| at)
    }

    /// The free interval that holds all of `[at, at + bytes)`.
    pub fn gap_around(&self, at: usize, bytes: usize) -> Option<(usize, Gap)> {
        let (start, gap) = self.gaps.range(..=at).next_back()?;
        (at + bytes <= start + gap.bytes).then_some((*start, *gap))
    }

    /// Takes `[at, at + bytes)`, which is free.
    pub fn take(&mut self, at: usize, bytes: usize) {
        self.shrink_gap(at, bytes);
        self.blocks.insert(at, bytes);
    }

    fn shrink_gap(&mut self, at: usize, bytes: usize) {
        let Some((start, gap)) = self.gap_around(at, bytes) else { return };
        self.remove_gap(start);
        let (stamp, end) = (gap.stamp, start + gap.bytes);
        self.add_gap(start, Gap { bytes: at - start, stamp });
        self.add_gap(at + bytes, Gap { bytes: end - (at + bytes), stamp });
    }

    /// Frees the block at `at`, if there is one.
    pub fn give(&mut self, at: usize, now: u64) {
        if let Some(bytes) = self.blocks.remove(&at) {
            self.widen_gap(at, bytes, now);
        }
    }

    fn widen_gap(&mut self, at: usize, bytes: usize, now: u64) {
        let (mut start, mut end) = (at, at + bytes);
        if let Some((below, gap)) = self.gaps.range(..at).next_back().map(|(below, gap)| (*below, *gap))
            && below + gap.bytes == at
        {
            self.remove_gap(below);
            start = below;
        }
        if let Some(gap) = self.remove_gap(end) {
            end += gap.bytes;
        }
        self.add_gap(start, Gap { bytes: end - start, stamp: now });
    }

    /// Whether the block at `at` can have `bytes` where it is.
    pub fn can_resize(&self, at: usize, bytes: usize) -> bool {
        self.blocks.get(&at).is_some_and(|have| bytes <= *have || self.gap_around(at + have, bytes - have).is_some())
    }

    /// Gives the block at `at` another size; it [can have it](Large::can_resize).
    pub fn resize(&mut self, at: usize, bytes: usize, now: u64) {
        let Some(have) = self.blocks.insert(at, bytes) else { return };
        match bytes.checked_sub(have) {
            Some(0) => {}
            Some(more) => self.shrink_gap(at + have, more),
            None => self.widen_gap(at + bytes, have - bytes, now),
        }
    }

    /// The size of the block that begins at `at`.
    pub fn find(&self, at: usize) -> Option<usize> {
        self.blocks.get(&at).copied()
    }

    /// The block around `at`, where there is one: where it begins, and its size.
    pub fn around(&self, at: usize) -> Option<(usize, usize)> {
        let (start, bytes) = self.blocks.range(..=at).next_back()?;
        (at < start + bytes).then_some((*start, *bytes))
    }

    /// Frees all.
    pub fn clear(&mut self) {
        *self = Large::new(self.start, self.end);
    }

    /// Where the highest block ends.
    pub fn top(&self) -> usize {
        self.blocks.iter().next_back().map_or(self.start, |(at, bytes)| at + bytes)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.blocks.len()
    }

    /// Each block in order: offset and size.
    pub fn for_each(&self, mut visit: impl FnMut(usize, usize)) {
        self.blocks.iter().for_each(|(at, bytes)| visit(*at, *bytes));
    }

    /// Each free interval below the highest block: from, to, stamp.
    pub fn for_each_gap(&self, mut visit: impl FnMut(usize, usize, u64)) {
        let top = self.top();
        self.gaps.range(..top).for_each(|(at, gap)| visit(*at, at + gap.bytes, gap.stamp));
    }
}
