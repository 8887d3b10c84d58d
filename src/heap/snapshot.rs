//! Snapshots: which blocks are alive and what is in them, as bytes for a checkpoint.
//!
//! ```text
//!  | magic | heap | operations | fingerprint | n | (offset, size, in quarantine) n times | contents one after the
//! other |
//! ```
//!
//! Words of 64 bits, in the byte order of the machine. A snapshot restores blocks at their addresses, so it belongs
//! to the heap that it was taken of.

use super::Heap;
use super::arena::Adjoints;
use super::class::{CHUNK, Class, SMALL};
use super::fingerprint::{FACTORS, Fingerprint};
use super::large::UNIT;
use super::record::Block;
use crate::error::{Error, Status, bytes};

const MAGIC: u64 = u64::from_le_bytes(*b"adtheap1");
const HEAD_WORDS: usize = 5;
const WORDS_A_BLOCK: usize = 2;
/// In the size of a block: it is in quarantine.
const QUARANTINED: u64 = 1 << 63;

impl Heap {
    /// The size of a snapshot of the present state.
    pub fn snapshot_bytes(&self) -> usize {
        8 * (HEAD_WORDS + WORDS_A_BLOCK * self.arena.blocks() as usize) + self.arena.bytes() as usize
    }

    /// A snapshot: the blocks that are alive and their contents, for [`restore`](Heap::restore).
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let (tape, mut heap) = (Tape::new()?, Heap::new()?);
    /// let p = heap.alloc(&tape, 8)?;
    /// let snapshot = heap.snapshot();
    /// heap.free(&tape, p)?;
    /// heap.restore(&snapshot)?; // p is alive again
    /// heap.set_recording(false); // an advance to the next checkpoint
    /// heap.free(&tape, p)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn snapshot(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.snapshot_bytes());
        let head = [MAGIC, self.arena.shared.id, self.operations, self.arena.print.0, self.arena.blocks()];
        head.iter().for_each(|word| out.extend_from_slice(&word.to_ne_bytes()));
        let blocks = self.arena.list();
        for block in &blocks {
            let flag = if self.arena.shared.is_quarantined(block.offset) { QUARANTINED } else { 0 };
            out.extend_from_slice(&(block.offset as u64).to_ne_bytes());
            out.extend_from_slice(&(block.bytes as u64 | flag).to_ne_bytes());
        }
        for block in &blocks {
            // SAFETY: bytes of a block that is alive; which values they have does not matter.
            out.extend_from_slice(unsafe { std::slice::from_raw_parts(self.arena.address(*block), block.bytes) });
        }
        out
    }

    /// Puts the heap back into the state of a snapshot, contents included. Adjoints stay as they are: those of the
    /// blocks that were alive are waited for by the next reversal point ([`begin_reverse`](Heap::begin_reverse)), to
    /// which the program runs again. On error nothing has changed.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        let plan = self.read(snapshot)?;
        for block in &plan.blocks {
            self.arena.touch_for_later(*block)?;
        }
        if let Adjoints::Alive = self.arena.adjoints {
            self.set_adjoints_apart();
        }
        self.arena.replace(&plan.blocks);
        self.arena.shared.set_quarantined(plan.quarantined);
        self.operations = plan.operations;
        let mut contents = plan.contents;
        for block in &plan.blocks {
            let (these, rest) = contents.split_at(block.bytes);
            // SAFETY: a block of that size, which is alive and touched.
            unsafe { self.arena.address(*block).copy_from_nonoverlapping(these.as_ptr(), these.len()) };
            contents = rest;
        }
        Ok(())
    }

    /// Whether [`restore`](Heap::restore) would take these bytes, if there is memory.
    pub(crate) fn check_snapshot(&self, snapshot: &[u8]) -> Result<(), Error> {
        self.read(snapshot).map(drop)
    }

    /// What a snapshot says, checked.
    fn read<'a>(&self, snapshot: &'a [u8]) -> Result<Contents<'a>, Error> {
        let words =
            |bytes: &'a [u8]| bytes.chunks_exact(8).map(|w| u64::from_ne_bytes(w.try_into().unwrap_or_default()));
        let damaged = || {
            Error::new(
                Status::Damaged,
                format!(
                    "{} are no snapshot of a heap, or not as they were saved\n  pass what adtape_heap_save wrote",
                    bytes(snapshot.len() as u64)
                ),
            )
        };
        let head: Vec<u64> = words(snapshot).take(HEAD_WORDS).collect();
        let &[MAGIC, id, operations, print, count] = head.as_slice() else { return Err(damaged()) };
        if id != self.arena.shared.id {
            return Err(Error::new(
                Status::HeapState,
                "the snapshot is of another heap\n  \
                 it restores blocks at their addresses, in the heap and the process where it was taken",
            ));
        }
        let table = usize::try_from(count).ok().and_then(|n| n.checked_mul(8 * WORDS_A_BLOCK)).ok_or_else(damaged)?;
        let table_end = table.checked_add(8 * HEAD_WORDS).filter(|end| *end <= snapshot.len()).ok_or_else(damaged)?;
        let (mut blocks, mut quarantined) = (Vec::with_capacity(count as usize), Vec::new());
        let (mut end, mut total, mut found) = (0, 0_usize, Fingerprint::default());
        let mut last: Option<Block> = None;
        for pair in snapshot[8 * HEAD_WORDS..table_end].chunks_exact(16) {
            let [offset, size] = [&pair[..8], &pair[8..]].map(|w| u64::from_ne_bytes(w.try_into().unwrap_or_default()));
            let block = self.block(offset as usize, (size & !QUARANTINED) as usize).ok_or_else(damaged)?;
            // Disjoint, and of one class in each chunk.
            let same_chunk = |last: &Block| last.offset / CHUNK == block.offset / CHUNK && last.class != block.class;
            if block.offset < end || last.as_ref().is_some_and(same_chunk) {
                return Err(damaged());
            }
            last = Some(block);
            (end, total) = (block.end(), total + block.bytes);
            found.toggle(block.key(), &FACTORS);
            if size & QUARANTINED != 0 {
                quarantined.push(block.offset);
            }
            blocks.push(block);
        }
        if found.0 != print || snapshot.len() - table_end != total {
            return Err(damaged());
        }
        Ok(Contents { operations, blocks, quarantined, contents: &snapshot[table_end..] })
    }

    /// A block at that place, if there can be one.
    fn block(&self, offset: usize, bytes: usize) -> Option<Block> {
        let (half, end) = (self.arena.layout.half, offset.checked_add(bytes)?);
        if offset < half {
            let class = Class::of(bytes).filter(|class| bytes <= SMALL && class.slot_bytes() == bytes)?;
            class.slot_at(offset)?;
            return (end <= half).then_some(Block::small(offset, class));
        }
        let fits = end <= 2 * half && offset.is_multiple_of(UNIT) && bytes.is_multiple_of(UNIT) && bytes > 0;
        fits.then_some(Block::large(offset, bytes))
    }
}

