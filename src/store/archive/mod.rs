//! A store of files that has one file for all entries.
//!
//! ```text
//!   <directory>/<run>.r<rank>.adtapes
//!   | head 4096 | summary 4096 | summary 4096 | record | record | …                end |
//!   record = | head 4096 | image | zeros up to a multiple of 4096 |
//! ```
//!
//! A *record* is an entry, or says that one was removed. Of several of one name the last counts; the others are *dead*.
//! An entry is written to a file of its own and appended at its commit. A *summary* says where the records end: in
//! front of that all of them must be whole, and one that is not is *damaged*, never passed over; what lies behind is
//! from a commit that never came to its end. Dead records at the end are cut off, which with the last-in first-out order
//! of most schedules is all of them; when those in the middle outweigh the living, the file is written anew.

#![forbid(unsafe_code)]

mod record;
mod state;
#[cfg(test)]
mod tests;

use super::disk::{Disk, System};
use super::files::{FileOptions, FileReader, Part, RunFiles};
use super::regular::refused;
use super::{EntryReader, EntryWriter, Store, check_name, not_found};
use crate::error::Error;
use crate::sync::{Arc, Mutex};
use record::{PAGE, Record, bury, check_file, living, parse_summary, stem_of};
use state::{ArchiveFile, SUFFIX, damaged_record, read_records, rewrite};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The file is written anew when dead records outweigh the living and this.
const DEAD_ENOUGH: u64 = if cfg!(test) { 64 << 10 } else { 16 << 20 };

/// A store of files in a directory that has one file for all entries. The format is in `docs/format.md`.
///
/// A run and rank has one store at a time, in all processes; a second one is refused.
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
    place: Arc<RunFiles>,
    path: PathBuf,
    state: Mutex<ArchiveFile>,
}

impl ArchiveStore {
    /// A store in a directory that exists; what a killed process left half written is removed.
    pub fn new(directory: impl AsRef<Path>, options: FileOptions) -> Result<ArchiveStore, Error> {
        ArchiveStore::on(Arc::new(System), directory.as_ref(), options)
    }

    pub(super) fn on(disk: Arc<dyn Disk>, directory: &Path, options: FileOptions) -> Result<ArchiveStore, Error> {
        let place = Arc::new(RunFiles::new(disk, directory, options)?);
        let path = place.file(SUFFIX);
        let state = ArchiveFile::open(&place, &path)?;
        Ok(ArchiveStore { archive: Arc::new(Archive { place, path, state: Mutex::new(state) }) })
    }
}

impl Archive {
    /// The record that an entry is in; None if there is no entry of this name.
    fn find(&self, state: &ArchiveFile, name: &str) -> Result<Option<Record>, Error> {
        let last = state.records.iter().rposition(|record| record.name.as_deref() == Some(name));
        let suspect = state.records.iter().rposition(|record| record.name.is_none());
        let found = last.map(|i| &state.records[i]);
        let damaged = match suspect.filter(|suspect| last.is_none_or(|last| last < *suspect)) {
            Some(suspect) => Some(&state.records[suspect]),
            None => found.filter(|record| record.damaged),
        };
        match damaged {
            Some(record) => Err(damaged_record(record, name, &self.path)),
            None => Ok(found.filter(|record| record.image > 0).cloned()),
        }
    }

    #[cold]
    fn not_found(&self, name: &str) -> Error {
        not_found(name, &self.path.display().to_string())
    }

    /// After a change: writes the file anew where most of it does not count. What is damaged stays in it, to be seen.
    fn tidy(&self, state: &mut ArchiveFile) -> io::Result<()> {
        let bytes = |dead| state.records.iter().filter(|r| r.dead == dead).map(|r| r.end() - r.offset).sum::<u64>();
        let damaged = state.records.iter().any(|record| record.damaged && !record.dead);
        if damaged || bytes(true) < DEAD_ENOUGH.max(bytes(false)) {
            return Ok(());
        }
        let old = self.place.disk.open(&self.path)?;
        let alive: Vec<&Record> = state.records.iter().filter(|record| !record.dead).collect();
        if rewrite(&self.place, &self.path, &old, &alive).is_err() {
            // Nothing is lost but space; the next change tries again.
            return Ok(());
        }
        state.lost = true;
        *state = ArchiveFile::open(&self.place, &self.path).map_err(|e| io::Error::other(e.message().to_owned()))?;
        self.place.sync_directory()
    }
}

impl Drop for Archive {
    /// Nobody is left to hear of a failure, and nothing depends on it but a second summary.
    fn drop(&mut self) {
        if self.place.check_process().is_ok() {
            let _ = self.state.lock().close(self.place.syncs());
        }
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
        archive.place.check_process()?;
        let mut state = archive.state.lock();
        let record = archive.find(&state, name)?.ok_or_else(|| archive.not_found(name))?;
        let contents = archive.place.disk.open(&archive.path).map_err(|e| refused("opening", &archive.path, &e))?;
        let from = (record.offset + PAGE) as usize;
        let held = Arc::new(());
        state.readers.push((record.offset, Arc::downgrade(&held)));
        let place = format!("{} (entry at offset {from})", archive.path.display());
        let (range, identity) = (from..from + record.image as usize, archive.place.identity(name));
        FileReader::new(place, contents, range, &identity, Some(held)).map(|r| Box::new(r) as _)
    }

    fn remove(&self, name: &str) -> Result<(), Error> {
        let archive = &self.archive;
        archive.place.check_process()?;
        let mut state = archive.state.lock();
        let (found, sync) = (living(&state.records).get(name).copied(), archive.place.syncs());
        let removed = match found {
            Some(i) => state.remove(i, sync),
            // Something that is damaged may have been it.
            None if archive.find(&state, name).is_err() => state.append(name, &[], sync),
            None => return Err(archive.not_found(name)),
        };
        let removed = removed.and_then(|()| archive.tidy(&mut state));
        removed.map_err(|e| refused("removing an entry of", &archive.path, &e))
    }

    fn names(&self) -> Result<Vec<String>, Error> {
        Ok(living(&self.archive.state.lock().records).into_keys().map(str::to_owned).collect())
    }
}

/// An entry of an archive that is read where it lies.
pub(super) struct Listed {
    /// None of damaged records of which nothing is known.
    pub name: Option<String>,
    /// Of its image in the file; or what is wrong with it.
    pub image: Result<Range<usize>, Error>,
}

/// Whose file an archive says that it is, and the entries that count; None if it is no archive.
pub(super) fn list(contents: &[u8], path: &Path) -> Option<Result<(String, Vec<Listed>), Error>> {
    let stem = stem_of(contents)?;
    let known = check_file(contents, stem).and_then(|id| Ok(read_records(contents, id, &parse_summary(contents, id)?)));
    Some(known.map(|mut records| {
        bury(&mut records);
        let counts = |record: &Record| !record.dead && !record.is_removal();
        let listed = records.into_iter().filter(counts).map(|record| {
            let from = (record.offset + PAGE) as usize;
            let image = if record.damaged {
                Err(damaged_record(&record, record.name.as_deref().unwrap_or("of another name"), path))
            } else {
                Ok(from..from + record.image as usize)
            };
            Listed { name: record.name, image }
        });
        (stem.to_owned(), listed.collect())
    }))
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
        self.part.place.check_process()?;
        self.part.finish()?;
        let archive = &self.archive;
        let append = || {
            let image = archive.place.disk.open(&self.part.path)?;
            let mut state = archive.state.lock();
            state.append(&self.name, &image, archive.place.syncs())?;
            archive.tidy(&mut state)
        };
        append().map_err(|e| refused("writing", &archive.path, &e))
    }
}
