//! What a thread that forks does before and afterwards.

use std::time::Duration;

/// As long as a fork waits for other threads: a store of the program's may never return, or fork itself.
pub(crate) const LONGEST: Duration = Duration::from_secs(10);

/// Lets functions run on the thread that forks: before, and after it in the parent and in the child.
pub(crate) fn around_fork(before: extern "C" fn(), in_parent: extern "C" fn(), in_child: extern "C" fn()) {
    // SAFETY: they are functions that stay.
    unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
}
