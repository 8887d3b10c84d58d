//! Operators of the program's own: `a + b` of derived types, `.dot.`. Each is a call of the function that it stands for.
//!
//! ```text
//!   v + h*force(r)      +(v, *(h, force(r)))      a reference whose name is the operator
//! ```

use super::state::{Called, Lower, Operators, Reader, Result};
use crate::refuse::Class;
use adtape_fortran::scope::program::{Program, ScopeId, ScopeKind, Type as Declared};
use adtape_fortran::source::Span as Written;
use adtape_fortran::tree::expression::{
    Argument, ArgumentValue, Expr, ExprKind as Kind, Ident, Part, Reference, Section,
};
use adtape_fortran::tree::walk::{self, Node};

/// Finds the operators in the bodies of procedures.
pub fn operators(names: &Program) -> Operators {
    let mut found = Operators::default();
    if names.scopes.iter().all(|scope| scope.operators.is_empty()) {
        return found;
    }
    for (number, scope) in names.scopes.iter().enumerate() {
        let ScopeKind::Unit(unit) = scope.kind else { continue };
        let mut scopes = vec![ScopeId(number as u32)];
        walk::block(&unit.body, &mut |node| {
            let here = *scopes.last().expect("the procedure's own");
            match node {
                Node::Enter(statement) => scopes.push(names.scope_of(statement).unwrap_or(here)),
                Node::EnterArm(_, arm) => scopes.push(names.scope_of(arm).unwrap_or(here)),
                Node::Leave => drop(scopes.pop()),
                Node::Operator(expr) => {
                    if let Kind::Reference(call) = &called(names, here, expr).kind {
                        found.insert(std::ptr::from_ref(expr).addr(), call.clone());
                    }
                }
                Node::Reference(_) | Node::Callee(_) | Node::Index(_) => {}
            }
        });
    }
    found
}

/// The operator of an expression, and its operands.
fn parts(expr: &Expr) -> Option<(String, Vec<&Expr>)> {
    match &expr.kind {
        Kind::Unary(operator, operand) => Some((operator.text(), vec![operand])),
        Kind::Binary(operator, left, right) => Some((operator.text(), vec![left, right])),
        _ => None,
    }
}

/// An expression with calls in place of operators.
fn called(names: &Program, scope: ScopeId, expr: &Expr) -> Expr {
    let one = |inner: &Expr| Box::new(called(names, scope, inner));
    let kind = match &expr.kind {
        Kind::Unary(..) | Kind::Binary(..) => {
            let (operator, operands) = parts(expr).expect("an operator");
            let types: Vec<_> = operands.iter().map(|operand| names.type_of(scope, operand)).collect();
            let is_own = types.iter().any(|typed| !matches!(typed.type_, Declared::Basic(..)))
                || operator.starts_with('.') && names.operator(scope, &operator, &types).is_some();
            match &expr.kind {
                _ if is_own && names.operator(scope, &operator, &types).is_some() => {
                    let operands = operands.into_iter().map(|operand| called(names, scope, operand));
                    Kind::Reference(call(&operator, operands, expr.span))
                }
                Kind::Unary(sign, operand) => Kind::Unary(sign.clone(), one(operand)),
                Kind::Binary(operator, left, right) => Kind::Binary(operator.clone(), one(left), one(right)),
                other => other.clone(),
            }
        }
        Kind::Parenthesised(inner) => Kind::Parenthesised(one(inner)),
        Kind::Reference(reference) => Kind::Reference(called_within(names, scope, reference)),
        Kind::Array(spec, items) => {
            Kind::Array(spec.clone(), items.iter().map(|item| called(names, scope, item)).collect())
        }
        other => other.clone(),
    };
    Expr { kind, span: expr.span }
}

/// A reference with calls in place of operators in its lists.
fn called_within(names: &Program, scope: ScopeId, reference: &Reference) -> Reference {
    let mut reference = reference.clone();
    let lists = reference.parts.iter_mut().flat_map(|part| &mut part.lists);
    for argument in lists.flatten() {
        match &mut argument.value {
            ArgumentValue::Expr(value) => *value = called(names, scope, value),
            ArgumentValue::Section(Section { lower, upper, stride, .. }) => {
                for bound in [lower, upper, stride].into_iter().flatten() {
                    **bound = called(names, scope, bound);
                }
            }
            _ => {}
        }
    }
    reference
}

/// A call by an operator.
fn call(operator: &str, operands: impl Iterator<Item = Expr>, span: Written) -> Reference {
    let list = operands.map(|operand| Argument { keyword: None, value: ArgumentValue::Expr(operand) }).collect();
    let name = Ident { name: operator.into(), span };
    Reference { parts: vec![Part { name, lists: vec![list], image: None }], span }
}

impl<'t> Reader<'t> {
    /// The call that an operator stands for.
    pub fn operator(&self, expr: &Expr) -> Option<&'t Reference> {
        self.operators.get(&std::ptr::from_ref(expr).addr())
    }

    /// The reference that an expression is, or stands for.
    pub fn reference(&self, expr: &'t Expr) -> Option<&'t Reference> {
        self.operator(expr).or_else(|| expr.reference())
    }
}

impl<'t> Lower<'_, 't> {
    /// Whether an expression calls a function whose result is a derived type; the call.
    pub fn struct_call(&self, expr: &'t Expr) -> Option<(ScopeId, &'t Reference)> {
        let reference = self.reader.reference(expr).filter(|reference| !self.is_variable(reference))?;
        match self.reader.called(self.scope, &reference.parts[0]) {
            Called::Procedure(scope) if self.reader.returns_struct(scope) => Some((scope, reference)),
            _ => None,
        }
    }

    /// Refuses `a = b` where the program says what that means.
    pub fn refuse_own_assignment(&mut self, target: &'t Reference, value: &'t Expr) -> Result<()> {
        let types = [self.names.type_of_reference(self.scope, target), self.names.type_of(self.scope, value)];
        let is_own = types.iter().any(|typed| matches!(typed.type_, Declared::Derived(_)));
        if !is_own || self.names.operator(self.scope, "=", &types).is_none() {
            return Ok(());
        }
        let what = "this assignment calls a subroutine of the program's own";
        self.refuse(target.span, Class::Language, what, "call it by its name")
    }
}
