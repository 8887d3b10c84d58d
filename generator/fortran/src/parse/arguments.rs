//! What stands in parentheses behind a name.

use super::cursor::{Cursor, Parsed};
use crate::lex::{Kind, Sign};
use crate::tree::expression::{Argument, ArgumentValue, Expr, Section};

impl<'a> Cursor<'a> {
    /// Takes `(a, key = b, 1:n, *10)`.
    pub fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        self.expect(Sign::Open)?;
        self.arguments_until(Sign::Close)
    }

    /// Takes `[1, team = t]`.
    pub fn image(&mut self) -> Parsed<Vec<Argument>> {
        self.expect(Sign::OpenBracket)?;
        self.arguments_until(Sign::CloseBracket)
    }

    fn arguments_until(&mut self, end: Sign) -> Parsed<Vec<Argument>> {
        if self.eat(end) {
            return Ok(Vec::new());
        }
        let arguments = self.list(Cursor::argument)?;
        self.expect(end)?;
        Ok(arguments)
    }

    /// Takes one item.
    pub fn argument(&mut self) -> Parsed<Argument> {
        let has_keyword = self.peek_name().is_some() && self.second_at(Sign::Assign);
        let keyword = if has_keyword { self.eat_name() } else { None };
        if has_keyword {
            self.expect(Sign::Assign)?;
        }
        Ok(Argument { keyword, value: self.argument_value()? })
    }

    fn argument_value(&mut self) -> Parsed<ArgumentValue> {
        let start = self.span();
        match self.peek() {
            Some((Kind::Sign(Sign::Times), _)) => {
                self.advance();
                Ok(match self.eat_label() {
                    Some(label) => ArgumentValue::Label(label),
                    None => ArgumentValue::Star(start),
                })
            }
            Some((Kind::Sign(Sign::Ampersand), _)) => {
                self.advance();
                Ok(ArgumentValue::Label(self.label()?))
            }
            Some((Kind::Sign(Sign::Period), _)) => {
                self.expect(Sign::Period)?;
                self.expect(Sign::Period)?;
                Ok(ArgumentValue::AssumedRank(self.span_from(start)))
            }
            Some((Kind::Sign(Sign::Percent), _)) => {
                self.advance();
                let name = self.name()?;
                self.expect(Sign::Open)?;
                let value = self.expression()?;
                self.expect(Sign::Close)?;
                Ok(ArgumentValue::Percent(name, value))
            }
            _ => self.value_or_section(),
        }
    }

    fn value_or_section(&mut self) -> Parsed<ArgumentValue> {
        let start = self.span();
        let lower = if self.at(Sign::Colon) { None } else { Some(self.expression()?) };
        if !self.eat(Sign::Colon) {
            return lower.map(ArgumentValue::Expr).ok_or_else(|| self.fault("a value is missing"));
        }
        if self.at(Sign::Times)
            && let Some(lower) = lower
        {
            self.advance();
            return Ok(ArgumentValue::StarFrom(lower));
        }
        let upper = self.bound()?;
        let stride = if self.eat(Sign::Colon) { self.bound()? } else { None };
        let lower = lower.map(Box::new);
        Ok(ArgumentValue::Section(Section { lower, upper, stride, span: self.span_from(start) }))
    }

    /// Takes a bound of a section, if there is one.
    fn bound(&mut self) -> Parsed<Option<Box<Expr>>> {
        let none = [Sign::Colon, Sign::Comma, Sign::Close, Sign::CloseBracket].iter().any(|sign| self.at(*sign));
        if none { Ok(None) } else { Ok(Some(Box::new(self.expression()?))) }
    }
}
