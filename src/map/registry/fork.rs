//! A registry around a fork: what holds its locks, and what its child has of other threads' lanes.

#![forbid(unsafe_code)]

use super::{Object, Registry};
use crate::sync::{Holdable, Ordering};

impl Registry {
    /// Calls `each` with all locks there are. Where the first of them is held, no lane comes.
    pub fn each_lock<'a>(&'a self, each: &mut dyn FnMut(&'a dyn Holdable)) {
        each(&self.idle);
        self.claimed().flat_map(|lane| lane.holdables()).for_each(&mut *each);
        let tables: [&dyn Holdable; 3] = [&self.heap_past, &self.side_tables.tables, self.heap.holdable()];
        let others = [self.spans.holdable(), self.empties.holdable(), self.labels.holdable(), self.waiting.holdable()];
        tables.into_iter().chain(others).for_each(&mut *each);
        if let Some(history) = &self.history {
            each(history.holdable());
        }
    }

    /// In a child of fork, on its only thread: the lanes of threads that it does not have are given back, as where threads
    /// end. The child's new threads have the same addresses for their stacks.
    pub fn lose_lanes(&self, own: Option<u16>) {
        let idle = self.idle.lock();
        let is_used = |lane: &u16| Some(*lane) != own && !idle.returned.contains(lane);
        let lost: Vec<u16> = (0..idle.fresh).filter(is_used).collect();
        drop(idle);
        for lane in lost {
            let known = self.lane(lane);
            // The thread may have put an object into the table and not have counted the birth.
            let counted = |_, object: Object| _ = known.births.fetch_max(object.serial.birth(), Ordering::Relaxed);
            known.objects.for_each(counted);
            self.give_back(lane);
        }
    }
}
