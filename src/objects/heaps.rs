//! The roll of the process's stable heaps that handles point to, for its children by fork.
//!
//! A child has the one thread that forked. The heaps of the other threads are *lost* in it: nobody may use them, because
//! their threads may have been in the middle of anything. Their blocks stay where they are, for who has pointers to them.

#![forbid(unsafe_code)]

use crate::heap;
use crate::sync::{First, LONGEST, StaticLock, around_fork};
use std::collections::BTreeSet;

/// Their addresses, inverted, so that a leak checker finds no heap here that its program has lost.
static ROLL: StaticLock<BTreeSet<usize>> = StaticLock::new(BTreeSet::new());

/// Heaps that nothing uses, but whose blocks others may have pointers to; a leak checker finds what they own from here.
static STAYING: StaticLock<Vec<usize>> = StaticLock::new(Vec::new());

/// Makes a heap lost in a child, if it belongs to a thread that the child does not have.
type Lose = fn(heap: usize);

static LOSE: First<Lose> = First::new();

/// Lets children of fork use heaps.
pub(super) fn prepare_for_children() {
    around_fork(before, in_parent, in_child);
}

/// Puts a heap on the roll.
pub(super) fn enrol(heap: usize, lose: Lose) {
    LOSE.get_or_make(|| lose);
    ROLL.lock().insert(!heap);
}

/// Takes a heap off the roll, before it goes.
pub(super) fn strike(heap: usize) {
    ROLL.lock().remove(&!heap);
}

/// Keeps what a heap has until the process ends.
pub(super) fn stay(heap: usize) {
    STAYING.lock().push(heap);
}

extern "C" fn before() {
    ROLL.hold(LONGEST);
    STAYING.hold(LONGEST);
    heap::hold(LONGEST);
}

extern "C" fn in_parent() {
    heap::let_go();
    STAYING.let_go();
    ROLL.let_go();
}

extern "C" fn in_child() {
    heap::let_go();
    STAYING.let_go();
    if ROLL.let_go()
        && let Some(lose) = LOSE.get()
    {
        ROLL.lock().iter().for_each(|heap| lose(!heap));
    }
}
