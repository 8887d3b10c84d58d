//! Adjoints of blocks: when they exist, and where. And blocks that are adjoint only.
//!
//! An adjoint has a lifetime of its own. It begins at the reversal point, for the blocks alive there, or when its block
//! comes back in the reverse sweep, and with a value of zero; it ends when the birth of its block is reversed. What the
//! forward sweep or the restoration of a checkpoint does in between does not touch it: after the section was run again
//! the same blocks are alive as before, and the next reversal point says so.

use super::Heap;
use super::arena::{Adjoints, Arena, Known};
use super::class::GRANULE;
use super::record::Block;
use crate::error::{Error, Status};
use crate::sync::UNORDERED;
use crate::tape::Cursor;

impl Heap {
    /// The reversal point: the forward sweep, or the section of it that was run again, ends here, and its reverse sweep
    /// begins. Blocks that have no adjoint yet get one, of zero.
    ///
    /// An error if a block that has an adjoint is not alive: then the section was not run again as it was the first
    /// time.
    pub fn begin_reverse(&mut self) -> Result<(), Error> {
        if self.factor == 0 {
            return Ok(());
        }
        match &self.arena.adjoints {
            Adjoints::Alive => return Ok(()),
            Adjoints::None { used } => {
                let used = *used;
                self.arena.open_adjoints()?;
                // From here on what makes room leaves them their memory.
                self.arena.adjoints = Adjoints::Alive;
                if let Err(error) = self.give_adjoints(self.arena.list(), used) {
                    self.arena.close_adjoints();
                    self.arena.adjoints = Adjoints::None { used: true };
                    return Err(error);
                }
            }
            Adjoints::Kept(known) => {
                if known.print != self.arena.print || known.blocks.len() as u64 != self.arena.blocks() {
                    let new = newcomers(&known.blocks, &self.arena)?;
                    self.give_adjoints(new, true)?;
                }
            }
        }
        // What comes back in the reverse sweep has the memory of its adjoint where its chunk had a block with one.
        self.arena.settle();
        self.arena.adjoints = Adjoints::Alive;
        self.arena.shared.reversing.store(1, UNORDERED);
        Ok(())
    }

    /// [`begin_reverse`](Heap::begin_reverse); where memory is short, the tape gives up some of its own.
    pub(crate) fn begin_reverse_beside(&mut self, tape: &Cursor) -> Result<(), Error> {
        self.with_memory_of(tape, self.arena.bytes() as usize, Heap::begin_reverse)
    }

    /// The end of the reverse sweep: no block has an adjoint any more, and their memory is inaccessible until the next
    /// reversal point.
    pub fn end_reverse(&mut self) -> Result<(), Error> {
        self.arena.shared.reversing.store(0, UNORDERED);
        if !matches!(self.arena.adjoints, Adjoints::None { .. }) {
            self.arena.close_adjoints();
            self.arena.adjoints = Adjoints::None { used: true };
        }
        Ok(())
    }

    fn give_adjoints(&mut self, blocks: Vec<Block>, used: bool) -> Result<(), Error> {
        for block in &blocks {
            self.arena.touch_adjoint(*block)?;
        }
        for block in blocks.iter().filter(|_| used) {
            self.arena.zero_adjoint(*block, 0, block.bytes);
        }
        Ok(())
    }

    /// The adjoint of a place in a block, checked: an error where there is none. Without the check it is one addition,
    /// [`delta`](Heap::delta). NULL has the adjoint NULL.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let (tape, mut heap) = (Tape::new()?, Heap::new()?);
    /// let p = heap.alloc(&tape, 100)?;
    /// assert_eq!(heap.adjoint(p).unwrap_err().status(), Status::NoAdjoint);
    /// heap.begin_reverse()?;
    /// assert_eq!(heap.adjoint(p)?, p.wrapping_offset(heap.delta()));
    /// # Ok(())
    /// # }
    /// ```
    pub fn adjoint(&self, p: *mut u8) -> Result<*mut u8, Error> {
        if p.is_null() {
            return Ok(p);
        }
        let offset = self.arena.layout.offset(p as usize);
        let block = offset.and_then(|offset| self.arena.shared.around(offset)).ok_or_else(|| self.no_block(p))?;
        let exists = match &self.arena.adjoints {
            Adjoints::None { .. } => false,
            Adjoints::Alive => true,
            Adjoints::Kept(known) => known.blocks.binary_search_by_key(&block.offset, |b| b.offset).is_ok(),
        };
        if !exists {
            return Err(Error::new(
                Status::NoAdjoint,
                format!(
                    "the block of {} bytes at {:p} has no adjoint{}",
                    block.bytes,
                    self.arena.address(block),
                    match self.factor {
                        0 => "\n  the heap was made without adjoints (adjoint_factor 0)",
                        _ => {
                            " yet\n  \
                             adjoints exist from the reversal point on: adtape_heap_begin_reverse comes before their \
                             first use"
                        }
                    }
                ),
            ));
        }
        Ok((self.factor.wrapping_mul(p as usize)).wrapping_add(self.origin) as *mut u8)
    }

