//! The values of constant expressions.

use super::kinds::Typed;
use super::program::{Basic, Class, Program, ScopeId, SymbolId, Type};
use super::value::{Real, Value, binary, integer};
use crate::tree::expression::{Argument, ArgumentValue, Expr, ExprKind, ImpliedDo, KindSuffix, Part};
use crate::tree::operator::Unary;

/// How deep named constants may refer to each other.
const DEEPEST: usize = 64;

/// Folds expressions in a scope.
pub struct Folder<'p, 't> {
    pub program: &'p Program<'t>,
    pub scope: ScopeId,
    /// The values of loop variables.
    bound: Vec<(Box<str>, i128)>,
    depth: usize,
}

impl<'t> Program<'t> {
    /// The value of a constant expression; none if it is not constant, or depends on what is not known.
    pub fn constant(&self, scope: ScopeId, expr: &Expr) -> Option<Value> {
        Folder { program: self, scope, bound: Vec::new(), depth: 0 }.fold(expr)
    }

    /// The value of a constant expression as an integer.
    pub fn constant_integer(&self, scope: ScopeId, expr: &Expr) -> Option<i128> {
        self.constant(scope, expr)?.as_integer()
    }

    /// The value of a constant integer in which variables of loops have these values.
    pub fn constant_with(&self, scope: ScopeId, expr: &Expr, bound: &[(Box<str>, i128)]) -> Option<i128> {
        Folder { program: self, scope, bound: bound.to_vec(), depth: 0 }.fold(expr)?.as_integer()
    }

    /// A value as a variable holds it.
    pub fn as_symbol(&self, symbol: SymbolId, value: &Value) -> Option<Value> {
        let folder = Folder { program: self, scope: self.symbol(symbol).scope, bound: Vec::new(), depth: 0 };
        folder.converted(value, &self.symbol_type(symbol))
    }

    /// The value of a named constant, in the constant's own type.
    pub fn value_of(&self, symbol: SymbolId) -> Option<Value> {
        Folder { program: self, scope: self.symbol(symbol).scope, bound: Vec::new(), depth: 0 }.symbol(symbol)
    }
}

impl<'p, 't> Folder<'p, 't> {
    /// The value of an expression.
    pub fn fold(&self, expr: &Expr) -> Option<Value> {
        if self.depth > DEEPEST {
            return None;
        }
        match &expr.kind {
            ExprKind::Integer(digits, suffix) => integer(digits.parse().ok()?, self.suffix(suffix.as_ref(), 4)?),
            ExprKind::Real(text, suffix) => {
                let usual = if text.contains('d') { 8 } else { 4 };
                Real::of_text(text, self.suffix(suffix.as_ref(), usual)?).map(Value::Real)
            }
            ExprKind::Logical(value, suffix) => Some(Value::Logical(*value, self.suffix(suffix.as_ref(), 4)?)),
            ExprKind::Text(text, _) => Some(Value::Text(text.clone())),
            ExprKind::Parenthesised(inner) => self.fold(inner),
            ExprKind::Unary(operator, operand) => {
                let value = self.fold(operand)?;
                match operator {
                    Unary::Plus => Some(value),
                    Unary::Minus => value.map(&Value::negated),
                    Unary::Not => value.map(&|value| match value {
                        Value::Logical(value, kind) => Some(Value::Logical(!value, *kind)),
                        _ => None,
                    }),
                    Unary::Defined(_) => None,
                }
            }
            ExprKind::Binary(operator, left, right) => binary(operator, &self.fold(left)?, &self.fold(right)?),
            ExprKind::Array(spec, items) => {
                let mut values = Vec::new();
                for item in items {
                    self.add_items(item, &mut values)?;
                }
                let count = i128::try_from(values.len()).ok()?;
                let array = Value::Array(values, vec![count]);
                match spec {
                    Some(spec) => self.converted(&array, &self.program.type_of_spec(self.scope, spec)),
                    None => Some(array),
                }
            }
            ExprKind::Reference(reference) => match reference.parts.as_slice() {
                [part] => self.reference(part),
                _ => None,
            },
            ExprKind::Complex(..) | ExprKind::Hollerith(_) | ExprKind::Boz(_) | ExprKind::ImpliedDo(_) => None,
            ExprKind::Substring(..) => None,
        }
    }

    fn add_items(&self, item: &Expr, values: &mut Vec<Value>) -> Option<()> {
        if let ExprKind::ImpliedDo(implied) = &item.kind {
            return self.add_loop(implied, values);
        }
        match self.fold(item)? {
            Value::Array(items, _) => values.extend(items),
            scalar => values.push(scalar),
        }
        Some(())
    }

    fn add_loop(&self, implied: &ImpliedDo, values: &mut Vec<Value>) -> Option<()> {
        let bound = |i: usize| implied.bounds.get(i).map(|bound| self.fold(bound)?.as_integer());
        let (mut at, last, step) = (bound(0)??, bound(1)??, bound(2).unwrap_or(Some(1))?);
        while step != 0 && ((step > 0 && at <= last) || (step < 0 && at >= last)) {
            let mut bound = self.bound.clone();
            bound.push((implied.variable.name.clone(), at));
            let inner = Folder { program: self.program, scope: self.scope, bound, depth: self.depth + 1 };
            for item in &implied.items {
                inner.add_items(item, values)?;
            }
            at += step;
        }
        Some(())
    }

