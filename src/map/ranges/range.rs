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

/// What a range that comes touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touching {
    /// A range ends at its base.
    pub below: bool,
    /// The value of the range that begins at its end.
    pub above: Option<u64>,
}

impl Range {
    pub fn end(&self) -> u64 {
        self.base + self.bytes
    }
}
