//! The bytes of a checkpoint, as `docs/format.md` describes them.

use crate::codes::codes;
use crate::error::{Error, Status};
use crate::tape::{MAX_RANK, Type};

/// What a checkpoint begins with.
pub(super) const MAGIC: [u8; 8] = *b"ADTCKPT\0";
pub(super) const VERSION: u32 = 2;
/// Versions that are read; 1 has no sections but values and allocatables.
const READABLE: std::ops::RangeInclusive<u32> = 1..=VERSION;
/// Bytes of the head and of the end of a checkpoint.
pub(super) const HEAD: usize = 16;
/// Bytes of a section's head before its name.
pub(super) const SECTION_HEAD: usize = 32;
const SECTION: [u8; 4] = *b"SECT";
const DONE: [u8; 4] = *b"DONE";
/// The longest name of a section, in bytes.
pub(super) const MAX_SECTION_NAME: usize = 1000;
/// In the flags of a section: there were values. Always set but for an allocatable that was not allocated.
const ALLOCATED: u8 = 1;

/// What a section is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum SectionKind {
    /// Values of a variable that exists when they are read.
    Values = 1,
    /// Values and bounds of something that is allocated when they are read.
    Allocatable = 2,
    /// A pointer variable: the serial of the object that it points into, and an offset.
    Pointer = 3,
    /// Which objects were alive: serial, label, kind, size, where they lay.
    Ranges = 4,
    /// The pointer variables inside of those objects.
    Slots = 5,
    /// The contents of those objects, one after the other.
    Contents = 6,
    /// The state of a stable heap.
    Heap = 7,
}

codes! {
    SectionKind: u8 from 1 {
        Values, Allocatable, Pointer, Ranges, Slots, Contents, Heap,
    }
}

/// What is known of a section without reading its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionInfo {
    /// As it was given when it was written.
    pub name: String,
    /// What it is.
    pub kind: SectionKind,
    /// Of its values.
    pub ty: Type,
    /// Number of values.
    pub count: u64,
    /// Lower bound and extent of each dimension, the fastest first. Empty for values that were written as a list.
    pub bounds: Vec<(i64, i64)>,
    /// Whether there were values at all; an allocatable may not have been allocated.
    pub allocated: bool,
}

impl SectionInfo {
    /// Bytes of the values.
    pub fn bytes(&self) -> u64 {
        self.count * self.ty.bytes() as u64
    }

    /// For messages: `100 values of f64 in (10, 10)`.
    pub(super) fn describe(&self) -> String {
        if !self.allocated {
            return format!("an allocatable of {} that was not allocated", self.ty.name());
        }
        let kind = match self.kind {
            SectionKind::Values => "",
            SectionKind::Allocatable => "an allocatable of ",
            SectionKind::Pointer => "a pointer, ",
            SectionKind::Ranges => "the ranges that were alive, ",
            SectionKind::Slots => "the pointers in live ranges, ",
            SectionKind::Contents => "the contents of live ranges, ",
            SectionKind::Heap => "the state of a stable heap, ",
        };
        let values = if self.count == 1 { "value" } else { "values" };
        let extents: Vec<String> = self.bounds.iter().map(|(_, extent)| extent.to_string()).collect();
        let shape = if extents.is_empty() { String::new() } else { format!(" in ({})", extents.join(", ")) };
        format!("{kind}{} {values} of {}{shape}", self.count, self.ty.name())
    }

    /// The bytes of the head, from its first [`SECTION_HEAD`]; `None` if they are not those of a section.
    pub(super) fn head_bytes(start: &[u8; SECTION_HEAD]) -> Option<usize> {
        let (rank, name) = (usize::from(start[6]), usize::from(u16_at(start, 8)));
        let bytes = SECTION_HEAD + padded(name) + 16 * rank;
        let ok = start[..4] == SECTION && u32_at(start, 12) as usize == bytes && rank <= MAX_RANK + 1;
        (ok && (1..=MAX_SECTION_NAME).contains(&name)).then_some(bytes)
    }

