//! What is known of an object: who it is, where it lay, where it lies, where its adjoint lies.

#![forbid(unsafe_code)]

use crate::codes::codes;
use crate::map::ranges::Range;

/// Most threads that use a registry at the same time.
pub(super) const LANES: usize = if cfg!(loom) { 2 } else { 4096 };

/// Most bytes of a range: the size of the user half of the address space.
pub(super) const MAX_BYTES: u64 = 1 << 47;

/// The birth number of an object, which stays its identity when its address changes: the lane it was born on above
/// [`LANE_SHIFT`], below it the count of births of that lane. Never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Serial(pub u64);

const LANE_SHIFT: u32 = 48;
const LOW_48: u64 = (1 << 48) - 1;

/// Words of an object in memory that threads share.
pub(super) const WORDS: usize = 6;
/// In the flags of an object: its state, and whether it is reused.
const STATE_SHIFT: u32 = 13;
const STATE: u64 = 3 << STATE_SHIFT;
const REUSED_SHIFT: u32 = 9;
/// In the first word: whether the object is touched.
const TOUCHED: u64 = 1 << 63;
/// Labels have numbers below this.
pub(crate) const LABELS: u32 = 1 << 25;

impl Serial {
    pub fn new(lane: u16, birth: u64) -> Serial {
        debug_assert!(birth > 0 && birth < 1 << LANE_SHIFT);
        Serial(u64::from(lane) << LANE_SHIFT | birth)
    }

    pub fn lane(self) -> u16 {
        (self.0 >> LANE_SHIFT) as u16
    }

    /// Which birth of its lane, from 1.
    pub fn birth(self) -> u64 {
        self.0 & LOW_48
    }
}

/// What sort of memory a range is. The value is its code in C and Fortran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum RangeKind {
    /// A variable of a procedure: alive until it returns, seen by its own thread first.
    Stack = 0,
    /// A block of an allocator.
    Heap = 1,
    /// Memory that never moves: global variables, code.
    Static = 2,
    /// An allocatable variable of Fortran.
    Allocatable = 3,
    /// Memory of somebody else, which the program does not allocate.
    Foreign = 4,
}

codes! {
    pub RangeKind: i32 from 0 {
        Stack "stack", Heap "heap", Static "static", Allocatable "allocatable", Foreign "foreign",
    }
}

/// Whether an object is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LifeState {
    /// It lies at `base`.
    Alive = 1,
    /// It died in the forward sweep: a pointer that still points there is known to be to it.
    Dead = 2,
    /// It is being entered into the maps.
    Coming = 3,
}

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Object {
    pub serial: Serial,
    /// Where it lies; of a dead one, where it lay last.
    pub base: u64,
    /// Where the forward sweep knew it.
    pub forward_base: u64,
    pub bytes: u64,
    /// Where its adjoint lies; 0 if it has none.
    pub adjoint_base: u64,
    pub adjoint_bytes: u64,
    /// Index in the table of labels.
    pub label: u32,
    pub kind: RangeKind,
    pub state: LifeState,
    /// A range that was there when this one came ends at its base, or did.
    pub touched: bool,
    /// Another object may have died where it lies before it was born, so that a pointer into it may have been meant
    /// for that one.
    pub reused: bool,
    /// The lane in whose map it is, for a stack range.
    pub home: u16,
}

/// Where an object and its adjoint lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Present {
    pub base: u64,
    pub adjoint_base: u64,
    pub adjoint_bytes: u64,
}

/// Where an object is that is alive, and its adjoint of the same size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SimplePlace {
    pub base: u64,
    /// 0 if it has none.
    pub adjoint_base: u64,
    pub reused: bool,
}

/// Where an object and its adjoint lie, and how long they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extents {
    pub serial: u64,
    pub base: u64,
    pub bytes: u64,
    /// 0 if it has none.
    pub adjoint_base: u64,
    pub adjoint_bytes: u64,
    /// How many changes of its lane's objects were known when this was read; [`Extents::PASSING`] if nobody counts them.
    pub changes: u64,
}

