//! Where the forward sweep knew objects that lie elsewhere now.

#![forbid(unsafe_code)]

use crate::map::ranges::{Range, Ranges};

/// See the module.
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
