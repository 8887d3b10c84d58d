//! adtape: the run-time library of adjoint code.
//!
//! Reverse-mode automatic differentiation turns a program into two sweeps: the *forward sweep* computes and
//! records, the *reverse sweep* plays the record back and accumulates derivatives. What both link against is
//! here: a [`Tape`], for C (`adtape.h`), Fortran (`use adtape`) and Rust.
//!
//! ```
//! use adtape::Tape;
//!
//! # fn main() -> Result<(), adtape::Error> {
//! let tape = Tape::new()?;
//! let mut x = 1.1_f64;
//! for _ in 0..3 {
//!     tape.push(x)?; // forward sweep: overwritten, and needed by the reverse sweep
//!     x *= x;
//! }
//! let mut x_adjoint = 1.0;
//! for _ in 0..3 {
//!     x = tape.pop()?; // reverse sweep: in reverse order
//!     x_adjoint *= 2.0 * x;
//! }
//! assert!((x_adjoint - 8.0 * 1.1_f64.powi(7)).abs() < 1e-12);
//! # Ok(())
//! # }
//! ```
//!
//! All that a tape can do is in [`Cursor`]. A call that returns an error leaves the tape as it was; only a store that
//! fails while it is read leaves it unusable ([`Status::Poisoned`]). What the environment sets is in
//! `docs/environment.md`; how it works, in `ARCHITECTURE.md` and `docs/design.md`.
//!
//! # Layers
//!
//! Imports point down only.
//!
//! ```text
//! 5  ffi        C ABI, thin                      load     what happens as the library is loaded
//! 4  process    memory limit, error handler       driver   runs a loop by a schedule
//!    objects    what is alive, and where, in both sweeps      verify   derivative tests
//! 3  checkpoint                               heap       blocks that keep their addresses
//! 2  tape
//! 1  vm         address space and memory      map        ranges of addresses, registry of objects
//!    store      where checkpoints are kept    schedule   what to store and run again
//! 0  error  settings  site  sync  codes  hash  varint
//! ```
//!
//! # The contract of pointers in the C ABI
//!
//! Handles are NULL (an error) or come from this library and have not been freed. Objects with a count point to
//! that many values, readable for pushes and writable for pops; they are NULL only with a count of 0. Objects
//! of results are NULL (an error) or writable. Functions that break this contract unchecked say so under
//! `Safety`.

mod checkpoint;
mod codes;
mod driver;
pub(crate) mod error;
mod ffi;
mod hash;
mod heap;
mod load;
mod map;
pub(crate) mod objects;
#[cfg(test)]
mod part;
pub mod process;
mod profile;
pub(crate) mod schedule;
mod settings;
mod site;
mod store;
mod sync;
mod tape;
mod varint;
pub mod verify;
mod vm;

pub use checkpoint::{CheckpointReader, CheckpointWriter, SectionInfo, SectionKind};
pub use driver::{
    Driver, Flow, Keeper, MemoryStorage, Model, Program, Progress, ProgressLine, ReadPoint, Resumable, Resume, Storage,
    StoreStorage, Variable, WritePoint, drive, drive_resumable, schedule_within,
};
#[doc(hidden)]
pub use error::visible;
pub use error::{Error, Status};
pub use heap::{Heap, HeapMark, HeapStats, ObjectMemory, ProcessMemory};
pub use map::registry::RangeKind;
pub use objects::{
    AllocateFn, Allocator, LiveRange, LiveStats, Objects, ReleaseFn, Restoration, RestoreStats, Restored, SaveStats,
    Waiter, Wanted,
};
pub use schedule::{Action, Level, Place, Prediction, Schedule};
pub use store::{
    ArchiveStore, EntryReader, EntryWriter, FileOptions, FileStore, MemoryStore, ReadOnlyFile, Spill, SpillFile, Store,
    TieredStore,
};
pub use tape::{Cursor, MAX_RANK, Mark, Operation, Scalar, Section, Stats, Tape, Traffic, Type, with_thread_tape};
pub use vm::Trim;
