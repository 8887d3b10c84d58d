//! Hollow ranges: places that are kept where nothing lies any more.
//!
//! A range that becomes *hollow* stays where it is, with another value. No search finds it but one that asks for hollow
//! ones, and it is in no range's way. A range that comes over hollow ones takes their place, at no cost if it is as long
//! as one that begins at the same base: ranges that come and go at the same addresses move nothing in the leaf.

use super::change::LeafPlace;
use super::extent;
use super::node::Entry;
use super::range::{Range, There, Touching};
use super::tree::Tree;
use crate::sync::Ordering;

/// What is where a range is to go.
pub(super) enum Way {
    Free(Touching),
    /// A hollow range that begins and ends as the new one does, whose entry can be that of the new one.
    Same(Range, Touching),
    /// Hollow ranges.
    Hollow(Vec<Range>),
}

impl Tree {
    /// What is where `range` is to go, or the lowest range that it overlaps; `place` is that of its base.
    #[inline]
    pub fn way(&self, place: LeafPlace, range: Range) -> Result<Way, Range> {
        match self.room(place, range) {
            Ok(touching) => Ok(Way::Free(touching)),
            Err(There { range, hollow: false }) => Err(range),
            Err(there) => self.over(place, range, there.range),
        }
    }

    /// As [`Tree::way`], where this hollow range is the lowest that is overlapped.
    fn over(&self, place: LeafPlace, range: Range, lowest: Range) -> Result<Way, Range> {
        let leaf = place.node;
        if (lowest.base, lowest.bytes) == (range.base, range.bytes)
            && extent::pack(range.bytes, range.value).is_some()
            && extent::unpack(leaf.get(place.behind - 1).wide).is_ok()
        {
            let below = self.before(place.leaf, leaf, place.behind - 1).map(|(below, _)| below);
            let touching = Tree::touching(range, below, self.from(leaf, place.behind));
            return Ok(Way::Same(lowest, Touching { hollow: true, ..touching }));
        }
        let mut hollow = vec![lowest];
        while let Some(next) =
            self.successor(hollow[hollow.len() - 1].base).filter(|next| next.range.base < range.end())
        {
            hollow.push(next.solid().map_or(Ok(next.range), Err)?);
        }
        Ok(Way::Hollow(hollow))
    }

    /// Puts another value where the range is that `place` is behind, and makes it hollow or not. False, and nothing
    /// changes, if the value does not fit there.
    #[inline]
    pub fn set(&self, place: LeafPlace, there: There, value: u64, hollow: bool) -> bool {
        let wide = place.node.wide(place.behind - 1);
        let extent = wide.load(Ordering::Relaxed);
        let extent = match extent::unpack(extent) {
            Ok((bytes, _)) => match extent::pack(bytes, value) {
                Some(extent) => extent,
                None => return false,
            },
            Err(id) => {
                self.set_aside(id, value);
                extent
            }
        };
        wide.store(extent::with_hollow(extent, hollow), Ordering::Relaxed);
        if there.hollow != hollow {
            self.count_hollow(there.range.bytes, hollow);
        }
        true
    }

    /// Makes the range hollow that `place` is behind, with the bits of `mark` in its value, which its magnitude has room for.
    #[inline(always)]
    pub fn make_hollow(&self, place: LeafPlace, range: Range, mark: u64) {
        let wide = place.node.wide(place.behind - 1);
        let extent = wide.load(Ordering::Relaxed);
        match extent::unpack(extent) {
            // The value is in the low bits, however many it has.
            Ok(_) => wide.store(extent::with_hollow(extent | mark, true), Ordering::Relaxed),
            Err(id) => {
                self.set_aside(id, range.value | mark);
                wide.store(extent::with_hollow(extent, true), Ordering::Relaxed);
            }
        }
        self.count_hollow(range.bytes, true);
    }

    /// A range of so many bytes became hollow, or is one again.
    #[inline(always)]
    fn count_hollow(&self, bytes: u64, hollow: bool) {
        let (more, less) = if hollow { (&self.hollow, &self.len) } else { (&self.len, &self.hollow) };
        more.store(more.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        less.store(less.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
        let bytes = if hollow { bytes.wrapping_neg() } else { bytes };
        self.covered.store(self.covered().wrapping_add(bytes), Ordering::Relaxed);
    }

    #[cold]
    fn set_aside(&self, id: u32, value: u64) {
        self.nodes.node(id).set(1, Entry { wide: value, narrow: 0 });
    }
}
