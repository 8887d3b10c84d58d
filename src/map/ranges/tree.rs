//! The tree: finding. What changes it is in [`super::change`].
//!
//! A B+-tree over [`Node`]s. The leaves are linked, in order of address, and each has an *origin*: its own ranges have
//! bases from there on and below the origin of the next leaf. The leftmost leaf has origin 0 and is never taken away;
//! no other leaf is empty. A leaf holds bases up to [`MAX_DELTA`] above its origin; one that lies further away has a
//! leaf of its own.
//!
//! Everything here may run while a writer changes the tree. What it returns then is arbitrary, and is thrown away
//! ([`super::SharedRanges`]); it must only end, and not panic.

use super::extent;
use super::node::{Entry, MAX_DELTA, NONE, Node};
use super::nodes::{Account, Kind, Nodes};
use super::range::{Range, There};
use crate::sync::{AtomicU64, Ordering};

/// Above the height of any tree: each level takes the nodes of the one below at least forty times.
pub(super) const MAX_HEIGHT: usize = if cfg!(loom) { 4 } else { 12 };
/// The greatest base: above it no range has room. Also keeps what is searched for below padding.
pub(super) const MAX_BASE: u64 = u64::MAX - 1;

pub(super) struct Tree {
    pub nodes: Nodes,
    /// The root's number and, in the high half, its height above the leaves, so that both are read at once.
    pub root: AtomicU64,
    pub len: AtomicU64,
    /// Bytes in all ranges.
    pub covered: AtomicU64,
    /// How many more there are that are hollow.
    pub hollow: AtomicU64,
}

impl Tree {
    /// One without ranges.
    pub fn first() -> (Tree, Account) {
        let (nodes, mut account) = (Nodes::new(), Account::default());
        account.reserve(&nodes, Kind::Leaf, 1);
        let leaf = account.take(&nodes, Kind::Leaf, 0);
        (Tree::new(nodes, leaf), account)
    }

    /// With one leaf, the node `first`.
    pub fn new(nodes: Nodes, first: u32) -> Tree {
        Tree {
            nodes,
            root: AtomicU64::new(u64::from(first)),
            len: AtomicU64::new(0),
            covered: AtomicU64::new(0),
            hollow: AtomicU64::new(0),
        }
    }

    pub fn root(&self) -> (u32, usize) {
        let root = self.root.load(Ordering::Relaxed);
        (root as u32, (root >> 32) as usize)
    }

