//! The file that all spilled tape of a process shares: places that are used again, and a checksum of each.

#![forbid(unsafe_code)]

use super::extents::Extents;
use super::medium::{Medium, read_all, write_all};
use super::tally::TALLY;
use crate::sync::Lock;
use std::io;

/// Space on the disk is taken in steps of this size, where there is as much.
const STEP: u64 = 16 << 20;
/// More space than this beyond what stays of the file is given back.
const KEPT: u64 = 4 * STEP;
/// Bytes written or read at once: small enough to stay in the cache for their checksum.
const IN_CACHE: usize = 256 << 10;

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
    /// The highest end of the places since none was in use, and the time before: a file that is written again is quicker
    /// than one that grows again, so what the last sweep took stays.
    peaks: [u64; 2],
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
        let parts = Lock::new(Parts { extents: Extents::default(), allocated: 0, peaks: [0; 2], limit });
        Space { medium, length: Lock::new(()), parts }
    }

    #[cfg(all(test, not(loom)))]
    pub fn medium(&self) -> &M {
        &self.medium
    }

    /// Writes a block. Its place on the disk is taken before, so that a full disk is met here, not when the system gets
    /// round to writing; on error no place is taken.
    pub fn write(&self, block: &[u8]) -> io::Result<Place> {
        let mut place = Place { offset: self.take(block.len())?, bytes: block.len() as u32, sum: 0 };
        let (mut sum, mut at) = (crc32fast::Hasher::new(), place.offset);
        for piece in block.chunks(IN_CACHE) {
            sum.update(piece);
            write_all(&self.medium, at, piece).inspect_err(|_| self.give(place))?;
            at += piece.len() as u64;
        }
        TALLY.write(block.len());
        place.sum = sum.finalize();
        Ok(place)
    }

    fn take(&self, bytes: usize) -> io::Result<u64> {
        let room = Extents::room(bytes as u64);
        let mut parts = self.parts.lock();
        if parts.extents.used() + room > parts.limit {
            return Err(io::Error::other(OverLimit(parts.limit)));
        }
        let offset = parts.extents.take(bytes as u64);
        parts.peaks[0] = parts.peaks[0].max(parts.extents.end());
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
        let (mut sum, mut at) = (crc32fast::Hasher::new(), place.offset);
        for piece in block.chunks_mut(IN_CACHE) {
            read_all(&self.medium, at, piece).map_err(Lost::Unread)?;
            sum.update(piece);
            at += piece.len() as u64;
        }
        TALLY.read(block.len());
        if sum.finalize() == place.sum { Ok(()) } else { Err(Lost::Changed) }
    }

    /// Gives a block's place back.
    pub fn give(&self, place: Place) {
        let mut parts = self.parts.lock();
        parts.extents.give(place.offset, u64::from(place.bytes));
        if parts.extents.used() == 0 {
            parts.peaks = [0, parts.peaks[0]];
        }
        TALLY.give(Extents::room(u64::from(place.bytes)));
    }

    /// Gives all space back to the disk that is not in use.
    pub fn let_go(&self) {
        self.parts.lock().peaks = [0; 2];
        self.shorten();
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
            let end = parts.kept();
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
    /// What stays of the file.
    fn kept(&self) -> u64 {
        self.peaks.into_iter().fold(self.extents.end(), u64::max)
    }

    fn is_long(&self) -> bool {
        let kept = self.kept();
        kept == 0 && self.allocated > 0 || self.allocated.saturating_sub(kept) > KEPT
    }
}

impl<M> Drop for Space<M> {
    fn drop(&mut self) {
        TALLY.give(self.parts.lock().extents.used());
    }
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
