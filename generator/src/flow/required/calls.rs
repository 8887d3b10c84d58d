//! Calls: what a callee does in terms of its caller, and what a caller requires in terms of its callee.

use std::collections::BTreeMap;

use super::super::effects;
use super::super::locs::{Loc, Root, Set};
use super::super::poly::{Atom, Facts, Poly};
use super::super::sections::{self, Piece, Secs};
use super::state::{Required, State, Sum};
use crate::ir::{Def, Expr, ExprKind, ItemId, Life, ProcId, RegionId, Type, ValueId};

/// A call: `g(args)` in `p`.
pub(super) struct Call<'c> {
    pub p: ProcId,
    pub id: ItemId,
    pub g: ProcId,
    pub args: &'c [Expr],
    pub facts: &'c Facts,
}

impl Required<'_> {
    /// A call of a procedure.
    pub(super) fn call(&self, p: ProcId, id: ItemId, g: ProcId, args: &[Expr], facts: &Facts, s: &mut State) {
        let callee = self.sum_for(p, g);
        let call = Call { p, id, g, args, facts };
        let written = self.up(&call, &callee.written, false);
        if let Some(verdict) = &mut s.verdict {
            let new = self.down(&call, &s.req);
            sections::union(verdict.entry.entry(g).or_default(), &new);
            // Pushes of the callee read it.
            let mut pushed = written.clone();
            for (loc, pieces) in &mut pushed {
                pieces.retain(|piece| self.hit(p, &s.req, *loc, piece, facts));
            }
            self.exposing(p, pushed, facts, &mut s.sum);
        }
        self.exposing(p, self.up(&call, &callee.exposed, false), facts, &mut s.sum);
        sections::union(&mut s.sum.read, &self.up(&call, &callee.read, false));
        sections::union(&mut s.sum.written, &written);
        let killed = self.up(&call, &callee.killed, true);
        sections::kill(&mut s.req, &killed, facts);
        sections::must_all(&mut s.sum.killed, killed);
        sections::union(&mut s.req, &self.up(&call, &callee.required, false));
        self.arguments(&call, &callee.required, &mut s.req);
    }

    /// A struct argument that the callee requires is passed again in the reverse sweep.
    fn arguments(&self, call: &Call, required: &Secs, req: &mut Secs) {
        let objects = &self.flow.program.procs[call.g].objects;
        for &leaf in required.keys() {
            if let Root::Object(q, o) = self.flow.points.locs.root(leaf)
                && q == call.g
                && matches!(objects[o].life, Life::Param(_))
            {
                for source in self.flow.points.source(call.p, call.id, call.g, leaf) {
                    sections::add(req, source, Piece::whole());
                }
            }
        }
    }

    /// What a callee does, as far as its caller may rely on it.
    fn sum_for(&self, p: ProcId, g: ProcId) -> Sum {
        if !(self.locator.recursive(p) && self.locator.recursive(g)) {
            return self.sums[g.index()].clone();
        }
        let effect = self.flow.effects.of_region(g, RegionId(0));
        let whole = |set: &Set| -> Secs { set.iter().map(|&l| (l, vec![Piece::whole()])).collect() };
        let read = whole(&effect.reads);
        Sum { required: read.clone(), killed: Secs::new(), exposed: read.clone(), read, written: whole(&effect.writes) }
    }

    /// The caller's element at which a root of the callee begins, if that is sure.
    fn bound(&self, call: &Call, top: Loc) -> Option<(Loc, Poly)> {
        let Call { p, args, facts, .. } = *call;
        let locs = &self.flow.points.locs;
        match locs.root(top) {
            Root::Formal(_, k) => self.locator.base(p, args.get(k as usize)?, facts),
            Root::Cell(cell) => {
                let (l, at) = match locs.root(cell) {
                    Root::Object(q, o) => {
                        let Life::Param(k) = self.flow.program.procs[q].objects[o].life else {
                            return None;
                        };
                        let ExprKind::Load(place) = &args.get(k as usize)?.kind else { return None };
                        self.locator.locate(p, place, facts)?
                    }
                    _ => self.bound(call, locs.root_top(cell))?,
                };
                let mine = locs.follow(l, &locs.path(cell))?;
                let outside = locs.find(Root::Cell(mine))?;
                let sure = at == Poly::default()
                    && self.locator.points_outside(p, mine, outside)
                    && self.locator.single(p, outside);
                sure.then(|| (outside, Poly::default()))
            }
            _ => None,
        }
    }

    /// The caller's location and the first element of a location of the callee, if they are sure.
    fn placed(&self, call: &Call, loc: Loc) -> Option<(Loc, Poly)> {
        let p = call.p;
        let locs = &self.flow.points.locs;
        if locs.native(loc) != Some(call.g) {
            return self.locator.single(p, loc).then(|| (loc, Poly::default()));
        }
        let bound = self.bound(call, locs.root_top(loc))?;
        self.member(p, loc, bound)
    }

    /// The caller's locations of which a location of the callee is one, each with the first element.
    fn placed_among(&self, call: &Call, loc: Loc) -> Option<Vec<(Loc, Poly)>> {
        let locs = &self.flow.points.locs;
        let Root::Formal(q, k) = locs.root(loc) else { return None };
        let bases = self.locator.bases(call.p, call.args.get(k as usize).filter(|_| q == call.g)?, call.facts)?;
        bases.into_iter().map(|bound| self.member(call.p, loc, bound)).collect()
    }

    /// The part of a caller's location that a location of a callee is a part of its root.
    fn member(&self, p: ProcId, of: Loc, (mut loc, mut at): (Loc, Poly)) -> Option<(Loc, Poly)> {
        let locs = &self.flow.points.locs;
        for field in locs.path(of) {
            at = at.scale(self.locator.field_count(loc, field)?)?;
            loc = locs.child(loc, field)?;
        }
        self.locator.single(p, loc).then_some((loc, at))
    }

    /// A set of the callee in terms of the caller.
    pub(super) fn up(&self, call: &Call, set: &Secs, must: bool) -> Secs {
        let Call { p, id, g, .. } = *call;
        let (program, points) = (self.flow.program, &self.flow.points);
        let mut out = Secs::new();
        for (&loc, pieces) in set {
            if effects::own(program, points, g, loc) {
                continue;
            }
            let one = self.placed(call, loc).map(|one| vec![one]);
            let placed = one.or_else(|| self.placed_among(call, loc).filter(|_| !must));
            for piece in pieces {
                let moved = |(to, at): &(Loc, Poly)| {
                    let side = |q: &Poly| self.by_arguments(call, q)?.add(at);
                    Some((*to, Piece { lo: side(&piece.lo)?, hi: side(&piece.hi)? }))
                };
                let all: Option<Vec<(Loc, Piece)>> =
                    placed.as_ref().filter(|_| !piece.is_whole()).and_then(|all| all.iter().map(moved).collect());
                match all {
                    Some(all) if must => all.into_iter().for_each(|(to, piece)| sections::must(&mut out, to, piece)),
                    Some(all) => all.into_iter().for_each(|(to, piece)| sections::add(&mut out, to, piece)),
                    None if must => {}
                    None => {
                        for to in points.up(p, id, g, loc) {
                            sections::add(&mut out, to, Piece::whole());
                        }
                    }
                }
            }
        }
        out
    }

    /// A number of the callee in terms of the caller.
    pub(super) fn by_arguments(&self, call: &Call, number: &Poly) -> Option<Poly> {
        let Call { p, g, args, facts, .. } = *call;
        let callee = &self.flow.program.procs[g];
        let argument = |atom: &Atom| -> Option<Poly> {
            match atom {
                Atom::Value(q, v, _) if *q == g => match callee.values[*v].def {
                    Def::Entry(k) => self.locator.poly(p, args.get(k as usize)?, facts),
                    _ => None,
                },
                Atom::Steady(q, loc, _) if *q == g => {
                    let (mine, at) = self.placed(call, *loc)?;
                    self.locator.steady(p, mine).filter(|_| at == Poly::default())
                }
                _ => None,
            }
        };
        let is_own = |atom: &Atom| matches!(atom, Atom::Value(q, ..) | Atom::Steady(q, ..) if *q == g);
        let known = !number.any_atom(&|atom| is_own(atom) && argument(atom).is_none());
        known.then(|| number.replace_atoms(&argument)).flatten()
    }

    /// What a caller requires, in terms of the callee: to be joined with what is required at its entry.
    fn down(&self, call: &Call, req: &Secs) -> Secs {
        let Call { p, id, g, args, facts } = *call;
        let (program, points) = (self.flow.program, &self.flow.points);
        let callee = &program.procs[g];
        let mut names: BTreeMap<(ProcId, ValueId), Poly> = BTreeMap::new();
        for (param, arg) in callee.params.iter().zip(args) {
            if let (Some(entry), Type::Int { .. }) = (param.entry, &param.ty)
                && let Some(value) = self.locator.poly(p, arg, facts).and_then(|q| q.as_value())
            {
                names.entry(value).or_insert_with(|| self.locator.atom(g, entry));
            }
        }
        let rename = |q: ProcId, v: ValueId| names.get(&(q, v)).cloned();
        let mut new = Secs::new();
        for &loc in &self.flow.effects.of_region(g, RegionId(0)).writes {
            if effects::own(program, points, g, loc) {
                continue;
            }
            let placed = self.placed(call, loc);
            let mine = points.up(p, id, g, loc);
            for (&wanted, pieces) in req {
                if let Some((to, at)) = &placed
                    && *to == wanted
                {
                    for piece in pieces {
                        let side = |q: &Poly| q.sub(at)?.replace(&rename);
                        let moved = match (side(&piece.lo), side(&piece.hi)) {
                            (Some(lo), Some(hi)) => Piece { lo, hi },
                            _ => Piece::whole(),
                        };
                        sections::add(&mut new, loc, moved);
                    }
                } else if mine.iter().any(|&m| points.may_alias(p, m, wanted)) {
                    sections::add(&mut new, loc, Piece::whole());
                }
            }
        }
        new
    }
}