    /// A change in the forward direction.
    #[cold]
    pub(super) fn set_adjoints_apart(&mut self) {
        let known = Known { blocks: self.arena.list(), print: self.arena.print };
        self.arena.adjoints = Adjoints::Kept(Box::new(known));
    }

    /// Whether something may be undone.
    #[inline(always)]
    pub(crate) fn is_reversing(&self) -> bool {
        matches!(self.arena.adjoints, Adjoints::Alive) || self.factor == 0
    }

    /// Checks that blocks have adjoints, as the reverse sweep needs them.
    #[inline]
    pub(super) fn check_reversing(&self) -> Result<(), Error> {
        match self.arena.adjoints {
            Adjoints::Alive => Ok(()),
            _ if self.factor == 0 => Ok(()),
            _ => Err(Error::new(
                Status::NoAdjoint,
                "something is undone before the reversal point\n  \
                 where the forward sweep or a section that was run again ends, call adtape_heap_begin_reverse",
            )),
        }
    }

    // ---- without a primal ------------------------------------------------------------------------

    /// Allocates a block for the reverse sweep's own use, of zeros. It lies in an arena of its own, so that recorded
    /// blocks go where they went; nothing is recorded. Undone by [`free_adjoint`](Heap::free_adjoint).
    pub fn alloc_adjoint(&mut self, bytes: usize) -> Result<*mut u8, Error> {
        if self.adjoint_only.is_none() {
            self.adjoint_only = Some(Box::new(Arena::unlisted()?));
        }
        let Some(arena) = &mut self.adjoint_only else { return Ok(std::ptr::null_mut()) };
        let plan = arena.plan(bytes, GRANULE)?;
        arena.take(plan);
        let p = arena.address(plan.block);
        // SAFETY: a block of at least that many bytes.
        unsafe { p.write_bytes(0, bytes) };
        Ok(p)
    }

    /// Frees what [`alloc_adjoint`](Heap::alloc_adjoint) returned; NULL is allowed.
    pub fn free_adjoint(&mut self, p: *mut u8) -> Result<(), Error> {
        if p.is_null() {
            return Ok(());
        }
        let found = self.adjoint_only.as_mut().and_then(|arena| {
            let block = arena.shared.find(arena.layout.offset(p as usize)?)?;
            Some((arena, block))
        });
        match found {
            Some((arena, block)) => {
                arena.give(block);
                Ok(())
            }
            None => Err(Error::new(
                Status::BadBlock,
                format!(
                    "{p:p} is no block that was allocated for adjoints only and is alive\n  \
                     adtape_heap_free_adjoint takes what adtape_heap_alloc_adjoint returned, once"
                ),
            )),
        }
    }
}

/// Blocks that are alive and not among `known`, which are in order; an error if one of those is not alive.
fn newcomers(known: &[Block], arena: &Arena) -> Result<Vec<Block>, Error> {
    let (mut rest, mut new) = (known.iter().peekable(), Vec::new());
    let mut missing = None;
    arena.for_each(|block| {
        while let Some(lost) = rest.next_if(|known| known.offset < block.offset) {
            missing = missing.or(Some(*lost));
        }
        match rest.next_if(|known| known.offset == block.offset) {
            Some(known) if known.bytes == block.bytes => {}
            Some(known) => missing = missing.or(Some(*known)),
            None => new.push(block),
        }
    });
    match missing.or(rest.next().copied()) {
        None => Ok(new),
        Some(block) => Err(Error::new(
            Status::HeapState,
            format!(
                "the block of {} bytes at {:p} has an adjoint in use and is not alive at the reversal point\n  \
                 the section was not run again as it was the first time: \
                 it must allocate and free the same blocks in the same order (compare marks, adtape_heap_mark_check, \
                 to see where they begin to differ)",
                block.bytes,
                arena.address(block)
            ),
        )),
    }
}
