//! Where the oldest part of a tape goes when memory is short.
//!
//! The tape keeps its addresses: bytes `[0, spilled)` are written out and their memory is given back, the
//! cursor's floor is raised, and the slow pop that meets it reads a piece back to where it was. Nothing of it is
//! seen by the fast path.
//!
//! A [`SpillFile`] has no name: it is gone with the process, however that ends. Its place on the disk is taken before
//! anything is written, so that a full disk is an error of the push that met it and nothing is lost.

#![forbid(unsafe_code)]

use super::disk::refused;
use super::{lock, os};
use crate::error::Error;
use crate::settings::settings;
use crate::sync::{Mutex, StaticCounter, UNORDERED};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A store for a tape's oldest bytes, by offset. Pieces are written in ascending order without gaps, and read
/// back from the end; what was read back may be written anew, with other contents. An error of `write` is returned by
/// the push that met it; an error of `read` leaves the tape unusable. Example: [`with_spill`](crate::Tape::with_spill).
pub trait Spill: Send {
    /// Keeps `bytes`, which lie at `offset`; replaces what was written there before.
    fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Error>;

    /// Reads back what was written at `offset`.
    fn read(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), Error>;
}

/// A file without a name in a directory. Its space on the disk is given back when it is dropped, or the process ends in
/// whatever way.
///
/// ```
/// # use adtape::*;
/// # fn main() -> Result<(), Error> {
/// Session::default_session().set_memory_limit(Some(1 << 20));
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
pub struct SpillFile {
    file: File,
    directory: PathBuf,
    /// `[0, allocated)` has its place on the disk.
    allocated: u64,
}

impl SpillFile {
    /// An empty file in a directory that exists.
    pub fn new(directory: impl AsRef<Path>) -> Result<SpillFile, Error> {
        let directory = directory.as_ref();
        let file = nameless(directory).map_err(|e| refused("creating a file for spilled tape in", directory, &e))?;
        Ok(SpillFile { file, directory: directory.to_owned(), allocated: 0 })
    }
}

/// A file that was never seen under a name or, where the file system cannot do that, is not any more.
fn nameless(directory: &Path) -> io::Result<File> {
    static NEXT: StaticCounter = StaticCounter::new(0);
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    if let Ok(file) = options.clone().custom_flags(libc::O_TMPFILE).open(directory) {
        return Ok(file);
    }
    let path = directory.join(format!("adtape-spill-{}-{}", std::process::id(), NEXT.fetch_add(1, UNORDERED)));
    let file = options.create_new(true).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

impl Spill for SpillFile {
    fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let end = offset + bytes.len() as u64;
        let written = || -> io::Result<()> {
            if end > self.allocated {
                os::allocate(&self.file, self.allocated, end - self.allocated)?;
            }
            self.file.write_all_at(bytes, offset)
        };
        written().map_err(|e| refused("spilling the oldest part of a tape to a file in", &self.directory, &e))?;
        self.allocated = self.allocated.max(end);
        Ok(())
    }

    fn read(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), Error> {
        let read = self.file.read_exact_at(bytes, offset);
        read.map_err(|e| refused("reading back the oldest part of a tape from a file in", &self.directory, &e))
    }
}

/// The directory that the program has set; None: what the environment says.
static DIRECTORY: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Sets the directory that tapes without a store of their own spill to; None for what the environment says.
pub(crate) fn set_directory(directory: Option<&Path>) -> Result<(), Error> {
    // An error now is better than one when memory is short.
    directory.map(SpillFile::new).transpose()?;
    *lock(&DIRECTORY) = directory.map(Path::to_owned);
    Ok(())
}

/// A file for a tape that has no store of its own; None where no directory is set.
pub(crate) fn in_directory() -> Result<Option<Box<dyn Spill>>, Error> {
    let set = lock(&DIRECTORY).clone();
    let directory = set.or_else(|| settings().ok().and_then(|settings| settings.spill_directory.clone()));
    directory.map(|directory| SpillFile::new(directory).map(|file| Box::new(file) as Box<dyn Spill>)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Status;

    #[test]
    fn bytes_come_back_and_the_file_has_no_name() {
        let directory = std::env::temp_dir().join(format!("adtape-spill-test-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let mut file = SpillFile::new(&directory).unwrap();
        file.write(0, &[1; 8192]).unwrap();
        file.write(8192, &[2; 4096]).unwrap();
        file.write(4096, &[3; 100]).unwrap();
        let mut found = [0; 4096];
        file.read(8192, &mut found).unwrap();
        assert_eq!(found, [2; 4096]);
        file.read(4096, &mut found).unwrap();
        assert_eq!((&found[..100], &found[100..]), (&[3; 100][..], &[1; 3996][..]));
        assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 0);
        std::fs::remove_dir(&directory).unwrap();
        let error = SpillFile::new(&directory).err().unwrap();
        assert_eq!(error.status(), Status::Io);
        assert!(error.message().contains("adtape-spill-test"), "{error}");
    }
}
