//! The file of a one-file store, and what is known of it.
//!
//! An operation that changes the file raises the sequence number. It writes what is new behind the end, syncs, and then
//! writes a summary that has the new end: there the operation comes into force. Of the two summaries one is on the disk
//! at any moment, with the state of the last sync: only the other one is written. Nothing in front of the end is
//! overwritten before a summary with a lower end is on the disk.

#![forbid(unsafe_code)]

use super::record::{
    Before, FIRST, PAGE, PAGE_BYTES, Record, SUMMARIES, Summary, bury, check_file, file_head, living, parse_record,
    parse_summary, record_head, summary_page,
};
use crate::error::{Error, Status};
use crate::store::disk::DiskFile;
use crate::store::files::{RunFiles, distinct, in_file};
use crate::store::regular::refused;
use std::io;
use std::path::Path;
use std::sync::Weak;

/// How the file's name ends.
pub(super) const SUFFIX: &str = "adtapes";

/// What has to be done before something is written behind the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// Nothing: the summaries on the disk have this end or a lower one.
    Free,
    /// A summary has this end, but may not be on the disk yet.
    Written,
    /// No summary has this end.
    Unwritten,
}

pub(super) struct ArchiveFile {
    file: Box<dyn DiskFile>,
    /// Distinguishes this file's records from bytes that look like one.
    id: u64,
    /// In the order of their offsets and of their sequence numbers, without gaps.
    pub records: Vec<Record>,
    /// Number of the last operation.
    sequence: u64,
    tail: Tail,
    /// The index of the summary that has the state of the last sync and is on the disk.
    certain: usize,
    /// The other one was written since.
    written: bool,
    /// Both have the present state, so that either may be damaged.
    mirrored: bool,
    /// What readers hold on to, and the offsets of their records, which stay as long.
    pub readers: Vec<(u64, Weak<()>)>,
    /// The file was replaced and could not be opened again.
    pub lost: bool,
}

impl ArchiveFile {
    /// Reads the heads of all records; makes the file if there is none.
    pub fn open(place: &RunFiles, path: &Path) -> Result<ArchiveFile, Error> {
        let contents = match place.disk.open(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                let made = rewrite(place, path, &[], &[]).and_then(|()| place.sync_directory());
                made.map_err(|e| refused("creating", path, &e))?;
                place.disk.open(path)
            }
            result => result,
        };
        let contents = contents.map_err(|e| refused("opening", path, &e))?;
        let checked = check_file(&contents, place.stem()).and_then(|id| Ok((id, parse_summary(&contents, id)?)));
        let (id, summary) = checked.map_err(|e| in_file(e, &path.display().to_string()))?;
        let file = place.disk.edit(path).map_err(|e| refused("opening", path, &e))?;
        let mut state = ArchiveFile {
            file,
            id,
            records: read_records(&contents, id, &summary),
            sequence: summary.sequence,
            // Nobody knows whether what a killed process wrote is on the disk: a sync comes first.
            tail: Tail::Written,
            certain: summary.index,
            written: false,
            mirrored: false,
            readers: Vec::new(),
            lost: false,
        };
        bury(&mut state.records);
        Ok(state)
    }

    /// Behind the last record.
    fn end(&self) -> u64 {
        self.records.last().map_or(FIRST, Record::end)
    }

    /// Where the store does not wait for the disk, the order of the writes is all there is.
    fn sync(&mut self, sync: bool) -> io::Result<()> {
        if sync {
            self.file.sync()?;
        }
        if self.written {
            (self.certain, self.written) = (1 - self.certain, false);
        }
        Ok(())
    }

    fn next_sequence(&self) -> io::Result<u64> {
        self.sequence.checked_add(1).ok_or_else(|| io::Error::other("its sequence numbers are used up"))
    }

    fn write_summary(&mut self) -> io::Result<()> {
        let (index, last) = (1 - self.certain, Before::of(self.records.last()));
        let summary = Summary { index, sequence: self.sequence, end: self.end(), last };
        self.file.write_at(SUMMARIES[index], &summary_page(self.id, &summary))?;
        self.written = true;
        Ok(())
    }

    /// Writes a summary of a removal, which may be on the disk later or never: then the removal did not happen.
    fn announce(&mut self) -> io::Result<()> {
        self.sequence = self.next_sequence()?;
        self.mirrored = false;
        self.write_summary()
    }

    /// Makes an entry that was appended count, for certain.
    fn publish(&mut self, sync: bool) -> io::Result<()> {
        self.announce()?;
        self.sync(sync)?;
        // One is enough for now.
        self.mirrored = self.write_summary().is_ok();
        Ok(())
    }

    /// Adds a record: an image, or a removal, which has none. On error nothing has changed.
    pub fn append(&mut self, name: &str, image: &[u8], sync: bool) -> io::Result<()> {
        self.cut(sync)?;
        let record = Record::new(self.end(), image.len() as u64, name);
        let offset = record.offset;
        let head = record_head(self.id, self.next_sequence()?, &record, &Before::of(self.records.last()));
        let mut write = || {
            self.file.set_len(record.end())?;
            if !image.is_empty() {
                self.file.write_at(offset + PAGE, image)?;
            }
            self.file.write_at(offset, &head)
        };
        if let Err(error) = write().and_then(|()| self.sync(sync)) {
            // What is behind the end does not count; at best it takes no space either.
            let _ = self.file.set_len(offset);
            return Err(error);
        }
        self.records.push(record);
        let published = if image.is_empty() { self.announce() } else { self.publish(sync) };
        if published.is_err() {
            self.records.pop();
            self.tail = Tail::Unwritten;
        }
        bury(&mut self.records);
        published
    }

    /// How many records are left when the dead ones at the end are cut off. None of them may be needed to tell that one
    /// before them is dead, or be read just now.
    fn kept(&mut self) -> usize {
        self.readers.retain(|(_, reader)| reader.strong_count() > 0);
        let read = self.readers.iter().map(|(offset, _)| *offset).max().unwrap_or(0);
        let needed = self.records.iter().rposition(|record| !record.dead || record.offset <= read);
        let keep = needed.map_or(0, |last| last + 1);
        let mut shorter = self.records[..keep].to_vec();
        bury(&mut shorter);
        if living(&shorter) == living(&self.records) { keep } else { self.records.len() }
    }

    /// Makes room behind the last record that is needed.
    fn cut(&mut self, sync: bool) -> io::Result<()> {
        if self.lost {
            return Err(io::Error::other("it was replaced and could not be opened again"));
        }
        let keep = self.kept();
        if keep < self.records.len() {
            self.records.truncate(keep);
            self.tail = Tail::Unwritten;
        }
        if self.tail == Tail::Unwritten {
            self.announce()?;
            self.tail = Tail::Written;
        }
        if self.tail == Tail::Written {
            self.sync(sync)?;
            self.file.set_len(self.end())?;
            self.tail = Tail::Free;
        }
        Ok(())
    }

    /// Says that an entry is gone. On error nothing has changed.
    pub fn remove(&mut self, i: usize, sync: bool) -> io::Result<()> {
        let Some(name) = self.records[i].name.clone() else { return Ok(()) };
        self.records[i].dead = true;
        let last = self.kept() == i && i + 1 == self.records.len();
        self.records[i].dead = false;
        if !last {
            return self.append(&name, &[], sync);
        }
        if self.tail == Tail::Unwritten {
            self.cut(sync)?;
        }
        let removed = self.records.pop();
        let written = self.announce();
        self.tail = Tail::Written;
        if written.is_err() {
            self.records.extend(removed);
            self.tail = Tail::Unwritten;
        }
        written
    }

    /// Brings both summaries up to date.
    pub fn close(&mut self, sync: bool) -> io::Result<()> {
        if !self.mirrored && !self.lost {
            self.sync(sync)?;
            self.write_summary()?;
        }
        Ok(())
    }
}

