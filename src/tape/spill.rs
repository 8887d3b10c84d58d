//! Where the oldest part of a tape goes when memory is short: the seam for stores.
//!
//! The tape keeps its addresses: bytes `[0, spilled)` are written out and their memory is given back, the
//! cursor's floor is raised, and the slow pop that meets it reads a piece back to where it was. Nothing of it is
//! seen by the fast path.

#![forbid(unsafe_code)]

use crate::error::Error;

/// A store for a tape's oldest bytes, by offset. Pieces are written in ascending order without gaps, and read
/// back from the end; what was read back may be written anew, with other contents. An error of `write` is returned by
/// the push that met it; an error of `read` leaves the tape unusable. Example: [`with_spill`](crate::Tape::with_spill).
pub trait Spill: Send {
    /// Keeps `bytes`, which lie at `offset`; replaces what was written there before.
    fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Error>;

    /// Reads back what was written at `offset`.
    fn read(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), Error>;
}
