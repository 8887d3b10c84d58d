//! From sweeps to text: nothing is decided here but names and layout.
//!
//! `body` has what is known of a procedure whatever the language of the output, `c` writes C, `fortran` Fortran.

mod body;
pub mod c;
mod fortran;
mod languages;
mod options;

pub use crate::names::SIGNATURE;
pub use languages::{adjoint, checked, tangent, with_tangent};
pub use options::{Beside, Options, Output};
