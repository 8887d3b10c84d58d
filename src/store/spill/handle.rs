//! A tape's end of the file that it spills to, and the thread at the other end.

#![forbid(unsafe_code)]

use super::account;
use super::desk::{Desk, Missing};
use super::door::Spill;
use super::medium::Medium;
use super::memory::{Room, Rooms};
use super::space::{Lost, OverLimit, Space};
use crate::error::{Error, Status, bytes};
use crate::store::os;
use crate::store::regular::refused;
use crate::sync::{Arc, Mutex};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

/// A file that tapes spill to.
pub(super) struct Shared<M: Medium> {
    desk: Arc<Desk<M>>,
    directory: PathBuf,
    /// The process that made it.
    pub(super) process: u32,
    thread: Mutex<Thread>,
}

enum Thread {
    NotYet,
    Running(JoinHandle<()>),
    /// The system has none for us: all is done by the threads of the program.
    Refused,
}

impl<M: Medium + 'static> Shared<M> {
    /// A file that takes no more than `limit` bytes of the disk.
    pub fn new(medium: M, directory: &Path, limit: u64) -> Shared<M> {
        Shared::with_desk(Desk::new(Space::new(medium, limit), account::block(), usize::MAX), directory)
    }

    pub fn with_desk(desk: Desk<M>, directory: &Path) -> Shared<M> {
        Shared {
            desk: Arc::new(desk),
            directory: directory.to_owned(),
            process: std::process::id(),
            thread: Mutex::new(Thread::NotYet),
        }
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    pub fn is_ours(&self) -> bool {
        self.process == std::process::id()
    }

    #[cfg(all(test, not(loom)))]
    pub fn desk(&self) -> &Desk<M> {
        &self.desk
    }

    /// Starts the thread, the first time that there is memory for one.
    fn staff(&self) {
        let mut thread = self.thread.lock();
        if matches!(*thread, Thread::NotYet) && account::has_memory_for_a_thread() {
            let desk = self.desk.clone();
            let started = os::without_signals(|| {
                std::thread::Builder::new().name("adtape-spill".to_owned()).spawn(move || desk.run())
            });
            self.desk.set_staffed(started.is_ok());
            *thread = started.map_or(Thread::Refused, Thread::Running);
        }
    }

    fn check_process(&self) -> Result<(), Error> {
        if self.is_ours() {
            return Ok(());
        }
        Err(Error::new(
            Status::Io,
            format!(
                "process {} uses a tape whose oldest part is in a file that process {} made before it forked\n  \
                 the file is the parent's alone: pop there what was pushed there, or fork before the tape spills",
                std::process::id(),
                self.process
            ),
        ))
    }

    #[cold]
    fn unwritten(&self, cause: &io::Error) -> Error {
        match cause.get_ref().and_then(|inner| inner.downcast_ref()) {
            Some(OverLimit(limit)) => Error::new(
                Status::Io,
                format!(
                    "the tapes of this process may spill {} to {} and need more\n  \
                     raise the limit (ADTAPE_DISK_LIMIT), or tape less (checkpoints, fewer steps a sweep)",
                    bytes(*limit),
                    self.directory.display()
                ),
            ),
            None => refused("spilling the oldest part of a tape to a file in", &self.directory, cause),
        }
    }

    #[cold]
    fn missing(&self, Missing { why, place, from }: Missing) -> Error {
        let directory = self.directory.display();
        match why {
            Lost::Unread(cause) => {
                let what = format!(
                    "reading back the oldest part of a tape, {} from byte {from} on, at byte {} of a file in",
                    bytes(u64::from(place.bytes)),
                    place.offset
                );
                refused(&what, &self.directory, &cause)
            }
            Lost::Changed => Error::new(
                Status::Damaged,
                format!(
                    "the oldest part of a tape does not come back from a file in {directory} as it was written: \
                     its checksum differs in the {} from byte {from} on, at byte {} of the file\n  \
                     look at the disk, and for a process that writes to files that are not its own; \
                     run again, with another ADTAPE_SPILL_DIRECTORY",
                    bytes(u64::from(place.bytes)),
                    place.offset
                ),
            ),
        }
    }
}

impl<M: Medium> Drop for Shared<M> {
    /// In a child of fork there is no thread, and its locks may be held for ever. What is on its way there arrives nowhere,
    /// and its tape may have the memory in other use.
    fn drop(&mut self) {
        let thread = std::mem::replace(self.thread.get_mut(), Thread::NotYet);
        if self.process != std::process::id() {
            std::mem::forget((thread, self.desk.clone()));
        } else if let Thread::Running(thread) = thread {
            self.desk.close();
            let _ = thread.join();
        }
    }
}

/// A tape's part of a file.
pub(super) struct Handle<M: Medium + 'static> {
    shared: Arc<Shared<M>>,
    part: u64,
    /// For blocks that are needed in part.
    scratch: Vec<u8>,
}

