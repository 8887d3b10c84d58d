//! Which items have a part in the reverse sweep.

use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

use crate::ir::{Callee, ItemId, ItemKind, Proc, ProcId, RegionId, ValueId};
use crate::plan::Interface;
use crate::plan::facts::Facts;

/// The items of a procedure that the reverse sweep visits: those that carry derivatives, those that restore memory,
/// and the branches and loops around them.
pub fn items(
    proc: &Proc,
    id: ProcId,
    facts: &dyn Facts,
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
        let inside = match &proc.items[item].kind {
            ItemKind::Branch { then, otherwise, .. } => {
                // Both arms are visited, whatever the first one says.
                let first = region(proc, *then, own, live);
                region(proc, *otherwise, own, live) || first
            }
            ItemKind::Loop { body, .. } => region(proc, *body, own, live),
            _ => own(item),
        };
        if inside {
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
    facts: &dyn Facts,
    interfaces: &[Option<Interface>],
    cleared: &FxHashSet<ValueId>,
) -> bool {
    match &proc.items[item].kind {
        kind if kind.resizes() => true,
        ItemKind::Let { value } => facts.active_value(id, *value) || cleared.contains(value),
        ItemKind::Store { to, .. } => facts.active_place(id, to) || facts.push_old(id, item),
        ItemKind::Call { callee, result, .. } => {
            let live = match callee {
                // A procedure that is not finished yet calls itself: assume that there is something to do.
                Callee::Proc(callee) => interfaces[callee.index()].as_ref().is_none_or(|interface| interface.live),
                _ => false,
            };
            live || result.is_some_and(|result| cleared.contains(&result))
        }
        ItemKind::Alloc { .. } | ItemKind::Free { .. } if facts.stable() => true,
        ItemKind::Declare { object } | ItemKind::Alloc { object, .. } => {
            facts.keep(id, *object) || facts.active_object(id, *object)
        }
        _ => false,
    }
}

/// The passive values that reach a join or a loop whose variable is active there: the reverse sweep must drop what the
/// adjoint of the variable holds when it comes to their definitions. Where such a value is itself that of a branch or a
/// loop, these are the definitions inside.
pub fn cleared(proc: &Proc, id: ProcId, facts: &dyn Facts) -> FxHashSet<ValueId> {
    let mut found = FxHashSet::default();
    for item in &proc.items {
        match &item.kind {
            ItemKind::Branch { joins, .. } => {
                for join in joins.iter().filter(|join| facts.active_value(id, join.out)) {
                    found.extend([join.then, join.otherwise]);
                }
            }
            ItemKind::Loop { carried, .. } => {
                for c in carried.iter().filter(|c| facts.active_value(id, c.head) || facts.active_value(id, c.out)) {
                    found.extend([c.init, c.end]);
                }
            }
            _ => {}
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
