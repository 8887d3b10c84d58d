//! The tape as programs use it: pushes and pops, fast where the hot state has room and else through the slow path.

mod handle;
pub(crate) mod section;
pub(crate) mod thread;

pub use handle::{Tape, with_thread_tape};
pub use section::{MAX_RANK, Section};

use super::core::Core;
use super::hot::Hot;
pub(crate) use super::hot::{Target, copy};
use super::types::{Scalar, Type};
use super::{idle, life};
use crate::error::{Error, Status};
use crate::site::Site;
use std::ops::Deref;

/// A tape that somebody has: [`Tape`] dereferences to it, [`with_thread_tape`] lends it. All operations are here.
#[derive(Debug)]
#[repr(transparent)]
pub struct Cursor {
    hot: Hot,
}

impl Deref for Cursor {
    type Target = Hot;

    #[inline(always)]
    fn deref(&self) -> &Hot {
        &self.hot
    }
}

impl Cursor {
    /// A closed cursor without a tape.
    pub(crate) const fn closed() -> Cursor {
        Cursor { hot: Hot::closed() }
    }

    /// The cursor of a hot state.
    #[inline(always)]
    pub(crate) fn of(hot: &Hot) -> &Cursor {
        // SAFETY: it is transparent.
        unsafe { &*std::ptr::from_ref(hot).cast() }
    }

    /// Pushes a value.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let tape = Tape::new()?;
    /// tape.push(0.5_f64)?;
    /// tape.push(7_i32)?;
    /// tape.push([1.0_f64, -1.0])?; // complex
    /// assert_eq!(tape.pop::<[f64; 2]>()?, [1.0, -1.0]);
    /// assert_eq!(tape.pop::<i32>()?, 7);
    /// assert_eq!(tape.pop::<f64>()?, 0.5);
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    #[track_caller]
    pub fn push<T: Scalar>(&self, x: T) -> Result<(), Error> {
        self.push_at(x, Site::caller())
    }

    /// [`push`](Cursor::push) for the call at `site`.
    #[inline]
    pub(crate) fn push_at<T: Scalar>(&self, x: T, site: Site) -> Result<(), Error> {
        if !self.has_room(size_of::<T>()) {
            self.push_room(T::TYPE, 1, site)?;
        }
        let to = self.cur.get();
        // SAFETY: there is room for a T at cur, at any alignment.
        unsafe { (to as *mut T).write_unaligned(x) };
        self.cur.set(to + size_of::<T>());
        Ok(())
    }

    /// Pops a value that was pushed as one of the same type.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let tape = Tape::new()?;
    /// tape.push(1_i64)?;
    /// let x: i64 = tape.pop()?;
    /// assert_eq!(x, 1);
    /// assert_eq!(tape.pop::<i64>().unwrap_err().status(), Status::Underflow);
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    #[track_caller]
    pub fn pop<T: Scalar>(&self) -> Result<T, Error> {
        self.pop_at(Site::caller())
    }

    /// [`pop`](Cursor::pop) for the call at `site`.
    #[inline]
    pub(crate) fn pop_at<T: Scalar>(&self, site: Site) -> Result<T, Error> {
        if !self.has_bytes(size_of::<T>()) {
            self.pop_room(T::TYPE, 1, site)?;
        }
        let from = self.cur.get() - size_of::<T>();
        // SAFETY: size_of::<T>() bytes below cur were pushed; any bytes are a T.
        let x = unsafe { (from as *const T).read_unaligned() };
        self.cur.set(from);
        Ok(x)
    }

