//! Calls and what the rest of their expressions does: C leaves the order open, so neither may change what the other uses.
//!
//! The front end notes as [`Order`] what may meet by its types. Here pointers say what is one piece of memory, and where
//! that does not do, sections tell its elements apart. What calls only count in may be counted in any order, what the
//! first call fills may be filled by either, and it does not matter which of them leaves a status last that nobody
//! reads.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::effects::{Effect, Effects};
use super::locs::{Loc, Root, Set};
use super::required::Required;
use super::{Flow, Head, Options, Points, walk};
use crate::ir::{
    Base, Binary, Callee, ExprKind, GlobalId, ItemId, ItemKind, Order, Place, ProcId, Program, RegionId, Step, Touched,
    Type,
};
use crate::refuse::Refusal;

/// The program, in which nothing is open any more; refuses calls that meet the rest of their expression. `filled`: the
/// variables of a program that the first call fills.
pub fn settled<'p>(
    program: &'p Program,
    heads: &[Head],
    filled: &dyn Fn(&Program) -> BTreeSet<GlobalId>,
) -> Result<Cow<'p, Program>, Vec<Refusal>> {
    if program.procs.iter().all(|proc| proc.orders.is_empty()) {
        return Ok(Cow::Borrowed(program));
    }
    let found: Vec<ProcId> = heads.iter().filter_map(|head| head.find(program)).collect();
    let points = Points::analyse(program, &found, &Options::default());
    let unordered = program.unordered.iter().copied().collect();
    let mut judge = Judge { effects: Effects::analyse(program, &points), points: &points, program, unordered };
    let mut settled = program.clone();
    for p in program.procs.ids().filter(|p| !program.procs[*p].orders.is_empty()) {
        settled.procs[p].orders.clear();
    }
    let mut refusals = judge.refusals(&|_, _| false);
    if !refusals.is_empty() {
        judge.unordered.extend(filled(&settled));
        refusals = judge.refusals(&|_, _| false);
    }
    if !refusals.is_empty()
        && let Ok(flow) = Flow::analyse(&settled, heads)
    {
        let required = Required::new(&flow);
        refusals = judge.refusals(&|p, order| required.apart(p, order));
    }
    if refusals.is_empty() { Ok(Cow::Owned(settled)) } else { Err(refusals) }
}

struct Judge<'p> {
    program: &'p Program,
    points: &'p Points<'p>,
    effects: Effects,
    /// Variables that may be written in any order.
    unordered: BTreeSet<GlobalId>,
}

