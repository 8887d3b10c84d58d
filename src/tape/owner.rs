//! Which thread may use a tape.
//!
//! A tape that handles point to belongs to one thread at a time; release and acquire hand it over, and order
//! what the one wrote before what the other reads. A tape of the Rust API has no owner here: the borrow checker
//! does that work.

#![forbid(unsafe_code)]

use crate::error::{Error, Status};
use crate::sync::{AtomicUsize, Ordering};

/// The owner of a tape: a thread, nobody (released), or the type system.
pub(crate) struct Owner {
    thread: AtomicUsize,
    by_thread: bool,
}

/// No thread.
const NOBODY: usize = 0;

impl Owner {
    /// The calling thread.
    pub(crate) fn this_thread() -> Owner {
        Owner { thread: AtomicUsize::new(this_thread()), by_thread: true }
    }

    /// Whoever the borrow checker lets.
    pub(crate) fn borrow_checker() -> Owner {
        Owner { thread: AtomicUsize::new(NOBODY), by_thread: false }
    }

    /// That the calling thread may use the tape.
    #[inline]
    pub(super) fn check(&self) -> Result<(), Error> {
        if !self.by_thread {
            return Ok(());
        }
        let owner = self.thread.load(Ordering::Relaxed);
        if owner == this_thread() { Ok(()) } else { Err(denied(owner)) }
    }

    /// Whether the tape is released.
    pub(super) fn is_nobody(&self) -> bool {
        self.by_thread && self.thread.load(Ordering::Acquire) == NOBODY
    }

    /// Gives the tape up. Called by the owner.
    pub(super) fn release(&self) {
        self.thread.store(NOBODY, Ordering::Release);
    }

    /// Takes a tape that nobody owns.
    pub(super) fn acquire(&self) -> Result<(), Error> {
        let taken = self.thread.compare_exchange(NOBODY, this_thread(), Ordering::Acquire, Ordering::Relaxed);
        match taken {
            Ok(_) if self.by_thread => Ok(()),
            _ => Err(Error::new(
                Status::Released,
                "adtape_acquire of a tape that is not released\n  \
                 its owner calls adtape_release first; one acquire for each release",
            )),
        }
    }
}

#[cold]
fn denied(owner: usize) -> Error {
    match owner {
        NOBODY => Error::new(
            Status::Released,
            "the tape is released, so no thread may use it\n  \
             the thread that goes on with it calls adtape_acquire first",
        ),
        _ => Error::new(
            Status::WrongThread,
            "the tape belongs to another thread\n  \
             one thread uses a tape at a time: hand it over by adtape_release there and adtape_acquire here, \
             or use this thread's own tape, adtape_self()",
        ),
    }
}

/// Distinct for all threads that exist at the same time, never [`NOBODY`].
#[cfg(not(loom))]
fn this_thread() -> usize {
    super::cursor::thread::cursor() as *const _ as usize
}

#[cfg(loom)]
fn this_thread() -> usize {
    // Loom runs its threads on one system thread.
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    loom::thread::current().id().hash(&mut hasher);
    hasher.finish() as usize | 1
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn tape_is_used_by_its_owner_only_and_changes_hands_by_release_and_acquire() {
        let owner = std::sync::Arc::new(Owner::this_thread());
        owner.check().unwrap();
        assert_eq!(owner.acquire().unwrap_err().status(), Status::Released);
        let other = owner.clone();
        let status = std::thread::spawn(move || other.check().unwrap_err().status()).join().unwrap();
        assert_eq!(status, Status::WrongThread);
        owner.release();
        assert_eq!(owner.check().unwrap_err().status(), Status::Released);
        let other = owner.clone();
        std::thread::spawn(move || {
            other.acquire().unwrap();
            other.check().unwrap();
            other.release();
        })
        .join()
        .unwrap();
        owner.acquire().unwrap();
        owner.check().unwrap();
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::sync::Arc;

    /// What the tape holds is written before the release and read after the acquire, by at most one of those
    /// who try.
    #[test]
    fn one_thread_acquires_and_sees_what_was_written_before_the_release() {
        loom::model(|| {
            let shared = Arc::new((Owner::this_thread(), AtomicUsize::new(0)));
            let threads: Vec<_> = (0..2)
                .map(|_| {
                    let shared = shared.clone();
                    loom::thread::spawn(move || {
                        let won = shared.0.acquire().is_ok();
                        if won {
                            assert_eq!(shared.1.swap(43, Ordering::Relaxed), 42);
                        }
                        won
                    })
                })
                .collect();
            shared.1.store(42, Ordering::Relaxed);
            shared.0.release();
            let winners = threads.into_iter().map(|t| t.join().unwrap()).filter(|won| *won).count();
            assert!(winners <= 1);
        });
    }
}
