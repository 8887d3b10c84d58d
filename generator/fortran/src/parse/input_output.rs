//! Input and output.

use super::cursor::{Cursor, Parsed};
use super::keyword::Keyword;
use crate::lex::Sign;
use crate::tree::statement::{Transfer, TransferKind};

impl<'a> Cursor<'a> {
    /// Takes a statement of input or output; none if the keyword begins no such statement.
    pub fn transfer(&mut self, keyword: Keyword) -> Parsed<Option<Transfer>> {
        let kind = match keyword {
            Keyword::Read => TransferKind::Read,
            Keyword::Write => TransferKind::Write,
            Keyword::Print => TransferKind::Print,
            Keyword::Open => TransferKind::Open,
            Keyword::Close => TransferKind::Close,
            Keyword::Inquire => TransferKind::Inquire,
            Keyword::Rewind => TransferKind::Rewind,
            Keyword::Backspace => TransferKind::Backspace,
            Keyword::EndFile => TransferKind::Endfile,
            Keyword::Flush => TransferKind::Flush,
            Keyword::Wait => TransferKind::Wait,
            _ => return Ok(None),
        };
        self.keyword(kind.word());
        // `print (fmt), x` has an expression, not a control list.
        let parenthesised = self.at(Sign::Open) && kind != TransferKind::Print && !self.is_format_of_read(kind);
        let mut controls = Vec::new();
        if parenthesised {
            controls = self.arguments()?;
            self.eat(Sign::Comma);
        } else if !self.is_done() {
            controls.push(self.argument()?);
            if !self.is_done() {
                self.expect(Sign::Comma)?;
            }
        }
        let items = if self.is_done() { Vec::new() } else { self.list(Cursor::expression)? };
        Ok(Some(Transfer { kind, parenthesised, controls, items }))
    }

    /// Whether it is `read (fmt), x` or `read ('(a)' // b) …`, whose parenthesis belongs to the format.
    fn is_format_of_read(&self, kind: TransferKind) -> bool {
        let mut behind = *self;
        behind.skip_brackets();
        let mut within = *self;
        within.advance();
        let is_value = within.expression().is_ok() && within.at(Sign::Close);
        kind == TransferKind::Read && is_value && (behind.at(Sign::Comma) || behind.at(Sign::Concat))
    }
}
