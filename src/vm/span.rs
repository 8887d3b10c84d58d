//! A contiguous span of reserved address space, committed from the bottom up.
//!
//! ```text
//!   base                    committed                          reserved
//!    |--- small pages --|--- huge pages ---|..... no memory ......|
//!    0                 2 MiB
//!
//!    |== discarded ==|== lent ==|==== at hand ====|== lent ==|
//! ```
//!
//! What is *discarded* stays addressable, has no memory and is not charged to the budget. What is *lent* is in other
//! hands ([`Lent`]), which may give its memory back.
//!
//! Huge pages cost a fraction of small ones, unless the kernel has none ready: in a virtual machine that gives free
//! memory back, the host has to find each anew, while small ones come from what the machine has kept. So the first of
//! each step is timed. Where two in succession are slow, the span goes on with small pages, and tries a huge one again
//! now and then.
//!
//! A span that is outgrown moves to a larger reservation; offsets stay, addresses change. Pages are moved, not
//! copied.

mod relocate;

use super::account::Account;
#[cfg(test)]
use super::budget::Budget;
use super::budget::process;
use super::lent::Lent;
use super::{HUGE_PAGE, PAGE, os, round_up, spare};
use crate::error::{Error, Status, bytes};
use crate::settings::settings;
use crate::sync::Arc;
use std::ops::Range;
use std::time::Duration;

/// Address space reserved at first.
const RESERVE: usize = 64 << 30;
/// All spans of a process together reserve at most this much beyond what they need: a quarter of 2^47. Under
/// `RLIMIT_AS`, an eighth of what that leaves.
const RESERVE_CAP: usize = 1 << 45;
/// The base of a span without address space: nothing lies there, and an address a few bytes below does not wrap, so that
/// the compares of a cursor on an empty tape come out right.
const UNRESERVED: usize = PAGE;
const FIRST_STEP: usize = 64 << 10;
const LARGEST_STEP: usize = 64 << 20;

/// More than this for a huge page is slow: small pages for as much take less.
const SLOW_HUGE_PAGE: Duration = Duration::from_micros(1500);
/// So many slow ones in succession are no chance.
const SLOW_HUGE_PAGES: u32 = 2;
/// Behind so many bytes of small pages a huge one is tried: if it is slow, it takes a small part of their time.
const SMALL_STRETCH: usize = 256 << 20;

/// Which pages a span asks for above its first 2 MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pages {
    /// As the system gives them.
    Unasked,
    /// So many in succession were slow to come.
    Huge { slow: u32 },
    /// Since so many bytes, because huge ones were slow to come.
    Small { bytes: usize },
}

/// What trimming does with the pages that are not needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trim {
    /// The kernel may take them when it is short of memory; they stay committed and cheap to use again.
    Soft,
    /// They are given back now.
    Hard,
}

/// Reserved address space with a committed part at its bottom.
pub(crate) struct Span {
    /// Address of offset 0, a multiple of [`HUGE_PAGE`]; [`UNRESERVED`] while `reserved` is 0.
    base: usize,
    reserved: usize,
    /// `committed <= reserved`, both multiples of [`PAGE`].
    committed: usize,
    /// `[0, discarded)` has no memory; a multiple of [`PAGE`], at most `committed`.
    discarded: usize,
    /// Where the rest begins and ends while something is lent.
    kept: Option<Range<usize>>,
    /// Offsets at which the kernel keeps separate mappings, ascending: pages move one mapping at a time.
    seams: Vec<usize>,
    moves: u64,
    account: Arc<Account>,
    /// Size that memory is committed in, for tests; 0: as the module says.
    step: usize,
    first_reserve: usize,
    pages: Pages,
}

impl Span {
    /// A span without address space.
    pub fn new() -> Result<Span, Error> {
        let settings = settings()?;
        Ok(Span {
            base: UNRESERVED,
            reserved: 0,
            committed: 0,
            discarded: 0,
            kept: None,
            seams: Vec::new(),
            moves: 0,
            account: Account::new(process()),
            step: settings.step.map_or(0, |n| (n as usize).next_multiple_of(PAGE)),
            first_reserve: settings.reserve.map_or(RESERVE, |n| n as usize),
            pages: if settings.huge_pages { Pages::Huge { slow: 0 } } else { Pages::Unasked },
        })
    }

    /// A span with its own sizes of steps and of the first reservation.
    #[cfg(test)]
    pub fn with_steps(step: usize, first_reserve: usize) -> Span {
        let mut span = Span::new().unwrap();
        span.step = step;
        span.first_reserve = first_reserve;
        span
    }

    /// This span, which charges another budget than the process's.
    #[cfg(test)]
    pub fn charged_to(mut self, budget: &'static Budget) -> Span {
        self.account = Account::new(budget);
        self
    }

    /// What it has, as others may know it.
    pub fn account(&self) -> Arc<Account> {
        self.account.clone()
    }

    /// Address of offset 0.
    pub fn base(&self) -> usize {
        self.base
    }

