//! Stores of a loop that overwrite one element after the other: one push of all of them in front of the loop.
//!
//! ```text
//!   for (i = lo; i < hi; i++) { push(u[i]); u[i] = w[i]; }      push(u + lo, hi - lo); for (...) u[i] = w[i];
//! ```
//!
//! The reverse sweep then has all old elements back before it undoes the first pass. That is as good as one by one if a
//! pass reads no element that it or a pass before it has overwritten.

use super::items::{binary, cast};
use super::reverse::Builder;
use crate::ir::*;
use crate::plan::Run;
use crate::plan::control::{Index, inside, int, offset};
use crate::plan::game::value_expr;

impl Builder<'_> {
    /// The elements that the passes of a loop overwrite, if they can be stored at once. Puts the pop in front of the
    /// reversed loop, which is about to be built.
    pub(super) fn pop_run(&mut self, item: ItemId, index: &Index, body: RegionId) {
        let Some((store, run)) = self.run(item, index, body) else { return };
        let address =
            Expr { kind: ExprKind::Address(run.first.clone()), ty: Type::Pointer(Box::new(run.first.ty.clone())) };
        if walk::loads(&address) {
            self.again.push((item, address));
        }
        let (place, count) = (self.primal_place(&run.first), self.primal(&run.count));
        self.emit(ItemKind::Pop { what: Popped::Elements { place, count } });
        self.plan.runs.insert(store, run);
    }

    fn run(&mut self, item: ItemId, index: &Index, body: RegionId) -> Option<(ItemId, Run)> {
        let ends = matches!(index.test, Binary::Less | Binary::LessEqual);
        let records = self.start.records.get(&body).is_some_and(|record| !record.is_empty());
        if index.step != 1 || !ends || records {
            return None;
        }
        let mut stores = self.primal.regions[body.index()].items.iter().filter_map(|inner| {
            let kind = &self.primal.items[inner.index()].kind;
            if let ItemKind::Store { to, .. } = kind { Some((*inner, to)) } else { None }
        });
        let (store, to) = stores.next()?;
        if stores.next().is_some()
            || !self.cx.facts.push_old(self.id, store)
            || !matches!(to.ty, Type::Float { .. } | Type::Int { .. })
            || !self.cx.facts.one_by_one(self.id, item, store)
        {
            return None;
        }
        let first = self.first(to, index, body)?;
        let address = Expr { kind: ExprKind::Address(first.clone()), ty: Type::Pointer(Box::new(first.ty.clone())) };
        let stays = !walk::loads(&address) || self.cx.facts.across(self.id, item, &address);
        let count = count(index, &self.begin(index));
        let can = stays && !walk::loads(&count) && self.can(&address) && self.can(&count);
        can.then_some((store, Run { first, count }))
    }

    /// The place of the first pass in terms of values from outside of the loop, if the passes follow each other in its
    /// last subscript.
    fn first(&self, to: &Place, index: &Index, body: RegionId) -> Option<Place> {
        let mut without = to.clone();
        let Some(Step::Index(subscripts)) = without.path.last_mut() else { return None };
        subscripts.last_mut()?.at = Expr { kind: ExprKind::Int(0), ty: int() };
        let mut outside = Outside { builder: self, index, body, expanded: 0, varies: false };
        walk::replace_in_place(&without, &mut |value| outside.value(value));
        if std::mem::take(&mut outside.varies) {
            return None;
        }
        outside.expanded = 0;
        let first = walk::replace_in_place(to, &mut |value| outside.value(value));
        let mut left = false;
        walk::values_of_place(&first, &mut |value| left |= inside(self.primal, value, body));
        (!left).then_some(first)
    }

    /// The first value of an index: a number, if it is one.
    fn begin(&self, index: &Index) -> Expr {
        match &self.primal.values[index.values.init.index()].def {
            Def::Is(expr @ Expr { kind: ExprKind::Int(_), .. }) => expr.clone(),
            _ => value_expr(self.primal, index.values.init),
        }
    }
}

/// Values of a loop's body in terms of values from outside, for the first pass.
struct Outside<'b, 'a> {
    builder: &'b Builder<'a>,
    index: &'b Index,
    body: RegionId,
    /// Definitions that were followed.
    expanded: usize,
    /// Whether the index was among the values.
    varies: bool,
}

impl Outside<'_, '_> {
    fn value(&mut self, value: ValueId) -> Option<Expr> {
        let primal = self.builder.primal;
        if value == self.index.values.head {
            self.varies = true;
            return Some(self.builder.begin(self.index));
        }
        let Def::Is(expr) = &primal.values[value.index()].def else { return None };
        self.expanded += 1;
        if !inside(primal, value, self.body) || walk::loads(expr) || self.expanded > EXPANDED {
            return None;
        }
        Some(walk::replace(expr, &mut |inner| self.value(inner)))
    }
}

/// Definitions that are followed to express a place.
const EXPANDED: usize = 16;

/// How many passes a loop has whose index grows by one.
fn count(index: &Index, init: &Expr) -> Expr {
    let runs = binary(index.test, init.clone(), index.bound.clone(), int());
    let more = i128::from(index.test == Binary::LessEqual);
    let (passes, ty) = match init.kind {
        // No wrap: the bound is at least the number.
        ExprKind::Int(from) if from >= more => (offset(&index.bound, more - from), index.bound.ty.clone()),
        _ => {
            let long = Type::Int { bits: 64, signed: true, name: "long".into() };
            let ends = [&index.bound, init].map(|end| cast(end.clone(), &long));
            let [bound, init] = ends;
            (offset(&binary(Binary::Subtract, bound, init, long.clone()), more), long)
        }
    };
    let none = Expr { kind: ExprKind::Int(0), ty: ty.clone() };
    Expr { kind: ExprKind::Select(Box::new(runs), Box::new(passes), Box::new(none)), ty }
}
