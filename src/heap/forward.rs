//! The forward sweep: allocation and release, which leave records on a tape.

use super::Heap;
use super::arena::Adjoints;
use super::class::{Class, GRANULE};
use super::fingerprint::Fingerprint;
use super::record::{self, Block, Kind};
use super::shared::{Shared, abroad};
use crate::error::{Error, Status, bytes};
use crate::site::Site;
use crate::tape::{Cursor, MAX_BYTES};
use std::ptr::NonNull;

/// What is known before an operation.
#[derive(Clone, Copy)]
pub(crate) enum Way {
    /// It is forward and recorded, or it is undone and may be: [`is_forward`](Heap::is_forward),
    /// [`is_reversing`](Heap::is_reversing).
    Armed,
    Unknown,
}

/// The least that a tape is asked for: not for each chunk anew.
const RELIEF: usize = 1 << 20;

impl Heap {
    /// Allocates a block of `bytes`, at a multiple of 16. Its contents are undefined; none of 0 bytes has the address
    /// of another. Undone by [`undo_alloc`](Heap::undo_alloc). On error nothing has changed.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let (tape, mut heap) = (Tape::new()?, Heap::new()?);
    /// let p = heap.alloc(&tape, 100)?;
    /// assert!(p as usize % 16 == 0);
    /// heap.free(&tape, p)?;
    /// assert_eq!(heap.free(&tape, p).unwrap_err().status(), Status::BadBlock);
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    #[track_caller]
    pub fn alloc(&mut self, tape: &Cursor, bytes: usize) -> Result<*mut u8, Error> {
        self.alloc_at(tape, bytes, GRANULE, Site::caller())
    }

    /// [`alloc`](Heap::alloc) with contents of zero.
    #[track_caller]
    pub fn alloc_zeroed(&mut self, tape: &Cursor, bytes: usize) -> Result<*mut u8, Error> {
        self.alloc_zeroed_at(tape, bytes, Site::caller())
    }

    /// [`alloc`](Heap::alloc) at a multiple of `alignment`, a power of two up to 64 KiB.
    #[track_caller]
    pub fn alloc_aligned(&mut self, tape: &Cursor, bytes: usize, alignment: usize) -> Result<*mut u8, Error> {
        self.alloc_aligned_at(tape, bytes, alignment, Site::caller())
    }

    /// Frees a block; NULL is allowed. Its contents are not kept: what the reverse sweep needs of them, the program
    /// pushes before. Undone by [`undo_free`](Heap::undo_free).
    ///
    /// A block of another thread's heap keeps its address until the free is undone: no new block gets it.
    #[inline]
    #[track_caller]
    pub fn free(&mut self, tape: &Cursor, p: *mut u8) -> Result<(), Error> {
        self.free_at(tape, p, false, Site::caller())
    }

    /// [`free`](Heap::free) with the contents pushed onto the tape. [`undo_free`](Heap::undo_free) brings them back.
    #[track_caller]
    pub fn free_saving(&mut self, tape: &Cursor, p: *mut u8) -> Result<(), Error> {
        self.free_at(tape, p, true, Site::caller())
    }

    /// Gives a block another size, and perhaps another address; its contents, up to the smaller of both sizes, stay.
    /// NULL stands for a new block. What is cut off is not kept. A block of another thread's heap is refused: it would
    /// have to move to this one. Undone by [`undo_realloc`](Heap::undo_realloc).
    #[track_caller]
    pub fn realloc(&mut self, tape: &Cursor, p: *mut u8, bytes: usize) -> Result<*mut u8, Error> {
        self.realloc_at(tape, p, bytes, false, Site::caller())
    }

    /// [`realloc`](Heap::realloc) with what is cut off pushed onto the tape, from where
    /// [`undo_realloc`](Heap::undo_realloc) brings it back.
    #[track_caller]
    pub fn realloc_saving(&mut self, tape: &Cursor, p: *mut u8, bytes: usize) -> Result<*mut u8, Error> {
        self.realloc_at(tape, p, bytes, true, Site::caller())
    }

