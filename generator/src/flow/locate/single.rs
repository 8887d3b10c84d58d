//! One memory or several.

use super::state::Locator;
use crate::flow::locate::state::Uses;
use crate::flow::locs::{Loc, Root};
use crate::flow::poly::{Facts, Poly};
use crate::ir::{ItemId, ItemKind, Life, ObjectId, ProcId, RegionId};

impl Locator<'_> {
    /// Whether a location is one piece of memory while a procedure runs, so that elements can be told apart: not
    /// several blocks of an allocation, rows of pointers, or objects of other calls.
    pub fn single(&self, p: ProcId, loc: Loc) -> bool {
        let top = self.points.locs.root_top(loc);
        if let Some(known) = self.singles.borrow().get(&(p, top)) {
            return *known;
        }
        self.singles.borrow_mut().insert((p, top), false);
        let first = self.first.take();
        if first.is_some() {
            self.forget_meanwhile();
        }
        let single = self.points.locs.folded(top).next().is_none()
            && match self.points.locs.root(top) {
                Root::Global(_) => true,
                Root::Formal(q, _) => q == p && !self.points.kept(p, top),
                Root::Object(q, o) => q == p && self.single_object(p, o, top),
                Root::Cell(cell) => self.single_cell(p, cell, top),
                Root::Literal | Root::Unknown => false,
            };
        self.first.set(first);
        self.forget_meanwhile();
        self.singles.borrow_mut().insert((p, top), single);
        single
    }

    fn single_object(&self, p: ProcId, o: ObjectId, top: Loc) -> bool {
        let proc = &self.program.procs[p];
        if self.points.kept(p, top) {
            return false;
        }
        let life = &proc.objects[o].life;
        if !life.is_block() {
            return !self.recursive(p) || !self.points.escapes(top);
        }
        if *life == Life::Stable && self.recursive(p) && self.points.escapes(top) {
            return false;
        }
        let allocs: Vec<(RegionId, ItemId)> = (proc.regions.by_id())
            .flat_map(|(r, region)| region.items.iter().map(move |&id| (r, id)))
            .filter(|(_, id)| matches!(proc.items[*id].kind, ItemKind::Alloc { object, .. } if object == o))
            .collect();
        let [(region, _)] = allocs[..] else { return false };
        let mut at = region;
        while let Some((outer, item)) = proc.regions[at].parent {
            if matches!(proc.items[item].kind, ItemKind::Loop { .. }) {
                // A pass may still have the stable block of the one before.
                return *life == Life::Heap && !self.points.escapes(top) && self.freed_in(p, region, top);
            }
            at = outer;
        }
        true
    }

    /// Whether the block that a region allocates is freed by the same pass of it.
    fn freed_in(&self, p: ProcId, region: RegionId, top: Loc) -> bool {
        let proc = &self.program.procs[p];
        proc.regions[region].items.iter().any(|id| {
            let ItemKind::Free { pointer } = &proc.items[*id].kind else { return false };
            let targets = self.points.targets(p, pointer);
            targets.len() == 1 && targets.contains(&top)
        })
    }

    /// Whether a pointer cell leads to what it led to at entry: a procedure never writes it.
    pub fn points_outside(&self, p: ProcId, cell: Loc, outside: Loc) -> bool {
        let contents = self.points.contents(p, cell);
        let writes = &self.effects.of_region(p, RegionId(0)).writes;
        contents.contains(&outside)
            && (contents.len() == 1 || !writes.iter().any(|&written| self.points.may_alias(p, cell, written)))
    }

    /// Whether a pointer cell is never written, and read only in the first element of its own location: then what it
    /// points to is one piece of memory.
    fn single_cell(&self, p: ProcId, cell: Loc, outside: Loc) -> bool {
        let native = self.points.locs.native(outside);
        if !self.single(p, cell) || self.points.kept(p, outside) || native.is_some_and(|q| q != p) {
            return false;
        }
        let facts = Facts::default();
        let uses = self.uses.get_or_init(|| Uses::new(self.program, self.points));
        let read = uses.loads.get(&cell).into_iter().flatten().all(|(q, place)| {
            let q = *q;
            (q == p || native.is_none())
                && self.points_outside(q, cell, outside)
                && self.locate(q, place, &facts).is_some_and(|(_, at)| at == Poly::default())
        });
        read && uses.passed.iter().all(|(q, arg, targets)| {
            let mut around = targets.iter().filter(|t| self.points.locs.within(cell, **t));
            around.all(|t| self.base(*q, arg, &facts).is_some_and(|(l, at)| l == *t && at == Poly::default()))
        })
    }
}
