//! What a checkpoint of everything has, and what its restoration did.

#![forbid(unsafe_code)]

use crate::map::registry::Serial;

/// Names of the sections that a checkpoint of everything has.
pub(super) const RANGES: &str = "live ranges";
pub(super) const SLOTS: &str = "live pointers";
pub(super) const HEAP: &str = "live heap";
pub(super) const CONTENTS: &str = "live contents";

/// What a checkpoint of everything has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct SaveStats {
    /// Objects.
    pub ranges: u64,
    /// Bytes of contents, those of stable heaps among them.
    pub bytes: u64,
    /// Pointers inside of objects.
    pub pointers: u64,
    /// Check mode: words in the contents that are addresses of heap ranges, and no pointer that is known.
    pub suspects: u64,
}

/// What a restoration did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct RestoreStats {
    /// Objects that were alive and stayed.
    pub kept: u64,
    /// Objects that were missing and have memory again.
    pub allocated: u64,
    /// Of those, the ones that took over the memory of a superfluous object.
    pub reused: u64,
    /// Missing variables that took the place of one of the same label and frame.
    pub bound: u64,
    /// Missing variables of the stack that there is no such place for.
    pub dead: u64,
    /// Superfluous objects.
    pub ended: u64,
    /// Pointers inside of objects that were set.
    pub pointers: u64,
}

/// M′ of Alg. 4: which objects of a checkpoint lie elsewhere since it was restored.
#[derive(Clone, Debug, Default)]
pub struct Restoration {
    /// What was done.
    pub counts: RestoreStats,
    /// With where they lay when the checkpoint was written.
    pub(in crate::objects) moved: Vec<(Serial, u64)>,
}