    #[inline(always)]
    pub(crate) fn alloc_at(
        &mut self,
        tape: &Cursor,
        bytes: usize,
        alignment: usize,
        site: Site,
    ) -> Result<*mut u8, Error> {
        if alignment <= GRANULE
            && let Some(p) = self.quick_alloc(Way::Unknown, tape, bytes)
        {
            return Ok(p.as_ptr());
        }
        self.alloc_elsewhere(tape, bytes, alignment, site)
    }

    /// Allocates where that takes a slot of an open chunk and a word of the tape and nothing else; `None`: nothing has
    /// changed.
    #[inline(always)]
    pub(crate) fn quick_alloc(&mut self, way: Way, tape: &Cursor, bytes: usize) -> Option<NonNull<u8>> {
        let recording = self.is_quick(way, tape)?;
        let (slot, key, full) = self.arena.take_lowest(Class::of(bytes)?)?;
        self.quick_record(recording, tape, Kind::Alloc, key);
        Some(self.arena.end_taking(slot, full))
    }

    /// Whether a forward operation is recorded; `None` if its record has no room, or something else is to be done.
    #[inline(always)]
    fn is_quick(&self, way: Way, tape: &Cursor) -> Option<bool> {
        match way {
            Way::Unknown if matches!(self.arena.adjoints, Adjoints::Alive) => None,
            Way::Unknown if !self.recording => Some(false),
            _ => tape.has_room(size_of::<u64>()).then_some(true),
        }
    }

    /// Whether nothing but the tape's room stands in the way of a quick forward operation with a record.
    pub(crate) fn is_forward(&self) -> bool {
        self.recording && !matches!(self.arena.adjoints, Adjoints::Alive)
    }

    /// Counts the operation, and pushes its record if that is wanted.
    #[inline(always)]
    fn quick_record(&mut self, recording: bool, tape: &Cursor, kind: Kind, key: u64) {
        self.operations += 1;
        if recording {
            // SAFETY: `is_quick` looked for room.
            unsafe { tape.put_words_in_room([record::small_word(kind, key, self.arena.print)]) };
        }
    }

    #[cold]
    fn alloc_elsewhere(&mut self, tape: &Cursor, bytes: usize, alignment: usize, site: Site) -> Result<*mut u8, Error> {
        if bytes > MAX_BYTES {
            return Err(absurd(bytes));
        }
        let plan = self.with_memory_of(tape, bytes, |heap| heap.arena.plan(bytes, alignment))?;
        if self.recording {
            record::push(tape, Kind::Alloc, plan.block, self.arena.print_with(&[plan.block]), site)?;
        }
        self.leave_reverse();
        self.arena.take(plan);
        self.operations += 1;
        Ok(self.arena.address(plan.block))
    }

    pub(crate) fn alloc_zeroed_at(&mut self, tape: &Cursor, bytes: usize, site: Site) -> Result<*mut u8, Error> {
        let p = self.alloc_at(tape, bytes, GRANULE, site)?;
        // SAFETY: the block was just made, of at least that many bytes.
        unsafe { p.write_bytes(0, bytes) };
        Ok(p)
    }

    pub(crate) fn alloc_aligned_at(
        &mut self,
        tape: &Cursor,
        bytes: usize,
        alignment: usize,
        site: Site,
    ) -> Result<*mut u8, Error> {
        if !alignment.is_power_of_two() || alignment > 64 << 10 {
            return Err(Error::new(
                Status::BadArgument,
                format!("a block cannot be aligned to {alignment}\n  pass a power of two from 1 to 65536"),
            ));
        }
        self.alloc_at(tape, bytes, alignment, site)
    }

    #[inline(always)]
    pub(crate) fn free_at(&mut self, tape: &Cursor, p: *mut u8, save: bool, site: Site) -> Result<(), Error> {
        if !save && self.quick_free(Way::Unknown, tape, p).is_some() {
            return Ok(());
        }
        self.free_elsewhere(tape, p, save, site)
    }