    /// The end of what has memory, as far as is known while some is lent.
    pub fn committed(&self) -> usize {
        self.committed
    }

    /// Bytes that have memory, as far as is known while some are lent.
    pub fn resident_bytes(&self) -> usize {
        self.committed - self.discarded
    }

    /// Bytes at the bottom that have no memory, as far as is known while some are lent.
    pub fn discarded(&self) -> usize {
        self.discarded
    }

    /// What may be read and written.
    pub fn at_hand(&self) -> Range<usize> {
        self.kept.clone().unwrap_or(self.discarded..self.committed)
    }

    /// Bytes of address space.
    pub fn reserved(&self) -> usize {
        self.reserved
    }

    /// How often it moved.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// The fixed step, where tests ask for one.
    pub fn fixed_step(&self) -> Option<usize> {
        (self.step != 0).then_some(self.step)
    }

    /// Commits at least the first `need` bytes. May change [`Span::base`]. On error nothing has changed but,
    /// possibly, the base.
    pub fn commit(&mut self, need: usize) -> Result<(), Error> {
        assert!(!self.has_lent());
        let need = round_up(need, PAGE).ok_or_else(|| absurd(need))?;
        if need <= self.committed {
            return Ok(());
        }
        if need > self.reserved {
            self.relocate(need)?;
        }
        let mut target = self.step_target(need).clamp(need, self.reserved);
        loop {
            match self.commit_exactly(target) {
                Ok(()) => return Ok(()),
                Err(error) if target == need => return Err(error),
                Err(_) => target = self.half_way(need, target),
            }
        }
    }

    /// Half as much beyond `need` as up to `target`, to the end of a huge page if that is not below `need`: the kernel gives
    /// small pages where only a part of a huge one may be used.
    fn half_way(&self, need: usize, target: usize) -> usize {
        let half = need + (target - need) / 2;
        let whole = half / HUGE_PAGE * HUGE_PAGE;
        if self.step == 0 && whole >= need { whole } else { half / PAGE * PAGE }
    }

    /// Bytes below the memory limit that nobody has taken.
    pub fn room(&self) -> usize {
        self.account.budget().room() as usize
    }

    /// Bytes that have to be given back before `n` more can be taken.
    pub fn short_of(&self, n: usize) -> usize {
        self.account.budget().short_of(n as u64) as usize
    }

    /// Whether tapes have so much of their memory that each should leave to others what it does not need.
    pub fn is_scarce(&self) -> bool {
        self.account.budget().is_scarce()
    }

    /// Where the committed part should end when `need` bytes are wanted.
    fn step_target(&self, need: usize) -> usize {
        let target = if self.step != 0 {
            need.checked_next_multiple_of(self.step)
        } else if need <= FIRST_STEP {
            Some(FIRST_STEP)
        } else if need <= HUGE_PAGE {
            Some(need.next_power_of_two())
        } else {
            let step = self.committed.clamp(HUGE_PAGE, LARGEST_STEP);
            round_up(need.max(self.committed.saturating_add(step)), HUGE_PAGE)
        };
        target.unwrap_or(need)
    }

    fn commit_exactly(&mut self, target: usize) -> Result<(), Error> {
        let more = target - self.committed;
        self.account.charge(more)?;
        let start = self.base + self.committed;
        if let Err(cause) = os::commit(start, more).and_then(|()| os::leave_headroom()) {
            os::decommit(start, more);
            spare::drain();
            self.account.refund(more);
            return Err(os::refused("memory", more, self.committed, &cause));
        }
        if self.discarded > 0 {
            spare::fill(start, more);
        }
        let first = self.committed.next_multiple_of(HUGE_PAGE).max(HUGE_PAGE);
        self.committed = target;
        if first + HUGE_PAGE <= target && self.tries_huge_page(first, more) {
            self.judge_huge_page(first, os::touch(self.base + first));
        }
        Ok(())
    }

    /// Whether the page at `offset`, the first whole huge one of `more` bytes that were committed, shall be huge.
    fn tries_huge_page(&mut self, offset: usize, more: usize) -> bool {
        match &mut self.pages {
            Pages::Unasked => return false,
            Pages::Huge { .. } => {}
            Pages::Small { bytes } => {
                *bytes += more;
                if *bytes < SMALL_STRETCH {
                    return false;
                }
                os::advise_huge(self.base + offset, HUGE_PAGE);
            }
        }
        true
    }

    /// Goes on with small pages, or with huge ones, as the one at `offset` and those before came.
    fn judge_huge_page(&mut self, offset: usize, took: Duration) {
        let (slow, next) = (took > SLOW_HUGE_PAGE, offset + HUGE_PAGE);
        let (above, rest) = (self.base + next, self.reserved - next);
        self.pages = match self.pages {
            Pages::Huge { slow: before } if slow && before + 1 >= SLOW_HUGE_PAGES => {
                os::advise_small(above, rest);
                self.seams.push(next);
                Pages::Small { bytes: 0 }
            }
            Pages::Huge { slow: before } => Pages::Huge { slow: if slow { before + 1 } else { 0 } },
            Pages::Small { .. } if slow => {
                os::advise_small(self.base + offset, HUGE_PAGE);
                Pages::Small { bytes: 0 }
            }
            Pages::Small { .. } => {
                os::advise_huge(above, rest);
                self.seams.push(offset);
                Pages::Huge { slow: 0 }
            }
            Pages::Unasked => Pages::Unasked,
        };
    }

