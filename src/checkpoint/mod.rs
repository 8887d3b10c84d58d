//! Checkpoints: the state of a program at one point, from which its forward sweep can be run again.
//!
//! A *checkpoint* is an entry of a [store](crate::store). It consists of *sections*, each with a name, a type and a
//! count, written one after the other and read back in the same order, each into the variable that it came from. What
//! is read must be what was written: another name, type, count or shape is an error that says both.
//!
//! ```text
//!   | head 16 | section | section | … | end 16 |
//!   section = | head 32 | name | bounds | values |      each padded to 8 bytes
//! ```
//!
//! An *allocatable* is a section that also records whether there was anything, and the bounds: enough to allocate it
//! anew. `docs/format.md` has every byte.

#![forbid(unsafe_code)]

mod format;
mod reader;
mod writer;

pub use format::{SectionInfo, SectionKind};
pub use reader::CheckpointReader;
pub use writer::CheckpointWriter;

#[cfg(test)]
mod tests;
