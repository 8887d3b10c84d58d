//! Expressions that planner and sweeps make.

use crate::ir::{Binary, Expr, ExprKind, Language, Type};

/// `x op y`, without operations on integers that change nothing.
pub(crate) fn binary(op: Binary, x: Expr, y: Expr, ty: Type) -> Expr {
    if ty.is_integer() {
        match (op, &x.kind, &y.kind) {
            (Binary::Add | Binary::Subtract, _, ExprKind::Int(0)) if x.ty == ty => return x,
            (Binary::Multiply, _, ExprKind::Int(1)) if x.ty == ty => return x,
            (Binary::Add, ExprKind::Int(0), _) | (Binary::Multiply, ExprKind::Int(1), _) if y.ty == ty => return y,
            _ => {}
        }
    }
    Expr::binary(op, x, y, ty)
}

/// The expression at another type.
pub(crate) fn cast(expr: Expr, ty: &Type) -> Expr {
    match expr.kind {
        _ if expr.ty == *ty => expr,
        ExprKind::Int(n) if ty.holds(n) => Expr::constant(n, ty.clone()),
        _ => Expr::cast(expr, ty.clone()),
    }
}

/// The type of numbers of passes.
pub(crate) fn counter(language: Language) -> Type {
    match language {
        Language::C => Type::unsigned(64),
        Language::Fortran => Type::signed(64),
    }
}
