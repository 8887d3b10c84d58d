//! Which items have a part in the reverse sweep.

use std::collections::BTreeSet;

use crate::ir::{Callee, ItemId, ItemKind, Proc, ProcId, RegionId, ValueId};
use crate::plan::Interface;
use crate::plan::facts::Facts;

/// The items of a procedure that the reverse sweep visits: those that carry derivatives, those that restore memory,
/// and the branches and loops around them.
pub fn items(proc: &Proc, id: ProcId, facts: &dyn Facts, interfaces: &[Option<Interface>]) -> BTreeSet<ItemId> {
    let mut live = BTreeSet::new();
    region(proc, RegionId(0), &mut |item| own(proc, id, item, facts, interfaces), &mut live);
    live
}

fn region(proc: &Proc, at: RegionId, own: &mut dyn FnMut(ItemId) -> bool, live: &mut BTreeSet<ItemId>) -> bool {
    let mut any = false;
    for &item in &proc.regions[at.index()].items {
        let inside = match &proc.items[item.index()].kind {
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

fn own(proc: &Proc, id: ProcId, item: ItemId, facts: &dyn Facts, interfaces: &[Option<Interface>]) -> bool {
    match &proc.items[item.index()].kind {
        ItemKind::Let { value } => facts.active_value(id, *value) || cleared(proc, id, *value, facts),
        ItemKind::Store { to, .. } => facts.active_place(id, to) || facts.push_old(id, item),
        ItemKind::Call { callee, result, .. } => {
            let live = match callee {
                // A procedure that is not finished yet calls itself: assume that there is something to do.
                Callee::Proc(callee) => interfaces[callee.index()].as_ref().is_none_or(|interface| interface.live),
                _ => false,
            };
            live || result.is_some_and(|result| cleared(proc, id, result, facts))
        }
        ItemKind::Declare { object } | ItemKind::Alloc { object, .. } => {
            facts.keep(id, *object) || facts.active_object(id, *object)
        }
        _ => false,
    }
}

/// Whether a passive value reaches a join or a loop whose variable is active there: the reverse sweep must drop what
/// the adjoint of the variable holds when it comes to this definition.
pub fn cleared(proc: &Proc, id: ProcId, value: ValueId, facts: &dyn Facts) -> bool {
    let passed_on = |item: &crate::ir::Item| match &item.kind {
        ItemKind::Branch { joins, .. } => {
            joins.iter().any(|join| [join.then, join.otherwise].contains(&value) && facts.active_value(id, join.out))
        }
        ItemKind::Loop { carried, .. } => carried.iter().any(|c| {
            [c.init, c.end].contains(&value) && (facts.active_value(id, c.head) || facts.active_value(id, c.out))
        }),
        _ => false,
    };
    !facts.active_value(id, value) && proc.items.iter().any(passed_on)
}
