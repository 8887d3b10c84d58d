//! What is known of a procedure that is printed, whatever the language of the output: where its values are mentioned, where
//! variables are declared, which loops are statements of their own, the lines so far, which parameters of a tangent are
//! tangents.

mod index;
mod lines;
mod loops;
mod records;
pub(super) mod remembered;
mod scope;
pub(super) mod tangents;

pub(super) use index::Index;
pub(super) use lines::Lines;
pub(super) use loops::{Down, Head, begins, downs, heads};
pub(super) use records::{Record, Records};
pub(super) use scope::Scopes;
