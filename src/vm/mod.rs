//! Memory from the operating system: spans of reserved address space that are committed as they grow, and the
//! account of what the process has committed.
//!
//! *Reserved* is address space without memory behind it. *Committed* is what may be read and written; the
//! kernel gives it pages at first touch. The budget (`budget.rs`) counts both for the whole process and enforces the
//! memory limit on what is committed.

mod account;
mod budget;
mod host;
mod lent;
mod os;
mod region;
mod span;
mod spare;

pub(crate) use account::{Account, charge_on_way, hold, let_go, lose_what_is_on_its_way, refund_on_way};
#[cfg(test)]
pub(crate) use budget::{Budget, budget};
pub(crate) use budget::{default_limit, is_safe_share, leave_safe_share, process, set_limit, set_spills, update_limit};
pub(crate) use lent::{Lent, Pages};
pub(crate) use os::{has_memory, word_at};
pub(crate) use region::{Region, Zone};
pub(crate) use span::Span;
pub use span::Trim;

/// The least size that memory is committed in: a multiple of every page size that the architecture's kernels have.
pub(crate) const PAGE: usize = if cfg!(target_arch = "aarch64") { 64 << 10 } else { 4 << 10 };
/// The size of a huge page, and the alignment of every span.
pub(crate) const HUGE_PAGE: usize = 2 << 20;

/// `n` up to a multiple of `unit`, or `None` where that does not fit.
pub(crate) fn round_up(n: usize, unit: usize) -> Option<usize> {
    n.checked_next_multiple_of(unit)
}