    /// Pushes an array.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let tape = Tape::new()?;
    /// let mut x = vec![1.0_f64; 1000];
    /// tape.push_slice(&x)?;
    /// x.fill(0.0);
    /// tape.pop_slice(&mut x)?;
    /// assert_eq!(x, [1.0; 1000]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn push_slice<T: Scalar>(&self, x: &[T]) -> Result<(), Error> {
        let n = size_of_val(x);
        if !self.has_room(n) {
            self.push_room_from(T::TYPE, x.len() as i64, Site::caller(), x.as_ptr().cast())?;
        }
        // SAFETY: there is room for n bytes; x is n bytes of plain values.
        unsafe { copy::copy_in_ordered(self, x.as_ptr().cast(), n) };
        Ok(())
    }

    /// Pops an array that was pushed as one of the same type and length.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let tape = Tape::new()?;
    /// tape.push_slice(&[1_i32, 2, 3])?;
    /// let mut x = [0_i32; 3];
    /// tape.pop_slice(&mut x)?;
    /// assert_eq!(x, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn pop_slice<T: Scalar>(&self, x: &mut [T]) -> Result<(), Error> {
        let n = size_of_val(x);
        if !self.has_bytes(n) {
            // SAFETY: the slice has as many bytes.
            let into = unsafe { Target::new(x.as_ptr().cast()) };
            self.pop_room_into(T::TYPE, x.len() as i64, Site::caller(), into)?;
        }
        // SAFETY: n bytes below cur were pushed; any bytes are values of T.
        unsafe { copy::copy_out(self, x.as_mut_ptr().cast(), n) };
        Ok(())
    }

    /// Makes a push of `count` values possible.
    #[cold]
    pub(crate) fn push_room(&self, ty: Type, count: i64, site: Site) -> Result<(), Error> {
        self.core()?.push_room(self, ty, count, site, 0)
    }

    /// [`push_room`](Cursor::push_room) for values that lie at `from`.
    #[cold]
    pub(crate) fn push_room_from(&self, ty: Type, count: i64, site: Site, from: *const u8) -> Result<(), Error> {
        self.core()?.push_room(self, ty, count, site, from as usize)
    }

    /// Makes a pop of `count` values possible.
    #[cold]
    pub(crate) fn pop_room(&self, ty: Type, count: i64, site: Site) -> Result<(), Error> {
        self.core()?.pop_room(self, ty, count, site, Target::UNKNOWN)
    }

    /// [`pop_room`](Cursor::pop_room) for values that are copied to `into` then.
    #[cold]
    pub(crate) fn pop_room_into(&self, ty: Type, count: i64, site: Site, into: Target) -> Result<(), Error> {
        self.core()?.pop_room(self, ty, count, site, into)
    }

    /// A push of one value on a watched tape, where nothing else is to be done than to watch; whether it was one. Then
    /// [`push_room_from`](Cursor::push_room_from) is done.
    #[inline(always)]
    pub(crate) fn push_room_quickly(&self, ty: Type, site: Site, from: *const u8) -> bool {
        self.begun().is_some_and(|core| core.quick_push(self, ty, site, from as usize))
    }

    /// A pop of one value on a watched tape, as [`push_room_quickly`](Cursor::push_room_quickly).
    #[inline(always)]
    pub(crate) fn pop_room_quickly(&self, ty: Type, site: Site, into: Target) -> bool {
        self.begun().is_some_and(|core| core.quick_pop(self, ty, site, into))
    }

    /// Gives memory back that others are short of, `wanted` bytes if there are as many: what this tape keeps warm, then
    /// the largest idle part of any tape. Whether there was any.
    #[cold]
    pub(crate) fn relieve(&self, wanted: usize) -> Result<bool, Error> {
        if self.core.get().is_null() {
            idle::give_way(wanted, Status::MemoryLimit)
        } else {
            self.slow(|core| core.relieve(wanted))
        }
    }

    /// Runs an operation that does all of its work on the cold state.
    pub(crate) fn slow<R>(&self, operation: impl FnOnce(&mut Core) -> Result<R, Error>) -> Result<R, Error> {
        self.core()?.with(self, operation)
    }

    /// The cold part; made now if this is the thread's cursor at its first use.
    #[allow(clippy::mut_from_ref)]
    pub(crate) fn core(&self) -> Result<&mut Core, Error> {
        if self.core.get().is_null() {
            life::begin_on(self)?;
        }
        // SAFETY: the core is this cursor's alone and lives in its box. The cursor is not Sync, no operation
        // calls back into user code that could reach it again, and no caller keeps the reference.
        Ok(unsafe { &mut *Core::of(self) })
    }

    /// [`core`](Cursor::core), if there was a first use.
    #[allow(clippy::mut_from_ref)]
    #[inline(always)]
    pub(crate) fn begun(&self) -> Option<&mut Core> {
        // SAFETY: as for `core`.
        unsafe { Core::of(self).as_mut() }
    }
}