    /// Frees where that takes a slot and a word of the tape and nothing else; `None`: nothing has changed.
    #[inline(always)]
    pub(crate) fn quick_free(&mut self, way: Way, tape: &Cursor, p: *mut u8) -> Option<()> {
        let recording = self.is_quick(way, tape)?;
        // What lies below has an offset above all.
        let slot = self.arena.find_small((p as usize).wrapping_sub(self.arena.layout.base))?;
        let (key, was_full) = self.arena.give_small(slot)?;
        self.quick_record(recording, tape, Kind::Free, key);
        self.arena.end_giving(slot, was_full);
        Some(())
    }

    #[cold]
    fn free_elsewhere(&mut self, tape: &Cursor, p: *mut u8, save: bool, site: Site) -> Result<(), Error> {
        let block = match self.own_block(p) {
            Ok(block) => block,
            Err(error) => return self.free_other(tape, p, save, site, error),
        };
        if self.recording {
            let print = self.arena.print_with(&[block]);
            if save {
                all_or_nothing(tape, || {
                    self.save(tape, p, block.bytes)?;
                    record::push(tape, Kind::FreeSaved, block, print, site)
                })?
            } else {
                record::push(tape, Kind::Free, block, print, site)?
            }
        }
        self.leave_reverse();
        self.arena.give(block);
        self.operations += 1;
        Ok(())
    }

    /// Frees NULL or a block of another heap.
    #[cold]
    fn free_other(
        &mut self,
        tape: &Cursor,
        p: *mut u8,
        save: bool,
        site: Site,
        no_own_block: Error,
    ) -> Result<(), Error> {
        if p.is_null() {
            if self.recording {
                record::push(tape, Kind::FreeNull, Block::none(), self.arena.print, site)?;
            }
            self.operations += 1;
            return Ok(());
        }
        let other = Shared::of_address(p as usize).filter(|other| other.id != self.arena.shared.id);
        other.as_ref().map_or(Ok(()), |other| other.check_kept())?;
        let found = other.and_then(|other| {
            let offset = other.layout.offset(p as usize)?;
            let block = abroad(|| other.find(offset))?;
            Some((other, block))
        });
        let Some((other, block)) = found else { return Err(no_own_block) };
        if !abroad(|| other.set_aside(block)) {
            return Err(Error::new(
                Status::BadBlock,
                format!("{p:p}, a block of another thread's heap, was freed already by a thread that is not its owner"),
            ));
        }
        if self.recording {
            let kind = if save { Kind::FreeRemoteSaved } else { Kind::FreeRemote };
            let pushed = all_or_nothing(tape, || {
                if save {
                    self.save(tape, p, block.bytes)?;
                }
                tape.push_at(other.id as i64, site)?;
                record::push(tape, kind, block, self.arena.print, site)
            });
            if let Err(error) = pushed {
                abroad(|| other.take_back(block));
                return Err(error);
            }
        }
        self.operations += 1;
        Ok(())
    }

    pub(crate) fn realloc_at(
        &mut self,
        tape: &Cursor,
        p: *mut u8,
        bytes: usize,
        save: bool,
        site: Site,
    ) -> Result<*mut u8, Error> {
        if bytes > MAX_BYTES {
            return Err(absurd(bytes));
        }
        if p.is_null() {
            let p = self.alloc_at(tape, bytes, GRANULE, site)?;
            if self.recording {
                self.becomes(tape, Kind::ReallocNull, site)?;
            }
            return Ok(p);
        }
        let old = self.own_block(p).map_err(|error| self.no_realloc(p, error))?;
        if let Some(new) = self.with_memory_of(tape, bytes, |heap| heap.in_place(old, bytes))? {
            let print = if new == old { self.arena.print } else { self.arena.print_with(&[old, new]) };
            self.record_realloc(tape, old, new, bytes, print, save, site)?;
            self.leave_reverse();
            if new != old {
                self.arena.resize(old, new);
            }
            self.operations += 1;
            return Ok(p);
        }
        let plan = self.with_memory_of(tape, bytes, |heap| heap.arena.plan(bytes, GRANULE))?;
        let new = plan.block;
        self.record_realloc(tape, old, new, bytes, self.arena.print_with(&[old, new]), save, site)?;
        self.leave_reverse();
        self.arena.take(plan);
        let q = self.arena.address(new);
        // SAFETY: two blocks of at least that many bytes, which do not overlap.
        unsafe { q.copy_from_nonoverlapping(p, old.bytes.min(bytes)) };
        self.arena.give(old);
        self.operations += 1;
        Ok(q)
    }

