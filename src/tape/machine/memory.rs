//! The memory of a tape: what is committed, lent, in the store, and how each becomes another.

#![forbid(unsafe_code)]

use super::Machine;
use super::lending::{KEPT, is_shortage};
use crate::error::{Error, Status, bytes};
use crate::store::Spill;
use crate::tape::aside::Aside;
use crate::tape::hot::copy;
use crate::tape::idle::{self, Part, Slot};
use crate::vm::{HUGE_PAGE, PAGE, Trim};
use std::ops::Range;

/// Read back from a store at once: large enough to be quick, small beside what is resident.
const UNSPILL_BYTES: usize = 4 << 20;
/// A tape with as much memory takes and leaves whole huge pages.
const LARGE: usize = 16 * HUGE_PAGE;

impl Machine {
    /// Attaches a store for the oldest part of the tape, none of which is in another one.
    pub fn set_store(&mut self, store: Box<dyn Spill>) -> Result<(), Error> {
        self.take_back();
        if self.span.discarded() > 0 {
            return Err(Error::new(
                Status::BadArgument,
                format!(
                    "a tape gets a store, but {} of it are in another one\n  give it the store before the first push",
                    bytes(self.span.discarded() as u64)
                ),
            ));
        }
        self.store = Some(Aside::Program(store));
        Ok(())
    }

    /// Lends all but `keep`, so that any thread that is short of memory may give that of the rest back: of what is above
    /// at once, of what is below after it has moved the contents to the store.
    fn lend(&mut self, keep: Range<usize>) {
        self.take_back();
        let keep = keep.start..keep.end.max(self.least_committed()).min(self.span.committed());
        // Another thread may read it.
        copy::fence();
        let part = Part { memory: self.span.lend(keep), store: self.store.take() };
        self.slot().lend(part);
        self.awaited = false;
    }

    /// Takes back what is lent, if anything is; what has gone to the store meanwhile is discarded.
    pub(super) fn take_back(&mut self) {
        if self.span.has_lent() {
            let part = self.slot.as_ref().and_then(|slot| slot.take_back()).expect("what was lent");
            self.span.take_back(part.memory);
            self.store = part.store;
            self.awaited = true;
        }
    }

    /// Where it lends its idle part.
    fn slot(&mut self) -> &Slot<Part> {
        self.slot.get_or_insert_with(|| idle::register(self.span.account()))
    }

    /// Says, before the tape takes memory up to `need`, that it may lend some in a moment: whoever is short meanwhile
    /// waits for that. A tape that is too small to lend anything says nothing.
    pub(super) fn announce(&mut self, need: usize) {
        if !self.awaited && (self.slot.is_some() || need >= self.lending.least) {
            self.slot().announce();
            self.awaited = true;
        }
    }

    /// Whether others may count on something being lent in a moment.
    pub fn is_awaited(&self) -> bool {
        self.awaited
    }

    /// Says that nothing is lent in a moment, if others may count on it.
    pub fn rest(&mut self) {
        if std::mem::take(&mut self.awaited)
            && let Some(slot) = &self.slot
        {
            slot.rest();
        }
    }

    /// Lends what is idle: all but the top and as much on either side of it, from where the next operation may move it
    /// by `reach` bytes. Small tapes, and large ones that have lent all of it already, are done here.
    #[inline(always)]
    pub fn lend_idle(&mut self, reach: usize) {
        let at_hand = self.span.at_hand();
        if at_hand.end - at_hand.start >= self.lending.least || self.awaited {
            self.lend_idle_part(reach);
        }
    }

