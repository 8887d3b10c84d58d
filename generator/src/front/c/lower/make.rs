//! Makes expressions, folding constants.

use crate::ir::*;

/// C's `long`: what subscripts that do not fit together are computed in.
pub fn long() -> Type {
    Type::long()
}

/// An integer constant.
pub fn constant(value: i128, ty: Type) -> Expr {
    Expr::constant(value, ty)
}

/// `0` or `1`.
pub fn truth_constant(value: bool) -> Expr {
    Expr::int(i128::from(value))
}

/// The value if the expression is an integer constant.
pub fn known(expr: &Expr) -> Option<i128> {
    match expr.kind {
        ExprKind::Int(value) => Some(value),
        _ => None,
    }
}

/// `value` as an integer type holds it.
pub fn wrap(value: i128, ty: &Type) -> i128 {
    let Type::Int { bits, signed, .. } = ty else { return value };
    if *bits == 1 {
        return i128::from(value != 0);
    }
    let size = 1_i128 << bits;
    let low = value.rem_euclid(size);
    if *signed && low >= size / 2 { low - size } else { low }
}

/// A conversion of a scalar.
pub fn cast(expr: Expr, ty: Type) -> Expr {
    if expr.ty == ty {
        return expr;
    }
    match (&expr.kind, &ty) {
        (ExprKind::Int(value), Type::Int { .. }) => constant(wrap(*value, &ty), ty),
        (ExprKind::Int(value), Type::Float { bits: 32 }) if (0..=1 << 24).contains(value) => {
            Expr::float(format!("{value}.0f"), ty)
        }
        (ExprKind::Int(value), Type::Float { bits: 64 }) if (0..=1_i128 << 53).contains(value) => {
            Expr::float(format!("{value}.0"), ty)
        }
        (ExprKind::Null, Type::Pointer(_)) => Expr { kind: ExprKind::Null, ty },
        _ => Expr::cast(expr, ty),
    }
}

/// One operand.
pub fn unary(op: Unary, operand: Expr, ty: Type) -> Expr {
    if let (Some(value), Type::Int { .. }) = (known(&operand), &ty) {
        let value = match op {
            Unary::Negate => -value,
            Unary::Not => i128::from(value == 0),
            Unary::Complement => !value,
            Unary::Adjoint => value,
        };
        return constant(wrap(value, &ty), ty);
    }
    Expr::unary(op, operand, ty)
}

/// Two operands.
pub fn binary(op: Binary, left: Expr, right: Expr, ty: Type) -> Expr {
    if let (Some(a), Some(b), Type::Int { .. }) = (known(&left), known(&right), &ty)
        && let Some(value) = fold(op, a, b, &left.ty)
    {
        return constant(wrap(value, &ty), ty);
    }
    match (op, known(&left), known(&right)) {
        (Binary::Add, Some(0), _) if right.ty == ty => return right,
        (Binary::Add | Binary::Subtract, _, Some(0)) if left.ty == ty => return left,
        (Binary::And, Some(value), _) if value != 0 && is_truth(&right) => return right,
        (Binary::And, _, Some(value)) if value != 0 && is_truth(&left) => return left,
        (Binary::And, Some(0), _) => return truth_constant(false),
        (Binary::Or, Some(0), _) if is_truth(&right) => return right,
        (Binary::Or, Some(value), _) if value != 0 => return truth_constant(true),
        _ => {}
    }
    Expr::binary(op, left, right, ty)
}

/// Whether the expression is 0 or 1.
pub fn is_truth(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(value) => *value == 0 || *value == 1,
        ExprKind::Unary(Unary::Not, _) => true,
        ExprKind::Binary(op, ..) => {
            use Binary::*;
            matches!(op, And | Or | Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual)
        }
        _ => false,
    }
}

fn fold(op: Binary, a: i128, b: i128, ty: &Type) -> Option<i128> {
    let bits = if let Type::Int { bits, .. } = ty { *bits } else { return None };
    Some(match op {
        Binary::Add => a + b,
        Binary::Subtract => a - b,
        Binary::Multiply => a.checked_mul(b)?,
        Binary::Divide => a.checked_div(b)?,
        Binary::Remainder => a.checked_rem(b)?,
        Binary::ShiftLeft if (0..i128::from(bits)).contains(&b) => a << b,
        Binary::ShiftRight if (0..i128::from(bits)).contains(&b) => a >> b,
        Binary::ShiftLeft | Binary::ShiftRight | Binary::PointerDifference => return None,
        Binary::BitAnd => a & b,
        Binary::BitOr => a | b,
        Binary::BitXor => a ^ b,
        Binary::And => i128::from(a != 0 && b != 0),
        Binary::Or => i128::from(a != 0 || b != 0),
        Binary::Less => i128::from(a < b),
        Binary::LessEqual => i128::from(a <= b),
        Binary::Greater => i128::from(a > b),
        Binary::GreaterEqual => i128::from(a >= b),
        Binary::Equal => i128::from(a == b),
        Binary::NotEqual => i128::from(a != b),
    })
}

