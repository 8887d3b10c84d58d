//! Failures of the front end itself, which are no fault of the sources.

use crate::ir::Span;
use crate::refuse::{Class, Refusal};

pub(super) fn not_understood(error: &str) -> Refusal {
    internal(&format!("clang's syntax tree is not understood: {error}"))
}

pub(super) fn internal(what: &str) -> Refusal {
    Refusal { class: Class::Language, span: Span::default(), what: what.to_string(), help: String::new() }
}
