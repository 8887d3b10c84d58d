//! What is known of a chunk: of which class it is, and which slots are free.

use super::class::{CHUNK, CLASSES, Class, slot_at};
use super::record::key;
use crate::sync::{UNORDERED, Unordered, Unordered32};
use std::ptr::NonNull;

const WORDS: usize = 64;

/// What is known of a chunk. All zero is a closed one that was never open. One that was, keeps what it was opened with.
#[repr(C, align(64))]
pub(super) struct Head {
    /// What [`slot_at`] divides by.
    reciprocal: Unordered32,
    /// What [`slot_at`] compares with; 0 while a block of the chunk is in quarantine.
    exact: Unordered32,
    /// Slots that are taken; 0 if closed.
    taken: Unordered32,
    /// The bytes of a slot, and the class's index.
    pub bytes: Unordered32,
    class: Unordered32,
    /// The key of the block in the first slot, and the slot's address.
    pub key: Unordered,
    pub address: Unordered,
    /// Bit i: a slot of word i is free.
    pub room: Unordered,
    /// When it was closed.
    pub closed_at: Unordered,
    /// Bit i of word j: slot 64 j + i is free. Slots that do not exist are not.
    free: [Unordered; WORDS],
}

/// Stands for a chunk with room where there is none: in the word with room no slot is free.
static NO_ROOM: Head = Head {
    reciprocal: Unordered32::new(0),
    exact: Unordered32::new(0),
    taken: Unordered32::new(0),
    bytes: Unordered32::new(0),
    class: Unordered32::new(0),
    key: Unordered::new(0),
    address: Unordered::new(0),
    room: Unordered::new(1),
    closed_at: Unordered::new(0),
    free: [const { Unordered::new(0) }; WORDS],
};

impl Head {
    /// `None` if closed.
    #[inline(always)]
    pub fn class(&self) -> Option<Class> {
        (self.taken.load(UNORDERED) > 0).then(|| self.last_class())
    }

    /// How many slots are taken.
    #[inline(always)]
    pub fn taken(&self) -> u32 {
        self.taken.load(UNORDERED)
    }

    /// The class that it was opened with.
    #[inline(always)]
    pub fn last_class(&self) -> Class {
        Class::from_index(self.class.load(UNORDERED) as usize % CLASSES).unwrap_or(Class::LEAST)
    }

    /// The number of the slot that begins there in the chunk, if no block of it is in quarantine.
    #[inline(always)]
    pub fn slot_at(&self, within: usize) -> Option<u32> {
        slot_at(within, self.reciprocal.load(UNORDERED), self.exact.load(UNORDERED))
    }

    /// Whether a slot that exists is free.
    #[inline(always)]
    pub fn is_free(&self, index: u32) -> bool {
        self.word(index).load(UNORDERED) >> (index % 64) & 1 != 0
    }

    #[inline(always)]
    fn word(&self, index: u32) -> &Unordered {
        // SAFETY: no class has more slots.
        unsafe { std::hint::assert_unchecked((index as usize) < WORDS * 64) };
        &self.free[index as usize / 64]
    }

    /// Which words have room, and the first of them.
    #[inline(always)]
    fn first_word(&self) -> (u64, u32) {
        let room = self.room.load(UNORDERED);
        // SAFETY: only chunks with room are asked, and that which stands for none.
        unsafe { std::hint::assert_unchecked(room != 0) };
        (room, room.trailing_zeros())
    }

    /// The lowest free slot of a chunk with room.
    pub fn lowest_free(&self) -> u32 {
        let (_, word) = self.first_word();
        word * 64 + self.word(word * 64).load(UNORDERED).trailing_zeros()
    }

    // Whether a word fills up no processor guesses, so the bit of the word is written each time, changed or not.

    /// Takes the lowest free slot; its number, and whether the chunk has room no more.
    #[inline(always)]
    pub fn take_lowest(&self) -> Option<(u32, bool)> {
        let (room, first) = self.first_word();
        let word = self.word(first * 64);
        let free = word.load(UNORDERED);
        if free == 0 {
            return None;
        }
        let rest = free & (free - 1);
        word.store(rest, UNORDERED);
        // Without its lowest bit, where that word has none left.
        let full = self.count_taken(room & (room - u64::from(rest == 0)));
        Some((first * 64 + free.trailing_zeros(), full))
    }

    /// Takes a free slot; whether the chunk has room no more.
    #[inline(always)]
    pub fn take(&self, index: u32) -> bool {
        let word = self.word(index);
        let (rest, room) = (word.load(UNORDERED) & !(1 << (index % 64)), self.room.load(UNORDERED));
        word.store(rest, UNORDERED);
        self.count_taken(room & !(u64::from(rest == 0) << (index / 64 % 64)))
    }

    /// A slot was taken, and this is the room then; whether that is none.
    #[inline(always)]
    fn count_taken(&self, room: u64) -> bool {
        self.room.store(room, UNORDERED);
        self.taken.store(self.taken.load(UNORDERED).wrapping_add(1), UNORDERED);
        room == 0
    }

