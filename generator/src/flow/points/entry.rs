//! Pointers with static storage that each head sets before anything reads them: what they hold when a head is called
//! means nothing to it.
//!
//! - **Lattice**: for each point of a procedure the pointers that are set there on every path, ordered by inclusion.
//! - **Transfer**: a store adds its pointer, a call what the callee sets. Arms of a branch give what both set, a loop
//!   that may not run gives nothing.
//! - **Closure**: rounds over all procedures, from none that reads and all that set, until nothing changes.

use super::Points;
use crate::flow::locs::{self, Loc, Root, Set};
use crate::flow::walk;
use crate::ir::{Base, Callee, Expr, ExprKind, GlobalId, ItemKind, Place, ProcId, RegionId, Step, TestAt, Type};

/// What a procedure does with pointers, as a call sees it.
#[derive(Clone, Default, PartialEq)]
struct Summary {
    /// What it may read as its caller left it.
    reads: Set,
    /// What it sets on every path.
    sets: Set,
}

struct Entry<'a> {
    points: &'a Points<'a>,
    /// The pointers in question.
    pointers: Set,
    /// By procedure.
    known: Vec<Summary>,
}

/// The pointers with static storage whose contents at the call of a head are nowhere read, by the roots alone.
pub(super) fn set_first(points: &Points) -> Set {
    let program = points.program;
    let mut entry = Entry { points, pointers: pointers(points), known: Vec::new() };
    if entry.pointers.is_empty() {
        return Set::new();
    }
    entry.known = vec![Summary { reads: Set::new(), sets: entry.pointers.clone() }; program.procs.len()];
    let order = walk::callees_first(program);
    loop {
        let mut grown = false;
        for &p in &order {
            let summary = entry.procedure(p);
            grown |= entry.known[p.index()] != summary;
            entry.known[p.index()] = summary;
        }
        if !grown {
            break;
        }
    }
    let read: Set = points.heads.iter().flat_map(|head| entry.known[head.index()].reads.clone()).collect();
    &entry.pointers - &read
}

/// The pointers that are variables at file scope or members of them, all reached by name only.
fn pointers(points: &Points) -> Set {
    let (program, locs) = (points.program, &points.locs);
    let leaves = |global| locs.find(Root::Global(global)).map(|top| locs.leaves(top)).unwrap_or_default();
    let number = |leaf: &Loc| match locs.ty(*leaf) {
        ty @ Type::Pointer(_) => matches!(locs::pointee(ty), Type::Int { .. } | Type::Float { .. }),
        _ => true,
    };
    // Nobody knows which variables an initialiser leads to.
    if !program.led.iter().all(|global| leaves(*global).iter().all(number)) {
        return Set::new();
    }
    let single = |global: &GlobalId| program.globals[*global].shape.is_empty();
    let all = program.globals.ids().filter(single).flat_map(leaves);
    let mut found: Set = all.filter(|leaf| matches!(locs.ty(*leaf), Type::Pointer(_))).collect();
    if found.is_empty() {
        return found;
    }
    for (p, proc) in program.procs.iter().enumerate() {
        let items: Vec<_> = walk::items(proc, RegionId(0)).into_iter().map(|id| &proc.items[id]).collect();
        // What has no source may read and write any of them.
        let unknown =
            |kind: &ItemKind| matches!(kind, ItemKind::Call { callee: Callee::External { unknown: true, .. }, .. });
        if items.iter().any(|item| unknown(&item.kind)) {
            return Set::new();
        }
        for e in items.iter().flat_map(|item| walk::of_item(proc, item)).chain(&proc.result) {
            walk::expr(e, &mut |x| {
                if let ExprKind::Address(place) = &x.kind {
                    at_file_scope(points, ProcId::new(p), place).iter().for_each(|leaf| {
                        found.remove(leaf);
                    });
                }
            });
        }
    }
    found
}

/// What is in a place, if it is a variable at file scope or a part of one.
fn at_file_scope(points: &Points, p: ProcId, place: &Place) -> Vec<Loc> {
    let cells = if let Base::Global(_) = place.base { points.cells(p, place) } else { Set::new() };
    cells.into_iter().flat_map(|cell| points.locs.leaves(cell)).collect()
}

impl Entry<'_> {
    fn procedure(&self, p: ProcId) -> Summary {
        let mut summary = Summary::default();
        self.region(p, RegionId(0), &mut summary);
        if let Some(result) = &self.points.program.procs[p].result {
            self.read(p, result, &mut summary);
        }
        summary
    }

    fn region(&self, p: ProcId, region: RegionId, at: &mut Summary) {
        let proc = &self.points.program.procs[p];
        for &id in &proc.regions[region].items {
            let item = &proc.items[id];
            let late = matches!(item.kind, ItemKind::Loop { at: TestAt::After, .. });
            let evaluated = walk::of_item(proc, item);
            if !late {
                evaluated.iter().for_each(|e| self.read(p, e, at));
            }
            if let ItemKind::Store { to, .. } = &item.kind
                && to.path.iter().all(|step| matches!(step, Step::Field(_)))
            {
                at.sets.extend(at_file_scope(self.points, p, to));
            } else if let ItemKind::Call { callee: Callee::Proc(g), .. } = &item.kind {
                let callee = &self.known[g.index()];
                at.reads.extend(&callee.reads - &at.sets);
                at.sets.extend(&callee.sets);
            } else if let ItemKind::Branch { then, otherwise, .. } = &item.kind {
                let mut other = at.clone();
                self.region(p, *then, at);
                self.region(p, *otherwise, &mut other);
                at.reads.extend(other.reads);
                at.sets = &at.sets & &other.sets;
            } else if let ItemKind::Loop { body, .. } = &item.kind {
                let before = at.sets.clone();
                self.region(p, *body, at);
                if late {
                    evaluated.iter().for_each(|e| self.read(p, e, at));
                } else {
                    at.sets = before;
                }
            }
        }
    }

    fn read(&self, p: ProcId, e: &Expr, at: &mut Summary) {
        for leaf in walk::loads(e).into_iter().flat_map(|place| at_file_scope(self.points, p, place)) {
            if self.pointers.contains(&leaf) && !at.sets.contains(&leaf) {
                at.reads.insert(leaf);
            }
        }
    }
}
