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
use super::class::{CHUNK, CLASSES, Class, slot_at};
use crate::sync::{UNORDERED, Unordered, Unordered32};

const WORDS: usize = 64;

/// A slot of a chunk, taken or free: looked up once, then used for all of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// Where it begins, in the arena.
    pub offset: usize,
    /// What it takes.
    pub bytes: usize,
    pub class: Class,
    pub chunk: usize,
    /// Its number in its chunk.
    index: u32,
}

impl Slot {
    /// The slot that begins at `offset` if its chunk is one of this class.
    pub fn at(offset: usize, class: Class) -> Option<Slot> {
        let index = class.slot_at(offset)?;
        Some(Slot { offset, bytes: class.slot_bytes(), class, chunk: offset / CHUNK, index })
    }
}

/// What is known of a chunk. All zero is a closed one.
#[repr(C, align(64))]
pub(super) struct Head {
    /// What [`slot_at`] divides by; 0 if closed.
    reciprocal: Unordered32,
    /// Slots that are free.
    free: Unordered32,
    /// The class's index, the bytes of a slot, the number of slots.
    class: Unordered32,
    bytes: Unordered32,
    slots: Unordered32,
    /// Bit i: a slot of word i is free, or none of the chunk is. Of a closed one: when it was closed.
    room: Unordered,
    /// Bit i of word j: slot 64 j + i is taken. Slots that do not exist are not.
    taken: [Unordered; WORDS],
}

impl Head {
    /// `None` if closed.
    #[inline(always)]
    fn class(&self) -> Option<Class> {
        match self.reciprocal.load(UNORDERED) {
            0 => None,
            _ => Class::from_index(self.class.load(UNORDERED) as usize),
        }
    }

    #[inline(always)]
    fn bytes(&self) -> usize {
        self.bytes.load(UNORDERED) as usize
    }

    /// The slot that begins at `offset`, in the arena, of this chunk, if it is taken, or if it is not; the rest behind
    /// the last slot is not.
    #[inline(always)]
    fn find(&self, offset: usize, chunk: usize, taken: bool) -> Option<Slot> {
        let index = slot_at(offset, self.reciprocal.load(UNORDERED))?;
        if self.is_taken(index) != taken {
            return None;
        }
        let class = Class::from_index(self.class.load(UNORDERED) as usize % CLASSES)?;
        Some(Slot { offset, bytes: self.bytes(), class, chunk, index })
    }

    #[inline(always)]
    fn is_taken(&self, index: u32) -> bool {
        self.taken[index as usize / 64 % WORDS].load(UNORDERED) >> (index % 64) & 1 != 0
    }

    fn open(&self, class: Class) {
        let words = class.slots().div_ceil(64);
        // With the bit of the rest behind the last slot: where that ends a word there is no rest.
        self.taken.iter().take(words).for_each(|word| word.store(0, UNORDERED));
        self.room.store(u64::MAX >> (64 - words), UNORDERED);
        self.free.store(class.slots() as u32, UNORDERED);
        self.class.store(class.index() as u32, UNORDERED);
        self.bytes.store(class.slot_bytes() as u32, UNORDERED);
        self.slots.store(class.slots() as u32, UNORDERED);
        self.reciprocal.store(class.reciprocal(), UNORDERED);
    }

    /// Takes a free slot; whether it was the last.
    #[inline(always)]
    fn take(&self, index: u32) -> bool {
        let word = &self.taken[index as usize / 64 % WORDS];
        let now = word.load(UNORDERED) | 1 << (index % 64);
        word.store(now, UNORDERED);
        let full = u64::from(now == u64::MAX) << (index / 64);
        self.room.store(self.room.load(UNORDERED) & !full, UNORDERED);
        let free = self.free.load(UNORDERED) - 1;
        self.free.store(free, UNORDERED);
        free == 0
    }

    /// Frees a taken slot; whether it is the only one that is free.
    #[inline(always)]
    fn give(&self, index: u32) -> bool {
        let word = &self.taken[index as usize / 64 % WORDS];
        word.store(word.load(UNORDERED) & !(1 << (index % 64)), UNORDERED);
        self.room.store(self.room.load(UNORDERED) | 1 << (index / 64), UNORDERED);
        let free = self.free.load(UNORDERED);
        self.free.store(free + 1, UNORDERED);
        free == 0
    }

    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.free.load(UNORDERED) == self.slots.load(UNORDERED)
    }

    /// The lowest free place of a chunk with room.
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
        self.get(chunk).find(offset, chunk, true)
    }

    /// The block around `offset`, where there is one: where it begins, and its class.
    pub fn around(&self, offset: usize, top: usize) -> Option<(usize, Class)> {
        let chunk = offset / CHUNK;
        let class = if chunk < top { self.get(chunk).class()? } else { return None };
        let slot = offset % CHUNK / class.slot_bytes();
        let taken = self.get(chunk).is_taken(slot as u32);
        taken.then(|| (chunk * CHUNK + slot * class.slot_bytes(), class))
    }
}

