//! Loops that run again from snapshots: what a snapshot has.
//!
//! The forward sweep keeps snapshots of some passes, and the reverse sweep comes to the head of each pass from the last
//! snapshot in front of it, by running the passes between them once more. So a snapshot has all that passes change and
//! need:
//!
//! - **Memory**: whatever the passes may write of what a pass exposes, or something in front of the loop requires. It is
//!   kept as a whole, more than what is overwritten: an object with its extents, or, behind a pointer that is an argument,
//!   all between elements that a pass surely accesses. Elements that are not surely there are not touched.
//! - **Needed** behind the loop is what the passes expose beside that: no pass writes it.
//! - **Induction**, from a snapshot on: memory at its head is what it was, so the pass computes what it computed, and
//!   leaves at the head of the next one what was there. What else the passes write, nobody needs.

use std::collections::{BTreeMap, BTreeSet};

use super::super::locs::{Loc, Root};
use super::super::poly::{Facts, Poly};
use super::super::sections::{self, Piece, Secs};
use super::super::walk;
use super::again::{Hull, binary, long, made_in, number, number_term, or_none, product};
use super::loops::joined;
use super::{Required, Sum};
use crate::ir::{
    Base, Binary, Dim, Expr, ExprKind, ItemId, ItemKind, Life, ObjectId, Place, Proc, ProcId, RegionId, Step,
    Subscript, TestAt, Type, ValueId,
};

/// What is kept of a loop that runs again from snapshots.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshots {
    /// How many snapshots at once.
    pub most: u32,
    /// Memory that each has, in terms of values from outside of the loop.
    pub memory: Vec<Hull>,
    /// How many passes there are at most, in terms of such values; `None`: not known in front of the loop.
    pub passes: Option<Expr>,
}

/// The memory of a snapshot, by what it begins with: how it is kept, or why it cannot be.
pub(super) struct Parts {
    of: BTreeMap<Root, Result<Vec<Hull>, String>>,
    /// What the passes expose and no snapshot has.
    pub needed: Secs,
    written: Secs,
    exposed: Secs,
}