    /// Frees a slot, if it is taken. Returns whether the chunk had no room.
    #[inline(always)]
    pub fn give(&self, index: u32) -> Option<bool> {
        let word = self.word(index);
        let before = word.load(UNORDERED);
        let now = before | 1 << (index % 64);
        if now == before {
            return None;
        }
        let room = self.room.load(UNORDERED);
        word.store(now, UNORDERED);
        self.room.store(room | 1 << (index / 64 % 64), UNORDERED);
        self.taken.store(self.taken.load(UNORDERED).wrapping_sub(1), UNORDERED);
        Some(room == 0)
    }

    /// Makes it one of this class, at `offset` in the arena and at this address, all of whose slots are free.
    fn open(&self, class: Class, offset: usize, address: usize) {
        if self.reciprocal.load(UNORDERED) == class.reciprocal() && self.last_class() == class {
            // As it was when it was closed.
            return;
        }
        let (words, rest) = (class.slots() / 64, class.slots() % 64);
        self.free.iter().take(words).for_each(|word| word.store(u64::MAX, UNORDERED));
        self.free.iter().skip(words).take(1).for_each(|word| word.store((1 << rest) - 1, UNORDERED));
        self.room.store(u64::MAX >> (64 - class.slots().div_ceil(64)), UNORDERED);
        self.bytes.store(class.slot_bytes() as u32, UNORDERED);
        self.class.store(class.index() as u32, UNORDERED);
        self.key.store(key(offset, class), UNORDERED);
        self.address.store(address as u64, UNORDERED);
        self.exact.store(class.exact(), UNORDERED);
        self.reciprocal.store(class.reciprocal(), UNORDERED);
    }

    /// Frees all.
    pub fn clear(&self, now: u64) {
        self.taken.store(0, UNORDERED);
        // No chunk that was open is taken for one of this class whose slots are all free.
        self.reciprocal.store(0, UNORDERED);
        self.exact.store(0, UNORDERED);
        self.closed_at.store(now, UNORDERED);
    }
}

/// Fetches what lies there into the cache.
#[inline(always)]
pub(super) fn fetch(p: NonNull<u8>) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint for any address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(p.as_ptr().cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = p;
}

/// Where a head lies, which lives as long as its heap.
#[derive(Clone, Copy)]
pub(super) struct HeadAt(NonNull<Head>);

// SAFETY: as for `Heads`.
unsafe impl Send for HeadAt {}
// SAFETY: as for `Heads`.
unsafe impl Sync for HeadAt {}

impl HeadAt {
    /// The head that stands for a chunk with room where there is none.
    pub fn none() -> HeadAt {
        HeadAt(NonNull::from(&NO_ROOM))
    }

    /// The head of the lower chunk of two of a heap; `other`, where this stands for none.
    #[inline(always)]
    pub fn lower(self, other: HeadAt) -> HeadAt {
        // The heads of a heap lie in the order of its chunks.
        if self.0 == HeadAt::none().0 || other.0 < self.0 { other } else { self }
    }

    #[inline(always)]
    pub fn get<'a>(self) -> &'a Head {
        // SAFETY: made of a reference; whoever has it has the heap.
        unsafe { self.0.as_ref() }
    }
}

/// The heads of all chunks, in memory that is zero where it was never used.
#[derive(Clone, Copy)]
pub(super) struct Heads {
    first: *const Head,
    count: usize,
    /// Address of the first chunk.
    base: usize,
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
    /// heads that were committed are asked for. `base` is the address of the first chunk.
    pub unsafe fn new(address: usize, count: usize, base: usize) -> Heads {
        Heads { first: address as *const Head, count, base }
    }

    #[inline(always)]
    pub fn get(&self, chunk: usize) -> &Head {
        debug_assert!(chunk < self.count);
        // SAFETY: in range and committed; all bytes are valid.
        unsafe { &*self.first.add(chunk) }
    }

    #[inline(always)]
    pub fn at(&self, chunk: usize) -> HeadAt {
        HeadAt(NonNull::from(self.get(chunk)))
    }

    /// Opens a closed chunk.
    pub fn open(&self, chunk: usize, class: Class) {
        self.get(chunk).open(class, chunk * CHUNK, self.base + chunk * CHUNK);
    }

    /// The block around `offset`, of chunks below `top`, where there is one: where it begins, and its class.
    pub fn around(&self, offset: usize, top: usize) -> Option<(usize, Class)> {
        let chunk = offset / CHUNK;
        let class = if chunk < top { self.get(chunk).class()? } else { return None };
        let slot = offset % CHUNK / class.slot_bytes();
        let taken = slot < class.slots() && !self.get(chunk).is_free(slot as u32);
        taken.then(|| (chunk * CHUNK + slot * class.slot_bytes(), class))
    }

    /// Notes whether the open chunk that `offset` is in has a block in quarantine.
    pub fn set_quarantined(&self, offset: usize, any: bool) {
        let head = self.get(offset / CHUNK);
        let exact = if any { 0 } else { head.last_class().exact() };
        head.exact.store(exact, UNORDERED);
    }
}
