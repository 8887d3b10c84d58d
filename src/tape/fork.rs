//! What a fork waits for, so that its child can use tapes: until no thread moves what another has lent, and none has one of
//! the locks that tapes share. The thread that forks has them meanwhile, and parent and child give them back. The child then
//! loses the tapes of threads that it does not have.
//!
//! Locks are taken from the top down: whoever has one takes none from above it.

#![forbid(unsafe_code)]

use super::{idle, owner, roll, view};
use crate::profile;
use crate::store::{self, spill};
use crate::sync::{LONGEST, around_fork};
use crate::vm;

/// Lets children of fork use tapes.
pub(crate) fn prepare_for_children() {
    around_fork(before, in_parent, in_child);
}

extern "C" fn before() {
    idle::hold(LONGEST);
    view::hold(LONGEST);
    roll::hold(LONGEST);
    owner::hold(LONGEST);
    spill::hold(LONGEST);
    store::hold(LONGEST);
    vm::hold(LONGEST);
    profile::hold(LONGEST);
}

extern "C" fn in_parent() {
    after(false);
}

extern "C" fn in_child() {
    after(true);
}

fn after(is_child: bool) {
    profile::let_go(is_child);
    vm::let_go();
    store::let_go();
    spill::let_go();
    owner::let_go();
    roll::let_go(is_child);
    view::let_go();
    idle::let_go(is_child);
}
