//! Operations of watched tapes.
//!
//! Each of them is seen, so it has to be cheap. A *calm* tape is one on which the next operations need none of what the slow
//! path can do: nothing has failed, memory is at hand, and nobody waits for what the tape may lend. The slow path finds that
//! out once for several operations ([`Quick`]). Then the quick functions do all that check and profile mode ask for, or
//! nothing: what is unusual is left to the slow path.

#![forbid(unsafe_code)]

use super::quick::Quick;
use super::{Core, LENT_EVERY};
use crate::error::{Error, Status, bytes, counted};
use crate::profile::Height;
use crate::site::Site;
use crate::tape::bits;
use crate::tape::branches::Branches;
use crate::tape::hot::{Hot, Target};
use crate::tape::profile::Operation;
use crate::tape::types::Type;
use crate::tape::watch::{Load, Met, digest_of};

impl Core {
    // ---- modes -------------------------------------------------------------------------------------

    /// Turns profile mode on or off. Counts are kept from one time to the next.
    pub(in crate::tape) fn set_profile(&mut self, on: bool) {
        if let Some(watch) = &mut self.watch {
            watch.see_all(on);
        }
        if on {
            self.profile.get_or_insert_with(Box::default);
        } else {
            self.profile = None
        }
        self.machine.set_exact(self.watched());
    }

    /// Listens to control values and counters anew, or no longer; returns what was heard.
    pub(in crate::tape) fn listen(&mut self, on: bool) -> Branches {
        let heard = self.branches.take().map_or_else(Branches::default, |heard| *heard);
        self.branches = on.then(Box::default);
        self.machine.set_exact(self.watched());
        heard
    }

    /// Keeps what was decided, where somebody listens.
    #[inline]
    pub(in crate::tape) fn hear(&mut self, value: u64, bits: u32, site: Site) {
        if let Some(branches) = &mut self.branches {
            branches.add(value, bits, site);
        }
    }

    // ---- calm tapes --------------------------------------------------------------------------------

    /// Lets the quick functions go on through `cursor` until the tape has to look for what is idle.
    pub(super) fn calm_down(&mut self, cursor: &Hot) {
        let (low, high) = self.machine.reach_at_hand();
        let left = LENT_EVERY - 1 - self.slow_calls % LENT_EVERY;
        self.quick = Quick { left, cursor: std::ptr::from_ref(cursor) as usize, low, high };
    }

    /// Whether the quick functions may do the next operation.
    #[inline(always)]
    fn may_be_quick(&self, cursor: &Hot) -> bool {
        self.quick.left > 0 && self.quick.cursor == std::ptr::from_ref(cursor) as usize && self.owner.is_here()
    }

    /// A quick function has done an operation.
    #[inline(always)]
    fn was_quick(&mut self) {
        self.slow_calls += 1;
        self.quick.left -= 1;
    }

    /// Gives the last push its number.
    #[inline(always)]
    pub(super) fn see_last(&mut self) {
        if let Some(watch) = &mut self.watch
            && watch.unseen() > 0
        {
            watch.see(self.machine.last(watch.unseen()));
        }
    }

    /// A push of a value for which there is room; whether it was one.
    #[inline(always)]
    pub(in crate::tape) fn quick_push(&mut self, cursor: &Hot, ty: Type, site: Site, from: usize) -> bool {
        let (n, at) = (ty.bytes_at_once(), self.machine.cur());
        if !self.may_be_quick(cursor) || at + n > self.quick.high {
            return false;
        }
        self.see_last();
        let Some(watch) = &mut self.watch else { return false };
        if !watch.quick_push(ty, n, self.machine.len(), site, from) {
            return false;
        }
        self.count_quickly(Operation::Push, ty, 1, n);
        self.was_quick();
        self.machine.advance_in_room(n);
        let to = self.machine.address(at);
        cursor.window(to, to + n);
        true
    }

