//! Directives and FORMAT statements, whose text is kept.

use super::keyword::Class;
use super::parser::Parser;
use crate::form::Kind;
use crate::tree::declaration::DeclarationKind;

impl<'a> Parser<'a> {
    /// The statement as a declaration that keeps its text; none if it is another one.
    pub fn verbatim(&self) -> Option<DeclarationKind> {
        let statement = self.statement()?;
        match (self.class()?, &statement.kind) {
            (Class::Directive, Kind::Directive(sentinel)) => {
                Some(DeclarationKind::Directive(sentinel.as_str().into(), statement.text.trim().into()))
            }
            (Class::Format, _) => {
                let open = statement.text.find('(').unwrap_or_default();
                Some(DeclarationKind::Format(statement.text[open..].trim().into()))
            }
            _ => None,
        }
    }
}
