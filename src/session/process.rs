//! What belongs to the process, whichever session says it: the memory of all tapes, the directory they spill to.

#![forbid(unsafe_code)]

use super::Session;
use crate::error::Error;
use crate::store::spill;
use crate::vm::{default_limit, process};
use std::path::Path;

/// Memory of all tapes of a process, in bytes.
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
}

impl Session {
    /// Sets the most memory that all tapes of the process may have committed together; `None` for what the
    /// environment or the machine says. A limit below what is committed now stops all growth.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let session = Session::default_session();
    /// session.set_memory_limit(Some(64 << 10));
    /// let tape = Tape::new()?;
    /// let full = tape.push_slice(&[0_u8; 100 << 10]).unwrap_err();
    /// assert_eq!(full.status(), Status::MemoryLimit);
    /// session.set_memory_limit(None);
    /// tape.push_slice(&[0_u8; 100 << 10])?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_memory_limit(&self, limit_bytes: Option<u64>) {
        process().set_limit(limit_bytes.unwrap_or_else(default_limit));
    }

    /// Sets the directory that tapes spill to: when a push would exceed the memory limit, the oldest part of the tape
    /// with the largest idle part goes to a file there, which has no name and vanishes with the process. `None` for what `ADTAPE_SPILL_DIRECTORY`
    /// says. Tapes that have spilled already stay where they are.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let session = Session::default_session();
    /// session.set_memory_limit(Some(1 << 20));
    /// session.set_spill_directory(Some(&std::env::temp_dir()))?;
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
    pub fn set_spill_directory(&self, directory: Option<&Path>) -> Result<(), Error> {
        spill::set_directory(directory)
    }

    /// What the tapes of the process have.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let tape = Tape::new()?;
    /// tape.push(1.0_f64)?;
    /// let memory = Session::default_session().memory();
    /// assert!(memory.committed_bytes >= tape.stats()?.committed_bytes);
    /// assert!(memory.committed_bytes <= memory.limit_bytes);
    /// # Ok(())
    /// # }
    /// ```
    pub fn memory(&self) -> Memory {
        let budget = process();
        Memory {
            limit_bytes: budget.limit(),
            committed_bytes: budget.committed(),
            peak_committed_bytes: budget.peak(),
            reserved_bytes: budget.reserved(),
        }
    }
}
