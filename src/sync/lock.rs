//! A mutex for what takes some hundred instructions: taken by one atomic exchange, given back by a store.
//!
//! A mutex that puts threads to sleep has to find out, as it is given back, whether one sleeps: that takes another
//! exchange, which waits until all that was written before is in the cache. Here who finds it taken looks again and
//! again, and lets others run meanwhile.
//!
//! A thread can *hold* a [`ForkLock`] without a guard: around a fork, whose child then finds it free.

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a thread looks again at once; and how often after others had the processor. Then it sleeps each time.
const SPINS: u32 = 100;
const YIELDS: u32 = 1000;
const SLEEP: Duration = Duration::from_micros(50);

/// See the module.
pub(crate) struct Lock<T> {
    taken: AtomicBool,
    inner: UnsafeCell<T>,
}

// SAFETY: who has the guard has the value, alone.
unsafe impl<T: Send> Send for Lock<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Lock<T> {}

/// The value of a [`Lock`], until this is dropped by the thread that got it.
pub(crate) struct LockGuard<'a, T> {
    lock: &'a Lock<T>,
    of_this_thread: PhantomData<*const ()>,
}

impl<T> Lock<T> {
    pub const fn new(inner: T) -> Lock<T> {
        Lock { taken: AtomicBool::new(false), inner: UnsafeCell::new(inner) }
    }

    #[inline(always)]
    pub fn lock(&self) -> LockGuard<'_, T> {
        if self.taken.swap(true, Ordering::Acquire) {
            self.wait();
        }
        LockGuard { lock: self, of_this_thread: PhantomData }
    }

    /// Takes the lock that another thread has.
    #[cold]
    #[inline(never)]
    fn wait(&self) {
        let mut tries = 0;
        while self.is_taken() {
            pass_time(&mut tries);
        }
    }

    /// Whether it is another thread's; else it is this one's now.
    fn is_taken(&self) -> bool {
        self.taken.load(Ordering::Relaxed) || self.taken.swap(true, Ordering::Acquire)
    }
}

fn pass_time(tries: &mut u32) {
    *tries += 1;
    if *tries < SPINS {
        std::hint::spin_loop();
    } else if *tries < YIELDS {
        std::thread::yield_now();
    } else {
        std::thread::sleep(SLEEP);
    }
}

/// A lock that a thread can hold around a fork.
pub(crate) struct ForkLock<T> {
    lock: Lock<T>,
    /// Whoever has taken it has no guard, and gives it back by [`let_go`](ForkLock::let_go).
    held: AtomicBool,
}

impl<T> ForkLock<T> {
    pub const fn new(inner: T) -> ForkLock<T> {
        ForkLock { lock: Lock::new(inner), held: AtomicBool::new(false) }
    }

    pub fn lock(&self) -> LockGuard<'_, T> {
        self.lock.lock()
    }

    /// Takes the lock until [`let_go`](ForkLock::let_go), unless another thread, or this one, has it for `longest`.
    pub fn hold(&self, longest: Duration) {
        let (begin, mut tries) = (Instant::now(), 0);
        while self.lock.is_taken() {
            if begin.elapsed() > longest {
                return;
            }
            pass_time(&mut tries);
        }
        self.held.store(true, Ordering::Relaxed);
    }

    /// Gives back what [`hold`](ForkLock::hold) took; whether it had.
    pub fn let_go(&self) -> bool {
        let was = self.held.swap(false, Ordering::Relaxed);
        if was {
            self.lock.taken.store(false, Ordering::Release);
        }
        was
    }

    /// Whether nobody has it now.
    #[cfg(test)]
    pub fn is_free(&self) -> bool {
        !self.lock.taken.load(Ordering::Relaxed)
    }
}

impl<T> Deref for LockGuard<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: this thread has taken the lock.
        unsafe { &*self.lock.inner.get() }
    }
}

impl<T> DerefMut for LockGuard<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this thread has taken the lock, and the guard is borrowed by one.
        unsafe { &mut *self.lock.inner.get() }
    }
}

impl<T> Drop for LockGuard<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        self.lock.taken.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn lock_that_is_held_is_free_when_it_is_let_go() {
        let lock = ForkLock::new(1);
        lock.hold(Duration::ZERO);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| *lock.lock());
            assert!(!other.is_finished());
            assert!(lock.let_go());
            assert_eq!(other.join().unwrap(), 1);
        });
        let guard = lock.lock();
        lock.hold(Duration::ZERO);
        assert!(!lock.let_go() && !lock.is_free(), "it is the guard's");
        drop(guard);
        assert!(lock.is_free());
    }

    #[test]
    fn no_two_threads_have_it_at_once() {
        const THREADS: u64 = 4;
        const TIMES: u64 = 10_000;
        let counts = Arc::new(Lock::new((0_u64, 0_u64)));
        let count = |thread: u64, counts: &Lock<(u64, u64)>| {
            for i in 0..TIMES {
                let mut counts = counts.lock();
                counts.0 += 1;
                match (i + thread) % 1000 {
                    // The others wait for whoever is interrupted here, and for whoever sleeps.
                    0 => std::thread::yield_now(),
                    500 => std::thread::sleep(4 * SLEEP),
                    _ => {}
                }
                counts.1 += 1;
                assert_eq!(counts.0, counts.1);
            }
        };
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let counts = counts.clone();
                scope.spawn(move || count(thread, &counts));
            }
        });
        assert_eq!(*counts.lock(), (THREADS * TIMES, THREADS * TIMES));
    }
}
