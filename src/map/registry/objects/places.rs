//! Where objects lie, read without a lock and without what a place does not need.
//!
//! A change under way is None, as what is not there; only [`whereabouts`](ObjectTable::whereabouts) tries again.

#![forbid(unsafe_code)]

use super::super::object::{Extents, Object, Serial, SimplePlace, Whereabouts, birth_in};
use super::ObjectTable;
use crate::map::ranges::Range;
use crate::sync::AtomicU64;

impl ObjectTable {
    /// As [`simple_place`](ObjectTable::simple_place), of what came or came back lately, or was born before any slot was
    /// free again, on memory that is not reused.
    #[inline(always)]
    pub fn place_at_once(&self, birth: u64) -> Option<SimplePlace> {
        let before = self.lock.begin()?;
        let place = match self.recent.place(birth) {
            Some(place) => place,
            None => {
                let (_, slot) = self.find_first(birth)?;
                Object::simple_place(slot.place())?
            }
        };
        (!place.reused && self.lock.is_unchanged(before)).then_some(place)
    }

    /// Where the object with this birth lies, and its adjoint, if both are as long and the object is alive. None also if it
    /// changes just now.
    #[inline(always)]
    pub fn simple_place(&self, birth: u64) -> Option<SimplePlace> {
        let before = self.lock.begin()?;
        let (_, slot) = self.find(birth)?;
        let words = slot.place();
        if self.lock.is_unchanged(before) { Object::simple_place(words) } else { None }
    }

    /// As [`simple_place`](ObjectTable::simple_place), with both lengths, whatever they are.
    #[inline(always)]
    pub fn extents(&self, serial: Serial) -> Option<Extents> {
        let before = self.lock.begin()?;
        let (_, slot) = self.find(serial.birth())?;
        let words = slot.place();
        if self.lock.is_unchanged(before) { Object::extents(serial, before, words) } else { None }
    }

    /// Where changes are counted: what [`extents`](ObjectTable::extents) returned holds until this is another number.
    pub fn counter(&self) -> &AtomicU64 {
        self.lock.counter()
    }

    /// As [`extents`](ObjectTable::extents), of the object in a slot.
    #[inline(always)]
    pub fn extents_in(&self, slot: u32) -> Option<Extents> {
        let before = self.lock.begin()?;
        let slot = self.slot(slot)?;
        let first = slot.first();
        let words = slot.place();
        let is_there = birth_in(first) != 0 && self.lock.is_unchanged(before);
        if is_there { Object::extents(Serial::new(self.lane, birth_in(first)), before, words) } else { None }
    }

    /// As [`simple_place`](ObjectTable::simple_place), of the object that the forward sweep knew where the range is, which has
    /// its slot; with its birth.
    #[inline(always)]
    pub fn simple_place_of(&self, forward: Range) -> Option<(u64, SimplePlace)> {
        let before = self.lock.begin()?;
        let slot = self.slot(forward.value as u32)?;
        let (first, forward_base) = (slot.first(), slot.word(5));
        let words = slot.place();
        let is_there = birth_in(first) != 0 && Object::lies_at(forward, forward_base, words[2]);
        let is_it = is_there && self.lock.is_unchanged(before);
        if is_it { Some((birth_in(first), Object::simple_place(words)?)) } else { None }
    }

    /// Where the object in a slot lies, and where the forward sweep knew it.
    #[inline(always)]
    pub fn whereabouts(&self, slot: u32) -> Option<Whereabouts> {
        let words = self.lock.read(|| {
            let slot = self.slot(slot)?;
            Some([slot.first(), slot.word(1), slot.word(3), slot.word(4), slot.word(5)])
        });
        Object::whereabouts(words?)
    }
}
