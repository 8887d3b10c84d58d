//! From sweeps to text: nothing is decided here but names and layout.
//!
//! [`body`] has what is known of a procedure whatever the language of the output, [`c`] writes C.

mod body;
pub mod c;
mod options;

pub use crate::names::SIGNATURE;
pub use c::{adjoint, checked, tangent, with_tangent};
pub use options::{Options, Output};
