//! What a store of files asks of a file system, so that tests can put one in its place that crashes.
//!
//! Nothing is certain to survive a crash but what was synced: a file's bytes by [`DiskFile::sync`], its name by
//! [`Disk::sync_directory`].

#![forbid(unsafe_code)]

use super::lock::Lock;
use super::os::Mapping;
use super::regular::open_regular;
use crate::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::ops::Deref;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

/// A file system.
pub(super) trait Disk: Send + Sync {
    /// A new file for writing, with these permissions less the process's mask; an error if there is anything of the name.
    fn create(&self, path: &Path, mode: u32) -> io::Result<Box<dyn DiskFile>>;
    /// A file for writing that is there already, with its contents. A symbolic link is refused.
    fn edit(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// A file's contents.
    fn open(&self, path: &Path) -> io::Result<Contents>;
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// The names of all files in a directory.
    fn names(&self, directory: &Path) -> io::Result<Vec<String>>;
    fn sync_directory(&self, directory: &Path) -> io::Result<()>;
    /// The lock on the files of `stem`; None where other processes do not see the disk.
    fn lock(&self, directory: &Path, stem: &str, mode: u32) -> Result<Option<Lock>, Error>;
}

/// A file that is being written.
pub(super) trait DiskFile: Send {
    /// Writes at the end of what was written through this handle.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;
    fn set_len(&mut self, bytes: u64) -> io::Result<()>;
    fn sync(&mut self) -> io::Result<()>;
}

/// The bytes of a file.
pub(super) enum Contents {
    Mapped(Mapping, File),
    #[cfg_attr(not(test), expect(dead_code, reason = "of file systems in tests"))]
    Loaded(Vec<u8>),
}

impl Contents {
    /// Copies a part of it. Of a mapped file past the mapping: the system copies what it has, without a fault for each
    /// page, and says so if it cannot.
    pub fn read_at(&self, offset: usize, bytes: &mut [u8]) -> io::Result<()> {
        match self {
            Contents::Mapped(_, file) => file.read_exact_at(bytes, offset as u64),
            Contents::Loaded(all) => {
                bytes.copy_from_slice(&all[offset..offset + bytes.len()]);
                Ok(())
            }
        }
    }
}

impl Deref for Contents {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Contents::Mapped(mapping, _) => mapping,
            Contents::Loaded(bytes) => bytes,
        }
    }
}

/// The system's own.
pub(super) struct System;

impl Disk for System {
    fn create(&self, path: &Path, mode: u32) -> io::Result<Box<dyn DiskFile>> {
        // A new name, which no link can be planted under.
        let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
        Ok(Box::new(SystemFile(file)))
    }

    fn edit(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let file = open_regular(OpenOptions::new().write(true), libc::O_NOFOLLOW, path)?;
        Ok(Box::new(SystemFile(file)))
    }

    fn open(&self, path: &Path) -> io::Result<Contents> {
        let file = open_regular(OpenOptions::new().read(true), 0, path)?;
        Ok(Contents::Mapped(Mapping::of(&file)?, file))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn names(&self, directory: &Path) -> io::Result<Vec<String>> {
        let entries = fs::read_dir(directory)?;
        entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }

    fn sync_directory(&self, directory: &Path) -> io::Result<()> {
        File::open(directory)?.sync_all()
    }

    fn lock(&self, directory: &Path, stem: &str, mode: u32) -> Result<Option<Lock>, Error> {
        Lock::take(directory, stem, mode).map(Some)
    }
}

struct SystemFile(File);

impl DiskFile for SystemFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }

    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        self.0.set_len(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_all()
    }
}