    /// What is wrong with `p` where a realloc wants a block of this heap.
    #[cold]
    fn no_realloc(&self, p: *mut u8, no_own_block: Error) -> Error {
        match Shared::of_address(p as usize) {
            Some(other) if other.id != self.arena.shared.id => Error::new(
                Status::BadBlock,
                format!(
                    "{p:p} lies in another thread's heap, where only that thread's realloc finds a place\n  \
                     allocate here, copy, and free the old block, which this thread may do"
                ),
            ),
            _ => no_own_block,
        }
    }

    /// The block with another size at the same address, where a realloc leaves it there.
    fn in_place(&mut self, old: Block, bytes: usize) -> Result<Option<Block>, Error> {
        match (old.class, Class::of(bytes)) {
            (Some(have), Some(want)) if have == want => Ok(Some(old)),
            (None, None) => self.arena.plan_resize(old, bytes),
            _ => Ok(None),
        }
    }

    /// What is cut off if it is to be saved, the block that goes, the size asked for, the block that comes.
    #[allow(clippy::too_many_arguments)]
    fn record_realloc(
        &self,
        tape: &Cursor,
        old: Block,
        new: Block,
        bytes: usize,
        print: Fingerprint,
        save: bool,
        site: Site,
    ) -> Result<(), Error> {
        if !self.recording {
            return Ok(());
        }
        all_or_nothing(tape, || {
            let lost = old.bytes.saturating_sub(bytes);
            if save {
                self.save(tape, self.arena.address(old).wrapping_add(old.bytes - lost), lost)?;
            }
            record::push(tape, Kind::Old, old, print, site)?;
            tape.push_at(bytes as i64, site)?;
            record::push(tape, if save { Kind::ReallocSaved } else { Kind::Realloc }, new, print, site)
        })
    }

    /// Makes the record on top of the tape one of another kind.
    fn becomes(&self, tape: &Cursor, kind: Kind, site: Site) -> Result<(), Error> {
        match record::pop(tape, site)? {
            Some((_, block, _)) => record::push(tape, kind, block, self.arena.print, site),
            None => Ok(()),
        }
    }

    /// Pushes `count` bytes of a block.
    fn save(&self, tape: &Cursor, from: *const u8, count: usize) -> Result<(), Error> {
        // SAFETY: bytes of a block that is alive; which values they have does not matter.
        tape.push_slice(unsafe { std::slice::from_raw_parts(from, count) })
    }

    /// What `get` returns, which gets memory for `bytes`. Where the limit forbids that, the tape gives up some of its
    /// own: what it keeps warm, and what it can spill.
    pub(super) fn with_memory_of<T>(
        &mut self,
        tape: &Cursor,
        bytes: usize,
        mut get: impl FnMut(&mut Heap) -> Result<T, Error>,
    ) -> Result<T, Error> {
        loop {
            match get(self) {
                Err(error) if error.status() == Status::MemoryLimit => {
                    match tape.relieve(bytes.saturating_mul(1 + self.factor).max(RELIEF)) {
                        Ok(true) => {}
                        Ok(false) => return Err(error),
                        Err(cause) => return Err(error.with_line(cause.message())),
                    }
                }
                done => return done,
            }
        }
    }

    /// A change in the forward direction: from now on adjoints are those of the blocks that were alive before it.
    #[inline]
    fn leave_reverse(&mut self) {
        if let Adjoints::Alive = self.arena.adjoints {
            self.set_adjoints_apart();
        }
    }
}

/// Pushes that fail together.
fn all_or_nothing(tape: &Cursor, pushes: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
    let mark = tape.mark()?;
    pushes().or_else(|error| {
        tape.reset_to(&mark)?;
        Err(error)
    })
}

#[cold]
fn absurd(count: usize) -> Error {
    Error::new(
        Status::CountRange,
        format!(
            "a block of {} does not fit into the address space\n  look at how its size is computed",
            bytes(count as u64)
        ),
    )
}
