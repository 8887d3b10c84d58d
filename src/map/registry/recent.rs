//! What was born or came back last, by birth: its slot, and where it lies.
//!
//! A table has a line for each residue of births by its length. A line is never wrong: it changes with the object, and is
//! empty when the object is gone. Whoever changes it, and whoever reads it, does so as with the slots themselves
//! ([`ObjectTable`](super::objects::ObjectTable)).
//!
//! ```text
//!   word 0   | birth / LINES, 34 bits | simple | reused | slot + 1, 28 bits |   0: the line is empty
//!   word 1   | base                                                         |
//!   word 2   | adjoint's base                                               |
//! ```
//!
//! *Simple*: the object is alive, and its adjoint, if it has one, as long. The words 1 and 2 count only then.

#![forbid(unsafe_code)]

use super::object::{LifeState, Object, SimplePlace};
use crate::sync::{AtomicU64, Ordering};

const LINES: usize = if cfg!(loom) { 2 } else { 4096 };
/// Births from here on have no line.
const NO_LINE: u64 = (1 << 34) * LINES as u64;
const SLOT_BITS: u32 = 28;
const SLOTS: u64 = (1 << SLOT_BITS) - 1;
const SIMPLE: u64 = 2;
const REUSED: u64 = 1;

/// See the module.
pub(super) struct Recent(Box<[Line; LINES]>);

struct Line([AtomicU64; 3]);

/// The first word without the slot.
#[inline(always)]
fn high(birth: u64, flags: u64) -> u64 {
    birth / LINES as u64 * 4 + flags
}

impl Line {
    #[inline(always)]
    fn word(&self, i: usize) -> u64 {
        self.0[i].load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn store(&self, words: [u64; 3]) {
        for (word, value) in self.0.iter().zip(words) {
            word.store(value, Ordering::Relaxed);
        }
    }

    #[inline(always)]
    fn slot(&self, birth: u64) -> Option<u32> {
        let first = self.word(0);
        let is_it = first >> SLOT_BITS & !(SIMPLE | REUSED) == high(birth, 0);
        ((first & SLOTS) as u32).checked_sub(1).filter(|_| is_it)
    }

    #[inline(always)]
    fn set(&self, slot: u32, object: &Object) {
        let fits = object.adjoint_base == 0 || object.bytes == object.adjoint_bytes;
        let simple = if fits && object.state == LifeState::Alive { SIMPLE } else { 0 };
        let high = high(object.serial.birth(), simple | u64::from(object.reused));
        self.store([high << SLOT_BITS | u64::from(slot + 1), object.base, object.adjoint_base]);
    }
}

impl Recent {
    pub fn new() -> Recent {
        let lines: Box<[Line]> = (0..LINES).map(|_| Line(std::array::from_fn(|_| AtomicU64::new(0)))).collect();
        Recent(lines.try_into().unwrap_or_else(|_| unreachable!("as many as were made")))
    }

    #[inline(always)]
    fn line(&self, birth: u64) -> &Line {
        &self.0[birth as usize % LINES]
    }

    /// The slot of the object with this birth.
    #[inline(always)]
    pub fn slot(&self, birth: u64) -> Option<u32> {
        self.line(birth).slot(birth)
    }

    /// Where the object with this birth lies, if that is simple and on memory that is not reused. The birth has less than
    /// 46 bits.
    #[inline(always)]
    pub fn place(&self, birth: u64) -> Option<SimplePlace> {
        let line = self.line(birth);
        let (first, base, adjoint_base) = (line.word(0), line.word(1), line.word(2));
        let is_it = first >> SLOT_BITS == high(birth, SIMPLE);
        is_it.then_some(SimplePlace { base, adjoint_base, reused: false })
    }

    /// An object has come, or come back, in this slot.
    #[inline(always)]
    pub fn came(&self, slot: u32, object: &Object) {
        let birth = object.serial.birth();
        if birth < NO_LINE {
            self.line(birth).set(slot, object);
        }
    }

    /// An object has changed.
    #[inline(always)]
    pub fn changed(&self, object: &Object) {
        let line = self.line(object.serial.birth());
        if let Some(slot) = line.slot(object.serial.birth()) {
            line.set(slot, object);
        }
    }

    /// The object with this birth is dead.
    #[inline(always)]
    pub fn died(&self, birth: u64) {
        let line = self.line(birth);
        if line.slot(birth).is_some() {
            line.0[0].store(line.word(0) & !((SIMPLE | REUSED) << SLOT_BITS), Ordering::Relaxed);
        }
    }

    /// The object with this birth is gone.
    #[inline(always)]
    pub fn gone(&self, birth: u64) {
        let line = self.line(birth);
        if line.slot(birth).is_some() {
            line.0[0].store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::object::{RangeKind, Serial};
    use super::*;

    #[test]
    fn births_with_one_line_are_told_apart_and_those_that_fit_none_are_not_there() {
        let recent = Recent::new();
        let object = |birth| Object { serial: Serial::new(0, birth), ..Object::new(birth, 8, RangeKind::Heap, 0) };
        let step = LINES as u64;
        let births = [7, 7 + step, 7 + (step << 30), NO_LINE - step + 7, NO_LINE + 7, 7 + (1 << 47)];
        for last in births {
            recent.came(SLOTS as u32 - 1, &object(last));
            for birth in births {
                let there = birth == last && birth < NO_LINE;
                assert_eq!(recent.slot(birth), there.then_some(SLOTS as u32 - 1), "{birth} after {last}");
                if birth < NO_LINE {
                    assert_eq!(recent.place(birth).map(|place| place.base), there.then_some(birth));
                }
            }
            recent.gone(last);
            assert_eq!((recent.slot(last), recent.slot(7)), (None, None));
        }
        assert_eq!(recent.slot(0), None);
    }

    #[test]
    fn place_is_simple_while_the_object_is_alive_with_an_adjoint_as_long_on_memory_of_its_own() {
        let recent = Recent::new();
        let plain = Object { serial: Serial::new(0, 5), ..Object::new(800, 16, RangeKind::Heap, 0) };
        let adjoint = |adjoint_base, adjoint_bytes| Object { adjoint_base, adjoint_bytes, ..plain };
        let place = |adjoint_base| Some(SimplePlace { base: 800, adjoint_base, reused: false });
        recent.came(3, &plain);
        assert_eq!(recent.place(5), place(0));
        for (object, expected) in [
            (adjoint(900, 16), place(900)),
            (adjoint(900, 32), None),
            (adjoint(0, 32), place(0)),
            (Object { reused: true, ..plain }, None),
            (Object { state: LifeState::Coming, ..plain }, None),
            (plain, place(0)),
        ] {
            recent.changed(&object);
            assert_eq!((recent.place(5), recent.slot(5)), (expected, Some(3)), "{object:?}");
        }
        recent.died(5);
        assert_eq!((recent.place(5), recent.slot(5)), (None, Some(3)));
    }
}
