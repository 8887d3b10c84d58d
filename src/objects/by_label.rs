//! What is known of objects by their label: where pointers are in them, how a restoration allocates them.

#![forbid(unsafe_code)]

use crate::error::Error;
use crate::map::registry::RangeKind;
use crate::sync::Arc;
use std::collections::HashMap;
use std::ffi::{CStr, CString};

/// Bytes of a pointer.
pub(super) const POINTER: usize = 8;

/// An object that a restoration needs memory for, or needs no longer.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// As it was registered.
    pub label: &'a CStr,
    /// What sort of memory it is.
    pub kind: RangeKind,
    /// Its size.
    pub bytes: usize,
    /// Lower bound and extent of each dimension, the fastest first, if they are known.
    pub bounds: &'a [(i64, i64)],
}

/// How objects of a label are allocated and released by a restoration.
pub struct Allocator {
    /// Returns the address of memory for the object.
    pub allocate: Box<AllocateFn>,
    /// Gives the memory at an address back.
    pub release: Box<ReleaseFn>,
}

/// See [`Allocator`].
pub type AllocateFn = dyn Fn(&Wanted<'_>) -> Result<usize, Error> + Send + Sync;
/// See [`Allocator`].
pub type ReleaseFn = dyn Fn(&Wanted<'_>, usize) + Send + Sync;

/// Where pointers are in the objects of a label.
#[derive(Debug)]
pub(super) struct Layout {
    pub record_bytes: usize,
    pub offsets: Vec<usize>,
}

/// What is known of objects by their label, and which stable heaps there are.
#[derive(Default)]
pub(super) struct ByLabel {
    pub layouts: HashMap<CString, Arc<Layout>>,
    pub allocators: HashMap<CString, Arc<Allocator>>,
    /// Stable heaps, as their users know them.
    pub heaps: Vec<usize>,
}
