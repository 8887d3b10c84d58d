//! Decisions that depend on how reals were rounded.
//!
//! C's output keeps a product and a sum apart (`FP_CONTRACT OFF`), so a test of reals that is computed again comes out
//! as before. Fortran has no such word: a compiler may round `a * b - c` once in one sweep and twice in the other. There
//! a decision stays where it was made, on the tape, unless its operands are read and not computed.

use crate::ir::{Binary, Def, Expr, ExprKind, Language, Proc, Type, Unary, ValueId, walk};
use std::collections::BTreeSet;

/// Whether an expression may have another value where it is evaluated again: a comparison or an integer that is made of
/// reals that are computed.
pub fn may_differ(proc: &Proc, expr: &Expr) -> bool {
    if proc.language == Language::C {
        return false;
    }
    let mut found = false;
    walk::expressions(expr, &mut |e| {
        found |= !is_real(e)
            && match &e.kind {
                ExprKind::Binary(op, left, right) if *op != Binary::PointerDifference => {
                    [left, right].into_iter().any(|operand| is_computed(proc, operand, &mut BTreeSet::new()))
                }
                ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => {
                    is_computed(proc, operand, &mut BTreeSet::new())
                }
                ExprKind::Function(_, operands) => {
                    operands.iter().any(|operand| is_computed(proc, operand, &mut BTreeSet::new()))
                }
                _ => false,
            };
    });
    found
}

/// Whether an expression has a sum of reals, which a compiler may round together with a product in it.
pub fn is_sum(e: &Expr) -> bool {
    is_real(e) && matches!(e.kind, ExprKind::Binary(Binary::Add | Binary::Subtract, ..))
}

fn is_real(expr: &Expr) -> bool {
    matches!(expr.ty, Type::Float { .. })
}

/// Whether a real is made by operations that round, or that may.
fn is_computed(proc: &Proc, expr: &Expr, seen: &mut BTreeSet<ValueId>) -> bool {
    is_real(expr)
        && match &expr.kind {
            ExprKind::Value(value) => match &proc.values[*value].def {
                Def::Is(from) => seen.insert(*value) && is_computed(proc, from, seen),
                Def::Join(..) | Def::Head(..) | Def::Out(..) => true,
                Def::Entry(_) | Def::Undefined | Def::Result(_) | Def::Popped(_) => false,
            },
            ExprKind::Unary(Unary::Negate, operand) => is_computed(proc, operand, seen),
            ExprKind::Load(_) | ExprKind::Float(_) => false,
            _ => true,
        }
}
