//! Regular files, and what is said of an operation on one that the file system refuses.

#![forbid(unsafe_code)]

use crate::error::{Error, Status};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a regular file, and never waits for somebody at the other end of what is none.
pub(super) fn open_regular(options: &mut OpenOptions, flags: i32, path: &Path) -> io::Result<File> {
    let file = options.custom_flags(libc::O_NONBLOCK | flags).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
    }
}

/// The error for an operation that the file system refuses.
#[cold]
pub(super) fn refused(what: &str, path: &Path, cause: &io::Error) -> Error {
    let advice = match cause.kind() {
        io::ErrorKind::StorageFull => "the disk is full: free some of it, or choose another directory",
        io::ErrorKind::QuotaExceeded => "the quota is used up: free some of it, or choose another directory",
        io::ErrorKind::FileTooLarge => "the file would exceed a limit: see ulimit -f",
        io::ErrorKind::PermissionDenied => "choose a directory that this process may write to",
        io::ErrorKind::NotFound => "make the directory, or choose another one",
        _ => "look at the disk, or choose another directory",
    };
    Error::new(Status::Io, format!("{what} {} failed: {cause}\n  {advice}", path.display()))
}
