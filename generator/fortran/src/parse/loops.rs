//! DO and FORALL.

use super::construct::{Constructed, Headed};
use super::cursor::{Cursor, Parsed};
use super::keyword::{Class, Keyword};
use super::parser::{Open, Parser};
use crate::form::Label;
use crate::lex::Sign;
use crate::tree::expression::{Expr, Ident};
use crate::tree::statement::{Action, Control, Count, Do, Indices};

/// An index of FORALL or DO CONCURRENT: first, last, step.
type Index = (Ident, Expr, Expr, Option<Expr>);

impl<'a> Cursor<'a> {
    fn do_header(&mut self) -> Parsed<(Option<Label>, Control)> {
        self.begin_construct("do");
        let label = self.eat_label();
        self.eat(Sign::Comma);
        let control = self.control()?;
        self.end()?;
        Ok((label, control))
    }

    fn control(&mut self) -> Parsed<Control> {
        if self.is_done() {
            return Ok(Control::Forever);
        }
        let mut behind = *self;
        if behind.keyword("while") && behind.at(Sign::Open) {
            *self = behind;
            return Ok(Control::While(self.condition()?));
        }
        let mut behind = *self;
        if behind.keyword("concurrent") && behind.at(Sign::Open) {
            *self = behind;
            let indices = self.indices()?;
            return Ok(Control::Concurrent(indices, self.localities()?));
        }
        let variable = self.reference()?;
        self.expect(Sign::Assign)?;
        let from = self.expression()?;
        self.expect(Sign::Comma)?;
        let to = self.expression()?;
        let step = if self.eat(Sign::Comma) { Some(self.expression()?) } else { None };
        Ok(Control::Count(Box::new(Count { variable, from, to, step })))
    }

    /// Takes `local(x) shared(y) default(none)`.
    fn localities(&mut self) -> Parsed<Vec<(Box<str>, Vec<Ident>)>> {
        let mut localities = Vec::new();
        while let Some(word) = self.eat_name() {
            self.expect(Sign::Open)?;
            // The operator of `reduce(+: x)`.
            if self.has_outside(|next| next.at(Sign::Colon)) {
                while !self.eat(Sign::Colon) {
                    self.advance();
                }
            }
            localities.push((word.name, self.names()?));
            self.expect(Sign::Close)?;
        }
        Ok(localities)
    }

    /// Takes `(integer :: i = 1:n, j = 1:m:2, mask)`.
    pub fn indices(&mut self) -> Parsed<Indices> {
        self.expect(Sign::Open)?;
        let typed = self.has_type_before_colons() && !self.second_at(Sign::Assign);
        let spec = if typed { Some(self.type_name()?) } else { None };
        if typed {
            self.eat_colons();
        }
        let (mut indices, mut mask) = (Vec::new(), None);
        loop {
            if self.peek_name().is_some() && self.second_at(Sign::Assign) {
                indices.push(self.index()?);
            } else {
                mask = Some(Box::new(self.expression()?));
            }
            if mask.is_some() || !self.eat(Sign::Comma) {
                self.expect(Sign::Close)?;
                return Ok(Indices { spec, indices, mask });
            }
        }
    }

    fn index(&mut self) -> Parsed<Index> {
        let name = self.name()?;
        self.expect(Sign::Assign)?;
        let from = self.expression()?;
        self.expect(Sign::Colon)?;
        let to = self.expression()?;
        let step = if self.eat(Sign::Colon) { Some(self.expression()?) } else { None };
        Ok((name, from, to, step))
    }

    fn forall_header(&mut self) -> Parsed<Headed<Indices>> {
        self.begin_construct("forall");
        let indices = self.indices()?;
        let action = if self.is_done() { None } else { Some(self.action_statement()?) };
        Ok((indices, action))
    }
}

impl<'a> Parser<'a> {
    /// Reads a loop, up to END DO or the statement with its label.
    pub fn do_construct(&mut self, name: Option<&Ident>) -> Constructed {
        let start = self.span();
        let header = self.cursor().do_header();
        if header.is_err() {
            self.lose(true);
        }
        let Some((label, control)) = self.opened(header) else { return (Action::Unread, None) };
        let number = label.map(|label| label.number);
        self.open.push(Open::Do(number));
        let body = self.block();
        self.open.pop();
        if number.is_some() && self.ended == number {
            if !self.open.contains(&Open::Do(number)) {
                self.ended = None;
            }
            return (Action::Do(Do { label, control, body, end_do: false }), None);
        }
        if let (Some(label), Some(Class::Keyword(Keyword::EndDo))) = (label, self.class())
            && self.label().is_none_or(|end| end.number != label.number)
        {
            self.report(self.span(), format!("the END DO of this loop needs the label {}", label.number));
        }
        let end = self.construct_end(Keyword::EndDo, start, name);
        (Action::Do(Do { label, control, body, end_do: true }), end)
    }

    /// Reads FORALL, with an action or with a block.
    pub fn forall(&mut self, name: Option<&Ident>) -> Constructed {
        let header = self.cursor().forall_header();
        match self.opened(header) {
            None => (Action::Unread, None),
            Some((indices, Some(action))) => (Action::ForallAction(indices, action), None),
            Some((indices, None)) => {
                let (block, end) = self.body(Open::Forall, Keyword::EndForall, name);
                (Action::Forall(indices, block), end)
            }
        }
    }
}
