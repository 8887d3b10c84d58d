//! Where the snapshots of registered state go.

#![forbid(unsafe_code)]

use super::variable::{Variable, bytes_of};
use crate::checkpoint::{CheckpointReader, CheckpointWriter};
use crate::error::{Error, Status};
use crate::profile;
use crate::schedule::{Level, Place};
use crate::store::Store;
use crate::sync::Arc;
use crate::tape::Type;
use std::collections::BTreeSet;

/// Keeps snapshots by their places. A snapshot has the same variables each time.
pub trait Storage {
    /// Stores state `step`. What was in the place is not needed any more.
    fn save(&mut self, step: u64, place: Place, state: &[Variable]) -> Result<(), Error>;

    /// Copies state `step` back into the variables.
    fn load(&mut self, step: u64, place: Place, state: &[Variable]) -> Result<(), Error>;

    /// The place is free.
    fn forget(&mut self, step: u64, place: Place) -> Result<(), Error>;
}

/// Snapshots in memory. Buffers are kept for the next snapshot in the same place: their pages are warm.
#[derive(Default)]
pub struct MemoryStorage {
    slots: Vec<(Option<u64>, Vec<u8>)>,
}

impl Drop for MemoryStorage {
    fn drop(&mut self) {
        profile::checkpoints_changed(self.bytes(), 0);
    }
}

impl MemoryStorage {
    fn slot(&mut self, place: Place) -> Result<usize, Error> {
        if place.level != Level::Memory {
            return Err(Error::new(
                Status::BadArgument,
                "the schedule stores on disk, and the driver keeps registered state in memory only\n  \
                 give it a store or calls that save and load, or take a schedule that stores in memory",
            ));
        }
        usize::try_from(place.slot).map_err(|_| Error::new(Status::OutOfMemory, "too many snapshots"))
    }

    /// Memory that the snapshots take, in bytes.
    pub fn bytes(&self) -> u64 {
        self.slots.iter().map(|(_, buffer)| buffer.capacity() as u64).sum()
    }

    /// The buffer of a slot, empty, with room for `bytes`.
    fn room(&mut self, slot: usize, step: u64, bytes: usize) -> Result<&mut Vec<u8>, Error> {
        if self.slots.len() <= slot {
            self.slots.resize_with(slot + 1, Default::default);
        }
        let (stored, buffer) = &mut self.slots[slot];
        let before = buffer.capacity() as u64;
        *stored = None;
        buffer.clear();
        buffer.try_reserve_exact(bytes).map_err(|_| {
            let asked = crate::error::bytes(bytes as u64);
            Error::new(
                Status::OutOfMemory,
                format!("no memory for the snapshot of step {step}: {asked}\n  take a schedule with fewer snapshots"),
            )
        })?;
        *stored = Some(step);
        profile::checkpoints_changed(before, buffer.capacity() as u64);
        Ok(buffer)
    }

    /// Writes all snapshots to a checkpoint.
    pub fn write(&self, checkpoint: &mut CheckpointWriter) -> Result<(), Error> {
        for (slot, (stored, buffer)) in self.slots.iter().enumerate() {
            let Some(step) = stored else { continue };
            checkpoint.write(SLOT, &[slot as i64, *step as i64])?;
            checkpoint.write_bytes(SNAPSHOT, Type::Bytes, buffer)?;
        }
        Ok(())
    }

    /// Reads what [`write`](MemoryStorage::write) wrote, in place of what there is.
    pub fn read(&mut self, checkpoint: &mut CheckpointReader) -> Result<(), Error> {
        self.slots.iter_mut().for_each(|(stored, _)| *stored = None);
        while checkpoint.peek()?.is_some_and(|section| section.name == SLOT) {
            let mut slot = [0_i64; 2];
            checkpoint.read(SLOT, &mut slot)?;
            let bytes = checkpoint.peek()?.map_or(0, |section| section.count as usize);
            let buffer = self.room(slot[0] as usize, slot[1] as u64, bytes)?;
            buffer.resize(bytes, 0);
            checkpoint.read_bytes(SNAPSHOT, Type::Bytes, buffer)?;
        }
        Ok(())
    }
}

/// What the sections of a snapshot in memory are called in the checkpoint of a resume point.
const SLOT: &str = "adtape-slot";
const SNAPSHOT: &str = "adtape-snapshot";

