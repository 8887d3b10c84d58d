//! A copy of the registry, as a checkpoint keeps it: M of Alg. 4.
//!
//! A *saved object* is one that was alive: who it is (serial, label, kind), how large, where it lay then. They are
//! written by ascending serial, as differences in groups of seven bits, about seven bytes each:
//!
//! ```text
//!  | number of the set 8 | n, labels | n, births of each lane | n, objects |
//!  object = | label, kind, flags | serial - last | base - last end | bytes - last | lane (stack) | rank, bounds |
//! ```

#![forbid(unsafe_code)]

use super::object::{LANES, MAX_BYTES, Object, RangeKind, Serial};
use crate::varint::{self, Decoded, Decoder};
use std::ffi::{CStr, CString};

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SavedObject {
    pub serial: Serial,
    pub base: u64,
    pub bytes: u64,
    /// Index in the labels of its copy.
    pub label: u32,
    pub kind: RangeKind,
    /// Whether its contents were saved.
    pub has_contents: bool,
    /// A block of a stable heap, which saves and restores it itself.
    pub is_stable: bool,
    /// The lane whose stack it is on.
    pub home: u16,
}

impl SavedObject {
    pub fn new(object: &Object, label: u32) -> SavedObject {
        let Object { serial, base, bytes, kind, home, .. } = *object;
        SavedObject { serial, base, bytes, label, kind, has_contents: false, is_stable: false, home }
    }

    pub fn end(&self) -> u64 {
        self.base + self.bytes
    }
}

/// Lower bound and extent of each dimension.
pub(crate) type Bounds = Vec<(i64, i64)>;

/// The objects that were alive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Saved {
    /// The number of the set of objects, which no other has.
    pub set: u64,
    pub labels: Vec<CString>,
    /// How many were born, by lane.
    pub births: Vec<u64>,
    /// By ascending serial.
    pub objects: Vec<SavedObject>,
    /// Of objects that have bounds, by ascending serial.
    pub bounds: Vec<(Serial, Bounds)>,
}

/// A birth number has 48 bits.
const MAX_BIRTHS: u64 = 1 << 48;
/// A rank that no language exceeds.
const MAX_RANK: u64 = 16;

impl Saved {
    pub fn label(&self, object: &SavedObject) -> &CStr {
        &self.labels[object.label as usize]
    }

    pub fn find(&self, serial: Serial) -> Option<&SavedObject> {
        self.objects.binary_search_by_key(&serial, |object| object.serial).ok().map(|i| &self.objects[i])
    }

    pub fn bounds_of(&self, serial: Serial) -> &[(i64, i64)] {
        let found = self.bounds.binary_search_by_key(&serial, |(serial, _)| *serial);
        found.map_or(&[], |i| &self.bounds[i].1)
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = Numbers(self.set.to_le_bytes().to_vec());
        out.push(self.labels.len() as u64);
        for label in &self.labels {
            out.push(label.as_bytes().len() as u64);
            out.0.extend_from_slice(label.as_bytes());
        }
        out.push(self.births.len() as u64);
        self.births.iter().for_each(|births| out.push(*births));
        out.push(self.objects.len() as u64);
        let (mut serial, mut end, mut bytes) = (0, 0, 0);
        for object in &self.objects {
            let bounds = self.bounds_of(object.serial);
            let flags = u64::from(object.has_contents)
                | u64::from(object.is_stable) << 1
                | u64::from(!bounds.is_empty()) << 2
                | (object.kind as u64) << 3;
            out.push(flags | u64::from(object.label) << 6);
            out.push(object.serial.0 - serial);
            out.push_signed(object.base.wrapping_sub(end) as i64);
            out.push_signed(object.bytes.wrapping_sub(bytes) as i64);
            if object.kind == RangeKind::Stack {
                out.push(object.home.into());
            }
            if !bounds.is_empty() {
                out.push(bounds.len() as u64);
                for (lower, extent) in bounds {
                    out.push_signed(*lower);
                    out.push_signed(*extent);
                }
            }
            (serial, end, bytes) = (object.serial.0, object.end(), object.bytes);
        }
        out.0
    }

