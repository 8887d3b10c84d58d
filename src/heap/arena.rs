//! An arena: blocks, the memory behind them, and that of their adjoints.
//!
//! [`plan`](Arena::plan) and [`plan_at`](Arena::plan_at) say where a block goes and see to its memory; they change
//! nothing else, and all that can fail lies there. [`take`](Arena::take) and [`give`](Arena::give) cannot fail.

use super::class::{CHUNK, Class};
use super::fingerprint::{FACTORS, Factors, Fingerprint};
use super::head::{self, HeadAt};
use super::large::UNIT;
use super::record::Block;
use super::shared::{Layout, Shared, Zones};
use super::slabs::{Slabs, Slot};
use crate::error::{Error, Status, bytes, counted};
use crate::sync::{Arc, UNORDERED};
use std::ptr::NonNull;

/// Free intervals of this size give their memory back when it is short.
const GAP: usize = 1 << 20;

/// A place for a block, with memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    pub block: Block,
    /// It is the first of its chunk.
    opens: bool,
}

pub(super) struct Arena {
    pub shared: Arc<Shared>,
    /// As in `shared`.
    pub layout: Layout,
    slabs: Slabs,
    zones: Zones,
    pub print: Fingerprint,
    factors: Factors,
    /// The most bytes that were alive at once, and how many less there are now.
    peak_bytes: u64,
    below_peak: i64,
    /// Counts free intervals that came to be, so that they have an age.
    clock: u64,
    /// Which adjoints exist: those of the blocks that are alive ([`Adjoints::Alive`]), others, or none.
    pub adjoints: Adjoints,
}

/// Which blocks have an adjoint.
pub(super) enum Adjoints {
    /// No block; their memory is inaccessible. `used`: it was not always, so it may hold values.
    None { used: bool },
    /// Those that are alive.
    Alive,
    /// Those that were alive before the forward sweep went on or a snapshot was restored, in order.
    Kept(Box<Known>),
}

/// Blocks with an adjoint: in order, and their fingerprint.
pub(super) struct Known {
    pub blocks: Vec<Block>,
    pub print: Fingerprint,
}

impl Arena {
    pub fn new(factor: usize, reserve_bytes: usize) -> Result<Arena, Error> {
        let (shared, zones) = Shared::new(factor, reserve_bytes)?;
        Shared::list(&shared);
        Ok(Arena::with(shared, zones))
    }

    /// One without adjoints, whose blocks no other heap's thread can free.
    pub fn unlisted() -> Result<Arena, Error> {
        let (shared, zones) = Shared::new(0, 0)?;
        Ok(Arena::with(shared, zones))
    }

    fn with(shared: Arc<Shared>, zones: Zones) -> Arena {
        Arena {
            layout: shared.layout,
            slabs: Slabs::new(shared.heads),
            zones,
            shared,
            print: Fingerprint::default(),
            factors: FACTORS,
            peak_bytes: 0,
            below_peak: 0,
            clock: 0,
            adjoints: Adjoints::None { used: false },
        }
    }

    // ---- where blocks go ---------------------------------------------------------------------------

    /// A place for a new block of `bytes` at a multiple of `alignment`, a power of two.
    #[inline]
    pub fn plan(&mut self, bytes: usize, alignment: usize) -> Result<Placement, Error> {
        match Class::of_aligned(bytes, alignment) {
            Some(class) => {
                let (offset, opens) = self.slabs.place(class);
                if offset >= self.layout.half {
                    return Err(self.no_address_space());
                }
                let plan = Placement { block: Block::small(offset, class), opens };
                self.touch(plan)?;
                Ok(plan)
            }
            None => self.plan_large(bytes, alignment),
        }
    }

    #[cold]
    fn plan_large(&mut self, bytes: usize, alignment: usize) -> Result<Placement, Error> {
        let place = bytes.max(1).checked_next_multiple_of(UNIT).and_then(|bytes| {
            let offset = self.shared.large().place(bytes, alignment)?;
            Some(Block::large(offset, bytes))
        });
        let plan = Placement { block: place.ok_or_else(|| self.no_address_space())?, opens: false };
        self.touch(plan)?;
        Ok(plan)
    }

    /// The place of a block that was alive before; `None` if it is not free.
    #[inline]
    pub fn plan_at(&mut self, block: Block) -> Result<Option<Placement>, Error> {
        let opens = match block.class {
            Some(class) if block.end() <= self.layout.half => self.slabs.is_free(block.offset, class),
            Some(_) => None,
            None => self.shared.large().gap_around(block.offset, block.bytes).map(|_| false),
        };
        let Some(opens) = opens else { return Ok(None) };
        let plan = Placement { block, opens };
        self.touch(plan)?;
        Ok(Some(plan))
    }

