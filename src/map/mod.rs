//! Objects: which range of the program's memory is alive, and where it lies.

#![forbid(unsafe_code)]

pub(crate) mod ranges;
pub(crate) mod registry;
