//! Where the oldest part of a tape goes when memory is short.
//!
//! The tape keeps its addresses: bytes `[0, spilled)` are written out and their memory is given back, the
//! cursor's floor is raised, and the slow pop that meets it reads a piece back to where it was. Nothing of it is
//! seen by the fast path.
//!
//! A [`SpillFile`] has no name: it is gone with the process, however that ends. Its place on the disk is taken before
//! anything is written, so that a full disk is an error of the push that met it and nothing is lost. The checksums of its
//! blocks stay in memory, so that what comes back is what was written. A child of fork inherits the file, which both
//! would write to: it belongs to the process that made it, and is an error in any other.

#![forbid(unsafe_code)]

use super::files::distinct;
use super::os;
use super::regular::refused;
use crate::error::{Error, Status, bytes};
use crate::settings::settings;
use crate::sync::Mutex;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A store for a tape's oldest bytes, by offset. Pieces are written in ascending order without gaps, and read
/// back from the end; what was read back may be written anew, with other contents. An error of `write` is returned by
/// the push that met it; an error of `read` leaves the tape unusable. What comes back is taken as it is: checksums are
/// the store's business. Any thread that is short of memory may call it, one at a time; it must not use a tape. Example:
/// [`with_spill`](crate::Tape::with_spill).
pub trait Spill: Send {
    /// Keeps `bytes`, which lie at `offset`; what was written there or behind it before is not needed any more.
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
pub struct SpillFile {
    file: File,
    directory: PathBuf,
    /// `[0, allocated)` has its place on the disk.
    allocated: u64,
    /// `[0, written)` was written.
    written: u64,
    /// The checksum of each block of `[0, written)`, the last of which may be a part of one.
    sums: Vec<u32>,
    /// The process that made it.
    process: u32,
}

/// Bytes under one checksum: small enough to stay in the cache between its read and its check.
const BLOCK: u64 = 256 << 10;

impl SpillFile {
    /// An empty file in a directory that exists.
    pub fn new(directory: impl AsRef<Path>) -> Result<SpillFile, Error> {
        let directory = directory.as_ref();
        let file = nameless(directory).map_err(|e| refused("creating a file for spilled tape in", directory, &e))?;
        let process = std::process::id();
        Ok(SpillFile { file, directory: directory.to_owned(), allocated: 0, written: 0, sums: Vec::new(), process })
    }

    fn check_process(&self) -> Result<(), Error> {
        let now = std::process::id();
        if now == self.process {
            return Ok(());
        }
        Err(Error::new(
            Status::Io,
            format!(
                "process {now} uses a tape whose oldest part is in a file that process {} made before it forked\n  \
                 the file is the parent's alone: pop there what was pushed there, or fork before the tape spills",
                self.process
            ),
        ))
    }

    /// The end of the block that begins at `start`.
    fn block_end(&self, start: u64) -> u64 {
        (start + BLOCK).min(self.written)
    }

    /// Reads the block that begins at `start`, as a whole, and compares its checksum.
    fn read_block(&self, start: u64, block: &mut [u8]) -> Result<(), Error> {
        self.file
            .read_exact_at(block, start)
            .map_err(|e| refused("reading back the oldest part of a tape from a file in", &self.directory, &e))?;
        if self.sums[(start / BLOCK) as usize] == crc32fast::hash(block) {
            return Ok(());
        }
        Err(Error::new(
            Status::Damaged,
            format!(
                "the oldest part of a tape does not come back from a file in {} as it was written: \
                 its checksum differs in the {} from byte {start} on\n  \
                 look at the disk, and for a process that writes to files that are not its own; \
                 run again, with another ADTAPE_SPILL_DIRECTORY",
                self.directory.display(),
                bytes(block.len() as u64),
            ),
        ))
    }

