//! What is written, in the language of the program.

use super::options::{Options, Output};
use super::{c, fortran};
use crate::ir::Program;
use crate::refuse::{Class, Refusal};
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
    is_c(&adjoint.program, "a tangent")?;
    c::with_tangent(adjoint, tangents, options)
}

/// The adjoint that checks itself at run time: see [`crate::check`]. The tangent goes into the same file.
///
/// # Errors
/// What cannot be written.
pub fn checked(adjoint: &Adjoint, tangents: &Tangents, options: &Options) -> Result<Output, Vec<Refusal>> {
    is_c(&adjoint.program, "an adjoint that checks itself")?;
    c::checked(adjoint, tangents, options)
}

/// The tangent.
///
/// # Errors
/// What cannot be written.
pub fn tangent(tangents: &Tangents, options: &Options) -> Result<Output, Vec<Refusal>> {
    is_c(&tangents.program, "a tangent")?;
    c::tangent(tangents, options)
}

/// Refuses what is written in C only.
fn is_c(program: &Program, what: &str) -> Result<(), Vec<Refusal>> {
    if program.fortran.is_none() {
        return Ok(());
    }
    let what = format!("{what} is not written in Fortran yet");
    let help = "compare the adjoint with differences: test_gradient of the module adtape".to_string();
    Err(vec![Refusal { class: Class::Language, span: Default::default(), what, help }])
}
