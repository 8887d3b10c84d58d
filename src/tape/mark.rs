//! Marks: positions on a tape, to compare, to measure and to go back to.

#![forbid(unsafe_code)]

use super::bits;
use super::core::Core;
use super::cursor::Cursor;
use crate::error::{Error, Status, bytes};
use std::cmp::Ordering;

/// A position on a tape: everything pushed before it was taken is below it. Valid while nothing below it is
/// popped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Mark {
    /// Which tape.
    tape: u64,
    /// Bytes below.
    offset_bytes: u64,
    /// The bit accumulator.
    bits: u64,
    /// In check mode, a number of the position; else 0.
    check: u64,
}

impl Mark {
    /// Which of two marks of the same tape lies higher.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let tape = Tape::new()?;
    /// let before = tape.mark()?;
    /// tape.push(1.0_f64)?;
    /// let after = tape.mark()?;
    /// assert_eq!(before.compare(&after)?, std::cmp::Ordering::Less);
    /// let other = Tape::new()?.mark()?;
    /// assert_eq!(before.compare(&other).unwrap_err().status(), Status::MarkForeign);
    /// # Ok(())
    /// # }
    /// ```
    pub fn compare(&self, other: &Mark) -> Result<Ordering, Error> {
        self.same_tape(other)?;
        Ok(self.key().cmp(&other.key()))
    }

    /// Bytes pushed between this mark and a later one of the same tape; negative if the other is earlier.
    /// Control bits count when their word is full.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let tape = Tape::new()?;
    /// let before = tape.mark()?;
    /// tape.push_slice(&[0.0_f64; 10])?;
    /// assert_eq!(before.bytes_to(&tape.mark()?)?, 80);
    /// assert_eq!(tape.mark()?.bytes_to(&before)?, -80);
    /// # Ok(())
    /// # }
    /// ```
    pub fn bytes_to(&self, later: &Mark) -> Result<i64, Error> {
        self.same_tape(later)?;
        Ok(later.offset_bytes as i64 - self.offset_bytes as i64)
    }

    fn key(&self) -> (u64, u32) {
        (self.offset_bytes, bits::len(self.bits))
    }

    fn same_tape(&self, other: &Mark) -> Result<(), Error> {
        // Without bits, not even the marker: a variable of C that was zeroed and never taken as a mark.
        if self.bits == 0 || other.bits == 0 {
            return Err(Error::new(
                Status::MarkForeign,
                "a mark that was never taken has no place on a tape\n  take it with adtape_mark_take before comparing",
            ));
        }
        if self.tape == other.tape {
            return Ok(());
        }
        Err(Error::new(
            Status::MarkForeign,
            format!(
                "marks of two tapes (number {} and number {}) have no order and no distance\n  \
                 compare marks of one tape",
                self.tape, other.tape
            ),
        ))
    }
}

impl Cursor {
    /// The present position. Example: [`reset_to`](Cursor::reset_to).
    pub fn mark(&self) -> Result<Mark, Error> {
        self.slow(|core| {
            Ok(Mark {
                tape: core.id(),
                offset_bytes: core.machine.len() as u64,
                bits: core.machine.bits(),
                check: core.watch.as_mut().map_or(0, |watch| watch.mark()),
            })
        })
    }

    /// Discards everything that was pushed since the mark was taken. If what the mark points to was popped and other
    /// values were pushed in its place since, only check mode notices.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let tape = Tape::new()?;
    /// tape.push(1.0_f64)?;
    /// let mark = tape.mark()?;
    /// tape.push(2.0_f64)?; // a trial step that is rejected
    /// tape.reset_to(&mark)?;
    /// assert_eq!(tape.pop::<f64>()?, 1.0);
    /// assert_eq!(tape.reset_to(&mark).unwrap_err().status(), Status::MarkAboveTop);
    /// # Ok(())
    /// # }
    /// ```
    pub fn reset_to(&self, mark: &Mark) -> Result<(), Error> {
        self.slow(|core| reset(core, mark))
    }
}

fn reset(core: &mut Core, mark: &Mark) -> Result<(), Error> {
    if mark.tape != core.id() || mark.bits == 0 {
        return Err(Error::new(
            Status::MarkForeign,
            format!(
                "reset of tape number {} to a mark of tape number {}\n  \
                 a mark is valid on the tape where it was taken only",
                core.id(),
                mark.tape
            ),
        ));
    }
    let (have, pending) = (core.machine.len() as u64, bits::len(core.machine.bits()));
    if mark.key() > (have, pending) {
        return Err(Error::new(
            Status::MarkAboveTop,
            format!(
                "reset to a mark at {} and {} control bits of a tape that holds {} and {pending}\n  \
                 what the mark points to was popped since; take the mark again",
                bytes(mark.offset_bytes),
                bits::len(mark.bits),
                bytes(have),
            ),
        ));
    }
    if let Some(watch) = &mut core.watch {
        watch.forget_after(mark.check)?;
    }
    core.machine.discard_to(mark.offset_bytes as usize);
    core.machine.set_bits(mark.bits);
    Ok(())
}
