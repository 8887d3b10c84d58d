//! Transfer: items and regions.

use std::sync::Arc;

use super::super::locs::{Loc, Root};
use super::super::poly::{Facts, Poly};
use super::super::sections::{self, Piece, Secs};
use super::super::walk;
use super::state::{Access, Required, State, Sum};
use crate::ir::library;
use crate::ir::{Callee, Expr, External, ItemId, ItemKind, Life, ObjectId, Place, ProcId, RegionId};
use crate::refuse::{Class, Refusal};

impl Required<'_> {
    /// Adds what an expression loads.
    pub(super) fn loads(&self, p: ProcId, e: &Expr, facts: &Facts, out: &mut Secs) {
        for place in walk::loads(e) {
            for (loc, piece) in self.locator.pieces(p, place, facts) {
                sections::add(out, loc, piece);
            }
        }
    }

    /// Notes what an expression reads.
    fn read(&self, p: ProcId, e: &Expr, facts: &Facts, sum: &mut Sum) {
        let mut loads = Secs::new();
        self.loads(p, e, facts, &mut loads);
        self.reading(p, &loads, facts, sum);
    }

    /// Notes that sections are read.
    pub(super) fn reading(&self, p: ProcId, loads: &Secs, facts: &Facts, sum: &mut Sum) {
        sections::union(&mut sum.read, loads);
        self.exposing(p, loads.clone(), facts, sum);
    }

    /// Notes that sections are read before what happens in between writes them.
    pub(super) fn exposing(&self, p: ProcId, mut open: Secs, facts: &Facts, sum: &mut Sum) {
        sections::kill(&mut open, &sum.killed, facts);
        self.clip(p, &mut open, facts);
        sections::union(&mut sum.exposed, &open);
    }

    /// Drops pieces outside of their object: nothing there is ever accessed.
    fn clip(&self, p: ProcId, set: &mut Secs, facts: &Facts) {
        for (&loc, pieces) in set.iter_mut() {
            let end = self.locator.elements(p, loc);
            pieces.retain(|piece| {
                let outside = end
                    .as_ref()
                    .is_some_and(|end| facts.at_most(end, &piece.lo) || facts.at_most(&piece.hi, &Poly::default()));
                !outside && !piece.empty(facts)
            });
        }
        set.retain(|_, pieces| !pieces.is_empty());
    }

    /// Whether a piece of a location may meet a set.
    pub(super) fn hit(&self, p: ProcId, set: &Secs, loc: Loc, piece: &Piece, facts: &Facts) -> bool {
        set.iter().any(|(&other, pieces)| {
            if other == loc {
                pieces.iter().any(|q| !q.disjoint(piece, facts))
            } else {
                !pieces.is_empty() && self.flow.points.may_alias(p, loc, other)
            }
        })
    }

    /// A region, once.
    pub(super) fn region(&self, p: ProcId, region: RegionId, s: &mut State) {
        let proc = &self.flow.program.procs[p];
        let items = &proc.regions[region].items;
        for &id in items {
            self.item(p, region, id, s);
            for e in self.demands.get(&(p, id)).into_iter().flatten() {
                self.loads(p, e, &self.locator.facts(p, region), &mut s.req);
            }
        }
        if region == RegionId(0)
            && let Some(e) = &proc.result
        {
            self.read(p, e, &Facts::default(), &mut s.sum);
            for need in self.flow.result_needs(p) {
                self.loads(p, &need, &Facts::default(), &mut s.req);
            }
        }
        for &id in items {
            if let ItemKind::Declare { object } = proc.items[id].kind {
                self.end_of_life(p, object, s);
                self.forget(p, object, &mut s.sum);
            } else if let ItemKind::Alloc { object, .. } = proc.items[id].kind {
                self.not_freed(p, id, object, s);
            }
        }
        if region == RegionId(0) {
            self.leave(p, s);
        }
    }

    /// The end of the region that allocates a block. A block that is still required was not freed here, so there is no
    /// place where its contents could be kept.
    fn not_freed(&self, p: ProcId, alloc: ItemId, object: ObjectId, s: &mut State) {
        let proc = &self.flow.program.procs[p];
        let leaves = self.leaves(p, object);
        // A block of the stable heap stays until its `Alloc` is undone.
        if proc.objects[object].life == Life::Stable {
            return;
        }
        if leaves.iter().any(|leaf| s.req.contains_key(leaf) && !self.flow.points.escapes(*leaf)) {
            if let Some(verdict) = &mut s.verdict {
                verdict.refusals.push(Refusal {
                    class: Class::NotProved,
                    span: proc.items[alloc].span,
                    what: format!(
                        "the adjoint needs the contents of the block '{}', and not every path frees it in the block of \
                         code that allocates it",
                        proc.objects[object].name
                    ),
                    help: "free it there".into(),
                });
            }
            leaves.iter().for_each(|leaf| {
                s.req.remove(leaf);
            });
        }
    }

    /// The end of a procedure: struct parameters that were written lose their contents. One that was not written comes
    /// back with the arguments.
    fn leave(&self, p: ProcId, s: &mut State) {
        let proc = &self.flow.program.procs[p];
        for o in proc.objects.ids() {
            let leaves = self.leaves(p, o);
            let param = matches!(proc.objects[o].life, Life::Param(_));
            if param && leaves.iter().any(|l| s.sum.written.contains_key(l)) {
                self.end_of_life(p, o, s);
            }
        }
    }

    /// Nothing reads what an array that is undefined at entry holds there. What is required of it is kept all the same:
    /// its adjoint before the call reads it.
    pub(super) fn undefined_at_entry(&self, p: ProcId, sum: &mut Sum) {
        let locs = &self.flow.points.locs;
        for (k, _) in self.flow.program.procs[p].params.iter().enumerate().filter(|(_, param)| param.undefined_at_entry)
        {
            let top = locs.find(Root::Formal(p, k as u32));
            top.into_iter().flat_map(|top| locs.leaves(top)).for_each(|leaf| drop(sum.exposed.remove(&leaf)));
        }
    }

    fn leaves(&self, p: ProcId, object: ObjectId) -> Vec<Loc> {
        let locs = &self.flow.points.locs;
        locs.find(Root::Object(p, object)).map(|top| locs.leaves(top)).unwrap_or_default()
    }

    /// The contents of an object get lost.
    fn end_of_life(&self, p: ProcId, object: ObjectId, s: &mut State) {
        for leaf in self.leaves(p, object) {
            if s.req.contains_key(&leaf) {
                if let Some(verdict) = &mut s.verdict {
                    verdict.kept.insert((p, object));
                }
                if self.locator.single(p, leaf) {
                    s.req.remove(&leaf);
                }
            }
        }
    }

    /// Nobody outside of its region sees an object.
    fn forget(&self, p: ProcId, object: ObjectId, sum: &mut Sum) {
        for leaf in self.leaves(p, object) {
            if self.locator.single(p, leaf) {
                for set in [&mut sum.killed, &mut sum.read, &mut sum.written, &mut sum.exposed] {
                    set.remove(&leaf);
                }
            }
        }
    }

    /// An item, with the regions in it.
    pub(super) fn item(&self, p: ProcId, region: RegionId, id: ItemId, s: &mut State) {
        let proc = &self.flow.program.procs[p];
        let item = &proc.items[id];
        let facts = self.locator.facts(p, region);
        self.step();
        let access = self.access(p, id, &facts);
        sections::union(&mut s.req, &access.needs);
        for loads in &access.reads {
            self.reading(p, loads, &facts, &mut s.sum);
        }
        if let ItemKind::Branch { then, otherwise, .. } = &item.kind {
            self.branch(p, *then, *otherwise, &facts, s);
        } else if matches!(item.kind, ItemKind::Loop { .. }) {
            self.repeat(p, id, &facts, s);
        } else if let ItemKind::Free { pointer } = &item.kind {
            self.free(p, id, pointer, &facts, s);
        } else if let ItemKind::Call { callee, args, .. } = &item.kind {
            match callee {
                Callee::Proc(g) => self.call(p, id, *g, args, &facts, s),
                Callee::External { function, .. } => self.external(p, id, function, &facts, s),
                Callee::Sweep(..) => {}
            }
        }
        for to in item.kind.written() {
            self.store(p, id, to, &facts, s);
        }
        if let Some(object) = item.kind.begun() {
            self.begin(p, object, s);
        }
    }

    /// What an item accesses by itself. The test of a loop is not among it: it is read in each pass.
    fn access(&self, p: ProcId, id: ItemId, facts: &Facts) -> Arc<Access> {
        if let Some(known) = self.accesses.borrow().get(&(p, id)) {
            return known.clone();
        }
        let proc = &self.flow.program.procs[p];
        let item = &proc.items[id];
        let loads = |exprs: &mut dyn Iterator<Item = &Expr>| {
            let mut loads = Secs::new();
            exprs.for_each(|e| self.loads(p, e, facts, &mut loads));
            loads
        };
        let needs = loads(&mut self.needs[p.index()][id.index()].iter());
        let read = if matches!(item.kind, ItemKind::Loop { .. }) { Vec::new() } else { walk::of_item(proc, item) };
        let reads = read.into_iter().map(|e| loads(&mut [e].into_iter())).filter(|loads| !loads.is_empty()).collect();
        let access = Arc::new(Access { needs, reads });
        self.accesses.borrow_mut().insert((p, id), access.clone());
        access
    }

    fn store(&self, p: ProcId, id: ItemId, to: &Place, facts: &Facts, s: &mut State) {
        let pieces = self.locator.pieces(p, to, facts);
        for (loc, piece) in &pieces {
            sections::add(&mut s.sum.written, *loc, piece.clone());
            if let Some(verdict) = &mut s.verdict
                && self.hit(p, &s.req, *loc, piece, facts)
                && !self.is_first(p, id, to, facts, &pieces)
            {
                verdict.pushed.insert((p, id));
                // The push reads it.
                self.exposing(p, Secs::from([(*loc, vec![piece.clone()])]), facts, &mut s.sum);
            }
        }
        let sure = pieces.len() == 1;
        if let Some((loc, piece)) = pieces.first().filter(|(_, piece)| sure && !piece.is_whole()) {
            let killed = Secs::from([(*loc, vec![piece.clone()])]);
            sections::kill(&mut s.req, &killed, facts);
            sections::must(&mut s.sum.killed, *loc, piece.clone());
        }
    }

    /// An object begins: its contents are undefined, so nothing before can be required or exposed. Another block of the
    /// stable heap leaves those alone that there are.
    fn begin(&self, p: ProcId, object: ObjectId, s: &mut State) {
        let stable = self.flow.program.procs[p].objects[object].life == Life::Stable;
        for leaf in self.leaves(p, object) {
            if stable && !self.locator.single(p, leaf) {
                continue;
            }
            sections::add(&mut s.sum.written, leaf, Piece::whole());
            if self.locator.single(p, leaf) {
                s.req.remove(&leaf);
                sections::must(&mut s.sum.killed, leaf, Piece::whole());
            }
        }
    }

    fn free(&self, p: ProcId, id: ItemId, pointer: &Expr, facts: &Facts, s: &mut State) {
        let targets = self.flow.points.targets(p, pointer);
        let stable = self.flow.points.on_heap(p, pointer);
        for &t in &targets {
            for leaf in self.flow.points.locs.leaves(t) {
                sections::add(&mut s.sum.written, leaf, Piece::whole());
                if stable {
                    if let Some(verdict) = &mut s.verdict
                        && self.hit(p, &s.req, leaf, &Piece::whole(), facts)
                    {
                        verdict.pushed.insert((p, id));
                    }
                } else if let Some(verdict) = &mut s.verdict
                    && let Root::Object(q, o) = self.flow.points.locs.root(leaf)
                    && s.req.contains_key(&leaf)
                {
                    verdict.kept.insert((q, o));
                }
                if targets.len() == 1 && self.locator.single(p, leaf) {
                    s.req.remove(&leaf);
                }
            }
        }
    }

    fn external(&self, p: ProcId, id: ItemId, function: &External, facts: &Facts, s: &mut State) {
        let effect = self.flow.effects.item(p, id);
        let all: Secs = effect.reads.iter().map(|&l| (l, vec![Piece::whole()])).collect();
        self.reading(p, &all, facts, &mut s.sum);
        for &l in &effect.writes {
            sections::add(&mut s.sum.written, l, Piece::whole());
            // Undoing it brings the block back with its contents.
            if *function != External::Resize
                && let Some(verdict) = &mut s.verdict
                && self.hit(p, &s.req, l, &Piece::whole(), facts)
            {
                let name = function.name();
                let what =
                    format!("'{name}' may overwrite what the adjoint reads and its source is not among the inputs");
                verdict.refusals.push(Refusal {
                    class: Class::NotProved,
                    span: self.flow.program.procs[p].items[id].span,
                    what,
                    help: library::instead(name).into(),
                });
            }
        }
    }

    fn branch(&self, p: ProcId, then: RegionId, otherwise: RegionId, facts: &Facts, s: &mut State) {
        let mut first = State { req: s.req.clone(), sum: Sum::default(), verdict: s.verdict.take() };
        self.region(p, then, &mut first);
        let mut second = State { req: std::mem::take(&mut s.req), sum: Sum::default(), verdict: first.verdict.take() };
        self.region(p, otherwise, &mut second);
        s.verdict = second.verdict.take();
        s.req = first.req;
        sections::union(&mut s.req, &second.req);
        let mut both = Secs::new();
        for (loc, pieces) in &first.sum.killed {
            let Some(other) = second.sum.killed.get(loc) else { continue };
            let shared = pieces.iter().filter(|piece| other.contains(piece));
            shared.for_each(|piece| sections::must(&mut both, *loc, piece.clone()));
        }
        for arm in [first.sum, second.sum] {
            sections::union(&mut s.sum.written, &arm.written);
            sections::union(&mut s.sum.read, &arm.read);
            self.exposing(p, arm.exposed, facts, &mut s.sum);
        }
        sections::must_all(&mut s.sum.killed, both);
    }
}