impl Storage for MemoryStorage {
    fn save(&mut self, step: u64, place: Place, state: &[Variable]) -> Result<(), Error> {
        let slot = self.slot(place)?;
        let buffer = self.room(slot, step, bytes_of(state))?;
        state.iter().for_each(|variable| variable.append_to(buffer));
        Ok(())
    }

    fn load(&mut self, step: u64, place: Place, state: &[Variable]) -> Result<(), Error> {
        let slot = self.slot(place)?;
        let found = self.slots.get(slot).filter(|(stored, _)| *stored == Some(step));
        let bytes = bytes_of(state);
        let Some((_, buffer)) = found.filter(|(_, buffer)| buffer.len() == bytes) else {
            return Err(Error::new(
                Status::BadArgument,
                format!(
                    "the snapshot of step {step} is not in slot {slot}, or not of {bytes} bytes\n  \
                     register all state before the run"
                ),
            ));
        };
        state.iter().fold(&buffer[..], |bytes, variable| variable.take_from(bytes));
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

/// Snapshots in a store: each is a checkpoint `PREFIX-step-K` with a section for each variable.
pub struct StoreStorage {
    store: Arc<dyn Store>,
    prefix: String,
    /// The snapshots of a lasting storage that are kept for the last resume point.
    forgotten: Option<BTreeSet<u64>>,
}

impl StoreStorage {
    /// Names begin with `prefix`, which is this storage's alone in its store.
    pub fn new(store: Arc<dyn Store>, prefix: impl Into<String>) -> StoreStorage {
        StoreStorage { store, prefix: prefix.into(), forgotten: None }
    }

    /// For runs that can be resumed: what is forgotten stays stored until [`kept`](StoreStorage::kept).
    pub fn lasting(store: Arc<dyn Store>, prefix: impl Into<String>) -> StoreStorage {
        StoreStorage { forgotten: Some(BTreeSet::new()), ..StoreStorage::new(store, prefix) }
    }

    /// There is a newer resume point: what was forgotten before it is removed.
    pub fn kept(&mut self) -> Result<(), Error> {
        let forgotten = self.forgotten.as_mut().map(std::mem::take).unwrap_or_default();
        forgotten.iter().try_for_each(|step| self.store.remove(&self.name(*step)))
    }

    /// Removes all but these snapshots, which must be there.
    pub fn keep_only(&mut self, steps: &[u64]) -> Result<(), Error> {
        let step_of = |name: &String| name.strip_prefix(&self.prefix)?.strip_prefix("-step-")?.parse().ok();
        let there: BTreeSet<u64> = self.store.names()?.iter().filter_map(step_of).collect();
        for step in there.iter().filter(|step| !steps.contains(step)) {
            self.store.remove(&self.name(*step))?;
        }
        steps
            .iter()
            .filter(|step| !there.contains(step))
            .try_for_each(|step| self.store.open(&self.name(*step)).map(drop))
    }

    fn name(&self, step: u64) -> String {
        format!("{}-step-{step}", self.prefix)
    }
}

impl Storage for StoreStorage {
    fn save(&mut self, step: u64, _place: Place, state: &[Variable]) -> Result<(), Error> {
        if let Some(forgotten) = &mut self.forgotten {
            forgotten.remove(&step);
        }
        let mut checkpoint = CheckpointWriter::create(&*self.store, &self.name(step))?;
        state.iter().try_for_each(|variable| variable.write(&mut checkpoint))?;
        checkpoint.commit()
    }

    fn load(&mut self, step: u64, _place: Place, state: &[Variable]) -> Result<(), Error> {
        let mut checkpoint = CheckpointReader::open(&*self.store, &self.name(step))?;
        state.iter().try_for_each(|variable| variable.read(&mut checkpoint))?;
        checkpoint.expect_end()
    }

    fn forget(&mut self, step: u64, _place: Place) -> Result<(), Error> {
        match &mut self.forgotten {
            Some(forgotten) => {
                forgotten.insert(step);
                Ok(())
            }
            None => self.store.remove(&self.name(step)),
        }
    }
}

/// Where the snapshots of a driver go: to memory; or to a store, if there is one, what a schedule has on disk.
#[derive(Default)]
pub struct Snapshots {
    /// Also refuses what is to go to disk, where there is no store.
    pub memory: MemoryStorage,
    pub disk: Option<StoreStorage>,
}

impl Snapshots {
    /// What keeps the snapshots of the place's level.
    pub fn storage(&mut self, place: Place) -> &mut dyn Storage {
        match &mut self.disk {
            Some(disk) if place.level == Level::Disk => disk,
            _ => &mut self.memory,
        }
    }
}
