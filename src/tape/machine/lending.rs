//! How much a tape lends, and which errors say that memory is short.

#![forbid(unsafe_code)]

use crate::error::{Error, Status};
use crate::vm::{HUGE_PAGE, Span};

/// What a tape keeps to itself on either side of its top, and the least that is worth lending of the rest; in steps, where
/// tests ask for those.
pub(super) const KEPT: usize = 1 << 20;
const WORTH_LENDING: usize = HUGE_PAGE;
/// Where memory is scarce, they are shares of what lies below the top, and no less than this: many small tapes give way as
/// well as few large ones. A tape whose top moves by what it keeps meets the slow path, so else they are not.
const KEPT_SHARE: usize = 8;
const LEAST_KEPT: usize = 128 << 10;
const WORTH_LENDING_SHARE: usize = 4;
const LEAST_WORTH_LENDING: usize = 256 << 10;
const KEPT_STEPS: usize = 16;

/// How a tape lends.
#[derive(Clone, Copy)]
pub(super) struct Lending {
    /// The fewest bytes that any tape lends, below or above its top.
    pub least: usize,
    fixed: bool,
}

impl Lending {
    pub fn of(span: &Span) -> Lending {
        match span.fixed_step() {
            Some(step) => Lending { least: KEPT_STEPS * step, fixed: true },
            None => Lending { least: LEAST_WORTH_LENDING, fixed: false },
        }
    }

    /// Bytes on either side of a top at `top` that stay.
    pub fn kept(&self, top: usize, is_scarce: bool) -> usize {
        match (self.fixed, is_scarce) {
            (true, _) => self.least,
            (false, true) => (top / KEPT_SHARE).clamp(LEAST_KEPT, KEPT),
            (false, false) => KEPT,
        }
    }

    /// The fewest bytes that are lent, below or above a top at `top`.
    pub fn worth_lending(&self, top: usize, is_scarce: bool) -> usize {
        match (self.fixed, is_scarce) {
            (true, _) => self.least,
            (false, true) => (top / WORTH_LENDING_SHARE).clamp(self.least, WORTH_LENDING),
            (false, false) => WORTH_LENDING,
        }
    }
}

pub(super) fn is_shortage(error: &Error) -> bool {
    matches!(error.status(), Status::MemoryLimit | Status::OutOfMemory)
}