impl<M: Medium> Handle<M> {
    pub fn new(shared: Arc<Shared<M>>) -> Handle<M> {
        let part = shared.desk.add_part();
        Handle { shared, part, scratch: Vec::new() }
    }

    /// Refuses bytes that were never written.
    fn check_end(&self, end: u64) -> Result<(), Error> {
        let written = self.shared.desk.end(self.part);
        if end <= written {
            return Ok(());
        }
        Err(Error::new(
            Status::BadArgument,
            format!("a spill file holds {}, not the {end} that are asked for", bytes(written)),
        ))
    }
}

/// What is for the tapes of this process alone, whose memory stays where it is.
impl<M: Medium> Handle<M> {
    /// Keeps the first `most` bytes, or as many as may be on their way: they are written while the tape goes on. Waits until
    /// `wanted` bytes have left memory, or all that are on their way; where these are less, blocks that were read ahead leave
    /// it, too. Returns how many bytes have left. What is not kept is the tape's.
    pub fn keep(&mut self, rooms: &mut dyn Rooms, most: usize, wanted: usize) -> Result<usize, Error> {
        self.shared.check_process()?;
        self.shared.staff();
        let desk = self.shared.desk.clone();
        desk.try_again();
        let (before, mut kept) = (desk.gone(), 0);
        while kept < most && rooms.len() > 0 {
            let piece = desk.block().min(rooms.len());
            if desk.is_full(piece) {
                break;
            }
            let (offset, room) = (rooms.from(), rooms.take_first(piece));
            let bytes = room.bytes().len();
            match self.take(offset, room) {
                Ok(()) => kept += bytes,
                Err((error, room)) => {
                    rooms.put_back(room);
                    if kept == 0 {
                        return Err(error);
                    }
                    break;
                }
            }
        }
        let gone = desk.wait_until_gone(before, wanted as u64).map_err(|cause| self.shared.unwritten(&cause))? as usize;
        Ok(gone + desk.forget_what_was_read_ahead(wanted.saturating_sub(gone)))
    }

    /// Keeps what a tape has at `offset`. On error it is the tape's.
    fn take(&mut self, offset: u64, room: Box<dyn Room>) -> Result<(), (Error, Box<dyn Room>)> {
        if let Err(error) = self.check_end(offset) {
            return Err((error, room));
        }
        let desk = &self.shared.desk;
        desk.cut(self.part, offset);
        desk.take(self.part, room).map_err(|(cause, room)| (self.shared.unwritten(&cause), room))
    }

    /// Bytes of memory that may be free in a moment.
    pub fn held(&self) -> usize {
        if self.shared.is_ours() { self.shared.desk.held() } else { 0 }
    }

    /// Bytes of memory that a block takes which is given back next, and those that are read ahead meanwhile.
    pub fn reads_ahead(&self) -> usize {
        if self.shared.is_ours() { self.shared.desk.reads_ahead() } else { 0 }
    }

    /// Gives back what the tape had below `end`, a block with its memory; what lies above is not needed any more. None where
    /// it has to be read.
    pub fn give_back(&mut self, end: u64) -> Result<Option<Box<dyn Room>>, Error> {
        self.shared.check_process()?;
        self.check_end(end)?;
        let desk = &self.shared.desk;
        desk.cut(self.part, end);
        desk.give_back(self.part).map_err(|missing| self.shared.missing(missing))
    }

    /// Whether the file is this process's: what a child of fork has of its parent's it can neither read nor write.
    pub fn is_ours(&self) -> bool {
        self.shared.is_ours()
    }

    /// Drops what lies at `end` or above it, and gives its place in the file back.
    pub fn drop_above(&mut self, end: u64) {
        if self.shared.is_ours() {
            self.shared.desk.cut(self.part, end);
        }
    }

    /// Leaves the tape's memory at `from` and above to the tape, empty; what was there can be read.
    pub fn leave(&mut self, from: u64) {
        if self.shared.is_ours() {
            self.shared.desk.leave(self.part, from);
        }
    }
}

impl<M: Medium> Spill for Handle<M> {
    fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.shared.check_process()?;
        self.check_end(offset)?;
        if bytes.is_empty() {
            return Ok(());
        }
        self.shared.staff();
        let desk = &self.shared.desk;
        desk.cut(self.part, offset);
        desk.try_again();
        for block in bytes.chunks(desk.block()) {
            if let Err(cause) = desk.put(self.part, block) {
                desk.cut(self.part, offset);
                return Err(self.shared.unwritten(&cause));
            }
        }
        Ok(())
    }

    fn read(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), Error> {
        self.shared.check_process()?;
        let end = offset + bytes.len() as u64;
        self.check_end(end)?;
        let desk = &self.shared.desk;
        desk.cut(self.part, end);
        desk.get(self.part, offset, bytes, &mut self.scratch).map_err(|missing| self.shared.missing(missing))
    }
}

impl<M: Medium> Drop for Handle<M> {
    fn drop(&mut self) {
        if self.shared.is_ours() {
            self.shared.desk.remove_part(self.part);
        }
    }
}
