//! What drivers did, action by action.

#![forbid(unsafe_code)]

/// What a driver did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    pub action: &'static str,
    pub step: u64,
    /// The step behind the last one, of an advance.
    pub to: Option<u64>,
}

/// A run of a driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Begun {
    pub steps: Option<u64>,
    /// Kind and parameters.
    pub schedule: String,
}

/// An action, and when it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct At {
    pub run: u32,
    pub nanoseconds: u64,
    pub done: Done,
}

/// Runs and actions that are kept; of what comes behind, the number.
pub(super) const MOST_RUNS: usize = 1 << 10;
pub(super) const MOST: usize = 1 << 16;

#[derive(Clone, Debug, Default)]
pub(super) struct Runs {
    pub begun: Vec<Begun>,
    pub actions: Vec<At>,
    pub left_out: u64,
}
