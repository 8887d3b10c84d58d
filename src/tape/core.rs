//! The cold part of a tape, and its slow path.
//!
//! The slow path does not perform a push or pop: it makes exactly that one operation possible and leaves it to
//! the caller, who was about to do it. *Watched* is a tape in check or profile mode: there the cursor is a
//! window that lets one operation pass and then is closed, so that each takes the slow path and is seen.
//!
//! While the cursor is open, the truth about `cur` and `bits` is in the cursor; while it is closed
//! ([`Core::detached`]), it is here.

#![forbid(unsafe_code)]

use super::bits;
use super::branches::Branches;
use super::failure::located;
use super::hot::{CLOSED_BITS, Home, Hot, MAX_BYTES, Target, copy};
use super::idle;
use super::machine::Machine;
use super::owner::{self, Owner};
use super::profile::Profile;
use super::roll::Enrolled;
use super::types::Type;
use super::watch::{Load, Watch};
use crate::error::{Error, Status, bytes};
use crate::settings::settings;
use crate::site::Site;
use crate::store::Spill;
use crate::sync::{StaticCounter, UNORDERED};
use crate::vm::{Span, Trim};
use quick::Quick;

/// A watched tape looks for what is idle at every so many operations, and at those on so many bytes.
const LENT_EVERY: u64 = 64;
const LENT_AT_ONCE: usize = 1 << 16;

/// All of a tape but its cursor.
pub(crate) struct Core {
    pub(super) machine: Machine,
    /// The cursor that handles point to.
    home: Home,
    /// The state is in `machine`, not in a cursor.
    detached: bool,
    /// The state is lent to a local cursor; the home cursor is closed.
    attached: bool,
    /// What the next operations may do without the slow path, on a watched tape.
    quick: Quick,
    pub(super) watch: Option<Box<Watch>>,
    pub(super) profile: Option<Box<Profile>>,
    /// What was decided, while a test listens.
    pub(super) branches: Option<Box<Branches>>,
    /// Serves pops that straddle two pieces of the tape.
    bounce: Vec<u8>,
    /// A number of the words that are being popped together.
    pub(super) words: u64,
    pub(super) owner: Owner,
    poison: Option<String>,
    pub(super) slow_calls: u64,
    /// Dropped last.
    enrolled: Enrolled,
}

impl Drop for Core {
    fn drop(&mut self) {
        self.enrolled.leave();
    }
}

impl Core {
    /// The core of a cursor; null before its first use.
    pub(crate) fn of(cursor: &Hot) -> *mut Core {
        cursor.core.get().cast()
    }

    /// Makes this the cold part of a cursor, which [`of`](Core::of) finds. Boxed again, it is freed.
    pub(crate) fn give_to(self: Box<Core>, cursor: &Hot) {
        cursor.core.set(Box::into_raw(self).cast());
    }

    /// A tape without memory, for the calling thread, whose cursor is `home`.
    pub(crate) fn new(home: &Hot, owner: Owner) -> Result<Box<Core>, Error> {
        static NEXT_ID: StaticCounter = StaticCounter::new(1);
        let settings = settings()?;
        idle::configure();
        let mut accounts = Vec::new();
        let mut new_span = || Span::new().inspect(|span| accounts.push(span.account()));
        let mut machine = Machine::new(new_span()?);
        let watched = settings.check || settings.profiles();
        if settings.profiles() {
            super::ending::say_profile_at_end();
        }
        machine.set_exact(watched);
        let watch = watched.then(|| new_span().map(|span| Watch::new(span, settings.check))).transpose()?;
        let home = Home::new(home);
        let enrolled = Enrolled::new(NEXT_ID.fetch_add(1, UNORDERED), owner.clone(), home, accounts);
        Ok(Box::new(Core {
            machine,
            home,
            detached: true,
            attached: false,
            quick: Quick::NOTHING,
            watch: watch.map(Box::new),
            profile: settings.profiles().then(Box::default),
            branches: None,
            bounce: Vec::new(),
            words: 0,
            owner,
            poison: None,
            slow_calls: 0,
            enrolled,
        }))
    }

    pub(super) fn id(&self) -> u64 {
        self.enrolled.id()
    }

    fn watched(&self) -> bool {
        self.watch.is_some() || self.profile.is_some() || self.branches.is_some()
    }

