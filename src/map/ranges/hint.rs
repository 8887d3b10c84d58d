//! The leaf where something was found or changed last, which is searched first.
//!
//! A program's next address lies near its last one, or has nothing to do with it. Searching a leaf in vain costs
//! as much as a level of the tree, so a hint is trusted only while finds stay: from the second that ended in one leaf
//! on.

use super::node::NONE;

/// A leaf's number, and in the highest bit, which no number has, whether to trust it.
#[derive(Clone, Copy)]
pub(super) struct Hint(u32);

const TRUSTED: u32 = 1 << 31;

impl Hint {
    pub const UNKNOWN: Hint = Hint(NONE & !TRUSTED);

    #[inline]
    pub fn leaf(self) -> Option<u32> {
        (self.0 & TRUSTED != 0).then_some(self.0 & !TRUSTED)
    }

    /// After a find that the tree led to `leaf`.
    #[inline]
    pub fn next(self, leaf: u32) -> Hint {
        if self.0 & !TRUSTED == leaf { Hint(leaf | TRUSTED) } else { Hint(leaf) }
    }
}

/// A leaf, and behind which of its entries the last place in it was. What goes in order of address, in either
/// direction, is beside that, and what comes and goes is there.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    pub hint: Hint,
    pub behind: usize,
}

impl Spot {
    pub const UNKNOWN: Spot = Spot { hint: Hint::UNKNOWN, behind: 0 };
}
