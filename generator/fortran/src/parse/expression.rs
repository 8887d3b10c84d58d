//! Expressions, by the precedence of their operators.

use super::cursor::{Cursor, Parsed};
use crate::lex::{Kind, Sign};
use crate::source::Span;
use crate::stack::deep;
use crate::tree::expression::{Expr, ExprKind, Ident, ImpliedDo, KindSuffix, Part, Reference, Section, TypeSpec};
use crate::tree::operator::{Binary, Unary};

/// Levels of precedence; an operator's operands are of a higher one.
mod level {
    pub const DEFINED: u8 = 0;
    pub const EQUIVALENCE: u8 = 1;
    pub const OR: u8 = 2;
    pub const AND: u8 = 3;
    pub const NOT: u8 = 4;
    pub const RELATION: u8 = 5;
    pub const CONCAT: u8 = 6;
    pub const SUM: u8 = 7;
    pub const PRODUCT: u8 = 8;
    pub const POWER: u8 = 9;
}

impl<'a> Cursor<'a> {
    /// Takes an expression.
    pub fn expression(&mut self) -> Parsed<Expr> {
        self.operation(level::DEFINED)
    }

    /// Takes an expression whose operators are of `least` or a higher level.
    fn operation(&mut self, least: u8) -> Parsed<Expr> {
        let start = self.span();
        let mut left = self.prefixed(least)?;
        // Relations do not associate: a second one may follow only as an operand of a lower level.
        let mut most = level::POWER;
        while let Some((operator, level)) = self.binary().filter(|(_, level)| (least..=most).contains(level)) {
            self.advance();
            // Powers associate to the right.
            let next = if level == level::POWER { level } else { level + 1 };
            let right = deep(|| self.operation(next))?;
            let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
            left = Expr { kind, span: self.span_from(start) };
            most = if level == level::RELATION { level - 1 } else { level };
        }
        Ok(left)
    }

    /// Takes an operand with the operators in front of it.
    fn prefixed(&mut self, least: u8) -> Parsed<Expr> {
        let start = self.span();
        let Some((operator, level)) = self.unary() else { return self.primary() };
        self.advance();
        // `a * -b` is an extension: the sign takes what an operator of its own level would leave.
        let operand = deep(|| self.operation(level.max(least)))?;
        Ok(Expr { kind: ExprKind::Unary(operator, Box::new(operand)), span: self.span_from(start) })
    }

    /// The operator in front of an operand, and the level of that.
    fn unary(&self) -> Option<(Unary, u8)> {
        match self.peek()? {
            (Kind::Sign(Sign::Plus), _) => Some((Unary::Plus, level::PRODUCT)),
            (Kind::Sign(Sign::Minus), _) => Some((Unary::Minus, level::PRODUCT)),
            (Kind::Dotted, "not") => Some((Unary::Not, level::NOT)),
            (Kind::Dotted, word) if !is_intrinsic(word) => Some((Unary::Defined(word.into()), level::POWER + 1)),
            _ => None,
        }
    }

    /// The operator between two operands.
    fn binary(&self) -> Option<(Binary, u8)> {
        Some(match self.peek()? {
            (Kind::Sign(sign), _) => match sign {
                Sign::Power => (Binary::Power, level::POWER),
                Sign::Times => (Binary::Times, level::PRODUCT),
                Sign::Slash if !self.second_at(Sign::Close) => (Binary::Divide, level::PRODUCT),
                Sign::Plus => (Binary::Plus, level::SUM),
                Sign::Minus => (Binary::Minus, level::SUM),
                Sign::Concat => (Binary::Concat, level::CONCAT),
                Sign::Equal => (Binary::Equal, level::RELATION),
                Sign::NotEqual => (Binary::NotEqual, level::RELATION),
                Sign::Less => (Binary::Less, level::RELATION),
                Sign::LessEqual => (Binary::LessEqual, level::RELATION),
                Sign::Greater => (Binary::Greater, level::RELATION),
                Sign::GreaterEqual => (Binary::GreaterEqual, level::RELATION),
                _ => return None,
            },
            (Kind::Dotted, word) => match word {
                "eq" => (Binary::Equal, level::RELATION),
                "ne" => (Binary::NotEqual, level::RELATION),
                "lt" => (Binary::Less, level::RELATION),
                "le" => (Binary::LessEqual, level::RELATION),
                "gt" => (Binary::Greater, level::RELATION),
                "ge" => (Binary::GreaterEqual, level::RELATION),
                "and" => (Binary::And, level::AND),
                "or" => (Binary::Or, level::OR),
                "eqv" => (Binary::Eqv, level::EQUIVALENCE),
                "neqv" | "xor" => (Binary::Neqv, level::EQUIVALENCE),
                "true" | "false" | "not" => return None,
                _ => (Binary::Defined(word.into()), level::DEFINED),
            },
            _ => return None,
        })
    }

