//! The concurrency primitives that everything above uses: std's and a lock of our own, or loom's in its models
//! (`--cfg loom`).
//!
//! A lock is never poisoned. The library is built so that a panic ends the process, and nothing below panics between
//! two changes that belong together.

mod first;
mod fork;
mod lock;
mod monitor;
mod mutex;
mod seqlock;

pub(crate) use first::{First, is_first_time};
pub(crate) use fork::{LONGEST, around_fork};
/// A lock in a static, where loom's cannot be.
pub(crate) use lock::ForkLock as StaticLock;
pub(crate) use lock::{Holdable, hold_all};
pub(crate) use monitor::{Monitor, MonitorGuard, Signal};
pub(crate) use mutex::{Mutex, MutexGuard};
pub(crate) use seqlock::{Seqlock, Writing};

#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};

pub(crate) use std::sync::{Arc, OnceLock};

#[cfg(not(loom))]
pub(crate) use lock::{ForkLock, Lock, LockGuard};

#[cfg(loom)]
pub(crate) use loom::sync::MutexGuard as LockGuard;

/// A mutex that models see, which those in statics cannot be.
#[cfg(loom)]
pub(crate) struct Lock<T>(loom::sync::Mutex<T>);

#[cfg(loom)]
impl<T> Lock<T> {
    pub fn new(inner: T) -> Lock<T> {
        Lock(loom::sync::Mutex::new(inner))
    }

    pub fn lock(&self) -> LockGuard<'_, T> {
        self.0.lock().expect("no model panics under a lock and goes on")
    }
}

/// A lock that is held around forks, which models have none of.
#[cfg(loom)]
pub(crate) struct ForkLock<T>(Lock<T>);

#[cfg(loom)]
impl<T> ForkLock<T> {
    pub fn new(inner: T) -> ForkLock<T> {
        ForkLock(Lock::new(inner))
    }

    pub fn lock(&self) -> LockGuard<'_, T> {
        self.0.lock()
    }

    pub fn hold(&self, _: std::time::Duration) {}

    pub fn let_go(&self) -> bool {
        false
    }
}

#[cfg(loom)]
impl<T: Send> Holdable for ForkLock<T> {
    fn try_hold(&self) -> bool {
        true
    }

    fn let_go(&self) -> bool {
        false
    }
}

#[cfg(loom)]
impl<T: Default> Default for ForkLock<T> {
    fn default() -> ForkLock<T> {
        ForkLock::new(T::default())
    }
}

/// A counter in a static, where loom's cannot be: for distinct numbers, which order nothing.
pub(crate) type StaticCounter = std::sync::atomic::AtomicU64;
/// A flag in a static, for what need not be seen at once.
pub(crate) type StaticFlag = std::sync::atomic::AtomicBool;
/// The ordering that goes with them.
pub(crate) const UNORDERED: std::sync::atomic::Ordering = std::sync::atomic::Ordering::Relaxed;
/// A word that several threads see and that orders nothing: whoever reads it is synchronised by other means.
pub(crate) type Unordered = std::sync::atomic::AtomicU64;
/// An [`Unordered`] of 32 bits.
pub(crate) type Unordered32 = std::sync::atomic::AtomicU32;

/// Passes a little time until another thread has gone on, after so many `attempts`: the processor's first, then the
/// scheduler's, as the other may not be running.
#[cfg(not(loom))]
pub(crate) fn wait(attempts: &mut u32) {
    const SPINS: u32 = 100;
    *attempts += 1;
    if *attempts < SPINS { std::hint::spin_loop() } else { std::thread::yield_now() }
}

#[cfg(loom)]
pub(crate) fn wait(_: &mut u32) {
    loom::thread::yield_now();
}
