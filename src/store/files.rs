//! A store of files, one for each entry.
//!
//! ```text
//!   <directory>/<run>.r<rank>.<name>.adtape      an entry: an image
//!   <directory>/<run>.r<rank>.<name>.part-<n>    one that is being written; n is random
//!   <directory>/<run>.r<rank>.lock               held by the store
//! ```
//!
//! A writer writes to a new name, syncs the file, renames it, syncs the directory: after a crash there is the old entry
//! or the new one, whole. Runs and names have no dot in common with what separates them. Each process (or MPI rank) of a
//! run has its own names and a lock on them, so that nobody writes to another's files; a child by `fork` is another
//! process.

#![forbid(unsafe_code)]

use super::disk::{Contents, Disk, DiskFile, System};
use super::image::{ImageReader, ImageWriter};
use super::lock::Lock;
use super::regular::refused;
use super::{EntryReader, EntryWriter, Store, check_name, not_found};
use crate::error::{Error, Status};
use crate::settings::mpi_rank;
use crate::sync::{Arc, StaticCounter, UNORDERED};
use std::hash::BuildHasher;
use std::io;
use std::ops::Range;
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
    /// Others may read the files, as far as the process's mask (umask) allows. Otherwise only their owner may.
    pub shared: bool,
}

/// A store of files in a directory, one for each entry. The format is in `docs/format.md`.
///
/// A run and rank has one store at a time, in all processes; a second one is refused. The system drops the lock of a
/// process that ends, in whatever way.
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
    place: Arc<RunFiles>,
}

/// Where a store's files are, and what they are called.
pub(super) struct RunFiles {
    pub disk: Arc<dyn Disk>,
    pub directory: PathBuf,
    /// What the names of all files of this store begin with.
    prefix: String,
    pub options: FileOptions,
    /// The process that opened the store.
    process: u32,
    /// Held by a named run; other runs have no names in common.
    _lock: Option<Lock>,
}

impl FileStore {
    /// A store in a directory that exists. What a killed process of the same run and rank left half written there is
    /// removed.
    pub fn new(directory: impl AsRef<Path>, options: FileOptions) -> Result<FileStore, Error> {
        FileStore::on(Arc::new(System), directory.as_ref(), options)
    }