    // ---- between cursor and machine ----------------------------------------------------------------

    /// Begins an operation: checks that the tape may be used through `cursor`, and takes the state over.
    pub(super) fn enter(&mut self, cursor: &Hot) -> Result<(), Error> {
        self.slow_calls += 1;
        self.owner.check()?;
        if let Some(why) = &self.poison {
            return Err(Error::new(
                Status::Poisoned,
                format!("the tape is unusable since an earlier failure:\n  {why}"),
            ));
        }
        if self.attached && self.home.is(cursor) {
            return Err(Error::new(
                Status::Attached,
                "the tape is attached to a local cursor and cannot be used through its handle\n  \
                 use the local cursor, or call adtape_detach first",
            ));
        }
        if !self.detached {
            self.machine.load(cursor);
            self.detached = true;
        }
        self.quick = Quick::NOTHING;
        self.see_last();
        Ok(())
    }

    /// Ends an operation: opens the cursor, or leaves it closed where everything is watched or nothing works any more.
    pub(super) fn leave(&mut self, cursor: &Hot) {
        self.leave_for(cursor, 0, self.machine.len());
    }

    /// Ends an operation that made the push or pop of `n` bytes possible, which is next; after it the tape has `len`.
    fn leave_for(&mut self, cursor: &Hot, n: usize, len: usize) {
        if !self.watched()
            || self.watch.as_ref().is_some_and(|watch| watch.rests())
            || n >= LENT_AT_ONCE
            || self.machine.is_awaited()
            || self.slow_calls.is_multiple_of(LENT_EVERY)
        {
            self.machine.lend_idle(n);
            if let Some(watch) = &mut self.watch {
                let (resident, spilled) = self.machine.sizes();
                watch.tick(self.machine.len() as u64, resident, spilled);
            }
            if self.open_to_rest(cursor, len) {
                return;
            }
        }
        if self.watched() || self.poison.is_some() {
            let awake = self.watch.as_ref().is_some_and(|watch| !watch.rests());
            if self.poison.is_none() && awake && self.branches.is_none() {
                self.calm_down(cursor);
            }
            cursor.close();
        } else {
            self.machine.store(cursor);
            self.detached = false;
        }
    }

    /// Leaves to others what the tape does not need soon.
    fn lend_idle(&mut self, reach: usize) {
        self.machine.lend_idle(reach);
        if let Some(watch) = &mut self.watch {
            watch.lend_idle();
        }
    }

    /// Runs `operation` on the machine, for the calls that do all of their work here.
    pub(super) fn with<R>(
        &mut self,
        cursor: &Hot,
        operation: impl FnOnce(&mut Core) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.enter(cursor)?;
        let result = operation(self);
        self.leave(cursor);
        result
    }

    /// Makes every later call fail: something was lost.
    pub(super) fn poison(&mut self, error: &Error) {
        self.poison = Some(error.message().to_owned());
    }

    // ---- room for one push or pop ------------------------------------------------------------------

    /// Makes a push of `count` values possible through `cursor`; of none, it does nothing. They come from the address
    /// `from`; 0 if that is not known.
    #[inline]
    pub(crate) fn push_room(
        &mut self,
        cursor: &Hot,
        ty: Type,
        count: i64,
        site: Site,
        from: usize,
    ) -> Result<(), Error> {
        if count == 1 && self.quick_push(cursor, ty, site, from) {
            return Ok(());
        }
        self.push_room_any(cursor, ty, count, site, from)
    }

    #[inline(never)]
    fn push_room_any(&mut self, cursor: &Hot, ty: Type, count: i64, site: Site, from: usize) -> Result<(), Error> {
        let n = byte_count("push", ty, count, site)?;
        self.enter(cursor).map_err(|e| located(e, "push", ty, count, site))?;
        let room = self.machine.make_room(n);
        let noted = room.and_then(|()| match n {
            0 => Ok(()),
            _ => self.note_push(Load { ty, count: count as u64 }, n, site, from),
        });
        let n = if noted.is_ok() { n } else { 0 };
        self.leave_for(cursor, n, self.machine.len() + n);
        noted.map_err(|e| located(e, "push", ty, count, site))?;
        if self.detached && n > 0 {
            let from = self.machine.address(self.machine.cur());
            self.machine.advance(n);
            cursor.window(from, from + n);
        }
        Ok(())
    }

