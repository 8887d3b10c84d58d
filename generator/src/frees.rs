//! Blocks that several paths free: freed at the end of the region that allocates them instead.
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

use crate::flow::{Flow, Loc, Root};
use crate::ir::*;

/// Whether a branch frees something: then it is worth a closer look.
pub fn in_branches(program: &Program) -> bool {
    program.procs.iter().any(|proc| {
        proc.regions.iter().any(|region| {
            let frees = |item: &ItemId| matches!(proc.items[item.index()].kind, ItemKind::Free { .. });
            region.parent.is_some() && region.items.iter().any(frees)
        })
    })
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
        for o in (0..proc.objects.len()).map(ObjectId::new) {
            blocks.extend(block(flow, id, o, &region).map(|(home, frees)| (id, o, home, frees)));
        }
    }
    if blocks.is_empty() || !program.procs.iter().enumerate().all(|(p, _)| frees_its_own(flow, ProcId::new(p))) {
        return None;
    }
    let mut program = program.clone();
    for (p, object, home, frees) in blocks {
        let proc = &mut program.procs[p.index()];
        let place = crate::sweep::first(&proc.objects[object.index()], object);
        let ty = Type::Pointer(Box::new(place.ty.clone()));
        let pointer = Expr { kind: ExprKind::Address(place), ty };
        let span = frees.last().map(|item| proc.items[item.index()].span).unwrap_or_default();
        for region in &mut proc.regions {
            region.items.retain(|item| !frees.contains(item));
        }
        for item in frees {
            // What remains of it: statements around it are not what they were in the source.
            proc.items[item.index()].kind = ItemKind::Comment { text: String::new() };
        }
        proc.items.push(Item { kind: ItemKind::Free { pointer }, span, statement: None });
        let free = ItemId::new(proc.items.len() - 1);
        proc.regions[home.index()].items.push(free);
    }
    Some(program)
}

/// The region that allocates an object and the items that free it, if some of them stand in branches or loops inside.
fn block(
    flow: &Flow,
    p: ProcId,
    object: ObjectId,
    region: &dyn Fn(ItemId) -> Option<RegionId>,
) -> Option<(RegionId, Vec<ItemId>)> {
    let proc = &flow.program.procs[p.index()];
    let top = flow.points.locs.find(Root::Object(p, object))?;
    if proc.objects[object.index()].life != Life::Heap || flow.points.escapes(top) {
        return None;
    }
    let items = || (0..proc.items.len()).map(ItemId::new).filter(|item| region(*item).is_some());
    let mut allocs = items()
        .filter(|item| matches!(proc.items[item.index()].kind, ItemKind::Alloc { object: o, .. } if o == object));
    let home = region(allocs.next().filter(|_| allocs.next().is_none())?)?;
    let mut frees = Vec::new();
    for item in items() {
        let ItemKind::Free { pointer } = &proc.items[item.index()].kind else { continue };
        let targets = flow.targets(p, pointer);
        let of = |loc: &Loc| flow.points.locs.root(*loc) == Root::Object(p, object);
        if targets.iter().any(of) {
            if !targets.iter().all(of) || !proc.is_within(region(item)?, home) {
                return None;
            }
            frees.push(item);
        }
    }
    let nested = frees.iter().any(|item| region(*item) != Some(home));
    nested.then_some((home, frees))
}

/// Whether a procedure frees no blocks of its callers.
fn frees_its_own(flow: &Flow, p: ProcId) -> bool {
    flow.program.procs[p.index()].items.iter().all(|item| {
        let ItemKind::Free { pointer } = &item.kind else { return true };
        let own = |loc: &Loc| matches!(flow.points.locs.root(*loc), Root::Object(owner, _) if owner == p);
        flow.targets(p, pointer).iter().all(own)
    })
}
