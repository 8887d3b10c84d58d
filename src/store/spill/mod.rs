//! Where the oldest part of a tape goes when memory is short.
//!
//! The tape keeps its addresses: bytes `[0, spilled)` are written out and their memory is given back, the
//! cursor's floor is raised, and the slow pop that meets it reads a piece back to where it was. Nothing of it is
//! seen by the fast path.
//!
//! All tapes of a process share one file a directory. It has no name: it is gone with the process, however that ends.
//!
//! * [`door`]: what a tape asks for, of this store or of another one.
//! * [`handle`]: a tape's end of the file, and what is said of errors.
//! * [`desk`]: the thread that writes behind the pushes and reads ahead of the pops.
//! * [`memory`]: what blocks have on their way, which is little ([`account`]).
//! * [`blocks`]: what is in memory, what in the file, what is next.
//! * [`space`]: the file, with a checksum of each block and places that are used again ([`extents`]).
//! * [`directory`]: which directory that is.
//! * [`tally`]: what went there and came back.

#![forbid(unsafe_code)]

mod account;
mod blocks;
mod desk;
mod directory;
mod door;
mod extents;
mod handle;
mod medium;
mod memory;
#[cfg(all(test, loom))]
mod models;
mod space;
mod tally;
#[cfg(all(test, not(loom)))]
mod tests;

pub(crate) use account::{Account, set_account};
pub use directory::SpillFile;
pub(crate) use directory::{hold, in_directory, is_directory_set, let_go, may_spill, set_directory};
pub use door::Spill;
pub(crate) use memory::{Room, Rooms};
pub(crate) use tally::disk;
