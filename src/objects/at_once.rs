//! Calls on objects as most of them are: nothing waits, no error, check mode is off.
//!
//! Each returns None, and changes nothing, where there is more to it; the call itself, which knows its caller, then does
//! all. The C ABI asks these first, before it puts together what only messages and the rarer ways need.

#![forbid(unsafe_code)]

use super::ranges::pack_range;
use super::set::{Objects, Restored};
use super::variables::Writer;
use crate::map::registry::{Extents, Located, Record, Serial, pack, unpack_first_lane};
use crate::sync::AtomicU64;
use crate::tape::Cursor;

impl Objects {
    /// Pushes a pointer into a block.
    #[inline(always)]
    pub(crate) fn push_pointer_at_once(&self, tape: &Cursor, address: usize) -> Option<()> {
        let place = self.registry().find_at_once(self.lane_at_once()?, address as u64)?;
        match pack(Some(place)) {
            Record::Short(word) if tape.put_words([word]) => Some(()),
            _ => None,
        }
    }

    /// Pushes a pair whose base is that of a block.
    #[inline(always)]
    pub(crate) fn push_pair_at_once(&self, tape: &Cursor, base: usize, offset: isize) -> Option<()> {
        let place = self.registry().find_pair_at_once(self.lane_at_once()?, base as u64, offset as i64)?;
        match pack(Some(place)) {
            Record::Short(word) if tape.put_words([word]) => Some(()),
            _ => None,
        }
    }

    /// As [`pop_at_once`](Objects::pop_at_once), of what is found without a call of another function.
    #[inline(always)]
    pub(crate) fn pop_recent(&self, tape: &Cursor, variables: [usize; 3], writer: Writer) -> Option<Restored> {
        let [word] = tape.top_words()?;
        let place = unpack_first_lane(word)?;
        let now = self.registry().locate_recent(place)?;
        self.says_nothing()?;
        if self.registry().any_may_wait(variables.map(|variable| variable as u64)) {
            return None;
        }
        tape.drop_words(1);
        Some(set_to(&now, variables, writer))
    }

    /// Pops a pointer, or a pair, whose object is alive. The variables are those of the base, of the address, of the adjoint.
    #[inline(always)]
    pub(crate) fn pop_at_once(
        &self,
        tape: &Cursor,
        is_pair: bool,
        variables: [usize; 3],
        writer: Writer,
    ) -> Option<Restored> {
        let [word] = tape.top_words()?;
        let place = unpack_first_lane(word)?;
        let now = self.registry().locate_at_once(place)?;
        let restored = self.set_at_once(now, is_pair.then_some(place.offset), variables, writer)?;
        tape.drop_words(1);
        Some(restored)
    }

    /// Finds where an address of the forward sweep is now that was in a block.
    #[inline(always)]
    pub(crate) fn rebase_at_once(
        &self,
        address: usize,
        [variable, adjoint_variable]: [usize; 2],
        writer: Writer,
    ) -> Option<Restored> {
        let now = self.registry().rebase_at_once(self.lane_at_once()?, address as u64)?;
        let restored = self.set_at_once(now, None, [0, variable, adjoint_variable], writer)?;
        Some(Restored { offset: 0, ..restored })
    }

    /// Sets variables to where a place is now. None if one of them may wait, or in check mode.
    #[inline(always)]
    fn set_at_once(&self, now: Located, pair: Option<i64>, variables: [usize; 3], writer: Writer) -> Option<Restored> {
        self.says_nothing()?;
        if now.reused {
            self.follow(&now, pair, variables);
        } else if self.registry().any_may_wait(variables.map(|variable| variable as u64)) {
            return None;
        }
        Some(set_to(&now, variables, writer))
    }

    /// Finds the object that an address in a block is in.
    #[inline(always)]
    pub(crate) fn extents_at_once(&self, address: u64) -> Option<Extents> {
        self.registry().extents_of_address_at_once(self.lane_at_once()?, address)
    }

    /// Finds an object.
    #[inline(always)]
    pub(crate) fn extents_of_at_once(&self, serial: u64) -> Option<Extents> {
        self.registry().extents_at_once(Serial(serial))
    }

    /// Where the changes of an object's lane are counted: as long as this is [`Extents::changes`], they hold. It is there
    /// as long as the objects are.
    pub(crate) fn counter(&self, serial: u64) -> Option<&AtomicU64> {
        self.registry().counter(Serial(serial))
    }

    /// Ends a block or a variable that comes back.
    #[inline(always)]
    pub(crate) fn live_end_at_once(&self, tape: &Cursor, base: usize) -> Option<()> {
        self.says_nothing()?;
        let (registry, lane) = (self.registry(), self.lane_at_once()?);
        if let Some(record) = registry.frame(lane, base as u64) {
            let words = pack_range(&record);
            if !tape.put_words(words) {
                return None;
            }
            // Another thread may have asked for it meanwhile.
            let ended = registry.end_frame(lane, &record).then_some(());
            return ended.or_else(|| {
                tape.drop_words(words.len());
                None
            });
        }
        registry.end_at_once(lane, base as u64, |record| tape.put_words(pack_range(record)))
    }

    /// None in check mode, which keeps what happens to objects.
    #[inline(always)]
    fn says_nothing(&self) -> Option<()> {
        self.registry().history().is_none().then_some(())
    }
}

/// Sets variables to where a place is now.
#[inline(always)]
fn set_to(now: &Located, variables: [usize; 3], writer: Writer) -> Restored {
    let values = now.values();
    // Not as an iterator, which is not always inlined.
    writer.set(variables[0], values[0] as usize);
    writer.set(variables[1], values[1] as usize);
    writer.set(variables[2], values[2] as usize);
    let (address, adjoint) = (now.address as usize, now.adjoint as usize);
    Restored { address, adjoint, offset: now.place.offset as isize, waits: false }
}