    /// Writes committed bytes.
    pub fn write(&mut self, offset: usize, bytes: &[u8]) {
        self.slice_mut(offset, bytes.len()).copy_from_slice(bytes);
    }

    /// Committed bytes.
    pub fn slice(&self, offset: usize, size: usize) -> &[u8] {
        self.check(offset, size);
        // SAFETY: the range is committed, and whoever writes to it through an address has no call under way.
        unsafe { std::slice::from_raw_parts((self.base + offset) as *const u8, size) }
    }

    /// Committed bytes, to be written.
    pub fn slice_mut(&mut self, offset: usize, size: usize) -> &mut [u8] {
        self.check(offset, size);
        // SAFETY: as for `slice`; the span is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut((self.base + offset) as *mut u8, size) }
    }

    /// Moves committed bytes down from `from` to `to`; the ranges may overlap.
    pub fn move_down(&mut self, from: usize, to: usize, size: usize) {
        debug_assert!(to <= from);
        self.slice_mut(to, from - to + size).copy_within(from - to.., 0);
    }

    fn check(&self, offset: usize, size: usize) {
        let (at_hand, end) = (self.at_hand(), offset.checked_add(size));
        assert!(
            self.reserved > 0 && offset >= at_hand.start && end.is_some_and(|end| end <= at_hand.end),
            "[{offset}, {offset} + {size}) is not at hand"
        );
    }

    /// Gives back memory behind what lies above the first `keep` bytes.
    pub fn trim(&mut self, keep: usize, how: Trim) {
        assert!(!self.has_lent());
        let keep = round_up(keep, if self.step != 0 { PAGE } else { FIRST_STEP }).unwrap_or(usize::MAX);
        if keep >= self.committed {
            return;
        }
        let (start, size) = (self.base + keep, self.committed - keep);
        match how {
            Trim::Soft => os::make_reclaimable(start, size),
            Trim::Hard => {
                if self.discarded > 0 {
                    spare::discard(start, size);
                }
                os::decommit(start, size);
                self.account.refund(size);
                self.committed = keep;
            }
        }
    }

    /// Puts all but the pages that `keep` meets into other hands, until [`Span::take_back`].
    pub fn lend(&mut self, keep: Range<usize>) -> Lent {
        assert!(!self.has_lent() && keep.start <= keep.end && keep.end <= self.committed);
        let end = (keep.start / PAGE * PAGE).max(self.discarded);
        let warm = keep.end.next_multiple_of(PAGE).max(end);
        self.kept = Some(end..warm);
        Lent {
            base: self.base,
            from: self.discarded,
            end,
            warm,
            committed: self.committed,
            account: self.account.clone(),
        }
    }

    pub fn has_lent(&self) -> bool {
        self.kept.is_some()
    }

    /// Takes back what [`Span::lend`] returned.
    pub fn take_back(&mut self, lent: Lent) {
        debug_assert!(self.has_lent());
        (self.discarded, self.committed, self.kept) = (lent.from(), lent.committed(), None);
    }

    /// Counts the last `n` discarded bytes as its own again, with the memory that they have.
    pub fn regain(&mut self, n: usize) {
        assert!(!self.has_lent() && n <= self.discarded);
        self.discarded -= n;
    }

    /// Gives `[from, discarded)` memory again, which reads as zero; nothing above `need` is needed. Takes no more memory
    /// than there is as long as `[from, need)` fits into that: the same number of bytes lower down. On error nothing has
    /// changed.
    pub fn undiscard(&mut self, from: usize, need: usize) -> Result<(), Error> {
        assert!(!self.has_lent() && from.is_multiple_of(PAGE) && from <= self.discarded && need >= from);
        let resident = self.resident_bytes();
        let need = round_up(need, PAGE).ok_or_else(|| absurd(need))?;
        let end = need.max(from + resident);
        self.account.charge(end - from - resident)?;
        if end < self.committed {
            os::decommit(self.base + end, self.committed - end);
            self.committed = end;
        }
        self.discarded = from;
        Ok(())
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        // What is still lent may be read by another thread: better lost than unmapped.
        debug_assert!(!self.has_lent());
        if self.reserved > 0 && !self.has_lent() {
            self.account.unsettle();
            spare::forget(self.base, self.reserved);
            os::release(self.base, self.reserved);
            self.account.settle(0, 0);
            self.account.refund(self.resident_bytes());
        }
    }
}

#[cold]
fn absurd(need: usize) -> Error {
    Error::new(Status::CountRange, format!("a tape of {} does not fit into the address space", bytes(need as u64)))
}

#[cfg(test)]
mod tests;
