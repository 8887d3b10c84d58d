//! Unions of pointers: members that share memory.
//!
//! The analyses take the members for pointers of their own. So the program may only read them, and they must lead to
//! structs of which C lets no two be one memory: neither is the other one, or has it inside.

use super::Check;
use crate::ir::{Expr, ExprKind, Item, ItemKind, Place, ProcId, Span, StructId, Type, Types};

impl Check<'_> {
    /// Refuses an expression that takes the address of such a member, or reads one that may lead where another one does.
    pub(super) fn reads_unions(&mut self, p: ProcId, e: &Expr, span: Span) {
        let mut found = Vec::new();
        super::walk::expr(e, &mut |x| {
            if let ExprKind::Load(place) | ExprKind::Address(place) = &x.kind {
                found.extend(self.union_around(p, place).map(|id| (id, matches!(x.kind, ExprKind::Load(_)))));
            }
        });
        for (id, is_load) in found {
            if !is_load {
                self.sets_union(span);
            } else if !are_apart(&self.program.types, id) {
                let what = "pointers of a union lead to memory that may be one".into();
                self.refuse(span, what, "use a struct, or let each lead to a struct of its own type");
            }
        }
    }

    /// Refuses a store into such a member.
    pub(super) fn writes_unions(&mut self, p: ProcId, item: &Item) {
        let ItemKind::Store { to, from } = &item.kind else { return };
        if from.kind != ExprKind::Null && self.union_around(p, to).is_some() {
            self.sets_union(item.span);
        }
    }

    fn sets_union(&mut self, span: Span) {
        let what = "a pointer in a union is set: it shares memory with other pointers".into();
        self.refuse(span, what, "set it before the function that the head names is called, or use a struct");
    }

    /// The union of pointers that a place is a member of.
    fn union_around(&self, p: ProcId, place: &Place) -> Option<StructId> {
        let Type::Pointer(_) = place.ty else { return None };
        self.points.cells(p, place).into_iter().find_map(|cell| {
            match self.points.locs.ty(self.points.locs.parent(cell)?) {
                Type::Struct(id) => self.program.types.structs[*id].shared.then_some(*id),
                _ => None,
            }
        })
    }
}

fn are_apart(types: &Types, union: StructId) -> bool {
    let targets: Vec<Option<StructId>> = types.structs[union]
        .fields
        .iter()
        .map(|field| match field.ty.target() {
            Some(Type::Struct(id)) => Some(*id),
            _ => None,
        })
        .collect();
    targets.iter().enumerate().all(|(at, one)| {
        targets[..at].iter().all(|other| match (one, other) {
            (Some(one), Some(other)) => !has_inside(types, *one, *other) && !has_inside(types, *other, *one),
            _ => false,
        })
    })
}

/// Whether a struct is another one, or has it as a member of a member.
fn has_inside(types: &Types, whole: StructId, part: StructId) -> bool {
    let inside = |ty: &Type| match crate::flow::locs::element(ty) {
        Type::Struct(id) => has_inside(types, *id, part),
        _ => false,
    };
    whole == part || types.structs[whole].fields.iter().any(|field| inside(&field.ty))
}
