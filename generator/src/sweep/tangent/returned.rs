//! Results of calls that have no tangent of their own.

use super::{Builder, Context, type_of};
use crate::ir::*;
use crate::plan::game::value_expr;
use crate::plan::recompute::zero;
use crate::refuse::Class;
use crate::sweep::leaves;
use crate::sweep::reverse::load;

/// Whether the tangent of a procedure gives back where the tangents lie of what its result points to: a pointer to
/// something active, which some call uses.
pub(crate) fn gives_pointer(cx: &Context, id: ProcId) -> bool {
    let active = |p: ProcId, e: &Expr| matches!(e.ty, Type::Pointer(_)) && cx.facts.active_pointer(p, e);
    let used = |(p, proc): (usize, &Proc)| {
        proc.items.iter().any(|item| match item.kind {
            ItemKind::Call { callee: Callee::Proc(callee), result: Some(result), .. } => {
                callee == id && active(ProcId::new(p), &value_expr(proc, result))
            }
            _ => false,
        })
    };
    let result = cx.program.procs[id.index()].result.as_ref();
    result.is_some_and(|e| active(id, e)) && cx.program.procs.iter().enumerate().any(used)
}

impl Builder<'_> {
    /// The tangent of a result that has none: 0. A pointer to what has one is refused.
    pub(super) fn without(&mut self, result: ValueId) -> Option<ItemId> {
        let &tangent = self.values.get(&result)?;
        let ty = type_of(self.primal, result).clone();
        if matches!(ty, Type::Pointer(_)) {
            self.pointer_returned();
        }
        Some(self.definition(tangent, zero(&ty)))
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
            self.out.regions[0].items.push(store);
        }
    }

    fn pointer_returned(&mut self) {
        let what = "a pointer is returned, and where the tangents lie of what it points to is not known".into();
        self.refuse(Class::Pointer, what, "let the caller pass the memory");
    }

    /// Refuses a struct without a tangent, if a pointer in it leads to what has one.
    pub(super) fn struct_returned(&mut self, into: &Place) {
        let pointers = leaves::pointers(self.cx.program, into).unwrap_or_default();
        if pointers.into_iter().any(|place| self.cx.facts.active_pointer(self.id, &load(place))) {
            self.pointer_returned();
        }
    }
}
