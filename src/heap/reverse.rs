//! The reverse sweep: what the forward sweep did, undone in the opposite order.

use super::Heap;
use super::forward::Way;
use super::record::{self, Block, Kind};
use super::shared::{Shared, abroad};
use crate::error::{Error, Status, bytes, counted};
use crate::site::Site;
use crate::sync::UNORDERED;
use crate::tape::Cursor;
use std::ptr::NonNull;

impl Heap {
    /// Undoes the last operation, an allocation: the block goes, and its adjoint.
    #[inline]
    #[track_caller]
    pub fn undo_alloc(&mut self, tape: &Cursor) -> Result<(), Error> {
        self.undo_alloc_at(tape, Site::caller())
    }

    /// Undoes the last operation, a free: the block comes back where it was, with an adjoint of zero. Its contents
    /// come back if they were saved, else they are undefined. Returns its address, or NULL if NULL was freed.
    #[inline]
    #[track_caller]
    pub fn undo_free(&mut self, tape: &Cursor) -> Result<*mut u8, Error> {
        self.undo_free_at(tape, Site::caller())
    }

    /// Undoes the last operation, a realloc: the block has its old address and size again. Contents and adjoint, up to
    /// the smaller of both sizes, go back with it; what had been cut off comes back if it was saved, and its adjoint is
    /// zero. Returns its address, or NULL if the realloc was of NULL.
    #[track_caller]
    pub fn undo_realloc(&mut self, tape: &Cursor) -> Result<*mut u8, Error> {
        self.undo_realloc_at(tape, Site::caller())
    }

    #[inline(always)]
    pub(crate) fn undo_alloc_at(&mut self, tape: &Cursor, site: Site) -> Result<(), Error> {
        match self.quick_undo_alloc(Way::Unknown, tape) {
            Some(()) => Ok(()),
            None => self.undo_alloc_elsewhere(tape, site),
        }
    }

    /// Undoes an allocation as [`quick_alloc`](Heap::quick_alloc) makes it; `None`: nothing has changed.
    #[inline(always)]
    pub(crate) fn quick_undo_alloc(&mut self, way: Way, tape: &Cursor) -> Option<()> {
        let word = self.quick_top(way, tape)?;
        let slot = self.arena.find_small(record::offset(word))?;
        if word != record::small_word(Kind::Alloc, slot.key(), self.arena.print) {
            return None;
        }
        let (_, was_full) = self.arena.give_small(slot)?;
        self.quick_unrecord(tape);
        self.arena.end_giving(slot, was_full);
        Some(())
    }

    /// The word on top of the tape, if something may be undone.
    #[inline(always)]
    fn quick_top(&self, way: Way, tape: &Cursor) -> Option<u64> {
        if let Way::Unknown = way
            && !self.is_reversing()
        {
            return None;
        }
        tape.top_words().map(|[word]| word)
    }

    /// Takes the record of that operation off the tape.
    #[inline(always)]
    fn quick_unrecord(&mut self, tape: &Cursor) {
        tape.drop_words(1);
        self.operations = self.operations.wrapping_sub(1);
    }

    #[cold]
    fn undo_alloc_elsewhere(&mut self, tape: &Cursor, site: Site) -> Result<(), Error> {
        let (kind, block) = self.pop_record(tape, Kind::Alloc, &[Kind::Alloc], site)?;
        if let Err(error) = self.undo_birth(block) {
            return self.put_back(tape, kind, block, site, error);
        }
        self.operations = self.operations.wrapping_sub(1);
        Ok(())
    }

    #[inline]
    fn undo_birth(&mut self, block: Block) -> Result<(), Error> {
        self.check_alive(block)?;
        self.check_reversing()?;
        self.arena.give(block);
        Ok(())
    }

    #[inline(always)]
    pub(crate) fn undo_free_at(&mut self, tape: &Cursor, site: Site) -> Result<*mut u8, Error> {
        match self.quick_undo_free(Way::Unknown, tape) {
            Some(p) => Ok(p.as_ptr()),
            None => self.undo_free_elsewhere(tape, site),
        }
    }

    /// Undoes a free as [`quick_free`](Heap::quick_free) makes it; `None`: nothing has changed.
    #[inline(always)]
    pub(crate) fn quick_undo_free(&mut self, way: Way, tape: &Cursor) -> Option<NonNull<u8>> {
        let word = self.quick_top(way, tape)?;
        let slot = self.arena.free_small(record::offset(word))?;
        if word != record::small_word(Kind::Free, slot.key(), self.arena.print) {
            return None;
        }
        self.quick_unrecord(tape);
        let (p, bytes) = (slot.address(), slot.bytes());
        if self.factor > 0 {
            let adjoint = (self.factor.wrapping_mul(p.as_ptr() as usize)).wrapping_add(self.origin) as *mut u8;
            // SAFETY: of a block that comes back. Its memory is there: the chunk has a block, or had one since the
            // reversal point.
            unsafe { adjoint.write_bytes(0, self.factor * bytes) };
        }
        let full = self.arena.take_small(slot);
        Some(self.arena.end_taking(slot, full))
    }