/// All records in front of the end; where there is none, a damaged one.
pub(super) fn read_records(contents: &[u8], id: u64, summary: &Summary) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    let (mut at, mut sequence, mut damaged) = (FIRST, 0, None);
    while at < summary.end {
        match parse_record(contents, at, summary.end, id) {
            Some((record, number, before)) if number > sequence && number <= summary.sequence => {
                records.extend(damaged.take().map(|from| Record::damaged(from, at, &before)));
                (at, sequence) = (record.end(), number);
                records.push(record);
            }
            _ => {
                damaged.get_or_insert(at);
                at = if at < contents.len() as u64 { at + PAGE } else { summary.end };
            }
        }
    }
    records.extend(damaged.map(|from| Record::damaged(from, summary.end, &summary.last)));
    records
}

/// Writes the file anew with some records of the old one, and puts it in its place. On error the old one is there.
pub(super) fn rewrite(place: &RunFiles, path: &Path, old: &[u8], records: &[&Record]) -> io::Result<()> {
    let part = place.part(SUFFIX);
    let id = distinct();
    let (mut new, mut end): (Vec<Record>, u64) = (Vec::new(), FIRST);
    for record in records {
        new.push(Record { offset: end, ..(*record).clone() });
        end = new.last().map_or(end, Record::end);
    }
    let summary = Summary { index: 0, sequence: new.len() as u64, end, last: Before::of(new.last()) };
    let write = || {
        let mut file = place.disk.create(&part, place.mode())?;
        file.append(&file_head(id, place.stem()))?;
        for _ in SUMMARIES {
            file.append(&summary_page(id, &summary))?;
        }
        let mut before = Before::default();
        for (i, (record, from)) in new.iter().zip(records).enumerate() {
            file.append(&record_head(id, i as u64 + 1, record, &before))?;
            before = Before::of(Some(record));
            let image = from.image_in(old).ok_or_else(|| io::Error::other("it was cut off"))?;
            file.append(image)?;
            let behind = record.offset + PAGE + record.image;
            file.append(&[0; PAGE_BYTES][..(record.end() - behind) as usize])?;
        }
        if place.syncs() {
            file.sync()?;
        }
        place.disk.rename(&part, path)
    };
    write().inspect_err(|_| drop(place.disk.remove(&part)))
}

/// The error for a record that is not as it was written.
#[cold]
pub(super) fn damaged_record(record: &Record, name: &str, path: &Path) -> Error {
    let (offset, bytes) = (record.offset, record.end() - record.offset);
    let what = match record.name {
        Some(_) => {
            format!("the record of checkpoint {name:?}, {bytes} bytes at offset {offset}, is not as it was written")
        }
        None => format!(
            "what is at offset {offset}, {bytes} bytes, is not as it was written; it may have been \
             a newer checkpoint {name:?}"
        ),
    };
    let advice = "restore the file from a copy; or remove the checkpoint, or write it anew";
    Error::new(Status::Damaged, format!("{}: {what}\n  {advice}", path.display()))
}
