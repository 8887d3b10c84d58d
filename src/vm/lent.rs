//! The idle parts of a span in other hands: perhaps another thread's, which may give their memory back.

use super::account::{Account, charge_on_way, refund_on_way};
use super::{PAGE, os, spare};
use crate::sync::Arc;

/// What a span's owner needs least: its oldest bytes, `[from, end)`, and memory above its top, `[warm, committed)`. The
/// span keeps off both until [`Span::take_back`](super::Span::take_back). All four are multiples of [`PAGE`].
pub(crate) struct Lent {
    /// Address of the span's offset 0. The span does not move while it has lent something.
    pub(super) base: usize,
    /// `[0, from)` has no memory; [`Lent::discard_first`] moves it up.
    pub(super) from: usize,
    pub(super) end: usize,
    pub(super) warm: usize,
    /// [`Lent::discard_warm`] moves it down.
    pub(super) committed: usize,
    pub(super) account: Arc<Account>,
}

impl Lent {
    /// Offset of the first byte that has memory.
    pub fn from(&self) -> usize {
        self.from
    }

    /// The end of what has memory.
    pub fn committed(&self) -> usize {
        self.committed
    }

    /// How many of the oldest bytes have memory.
    pub fn len(&self) -> usize {
        self.end - self.from
    }

    /// The first `n` of them.
    pub fn first(&self, n: usize) -> &[u8] {
        assert!(n <= self.len());
        // SAFETY: the range is committed and resident, and the span, whose cursor's floor lies at its end or above,
        // neither writes nor unmaps it before it is taken back.
        unsafe { std::slice::from_raw_parts((self.base + self.from) as *const u8, n) }
    }

    /// Leaves the first `n` of them, a multiple of [`PAGE`], and their memory to others. The span must not move while they
    /// are there, nor have them [`back`](super::Span::regain) before they are [left](Pages::leave).
    pub fn take_first(&mut self, n: usize) -> Pages {
        assert!(n <= self.len() && n.is_multiple_of(PAGE));
        self.account.send(n);
        let pages = Pages { address: self.base + self.from, size: n, resident: true, account: self.account.clone() };
        self.from += n;
        pages
    }

    /// Takes back `n` bytes that [`take_first`](Lent::take_first) left last, with their memory.
    pub fn regain_first(&mut self, n: usize) {
        assert!(n <= self.from);
        self.from -= n;
    }

    /// Gives back the memory behind the first `n` of them, a multiple of [`PAGE`].
    pub fn discard_first(&mut self, n: usize) {
        assert!(n <= self.len() && n.is_multiple_of(PAGE));
        os::discard(self.base + self.from, n);
        self.account.refund(n);
        self.from += n;
    }

    /// Bytes above the top that nobody needs.
    pub fn warm_bytes(&self) -> usize {
        self.committed - self.warm
    }

    /// Gives back the memory of the last `n` of them, a multiple of [`PAGE`].
    pub fn discard_warm(&mut self, n: usize) {
        assert!(n <= self.warm_bytes() && n.is_multiple_of(PAGE));
        self.committed -= n;
        os::decommit(self.base + self.committed, n);
        self.account.refund(n);
    }
}

/// Bytes of a span in other hands, perhaps without memory.
pub(crate) struct Pages {
    address: usize,
    size: usize,
    /// They have memory, which is on its way.
    resident: bool,
    account: Arc<Account>,
}

impl Pages {
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the range is mapped, and the span keeps off it.
        unsafe { std::slice::from_raw_parts(self.address as *const u8, self.size) }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `bytes`; the pages are borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.address as *mut u8, self.size) }
    }

    /// Gives the memory back; they stay accessible, with any contents.
    pub fn empty(&mut self) {
        if std::mem::take(&mut self.resident) {
            spare::discard(self.address, self.size);
            refund_on_way(self.account.budget(), self.size);
        }
    }

    /// Takes memory again. False if the budget has none.
    pub fn fill(&mut self) -> bool {
        if !self.resident && charge_on_way(self.account.budget(), self.size).is_ok() {
            spare::fill(self.address, self.size);
            self.resident = true;
        }
        self.resident
    }

    /// Leaves them to the span, with their memory.
    pub fn leave(mut self) {
        assert!(std::mem::take(&mut self.resident));
        self.account.receive(self.size);
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        self.empty();
    }
}