    #[cold]
    fn no_address_space(&self) -> Error {
        Error::new(
            Status::OutOfMemory,
            format!(
                "the heap's address space is full: {} for small blocks and as much for large ones, \
                 of which {} in {} are alive\n  \
                 make the heap with more (reserve_bytes of adtape_heap_create); it cannot move",
                bytes(self.layout.half as u64),
                bytes(self.bytes()),
                counted(self.blocks(), "block")
            ),
        )
    }

    /// The small block that begins at `offset`, where no other thread freed one of its chunk.
    #[inline(always)]
    pub fn find_small(&self, offset: usize) -> Option<Slot> {
        self.slabs.find(offset)
    }

    /// Where a small block comes back, if that opens no chunk: the slot at `offset`, which is free.
    #[inline(always)]
    pub fn free_small(&self, offset: usize) -> Option<Slot> {
        self.slabs.free_slot(offset)
    }

    /// Adds the next small block of a class, if that opens no chunk. Returns its slot and key, and whether its chunk is
    /// full, for [`end_taking`](Arena::end_taking) at the end of the operation.
    #[inline(always)]
    pub fn take_lowest(&mut self, class: Class) -> Option<(Slot, u64, bool)> {
        let (slot, bytes, full) = self.slabs.take_lowest(class)?;
        let key = slot.key();
        self.count_in(key, bytes);
        Some((slot, key, full))
    }

    /// Adds a small block in an open chunk. Returns whether that is full, for [`end_taking`](Arena::end_taking) at the end
    /// of the operation.
    #[inline(always)]
    pub fn take_small(&mut self, slot: Slot) -> bool {
        self.count_in(slot.key(), slot.bytes());
        self.slabs.take(slot)
    }

    /// What comes after taking a slot. Returns its address.
    #[inline(always)]
    pub fn end_taking(&mut self, slot: Slot, full: bool) -> NonNull<u8> {
        let p = slot.address();
        if full { self.chunk_fills(slot.head, p) } else { p }
    }

    /// Returns `p`, so that the caller need not keep it. Cold, though it is called often where few slots are free, as is
    /// [`chunk_turns`](Arena::chunk_turns): so callers save no registers on the way without this call.
    #[cold]
    #[inline(never)]
    fn chunk_fills(&mut self, head: HeadAt, p: NonNull<u8>) -> NonNull<u8> {
        self.slabs.fills(head);
        p
    }

    /// Removes a small block, if it is alive. Returns its key, and whether its chunk was full, for
    /// [`end_giving`](Arena::end_giving) at the end of the operation.
    #[inline(always)]
    pub fn give_small(&mut self, slot: Slot) -> Option<(u64, bool)> {
        let was_full = self.slabs.give(slot)?;
        let key = slot.key();
        self.count_out(key, slot.bytes());
        Some((key, was_full))
    }

    /// What comes after [`give_small`](Arena::give_small).
    #[inline(always)]
    pub fn end_giving(&mut self, slot: Slot, was_full: bool) {
        if was_full || slot.head.get().taken() == 0 {
            self.chunk_turns(slot.head, slot.address(), was_full);
        }
    }

    /// The chunk of a slot that was freed last has room now, or no block any more.
    #[cold]
    #[inline(never)]
    fn chunk_turns(&mut self, head: HeadAt, freed: NonNull<u8>, was_full: bool) {
        // Where few slots are free, the next block of the class comes here, and the program writes to it.
        head::fetch(freed);
        self.clock += 1;
        self.slabs.turns(head, was_full, self.clock);
    }

    /// From now on a block opens its chunk where that had none.
    pub fn settle(&mut self) {
        self.slabs.settle();
    }

    #[inline(always)]
    fn count_in(&mut self, key: u64, bytes: usize) {
        self.below_peak -= bytes as i64;
        if self.below_peak < 0 {
            self.peak_bytes += self.below_peak.unsigned_abs();
            self.below_peak = 0;
        }
        self.print.toggle(key, &self.factors);
    }

    #[inline(always)]
    fn count_out(&mut self, key: u64, bytes: usize) {
        self.print.toggle(key, &self.factors);
        self.below_peak += bytes as i64;
    }