    /// Makes a pop of `count` values possible through `cursor`; of none, it does nothing. The caller copies them into
    /// `into`.
    #[inline]
    pub(crate) fn pop_room(
        &mut self,
        cursor: &Hot,
        ty: Type,
        count: i64,
        site: Site,
        into: Target,
    ) -> Result<(), Error> {
        if count == 1 && self.quick_pop(cursor, ty, site, into) {
            return Ok(());
        }
        self.pop_room_any(cursor, ty, count, site, into)
    }

    #[inline(never)]
    fn pop_room_any(&mut self, cursor: &Hot, ty: Type, count: i64, site: Site, into: Target) -> Result<(), Error> {
        let n = byte_count("pop", ty, count, site)?;
        self.enter(cursor).map_err(|e| located(e, "pop", ty, count, site))?;
        match self.prepare_pop(Load { ty, count: count as u64 }, n, site, into) {
            Ok(true) => {
                self.leave_for(cursor, n, self.machine.len() - n);
                if self.detached && n > 0 {
                    self.machine.retreat(n);
                    let to = self.machine.address(self.machine.cur());
                    cursor.window(to + n, to);
                }
                Ok(())
            }
            Ok(false) => {
                self.lend_idle(0);
                let to = self.bounce.as_ptr() as usize;
                cursor.window(to + n, to);
                Ok(())
            }
            Err(error) => {
                self.leave(cursor);
                Err(located(error, "pop", ty, count, site))
            }
        }
    }

    /// Whether `n` bytes now lie contiguous below `cur`; if not, they were popped into the bounce buffer.
    fn prepare_pop(&mut self, load: Load, n: usize, site: Site, into: Target) -> Result<bool, Error> {
        if n == 0 {
            return Ok(true);
        }
        let have = self.machine.len();
        if n > have {
            // In check mode it is a mismatch, with the push that it meets: no record is of more than there is.
            self.meet(load, site)?;
            return Err(Error::new(
                Status::Underflow,
                format!(
                    "the tape holds {} only\n  \
                     the reverse sweep pops more than the forward sweep pushed; \
                     run with ADTAPE_CHECK=1 to see the first push and pop that do not match",
                    bytes(have as u64)
                ),
            ));
        }
        let met = self.meet(load, site)?;
        self.machine.make_contiguous(n).map_err(|error| self.at(error)).inspect_err(|error| {
            self.poison = Some(error.message().to_owned());
        })?;
        if n <= self.machine.contiguous() {
            if let (Some(watch), Some(met)) = (&mut self.watch, met) {
                let compared = watch.compare(met, self.machine.last(n), load, site);
                compared.map_err(|e| self.at(e))?;
            }
            let held = if self.profiles() { into.held(self.machine.last(n)) } else { 0 };
            self.popped_into(met, load, n, site, held);
            return Ok(true);
        }
        self.bounce.resize(n, 0);
        let popped = self.machine.pop(&mut self.bounce).map_err(|error| self.at(error));
        popped.inspect_err(|error| self.poison(error))?;
        if let (Some(watch), Some(met)) = (&mut self.watch, met)
            && let Err(error) = watch.compare(met, &self.bounce, load, site)
        {
            self.machine.push(&self.bounce)?;
            return Err(self.at(error));
        }
        let held = if self.profiles() { into.held(&self.bounce) } else { 0 };
        self.popped_into(met, load, n, site, held);
        Ok(false)
    }

    // ---- local cursors, hand-over ------------------------------------------------------------------

    /// Lends the state to a local cursor.
    pub(crate) fn attach(&mut self, home: &Hot, local: &Hot) -> Result<(), Error> {
        self.enter(home)?;
        home.close();
        self.attached = true;
        local.core.set(home.core.get());
        local.edge.set(home.edge.get());
        self.leave(local);
        Ok(())
    }

    /// Takes the state back from a local cursor, which is closed.
    pub(crate) fn detach(&mut self, local: &Hot) -> Result<(), Error> {
        if !self.attached {
            return Err(Error::new(
                Status::Attached,
                "adtape_detach of a cursor that is not attached\n  adtape_attach comes first, one detach for each",
            ));
        }
        self.enter(local)?;
        local.close();
        local.core.set(std::ptr::null_mut());
        self.attached = false;
        let home = self.home;
        self.leave(home.cursor());
        Ok(())
    }

