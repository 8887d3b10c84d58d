//! What a tape asks of a store for its oldest part.

#![forbid(unsafe_code)]

use crate::error::Error;

/// A store for a tape's oldest bytes, by offset. Pieces are written in ascending order without gaps, and read
/// back from the end: what lies behind a piece that is read is not needed any more. What was read back may be written
/// anew, with other contents. An error of `write` is returned by the push that met it; an error of `read` leaves the tape
/// unusable. What comes back is taken as it is: checksums are the store's business. Any thread that is short of memory may
/// call it, one at a time; it must not use a tape. Example: [`with_spill`](crate::Tape::with_spill).
pub trait Spill: Send {
    /// Keeps `bytes`, which lie at `offset`; what was written there or behind it before is not needed any more. On error
    /// none of them are kept.
    fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Error>;

    /// Reads back what was written at `offset`.
    fn read(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), Error>;
}
