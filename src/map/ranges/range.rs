//! A range, and what touches it.

/// A live range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub base: u64,
    /// Above 0, and base + bytes does not overflow.
    pub bytes: u64,
    /// Whatever the owner wants to find; best below 2^32, or below 2^44 for small ranges.
    pub value: u64,
}

/// A range, or a hollow one.
#[derive(Clone, Copy)]
pub(super) struct There {
    pub range: Range,
    pub hollow: bool,
}

impl There {
    #[inline(always)]
    pub fn solid(self) -> Option<Range> {
        (!self.hollow).then_some(self.range)
    }
}

/// What a range that comes touches; hollow ranges do not count, but for the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Touching {
    /// A range ends at its base.
    pub below: bool,
    /// The value of the range that begins at its end.
    pub above: Option<u64>,
    /// A hollow range lay there, or begins at its end.
    pub hollow: bool,
}

impl Range {
    pub fn end(&self) -> u64 {
        self.base + self.bytes
    }
}

/// Whether a range is the one that is meant. Not only a closure, which the compiler need not inline.
pub(crate) trait Meant {
    fn means(self, range: Range) -> bool;
}

impl<F: FnOnce(Range) -> bool> Meant for F {
    #[inline(always)]
    fn means(self, range: Range) -> bool {
        self(range)
    }
}
