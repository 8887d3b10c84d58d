//! What a process makes once, at its first use, in a static.
//!
//! Threads that are there first at the same moment each make the value, and one of the values stays. So nobody waits for
//! another thread, which a child of fork may not have: the child makes the value itself.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// See the module. Whoever makes a value does nothing else: it may be dropped.
pub(crate) struct First<T>(AtomicPtr<T>);

impl<T: Send + Sync> First<T> {
    pub const fn new() -> First<T> {
        First(AtomicPtr::new(null_mut()))
    }

    #[inline]
    pub fn get(&'static self) -> Option<&'static T> {
        // SAFETY: a value that was put here is initialised, and stays as it is.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    #[inline]
    pub fn get_or_make(&'static self, make: impl FnOnce() -> T) -> &'static T {
        self.get().unwrap_or_else(|| self.put(make()))
    }

    #[cold]
    fn put(&'static self, value: T) -> &'static T {
        let own = Box::into_raw(Box::new(value));
        let there = self.0.compare_exchange(null_mut(), own, Ordering::AcqRel, Ordering::Acquire);
        if there.is_err() {
            // SAFETY: nobody else has seen it.
            drop(unsafe { Box::from_raw(own) });
        }
        self.get().expect("one of the values is there")
    }
}

/// Whether nobody has asked of this flag before. Whoever is later does not wait for who is first.
pub(crate) fn is_first_time(flag: &'static AtomicBool) -> bool {
    !flag.load(Ordering::Relaxed) && !flag.swap(true, Ordering::Relaxed)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::First;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    static MADE: AtomicUsize = AtomicUsize::new(0);
    static DROPPED: AtomicUsize = AtomicUsize::new(0);

    struct Counted(usize);

    impl Drop for Counted {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, Relaxed);
        }
    }

    #[test]
    fn threads_have_the_same_value_and_nobody_waits_for_who_makes_another() {
        static FIRST: First<Counted> = First::new();
        let both_make = Barrier::new(2);
        let make = || {
            both_make.wait();
            Counted(MADE.fetch_add(1, Relaxed))
        };
        let [one, other] = std::thread::scope(|scope| {
            let threads = [(); 2].map(|()| scope.spawn(|| FIRST.get_or_make(make).0));
            threads.map(|thread| thread.join().expect("no thread panics"))
        });
        assert_eq!(one, other);
        assert_eq!((MADE.load(Relaxed), DROPPED.load(Relaxed)), (2, 1));
        assert_eq!(FIRST.get_or_make(|| unreachable!("it is there")).0, one);
    }
}
