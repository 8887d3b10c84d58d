//! Expressions: of scalars, and of the elements of arrays.

use super::make::*;
use super::state::{Called, Lower, Memory, Result, Spot};
use super::types::{integer, logical};
use crate::ir::*;
use crate::refuse::Class;
use crate::stack::deep;
use adtape_fortran::scope::program as scope;
use adtape_fortran::scope::value::Value as Constant;
use adtape_fortran::tree::expression::{Expr as Written, ExprKind as Kind, Reference};
use adtape_fortran::tree::operator::{Binary as Operator, Unary as Sign};

/// Functions whose result is put into memory, in front of the statement, in whole or where it must.
const MADE_BEFORE: [&str; 5] = ["maxloc", "minloc", "pack", "reshape", "unpack"];

impl<'t> Lower<'_, 't> {
    /// A scalar.
    pub fn scalar(&mut self, expr: &'t Written) -> Result<Expr> {
        self.element(expr, &[])
    }

    /// A scalar integer.
    pub fn integer(&mut self, expr: &'t Written) -> Result<Expr> {
        let value = self.scalar(expr)?;
        if value.ty.is_integer() && value.ty != logical() {
            return Ok(value);
        }
        self.refuse(expr.span, Class::Language, "an integer is expected here", "")
    }

    /// A scalar truth value.
    pub fn truth(&mut self, expr: &'t Written) -> Result<Expr> {
        let value = self.scalar(expr)?;
        if value.ty == logical() {
            return Ok(value);
        }
        self.refuse(expr.span, Class::Language, "a logical is expected here", "")
    }

    /// The element of an expression at these subscripts from 0; of a scalar the value itself.
    pub fn element(&mut self, expr: &'t Written, at: &[Expr]) -> Result<Expr> {
        if let Some(known) = self.hoisted.get(&std::ptr::from_ref(expr).addr()) {
            return Ok(known.clone());
        }
        deep(|| self.element_here(expr, at))
    }

    /// Runs the calls with a scalar result that an expression of arrays has, in front of the loops over its elements.
    /// What was run for another expression is forgotten.
    pub fn hoist(&mut self, expr: &'t Written) -> Result<()> {
        self.hoisted.clear();
        self.constructed.clear();
        self.hoist_parts(expr)
    }

    pub fn hoist_parts(&mut self, expr: &'t Written) -> Result<()> {
        if let Some(call) = self.reader.operator(expr) {
            return self.hoist_call(expr, call);
        }
        match &expr.kind {
            Kind::Unary(_, inner) | Kind::Parenthesised(inner) => self.hoist_parts(inner),
            Kind::Binary(_, left, right) => {
                self.hoist_parts(left)?;
                self.hoist_parts(right)
            }
            Kind::Reference(reference) if !self.is_variable(reference) => self.hoist_call(expr, reference),
            Kind::Reference(reference) => self.hoist_subscripts(reference),
            Kind::Array(_, items) => self.hoist_items(expr, items),
            _ => Ok(()),
        }
    }

    /// Puts vectors of subscripts into memory that are lists.
    pub fn hoist_subscripts(&mut self, reference: &'t Reference) -> Result<()> {
        for argument in reference.parts.iter().flat_map(|part| &part.lists).flatten() {
            if let adtape_fortran::tree::expression::ArgumentValue::Expr(value) = &argument.value
                && self.names.type_of(self.scope, value).rank == Some(1)
            {
                self.hoist_parts(value)?;
            }
        }
        Ok(())
    }

    fn hoist_call(&mut self, expr: &'t Written, reference: &'t Reference) -> Result<()> {
        let called = self.called(&reference.parts[0]);
        // It is called where its value is read.
        if matches!(called, Called::Procedure(scope) if self.reader.returns_struct(scope)) {
            return Ok(());
        }
        let runs = matches!(called, Called::Procedure(_) | Called::Intrinsic(_));
        if runs && self.names.type_of(self.scope, expr).rank == Some(0) {
            let value = self.scalar(expr)?;
            let value = self.simple(value);
            self.hoisted.insert(std::ptr::from_ref(expr).addr(), value);
            return Ok(());
        }
        if matches!(&called, Called::Intrinsic(name) if MADE_BEFORE.contains(&&**name)) {
            return self.shape(expr).map(|_| ());
        }
        if let Called::Procedure(scope) = called
            && self.returns_array(scope)
        {
            return self.returned_array(expr, scope, reference).map(|_| ());
        }
        for argument in reference.parts[0].lists.iter().flatten() {
            if let adtape_fortran::tree::expression::ArgumentValue::Expr(value) = &argument.value {
                self.hoist_parts(value)?;
            }
        }
        Ok(())
    }

    fn element_here(&mut self, expr: &'t Written, at: &[Expr]) -> Result<Expr> {
        if let Some(call) = self.reader.operator(expr)
            && !self.is_in_memory(expr)
        {
            return self.reference(expr, call, at);
        }
        match &expr.kind {
            _ if self.constructed.contains_key(&std::ptr::from_ref(expr).addr()) => {
                let array = &self.constructed[&std::ptr::from_ref(expr).addr()];
                Ok(Expr::load(array.element(at.to_vec())))
            }
            Kind::Text(..) | Kind::Substring(..) | Kind::Binary(Operator::Concat, ..) => self.text(expr),
            Kind::Integer(..) | Kind::Logical(..) => match self.names.constant(self.scope, expr) {
                Some(value) => self.constant(&value, expr),
                None => self.refuse(expr.span, Class::Language, "the kind of this constant is not known", ""),
            },
            Kind::Real(text, _) => {
                let ty = self.names.type_of(self.scope, expr).type_;
                match self.reader.scalar_type(&ty) {
                    Ok(ty @ Type::Float { bits: 32 }) => Ok(Expr::float(format!("{}f", plain(text)), ty)),
                    Ok(ty) => Ok(Expr::float(plain(text), ty)),
                    Err(why) => self.refuse(expr.span, Class::Type, format!("a constant: {why}"), ""),
                }
            }
            Kind::Parenthesised(inner) => self.element(inner, at),
            Kind::Unary(sign, operand) => {
                let operand = self.element(operand, at)?;
                let ty = operand.ty.clone();
                match sign {
                    Sign::Plus => Ok(operand),
                    Sign::Minus => Ok(match known(&operand) {
                        Some(value) => Expr::constant(-value, ty),
                        None => Expr::unary(Unary::Negate, operand, ty),
                    }),
                    Sign::Not => Ok(not(operand)),
                    Sign::Defined(_) => self.own_operator(expr),
                }
            }
            Kind::Binary(operator, left, right) => self.binary(expr, operator, left, right, at),
            Kind::Reference(reference) => self.reference(expr, reference, at),
            _ => {
                let what = "an expression of this kind is not supported here";
                self.refuse(expr.span, Class::Language, what, "assign it to a variable, element by element")
            }
        }
    }

    fn own_operator<T>(&mut self, expr: &'t Written) -> Result<T> {
        self.refuse(
            expr.span,
            Class::Language,
            "an operator of the program's own",
            "call the function that it stands for",
        )
    }

    /// A named constant, or one that is computed from constants.
    pub fn constant(&mut self, value: &Constant, expr: &'t Written) -> Result<Expr> {
        match value {
            Constant::Integer(value, kind) => match integer(*kind) {
                Some(ty) => Ok(Expr::constant(*value, ty)),
                None => self.refuse(expr.span, Class::Type, "an integer of this kind is not supported", ""),
            },
            Constant::Logical(value, _) => Ok(Expr::constant(i128::from(*value), logical())),
            Constant::Real(found) => Ok(real(found.value, &Type::Float { bits: found.kind * 8 })),
            Constant::Text(_) => self.text(expr),
            Constant::Array(..) => {
                self.refuse(expr.span, Class::Type, "a constant of this type is not supported here", "")
            }
        }
    }

    fn binary(
        &mut self,
        expr: &'t Written,
        operator: &Operator,
        left: &'t Written,
        right: &'t Written,
        at: &[Expr],
    ) -> Result<Expr> {
        if let Some(value) = self.names.constant(self.scope, expr)
            && matches!(value, Constant::Integer(..) | Constant::Logical(..))
        {
            return self.constant(&value, expr);
        }
        if let Some(answer) = self.compared_texts(operator, left, right)? {
            return Ok(answer);
        }
        if matches!(operator, Operator::And | Operator::Or) {
            return self.both_or_either(operator, left, right, at);
        }
        let (a, b) = (self.element(left, at)?, self.element(right, at)?);
        let compared = match operator {
            Operator::Power => return self.power(expr, a, b),
            Operator::Plus => Err(Binary::Add),
            Operator::Minus => Err(Binary::Subtract),
            Operator::Times => Err(Binary::Multiply),
            Operator::Divide => Err(Binary::Divide),
            Operator::Equal | Operator::Eqv => Ok(Binary::Equal),
            Operator::NotEqual | Operator::Neqv => Ok(Binary::NotEqual),
            Operator::Less => Ok(Binary::Less),
            Operator::LessEqual => Ok(Binary::LessEqual),
            Operator::Greater => Ok(Binary::Greater),
            Operator::GreaterEqual => Ok(Binary::GreaterEqual),
            Operator::And | Operator::Or => unreachable!("they were handled above"),
            Operator::Concat => unreachable!("it makes a text"),
            Operator::Defined(_) => return self.own_operator(expr),
        };
        let ty = promoted(&a.ty, &b.ty);
        let (a, b) = (convert(a, &ty), convert(b, &ty));
        Ok(match compared {
            Ok(op) => Expr::binary(op, a, b, logical()),
            Err(op @ (Binary::Add | Binary::Subtract)) if ty.is_integer() => match op {
                Binary::Add => add(a, b),
                _ => subtract(a, b),
            },
            Err(op) => Expr::binary(op, a, b, ty),
        })
    }

    /// `.and.`, `.or.`: the second operand is evaluated only where it decides, if it calls a function.
    fn both_or_either(
        &mut self,
        operator: &Operator,
        left: &'t Written,
        right: &'t Written,
        at: &[Expr],
    ) -> Result<Expr> {
        let op = if *operator == Operator::And { Binary::And } else { Binary::Or };
        let a = self.element(left, at)?;
        // What is decided already may stand in front of what is not there.
        if let Some(decides) = known(&a) {
            return if (decides == 0) == (op == Binary::And) { Ok(a) } else { self.element(right, at) };
        }
        if !self.calls(right) {
            let b = self.element(right, at)?;
            return Ok(Expr::binary(op, a, b, logical()));
        }
        let span = self.b.span;
        let var = self.b.var("decided", logical(), VarKind::Temporary, span);
        self.b.assign(var, a);
        let on = self.b.get(var);
        self.b.begin_branch(if op == Binary::And { on } else { not(on) });
        let b = self.element(right, at)?;
        self.b.assign(var, b);
        self.b.end_branch();
        Ok(self.b.get(var))
    }

    /// Whether an expression calls a procedure of the program.
    fn calls(&self, expr: &'t Written) -> bool {
        let mut found = false;
        adtape_fortran::tree::walk::expr(expr, &mut |node| {
            if let adtape_fortran::tree::walk::Node::Reference(reference) = node {
                found |= matches!(self.called(&reference.parts[0]), Called::Procedure(_));
            }
        });
        found
    }

    fn reference(&mut self, expr: &'t Written, reference: &'t Reference, at: &[Expr]) -> Result<Expr> {
        let part = &reference.parts[0];
        let symbol = self.names.lookup(self.scope, &part.name.name);
        match symbol.map(|symbol| (symbol, &self.names.symbol(symbol).class)) {
            Some((symbol, scope::Class::Variable | scope::Class::Associated(_))) => {
                if self.names_text(reference) {
                    return self.text(expr);
                }
                if let (Some(Memory::Value(value)), 1) = (self.memory.get(&symbol), reference.parts.len()) {
                    return Ok(value.clone());
                }
                match self.place(reference, at)? {
                    Spot::Var(var) => Ok(self.b.get(var)),
                    Spot::Place(place) if matches!(place.ty, Type::Struct(_)) => {
                        let what = format!("'{}' is of a derived type, and a number is expected here", part.name.name);
                        self.refuse(expr.span, Class::Type, what, "name a component")
                    }
                    Spot::Place(place) => Ok(Expr::load(place)),
                }
            }
            Some((symbol, scope::Class::Constant | scope::Class::Enumerator(..) | scope::Class::Known(_))) => {
                self.named_constant(expr, symbol, reference, at)
            }
            _ => match self.called(part) {
                Called::Procedure(scope) => self.call_function(scope, reference, at),
                Called::Intrinsic(name) => self.intrinsic(expr, &name, part, at),
                Called::Statement(dummies, value, scope) => {
                    self.statement_function(&dummies, value, scope, reference, at)
                }
                Called::Nothing => {
                    let what = format!("'{}' is no variable and no function", part.name.name);
                    self.refuse(expr.span, Class::Language, what, "")
                }
                Called::Unknown(Some(module)) if &*module == "ieee_arithmetic" && &*part.name.name == "ieee_is_nan" => {
                    let [x] = self.given(expr, part, ["x"])?;
                    let x = self.element(x, at)?;
                    Ok(Expr::binary(Binary::NotEqual, x.clone(), x, logical()))
                }
                Called::Unknown(module) => self.no_source(&part.name, module),
                Called::Entry => self.no_entry(&part.name),
            },
        }
    }

    fn named_constant(
        &mut self,
        expr: &'t Written,
        symbol: scope::SymbolId,
        reference: &'t Reference,
        at: &[Expr],
    ) -> Result<Expr> {
        match self.names.constant(self.scope, expr) {
            None | Some(Constant::Array(..)) if self.names.symbol(symbol).dims.is_some() => {
                match self.place(reference, at)? {
                    Spot::Place(place) => Ok(Expr::load(place)),
                    Spot::Var(_) => unreachable!("an array is memory"),
                }
            }
            Some(Constant::Real(found)) if found.is_approximate => {
                let declared = self.names.symbol(symbol);
                let init = match declared.init {
                    Some(adtape_fortran::tree::declaration::Init::Value(value)) => Some(value),
                    _ => None,
                };
                match declared.value.or(init) {
                    Some(value) => {
                        let ty = Type::Float { bits: found.kind * 8 };
                        let value = self.in_scope(declared.scope, |this| this.scalar(value))?;
                        Ok(convert(value, &ty))
                    }
                    None => Ok(real(found.value, &Type::Float { bits: found.kind * 8 })),
                }
            }
            Some(value) => self.constant(&value, expr),
            None => {
                let what = format!("the value of the constant '{}' is not known", self.names.symbol(symbol).name);
                self.refuse(expr.span, Class::Language, what, "add the source of the module that it comes from")
            }
        }
    }

    fn statement_function(
        &mut self,
        dummies: &[&'t adtape_fortran::tree::expression::Ident],
        value: &'t Written,
        scope: scope::ScopeId,
        reference: &'t Reference,
        at: &[Expr],
    ) -> Result<Expr> {
        let list = reference.parts[0].lists.first().map_or(&[][..], |list| list);
        let mut bound = Vec::new();
        for (dummy, argument) in dummies.iter().zip(list) {
            let adtape_fortran::tree::expression::ArgumentValue::Expr(actual) = &argument.value else { continue };
            let actual = self.element(actual, at)?;
            let Some(symbol) = self.names.lookup(scope, &dummy.name) else { continue };
            let ty = self.type_of_symbol(symbol, dummy.span)?;
            let actual = self.b.keep(&dummy.name, convert(actual, &ty));
            bound.push((symbol, self.memory.insert(symbol, Memory::Value(actual))));
        }
        let found = self.in_scope(scope, |this| this.scalar(value));
        for (symbol, before) in bound {
            match before {
                Some(before) => drop(self.memory.insert(symbol, before)),
                None => drop(self.memory.remove(&symbol)),
            }
        }
        found
    }
}

/// The type of an operation on two numbers.
pub fn promoted(a: &Type, b: &Type) -> Type {
    match (a, b) {
        (Type::Float { bits: one }, Type::Float { bits: other }) => Type::Float { bits: *one.max(other) },
        (Type::Float { .. }, _) => a.clone(),
        (_, Type::Float { .. }) => b.clone(),
        (Type::Int { bits: one, .. }, Type::Int { bits: other, .. }) if other > one => b.clone(),
        _ => a.clone(),
    }
}

/// A real constant as C spells it.
fn plain(text: &str) -> String {
    text.replace(['d', 'q'], "e")
}