impl Extents {
    /// No number of changes that are done.
    pub(crate) const PASSING: u64 = 1;

    pub fn of(object: &Object) -> Extents {
        let Object { serial, base, bytes, adjoint_base, adjoint_bytes, .. } = *object;
        Extents { serial: serial.0, base, bytes, adjoint_base, adjoint_bytes, changes: Extents::PASSING }
    }

    /// What it is whenever it was read.
    #[cfg(test)]
    pub fn uncounted(self) -> Extents {
        Extents { changes: Extents::PASSING, ..self }
    }
}

/// Where an object lies, and where the forward sweep knew it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Whereabouts {
    pub state: LifeState,
    pub base: u64,
    pub forward_base: u64,
    pub bytes: u64,
    /// The lane whose stack it is in; None of all other kinds.
    pub stack: Option<u16>,
}

/// What the death of an object may have to change besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ended {
    pub forward_base: u64,
    pub reused: bool,
}

impl Ended {
    /// The words are 4 and 5 of the object.
    #[inline(always)]
    pub fn of_words([adjoint_bytes, forward_base]: [u64; 2]) -> Ended {
        Ended { forward_base, reused: (adjoint_bytes >> 48) & 1 << REUSED_SHIFT != 0 }
    }
}

/// Where an object lay that is dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DeadPlace {
    pub range: Range,
    pub is_stack: bool,
    pub touched: bool,
    pub reused: bool,
}

impl Object {
    /// An object that is born; its serial is still to come.
    pub fn new(base: u64, bytes: u64, kind: RangeKind, label: u32) -> Object {
        Object {
            serial: Serial(0),
            base,
            forward_base: base,
            bytes,
            adjoint_base: 0,
            adjoint_bytes: 0,
            label,
            kind,
            state: LifeState::Alive,
            touched: false,
            reused: false,
            home: 0,
        }
    }

    pub fn end(&self) -> u64 {
        self.base + self.bytes
    }

    /// The range where it lies, with its value in the maps.
    pub fn range(&self, value: u64) -> Range {
        Range { base: self.base, bytes: self.bytes, value }
    }

    /// Without the lane that it was born on.
    ///
    /// ```text
    ///   63                                                   48 47            0
    ///   | touched 1 | home 15                                 | birth          |   word 0
    ///   | label, low 16                                       | bytes          |   word 3
    ///   | 0 | state 2 | kind 3 | reused 1 | label, high 9     | adjoint bytes  |   word 4
    /// ```
    #[inline(always)]
    pub fn to_words(self) -> [u64; WORDS] {
        debug_assert!(self.label < LABELS && (self.bytes | self.adjoint_bytes) <= LOW_48);
        let label = u64::from(self.label);
        let flags = (self.state as u64) << STATE_SHIFT | (self.kind as u64) << 10;
        let flags = flags | u64::from(self.reused) << REUSED_SHIFT | label >> 16;
        [
            (if self.touched { TOUCHED } else { 0 }) | u64::from(self.home) << 48 | self.serial.birth(),
            self.base,
            self.adjoint_base,
            label << 48 | self.bytes,
            flags << 48 | self.adjoint_bytes,
            self.forward_base,
        ]
    }

    /// Whether the object with this first word is touched.
    #[inline(always)]
    pub fn is_touched(first: u64) -> bool {
        first & TOUCHED != 0
    }

    /// The first word of an object with this one that is touched.
    #[inline(always)]
    pub fn touched(first: u64) -> u64 {
        first | TOUCHED
    }

    /// Where an object lies, and its adjoint, if both are as long or it has none. None if it is not alive. The words are
    /// 1 to 4 of the object.
    #[inline(always)]
    pub fn simple_place([base, adjoint_base, bytes, adjoint_bytes]: [u64; 4]) -> Option<SimplePlace> {
        let flags = adjoint_bytes >> 48;
        let is_alive = flags & STATE == (LifeState::Alive as u64) << STATE_SHIFT;
        let fits = adjoint_base == 0 || (bytes ^ adjoint_bytes) & LOW_48 == 0;
        let reused = flags & 1 << REUSED_SHIFT != 0;
        (is_alive && fits).then_some(SimplePlace { base, adjoint_base, reused })
    }

