//! Stores: where checkpoints are kept, in memory, in files, or in the first while there is room and then in the
//! second.
//!
//! A *store* keeps *entries*: named strings of bytes, written from front to back by a *writer* and not seen by
//! anybody before they are *committed*. A committed entry never changes; an entry of the same name takes its place at
//! once and whole. So there is always the old one or the new one, also after a crash where the store is of files.
//!
//! ```text
//!   create("step-40") -> writer: write, write, …, commit          dropped before its commit: nothing happened
//!   open("step-40")   -> reader: read_at(offset), in any order    lives on when the entry is removed or replaced
//! ```
//!
//! * [`memory`]: warm buffers that are used again; no checksums.
//! * [`files`]: one file for each entry, an [`image`]: blocks with checksums, compressed or not; or all in one
//!   [`archive`].
//! * [`reading`]: a file of either kind, read where it lies.
//! * [`tiers`]: memory up to a limit, another store beyond it.
//! * [`spill`]: files for the oldest part of tapes, when memory is short.
//!
//! The traits are open: a program can supply a store of its own.

mod archive;
mod block;
#[cfg(test)]
mod crash;
mod disk;
mod files;
mod image;
mod lock;
mod memory;
mod os;
mod reading;
mod regular;
pub(crate) mod spill;
mod tiers;

pub use archive::ArchiveStore;
pub use files::{FileOptions, FileStore};
pub(crate) use lock::{hold, let_go};
pub use memory::MemoryStore;
pub(crate) use memory::beyond_the_end;
pub use reading::ReadOnlyFile;
pub(crate) use spill::{Room, Rooms};
pub use spill::{Spill, SpillFile};
pub use tiers::TieredStore;

use crate::error::{Error, Status};

/// Keeps named strings of bytes. All calls may be made by several threads at once.
pub trait Store: Send + Sync {
    /// Begins an entry. What is written is seen under `name` once it is committed, not before.
    fn create(&self, name: &str) -> Result<Box<dyn EntryWriter>, Error>;

    /// Opens a committed entry; [`Status::NotFound`] if there is none of this name.
    fn open(&self, name: &str) -> Result<Box<dyn EntryReader>, Error>;

    /// Removes an entry; [`Status::NotFound`] if there is none of this name.
    fn remove(&self, name: &str) -> Result<(), Error>;

    /// The names of all committed entries, in ascending order.
    fn names(&self) -> Result<Vec<String>, Error>;

    /// Gives memory back to the system that the store only keeps for entries to come.
    fn trim(&self) {}
}

/// Writes one entry from front to back. Dropped without a commit, it leaves nothing behind.
pub trait EntryWriter: Send {
    /// Adds bytes at the end. After an error the entry cannot be committed any more.
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error>;

    /// Makes the entry visible under its name, in place of an older one. A store that outlives the process has made it
    /// durable when this returns; on error the older one is still there.
    fn commit(self: Box<Self>) -> Result<(), Error>;
}

/// Reads one entry.
pub trait EntryReader: Send {
    /// Bytes of the entry.
    fn bytes(&self) -> u64;

    /// Reads the bytes at `offset`; [`Status::Damaged`] if they are not there as they were written.
    fn read_at(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), Error>;

    /// Checks that the `bytes` bytes at `offset` can be read as they were written, before anything depends on it: by
    /// reading them.
    fn verify(&mut self, offset: u64, bytes: u64) -> Result<(), Error> {
        let mut part = vec![0; bytes.min(256 << 10) as usize];
        let (mut at, end) = (offset, offset.saturating_add(bytes));
        while at < end {
            let n = (end - at).min(part.len() as u64);
            self.read_at(at, &mut part[..n as usize])?;
            at += n;
        }
        Ok(())
    }

    /// Where the entry is, for messages: a file's path, "memory".
    fn place(&self) -> String;
}

/// The longest name of an entry, in bytes.
pub const MAX_NAME: usize = 100;

/// Refuses names that cannot be part of a file's name everywhere.
pub(crate) fn check_name(name: &str) -> Result<(), Error> {
    let allowed = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.');
    if !name.is_empty() && name.len() <= MAX_NAME && name.bytes().all(allowed) {
        return Ok(());
    }
    Err(Error::new(
        Status::BadArgument,
        format!("{name:?} cannot be the name of a checkpoint\n  give 1 to {MAX_NAME} letters, digits, '-', '_' or '.'"),
    ))
}

/// The error for a name that a store does not have.
#[cold]
pub(crate) fn not_found(name: &str, place: &str) -> Error {
    Error::new(
        Status::NotFound,
        format!(
            "there is no checkpoint {name:?} in {place}\n  it was never committed, was removed, or is in another store"
        ),
    )
}
