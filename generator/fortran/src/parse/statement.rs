//! Blocks of statements.

use super::declare::{is_declaration, may_follow_actions};
use super::derived::ends_unit;
use super::keyword::{Class, Keyword, eat_construct_name};
use super::parser::{Open, Parser};
use super::unit::may_be_statement_function;
use crate::source::Span;
use crate::stack::deep;
use crate::tree::declaration::Declaration;
use crate::tree::expression::Ident;
use crate::tree::statement::{Action, Block, Statement};

impl<'a> Parser<'a> {
    /// Reads statements up to one that closes something, or to the end of loops by label.
    pub fn block(&mut self) -> Block {
        let mut block = Block::new();
        while let Some(class) = self.class() {
            if self.stops(class, &block) {
                break;
            }
            let label = self.label().map(|label| label.number);
            block.push(deep(|| self.block_statement(class)));
            let last = block.last().and_then(|statement| statement.end).and_then(|end| end.label);
            let label = label.or(last.map(|label| label.number));
            if self.ended.is_none() && label.is_some() && self.open.contains(&Open::Do(label)) {
                self.ended = label;
            }
            if self.ended.is_some() {
                break;
            }
        }
        block
    }

    /// Whether a block ends in front of a statement. A stray END is reported and skipped.
    fn stops(&mut self, class: Class, block: &Block) -> bool {
        if ends_unit(class) || class == Class::Keyword(Keyword::Contains) {
            return true;
        }
        if is_declaration(class) && !may_follow_actions(class) {
            // A function's first statement, or declarations behind statement functions.
            return self.cursor().header(class).is_some()
                || (self.open.is_empty() && block.iter().all(may_be_statement_function));
        }
        match closes(class) {
            Some(accepts) => self.open.iter().any(|open| accepts(*open)),
            None => self.cursor().header(class).is_some(),
        }
    }

    fn block_statement(&mut self, class: Class) -> Statement {
        let (label, span) = (self.label(), self.span());
        let plain = |action| Statement { label, name: None, action, span, end: None };
        if is_declaration(class) {
            if !may_follow_actions(class) {
                self.report(span, "a declaration behind the first action: move it in front");
            }
            let kind = self.declaration_kind(class);
            return plain(Action::Declaration(Box::new(Declaration { label, kind, span })));
        }
        match class {
            Class::Unread => {
                self.advance();
                plain(Action::Unread)
            }
            Class::Empty => {
                self.advance();
                plain(Action::Continue)
            }
            Class::Keyword(_) if closes(class).is_some() => {
                match self.lost {
                    0 => self.report(span, "this ends or divides nothing that is open"),
                    _ => self.lost -= usize::from(begins_with_end(class)),
                }
                self.advance();
                plain(Action::Unread)
            }
            _ => self.statement_or_construct(class),
        }
    }

    fn statement_or_construct(&mut self, class: Class) -> Statement {
        let (label, span) = (self.label(), self.span());
        let name = self.construct_name();
        if let Class::Keyword(keyword) = class
            && let Some((action, end)) = self.construct(keyword, name.as_ref())
        {
            return Statement { label, name, action, span, end };
        }
        let mut cursor = self.cursor();
        let action = cursor.action();
        let action = self.reported(action).unwrap_or(Action::Unread);
        self.advance();
        Statement { label, name, action, span, end: None }
    }

    /// The name in front of a construct.
    fn construct_name(&self) -> Option<Ident> {
        let (mut cursor, start) = (self.cursor(), self.cursor());
        eat_construct_name(&mut cursor);
        if cursor.span() == start.span() { None } else { start.clone().eat_name() }
    }

    /// The place of the statement and, if it opens a construct, one more END to expect.
    pub fn lose(&mut self, is_open: bool) -> Span {
        self.lost += usize::from(is_open);
        self.span()
    }
}

/// The constructs that a statement closes or divides; none for other statements.
fn closes(class: Class) -> Option<fn(Open) -> bool> {
    let Class::Keyword(keyword) = class else { return None };
    Some(match keyword {
        Keyword::Else | Keyword::ElseIf => |open| matches!(open, Open::If | Open::Where),
        Keyword::EndIf => |open| open == Open::If,
        Keyword::EndDo => |open| matches!(open, Open::Do(_)),
        Keyword::Case
        | Keyword::TypeIs
        | Keyword::ClassIs
        | Keyword::ClassDefault
        | Keyword::Rank
        | Keyword::RankDefault
        | Keyword::EndSelect => |open| open == Open::Select,
        Keyword::ElseWhere | Keyword::EndWhere => |open| open == Open::Where,
        Keyword::EndForall => |open| open == Open::Forall,
        Keyword::EndAssociate => |open| open == Open::Associate,
        Keyword::EndBlock => |open| open == Open::Block,
        Keyword::EndCritical => |open| open == Open::Critical,
        Keyword::EndTeam => |open| open == Open::Team,
        Keyword::EndInterface | Keyword::EndType | Keyword::EndEnum => |_| false,
        _ => return None,
    })
}

fn begins_with_end(class: Class) -> bool {
    !matches!(
        class,
        Class::Keyword(
            Keyword::Else
                | Keyword::ElseIf
                | Keyword::ElseWhere
                | Keyword::Case
                | Keyword::TypeIs
                | Keyword::ClassIs
                | Keyword::ClassDefault
                | Keyword::Rank
                | Keyword::RankDefault
        )
    )
}
