//! What an integer is after a number of equal steps. The value itself fits its type, but products and sums on the way
//! may not: where that is not certain they are computed in unsigned arithmetic, which wraps around and is exact.

use super::items::{binary, cast};
use crate::ir::{Binary, Expr, ExprKind, Type};

/// `init + before * step`, in the type of `init`.
pub(super) fn advanced(init: Expr, before: &Expr, step: &Expr) -> Expr {
    let ty = init.ty.clone();
    let Type::Int { bits, signed: true, .. } = ty else {
        let moved = binary(Binary::Multiply, cast(before.clone(), &ty), wrapped(step.clone(), &ty), ty.clone());
        return binary(Binary::Add, init, moved, ty);
    };
    // From a constant away from 0, every number on the way lies between 0 and the value.
    let away = match (&init.kind, &step.kind) {
        (ExprKind::Int(first), ExprKind::Int(step)) => (*first >= 0) == (*step >= 0) || *first == 0,
        _ => false,
    };
    let wide = if away { ty.clone() } else { unsigned(bits) };
    let moved = binary(Binary::Multiply, cast(before.clone(), &wide), wrapped(step.clone(), &wide), wide.clone());
    cast(binary(Binary::Add, wrapped(init, &wide), moved, wide), &ty)
}

/// `to - from` for `to` that is at least `from`: as such if both are on one side of 0, else unsigned.
pub(super) fn distance(to: &Expr, from: &Expr) -> Expr {
    let (to, from) = (to.clone(), from.clone());
    let ty = to.ty.clone();
    let Type::Int { bits, signed: true, .. } = ty else { return binary(Binary::Subtract, to, from, ty) };
    let near = |expr: &Expr| matches!(expr.kind, ExprKind::Int(n) if n >= 0);
    let below = |expr: &Expr| matches!(expr.kind, ExprKind::Int(n) if n < 0);
    if near(&from) || below(&to) {
        return binary(Binary::Subtract, to, from, ty);
    }
    let wide = unsigned(bits);
    binary(Binary::Subtract, wrapped(to, &wide), wrapped(from, &wide), wide)
}

fn unsigned(bits: u8) -> Type {
    let name = if bits == 64 { "uint64_t" } else { "unsigned int" };
    Type::Int { bits: bits.max(32), signed: false, name: name.into() }
}

/// A conversion to a type that may be unsigned; constants wrap around.
fn wrapped(expr: Expr, ty: &Type) -> Expr {
    match (&expr.kind, ty) {
        (ExprKind::Int(n), Type::Int { bits, signed: false, .. }) => {
            Expr { kind: ExprKind::Int(n.rem_euclid(1 << bits)), ty: ty.clone() }
        }
        _ => cast(expr, ty),
    }
}
