//! What an integer is after a number of equal steps. The value itself fits its type, but products and sums on the way
//! may not: where that is not certain they are computed in C's unsigned arithmetic, which wraps around and is exact.
//! Fortran has none: there they are computed in signed arithmetic of twice the width. No integer of standard Fortran is
//! wider than 64 bits, and no loop goes half around one of these.

use super::exprs::{binary, cast};
use crate::ir::{Binary, Expr, ExprKind, IntKind, Language, Type};

/// `init + before * step`, in the type of `init`.
pub(crate) fn advanced(language: Language, init: Expr, before: &Expr, step: &Expr) -> Expr {
    let ty = init.ty.clone();
    let moved = |step: &Expr, wide: &Type| {
        binary(Binary::Multiply, cast(before.clone(), wide), wrapped(step.clone(), wide), wide.clone())
    };
    // Unsigned arithmetic subtracts as exactly as it adds, and a reader knows small numbers.
    let back = match step.kind {
        ExprKind::Int(n) if n < 0 => Some(Expr::constant(-n, step.ty.clone())),
        _ => None,
    };
    let unsigned_sum = |init: Expr, wide: Type| match &back {
        Some(back) => binary(Binary::Subtract, init, moved(back, &wide), wide),
        None => binary(Binary::Add, init, moved(step, &wide), wide),
    };
    let Type::Int { bits, signed: true, .. } = ty else { return unsigned_sum(init, ty) };
    // From a constant away from 0, every number on the way lies between 0 and the value.
    let away = match (&init.kind, &step.kind) {
        (ExprKind::Int(first), ExprKind::Int(step)) => (*first >= 0) == (*step >= 0) || *first == 0,
        _ => false,
    };
    if away {
        return binary(Binary::Add, init, moved(step, &ty), ty);
    }
    let wide = wide(language, bits);
    cast(unsigned_sum(wrapped(init, &wide), wide), &ty)
}

/// `to - from` for `to` that is at least `from`: as such if both are on one side of 0, else unsigned.
pub(crate) fn distance(language: Language, to: &Expr, from: &Expr) -> Expr {
    let (to, from) = (to.clone(), from.clone());
    let ty = to.ty.clone();
    let Type::Int { bits, signed: true, .. } = ty else { return binary(Binary::Subtract, to, from, ty) };
    let near = |expr: &Expr| matches!(expr.kind, ExprKind::Int(n) if n >= 0);
    let below = |expr: &Expr| matches!(expr.kind, ExprKind::Int(n) if n < 0);
    if near(&from) || below(&to) {
        return binary(Binary::Subtract, to, from, ty);
    }
    let wide = wide(language, bits);
    binary(Binary::Subtract, wrapped(to, &wide), wrapped(from, &wide), wide)
}

/// The type of numbers on the way.
pub(super) fn wide(language: Language, bits: u8) -> Type {
    match (language, bits) {
        (Language::Fortran, _) => Type::signed(64),
        (Language::C, 64) => Type::unsigned(64),
        (Language::C, _) => Type::Int { bits: bits.max(32), signed: false, kind: IntKind::Int },
    }
}

/// A conversion to a type that may be unsigned; constants wrap around.
fn wrapped(expr: Expr, ty: &Type) -> Expr {
    match (&expr.kind, ty) {
        (ExprKind::Int(n), Type::Int { bits, signed: false, .. }) => {
            Expr::constant(n.rem_euclid(1 << bits), ty.clone())
        }
        _ => cast(expr, ty),
    }
}
