//! A statement before it is split into tokens.

use crate::message::Message;
use crate::source::{Place, Span};

/// The label of a statement, or a reference to one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label {
    /// Its number.
    pub number: u32,
    /// Where it stands.
    pub span: Span,
}

/// What a statement is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The program's own.
    Code,
    /// A directive, with its sentinel in lower case.
    Directive(String),
}

/// A statement before it is split into tokens.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it is for.
    pub kind: Kind,
    /// Its label.
    pub label: Option<Label>,
    /// Its text without label, comments and signs of continuation.
    pub text: String,
    /// Blanks mean nothing in it, outside of character constants.
    pub fixed: bool,
    /// Where parts of `text` begin, and the places of their first characters; sorted.
    map: Vec<(u32, Place)>,
}

impl Statement {
    /// A statement without text.
    pub fn new(kind: Kind, label: Option<Label>, fixed: bool) -> Statement {
        Statement { kind, label, text: String::new(), fixed, map: Vec::new() }
    }

    /// The text that follows begins at `place`.
    pub fn continue_at(&mut self, place: Place) {
        self.map.push((offset(self.text.len()), place));
    }

    /// The place of a byte of the text, or of the end behind a byte.
    fn at(&self, offset: u32) -> Place {
        let part = self.map.partition_point(|(start, _)| *start <= offset).saturating_sub(1);
        let (start, place) = self.map.get(part).copied().unwrap_or_default();
        Place { line: place.line, column: place.column + (offset - start) }
    }

    /// The places of a range of the text.
    pub fn span(&self, from: u32, to: u32) -> Span {
        let last = self.at(to.saturating_sub(1).max(from));
        let end = if to > from { last.column + 1 } else { last.column };
        Span { from: self.at(from), to: Place { line: last.line, column: end } }
    }

    /// The places of the whole statement, without its label.
    pub fn whole(&self) -> Span {
        let start = self.text.len() - self.text.trim_start().len();
        let end = self.text.trim_end().len();
        self.span(offset(start), offset(end.max(start)))
    }
}

/// The statements of a source.
#[derive(Default)]
pub struct Statements {
    /// In the order of the text.
    pub statements: Vec<Statement>,
    /// Comments, from `!` to the end of the line.
    pub comments: Vec<Span>,
    /// What cannot be read.
    pub messages: Vec<Message>,
}

/// Whether a line is for the preprocessor. One that is not a line marker is reported: what it decides is unknown.
pub fn is_for_preprocessor(text: &str, line: u32, messages: &mut Vec<Message>) -> bool {
    let Some(rest) = text.strip_prefix('#') else { return false };
    let word = rest.trim_start();
    if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
        let span = Span { from: Place { line, column: 0 }, to: Place { line, column: offset(text.len()) } };
        let text = "a line for the preprocessor in a text that was not preprocessed: name the file .F90 or .F";
        messages.push(Message::new(span, text));
    }
    true
}

/// A byte of a line or a statement.
pub fn offset(byte: usize) -> u32 {
    u32::try_from(byte).expect("a statement is shorter than that")
}
