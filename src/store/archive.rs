//! A store of files that has one file for all entries.
//!
//! ```text
//!   <directory>/<run>.r<rank>.adtapes
//!   | head 4096 | record | record | …
//!   record = | head 4096 | image | zeros up to a multiple of 4096 |
//! ```
//!
//! A *record* is an entry, or says that one was removed. Of several of one name the last counts; the others are *dead*.
//! An entry is written to a file of its own and appended at its commit: first the image, synced, then the record's
//! head, synced, so that there is a head only in front of a whole image. What is behind the last record is of a commit
//! that never came to its end. Dead records at the end are cut off, which with the last-in first-out order of most
//! schedules is all of them; when those in the middle outweigh the living, the file is written anew.

#![forbid(unsafe_code)]

use super::disk::{Disk, DiskFile, System, refused};
use super::files::{FileOptions, FileReader, Part, Place, distinct, in_file};
use super::image::{damaged, is_sealed, seal, u32_at, u64_at};
use super::{EntryReader, EntryWriter, MAX_NAME, Store, check_name, lock, not_found};
use crate::error::{Error, Status};
use crate::sync::{Arc, Mutex};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Weak;

const SUFFIX: &str = "adtapes";
const FILE_MAGIC: [u8; 8] = *b"\x89ADTA\r\n\x1a";
const RECORD_MAGIC: [u8; 8] = *b"ADTRECRD";
const VERSION: u32 = 1;
/// Records begin at multiples of this, and so does what is behind the head of the file.
const PAGE: u64 = 4096;
const RECORD_HEAD: usize = PAGE as usize;
const NAME_AT: usize = 40;
/// The file is written anew when dead records outweigh the living and this.
const DEAD_ENOUGH: u64 = if cfg!(test) { 64 << 10 } else { 16 << 20 };

/// A store of files in a directory that has one file for all entries. The format is in `docs/format.md`.
///
/// ```
/// # use adtape::*;
/// # fn main() -> Result<(), Error> {
/// # let directory = std::env::temp_dir();
/// let store = ArchiveStore::new(&directory, FileOptions::default())?;
/// for name in ["step-0", "step-10"] {
///     let mut writer = store.create(name)?;
///     writer.write(b"state")?;
///     writer.commit()?; // is on the disk now
/// }
/// store.remove("step-0")?;
/// assert_eq!(store.names()?, ["step-10"]);
/// # Ok(())
/// # }
/// ```
pub struct ArchiveStore {
    archive: Arc<Archive>,
}

struct Archive {
    place: Arc<Place>,
    path: PathBuf,
    state: Mutex<State>,
}

struct State {
    file: Box<dyn DiskFile>,
    /// Distinguishes this file's records from bytes that look like one.
    id: u64,
    /// In the order of their offsets and of their sequence numbers.
    records: Vec<Record>,
    next_sequence: u64,
    /// There is something behind the end that is no longer needed.
    cut: bool,
    /// What readers hold on to, and the offsets of their records, which stay as long.
    readers: Vec<(u64, Weak<()>)>,
    /// Where the file had something that is no record when it was opened.
    strange: Option<u64>,
    /// The file was replaced and could not be opened again.
    lost: bool,
}

#[derive(Clone)]
struct Record {
    offset: u64,
    /// Bytes of the image; 0 of a removal.
    image: u64,
    name: String,
    dead: bool,
}

impl Record {
    fn end(&self) -> u64 {
        self.offset + (RECORD_HEAD as u64 + self.image).next_multiple_of(PAGE)
    }
}

fn file_head(id: u64) -> Vec<u8> {
    let mut head = vec![0; PAGE as usize];
    head[..8].copy_from_slice(&FILE_MAGIC);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    head[16..24].copy_from_slice(&id.to_le_bytes());
    seal(&mut head);
    head
}

fn record_head(id: u64, sequence: u64, name: &str, image: u64) -> Vec<u8> {
    let mut head = vec![0; RECORD_HEAD];
    head[..8].copy_from_slice(&RECORD_MAGIC);
    head[8..16].copy_from_slice(&id.to_le_bytes());
    head[16..24].copy_from_slice(&sequence.to_le_bytes());
    head[24..32].copy_from_slice(&image.to_le_bytes());
    head[32..36].copy_from_slice(&(name.len() as u32).to_le_bytes());
    head[NAME_AT..NAME_AT + name.len()].copy_from_slice(name.as_bytes());
    seal(&mut head);
    head
}

