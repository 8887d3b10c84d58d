//! Pointers with static storage that each head sets before anything reads them: what they hold when a head is called
//! means nothing to it.
//!
//! - **Lattice**: for each point of a procedure the pointers that are set there on every path, ordered by inclusion.
//! - **Transfer**: a store adds its pointer, a call what the callee sets. Arms of a branch give what both set, a loop
//!   that may not run gives nothing.
//! - **Closure**: rounds over all procedures, from none that reads and all that set, until nothing changes.

use crate::flow::locs::{Loc, Locs, Root, Set};
use crate::flow::walk;
use crate::ir::{
    Base, Callee, Expr, ExprKind, FieldId, GlobalId, ItemKind, Place, ProcId, Program, RegionId, Step, TestAt, Type,
};

/// What a procedure does with pointers, as a call sees it.
#[derive(Clone, Default, PartialEq)]
struct Summary {
    /// What it may read as its caller left it.
    reads: Set,
    /// What it sets on every path.
    sets: Set,
}

struct Entry<'a> {
    program: &'a Program,
    locs: &'a Locs,
    /// The pointers in question.
    pointers: Set,
    /// By procedure.
    known: Vec<Summary>,
}

/// The pointers with static storage whose contents at the call of a head are nowhere read.
pub(super) fn set_first(program: &Program, locs: &Locs, heads: &[ProcId]) -> Set {
    let mut entry = Entry { program, locs, pointers: Set::new(), known: Vec::new() };
    entry.pointers = entry.pointers();
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
    let read: Set = heads.iter().flat_map(|head| entry.known[head.index()].reads.clone()).collect();
    &entry.pointers - &read
}

impl Entry<'_> {
    /// The pointers that are variables at file scope or members of them, all reached by name only.
    fn pointers(&self) -> Set {
        let globals = self.program.globals.iter().enumerate().filter(|(_, object)| object.shape.is_empty());
        let tops = globals.filter_map(|(g, _)| self.locs.find(Root::Global(GlobalId::new(g))));
        let leaves = tops.flat_map(|top| self.locs.leaves(top));
        let mut found: Set = leaves.filter(|leaf| matches!(self.locs.ty(*leaf), Type::Pointer(_))).collect();
        for proc in &self.program.procs {
            for id in walk::items(proc, RegionId(0)) {
                let item = &proc.items[id.index()];
                // What has no source may read and write any of them.
                if matches!(item.kind, ItemKind::Call { callee: Callee::External { unknown: true, .. }, .. }) {
                    return Set::new();
                }
                for e in walk::of_item(proc, item).into_iter().chain(&proc.result) {
                    walk::expr(e, &mut |x| {
                        if let ExprKind::Address(place) = &x.kind {
                            found.retain(|leaf| !self.leaves(place).contains(leaf));
                        }
                    });
                }
            }
        }
        found
    }

    /// What is in a variable at file scope, or in a part of it.
    fn leaves(&self, place: &Place) -> Vec<Loc> {
        let Base::Global(g) = place.base else { return Vec::new() };
        let fields: Vec<FieldId> =
            place.path.iter().filter_map(|step| if let Step::Field(f) = step { Some(*f) } else { None }).collect();
        let part = self.locs.find(Root::Global(g)).and_then(|top| self.locs.follow(top, &fields));
        part.map(|part| self.locs.leaves(part)).unwrap_or_default()
    }

    fn procedure(&self, p: ProcId) -> Summary {
        let mut summary = Summary::default();
        self.region(p, RegionId(0), &mut summary);
        if let Some(result) = &self.program.procs[p.index()].result {
            self.read(result, &mut summary);
        }
        summary
    }

    fn region(&self, p: ProcId, region: RegionId, at: &mut Summary) {
        let proc = &self.program.procs[p.index()];
        for &id in &proc.regions[region.index()].items {
            let item = &proc.items[id.index()];
            let late = matches!(item.kind, ItemKind::Loop { at: TestAt::After, .. });
            let evaluated = walk::of_item(proc, item);
            if !late {
                evaluated.iter().for_each(|e| self.read(e, at));
            }
            match &item.kind {
                ItemKind::Store { to, .. } if to.path.iter().all(|step| matches!(step, Step::Field(_))) => {
                    at.sets.extend(self.leaves(to));
                }
                ItemKind::Call { callee: Callee::Proc(g), .. } => {
                    let callee = &self.known[g.index()];
                    at.reads.extend(&callee.reads - &at.sets);
                    at.sets.extend(&callee.sets);
                }
                ItemKind::Branch { then, otherwise, .. } => {
                    let mut other = at.clone();
                    self.region(p, *then, at);
                    self.region(p, *otherwise, &mut other);
                    at.reads.extend(other.reads);
                    at.sets = &at.sets & &other.sets;
                }
                ItemKind::Loop { body, .. } => {
                    let before = at.sets.clone();
                    self.region(p, *body, at);
                    if late {
                        evaluated.iter().for_each(|e| self.read(e, at));
                    } else {
                        at.sets = before;
                    }
                }
                _ => {}
            }
        }
    }

    fn read(&self, e: &Expr, at: &mut Summary) {
        for leaf in walk::loads(e).into_iter().flat_map(|place| self.leaves(place)) {
            if self.pointers.contains(&leaf) && !at.sets.contains(&leaf) {
                at.reads.insert(leaf);
            }
        }
    }
}
