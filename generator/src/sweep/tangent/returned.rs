//! Pointers to tangents: results of calls, blocks that move, stores.

use super::state::Builder;
use crate::flow::locs;
use crate::ir::*;
use crate::refuse::Class;
use crate::sweep::bases::null;
use crate::sweep::context::Context;
use crate::sweep::items::binary;
use crate::sweep::reverse::load;
use crate::sweep::shadow::Shadows;
use crate::sweep::{leaves, shadow};

/// Whether the tangent of a procedure gives back where the tangents lie of what its result points to: a pointer to
/// something active, which some call uses.
pub(crate) fn gives_pointer(cx: &Context, id: ProcId) -> bool {
    let active = |p: ProcId, e: &Expr| matches!(e.ty, Type::Pointer(_)) && cx.facts.active_pointer(p, e);
    let used = |(p, proc): (usize, &Proc)| {
        proc.items.iter().any(|item| {
            let ItemKind::Call { callee: Callee::Proc(callee), result: Some(result), .. } = item.kind else {
                return false;
            };
            callee == id && active(ProcId::new(p), &proc.value_expr(result))
        })
    };
    let result = cx.program.procs[id].result.as_ref();
    result.is_some_and(|e| active(id, e)) && cx.program.procs.iter().enumerate().any(used)
}

impl Builder<'_> {
    /// The tangent of a result that has none: 0. A pointer to what has one is an offset from an array of this procedure,
    /// or refused.
    pub(super) fn without(&mut self, result: ValueId) -> Option<ItemId> {
        let &tangent = self.values.get(&result)?;
        let ty = self.primal.type_of(result).clone();
        if matches!(ty, Type::Pointer(_)) && self.followed[result.index()] {
            match self.cx.facts.bases(self.id, &self.primal.value_expr(result)).as_deref() {
                Some([base]) => {
                    let beside = self.beside(result, base);
                    return Some(self.definition(tangent, beside));
                }
                _ => self.pointer_returned(),
            }
        }
        Some(self.definition(tangent, zero(&ty)))
    }

    /// `p ? &a_d[p - a] : NULL` for a pointer `p` into `a`; counted in bytes if it leads to a member of a struct there.
    fn beside(&mut self, pointer: ValueId, base: &Expr) -> Expr {
        let this = self.out.value_expr(pointer);
        let ty = this.ty.clone();
        let long = Type::long();
        let bytes = Type::pointer(Type::char());
        let counted = |e: Expr| {
            if base.ty == ty { e } else { Expr::cast(e, bytes.clone()) }
        };
        let at = binary(Binary::Subtract, counted(this.clone()), counted(self.primal(base)), long);
        let from = counted(shadow::pointer(self, base));
        let place = Place {
            ty: locs::pointee(&from.ty).clone(),
            base: Base::At(Box::new(from)),
            path: vec![Step::Index(vec![Subscript { at, dim: Dim::default() }])],
        };
        let found = binary(Binary::NotEqual, this, null(&ty), Type::int());
        let there = Expr::address(place);
        let there = if there.ty == ty { there } else { Expr::cast(there, ty.clone()) };
        Expr::select(found, there, null(&ty), ty)
    }

    /// The tangents of a block that gets another size move along in a block of their own.
    pub(super) fn resized(&mut self, callee: &Callee, args: &[Expr], result: ValueId, before: &mut Vec<ItemId>) {
        let Some(&tangent) = self.values.get(&result) else { return };
        let args = vec![shadow::pointer(self, &args[0]), args[1].clone()];
        let item = self.item(ItemKind::Call { callee: callee.clone(), args, result: Some(tangent), into: None });
        self.out.values[tangent].def = Def::Result(item);
        before.push(item);
    }

    /// Whether a store of a pointer has one of the pointer to tangents beside it. NULL takes the place of the tangents of
    /// what was freed.
    pub(super) fn is_shadowed(&self, to: &Place, from: &Expr) -> bool {
        let active = |pointer: &Expr| self.cx.facts.active_pointer(self.id, pointer);
        active(from) || self.cx.facts.nowhere(self.id, from) && active(&load(to.clone()))
    }

    /// Copies the tangents of a struct that is returned, and its pointers to tangents.
    pub(super) fn give_struct(&mut self, to: &Place, from: &Place) {
        let parts = |place: &Place| {
            let mut all = leaves::reals(self.cx.program, place)?;
            all.extend(leaves::pointers(self.cx.program, place)?);
            Some(all)
        };
        let (Some(to), Some(from)) = (parts(to), parts(from)) else {
            return self.refuse(Class::Type, "a large struct is returned by value".into(), "pass a pointer to it");
        };
        for (to, from) in to.into_iter().zip(from) {
            let store = self.item(ItemKind::Store { to, from: load(from) });
            self.out.regions[RegionId::BODY].items.push(store);
        }
    }

    fn pointer_returned(&mut self) {
        let what = "a pointer is returned, and where the tangents lie of what it points to is not known".into();
        self.refuse(Class::Pointer, what, "let the caller pass the memory");
    }

    /// Refuses to keep a pointer for a caller that follows it, where the tangents of what it points to are not passed.
    pub(super) fn pointer_stored(&mut self) {
        let what = "a pointer is stored, and where the tangents lie of what it points to is not known here".into();
        self.refuse(Class::Pointer, what, "let the caller store the pointer");
    }

    /// Refuses a struct without a tangent, if a pointer in it leads to what has one.
    pub(super) fn struct_returned(&mut self, into: &Place) {
        let pointers = leaves::pointers(self.cx.program, into).unwrap_or_default();
        if pointers.into_iter().any(|place| self.cx.facts.active_pointer(self.id, &load(place))) {
            self.pointer_returned();
        }
    }
}
