//! Who has a tape: [`Tape`], which owns one, and handles of C programs, which are its address.

use super::{Cursor, thread};
use crate::error::Error;
use crate::store::Spill;
use crate::tape::core::Core;
use crate::tape::life;
use crate::tape::owner::Owner;
use std::ops::Deref;

/// A tape of its own, released when dropped. All operations are methods of [`Cursor`].
///
/// It is used by one thread at a time and may be moved to another, which is all that handing it over takes:
///
/// ```
/// # use adtape::*;
/// # fn main() -> Result<(), Error> {
/// let tape = Tape::new()?;
/// tape.push(2.0_f64)?; // forward sweep
/// let x = std::thread::spawn(move || tape.pop::<f64>()).join().unwrap()?; // reverse sweep
/// assert_eq!(x, 2.0);
/// # Ok(())
/// # }
/// ```
pub struct Tape {
    cursor: Box<Cursor>,
}

// SAFETY: the cursor and what it points to are the tape's alone, hold no thread-local state, and are used by
// whoever has the tape. No streamed store is pending between calls: see `copy_in_ordered`.
unsafe impl Send for Tape {}

impl Tape {
    /// An empty tape. Takes no memory before the first push.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let tape = Tape::new()?;
    /// assert_eq!(tape.stats()?.committed_bytes, 0);
    /// tape.push(1.0_f64)?;
    /// assert!(tape.stats()?.committed_bytes >= 8);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new() -> Result<Tape, Error> {
        Tape::with_owner(Owner::borrow_checker())
    }

    pub(crate) fn with_owner(owner: Owner) -> Result<Tape, Error> {
        let cursor = Box::new(Cursor::closed());
        Core::new(&cursor, owner)?.give_to(&cursor);
        life::keep_in_view(&cursor);
        Ok(Tape { cursor })
    }

    /// Gives the tape a store, to which it spills its oldest part when it can have no more memory.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// #[derive(Default)]
    /// struct InMemory(Vec<u8>); // a file, usually
    ///
    /// impl Spill for InMemory {
    ///     fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
    ///         self.0.truncate(offset as usize);
    ///         self.0.extend_from_slice(bytes);
    ///         Ok(())
    ///     }
    ///     fn read(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), Error> {
    ///         bytes.copy_from_slice(&self.0[offset as usize..][..bytes.len()]);
    ///         Ok(())
    ///     }
    /// }
    ///
    /// process::set_memory_limit(Some(1 << 20));
    /// let tape = Tape::new()?.with_spill(Box::new(InMemory::default()))?;
    /// for i in 0..1_000_000_i64 {
    ///     tape.push(i)?;
    /// }
    /// assert!(tape.stats()?.spilled_bytes > 6_000_000);
    /// for i in (0..1_000_000_i64).rev() {
    ///     assert_eq!(tape.pop::<i64>()?, i);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_spill(self, spill: Box<dyn Spill>) -> Result<Tape, Error> {
        self.core()?.set_store(spill)?;
        Ok(self)
    }

    /// A released tape, from the core that a cursor had.
    pub(crate) fn from_core(mut core: Box<Core>) -> Tape {
        let cursor = Box::new(Cursor::closed());
        core.move_home(&cursor);
        core.give_to(&cursor);
        life::keep_in_view(&cursor);
        Tape { cursor }
    }

    pub(crate) fn into_raw(self) -> *mut Cursor {
        let cursor = std::ptr::from_ref(&*self.cursor).cast_mut();
        std::mem::forget(self);
        cursor
    }

    /// # Safety
    /// `cursor` came from [`Tape::into_raw`] and is not used again.
    pub(crate) unsafe fn from_raw(cursor: *mut Cursor) -> Tape {
        // SAFETY: by contract.
        Tape { cursor: unsafe { Box::from_raw(cursor) } }
    }
}

impl Deref for Tape {
    type Target = Cursor;

    fn deref(&self) -> &Cursor {
        &self.cursor
    }
}

impl Drop for Tape {
    fn drop(&mut self) {
        life::free(&self.cursor);
    }
}

/// Runs `f` on the calling thread's own tape, which calls from C and Fortran on this thread use too.
///
/// ```
/// # use adtape::*;
/// # fn main() -> Result<(), Error> {
/// with_thread_tape(|tape| tape.push(0.5_f64))?;
/// assert_eq!(with_thread_tape(|tape| tape.pop::<f64>())?, 0.5);
/// # Ok(())
/// # }
/// ```
pub fn with_thread_tape<R>(f: impl FnOnce(&Cursor) -> R) -> R {
    f(thread::cursor())
}
