//! What there is, for programs and reports: objects, counts, labels, variables that wait.

#![forbid(unsafe_code)]

use super::Registry;
use super::object::{LifeState, Object};
use super::waiting::Wait;
use crate::sync::Ordering;
use std::ffi::CStr;

impl Registry {
    /// All that are alive, by address.
    pub fn list(&self) -> Vec<Object> {
        let mut all = Vec::new();
        for lane in self.claimed() {
            self.settle_lane(lane);
            lane.objects.for_each(|_, object| all.extend((object.state == LifeState::Alive).then_some(object)));
        }
        all.sort_by_key(|object| (object.base, object.bytes, object.serial));
        all
    }

    /// How many are alive, and their bytes.
    pub fn alive_count(&self) -> (usize, u64) {
        let stacks = self.claimed().map(|lane| {
            let stack = self.stack(lane);
            (stack.ranges.len(), stack.ranges.covered())
        });
        let others = (self.heap.len() + self.empties.len(), self.heap.covered());
        stacks.fold(others, |sum, stack| (sum.0 + stack.0, sum.1 + stack.1))
    }

    /// How many died whose place is remembered.
    pub fn dead(&self) -> usize {
        let stacks = self.claimed().map(|lane| {
            let stack = self.stack(lane);
            stack.ranges.hollow() + stack.dead.outside()
        });
        self.heap.hollow() + self.past().dead.outside() + stacks.sum::<usize>()
    }

    /// How many were born.
    pub fn births(&self) -> u64 {
        self.claimed().map(|lane| lane.births.load(Ordering::Relaxed)).sum()
    }

    /// How often an address was both the end of a range and the base of another.
    pub fn ambiguous(&self) -> u64 {
        self.ambiguous.load(Ordering::Relaxed)
    }

    /// The label with this number, which lives as long as the registry.
    pub fn label(&self, number: u32) -> &CStr {
        self.labels.text(number)
    }

    /// Pointer variables that wait, with what for.
    pub fn waiting(&self) -> Vec<(u64, Wait)> {
        self.waiting.list()
    }

    /// How many pointer variables wait.
    pub fn waiting_count(&self) -> usize {
        self.waiting.waits()
    }
}
