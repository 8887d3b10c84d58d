//! Stores and checkpoints.

pub(super) mod checkpoints;
pub(super) mod restoration;
pub(super) mod store;
mod user_store;