impl Required<'_> {
    /// The memory that snapshots of a loop may have. `written`, `exposed`: by all passes.
    pub(super) fn parts(
        &self,
        p: ProcId,
        item: ItemId,
        pass: &Sum,
        (written, exposed): (Secs, Secs),
        facts: &Facts,
    ) -> Parts {
        let proc = &self.flow.program.procs[p.index()];
        let ItemKind::Loop { body, .. } = proc.items[item.index()].kind else { unreachable!("a loop") };
        let locs = &self.flow.points.locs;
        let inside = |loc: &Loc| matches!(locs.root(*loc), Root::Object(q, o) if q == p && made_in(proc, o, body));
        let written: Secs = written.into_iter().filter(|(loc, _)| !inside(loc)).collect();
        // A snapshot is kept where a pass begins.
        let facts = match self.locator.index(p, item) {
            Some(index) => facts.with(index.hi.sub(&index.lo).and_then(|passes| passes.plus(-1))),
            None => facts.clone(),
        };
        let mut sure = self.touched(p, body);
        sections::must_all(&mut sure, pass.killed.clone());
        // What the loop accesses in a later pass is there in front of the first one.
        let (index, inner) = (self.locator.index(p, item), self.locator.facts(p, body));
        let later = self.tile(p, body, index.as_ref(), &sure, (&facts, &inner));
        sections::must_all(&mut sure, later);
        let roots: BTreeSet<Root> = written.keys().map(|loc| locs.root(*loc)).collect();
        let of = roots.into_iter().map(|root| {
            let part = match root {
                Root::Object(q, o) if q == p => self.whole_object(p, item, o),
                Root::Global(g) => {
                    let global = &self.flow.program.globals[g.index()];
                    whole(Base::Global(g), &global.elem, &global.shape, None, &|_| true)
                        .ok_or_else(|| format!("the extents of '{}' are not known", global.name))
                }
                Root::Formal(q, k) if q == p => self.behind_argument(p, item, k, &written, &sure, &facts),
                Root::Cell(cell) => {
                    let name = locs.name(self.flow.program, cell);
                    let name = name.rsplit('.').next().unwrap_or(&name);
                    Err(format!(
                        "passes write behind the pointer '{name}' in memory: how many elements there are is not known"
                    ))
                }
                _ => Err("passes write memory that has no name here".into()),
            };
            (root, part)
        });
        let mut parts = Parts { of: of.collect(), needed: exposed.clone(), written, exposed };
        let (kept, open) = (self.hit_roots(p, &parts, &parts.exposed, &facts), &mut parts.needed);
        for (root, hulls) in parts.of.iter().filter(|(root, _)| kept.contains(root)) {
            match (root, hulls) {
                (Root::Object(..) | Root::Global(_), Ok(_)) => open.retain(|loc, _| locs.root(*loc) != *root),
                // The elements that passes write are among those kept.
                (_, Ok(_)) => {
                    let own = parts.written.iter().filter(|(loc, _)| locs.root(**loc) == *root);
                    let own: Secs = own.map(|(loc, pieces)| (*loc, pieces.clone())).collect();
                    sections::kill(open, &own, &facts);
                }
                _ => {}
            }
        }
        parts
    }

    fn hit_roots(&self, p: ProcId, parts: &Parts, needed: &Secs, facts: &Facts) -> BTreeSet<Root> {
        let hit =
            |(loc, pieces): &(&Loc, &Vec<Piece>)| pieces.iter().any(|piece| self.hit(p, needed, **loc, piece, facts));
        parts.written.iter().filter(hit).map(|(loc, _)| self.flow.points.locs.root(*loc)).collect()
    }

    /// What snapshots have, given what is required in front of the loop; an error says what cannot be kept.
    pub(super) fn snapshots_of(
        &self,
        (p, item): (ProcId, ItemId),
        most: u32,
        parts: &Parts,
        required: &Secs,
        facts: &Facts,
    ) -> Result<Snapshots, String> {
        let mut needed = required.clone();
        sections::union(&mut needed, &parts.exposed);
        let mut memory = Vec::new();
        for root in self.hit_roots(p, parts, &needed, facts) {
            memory.extend(parts.of[&root].clone()?);
        }
        Ok(Snapshots { most, memory, passes: self.announced(p, item) })
    }

    /// How many passes a loop has at most.
    fn announced(&self, p: ProcId, item: ItemId) -> Option<Expr> {
        let index = self.locator.index(p, item)?;
        let distance = index.hi.sub(&index.lo)?;
        let step = index.step.as_constant()?;
        let passes = self.outside_term(p, item, &distance.plus(step - 1)?)?;
        if step == 1 {
            return Some(passes);
        }
        Some(binary(Binary::Divide, passes, number(step)))
    }

    /// A polynomial in terms of values that are there in front of a loop.
    fn outside_term(&self, p: ProcId, item: ItemId, poly: &Poly) -> Option<Expr> {
        let proc = &self.flow.program.procs[p.index()];
        number_term(proc, p, poly, &|value| is_outside(proc, value, item))
    }

    /// An object of the procedure, all of it.
    fn whole_object(&self, p: ProcId, item: ItemId, o: ObjectId) -> Result<Vec<Hull>, String> {
        let proc = &self.flow.program.procs[p.index()];
        let object = &proc.objects[o.index()];
        let fits = |value| is_outside(proc, value, item);
        let (base, block) = if object.life.is_block() {
            let single = self.flow.points.locs.find(Root::Object(p, o)).is_some_and(|top| self.single(p, top));
            let mut all = proc
                .regions
                .iter()
                .flat_map(|region| &region.items)
                .filter(|id| matches!(proc.items[id.index()].kind, ItemKind::Alloc { object, .. } if object == o));
            let alloc = all.next().filter(|_| single && all.next().is_none());
            let alloc = *alloc.ok_or_else(|| format!("there may be several blocks '{}'", object.name))?;
            let ItemKind::Alloc { count, .. } = &proc.items[alloc.index()].kind else { unreachable!("found as one") };
            let base = if object.life == Life::Stable { address_behind(proc, alloc) } else { Some(Base::Object(o)) };
            (base, Some(count))
        } else {
            (Some(Base::Object(o)), None)
        };
        let named = base.filter(|base| match base {
            Base::At(pointer) => matches!(pointer.kind, ExprKind::Value(value) if fits(value)),
            _ => true,
        });
        named
            .and_then(|base| whole(base, &object.elem, &object.shape, block, &fits))
            .ok_or_else(|| format!("the extents of '{}' are not known in front of the loop", object.name))
    }

    /// What passes write behind a pointer that is an argument: only what is surely there.
    fn behind_argument(
        &self,
        p: ProcId,
        item: ItemId,
        k: u32,
        written: &Secs,
        sure: &Secs,
        facts: &Facts,
    ) -> Result<Vec<Hull>, String> {
        let proc = &self.flow.program.procs[p.index()];
        let ItemKind::Loop { body, .. } = proc.items[item.index()].kind else { unreachable!("a loop") };
        let locs = &self.flow.points.locs;
        let param = &proc.params[k as usize];
        let why = || {
            format!(
                "passes may write behind '{}' where no element is surely accessed: how many there are is not known",
                param.name
            )
        };
        let (Some(entry), Some(target)) = (param.entry, param.ty.target()) else { return Err(why()) };
        let pointer = Expr { kind: ExprKind::Value(entry), ty: param.ty.clone() };
        let elements = |at: Expr, count: Expr| {
            let path = vec![Step::Index(vec![Subscript { at, dim: Dim::default() }])];
            Hull { first: Place { base: Base::At(Box::new(pointer.clone())), path, ty: target.clone() }, count }
        };
        let root = |loc: &Loc| locs.root(*loc) == Root::Formal(p, k);
        let fixed =
            |piece: &&Piece| self.locator.invariant(p, body, &piece.lo) && self.locator.invariant(p, body, &piece.hi);
        if matches!(target, Type::Struct(_)) {
            let first = |(loc, pieces): (&Loc, &Vec<Piece>)| {
                let all = self.members(*loc);
                pieces.iter().all(|piece| all.as_ref().is_some_and(|all| piece.inside(all, facts) && !piece.is_whole()))
            };
            let there = sure.iter().any(|(loc, pieces)| root(loc) && !pieces.is_empty());
            let one = written.iter().filter(|(loc, _)| root(loc)).all(first);
            let (zero, one_element) = (number(0), number(1));
            return if there && one { Ok(vec![elements(zero, one_element)]) } else { Err(why()) };
        }
        let mut hulls = Vec::new();
        for (loc, pieces) in written.iter().filter(|(loc, _)| root(loc)) {
            if !locs.path(*loc).is_empty() || locs.ty(*loc) != target || !self.single(p, *loc) {
                return Err(why());
            }
            let there: Vec<Piece> = sure.get(loc).into_iter().flatten().filter(fixed).cloned().collect();
            let there = joined(&there, facts);
            for piece in pieces {
                let around = there.iter().find(|other| piece.inside(other, facts)).cloned();
                let hull = around.or_else(|| between(piece, &there, facts)).ok_or_else(why)?;
                let length = hull.hi.sub(&hull.lo).ok_or_else(why)?;
                let (at, count) = (self.outside_term(p, item, &hull.lo), self.outside_term(p, item, &length));
                let (Some(at), Some(count)) = (at, count) else { return Err(why()) };
                let count = if facts.nonneg(Some(length)) { count } else { or_none(count) };
                let hull = elements(at, count);
                if !hulls.contains(&hull) {
                    hulls.push(hull);
                }
            }
        }
        Ok(hulls)
    }

    /// The elements that a member of one struct has.
    fn members(&self, loc: Loc) -> Option<Piece> {
        let locs = &self.flow.points.locs;
        let (mut total, mut at) = (1, locs.root_top(loc));
        for field in locs.path(loc) {
            total *= self.locator.field_count(at, field)?;
            at = locs.child(at, field)?;
        }
        Some(Piece { lo: Poly::default(), hi: Poly::constant(total) })
    }

    /// What each run of a region surely reads or writes.
    fn touched(&self, p: ProcId, region: RegionId) -> Secs {
        let proc = &self.flow.program.procs[p.index()];
        let facts = self.locator.facts(p, region);
        let mut out = Secs::new();
        let see = |place: &Place, out: &mut Secs| {
            if let Some((loc, at)) = self.locator.locate(p, place, &facts)
                && !matches!(self.flow.points.locs.ty(loc), Type::Struct(_))
                && let Some(piece) = Piece::one(at)
            {
                sections::must(out, loc, piece);
            }
        };
        for &id in &proc.regions[region.index()].items {
            let item = &proc.items[id.index()];
            if let ItemKind::Loop { at: TestAt::Before, body, .. } = item.kind {
                let index = self.locator.index(p, id);
                let inner = self.locator.facts(p, body);
                let tiled = self.tile(p, body, index.as_ref(), &self.touched(p, body), (&facts, &inner));
                sections::must_all(&mut out, tiled);
                continue;
            }
            if let ItemKind::Store { to, .. } = &item.kind {
                see(to, &mut out);
            }
            for expr in walk::of_item(proc, item) {
                surely_loaded(expr, &mut |place| see(place, &mut out));
            }
        }
        out
    }
}

