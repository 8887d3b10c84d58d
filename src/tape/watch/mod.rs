//! Watched tapes: in check and profile mode each push leaves a record, which its pop takes off.
//!
//! A tape that is only profiled takes sweeps that do not mirror each other as they come: records are taken off until they
//! have as many bits as were popped. Parts of it may leave no records ([`Stretches`](crate::profile)).
//!
//! The slow path sees a push before the value is on the tape. So its number is added to the record by the next operation,
//! whatever that is: a watched tape is closed between operations, and each comes by here first.
//!
//! * [`records`]: what pushes left; [`mod@digest`]: numbers for values.
//! * [`pairs`]: which pop takes what which push left.
//! * [`report`]: what a person reads.

#![forbid(unsafe_code)]

mod digest;
mod load;
mod pairs;
mod recent;
mod records;
mod report;

use super::ending::on_main;
use super::profile::Operation;
use super::types::Type;
use crate::error::{Error, say};
use crate::profile::{BLOCK, Height, Lane, Pushed};
use crate::site::{Places, Site};
use crate::vm::{Span, Trim};
pub(super) use digest::digest_of;
pub(super) use load::Load;
use pairs::Pairs;
use recent::Recent;
use records::{Record, Records};
use std::collections::VecDeque;

/// A push that a pop meets.
#[derive(Clone, Copy)]
pub(super) struct Met(Record);

/// What is known of the operations of a tape.
pub(super) struct Watch {
    records: Records,
    places: Places,
    pairs: Pairs,
    recent: Recent,
    /// Differences are errors.
    check: bool,
    /// In profile mode.
    lane: Option<Box<Lane>>,
    /// Bytes of the last push, which is not in its record yet.
    unseen: usize,
    unseen_type: Type,
    /// Where pops made marks invalid, the latest last.
    lost_marks: VecDeque<(u64, Site)>,
}

/// Invalid marks that are remembered.
const LOST_MARKS: usize = 1024;

impl Watch {
    pub fn new(span: Span, check: bool) -> Watch {
        Watch {
            records: Records::new(span),
            places: Places::new(),
            pairs: Pairs::default(),
            recent: Recent::default(),
            check,
            lane: Lane::new(|what| Type::from_code((what & 0xff) as i32).map_or("", Type::name), on_main())
                .map(Box::new),
            unseen: 0,
            unseen_type: Type::Bytes,
            lost_marks: VecDeque::new(),
        }
    }

    pub fn checks(&self) -> bool {
        self.check
    }

    /// Whether a profile is made.
    pub fn profiles(&self) -> bool {
        self.lane.is_some()
    }

    /// Bytes that the next operation finds on the tape, and that [`see`](Watch::see) is to get.
    #[inline]
    pub fn unseen(&self) -> usize {
        self.unseen
    }

    /// The value that the last push left on the tape.
    #[inline(always)]
    pub fn see(&mut self, bytes: &[u8]) {
        self.unseen = 0;
        if bytes.len() > BLOCK && self.lane.is_some() {
            return self.see_array(bytes);
        }
        // No type of this size has a number of its own kind.
        let number = match <[u8; 8]>::try_from(bytes) {
            Ok(word) => u64::from_ne_bytes(word),
            Err(_) => digest_of(self.unseen_type, bytes),
        };
        self.know(number);
        if self.check {
            self.records.complete(digest::short(number));
        }
    }

    /// [`see`](Watch::see) of an array that a profile compares by blocks.
    #[inline(never)]
    fn see_array(&mut self, bytes: &[u8]) {
        let ty = self.unseen_type;
        if let Some(lane) = &mut self.lane {
            lane.saw_array(bytes, |block| digest_of(ty, block));
        }
        if self.check {
            self.records.complete(digest::short(digest_of(ty, bytes)));
        }
    }

    #[inline(always)]
    fn know(&mut self, digest: u64) {
        if let Some(lane) = &mut self.lane {
            saw(lane, digest);
        }
    }

    /// Records a push of `bytes` bytes from the address `from` that the caller is about to do.
    #[inline]
    pub fn push(&mut self, load: Load, bytes: usize, site: Site, from: usize) -> Result<(), Error> {
        self.push_with(load, 0, 8 * bytes as u64, site, from)?;
        (self.unseen, self.unseen_type) = (bytes, load.ty);
        Ok(())
    }

