//! Blocks that a loop allocates in one pass and reaches in a later one, by a pointer that it carries.
//!
//! ```c
//! for (...) { double *b = malloc(...); ... s += last[0]; free(last); last = b; }
//! ```
//!
//! The block that the reverse sweep makes for a pass is not the one that the pointer then means.

use super::locs::Loc;
use super::{Flow, walk};
use crate::ir::{Def, Expr, ExprKind, ItemKind, Proc, ProcId, RegionId, Type, ValueId};
use rustc_hash::FxHashSet;

/// Whether a loop around the region, or of which it is the body, uses a pointer from the pass before that may lead to
/// an object of the region.
pub fn reached_later(flow: &Flow, proc: ProcId, top: Loc, region: RegionId) -> bool {
    let body = &flow.program.procs[proc];
    body.items.iter().any(|item| {
        let ItemKind::Loop { body: pass, carried, .. } = &item.kind else { return false };
        walk::contains(body, *pass, region)
            && carried.iter().any(|each| {
                let ty = body.vars[each.var].ty.clone();
                let is_pointer = matches!(ty, Type::Pointer(_));
                let end = Expr::value(each.end, ty);
                let leads = || flow.targets(proc, &end).iter().any(|loc| flow.points.locs.root_top(*loc) == top);
                is_pointer && leads() && is_used(body, *pass, each.head)
            })
    })
}

/// Whether an item of the pass, other than one that hands a pointer on, names the value or one that comes from it.
fn is_used(proc: &Proc, pass: RegionId, head: ValueId) -> bool {
    let names = |e: &Expr, from: &FxHashSet<ValueId>| {
        let mut found = false;
        walk::expr(e, &mut |part| found |= matches!(part.kind, ExprKind::Value(value) if from.contains(&value)));
        found
    };
    let is_pointer = |value: ValueId| matches!(*proc.type_of(value), Type::Pointer(_));
    let mut from = FxHashSet::from_iter([head]);
    loop {
        let comes = |value: &ValueId| {
            !from.contains(value)
                && is_pointer(*value)
                && match &proc.values[*value].def {
                    Def::Is(e) => names(e, &from),
                    def => proc.merged(def).is_some_and(|both| both.iter().any(|value| from.contains(value))),
                }
        };
        match proc.values.ids().find(comes) {
            Some(more) => from.insert(more),
            None => break,
        };
    }
    walk::items(proc, pass).into_iter().any(|id| {
        let item = &proc.items[id];
        let hands_on = matches!(item.kind, ItemKind::Let { value } if is_pointer(value));
        !hands_on && walk::of_item(proc, item).into_iter().any(|e| names(e, &from))
    })
}
