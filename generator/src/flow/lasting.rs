//! Variables with static storage that bring what depends on the inputs from one call of a head to the next.
//!
//! ```c
//! static double last_t, position;
//! double f(double t) {
//!     if (t != last_t) { position = ...; last_t = t; }
//!     return position;
//! }
//! ```
//!
//! The derivative of one call is that of the way it took: 0 where it took the value of the call before. Nobody means
//! that, so such a variable is refused unless the head names it: then it has an adjoint that the caller sees.
//!
//! - **Which**: a derivative flows through the variable from an input of the head to a result, the head may write it,
//!   and some way through the head reads it before any write to it.
//! - **Lattice**: for each procedure the locations that it reads first on some way, and those that it writes on every
//!   way. A write to one element counts for the whole array and a loop counts as run: scratch memory is no cache only
//!   because its sections are too hard to compare. [`super::Required`] has those, and must agree.
//! - **Transfer**: a branch writes what both arms write, and what the arm wrote that an earlier branch on the same
//!   condition took. Calls are bound to the caller's locations. What calls itself is taken to write all that it may.

use std::collections::BTreeSet;

use super::locs::{Loc, Root, Set};
use super::{Flow, Head, Required, walk};
use crate::ir::{Callee, Expr, ExprKind, GlobalId, ItemId, ItemKind, ProcId, RegionId, Span, Unary};
use crate::refuse::{Class, Refusal};

/// Refuses variables that keep what depends on the inputs from call to call, and that the head does not name.
pub fn check(flow: &Flow, required: &Required, heads: &[Head]) -> Result<(), Vec<Refusal>> {
    let mut refusals: Vec<Refusal> = Vec::new();
    let mut known = BTreeSet::new();
    let mut sums: Option<Vec<Sum>> = None;
    for head in heads {
        let Some(proc) = head.find(flow.program) else { continue };
        for &loc in required.sum(proc).exposed.keys() {
            let Root::Global(global) = flow.points.locs.root(loc) else { continue };
            // A message that comes was sent in this call.
            let is_wire = flow.program.wire == Some(global);
            let flows = !is_wire && flow.activity.loc(loc) && flow.writes(proc, RegionId(0)).contains(&loc);
            if !flows || head.names(&flow.program.globals[global].name) {
                continue;
            }
            let sums = sums.get_or_insert_with(|| sums_of(flow));
            if sums[proc.index()].first.contains(&loc) && known.insert(global) {
                refusals.push(refusal(flow, sums, head, proc, global, loc));
            }
        }
    }
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

fn refusal(flow: &Flow, sums: &[Sum], head: &Head, proc: ProcId, global: GlobalId, loc: Loc) -> Refusal {
    let variable = &flow.program.globals[global];
    let name = &variable.name;
    Refusal {
        class: Class::NotProved,
        span: first_read(flow, sums, proc, loc, &mut BTreeSet::new()).unwrap_or(variable.span),
        what: format!(
            "'{}' reads '{name}' here as its last call left it, and writes what depends on its inputs into it: a call \
             that takes the old value has no derivative by the new inputs",
            head.proc
        ),
        help: format!(
            "name '{name}' in the head as an input and a result, or compute it in each call of '{}'; with --one-call \
             the derivative is that of one call",
            head.proc
        ),
    }
}

/// What a procedure does to memory that its caller sees.
#[derive(Clone, Default)]
struct Sum {
    /// Read on some way before any write to it.
    first: Set,
    /// Written on every way.
    written: Set,
}

fn sums_of(flow: &Flow) -> Vec<Sum> {
    let recursive = walk::recursive(flow.program);
    let mut sums = vec![Sum::default(); flow.program.procs.len()];
    for proc in walk::callees_first(flow.program) {
        sums[proc.index()] = if recursive[proc.index()] {
            Sum { first: Set::new(), written: flow.writes(proc, RegionId(0)).clone() }
        } else {
            let mut ways = Ways { flow, sums: &sums, proc, sum: Sum::default(), under: Vec::new() };
            ways.region(RegionId(0));
            let result = flow.program.procs[proc].result.as_ref();
            result.into_iter().for_each(|result| ways.reads(result));
            ways.sum
        };
    }
    sums
}

/// The ways through a procedure up to a point.
struct Ways<'f> {
    flow: &'f Flow<'f>,
    sums: &'f [Sum],
    proc: ProcId,
    sum: Sum,
    /// What is written besides where a condition held.
    under: Vec<(Expr, Set)>,
}