    /// Records a push of words or bits.
    #[inline]
    pub fn push_known(&mut self, load: Load, value: u64, bits: u64, site: Site) -> Result<(), Error> {
        self.push_with(load, digest::short(value), bits, site, 0)?;
        self.know(value);
        Ok(())
    }

    #[inline]
    fn push_with(&mut self, load: Load, hash: u32, bits: u64, site: Site, from: usize) -> Result<(), Error> {
        let place = self.places.number(site, load.what());
        // A profile has to know how much it was of what varies in size.
        let count = if self.lane.is_some() && load.varies() { bits / 8 } else { load.counted() };
        self.records.push(Record { place, hash, count })?;
        self.recent.note(Operation::Push, place, load.count);
        self.used(place, load, bits, site, from);
        Ok(())
    }

    #[inline(always)]
    fn used(&mut self, place: u32, load: Load, bits: u64, site: Site, from: usize) {
        if let Some(lane) = &mut self.lane {
            let values = if load.ty == Type::Control { 1 } else { load.count };
            pushed(lane, Pushed { place, site, what: load.what(), values, bits, from });
        }
    }

    /// As [`push`](Watch::push) of one value on a tape of `len` bytes, where that is a matter of a few instructions;
    /// whether it was done.
    #[inline(always)]
    pub fn quick_push(&mut self, ty: Type, bytes: usize, len: usize, site: Site, from: usize) -> bool {
        if !self.holds(len) {
            return false;
        }
        let place = self.places.number(site, ty as u32);
        if !self.records.quick_push(place, 0) {
            return false;
        }
        if self.check {
            self.recent.note(Operation::Push, place, 1);
        }
        self.used(place, Load { ty, count: 1 }, 8 * bytes as u64, site, from);
        (self.unseen, self.unseen_type) = (bytes, ty);
        true
    }

    /// As [`push_known`](Watch::push_known) on a tape of `len` bytes, where that is a matter of a few instructions; whether
    /// it was done.
    #[inline(always)]
    pub fn quick_push_known(&mut self, load: Load, value: u64, len: usize, site: Site) -> bool {
        if !self.holds(len) {
            return false;
        }
        let place = self.places.number(site, load.what());
        if !self.records.quick_push(place, digest::short(value)) {
            return false;
        }
        if self.check {
            self.recent.note(Operation::Push, place, load.count);
        }
        self.used(place, load, load.count, site, 0);
        self.know(value);
        true
    }

    /// Whether a push on a tape of `len` bytes goes on with what is watched.
    #[inline(always)]
    fn holds(&self, len: usize) -> bool {
        self.lane.as_ref().is_none_or(|lane| lane.stretches().holds(len))
    }

    /// All that a pop takes, where it undoes its push as ever before; whether it was done. `held`: the variable had it.
    #[inline(always)]
    pub fn quick_pop(
        &mut self,
        load: Load,
        value: impl FnOnce() -> u64,
        held: impl FnOnce() -> bool,
        bits: u64,
        site: Site,
    ) -> bool {
        let Some(record) = self.records.quick_last() else { return false };
        if let Some(lane) = &self.lane
            && (self.what(record) != load.what() || self.records.depth() <= lane.stretches().depth())
        {
            return false;
        }
        if self.check {
            if digest::short(value()) != record.hash {
                return false;
            }
            let Some(place) = self.pairs.note_first(record.place, site.address(), load.what()) else { return false };
            self.recent.note(Operation::Pop, place, load.count);
        }
        self.drop_last(record, site);
        if let Some(lane) = &mut self.lane {
            let place = self.places.number(site, load.what());
            let held = if held() { bits } else { 0 };
            popped(lane, Popped { place, site, what: load.what(), bits }, record.place, held);
        }
        true
    }