    /// None if the bytes are no copy of a registry.
    pub fn decode(bytes: &[u8]) -> Option<Saved> {
        let (set, rest) = bytes.split_first_chunk::<8>()?;
        let mut from = NumbersOf(rest);
        let mut saved = Saved { set: u64::from_le_bytes(*set), ..Saved::default() };
        for _ in 0..from.next()? {
            let length = usize::try_from(from.next()?).ok()?;
            saved.labels.push(CString::new(from.take(length)?).ok()?);
        }
        for _ in 0..from.next().filter(|lanes| *lanes <= LANES as u64)? {
            saved.births.push(from.next().filter(|births| *births < MAX_BIRTHS)?);
        }
        let (mut serial, mut end, mut bytes) = (0_u64, 0_u64, 0_u64);
        for _ in 0..from.next()? {
            let flags = from.next()?;
            let label = u32::try_from(flags >> 6).ok().filter(|label| (*label as usize) < saved.labels.len())?;
            let step = from.next()?;
            serial = serial.checked_add(step).filter(|_| step > 0)?;
            let base = end.wrapping_add_signed(from.next_signed()?);
            bytes = bytes.checked_add_signed(from.next_signed()?).filter(|bytes| *bytes <= MAX_BYTES)?;
            end = base.checked_add(bytes)?;
            let kind = RangeKind::from_code((flags >> 3 & 7) as i32)?;
            let serial = Serial(serial);
            let lane = usize::from(serial.lane());
            if serial.birth() == 0 || saved.births.get(lane).is_none_or(|births| serial.birth() > *births) {
                return None;
            }
            let home = match kind {
                RangeKind::Stack => u16::try_from(from.next()?).ok()?,
                _ => 0,
            };
            if usize::from(home) >= saved.births.len() {
                return None;
            }
            if flags & 4 != 0 {
                let rank = from.next()?;
                let bounds: Option<Bounds> = (0..rank)
                    .map(|_| Some((from.next_signed()?, from.next_signed()?)))
                    .take(MAX_RANK as usize + 1)
                    .collect();
                saved.bounds.push((serial, bounds.filter(|_| (1..=MAX_RANK).contains(&rank))?));
            }
            let (has_contents, is_stable) = (flags & 1 != 0, flags & 2 != 0);
            saved.objects.push(SavedObject { serial, base, bytes, label, kind, has_contents, is_stable, home });
        }
        from.0.is_empty().then_some(saved)
    }
}

/// A pointer variable that lies in an object, and where it points; None is NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub serial: Serial,
    pub offset: u64,
    pub target: Option<(Serial, i64)>,
}

pub(crate) fn encode_slots(slots: &[Slot]) -> Vec<u8> {
    let mut out = Numbers(Vec::with_capacity(6 * slots.len() + 8));
    out.push(slots.len() as u64);
    let (mut last, mut offset, mut pointed) = (0_u64, 0, 0_u64);
    for slot in slots {
        let same = slot.serial.0 == last;
        let (target, by) = slot.target.map_or((0, 0), |(serial, by)| (serial.0, by));
        out.push_signed(slot.serial.0.wrapping_sub(last) as i64);
        out.push(if same { slot.offset - offset } else { slot.offset });
        out.push_signed(target.wrapping_sub(pointed) as i64);
        out.push_signed(by);
        (last, offset) = (slot.serial.0, slot.offset);
        pointed = target;
    }
    out.0
}

/// None if the bytes are no list of slots.
pub(crate) fn decode_slots(bytes: &[u8]) -> Option<Vec<Slot>> {
    let mut from = NumbersOf(bytes);
    let (mut slots, mut last, mut offset, mut pointed) = (Vec::new(), 0_u64, 0_u64, 0_u64);
    for _ in 0..from.next()? {
        let step = from.next_signed()?;
        last = last.wrapping_add_signed(step);
        let by = from.next()?;
        offset = if step == 0 { offset.checked_add(by)? } else { by };
        pointed = pointed.wrapping_add_signed(from.next_signed()?);
        let by = from.next_signed()?;
        let target = (pointed != 0).then_some((Serial(pointed), by));
        slots.push(Slot { serial: Serial(last), offset, target });
    }
    from.0.is_empty().then_some(slots)
}

/// Numbers of variable length ([`varint`]).
struct Numbers(Vec<u8>);