impl Ways<'_> {
    fn region(&mut self, region: RegionId) {
        for &id in &self.flow.program.procs[self.proc].regions[region].items {
            self.item(id);
        }
    }

    fn item(&mut self, id: ItemId) {
        let body = &self.flow.program.procs[self.proc];
        let item = &body.items[id];
        walk::of_item(body, item).into_iter().for_each(|expr| self.reads(expr));
        if let ItemKind::Store { to, .. } = &item.kind {
            self.sum.written.extend(self.flow.cells(self.proc, to))
        } else if let ItemKind::Call { callee: Callee::Proc(callee), .. } = &item.kind {
            let up = |set: &Set| -> Set {
                set.iter().flat_map(|&loc| self.flow.points.up(self.proc, id, *callee, loc)).collect()
            };
            let (first, written) = (up(&self.sums[callee.index()].first), up(&self.sums[callee.index()].written));
            self.first(first);
            self.sum.written.extend(written);
            self.sum.written.extend(self.direct(id));
        } else if let ItemKind::Branch { on, then, otherwise, .. } = &item.kind {
            let before = self.sum.written.clone();
            let arms = [(on.clone(), *then), (opposite(on), *otherwise)].map(|(on, arm)| {
                self.sum.written = before.clone();
                let held = self.under.iter().filter(|(condition, _)| *condition == on);
                self.sum.written.extend(held.flat_map(|(_, written)| written));
                let known = self.under.len();
                self.region(arm);
                self.under.truncate(known);
                (on, std::mem::take(&mut self.sum.written))
            });
            self.sum.written = &before | &(&arms[0].1 & &arms[1].1);
            self.under.extend(arms.map(|(on, written)| (on, &written - &before)));
        } else if let ItemKind::Loop { body, .. } = &item.kind {
            let known = self.under.len();
            self.region(*body);
            self.under.truncate(known);
        } else {
            self.sum.written.extend(self.direct(id))
        }
    }

    /// What an item writes besides: the result of a call, an object whose life begins.
    fn direct(&self, id: ItemId) -> Set {
        let kind = &self.flow.program.procs[self.proc].items[id].kind;
        if let ItemKind::Call { callee: Callee::Proc(_), into, .. } = kind {
            let into = into.iter().flat_map(|into| self.flow.cells(self.proc, into));
            into.flat_map(|loc| self.flow.points.locs.leaves(loc)).collect()
        } else if let ItemKind::Declare { .. } | ItemKind::Alloc { .. } = kind {
            self.flow.effects.item(self.proc, id).writes.clone()
        } else {
            Set::new()
        }
    }

    fn reads(&mut self, expr: &Expr) {
        let cells = walk::loads(expr).into_iter().flat_map(|place| self.flow.cells(self.proc, place));
        self.first(cells.flat_map(|loc| self.flow.points.locs.leaves(loc)).collect());
    }

    /// Notes what is read, unless it is written before.
    fn first(&mut self, read: Set) {
        let is_written = |loc: &Loc| {
            let same = |written: &Loc| self.flow.may_alias(self.proc, *loc, *written);
            self.sum.written.contains(loc) || self.sum.written.iter().any(same)
        };
        let first: Set = read.into_iter().filter(|loc| !self.sum.first.contains(loc) && !is_written(loc)).collect();
        self.sum.first.extend(first);
    }
}

fn opposite(on: &Expr) -> Expr {
    match &on.kind {
        ExprKind::Unary(Unary::Not, inner) => (**inner).clone(),
        _ => Expr::unary(Unary::Not, on.clone(), on.ty.clone()),
    }
}

/// Where a variable is read as the call before left it: the first item that reads it, looked for in the callees that
/// a call leaves it to.
fn first_read(flow: &Flow, sums: &[Sum], proc: ProcId, loc: Loc, seen: &mut BTreeSet<ProcId>) -> Option<Span> {
    if !seen.insert(proc) {
        return None;
    }
    let body = &flow.program.procs[proc];
    let reads = |id: &ItemId| flow.effects.item(proc, *id).reads.contains(&loc);
    let loads = |expr: &Expr| walk::loads(expr).into_iter().any(|place| flow.cells(proc, place).contains(&loc));
    for id in walk::items(body, RegionId(0)).into_iter().filter(reads) {
        let item = &body.items[id];
        if walk::of_item(body, item).into_iter().any(loads) {
            return Some(item.span);
        }
        if let ItemKind::Call { callee: Callee::Proc(callee), .. } = item.kind
            && sums[callee.index()].first.contains(&loc)
            && let Some(found) = first_read(flow, sums, callee, loc, seen)
        {
            return Some(found);
        }
    }
    body.result.as_ref().is_some_and(loads).then_some(body.span)
}
