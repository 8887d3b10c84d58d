//! A *seqlock*: a count of changes, odd while one is under way.
//!
//! A reader loads the count, reads, loads the count again, and starts over if it was odd or has changed. It writes
//! nothing that other threads read, so readers do not slow each other down. Every word that it reads must be atomic:
//! what it reads in between may be out of date or mixed, but is never undefined. Writers take turns by a mutex, and do
//! all that they can before they make the count odd: searching, checking, getting memory.

#![forbid(unsafe_code)]

use super::{AtomicU64, ForkLock, Holdable, LockGuard, Ordering, fence};
use std::ops::{Deref, DerefMut};

/// A reader that meets writers more often waits each time until the lock is free.
const TRIES: usize = if cfg!(loom) { 2 } else { 64 };

/// The count, and `W`, which only the writer needs.
pub(crate) struct Seqlock<W> {
    /// Changes begun and changes ended.
    changes: AtomicU64,
    writer: Padded<ForkLock<Writing<W>>>,
}

/// In lines of the cache of its own: writers that wait for each other do not slow readers down.
#[repr(align(128))]
struct Padded<T>(T);

/// What the writer has while it holds the lock.
pub(crate) struct Writing<W> {
    /// As in [`Seqlock::changes`], which is never read here: loom would no longer know that readers have read it.
    changes: u64,
    own: W,
}

impl<W> Deref for Writing<W> {
    type Target = W;

    fn deref(&self) -> &W {
        &self.own
    }
}

impl<W> DerefMut for Writing<W> {
    fn deref_mut(&mut self) -> &mut W {
        &mut self.own
    }
}

impl<W> Seqlock<W> {
    pub fn new(own: W) -> Seqlock<W> {
        Seqlock { changes: AtomicU64::new(0), writer: Padded(ForkLock::new(Writing { changes: 0, own })) }
    }

    /// What `look` returned when no change was under way.
    #[inline(always)]
    pub fn read<R>(&self, look: impl Fn() -> R) -> R {
        let mut tries = 0;
        loop {
            if let Some(before) = self.begin() {
                // Called at one place only, so that it becomes a part of the caller.
                let found = look();
                if self.is_unchanged(before) {
                    return found;
                }
            }
            tries = self.met_writer(tries);
        }
    }

    /// Begins to read, unless a change is under way.
    #[inline(always)]
    pub fn begin(&self) -> Option<u64> {
        Some(self.changes.load(Ordering::Acquire)).filter(|changes| changes & 1 == 0)
    }

    /// The count: what `begin` returned, until the next change.
    pub fn counter(&self) -> &AtomicU64 {
        &self.changes
    }

    /// Whether what was read since [`begin`](Seqlock::begin) returned this belongs together.
    #[inline(always)]
    pub fn is_unchanged(&self, before: u64) -> bool {
        fence(Ordering::Acquire);
        self.changes.load(Ordering::Relaxed) == before
    }

    /// A reader has met a writer once more, after so many tries; how many that are now, up to [`TRIES`].
    #[cold]
    fn met_writer(&self, tries: usize) -> usize {
        if tries < TRIES {
            std::hint::spin_loop();
            return tries + 1;
        }
        drop(self.lock());
        tries
    }

    /// The lock of writers, which a fork holds.
    pub fn holdable(&self) -> &dyn Holdable
    where
        W: Send,
    {
        &self.writer.0
    }

    /// Waits for the other writers. Readers go on until [`change`](Seqlock::change).
    pub fn lock(&self) -> LockGuard<'_, Writing<W>> {
        self.writer.0.lock()
    }

    /// Makes a change that no reader sees half of; `writer` is what [`lock`](Seqlock::lock) returned.
    #[inline]
    pub fn change<R>(&self, writer: &mut Writing<W>, change: impl FnOnce(&mut W) -> R) -> R {
        change(&mut self.begin_change(writer))
    }

    /// As [`change`](Seqlock::change): the change is made when what this returns is dropped.
    #[inline(always)]
    pub fn begin_change<'a>(&'a self, writer: &'a mut Writing<W>) -> Change<'a, W> {
        self.changes.store(writer.changes + 1, Ordering::Relaxed);
        fence(Ordering::Release);
        Change { changes: &self.changes, writer }
    }
}

/// A change that is under way: readers wait for its end.
pub(crate) struct Change<'a, W> {
    changes: &'a AtomicU64,
    writer: &'a mut Writing<W>,
}

impl<W> Deref for Change<'_, W> {
    type Target = W;

    fn deref(&self) -> &W {
        &self.writer.own
    }
}

impl<W> DerefMut for Change<'_, W> {
    fn deref_mut(&mut self) -> &mut W {
        &mut self.writer.own
    }
}

impl<W> Drop for Change<'_, W> {
    #[inline(always)]
    fn drop(&mut self) {
        self.writer.changes += 2;
        self.changes.store(self.writer.changes, Ordering::Release);
    }
}