    #[cold]
    fn undo_free_elsewhere(&mut self, tape: &Cursor, site: Site) -> Result<*mut u8, Error> {
        const KINDS: [Kind; 5] = [Kind::Free, Kind::FreeSaved, Kind::FreeNull, Kind::FreeRemote, Kind::FreeRemoteSaved];
        let (kind, block) = self.pop_record(tape, Kind::Free, &KINDS, site)?;
        let back = match kind {
            Kind::FreeNull => Ok(std::ptr::null_mut()),
            Kind::FreeRemote | Kind::FreeRemoteSaved => self.undo_free_of_other(tape, block, site),
            _ => self.with_memory_of(tape, block.bytes, |heap| heap.undo_death(block)),
        };
        let p = match back {
            Ok(p) => p,
            Err(error) => return self.put_back(tape, kind, block, site, error),
        };
        if matches!(kind, Kind::FreeSaved | Kind::FreeRemoteSaved) {
            restore(tape, p, block.bytes)?;
        }
        self.operations = self.operations.wrapping_sub(1);
        Ok(p)
    }

    #[inline]
    fn undo_death(&mut self, block: Block) -> Result<*mut u8, Error> {
        self.check_reversing()?;
        self.come_back(block)?;
        if self.factor > 0 {
            self.arena.zero_adjoint(block, 0, block.bytes);
        }
        Ok(self.arena.address(block))
    }

    /// Makes a block alive where it was. On error nothing has changed.
    #[inline]
    fn come_back(&mut self, block: Block) -> Result<(), Error> {
        let Some(plan) = self.arena.plan_at(block)? else { return Err(self.occupied(block)) };
        // Alive before memory is found for its adjoint: what is free may lose its own.
        self.arena.take(plan);
        if self.factor > 0 {
            self.arena.touch_adjoint(block).inspect_err(|_| self.arena.give(block))?;
        }
        Ok(())
    }

    #[cold]
    fn undo_free_of_other(&mut self, tape: &Cursor, block: Block, site: Site) -> Result<*mut u8, Error> {
        let id = tape.pop_at::<i64>(site)? as u64;
        let undo = || {
            let gone =
                || Error::new(Status::HeapState, "the heap of the block whose free is undone does not exist any more");
            let other = Shared::of_id(id).ok_or_else(gone)?;
            other.check_kept()?;
            if other.layout.factor > 0 && other.reversing.load(UNORDERED) == 0 {
                return Err(Error::new(
                    Status::NoAdjoint,
                    "a block of another thread's heap comes back before that heap's reversal point\n  \
                     at the reversal point every thread calls adtape_heap_begin_reverse for its heap, \
                     and goes on when all have",
                ));
            }
            if !abroad(|| other.find(block.offset) == Some(block) && other.take_back(block)) {
                return Err(Error::new(
                    Status::HeapState,
                    format!(
                        "the block at {:#x} of another thread's heap is not waiting for its free to be undone\n  \
                         its owner undid its allocation before: the sweeps of threads are reversed in the opposite \
                         order of their synchronization",
                        other.layout.base + block.offset
                    ),
                ));
            }
            Ok((other.layout.base + block.offset) as *mut u8)
        };
        undo().or_else(|error| {
            tape.push_at(id as i64, site)?;
            Err(error)
        })
    }

    pub(crate) fn undo_realloc_at(&mut self, tape: &Cursor, site: Site) -> Result<*mut u8, Error> {
        const KINDS: [Kind; 3] = [Kind::Realloc, Kind::ReallocSaved, Kind::ReallocNull];
        let (kind, new) = self.pop_record(tape, Kind::Realloc, &KINDS, site)?;
        if kind == Kind::ReallocNull {
            if let Err(error) = self.undo_birth(new) {
                return self.put_back(tape, kind, new, site, error);
            }
            self.operations = self.operations.wrapping_sub(1);
            return Ok(std::ptr::null_mut());
        }
        let asked = tape.pop_at::<i64>(site)?;
        let old = match record::pop(tape, site)? {
            Some((Kind::Old, old, _)) => old,
            _ => return Err(self.no_record(tape, Kind::Realloc)),
        };
        let back = self.with_memory_of(tape, old.bytes, |heap| heap.turn_back(old, new, asked as usize));
        if let Err(error) = back {
            record::push(tape, Kind::Old, old, self.arena.print, site)?;
            tape.push_at(asked, site)?;
            return self.put_back(tape, kind, new, site, error);
        }
        let p = self.arena.address(old);
        let lost = old.bytes.saturating_sub(asked as usize);
        if kind == Kind::ReallocSaved {
            restore(tape, p.wrapping_add(old.bytes - lost), lost)?;
        }
        self.operations = self.operations.wrapping_sub(1);
        Ok(p)
    }

