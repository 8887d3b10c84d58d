//! What the file of a one-file store has besides images: its head, two summaries, the heads of records.
//! `docs/format.md` has every byte.
//!
//! Each is a page with a checksum. A record's head and a summary have one layout, and both say what the record before
//! them is: a record whose own head is damaged is known by what follows it.

#![forbid(unsafe_code)]

use crate::error::{Error, Status};
use crate::store::MAX_NAME;
use crate::store::image::{damaged, is_sealed, seal, text_at, u32_at, u64_at, write_text};
use std::collections::BTreeMap;

/// Records begin at multiples of this.
pub(super) const PAGE: u64 = 4096;
pub(super) const PAGE_BYTES: usize = PAGE as usize;
/// Where the two summaries are.
pub(super) const SUMMARIES: [u64; 2] = [PAGE, 2 * PAGE];
/// Where the first record begins.
pub(super) const FIRST: u64 = 3 * PAGE;

const FILE_MAGIC: [u8; 8] = *b"\x89ADTA\r\n\x1a";
const RECORD_MAGIC: [u8; 8] = *b"ADTRECRD";
const SUMMARY_MAGIC: [u8; 8] = *b"ADTSUMRY";
const VERSION: u32 = 2;
const STEM_AT: usize = 24;
const NAME_AT: usize = 32;
const BEFORE_AT: usize = 144;
const BEFORE_NAME_AT: usize = 152;

/// An entry, or the removal of one; or a part of the file that is not as it was written.
#[derive(Clone)]
pub(super) struct Record {
    pub offset: u64,
    /// Bytes of the image; 0 of a removal. Of a damaged record, all bytes behind its first page.
    pub image: u64,
    /// None of damaged records of which nothing is known, nor how many there are.
    pub name: Option<String>,
    pub damaged: bool,
    pub dead: bool,
}

impl Record {
    pub fn new(offset: u64, image: u64, name: &str) -> Record {
        Record { offset, image, name: Some(name.to_owned()), damaged: false, dead: false }
    }

    /// What is damaged in `[from, to)`, where `before` is what the record behind it says.
    pub fn damaged(from: u64, to: u64, before: &Before) -> Record {
        let name = (before.offset == from && !before.name.is_empty()).then(|| before.name.clone());
        Record { offset: from, image: to - from - PAGE, name, damaged: true, dead: false }
    }

    pub fn is_removal(&self) -> bool {
        self.image == 0 && !self.damaged
    }

    /// Its image; None if the file was cut off.
    pub fn image_in<'a>(&self, file: &'a [u8]) -> Option<&'a [u8]> {
        let from = usize::try_from(self.offset + PAGE).ok()?;
        file.get(from..)?.get(..usize::try_from(self.image).ok()?)
    }

    /// Behind it.
    pub fn end(&self) -> u64 {
        self.offset + (PAGE + self.image).next_multiple_of(PAGE)
    }
}

/// What a page says of the record before it; offset 0 where there is none.
#[derive(Default)]
pub(super) struct Before {
    pub offset: u64,
    /// Empty where it is not known.
    pub name: String,
}

impl Before {
    pub fn of(record: Option<&Record>) -> Before {
        record.map_or_else(Before::default, |record| Before {
            offset: record.offset,
            name: record.name.clone().unwrap_or_default(),
        })
    }
}

/// Says how far the file is written: what lies in front of `end` is whole, what lies behind does not count.
pub(super) struct Summary {
    /// Which of the two.
    pub index: usize,
    pub sequence: u64,
    pub end: u64,
    /// The last record in front of the end.
    pub last: Before,
}

pub(super) fn file_head(id: u64, stem: &str) -> Vec<u8> {
    let mut head = vec![0; PAGE_BYTES];
    head[..8].copy_from_slice(&FILE_MAGIC);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    head[16..24].copy_from_slice(&id.to_le_bytes());
    write_text(&mut head, STEM_AT, stem);
    seal(&mut head);
    head
}

/// The file's number. `stem` is what the names of its run and rank begin with.
pub(super) fn check_file(file: &[u8], stem: &str) -> Result<u64, Error> {
    if file.len() < PAGE_BYTES || file[..8] != FILE_MAGIC || !is_sealed(&file[..PAGE_BYTES]) {
        return Err(damaged(format!("its head, {PAGE} bytes at offset 0, is not as it was written")));
    }
    let version = u32_at(file, 8);
    if version != VERSION {
        return Err(Error::new(
            Status::OtherVersion,
            format!("it has version {version} of the format, and this library reads version {VERSION}"),
        ));
    }
    match text_at(file, STEM_AT, PAGE_BYTES) {
        Some(found) if found == stem => Ok(u64_at(file, 16)),
        found => Err(damaged(format!(
            "it is the file of {:?}, and that of {stem:?} is asked for: it was renamed or swapped",
            found.unwrap_or_default()
        ))),
    }
}

