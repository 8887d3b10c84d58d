//! One node of the tree: eight lines of five entries, sorted, in eight lines of the cache.
//!
//! An *entry* is a *wide* word of 64 bits and a *narrow* one of 32. In a *leaf* the narrow word is the range's *delta*,
//! its base less the *origin* of the leaf, and the wide one its *extent*, bytes and value. In an *inner*
//! node the wide word is the *key*, the origin of the leftmost leaf below the child, and the narrow one the child. The
//! sixth narrow word of a line is *spare*: the header of the node is spread over them. What is behind the last entry is
//! *padding*, all ones, above everything that is searched for. Before the first entry of a leaf there may be a *gap*,
//! with deltas of zero, which are below everything: ranges come and go at the front without moving the others.
//!
//! ```text
//!           64 bytes, one line of the cache
//!  line 0 | wide 0 | wide 1 | wide 2 | wide 3 | wide 4 | 0  1  2  3  4 | end, behind the last entry
//!  line 1 | wide 5 | wide 6 | wide 7 | wide 8 | wide 9 | 5  6  7  8  9 | previous leaf
//!  line 2 |                                            |               | next leaf
//!  line 3 |                                            |               | origin, low half
//!  line 4 |                                            |               | origin, high half
//!  line 5 |                                            |               | front, the first entry: zero in inner nodes
//!   ...
//! ```
//!
//! A search compares the first entry of each line, then the entries of one line. The lines are read side by side, and
//! the entry that is found lies in one that was read: a node costs one miss of the cache, whatever its size.

use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// Entries of a line. Loom's models have small nodes, or they would never end.
pub(super) const PER_LINE: usize = if cfg!(loom) { 1 } else { 5 };
pub(super) const LINES: usize = if cfg!(loom) { 6 } else { 8 };
pub(super) const CAPACITY: usize = LINES * PER_LINE;
/// The greatest delta; above it is padding.
pub(super) const MAX_DELTA: u64 = u32::MAX as u64 - 1;
/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// Relaxed everywhere: [`super::SharedRanges`] orders what readers and the writer do, for all words of the tree at
/// once.
const RELAXED: Ordering = Ordering::Relaxed;

#[cfg_attr(not(loom), repr(C, align(64)))]
struct Line {
    wide: [AtomicU64; PER_LINE],
    narrow: [AtomicU32; PER_LINE],
    spare: AtomicU32,
}

pub(super) struct Node {
    lines: [Line; LINES],
}

#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub wide: u64,
    pub narrow: u32,
}

const PADDING: Entry = Entry { wide: u64::MAX, narrow: u32::MAX };
const GAP: Entry = Entry { wide: 0, narrow: 0 };

#[derive(Clone, Copy)]
enum Header {
    End,
    Previous,
    Next,
    OriginLow,
    OriginHigh,
    Front,
}

impl Line {
    #[inline]
    fn get(&self, i: usize) -> Entry {
        Entry { wide: self.wide[i].load(RELAXED), narrow: self.narrow[i].load(RELAXED) }
    }

    #[inline]
    fn set(&self, i: usize, entry: Entry) {
        self.wide[i].store(entry.wide, RELAXED);
        self.narrow[i].store(entry.narrow, RELAXED);
    }
}

/// The line of an entry, and where in the line.
#[inline(always)]
fn place(i: usize) -> (usize, usize) {
    // A division in two instructions, exact for all entries.
    let line = if PER_LINE == 5 { (i as u32 * 205) >> 10 } else { (i / PER_LINE) as u32 };
    (line as usize, i - line as usize * PER_LINE)
}

impl Node {
    pub fn new() -> Node {
        let line = || Line {
            wide: std::array::from_fn(|_| AtomicU64::new(PADDING.wide)),
            narrow: std::array::from_fn(|_| AtomicU32::new(PADDING.narrow)),
            spare: AtomicU32::new(0),
        };
        Node { lines: std::array::from_fn(|_| line()) }
    }

    /// Makes it an empty node without neighbours.
    pub fn clear(&self, origin: u64) {
        self.pad(0, self.end());
        self.set_header(Header::End, 0);
        self.set_header(Header::Front, 0);
        self.set_origin(origin);
        self.set_previous(NONE);
        self.set_next(NONE);
    }

    // ---- header --------------------------------------------------------------------------------------------

    #[inline]
    fn header(&self, which: Header) -> u32 {
        self.lines[which as usize].spare.load(RELAXED)
    }

    fn set_header(&self, which: Header, word: u32) {
        self.lines[which as usize].spare.store(word, RELAXED);
    }

    /// Where the entries begin.
    #[inline]
    pub fn front(&self) -> usize {
        self.header(Header::Front) as usize
    }

    /// Where they end.
    #[inline]
    pub fn end(&self) -> usize {
        self.header(Header::End) as usize
    }