    /// In a repeat region nothing of what was pushed is idle: what is popped there has to stay in memory.
    #[inline(never)]
    fn lend_idle_part(&mut self, reach: usize) {
        let (at_hand, is_scarce) = (self.span.at_hand(), self.span.is_scarce());
        let kept = self.lending.kept(self.cur, is_scarce);
        let start = if self.levels.is_empty() { self.cur.saturating_sub(reach + kept) } else { at_hand.start };
        let end = self.top().max(self.cur + reach).saturating_add(kept).min(at_hand.end);
        if start.saturating_sub(at_hand.start).max(at_hand.end - end) >= self.lending.worth_lending(self.cur, is_scarce)
        {
            self.lend(start.min(end)..end);
        }
        self.rest();
    }

    /// Commits memory up to `need`. Where there is none left, the largest idle part of any tape gives way, of this one
    /// all but the page of the top, and it is tried again.
    pub(super) fn commit(&mut self, need: usize) -> Result<(), Error> {
        self.take_back();
        let mut wish = self.whole_pages(need);
        if wish > self.span.reserved() {
            // It moves.
            self.leave(0);
        }
        loop {
            self.announce(need);
            match self.span.commit(wish) {
                Err(error) if is_shortage(&error) => {
                    self.lend(self.cur.saturating_sub(1)..self.span.committed());
                    let made = self.make_way((wish - self.span.committed()).next_multiple_of(PAGE), error);
                    self.take_back();
                    match made {
                        Err(_) if wish > need => wish = need,
                        made => made?,
                    }
                }
                done => return done,
            }
        }
    }

    /// Where memory up to `need` should end: a large tape takes whole huge pages, which cost less than a part in small ones.
    fn whole_pages(&self, need: usize) -> usize {
        match self.span.fixed_step() {
            None if self.span.resident_bytes() >= LARGE || self.span.discarded() >= LARGE => {
                need.checked_next_multiple_of(HUGE_PAGE).unwrap_or(need)
            }
            _ => need,
        }
    }

    /// Lets idle parts of tapes give way to what is `short`; the error, if they cannot.
    fn make_way(&mut self, short: usize, error: Error) -> Result<(), Error> {
        self.rest();
        // Where the machine is out of memory, room below the limit is of no use.
        let room = || if error.status() == Status::MemoryLimit { self.span.room() } else { 0 };
        if !idle::wait_for(short, error.status(), room) {
            return Err(error);
        }
        match idle::give_way(short, error.status()) {
            // Others may have been quicker, and it is tried again.
            Ok(_) => Ok(()),
            Err(cause) => Err(cause.with_line(error.message())),
        }
    }

    /// Gives memory back that others are short of, `wanted` bytes if there are as many: what is kept warm above the
    /// top, then the largest idle part of any tape. Whether there was any.
    pub fn relieve(&mut self, wanted: usize) -> Result<bool, Error> {
        let before = self.span.committed();
        self.trim_above(self.top() + PAGE, Trim::Hard);
        let trimmed = before - self.span.committed();
        if trimmed >= wanted {
            return Ok(true);
        }
        if self.writing() {
            self.lend(self.cur.saturating_sub(KEPT)..self.span.committed());
        }
        self.rest();
        let short = Status::MemoryLimit;
        Ok(idle::wait_for(1, short, || 0) && idle::give_way(wanted - trimmed, short)? || trimmed > 0)
    }

    /// Has the store keep off the memory at `from` and above.
    fn leave(&mut self, from: usize) {
        if let Some(store) = &mut self.store {
            store.leave(from);
        }
    }

    /// Brings back `n` bytes below `cur`, and more where memory allows; less, but some, where it does not.
    pub(super) fn unspill(&mut self, n: usize) -> Result<(), Error> {
        while self.give_back()? {
            if self.contiguous() >= n.min(self.cur - self.floor) {
                return Ok(());
            }
        }
        self.read_some(n)
    }

