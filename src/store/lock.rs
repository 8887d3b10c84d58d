//! One store at a time has the files of a run and rank.
//!
//! ```text
//!   <directory>/<run>.r<rank>.lock      "process 4711 on host node17"
//! ```
//!
//! The lock is that of `fcntl`, on the whole file: the system drops it when its holder ends, in whatever way; NFS has it
//! across machines; and a child of the holder does not have it. It belongs to a process and goes with *any* descriptor
//! of the file that the process closes. So nobody but this module opens the file, and never twice: [`HELD`] says what this
//! process has. The file is removed with the lock; what a killed process left is taken over.

#![forbid(unsafe_code)]

use super::os;
use super::regular::{open_regular, refused};
use crate::error::{Error, Status, say};
use crate::sync::StaticLock;
use std::collections::BTreeMap;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A file, whatever the path that leads to it: its directory's device and number, and its name.
type Key = (u64, u64, String);

/// What is locked, and by which process: a child has its parent's table.
static HELD: StaticLock<BTreeMap<Key, u32>> = StaticLock::new(BTreeMap::new());

/// Keeps other threads off the table until [`let_go`]: around a fork.
pub(crate) fn hold(longest: Duration) {
    HELD.hold(longest);
}

pub(crate) fn let_go() {
    HELD.let_go();
}

/// The lock on a run's files.
pub(super) struct Lock {
    path: PathBuf,
    key: Key,
    process: u32,
    /// Open as long as the lock is held.
    _file: File,
}

impl Lock {
    /// Takes the lock; an error that names its holder if there is one.
    pub fn take(directory: &Path, stem: &str, mode: u32) -> Result<Lock, Error> {
        let path = directory.join(format!("{stem}.lock"));
        let there = std::fs::metadata(directory).map_err(|e| refused("reading the directory", directory, &e))?;
        let key = (there.dev(), there.ino(), stem.to_owned());
        let process = std::process::id();
        let mut held = HELD.lock();
        if held.get(&key) == Some(&process) {
            let advice = "free that store first, or use it for both";
            return Err(in_use(Status::BadArgument, &path, "another store of this process", advice));
        }
        let file = locked(&path, mode)?;
        // Only for the message of another process: the lock itself does not depend on it.
        let _ = file.set_len(0).and_then(|()| file.write_all_at(this_process().as_bytes(), 0));
        let _ = file.sync_data();
        held.insert(key.clone(), process);
        Ok(Lock { path, key, process, _file: file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The lock of a parent is not its child's to drop.
        if self.process == std::process::id() {
            // Before the file is closed: what the next holder makes is another file.
            let _ = std::fs::remove_file(&self.path);
            HELD.lock().remove(&self.key);
        }
    }
}

fn this_process() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { "unknown" } else { host.trim() };
    format!("process {} on host {host}", std::process::id())
}

/// The lock file, made if there is none, with the lock.
fn locked(path: &Path, mode: u32) -> Result<File, Error> {
    loop {
        let opened =
            open_regular(OpenOptions::new().read(true).write(true).create(true).mode(mode), libc::O_NOFOLLOW, path);
        let file = opened.map_err(|e| refused("opening", path, &e))?;
        match os::try_lock(&file) {
            // Unless its holder has removed it meanwhile.
            Ok(true) if is_at(&file, path) => return Ok(file),
            Ok(true) => {}
            Ok(false) => return Err(in_use(Status::InUse, path, &holder(&file), OTHER_PROCESS)),
            Err(error) if has_no_locks(&error) => {
                say(&format!(
                    "adtape: {} cannot be locked: {error}\n  \
                     nothing keeps a second process from writing the checkpoints of the same run and rank",
                    path.display()
                ));
                return Ok(file);
            }
            Err(error) => return Err(refused("locking", path, &error)),
        }
    }
}

/// Whether the file is the one of this name.
fn is_at(file: &File, path: &Path) -> bool {
    let same = |a: Metadata, b: Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    file.metadata().and_then(|a| Ok(same(a, std::fs::symlink_metadata(path)?))).unwrap_or(false)
}

/// File systems without a lock server, or mounted without locks.
fn has_no_locks(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOLCK | libc::ENOSYS | libc::EOPNOTSUPP))
}

/// What the holder wrote.
fn holder(file: &File) -> String {
    let mut said = String::new();
    match file.take(200).read_to_string(&mut said) {
        Ok(1..) if said.starts_with("process ") => said.trim().to_owned(),
        _ => "another process".to_owned(),
    }
}

const OTHER_PROCESS: &str = "give each process of the run a rank of its own, or the run another name; \
                             or wait until that process has ended";

#[cold]
fn in_use(status: Status, path: &Path, holder: &str, advice: &str) -> Error {
    let run = path.with_extension("");
    Error::new(
        status,
        format!("the files {}.* are in use by {holder}; this is {}\n  {advice}", run.display(), this_process()),
    )
}
