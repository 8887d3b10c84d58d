//! Marks: which blocks are alive, in a few words, to be compared later.

use super::Heap;
use super::record::{self, Block, Kind};
use crate::error::{Error, Status, bytes, counted};
use crate::site::Site;
use crate::tape::Cursor;

/// The state of a heap: a fingerprint of the blocks that are alive. Taken where a checkpoint is, compared when the
/// program has come there again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct HeapMark {
    /// Exclusive or of a hash of base and size of each block.
    pub fingerprint: u64,
    /// Blocks alive.
    pub blocks: u64,
    /// What they take.
    pub bytes: u64,
    /// Operations of the forward sweep up to here.
    pub operations: u64,
}

impl Heap {
    /// The present state.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let (tape, mut heap) = (Tape::new()?, Heap::new()?);
    /// let p = heap.alloc(&tape, 100)?;
    /// let mark = heap.mark();
    /// heap.free(&tape, p)?;
    /// assert_eq!(heap.check_mark(&mark).unwrap_err().status(), Status::HeapState);
    /// heap.begin_reverse()?;
    /// heap.undo_free(&tape)?;
    /// heap.check_mark(&mark)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn mark(&self) -> HeapMark {
        HeapMark {
            fingerprint: self.arena.print.0,
            blocks: self.arena.blocks(),
            bytes: self.arena.bytes(),
            operations: self.operations,
        }
    }

    /// Checks that the heap is in the state in which the mark was taken: the same blocks are alive.
    pub fn check_mark(&self, mark: &HeapMark) -> Result<(), Error> {
        if mark.fingerprint == self.arena.print.0 && mark.blocks == self.arena.blocks() {
            return Ok(());
        }
        Err(Error::new(
            Status::HeapState,
            format!(
                "the heap is not in the state of the mark\n  \
                 then {} in {} were alive, after operation {}; now {} in {}, after operation {}; \
                 the program, run again, must allocate and free the same blocks in the same order, \
                 and nothing else may",
                bytes(mark.bytes),
                counted(mark.blocks, "block"),
                mark.operations,
                bytes(self.arena.bytes()),
                counted(self.arena.blocks(), "block"),
                self.operations
            ),
        ))
    }

    /// Pushes the fingerprint, 16 bytes, for [`pop_mark`](Heap::pop_mark) to compare in the reverse sweep.
    #[track_caller]
    pub fn push_mark(&mut self, tape: &Cursor) -> Result<(), Error> {
        self.push_mark_at(tape, Site::caller())
    }

    /// Pops a fingerprint and compares it with the present one.
    #[track_caller]
    pub fn pop_mark(&mut self, tape: &Cursor) -> Result<(), Error> {
        self.pop_mark_at(tape, Site::caller())
    }

    pub(crate) fn push_mark_at(&mut self, tape: &Cursor, site: Site) -> Result<(), Error> {
        if !self.recording {
            return Ok(());
        }
        tape.push_at(self.arena.print.0 as i64, site)?;
        let mark = Block { offset: 0, bytes: 0, class: super::class::Class::from_index(0) };
        record::push(tape, Kind::Mark, mark, self.arena.print, site).or_else(|error| {
            tape.pop_at::<i64>(site)?;
            Err(error)
        })
    }

    pub(crate) fn pop_mark_at(&mut self, tape: &Cursor, site: Site) -> Result<(), Error> {
        let (kind, block) = self.pop_record(tape, Kind::Mark, &[Kind::Mark], site)?;
        let print = tape.pop_at::<i64>(site)?;
        if print as u64 == self.arena.print.0 {
            return Ok(());
        }
        tape.push_at(print, site)?;
        record::push(tape, kind, block, self.arena.print, site)?;
        Err(Error::new(Status::HeapState, "the heap is not in the state in which the mark was pushed")
            .with_line(&self.position(tape)))
    }
}
