//! Makes expressions, folding constants.

use crate::ir::*;

/// The value if the expression is an integer constant.
pub fn known(expr: &Expr) -> Option<i128> {
    match expr.kind {
        ExprKind::Int(value) => Some(value),
        _ => None,
    }
}

/// A conversion of a scalar.
pub fn convert(expr: Expr, ty: &Type) -> Expr {
    if expr.ty == *ty {
        return expr;
    }
    match (&expr.kind, ty) {
        (ExprKind::Int(value), Type::Int { .. }) => Expr::constant(*value, ty.clone()),
        (ExprKind::Int(value), Type::Float { bits: 32 }) if value.abs() <= 1 << 24 => real(*value as f64, ty),
        (ExprKind::Int(value), Type::Float { bits: 64 }) if value.abs() <= 1 << 53 => real(*value as f64, ty),
        _ => Expr::cast(expr, ty.clone()),
    }
}

/// A real constant.
pub fn real(value: f64, ty: &Type) -> Expr {
    let magnitude = value.abs();
    let text = match ty {
        Type::Float { bits: 32 } => format!("{:?}f", magnitude as f32),
        _ => format!("{magnitude:?}"),
    };
    let constant = Expr::float(text, ty.clone());
    if value.is_sign_negative() { Expr::unary(Unary::Negate, constant, ty.clone()) } else { constant }
}

/// The wider of two integer types.
fn wider(a: &Type, b: &Type) -> Type {
    match (a, b) {
        (Type::Int { bits: one, .. }, Type::Int { bits: other, .. }) if other > one => b.clone(),
        _ => a.clone(),
    }
}

/// The sum of two integers.
pub fn add(a: Expr, b: Expr) -> Expr {
    combine(Binary::Add, a, b)
}

/// The difference of two integers.
pub fn subtract(a: Expr, b: Expr) -> Expr {
    combine(Binary::Subtract, a, b)
}

/// The product of two integers.
pub fn multiply(a: Expr, b: Expr) -> Expr {
    match (known(&a), known(&b)) {
        (Some(1), _) => b,
        (_, Some(1)) => a,
        (Some(x), Some(y)) => Expr::constant(x * y, wider(&a.ty, &b.ty)),
        _ => operation(Binary::Multiply, a, b),
    }
}

/// The quotient of two integers, without its fraction.
pub fn divide(a: Expr, b: Expr) -> Expr {
    match (known(&a), known(&b)) {
        (Some(x), Some(y)) if y != 0 => Expr::constant(x / y, wider(&a.ty, &b.ty)),
        (_, Some(1)) => a,
        _ => operation(Binary::Divide, a, b),
    }
}

/// A sum or a difference.
fn combine(op: Binary, a: Expr, b: Expr) -> Expr {
    let sign = if op == Binary::Add { 1 } else { -1 };
    match (known(&a), known(&b)) {
        (_, Some(more)) => a.offset(sign * more),
        (Some(more), _) if op == Binary::Add => b.offset(more),
        _ => operation(op, a, b),
    }
}

/// An operation on integers, in the wider of both types.
fn operation(op: Binary, a: Expr, b: Expr) -> Expr {
    let ty = wider(&a.ty, &b.ty);
    Expr::binary(op, convert(a, &ty), convert(b, &ty), ty)
}

/// The negation of a truth value.
pub fn not(a: Expr) -> Expr {
    let ty = a.ty.clone();
    match known(&a) {
        Some(value) => Expr::constant(i128::from(value == 0), ty),
        None => Expr::unary(Unary::Not, a, ty),
    }
}
