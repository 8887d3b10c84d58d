//! A lock with signals: who finds the state not as it needs it waits until another thread has changed it.
//!
//! Made of std's primitives, which keep nothing outside of themselves: a child of fork may go on where another thread
//! of its parent was waiting, as long as it leaves that monitor alone.

#![forbid(unsafe_code)]

#[cfg(loom)]
use loom::sync::{Condvar, Mutex, MutexGuard};
use std::sync::PoisonError;
#[cfg(not(loom))]
use std::sync::{Condvar, Mutex, MutexGuard};

/// A state that one thread at a time has.
pub(crate) struct Monitor<T>(Mutex<T>);

/// What a thread waits for that has a monitor's state.
pub(crate) struct Signal(Condvar);

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
        Signal(Condvar::new())
    }

    /// Lets others have the state until the signal is given, or perhaps earlier.
    pub fn wait<'a, T>(&self, state: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.0.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    pub fn give(&self) {
        self.0.notify_all();
    }
}