/// A scalar as a condition: an integer that is not 0 if the scalar is not.
pub fn condition(expr: Expr) -> Expr {
    match expr.ty {
        Type::Int { .. } => expr,
        _ => {
            let nothing = zero(&expr.ty);
            binary(Binary::NotEqual, expr, nothing, Type::int())
        }
    }
}

/// `!condition`, comparisons of integers and pointers turned round.
pub fn not(expr: Expr) -> Expr {
    let whole = |ty: &Type| !matches!(ty, Type::Float { .. });
    if let ExprKind::Binary(op, left, right) = &expr.kind {
        let turned = match op {
            Binary::Equal => Some(Binary::NotEqual),
            Binary::NotEqual => Some(Binary::Equal),
            Binary::Less if whole(&left.ty) => Some(Binary::GreaterEqual),
            Binary::LessEqual if whole(&left.ty) => Some(Binary::Greater),
            Binary::Greater if whole(&left.ty) => Some(Binary::LessEqual),
            Binary::GreaterEqual if whole(&left.ty) => Some(Binary::Less),
            _ => None,
        };
        if let Some(op) = turned {
            return Expr { kind: ExprKind::Binary(op, left.clone(), right.clone()), ty: expr.ty };
        }
    }
    unary(Unary::Not, expr, Type::int())
}

/// Both conditions, the second only if the first holds. As a condition only: not 0 instead of 1.
pub fn and(left: Expr, right: Expr) -> Expr {
    match (known(&left), known(&right)) {
        (Some(value), _) if value != 0 => return right,
        (_, Some(value)) if value != 0 => return left,
        _ => {}
    }
    binary(Binary::And, left, right, Type::int())
}

/// What a pointer points to.
pub fn pointee(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Pointer(to) => Some(to),
        _ => None,
    }
}

/// Contents of a place.
pub fn load(place: Place) -> Expr {
    let ty = place.ty.clone();
    Expr { kind: ExprKind::Load(Box::new(place)), ty }
}

/// Address of a place; `&p[0]` is `p`.
pub fn address(place: Place) -> Expr {
    let ty = Type::pointer(place.ty.clone());
    if let (Base::At(pointer), [Step::Index(subscripts)]) = (&place.base, &place.path[..])
        && subscripts.len() == 1
        && known(&subscripts[0].at) == Some(0)
        && pointer.ty == ty
    {
        return (**pointer).clone();
    }
    Expr { kind: ExprKind::Address(Box::new(place)), ty }
}

/// The element `at` behind a pointer. An address is taken apart again: `*(a + i)` is `a[i]`.
pub fn element(pointer: Expr, at: Expr) -> Place {
    let ty = pointee(&pointer.ty).cloned().unwrap_or_default();
    match pointer.kind {
        ExprKind::Address(mut place) if place.ty == ty => {
            if known(&at) == Some(0) {
                return *place;
            }
            if let Some(Step::Index(subscripts)) = place.path.last_mut()
                && let Some(last) = subscripts.last_mut()
            {
                let before = std::mem::replace(&mut last.at, Expr::int(0));
                last.at = sum(before, at);
                return *place;
            }
            let pointer = Expr { ty: pointer.ty, kind: ExprKind::Address(place) };
            behind(pointer, at, ty)
        }
        _ => behind(pointer, at, ty),
    }
}

fn behind(pointer: Expr, at: Expr, ty: Type) -> Place {
    let subscript = Subscript { at, dim: Dim::default() };
    Place { base: Base::At(Box::new(pointer)), path: vec![Step::Index(vec![subscript])], ty }
}

/// The sum of two subscripts, exact: in their own type if they share a signed one, else in `long`.
pub fn sum(left: Expr, right: Expr) -> Expr {
    if known(&left) == Some(0) {
        return right;
    }
    if known(&right) == Some(0) {
        return left;
    }
    let constant_fits = |expr: &Expr| known(expr).is_some_and(|value| i32::try_from(value).is_ok());
    let signed = |expr: &Expr| matches!(expr.ty, Type::Int { bits: 32.., signed: true, .. });
    let ty = match (signed(&left), signed(&right)) {
        (true, true) if left.ty == right.ty => left.ty.clone(),
        (true, _) if constant_fits(&right) => left.ty.clone(),
        (_, true) if constant_fits(&left) => right.ty.clone(),
        _ => long(),
    };
    binary(Binary::Add, cast(left, ty.clone()), cast(right, ty.clone()), ty)
}

/// `-at`, for subscripts.
pub fn opposite(at: Expr) -> Expr {
    let ty = match &at.ty {
        Type::Int { bits: 32.., signed: true, .. } => at.ty.clone(),
        _ => long(),
    };
    unary(Unary::Negate, cast(at, ty.clone()), ty)
}
