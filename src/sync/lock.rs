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

/// A [`ForkLock`] of anything.
pub(crate) trait Holdable: Sync {
    /// Takes the lock until [`let_go`](Holdable::let_go), unless another thread, or this one, has it. Whether it did.
    fn try_hold(&self) -> bool;

    /// Gives back what this thread took; whether it had.
    fn let_go(&self) -> bool;
}

impl<T> ForkLock<T> {
    pub const fn new(inner: T) -> ForkLock<T> {
        ForkLock { lock: Lock::new(inner), held: AtomicBool::new(false) }
    }

    #[inline(always)]
    pub fn lock(&self) -> LockGuard<'_, T> {
        self.lock.lock()
    }

    /// None where a thread has it.
    pub fn try_lock(&self) -> Option<LockGuard<'_, T>> {
        // A guard that comes into being gives the lock back, even where nobody gets it.
        (!self.lock.is_taken()).then(|| LockGuard { lock: &self.lock, of_this_thread: PhantomData })
    }

    /// Takes the lock until [`let_go`](ForkLock::let_go), unless another thread, or this one, has it for `longest`.
    pub fn hold(&self, longest: Duration)
    where
        T: Send,
    {
        hold_for(self, longest);
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

impl<T: Send> Holdable for ForkLock<T> {
    fn try_hold(&self) -> bool {
        let took = !self.lock.is_taken();
        if took {
            self.held.store(true, Ordering::Relaxed);
        }
        took
    }

    fn let_go(&self) -> bool {
        ForkLock::let_go(self)
    }
}

impl<T: Default> Default for ForkLock<T> {
    fn default() -> ForkLock<T> {
        ForkLock::new(T::default())
    }
}

/// Holds the lock, unless others have it for `longest`. Whether it does.
fn hold_for(lock: &dyn Holdable, longest: Duration) -> bool {
    let (begin, mut tries) = (Instant::now(), 0);
    while !lock.try_hold() {
        if begin.elapsed() > longest {
            return false;
        }
        pass_time(&mut tries);
    }
    true
}

/// Holds all locks that `each` calls its argument with, or none where that takes longer than `longest`. Whether it holds
/// them. Whoever waits for one here has none of the others, so they may be taken in any order elsewhere.
pub(crate) fn hold_all<'a>(each: impl Fn(&mut dyn FnMut(&'a dyn Holdable)), longest: Duration) -> bool {
    let begin = Instant::now();
    let all = || {
        let mut all = Vec::new();
        each(&mut |lock| all.push(lock));
        all
    };
    let mut awaited: Option<&dyn Holdable> = None;
    loop {
        if !awaited.is_none_or(|lock| hold_for(lock, longest.saturating_sub(begin.elapsed()))) {
            return false;
        }
        let locks = all();
        let others = || locks.iter().filter(|lock| !awaited.is_some_and(|awaited| std::ptr::addr_eq(awaited, **lock)));
        let taken = others().position(|lock| !lock.try_hold());
        // Locks may have come before the first of them was held.
        if taken.is_none() && all().len() == locks.len() {
            return true;
        }
        let held = others().take(taken.unwrap_or(usize::MAX)).copied().chain(awaited);
        held.for_each(|lock| _ = lock.let_go());
        let next = taken.and_then(|i| others().nth(i).copied());
        awaited = next;
        if begin.elapsed() > longest {
            return false;
        }
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
    fn whoever_does_not_get_it_leaves_it_to_the_thread_that_has_it() {
        let lock = ForkLock::new(1);
        let guard = lock.lock();
        assert!(lock.try_lock().is_none() && !lock.is_free());
        drop(guard);
        lock.hold(Duration::ZERO);
        assert!(lock.try_lock().is_none() && !lock.try_hold() && !lock.is_free());
        assert!(lock.let_go());
        assert!(lock.try_lock().is_some_and(|guard| *guard == 1) && lock.is_free());
    }

    #[test]
    fn all_locks_are_held_or_none_in_whatever_order_others_take_them() {
        let locks: [ForkLock<u64>; 3] = Default::default();
        let over = AtomicBool::new(false);
        let each = |hold: &mut dyn FnMut(_)| locks.iter().for_each(|lock| hold(lock as &dyn Holdable));
        std::thread::scope(|scope| {
            for first in 0..3 {
                let (locks, over) = (&locks, &over);
                scope.spawn(move || {
                    while !over.load(Ordering::Relaxed) {
                        let (mut one, mut other) = (locks[first].lock(), None);
                        if first < 2 {
                            other = Some(locks[first + 1].lock());
                        }
                        *one += 1;
                        other.iter_mut().for_each(|other| **other += 1);
                    }
                });
            }
            for _ in 0..100 {
                assert!(hold_all(each, Duration::from_secs(600)));
                assert!(locks.iter().all(|lock| !lock.is_free()));
                assert!(locks.iter().all(ForkLock::let_go));
            }
            over.store(true, Ordering::Relaxed);
        });
        let guard = locks[1].lock();
        assert!(!hold_all(each, Duration::ZERO));
        assert!(locks[0].is_free() && locks[2].is_free());
        drop(guard);
        assert!(locks[1].is_free());
    }

    #[test]
    fn no_two_threads_have_it_at_once() {
        const THREADS: u64 = 4;
        const TIMES: u64 = 10_000;
        let counts = Arc::new(ForkLock::new((0_u64, 0_u64)));
        let count = |thread: u64, counts: &ForkLock<(u64, u64)>| {
            for i in 0..TIMES {
                // Some look first, and wait where it is another's.
                let looked = if i % 3 == 0 { counts.try_lock() } else { None };
                let mut counts = looked.unwrap_or_else(|| counts.lock());
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
