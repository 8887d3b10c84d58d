//! Disjoint ranges of addresses, found by any address in them: what the live map and the rebase map stand on.
//!
//! A *range* is the addresses from its *base* to its *end*, base + bytes; the bytes are those below the end. Ranges
//! never overlap, but the end of one may be the base of the next: they *touch*. An address is *in* a range from base to
//! end, both included; where two touch, the address belongs to the one whose base it is.
//!
//! ```text
//!           base a          end a = base b       end b             base c   end c
//!             |=======  a  ======|====  b  ========|                  |== c ==|
//!   find:  -  a       a          b       b         b        -         c       c   -
//! ```

#![forbid(unsafe_code)]
// Until the registry uses all of it.
#![allow(dead_code, unused_imports)]

mod shared;
#[cfg(all(test, not(loom)))]
mod tests;

pub(crate) use shared::SharedRanges;

use std::collections::BTreeMap;

/// A live range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub base: u64,
    /// Above 0, and base + bytes does not overflow.
    pub bytes: u64,
    /// Whatever the owner wants to find.
    pub value: u64,
}

impl Range {
    pub fn end(&self) -> u64 {
        self.base + self.bytes
    }
}

/// Ranges for one thread.
#[derive(Default)]
pub(crate) struct Ranges {
    by_base: BTreeMap<u64, Range>,
}

impl Ranges {
    pub fn new() -> Ranges {
        Ranges::default()
    }

    /// Fails, and changes nothing, if `range` overlaps one that is there: with the lowest of those.
    pub fn insert(&mut self, range: Range) -> Result<(), Range> {
        debug_assert!(range.bytes > 0 && range.base.checked_add(range.bytes).is_some(), "{range:?}");
        let overlapping = self.below(range.base).filter(|below| below.end() > range.base);
        match overlapping.or_else(|| self.above(range.base).filter(|above| above.base < range.end())) {
            Some(there) => Err(there),
            None => {
                self.by_base.insert(range.base, range);
                Ok(())
            }
        }
    }

    /// The range that began at `base`.
    pub fn remove(&mut self, base: u64) -> Option<Range> {
        self.by_base.remove(&base)
    }

    /// The range that begins at `base`.
    pub fn at(&self, base: u64) -> Option<Range> {
        self.by_base.get(&base).copied()
    }

    /// The range that `address` is in.
    pub fn find(&self, address: u64) -> Option<Range> {
        self.below(address).filter(|below| address <= below.end())
    }

    /// The range with the greatest base that is not above `address`.
    pub fn below(&self, address: u64) -> Option<Range> {
        self.by_base.range(..=address).next_back().map(|(_, range)| *range)
    }

    /// The range with the least base above `address`.
    pub fn above(&self, address: u64) -> Option<Range> {
        self.by_base.range(address.checked_add(1)?..).next().map(|(_, range)| *range)
    }

    pub fn len(&self) -> usize {
        self.by_base.len()
    }

    /// By ascending address.
    pub fn iter(&self) -> impl Iterator<Item = Range> {
        self.by_base.values().copied()
    }
}
