//! Who has a tape: [`Tape`], which owns one, and handles of C programs, which are its address.

use super::{Cursor, thread};
use crate::error::Error;
use crate::tape::core::Core;
use crate::tape::owner::Owner;
use crate::tape::spill::Spill;
use std::ops::Deref;

/// A tape of its own, released when dropped. All operations are methods of [`Cursor`].
pub struct Tape {
    cursor: Box<Cursor>,
}

// SAFETY: the cursor and what it points to are the tape's alone, hold no thread-local state, and are used by
// whoever has the tape. No streamed store is pending between calls: see `copy_in_ordered`.
unsafe impl Send for Tape {}

impl Tape {
    /// An empty tape. Takes no memory before the first push.
    pub fn new() -> Result<Tape, Error> {
        Tape::with_owner(Owner::borrow_checker())
    }

    pub(crate) fn with_owner(owner: Owner) -> Result<Tape, Error> {
        let cursor = Box::new(Cursor::closed());
        cursor.core.set(Box::into_raw(Core::new(&cursor, owner)?));
        Ok(Tape { cursor })
    }

    /// Gives the tape a store, to which it spills its oldest part when it can have no more memory.
    pub fn with_spill(self, spill: Box<dyn Spill>) -> Result<Tape, Error> {
        self.core()?.set_spill(spill);
        Ok(self)
    }

    /// A released tape, from the core that a cursor had.
    pub(crate) fn from_core(mut core: Box<Core>) -> Tape {
        let cursor = Box::new(Cursor::closed());
        core.move_home(&cursor);
        cursor.core.set(Box::into_raw(core));
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
        drop(thread::take(&self.cursor));
    }
}

/// Runs `f` on the calling thread's own tape.
pub fn with_thread_tape<R>(f: impl FnOnce(&Cursor) -> R) -> R {
    f(thread::cursor())
}
