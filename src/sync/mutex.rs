//! A mutex of std's, without poison. It keeps nothing outside of itself, neither threads that wait nor whose turn is next, so
//! that a child of fork finds it as it was.

#![forbid(unsafe_code)]

pub(crate) use std::sync::MutexGuard;
use std::sync::{PoisonError, TryLockError};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(std::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub const fn new(inner: T) -> Mutex<T> {
        Mutex(std::sync::Mutex::new(inner))
    }

    #[inline]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// None where a thread has it.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}