    /// As [`simple_place`](Object::simple_place), with both lengths, whatever they are.
    #[inline(always)]
    pub fn extents(
        serial: Serial,
        changes: u64,
        [base, adjoint_base, bytes, adjoint_bytes]: [u64; 4],
    ) -> Option<Extents> {
        let is_alive = (adjoint_bytes >> 48) & STATE == (LifeState::Alive as u64) << STATE_SHIFT;
        let (bytes, adjoint_bytes) = (bytes & LOW_48, adjoint_bytes & LOW_48);
        is_alive.then_some(Extents { serial: serial.0, base, bytes, adjoint_base, adjoint_bytes, changes })
    }

    /// The words are 0, 1, 3, 4 and 5 of the object; None of a slot that is free.
    #[inline(always)]
    pub(super) fn whereabouts([first, base, bytes, adjoint_bytes, forward_base]: [u64; 5]) -> Option<Whereabouts> {
        let state = state_in(adjoint_bytes).filter(|_| birth_in(first) != 0)?;
        let is_stack = (adjoint_bytes >> 48) >> 10 & 7 == RangeKind::Stack as u64;
        let stack = is_stack.then_some(home_in(first));
        Some(Whereabouts { state, base, forward_base, bytes: bytes & LOW_48, stack })
    }

    /// Whether the words 1 and 3 of an object are of one that lies where the range does.
    #[inline(always)]
    pub fn lies_at(range: Range, base: u64, bytes: u64) -> bool {
        base == range.base && bytes & LOW_48 == range.bytes
    }

    /// Serial, base, bytes, kind and label of an object of this lane that is alive, by its words 0, 1, 3 and 4; None of
    /// another.
    #[inline(always)]
    pub fn alive(
        lane: u16,
        [first, base, bytes, adjoint_bytes]: [u64; 4],
    ) -> Option<(Serial, u64, u64, RangeKind, u32)> {
        let (flags, birth) = (adjoint_bytes >> 48, birth_in(first));
        let is_alive = flags & STATE == (LifeState::Alive as u64) << STATE_SHIFT && birth != 0;
        let kind = RangeKind::from_code((flags >> 10 & 7) as i32).filter(|_| is_alive)?;
        let label = (flags as u32 & 0x1ff) << 16 | (bytes >> 48) as u32;
        Some((Serial::new(lane, birth), base, bytes & LOW_48, kind, label))
    }

    /// Where an object lay, with this value in the maps, by its words 0, 1, 3 and 4; None if it is not dead.
    #[inline(always)]
    pub(super) fn dead_place(value: u64, [first, base, bytes, adjoint_bytes]: [u64; 4]) -> Option<DeadPlace> {
        let flags = adjoint_bytes >> 48;
        let is_dead = flags & STATE == (LifeState::Dead as u64) << STATE_SHIFT && birth_in(first) != 0;
        let is_stack = flags >> 10 & 7 == RangeKind::Stack as u64;
        let (touched, reused) = (Object::is_touched(first), flags & 1 << REUSED_SHIFT != 0);
        is_dead.then_some(DeadPlace { range: Range { base, bytes: bytes & LOW_48, value }, is_stack, touched, reused })
    }

    /// The words 2 and 4 of a dead object, without an adjoint, by word 4 of it alive; reused if that has to be.
    #[inline(always)]
    pub fn dead(flags: u64, reused: bool) -> [u64; 2] {
        let flags = (flags >> 48) & !STATE | (LifeState::Dead as u64) << STATE_SHIFT;
        [0, (flags | u64::from(reused) << REUSED_SHIFT) << 48]
    }