/// The record whose head is at `offset`, and its sequence number.
fn parse_record(file: &[u8], offset: u64, id: u64) -> Option<(Record, u64)> {
    let head = file.get(offset as usize..)?.get(..RECORD_HEAD)?;
    let name = u32_at(head, 32) as usize;
    if head[..8] != RECORD_MAGIC || u64_at(head, 8) != id || !is_sealed(head) || name > MAX_NAME {
        return None;
    }
    let name = std::str::from_utf8(&head[NAME_AT..NAME_AT + name]).ok()?.to_owned();
    let record = Record { offset, image: u64_at(head, 24), name, dead: false };
    let behind = (offset + RECORD_HEAD as u64).checked_add(record.image)?;
    (behind <= file.len() as u64).then_some((record, u64_at(head, 16)))
}

/// Marks as dead what does not count.
fn bury(records: &mut [Record]) {
    let mut last: BTreeMap<String, usize> = BTreeMap::new();
    for i in 0..records.len() {
        records[i].dead = records[i].image == 0;
        if let Some(before) = last.insert(records[i].name.clone(), i) {
            records[before].dead = true;
        }
    }
}

/// The entries that count, by name: the indices of their records.
fn living(records: &[Record]) -> BTreeMap<&str, usize> {
    records.iter().enumerate().filter(|(_, r)| !r.dead).map(|(i, r)| (r.name.as_str(), i)).collect()
}

impl ArchiveStore {
    /// A store in a directory that exists; what a killed process left half written is removed.
    pub fn new(directory: impl AsRef<Path>, options: FileOptions) -> Result<ArchiveStore, Error> {
        ArchiveStore::on(Arc::new(System), directory.as_ref(), options)
    }

    pub(super) fn on(disk: Arc<dyn Disk>, directory: &Path, options: FileOptions) -> Result<ArchiveStore, Error> {
        let place = Arc::new(Place::new(disk, directory, options)?);
        let path = place.file(SUFFIX);
        let state = State::open(&place, &path)?;
        Ok(ArchiveStore { archive: Arc::new(Archive { place, path, state: Mutex::new(state) }) })
    }
}

