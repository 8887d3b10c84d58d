//! Which directory tapes spill to, and the one file in it.

#![forbid(unsafe_code)]

use super::account;
use super::door::Spill;
use super::handle::{Handle, Shared};
use super::medium::nameless;
use super::memory::{Room, Rooms};
use crate::error::{Error, bytes, say};
use crate::settings::{Directory, settings};
use crate::store::os;
use crate::store::regular::refused;
use crate::sync::{Arc, First, StaticFlag, StaticLock, UNORDERED};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Weak;
use std::time::Duration;

/// A part of a file without a name in a directory, which all of them in that directory share. Its space on the disk is for
/// the others when it is dropped, and is given back with the last of them, or when the process ends in whatever way. It belongs to the process that made it, and is an
/// error in a child of fork.
///
/// ```
/// # use adtape::*;
/// # fn main() -> Result<(), Error> {
/// process::set_memory_limit(Some(1 << 20));
/// let tape = Tape::new()?.with_spill(Box::new(SpillFile::new(std::env::temp_dir())?))?;
/// for i in 0..1_000_000_i64 {
///     tape.push(i)?;
/// }
/// assert!(tape.stats()?.spilled_bytes > 6_000_000);
/// for i in (0..1_000_000_i64).rev() {
///     assert_eq!(tape.pop::<i64>()?, i);
/// }
/// # Ok(())
/// # }
/// ```
pub struct SpillFile(Handle<File>);

impl SpillFile {
    /// A part without bytes, in a directory that exists.
    pub fn new(directory: impl AsRef<Path>) -> Result<SpillFile, Error> {
        Ok(SpillFile(Handle::new(file_in(directory.as_ref())?)))
    }
}

impl SpillFile {
    /// As [`Handle::keep`].
    pub(crate) fn keep(&mut self, rooms: &mut dyn Rooms, bytes: usize, wanted: usize) -> Result<usize, Error> {
        self.0.keep(rooms, bytes, wanted)
    }

    /// As [`Handle::held`].
    pub(crate) fn held(&self) -> usize {
        self.0.held()
    }

    /// As [`Handle::reads_ahead`].
    pub(crate) fn reads_ahead(&self) -> usize {
        self.0.reads_ahead()
    }

    /// As [`Handle::give_back`].
    pub(crate) fn give_back(&mut self, end: u64) -> Result<Option<Box<dyn Room>>, Error> {
        self.0.give_back(end)
    }

    /// As [`Handle::leave`].
    pub(crate) fn leave(&mut self, from: u64) {
        self.0.leave(from);
    }

    /// As [`Handle::drop_above`].
    pub(crate) fn drop_above(&mut self, end: u64) {
        self.0.drop_above(end);
    }

    /// As [`Handle::is_ours`].
    pub(crate) fn is_ours(&self) -> bool {
        self.0.is_ours()
    }
}

impl Spill for SpillFile {
    fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.0.write(offset, bytes)
    }

    fn read(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), Error> {
        self.0.read(offset, bytes)
    }
}

/// The directory that the program has set; None: what the environment says.
static DIRECTORY: StaticLock<Option<PathBuf>> = StaticLock::new(None);

/// The files that tapes of this process use, or of the one that it is a child of.
static FILES: StaticLock<Vec<Weak<Shared<File>>>> = StaticLock::new(Vec::new());

/// Keeps other threads off the names and files until [`let_go`]: around a fork.
pub(crate) fn hold(longest: Duration) {
    DIRECTORY.hold(longest);
    FILES.hold(longest);
}

pub(crate) fn let_go() {
    FILES.let_go();
    DIRECTORY.let_go();
}

/// Sets the directory that tapes without a store of their own spill to; None for what the environment says.
pub(crate) fn set_directory(directory: Option<&Path>) -> Result<(), Error> {
    // An error now is better than one when memory is short.
    directory.map(make_file).transpose()?;
    *DIRECTORY.lock() = directory.map(Path::to_owned);
    Ok(())
}

/// A directory, and whether somebody has named it.
struct Choice {
    path: PathBuf,
    is_asked_for: bool,
}

/// What the program has set, or the environment says.
fn asked_for() -> Directory {
    match DIRECTORY.lock().clone() {
        Some(set) => Directory::Is(set),
        None => settings().map_or(Directory::Nowhere, |settings| settings.spill_directory.clone()),
    }
}

/// The directory for temporary files, unless it is in memory itself.
fn temporary() -> Option<&'static PathBuf> {
    static TEMPORARY: First<Option<PathBuf>> = First::new();
    let find = || Some(std::env::temp_dir()).filter(|path| path.is_dir() && !os::is_in_memory(path));
    TEMPORARY.get_or_make(find).as_ref()
}

/// Whether there is a directory that tapes may spill to, asked for or not.
pub(crate) fn may_spill() -> bool {
    match asked_for() {
        Directory::Is(_) => true,
        Directory::Nowhere => false,
        Directory::NotSaid => temporary().is_some(),
    }
}

/// The directory that tapes spill to.
fn directory() -> Option<Choice> {
    match asked_for() {
        Directory::Is(path) => Some(Choice { path, is_asked_for: true }),
        Directory::Nowhere => None,
        Directory::NotSaid => {
            let path = temporary().filter(|_| account::spills_unasked())?.clone();
            Some(Choice { path, is_asked_for: false })
        }
    }
}

/// Whether [`in_directory`] has a directory, or else one that was asked for.
pub(crate) fn is_directory_set(unasked: bool) -> bool {
    directory().is_some_and(|choice| unasked || choice.is_asked_for)
}

/// A part of a file for a tape that has no store of its own; None where there is no directory for it.
pub(crate) fn in_directory() -> Result<Option<SpillFile>, Error> {
    let Some(choice) = directory() else { return Ok(None) };
    let file = SpillFile::new(&choice.path)?;
    if !choice.is_asked_for {
        say_begin(&choice.path);
    }
    Ok(Some(file))
}

/// Says, once, that tapes begin to go to a disk that nobody has asked for.
#[cold]
fn say_begin(path: &Path) {
    static SAID: StaticFlag = StaticFlag::new(false);
    if !SAID.swap(true, UNORDERED) {
        let limit = bytes(account::limit());
        say(&format!(
            "adtape: tapes reach {limit} of memory; their oldest parts go to a file in {} from now on \
             (ADTAPE_MEMORY_LIMIT, ADTAPE_SPILL_DIRECTORY)",
            path.display()
        ));
    }
}

fn make_file(directory: &Path) -> Result<File, Error> {
    nameless(directory).map_err(|e| refused("creating a file for spilled tape in", directory, &e))
}

/// The process's file in a directory.
pub(super) fn file_in(directory: &Path) -> Result<Arc<Shared<File>>, Error> {
    let mut files = FILES.lock();
    files.retain(|file| file.strong_count() > 0);
    let found = files.iter().filter_map(Weak::upgrade).find(|file| file.is_ours() && file.directory() == directory);
    match found {
        Some(file) => Ok(file),
        None => {
            let limit = settings().ok().and_then(|settings| settings.disk_limit).unwrap_or(u64::MAX);
            let file = Arc::new(Shared::new(make_file(directory)?, directory, limit));
            files.push(Arc::downgrade(&file));
            Ok(file)
        }
    }
}
