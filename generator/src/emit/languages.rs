//! What is written, in the language of the program.

use super::options::{Options, Output};
use super::{c, fortran};
use crate::refuse::Refusal;
use crate::sweeps::{Adjoint, Tangents};

/// The adjoint, in the language of the program.
///
/// # Errors
/// What cannot be written.
pub fn adjoint(adjoint: &Adjoint, options: &Options) -> Result<Output, Vec<Refusal>> {
    match &adjoint.program.fortran {
        Some(known) => fortran::adjoint(adjoint, known, options),
        None => c::adjoint(adjoint, options),
    }
}

/// The adjoint and the tangent, in one file.
///
/// # Errors
/// What cannot be written.
pub fn with_tangent(adjoint: &Adjoint, tangents: &Tangents, options: &Options) -> Result<Output, Vec<Refusal>> {
    match &adjoint.program.fortran {
        Some(known) => fortran::with_tangent(adjoint, tangents, known, options),
        None => c::with_tangent(adjoint, tangents, options),
    }
}

/// The adjoint that checks itself at run time: see [`crate::check`]. The tangent goes into the same file.
///
/// # Errors
/// What cannot be written.
pub fn checked(adjoint: &Adjoint, tangents: &Tangents, options: &Options) -> Result<Output, Vec<Refusal>> {
    match &adjoint.program.fortran {
        Some(known) => fortran::checked(adjoint, tangents, known, options),
        None => c::checked(adjoint, tangents, options),
    }
}

/// The tangent.
///
/// # Errors
/// What cannot be written.
pub fn tangent(tangents: &Tangents, options: &Options) -> Result<Output, Vec<Refusal>> {
    match &tangents.program.fortran {
        Some(known) => fortran::tangent(tangents, known, options),
        None => c::tangent(tangents, options),
    }
}