    /// Whether a profile is made. Only then is it asked what lies where a pop puts its value: it need have none yet.
    pub(super) fn profiles(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.profiles())
    }

    /// A pop of a value that lies in one piece and matches its push; whether it was one.
    #[inline(always)]
    pub(in crate::tape) fn quick_pop(&mut self, cursor: &Hot, ty: Type, site: Site, into: Target) -> bool {
        let n = ty.bytes_at_once();
        if !self.may_be_quick(cursor) || self.machine.cur() < self.quick.low + n {
            return false;
        }
        self.see_last();
        let Some(watch) = &mut self.watch else { return false };
        let (load, last) = (Load { ty, count: 1 }, self.machine.last(n));
        if !watch.quick_pop(load, || digest_of(ty, last), || into.holds(last), 8 * n as u64, site) {
            return false;
        }
        self.count_quickly(Operation::Pop, ty, 1, n);
        self.was_quick();
        self.machine.retreat(n);
        let to = self.machine.address(self.machine.cur());
        cursor.window(to + n, to);
        true
    }

    /// A push of control bits that fill no word; whether it was one.
    #[inline(always)]
    pub(in crate::tape) fn quick_push_control(&mut self, cursor: &Hot, value: u64, count: u32, site: Site) -> bool {
        let pending = self.machine.bits();
        let fits = count.wrapping_sub(1) < 61 && value >> count == 0 && pending < 1 << (62 - count);
        if !fits || !self.may_be_quick(cursor) {
            return false;
        }
        self.see_last();
        let load = Load { ty: Type::Control, count: u64::from(count) };
        let Some(watch) = &mut self.watch else { return false };
        if !watch.quick_push_known(load, value, self.machine.len(), site) {
            return false;
        }
        self.count_quickly(Operation::Push, load.ty, load.count, 0);
        self.was_quick();
        self.machine.set_bits(pending << count | value);
        cursor.close();
        true
    }

    /// A pop of control bits that are at hand and match their push; none if it was no such pop.
    #[inline(always)]
    pub(in crate::tape) fn quick_pop_control(&mut self, cursor: &Hot, count: u32, site: Site) -> Option<u64> {
        let pending = self.machine.bits();
        if count.wrapping_sub(1) >= 61 || (pending as i64) < 1 << count || !self.may_be_quick(cursor) {
            return None;
        }
        self.see_last();
        let load = Load { ty: Type::Control, count: u64::from(count) };
        let value = pending & ((1 << count) - 1);
        if !self.watch.as_mut()?.quick_pop(load, || value, || false, load.count, site) {
            return None;
        }
        self.count_quickly(Operation::Pop, load.ty, load.count, 0);
        self.was_quick();
        self.machine.set_bits(pending >> count);
        cursor.close();
        Some(value)
    }

    /// [`count`](Core::count) of a quick operation: the watch does not rest.
    #[inline(always)]
    fn count_quickly(&mut self, operation: Operation, ty: Type, count: u64, n: usize) {
        if let Some(profile) = &mut self.profile {
            profile.count(operation, ty, count, n as u64);
        }
    }

    // ---- the others --------------------------------------------------------------------------------

    fn height(&self) -> Height {
        Height { bytes: self.machine.len(), bits: bits::len(self.machine.bits()) }
    }

    /// Records a push of `n` bytes that the caller is about to do.
    #[inline]
    pub(super) fn note_push(&mut self, load: Load, n: usize, site: Site, from: usize) -> Result<(), Error> {
        let height = self.height();
        if let Some(watch) = &mut self.watch
            && watch.rises(height, n)
        {
            watch.push(load, n, site, from)?;
        }
        self.count(Operation::Push, load.ty, load.count, n);
        Ok(())
    }

    /// Records a push of words or bits, of which there are `n` bytes.
    pub(in crate::tape) fn note_known(&mut self, load: Load, value: u64, n: usize, site: Site) -> Result<(), Error> {
        let height = self.height();
        let words =
            if load.ty == Type::Control { bits::words_filled(self.machine.bits(), load.count as u32) } else { 0 };
        if let Some(watch) = &mut self.watch
            && watch.rises(height, n + words * size_of::<u64>())
        {
            watch.push_known(load, value, bits_of(load, n), site)?;
        }
        self.count(Operation::Push, load.ty, load.count, n);
        Ok(())
    }

    /// The push that a pop meets, on a watched tape; in check mode an error if it is another one than the pop undoes.
    #[inline]
    pub(in crate::tape) fn meet(&mut self, load: Load, site: Site) -> Result<Option<Met>, Error> {
        let height = self.height();
        let Some(watch) = &mut self.watch else { return Ok(None) };
        watch.falls(height);
        watch.meet(load, site).map_err(|e| self.at(e))
    }

    /// In check mode an error if the words or bits on the tape are not those that were pushed.
    #[inline]
    pub(in crate::tape) fn compare(
        &mut self,
        met: Option<Met>,
        value: u64,
        load: Load,
        site: Site,
    ) -> Result<(), Error> {
        match (&mut self.watch, met) {
            (Some(watch), Some(met)) => watch.compare_known(met, value, load, site).map_err(|e| self.at(e)),
            _ => Ok(()),
        }
    }

    /// A pop of `n` bytes was done, or is possible now.
    #[inline]
    pub(in crate::tape) fn popped(&mut self, met: Option<Met>, load: Load, n: usize, site: Site) {
        self.popped_into(met, load, n, site, 0);
    }

    /// [`popped`](Core::popped) into a variable that had `held` bytes of it already.
    #[inline]
    pub(super) fn popped_into(&mut self, met: Option<Met>, load: Load, n: usize, site: Site, held: usize) {
        if let Some(watch) = self.watch.as_mut().filter(|watch| !watch.rests()) {
            watch.popped(met, load, bits_of(load, n), 8 * held as u64, site);
        }
        self.count(Operation::Pop, load.ty, load.count, n);
    }

    /// In check mode a control value that its bits do not hold is an error: the pop would return another one.
    pub(in crate::tape) fn check_fits(&self, value: u64, bits: u32) -> Result<(), Error> {
        let low = value & (u64::MAX >> (64 - bits));
        if low == value || !self.checks() {
            return Ok(());
        }
        Err(Error::new(
            Status::BadArgument,
            format!(
                "check mode: the value is {value}, which takes {}: the pop would return {low}\n  \
                 push as many bits as the largest value takes, or mask the value if its low bits are meant",
                counted(64 - value.leading_zeros(), "bit")
            ),
        ))
    }

    /// In check mode, what is left on the tape, and who pushed it.
    pub(in crate::tape) fn left(&mut self) -> Option<String> {
        if self.checks() { self.watch.as_mut()?.left() } else { None }
    }

    /// Whether check mode compares its operations.
    pub(in crate::tape) fn checks(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.checks())
    }

    /// The error, with the place on the tape.
    #[cold]
    pub(super) fn at(&self, error: Error) -> Error {
        let (bytes, bits) = (self.machine.len() as u64, bits::len(self.machine.bits()));
        error.with_line(&position(bytes, bits, self.id()))
    }

    /// The part of profile mode.
    #[inline]
    pub(super) fn count(&mut self, operation: Operation, ty: Type, count: u64, n: usize) {
        let rests = self.watch.as_ref().is_some_and(|watch| watch.rests());
        if let Some(profile) = self.profile.as_mut().filter(|_| count > 0 && !rests) {
            profile.count(operation, ty, count, n as u64);
        }
    }
}

