//! Messages: what is wrong, where, and what to do.

use crate::source::{Source, Span};

/// One message about a part of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it is about.
    pub span: Span,
    /// What is wrong, and what to do if that is not plain.
    pub text: String,
}

impl Message {
    /// A message about `span`.
    pub fn new(span: Span, text: impl Into<String>) -> Message {
        Message { span, text: text.into() }
    }

    /// The message with its place in front: `model.f90:12:7: …`.
    pub fn in_source(&self, source: &Source) -> String {
        let position = source.position(self.span.from);
        format!("{}:{}:{}: {}", position.file, position.line, position.column, self.text)
    }
}
