//! Small blocks: chunks of 64 KiB, each divided into slots of one class.
//!
//! ```text
//!  chunk 0 (class 512)       chunk 1 (closed)      chunk 2 (class 48)
//!  |#|#|.|#|.| ... |         |            |        |#|.|#|#| ...  |
//! ```
//!
//! A chunk is *open* while a slot of it is taken, else *closed*; it has *room* while a slot of it is free. A block
//! goes to the lowest free slot of the lowest chunk with room of its class or, where there is none, to the lowest
//! closed chunk. So where it goes depends on the blocks that are alive and on nothing else.
//!
//! *Idle*: a chunk that was closed and is the lowest closed one, of a class without room elsewhere. The next block of
//! that class goes there anyway, so the chunk stays among those with room until anything else changes or is asked for.
//! A program that allocates and frees one block again and again neither opens nor closes chunks.
//!
//! The heads of chunks are written by the heap's thread and read by any thread that has a block of it, which was
//! given to it after the head was written: relaxed atomics, which order nothing.

use super::bitset::Bitset;
use super::class::{CHUNK, CLASSES, Class};
use super::head::{Head, HeadAt, Heads};
use super::record;
use crate::sync::UNORDERED;
use std::ptr::NonNull;

/// A slot of a chunk, taken or free: looked up once, then used for all of an operation.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub head: HeadAt,
    /// Where it begins in its chunk.
    within: u32,
    /// Its number in its chunk.
    pub index: u32,
}

impl Slot {
    /// What tells the block in it from all others: its offset and class.
    #[inline(always)]
    pub fn key(self) -> u64 {
        self.head.get().key.load(UNORDERED) + u64::from(self.within)
    }

    /// What it takes.
    #[inline(always)]
    pub fn bytes(self) -> usize {
        self.head.get().bytes.load(UNORDERED) as usize
    }

    /// Where it lies.
    #[inline(always)]
    pub fn address(self) -> NonNull<u8> {
        let address = self.head.get().address.load(UNORDERED) as usize + self.within as usize;
        // SAFETY: in the heap's reservation, which does not begin at 0.
        unsafe { NonNull::new_unchecked(address as *mut u8) }
    }
}

/// The chunk of a head.
fn chunk_of(head: &Head) -> usize {
    record::offset(head.key.load(UNORDERED)) / CHUNK
}

/// Which slots are taken.
pub(super) struct Slabs {
    pub heads: Heads,
    /// For each class the first chunk with room, or the head that stands for none.
    lowest: [HeadAt; CLASSES],
    /// Chunks from here on were never open; the offset of the first.
    pub top: usize,
    top_offset: usize,
    /// For each class, the chunks with room.
    room: [Bitset; CLASSES],
    /// The closed ones below `top`, but for the idle one.
    closed: Bitset,
    /// The chunk that was idle when it was closed last.
    idle: Option<usize>,
}

impl Slabs {
    pub fn new(heads: Heads) -> Slabs {
        Slabs {
            heads,
            lowest: [HeadAt::none(); CLASSES],
            top: 0,
            top_offset: 0,
            room: Default::default(),
            closed: Bitset::default(),
            idle: None,
        }
    }

    // ---- what needs no other chunk ---------------------------------------------------------------

    /// Takes the slot where the next block of this class goes, if that opens no chunk. Returns it, what it takes, and
    /// whether its chunk has room no more: then [`fills`](Slabs::fills) comes next.
    #[inline(always)]
    pub fn take_lowest(&mut self, class: Class) -> Option<(Slot, usize, bool)> {
        let head = self.lowest[class.index()];
        let (index, full) = head.get().take_lowest()?;
        let bytes = head.get().bytes.load(UNORDERED);
        Some((Slot { head, index, within: index * bytes }, bytes as usize, full))
    }

    /// The slot of the block that begins at `offset`, of no block in quarantine.
    #[inline(always)]
    pub fn find(&self, offset: usize) -> Option<Slot> {
        if offset >= self.top_offset {
            return None;
        }
        let (head, within) = (self.heads.at(offset / CHUNK), offset % CHUNK);
        let index = head.get().slot_at(within)?;
        Some(Slot { head, index, within: within as u32 })
    }

    /// Frees the slot, if it is taken. Returns whether its chunk was full. Then, and where the chunk has no block any
    /// more, [`turns`](Slabs::turns) comes next.
    #[inline(always)]
    pub fn give(&mut self, slot: Slot) -> Option<bool> {
        slot.head.get().give(slot.index)
    }

    /// Takes a slot that is free and whose chunk is open or idle. Returns whether [`fills`](Slabs::fills) comes next.
    #[inline(always)]
    pub fn take(&mut self, slot: Slot) -> bool {
        slot.head.get().take(slot.index)
    }

    /// The slot at `offset` if it is free and its chunk open or idle.
    #[inline(always)]
    pub fn free_slot(&self, offset: usize) -> Option<Slot> {
        let slot = self.find(offset)?;
        let head = slot.head.get();
        let there = head.taken() > 0 || self.idle == Some(offset / CHUNK);
        (there && head.is_free(slot.index)).then_some(slot)
    }

    // ---- chunks that get or lose room ---------------------------------------------------------------

    // Where few slots are free, nearly every block that comes fills its chunk, and one that goes gives room to a full one.

    /// The chunk has room no more.
    #[inline(always)]
    pub fn fills(&mut self, at: HeadAt) {
        let head = at.get();
        self.no_more_room(chunk_of(head), head.last_class());
    }

    #[inline(always)]
    fn no_more_room(&mut self, chunk: usize, class: Class) {
        self.room[class.index()].remove(chunk);
        self.find_lowest(class);
    }

