//! What is to happen when a thread ends, later than the destructors of its thread-local variables.

use crate::sync::{First, StaticFlag, is_first_time};
use std::ffi::c_void;

/// An action of threads other than the main one. It runs after the thread-local destructors, and once more where a later
/// destructor arms it again.
pub(super) struct Ending {
    key: First<Option<Key>>,
    action: extern "C" fn(*mut c_void),
}

impl Ending {
    pub const fn new(action: extern "C" fn(*mut c_void)) -> Ending {
        Ending { key: First::new(), action }
    }

    /// Lets the action run when the calling thread ends.
    pub fn arm(&'static self) {
        if let Some(key) = self.key.get_or_make(|| Key::new(self.action)) {
            // SAFETY: the key exists; the value only has to differ from NULL.
            unsafe { libc::pthread_setspecific(key.0, std::ptr::dangling::<c_void>()) };
        }
    }
}

struct Key(libc::pthread_key_t);

impl Key {
    fn new(action: extern "C" fn(*mut c_void)) -> Option<Key> {
        let mut key = 0;
        // SAFETY: the key's place is valid.
        (unsafe { libc::pthread_key_create(&raw mut key, Some(action)) } == 0).then_some(Key(key))
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: no thread has set its value: it was made for nothing.
        unsafe { libc::pthread_key_delete(self.0) };
    }
}

/// Lets a function run when the process ends, after the destructors of the main thread. An end by a signal or `_exit` runs
/// nothing.
pub(crate) fn at_exit(action: extern "C" fn()) {
    // SAFETY: it is a function that stays; that of a library runs when it is unloaded.
    unsafe { libc::atexit(action) };
}

/// Says the profile when the process ends.
pub(super) fn say_profile_at_end() {
    extern "C" fn say() {
        crate::profile::say();
    }
    static ONCE: StaticFlag = StaticFlag::new(false);
    if is_first_time(&ONCE) {
        at_exit(say);
    }
}

/// Whether the calling thread is the main one, with which the process ends.
pub(super) fn on_main() -> bool {
    // SAFETY: neither call touches memory.
    unsafe { libc::syscall(libc::SYS_gettid) == libc::c_long::from(libc::getpid()) }
}