    /// The push that a pop meets, and an error if it is another one than the pop undoes; none outside check mode.
    #[inline]
    pub fn meet(&mut self, load: Load, site: Site) -> Result<Option<Met>, Error> {
        if !self.check {
            return Ok(None);
        }
        match self.records.last()? {
            Some(record) if self.what(record) == load.what() && (record.count == load.counted() || load.varies()) => {
                Ok(Some(Met(record)))
            }
            Some(record) => Err(self.mismatch(record, load, site)),
            None => Err(self.nothing_left(load, site)),
        }
    }

    #[inline]
    fn what(&self, record: Record) -> u32 {
        self.places.get(record.place).what
    }

    /// In check mode an error if the value on the tape is not the one that was pushed.
    #[inline]
    pub fn compare(&mut self, met: Met, bytes: &[u8], load: Load, site: Site) -> Result<(), Error> {
        if self.check { self.compare_known(met, digest_of(load.ty, bytes), load, site) } else { Ok(()) }
    }

    #[inline]
    pub fn compare_known(&mut self, met: Met, value: u64, load: Load, site: Site) -> Result<(), Error> {
        if self.check && digest::short(value) != met.0.hash {
            return Err(self.overwritten(met.0, load, site));
        }
        Ok(())
    }

    /// The pop of so many bits was done. The variable that they go to had `held` of them.
    #[inline]
    pub fn popped(&mut self, met: Option<Met>, load: Load, bits: u64, held: u64, site: Site) {
        let place = self.places.number(site, load.what());
        if let Some(lane) = &mut self.lane {
            lane.popped(place, site, load.what(), bits);
        }
        let Some(Met(record)) = met else { return self.take_off(bits, held) };
        self.drop_last(record, site);
        if let Some(lane) = &mut self.lane {
            lane.left(record.place, bits, held);
        }
        self.recent.note(Operation::Pop, place, load.count);
        if let Some(text) = self.pairs.note(record.place, place, &self.places) {
            hint(&text);
        }
    }

    /// Takes off the record of what a pop at `site` took.
    #[inline(always)]
    fn drop_last(&mut self, record: Record, site: Site) {
        if self.records.drop_last(record) {
            self.lose_marks(site);
        }
    }

    #[cold]
    fn lose_marks(&mut self, site: Site) {
        let lost = self.records.take_lost();
        self.lost_marks.extend(lost.iter().map(|mark| (*mark, site)));
        let more = self.lost_marks.len().saturating_sub(LOST_MARKS);
        self.lost_marks.drain(..more);
    }

    /// Takes records off for so many bits; one of more stays until its last bits are popped.
    fn take_off(&mut self, bits: u64, held: u64) {
        // What a pop of several pushes held is theirs by their sizes.
        let of = |size: u64| match held {
            0 => 0,
            _ if size >= bits => held,
            _ => (u128::from(size) * u128::from(held) / u128::from(bits)) as u64,
        };
        let Watch { lane: Some(lane), records, places, .. } = self else { return };
        *lane.debt() += bits;
        while let Ok(last) = records.last() {
            // What is left is another stretch's, or was pushed while nobody watched.
            let Some(record) = last.filter(|_| records.depth() > lane.stretches().depth()) else {
                *lane.debt() = 0;
                break;
            };
            let size = size(record, places);
            if size > *lane.debt() {
                break;
            }
            *lane.debt() -= size;
            records.drop_last(record);
            lane.left(record.place, size, of(size));
        }
    }

    /// A number of words that are popped together, with one more of them.
    #[inline]
    pub fn add(sum: u64, word: u64) -> u64 {
        crate::hash::mix(sum.rotate_left(31) ^ word)
    }

    // ---- what moves the tape -----------------------------------------------------------------------

    pub fn mark(&mut self) -> u64 {
        self.records.mark()
    }

    /// Takes off all records since the mark, which must be valid in check mode.
    pub fn forget_after(&mut self, mark: u64) -> Result<(), Error> {
        if let (Some(lane), Some(depth)) = (&mut self.lane, self.records.depth_at(mark)) {
            *lane.debt() = 0;
            lane.turn();
            while self.records.depth() > depth
                && let Ok(Some(record)) = self.records.last()
            {
                self.records.drop_last(record);
                lane.left(record.place, size(record, &self.places), 0);
            }
        }
        match self.records.forget_after(mark) {
            Err(_) if !self.check => {
                self.lane.iter_mut().for_each(|lane| lane.clear());
                self.records.forget_after(0)
            }
            done => done.map_err(|error| match self.lost_marks.iter().rev().find(|(lost, _)| *lost == mark) {
                Some((_, site)) => error.with_line(&format!("the pop was at {site}")),
                None => error,
            }),
        }
    }

