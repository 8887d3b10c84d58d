//! Blocks that several paths free, or that a pointer to one of several blocks frees: freed at the end of the region
//! that allocates them instead.
//!
//! ```text
//!   work = malloc(...);              work = malloc(...);
//!   if (failed) {                    if (failed) {
//!       free(work);                      status = 1;
//!       return 1;            ──►     } else {
//!   }                                    ...
//!   ...                              }
//!   free(work);                      free(work);
//! ```
//!
//! The adjoint needs one place where the contents of a block get lost. Nobody can tell that a block is freed later: no
//! pointer to it outlives the region, so nothing reads it in between.

use std::collections::{BTreeMap, BTreeSet};

use crate::flow::{Flow, Loc, Root};
use crate::ir::*;

/// Whether a branch frees something, or a free does not say which block: then it is worth a closer look.
pub fn worth_a_look(program: &Program) -> bool {
    program.procs.iter().any(|proc| {
        proc.regions.iter().any(|region| {
            region.items.iter().any(|item| {
                let ItemKind::Free { pointer } = &proc.items[*item].kind else { return false };
                region.parent.is_some() || !names_a_block(proc, pointer)
            })
        })
    })
}

fn names_a_block(proc: &Proc, pointer: &Expr) -> bool {
    match &pointer.kind {
        ExprKind::Cast(inner) => names_a_block(proc, inner),
        ExprKind::Address(place) => matches!(place.base, Base::Object(_)),
        ExprKind::Value(value) => match &proc.values[*value].def {
            Def::Is(is) => names_a_block(proc, is),
            _ => false,
        },
        _ => false,
    }
}

/// The program with such blocks freed later; `None` if there is none.
pub fn later(program: &Program, flow: &Flow) -> Option<Program> {
    let mut blocks = Vec::new();
    for (p, proc) in program.procs.iter().enumerate() {
        let id = ProcId::new(p);
        if !proc.items.iter().any(|item| matches!(item.kind, ItemKind::Free { .. })) {
            continue;
        }
        let regions = proc.positions();
        let region = |item: ItemId| regions.get(item.index()).copied().flatten().map(|(region, _)| region);
        blocks.extend(of_proc(flow, id, &region).into_iter().map(|(o, home, frees)| (id, o, home, frees)));
    }
    if blocks.is_empty() || !program.procs.iter().enumerate().all(|(p, _)| frees_its_own(flow, ProcId::new(p))) {
        return None;
    }
    let mut program = program.clone();
    for (p, object, home, frees) in blocks {
        let proc = &mut program.procs[p];
        let place = proc.objects[object].first(object);
        let ty = Type::pointer(place.ty.clone());
        let pointer = Expr { kind: ExprKind::Address(Box::new(place)), ty };
        let span = frees.iter().next_back().map(|item| proc.items[*item].span).unwrap_or_default();
        for region in &mut proc.regions {
            region.items.retain(|item| !frees.contains(item));
        }
        for item in frees {
            // What remains of it: statements around it are not what they were in the source.
            proc.items[item].kind = ItemKind::Sweep(SweepItem::Nothing);
        }
        proc.items.push(Item { kind: ItemKind::Free { pointer }, span, statement: None });
        let free = ItemId::new(proc.items.len() - 1);
        proc.regions[home].items.push(free);
    }
    Some(program)
}

/// The blocks of a procedure that have to be freed later, each with the region that allocates it and the items that may
/// free it: some of these stand in branches or loops inside, or may free another block.
fn of_proc(
    flow: &Flow,
    p: ProcId,
    region: &dyn Fn(ItemId) -> Option<RegionId>,
) -> Vec<(ObjectId, RegionId, BTreeSet<ItemId>)> {
    let proc = &flow.program.procs[p];
    let objects = proc.objects.ids();
    let mut homes: BTreeMap<ObjectId, RegionId> =
        objects.filter_map(|object| Some((object, home(flow, p, object, region)?))).collect();
    let mut frees: Vec<(ItemId, RegionId, BTreeSet<ObjectId>)> = Vec::new();
    for item in proc.items.ids() {
        let (ItemKind::Free { pointer }, Some(at)) = (&proc.items[item].kind, region(item)) else { continue };
        let own = |loc: Loc| match flow.points.locs.root(loc) {
            Root::Object(owner, object) if owner == p => Some(object),
            _ => None,
        };
        frees.push((item, at, flow.targets(p, pointer).into_iter().filter_map(own).collect()));
    }
    // A free that must stay keeps all that it may free.
    loop {
        let stays = |at: RegionId, all: &BTreeSet<ObjectId>| {
            !all.iter().all(|object| homes.get(object).is_some_and(|home| proc.is_within(at, *home)))
        };
        let kept: Vec<ObjectId> =
            frees.iter().filter(|(_, at, all)| stays(*at, all)).flat_map(|(.., all)| all).copied().collect();
        let before = homes.len();
        homes.retain(|object, _| !kept.contains(object));
        if homes.len() == before {
            break;
        }
    }
    let is_odd = |at: RegionId, all: &BTreeSet<ObjectId>| {
        all.len() > 1 || all.iter().any(|object| homes.get(object) != Some(&at))
    };
    let mut later: BTreeSet<ObjectId> =
        frees.iter().filter(|(_, at, all)| is_odd(*at, all)).flat_map(|(.., all)| all).copied().collect();
    later.retain(|object| homes.contains_key(object));
    while let Some(more) = frees
        .iter()
        .flat_map(|(.., all)| all.iter().filter(|object| !later.contains(*object) && !all.is_disjoint(&later)))
        .next()
        .copied()
    {
        later.insert(more);
    }
    let of =
        |object: ObjectId| frees.iter().filter(|(.., all)| all.contains(&object)).map(|(item, ..)| *item).collect();
    later.into_iter().map(|object| (object, homes[&object], of(object))).collect()
}

/// The region that allocates a block, if one item does and no pointer to the block outlives it.
fn home(flow: &Flow, p: ProcId, object: ObjectId, region: &dyn Fn(ItemId) -> Option<RegionId>) -> Option<RegionId> {
    let proc = &flow.program.procs[p];
    let top = flow.points.locs.find(Root::Object(p, object))?;
    if proc.objects[object].life != Life::Heap || flow.points.escapes(top) {
        return None;
    }
    let makes = |item: &ItemId| matches!(proc.items[*item].kind, ItemKind::Alloc { object: o, .. } if o == object);
    let mut homes = proc.items.ids().filter(makes).filter_map(region);
    homes.next().filter(|home| homes.next().is_none() && !flow.reached_later(p, top, *home))
}

/// Whether a procedure frees no blocks of its callers.
fn frees_its_own(flow: &Flow, p: ProcId) -> bool {
    flow.program.procs[p].items.iter().all(|item| {
        let ItemKind::Free { pointer } = &item.kind else { return true };
        let own = |loc: &Loc| matches!(flow.points.locs.root(*loc), Root::Object(owner, _) if owner == p);
        flow.targets(p, pointer).iter().all(own)
    })
}
