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
use std::hash::{Hash, Hasher};
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

/// Where a store's files are, and what they are called.
pub(super) struct Place {
    pub disk: Arc<dyn Disk>,
    pub directory: PathBuf,
    /// What the names of all files of this store begin with.
    prefix: String,
    pub options: FileOptions,
}

impl FileStore {
    /// A store in a directory that exists. What a killed process of the same run and rank left half written there is
    /// removed.
    pub fn new(directory: impl AsRef<Path>, options: FileOptions) -> Result<FileStore, Error> {
        FileStore::on(Arc::new(System), directory.as_ref(), options)
    }

    pub(super) fn on(disk: Arc<dyn Disk>, directory: &Path, options: FileOptions) -> Result<FileStore, Error> {
        Ok(FileStore { place: Arc::new(Place::new(disk, directory, options)?) })
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

/// A number that no other call returns, in this process or another one, on this machine or on one that shares the disk,
/// but by a chance of 2^-64.
pub(super) fn distinct() -> u64 {
    static NEXT: StaticCounter = StaticCounter::new(0);
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let mut hasher = std::hash::DefaultHasher::new();
    (boot, std::process::id(), since.as_nanos(), NEXT.fetch_add(1, UNORDERED)).hash(&mut hasher);
    hasher.finish()
}

/// `name.part-7`
fn is_part(file: &str) -> bool {
    file.rsplit_once(".part-").is_some_and(|(_, number)| number.bytes().all(|c| c.is_ascii_digit()))
}

impl Place {
    /// Removes what a killed process of the same run and rank left half written.
    pub fn new(disk: Arc<dyn Disk>, directory: &Path, options: FileOptions) -> Result<Place, Error> {
        let run = match &options.run {
            Some(run) => check_run(run).map(|()| run.clone())?,
            None => format!("adtape-{}-{:016x}", std::process::id(), distinct()),
        };
        let rank = options.rank.unwrap_or_else(mpi_rank);
        let place = Place { disk, directory: directory.to_owned(), prefix: format!("{run}.r{rank}."), options };
        let names = place.files().map_err(|e| refused("reading the directory", directory, &e))?;
        for part in names.iter().filter(|file| is_part(file)) {
            let path = place.directory.join(part);
            place.disk.remove(&path).map_err(|e| refused("removing", &path, &e))?;
        }
        Ok(place)
    }

    /// The path of a file of this store.
    pub fn file(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{}{name}", self.prefix))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.file(&format!("{name}{SUFFIX}"))
    }

    /// The path of a file that is being written.
    pub fn part(&self, name: &str) -> PathBuf {
        static NEXT: StaticCounter = StaticCounter::new(0);
        self.file(&format!("{name}.part-{}", NEXT.fetch_add(1, UNORDERED)))
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
        check_name(name)?;
        Ok(Box::new(FileWriter { path: self.place.path(name), part: Part::create(&self.place, name)? }))
    }

    fn open(&self, name: &str) -> Result<Box<dyn EntryReader>, Error> {
        let path = self.place.path(name);
        let contents = self.place.disk.open(&path).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => not_found(name, &self.place.directory.display().to_string()),
            _ => refused("opening", &path, &e),
        })?;
        let all = 0..contents.len();
        FileReader::new(path.display().to_string(), contents, all, None).map(|reader| Box::new(reader) as _)
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
pub(super) fn in_file(error: Error, place: &str) -> Error {
    let advice = match error.status() {
        Status::OtherVersion => "read it with the version of adtape that wrote it",
        _ => "restore the file from a copy, or go back to an older checkpoint",
    };
    Error::new(error.status(), format!("{place}: {}\n  {advice}", error.message()))
}

/// An image in a file that is being written, and removed when this is dropped, unless it was renamed.
pub(super) struct Part {
    pub place: Arc<Place>,
    pub path: PathBuf,
    file: Box<dyn DiskFile>,
    /// None once the image is complete, or cannot be any more.
    image: Option<ImageWriter>,
}

impl Part {
    pub fn create(place: &Arc<Place>, name: &str) -> Result<Part, Error> {
        let path = place.part(name);
        let file = place.disk.create(&path).map_err(|e| refused("creating", &path, &e))?;
        let (image, header) = ImageWriter::new(place.options.compress);
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
        let _ = self.place.disk.remove(&self.path);
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
        part.finish()?;
        if part.place.syncs() {
            part.file.sync().map_err(|e| part.failed("syncing", &e))?;
        }
        let place = &part.place;
        place.disk.rename(&part.path, &self.path).map_err(|e| part.failed("renaming", &e))?;
        if place.syncs() {
            let directory = &place.directory;
            place.disk.sync_directory(directory).map_err(|e| refused("syncing the directory", directory, &e))?;
        }
        Ok(())
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
    pub fn new(place: String, contents: Contents, range: Range<usize>, held: Option<Arc<()>>) -> Result<Self, Error> {
        let bytes = contents.get(range.clone()).unwrap_or_default();
        let image = ImageReader::new(bytes).map_err(|e| in_file(e, &place))?;
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
