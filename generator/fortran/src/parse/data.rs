//! First values: DATA and `/ 1, 2 /`.

use super::cursor::{Cursor, Parsed};
use crate::lex::{Kind, Sign};
use crate::tree::declaration::{DataSet, DataValue, DeclarationKind};
use crate::tree::expression::{Expr, ExprKind};
use crate::tree::operator::Unary;

impl<'a> Cursor<'a> {
    /// Takes a DATA statement.
    pub fn data(&mut self) -> Parsed<DeclarationKind> {
        self.keyword("data");
        let mut sets = Vec::new();
        while !self.is_done() {
            let objects = self.list(Cursor::primary)?;
            let values = self.data_values()?;
            sets.push(DataSet { objects, values });
            self.eat(Sign::Comma);
        }
        Ok(DeclarationKind::Data(sets))
    }

    /// Takes `/ 1, 3*0.0 /`.
    pub fn data_values(&mut self) -> Parsed<Vec<DataValue>> {
        self.expect(Sign::Slash)?;
        let values = self.list(Cursor::data_value)?;
        self.expect(Sign::Slash)?;
        Ok(values)
    }

    fn data_value(&mut self) -> Parsed<DataValue> {
        let counted = matches!(self.peek(), Some((Kind::Integer | Kind::Name, _)));
        let first = self.signed()?;
        if !counted || !self.eat(Sign::Times) {
            return Ok(DataValue { repeat: None, value: first });
        }
        Ok(DataValue { repeat: Some(first), value: self.signed()? })
    }

    /// Takes a constant with its sign: `/` ends it.
    fn signed(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let operator = match self.peek() {
            Some((Kind::Sign(Sign::Minus), _)) => Unary::Minus,
            Some((Kind::Sign(Sign::Plus), _)) => Unary::Plus,
            _ => return self.primary(),
        };
        self.advance();
        let operand = self.primary()?;
        Ok(Expr { kind: ExprKind::Unary(operator, Box::new(operand)), span: self.span_from(start) })
    }
}