    /// The object of this lane; none of a slot that is free, or read while it was written.
    #[inline(always)]
    pub fn from_words(lane: u16, words: [u64; WORDS]) -> Option<Object> {
        let [first, base, adjoint_base, bytes, adjoint_bytes, forward_base] = words;
        let flags = adjoint_bytes >> 48;
        let state = state_in(adjoint_bytes)?;
        Some(Object {
            serial: Some(birth_in(first)).filter(|birth| *birth != 0).map(|birth| Serial::new(lane, birth))?,
            base,
            forward_base,
            bytes: bytes & LOW_48,
            adjoint_base,
            adjoint_bytes: adjoint_bytes & LOW_48,
            label: (flags as u32 & 0x1ff) << 16 | (bytes >> 48) as u32,
            kind: RangeKind::from_code((flags >> 10 & 7) as i32)?,
            state,
            touched: Object::is_touched(first),
            reused: flags >> REUSED_SHIFT & 1 != 0,
            home: home_in(first),
        })
    }
}

/// The state in word 4 of an object.
#[inline(always)]
fn state_in(adjoint_bytes: u64) -> Option<LifeState> {
    match adjoint_bytes >> 48 >> STATE_SHIFT & 3 {
        1 => Some(LifeState::Alive),
        2 => Some(LifeState::Dead),
        3 => Some(LifeState::Coming),
        _ => None,
    }
}

/// A lane and a slot in one word, which is what the maps find.
#[inline(always)]
pub(super) fn value(serial: Serial, slot: u32) -> u64 {
    u64::from(serial.lane()) << 32 | u64::from(slot)
}

/// The lane of such a word.
#[inline(always)]
pub(super) fn lane_of(value: u64) -> u16 {
    (value >> 32) as u16
}

/// The birth that the first of an object's words has; 0 if the slot is free.
pub(super) fn birth_in(first: u64) -> u64 {
    first & LOW_48
}

/// The lane where the object with this first word is.
#[inline(always)]
fn home_in(first: u64) -> u16 {
    ((first & !TOUCHED) >> 48) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_comes_back_from_its_words() {
        for kind in RangeKind::ALL {
            for (state, touched) in [(LifeState::Alive, true), (LifeState::Dead, false), (LifeState::Coming, true)] {
                let object = Object {
                    serial: Serial::new(4095, (1 << 48) - 1),
                    forward_base: u64::MAX - 1,
                    adjoint_base: 1 << 63,
                    adjoint_bytes: 1 << 47,
                    state,
                    touched,
                    reused: !touched,
                    home: 4095,
                    ..Object::new(1, (1 << 47) - 1, kind, LABELS - 1)
                };
                assert_eq!(Object::from_words(4095, object.to_words()), Some(object));
                assert_eq!((object.serial.lane(), object.serial.birth()), (4095, (1 << 48) - 1));
                let words = object.to_words();
                let Object { base, forward_base, bytes, .. } = object;
                let stack = (kind == RangeKind::Stack).then_some(4095);
                assert_eq!(
                    Object::whereabouts([words[0], words[1], words[3], words[4], words[5]]),
                    Some(Whereabouts { state, base, forward_base, bytes, stack })
                );
                let found = Object::alive(4095, [words[0], words[1], words[3], words[4]]);
                let expected = (object.serial, object.base, object.bytes, object.kind, object.label);
                assert_eq!(found, (state == LifeState::Alive).then_some(expected));
                let place =
                    DeadPlace { range: object.range(7), is_stack: kind == RangeKind::Stack, touched, reused: !touched };
                let found = Object::dead_place(7, [words[0], words[1], words[3], words[4]]);
                assert_eq!(found, (state == LifeState::Dead).then_some(place));
                for reused in [false, true] {
                    let mut words = object.to_words();
                    assert_eq!(Object::is_touched(words[0]), touched);
                    [words[2], words[4]] = Object::dead(words[4], reused);
                    let dead = Object { state: LifeState::Dead, adjoint_base: 0, adjoint_bytes: 0, ..object };
                    let dead = Object { reused: reused || object.reused, ..dead };
                    assert_eq!(Object::from_words(4095, words), Some(dead));
                }
            }
        }
        assert_eq!(Object::from_words(0, [0; WORDS]), None);
    }
}
