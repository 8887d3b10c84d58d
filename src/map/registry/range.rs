//! What brings an object back: its record on the tape.

#![forbid(unsafe_code)]

use super::object::{Object, RangeKind, Serial};

/// What brings an object back: its record on the tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RangeRecord {
    pub serial: Serial,
    pub base: u64,
    pub bytes: u64,
    pub kind: RangeKind,
    pub label: u32,
}

impl RangeRecord {
    pub fn of(object: &Object) -> RangeRecord {
        let Object { serial, base, bytes, kind, label, .. } = *object;
        RangeRecord { serial, base, bytes, kind, label }
    }

    /// The record of an object that is alive, as [`Object::alive`].
    #[inline(always)]
    pub fn of_words(lane: u16, words: [u64; 4]) -> Option<RangeRecord> {
        let (serial, base, bytes, kind, label) = Object::alive(lane, words)?;
        Some(RangeRecord { serial, base, bytes, kind, label })
    }
}
