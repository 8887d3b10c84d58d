//! Front ends: source text to the intermediate representation.

mod c;
mod fortran;
mod input;
mod jumps;
mod pieces;
mod segments;

pub use fortran::is_fortran;
pub use input::{Input, Unread};

use crate::ir::Program;
use crate::refuse::Refusal;

/// Reads the sources into one program, or says everything that stands in the way.
///
/// # Errors
/// Refusals: all that were met, in the order of the sources.
pub fn read(input: &Input) -> Result<Program, Vec<Refusal>> {
    read_or_explain(input).map_err(|unread| unread.refusals)
}

/// As [`read`], with the sources beside the refusals, so that messages can quote them.
///
/// # Errors
/// Refusals and sources.
pub fn read_or_explain(input: &Input) -> Result<Program, Unread> {
    if input.files.iter().any(|file| fortran::is_fortran(file)) { fortran::read(input) } else { c::read(input) }
}