impl Core {
    /// Opens the cursor of a tape that rests, for as far as it may go, before a push or pop after which the tape has `len`
    /// bytes; whether it did.
    pub(super) fn open_to_rest(&mut self, cursor: &Hot, len: usize) -> bool {
        if !self.watch.as_ref().is_some_and(|watch| watch.may_rest()) {
            return false;
        }
        let window = match &self.watch {
            Some(watch) if self.poison.is_none() && self.branches.is_none() => watch.window(len),
            _ => None,
        };
        self.machine.set_exact(window.is_none());
        let Some((begin, end)) = window else { return false };
        self.quick = Quick::NOTHING;
        self.machine.store(cursor);
        let bottom = cursor.cur.get() - self.machine.len();
        cursor.limit.set(cursor.limit.get().min(bottom.saturating_add(end)));
        cursor.floor.set(cursor.floor.get().max(bottom + begin));
        self.detached = false;
        true
    }
}

/// What `n` bytes on the tape take; of control, its bits.
#[inline]
fn bits_of(load: Load, n: usize) -> u64 {
    if load.ty == Type::Control { load.count } else { 8 * n as u64 }
}

/// Where a tape stands, for a message.
fn position(tape_bytes: u64, bits: u32, tape: u64) -> String {
    let thread = std::thread::current();
    let thread = match (crate::tape::ending::on_main(), thread.name()) {
        (true, _) => "the main thread".to_owned(),
        (false, Some(name)) => format!("thread \"{name}\""),
        (false, None) => format!("a thread ({:?})", thread.id()),
    };
    format!(
        "on tape number {tape}, which holds {} and {}, in {thread}",
        bytes(tape_bytes),
        counted(bits, "control bit")
    )
}