    /// Takes the checksums of `bytes`, at `offset`, behind what is left of their first block.
    fn note(&mut self, offset: u64, left: &[u8], bytes: &[u8]) {
        self.sums.truncate((offset / BLOCK) as usize);
        self.written = offset + bytes.len() as u64;
        let first = bytes.len().min(BLOCK as usize - left.len());
        if left.len() + first > 0 {
            let mut sum = crc32fast::Hasher::new();
            sum.update(left);
            sum.update(&bytes[..first]);
            self.sums.push(sum.finalize());
        }
        self.sums.extend(bytes[first..].chunks(BLOCK as usize).map(crc32fast::hash));
    }
}

/// Refuses bytes that were never written.
#[cold]
fn never_written(end: u64, written: u64) -> Error {
    Error::new(Status::BadArgument, format!("a spill file holds {}, not the {end} that are asked for", bytes(written)))
}

/// A file that was never seen under a name or, where the file system cannot do that, is not any more.
fn nameless(directory: &Path) -> io::Result<File> {
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

impl Spill for SpillFile {
    fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let end = offset + bytes.len() as u64;
        if bytes.is_empty() {
            return Ok(());
        }
        let mut left = vec![0; (offset % BLOCK) as usize];
        self.read(offset - left.len() as u64, &mut left)?;
        // A write that fails may leave anything behind what is left.
        self.note(offset, &left, &[]);
        let written = || -> io::Result<()> {
            if end > self.allocated {
                os::allocate(&self.file, self.allocated, end - self.allocated)?;
            }
            self.file.write_all_at(bytes, offset)
        };
        written().map_err(|e| refused("spilling the oldest part of a tape to a file in", &self.directory, &e))?;
        self.allocated = self.allocated.max(end);
        self.note(offset, &left, bytes);
        Ok(())
    }

    fn read(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), Error> {
        self.check_process()?;
        let end = offset + bytes.len() as u64;
        if end > self.written {
            return Err(never_written(end, self.written));
        }
        let (mut at, mut rest, mut whole) = (offset, bytes, Vec::new());
        while !rest.is_empty() {
            let start = at / BLOCK * BLOCK;
            let block_end = self.block_end(start);
            let (piece, behind) = std::mem::take(&mut rest).split_at_mut((block_end.min(end) - at) as usize);
            if piece.len() as u64 == block_end - start {
                self.read_block(start, piece)?;
            } else {
                whole.resize((block_end - start) as usize, 0);
                self.read_block(start, &mut whole)?;
                piece.copy_from_slice(&whole[(at - start) as usize..][..piece.len()]);
            }
            at += piece.len() as u64;
            rest = behind;
        }
        Ok(())
    }
}

/// The directory that the program has set; None: what the environment says.
static DIRECTORY: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Sets the directory that tapes without a store of their own spill to; None for what the environment says.
pub(crate) fn set_directory(directory: Option<&Path>) -> Result<(), Error> {
    // An error now is better than one when memory is short.
    directory.map(SpillFile::new).transpose()?;
    *DIRECTORY.lock() = directory.map(Path::to_owned);
    Ok(())
}

/// What the program has set, or the environment.
fn directory() -> Option<PathBuf> {
    let set = DIRECTORY.lock().clone();
    set.or_else(|| settings().ok().and_then(|settings| settings.spill_directory.clone()))
}

/// Whether [`in_directory`] has a directory.
pub(crate) fn is_directory_set() -> bool {
    directory().is_some()
}

/// A file for a tape that has no store of its own; None where no directory is set.
pub(crate) fn in_directory() -> Result<Option<Box<dyn Spill>>, Error> {
    directory().map(|directory| SpillFile::new(directory).map(|file| Box::new(file) as Box<dyn Spill>)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Status;

    fn directory(test: &str) -> PathBuf {
        let directory = std::env::temp_dir().join(format!("adtape-spill-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        directory
    }

    #[test]
    fn bytes_come_back_and_the_file_has_no_name() {
        let directory = directory("test");
        let mut file = SpillFile::new(&directory).unwrap();
        file.write(0, &[1; 8192]).unwrap();
        file.write(8192, &[2; 4096]).unwrap();
        let mut found = [0; 4096];
        file.read(8192, &mut found).unwrap();
        assert_eq!(found, [2; 4096]);
        file.write(4096, &[3; 100]).unwrap();
        file.read(4096, &mut found[..100]).unwrap();
        assert_eq!(found[..100], [3; 100]);
        assert_eq!(file.read(4096, &mut found).unwrap_err().status(), Status::BadArgument, "not written since");
        assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 0);
        std::fs::remove_dir(&directory).unwrap();
        let error = SpillFile::new(&directory).err().unwrap();
        assert_eq!(error.status(), Status::Io);
        assert!(error.message().contains("adtape-spill-test"), "{error}");
    }

    /// Against a vector, with pieces that begin, end and are cut off anywhere in blocks.
    #[test]
    fn pieces_of_any_size_come_back_whole_and_in_part() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut file = SpillFile::new(std::env::temp_dir()).unwrap();
        let mut model: Vec<u8> = Vec::new();
        for _ in 0..200 {
            let from = random.usize(model.len() / 2..=model.len());
            let piece: Vec<u8> = (0..random.usize(..900_000)).map(|i| (i as u8) ^ random.u8(..)).collect();
            file.write(from as u64, &piece).unwrap();
            if !piece.is_empty() {
                model.truncate(from);
                model.extend(piece);
            }
            let a = random.usize(..=model.len());
            let b = random.usize(a..=model.len());
            let mut found = vec![0; b - a];
            file.read(a as u64, &mut found).unwrap();
            assert!(found == model[a..b], "[{a}, {b}) of {}", model.len());
        }
    }

    /// Eight bytes that another process had written through the descriptor came back as values.
    #[test]
    fn bytes_that_were_changed_do_not_come_back() {
        let mut file = SpillFile::new(std::env::temp_dir()).unwrap();
        file.write(0, &[7; 3 * BLOCK as usize]).unwrap();
        file.file.write_all_at(&[1; 8], BLOCK + 5000).unwrap();
        let mut page = [0; 4096];
        for offset in [0, BLOCK, BLOCK + 4096, 2 * BLOCK] {
            let read = file.read(offset, &mut page);
            let damaged = offset / BLOCK == 1;
            assert_eq!(read.as_ref().err().map(Error::status), damaged.then_some(Status::Damaged), "{offset}");
        }
        let error = file.write(BLOCK + 4096, &[2; 4096]).unwrap_err();
        assert!(
            error.message().contains("256.00 KiB"),
            "what is left of a damaged block is not certified anew: {error}"
        );
        file.file.set_len(100).unwrap();
        assert_eq!(file.read(0, &mut page).unwrap_err().status(), Status::Io);
    }

    #[test]
    fn file_is_the_process_s_that_made_it() {
        let mut file = SpillFile::new(std::env::temp_dir()).unwrap();
        file.write(0, &[1; 100]).unwrap();
        file.process += 1;
        for result in [file.read(0, &mut [0; 100]), file.write(100, &[2; 100])] {
            let error = result.unwrap_err();
            assert_eq!(error.status(), Status::Io);
            assert!(error.message().contains(&format!("process {}", file.process)), "{error}");
        }
    }

    #[test]
    fn write_that_fails_leaves_nothing_certified() {
        let mut file = SpillFile::new(std::env::temp_dir()).unwrap();
        file.write(0, &[1; 2 * BLOCK as usize]).unwrap();
        let writable = std::mem::replace(&mut file.file, File::open("/dev/null").unwrap());
        assert_eq!(file.write(BLOCK, &[2; 100]).unwrap_err().status(), Status::Io);
        file.file = writable;
        assert_eq!((file.written, file.sums.len()), (BLOCK, 1));
        assert_eq!(file.read(BLOCK, &mut [0; 1]).unwrap_err().status(), Status::BadArgument);
        file.read(0, &mut [0; 100]).unwrap();
    }

    #[test]
    fn file_takes_the_room_of_what_was_written_and_no_more() {
        use std::os::unix::fs::MetadataExt;
        let mut file = SpillFile::new(std::env::temp_dir()).unwrap();
        for i in 0..8 {
            file.write(i * BLOCK, &[1; BLOCK as usize]).unwrap();
        }
        for i in [7, 0] {
            file.write(i * BLOCK, &[2; BLOCK as usize]).unwrap();
        }
        let metadata = file.file.metadata().unwrap();
        assert_eq!(metadata.len(), 8 * BLOCK);
        assert!(metadata.blocks() * 512 < 9 * BLOCK, "{} blocks", metadata.blocks());
    }

    #[test]
    fn directory_is_the_program_s_or_else_the_environment_s() {
        let of_environment = settings().unwrap().spill_directory.is_some();
        assert_eq!(is_directory_set(), of_environment);
        set_directory(Some(&std::env::temp_dir())).unwrap();
        assert!(is_directory_set() && in_directory().unwrap().is_some());
        set_directory(None).unwrap();
        assert_eq!(is_directory_set(), of_environment);
    }
}
