//! Types and bounds as they are declared, how tightly operators bind, sums of subscripts.

use crate::ir::*;

/// How tightly operators bind.
pub mod bind {
    pub const ANY: u8 = 0;
    pub const OR: u8 = 1;
    pub const AND: u8 = 2;
    pub const NOT: u8 = 3;
    pub const COMPARED: u8 = 4;
    pub const SUM: u8 = 5;
    pub const PRODUCT: u8 = 6;
    pub const POWER: u8 = 8;
    pub const NAME: u8 = 9;
}

/// Whether a type is that of truth values.
pub fn is_logical(ty: &Type) -> bool {
    matches!(ty, Type::Int { kind: IntKind::Named(name), .. } if **name == *LOGICAL)
}

/// Whether a type is that of texts.
pub fn is_text(ty: &Type) -> bool {
    matches!(ty, Type::Int { kind: IntKind::Named(name), .. } if **name == *TEXT)
}

/// A type as it is declared.
pub fn type_text(ty: &Type) -> String {
    match ty {
        _ if is_logical(ty) => "logical".into(),
        _ if is_text(ty) => TEXT.into(),
        Type::Int { signed: false, .. } => "integer(8)".into(),
        Type::Int { bits, .. } if *bits >= 16 => format!("integer({})", bits / 8),
        Type::Int { .. } => "integer(1)".into(),
        Type::Float { bits } => format!("real({})", bits / 8),
        Type::Pointer(to) => type_text(to),
        Type::Array(row) => type_text(&row.elem),
        Type::Void | Type::Struct(_) | Type::Opaque(_) => "integer".into(),
    }
}

/// What the type of a number is called on the tape: none for one that goes there alone.
pub fn suffix(ty: &Type) -> Option<&'static str> {
    match &*type_text(ty) {
        "real(4)" => Some("r4"),
        "real(8)" => Some("r8"),
        "integer(4)" => Some("i4"),
        "integer(8)" => Some("i8"),
        _ => None,
    }
}

/// A sum, folded.
pub fn sum(a: &Expr, b: &Expr) -> Expr {
    match (&a.kind, &b.kind) {
        (ExprKind::Int(value), _) => b.offset(*value),
        (_, ExprKind::Int(value)) => a.offset(*value),
        _ => Expr::binary(Binary::Add, a.clone(), b.clone(), a.ty.clone()),
    }
}

/// A product, folded.
pub fn product(a: &Expr, b: &Expr) -> Expr {
    match (&a.kind, &b.kind) {
        (ExprKind::Int(0), _) | (_, ExprKind::Int(0)) => Expr::constant(0, a.ty.clone()),
        (ExprKind::Int(1), _) => b.clone(),
        (_, ExprKind::Int(1)) => a.clone(),
        (ExprKind::Int(x), ExprKind::Int(y)) => Expr::constant(x * y, a.ty.clone()),
        _ => Expr::binary(Binary::Multiply, a.clone(), b.clone(), a.ty.clone()),
    }
}

/// Constant lower bounds; 0 where one is none. Directions of an adjoint come first, from 1.
pub fn bounds(lowers: &[Option<i128>], rank: usize) -> Vec<i128> {
    let directions = if lowers.is_empty() { 0 } else { rank.saturating_sub(lowers.len()) };
    let own = (0..rank - directions).map(|k| lowers.get(k).copied().unwrap_or(Some(1)).unwrap_or(0));
    std::iter::repeat_n(1, directions).chain(own).collect()
}
