//! The tape: a last-in first-out store of values, one order for all types.
//!
//! ```text
//!  base                  floor              cur             limit                       base + reserved
//!   |--- spilled, if any ---|---- resident ----|... committed ...|........ reserved, no memory ......|
//! ```
//!
//! * [`cursor`]: the hot state and the fast path, two compares.
//! * [`core`]: the cold state and the slow path behind them.
//! * [`machine`]: bytes, bits and repeat regions in a span of address space.
//! * [`check`], [`stats`]: modes in which every operation is seen.
//! * [`thread`]: the thread's own tape.
//!
//! ```
//! use adtape::{Operation, Tape};
//!
//! # fn main() -> Result<(), adtape::Error> {
//! let tape = Tape::new()?;
//! // Forward sweep: y = x * x, n times; the value that is overwritten is needed by the reverse sweep.
//! let mut x = 1.1_f64;
//! for _ in 0..3 {
//!     tape.push(x)?;
//!     x *= x;
//! }
//! // Reverse sweep.
//! let mut x_adjoint = 1.0;
//! for _ in 0..3 {
//!     x = tape.pop()?;
//!     x_adjoint *= 2.0 * x;
//! }
//! assert!((x_adjoint - 8.0 * 1.1_f64.powi(7)).abs() < 1e-12);
//! assert_eq!(tape.stats()?.bytes, 0);
//! # Ok(())
//! # }
//! ```

mod bits;
mod check;
mod control;
pub(crate) mod copy;
pub(crate) mod core;
mod cursor;
mod machine;
mod mark;
pub(crate) mod owner;
mod section;
mod spill;
mod stats;
pub(crate) mod thread;
mod types;

pub use cursor::Cursor;
pub use mark::Mark;
pub use section::MAX_RANK;
pub use spill::Spill;
pub use stats::{Operation, Stats, Traffic};
pub use types::{Scalar, Type};

use self::core::Core;
use self::owner::Owner;
use crate::error::Error;
use crate::site::Site;
use crate::vm::Trim;
use std::ops::Deref;

/// Most bytes that one call moves: 2^47, the size of the user half of the address space.
pub(crate) const MAX_BYTES: usize = 1 << 47;

impl Cursor {
    /// Pushes a value.
    #[inline]
    pub fn push<T: Scalar>(&self, x: T) -> Result<(), Error> {
        if !self.has_room(size_of::<T>()) {
            self.push_room(T::TYPE, 1, Site::UNKNOWN)?;
        }
        let to = self.cur.get();
        // SAFETY: there is room for a T at cur, at any alignment.
        unsafe { (to as *mut T).write_unaligned(x) };
        self.cur.set(to + size_of::<T>());
        Ok(())
    }

    /// Pops a value that was pushed as one of the same type.
    #[inline]
    pub fn pop<T: Scalar>(&self) -> Result<T, Error> {
        if !self.has_bytes(size_of::<T>()) {
            self.pop_room(T::TYPE, 1, Site::UNKNOWN)?;
        }
        let from = self.cur.get() - size_of::<T>();
        // SAFETY: size_of::<T>() bytes below cur were pushed; any bytes are a T.
        let x = unsafe { (from as *const T).read_unaligned() };
        self.cur.set(from);
        Ok(x)
    }

    /// Pushes an array.
    pub fn push_slice<T: Scalar>(&self, x: &[T]) -> Result<(), Error> {
        let n = size_of_val(x);
        if !self.has_room(n) {
            self.push_room(T::TYPE, x.len() as i64, Site::UNKNOWN)?;
        }
        // SAFETY: there is room for n bytes; x is n bytes of plain values.
        unsafe { copy::copy_in_ordered(self, x.as_ptr().cast(), n) };
        Ok(())
    }

    /// Pops an array that was pushed as one of the same type and length.
    pub fn pop_slice<T: Scalar>(&self, x: &mut [T]) -> Result<(), Error> {
        let n = size_of_val(x);
        if !self.has_bytes(n) {
            self.pop_room(T::TYPE, x.len() as i64, Site::UNKNOWN)?;
        }
        // SAFETY: n bytes below cur were pushed; any bytes are values of T.
        unsafe { copy::copy_out(self, x.as_mut_ptr().cast(), n) };
        Ok(())
    }

    /// Starts a repeat region: what lies on the tape now can be popped several times.
    pub fn repeat_start(&self) -> Result<(), Error> {
        self.slow(|core| {
            core.machine.start();
            if let Some(recorder) = &mut core.recorder {
                recorder.start();
            }
            Ok(())
        })
    }

    /// Puts the tape back to where it was when the innermost repeat region was started.
    pub fn repeat_reset(&self) -> Result<(), Error> {
        self.slow(|core| {
            core.machine.reset()?;
            core.recorder.as_mut().map_or(Ok(()), |recorder| recorder.reset())
        })
    }

    /// Ends the innermost repeat region where the tape stands: what was popped in it is gone, what was pushed stays.
    pub fn repeat_end(&self) -> Result<(), Error> {
        self.slow(|core| {
            core.machine.end()?;
            core.recorder.as_mut().map_or(Ok(()), |recorder| recorder.end())
        })
    }

    /// Gives back memory that is kept warm above the top.
    pub fn trim(&self, how: Trim) -> Result<(), Error> {
        self.slow(|core| {
            core.trim(how);
            Ok(())
        })
    }

    /// Makes a push of `count` values possible.
    #[cold]
    pub(crate) fn push_room(&self, ty: Type, count: i64, site: Site) -> Result<(), Error> {
        self.core()?.push_room(self, ty, count, site)
    }

    /// Makes a pop of `count` values possible.
    #[cold]
    pub(crate) fn pop_room(&self, ty: Type, count: i64, site: Site) -> Result<(), Error> {
        self.core()?.pop_room(self, ty, count, site)
    }

    /// Runs an operation that does all of its work on the cold state.
    pub(crate) fn slow<R>(&self, operation: impl FnOnce(&mut Core) -> Result<R, Error>) -> Result<R, Error> {
        self.core()?.with(self, operation)
    }

    /// The cold part; made now if this is the thread's cursor at its first use.
    #[allow(clippy::mut_from_ref)]
    pub(crate) fn core(&self) -> Result<&mut Core, Error> {
        if self.core.get().is_null() {
            thread::begin_on(self)?;
        }
        // SAFETY: the core is this cursor's alone and lives in its box. The cursor is not Sync, no operation
        // calls back into user code that could reach it again, and no caller keeps the reference.
        Ok(unsafe { &mut *self.core.get() })
    }
}

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
