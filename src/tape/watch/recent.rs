//! The last operations of a tape, for messages.

#![forbid(unsafe_code)]

use crate::tape::profile::Operation;

/// The last operations, the latest last.
#[derive(Default)]
pub(super) struct Recent {
    operations: [(u32, u64); KEPT],
    next: usize,
}

/// A power of two.
const KEPT: usize = 4;
/// In the number of a place: it popped.
const POPPED: u32 = 1 << 31;
/// So many operations are said on either side.
pub(super) const AROUND: usize = 3;
impl Recent {
    #[inline]
    pub fn note(&mut self, operation: Operation, place: u32, count: u64) {
        let popped = if operation == Operation::Pop { POPPED } else { 0 };
        self.operations[self.next % KEPT] = (place | popped, count);
        self.next += 1;
    }

    /// The latest operations, the last one last: what they did, the number of the place, the count.
    pub fn latest(&self) -> impl Iterator<Item = (Operation, u32, u64)> {
        let there = self.next.min(AROUND);
        (self.next - there..self.next).map(|i| {
            let (place, count) = self.operations[i % KEPT];
            let done = if place & POPPED == 0 { Operation::Push } else { Operation::Pop };
            (done, place & !POPPED, count)
        })
    }
}
