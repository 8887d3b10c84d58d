//! Where the snapshots of registered state go.

#![forbid(unsafe_code)]

use crate::checkpoint::{CheckpointReader, CheckpointWriter};
use crate::error::{Error, Status};
use crate::schedule::{Level, Place};
use crate::store::Store;
use crate::sync::Arc;
use crate::tape::Type;

/// Keeps snapshots by their places. A snapshot is a list of parts, the same number and sizes each time.
pub trait Storage {
    /// Stores the parts of state `step`. What was in the place is not needed any more.
    fn save(&mut self, step: u64, place: Place, parts: &[&[u8]]) -> Result<(), Error>;

    /// Copies state `step` back into the parts.
    fn load(&mut self, step: u64, place: Place, parts: &mut [&mut [u8]]) -> Result<(), Error>;

    /// The place is free.
    fn forget(&mut self, step: u64, place: Place) -> Result<(), Error>;
}

/// Snapshots in memory. Buffers are kept for the next snapshot in the same place: their pages are warm.
#[derive(Default)]
pub struct MemoryStorage {
    slots: Vec<(Option<u64>, Vec<u8>)>,
}

impl MemoryStorage {
    fn slot(&mut self, place: Place) -> Result<usize, Error> {
        if place.level != Level::Memory {
            return Err(Error::new(
                Status::BadArgument,
                "the schedule stores on disk, and the driver keeps registered state in memory only\n  give it a \
                 store or calls that save and load, or take a schedule that stores in memory",
            ));
        }
        usize::try_from(place.slot).map_err(|_| Error::new(Status::OutOfMemory, "too many snapshots"))
    }

    /// Memory that the snapshots take, in bytes.
    pub fn bytes(&self) -> u64 {
        self.slots.iter().map(|(_, buffer)| buffer.capacity() as u64).sum()
    }
}

impl Storage for MemoryStorage {
    fn save(&mut self, step: u64, place: Place, parts: &[&[u8]]) -> Result<(), Error> {
        let slot = self.slot(place)?;
        if self.slots.len() <= slot {
            self.slots.resize_with(slot + 1, Default::default);
        }
        let (stored, buffer) = &mut self.slots[slot];
        let bytes = parts.iter().map(|part| part.len()).sum();
        buffer.clear();
        buffer.try_reserve_exact(bytes).map_err(|_| {
            let asked = crate::error::bytes(bytes as u64);
            Error::new(
                Status::OutOfMemory,
                format!("no memory for the snapshot of step {step}: {asked}\n  take a schedule with fewer snapshots"),
            )
        })?;
        parts.iter().for_each(|part| buffer.extend_from_slice(part));
        *stored = Some(step);
        Ok(())
    }

    fn load(&mut self, step: u64, place: Place, parts: &mut [&mut [u8]]) -> Result<(), Error> {
        let slot = self.slot(place)?;
        let found = self.slots.get(slot).filter(|(stored, _)| *stored == Some(step));
        let bytes: usize = parts.iter().map(|part| part.len()).sum();
        let Some((_, buffer)) = found.filter(|(_, buffer)| buffer.len() == bytes) else {
            return Err(Error::new(
                Status::BadArgument,
                format!(
                    "the snapshot of step {step} is not in slot {slot}, or not of {bytes} bytes\n  register all state \
                     before the run"
                ),
            ));
        };
        let mut rest = &buffer[..];
        for part in parts {
            let (mine, others) = rest.split_at(part.len());
            part.copy_from_slice(mine);
            rest = others;
        }
        Ok(())
    }

    fn forget(&mut self, _step: u64, place: Place) -> Result<(), Error> {
        let slot = self.slot(place)?;
        if let Some((stored, _)) = self.slots.get_mut(slot) {
            *stored = None;
        }
        Ok(())
    }
}

/// Snapshots in a store: each is a checkpoint `PREFIX-step-K` with a section of bytes for each part.
pub struct StoreStorage {
    store: Arc<dyn Store>,
    prefix: String,
}

impl StoreStorage {
    /// Names begin with `prefix`, which is this storage's alone in its store.
    pub fn new(store: Arc<dyn Store>, prefix: impl Into<String>) -> StoreStorage {
        StoreStorage { store, prefix: prefix.into() }
    }

    fn name(&self, step: u64) -> String {
        format!("{}-step-{step}", self.prefix)
    }
}

impl Storage for StoreStorage {
    fn save(&mut self, step: u64, _place: Place, parts: &[&[u8]]) -> Result<(), Error> {
        let mut checkpoint = CheckpointWriter::create(&*self.store, &self.name(step))?;
        for (i, part) in parts.iter().enumerate() {
            checkpoint.write_bytes(&format!("part-{i}"), Type::Bytes, part)?;
        }
        checkpoint.commit()
    }

    fn load(&mut self, step: u64, _place: Place, parts: &mut [&mut [u8]]) -> Result<(), Error> {
        let mut checkpoint = CheckpointReader::open(&*self.store, &self.name(step))?;
        for (i, part) in parts.iter_mut().enumerate() {
            checkpoint.read_bytes(&format!("part-{i}"), Type::Bytes, part)?;
        }
        Ok(())
    }

    fn forget(&mut self, step: u64, _place: Place) -> Result<(), Error> {
        self.store.remove(&self.name(step))
    }
}
