//! Which thread may use a tape.
//!
//! A tape that handles point to belongs to one thread at a time; release and acquire hand it over, and order
//! what the one wrote before what the other reads. A tape of the Rust API has no owner here: the borrow checker
//! does that work. A thread that ends leaves tapes that were never released to nobody in particular: no later thread
//! takes them for its own, though its cursor may lie where the ended thread's lay, and any thread may free them. In a child
//! of fork the same holds of the tapes whose threads it does not have.

#![forbid(unsafe_code)]

use crate::error::{Error, Status};
use crate::sync::{Arc, AtomicUsize, Ordering, StaticLock};
use std::time::Duration;

/// Who lets a tape change hands has this. No other lock is taken meanwhile.
static HANDS: StaticLock<()> = StaticLock::new(());

/// Lets a tape change hands while no thread forks: a child finds the tape as it was before or after.
pub(super) fn between_forks<R>(change: impl FnOnce() -> R) -> R {
    let _hands = HANDS.lock();
    change()
}

/// Keeps other threads from [changing hands](between_forks) until [`let_go`]: around a fork.
pub(super) fn hold(longest: Duration) {
    HANDS.hold(longest);
}

pub(super) fn let_go() {
    HANDS.let_go();
}

/// The owner of a tape: a thread, nobody (released), or the type system.
#[derive(Clone)]
pub(crate) struct Owner {
    thread: Arc<AtomicUsize>,
    by_thread: bool,
}

/// No thread.
const NOBODY: usize = 0;
/// A thread that ended without releasing the tape.
const ENDED: usize = 1;
/// A thread of the parent process that this child of fork does not have.
const LOST: usize = 2;

impl Owner {
    /// The calling thread.
    pub(crate) fn this_thread() -> Owner {
        let thread = Arc::new(AtomicUsize::new(this_thread()));
        owned::note(&thread);
        Owner { thread, by_thread: true }
    }

    /// The calling thread, which frees the tape now or as it ends: the tape never becomes nobody's.
    pub(super) fn who_frees() -> Owner {
        Owner { thread: Arc::new(AtomicUsize::new(this_thread())), by_thread: true }
    }

    /// Whoever the borrow checker lets.
    pub(crate) fn borrow_checker() -> Owner {
        Owner { thread: Arc::new(AtomicUsize::new(NOBODY)), by_thread: false }
    }

    /// Checks that the calling thread may use the tape.
    #[inline]
    pub(super) fn check(&self) -> Result<(), Error> {
        if !self.by_thread {
            return Ok(());
        }
        let owner = self.thread.load(Ordering::Relaxed);
        if owner == this_thread() { Ok(()) } else { Err(denied(owner)) }
    }

    /// Whether the calling thread may use the tape.
    #[inline(always)]
    pub(super) fn is_here(&self) -> bool {
        !self.by_thread || self.thread.load(Ordering::Relaxed) == this_thread()
    }

    /// Whether no thread can use the tape: it is released, or its thread has ended.
    pub(super) fn is_nobody(&self) -> bool {
        self.by_thread && matches!(self.thread.load(Ordering::Acquire), NOBODY | ENDED)
    }

    /// In a child of fork, on its only thread: takes the tape from a thread that the child does not have. Whether it was
    /// such a thread's.
    pub(super) fn lose(&self) -> bool {
        let owner = self.thread.load(Ordering::Relaxed);
        let is_lost = self.by_thread && !matches!(owner, NOBODY | ENDED | LOST) && owner != this_thread();
        if is_lost {
            self.thread.store(LOST, Ordering::Relaxed);
        }
        is_lost
    }

    /// Whether it [was lost](Owner::lose).
    pub(super) fn is_lost(&self) -> bool {
        self.thread.load(Ordering::Relaxed) == LOST
    }

    /// Whether a thread owns it, or nobody: not the type system.
    pub(super) fn is_thread(&self) -> bool {
        self.by_thread
    }

    /// Gives the tape up. Called by the owner.
    pub(super) fn release(&self) {
        self.thread.store(NOBODY, Ordering::Release);
    }

