//! The maps of addresses around a fork. The thread that forks holds all their locks meanwhile, so that its child finds them
//! whole and free. The child then loses the lanes of threads that it does not have.

#![forbid(unsafe_code)]

use super::heaps;
use super::lane::{SharedRegistry, lane_so_far};
use crate::sync::{Arc, Holdable, LONGEST, StaticCounter, StaticLock, UNORDERED, around_fork, hold_all};
use std::sync::Weak;
use std::time::Instant;

struct Roll {
    all: Vec<Weak<SharedRegistry>>,
    /// Those whose locks the thread holds that forks now.
    held: Vec<Arc<SharedRegistry>>,
}

/// How often something was put on the roll.
static ENROLLED: StaticCounter = StaticCounter::new(0);

static ROLL: StaticLock<Roll> = StaticLock::new(Roll { all: Vec::new(), held: Vec::new() });

/// Lets children of fork use maps and heaps.
pub(crate) fn prepare_for_children() {
    // A fork runs last what was registered first. Who moves a block of a heap holds a lock of the maps meanwhile: a fork
    // takes those before the heaps'.
    heaps::prepare_for_children();
    around_fork(before, in_parent, in_child);
}

/// Lets children of fork use these maps.
pub(super) fn enrol(shared: &Arc<SharedRegistry>) {
    let mut roll = ROLL.lock();
    ENROLLED.fetch_add(1, UNORDERED);
    roll.all.retain(|other| other.strong_count() > 0);
    roll.all.push(Arc::downgrade(shared));
}

fn each_lock<'a>(held: &'a [Arc<SharedRegistry>], each: &mut dyn FnMut(&'a dyn Holdable)) {
    for shared in held {
        each(&shared.by_label);
        shared.registry.each_lock(each);
    }
}

extern "C" fn before() {
    let begin = Instant::now();
    loop {
        let enrolled = ENROLLED.load(UNORDERED);
        let held: Vec<_> = ROLL.lock().all.iter().filter_map(Weak::upgrade).collect();
        if hold_all(|each| each_lock(&held, each), LONGEST) {
            // Nothing is dropped under the lock.
            let none = std::mem::replace(&mut ROLL.lock().held, held);
            drop(none);
        }
        ROLL.hold(LONGEST);
        // Others may have come meanwhile, which are held, too.
        if enrolled == ENROLLED.load(UNORDERED) || begin.elapsed() > LONGEST {
            return;
        }
        drop(let_go());
    }
}

/// Gives all locks back; the maps that they were of.
fn let_go() -> Vec<Arc<SharedRegistry>> {
    ROLL.let_go();
    let held = std::mem::take(&mut ROLL.lock().held);
    each_lock(&held, &mut |lock| _ = lock.let_go());
    held
}

extern "C" fn in_parent() {
    drop(let_go());
}

extern "C" fn in_child() {
    for shared in let_go() {
        shared.registry.lose_lanes(lane_so_far(&shared));
    }
}
