//! Operators of the program's own: `a + b` of derived types, `.dot.`. Each is a call of the function that it stands for.
//!
//! ```text
//!   v + h*force(r)      +(v, *(h, force(r)))      a reference whose name is the operator
//!   v = r               call =(v, r)              where the program says what this assignment does
//! ```

use super::state::{Called, Lower, Operators, Reader};
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
                Node::Assigned(target, value) => {
                    if let Some(call) = assigned(names, here, target, value) {
                        found.insert(std::ptr::from_ref(target).addr(), call);
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

/// The call that `a = b` stands for, where the program says what that does.
fn assigned(names: &Program, scope: ScopeId, target: &Reference, value: &Expr) -> Option<Reference> {
    let value = called(names, scope, value);
    let types = [names.type_of_reference(scope, target), names.type_of(scope, &value)];
    let is_own = types.iter().any(|typed| matches!(typed.type_, Declared::Derived(_)));
    names.operator(scope, "=", &types).filter(|_| is_own)?;
    let mut reads_target = false;
    walk::expr(&value, &mut |node| {
        if let Node::Reference(read) = node {
            reads_target |= read.parts[0].name.name == target.parts[0].name.name;
        }
    });
    // The value is that of before.
    let span = value.span;
    let value = if reads_target { Expr { kind: Kind::Parenthesised(Box::new(value)), span } } else { value };
    let target = Expr { kind: Kind::Reference(target.clone()), span: target.span };
    Some(call("=", [target, value].into_iter(), span))
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

    /// The call that an assignment to something stands for.
    pub fn assignment(&self, target: &Reference) -> Option<&'t Reference> {
        self.operators.get(&std::ptr::from_ref(target).addr())
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
        match self.called(&reference.parts[0]) {
            Called::Procedure(scope) if self.reader.returns_struct(scope) => Some((scope, reference)),
            _ => None,
        }
    }
}