    /// Takes a constant, a reference, or what stands in parentheses or brackets.
    pub fn primary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let Some((kind, text)) = self.peek() else { return Err(self.fault("an expression is missing")) };
        let kind = match kind {
            Kind::Name => ExprKind::Reference(self.reference()?),
            Kind::Integer => self.constant(|suffix| ExprKind::Integer(text.into(), suffix))?,
            Kind::Real => self.constant(|suffix| ExprKind::Real(text.into(), suffix))?,
            Kind::Dotted if matches!(text, "true" | "false") => {
                self.constant(|suffix| ExprKind::Logical(text == "true", suffix))?
            }
            Kind::Text | Kind::Prefix => return self.text(start),
            Kind::Hollerith => self.constant(|_| ExprKind::Hollerith(text.into()))?,
            Kind::Boz => self.constant(|_| ExprKind::Boz(text.into()))?,
            Kind::Sign(Sign::OpenBracket) => {
                self.advance();
                self.array(start, |cursor| cursor.eat(Sign::CloseBracket))?
            }
            Kind::Sign(Sign::Percent) => ExprKind::Reference(self.percent()?),
            Kind::Sign(Sign::Open) => return deep(|| self.parenthesised(start)),
            _ => return Err(self.fault("an expression is missing")),
        };
        Ok(Expr { kind, span: self.span_from(start) })
    }

    /// Takes a constant with the kind behind it.
    fn constant(&mut self, of: impl FnOnce(Option<KindSuffix>) -> ExprKind) -> Parsed<ExprKind> {
        self.advance();
        let Some((Kind::Suffix, text)) = self.peek() else { return Ok(of(None)) };
        let suffix = self.kind(text)?;
        Ok(of(Some(suffix)))
    }

    fn kind(&mut self, text: &str) -> Parsed<KindSuffix> {
        let span = self.span();
        let suffix = match text.as_bytes()[0].is_ascii_digit().then(|| text.parse()) {
            None => KindSuffix::Name(Ident { name: text.into(), span }),
            Some(Ok(number)) => KindSuffix::Number(number),
            Some(Err(_)) => return Err(self.fault("a kind that is too large")),
        };
        self.advance();
        Ok(suffix)
    }

    /// Takes a character constant, its kind in front of it, and a substring of it.
    fn text(&mut self, start: Span) -> Parsed<Expr> {
        let mut suffix = None;
        if let Some((Kind::Prefix, name)) = self.peek() {
            suffix = Some(self.kind(name)?);
        }
        let Some((Kind::Text, text)) = self.peek() else { return Err(self.fault("a character constant is missing")) };
        self.advance();
        let text = Expr { kind: ExprKind::Text(text.into(), suffix), span: self.span_from(start) };
        if !self.at(Sign::Open) {
            return Ok(text);
        }
        self.advance();
        let section = self.section()?;
        self.expect(Sign::Close)?;
        Ok(Expr { kind: ExprKind::Substring(Box::new(text), Box::new(section)), span: self.span_from(start) })
    }

    /// Takes `lower:upper`.
    fn section(&mut self) -> Parsed<Section> {
        let start = self.span();
        let lower = if self.at(Sign::Colon) { None } else { Some(Box::new(self.expression()?)) };
        self.expect(Sign::Colon)?;
        let upper = if self.at(Sign::Close) { None } else { Some(Box::new(self.expression()?)) };
        Ok(Section { lower, upper, stride: None, span: self.span_from(start) })
    }

    /// Takes the items of an array constructor behind its opening sign.
    fn array(&mut self, start: Span, mut end: impl FnMut(&mut Cursor<'a>) -> bool) -> Parsed<ExprKind> {
        let typed = self.has_type_before_colons();
        let spec: Option<Box<TypeSpec>> = if typed { Some(Box::new(self.type_name()?)) } else { None };
        if typed && !self.eat_colons() {
            return Err(self.fault("`::` is missing"));
        }
        let mut items = Vec::new();
        if !end(self) {
            items = self.list(Cursor::expression)?;
            if !end(self) {
                let opened = if start.from == self.span().from { "" } else { "the end of the array is missing" };
                return Err(self.fault(opened));
            }
        }
        Ok(ExprKind::Array(spec, items))
    }

    /// Whether `::` follows within these brackets, before the first comma.
    pub fn has_type_before_colons(&self) -> bool {
        let mut next = *self;
        while !next.is_done() && !next.at(Sign::Comma) && !next.at(Sign::CloseBracket) && !next.at(Sign::Close) {
            let mut colons = next;
            if colons.eat_colons() {
                return true;
            }
            if next.at(Sign::Open) || next.at(Sign::OpenBracket) {
                next.skip_brackets();
            } else {
                next.advance();
            }
        }
        false
    }

    /// Takes `(a)`, `(re, im)`, `(a, i = 1, n)` or `(/ a, b /)`.
    fn parenthesised(&mut self, start: Span) -> Parsed<Expr> {
        self.advance();
        let closes = |cursor: &mut Cursor<'a>| cursor.eat(Sign::Slash) && cursor.eat(Sign::Close);
        let kind = if self.at(Sign::Concat) && self.second_at(Sign::Close) {
            self.advance();
            self.advance();
            ExprKind::Array(None, Vec::new())
        } else if self.eat(Sign::Slash) {
            self.array(start, closes)?
        } else {
            self.list_or_value()?
        };
        Ok(Expr { kind, span: self.span_from(start) })
    }

    fn list_or_value(&mut self) -> Parsed<ExprKind> {
        let first = self.expression()?;
        if self.eat(Sign::Close) {
            return Ok(ExprKind::Parenthesised(Box::new(first)));
        }
        let mut items = vec![first];
        while self.eat(Sign::Comma) {
            let typed = self.has_type_before_colons();
            if typed || (self.peek_name().is_some() && self.second_at(Sign::Assign)) {
                let spec = if typed { Some(self.type_name()?) } else { None };
                self.eat_colons();
                let variable = self.name()?;
                self.expect(Sign::Assign)?;
                let bounds = self.list(Cursor::expression)?;
                self.expect(Sign::Close)?;
                return Ok(ExprKind::ImpliedDo(Box::new(ImpliedDo { spec, items, variable, bounds })));
            }
            items.push(self.expression()?);
        }
        self.expect(Sign::Close)?;
        match <[Expr; 2]>::try_from(items) {
            Ok([real, imaginary]) => Ok(ExprKind::Complex(Box::new(real), Box::new(imaginary))),
            Err(_) => Err(self.fault("a list in parentheses must be a complex number or an implied loop")),
        }
    }

    /// Takes `%loc(x)` of DEC as a call of that name.
    fn percent(&mut self) -> Parsed<Reference> {
        self.advance();
        let mut reference = self.reference()?;
        let name = &mut reference.parts[0].name.name;
        *name = format!("%{name}").into();
        Ok(reference)
    }

    /// Takes `a%b(i)[j]%c`.
    pub fn reference(&mut self) -> Parsed<Reference> {
        let start = self.span();
        let mut parts = Vec::new();
        loop {
            let name = self.name()?;
            let mut lists = Vec::new();
            while self.at(Sign::Open) {
                lists.push(deep(|| self.arguments())?);
            }
            let image = if self.at(Sign::OpenBracket) { Some(self.image()?) } else { None };
            parts.push(Part { name, lists, image });
            if !self.eat(Sign::Percent) {
                return Ok(Reference { parts, span: self.span_from(start) });
            }
        }
    }
}

/// Whether a word between points is Fortran's own.
fn is_intrinsic(word: &str) -> bool {
    matches!(word, "true" | "false" | "not" | "and" | "or" | "eqv" | "neqv" | "eq" | "ne" | "lt" | "le" | "gt" | "ge")
}