impl Numbers {
    fn push(&mut self, number: u64) {
        let (bytes, length) = varint::encode(number);
        self.0.extend_from_slice(&bytes[..length]);
    }

    /// The sign in the lowest bit.
    fn push_signed(&mut self, number: i64) {
        self.push((number << 1 ^ number >> 63) as u64);
    }
}

struct NumbersOf<'a>(&'a [u8]);

impl<'a> NumbersOf<'a> {
    fn next(&mut self) -> Option<u64> {
        let mut decoder = Decoder::default();
        for (i, byte) in self.0.iter().enumerate() {
            match decoder.take(*byte) {
                Decoded::Open => {}
                Decoded::Invalid => break,
                Decoded::Whole(number) => {
                    self.0 = &self.0[i + 1..];
                    return Some(number);
                }
            }
        }
        None
    }

    fn next_signed(&mut self) -> Option<i64> {
        self.next().map(|number| (number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Saved {
        let object = |lane, birth, base, bytes, kind, label| SavedObject {
            has_contents: birth % 2 == 0,
            home: if kind == RangeKind::Stack { lane } else { 0 },
            ..SavedObject::new(&Object { serial: Serial::new(lane, birth), ..Object::new(base, bytes, kind, 0) }, label)
        };
        Saved {
            set: 0x0123_4567_89ab_cdef,
            labels: vec![c"".into(), c"node (struct node)".into(), c"u".into()],
            births: vec![7, 1 << 40],
            objects: vec![
                object(0, 1, 1 << 46, 80, RangeKind::Stack, 0),
                SavedObject { is_stable: true, ..object(0, 3, 4096, 24, RangeKind::Heap, 1) },
                object(0, 7, 4120, 24, RangeKind::Heap, 1),
                object(1, 1, 16, 0, RangeKind::Static, 2),
                object(1, 1 << 40, 1 << 20, MAX_BYTES, RangeKind::Allocatable, 2),
            ],
            bounds: vec![(Serial::new(1, 1 << 40), vec![(-3, 5), (i64::MIN, i64::MAX)])],
        }
    }

    #[test]
    fn copy_comes_back_from_its_bytes_and_from_no_part_of_them() {
        let saved = example();
        let bytes = saved.encode();
        assert_eq!(Saved::decode(&bytes).as_ref(), Some(&saved));
        assert_eq!(saved.bounds_of(Serial::new(1, 1 << 40)).len(), 2);
        assert!((0..bytes.len()).all(|n| Saved::decode(&bytes[..n]).is_none()));
        assert_eq!(Saved::decode(&[bytes, vec![0]].concat()), None);
    }

    #[test]
    fn bytes_that_are_no_copy_are_refused_or_make_sense() {
        let bytes = example().encode();
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = value;
                if let Some(saved) = Saved::decode(&changed) {
                    assert_eq!(Saved::decode(&saved.encode()), Some(saved));
                }
            }
        }
    }

    #[test]
    fn object_among_its_like_takes_eight_bytes_at_most() {
        let node = |i: u64| Object {
            serial: Serial::new(0, i + 1),
            ..Object::new((1 << 46) + i * 48, 40, RangeKind::Heap, 1)
        };
        let objects = (0..1000).map(|i| SavedObject::new(&node(i), 1)).collect();
        let saved = Saved { labels: vec![c"".into(), c"node".into()], births: vec![1000], objects, ..Saved::default() };
        assert!(saved.encode().len() < 8 * 1000, "{}", saved.encode().len());
    }

    #[test]
    fn slots_come_back_from_their_bytes() {
        let slot = |serial, offset, target| Slot { serial: Serial(serial), offset, target };
        let to = |serial, by| Some((Serial(serial), by));
        let slots = vec![
            slot(5, 8, to(7, 0)),
            slot(5, 16, None),
            slot(5, 24, None),
            slot(5, 32, to(7, -8)),
            slot(9, 0, to(7, i64::MAX)),
            slot(3 << 48 | 1, 1 << 40, to(1, 0)),
        ];
        let bytes = encode_slots(&slots);
        assert_eq!(decode_slots(&bytes), Some(slots));
        assert!((0..bytes.len()).all(|n| decode_slots(&bytes[..n]).is_none()));
        assert_eq!(decode_slots(&encode_slots(&[])), Some(vec![]));
    }
}