impl State {
    /// Reads the heads of all records; makes the file if there is none.
    fn open(place: &Place, path: &Path) -> Result<State, Error> {
        let contents = match place.disk.open(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                let made = rewrite(place, path, &[], &[]).and_then(|()| sync_name(place));
                made.map_err(|e| refused("creating", path, &e))?;
                place.disk.open(path)
            }
            result => result,
        };
        let contents = contents.map_err(|e| refused("opening", path, &e))?;
        let id = check_file(&contents).map_err(|e| in_file(e, &path.display().to_string()))?;
        let file = place.disk.edit(path).map_err(|e| refused("opening", path, &e))?;
        let mut state = State {
            file,
            id,
            records: Vec::new(),
            next_sequence: 1,
            cut: false,
            readers: Vec::new(),
            strange: None,
            lost: false,
        };
        let mut at = PAGE;
        while at < contents.len() as u64 {
            // What is no record was damaged, or is of a commit that never came to its end: the next one may follow.
            at = match parse_record(&contents, at, id) {
                Some((record, sequence)) if sequence >= state.next_sequence => {
                    state.next_sequence = sequence + 1;
                    state.records.push(record);
                    state.end()
                }
                _ => {
                    state.strange.get_or_insert(at);
                    at + PAGE
                }
            };
        }
        bury(&mut state.records);
        state.cut = contents.len() as u64 > state.end();
        Ok(state)
    }

    /// Behind the last record.
    fn end(&self) -> u64 {
        self.records.last().map_or(PAGE, Record::end)
    }

    /// Adds a record. On error nothing has changed.
    fn append(&mut self, name: &str, image: &[u8], sync: bool) -> io::Result<()> {
        self.cut(sync)?;
        let offset = self.end();
        let record = Record { offset, image: image.len() as u64, name: name.to_owned(), dead: false };
        let mut write = || {
            self.file.set_len(record.end())?;
            if !image.is_empty() {
                self.file.write_at(offset + RECORD_HEAD as u64, image)?;
                if sync {
                    self.file.sync()?;
                }
            }
            self.file.write_at(offset, &record_head(self.id, self.next_sequence, name, record.image))?;
            // That an entry was removed need not be on the disk before something else is.
            if sync && !image.is_empty() { self.file.sync() } else { Ok(()) }
        };
        if let Err(error) = write() {
            // The head may be there already. Nothing more can be done if this fails, too.
            let _ = self.file.write_at(offset, &[0; RECORD_HEAD]);
            let _ = self.file.set_len(offset);
            self.cut = true;
            return Err(error);
        }
        self.next_sequence += 1;
        self.records.push(record);
        bury(&mut self.records);
        Ok(())
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

    /// Makes room behind the last record that is needed. Nothing is overwritten before its head is gone for certain,
    /// and heads go in the order of their numbers, so that no older entry comes back in a crash in between.
    fn cut(&mut self, sync: bool) -> io::Result<()> {
        if self.lost {
            return Err(io::Error::other("it was replaced and could not be opened again"));
        }
        let keep = self.kept();
        for i in keep..self.records.len() {
            self.file.write_at(self.records[i].offset, &[0; RECORD_HEAD])?;
            if sync {
                self.file.sync()?;
            }
            self.cut = true;
        }
        self.records.truncate(keep);
        if self.cut {
            if sync {
                self.file.sync()?;
            }
            self.file.set_len(self.end())?;
            self.cut = false;
        }
        Ok(())
    }

    /// Says that an entry is gone. On error nothing has changed.
    fn remove(&mut self, i: usize, sync: bool) -> io::Result<()> {
        let name = self.records[i].name.clone();
        self.records[i].dead = true;
        if self.kept() == i && i + 1 == self.records.len() {
            // Its head alone says that it is there.
            let offset = self.records[i].offset;
            self.file.write_at(offset, &[0; RECORD_HEAD]).inspect_err(|_| self.records[i].dead = false)?;
            self.records.pop();
            self.cut = true;
            return Ok(());
        }
        self.records[i].dead = false;
        self.append(&name, &[], sync)
    }
}

/// The file's number.
fn check_file(file: &[u8]) -> Result<u64, Error> {
    if file.len() < PAGE as usize || file[..8] != FILE_MAGIC || !is_sealed(&file[..PAGE as usize]) {
        return Err(damaged(format!("its head, {PAGE} bytes at offset 0, is not as it was written")));
    }
    match u32_at(file, 8) {
        VERSION => Ok(u64_at(file, 16)),
        other => Err(Error::new(
            Status::OtherVersion,
            format!("it has version {other} of the format, and this library reads version {VERSION}"),
        )),
    }
}

/// Writes the file anew with some records of the old one, and puts it in its place. On error the old one is there.
fn rewrite(place: &Place, path: &Path, old: &[u8], records: &[&Record]) -> io::Result<()> {
    let part = place.part(SUFFIX);
    let id = distinct();
    let write = || {
        let mut file = place.disk.create(&part)?;
        file.append(&file_head(id))?;
        for (i, record) in records.iter().enumerate() {
            file.append(&record_head(id, i as u64 + 1, &record.name, record.image))?;
            let from = record.offset as usize + RECORD_HEAD;
            file.append(&old[from..from + record.image as usize])?;
            let behind = record.offset + RECORD_HEAD as u64 + record.image;
            file.append(&[0; PAGE as usize][..(record.end() - behind) as usize])?;
        }
        if place.syncs() {
            file.sync()?;
        }
        place.disk.rename(&part, path)
    };
    write().inspect_err(|_| drop(place.disk.remove(&part)))
}

fn sync_name(place: &Place) -> io::Result<()> {
    if place.syncs() { place.disk.sync_directory(&place.directory) } else { Ok(()) }
}

