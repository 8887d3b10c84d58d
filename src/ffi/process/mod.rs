//! Errors and settings of the process.

pub(super) mod error;
pub(super) mod settings;