    #[inline]
    pub fn count(&self) -> usize {
        self.end().saturating_sub(self.front())
    }

    #[inline]
    pub fn origin(&self) -> u64 {
        u64::from(self.header(Header::OriginHigh)) << 32 | u64::from(self.header(Header::OriginLow))
    }

    fn set_origin(&self, origin: u64) {
        self.set_header(Header::OriginLow, origin as u32);
        self.set_header(Header::OriginHigh, (origin >> 32) as u32);
    }

    pub fn previous(&self) -> u32 {
        self.header(Header::Previous)
    }

    pub fn next(&self) -> u32 {
        self.header(Header::Next)
    }

    pub fn set_previous(&self, id: u32) {
        self.set_header(Header::Previous, id);
    }

    pub fn set_next(&self, id: u32) {
        self.set_header(Header::Next, id);
    }

    // ---- search --------------------------------------------------------------------------------------------

    /// Behind the last entry of a leaf whose delta is not above `delta`, which is no padding.
    #[inline]
    pub fn deltas_up_to(&self, delta: u32) -> usize {
        let mut line = 0;
        for other in &self.lines[1..] {
            line += usize::from(other.narrow[0].load(RELAXED) <= delta);
        }
        let mut count = line * PER_LINE;
        for narrow in &self.lines[line].narrow {
            count += usize::from(narrow.load(RELAXED) <= delta);
        }
        count
    }

    /// The child of an inner node below which `address` belongs; `address` is no padding.
    #[inline]
    pub fn child(&self, address: u64) -> u32 {
        let (line, i) = self.child_place(address);
        self.lines[line].narrow[i].load(RELAXED)
    }

    /// The index of [`Node::child`].
    pub fn child_index(&self, address: u64) -> usize {
        let (line, i) = self.child_place(address);
        line * PER_LINE + i
    }

    /// The last key that is not above `address`, or the first: the leftmost child has no lower bound.
    #[inline]
    fn child_place(&self, address: u64) -> (usize, usize) {
        // Sums from a zero that the compiler does not know: each comparison is then one instruction with its load and
        // one that adds the carry. Of sums that it knows to be small it makes a shift and an addition to an address for
        // each.
        let zero = self.header(Header::Front);
        let mut line = zero;
        for other in &self.lines[1..] {
            line += u32::from(other.wide[0].load(RELAXED) <= address);
        }
        let line = line as usize;
        let mut i = zero;
        for wide in &self.lines[line].wide[1..] {
            i += u32::from(wide.load(RELAXED) <= address);
        }
        (line, i as usize)
    }

    // ---- entries -------------------------------------------------------------------------------------------

    #[inline]
    pub fn get(&self, i: usize) -> Entry {
        let (line, i) = place(i);
        self.lines[line].get(i)
    }

    #[inline]
    pub fn set(&self, i: usize, entry: Entry) {
        let (line, i) = place(i);
        self.lines[line].set(i, entry);
    }

    /// The wide word of an entry.
    #[inline(always)]
    pub fn wide(&self, i: usize) -> &AtomicU64 {
        let (line, i) = place(i);
        &self.lines[line].wide[i]
    }

    #[inline(always)]
    pub fn delta(&self, i: usize) -> u64 {
        let (line, i) = place(i);
        u64::from(self.lines[line].narrow[i].load(RELAXED))
    }

    pub fn is_full(&self) -> bool {
        self.count() == CAPACITY
    }

    fn pad(&self, from: usize, to: usize) {
        (from..to).for_each(|i| self.set(i, PADDING));
    }

    /// Inserts an entry before the `i`th, or at the end; the node is not full.
    pub fn insert(&self, i: usize, entry: Entry) {
        let (front, end) = (self.front(), self.end());
        debug_assert!((front..=end).contains(&i) && end - front < CAPACITY);
        if i == end && end < CAPACITY {
            self.set(i, entry);
            self.set_header(Header::End, end as u32 + 1);
        } else if i == front && end > front {
            let front = if front > 0 { front } else { self.open_gap() };
            self.set(front - 1, entry);
            self.set_header(Header::Front, front as u32 - 1);
        } else if end == CAPACITY {
            self.close_gap();
            self.insert_behind(i - front, entry);
        } else {
            self.insert_behind(i, entry);
        }
    }

    /// Appends an entry for each of `those`, up to the first that has none, while there is room. How many.
    pub fn append<T>(&self, those: &[T], mut entry: impl FnMut(&T) -> Option<Entry>) -> usize {
        let (end, mut those) = (self.end(), those.iter());
        let (mut now, mut first) = (end, end % PER_LINE);
        'lines: for line in &self.lines[end / PER_LINE..] {
            for i in first..PER_LINE {
                let Some(entry) = those.next().and_then(&mut entry) else { break 'lines };
                line.set(i, entry);
                now += 1;
            }
            first = 0;
        }
        self.set_header(Header::End, now as u32);
        now - end
    }