    /// Gives the tape up: no thread may use it until [`acquire`](Core::acquire). Its state is in the machine.
    pub(crate) fn release(&mut self, cursor: &Hot) -> Result<(), Error> {
        self.enter(cursor)?;
        cursor.close();
        copy::fence();
        self.lend_idle(0);
        self.quick = Quick::NOTHING;
        owner::between_forks(|| self.owner.release());
        Ok(())
    }

    /// Claims a released tape for the calling thread.
    pub(crate) fn acquire(&mut self, cursor: &Hot) -> Result<(), Error> {
        owner::between_forks(|| self.owner.acquire())?;
        self.leave(cursor);
        Ok(())
    }

    /// Whether a child of fork has lost it: nothing but its owner may be read then.
    pub(super) fn is_lost(&self) -> bool {
        self.owner.is_lost()
    }

    /// Checks that the calling thread may free the tape: it is its own or nobody's, and not in use by a local cursor.
    pub(crate) fn may_be_freed(&mut self, cursor: &Hot) -> Result<(), Error> {
        if self.owner.is_nobody() || self.is_lost() {
            return Ok(());
        }
        self.poison = None; // does not matter any more
        self.enter(cursor)
    }

    /// Makes `cursor` the one that handles point to; the state must be in the machine.
    pub(crate) fn move_home(&mut self, cursor: &Hot) {
        debug_assert!(self.detached);
        self.home = Home::new(cursor);
        self.enrolled.move_home(self.home);
    }

    /// Gives back memory above the top.
    pub(crate) fn trim(&mut self, how: Trim) {
        self.machine.trim(how);
        self.bounce = Vec::new();
        if let Some(watch) = &mut self.watch {
            watch.trim(how);
        }
    }

    /// Gives memory back that others are short of; whether there was any.
    pub(crate) fn relieve(&mut self, wanted: usize) -> Result<bool, Error> {
        self.machine.relieve(wanted)
    }

    /// Gives the tape a store to spill to.
    pub(crate) fn set_store(&mut self, store: Box<dyn Spill>) -> Result<(), Error> {
        self.machine.set_store(store)
    }

    /// Whether no other thread uses it.
    pub(super) fn may_be_read(&self) -> bool {
        self.owner.is_thread() && (self.owner.check().is_ok() || self.owner.is_nobody())
    }

    /// [`leftover`](Core::leftover) for the cursor that handles point to.
    pub(super) fn leftover_at_home(&mut self) -> usize {
        let home = self.home;
        self.leftover(home.cursor())
    }

    /// Bytes on the tape and at most, and whether it is watched and does not rest.
    pub(super) fn sizes_as_they_are(&mut self, cursor: &Hot) -> ((u64, u64), bool) {
        self.leftover(cursor);
        let sizes = (self.machine.len() as u64, self.machine.peak() as u64);
        (sizes, self.detached && self.watched())
    }

    /// Bytes on the tape, control bits included as the bytes that they fill.
    pub(crate) fn leftover(&mut self, cursor: &Hot) -> usize {
        if !self.detached && cursor.bits.get() != CLOSED_BITS {
            self.machine.load(cursor);
        }
        self.machine.len() + bits::len(self.machine.bits()).div_ceil(8) as usize
    }
}

/// The bytes of `count` values, or why not.
fn byte_count(what: &str, ty: Type, count: i64, site: Site) -> Result<usize, Error> {
    let n = usize::try_from(count).ok().and_then(|count| count.checked_mul(ty.bytes()));
    n.filter(|n| *n <= MAX_BYTES).ok_or_else(|| {
        let problem = if count < 0 { "is negative" } else { "exceeds the address space" };
        let error = Error::new(
            Status::CountRange,
            format!(
                "the count {problem}\n  \
                 counts are in elements, 64 bits wide, from 0 to 2^47 bytes; look at how it is computed"
            ),
        );
        located(error, what, ty, count, site)
    })
}

mod quick;
#[cfg(all(test, not(loom)))]
mod tests;
mod watched;
