//! A store for what tapes spill in unit tests.

#![forbid(unsafe_code)]

use crate::error::{Error, Status};
use crate::store::Spill;
use crate::sync::{Arc, Mutex};

/// A store in memory, which fails when its test says so.
#[derive(Clone, Default)]
pub(super) struct Shelf(Arc<Mutex<(Vec<u8>, bool)>>);

impl Shelf {
    /// Bytes in it.
    pub(super) fn len(&self) -> usize {
        self.0.lock().0.len()
    }

    pub(super) fn fail(&self, fails: bool) {
        self.0.lock().1 = fails;
    }

    fn check(fails: bool) -> Result<(), Error> {
        if fails { Err(Error::new(Status::Io, "the shelf fell")) } else { Ok(()) }
    }
}

impl Spill for Shelf {
    fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let mut shelf = self.0.lock();
        Shelf::check(shelf.1)?;
        shelf.0.resize(offset as usize, 0);
        shelf.0.extend(bytes);
        Ok(())
    }

    fn read(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), Error> {
        let shelf = self.0.lock();
        Shelf::check(shelf.1)?;
        bytes.copy_from_slice(&shelf.0[offset as usize..][..bytes.len()]);
        Ok(())
    }
}