    /// Takes a tape that nobody owns.
    pub(super) fn acquire(&self) -> Result<(), Error> {
        let taken = self.thread.compare_exchange(NOBODY, this_thread(), Ordering::Acquire, Ordering::Relaxed);
        match taken {
            Ok(_) if self.by_thread => {
                owned::note(&self.thread);
                Ok(())
            }
            Err(owner @ (ENDED | LOST)) => Err(denied(owner)),
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
        ENDED => Error::new(
            Status::WrongThread,
            "the tape belonged to a thread that has ended without adtape_release; what is on it is lost\n  \
             any thread may free it by adtape_destroy; a thread that hands its tape over calls adtape_release before it ends",
        ),
        LOST => Error::new(
            Status::WrongThread,
            "the tape belonged to a thread that this process, a child of fork, does not have; what was on it is the parent's\n  \
             any thread may free it by adtape_destroy; a thread whose tape a child needs calls adtape_release before the \
             fork, and the child calls adtape_acquire",
        ),
        _ => Error::new(
            Status::WrongThread,
            "the tape belongs to another thread\n  \
             one thread uses a tape at a time: hand it over by adtape_release there and adtape_acquire here, \
             or use this thread's own tape, adtape_self()",
        ),
    }
}

/// What the calling thread owns, to be marked when it ends.
#[cfg(not(loom))]
mod owned {
    use super::{ENDED, between_forks, this_thread};
    use crate::sync::{Arc, AtomicUsize, Ordering};
    use crate::tape::ending::{Ending, on_main};
    use std::cell::Cell;
    use std::ffi::c_void;
    use std::mem::ManuallyDrop;
    use std::sync::Weak;

    #[derive(Default)]
    struct Owned(Vec<Weak<AtomicUsize>>);

    thread_local! {
        /// Without a destructor: the one of a thread that is ending already would not run any more.
        static OWNED: ManuallyDrop<Cell<Option<Box<Owned>>>> = const { ManuallyDrop::new(Cell::new(None)) };
    }

    pub(super) fn note(thread: &Arc<AtomicUsize>) {
        OWNED.with(|kept| {
            let mut owned = kept.take().unwrap_or_default();
            if owned.0.len() == owned.0.capacity() {
                owned.0.retain(|thread| thread.strong_count() > 0);
            }
            owned.0.push(Arc::downgrade(thread));
            kept.set(Some(owned));
        });
        // The main thread's tapes stay its own: the process ends, and no thread gets its place.
        if !on_main() {
            ENDING.arm();
        }
    }

    static ENDING: Ending = Ending::new(end);

    /// What the calling thread, which ends, did not release is nobody's.
    extern "C" fn end(_: *mut c_void) {
        let owned = OWNED.with(|owned| owned.take()).unwrap_or_default();
        let threads: Vec<_> = owned.0.into_iter().filter_map(|thread| thread.upgrade()).collect();
        between_forks(|| {
            for thread in &threads {
                // Released tapes are somebody else's by now.
                let _ = thread.compare_exchange(this_thread(), ENDED, Ordering::Release, Ordering::Relaxed);
            }
        });
    }
}

/// Loom runs its threads on one system thread, which does not end with them.
#[cfg(loom)]
mod owned {
    use crate::sync::{Arc, AtomicUsize};

    pub(super) fn note(_: &Arc<AtomicUsize>) {}
}

/// Distinct for all threads that exist at the same time, never [`NOBODY`], [`ENDED`] or [`LOST`].
#[cfg(not(loom))]
fn this_thread() -> usize {
    super::hot::storage::hot() as *const _ as usize
}

#[cfg(loom)]
fn this_thread() -> usize {
    // Loom runs its threads on one system thread.
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    loom::thread::current().id().hash(&mut hasher);
    hasher.finish() as usize | 4
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

    #[test]
    fn tape_of_a_thread_that_ended_is_nobodys_and_no_later_threads() {
        let owner = std::sync::Arc::new(std::thread::spawn(Owner::this_thread).join().unwrap());
        for _ in 0..20 {
            let owner = owner.clone();
            // A later thread's cursor may lie where the ended one's lay.
            let error = std::thread::spawn(move || owner.check().unwrap_err()).join().unwrap();
            assert_eq!(error.status(), Status::WrongThread);
            assert!(error.message().contains("has ended"), "{}", error.message());
        }
        assert!(owner.is_nobody());
        assert_eq!(owner.acquire().unwrap_err().status(), Status::WrongThread);
    }

    /// In a child of fork, of which this thread plays the only one.
    #[test]
    fn only_tapes_of_other_threads_are_lost_and_nobody_gets_them() {
        let released = Owner::this_thread();
        released.release();
        let ended = std::thread::spawn(Owner::this_thread).join().unwrap();
        for kept in [Owner::this_thread(), Owner::borrow_checker(), released, ended] {
            assert!(!kept.lose() && !kept.is_lost());
        }
        let (to_here, made) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let (over, wait) = std::sync::mpsc::channel::<()>();
            scope.spawn(move || {
                to_here.send(Owner::this_thread()).unwrap();
                let _ = wait.recv();
            });
            let lost: Owner = made.recv().unwrap();
            assert!(lost.lose() && lost.is_lost() && !lost.is_nobody());
            assert!(!lost.lose(), "it is lost once");
            for error in [lost.check().unwrap_err(), lost.acquire().unwrap_err()] {
                assert_eq!(error.status(), Status::WrongThread);
                assert!(error.message().contains("child of fork"), "{}", error.message());
            }
            drop(over);
        });
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
