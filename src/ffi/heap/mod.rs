//! Stable heaps.

pub(super) mod block;
pub(super) mod heaps;
pub(super) mod join;
pub(super) mod snapshot;
