//! What belongs to the process: the memory of all tapes, the directory they spill to, and what to do about errors that
//! no call can return.

#![forbid(unsafe_code)]

use crate::error::{Error, note_failure, say};
use crate::store::spill;
use crate::sync::{Arc, LONGEST, StaticLock, around_fork};
use crate::vm;
use std::path::Path;

/// Memory of all tapes of a process, and what of them is in files, in bytes where not said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Memory {
    /// The most that may be committed.
    pub limit_bytes: u64,
    /// Readable and writable now.
    pub committed_bytes: u64,
    /// The most that was committed at once.
    pub peak_committed_bytes: u64,
    /// Address space.
    pub reserved_bytes: u64,
    /// Spilled tape in files now.
    pub disk_bytes: u64,
    /// The most that was in files at once.
    pub peak_disk_bytes: u64,
    /// Written to files so far.
    pub disk_written_bytes: u64,
    /// Read back from files so far.
    pub disk_read_bytes: u64,
    /// Nanoseconds that pushes and pops of all threads have waited for files so far.
    pub disk_wait_nanoseconds: u64,
}

/// Sets the most memory that all tapes of the process may have committed together; `None` for what the environment or
/// the machine says. A limit below what is committed now stops all growth, and no pop.
///
/// ```
/// # use adtape::*;
/// # fn main() -> Result<(), Error> {
/// process::set_memory_limit(Some(64 << 10));
/// let tape = Tape::new()?;
/// let full = tape.push_slice(&[0_u8; 100 << 10]).unwrap_err();
/// assert_eq!(full.status(), Status::MemoryLimit);
/// process::set_memory_limit(None);
/// tape.push_slice(&[0_u8; 100 << 10])?;
/// # Ok(())
/// # }
/// ```
pub fn set_memory_limit(limit_bytes: Option<u64>) {
    vm::set_limit(limit_bytes, spill::may_spill());
}

/// Sets the directory that tapes spill to: when a push would exceed the memory limit, the oldest part of the tape with
/// the largest idle part goes to a file there, which has no name and vanishes with the process. `None` for what
/// `ADTAPE_SPILL_DIRECTORY` says. Tapes that have spilled already stay where they are.
///
/// ```
/// # use adtape::*;
/// # fn main() -> Result<(), Error> {
/// process::set_memory_limit(Some(1 << 20));
/// process::set_spill_directory(Some(&std::env::temp_dir()))?;
/// let tape = Tape::new()?;
/// let mut x = vec![0.5; 100_000];
/// for _ in 0..10 {
///     tape.push_slice(&x)?;
/// }
/// assert!(tape.stats()?.spilled_bytes > 6_000_000);
/// for _ in 0..10 {
///     tape.pop_slice(&mut x)?;
/// }
/// # Ok(())
/// # }
/// ```
pub fn set_spill_directory(directory: Option<&Path>) -> Result<(), Error> {
    spill::set_directory(directory)?;
    vm::set_spills(spill::is_directory_set(false));
    vm::update_limit(spill::may_spill());
    Ok(())
}

/// What the tapes of the process have, and what they moved to files and back. What was written or read over a time is the
/// rate of the disk; what was waited, the part of that time that spilling costs.
///
/// ```
/// # use adtape::*;
/// # fn main() -> Result<(), Error> {
/// let tape = Tape::new()?;
/// tape.push(1.0_f64)?;
/// let memory = process::memory();
/// assert!(memory.committed_bytes >= tape.stats()?.committed_bytes);
/// assert!(memory.committed_bytes <= memory.limit_bytes);
/// # Ok(())
/// # }
/// ```
pub fn memory() -> Memory {
    let (budget, disk) = (vm::process(), spill::disk());
    Memory {
        limit_bytes: budget.limit(),
        committed_bytes: budget.committed(),
        peak_committed_bytes: budget.peak(),
        reserved_bytes: budget.reserved(),
        disk_bytes: disk.used,
        peak_disk_bytes: disk.peak,
        disk_written_bytes: disk.written,
        disk_read_bytes: disk.read,
        disk_wait_nanoseconds: disk.waited.as_nanos() as u64,
    }
}

/// A program's own reaction to an error that a push or pop of the C API cannot return. It must not return: if it
/// does, the process aborts. Runs on the thread that failed, with no lock held.
pub type ErrorHandler = Arc<dyn Fn(&Error) + Send + Sync>;

static HANDLER: StaticLock<Option<ErrorHandler>> = StaticLock::new(None);

/// Installs the program's error handler; `None` for the default, which prints the message to standard error and
/// aborts. Calls of the Rust API return their errors and do not come here.
///
/// ```
/// # use adtape::*;
/// # use std::sync::Arc;
/// process::set_error_handler(Some(Arc::new(|error| {
///     eprintln!("rank 0: {error}");
///     std::process::exit(3) // or MPI_Abort
/// })));
/// ```
pub fn set_error_handler(handler: Option<ErrorHandler>) {
    // The one before is dropped without the lock.
    let before = std::mem::replace(&mut *HANDLER.lock(), handler);
    drop(before);
}

/// Lets children of fork have errors, whatever threads of their parent did with the handler.
pub(crate) fn prepare_for_children() {
    extern "C" fn before() {
        HANDLER.hold(LONGEST);
    }
    extern "C" fn after() {
        HANDLER.let_go();
    }
    around_fork(before, after, after);
}

/// The end of an operation that cannot return an error.
#[cold]
pub(crate) fn fail(error: &Error) -> ! {
    note_failure();
    crate::profile::say();
    let handler = HANDLER.lock().clone();
    match handler {
        Some(handler) => {
            handler(error);
            say("adtape: error: the program's error handler returned, which it must not; aborting");
        }
        None => say(&format!("adtape: error: {error}")),
    }
    std::process::abort()
}
