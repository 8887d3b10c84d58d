//! The tree: inserting and removing.
//!
//! A full leaf first gives ranges to a neighbour that has room, so that leaves are split only where several in a row
//! are full: of ranges in random order they are filled to five sixths, not to two thirds. A full node is halved, except
//! where it grows at one of its ends: ranges that come in order of address, upwards or downwards, leave full nodes
//! behind. A node that falls below a quarter joins a neighbour if they fill three quarters at most, so that a range
//! that comes and goes does not split and join a node each time.
//!
//! Ranges also come and go in order of address: stacks grow downwards, lists of blocks are freed from the first on. The
//! gap before a leaf's first range keeps each of those from moving all others, and the leaf of the last change is tried
//! first. The way from the root to a leaf is looked for only where a change reaches further than the leaf.

use super::extent;
use super::hint::{Hint, Spot};
use super::node::{CAPACITY, Entry, MAX_DELTA, NONE, Node};
use super::nodes::{Account, Kind};
use super::range::{Range, There, Touching};
use super::tree::{MAX_BASE, MAX_HEIGHT, Tree, up_to};
use crate::sync::Ordering;

/// A new leaf for a base far above all others begins at a multiple of this, so that it has room downwards too.
const WINDOW: u64 = (MAX_DELTA + 2) / 2;
/// Nodes below the first join with a neighbour to at most the second.
const FEW: usize = CAPACITY / 4;
const MANY: usize = CAPACITY * 3 / 4;
/// A leaf that falls further tries again each time that it has lost so many.
const STEP: usize = 3;
/// A full leaf and a neighbour are evened out where there is so much room: that costs as much as some insertions.
const ROOM: usize = CAPACITY.div_ceil(8);

/// The way from the root to a leaf: inner nodes from the parent of leaves up, each with the index of the child taken.
struct Path {
    steps: [(u32, usize); MAX_HEIGHT],
    height: usize,
    leaf: u32,
}

/// Where a base is, or belongs.
#[derive(Clone, Copy)]
pub(super) struct LeafPlace<'a> {
    pub leaf: u32,
    /// The node of the leaf.
    pub node: &'a Node,
    /// Behind the last range of the leaf whose base is not above it.
    pub behind: usize,
}

impl LeafPlace<'_> {
    /// Whether the leaf takes the range as one more entry.
    #[inline(always)]
    fn has_room_for(&self, range: Range) -> bool {
        let near = range.base - self.node.origin() <= MAX_DELTA;
        near && !self.node.is_full() && extent::pack(range.bytes, range.value).is_some()
    }
}

