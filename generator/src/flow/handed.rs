//! Pointers at file scope by which a head hands memory to the functions that it calls:
//!
//! ```c
//! static const double *data;
//! double fit(const double *d, double start) { data = d; return newton(residual, start); }
//! ```
//!
//! Such a pointer has one value while the head runs, so its adjoint has one, too. The reverse sweep of the head sets
//! the adjoint where it begins.

use super::locs::{Loc, Root, Set};
use super::{Flow, walk};
use crate::ir::{Base, Callee, Def, Expr, ExprKind, ItemId, ItemKind, ProcId, RegionId, Step};

impl Flow<'_> {
    /// Whether the store of a head gives a pointer at file scope the one value that it has while the head runs: the
    /// head, which nothing calls, sets it before anything reads it, and nothing that it calls sets it. It leads to
    /// memory that is there in both sweeps, so not to an array or a block of the head.
    pub fn hands_on(&self, proc: ProcId, store: ItemId) -> bool {
        let this = &self.program.procs[proc];
        let ItemKind::Store { to, from } = &this.items[store].kind else { return false };
        let named = matches!(to.base, Base::Global(_)) && to.path.iter().all(|step| matches!(step, Step::Field(_)));
        let cells = self.cells(proc, to);
        let always = this.regions[RegionId::BODY].items.contains(&store) || self.is_of_entry(proc, from);
        let own = |target: &Loc| matches!(self.points.locs.root(*target), Root::Object(..));
        named
            && always
            && !self.targets(proc, from).iter().any(|target| own(target) || !self.points.is_fixed(*target))
            && cells.iter().all(|cell| self.points.is_set_first(*cell))
            && self.is_only_head(proc)
            && self.program.procs.ids().all(|other| {
                let alone = other != proc && self.is_only_head(other);
                alone || self.setters(other, &cells).into_iter().all(|item| (other, item) == (proc, store))
            })
    }

    /// Whether a procedure is a head that no procedure calls.
    fn is_only_head(&self, proc: ProcId) -> bool {
        let calls = |kind: &ItemKind| matches!(kind, ItemKind::Call { callee: Callee::Proc(g), .. } if *g == proc);
        self.heads.contains(&proc)
            && !self.program.procs.iter().any(|other| other.items.iter().any(|item| calls(&item.kind)))
    }

    /// Whether an expression means the same wherever the procedure evaluates it: it has parameters and constants only.
    fn is_of_entry(&self, proc: ProcId, e: &Expr) -> bool {
        let this = &self.program.procs[proc];
        let mut known = true;
        walk::expr(e, &mut |x| {
            known &= match &x.kind {
                ExprKind::Value(value) => matches!(this.values[*value].def, Def::Entry(_)),
                ExprKind::Load(_) => false,
                ExprKind::Address(place) => place.base.object().is_none(),
                _ => true,
            };
        });
        known
    }

    /// The items of a procedure, other than calls of procedures, that may write one of these locations.
    fn setters(&self, proc: ProcId, cells: &Set) -> Vec<ItemId> {
        let this = &self.program.procs[proc];
        let sets = |item: &ItemId| {
            let kind = &this.items[*item].kind;
            let is_inside =
                matches!(kind, ItemKind::Call { callee: Callee::Proc(_), .. }) || !kind.regions().is_empty();
            !is_inside && !self.effects.item(proc, *item).writes.is_disjoint(cells)
        };
        walk::items(this, RegionId(0)).into_iter().filter(sets).collect()
    }
}