    /// Adds the planned block.
    #[inline]
    pub fn take(&mut self, plan: Placement) {
        let block = plan.block;
        let Some(class) = block.class else {
            self.shared.large().take(block.offset, block.bytes);
            self.count_in(block.key(), block.bytes);
            return;
        };
        if plan.opens {
            self.slabs.open(block.offset, class);
            self.shared.top.store(self.slabs.top as u64, UNORDERED);
        }
        if let Some(slot) = self.slabs.slot(block.offset, class) {
            let full = self.take_small(slot);
            self.end_taking(slot, full);
        }
    }

    /// Removes a block that is alive.
    #[inline]
    pub fn give(&mut self, block: Block) {
        let Some(class) = block.class else {
            self.clock += 1;
            self.shared.large().give(block.offset, self.clock);
            self.count_out(block.key(), block.bytes);
            return;
        };
        if let Some(slot) = self.slabs.slot(block.offset, class)
            && let Some((_, was_full)) = self.give_small(slot)
        {
            self.end_giving(slot, was_full);
        }
    }

    /// The large block with another size where it is, if that can be; its memory is there.
    pub fn plan_resize(&mut self, block: Block, bytes: usize) -> Result<Option<Block>, Error> {
        let resized = bytes.max(1).checked_next_multiple_of(UNIT).map(|bytes| Block::large(block.offset, bytes));
        let Some(resized) = resized.filter(|block| self.shared.large().can_resize(block.offset, block.bytes)) else {
            return Ok(None);
        };
        self.touch(Placement { block: resized, opens: false })?;
        Ok(Some(resized))
    }

    /// Gives a large block the planned size.
    pub fn resize(&mut self, block: Block, resized: Block) {
        self.clock += 1;
        self.shared.large().resize(block.offset, resized.bytes, self.clock);
        self.count_out(block.key(), block.bytes);
        self.count_in(resized.key(), resized.bytes);
    }

    /// The fingerprint with these blocks added or taken away.
    #[inline]
    pub fn print_with(&self, blocks: &[Block]) -> Fingerprint {
        let mut print = self.print;
        blocks.iter().for_each(|block| print.toggle(block.key(), &self.factors));
        print
    }

    /// How many are alive.
    pub fn blocks(&self) -> u64 {
        self.slabs.count() + self.shared.large().count() as u64
    }

    /// What they take.
    pub fn bytes(&self) -> u64 {
        self.peak_bytes - self.below_peak as u64
    }

    /// The most that they took.
    pub fn peak_bytes(&self) -> u64 {
        self.peak_bytes
    }

    /// Each block in order of its offset.
    pub fn for_each(&self, mut visit: impl FnMut(Block)) {
        self.slabs.for_each(|offset, class| visit(Block::small(offset, class)));
        self.shared.large().for_each(|offset, bytes| visit(Block::large(offset, bytes)));
    }

    /// All blocks in order.
    pub fn list(&self) -> Vec<Block> {
        let mut blocks = Vec::with_capacity(self.blocks() as usize);
        self.for_each(|block| blocks.push(block));
        blocks
    }

    /// Replaces all blocks by those of plans, which were touched.
    pub fn replace(&mut self, blocks: &[Block]) {
        self.clock += 1;
        self.slabs.clear(self.clock);
        self.shared.large().clear();
        (self.print, self.below_peak) = (Fingerprint::default(), self.peak_bytes as i64);
        for block in blocks {
            let opens = block.class.and_then(|class| self.slabs.is_free(block.offset, class)).unwrap_or(false);
            self.take(Placement { block: *block, opens });
        }
    }

    // ---- addresses and memory ------------------------------------------------------------------------

    /// Where the block lies.
    #[inline]
    pub fn address(&self, block: Block) -> *mut u8 {
        (self.layout.base + block.offset) as *mut u8
    }

    /// Where its adjoint lies.
    #[inline]
    pub fn adjoint_address(&self, block: Block) -> *mut u8 {
        (self.layout.adjoint_base + self.layout.factor * block.offset) as *mut u8
    }

    /// Sees to the memory of a block, without changing which are alive.
    #[inline]
    fn touch(&mut self, plan: Placement) -> Result<(), Error> {
        // A chunk in use has its memory.
        if plan.block.class.is_some() && !plan.opens {
            return Ok(());
        }
        self.with_relief(plan.block.bytes, |arena| arena.zones.touch(plan.block, arena.layout.half))
    }

    /// Sees to the memory of a block that is to be alive after a [`replace`](Arena::replace); takes none from free
    /// intervals, which may be where such a block goes.
    pub fn touch_for_later(&mut self, block: Block) -> Result<(), Error> {
        self.zones.touch(block, self.layout.half)
    }