    /// Takes what lies below the memory of the tape back from the store as it is, in the memory that what lies above the top
    /// leaves. Whether that could be.
    fn give_back(&mut self) -> Result<bool, Error> {
        let end = self.span.discarded();
        if end == 0 || end > self.cur {
            return Ok(false);
        }
        let wanted = self.span.short_of(self.store.as_ref().map_or(0, Aside::reads_ahead));
        if wanted > 0 {
            let above = self.top().saturating_add(self.lending.kept(self.cur, true));
            self.trim_above(self.whole_pages(above.max(self.span.committed().saturating_sub(wanted))), Trim::Hard);
        }
        let store = self.store.as_mut().expect("spilled only with a store");
        let bytes = store.give_back(end)?;
        self.span.regain(bytes.unwrap_or(0));
        Ok(bytes.is_some())
    }

    /// Gives back what the store has at the top and above it, which was discarded.
    pub(super) fn drop_above_top(&mut self) {
        let end = self.top();
        if end < self.span.at_hand().start {
            self.take_back();
            if end < self.span.discarded()
                && let Some(store) = &mut self.store
            {
                store.drop_above(end);
            }
        }
    }

    /// Reads bytes below `cur` back into memory of our own.
    fn read_some(&mut self, n: usize) -> Result<(), Error> {
        let to = self.span.discarded().min(self.cur);
        let mut wish = n.max(UNSPILL_BYTES);
        loop {
            let lowest = self.cur.saturating_sub(wish).max(self.floor).min(to - 1);
            let page = if self.span.fixed_step().is_none() && wish >= UNSPILL_BYTES { HUGE_PAGE } else { PAGE };
            match self.read_back(lowest / page * page) {
                Err(error) if is_shortage(&error) && wish > PAGE => wish /= 2,
                done => return done,
            }
        }
    }

    /// Makes `[from, discarded)` resident again, and fills from the store what of it is on the tape, or will be again
    /// after a reset; `from` begins a page. On error the tape is as it was.
    fn read_back(&mut self, from: usize) -> Result<(), Error> {
        let (before, top) = (self.span.discarded(), self.top());
        self.undiscard(from, top)?;
        let to = before.min(top);
        let store = self.store.as_mut().expect("spilled only with a store");
        store.read(from, self.span.slice_mut(from, to - from)).inspect_err(|_| {
            let end = self.span.committed();
            let mut again = self.span.lend(before.min(end)..end);
            again.discard_first(again.len());
            self.span.take_back(again);
        })
    }

    /// Makes the page that `at`, above all that is needed, lies in resident, with what is on the tape below `at`. On
    /// error nothing has changed.
    pub(super) fn bring_top_back(&mut self, at: usize) -> Result<(), Error> {
        self.take_back();
        if at >= self.span.discarded() {
            return Ok(());
        }
        let from = at / PAGE * PAGE;
        let mut below = vec![0; at - from];
        if !below.is_empty() {
            let store = self.store.as_mut().expect("spilled only with a store");
            store.read(from, &mut below)?;
        }
        self.undiscard(from, at)?;
        if !below.is_empty() {
            self.span.write(from, &below);
        }
        Ok(())
    }

    /// Gives `[from, discarded)` memory again; nothing above `need` is needed.
    fn undiscard(&mut self, from: usize, need: usize) -> Result<(), Error> {
        self.leave(from);
        loop {
            self.announce(need);
            match self.span.undiscard(from, need) {
                Err(error) if is_shortage(&error) => self.make_way((need - from).next_multiple_of(PAGE), error)?,
                done => return done,
            }
        }
    }

    /// Gives back memory above what is needed.
    pub fn trim(&mut self, how: Trim) {
        self.trim_above(self.top(), how);
    }

    /// Gives back memory above `keep`.
    fn trim_above(&mut self, keep: usize, how: Trim) {
        self.take_back();
        self.span.trim(keep.max(self.least_committed()), how);
    }

    /// Above what is in the store a page stays: pops need one to read the rest back.
    fn least_committed(&self) -> usize {
        match self.span.discarded() {
            0 => 0,
            discarded => discarded + PAGE,
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.take_back();
        // Before the memory that it may be at work on.
        self.store = None;
    }
}
