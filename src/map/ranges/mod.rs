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

mod change;
#[cfg(test)]
mod check;
mod extent;
mod hint;
#[cfg(all(test, loom))]
mod models;
mod node;
mod nodes;
mod range;
mod shared;
#[cfg(all(test, not(loom)))]
mod tests;
mod tree;

pub(crate) use range::{Range, Touching};
pub(crate) use shared::SharedRanges;

use hint::Hint;
use nodes::Account;
use std::cell::Cell;
use tree::Tree;

/// Ranges for one thread.
pub(crate) struct Ranges {
    tree: Tree,
    account: Account,
    /// The leaf where something was found last.
    hint: Cell<Hint>,
    /// The leaf where something was changed last.
    changed: Hint,
}

impl Default for Ranges {
    fn default() -> Ranges {
        Ranges::new()
    }
}

impl Ranges {
    pub fn new() -> Ranges {
        let (tree, account) = Tree::first();
        Ranges { tree, account, hint: Cell::new(Hint::UNKNOWN), changed: Hint::UNKNOWN }
    }

    /// Fails, and changes nothing, if `range` overlaps one that is there: with the lowest of those.
    pub fn insert(&mut self, range: Range) -> Result<Touching, Range> {
        let place = self.tree.place(range.base, &mut self.changed);
        let touching = self.tree.room(place, range)?;
        self.tree.reserve(place, range, &mut self.account);
        self.tree.insert(place, range, &mut self.account);
        Ok(touching)
    }

    /// The range that began at `base`.
    pub fn remove(&mut self, base: u64) -> Option<Range> {
        self.remove_if(base, |_| true)
    }

    /// The range that began at `base`, if it is one to be removed.
    pub fn remove_if(&mut self, base: u64, wanted: impl FnOnce(&Range) -> bool) -> Option<Range> {
        let place = self.tree.place(base, &mut self.changed);
        let range = self.tree.range_at(place, base).filter(wanted)?;
        self.tree.remove(place, range, &mut self.account);
        Some(range)
    }

    /// Gives the range that begins and ends where `range` does its value, and returns the old one; where both are found
    /// in a leaf.
    pub fn replace(&mut self, range: Range) -> Option<u64> {
        let place = self.tree.place(range.base, &mut self.changed);
        let there = self.tree.range_at(place, range.base).filter(|there| there.bytes == range.bytes)?;
        self.tree.replace(place, range).then_some(there.value)
    }

    /// The range that begins at `base`.
    pub fn at(&self, base: u64) -> Option<Range> {
        self.find(base).filter(|range| range.base == base)
    }

    /// The range that `address` is in.
    #[inline]
    pub fn find(&self, address: u64) -> Option<Range> {
        let hint = self.hint.get();
        if let Some(range) = hint.leaf().and_then(|leaf| self.tree.find_in(leaf, address)) {
            return Some(range);
        }
        let (range, leaf) = self.tree.find(address)?;
        self.hint.set(hint.next(leaf));
        Some(range)
    }

    /// The range with the greatest base that is not above `address`.
    pub fn below(&self, address: u64) -> Option<Range> {
        self.tree.predecessor(address).map(|(range, _)| range)
    }

    /// The range with the least base above `address`.
    pub fn above(&self, address: u64) -> Option<Range> {
        self.tree.successor(address)
    }

    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Bytes in all ranges.
    pub fn covered(&self) -> u64 {
        self.tree.covered()
    }

    /// By ascending address.
    pub fn iter(&self) -> impl Iterator<Item = Range> {
        self.tree.iter()
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