    /// Sees to the memory of a block's adjoint.
    #[inline]
    pub fn touch_adjoint(&mut self, block: Block) -> Result<(), Error> {
        let layout = self.layout;
        if self.zones.touch_adjoint(block, &layout).is_ok() {
            return Ok(());
        }
        self.with_relief(layout.factor * block.bytes, |arena| arena.zones.touch_adjoint(block, &layout))
    }

    /// Sets `[from, to)` of a block's adjoint, in primal bytes, to zero.
    #[inline]
    pub fn zero_adjoint(&mut self, block: Block, from: usize, to: usize) {
        let factor = self.layout.factor;
        if from < to {
            // SAFETY: the adjoint of a block with an adjoint was touched, and the range lies in it.
            unsafe { self.adjoint_address(block).add(factor * from).write_bytes(0, factor * (to - from)) };
        }
    }

    /// Makes the memory of adjoints accessible, or inaccessible.
    pub fn open_adjoints(&mut self) -> Result<(), Error> {
        self.zones.adjoint_small.open()?;
        self.zones.adjoint_large.open()
    }

    pub fn close_adjoints(&mut self) {
        self.zones.adjoint_small.close();
        self.zones.adjoint_large.close();
    }

    /// Bytes with memory behind them: of blocks, of adjoints, of heads.
    pub fn resident_bytes(&self) -> [u64; 3] {
        let zones = &self.zones;
        [
            zones.small.resident_bytes() + zones.large.resident_bytes(),
            zones.adjoint_small.resident_bytes() + zones.adjoint_large.resident_bytes(),
            zones.heads.resident_bytes(),
        ]
        .map(|bytes| bytes as u64)
    }

    // ---- memory that goes back ------------------------------------------------------------------------

    /// Commits memory; where the limit forbids it, of what free intervals have first some is given back, then all.
    #[cold]
    fn with_relief(
        &mut self,
        bytes_wanted: usize,
        commit: impl Fn(&mut Arena) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for wanted in [bytes_wanted.max(GAP), usize::MAX] {
            match commit(self) {
                Err(error) if error.status() == Status::MemoryLimit && self.relieve(wanted, GAP) > 0 => {}
                other => return other.map_err(|error| self.short_of_memory(error)),
            }
        }
        commit(self).map_err(|error| self.short_of_memory(error))
    }

    #[cold]
    fn short_of_memory(&self, error: Error) -> Error {
        error.with_line(&format!(
            "the heap has {} in {} alive, and no memory in free intervals of {} or more",
            bytes(self.bytes()),
            counted(self.blocks(), "block"),
            bytes(GAP as u64)
        ))
    }

    /// Gives back at least `wanted` bytes, if there are as many: of adjoints that nobody has, of what lies above the
    /// highest block, of free intervals of at least `least` bytes, the one that has been free for longest first.
    /// Returns how many bytes that were.
    pub fn relieve(&mut self, wanted: usize, least: usize) -> usize {
        let mut gained = 0;
        if let Adjoints::None { .. } = self.adjoints {
            gained += self.zones.adjoint_small.cut(0) + self.zones.adjoint_large.cut(0);
        }
        let (half, factor) = (self.layout.half, self.layout.factor);
        let with_adjoints = matches!(self.adjoints, Adjoints::Alive);
        let tops = (self.slabs.top * CHUNK, self.shared.large().top() - half);
        for (zone, adjoints, top) in [
            (&mut self.zones.small, &mut self.zones.adjoint_small, tops.0),
            (&mut self.zones.large, &mut self.zones.adjoint_large, tops.1),
        ] {
            if zone.committed().saturating_sub(top) >= least {
                gained += zone.cut(top);
            }
            if with_adjoints && adjoints.committed().saturating_sub(factor * top) >= least {
                gained += adjoints.cut(factor * top);
            }
        }
        let mut gaps = Vec::new();
        let mut note = |from: usize, to: usize, stamp: u64| {
            if to - from >= least {
                gaps.push((stamp, from, to));
            }
        };
        self.slabs.for_each_gap(&mut note);
        self.shared.large().for_each_gap(&mut note);
        gaps.sort_unstable();
        for (_, from, to) in gaps {
            if gained >= wanted {
                break;
            }
            let (zone, adjoints, base) = if from < half {
                (&mut self.zones.small, &mut self.zones.adjoint_small, 0)
            } else {
                (&mut self.zones.large, &mut self.zones.adjoint_large, half)
            };
            gained += zone.discard(from - base, to - base);
            if with_adjoints {
                gained += adjoints.discard(factor * (from - base), factor * (to - base));
            }
        }
        gained
    }
}
