//! Memory first: entries go to memory while there is room, whole, and to another store beyond.

#![forbid(unsafe_code)]

use super::memory::MemoryWriter;
use super::{EntryReader, EntryWriter, MemoryStore, Store, not_found};
use crate::error::{Error, Status};
use crate::sync::Arc;
use std::collections::BTreeSet;

/// Memory up to its limit, another store beyond it. An entry that does not fit while it is written moves there.
///
/// ```
/// # use adtape::*;
/// # use std::sync::Arc;
/// # fn main() -> Result<(), Error> {
/// let (memory, below) = (MemoryStore::with_limit(1 << 20), MemoryStore::new()); // below: files, usually
/// let store = TieredStore::new(memory.clone(), Arc::new(below.clone()));
/// for name in ["step-0", "step-10"] {
///     let mut writer = store.create(name)?;
///     writer.write(&[7; 700_000])?;
///     writer.commit()?;
/// }
/// assert_eq!(memory.names()?, ["step-0"]);
/// assert_eq!(below.names()?, ["step-10"]);
/// assert_eq!(store.names()?, ["step-0", "step-10"]);
/// # Ok(())
/// # }
/// ```
pub struct TieredStore {
    memory: MemoryStore,
    below: Arc<dyn Store>,
}

impl TieredStore {
    /// `memory` first, then `below`.
    pub fn new(memory: MemoryStore, below: Arc<dyn Store>) -> TieredStore {
        TieredStore { memory, below }
    }
}

/// No error if it is not there.
fn remove_if_there(store: &dyn Store, name: &str) -> Result<bool, Error> {
    match store.remove(name) {
        Ok(()) => Ok(true),
        Err(error) if error.status() == Status::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

impl Store for TieredStore {
    fn create(&self, name: &str) -> Result<Box<dyn EntryWriter>, Error> {
        let now = Now::Memory(Box::new(self.memory.writer(name)?));
        Ok(Box::new(TieredWriter {
            name: name.to_owned(),
            memory: self.memory.clone(),
            below: self.below.clone(),
            now,
        }))
    }

    fn open(&self, name: &str) -> Result<Box<dyn EntryReader>, Error> {
        match self.memory.open(name) {
            Err(error) if error.status() == Status::NotFound => self.below.open(name),
            result => result,
        }
    }

    fn remove(&self, name: &str) -> Result<(), Error> {
        let above = remove_if_there(&self.memory, name)?;
        let below = remove_if_there(&*self.below, name)?;
        if above || below { Ok(()) } else { Err(not_found(name, "memory or the store below it")) }
    }

    fn names(&self) -> Result<Vec<String>, Error> {
        let mut all: BTreeSet<String> = self.below.names()?.into_iter().collect();
        all.extend(self.memory.names()?);
        Ok(all.into_iter().collect())
    }

    fn trim(&self) {
        self.memory.trim();
        self.below.trim();
    }
}

enum Now {
    Memory(Box<MemoryWriter>),
    Below(Box<dyn EntryWriter>),
}

struct TieredWriter {
    name: String,
    memory: MemoryStore,
    below: Arc<dyn Store>,
    now: Now,
}

impl TieredWriter {
    /// Goes on in the store below.
    #[cold]
    fn sink(&mut self) -> Result<&mut dyn EntryWriter, Error> {
        if let Now::Memory(memory) = &self.now {
            let mut below = self.below.create(&self.name)?;
            for piece in memory.pieces() {
                below.write(piece)?;
            }
            self.now = Now::Below(below);
        }
        match &mut self.now {
            Now::Below(below) => Ok(&mut **below),
            Now::Memory(memory) => Ok(&mut **memory),
        }
    }
}

impl EntryWriter for TieredWriter {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        match &mut self.now {
            Now::Below(below) => below.write(bytes),
            Now::Memory(memory) => match memory.write(bytes) {
                Err(error) if matches!(error.status(), Status::MemoryLimit | Status::OutOfMemory) => {
                    self.sink()?.write(bytes)
                }
                result => result,
            },
        }
    }

    /// In the other store there may be an older entry of this name: it goes last.
    fn commit(self: Box<Self>) -> Result<(), Error> {
        match self.now {
            Now::Memory(writer) => {
                writer.commit()?;
                remove_if_there(&*self.below, &self.name).map(drop)
            }
            Now::Below(writer) => {
                writer.commit()?;
                remove_if_there(&self.memory, &self.name).map(drop)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(store: &dyn Store, name: &str, value: u8, count: usize) {
        let mut writer = store.create(name).unwrap();
        for _ in 0..count {
            writer.write(&[value; 1000]).unwrap();
        }
        writer.commit().unwrap();
    }

    fn check(store: &dyn Store, name: &str, value: u8, count: usize) {
        let mut reader = store.open(name).unwrap();
        let mut found = vec![0; 1000 * count];
        assert_eq!(reader.bytes(), found.len() as u64);
        reader.read_at(0, &mut found).unwrap();
        assert!(found.iter().all(|byte| *byte == value));
    }

    #[test]
    fn entry_is_in_one_tier_only_whichever_it_was_in_before() {
        let (memory, below) = (MemoryStore::with_limit(1 << 20), MemoryStore::new());
        let store = TieredStore::new(memory.clone(), Arc::new(below.clone()));
        write(&store, "a", 1, 100);
        write(&store, "b", 2, 2000); // grows out of memory half-way
        assert_eq!((memory.names().unwrap(), below.names().unwrap()), (vec!["a".to_owned()], vec!["b".to_owned()]));
        write(&store, "a", 3, 2000);
        assert_eq!((memory.names().unwrap(), below.names().unwrap().len()), (vec![], 2));
        write(&store, "b", 4, 100);
        assert_eq!((memory.names().unwrap(), below.names().unwrap()), (vec!["b".to_owned()], vec!["a".to_owned()]));
        check(&store, "a", 3, 2000);
        check(&store, "b", 4, 100);
        assert_eq!(store.names().unwrap(), ["a", "b"]);
        store.remove("a").unwrap();
        store.remove("b").unwrap();
        assert!(memory.held_bytes() > 0 && below.held_bytes() > 0);
        store.trim();
        assert_eq!((memory.held_bytes(), below.held_bytes()), (0, 0));
        assert_eq!(store.remove("a").unwrap_err().status(), Status::NotFound);
    }
}
