//! Blocks that another thread freed.
//!
//! Their slot is not free: if it were, the owner's placement would depend on when the other thread ran. They lie here
//! from the other thread's free until its reverse sweep turns it back, and the owner may neither free them nor undo
//! their allocation meanwhile.

#![forbid(unsafe_code)]

use crate::sync::{AtomicUsize, Lock, Ordering};
use std::collections::BTreeSet;
use std::ops::Range;

/// Offsets of the blocks in quarantine.
pub(super) struct Quarantine {
    /// Elements of the set, so that the owner need not lock where there are none. A thread that was handed the block
    /// after another had freed it sees that it is there.
    count: AtomicUsize,
    blocks: Lock<BTreeSet<usize>>,
}

impl Quarantine {
    pub fn new() -> Quarantine {
        Quarantine { count: AtomicUsize::new(0), blocks: Lock::new(BTreeSet::new()) }
    }

    /// Puts a block in; `false` if it is in already. `note` is for a new one.
    pub fn insert(&self, offset: usize, note: impl FnOnce()) -> bool {
        let mut blocks = self.lock();
        let new = blocks.insert(offset);
        if new {
            note();
        }
        self.count.store(blocks.len(), Ordering::Release);
        new
    }

    /// Takes a block out; `false` if it is not in. `note` is for the last of its neighbours.
    pub fn remove(&self, offset: usize, neighbours: Range<usize>, note: impl FnOnce()) -> bool {
        let mut blocks = self.lock();
        let there = blocks.remove(&offset);
        if there && blocks.range(neighbours).next().is_none() {
            note();
        }
        self.count.store(blocks.len(), Ordering::Release);
        there
    }

    #[inline]
    pub fn contains(&self, offset: usize) -> bool {
        self.count.load(Ordering::Acquire) > 0 && self.lock().contains(&offset)
    }

    pub fn len(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Replaces all of them.
    pub fn set(&self, offsets: impl IntoIterator<Item = usize>) {
        let mut blocks = self.lock();
        *blocks = offsets.into_iter().collect();
        self.count.store(blocks.len(), Ordering::Release);
    }

    fn lock(&self) -> impl std::ops::DerefMut<Target = BTreeSet<usize>> + '_ {
        self.blocks.lock()
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::sync::Arc;

    #[test]
    fn of_two_threads_that_free_a_block_one_succeeds() {
        loom::model(|| {
            let quarantine = Arc::new(Quarantine::new());
            let threads: Vec<_> = (0..2)
                .map(|_| {
                    let quarantine = quarantine.clone();
                    loom::thread::spawn(move || quarantine.insert(16, || ()))
                })
                .collect();
            let winners = threads.into_iter().map(|t| t.join().unwrap()).filter(|won| *won).count();
            assert_eq!(winners, 1);
            assert!(quarantine.contains(16));
        });
    }

    /// The block is handed over by the program, here by a flag; then the owner sees it in quarantine.
    #[test]
    fn owner_that_hears_of_the_free_sees_the_block_and_one_that_hears_of_its_return_does_not() {
        loom::model(|| {
            let shared = Arc::new((Quarantine::new(), AtomicUsize::new(0)));
            let other = shared.clone();
            let thread = loom::thread::spawn(move || {
                assert!(other.0.insert(16, || ()));
                other.1.store(1, Ordering::Release);
                assert!(other.0.insert(32, || ()));
                assert!(other.0.remove(16, 0..64, || ()));
                other.1.store(2, Ordering::Release);
            });
            match shared.1.load(Ordering::Acquire) {
                1 => assert!(shared.0.len() > 0),
                2 => assert!(!shared.0.contains(16) && shared.0.contains(32)),
                _ => {}
            }
            thread.join().unwrap();
            assert!(!shared.0.contains(16) && shared.0.contains(32));
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn block_is_in_quarantine_from_its_insertion_to_its_removal() {
        let quarantine = Quarantine::new();
        assert!(!quarantine.contains(16) && !quarantine.remove(16, 0..64, || ()));
        assert!(quarantine.insert(16, || ()) && !quarantine.insert(16, || ()));
        assert!(quarantine.contains(16) && !quarantine.contains(32));
        quarantine.set([32, 64]);
        assert!(quarantine.len() == 2 && !quarantine.contains(16) && quarantine.contains(64));
        assert!(quarantine.remove(32, 0..64, || ()) && !quarantine.contains(32));
    }

    #[test]
    fn first_and_last_of_neighbours_are_noted() {
        let (quarantine, notes) = (Quarantine::new(), std::cell::Cell::new(0));
        let note = || notes.set(notes.get() + 1);
        assert!(quarantine.insert(16, note) && quarantine.insert(32, || ()) && quarantine.insert(64, || ()));
        assert!(!quarantine.insert(16, note) && !quarantine.remove(48, 0..64, note) && notes.get() == 1);
        assert!(quarantine.remove(32, 0..64, note) && notes.get() == 1);
        assert!(quarantine.remove(16, 0..64, note) && notes.get() == 2);
    }
}
