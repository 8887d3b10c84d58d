//! What the passes of a loop surely access, and what they may write, each with what holds if they do: how often the loops
//! around it run. `for (i < n) for (j < m) u[i * m + j]` accesses `u[0 .. n * m)` if `n` is positive; if not, nothing.

use std::collections::BTreeMap;

use super::super::locate::Index;
use super::super::locs::Loc;
use super::super::poly::{Facts, Poly};
use super::super::sections::{self, Piece, Secs};
use super::super::walk;
use super::calls::Call;
use super::state::{Required, State};
use crate::ir::{Base, Binary, Callee, Expr, ExprKind, ItemId, ItemKind, Place, ProcId, RegionId, Step, TestAt, Type};

/// Sections, by what is not negative where they are accessed.
pub(super) type Guarded = BTreeMap<Vec<Poly>, Secs>;

/// More loops around an access than this are not told.
const DEEP: usize = 4;

impl Required<'_> {
    /// Whether the program may end where an item runs: what follows is then not surely accessed.
    pub(super) fn may_end(&self, p: ProcId, item: ItemId) -> bool {
        let proc = &self.flow.program.procs[p];
        let inside = proc.items[item].kind.regions().into_iter().flat_map(|region| walk::items(proc, region));
        [item].into_iter().chain(inside).any(|id| {
            let kind = &proc.items[id].kind;
            if let ItemKind::Call { callee: Callee::External { returns, .. }, .. } = kind {
                !returns
            } else if let ItemKind::Call { callee: Callee::Proc(g), .. } = kind {
                self.locator.recursive(*g) || {
                    let callee = &self.flow.program.procs[*g];
                    callee.regions[RegionId::BODY].items.iter().any(|item| self.may_end(*g, *item))
                }
            } else {
                false
            }
        })
    }

    /// What each run of a region surely reads or writes. A struct of which a member is accessed is there as a whole.
    pub(super) fn touched(&self, p: ProcId, region: RegionId) -> Guarded {
        let proc = &self.flow.program.procs[p];
        let facts = self.locator.facts(p, region);
        let mut out = Guarded::new();
        for &id in &proc.regions[region].items {
            let item = &proc.items[id];
            if self.may_end(p, id) {
                break;
            }
            if let ItemKind::Loop { at: TestAt::Before, body, .. } = &item.kind {
                self.touched_by_loop(p, id, *body, &facts, &mut out);
                continue;
            } else if let ItemKind::Call { callee: Callee::Proc(g), args, .. } = &item.kind
                && !self.locator.recursive(*g)
            {
                let mut inside = self.touched(*g, RegionId(0));
                sections::must_all(inside.entry(Vec::new()).or_default(), self.sum(*g).killed.clone());
                let call = Call { p, id, g: *g, args, facts: &facts };
                for (given, sections) in inside {
                    let given = given.iter().map(|fact| self.by_arguments(&call, fact));
                    let Some(given) = given.collect::<Option<Vec<Poly>>>() else { continue };
                    sections::must_all(out.entry(given).or_default(), self.up(&call, &sections, true));
                }
            }
            let here = out.entry(Vec::new()).or_default();
            if let ItemKind::Store { to, .. } = &item.kind {
                self.touch(p, to, &facts, here);
            }
            for expr in walk::of_item(proc, item) {
                surely_loaded(expr, &mut |place| self.touch(p, place, &facts, here));
            }
        }
        out
    }

    /// Notes that an element is accessed.
    fn touch(&self, p: ProcId, place: &Place, facts: &Facts, out: &mut Secs) {
        let mut see = |place: &Place| {
            if let Some((loc, at)) = self.locator.locate(p, place, facts)
                && let Some(piece) = Piece::one(at)
            {
                sections::must(out, loc, piece);
            }
        };
        if !matches!(place.ty, Type::Struct(_)) {
            see(place);
        }
        struct_around(place).iter().for_each(see);
    }

    fn touched_by_loop(&self, p: ProcId, id: ItemId, body: RegionId, facts: &Facts, out: &mut Guarded) {
        let index = self.locator.index(p, id);
        let inner = self.locator.facts(p, body);
        let runs = self.runs(p, body, index.as_ref());
        for (given, sections) in self.touched(p, body) {
            if !given.iter().all(|fact| self.locator.invariant(p, body, fact)) {
                continue;
            }
            let mut plain = self.tile(p, body, index.as_ref(), &sections, (facts, &inner));
            self.add_ends(p, body, index.as_ref(), &sections, facts, &mut plain);
            if let Some(runs) = runs.clone().filter(|runs| given.len() < DEEP && !given.contains(runs)) {
                let known = facts.with(Some(runs.clone()));
                let mut more = self.tile(p, body, index.as_ref(), &sections, (&known, &inner));
                self.add_ends(p, body, index.as_ref(), &sections, &known, &mut more);
                for (loc, pieces) in &mut more {
                    pieces.retain(|piece| plain.get(loc).is_none_or(|known| !known.contains(piece)));
                }
                let given = given.iter().cloned().chain([runs]).collect();
                sections::must_all(out.entry(given).or_default(), more);
            }
            sections::must_all(out.entry(given).or_default(), plain);
        }
    }

    /// Adds what the first and the last pass of a loop access, if it runs, of elements that do not follow each other: what
    /// lies between them is there.
    fn add_ends(
        &self,
        p: ProcId,
        body: RegionId,
        index: Option<&Index>,
        sections: &Secs,
        facts: &Facts,
        out: &mut Secs,
    ) {
        let Some(index) = index.filter(|index| index.sole) else { return };
        let runs = index.hi.sub(&index.lo).and_then(|passes| passes.plus(-1));
        let (true, Some(last)) = (facts.nonneg(runs), index.last()) else { return };
        let fixed = |q: &Poly| self.locator.invariant(p, body, q);
        for (loc, pieces) in sections {
            let moves = |piece: &&Piece| !(piece.is_whole() || fixed(&piece.lo) && fixed(&piece.hi));
            for piece in pieces.iter().filter(moves).filter(|piece| self.tiled(p, index, piece, facts).is_none()) {
                for end in [&index.lo, &last] {
                    let here = |q: &Poly| q.replace(&|r, v| (r == p && v == index.head).then(|| end.clone()));
                    if let (Some(lo), Some(hi)) = (here(&piece.lo), here(&piece.hi))
                        && fixed(&lo)
                        && fixed(&hi)
                    {
                        sections::must(out, *loc, Piece { lo, hi });
                    }
                }
            }
        }
    }

    /// What is not negative if a loop runs, if that is known in front of it.
    fn runs(&self, p: ProcId, body: RegionId, index: Option<&Index>) -> Option<Poly> {
        let index = index?;
        let runs = index.hi.sub(&index.lo)?.plus(-1)?;
        (runs.as_constant().is_none() && self.locator.invariant(p, body, &runs)).then_some(runs)
    }

    /// What a run of a region may write.
    pub(super) fn may_write(&self, p: ProcId, region: RegionId) -> Guarded {
        let proc = &self.flow.program.procs[p];
        let facts = self.locator.facts(p, region);
        let mut out = Guarded::new();
        let mut add = |given: Vec<Poly>, sections: &Secs| sections::union(out.entry(given).or_default(), sections);
        for &id in &proc.regions[region].items {
            let kind = &proc.items[id].kind;
            if let ItemKind::Loop { body, .. } = kind {
                let index = self.locator.index(p, id);
                let inner = self.locator.facts(p, *body);
                let runs = self.runs(p, *body, index.as_ref());
                for (given, sections) in self.may_write(p, *body) {
                    let known = given.iter().fold(inner.clone(), |known, fact| known.with(Some(fact.clone())));
                    let closed = self.close(p, *body, index.as_ref(), &sections, &known);
                    let fixed = given.into_iter().filter(|fact| self.locator.invariant(p, *body, fact));
                    add(fixed.chain(runs.clone()).collect(), &closed);
                }
            } else if let ItemKind::Branch { then, otherwise, .. } = kind {
                for arm in [then, otherwise] {
                    self.may_write(p, *arm).iter().for_each(|(given, sections)| add(given.clone(), sections));
                }
            } else if let ItemKind::Call { callee: Callee::Proc(g), args, into: None, .. } = kind
                && !self.locator.recursive(*g)
            {
                let call = Call { p, id, g: *g, args, facts: &facts };
                for (given, sections) in self.may_write(*g, RegionId(0)) {
                    let given = given.iter().filter_map(|fact| self.by_arguments(&call, fact));
                    add(given.collect(), &self.up(&call, &sections, false));
                }
            } else {
                let around = if let ItemKind::Store { to, .. } = kind { struct_around(to) } else { None };
                let one = around.and_then(|around| {
                    let (loc, at) = self.locator.locate(p, &around, &facts)?;
                    Some(Secs::from([(loc, vec![Piece::one(at)?])]))
                });
                let written = one.unwrap_or_else(|| {
                    let mut state = State::default();
                    self.item(p, region, id, &mut state);
                    state.sum.written
                });
                add(Vec::new(), &written);
            }
        }
        out
    }

    /// A section that is surely accessed around one that passes may write, and what holds if it is. `facts`: what is known
    /// where a pass begins.
    pub(super) fn around<'g>(
        loc: Loc,
        written: &Piece,
        there: &'g Guarded,
        facts: &Facts,
    ) -> Option<(&'g Piece, &'g [Poly])> {
        there.iter().find_map(|(given, sections)| {
            let holds = given.iter().all(|fact| facts.nonneg(Some(fact.clone())));
            let mut pieces = sections.get(&loc)?.iter();
            let around = pieces.find(|piece| written.inside(piece, facts)).filter(|_| holds)?;
            Some((around, &given[..]))
        })
    }

    /// All that lies between two sections that are surely accessed, around one that passes may write, and what holds if it
    /// is: also that the two have elements.
    pub(super) fn between(loc: Loc, written: &Piece, there: &Guarded, facts: &Facts) -> Option<(Piece, Vec<Poly>)> {
        let facts = written.filled(facts);
        there.iter().find_map(|(given, sections)| {
            let holds = given.iter().all(|fact| facts.nonneg(Some(fact.clone())));
            let length = |piece: &Piece| piece.hi.sub(&piece.lo).and_then(|length| length.plus(-1));
            let pieces = || sections.get(&loc).into_iter().flatten().filter(|piece| facts.nonneg(length(piece)));
            let first = pieces().find(|piece| facts.at_most(&piece.lo, &written.lo)).filter(|_| holds)?;
            let last = pieces().find(|piece| facts.at_most(&written.hi, &piece.hi))?;
            let given = given.iter().cloned().chain([length(first)?, length(last)?]).collect();
            Some((Piece { lo: first.lo.clone(), hi: last.hi.clone() }, given))
        })
    }
}

/// The struct behind a pointer that the first member on the way to a place is one of.
fn struct_around(place: &Place) -> Option<Place> {
    let (Base::At(pointer), [step @ Step::Index(_), Step::Field(_), ..]) = (&place.base, &place.path[..]) else {
        return None;
    };
    let ty = pointer.ty.target().filter(|ty| matches!(ty, Type::Struct(_)))?.clone();
    Some(Place { base: place.base.clone(), path: vec![step.clone()], ty })
}

/// Calls `see` on the places that an expression loads whenever it is evaluated.
fn surely_loaded<'a>(expr: &'a Expr, see: &mut dyn FnMut(&'a Place)) {
    match &expr.kind {
        ExprKind::Select(on, ..) | ExprKind::Binary(Binary::And | Binary::Or, on, _) => surely_loaded(on, see),
        kind => {
            if let ExprKind::Load(place) = kind {
                see(place);
            }
            crate::ir::walk::parts(expr, &mut |part| surely_loaded(part, see));
        }
    }
}
