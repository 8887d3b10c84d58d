//! One memory or several.

use super::Locator;
use crate::flow::locs::{Loc, Root};
use crate::flow::poly::{Facts, Poly};
use crate::flow::walk;
use crate::ir::{Callee, Expr, ExprKind, ItemId, ItemKind, Life, ObjectId, Place, ProcId, RegionId, Type};

impl Locator<'_> {
    /// Whether a location is one piece of memory while a procedure runs, so that elements can be told apart: not
    /// several blocks of an allocation, rows of pointers, or objects of other calls.
    pub fn single(&self, p: ProcId, loc: Loc) -> bool {
        let top = self.points.locs.root_top(loc);
        if let Some(known) = self.singles.borrow().get(&(p, top)) {
            return *known;
        }
        self.singles.borrow_mut().insert((p, top), false);
        let single = self.points.locs.folded(top).next().is_none()
            && match self.points.locs.root(top) {
                Root::Global(_) => true,
                Root::Formal(q, _) => q == p && !self.points.kept(p, top),
                Root::Object(q, o) => q == p && self.single_object(p, o, top),
                Root::Cell(cell) => self.single_cell(p, cell, top),
                Root::Literal | Root::Unknown => false,
            };
        self.singles.borrow_mut().insert((p, top), single);
        single
    }

    fn single_object(&self, p: ProcId, o: ObjectId, top: Loc) -> bool {
        let proc = &self.program.procs[p.index()];
        if self.points.kept(p, top) {
            return false;
        }
        if proc.objects[o.index()].life != Life::Heap {
            return !self.recursive(p) || !self.points.escapes(top);
        }
        let allocs: Vec<(RegionId, ItemId)> = (0..proc.regions.len())
            .flat_map(|r| proc.regions[r].items.iter().map(move |&id| (RegionId::new(r), id)))
            .filter(|(_, id)| matches!(proc.items[id.index()].kind, ItemKind::Alloc { object, .. } if object == o))
            .collect();
        let [(region, _)] = allocs[..] else { return false };
        let mut at = region;
        while let Some((outer, item)) = proc.regions[at.index()].parent {
            if matches!(proc.items[item.index()].kind, ItemKind::Loop { .. }) {
                return !self.points.escapes(top) && self.freed_in(p, region, top);
            }
            at = outer;
        }
        true
    }

    /// Whether the block that a region allocates is freed by the same pass of it.
    fn freed_in(&self, p: ProcId, region: RegionId, top: Loc) -> bool {
        let proc = &self.program.procs[p.index()];
        proc.regions[region.index()].items.iter().any(|id| match &proc.items[id.index()].kind {
            ItemKind::Free { pointer } => {
                let targets = self.points.targets(p, pointer);
                targets.len() == 1 && targets.contains(&top)
            }
            _ => false,
        })
    }

    /// Whether a pointer cell is never written, and read only in the first element of its own location: then what it
    /// points to is one piece of memory.
    fn single_cell(&self, p: ProcId, cell: Loc, outside: Loc) -> bool {
        let native = self.points.locs.native(outside);
        if !self.single(p, cell) || self.points.kept(p, outside) || native.is_some_and(|q| q != p) {
            return false;
        }
        let facts = Facts::default();
        let zero =
            |q: ProcId, place: &Place| self.locate(q, place, &facts).is_some_and(|(_, at)| at == Poly::default());
        for (q, proc) in self.program.procs.iter().enumerate() {
            let q = ProcId::new(q);
            let mut good = true;
            let mut check = |e: &Expr| {
                if let ExprKind::Load(place) = &e.kind
                    && self.points.cells(q, place).contains(&cell)
                {
                    let contents = self.points.contents(q, cell);
                    good &= (q == p || native.is_none())
                        && contents.len() == 1
                        && contents.contains(&outside)
                        && zero(q, place);
                }
            };
            for id in walk::items(proc, RegionId(0)) {
                let item = &proc.items[id.index()];
                walk::of_item(proc, item).into_iter().for_each(|e| walk::expr(e, &mut check));
            }
            if let Some(e) = &proc.result {
                walk::expr(e, &mut check);
            }
            if !good {
                return false;
            }
            for (id, _) in walk::calls(proc) {
                let ItemKind::Call { callee: Callee::Proc(_), args, .. } = &proc.items[id.index()].kind else {
                    continue;
                };
                for arg in args.iter().filter(|a| matches!(a.ty, Type::Pointer(_))) {
                    for t in self.points.targets(q, arg) {
                        if self.points.locs.within(cell, t)
                            && self.base(q, arg, &facts).is_none_or(|(l, at)| l != t || at != Poly::default())
                        {
                            return false;
                        }
                    }
                }
            }
        }
        true
    }
}
