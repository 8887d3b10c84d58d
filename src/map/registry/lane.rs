//! What threads have of their own: births, the objects born there, the ranges of their stack.
//!
//! A *lane* is used by one thread at a time, and by another after that one has ended; there are as many as ever ran at
//! the same time. Births are counted by lane, so that a section that is run again gives its objects the same serials,
//! whatever the other threads do meanwhile.

#![forbid(unsafe_code)]

use super::labels::Labels;
use super::object::Object;
use super::objects::ObjectTable;
use super::spans::Span;
use crate::map::ranges::{Range, Ranges};
use crate::sync::{Arc, AtomicU32, AtomicU64, Lock, LockGuard, Ordering};
use std::collections::{HashMap, VecDeque};
use std::ffi::CStr;

/// See the module.
pub(super) struct Lane {
    /// How many objects were born here.
    pub births: AtomicU64,
    pub objects: ObjectTable,
    /// Holds every stack range that is or was here, since the lane changed hands.
    pub span: Span,
    stack: Lock<Stack>,
    /// Numbers of labels, as in the registry's table.
    labels: Lock<HashMap<Arc<CStr>, u32>>,
    /// The one that was asked for last is likely to be asked for again.
    last_label: AtomicU32,
}

/// The ranges of a thread's stack.
#[derive(Default)]
pub(super) struct Stack {
    pub ranges: Ranges,
    pub dead: Dead,
    /// By where the forward sweep knew them: those that lie elsewhere now.
    pub moved: Moved,
}

impl Lane {
    pub fn new(lane: u16) -> Lane {
        Lane {
            births: AtomicU64::new(0),
            objects: ObjectTable::new(lane),
            span: Span::new(),
            stack: Lock::new(Stack::default()),
            labels: Lock::new(HashMap::new()),
            last_label: AtomicU32::new(0),
        }
    }

    pub fn stack(&self) -> LockGuard<'_, Stack> {
        self.stack.lock()
    }

    /// The number that `labels` has for a label.
    pub fn number(&self, label: &CStr, labels: &Labels) -> u32 {
        if label.is_empty() {
            return 0;
        }
        let last = self.last_label.load(Ordering::Relaxed);
        if labels.text(last) == label {
            return last;
        }
        let mut known = self.labels.lock();
        let number = known.get(label).copied().unwrap_or_else(|| {
            let (text, number) = labels.number(label);
            known.insert(text, number);
            number
        });
        self.last_label.store(number, Ordering::Relaxed);
        number
    }
}

impl Stack {
    /// Takes an object out that is alive here. Whether it was here.
    pub fn leave(&mut self, value: u64, object: &Object) -> bool {
        if object.forward_base != object.base {
            self.moved.remove(object.forward_base, value);
        }
        self.ranges.remove_if(object.base, |range| range.value == value).is_some()
    }
}

/// Where the forward sweep knew objects that lie elsewhere now.
#[derive(Default)]
pub(super) struct Moved {
    ranges: Ranges,
    /// Values of those that lie elsewhere as well, but had addresses that another one had later.
    hidden: Vec<u64>,
}

impl Moved {
    /// Notes an object, in place of all that had its addresses.
    pub fn insert(&mut self, range: Range) {
        while let Err(there) = self.ranges.insert(range) {
            self.ranges.remove(there.base);
            self.hidden.push(there.value);
        }
    }

    pub fn remove(&mut self, forward_base: u64, value: u64) {
        self.ranges.remove_if(forward_base, |range| range.value == value);
    }

    pub fn find(&self, address: u64) -> Option<Range> {
        self.ranges.find(address)
    }

    /// Forgets all, and returns their values; among them may be some of objects that ended since.
    pub fn take(&mut self) -> Vec<u64> {
        let Moved { ranges, mut hidden } = std::mem::take(self);
        hidden.extend(ranges.iter().map(|range| range.value));
        hidden
    }
}

/// At least so many dead ranges are remembered.
const REMEMBERED: usize = 4096;

/// Where objects lay that died, for pointers that still point there: until the address has another owner, and as many
/// as were alive at once.
#[derive(Default)]
pub(super) struct Dead {
    ranges: Ranges,
    /// Base and value by time of death; some are gone since.
    order: VecDeque<(u64, u64)>,
    /// How many are remembered.
    most: usize,
    /// The lowest and the highest address of all ranges that are remembered no more, nor replaced.
    lost: Option<(u64, u64)>,
}

