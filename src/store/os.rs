//! What stores ask of the operating system that std does not offer. The one place of the stores with `unsafe` in it.

use memmap2::{Advice, Mmap};
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Takes space on the disk for a part of a file that is about to be written, all or none. File systems that cannot
/// promise it do nothing.
pub(super) fn allocate(file: &File, offset: u64, bytes: u64) -> io::Result<()> {
    // SAFETY: the descriptor is open; the call touches no memory.
    match unsafe { libc::fallocate(file.as_raw_fd(), 0, offset as libc::off_t, bytes as libc::off_t) } {
        0 => Ok(()),
        _ => match io::Error::last_os_error() {
            error if error.raw_os_error() == Some(libc::EOPNOTSUPP) => Ok(()),
            error => Err(error),
        },
    }
}

/// Whether a directory's files are in memory, not on a disk; false where the system does not say.
pub(super) fn is_in_memory(directory: &Path) -> bool {
    const RAMFS_MAGIC: libc::__fsword_t = 0x8584_58f6;
    let Ok(path) = CString::new(directory.as_os_str().as_bytes()) else { return false };
    // SAFETY: all of its fields are integers.
    let mut system: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: the path ends with a zero; the call fills the structure.
    let said = unsafe { libc::statfs(path.as_ptr(), &raw mut system) } == 0;
    said && [libc::TMPFS_MAGIC, libc::HUGETLBFS_MAGIC, RAMFS_MAGIC].contains(&system.f_type)
}

/// Calls `start`, whose threads get no signal: those are the program's, for threads that it knows.
pub(super) fn without_signals<R>(start: impl FnOnce() -> R) -> R {
    // SAFETY: both sets are filled by the calls that they are given to; the mask is the calling thread's own.
    unsafe {
        let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&mut all);
        let masked = libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before) == 0;
        let result = start();
        if masked {
            libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
        }
        result
    }
}

/// Takes a lock on all of a file, which the system drops when this process ends, in whatever way, or closes any descriptor
/// of the file. False if another process has it.
pub(super) fn try_lock(file: &File) -> io::Result<bool> {
    // SAFETY: all of its fields are integers.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    (lock.l_type, lock.l_whence) = (libc::F_WRLCK as _, libc::SEEK_SET as _);
    // SAFETY: the descriptor is open; the call reads the structure only.
    match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLK, &raw const lock) } {
        0.. => Ok(true),
        _ => match io::Error::last_os_error() {
            error if matches!(error.raw_os_error(), Some(libc::EACCES | libc::EAGAIN)) => Ok(false),
            error => Err(error),
        },
    }
}

/// A file, mapped for reading.
pub(super) struct Mapping {
    map: Option<Mmap>,
}

impl Mapping {
    /// Maps the whole file. An empty one has no mapping.
    pub fn of(file: &File) -> io::Result<Mapping> {
        if file.metadata()?.len() == 0 {
            return Ok(Mapping { map: None });
        }
        // SAFETY: a store writes a file under a name that nobody reads and renames it when it is complete; from then
        // on it is replaced as a whole or removed, never changed, and a mapping outlives both. Whoever changes or
        // truncates files of a store by other means breaks its contract (docs/format.md).
        let map = unsafe { Mmap::map(file)? };
        // Advice only. Checkpoints are read from front to back: read ahead, and far.
        let _ = map.advise(Advice::Sequential);
        Ok(Mapping { map: Some(map) })
    }
}

impl Deref for Mapping {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }
}
