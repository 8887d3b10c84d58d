//! Where pointers lead, as far as their definitions say.

use crate::ir::*;

/// Definitions that are followed.
pub const DEPTH: u32 = 64;

/// What a pointer points to, if that is a place in an object.
pub fn target(proc: &Proc, e: &Expr, depth: u32) -> Option<Place> {
    let depth = depth.checked_sub(1)?;
    match &e.kind {
        ExprKind::Address(place) => resolved(proc, place, depth),
        ExprKind::Value(value) => match &proc.values[*value].def {
            Def::Is(e) => target(proc, e, depth),
            _ => None,
        },
        _ => None,
    }
}

/// A place by the object that it is in.
pub fn resolved(proc: &Proc, place: &Place, depth: u32) -> Option<Place> {
    let Base::At(pointer) = &place.base else {
        return matches!(place.base, Base::Object(_)).then(|| place.clone());
    };
    let to = target(proc, pointer, depth)?;
    let first = place.path.first();
    let only = matches!(first, Some(Step::Index(all)) if matches!(&all[..], [Subscript { at, .. }] if at.kind == ExprKind::Int(0)));
    let same = pointer.ty == Type::pointer(to.ty.clone());
    (only && same).then(|| {
        let path = to.path.into_iter().chain(place.path[1..].iter().cloned()).collect();
        Place { base: to.base, path, ty: place.ty.clone() }
    })
}