    pub fn start(&mut self) {
        self.records.start();
        self.lane.iter_mut().for_each(|lane| lane.start());
    }

    pub fn reset(&mut self) -> Result<(), Error> {
        self.lane.iter_mut().for_each(|lane| lane.reset());
        self.records.reset()
    }

    pub fn end(&mut self) -> Result<(), Error> {
        self.lane.iter_mut().for_each(|lane| lane.end());
        self.records.end()
    }

    /// Once in a while: bytes on the tape, of it in memory and in a store.
    pub fn tick(&mut self, len: u64, resident: u64, spilled: u64) {
        if let Some(lane) = &mut self.lane {
            lane.tick(len, resident, spilled, self.records.resident_bytes());
        }
    }

    // ---- what a profile passes over ----------------------------------------------------------------

    /// Whether nothing is to be recorded.
    #[inline]
    pub fn rests(&self) -> bool {
        !self.check && self.lane.as_ref().is_some_and(|lane| lane.stretches().rests())
    }

    /// A push of `n` bytes comes. Whether it is to be recorded.
    #[inline]
    pub fn rises(&mut self, height: Height, n: usize) -> bool {
        if let (Some(lane), false) = (&mut self.lane, self.check) {
            lane.rise(height, n, self.records.depth());
        }
        !self.rests()
    }

    /// A pop comes.
    #[inline]
    pub fn falls(&mut self, height: Height) {
        let Some(lane) = self.lane.as_mut().filter(|_| !self.check) else { return };
        lane.fall(height, self.records.depth());
        // Pops that are no mirror of their pushes leave records behind.
        while lane.stretches().rests()
            && self.records.depth() > lane.stretches().depth()
            && let Ok(Some(record)) = self.records.last()
        {
            self.records.drop_last(record);
            lane.left(record.place, size(record, &self.places), 0);
        }
    }

    /// Where nothing is to be recorded: what the cursor may pass when the tape has `len` bytes, in bytes from its bottom.
    pub fn window(&self, len: usize) -> Option<(usize, usize)> {
        if self.rests() { self.lane.as_ref()?.stretches().window(len) } else { None }
    }

    /// Whether there may be times in which nothing is recorded.
    pub fn may_rest(&self) -> bool {
        !self.check && self.lane.is_some()
    }

    /// From now on all operations are counted, or no longer.
    pub fn see_all(&mut self, on: bool) {
        self.lane.iter_mut().for_each(|lane| lane.see_all(on));
    }

    pub fn trim(&mut self, how: Trim) {
        self.records.trim(how);
    }

    pub fn lend_idle(&mut self) {
        self.records.lend_idle();
    }
}

// What a profile asks for, out of line: check mode needs the registers.

#[inline(never)]
fn saw(lane: &mut Lane, digest: u64) {
    lane.saw(digest);
}

#[inline(never)]
fn pushed(lane: &mut Lane, push: Pushed) {
    lane.pushed(push);
}

struct Popped {
    place: u32,
    site: Site,
    what: u32,
    bits: u64,
}

#[inline(never)]
fn popped(lane: &mut Lane, pop: Popped, from: u32, held: u64) {
    lane.popped(pop.place, pop.site, pop.what, pop.bits);
    lane.left(from, pop.bits, held);
}

/// Bits of a record's values.
fn size(record: Record, places: &Places) -> u64 {
    let what = places.get(record.place).what;
    match Type::from_code((what & 0xff) as i32) {
        Some(Type::Control) => u64::from(what >> 8),
        Some(ty) => 8 * ty.bytes() as u64 * record.count,
        None => 0,
    }
}

/// Says on standard error where the sweeps may have slipped.
fn hint(text: &str) {
    say(&format!(
        "adtape: hint: {text}\n  \
         if the two belong together, all is well: check mode compares lines only"
    ));
}

#[cfg(all(test, not(loom)))]
mod tests;