impl Tree {
    /// Where `base` is or belongs. Any change makes the place invalid. `hint` is that of changes.
    #[inline]
    pub fn place(&self, base: u64, hint: &mut Hint) -> LeafPlace<'_> {
        if let Some(place) = hint.leaf().and_then(|leaf| self.place_in(leaf, base)) {
            return place;
        }
        let leaf = self.leaf_of(base).expect("the writer sees the tree as it is");
        *hint = hint.next(leaf);
        let node = self.nodes.node(leaf);
        LeafPlace { leaf, node, behind: up_to(node, base) }
    }

    /// As [`place`](Tree::place), of what is there most likely; `spot` is that of removals.
    #[inline(always)]
    pub fn place_at(&self, base: u64, spot: &mut Spot) -> LeafPlace<'_> {
        let near = spot.hint.leaf().and_then(|leaf| self.place_beside(leaf, base, spot.behind));
        let place = near.unwrap_or_else(|| self.place(base, &mut spot.hint));
        spot.behind = place.behind;
        place
    }

    /// Where `base` is, if the leaf `hint`, which once was one, has it as the entry behind the `behind`th, as that one or as
    /// the one before.
    #[inline(always)]
    fn place_beside(&self, hint: u32, base: u64, behind: usize) -> Option<LeafPlace<'_>> {
        let leaf = self.nodes.get(hint)?;
        // Deltas of zero are those of the gap, too.
        let delta = base.wrapping_sub(leaf.origin());
        if delta == 0 || delta > MAX_DELTA {
            return None;
        }
        for i in [behind, behind.wrapping_sub(2), behind.wrapping_sub(1)] {
            if i < CAPACITY && leaf.delta(i) == delta {
                return Some(LeafPlace { leaf: hint, node: leaf, behind: i + 1 });
            }
        }
        None
    }

    /// Where `base` is or belongs, if the leaf `hint`, which once was one, is certain to be its leaf.
    #[inline(always)]
    fn place_in(&self, hint: u32, base: u64) -> Option<LeafPlace<'_>> {
        let leaf = self.nodes.get(hint)?;
        let delta = base.checked_sub(leaf.origin()).filter(|delta| *delta <= MAX_DELTA)?;
        let behind = leaf.deltas_up_to(delta as u32);
        let is_before_next = || self.nodes.get(leaf.next()).is_none_or(|next| base < next.origin());
        (behind < leaf.end() || is_before_next()).then_some(LeafPlace { leaf: hint, node: leaf, behind })
    }

    /// What `range` would touch, or the lowest of the ranges, hollow ones too, that it overlaps; `place` is that of its
    /// base.
    #[inline]
    pub fn room(&self, place: LeafPlace, range: Range) -> Result<Touching, There> {
        debug_assert!(range.bytes > 0 && range.base.checked_add(range.bytes).is_some(), "{range:?}");
        let leaf = place.node;
        let below = self.before(place.leaf, leaf, place.behind).map(|(below, _)| below);
        let above = self.from(leaf, place.behind);
        let overlapping = below.filter(|below| below.range.end() > range.base);
        match overlapping.or(above.filter(|above| above.range.base < range.end())) {
            Some(there) => Err(there),
            None => Ok(Tree::touching(range, below, above)),
        }
    }

    /// What a range touches that has these beside it.
    #[inline]
    pub(super) fn touching(range: Range, below: Option<There>, above: Option<There>) -> Touching {
        let above = above.filter(|above| above.range.base == range.end());
        Touching {
            below: below.is_some_and(|below| !below.hollow && below.range.end() == range.base),
            above: above.and_then(There::solid).map(|above| above.value),
            hollow: above.is_some_and(|above| above.hollow),
        }
    }

    /// The range, or hollow one, that begins at `base`; `place` is that of `base`.
    #[inline]
    pub fn range_at(&self, place: LeafPlace, base: u64) -> Option<There> {
        let leaf = place.node;
        let i = place.behind.checked_sub(1).filter(|i| *i >= leaf.front())?;
        self.range(leaf, i).filter(|there| there.range.base == base)
    }

    fn path(&self, address: u64) -> Path {
        let address = address.min(MAX_BASE);
        let (mut id, height) = self.root();
        let mut steps = [(NONE, 0); MAX_HEIGHT];
        for step in steps[..height].iter_mut().rev() {
            let node = self.nodes.node(id);
            let i = node.child_index(address);
            *step = (id, i);
            id = node.get(i).narrow;
        }
        Path { steps, height, leaf: id }
    }

    /// Makes sure that there are nodes to insert a range at the place of its base.
    #[inline(always)]
    pub fn reserve(&self, place: LeafPlace, range: Range, account: &mut Account) {
        if !place.has_room_for(range) {
            self.reserve_nodes(place.node, range, account);
        }
    }

    #[cold]
    fn reserve_nodes(&self, leaf: &Node, range: Range, account: &mut Account) {
        if leaf.is_full() || range.base - leaf.origin() > MAX_DELTA {
            account.reserve(&self.nodes, Kind::Leaf, 1);
            account.reserve(&self.nodes, Kind::Inner, self.root().1 + 1);
        }
        if extent::pack(range.bytes, range.value).is_none() {
            account.reserve(&self.nodes, Kind::Aside, 1);
        }
    }

    fn set_root(&self, id: u32, height: usize) {
        self.root.store((height as u64) << 32 | u64::from(id), Ordering::Relaxed);
    }

    /// Inserts ranges in ascending order above all of this leaf, if that is the last one, as far as it has room. How many.
    pub fn append<T>(&self, leaf: u32, those: &[T], range: impl Fn(&T) -> Range) -> usize {
        let (node, first) = (self.nodes.node(leaf), those.first().map(&range));
        let last = node.end().checked_sub(1).filter(|_| node.count() > 0 && node.next() == NONE);
        let last = last.and_then(|last| self.range(node, last)).filter(|there| !there.hollow);
        if last.is_none_or(|there| first.is_none_or(|first| first.base < there.range.end())) {
            return 0;
        }
        let (origin, mut covered) = (node.origin(), self.covered());
        let count = node.append(those, |that| {
            let range = range(that);
            let delta = Some(range.base - origin).filter(|delta| *delta <= MAX_DELTA)?;
            let wide = extent::pack(range.bytes, range.value)?;
            covered += range.bytes;
            Some(Entry { wide, narrow: delta as u32 })
        });
        self.len.store(self.len() as u64 + count as u64, Ordering::Relaxed);
        self.covered.store(covered, Ordering::Relaxed);
        count
    }

    /// Inserts a range that overlaps none at the place of its base; enough nodes are reserved.
    #[inline]
    pub fn insert(&self, place: LeafPlace, range: Range, account: &mut Account) {
        self.len.store(self.len() as u64 + 1, Ordering::Relaxed);
        self.covered.store(self.covered() + range.bytes, Ordering::Relaxed);
        match extent::pack(range.bytes, range.value).filter(|_| place.has_room_for(range)) {
            Some(wide) => {
                let narrow = (range.base - place.node.origin()) as u32;
                place.node.insert(place.behind, Entry { wide, narrow })
            }
            None => self.insert_anyhow(place, range, account),
        }
    }

    #[cold]
    fn insert_anyhow(&self, place: LeafPlace, range: Range, account: &mut Account) {
        let LeafPlace { node: leaf, behind: i, .. } = place;
        let wide = self.extent(range, account);
        let entry_in = |leaf: &Node| Entry { wide, narrow: (range.base - leaf.origin()) as u32 };
        if !leaf.is_full() && range.base - leaf.origin() <= MAX_DELTA {
            return leaf.insert(i, entry_in(leaf));
        }
        let (path, count) = (&self.path(range.base), leaf.count());
        if range.base - leaf.origin() > MAX_DELTA {
            let least = if count > 0 { leaf.origin() + leaf.delta(leaf.end() - 1) } else { leaf.origin() } + 1;
            let new = self.new_leaf(path, (range.base & !(WINDOW - 1)).max(least), account);
            new.insert(0, entry_in(new));
        } else if let Some([left, right]) = self.even_out(path) {
            let to = if range.base < right.origin() { left } else { right };
            to.insert(up_to(to, range.base), entry_in(to));
        } else {
            let at = split_index(i);
            let origin = if at == count { range.base } else { leaf.origin() + leaf.delta(at) };
            let new = self.new_leaf(path, origin, account);
            let shift = (origin - leaf.origin()) as u32;
            leaf.move_entries(at, new, |entry| Entry { narrow: entry.narrow - shift, ..entry });
            let (to, i) = if range.base < origin { (leaf, i) } else { (new, i - at) };
            to.insert(i, entry_in(to));
        }
    }

    /// Moves ranges between the path's leaf, which is full, and a neighbour below the same parent, if that has room.
    /// The two, in order of address.
    fn even_out(&self, path: &Path) -> Option<[&Node; 2]> {
        let (parent, index) = path.steps[..path.height].first().map(|(id, i)| (self.nodes.node(*id), *i))?;
        for i in [index + 1, index] {
            if i == 0 || i >= parent.count() {
                continue;
            }
            let both = [i - 1, i].map(|i| self.nodes.node(parent.get(i).narrow));
            let [left, right] = both;
            let counts = [left.count(), right.count()];
            let (total, low) = (counts[0] + counts[1], left.origin());
            if total > 2 * CAPACITY - ROOM {
                continue;
            }
            let mut ranges = [(0, 0); 2 * CAPACITY];
            for (range, found) in ranges.iter_mut().zip(left.ranges().chain(right.ranges())) {
                *range = found;
            }
            let (of_left, of_right) = ranges[..total].split_at(total / 2);
            let (middle, last) = (of_right[0].0, of_right[of_right.len() - 1].0);
            if middle - low <= MAX_DELTA && last - middle <= MAX_DELTA {
                left.refill(low, of_left);
                right.refill(middle, of_right);
                parent.set(i, Entry { wide: middle, ..parent.get(i) });
                return Some(both);
            }
        }
        None
    }

    fn extent(&self, range: Range, account: &mut Account) -> u64 {
        if let Some(extent) = extent::pack(range.bytes, range.value) {
            return extent;
        }
        let id = account.take(&self.nodes, Kind::Aside, 0);
        let aside = self.nodes.node(id);
        for word in [range.bytes, range.value] {
            aside.insert(aside.count(), Entry { wide: word, narrow: 0 });
        }
        extent::pack_aside(id)
    }

    /// An empty leaf to the right of the path's.
    fn new_leaf(&self, path: &Path, origin: u64, account: &mut Account) -> &Node {
        let (left, id) = (self.nodes.node(path.leaf), account.take(&self.nodes, Kind::Leaf, origin));
        let leaf = self.nodes.node(id);
        leaf.set_previous(path.leaf);
        leaf.set_next(left.next());
        if let Some(right) = self.nodes.get(left.next()) {
            right.set_previous(id);
        }
        left.set_next(id);
        self.insert_child(path, Entry { wide: origin, narrow: id }, account);
        leaf
    }

    /// Inserts a child of the path's lowest inner node, to the right of the path.
    fn insert_child(&self, path: &Path, mut child: Entry, account: &mut Account) {
        for (id, index) in &path.steps[..path.height] {
            let (node, i) = (self.nodes.node(*id), index + 1);
            if !node.is_full() {
                return node.insert(i, child);
            }
            // Never at 0: the leftmost child stays.
            let at = split_index(i);
            let new_id = account.take(&self.nodes, Kind::Inner, 0);
            let new = self.nodes.node(new_id);
            node.move_entries(at, new, |entry| entry);
            // At `at` a new right half begins with the child only if it is empty: its key is then the child's.
            let (to, i) = if i < at || i == at && at < CAPACITY { (node, i) } else { (new, i - at) };
            to.insert(i, child);
            child = Entry { wide: new.get(0).wide, narrow: new_id };
        }
        let (old, height) = self.root();
        let id = account.take(&self.nodes, Kind::Inner, 0);
        let root = self.nodes.node(id);
        root.insert(0, Entry { wide: 0, narrow: old });
        root.insert(1, child);
        self.set_root(id, height + 1);
    }

    // ---- remove --------------------------------------------------------------------------------------------

    /// Removes a range that is there, or a hollow one; `place` is that of its base.
    pub fn remove(&self, place: LeafPlace, range: Range, account: &mut Account) {
        let base = range.base;
        let leaf = place.node;
        let extent = leaf.remove_in_leaf(place.behind - 1).wide;
        if let Err(id) = extent::unpack(extent) {
            account.give_back(&self.nodes, Kind::Aside, id);
        }
        if extent::is_hollow(extent) {
            self.hollow.store(self.hollow() as u64 - 1, Ordering::Relaxed);
        } else {
            self.len.store(self.len() as u64 - 1, Ordering::Relaxed);
            self.covered.store(self.covered() - range.bytes, Ordering::Relaxed);
        }
        let count = leaf.count();
        if count == 0 && leaf.previous() != NONE {
            let path = &self.path(base);
            self.unlink(path.leaf, account);
            self.remove_child(path, 0, path.steps[0].1, account);
        } else if count < FEW && count.is_multiple_of(STEP) && self.root().1 > 0 {
            self.join_leaves(&self.path(base), account);
        }
    }

    /// Takes a leaf, not the leftmost, out of the list.
    fn unlink(&self, id: u32, account: &mut Account) {
        let leaf = self.nodes.node(id);
        self.nodes.node(leaf.previous()).set_next(leaf.next());
        if let Some(right) = self.nodes.get(leaf.next()) {
            right.set_previous(leaf.previous());
        }
        account.give_back(&self.nodes, Kind::Leaf, id);
    }

    /// Joins the path's leaf with a neighbour below the same parent, if both fit.
    fn join_leaves(&self, path: &Path, account: &mut Account) {
        let (parent, index) = (self.nodes.node(path.steps[0].0), path.steps[0].1);
        for i in [index + 1, index] {
            if i == 0 || i >= parent.count() {
                continue;
            }
            let right_id = parent.get(i).narrow;
            let (left, right) = (self.nodes.node(parent.get(i - 1).narrow), self.nodes.node(right_id));
            let shift = right.origin() - left.origin();
            let fits = left.count() + right.count() <= MANY && shift + right.delta(right.end() - 1) <= MAX_DELTA;
            if fits {
                right.move_entries(right.front(), left, |entry| Entry { narrow: entry.narrow + shift as u32, ..entry });
                self.unlink(right_id, account);
                return self.remove_child(path, 0, i, account);
            }
        }
    }

    /// Removes a child of the inner node at `level` of the path: the path's own or one beside it.
    fn remove_child(&self, path: &Path, level: usize, i: usize, account: &mut Account) {
        let id = path.steps[level].0;
        let node = self.nodes.node(id);
        node.remove(i);
        let above = level + 1;
        if above == path.height {
            if node.count() == 1 {
                self.set_root(node.get(0).narrow, level);
                account.give_back(&self.nodes, Kind::Inner, id);
                self.shrink(account);
            }
        } else if node.count() == 0 {
            account.give_back(&self.nodes, Kind::Inner, id);
            self.remove_child(path, above, path.steps[above].1, account);
        } else {
            if i == 0 {
                self.raise_keys(path, above, node.get(0).wide);
            }
            if node.count() < FEW {
                self.join_inner(path, above, account);
            }
        }
    }

    /// Leaves out roots with one child.
    fn shrink(&self, account: &mut Account) {
        while let (id, height @ 1..) = self.root() {
            let node = self.nodes.node(id);
            if node.count() > 1 {
                break;
            }
            self.set_root(node.get(0).narrow, height - 1);
            account.give_back(&self.nodes, Kind::Inner, id);
        }
    }

    /// The first key below the path's child at `level` is now `key`.
    fn raise_keys(&self, path: &Path, level: usize, key: u64) {
        for (id, i) in &path.steps[level..path.height] {
            let node = self.nodes.node(*id);
            node.set(*i, Entry { wide: key, ..node.get(*i) });
            if *i > 0 {
                break;
            }
        }
    }

    /// Joins the inner node below `level` of the path with a neighbour below the same parent, if both fit.
    fn join_inner(&self, path: &Path, level: usize, account: &mut Account) {
        let (parent, index) = (self.nodes.node(path.steps[level].0), path.steps[level].1);
        for i in [index + 1, index] {
            if i == 0 || i >= parent.count() {
                continue;
            }
            let right_id = parent.get(i).narrow;
            let (left, right) = (self.nodes.node(parent.get(i - 1).narrow), self.nodes.node(right_id));
            if left.count() + right.count() <= MANY {
                right.move_entries(0, left, |entry| entry);
                account.give_back(&self.nodes, Kind::Inner, right_id);
                return self.remove_child(path, level, i, account);
            }
        }
    }
}

/// Where a full node is cut that is to get an entry at `i`.
fn split_index(i: usize) -> usize {
    match i {
        0 | CAPACITY => i,
        _ => CAPACITY / 2,
    }
}
