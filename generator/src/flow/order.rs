//! Calls and what the rest of their expressions does: C leaves the order open, so neither may change what the other uses.
//!
//! The front end notes as [`Order`] what may meet by its types. Here pointers say what is one piece of memory. Elements
//! of one array are not told apart.

use std::borrow::Cow;

use super::effects::{Effect, Effects};
use super::locs::{Root, Set};
use super::{Head, Options, Points};
use crate::ir::{Order, Place, ProcId, Program};
use crate::refuse::Refusal;

/// The program, in which nothing is open any more; refuses calls that meet the rest of their expression.
pub fn settled<'p>(program: &'p Program, heads: &[Head]) -> Result<Cow<'p, Program>, Vec<Refusal>> {
    if program.procs.iter().all(|proc| proc.orders.is_empty()) {
        return Ok(Cow::Borrowed(program));
    }
    let heads: Vec<ProcId> = heads.iter().filter_map(|head| head.find(program)).collect();
    let points = Points::analyse(program, &heads, &Options::default());
    let judge = Judge { effects: Effects::analyse(program, &points), points: &points, program };
    let procs = program.procs.iter().enumerate();
    let orders = procs.flat_map(|(p, proc)| proc.orders.iter().map(move |order| (ProcId::new(p), order)));
    let met = orders.filter(|(p, order)| judge.meets(*p, order));
    let mut refusals: Vec<Refusal> = met.map(|(_, order)| Refusal::order(&order.name, order.span)).collect();
    refusals.sort_by_key(|refusal| (refusal.span.source, refusal.span.start));
    refusals.dedup();
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let mut program = program.clone();
    program.procs.iter_mut().for_each(|proc| proc.orders.clear());
    Ok(Cow::Owned(program))
}

struct Judge<'p> {
    program: &'p Program,
    points: &'p Points<'p>,
    effects: Effects,
}

impl Judge<'_> {
    fn meets(&self, p: ProcId, order: &Order) -> bool {
        let cells = |places: &[Place]| -> Set {
            let cells = places.iter().flat_map(|place| self.points.cells(p, place));
            cells.flat_map(|cell| self.points.locs.leaves(cell)).collect()
        };
        let mut rest = Effect { reads: cells(&order.read), writes: cells(&order.written) };
        for call in &order.calls {
            let Effect { reads, writes } = self.effects.item(p, *call);
            rest.reads.extend(reads);
            rest.writes.extend(writes);
        }
        let call = self.effects.item(p, order.call);
        self.meet(p, &call.writes, &rest.reads) || self.meet(p, &rest.writes, &(&call.reads | &call.writes))
    }

    fn meet(&self, p: ProcId, some: &Set, others: &Set) -> bool {
        let locs = &self.points.locs;
        let is_open = |loc| !matches!(locs.root(loc), Root::Global(global) if self.program.unordered.contains(&global));
        let mut some = some.iter().filter(|loc| is_open(**loc));
        some.any(|one| others.iter().any(|other| one == other || self.points.may_alias(p, *one, *other)))
    }
}
