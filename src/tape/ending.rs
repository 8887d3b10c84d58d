//! What is to happen when a thread ends, later than the destructors of its thread-local variables.

use std::ffi::c_void;
use std::sync::OnceLock;

/// An action of threads other than the main one. It runs after the thread-local destructors, and once more where a later
/// destructor arms it again.
pub(super) struct Ending {
    key: OnceLock<Option<libc::pthread_key_t>>,
    action: extern "C" fn(*mut c_void),
}

impl Ending {
    pub const fn new(action: extern "C" fn(*mut c_void)) -> Ending {
        Ending { key: OnceLock::new(), action }
    }

    /// Lets the action run when the calling thread ends.
    pub fn arm(&self) {
        let key = self.key.get_or_init(|| {
            let mut key = 0;
            // SAFETY: the key's place is valid.
            (unsafe { libc::pthread_key_create(&raw mut key, Some(self.action)) } == 0).then_some(key)
        });
        if let Some(key) = key {
            // SAFETY: the key exists; the value only has to differ from NULL.
            unsafe { libc::pthread_setspecific(*key, std::ptr::dangling::<c_void>()) };
        }
    }
}

/// Keeps the library that this is in loaded, once: a plugin that contains it may be closed while threads that have used
/// tapes live.
pub(super) fn stay() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| crate::site::keep_loaded(stay as *const () as usize));
}

/// Lets a function run when the process ends, after the destructors of the main thread. An end by a signal or `_exit` runs
/// nothing.
pub(crate) fn at_exit(action: extern "C" fn()) {
    // SAFETY: it is a function that stays; that of a library runs when it is unloaded.
    unsafe { libc::atexit(action) };
}

/// Lets a function run in what is forked from the process.
fn in_child(action: extern "C" fn()) {
    // SAFETY: it is a function that stays.
    unsafe { libc::pthread_atfork(None, None, Some(action)) };
}

/// Lets functions run on the thread that forks: before, and after it in the parent and in the child.
pub(crate) fn around_fork(before: extern "C" fn(), in_parent: extern "C" fn(), in_child: extern "C" fn()) {
    // SAFETY: they are functions that stay.
    unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
}

/// Says the profile when the process ends.
pub(super) fn say_profile_at_end() {
    extern "C" fn say() {
        crate::profile::say();
    }
    extern "C" fn forked() {
        crate::profile::forked();
    }
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        at_exit(say);
        in_child(forked);
    });
}

/// Whether the calling thread is the main one, with which the process ends.
pub(super) fn on_main() -> bool {
    // SAFETY: neither call touches memory.
    unsafe { libc::syscall(libc::SYS_gettid) == libc::c_long::from(libc::getpid()) }
}
