//! The roll of the process's tapes, for its children by fork.
//!
//! A child has the one thread that forked. The tapes of the other threads are *lost* in it: their memory is given back, and
//! who has a handle of one is refused. Nothing of them is read, because their threads may have been in the middle of
//! anything. The child keeps the tapes of its thread, those that were released, and those of the Rust API, which have no
//! thread of their own.

#![forbid(unsafe_code)]

use super::hot::Home;
use super::owner::Owner;
use crate::sync::{Arc, StaticLock};
use crate::vm::{self, Account};
use std::collections::BTreeMap;
use std::time::Duration;

struct Entry {
    owner: Owner,
    /// The cursor that handles point to.
    home: Home,
    accounts: Vec<Arc<Account>>,
}

/// By the tapes' ids.
static ROLL: StaticLock<BTreeMap<u64, Entry>> = StaticLock::new(BTreeMap::new());

/// A tape's place on the roll, until it is dropped: after the tape's memory, and before its cursor.
pub(super) struct Enrolled {
    id: u64,
}

impl Enrolled {
    pub fn new(id: u64, owner: Owner, home: Home, accounts: Vec<Arc<Account>>) -> Enrolled {
        ROLL.lock().insert(id, Entry { owner, home, accounts });
        Enrolled { id }
    }

    /// Distinct for every tape of the process.
    pub fn id(&self) -> u64 {
        self.id
    }

    pub fn move_home(&self, home: Home) {
        if let Some(entry) = ROLL.lock().get_mut(&self.id) {
            entry.home = home;
        }
    }

    /// The calling thread is about to free the tape. What it has not freed when another thread forks is lost in the child,
    /// whosever the tape was.
    pub fn leave(&self) {
        if let Some(entry) = ROLL.lock().get_mut(&self.id) {
            entry.owner = Owner::who_frees();
        }
    }
}

impl Drop for Enrolled {
    fn drop(&mut self) {
        let entry = ROLL.lock().remove(&self.id);
        drop(entry);
    }
}

/// Keeps other threads off the roll until [`let_go`]: around a fork.
pub(super) fn hold(longest: Duration) {
    ROLL.hold(longest);
}

/// Undoes [`hold`]. The child loses what is not its own.
pub(super) fn let_go(is_child: bool) {
    if ROLL.let_go() && is_child {
        ROLL.lock().retain(|_, entry| !entry.is_lost());
        vm::lose_what_is_on_its_way();
    }
}

impl Entry {
    /// Whether the tape is lost in this child. Then its memory is given back, and its handle leads to an error.
    fn is_lost(&self) -> bool {
        let is_lost = self.owner.lose();
        if is_lost {
            self.home.cursor().close();
            self.accounts.iter().for_each(|account| account.abandon());
        }
        is_lost
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::tape::hot::Hot;

    /// A thread of the parent had freed a part of it when another one forked.
    #[test]
    fn tape_that_another_thread_was_freeing_is_lost_in_a_child_whosever_it_was() {
        let released = Owner::this_thread();
        released.release();
        for owner in [released, Owner::borrow_checker(), Owner::this_thread()] {
            let home = Hot::closed();
            let enrolled = Enrolled::new(u64::MAX, owner, Home::new(&home), Vec::new());
            let is_lost = || ROLL.lock().get(&u64::MAX).is_some_and(Entry::is_lost);
            assert!(!is_lost());
            std::thread::scope(|scope| {
                let (over, wait) = std::sync::mpsc::channel::<()>();
                let (left, has_left) = std::sync::mpsc::channel();
                let enrolled = &enrolled;
                scope.spawn(move || {
                    enrolled.leave();
                    left.send(()).unwrap();
                    let _ = wait.recv();
                });
                has_left.recv().unwrap();
                assert!(is_lost());
                drop(over);
            });
            enrolled.leave();
            assert!(!is_lost(), "this thread goes on freeing it");
        }
    }
}
