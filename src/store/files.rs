//! A store of files, one for each entry.
//!
//! ```text
//!   <directory>/<run>.r<rank>.<name>.adtape      an entry: an image
//!   <directory>/<run>.r<rank>.<name>.part-<n>    one that is being written
//! ```
//!
//! A writer writes to a new name, syncs the file, renames it, syncs the directory: after a crash there is the old entry
//! or the new one, whole. Runs and names have no dot in common with what separates them, and each process (or MPI
//! rank) of a run has its own names, so that nobody writes to another's files.

#![forbid(unsafe_code)]

use super::disk::{Contents, Disk, DiskFile, System, refused};
use super::image::{ImageReader, ImageWriter};
use super::{EntryReader, EntryWriter, Store, check_name, not_found};
use crate::error::{Error, Status};
use crate::settings::mpi_rank;
use crate::sync::{Arc, StaticCounter, UNORDERED};
use std::io;
use std::path::{Path, PathBuf};

/// What the names of entries end in.
const SUFFIX: &str = ".adtape";

/// How a [`FileStore`] keeps its files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileOptions {
    /// The run whose checkpoints these are: the same name finds them again after a restart. None: the files are
    /// private to this process and vanish with the store.
    pub run: Option<String>,
    /// The MPI rank, or another number that tells the processes of a run apart. None: what the MPI launcher says in
    /// the environment, 0 without one.
    pub rank: Option<u32>,
    /// Compress, without loss.
    pub compress: bool,
    /// Leave it to the system when files reach the disk: a crash of the machine, not of the process, may lose them.
    pub no_sync: bool,
}

/// A store of files in a directory, one for each entry. The format is in `docs/format.md`.
///
/// ```
/// # use adtape::*;
/// # fn main() -> Result<(), Error> {
/// # let directory = std::env::temp_dir();
/// let store = FileStore::new(&directory, FileOptions::default())?;
/// let mut writer = store.create("step-0")?;
/// writer.write(b"state")?;
/// writer.commit()?; // is on the disk now
/// assert_eq!(store.open("step-0")?.bytes(), 5);
/// # Ok(())
/// # }
/// ```
pub struct FileStore {
    place: Arc<Place>,
}

struct Place {
    disk: Arc<dyn Disk>,
    directory: PathBuf,
    /// What the names of all files of this store begin with.
    prefix: String,
    options: FileOptions,
}

impl FileStore {
    /// A store in a directory that exists. What a killed process of the same run and rank left half written there is
    /// removed.
    pub fn new(directory: impl AsRef<Path>, options: FileOptions) -> Result<FileStore, Error> {
        FileStore::on(Arc::new(System), directory.as_ref(), options)
    }

    pub(super) fn on(disk: Arc<dyn Disk>, directory: &Path, options: FileOptions) -> Result<FileStore, Error> {
        let run = match &options.run {
            Some(run) => {
                check_run(run)?;
                run.clone()
            }
            None => private_run(),
        };
        let rank = options.rank.unwrap_or_else(mpi_rank);
        let place = Place { disk, directory: directory.to_owned(), prefix: format!("{run}.r{rank}."), options };
        let names = place.files().map_err(|e| refused("reading the directory", directory, &e))?;
        for part in names.iter().filter(|file| is_part(file)) {
            let path = place.directory.join(part);
            place.disk.remove(&path).map_err(|e| refused("removing", &path, &e))?;
        }
        Ok(FileStore { place: Arc::new(place) })
    }
}

/// Runs must not have dots: `a` with rank 1 and `a.r1` would share names.
fn check_run(run: &str) -> Result<(), Error> {
    let allowed = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_');
    if !run.is_empty() && run.len() <= super::MAX_NAME && run.bytes().all(allowed) {
        return Ok(());
    }
    Err(Error::new(
        Status::BadArgument,
        format!("{run:?} cannot be the name of a run\n  give 1 to {} letters, digits, '-' or '_'", super::MAX_NAME),
    ))
}

/// A name that no other store has, in this process or another one, on this machine or on one that shares the disk.
fn private_run() -> String {
    static NEXT: StaticCounter = StaticCounter::new(0);
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let host = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    format!(
        "adtape-{}-{:x}-{:08x}-{}",
        std::process::id(),
        since.as_nanos(),
        crc32fast::hash(host.as_bytes()),
        NEXT.fetch_add(1, UNORDERED)
    )
}

/// `name.part-7`
fn is_part(file: &str) -> bool {
    file.rsplit_once(".part-").is_some_and(|(_, number)| number.bytes().all(|c| c.is_ascii_digit()))
}

