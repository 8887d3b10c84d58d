//! Watched tapes: in check and profile mode each push leaves a record, which its pop takes off.
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

use super::profile::Operation;
use super::types::Type;
use crate::error::Error;
use crate::site::{Places, Site};
use crate::vm::{Span, Trim};
pub(super) use digest::digest;
pub(super) use load::Load;
use pairs::Pairs;
use recent::Recent;
use records::{Record, Records};

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
    /// Bytes of the last push, which is not in its record yet.
    unseen: usize,
}

impl Watch {
    pub fn new(span: Span, check: bool) -> Watch {
        Watch {
            records: Records::new(span),
            places: Places::new(),
            pairs: Pairs::default(),
            recent: Recent::default(),
            check,
            unseen: 0,
        }
    }

    pub fn checks(&self) -> bool {
        self.check
    }

    /// Bytes that the next operation finds on the tape, and that [`see`](Watch::see) is to get.
    #[inline]
    pub fn unseen(&self) -> usize {
        self.unseen
    }

    /// The value that the last push left on the tape.
    #[inline]
    pub fn see(&mut self, bytes: &[u8]) {
        self.unseen = 0;
        self.records.complete(digest::short(digest(bytes)));
    }

    /// Records a push of `bytes` bytes that the caller is about to do.
    #[inline]
    pub fn push(&mut self, load: Load, bytes: usize, site: Site) -> Result<(), Error> {
        self.push_with(load, 0, site)?;
        self.unseen = bytes;
        Ok(())
    }

    /// Records a push of words or bits.
    #[inline]
    pub fn push_known(&mut self, load: Load, value: u64, site: Site) -> Result<(), Error> {
        self.push_with(load, digest::short(value), site)
    }

    #[inline]
    fn push_with(&mut self, load: Load, hash: u32, site: Site) -> Result<(), Error> {
        let place = self.places.number(site, load.what());
        self.records.push(Record { place, hash, count: load.counted() })?;
        self.recent.note(Operation::Push, place, load.count);
        Ok(())
    }

    /// As [`push`](Watch::push) of one value, where that is a matter of a few instructions; whether it was done.
    #[inline(always)]
    pub fn quick_push(&mut self, ty: Type, bytes: usize, site: Site) -> bool {
        let place = self.places.number(site, ty as u32);
        if !self.records.quick_push(place, 0) {
            return false;
        }
        self.recent.note(Operation::Push, place, 1);
        self.unseen = bytes;
        true
    }

    /// All that a pop takes, where it undoes its push as ever before; whether it was done.
    #[inline(always)]
    pub fn quick_pop(&mut self, what: u32, value: u64, count: u64, site: Site) -> bool {
        let Some(record) = self.records.quick_last() else { return false };
        if self.what(record) != what || digest::short(value) != record.hash {
            return false;
        }
        let Some(place) = self.pairs.note_first(record.place, site.address()) else { return false };
        self.records.drop_last(record);
        self.recent.note(Operation::Pop, place, count);
        true
    }

    /// The push that a pop meets; in check mode an error if it is another one than the pop undoes.
    #[inline]
    pub fn meet(&mut self, load: Load, site: Site) -> Result<Option<Met>, Error> {
        match self.records.last()? {
            Some(record) if self.what(record) == load.what() && record.count == load.counted() => Ok(Some(Met(record))),
            _ if !self.check => Ok(None),
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
        if self.check { self.compare_known(met, digest(bytes), load, site) } else { Ok(()) }
    }

    #[inline]
    pub fn compare_known(&mut self, met: Met, value: u64, load: Load, site: Site) -> Result<(), Error> {
        if self.check && digest::short(value) != met.0.hash {
            return Err(self.overwritten(met.0, load, site));
        }
        Ok(())
    }

    /// The pop was done.
    #[inline]
    pub fn popped(&mut self, met: Met, load: Load, site: Site) {
        let Met(record) = met;
        self.records.drop_last(record);
        if self.check {
            let place = self.places.number(site, load.what());
            self.recent.note(Operation::Pop, place, load.count);
            if let Some(text) = self.pairs.note(record.place, place, &self.places) {
                hint(&text);
            }
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
        match self.records.forget_after(mark) {
            Err(_) if !self.check => self.records.forget_after(0),
            done => done,
        }
    }

    pub fn start(&mut self) {
        self.records.start();
    }

    pub fn reset(&mut self) -> Result<(), Error> {
        self.records.reset()
    }

    pub fn end(&mut self) -> Result<(), Error> {
        self.records.end()
    }

    pub fn trim(&mut self, how: Trim) {
        self.records.trim(how);
    }

    pub fn lend_idle(&mut self) {
        self.records.lend_idle();
    }
}

/// Says on standard error where the sweeps may have slipped.
fn hint(text: &str) {
    eprintln!(
        "adtape: hint: {text}\n  \
         if the two belong together, all is well: check mode compares lines only"
    );
}

#[cfg(all(test, not(loom)))]
mod tests;
