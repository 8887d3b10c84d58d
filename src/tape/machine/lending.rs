//! How much a tape lends, and which errors say that memory is short.

#![forbid(unsafe_code)]

use crate::error::{Error, Status};
use crate::vm::{HUGE_PAGE, Span};

/// What a tape keeps to itself on either side of its top, and the least that is worth lending of the rest; in steps, where
/// tests ask for those.
pub(super) const KEPT: usize = 1 << 20;
const WORTH_LENDING: usize = HUGE_PAGE;
const KEPT_STEPS: usize = 16;

/// How a tape lends.
#[derive(Clone, Copy)]
pub(super) struct Lending {
    /// Bytes on either side of the top that stay.
    pub kept: usize,
    /// The fewest bytes that are lent, below or above.
    pub least: usize,
}

impl Lending {
    pub fn of(span: &Span) -> Lending {
        let (kept, least) = match span.fixed_step() {
            Some(step) => (KEPT_STEPS * step, KEPT_STEPS * step),
            None => (KEPT, WORTH_LENDING),
        };
        Lending { kept, least }
    }
}

pub(super) fn is_shortage(error: &Error) -> bool {
    matches!(error.status(), Status::MemoryLimit | Status::OutOfMemory)
}