    pub(super) fn on(disk: Arc<dyn Disk>, directory: &Path, options: FileOptions) -> Result<FileStore, Error> {
        Ok(FileStore { place: Arc::new(RunFiles::new(disk, directory, options)?) })
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

/// A number that nobody can guess and no other call returns, in this process or another one, on this machine or on one
/// that shares the disk, but by a chance of 2^-64.
pub(super) fn distinct() -> u64 {
    static NEXT: StaticCounter = StaticCounter::new(0);
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    // The keys are random; the rest tells a child from its parent, which has the same.
    std::hash::RandomState::new().hash_one((std::process::id(), since.as_nanos(), NEXT.fetch_add(1, UNORDERED)))
}

/// `name.part-0123456789abcdef`
fn is_part(file: &str) -> bool {
    file.rsplit_once(".part-").is_some_and(|(_, number)| number.bytes().all(|c| c.is_ascii_hexdigit()))
}

impl RunFiles {
    /// Removes what a killed process of the same run and rank left half written.
    pub fn new(disk: Arc<dyn Disk>, directory: &Path, options: FileOptions) -> Result<RunFiles, Error> {
        let run = match &options.run {
            Some(run) => check_run(run).map(|()| run.clone())?,
            None => format!("adtape-{}-{:016x}", std::process::id(), distinct()),
        };
        let rank = options.rank.unwrap_or_else(mpi_rank);
        let stem = format!("{run}.r{rank}");
        let mut place = RunFiles {
            disk,
            directory: directory.to_owned(),
            prefix: format!("{stem}."),
            options,
            process: std::process::id(),
            _lock: None,
        };
        if place.options.run.is_some() {
            place._lock = place.disk.lock(directory, &stem, place.mode())?;
        }
        let names = place.files().map_err(|e| refused("reading the directory", directory, &e))?;
        for part in names.iter().filter(|file| is_part(file)) {
            let path = place.directory.join(part);
            place.disk.remove(&path).map_err(|e| refused("removing", &path, &e))?;
        }
        Ok(place)
    }

    /// What the names of all files of this store begin with, up to a dot.
    pub fn stem(&self) -> &str {
        &self.prefix[..self.prefix.len() - 1]
    }

    /// What the image of an entry says that it is.
    pub fn identity(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// The permissions of new files, before the process's mask.
    pub fn mode(&self) -> u32 {
        if self.options.shared { 0o666 } else { 0o600 }
    }

    /// Refuses what a child of the process that opened the store does with it: the files are not its own.
    pub fn check_process(&self) -> Result<(), Error> {
        let process = std::process::id();
        if process == self.process {
            return Ok(());
        }
        Err(Error::new(
            Status::Io,
            format!(
                "the store of {}.* was opened by process {}, and this is its child {process}\n  \
                 open a store of the child's own, with another rank or run",
                self.directory.join(self.stem()).display(),
                self.process
            ),
        ))
    }

    /// Makes names of files certain that were added or changed.
    pub fn sync_directory(&self) -> io::Result<()> {
        if self.syncs() { self.disk.sync_directory(&self.directory) } else { Ok(()) }
    }

    /// The path of a file of this store.
    pub fn file(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{}{name}", self.prefix))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.file(&format!("{name}{SUFFIX}"))
    }

    /// The path of a new file that is being written.
    pub fn part(&self, name: &str) -> PathBuf {
        self.file(&format!("{name}.part-{:016x}", distinct()))
    }

    /// Whether files are on the disk when they are complete. Private ones need not survive a crash.
    pub fn syncs(&self) -> bool {
        !self.options.no_sync && self.options.run.is_some()
    }

    /// The names of the files of this store, in order.
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

impl Drop for RunFiles {
    /// Private files go with the store; nobody is left to hear of a failure.
    fn drop(&mut self) {
        if self.options.run.is_none() && self.check_process().is_ok() {
            for file in self.files().unwrap_or_default() {
                let _ = self.disk.remove(&self.directory.join(file));
            }
        }
    }
}

impl Store for FileStore {
    fn create(&self, name: &str) -> Result<Box<dyn EntryWriter>, Error> {
        check_name(name)?;
        let part = Part::create(&self.place, name)?;
        Ok(Box::new(FileWriter { path: self.place.path(name), part }))
    }

    fn open(&self, name: &str) -> Result<Box<dyn EntryReader>, Error> {
        let path = self.place.path(name);
        let contents = self.place.disk.open(&path).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => not_found(name, &self.place.directory.display().to_string()),
            _ => refused("opening", &path, &e),
        })?;
        let (all, identity) = (0..contents.len(), self.place.identity(name));
        FileReader::new(path.display().to_string(), contents, all, &identity, None).map(|reader| Box::new(reader) as _)
    }

    fn remove(&self, name: &str) -> Result<(), Error> {
        self.place.check_process()?;
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
pub(super) fn in_file(error: Error, place: &str) -> Error {
    let advice = match error.status() {
        Status::OtherVersion => "read it with the version of adtape that wrote it",
        _ => "restore the file from a copy, or go back to an older checkpoint",
    };
    Error::new(error.status(), format!("{place}: {}\n  {advice}", error.message()))
}

/// An image in a file that is being written, and removed when this is dropped, unless it was renamed.
pub(super) struct Part {
    pub place: Arc<RunFiles>,
    pub path: PathBuf,
    file: Box<dyn DiskFile>,
    /// None once the image is complete, or cannot be any more.
    image: Option<ImageWriter>,
}

impl Part {
    pub fn create(place: &Arc<RunFiles>, name: &str) -> Result<Part, Error> {
        place.check_process()?;
        let path = place.part(name);
        let file = place.disk.create(&path, place.mode()).map_err(|e| refused("creating", &path, &e))?;
        let (image, header) = ImageWriter::new(place.options.compress, &place.identity(name));
        let mut part = Part { place: place.clone(), path, file, image: Some(image) };
        part.file.append(&header).map_err(|e| part.failed("writing", &e))?;
        Ok(part)
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let Some(image) = &mut self.image else { return Err(self.lost()) };
        let file = &mut self.file;
        let written = image.write(bytes, |bytes| file.append(bytes));
        written.map_err(|e| {
            self.image = None;
            self.failed("writing", &e)
        })
    }

    /// Completes the image.
    pub fn finish(&mut self) -> Result<(), Error> {
        let Some(image) = self.image.take() else { return Err(self.lost()) };
        let file = &mut self.file;
        image.finish(|bytes| file.append(bytes)).map_err(|e| self.failed("writing", &e))
    }

    fn failed(&self, what: &str, cause: &io::Error) -> Error {
        refused(what, &self.path, cause)
    }

    #[cold]
    fn lost(&self) -> Error {
        let message = format!("{} cannot be completed since an earlier write failed", self.path.display());
        Error::new(Status::Io, message)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if self.place.check_process().is_ok() {
            let _ = self.place.disk.remove(&self.path);
        }
    }
}

struct FileWriter {
    path: PathBuf,
    part: Part,
}

impl EntryWriter for FileWriter {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.part.write(bytes)
    }

    fn commit(mut self: Box<Self>) -> Result<(), Error> {
        let part = &mut self.part;
        part.place.check_process()?;
        part.finish()?;
        if part.place.syncs() {
            part.file.sync().map_err(|e| part.failed("syncing", &e))?;
        }
        let place = &part.place;
        place.disk.rename(&part.path, &self.path).map_err(|e| part.failed("renaming", &e))?;
        place.sync_directory().map_err(|e| refused("syncing the directory", &place.directory, &e))
    }
}

/// Reads an image that is a file or a part of one.
pub(super) struct FileReader {
    /// For messages.
    place: String,
    contents: Contents,
    range: Range<usize>,
    image: ImageReader,
    /// What the store sees as long as the reader lives.
    _held: Option<Arc<()>>,
}

impl FileReader {
    /// `identity` is that of the entry that it must be.
    pub fn new(
        place: String,
        contents: Contents,
        range: Range<usize>,
        identity: &str,
        held: Option<Arc<()>>,
    ) -> Result<Self, Error> {
        let bytes = contents.get(range.clone()).unwrap_or_default();
        let image = ImageReader::new(bytes, identity).map_err(|e| in_file(e, &place))?;
        Ok(FileReader { place, contents, range, image, _held: held })
    }
}

impl EntryReader for FileReader {
    fn bytes(&self) -> u64 {
        self.image.contents()
    }

    fn read_at(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), Error> {
        let (image, base) = (&self.contents[self.range.clone()], self.range.start);
        let fetch = |at: usize, bytes: &mut [u8]| self.contents.read_at(base + at, bytes);
        self.image.read_at(image, fetch, offset, bytes).map_err(|e| in_file(e, &self.place))
    }

    fn place(&self) -> String {
        self.place.clone()
    }
}
