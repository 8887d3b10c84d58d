//! From lines to statements: continuation, labels, `;`, comments and directives, in `fixed` and in `free` form.
//!
//! ```text
//!   line      a physical line
//!   statement its text, continuation lines put together, with the place of each character
//!   directive a comment that a compiler obeys: its sentinel is `$omp`, `$acc`, `$ad`, `dir$` …
//!   Hollerith `5Hit's `, whose characters mean nothing, neither quotes nor `!`
//! ```

mod assembler;
mod converted;
mod directive;
mod fixed;
mod free;
mod statement;

use crate::source::{Form, Source};
pub use converted::converted;
pub use statement::{Kind, Label, Statement, Statements};

/// Splits a source into statements.
pub fn statements(source: &Source, form: Form) -> Statements {
    match form {
        Form::Fixed { columns } => fixed::statements(source, columns),
        Form::Free => free::statements(source),
    }
}