    /// Inserts an entry where those behind it have room to move up.
    fn insert_behind(&self, i: usize, entry: Entry) {
        let end = self.end();
        // What each line loses at its end goes to the front of the next.
        let mut coming = entry;
        let mut first = i % PER_LINE;
        for line in &self.lines[i / PER_LINE..=end / PER_LINE] {
            let going = line.get(PER_LINE - 1);
            for k in (first..PER_LINE - 1).rev() {
                line.set(k + 1, line.get(k));
            }
            line.set(first, coming);
            (coming, first) = (going, 0);
        }
        self.set_header(Header::End, end as u32 + 1);
    }

    /// Moves all entries of a leaf without a gap up, and returns where they begin then.
    fn open_gap(&self) -> usize {
        let end = self.end();
        // More may come here: most of the room is for them, and what is left of it once they have filled that.
        let room = CAPACITY - end;
        let by = if end > CAPACITY / 2 { room } else { (room * 3).div_ceil(4) };
        (0..end).rev().for_each(|i| self.set(i + by, self.get(i)));
        (0..by).for_each(|i| self.set(i, GAP));
        self.set_header(Header::End, (end + by) as u32);
        by
    }

    fn close_gap(&self) {
        let (front, end, mut all) = (self.front(), self.end(), [PADDING; CAPACITY]);
        self.copy_to(&mut all);
        all.copy_within(front..end, 0);
        all[end - front..].fill(PADDING);
        self.copy_from(&all);
        self.set_header(Header::Front, 0);
        self.set_header(Header::End, (end - front) as u32);
    }

    fn copy_to(&self, all: &mut [Entry; CAPACITY]) {
        for (line, entries) in self.lines.iter().zip(all.chunks_exact_mut(PER_LINE)) {
            (0..PER_LINE).for_each(|i| entries[i] = line.get(i));
        }
    }

    fn copy_from(&self, all: &[Entry; CAPACITY]) {
        for (line, entries) in self.lines.iter().zip(all.chunks_exact(PER_LINE)) {
            (0..PER_LINE).for_each(|i| line.set(i, entries[i]));
        }
    }

    /// Removes an entry of a leaf: at the front it leaves a gap.
    pub fn remove_in_leaf(&self, i: usize) -> Entry {
        let (front, end) = (self.front(), self.end());
        if i > front {
            return self.remove(i);
        }
        let removed = self.get(i);
        if end - front > 1 {
            self.set(i, GAP);
            self.set_header(Header::Front, front as u32 + 1);
        } else {
            self.pad(0, end);
            self.set_header(Header::Front, 0);
            self.set_header(Header::End, 0);
        }
        removed
    }

    pub fn remove(&self, i: usize) -> Entry {
        let (end, removed) = (self.end(), self.get(i));
        debug_assert!(i < end);
        if i + 1 == end {
            self.set(i, PADDING);
            self.set_header(Header::End, i as u32);
            return removed;
        }
        // From the last line down: what each loses at its front goes to the end of the one before.
        let mut coming = PADDING;
        for (j, line) in self.lines.iter().enumerate().take(end.div_ceil(PER_LINE)).skip(i / PER_LINE).rev() {
            let first = if j == i / PER_LINE { i % PER_LINE } else { 0 };
            let going = line.get(first);
            for k in first..PER_LINE - 1 {
                line.set(k, line.get(k + 1));
            }
            line.set(PER_LINE - 1, coming);
            coming = going;
        }
        self.set_header(Header::End, end as u32 - 1);
        removed
    }

    /// The bases of a leaf's ranges, with their extents.
    pub fn ranges(&self) -> impl Iterator<Item = (u64, u64)> {
        let origin = self.origin();
        (self.front()..self.end()).map(move |i| (origin + self.delta(i), self.get(i).wide))
    }

    /// Makes it a leaf of these ranges, which `origin` is not above.
    pub fn refill(&self, origin: u64, ranges: &[(u64, u64)]) {
        for (i, (base, extent)) in ranges.iter().enumerate() {
            self.set(i, Entry { wide: *extent, narrow: (base - origin) as u32 });
        }
        self.pad(ranges.len(), self.end());
        self.set_origin(origin);
        self.set_header(Header::Front, 0);
        self.set_header(Header::End, ranges.len() as u32);
    }

    /// Moves the entries from `i` on behind those of `to`, `change` applied to each.
    pub fn move_entries(&self, i: usize, to: &Node, change: impl Fn(Entry) -> Entry) {
        let end = self.end();
        debug_assert!(to.count() + end - i <= CAPACITY);
        if to.end() + end - i > CAPACITY {
            to.close_gap();
        }
        let there = to.end();
        for j in i..end {
            to.set(there + j - i, change(self.get(j)));
            self.set(j, PADDING);
        }
        self.set_header(Header::End, i as u32);
        to.set_header(Header::End, (there + end - i) as u32);
    }
}
