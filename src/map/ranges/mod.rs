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
//!
//! A range may become *hollow*: its place is kept, and found by who asks for it, until another range comes there.

#![forbid(unsafe_code)]

mod change;
#[cfg(test)]
mod check;
mod extent;
mod hint;
mod hollow;
#[cfg(all(test, loom))]
mod models;
mod node;
mod nodes;
mod range;
mod shared;
#[cfg(all(test, not(loom)))]
mod tests;
mod tree;

pub(crate) use range::{Meant, Range, Touching};
pub(crate) use shared::SharedRanges;

use hint::{Hint, Spot};
use hollow::Way;
use nodes::Account;
use range::There;
use std::cell::Cell;
use tree::Tree;

/// Ranges for one thread.
pub(crate) struct Ranges {
    tree: Tree,
    account: Account,
    /// The leaf where something was found last.
    hint: Cell<Hint>,
    /// The leaf where something was inserted last, and the place where something was removed or made hollow.
    inserted: Hint,
    removed: Spot,
}

impl Default for Ranges {
    fn default() -> Ranges {
        Ranges::new()
    }
}

impl Ranges {
    pub fn new() -> Ranges {
        let (tree, account) = Tree::first();
        let unknown = Hint::UNKNOWN;
        Ranges { tree, account, hint: Cell::new(unknown), inserted: unknown, removed: Spot::UNKNOWN }
    }

    /// Fails, and changes nothing, if `range` overlaps one that is there: with the lowest of those.
    pub fn insert(&mut self, range: Range) -> Result<Touching, Range> {
        self.insert_over(range, |_, _| ())
    }

    /// As [`insert`](Ranges::insert). Calls `displaced` with each hollow range whose place this one takes, and whether
    /// the new one's leaving can give it back ([`hollow_out`](Ranges::hollow_out)): both are equally long, and so on.
    pub fn insert_over(&mut self, range: Range, mut displaced: impl FnMut(Range, bool)) -> Result<Touching, Range> {
        let place = self.tree.place(range.base, &mut self.inserted);
        match self.tree.way(place, range)? {
            Way::Free(touching) => {
                self.tree.reserve(place, range, &mut self.account);
                self.tree.insert(place, range, &mut self.account);
                Ok(touching)
            }
            Way::Same(there, touching) => {
                displaced(there, true);
                self.tree.set(place, There { range: there, hollow: true }, range.value, false);
                Ok(touching)
            }
            Way::Hollow(others) => {
                for there in others {
                    displaced(there, false);
                    self.remove_hollow(there.base, |_| true);
                }
                self.insert(range).map(|touching| Touching { hollow: true, ..touching })
            }
        }
    }

    /// The range that began at `base`.
    pub fn remove(&mut self, base: u64) -> Option<Range> {
        self.remove_if(base, |_| true)
    }

    /// The range that began at `base`, if it is one to be removed.
    pub fn remove_if(&mut self, base: u64, wanted: impl FnOnce(&Range) -> bool) -> Option<Range> {
        self.take(base, |there| there.solid().is_some_and(|range| wanted(&range)))
    }

    /// The hollow range that began at `base`, if it is one to be removed.
    pub fn remove_hollow(&mut self, base: u64, wanted: impl FnOnce(&Range) -> bool) -> Option<Range> {
        self.take(base, |there| there.hollow && wanted(&there.range))
    }

    fn take(&mut self, base: u64, wanted: impl FnOnce(&There) -> bool) -> Option<Range> {
        let place = self.tree.place_at(base, &mut self.removed);
        let range = self.tree.range_at(place, base).filter(wanted)?.range;
        self.tree.remove(place, range, &mut self.account);
        Some(range)
    }

    /// Makes the range that begins at `base` hollow, if it is the one that is meant, with the bits of `mark` in its value,
    /// whose magnitude has room for them. Returns the range as it was.
    #[inline(always)]
    pub fn make_hollow(&mut self, base: u64, which: impl Meant, mark: u64) -> Option<Range> {
        let place = self.tree.place_at(base, &mut self.removed);
        let range = self.tree.range_at(place, base)?.solid()?;
        if !which.means(range) {
            return None;
        }
        self.tree.make_hollow(place, range, mark);
        Some(range)
    }

    /// Makes the range that begins at `base` hollow, if `hollow` returns a value for it. It has that then, which is of the
    /// magnitude that it had before. Returns the range as it was.
    #[inline]
    pub fn hollow_out(&mut self, base: u64, hollow: impl FnOnce(Range) -> Option<u64>) -> Option<Range> {
        let place = self.tree.place_at(base, &mut self.removed);
        let there = self.tree.range_at(place, base)?;
        let value = hollow(there.solid()?)?;
        self.tree.set(place, there, value, true).then_some(there.range)
    }

    /// The range that begins at `base`.
    pub fn at(&self, base: u64) -> Option<Range> {
        self.find(base).filter(|range| range.base == base)
    }

    /// The range that `address` is in.
    #[inline(always)]
    pub fn find(&self, address: u64) -> Option<Range> {
        let near = self.hint.get().leaf().and_then(|leaf| self.tree.find_in(leaf, address));
        near.or_else(|| self.find_anywhere(address))
    }

    #[inline(never)]
    fn find_anywhere(&self, address: u64) -> Option<Range> {
        let (range, leaf) = self.tree.find(address)?;
        self.hint.set(self.hint.get().next(leaf));
        Some(range)
    }

    /// The hollow range that `address` is in, if no range is there.
    pub fn find_hollow(&self, address: u64) -> Option<Range> {
        self.tree.find_hollow(address)
    }

    /// The range with the greatest base that is not above `address`.
    pub fn below(&self, address: u64) -> Option<Range> {
        self.tree.below(address)
    }

    /// The range with the least base above `address`.
    pub fn above(&self, address: u64) -> Option<Range> {
        self.tree.above(address)
    }

    /// The last range that overlaps this one.
    pub fn overlapping(&self, range: Range) -> Option<Range> {
        self.tree.overlapping(range)
    }

    /// Addresses around this one in which no range lies, up to the second. They reach over at most `steps` hollow
    /// ranges to each side. If a range lies there, the first is not below `address`.
    pub fn gap(&self, address: u64, steps: usize) -> (u64, u64) {
        self.tree.gap(address, steps)
    }

    /// Whether a range ends at `address`.
    pub fn ends_at(&self, address: u64) -> bool {
        self.tree.ends_at(address)
    }

    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Bytes in all ranges.
    pub fn covered(&self) -> u64 {
        self.tree.covered()
    }

    /// How many more are hollow.
    pub fn hollow(&self) -> usize {
        self.tree.hollow()
    }

    /// By ascending address.
    pub fn iter(&self) -> impl Iterator<Item = Range> {
        self.tree.iter()
    }

    /// The hollow ones, by ascending address.
    pub fn iter_hollow(&self) -> impl Iterator<Item = Range> {
        self.tree.iter_hollow()
    }

    /// Bytes of memory.
    #[allow(dead_code, reason = "for tests and the bench")]
    pub fn bytes(&self) -> usize {
        self.account.bytes()
    }

    #[cfg(all(test, not(loom)))]
    fn check(&self) {
        check::check(&self.tree, &self.account);
    }
}
