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
//! The heads of chunks are written by the heap's thread and read by any thread that has a block of it, which was
//! given to it after the head was written: relaxed atomics, which order nothing.

use super::bitset::Bitset;
use super::class::{CHUNK, CLASSES, Class};
use crate::sync::{UNORDERED, Unordered};

const WORDS: usize = 64;

/// A slot of a chunk, taken or free: looked up once, then used for all of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// Where it begins, in the arena.
    pub offset: usize,
    pub class: Class,
    /// Its number in its chunk.
    index: u32,
}

impl Slot {
    /// The slot that begins at `offset` if its chunk is one of this class.
    #[inline(always)]
    pub fn at(offset: usize, class: Class) -> Option<Slot> {
        let index = class.slot_at(offset % CHUNK)? as u32;
        Some(Slot { offset, class, index })
    }

    #[inline(always)]
    fn chunk(self) -> usize {
        self.offset / CHUNK
    }
}

/// What is known of a chunk. All zero is a closed one.
#[repr(C, align(64))]
pub(super) struct Head {
    /// 0 if closed, else 1 + the class's index.
    class: Unordered,
    /// Slots taken.
    used: Unordered,
    /// Bit i: a slot of word i is free.
    room: Unordered,
    /// When it was closed.
    closed_at: Unordered,
    /// Bit i of word j: slot 64 j + i is taken.
    taken: [Unordered; WORDS],
}

impl Head {
    #[inline(always)]
    fn class(&self) -> Option<Class> {
        Class::from_index((self.class.load(UNORDERED) as usize).wrapping_sub(1))
    }

    #[inline(always)]
    fn is_taken(&self, index: u32) -> bool {
        self.taken[index as usize / 64 % WORDS].load(UNORDERED) >> (index % 64) & 1 != 0
    }

    fn open(&self, class: Class) {
        let (words, rest) = (class.slots() / 64, class.slots() % 64);
        for (i, word) in self.taken.iter().enumerate().take(class.slots().div_ceil(64)) {
            // Slots that do not exist are taken.
            word.store(if i == words { u64::MAX << rest } else { 0 }, UNORDERED);
        }
        let count = class.slots().div_ceil(64);
        self.room.store(u64::MAX >> (64 - count), UNORDERED);
        self.used.store(0, UNORDERED);
        self.class.store(class.index() as u64 + 1, UNORDERED);
    }

    /// Takes a free slot.
    #[inline(always)]
    fn take(&self, index: u32) {
        let word = &self.taken[index as usize / 64 % WORDS];
        let now = word.load(UNORDERED) | 1 << (index % 64);
        word.store(now, UNORDERED);
        let full = u64::from(now == u64::MAX) << (index / 64);
        self.room.store(self.room.load(UNORDERED) & !full, UNORDERED);
        self.used.store(self.used.load(UNORDERED) + 1, UNORDERED);
    }

    /// Frees a taken slot; how many are taken after that.
    #[inline(always)]
    fn give(&self, index: u32) -> usize {
        let word = &self.taken[index as usize / 64 % WORDS];
        word.store(word.load(UNORDERED) & !(1 << (index % 64)), UNORDERED);
        self.room.store(self.room.load(UNORDERED) | 1 << (index / 64), UNORDERED);
        let used = self.used.load(UNORDERED) - 1;
        self.used.store(used, UNORDERED);
        used as usize
    }

    #[inline(always)]
    fn lowest_free(&self) -> u32 {
        let word = self.room.load(UNORDERED).trailing_zeros();
        word * 64 + (!self.taken[word as usize % WORDS].load(UNORDERED)).trailing_zeros()
    }
}

/// The heads of all chunks, in memory that is zero where it was never used.
#[derive(Clone, Copy)]
pub(super) struct Heads {
    first: *const Head,
    count: usize,
}

// SAFETY: heads consist of atomics; the memory lives as long as the heap's reservation, which whoever has this has.
unsafe impl Send for Heads {}
// SAFETY: as above.
unsafe impl Sync for Heads {}

/// Bytes of one head.
pub(super) const HEAD_BYTES: usize = size_of::<Head>();

impl Heads {
    /// # Safety
    /// From `address` on there is room for `count` heads, zero at first, which live as long as this is used. Only
    /// heads that were committed are asked for.
    pub unsafe fn new(address: usize, count: usize) -> Heads {
        Heads { first: address as *const Head, count }
    }

    #[inline(always)]
    fn get(&self, chunk: usize) -> &Head {
        debug_assert!(chunk < self.count);
        // SAFETY: in range and committed; all bytes are valid.
        unsafe { &*self.first.add(chunk) }
    }

    /// The slot of the block that begins at `offset`, of chunks below `top`; `None` if there is none.
    #[inline(always)]
    pub fn find(&self, offset: usize, top: usize) -> Option<Slot> {
        let chunk = offset / CHUNK;
        if chunk >= top {
            return None;
        }
        let head = self.get(chunk);
        let slot = Slot::at(offset, head.class()?)?;
        head.is_taken(slot.index).then_some(slot)
    }

    /// The block around `offset`, where there is one: where it begins, and its class.
    pub fn around(&self, offset: usize, top: usize) -> Option<(usize, Class)> {
        let chunk = offset / CHUNK;
        let class = if chunk < top { self.get(chunk).class()? } else { return None };
        let slot = offset % CHUNK / class.slot_bytes();
        let taken = slot < class.slots() && self.get(chunk).is_taken(slot as u32);
        taken.then(|| (chunk * CHUNK + slot * class.slot_bytes(), class))
    }
}

