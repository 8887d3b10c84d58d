//! A store for spilled tape in memory, which fails when it is asked to.

use adtape::{Error, Spill, Status};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A store in memory.
#[derive(Clone, Default)]
pub struct Shelf {
    pages: Arc<Mutex<BTreeMap<u64, Vec<u8>>>>,
    /// Fails every so many calls; 0: never.
    fail_every: u64,
    calls: u64,
}

const SHELF_PAGE: usize = 4096;

impl Shelf {
    /// Fails every so many calls.
    pub fn failing(fail_every: u64) -> Shelf {
        Shelf { fail_every, ..Shelf::default() }
    }

    fn fails(&mut self) -> Result<(), Error> {
        self.calls += 1;
        if self.fail_every > 0 && self.calls.is_multiple_of(self.fail_every) {
            return Err(Error::new(Status::Io, "the shelf broke"));
        }
        Ok(())
    }
}

impl Spill for Shelf {
    fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.fails()?;
        let mut pages = self.pages.lock().unwrap();
        for (i, page) in bytes.chunks(SHELF_PAGE).enumerate() {
            pages.insert(offset + (i * SHELF_PAGE) as u64, page.to_vec());
        }
        Ok(())
    }

    fn read(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), Error> {
        self.fails()?;
        let pages = self.pages.lock().unwrap();
        for (i, page) in bytes.chunks_mut(SHELF_PAGE).enumerate() {
            page.copy_from_slice(&pages[&(offset + (i * SHELF_PAGE) as u64)][..page.len()]);
        }
        Ok(())
    }
}