impl Dead {
    /// Remembers a range, which died while `alive` others lived, in place of all that it overlaps. `forget` gets the
    /// value of each that is remembered no more. Whether it overlaps any.
    pub fn insert(&mut self, range: Range, alive: usize, mut forget: impl FnMut(u64)) -> bool {
        let mut overlaps = false;
        // Most are alive at once where one dies next, so no greater number passes unseen.
        self.most = self.most.max(alive + 1).max(REMEMBERED);
        while let Err(there) = self.ranges.insert(range) {
            forget(there.value);
            overlaps = true;
            if there.base < range.base || there.end() > range.end() {
                self.lose(there);
            }
            // The same variable of another call of a procedure, the same block allocated again.
            if self.ranges.replace(range).is_some() {
                break;
            }
            self.ranges.remove(there.base);
        }
        self.order.push_back((range.base, range.value));
        if self.ranges.len() > self.most
            && let Some(gone) = self.forget_oldest()
        {
            self.lose(gone);
            forget(gone.value);
        }
        if self.order.len() > 2 * self.most {
            let ranges = &self.ranges;
            self.order.retain(|(base, value)| ranges.at(*base).is_some_and(|range| range.value == *value));
        }
        overlaps
    }

    /// Whether an object died, or may have, where a range lies or at its end.
    pub fn meets(&self, range: Range) -> bool {
        let below = || self.ranges.below(range.end());
        self.lost.is_some_and(|(low, high)| low <= range.end() && range.base < high)
            || below().is_some_and(|there| there.end() > range.base)
    }

    /// Where a dead object lay is not remembered by itself any more.
    pub fn lose(&mut self, range: Range) {
        let (low, high) = self.lost.unwrap_or((range.base, range.end()));
        self.lost = Some((low.min(range.base), high.max(range.end())));
    }

    fn forget_oldest(&mut self) -> Option<Range> {
        while let Some((base, value)) = self.order.pop_front() {
            let gone = self.ranges.remove_if(base, |range| range.value == value);
            if gone.is_some() {
                return gone;
            }
        }
        None
    }

    /// Forgets the range of an object that is back. When all are, their memory is free as well.
    pub fn remove(&mut self, base: u64, value: u64) {
        let removed = self.ranges.remove_if(base, |range| range.value == value);
        if removed.is_some() && self.ranges.len() == 0 {
            *self = Dead { most: self.most, lost: self.lost, ..Dead::default() };
        }
    }

    /// Forgets all.
    pub fn clear(&mut self, mut forget: impl FnMut(u64)) {
        self.ranges.iter().for_each(|range| forget(range.value));
        *self = Dead::default();
    }

    pub fn find(&self, address: u64) -> Option<Range> {
        self.ranges.find(address)
    }

    pub fn holds(&self, base: u64, value: u64) -> bool {
        self.ranges.at(base).is_some_and(|range| range.value == value)
    }

    pub fn len(&self) -> usize {
        self.ranges.len()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn range(base: u64, value: u64) -> Range {
        Range { base, bytes: 8, value }
    }

    /// Values that are forgotten when the range comes.
    fn insert(dead: &mut Dead, new: Range, alive: usize) -> Vec<u64> {
        let mut gone = Vec::new();
        dead.insert(new, alive, |value| gone.push(value));
        gone
    }

    #[test]
    fn oldest_dead_range_is_forgotten_when_more_died_than_were_ever_alive() {
        let mut dead = Dead::default();
        for i in 0..REMEMBERED as u64 {
            assert_eq!(insert(&mut dead, range(16 * i, i), 3), []);
        }
        assert_eq!(insert(&mut dead, range(1 << 40, 9), 3), [0]);
        assert_eq!(dead.find(4), None);
        assert_eq!(dead.find(20), Some(range(16, 1)));
        assert_eq!(insert(&mut dead, range(2 << 40, 9), 10_000), []);
    }

    #[test]
    fn dead_ranges_are_forgotten_where_another_one_died_since() {
        let mut dead = Dead::default();
        for i in 0..4 {
            assert_eq!(insert(&mut dead, range(100 + 8 * i, i), 0), []);
        }
        assert_eq!(insert(&mut dead, range(92, 7), 0), []);
        assert_eq!(insert(&mut dead, Range { base: 107, bytes: 10, value: 9 }, 0), [0, 1, 2]);
        assert_eq!(dead.len(), 3);
        dead.remove(107, 8);
        assert_eq!(dead.find(110).map(|range| range.value), Some(9));
        dead.remove(107, 9);
        assert_eq!(dead.len(), 2);
    }

    #[test]
    fn dead_range_meets_what_overlaps_it_or_ends_where_it_begins() {
        let mut dead = Dead::default();
        insert(&mut dead, range(100, 1), 0);
        for (base, bytes, meets) in [(92, 8, true), (92, 7, false), (107, 1, true), (108, 8, false), (0, 500, true)] {
            assert_eq!(dead.meets(Range { base, bytes, value: 0 }), meets, "{base}, {bytes}");
        }
    }

    #[test]
    fn order_of_deaths_does_not_outgrow_what_is_remembered() {
        let mut dead = Dead::default();
        for i in 0..100_000 {
            insert(&mut dead, range(0, i), 1);
        }
        assert!(dead.order.len() <= 2 * REMEMBERED, "{}", dead.order.len());
    }
}