impl Judge<'_> {
    /// `apart`: whether a call and the rest of its expression do not meet after all.
    fn refusals(&self, apart: &dyn Fn(ProcId, &Order) -> bool) -> Vec<Refusal> {
        let procs = self.program.procs.iter().enumerate();
        let orders = procs.flat_map(|(p, proc)| proc.orders.iter().map(move |order| (ProcId::new(p), order)));
        let met = orders.filter(|(p, order)| self.meets(*p, order) && !apart(*p, order));
        let mut refusals: Vec<Refusal> = met.map(|(_, order)| Refusal::order(&order.name, order.span)).collect();
        refusals.sort_by_key(|refusal| (refusal.span.source, refusal.span.start));
        refusals.dedup();
        refusals
    }

    fn meets(&self, p: ProcId, order: &Order) -> bool {
        let cells = |places: &[Touched]| -> Set {
            let cells = places.iter().flat_map(|touched| self.points.cells(p, &touched.place));
            cells.flat_map(|cell| self.points.locs.leaves(cell)).collect()
        };
        let mut rest = Effect { reads: cells(&order.read), writes: cells(&order.written) };
        for call in &order.calls {
            let Effect { reads, writes } = self.effects.item(p, *call);
            rest.reads.extend(reads);
            rest.writes.extend(writes);
        }
        let call = self.effects.item(p, order.call);
        self.meet(p, order, &call.writes, &rest.reads)
            || self.meet(p, order, &rest.writes, &(&call.reads | &call.writes))
    }

    fn meet(&self, p: ProcId, order: &Order, some: &Set, others: &Set) -> bool {
        let locs = &self.points.locs;
        let is_unordered = |loc| matches!(locs.root(loc), Root::Global(global) if self.unordered.contains(&global));
        let is_open = |loc| !is_unordered(loc) && !self.only_counts(p, order, loc) && !self.is_ignored(p, loc);
        let mut some = some.iter().filter(|loc| is_open(**loc));
        some.any(|one| others.iter().any(|other| one == other || self.points.may_alias(p, *one, *other)))
    }

    /// Whether a location is an integer of the procedure that nothing reads there: a status that several calls leave.
    fn is_ignored(&self, p: ProcId, loc: Loc) -> bool {
        let reads = &self.effects.of_region(p, RegionId(0)).reads;
        matches!(self.points.locs.root(loc), Root::Object(q, _) if q == p)
            && matches!(self.points.locs.ty(loc), Type::Int { .. })
            && !reads.iter().any(|other| *other == loc || self.points.may_alias(p, loc, *other))
    }

    /// Whether a location is an integer to which the calls only add constants, so that their order does not matter:
    /// a count of evaluations.
    fn only_counts(&self, p: ProcId, order: &Order, loc: Loc) -> bool {
        let is_here = |q: ProcId, place: &Place| {
            let cells = self.points.cells(q, place).into_iter().flat_map(|cell| self.points.locs.leaves(cell));
            cells.into_iter().any(|cell| cell == loc || self.points.may_alias(p, loc, cell))
        };
        if !matches!(self.points.locs.ty(loc), Type::Int { .. })
            || order.read.iter().chain(&order.written).any(|touched| is_here(p, &touched.place))
        {
            return false;
        }
        let (mut open, mut seen) = (vec![p], BTreeSet::new());
        let called = |item: &ItemId| {
            let ItemKind::Call { callee: Callee::Proc(callee), .. } = &self.program.procs[p].items[*item].kind else {
                return None;
            };
            Some(*callee)
        };
        open.splice(.., order.calls.iter().chain([&order.call]).filter_map(called));
        while let Some(q) = open.pop() {
            if !seen.insert(q) {
                continue;
            }
            let proc = &self.program.procs[q];
            open.extend(walk::calls(proc).into_iter().map(|(_, callee)| callee));
            for item in walk::items(proc, RegionId(0)) {
                let this = &proc.items[item];
                if counts(&this.kind) {
                    continue;
                }
                let mut touches = if let ItemKind::Store { to, .. } = &this.kind {
                    is_here(q, to)
                } else if let ItemKind::Call { callee: Callee::External { .. }, .. }
                | ItemKind::Call { into: Some(_), .. } = &this.kind
                {
                    let effect = self.effects.item(q, item);
                    let mut all = effect.reads.iter().chain(&effect.writes);
                    all.any(|other| *other == loc || self.points.may_alias(p, loc, *other))
                } else {
                    false
                };
                for e in walk::of_item(proc, this) {
                    touches |= walk::loads(e).into_iter().any(|place| is_here(q, place));
                }
                if touches {
                    return false;
                }
            }
            if proc.result.iter().any(|e| walk::loads(e).into_iter().any(|place| is_here(q, place))) {
                return false;
            }
        }
        true
    }
}

/// `n = n + 1`
fn counts(kind: &ItemKind) -> bool {
    let ItemKind::Store { to, from } = kind else { return false };
    let ExprKind::Binary(Binary::Add | Binary::Subtract, left, right) = &from.kind else { return false };
    let is_plain = matches!(&to.base, Base::At(pointer) if matches!(pointer.kind, ExprKind::Value(_)))
        || matches!(to.base, Base::Object(_) | Base::Global(_));
    let fixed = |step: &Step| match step {
        Step::Index(at) => at.iter().all(|at| matches!(at.at.kind, ExprKind::Int(_))),
        Step::Field(_) => true,
    };
    is_plain
        && to.path.iter().all(fixed)
        && matches!(&left.kind, ExprKind::Load(place) if **place == *to)
        && matches!(right.kind, ExprKind::Int(_))
}