    fn suffix(&self, suffix: Option<&KindSuffix>, usual: u8) -> Option<u8> {
        match suffix {
            None => Some(usual),
            Some(KindSuffix::Number(number)) => u8::try_from(*number).ok(),
            Some(KindSuffix::Name(name)) => {
                let symbol = self.program.lookup(self.scope, &name.name)?;
                u8::try_from(self.symbol(symbol)?.as_integer()?).ok()
            }
        }
    }

    fn reference(&self, part: &Part) -> Option<Value> {
        let loop_value = self.bound.iter().rev().find(|(name, _)| *name == part.name.name);
        if let (Some((_, value)), []) = (loop_value, part.lists.as_slice()) {
            return integer(*value, 4);
        }
        let symbol = self.program.lookup(self.scope, &part.name.name);
        let class = symbol.map(|symbol| &self.program.symbol(symbol).class);
        match (class, part.lists.as_slice()) {
            (Some(Class::Constant | Class::Known(_) | Class::Enumerator(..)), []) => self.symbol(symbol?),
            (Some(Class::Constant | Class::Known(_)), [list]) => self.element(symbol?, list),
            (None | Some(Class::Intrinsic | Class::Variable), [list]) => self.intrinsic(&part.name.name, list),
            _ => None,
        }
    }

    /// The value of a named constant.
    fn symbol(&self, id: SymbolId) -> Option<Value> {
        let symbol = self.program.symbol(id);
        let inner = Folder { program: self.program, scope: symbol.scope, bound: Vec::new(), depth: self.depth + 1 };
        match (&symbol.class, symbol.value) {
            (Class::Known([value]), _) => integer(*value, 4),
            (Class::Known(values), _) => {
                let items: Option<Vec<Value>> = values.iter().map(|value| integer(*value, 4)).collect();
                Some(Value::Array(items?, vec![i128::try_from(values.len()).ok()?]))
            }
            (Class::Enumerator(base, offset), _) => {
                let base = base.map_or(Some(0), |base| inner.fold(base)?.as_integer())?;
                integer(base + offset, 4)
            }
            (_, Some(value)) => {
                let value = self.converted(&inner.fold(value)?, &self.program.symbol_type(id))?;
                inner.shaped(id, value)
            }
            _ => None,
        }
    }

    /// A scalar that is the value of an array stands for each element.
    fn shaped(&self, id: SymbolId, value: Value) -> Option<Value> {
        let Some(bounds) = self.program.bounds(id) else { return Some(value) };
        let Value::Array(items, _) = value else {
            let extents: Option<Vec<i128>> = bounds.iter().map(|bound| bound.extent(self.program)).collect();
            let extents = extents?;
            let count = usize::try_from(extents.iter().product::<i128>()).ok().filter(|count| *count < 1 << 20)?;
            return Some(Value::Array(vec![value; count], extents));
        };
        let extents: Option<Vec<i128>> = bounds.iter().map(|bound| bound.extent(self.program)).collect();
        let count = i128::try_from(items.len()).ok()?;
        // An implied shape, `(*)`, is the value's.
        let extents = extents.unwrap_or_else(|| vec![count]);
        (extents.iter().product::<i128>() == count).then_some(Value::Array(items, extents))
    }

    fn element(&self, id: SymbolId, list: &[Argument]) -> Option<Value> {
        let Value::Array(items, extents) = self.symbol(id)? else { return None };
        let bounds = self.program.bounds(id).unwrap_or_default();
        let (mut at, mut stride) = (0, 1);
        for (i, (argument, extent)) in list.iter().zip(&extents).enumerate() {
            let lower = bounds.get(i).map_or(Some(1), |bound| bound.constant_lower(self.program))?;
            let index = self.argument(argument)?.as_integer()? - lower;
            (0..*extent).contains(&index).then_some(())?;
            at += index * stride;
            stride *= extent;
        }
        items.get(usize::try_from(at).ok()?).filter(|_| list.len() == extents.len()).cloned()
    }

    /// The value of an item in parentheses.
    pub fn argument(&self, argument: &Argument) -> Option<Value> {
        match &argument.value {
            ArgumentValue::Expr(value) => self.fold(value),
            _ => None,
        }
    }

    /// A value as one of a type, as an assignment converts it.
    fn converted(&self, value: &Value, to: &Type) -> Option<Value> {
        match to {
            Type::Basic(Basic::Integer, Some(kind)) => value.map(&|value| value.to_integer(*kind)),
            Type::Basic(Basic::Real, Some(kind)) => value.map(&|value| value.to_real(*kind)),
            Type::Basic(Basic::Logical, Some(kind)) => value.map(&|value| match value {
                Value::Logical(value, _) => Some(Value::Logical(*value, *kind)),
                _ => None,
            }),
            Type::Basic(Basic::Character, _) => Some(value.clone()),
            _ => None,
        }
    }

    /// The type of an expression.
    pub fn typed(&self, expr: &Expr) -> Typed {
        self.program.type_of(self.scope, expr)
    }
}
