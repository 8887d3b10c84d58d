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

/// Whether the calling thread is the main one, with which the process ends.
pub(super) fn on_main() -> bool {
    // SAFETY: neither call touches memory.
    unsafe { libc::syscall(libc::SYS_gettid) == libc::c_long::from(libc::getpid()) }
}