impl Archive {
    #[cold]
    fn not_found(&self, state: &State, name: &str) -> Error {
        let error = not_found(name, &self.path.display().to_string());
        match state.strange {
            None => error,
            Some(at) => error.with_line(&format!(
                "what is at offset {at} of the file is no record: of a commit that was cut short, or damaged"
            )),
        }
    }

    /// After a change: writes the file anew where most of it does not count.
    fn tidy(&self, state: &mut State) -> io::Result<()> {
        let bytes = |dead| state.records.iter().filter(|r| r.dead == dead).map(|r| r.end() - r.offset).sum::<u64>();
        if bytes(true) < DEAD_ENOUGH.max(bytes(false)) {
            return Ok(());
        }
        let old = self.place.disk.open(&self.path)?;
        let alive: Vec<&Record> = state.records.iter().filter(|record| !record.dead).collect();
        if rewrite(&self.place, &self.path, &old, &alive).is_err() {
            // Nothing is lost but space; the next change tries again.
            return Ok(());
        }
        state.lost = true;
        *state = State::open(&self.place, &self.path).map_err(|e| io::Error::other(e.message().to_owned()))?;
        sync_name(&self.place)
    }
}

impl Store for ArchiveStore {
    fn create(&self, name: &str) -> Result<Box<dyn EntryWriter>, Error> {
        check_name(name)?;
        let part = Part::create(&self.archive.place, name)?;
        Ok(Box::new(ArchiveWriter { archive: self.archive.clone(), name: name.to_owned(), part }))
    }

    fn open(&self, name: &str) -> Result<Box<dyn EntryReader>, Error> {
        let archive = &self.archive;
        let mut state = lock(&archive.state);
        let found = living(&state.records).get(name).map(|i| state.records[*i].clone());
        let record = found.ok_or_else(|| archive.not_found(&state, name))?;
        let contents = archive.place.disk.open(&archive.path).map_err(|e| refused("opening", &archive.path, &e))?;
        let from = record.offset as usize + RECORD_HEAD;
        let held = Arc::new(());
        state.readers.push((record.offset, Arc::downgrade(&held)));
        let place = format!("{} (entry at offset {from})", archive.path.display());
        FileReader::new(place, contents, from..from + record.image as usize, Some(held)).map(|r| Box::new(r) as _)
    }

    fn remove(&self, name: &str) -> Result<(), Error> {
        let archive = &self.archive;
        let mut state = lock(&archive.state);
        let Some(i) = living(&state.records).get(name).copied() else {
            return Err(archive.not_found(&state, name));
        };
        let removed = state.remove(i, archive.place.syncs()).and_then(|()| archive.tidy(&mut state));
        removed.map_err(|e| refused("removing an entry of", &archive.path, &e))
    }

    fn names(&self) -> Result<Vec<String>, Error> {
        Ok(living(&lock(&self.archive.state).records).into_keys().map(str::to_owned).collect())
    }
}

struct ArchiveWriter {
    archive: Arc<Archive>,
    name: String,
    part: Part,
}

impl EntryWriter for ArchiveWriter {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.part.write(bytes)
    }

    fn commit(mut self: Box<Self>) -> Result<(), Error> {
        self.part.finish()?;
        let archive = &self.archive;
        let append = || {
            let image = archive.place.disk.open(&self.part.path)?;
            let mut state = lock(&archive.state);
            state.append(&self.name, &image, archive.place.syncs())?;
            archive.tidy(&mut state)
        };
        append().map_err(|e| refused("writing", &archive.path, &e))
    }
}

#[cfg(test)]
mod tests {
    use super::super::image::HEADER;
    use super::*;

    fn put(store: &ArchiveStore, name: &str, value: u8, count: usize) {
        let mut writer = store.create(name).unwrap();
        writer.write(&vec![value; count]).unwrap();
        writer.commit().unwrap();
    }

    fn check(store: &ArchiveStore, name: &str, value: u8, count: usize) {
        let mut reader = store.open(name).unwrap();
        let mut found = vec![0; count];
        assert_eq!(reader.bytes(), count as u64);
        reader.read_at(0, &mut found).unwrap();
        assert!(found.iter().all(|byte| *byte == value));
    }