/// Which slots are taken.
pub(super) struct Slabs {
    pub heads: Heads,
    /// For each class, the chunks with room.
    room: [Bitset; CLASSES],
    /// The first of each, or [`NONE`].
    lowest: [u32; CLASSES],
    /// The closed ones below `top`.
    closed: Bitset,
    /// Chunks from here on were never open.
    pub top: usize,
    /// Slots taken in all chunks. Kept away from the sums of [`Arena`](super::arena::Arena): two neighbours that
    /// change together are loaded as one pair, which waits until the stores of the operation before have left the
    /// store buffer, behind one into a new block, which is out of cache.
    pub taken: u64,
}

const NONE: u32 = u32::MAX;

impl Slabs {
    pub fn new(heads: Heads) -> Slabs {
        Slabs { heads, room: Default::default(), lowest: [NONE; CLASSES], closed: Bitset::default(), top: 0, taken: 0 }
    }

    /// Where the next block of this class goes, if that opens no chunk.
    #[inline(always)]
    pub fn place_in_open(&self, class: Class) -> Option<Slot> {
        let chunk = self.lowest[class.index()];
        (chunk != NONE).then(|| {
            let index = self.heads.get(chunk as usize).lowest_free();
            Slot { offset: chunk as usize * CHUNK + index as usize * class.slot_bytes(), class, index }
        })
    }

    /// Where the next block of this class goes, and whether that opens a chunk; the memory may not be committed yet.
    #[inline]
    pub fn place(&mut self, class: Class) -> (usize, bool) {
        match self.place_in_open(class) {
            Some(slot) => (slot.offset, false),
            None => (self.closed.first().unwrap_or(self.top) * CHUNK, true),
        }
    }

    /// Whether the slot at `offset` is free for a block of this class, and whether taking it opens a chunk.
    pub fn is_free(&self, offset: usize, class: Class) -> Option<bool> {
        let slot = Slot::at(offset, class)?;
        if slot.chunk() >= self.top {
            return Some(true);
        }
        let head = self.heads.get(slot.chunk());
        match head.class() {
            None => Some(true),
            Some(found) => (found == class && !head.is_taken(slot.index)).then_some(false),
        }
    }

    /// The slot at `offset` if it is free for a block of this class and its chunk open.
    #[inline(always)]
    pub fn free_in_open(&self, offset: usize, class: Class) -> Option<Slot> {
        let slot = Slot::at(offset, class).filter(|slot| slot.chunk() < self.top)?;
        let head = self.heads.get(slot.chunk());
        (head.class() == Some(class) && !head.is_taken(slot.index)).then_some(slot)
    }

    /// Takes a slot that is free for it.
    #[inline(always)]
    pub fn take(&mut self, slot: Slot, opens: bool) {
        if opens {
            self.open(slot.chunk(), slot.class);
        }
        self.taken += 1;
        let head = self.heads.get(slot.chunk());
        head.take(slot.index);
        if head.room.load(UNORDERED) == 0 {
            self.no_more_room(slot.chunk(), slot.class);
        }
    }

    #[inline(always)]
    fn no_more_room(&mut self, chunk: usize, class: Class) {
        let (room, lowest) = (&mut self.room[class.index()], &mut self.lowest[class.index()]);
        room.remove(chunk);
        if *lowest == chunk as u32 {
            *lowest = room.first_from(chunk).map_or(NONE, |chunk| chunk as u32);
        }
    }

    #[cold]
    fn open(&mut self, chunk: usize, class: Class) {
        for between in self.top..chunk {
            self.closed.insert(between);
        }
        self.top = self.top.max(chunk + 1);
        self.closed.remove(chunk);
        self.heads.get(chunk).open(class);
        self.gains_room(chunk, class);
    }

    #[inline(always)]
    fn gains_room(&mut self, chunk: usize, class: Class) {
        self.room[class.index()].insert(chunk);
        let lowest = &mut self.lowest[class.index()];
        *lowest = (*lowest).min(chunk as u32);
    }

    /// Frees the slot of a block that [`Heads::find`] found. `now` counts up.
    #[inline(always)]
    pub fn give(&mut self, slot: Slot, now: u64) {
        let (chunk, class) = (slot.chunk(), slot.class);
        let head = self.heads.get(chunk);
        self.taken -= 1;
        let used = head.give(slot.index);
        // Without asking whether it had room before: the answer is known late, when the head comes from far, and no
        // processor guesses it.
        self.gains_room(chunk, class);
        if used == 0 {
            self.close(chunk, class, now);
        }
    }

    #[cold]
    fn close(&mut self, chunk: usize, class: Class, now: u64) {
        let head = self.heads.get(chunk);
        head.class.store(0, UNORDERED);
        head.closed_at.store(now, UNORDERED);
        self.no_more_room(chunk, class);
        self.closed.insert(chunk);
    }

    /// Frees all.
    pub fn clear(&mut self) {
        for chunk in 0..self.top {
            self.heads.get(chunk).class.store(0, UNORDERED);
        }
        *self = Slabs::new(self.heads);
    }

    /// Each block in order: offset and class.
    pub fn for_each(&self, mut visit: impl FnMut(usize, Class)) {
        for chunk in 0..self.top {
            let head = self.heads.get(chunk);
            let Some(class) = head.class() else { continue };
            for slot in (0..class.slots()).filter(|slot| head.is_taken(*slot as u32)) {
                visit(chunk * CHUNK + slot * class.slot_bytes(), class);
            }
        }
    }

    /// Runs of closed chunks: from, to (offsets), and when the last of them was closed.
    pub fn for_each_gap(&self, mut visit: impl FnMut(usize, usize, u64)) {
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
