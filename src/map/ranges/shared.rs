//! Ranges that several threads share.

use super::{Range, Ranges};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// [`Ranges`] for any number of threads.
#[derive(Default)]
pub(crate) struct SharedRanges {
    ranges: RwLock<Ranges>,
}

impl SharedRanges {
    pub fn new() -> SharedRanges {
        SharedRanges::default()
    }

    /// As [`Ranges::insert`].
    pub fn insert(&self, range: Range) -> Result<(), Range> {
        self.write().insert(range)
    }

    /// As [`Ranges::remove`].
    pub fn remove(&self, base: u64) -> Option<Range> {
        self.write().remove(base)
    }

    /// As [`Ranges::at`].
    pub fn at(&self, base: u64) -> Option<Range> {
        self.read().at(base)
    }

    /// As [`Ranges::find`].
    pub fn find(&self, address: u64) -> Option<Range> {
        self.read().find(address)
    }

    /// As [`Ranges::below`].
    pub fn below(&self, address: u64) -> Option<Range> {
        self.read().below(address)
    }

    /// As [`Ranges::above`].
    pub fn above(&self, address: u64) -> Option<Range> {
        self.read().above(address)
    }

    pub fn len(&self) -> usize {
        self.read().len()
    }

    /// By ascending address: the ranges there are now, of which later changes show nothing.
    pub fn iter(&self) -> impl Iterator<Item = Range> {
        self.read().iter().collect::<Vec<_>>().into_iter()
    }

    fn read(&self) -> RwLockReadGuard<'_, Ranges> {
        self.ranges.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Ranges> {
        self.ranges.write().unwrap_or_else(PoisonError::into_inner)
    }
}
