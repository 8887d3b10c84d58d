//! What spilled tape asks of a file, so that tests can put one in its place that fails.

#![forbid(unsafe_code)]

use crate::store::files::distinct;
use crate::store::os;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

/// A file as the system offers it: it may write or read less than it is asked to.
pub(super) trait Medium: Send + Sync {
    /// Takes space on the disk, all or none.
    fn allocate(&self, offset: u64, bytes: u64) -> io::Result<()>;
    fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<usize>;
    fn read(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize>;
    /// Gives back the space behind the first `bytes`.
    fn cut(&self, bytes: u64) -> io::Result<()>;
}

impl Medium for File {
    fn allocate(&self, offset: u64, bytes: u64) -> io::Result<()> {
        os::allocate(self, offset, bytes)
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        self.write_at(bytes, offset)
    }

    fn read(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        self.read_at(bytes, offset)
    }

    fn cut(&self, bytes: u64) -> io::Result<()> {
        self.set_len(bytes)
    }
}

/// Goes on with what is left of `bytes` until all of it is done.
fn all(bytes: usize, nothing: ErrorKind, mut part: impl FnMut(usize) -> io::Result<usize>) -> io::Result<()> {
    let mut done = 0;
    while done < bytes {
        match part(done) {
            Ok(0) => return Err(nothing.into()),
            Ok(n) => done += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

pub(super) fn write_all(medium: &impl Medium, offset: u64, bytes: &[u8]) -> io::Result<()> {
    all(bytes.len(), ErrorKind::WriteZero, |done| medium.write(offset + done as u64, &bytes[done..]))
}

pub(super) fn read_all(medium: &impl Medium, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
    all(bytes.len(), ErrorKind::UnexpectedEof, |done| medium.read(offset + done as u64, &mut bytes[done..]))
}

/// A file that was never seen under a name or, where the file system cannot do that, is not any more.
pub(super) fn nameless(directory: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    if let Ok(file) = options.clone().custom_flags(libc::O_TMPFILE).open(directory) {
        return Ok(file);
    }
    let path = directory.join(format!("adtape-spill-{:016x}", distinct()));
    let file = options.create_new(true).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}
