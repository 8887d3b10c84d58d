//! The cursor: the hot state of a tape, and the whole of its fast path.
//!
//! ```text
//!     floor             cur              limit
//!  ----|------ values ---|--- room -------|----
//! ```
//!
//! A push goes slow if `cur + n > limit`, a pop if `cur - n < floor`; both compare addresses as integers, because
//! `limit` is 0 while a repeat region is being read. A *closed* cursor has `cur = limit = floor = 64` and its bits
//! closed, so that whatever comes first takes the slow path: that is how the first use, check and profile mode,
//! released and attached tapes are told from an open one without a branch.
//!
//! The bit accumulator holds 0 to 61 control bits below a marker bit: 1 is empty, `1 << 63` closed.

pub(crate) mod copy;
mod handle;
pub(crate) mod section;
pub(crate) mod thread;

pub use handle::{Tape, with_thread_tape};
pub use section::{MAX_RANK, Section};

use super::core::Core;
use super::idle;
use super::types::{Scalar, Type};
use crate::error::Error;
use crate::site::Site;
use std::cell::Cell;

/// `cur`, `limit` and `floor` of a closed cursor: above every n that a scalar subtracts, below every address.
pub(crate) const CLOSED: usize = 64;
/// The bit accumulator of a closed cursor: full for pushes, negative for pops.
pub(crate) const CLOSED_BITS: u64 = 1 << 63;
/// The empty bit accumulator.
pub(crate) const NO_BITS: u64 = 1;

/// The hot state of a tape; what a handle points to. Its layout is known to the inline code of C programs.
#[derive(Debug)]
#[repr(C)]
pub struct Cursor {
    /// Address behind the last value.
    pub(crate) cur: Cell<usize>,
    /// Pushes up to here need no slow path.
    pub(crate) limit: Cell<usize>,
    /// Pops down to here need no slow path.
    pub(crate) floor: Cell<usize>,
    /// Control bits not yet on the tape.
    pub(crate) bits: Cell<u64>,
    /// Where the direction last changed, as far as arrays know: decides about streaming stores only.
    pub(crate) edge: Cell<usize>,
    /// The rest of the tape, null before its first use.
    pub(crate) core: Cell<*mut Core>,
}

/// The cursor that a core belongs to.
#[derive(Clone, Copy)]
pub(crate) struct Home(*const Cursor);

impl Home {
    pub(crate) fn new(cursor: &Cursor) -> Home {
        Home(cursor)
    }

    pub(crate) fn is(self, cursor: &Cursor) -> bool {
        std::ptr::eq(self.0, cursor)
    }

    pub(crate) fn cursor<'a>(self) -> &'a Cursor {
        // SAFETY: a home cursor is boxed or thread-local and outlives its core, which alone calls this; the
        // reference is not kept.
        unsafe { &*self.0 }
    }
}

impl Cursor {
    /// A closed cursor without a tape.
    pub(crate) const fn closed() -> Cursor {
        Cursor {
            cur: Cell::new(CLOSED),
            limit: Cell::new(CLOSED),
            floor: Cell::new(CLOSED),
            bits: Cell::new(CLOSED_BITS),
            edge: Cell::new(usize::MAX),
            core: Cell::new(std::ptr::null_mut()),
        }
    }

    /// Closes it: the next operation, whatever it is, takes the slow path.
    pub(crate) fn close(&self) {
        self.window(CLOSED, CLOSED);
        self.bits.set(CLOSED_BITS);
    }

    /// Lets one operation pass, which moves `cur` from `from` to `to`: a push with `limit = to`, a pop with
    /// `floor = to`. Then it is closed.
    pub(crate) fn window(&self, from: usize, to: usize) {
        self.cur.set(from);
        self.limit.set(to);
        self.floor.set(to);
        self.bits.set(CLOSED_BITS);
    }

    /// Whether `n` bytes can be pushed without the slow path; also false for 0 and absurd n.
    #[inline(always)]
    pub(crate) fn has_room(&self, n: usize) -> bool {
        n.wrapping_sub(1) < super::MAX_BYTES && self.cur.get().wrapping_add(n) <= self.limit.get()
    }

    /// Whether `n` bytes can be popped without the slow path; also false for 0 and absurd n.
    #[inline(always)]
    pub(crate) fn has_bytes(&self, n: usize) -> bool {
        n.wrapping_sub(1) < self.cur.get().wrapping_sub(self.floor.get())
    }

    /// Pushes words, the last to be popped first, where that needs no slow path; whether it did.
    #[inline(always)]
    pub(crate) fn put_words<const N: usize>(&self, words: [u64; N]) -> bool {
        let room = self.has_room(size_of_val(&words));
        if room {
            // SAFETY: there is room.
            unsafe { self.put_words_in_room(words) };
        }
        room
    }

    /// The same where there is room.
    ///
    /// # Safety
    /// There is room: [`has_room`](Cursor::has_room) said so, and nothing was pushed since.
    #[inline(always)]
    pub(crate) unsafe fn put_words_in_room<const N: usize>(&self, words: [u64; N]) {
        debug_assert!(self.has_room(size_of_val(&words)));
        let to = self.cur.get();
        // SAFETY: there is room at cur.
        unsafe { (to as *mut [u64; N]).write_unaligned(words) };
        self.cur.set(to + size_of_val(&words));
    }

    /// What [`put_words`](Cursor::put_words) pushed, left on the tape, where that needs no slow path.
    #[inline(always)]
    pub(crate) fn top_words<const N: usize>(&self) -> Option<[u64; N]> {
        let there = self.has_bytes(size_of::<[u64; N]>());
        // SAFETY: that many bytes below cur were pushed.
        there.then(|| unsafe { ((self.cur.get() - size_of::<[u64; N]>()) as *const [u64; N]).read_unaligned() })
    }

    /// Takes off so many of what [`top_words`](Cursor::top_words) returned.
    #[inline(always)]
    pub(crate) fn drop_words(&self, count: usize) {
        debug_assert!(self.has_bytes(count * size_of::<u64>()));
        self.cur.set(self.cur.get() - count * size_of::<u64>());
    }
}

/// In Rust it stands for the tape: [`Tape`] dereferences to it, [`with_thread_tape`] lends it.
impl Cursor {
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

    /// The same for the call at `site`.
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

    /// The same for the call at `site`.
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
            self.push_room(T::TYPE, x.len() as i64, Site::caller())?;
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
            self.pop_room(T::TYPE, x.len() as i64, Site::caller())?;
        }
        // SAFETY: n bytes below cur were pushed; any bytes are values of T.
        unsafe { copy::copy_out(self, x.as_mut_ptr().cast(), n) };
        Ok(())
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

    /// Gives memory back that others are short of, `wanted` bytes if there are as many: what this tape keeps warm, then
    /// the largest idle part of any tape. Whether there was any.
    #[cold]
    pub(crate) fn relieve(&self, wanted: usize) -> Result<bool, Error> {
        if self.core.get().is_null() { idle::give_way(wanted) } else { self.slow(|core| core.relieve(wanted)) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_cursor_sends_everything_to_the_slow_path() {
        let cursor = Cursor::closed();
        for n in [0, 1, 2, 4, 8, 16, 32, 64, 65, 4096, 1 << 46, 1 << 47, 1 << 63, usize::MAX] {
            assert!(!cursor.has_room(n), "push of {n}");
            assert!(!cursor.has_bytes(n), "pop of {n}");
        }
        for n in 1..=61 {
            assert!(cursor.bits.get() >= 1 << (62 - n));
            assert!((cursor.bits.get() as i64) < 1 << n);
        }
    }
}
