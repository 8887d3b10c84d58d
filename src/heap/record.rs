//! What an operation leaves on the tape: one or two words.
//!
//! ```text
//!  63          46 45     40 39               4 3    0
//!  |    tag      | class+1 |  offset / 16      | kind |      small block
//!  |    tag      |   63    |  offset / 16      | kind |      large block; its size is in the word below
//! ```
//!
//! Offset and class are the *key* of a small block, which is never 0.
//!
//! The *tag* is of the fingerprint after the operation. The reverse sweep compares it with that of the heap before it
//! undoes the operation. A difference is missed with probability 2^-18, and then by all comparisons, as it stays the
//! same in all fingerprints that follow; a mark, which is compared in full, misses none in practice.

#![forbid(unsafe_code)]

use super::class::{Class, GRANULE};
use super::fingerprint::{Fingerprint, TAG_BITS};
use crate::codes::codes;
use crate::error::Error;
use crate::site::Site;
use crate::tape::Cursor;

/// Operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    Alloc = 1,
    Free = 2,
    /// With the contents below.
    FreeSaved = 3,
    /// Free of NULL.
    FreeNull = 4,
    /// Free of a block of another heap, whose number is below.
    FreeRemote = 5,
    /// Free of a block of another heap, with the contents below.
    FreeRemoteSaved = 6,
    /// The block that realloc made; the record of the one that it freed is below.
    Realloc = 7,
    /// The block that realloc made; below are the record of the one that it freed and the contents that did not fit.
    ReallocSaved = 8,
    /// Realloc of NULL.
    ReallocNull = 9,
    /// The block that realloc freed.
    Old = 10,
    /// A mark, whose fingerprint is below.
    Mark = 11,
}

// A name is what the program calls.
codes! {
    pub(super) Kind: u64 from 1 {
        Alloc "an allocation", Free "a free", FreeSaved "a free", FreeNull "a free", FreeRemote "a free",
        FreeRemoteSaved "a free", Realloc "a realloc", ReallocSaved "a realloc", ReallocNull "a realloc",
        Old "a realloc", Mark "a mark",
    }
}

/// Offsets that a record can hold.
pub(super) const MAX_OFFSET: usize = 1 << 40;
/// In a record, above the offset.
const CLASS_SHIFT: u32 = MAX_OFFSET.trailing_zeros();
/// In place of a class.
const LARGE: u64 = (1 << (64 - TAG_BITS - CLASS_SHIFT)) - 1;

/// A block: where it begins and what it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub offset: usize,
    pub bytes: usize,
    /// `None` for a large one.
    pub class: Option<Class>,
}

impl Block {
    #[inline]
    pub fn small(offset: usize, class: Class) -> Block {
        Block { offset, bytes: class.slot_bytes(), class: Some(class) }
    }

    pub fn large(offset: usize, bytes: usize) -> Block {
        Block { offset, bytes, class: None }
    }

    /// Offset 0 for operations without a block.
    pub fn none() -> Block {
        Block::large(0, 0)
    }

    /// What its fingerprint is made of.
    pub fn key(&self) -> u64 {
        match self.class {
            Some(class) => key(self.offset, class),
            None => (self.offset as u64).wrapping_add((self.bytes as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        }
    }

    pub fn end(&self) -> usize {
        self.offset + self.bytes
    }
}

/// Pushes a record.
#[inline]
pub(super) fn push(tape: &Cursor, kind: Kind, block: Block, print: Fingerprint, site: Site) -> Result<(), Error> {
    push_tagged(tape, kind, block, print.tag(), site)
}

#[inline]
pub(super) fn push_tagged(tape: &Cursor, kind: Kind, block: Block, tag: u64, site: Site) -> Result<(), Error> {
    if let Some(class) = block.class {
        return tape.push_at(word(kind, key(block.offset, class), tag) as i64, site);
    }
    tape.push_at(block.bytes as i64, site)?;
    tape.push_at(word(kind, block.offset as u64 | LARGE << CLASS_SHIFT, tag) as i64, site).or_else(|error| {
        tape.pop_at::<i64>(site)?;
        Err(error)
    })
}

/// What tells a small block from all others.
#[inline(always)]
pub(super) fn key(offset: usize, class: Class) -> u64 {
    offset as u64 | (class.index() as u64 + 1) << CLASS_SHIFT
}

#[inline(always)]
fn word(kind: Kind, key: u64, tag: u64) -> u64 {
    // They have no bit in common.
    (tag << (64 - TAG_BITS)) + key + kind as u64
}

/// The record of a small block.
#[inline(always)]
pub(super) fn small_word(kind: Kind, key: u64, print: Fingerprint) -> u64 {
    word(kind, key, print.tag())
}

/// The offset in a record or key.
#[inline(always)]
pub(super) fn offset(word: u64) -> usize {
    word as usize % MAX_OFFSET / GRANULE * GRANULE
}

/// Pops the record that [`push`] pushed: its kind, block and tag; `None` if what lies there is none, which is then left
/// there.
#[inline]
pub(super) fn pop(tape: &Cursor, site: Site) -> Result<Option<(Kind, Block, u64)>, Error> {
    let word = tape.pop_at::<i64>(site)? as u64;
    let kind = Kind::from_code(word & 15);
    let (offset, class) = (offset(word), word >> CLASS_SHIFT & LARGE);
    let block = match (kind, Class::from_index((class as usize).wrapping_sub(1))) {
        (Some(_), Some(class)) => Some(Block::small(offset, class)),
        (Some(_), None) if class == LARGE => match tape.pop_at::<i64>(site) {
            Ok(bytes) if bytes >= 0 => Some(Block::large(offset, bytes as usize)),
            Ok(bytes) => {
                tape.push_at(bytes, site)?;
                None
            }
            Err(_) => None,
        },
        _ => None,
    };
    match (kind, block) {
        (Some(kind), Some(block)) => Ok(Some((kind, block, word >> (64 - TAG_BITS)))),
        _ => {
            tape.push_at(word as i64, site)?;
            Ok(None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::Tape;

    #[test]
    fn records_come_back_as_they_were_pushed() {
        let tape = Tape::new().unwrap();
        let blocks = [
            Block::small(0, Class::of(1).unwrap()),
            Block::small(MAX_OFFSET - 64, Class::of(8192).unwrap()),
            Block::large(1 << 39, 1 << 38),
            Block::none(),
        ];
        let print = Fingerprint(0x1234_5678_9abc_def0);
        for kind in Kind::ALL {
            for block in blocks {
                push(&tape, kind, block, print, Site::UNKNOWN).unwrap();
                let popped = pop(&tape, Site::UNKNOWN).unwrap();
                assert_eq!(popped, Some((kind, block, print.tag())));
            }
        }
        assert_eq!(tape.stats().unwrap().bytes, 0);
    }

    #[test]
    fn what_is_no_record_is_left_on_the_tape() {
        let tape = Tape::new().unwrap();
        for word in [0_i64, 15, 34 << CLASS_SHIFT | 1] {
            tape.push(word).unwrap();
            assert_eq!(pop(&tape, Site::UNKNOWN).unwrap(), None);
            assert_eq!(tape.pop::<i64>().unwrap(), word);
        }
    }
}