    #[inline(always)]
    fn find_lowest(&mut self, class: Class) {
        let first = self.room[class.index()].first_from(0);
        self.lowest[class.index()] = first.map_or(HeadAt::none(), |chunk| self.heads.at(chunk));
    }

    /// A slot was freed, in a chunk that was full or in one that has nothing else. `now` counts up.
    #[inline(always)]
    pub fn turns(&mut self, at: HeadAt, was_full: bool, now: u64) {
        let head = at.get();
        if was_full {
            self.settle();
            let class = head.last_class().index();
            // It was among those with room when it was opened.
            self.room[class].put_back(chunk_of(head));
            self.lowest[class] = self.lowest[class].lower(at);
        }
        if head.taken() == 0 {
            self.close(chunk_of(head), head.last_class(), now);
        }
    }

    #[cold]
    #[inline(never)]
    fn close(&mut self, chunk: usize, class: Class, now: u64) {
        self.heads.get(chunk).closed_at.store(now, UNORDERED);
        if self.idle != Some(chunk) {
            self.settle();
            let is_lowest = self.closed.first_from(0).is_none_or(|first| chunk < first);
            if is_lowest && self.room[class.index()].is_only(chunk) {
                self.idle = Some(chunk);
            } else {
                self.no_more_room(chunk, class);
                self.closed.insert(chunk);
            }
        }
    }

    /// No chunk is idle any more: an idle one is closed as others are.
    #[inline(always)]
    pub fn settle(&mut self) {
        if let Some(chunk) = self.idle.take() {
            self.close_idle(chunk);
        }
    }

    #[cold]
    #[inline(never)]
    fn close_idle(&mut self, chunk: usize) {
        let head = self.heads.get(chunk);
        if head.taken() == 0 {
            self.no_more_room(chunk, head.last_class());
            self.closed.insert(chunk);
        }
    }

    // ---- any chunk ----------------------------------------------------------------------------------

    /// Where the next block of this class goes, and whether that opens a chunk; the memory may not be committed yet.
    #[inline]
    pub fn place(&mut self, class: Class) -> (usize, bool) {
        self.settle();
        match self.room[class.index()].first_from(0) {
            Some(chunk) => {
                let head = self.heads.get(chunk);
                (chunk * CHUNK + head.lowest_free() as usize * class.slot_bytes(), false)
            }
            None => (self.closed.first_from(0).unwrap_or(self.top) * CHUNK, true),
        }
    }

    /// The slot at `offset` of a chunk of this class, whose head is committed.
    pub fn slot(&self, offset: usize, class: Class) -> Option<Slot> {
        let index = class.slot_at(offset)?;
        Some(Slot { head: self.heads.at(offset / CHUNK), index, within: (offset % CHUNK) as u32 })
    }

    /// Whether the slot at `offset` is free for a block of this class, and whether taking it opens a chunk.
    pub fn is_free(&mut self, offset: usize, class: Class) -> Option<bool> {
        self.settle();
        let index = class.slot_at(offset)?;
        let chunk = offset / CHUNK;
        if chunk >= self.top {
            return Some(true);
        }
        let head = self.heads.get(chunk);
        match head.class() {
            None => Some(true),
            Some(found) => (found == class && head.is_free(index)).then_some(false),
        }
    }

    /// Opens the chunk that `offset` is in for blocks of this class.
    #[cold]
    pub fn open(&mut self, offset: usize, class: Class) {
        self.settle();
        let chunk = offset / CHUNK;
        for between in self.top..chunk {
            self.closed.insert(between);
        }
        self.top = self.top.max(chunk + 1);
        self.top_offset = self.top * CHUNK;
        self.closed.remove(chunk);
        self.heads.open(chunk, class);
        self.room[class.index()].insert(chunk);
        self.find_lowest(class);
    }

    /// Frees all. `now` as for [`turns`](Slabs::turns).
    pub fn clear(&mut self, now: u64) {
        for head in (0..self.top).map(|chunk| self.heads.get(chunk)).filter(|head| head.class().is_some()) {
            head.clear(now);
        }
        *self = Slabs::new(self.heads);
    }

    fn in_use(&self) -> impl Iterator<Item = (usize, &Head, Class)> {
        (0..self.top).filter_map(|chunk| {
            let head = self.heads.get(chunk);
            head.class().map(|class| (chunk, head, class))
        })
    }

    /// How many blocks there are.
    pub fn count(&self) -> u64 {
        self.in_use().map(|(_, head, _)| u64::from(head.taken())).sum()
    }

    /// Each block in order: offset and class.
    pub fn for_each(&self, mut visit: impl FnMut(usize, Class)) {
        for (chunk, head, class) in self.in_use() {
            for slot in (0..class.slots()).filter(|slot| !head.is_free(*slot as u32)) {
                visit(chunk * CHUNK + slot * class.slot_bytes(), class);
            }
        }
    }

    /// Runs of closed chunks: from, to (offsets), and when the last of them was closed. None of them is idle any more:
    /// their memory may be given back.
    pub fn for_each_gap(&mut self, mut visit: impl FnMut(usize, usize, u64)) {
        self.settle();
        let mut chunk = 0;
        while chunk < self.top {
            let (from, mut stamp) = (chunk, 0);
            while chunk < self.top && self.heads.get(chunk).class().is_none() {
                stamp = stamp.max(self.heads.get(chunk).closed_at.load(UNORDERED));
                chunk += 1;
            }
            if chunk > from {
                visit(from * CHUNK, chunk * CHUNK, stamp);
            }
            chunk += 1;
        }
    }
}

#[cfg(test)]
mod tests;
