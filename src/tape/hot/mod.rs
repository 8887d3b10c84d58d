//! The hot state of a tape, which the fast path reads and writes, and its layout.
//!
//! ```text
//!     floor             cur              limit
//!  ----|------ values ---|--- room -------|----
//! ```
//!
//! A push goes slow if `cur + n > limit`, a pop if `cur - n < floor`; both compare addresses as integers, because
//! `limit` is 0 while a repeat region is being read. A *closed* cursor has `cur = limit = floor = 64` and its bits
//! closed, so that whatever comes first takes the slow path: no branch is needed to tell the first use, check and
//! profile mode, released and attached tapes from an open one.
//!
//! The bit accumulator holds 0 to 61 control bits below a marker bit: 1 is empty, `1 << 63` closed.
//!
//! * [`copy`]: arrays onto the tape and from it.
//! * [`storage`]: where the thread's own lies.
//! * [`target`]: where pops go, for profile mode.

pub(crate) mod copy;
pub(super) mod storage;
mod target;

use std::cell::Cell;
pub(crate) use target::Target;

/// Most bytes that one call moves: 2^47, the size of the user half of the address space.
pub(crate) const MAX_BYTES: usize = 1 << 47;
/// `cur`, `limit` and `floor` of a closed cursor: no less than what a scalar or a short record subtracts, below every
/// address.
pub(crate) const CLOSED: usize = 64;
/// The bit accumulator of a closed cursor: full for pushes, negative for pops.
pub(crate) const CLOSED_BITS: u64 = 1 << 63;
/// The empty bit accumulator.
pub(crate) const NO_BITS: u64 = 1;

/// The cold state, of which only `core.rs` knows more.
#[derive(Debug)]
pub struct Core {
    _of_core_rs: [u8; 0],
}

/// The hot state of a tape; what a handle points to. Its layout is known to the inline code of C programs.
#[derive(Debug)]
#[repr(C)]
pub struct Hot {
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
pub(crate) struct Home(*const Hot);

// SAFETY: an address. Another thread than the core's asks for the cursor in a child of fork only, where it is alone.
unsafe impl Send for Home {}

impl Home {
    pub(crate) fn new(cursor: &Hot) -> Home {
        Home(cursor)
    }

    pub(crate) fn is(self, cursor: &Hot) -> bool {
        std::ptr::eq(self.0, cursor)
    }

    pub(crate) fn cursor<'a>(self) -> &'a Hot {
        // SAFETY: a home cursor is boxed or thread-local and outlives its core, which alone calls this, and its place on
        // the roll, where a child of fork does; the reference is not kept.
        unsafe { &*self.0 }
    }
}

impl Hot {
    /// A closed cursor without a tape.
    pub(crate) const fn closed() -> Hot {
        Hot {
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
        n.wrapping_sub(1) < MAX_BYTES && self.cur.get().wrapping_add(n) <= self.limit.get()
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

    /// Pushes words where there is room.
    ///
    /// # Safety
    /// There is room: [`has_room`](Hot::has_room) said so, and nothing was pushed since.
    #[inline(always)]
    pub(crate) unsafe fn put_words_in_room<const N: usize>(&self, words: [u64; N]) {
        debug_assert!(self.has_room(size_of_val(&words)));
        let to = self.cur.get();
        // SAFETY: there is room at cur.
        unsafe { (to as *mut [u64; N]).write_unaligned(words) };
        self.cur.set(to + size_of_val(&words));
    }

    /// What [`put_words`](Hot::put_words) pushed, left on the tape, where that needs no slow path.
    #[inline(always)]
    pub(crate) fn top_words<const N: usize>(&self) -> Option<[u64; N]> {
        let there = self.has_bytes(size_of::<[u64; N]>());
        // SAFETY: that many bytes below cur were pushed.
        there.then(|| unsafe { ((self.cur.get() - size_of::<[u64; N]>()) as *const [u64; N]).read_unaligned() })
    }

    /// Changes the word that was pushed last, where that is at hand.
    #[inline(always)]
    pub(crate) fn change_top_word(&self, change: impl FnOnce(u64) -> u64) {
        if let Some([word]) = self.top_words() {
            // SAFETY: the word below cur was pushed.
            unsafe { ((self.cur.get() - size_of::<u64>()) as *mut u64).write_unaligned(change(word)) };
        }
    }

    /// Takes off so many of what [`top_words`](Hot::top_words) returned.
    #[inline(always)]
    pub(crate) fn drop_words(&self, count: usize) {
        debug_assert!(self.has_bytes(count * size_of::<u64>()));
        self.cur.set(self.cur.get() - count * size_of::<u64>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_cursor_sends_everything_to_the_slow_path() {
        let cursor = Hot::closed();
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
