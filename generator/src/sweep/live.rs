//! Which items have a part in the reverse sweep.

use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

use crate::ir::{Callee, Expr, ExprKind, Item, ItemId, ItemKind, Proc, ProcId, RegionId, ValueId};
use crate::plan::Interface;
use crate::plan::facts::Analysed;

/// The items of a procedure that the reverse sweep visits: those that carry derivatives, those that restore memory,
/// and the branches and loops around them.
pub fn items(
    proc: &Proc,
    id: ProcId,
    facts: &Analysed,
    interfaces: &[Option<Interface>],
    cleared: &FxHashSet<ValueId>,
) -> BTreeSet<ItemId> {
    let mut live = BTreeSet::new();
    region(proc, RegionId(0), &mut |item| own(proc, id, item, facts, interfaces, cleared), &mut live);
    live
}

fn region(proc: &Proc, at: RegionId, own: &mut dyn FnMut(ItemId) -> bool, live: &mut BTreeSet<ItemId>) -> bool {
    let mut any = false;
    for &item in &proc.regions[at].items {
        let inner = proc.items[item].kind.regions();
        let mut acts = inner.is_empty() && own(item);
        // Both arms are visited, whatever the first one says.
        inner.into_iter().for_each(|inner| acts |= region(proc, inner, own, live));
        if acts {
            live.insert(item);
            any = true;
        }
    }
    any
}

fn own(
    proc: &Proc,
    id: ProcId,
    item: ItemId,
    facts: &Analysed,
    interfaces: &[Option<Interface>],
    cleared: &FxHashSet<ValueId>,
) -> bool {
    let kind = &proc.items[item].kind;
    if let ItemKind::Let { value } = kind {
        facts.active_value(id, *value) || cleared.contains(value)
    } else if let ItemKind::Store { to, .. } = kind {
        facts.active_place(id, to) || facts.push_old(id, item)
    } else if let ItemKind::Call { callee, result, .. } = kind {
        let live = match callee {
            // A procedure that is not finished yet calls itself: assume that there is something to do.
            Callee::Proc(callee) => interfaces[callee.index()].as_ref().is_none_or(|interface| interface.live),
            _ => kind.resizes(),
        };
        live || result.is_some_and(|result| cleared.contains(&result))
    } else if let ItemKind::Given { when, .. } = kind {
        let is_wanted = when.is_empty() || when.iter().any(|of| is_active(id, of, facts));
        is_wanted && has_derivative(proc, id, facts)
    } else {
        let is_heap = matches!(kind, ItemKind::Alloc { .. } | ItemKind::Free { .. });
        let is_asked_for = |object| facts.keep(id, object) || facts.active_object(id, object);
        is_heap && facts.stable() || kind.begun().is_some_and(is_asked_for)
    }
}

/// Whether a derivative flows through a value or a place.
fn is_active(id: ProcId, of: &Expr, facts: &Analysed) -> bool {
    match &of.kind {
        ExprKind::Value(value) => facts.active_value(id, *value),
        ExprKind::Load(place) => facts.active_place(id, place),
        _ => true,
    }
}

/// Whether a derivative leaves a procedure.
fn has_derivative(proc: &Proc, id: ProcId, facts: &Analysed) -> bool {
    let stores = |item: &Item| item.kind.written().into_iter().any(|place| facts.active_place(id, place));
    facts.active_result(id) || proc.items.iter().any(stores)
}

/// The passive values that reach a join or a loop whose variable is active there: the reverse sweep must drop what the
/// adjoint of the variable holds when it comes to their definitions. Where such a value is itself that of a branch or a
/// loop, these are the definitions inside.
pub fn cleared(proc: &Proc, id: ProcId, facts: &Analysed) -> FxHashSet<ValueId> {
    let mut found = FxHashSet::default();
    for item in &proc.items {
        if let ItemKind::Branch { joins, .. } = &item.kind {
            for join in joins.iter().filter(|join| facts.active_value(id, join.out)) {
                found.extend([join.then, join.otherwise]);
            }
        } else if let ItemKind::Loop { carried, .. } = &item.kind {
            for c in carried.iter().filter(|c| facts.active_value(id, c.head) || facts.active_value(id, c.out)) {
                found.extend([c.init, c.end]);
            }
        }
    }
    found.retain(|value| !facts.active_value(id, *value));
    let mut todo: Vec<ValueId> = found.iter().copied().collect();
    while let Some(value) = todo.pop() {
        let from = proc.merged(&proc.values[value].def).into_iter().flatten();
        todo.extend(from.filter(|value| !facts.active_value(id, *value) && found.insert(*value)));
    }
    found
}
