//! Walks over expressions and places.

use super::parts::{Part, parts_of_dim, parts_of_item, parts_of_place_mut};
pub use super::parts::{parts, parts_of_place};
use super::{Def, Expr, ExprKind, ItemId, ItemKind, Place, Proc, ValueId, rewrite};
use crate::stack::deep;

/// Calls `see` on every expression below and including `expr`, operands first.
pub fn expressions<'a>(expr: &'a Expr, see: &mut dyn FnMut(&'a Expr)) {
    parts(expr, &mut |part| deep(|| expressions(part, see)));
    see(expr);
}

/// Calls `see` on every expression in a place.
pub fn in_place<'a>(place: &'a Place, see: &mut dyn FnMut(&'a Expr)) {
    parts_of_place(place, &mut |part| expressions(part, see));
}

/// Calls `see` on every value that the expression reads.
pub fn values(expr: &Expr, see: &mut dyn FnMut(ValueId)) {
    expressions(expr, &mut |e| {
        if let ExprKind::Value(v) = e.kind {
            see(v);
        }
    });
}

/// Calls `see` on every value that the place reads.
pub fn values_of_place(place: &Place, see: &mut dyn FnMut(ValueId)) {
    in_place(place, &mut |e| {
        if let ExprKind::Value(v) = e.kind {
            see(v);
        }
    });
}

/// Whether the expression reads memory.
pub fn loads(expr: &Expr) -> bool {
    let mut found = false;
    expressions(expr, &mut |e| found |= matches!(e.kind, ExprKind::Load(_)));
    found
}

/// The expression with each value replaced where `map` has something for it.
pub fn replace(expr: &Expr, map: &mut dyn FnMut(ValueId) -> Option<Expr>) -> Expr {
    let mut new = expr.clone();
    rewrite::replace(&mut new, map);
    new
}

/// The place with each value replaced where `map` has something for it.
pub fn replace_in_place(place: &Place, map: &mut dyn FnMut(ValueId) -> Option<Expr>) -> Place {
    let mut new = place.clone();
    parts_of_place_mut(&mut new, &mut |part| rewrite::replace(part, map));
    new
}

/// Calls `see` on every expression that an item evaluates, and on every place that it names as one (`Ok`, `Err`).
pub fn operands<'a>(proc: &'a Proc, item: ItemId, see: &mut dyn FnMut(Result<&'a Expr, &'a Place>)) {
    operands_of(proc, &proc.items[item].kind, see);
}

/// Calls `see` on every expression that an item of this kind evaluates, and on every place that it names as one.
pub fn operands_of<'a>(proc: &'a Proc, kind: &'a ItemKind, see: &mut dyn FnMut(Result<&'a Expr, &'a Place>)) {
    if let ItemKind::Let { value } = kind
        && let Def::Is(expr) = &proc.values[*value].def
    {
        see(Ok(expr));
    }
    parts_of_item(kind, &mut |part| match part {
        Part::Expr(expr) => see(Ok(expr)),
        Part::Read(place) | Part::Written(place) => see(Err(place)),
        Part::Used(_) | Part::Defined(_) | Part::Var(_) | Part::Object(_) | Part::Region(_) => {}
    });
}

/// Calls `see` on every expression below and including those that an item evaluates, and on every one in its places.
pub fn expressions_of_item<'a>(proc: &'a Proc, item: ItemId, see: &mut dyn FnMut(&'a Expr)) {
    operands(proc, item, &mut |operand| match operand {
        Ok(expr) => expressions(expr, see),
        Err(place) => in_place(place, see),
    });
}

/// Calls `see` on every place of an item: read, written, or of which it takes the address.
pub fn places_of_item<'a>(proc: &'a Proc, item: ItemId, see: &mut dyn FnMut(&'a Place)) {
    operands(proc, item, &mut |operand| {
        let mut inside = |e: &'a Expr| {
            if let ExprKind::Load(place) | ExprKind::Address(place) = &e.kind {
                see(place);
            }
        };
        match operand {
            Ok(expr) => expressions(expr, &mut inside),
            Err(place) => {
                in_place(place, &mut inside);
                see(place);
            }
        }
    });
}

/// Calls `see` on every value that the expressions and places of an item read.
pub fn values_of_operands(proc: &Proc, item: ItemId, see: &mut dyn FnMut(ValueId)) {
    expressions_of_item(proc, item, &mut |e| {
        if let ExprKind::Value(v) = e.kind {
            see(v);
        }
    });
}

/// Calls `see` on every value that an item reads: in its expressions, as arm of a join, as what a loop carries.
pub fn values_of_item(proc: &Proc, item: ItemId, see: &mut dyn FnMut(ValueId)) {
    values_of_operands(proc, item, see);
    proc.items[item].kind.used().into_iter().for_each(see);
}

/// Calls `see` on every value that the extents of what an item declares or allocates mention.
pub fn values_of_extents(proc: &Proc, item: ItemId, see: &mut dyn FnMut(ValueId)) {
    let Some(object) = proc.items[item].kind.begun() else { return };
    for dim in &proc.objects[object].shape {
        parts_of_dim(dim, &mut |bound| values(bound, see));
    }
}