    fn store(name: &str) -> (ArchiveStore, PathBuf) {
        let options =
            FileOptions { run: Some(format!("{name}-{}", std::process::id())), rank: Some(0), ..Default::default() };
        let store = ArchiveStore::new(std::env::temp_dir(), options).unwrap();
        let path = store.archive.path.clone();
        (store, path)
    }

    fn size(path: &Path) -> u64 {
        std::fs::metadata(path).unwrap().len()
    }

    #[test]
    fn file_of_entries_that_come_and_go_last_in_first_out_does_not_grow() {
        let (store, path) = store("lifo");
        for round in 0..5 {
            for depth in 0..6 {
                put(&store, &format!("step-{depth}"), depth, 30_000);
            }
            assert!(size(&path) < 6 * 45_000, "round {round}: {}", size(&path));
            for depth in (0..6).rev() {
                check(&store, &format!("step-{depth}"), depth, 30_000);
                store.remove(&format!("step-{depth}")).unwrap();
            }
        }
        put(&store, "last", 1, 10);
        assert_eq!(size(&path), 4 * PAGE, "what was removed is cut off");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn file_of_entries_that_are_replaced_is_written_anew_now_and_then() {
        let (store, path) = store("replaced");
        put(&store, "kept", 9, 1000);
        let mut reader = store.open("kept").unwrap();
        let mut largest = 0;
        for round in 0..100 {
            put(&store, "a", round, 2 << 20);
            largest = largest.max(size(&path));
            check(&store, "a", round, 2 << 20);
        }
        assert!(largest < 24 << 20, "{largest}");
        let mut found = [0; 1000];
        reader.read_at(0, &mut found).unwrap();
        assert_eq!(found, [9; 1000]);
        check(&store, "kept", 9, 1000);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn entry_that_is_being_read_is_not_cut_off() {
        let (store, path) = store("held");
        put(&store, "a", 1, 300_000);
        let mut reader = store.open("a").unwrap();
        store.remove("a").unwrap();
        put(&store, "b", 2, 300_000);
        let mut found = vec![0; 300_000];
        reader.read_at(0, &mut found).unwrap();
        assert!(found.iter().all(|byte| *byte == 1));
        drop(reader);
        store.remove("b").unwrap();
        put(&store, "c", 3, 10);
        assert_eq!(size(&path), 4 * PAGE);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn entry_whose_head_is_damaged_is_missed_with_the_place_and_the_others_are_there() {
        let (first, path) = store("damaged");
        for name in ["a", "b", "c"] {
            put(&first, name, 1, 5000);
        }
        drop(first);
        let mut file = std::fs::read(&path).unwrap();
        file[5 * PAGE as usize + 20] ^= 1;
        std::fs::write(&path, &file).unwrap();
        let (second, _) = store("damaged");
        assert_eq!(second.names().unwrap(), ["a", "c"]);
        check(&second, "c", 1, 5000);
        let error = second.open("b").err().unwrap();
        assert!(error.message().contains(&format!("offset {}", 5 * PAGE)), "{error}");
        // A bit in an image is an error of that entry alone.
        file[PAGE as usize + RECORD_HEAD + HEADER + 100] ^= 1;
        drop(second);
        std::fs::write(&path, &file).unwrap();
        let (third, _) = store("damaged");
        let mut reader = third.open("a").unwrap();
        let error = reader.read_at(0, &mut [0; 5000]).unwrap_err();
        assert!(error.status() == Status::Damaged && error.message().contains("block 0"), "{error}");
        check(&third, "c", 1, 5000);
        drop(third);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn removal_and_replacement_survive_a_restart() {
        let (first, path) = store("restart");
        put(&first, "a", 1, 1000);
        put(&first, "b", 2, 1000);
        put(&first, "a", 3, 2000);
        put(&first, "c", 4, 1000);
        first.remove("a").unwrap();
        drop(first);
        let (second, _) = store("restart");
        assert_eq!(second.names().unwrap(), ["b", "c"]);
        check(&second, "c", 4, 1000);
        second.remove("c").unwrap();
        drop(second);
        let (third, _) = store("restart");
        assert_eq!(third.names().unwrap(), ["b"], "no older version comes back");
        std::fs::remove_file(path).unwrap();
    }
}
