//! Reads Fortran: fixed and free form, the whole language at the level of the parser.
//!
//! ```text
//!   source ──► form ──► lex ──► parse ──► tree ──► scope
//!   lines,     state-   tokens  what is   units,    names, types,
//!   places     ments            what      nested    constants
//! ```
//!
//! [`read`] is the way through to the tree of one file, [`scope::resolve`] that to the names of a program of several.
//! Nothing here depends on the generator.

pub mod form;
pub mod lex;
pub mod message;
pub mod parse;
pub mod print;
pub mod scope;
pub mod source;
mod stack;
pub mod tree;

use message::Message;
use source::{Form, Source, Span};
use tree::unit::File;

/// A file that was read.
pub struct Reading {
    /// Its units.
    pub file: File,
    /// Its comments, in order.
    pub comments: Vec<Span>,
    /// How many statements it has.
    pub statement_count: usize,
    /// What could not be read, in order.
    pub messages: Vec<Message>,
}

/// Reads the units of a source.
pub fn read(source: &Source, form: Form) -> Reading {
    let found = form::statements(source, form);
    let (file, mut messages) = parse::parse(&found.statements);
    messages.extend(found.messages);
    messages.sort_by_key(|message| message.span.from);
    Reading { file, comments: found.comments, statement_count: found.statements.len(), messages }
}
