//! The file that all spilled tape of a process shares: places that are used again, and a checksum of each.

#![forbid(unsafe_code)]

use super::extents::Extents;
use super::medium::{Medium, read_all, write_all};
use super::tally::TALLY;
use crate::sync::Lock;
use std::io;

/// Space on the disk is taken in steps of this size, where there is as much.
const STEP: u64 = 16 << 20;
/// More unused space than this at the end of the file is given back.
const KEPT: u64 = 4 * STEP;

/// A file with places for blocks.
pub(super) struct Space<M> {
    medium: M,
    /// Held while the file gets longer or shorter; taken before `parts`.
    length: Lock<()>,
    parts: Lock<Parts>,
}

struct Parts {
    extents: Extents,
    /// `[0, allocated)` has its place on the disk, as far as the file system promises it.
    allocated: u64,
    /// The most that may be in use; what is there already stays.
    limit: u64,
}

/// Where a block is, and what it was when it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub offset: u64,
    pub bytes: u32,
    sum: u32,
}

/// Why a block does not come back.
#[derive(Debug)]
pub(super) enum Lost {
    Unread(io::Error),
    Changed,
}

impl<M: Medium> Space<M> {
    pub fn new(medium: M, limit: u64) -> Space<M> {
        let parts = Lock::new(Parts { extents: Extents::default(), allocated: 0, limit });
        Space { medium, length: Lock::new(()), parts }
    }

    #[cfg(all(test, not(loom)))]
    pub fn medium(&self) -> &M {
        &self.medium
    }

    /// Writes a block, whose checksum is `sum`. Its place on the disk is taken before, so that a full disk is met here, not
    /// when the system gets round to writing; on error no place is taken.
    pub fn write(&self, block: &[u8], sum: u32) -> io::Result<Place> {
        let place = Place { offset: self.take(block.len())?, bytes: block.len() as u32, sum };
        match write_all(&self.medium, place.offset, block) {
            Ok(()) => {
                TALLY.write(block.len());
                Ok(place)
            }
            Err(error) => {
                self.give(place);
                Err(error)
            }
        }
    }

    fn take(&self, bytes: usize) -> io::Result<u64> {
        let room = Extents::room(bytes as u64);
        let mut parts = self.parts.lock();
        if parts.extents.used() + room > parts.limit {
            return Err(io::Error::other(OverLimit(parts.limit)));
        }
        let offset = parts.extents.take(bytes as u64);
        if parts.extents.end() > parts.allocated {
            drop(parts);
            self.lengthen().inspect_err(|_| self.parts.lock().extents.give(offset, bytes as u64))?;
        }
        TALLY.take(room);
        Ok(offset)
    }

    /// Takes space on the disk for all places.
    fn lengthen(&self) -> io::Result<()> {
        let _length = self.length.lock();
        let mut parts = self.parts.lock();
        let end = parts.extents.end();
        if end > parts.allocated {
            let (from, needed) = (parts.allocated, end - parts.allocated);
            let whole = needed.max(STEP);
            let taken = self.medium.allocate(from, whole).map(|()| whole);
            let taken = taken.or_else(|_| self.medium.allocate(from, needed).map(|()| needed));
            parts.allocated += taken?;
        }
        Ok(())
    }

    /// Reads a block back, as it was written.
    pub fn read(&self, place: Place, block: &mut [u8]) -> Result<(), Lost> {
        read_all(&self.medium, place.offset, block).map_err(Lost::Unread)?;
        TALLY.read(block.len());
        if sum(block) == place.sum { Ok(()) } else { Err(Lost::Changed) }
    }

    /// Gives a block's place back.
    pub fn give(&self, place: Place) {
        self.parts.lock().extents.give(place.offset, u64::from(place.bytes));
        TALLY.give(Extents::room(u64::from(place.bytes)));
    }

    /// Whether [`shorten`](Space::shorten) would give space back to the disk.
    pub fn is_long(&self) -> bool {
        self.parts.lock().is_long()
    }

    /// Gives unused space at the end back to the disk, which takes a while.
    pub fn shorten(&self) {
        let _length = self.length.lock();
        let mut parts = self.parts.lock();
        if parts.is_long() {
            let end = parts.extents.end();
            parts.allocated = end;
            drop(parts);
            // Space that the file system keeps nevertheless is taken again with the next places there.
            let _ = self.medium.cut(end);
        }
    }

    /// Whether nothing is in use and the disk has all space back.
    #[cfg(all(test, not(loom)))]
    pub fn is_empty(&self) -> bool {
        let _length = self.length.lock();
        let parts = self.parts.lock();
        parts.extents.used() == 0 && parts.allocated == 0
    }

    /// Bytes of places in use.
    #[cfg(all(test, not(loom)))]
    pub fn used(&self) -> u64 {
        self.parts.lock().extents.used()
    }
}

impl Parts {
    fn is_long(&self) -> bool {
        let end = self.extents.end();
        end == 0 && self.allocated > 0 || self.allocated.saturating_sub(end) > KEPT
    }
}

impl<M> Drop for Space<M> {
    fn drop(&mut self) {
        TALLY.give(self.parts.lock().extents.used());
    }
}

/// The checksum of a block.
pub(super) fn sum(block: &[u8]) -> u32 {
    crc32fast::hash(block)
}

/// The limit on the disk, in bytes, would be exceeded.
#[derive(Debug)]
pub(super) struct OverLimit(pub u64);

impl std::fmt::Display for OverLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "spilled tape may take {} of the disk and does", crate::error::bytes(self.0))
    }
}

impl std::error::Error for OverLimit {}
