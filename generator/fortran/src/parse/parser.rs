//! The statements of a file, and what is open while they are read.

use super::cursor::{Cursor, Parsed};
use super::keyword::{Class, Line};
use crate::form::{Label, Statement};
use crate::message::Message;
use crate::source::Span;

/// A construct that waits for its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Open {
    If,
    /// With the label of the statement that may end it.
    Do(Option<u32>),
    Select,
    Where,
    Forall,
    Associate,
    Block,
    Critical,
    Team,
}

/// Reads statements one by one.
pub struct Parser<'a> {
    statements: &'a [Statement],
    lines: &'a [Line],
    at: usize,
    messages: Vec<Message>,
    /// Constructs that are open, the innermost last.
    pub open: Vec<Open>,
    /// The label of a statement that just ended loops.
    pub ended: Option<u32>,
    /// How many constructs were opened by statements that could not be read: so many ends may be too many.
    pub lost: usize,
}

impl<'a> Parser<'a> {
    pub fn new(statements: &'a [Statement], lines: &'a [Line], messages: Vec<Message>) -> Parser<'a> {
        Parser { statements, lines, at: 0, messages, open: Vec::new(), ended: None, lost: 0 }
    }

    /// The messages, in the order of the text.
    pub fn into_messages(mut self) -> Vec<Message> {
        self.messages.sort_by_key(|message| message.span.from);
        self.messages
    }

    /// What the statement is; none at the end of the file.
    pub fn class(&self) -> Option<Class> {
        self.lines.get(self.at).map(|line| line.class)
    }

    /// The statement.
    pub fn statement(&self) -> Option<&'a Statement> {
        self.statements.get(self.at)
    }

    /// The beginning of the statement, which must exist.
    pub fn cursor(&self) -> Cursor<'a> {
        Cursor::new(&self.statements[self.at], &self.lines[self.at].tokens)
    }

    /// The label of the statement.
    pub fn label(&self) -> Option<Label> {
        self.statement().and_then(|statement| statement.label)
    }

    /// The place of the statement, or of the end of the file.
    pub fn span(&self) -> Span {
        let last = || self.statements.last().map(|last| Span { from: last.whole().to, to: last.whole().to });
        self.statement().map(Statement::whole).or_else(last).unwrap_or_default()
    }

    /// Goes to the next statement.
    pub fn advance(&mut self) {
        self.at += 1;
    }

    /// How many statements are read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Adds a message.
    pub fn report(&mut self, span: Span, text: impl Into<String>) {
        self.messages.push(Message::new(span, text));
    }

    /// The value, or none with a message.
    pub fn reported<T>(&mut self, parsed: Parsed<T>) -> Option<T> {
        match parsed {
            Ok(value) => Some(value),
            Err(message) => {
                self.messages.push(message);
                None
            }
        }
    }
}
