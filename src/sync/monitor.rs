//! A lock with signals: who finds the state not as it needs it waits until another thread has changed it.
//!
//! Made of std's primitives, which keep nothing outside of themselves: a child of fork may go on where another thread
//! of its parent was waiting, as long as it leaves that monitor alone.

#![forbid(unsafe_code)]

use super::{AtomicU32, Ordering};
#[cfg(loom)]
use loom::sync::{Condvar, Mutex, MutexGuard};
use std::sync::PoisonError;
#[cfg(not(loom))]
use std::sync::{Condvar, Mutex, MutexGuard};

/// The state of a [`Monitor`], while one thread has it.
pub(crate) type MonitorGuard<'a, T> = MutexGuard<'a, T>;

/// A state that one thread at a time has.
pub(crate) struct Monitor<T>(Mutex<T>);

/// What a thread waits for that has a monitor's state.
pub(crate) struct Signal {
    given: Condvar,
    /// Threads that wait. Who changes the state under the lock and then gives the signal finds those counted that had
    /// found the state unchanged.
    waiting: AtomicU32,
}

impl<T> Monitor<T> {
    pub fn new(state: T) -> Monitor<T> {
        Monitor(Mutex::new(state))
    }

    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Signal {
    pub fn new() -> Signal {
        Signal { given: Condvar::new(), waiting: AtomicU32::new(0) }
    }

    /// Lets others have the state until the signal is given, or perhaps earlier.
    pub fn wait<'a, T>(&self, state: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let state = self.given.wait(state).unwrap_or_else(PoisonError::into_inner);
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        state
    }

    /// Wakes all that wait; costs a load where nobody does.
    pub fn give(&self) {
        if self.waiting.load(Ordering::Relaxed) > 0 {
            self.given.notify_all();
        }
    }
}