    /// The head whose first bytes [`head_bytes`](SectionInfo::head_bytes) has measured; `None` if it makes no sense.
    pub(super) fn decode(head: &[u8]) -> Option<SectionInfo> {
        let kind = SectionKind::from_code(head[4])?;
        let ty = Type::from_code(i32::from(head[5])).filter(|ty| !matches!(ty, Type::Control | Type::Count))?;
        let (rank, name) = (usize::from(head[6]), usize::from(u16_at(head, 8)));
        let name_end = SECTION_HEAD + name;
        let text = std::str::from_utf8(&head[SECTION_HEAD..name_end]).ok()?.to_owned();
        let bounds_at = SECTION_HEAD + padded(name);
        let bounds: Vec<(i64, i64)> = head[bounds_at..bounds_at + 16 * rank]
            .chunks_exact(16)
            .map(|pair| (u64_at(pair, 0) as i64, u64_at(pair, 8) as i64))
            .collect();
        let count = u64_at(head, 16);
        let product = bounds.iter().try_fold(1u64, |n, (_, extent)| n.checked_mul(u64::try_from(*extent).ok()?));
        let allocated = head[7] & ALLOCATED != 0;
        let count_agrees = bounds.is_empty() || product == Some(count);
        let bytes_agree = count.checked_mul(ty.bytes() as u64) == Some(u64_at(head, 24));
        let exists = allocated || (kind == SectionKind::Allocatable && count == 0);
        (count_agrees && bytes_agree && exists && head[7] & !ALLOCATED == 0).then_some(SectionInfo {
            name: text,
            kind,
            ty,
            count,
            bounds,
            allocated,
        })
    }
}

/// Appends a section's head.
#[inline]
pub(super) fn encode(
    out: &mut Vec<u8>,
    kind: SectionKind,
    ty: Type,
    name: &str,
    count: u64,
    allocated: bool,
    bounds: &[(i64, i64)],
) {
    let mut head = [0; SECTION_HEAD];
    let bytes = SECTION_HEAD + padded(name.len()) + 16 * bounds.len();
    head[..4].copy_from_slice(&SECTION);
    head[4] = kind as u8;
    head[5] = ty as u8;
    head[6] = bounds.len() as u8;
    head[7] = if allocated { ALLOCATED } else { 0 };
    head[8..10].copy_from_slice(&(name.len() as u16).to_le_bytes());
    head[12..16].copy_from_slice(&(bytes as u32).to_le_bytes());
    head[16..24].copy_from_slice(&count.to_le_bytes());
    head[24..32].copy_from_slice(&(count * ty.bytes() as u64).to_le_bytes());
    out.extend_from_slice(&head);
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(&[0; 8][..padded(name.len()) - name.len()]);
    for (lower, extent) in bounds {
        out.extend_from_slice(&lower.to_le_bytes());
        out.extend_from_slice(&extent.to_le_bytes());
    }
}

pub(super) fn head() -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(&MAGIC);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    head
}

pub(super) fn end(sections: u64) -> [u8; HEAD] {
    let mut end = [0; HEAD];
    end[..4].copy_from_slice(&DONE);
    end[8..].copy_from_slice(&sections.to_le_bytes());
    end
}

/// The number of sections, if these are the bytes of an end.
pub(super) fn decode_end(bytes: &[u8]) -> Option<u64> {
    (bytes.len() == HEAD && bytes[..8] == end(0)[..8]).then(|| u64_at(bytes, 8))
}

/// Checks the head of a checkpoint.
pub(super) fn check_head(bytes: &[u8; HEAD]) -> Result<(), Error> {
    if bytes[..8] != MAGIC {
        let begin = bytes[..8].escape_ascii();
        let message = format!("the entry is no checkpoint: it begins with \"{begin}\"");
        return Err(Error::new(Status::Damaged, message));
    }
    match u32_at(bytes, 8) {
        version if READABLE.contains(&version) => Ok(()),
        other => Err(Error::new(
            Status::OtherVersion,
            format!("the checkpoint has version {other}, and this library reads versions 1 to {VERSION}"),
        )),
    }
}

/// `n` up to a multiple of 8.
pub(super) fn padded(n: usize) -> usize {
    n.next_multiple_of(8)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes[at..at + 2].try_into().expect("two bytes"))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