    /// From the block that a realloc made to the one that there was before. `asked`: bytes that the realloc was asked
    /// for.
    fn turn_back(&mut self, old: Block, new: Block, asked: usize) -> Result<(), Error> {
        self.check_alive(new)?;
        self.check_reversing()?;
        let kept = old.bytes.min(asked);
        if old.offset != new.offset {
            self.come_back(old)?;
            let (p, q) = (self.arena.address(old), self.arena.address(new));
            // SAFETY: two blocks that are alive, of at least that many bytes.
            unsafe { p.copy_from_nonoverlapping(q, kept) };
            if self.factor > 0 {
                let (p, q) = (self.arena.adjoint_address(old), self.arena.adjoint_address(new));
                // SAFETY: their adjoints, which were touched.
                unsafe { p.copy_from_nonoverlapping(q, self.factor * kept) };
            }
            self.arena.give(new);
        } else if old != new {
            let resized = self.arena.plan_resize(new, old.bytes)?;
            if resized.is_none() {
                return Err(self.occupied(old));
            }
            self.arena.resize(new, old);
            if self.factor > 0 {
                self.arena.touch_adjoint(old).inspect_err(|_| self.arena.resize(old, new))?;
            }
        }
        if self.factor > 0 {
            self.arena.zero_adjoint(old, kept, old.bytes);
        }
        Ok(())
    }

    // ---- what can be wrong -------------------------------------------------------------------------

    /// Pops a record of one of these kinds that was made in this state of the heap. On error the tape is as it was.
    #[inline]
    pub(super) fn pop_record(
        &self,
        tape: &Cursor,
        wanted: Kind,
        kinds: &[Kind],
        site: Site,
    ) -> Result<(Kind, Block), Error> {
        match record::pop(tape, site)? {
            Some((kind, block, tag)) if tag == self.arena.print.tag() && kinds.contains(&kind) => Ok((kind, block)),
            Some((kind, block, tag)) => Err(self.wrong_record(tape, wanted, kinds, kind, block, tag, site)),
            None => Err(self.no_record(tape, wanted)),
        }
    }

    /// Puts a record back whose operation cannot be undone.
    #[cold]
    fn put_back<T>(&self, tape: &Cursor, kind: Kind, block: Block, site: Site, error: Error) -> Result<T, Error> {
        record::push(tape, kind, block, self.arena.print, site)?;
        Err(error.with_line(&self.position(tape)))
    }

    #[cold]
    #[allow(clippy::too_many_arguments)]
    fn wrong_record(
        &self,
        tape: &Cursor,
        wanted: Kind,
        kinds: &[Kind],
        kind: Kind,
        block: Block,
        tag: u64,
        site: Site,
    ) -> Error {
        if let Err(error) = record::push_tagged(tape, kind, block, tag, site) {
            return error;
        }
        let (text, status) = if !kinds.contains(&kind) {
            let text = format!(
                "{} is undone where {} was the last operation\n  \
                 the reverse sweep undoes the calls of the forward sweep in the opposite order",
                wanted.name(),
                kind.name()
            );
            (text, Status::HeapState)
        } else {
            let text = format!(
                "{} is undone and the heap is not in the state that it had after it\n  \
                 since then something was allocated or freed and not undone, or undone twice, \
                 or recorded on another tape: nothing but recorded operations may change the heap (for what the \
                 reverse sweep itself needs there is adtape_heap_alloc_adjoint, or malloc)",
                kind.name()
            );
            (text, Status::HeapState)
        };
        Error::new(status, text).with_line(&self.position(tape))
    }

    #[cold]
    fn no_record(&self, tape: &Cursor, wanted: Kind) -> Error {
        let text = format!(
            "{} is undone and what lies on the tape is no record of the heap\n  \
             pops of the reverse sweep and pushes of the forward sweep do not match; \
             run with ADTAPE_CHECK=1 to see the first that do not",
            wanted.name()
        );
        Error::new(Status::HeapState, text).with_line(&self.position(tape))
    }

    /// Where the reverse sweep stands.
    #[cold]
    pub(super) fn position(&self, tape: &Cursor) -> String {
        let on_tape = tape.stats().map_or(0, |stats| stats.bytes);
        format!(
            "at operation {} of the heap, {} from the beginning of the tape; {} in {} are alive",
            self.operations,
            bytes(on_tape),
            bytes(self.arena.bytes()),
            counted(self.arena.blocks(), "block")
        )
    }

    #[inline]
    fn check_alive(&self, block: Block) -> Result<(), Error> {
        let shared = &self.arena.shared;
        if shared.find(block.offset) == Some(block) && !shared.is_quarantined(block.offset) {
            return Ok(());
        }
        Err(self.no_block(self.arena.address(block)))
    }

    #[cold]
    fn occupied(&self, block: Block) -> Error {
        Error::new(
            Status::HeapState,
            format!(
                "the block of {} bytes at {:p} cannot come back: something else lies there\n  \
                 it was allocated since and not recorded, or its allocation is not undone",
                block.bytes,
                self.arena.address(block)
            ),
        )
    }
}

/// Pops `count` bytes into a block.
fn restore(tape: &Cursor, to: *mut u8, count: usize) -> Result<(), Error> {
    // SAFETY: bytes of a block that is alive.
    tape.pop_slice(unsafe { std::slice::from_raw_parts_mut(to, count) })
}
