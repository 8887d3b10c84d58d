//! Objects: the live map, ranges, the rebase map, pointers, pairs, descriptors of Fortran.

pub(super) mod buffer;
pub(super) mod descriptor;
pub(super) mod live;
pub(super) mod pair;
pub(super) mod pointer;
pub(super) mod range;
pub(super) mod rebase;
pub(super) mod sets;
