//! Ranges without bytes, which are in no map of ranges: any number may begin at the same address.

#![forbid(unsafe_code)]

use crate::sync::{AtomicUsize, ForkLock, Holdable, LockGuard, Ordering};
use std::collections::BTreeMap;

/// See the module.
pub(super) struct Empties {
    /// How many there are, to be read without the lock.
    count: AtomicUsize,
    by_base: ForkLock<BTreeMap<u64, Vec<u64>>>,
}

impl Empties {
    pub fn new() -> Empties {
        Empties { count: AtomicUsize::new(0), by_base: ForkLock::new(BTreeMap::new()) }
    }

    /// What a fork holds.
    pub fn holdable(&self) -> &dyn Holdable {
        &self.by_base
    }

    fn lock(&self) -> LockGuard<'_, BTreeMap<u64, Vec<u64>>> {
        self.by_base.lock()
    }

    pub fn insert(&self, base: u64, value: u64) {
        let mut table = self.lock();
        table.entry(base).or_default().push(value);
        self.count.store(self.len() + 1, Ordering::Release);
    }

    /// Whether it was there.
    pub fn remove(&self, base: u64, value: u64) -> bool {
        let mut table = self.lock();
        let Some(values) = table.get_mut(&base) else { return false };
        let before = values.len();
        values.retain(|other| *other != value);
        let removed = before - values.len();
        if values.is_empty() {
            table.remove(&base);
        }
        self.count.store(self.len() - removed, Ordering::Release);
        removed > 0
    }

    pub fn len(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// All of them.
    pub fn values(&self) -> Vec<u64> {
        self.lock().values().flatten().copied().collect()
    }

    /// Those that begin at `base`, in the order of their births.
    pub fn at(&self, base: u64) -> Vec<u64> {
        if self.len() == 0 {
            return Vec::new();
        }
        self.lock().get(&base).cloned().unwrap_or_default()
    }
}