    pub fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed) as usize
    }

    pub fn covered(&self) -> u64 {
        self.covered.load(Ordering::Relaxed)
    }

    pub fn hollow(&self) -> usize {
        self.hollow.load(Ordering::Relaxed) as usize
    }

    // ---- search --------------------------------------------------------------------------------------------

    /// The range that `address` is in, and the leaf that has it.
    #[inline]
    pub fn find(&self, address: u64) -> Option<(Range, u32)> {
        let (There { range, hollow }, leaf) = self.predecessor(address)?;
        if hollow {
            return self.find_below(range, address);
        }
        (address <= range.base.wrapping_add(range.bytes)).then_some((range, leaf))
    }

    /// As [`Tree::find`], where a hollow range is the last that begins at or below the address: the one that ends where
    /// the hollow one begins.
    #[cold]
    fn find_below(&self, hollow: Range, address: u64) -> Option<(Range, u32)> {
        let (there, leaf) = self.predecessor(address.checked_sub(1).filter(|_| hollow.base == address)?)?;
        there.solid().filter(|range| range.base.wrapping_add(range.bytes) == address).map(|range| (range, leaf))
    }

    /// The hollow range that `address` is in, if no range begins there.
    pub fn find_hollow(&self, address: u64) -> Option<Range> {
        let (There { range, hollow }, _) = self.predecessor(address)?;
        (hollow && address <= range.base.wrapping_add(range.bytes)).then_some(range)
    }

    /// As [`Tree::find`], if the leaf `hint`, found by an earlier one in this tree, is certain to have it.
    #[inline(always)]
    pub fn find_in(&self, hint: u32, address: u64) -> Option<Range> {
        let leaf = self.nodes.get(hint)?;
        let delta = address.checked_sub(leaf.origin())?;
        let count = leaf.deltas_up_to(delta.min(MAX_DELTA) as u32);
        if count <= leaf.front() {
            return None;
        }
        let range = self.range(leaf, count - 1)?.solid()?;
        let end = range.base.wrapping_add(range.bytes);
        // At the end of the leaf's last range another leaf's may begin.
        (address < end || address == end && count < leaf.end()).then_some(range)
    }

    /// The range, or hollow one, with the greatest base that is not above `address`, and the leaf that has it.
    #[inline]
    pub fn predecessor(&self, address: u64) -> Option<(There, u32)> {
        let id = self.leaf_of(address)?;
        let leaf = self.nodes.get(id)?;
        self.before(id, leaf, up_to(leaf, address))
    }

    /// The range, or hollow one, with the least base above `address`.
    pub fn successor(&self, address: u64) -> Option<There> {
        let leaf = self.nodes.get(self.leaf_of(address)?)?;
        self.from(leaf, up_to(leaf, address))
    }

    /// The range with the greatest base that is not above `address`.
    pub fn below(&self, address: u64) -> Option<Range> {
        let (mut there, _) = self.predecessor(address)?;
        while there.hollow {
            (there, _) = self.down(there.range)?;
        }
        Some(there.range)
    }

    /// The predecessor of a hollow range. Ends where a writer leads astray.
    fn down(&self, hollow: Range) -> Option<(There, u32)> {
        let below = hollow.base.checked_sub(1)?;
        self.predecessor(below).filter(|(there, _)| there.range.base <= below)
    }

    /// The range with the least base above `address`.
    pub fn above(&self, address: u64) -> Option<Range> {
        let mut there = self.successor(address)?;
        while there.hollow {
            let last = there.range.base;
            there = self.successor(last).filter(|there| there.range.base > last)?;
        }
        Some(there.range)
    }

    /// The last range that overlaps this one.
    pub fn overlapping(&self, range: Range) -> Option<Range> {
        let (mut there, _) = self.predecessor(range.end().checked_sub(1)?)?;
        while there.hollow && there.range.base > range.base {
            (there, _) = self.down(there.range)?;
        }
        there.solid().filter(|there| there.base.wrapping_add(there.bytes) > range.base)
    }

    /// Addresses around this one in which no range lies, up to the second. They reach over at most `steps` hollow
    /// ranges to each side. If a range lies there, the first is not below `address`.
    pub fn gap(&self, address: u64, steps: usize) -> (u64, u64) {
        let (mut low, mut high) = (0, u64::MAX);
        let mut there = self.predecessor(address).map(|(there, _)| there);
        for step in 0..=steps {
            let Some(There { range, hollow }) = there else { break };
            if !hollow || step == steps {
                low = if hollow { range.base } else { range.base.wrapping_add(range.bytes) };
                break;
            }
            there = self.down(range).map(|(there, _)| there);
        }
        let mut there = self.successor(address);
        for step in 0..=steps {
            let Some(There { range, hollow }) = there else { break };
            if !hollow || step == steps {
                high = if hollow { range.base.wrapping_add(range.bytes) } else { range.base };
                break;
            }
            there = self.successor(range.base);
        }
        (low, high)
    }

    /// Whether a range ends at `address`.
    pub fn ends_at(&self, address: u64) -> bool {
        let below = address.checked_sub(1).and_then(|below| self.predecessor(below));
        below.and_then(|(there, _)| there.solid()).is_some_and(|range| range.base.wrapping_add(range.bytes) == address)
    }

    /// The range that begins at `base`.
    pub fn at(&self, base: u64) -> Option<Range> {
        self.predecessor(base).and_then(|(there, _)| there.solid()).filter(|range| range.base == base)
    }

    /// The range before the `i`th of a leaf, and the leaf that has it.
    #[inline(always)]
    pub fn before(&self, id: u32, leaf: &Node, i: usize) -> Option<(There, u32)> {
        if i > leaf.front() { Some((self.range(leaf, i - 1)?, id)) } else { self.last(leaf.previous()) }
    }

    /// The last range of a leaf.
    #[cold]
    fn last(&self, id: u32) -> Option<(There, u32)> {
        let leaf = self.nodes.get(id)?;
        Some((self.range(leaf, leaf.end().checked_sub(1)?)?, id))
    }

    /// The `i`th range of a leaf, or the next behind the leaf.
    pub fn from(&self, leaf: &Node, i: usize) -> Option<There> {
        if i < leaf.end() {
            return self.range(leaf, i);
        }
        let next = self.nodes.get(leaf.next())?;
        if next.count() > 0 { self.range(next, next.front()) } else { None }
    }

    /// The leaf that has what begins at `address`, or would have it.
    #[inline]
    pub fn leaf_of(&self, address: u64) -> Option<u32> {
        let (mut id, height) = self.root();
        for _ in 0..height {
            id = self.nodes.get(id)?.child(address.min(MAX_BASE));
        }
        Some(id)
    }

    // ---- entries -------------------------------------------------------------------------------------------

    /// The range of a leaf's entry.
    #[inline(always)]
    pub fn range(&self, leaf: &Node, i: usize) -> Option<There> {
        let Entry { wide: extent, narrow: delta } = leaf.get(i);
        let base = leaf.origin().wrapping_add(u64::from(delta));
        let range = match extent::unpack(extent) {
            Ok((bytes, value)) => Range { base, bytes, value },
            Err(id) => self.range_aside(base, id)?,
        };
        Some(There { range, hollow: extent::is_hollow(extent) })
    }

    #[cold]
    fn range_aside(&self, base: u64, id: u32) -> Option<Range> {
        let aside = self.nodes.get(id)?;
        Some(Range { base, bytes: aside.get(0).wide, value: aside.get(1).wide })
    }

    /// All ranges by ascending address; only while nobody changes the tree.
    pub fn iter(&self) -> impl Iterator<Item = Range> {
        self.all().filter_map(There::solid)
    }

    /// All hollow ones, as [`Tree::iter`].
    pub fn iter_hollow(&self) -> impl Iterator<Item = Range> {
        self.all().filter_map(|there| there.hollow.then_some(there.range))
    }

    /// All by ascending address, as [`Tree::iter`].
    pub fn all(&self) -> impl Iterator<Item = There> {
        let mut leaf = self.leaf_of(0).and_then(|id| self.nodes.get(id));
        let mut i = leaf.map_or(0, Node::front);
        std::iter::from_fn(move || {
            while i == leaf?.end() {
                leaf = self.nodes.get(leaf?.next());
                i = leaf?.front();
            }
            i += 1;
            self.range(leaf?, i - 1)
        })
    }
}

/// Behind the last of a leaf's ranges whose base is not above `address`; where they begin if there is none.
#[inline]
pub(super) fn up_to(leaf: &Node, address: u64) -> usize {
    let delta = address.wrapping_sub(leaf.origin());
    leaf.deltas_up_to(delta.min(MAX_DELTA) as u32)
}

const _: () = assert!(NONE == u32::MAX, "no chunk has that number");