/// Whose file it says that it is: what the names of its run and rank begin with.
pub(super) fn stem_of(file: &[u8]) -> Option<&str> {
    file.get(..PAGE_BYTES).filter(|head| head[..8] == FILE_MAGIC).and_then(|head| text_at(head, STEM_AT, PAGE_BYTES))
}

/// A record's head or a summary: `value` is the image's size or the end.
fn page(magic: [u8; 8], id: u64, sequence: u64, value: u64, name: &str, before: &Before) -> Vec<u8> {
    let mut page = vec![0; PAGE_BYTES];
    page[..8].copy_from_slice(&magic);
    page[8..16].copy_from_slice(&id.to_le_bytes());
    page[16..24].copy_from_slice(&sequence.to_le_bytes());
    page[24..32].copy_from_slice(&value.to_le_bytes());
    write_text(&mut page, NAME_AT, name);
    page[BEFORE_AT..BEFORE_NAME_AT].copy_from_slice(&before.offset.to_le_bytes());
    write_text(&mut page, BEFORE_NAME_AT, &before.name);
    seal(&mut page);
    page
}

/// The page at `offset`, if it is one of this kind and of this file; and the record before it.
fn parse(file: &[u8], offset: u64, magic: [u8; 8], id: u64) -> Option<(&[u8], Before)> {
    let page = file.get(usize::try_from(offset).ok()?..)?.get(..PAGE_BYTES)?;
    if page[..8] != magic || u64_at(page, 8) != id || !is_sealed(page) {
        return None;
    }
    let name = text_at(page, BEFORE_NAME_AT, MAX_NAME)?.to_owned();
    Some((page, Before { offset: u64_at(page, BEFORE_AT), name }))
}

pub(super) fn record_head(id: u64, sequence: u64, record: &Record, before: &Before) -> Vec<u8> {
    page(RECORD_MAGIC, id, sequence, record.image, record.name.as_deref().unwrap_or_default(), before)
}

/// The record whose head is at `offset` and which lies in front of `end`, its sequence number, and the record before.
pub(super) fn parse_record(file: &[u8], offset: u64, end: u64, id: u64) -> Option<(Record, u64, Before)> {
    let (page, before) = parse(file, offset, RECORD_MAGIC, id)?;
    let record = Record::new(offset, u64_at(page, 24), text_at(page, NAME_AT, MAX_NAME)?);
    let room = (end - offset).checked_sub(PAGE)?;
    (record.image <= room).then_some((record, u64_at(page, 16), before))
}

pub(super) fn summary_page(id: u64, summary: &Summary) -> Vec<u8> {
    page(SUMMARY_MAGIC, id, summary.sequence, summary.end, "", &summary.last)
}

/// The newer of the two summaries: each alone is enough.
pub(super) fn parse_summary(file: &[u8], id: u64) -> Result<Summary, Error> {
    let parsed = SUMMARIES.iter().enumerate().filter_map(|(index, offset)| {
        let (page, last) = parse(file, *offset, SUMMARY_MAGIC, id)?;
        let end = u64_at(page, 24);
        let possible = end >= FIRST && end.is_multiple_of(PAGE) && i64::try_from(end).is_ok();
        possible.then_some(Summary { index, sequence: u64_at(page, 16), end, last })
    });
    parsed.max_by_key(|summary| summary.sequence).ok_or_else(|| {
        damaged(format!(
            "its summaries, {PAGE} bytes each at offsets {} and {}, are not as they were written",
            PAGE,
            2 * PAGE
        ))
    })
}

/// Marks as dead what does not count. What is damaged and of unknown name does, and so does a removal behind it: it says
/// that its entry is not what is damaged.
pub(super) fn bury(records: &mut [Record]) {
    let mut last: BTreeMap<String, usize> = BTreeMap::new();
    let mut suspect = false;
    for i in 0..records.len() {
        records[i].dead = records[i].is_removal() && !suspect;
        let Some(name) = records[i].name.clone() else {
            suspect = true;
            continue;
        };
        if let Some(before) = last.insert(name, i) {
            records[before].dead = true;
        }
    }
}

/// The entries that count, by name: the indices of their records.
pub(super) fn living(records: &[Record]) -> BTreeMap<&str, usize> {
    let living = records.iter().enumerate().filter(|(_, record)| !record.dead && !record.is_removal());
    living.filter_map(|(i, record)| Some((record.name.as_deref()?, i))).collect()
}