/// Which slots are taken.
pub(super) struct Slabs {
    pub heads: Heads,
    /// For each class, the chunks with room.
    room: [Bitset; CLASSES],
    /// The first of each, or [`NONE`].
    lowest: [usize; CLASSES],
    /// The closed ones below `top`.
    closed: Bitset,
    /// Chunks from here on were never open.
    pub top: usize,
    /// Slots taken in all chunks. Kept away from the sums of [`Arena`](super::arena::Arena): two neighbours that
    /// change together are loaded as one pair, which waits until the stores of the operation before have left the
    /// store buffer, behind one into a new block, which is out of cache.
    pub taken: u64,
}

const NONE: usize = usize::MAX;

impl Slabs {
    pub fn new(heads: Heads) -> Slabs {
        Slabs { heads, room: Default::default(), lowest: [NONE; CLASSES], closed: Bitset::default(), top: 0, taken: 0 }
    }

    /// Where the next block of this class goes, if that opens no chunk.
    #[inline(always)]
    pub fn place_in_open(&self, class: Class) -> Option<Slot> {
        let chunk = self.lowest[class.index()];
        (chunk != NONE).then(|| {
            let head = self.heads.get(chunk);
            let (index, bytes) = (head.lowest_free(), head.bytes());
            Slot { offset: chunk * CHUNK + index as usize * bytes, bytes, class, chunk, index }
        })
    }

    /// Where the next block of this class goes, and whether that opens a chunk; the memory may not be committed yet.
    #[inline]
    pub fn place(&mut self, class: Class) -> (usize, bool) {
        match self.place_in_open(class) {
            Some(slot) => (slot.offset, false),
            None => (self.closed.first_from(0).unwrap_or(self.top) * CHUNK, true),
        }
    }

    /// Whether the slot at `offset` is free for a block of this class, and whether taking it opens a chunk.
    pub fn is_free(&self, offset: usize, class: Class) -> Option<bool> {
        let slot = Slot::at(offset, class)?;
        if slot.chunk >= self.top {
            return Some(true);
        }
        let head = self.heads.get(slot.chunk);
        match head.class() {
            None => Some(true),
            Some(found) => (found == class && !head.is_taken(slot.index)).then_some(false),
        }
    }

    /// The slot at `offset` if it is free and its chunk open.
    #[inline(always)]
    pub fn free_in_open(&self, offset: usize) -> Option<Slot> {
        let chunk = offset / CHUNK;
        if chunk >= self.top {
            return None;
        }
        let head = self.heads.get(chunk);
        head.find(offset, chunk, false).filter(|slot| slot.index < head.slots.load(UNORDERED))
    }

    /// Takes a slot that is free and whose chunk is open; whether the chunk has [`no_more_room`](Slabs::no_more_room).
    #[inline(always)]
    pub fn take(&mut self, slot: Slot) -> bool {
        self.taken += 1;
        self.heads.get(slot.chunk).take(slot.index)
    }

    /// Notes that the chunk has no room any more.
    #[inline(always)]
    pub fn no_more_room(&mut self, chunk: usize, class: Class) {
        let (room, lowest) = (&mut self.room[class.index()], &mut self.lowest[class.index()]);
        room.remove(chunk);
        *lowest = room.first_from(*lowest).unwrap_or(NONE);
    }

    /// Opens the chunk of a slot.
    #[cold]
    pub fn open(&mut self, slot: Slot) {
        for between in self.top..slot.chunk {
            self.closed.insert(between);
        }
        self.top = self.top.max(slot.chunk + 1);
        self.closed.remove(slot.chunk);
        self.heads.get(slot.chunk).open(slot.class);
        self.room[slot.class.index()].insert(slot.chunk);
        let lowest = &mut self.lowest[slot.class.index()];
        *lowest = (*lowest).min(slot.chunk);
    }

    /// Frees the slot of a block that [`Heads::find`] found; whether the chunk is then to be [closed](Slabs::close).
    #[inline(always)]
    pub fn give(&mut self, slot: Slot) -> bool {
        let head = self.heads.get(slot.chunk);
        self.taken -= 1;
        if head.give(slot.index) {
            self.room[slot.class.index()].put_back(slot.chunk);
            let lowest = &mut self.lowest[slot.class.index()];
            *lowest = (*lowest).min(slot.chunk);
        }
        head.is_empty()
    }

    /// Closes that chunk, of which all slots are free. `now` counts up.
    pub fn close(&mut self, chunk: usize, class: Class, now: u64) {
        let head = self.heads.get(chunk);
        head.reciprocal.store(0, UNORDERED);
        head.room.store(now, UNORDERED);
        self.no_more_room(chunk, class);
        self.closed.insert(chunk);
    }

    /// Frees all. `now` as for [`close`](Slabs::close).
    pub fn clear(&mut self, now: u64) {
        for head in (0..self.top).map(|chunk| self.heads.get(chunk)).filter(|head| head.class().is_some()) {
            head.reciprocal.store(0, UNORDERED);
            head.room.store(now, UNORDERED);
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
                stamp = stamp.max(self.heads.get(chunk).room.load(UNORDERED));
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
