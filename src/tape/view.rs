//! The tapes by handle that are kept in view, to say at the end what is left on them: the addresses of their cores.

#![forbid(unsafe_code)]

use crate::sync::StaticLock;
use std::time::Duration;

static IN_VIEW: StaticLock<Vec<usize>> = StaticLock::new(Vec::new());

pub(super) fn add(core: usize) {
    IN_VIEW.lock().push(core);
}

pub(super) fn remove(core: usize) {
    IN_VIEW.lock().retain(|there| *there != core);
}

/// Looks at all of them. None can be removed meanwhile.
pub(super) fn for_each(look: impl FnMut(usize)) {
    IN_VIEW.lock().iter().copied().for_each(look);
}

/// Keeps other threads off the list until [`let_go`]: around a fork.
pub(super) fn hold(longest: Duration) {
    IN_VIEW.hold(longest);
}

pub(super) fn let_go() {
    IN_VIEW.let_go();
}
