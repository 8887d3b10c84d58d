//! The concurrency primitives that everything above uses: std's, or loom's in its models (`--cfg loom`).

#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

pub(crate) use std::sync::{Mutex, OnceLock};
