//! Stores of a loop that overwrite one element after the other: one push of all of them in front of the loop.
//!
//! ```text
//!   for (i = lo; i < hi; i++) { push(u[i]); u[i] = w[i]; }      push(u + lo, hi - lo); for (...) u[i] = w[i];
//! ```
//!
//! The reverse sweep then has all old elements back before it undoes the first pass. That is as good as one by one if a
//! pass reads no element that it or a pass before it has overwritten. What a pass pushes besides would lie on top of
//! them, so all stores of a loop are of this kind, or none is.

use std::collections::{BTreeMap, BTreeSet};

use super::builder::Builder;
use super::items::{binary, cast};
use crate::flow::{needs, walk as flow_walk};
use crate::ir::*;
use crate::plan::control::{Index, inside};
use crate::plan::{ProcPlan, Run};

impl Builder<'_> {
    /// The elements that the passes of a loop overwrite, if they can be stored at once. Puts the pops in front of the
    /// reversed loop, which is about to be built.
    pub(super) fn pop_runs(&mut self, item: ItemId, index: &Index, body: RegionId) {
        for (store, run) in self.runs(item, index, body).unwrap_or_default().into_iter().rev() {
            let address = Expr::address(run.first.clone());
            if walk::loads(&address) {
                self.again.push((item, address));
            }
            let (place, count) = (self.primal_place(&run.first), self.primal(&run.count));
            self.emit(ItemKind::Sweep(SweepItem::Pop { what: Popped::Elements { place, count } }));
            self.plan.runs.insert(store, run);
        }
    }

    /// For each store of a loop whose old elements are needed, where these are.
    fn runs(&mut self, item: ItemId, index: &Index, body: RegionId) -> Option<Vec<(ItemId, Run)>> {
        let primal = self.primal;
        let ends = matches!(index.test, Binary::Less | Binary::LessEqual);
        let records = is_recorded(primal, &self.start.records, body);
        if index.step != 1 || !ends || records || self.start.mixed.contains(&item) {
            return None;
        }
        let here = &primal.regions[body].items;
        let mut runs = Vec::new();
        let all = flow_walk::items(primal, body).into_iter();
        for store in all.filter(|inner| self.cx.facts.push_old(self.id, *inner)).collect::<Vec<_>>() {
            let ItemKind::Store { to, from } = &primal.items[store].kind else { return None };
            // Its adjoint reads what it has stored, which must not be undone before.
            let takes_result = needs::takes_result(to, from, &|arg| self.active(arg));
            let plain =
                matches!(to.ty, Type::Float { .. } | Type::Int { .. }) && here.contains(&store) && !takes_result;
            if !plain || !self.cx.facts.one_by_one(self.id, item, store) {
                return None;
            }
            let first = self.first(to, index, body)?;
            let address = Expr::address(first.clone());
            let stays = !walk::loads(&address) || self.cx.facts.across(self.id, item, &address);
            let count = count(index, &self.begin(index));
            let can = stays && !walk::loads(&count) && self.can(&address) && self.can(&count);
            if !can {
                return None;
            }
            runs.push((store, Run { first, count }));
        }
        Some(runs)
    }

    /// The place of the first pass in terms of values from outside of the loop, if the passes follow each other in its
    /// last subscript.
    fn first(&self, to: &Place, index: &Index, body: RegionId) -> Option<Place> {
        let mut without = to.clone();
        let Some(Step::Index(subscripts)) = without.path.last_mut() else { return None };
        subscripts.last_mut()?.at = Expr::int(0);
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
        match &self.primal.values[index.values.init].def {
            Def::Is(expr @ Expr { kind: ExprKind::Int(_), .. }) => expr.clone(),
            _ => self.primal.value_expr(index.values.init),
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
        let Def::Is(expr) = &primal.values[value].def else { return None };
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
    let runs = binary(index.test, init.clone(), index.bound.clone(), Type::int());
    let more = i128::from(index.test == Binary::LessEqual);
    let (passes, ty) = match init.kind {
        // No wrap: the bound is at least the number.
        ExprKind::Int(from) if from >= more => (index.bound.offset(more - from), index.bound.ty.clone()),
        _ => {
            let long = Type::long();
            let ends = [&index.bound, init].map(|end| cast(end.clone(), &long));
            let [bound, init] = ends;
            (binary(Binary::Subtract, bound, init, long.clone()).offset(more), long)
        }
    };
    let none = Expr::constant(0, ty.clone());
    Expr::select(runs, passes, none, ty)
}

/// Whether passes of a body store values.
fn is_recorded(primal: &Proc, records: &BTreeMap<RegionId, Vec<ValueId>>, body: RegionId) -> bool {
    records.iter().any(|(at, record)| !record.is_empty() && primal.is_within(*at, body))
}

/// Loops that push elements at once, and have something on the tape in their passes.
pub(super) fn mixed(primal: &Proc, plan: &ProcPlan) -> Vec<ItemId> {
    let positions = primal.positions();
    let region = |store: &ItemId| positions[store.index()].map(|(region, _)| region);
    let bodies: BTreeSet<RegionId> = plan.runs.keys().filter_map(region).collect();
    let has_tape = |body: &RegionId| {
        is_recorded(primal, &plan.records, *body)
            || flow_walk::items(primal, *body).into_iter().any(|item| {
                let pushes = [&plan.bits, &plan.counts].into_iter().any(|all| all.contains(&item));
                pushes || plan.again.contains_key(&item) || plan.snapshots.contains_key(&item)
            })
    };
    let mixed = bodies.into_iter().filter(has_tape);
    mixed.filter_map(|body| primal.regions[body].parent.map(|(_, item)| item)).collect()
}