struct Contents<'a> {
    operations: u64,
    blocks: Vec<Block>,
    quarantined: Vec<usize>,
    contents: &'a [u8],
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// A snapshot with these blocks, offset and size, whose fingerprint and length are right.
    fn snapshot(heap: &Heap, blocks: &[(usize, usize)]) -> Vec<u8> {
        let (mut print, mut total) = (Fingerprint::default(), 0);
        for (offset, bytes) in blocks {
            print.toggle(heap.block(*offset, *bytes).map_or(0, |block| block.key()), &FACTORS);
            total += bytes;
        }
        let head = [MAGIC, heap.arena.shared.id, 7, print.0, blocks.len() as u64];
        let table = blocks.iter().flat_map(|(offset, bytes)| [*offset as u64, *bytes as u64]);
        let mut out: Vec<u8> = head.into_iter().chain(table).flat_map(u64::to_ne_bytes).collect();
        out.resize(out.len() + total, 5);
        out
    }

    #[test]
    fn snapshot_of_blocks_that_cannot_be_alive_together_is_refused_though_its_fingerprint_is_right() {
        let mut heap = Heap::with_factor(1, 8 << 20).unwrap();
        let half = heap.arena.layout.half;
        let good =
            [(0, 16), (16, 16), (CHUNK - 16, 16), (CHUNK, 48), (half - 8192, 8192), (half, 64), (half + 64, 640)];
        heap.restore(&snapshot(&heap, &good)).unwrap();
        let before = heap.mark();
        let bad: [&[(usize, usize)]; 16] = [
            &[(16, 16), (16, 16)],
            &[(16, 16), (16, 16), (16, 16)],
            &[(16, 16), (0, 16)],
            &[(0, 16), (64, 64)],
            &[(0, 48), (CHUNK - 16, 16)],
            &[(48, 48), (96, 112)],
            &[(half, 128), (half + 64, 64)],
            &[(half + 64, 64), (half, 64)],
            &[(half, 64), (half, 64), (half, 64)],
            &[(CHUNK - 16, 48)],
            &[(8, 16)],
            &[(0, 24)],
            &[(0, 16_384)],
            &[(half, 0)],
            &[(half + 16, 64)],
            &[(2 * half - 64, 128)],
        ];
        for blocks in bad {
            let error = heap.restore(&snapshot(&heap, blocks)).unwrap_err();
            assert_eq!((error.status(), heap.mark()), (Status::Damaged, before), "{blocks:?}: {error}");
        }
        let blocks: Vec<_> = heap.arena.list().iter().map(|block| (block.offset, block.bytes)).collect();
        assert_eq!(blocks, good);
    }
}
