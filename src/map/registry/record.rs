//! A pointer as it lies on the tape: which object, and how far into it, in one word where both are small.
//!
//! An address says neither for long: objects move between the sweeps, and another object gets their address. The low
//! two bits of the word that is popped first tell the forms apart:
//!
//! ```text
//!   63            40 39      32 31                  2 1 0
//!   |                 0                            | 00 |   NULL
//!   |         birth, 32        |    offset, 30     | 01 |   born on lane 0
//!   |   birth, 24   | lane, 8  |    offset, 30     | 10 |   born on another
//!   |                 0                            | 11 |   two more words below: serial, offset
//! ```

#![forbid(unsafe_code)]

use super::object::Serial;

/// How far into which object a pointer points; an offset may lie outside of it only in a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ObjectOffset {
    pub serial: Serial,
    /// In bytes.
    pub offset: i64,
}

/// Where a place and its adjoint lie now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Located {
    pub place: ObjectOffset,
    pub address: u64,
    pub adjoint: u64,
    /// Its object is, see [`Object`](super::Object).
    pub reused: bool,
}

impl Located {
    /// The base of the object, the place, and the place in the adjoint.
    #[inline(always)]
    pub fn values(&self) -> [u64; 3] {
        [self.address.wrapping_add_signed(-self.place.offset), self.address, self.adjoint]
    }
}

/// A pointer on the tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Record {
    /// The word, and nothing else.
    Short(u64),
    /// What lies below the word [`LONG`], lower word first.
    Long([u64; 2]),
}

/// The word that is popped first of a record of three.
pub(crate) const LONG: u64 = 3;
const OFFSET_BITS: u32 = 30;

/// The record of a place, or of NULL.
pub(crate) fn pack(place: Option<ObjectOffset>) -> Record {
    let Some(ObjectOffset { serial, offset }) = place else { return Record::Short(0) };
    let small = offset << (64 - OFFSET_BITS) >> (64 - OFFSET_BITS) == offset;
    let low = (offset as u64 & ((1 << OFFSET_BITS) - 1)) << 2;
    match (serial.lane(), serial.birth()) {
        (0, birth) if small && birth < 1 << 32 => Record::Short(birth << 32 | low | 1),
        (lane @ 1..=0xff, birth) if small && birth < 1 << 24 => {
            Record::Short(birth << 40 | u64::from(lane) << 32 | low | 2)
        }
        _ => Record::Long([offset as u64, serial.0]),
    }
}

/// The place that a record stands for; outside None if it is no record, inside None if it is NULL.
pub(crate) fn unpack(record: Record) -> Option<Option<ObjectOffset>> {
    let (serial, offset) = match record {
        Record::Short(0) => return Some(None),
        Record::Short(word) => match unpack_first_lane(word) {
            Some(place) => return Some(Some(place)),
            None if word & 3 == 2 && word >> 40 != 0 && word >> 32 & 0xff != 0 => {
                (Serial::new((word >> 32 & 0xff) as u16, word >> 40), offset_in(word))
            }
            None => return None,
        },
        Record::Long([offset, serial]) => (Serial(serial), offset as i64),
    };
    (serial.birth() != 0).then_some(Some(ObjectOffset { serial, offset }))
}

/// As [`unpack`], of the word of an object born on lane 0.
#[inline(always)]
pub(crate) fn unpack_first_lane(word: u64) -> Option<ObjectOffset> {
    let is_one = word & 3 == 1 && word >> 32 != 0;
    is_one.then(|| ObjectOffset { serial: Serial::new(0, word >> 32), offset: offset_in(word) })
}

fn offset_in(word: u64) -> i64 {
    (word as u32 as i32 >> 2).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_back_from_one_word_while_they_are_small_and_from_three_beyond() {
        let offsets = [0, 1, 7, 8, (1 << 29) - 1, 1 << 29, -1, -(1 << 29), -(1 << 29) - 1, 1 << 46, i64::MIN];
        let births = [1, 2, (1 << 24) - 1, 1 << 24, (1 << 32) - 1, 1 << 32, (1 << 48) - 1];
        for (offset, birth, lane) in offsets
            .into_iter()
            .flat_map(|o| births.into_iter().map(move |b| (o, b)))
            .flat_map(|(o, b)| [0, 1, 255, 256, 4095].map(|l| (o, b, l)))
        {
            let place = ObjectOffset { serial: Serial::new(lane, birth), offset };
            let record = pack(Some(place));
            assert_eq!(unpack(record), Some(Some(place)), "{record:?}");
            let births_of_lane = [1 << 32, 1 << 24, 0][(lane > 0) as usize + (lane > 255) as usize];
            let small = (-(1 << 29)..1 << 29).contains(&offset) && birth < births_of_lane;
            assert_eq!(matches!(record, Record::Short(_)), small, "{place:?}");
        }
        assert_eq!(pack(None), Record::Short(0));
        assert_eq!(unpack(Record::Short(0)), Some(None));
        for word in [1, 2, 3, 4, 1 << 32 | 2, 1 << 40 | 2, 0x3FF0_0000_0000_0000] {
            assert_eq!(unpack(Record::Short(word)), None, "{word:x}");
        }
        assert_eq!(unpack(Record::Long([8, 0])), None);
    }
}