impl Place {
    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{}{name}{SUFFIX}", self.prefix))
    }

    /// The files of this store, without the prefix of their names removed.
    fn files(&self) -> io::Result<Vec<String>> {
        let mut names = self.disk.names(&self.directory)?;
        names.retain(|name| name.starts_with(&self.prefix));
        names.sort();
        Ok(names)
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let files = self.files()?;
        let name = |file: &String| file.strip_prefix(&self.prefix)?.strip_suffix(SUFFIX).map(str::to_owned);
        Ok(files.iter().filter_map(name).collect())
    }
}

impl Drop for Place {
    /// Private files go with the store; nobody is left to hear of a failure.
    fn drop(&mut self) {
        if self.options.run.is_none() {
            for file in self.files().unwrap_or_default() {
                let _ = self.disk.remove(&self.directory.join(file));
            }
        }
    }
}

impl Store for FileStore {
    fn create(&self, name: &str) -> Result<Box<dyn EntryWriter>, Error> {
        static NEXT: StaticCounter = StaticCounter::new(0);
        check_name(name)?;
        let place = self.place.clone();
        let part = place.directory.join(format!("{}{name}.part-{}", place.prefix, NEXT.fetch_add(1, UNORDERED)));
        let mut file = place.disk.create(&part).map_err(|e| refused("creating", &part, &e))?;
        let (image, header) = ImageWriter::new(place.options.compress);
        let begun = file.append(&header).map_err(|e| refused("writing", &part, &e));
        let writer = FileWriter { path: place.path(name), part, image: Some(image), file, place };
        begun.map(|()| Box::new(writer) as Box<dyn EntryWriter>)
    }

    fn open(&self, name: &str) -> Result<Box<dyn EntryReader>, Error> {
        let path = self.place.path(name);
        let contents = self.place.disk.open(&path).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => not_found(name, &self.place.directory.display().to_string()),
            _ => refused("opening", &path, &e),
        })?;
        let image = ImageReader::new(&contents).map_err(|e| in_file(e, &path))?;
        Ok(Box::new(FileReader { path, contents, image }))
    }

    fn remove(&self, name: &str) -> Result<(), Error> {
        let path = self.place.path(name);
        self.place.disk.remove(&path).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => not_found(name, &self.place.directory.display().to_string()),
            _ => refused("removing", &path, &e),
        })
    }

    fn names(&self) -> Result<Vec<String>, Error> {
        self.place.names().map_err(|e| refused("reading the directory", &self.place.directory, &e))
    }
}

#[cold]
fn in_file(error: Error, path: &Path) -> Error {
    let advice = match error.status() {
        Status::OtherVersion => "read it with the version of adtape that wrote it",
        _ => "restore the file from a copy, or go back to an older checkpoint",
    };
    Error::new(error.status(), format!("{}: {}\n  {advice}", path.display(), error.message()))
}

struct FileWriter {
    place: Arc<Place>,
    path: PathBuf,
    part: PathBuf,
    file: Box<dyn DiskFile>,
    /// None once the entry is committed, or cannot be any more.
    image: Option<ImageWriter>,
}

impl FileWriter {
    fn failed(&self, what: &str, cause: &io::Error) -> Error {
        refused(what, &self.part, cause)
    }
}

#[cold]
fn lost(part: &Path) -> Error {
    Error::new(Status::Io, format!("{} cannot be completed since an earlier write failed", part.display()))
}

impl EntryWriter for FileWriter {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let Some(image) = &mut self.image else { return Err(lost(&self.part)) };
        let file = &mut self.file;
        let written = image.write(bytes, |bytes| file.append(bytes));
        written.map_err(|e| {
            self.image = None;
            self.failed("writing", &e)
        })
    }

    fn commit(mut self: Box<Self>) -> Result<(), Error> {
        let Some(image) = self.image.take() else { return Err(lost(&self.part)) };
        let file = &mut self.file;
        image.finish(|bytes| file.append(bytes)).map_err(|e| self.failed("writing", &e))?;
        let sync = !self.place.options.no_sync && self.place.options.run.is_some();
        if sync {
            self.file.sync().map_err(|e| self.failed("syncing", &e))?;
        }
        self.place.disk.rename(&self.part, &self.path).map_err(|e| self.failed("renaming", &e))?;
        if sync {
            let directory = &self.place.directory;
            self.place.disk.sync_directory(directory).map_err(|e| refused("syncing the directory", directory, &e))?;
        }
        Ok(())
    }
}

impl Drop for FileWriter {
    fn drop(&mut self) {
        // Already renamed, if it was committed.
        let _ = self.place.disk.remove(&self.part);
    }
}

struct FileReader {
    path: PathBuf,
    contents: Contents,
    image: ImageReader,
}

impl EntryReader for FileReader {
    fn bytes(&self) -> u64 {
        self.image.contents()
    }

    fn read_at(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), Error> {
        self.image.read_at(&self.contents, offset, bytes).map_err(|e| in_file(e, &self.path))
    }

    fn place(&self) -> String {
        self.path.display().to_string()
    }
}