/// Whether a value is there in front of a loop.
fn is_outside(proc: &Proc, value: ValueId, item: ItemId) -> bool {
    let ItemKind::Loop { body, .. } = proc.items[item.index()].kind else { return false };
    let around = proc.regions[body.index()].parent.map(|(region, _)| region);
    let home = proc.values[value.index()].region;
    around.is_some_and(|region| proc.is_within(region, home))
}

/// The pointer that takes the address of a block on the stable heap, right behind its `Alloc`.
fn address_behind(proc: &Proc, alloc: ItemId) -> Option<Base> {
    let (region, at) = proc.positions()[alloc.index()]?;
    let next = proc.regions[region.index()].items.get(at + 1)?;
    let ItemKind::Let { value } = proc.items[next.index()].kind else { return None };
    let ty = proc.vars[proc.values[value.index()].var.index()].ty.clone();
    Some(Base::At(Box::new(Expr { kind: ExprKind::Value(value), ty })))
}

/// All elements of an object, if its extents are numbers or values that fit. `block`: how many elements a block has.
fn whole(
    base: Base,
    elem: &Type,
    shape: &[Dim],
    block: Option<&Expr>,
    fits: &dyn Fn(ValueId) -> bool,
) -> Option<Vec<Hull>> {
    let mut extents: Option<Expr> = None;
    let mut subscripts = Vec::new();
    for dim in shape {
        if dim.lower.is_some() || dim.extent.is_none() && block.is_none() {
            return None;
        }
        if let Some(extent) = dim.extent.as_ref().map(widened) {
            extents = Some(match extents {
                None => extent,
                Some(extents) => product(extents, extent),
            });
        }
        subscripts.push(Subscript { at: number(0), dim: dim.clone() });
    }
    if block.is_some() && shape.is_empty() {
        subscripts.push(Subscript { at: number(0), dim: Dim::default() });
    }
    let path = if subscripts.is_empty() { Vec::new() } else { vec![Step::Index(subscripts)] };
    let extents = extents.unwrap_or_else(|| number(1));
    let count = block.map_or(extents.clone(), widened);
    let mut all = true;
    for expr in [&count, &extents] {
        all &= walk::loads(expr).is_empty();
        crate::ir::walk::values(expr, &mut |value| all &= fits(value));
    }
    all.then(|| vec![Hull { first: Place { base, path, ty: elem.clone() }, count }])
}

/// All between two pieces that are surely there, if another piece is in it.
fn between(piece: &Piece, there: &[Piece], facts: &Facts) -> Option<Piece> {
    let facts = piece.filled(facts);
    let some = |other: &&Piece| facts.nonneg(other.hi.sub(&other.lo).and_then(|length| length.plus(-1)));
    let lo = there.iter().filter(some).find(|other| facts.at_most(&other.lo, &piece.lo))?.lo.clone();
    let hi = there.iter().filter(some).find(|other| facts.at_most(&piece.hi, &other.hi))?.hi.clone();
    Some(Piece { lo, hi })
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

fn widened(expr: &Expr) -> Expr {
    match expr.kind {
        ExprKind::Int(n) => number(n),
        _ if expr.ty == long() => expr.clone(),
        _ => Expr { kind: ExprKind::Cast(Box::new(expr.clone())), ty: long() },
    }
}
