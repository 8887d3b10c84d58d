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
use super::again::{binary, made_in, number, or_none};
use super::loops::joined;
use super::objects::{is_outside, whole};
use super::state::{Required, Sum};
use super::sure::Guarded;
use crate::flow::required::state::{Hull, Snapshots};
use crate::ir::{Base, Binary, Dim, Expr, ExprKind, ItemId, ItemKind, Place, ProcId, Step, Subscript, Type};

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
        let proc = &self.flow.program.procs[p];
        let ItemKind::Loop { body, .. } = proc.items[item].kind else { unreachable!("a loop") };
        let locs = &self.flow.points.locs;
        let inside = |loc: &Loc| matches!(locs.root(*loc), Root::Object(q, o) if q == p && made_in(proc, o, body));
        let written: Secs = written.into_iter().filter(|(loc, _)| !inside(loc)).collect();
        // A snapshot is kept where a pass begins.
        let facts = match self.locator.index(p, item) {
            Some(index) => facts.with(index.hi.sub(&index.lo).and_then(|passes| passes.plus(-1))),
            None => facts.clone(),
        };
        let mut guarded = self.locator.in_first_pass(p, item, || self.touched(p, body));
        let mut sure = guarded.remove(&Vec::new()).unwrap_or_default();
        if !proc.regions[body].items.iter().any(|item| self.may_end(p, *item)) {
            sections::must_all(&mut sure, pass.killed.clone());
        }
        // What the loop accesses in a later pass is there in front of the first one.
        let (index, inner) = (self.locator.index(p, item), self.locator.facts(p, body));
        let later = self.tile(p, body, index.as_ref(), &sure, (&facts, &inner));
        sections::must_all(&mut sure, later);
        guarded.insert(Vec::new(), sure.clone());
        let roots: BTreeSet<Root> = written.keys().map(|loc| locs.root(*loc)).collect();
        let of = roots.clone().into_iter().map(|root| {
            let part = match root {
                Root::Object(q, o) if q == p => self.whole_object(p, item, o),
                Root::Global(g) => {
                    let global = &self.flow.program.globals[g];
                    whole(Base::Global(g), &global.elem, &global.shape, None, &|_| true)
                        .ok_or_else(|| format!("the extents of '{}' are not known", global.name))
                }
                Root::Formal(..) | Root::Cell(_) => {
                    let plain = self.behind((p, item), root, &written, &sure, &facts);
                    plain.or_else(|why| self.behind_if((p, item), root, &guarded, &facts).ok_or(why))
                }
                _ => Err("passes write memory that has no name here".into()),
            };
            let part = part.and_then(|hulls| match locs.find(root) {
                Some(top) => self.without_pointers(p, top, hulls, &written),
                None => Ok(hulls),
            });
            (root, part)
        });
        let mut parts = Parts { of: of.collect(), needed: exposed.clone(), written, exposed };
        let (kept, open) = (self.hit_roots(p, &parts, &parts.exposed, &facts), &mut parts.needed);
        for (root, hulls) in parts.of.iter().filter(|(root, _)| kept.contains(root)) {
            match (root, hulls) {
                (Root::Object(..) | Root::Global(_), Ok(hulls)) => {
                    // A struct with pointers to variables has only the members that passes write.
                    let is_whole = |loc: &Loc| {
                        hulls.iter().any(|hull| hull.first.ty == *locs.ty(locs.root_top(*loc)))
                            || parts.written.contains_key(loc)
                    };
                    open.retain(|loc, _| locs.root(*loc) != *root || !is_whole(loc));
                }
                // The elements that passes write are among those kept.
                (_, Ok(_)) => {
                    let own = parts.written.iter().filter(|(loc, _)| locs.root(**loc) == *root);
                    let own: Secs = own.map(|(loc, pieces)| (*loc, pieces.clone())).collect();
                    sections::kill(open, &own, &facts);
                }
                _ => {}
            }
        }
        let open = &mut parts.needed;
        guarded.values().for_each(|sure| sections::union(open, &self.read_in_terms(p, sure)));
        for pointer in roots.into_iter().filter_map(|root| self.pointer_to(p, root)) {
            self.loads(p, &pointer, &Facts::default(), open);
        }
        parts
    }

    fn hit_roots(&self, p: ProcId, parts: &Parts, needed: &Secs, facts: &Facts) -> BTreeSet<Root> {
        let hit =
            |(loc, pieces): &(&Loc, &Vec<Piece>)| pieces.iter().any(|piece| self.hit(p, needed, **loc, piece, facts));
        parts.written.iter().filter(hit).map(|(loc, _)| self.flow.points.locs.root(*loc)).collect()
    }

    /// What snapshots have, given what is required in front of the loop, and what the passes and their pushes may read
    /// before they overwrite it; an error says what cannot be kept. What only pushes read is kept if it can be.
    pub(super) fn snapshots_of(
        &self,
        (p, item): (ProcId, ItemId),
        most: u32,
        parts: &Parts,
        (required, pushed): (&Secs, &Secs),
        facts: &Facts,
    ) -> Result<Snapshots, String> {
        let mut needed = required.clone();
        sections::union(&mut needed, &parts.exposed);
        let needed = self.hit_roots(p, parts, &needed, facts);
        let mut memory = Vec::new();
        for root in needed.union(&self.hit_roots(p, parts, pushed, facts)) {
            match parts.of[root].clone() {
                Err(why) if needed.contains(root) => return Err(why),
                hulls => memory.extend(hulls.into_iter().flatten()),
            }
        }
        let ItemKind::Loop { carried, .. } = &self.flow.program.procs[p].items[item].kind else {
            unreachable!("a loop")
        };
        let pointers = carried.iter().filter_map(|each| Some((each.head, self.kept_pointer(p, item, each.head)?)));
        Ok(Snapshots { most, memory, passes: self.announced(p, item), pointers: pointers.collect() })
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
        let proc = &self.flow.program.procs[p];
        self.term(p, poly, &|value| is_outside(proc, value, item))
    }

    /// What passes write behind a pointer that comes from the caller, as an argument or in memory: only what is surely
    /// there.
    fn behind(
        &self,
        (p, item): (ProcId, ItemId),
        root: Root,
        written: &Secs,
        sure: &Secs,
        facts: &Facts,
    ) -> Result<Vec<Hull>, String> {
        let proc = &self.flow.program.procs[p];
        let ItemKind::Loop { body, .. } = proc.items[item].kind else { unreachable!("a loop") };
        let locs = &self.flow.points.locs;
        let why = || {
            let name = match root {
                Root::Formal(q, k) => self.flow.program.procs[q].params[k as usize].name.clone(),
                Root::Cell(cell) => locs.name(self.flow.program, cell),
                _ => String::new(),
            };
            // `*(*f.x)` is called `x`.
            let name = name.rsplit('.').next().unwrap_or(&name).trim_end_matches(')');
            format!(
                "passes may write behind '{name}' where no element is surely accessed: how many there are is not known"
            )
        };
        let pointer = to_numbers(self.pointer_to(p, root).ok_or_else(why)?);
        let target = pointer.ty.target().ok_or_else(why)?;
        let elements = |at: Expr, count: Expr| elements(&pointer, at, count);
        let root = |loc: &Loc| locs.root(*loc) == root;
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

    /// What passes write behind a pointer that comes from the caller, if it is there whenever they write it: what is kept
    /// depends on how often loops run. Structs are kept as a whole.
    fn behind_if(&self, (p, item): (ProcId, ItemId), root: Root, there: &Guarded, facts: &Facts) -> Option<Vec<Hull>> {
        let proc = &self.flow.program.procs[p];
        let ItemKind::Loop { body, .. } = proc.items[item].kind else { return None };
        let locs = &self.flow.points.locs;
        let pointer = to_numbers(self.pointer_to(p, root)?);
        let target = pointer.ty.target()?;
        let index = self.locator.index(p, item);
        let inner = self.locator.facts(p, body);
        let mut hulls = Vec::new();
        for (given, sections) in self.may_write(p, body) {
            let known = given.iter().fold(inner.clone(), |known, fact| known.with(Some(fact.clone())));
            let closed = self.close(p, body, index.as_ref(), &sections, &known);
            let given = given.iter().filter(|fact| self.locator.invariant(p, body, fact));
            let known = given.fold(facts.clone(), |known, fact| known.with(Some(fact.clone())));
            for (loc, pieces) in closed.iter().filter(|(loc, _)| locs.root(**loc) == root) {
                let top = locs.root_top(*loc);
                if locs.ty(top) != target || !self.single(p, *loc) {
                    return None;
                }
                for piece in pieces {
                    let piece = self.structs_of(*loc, piece)?;
                    let (around, given) = Self::around(top, &piece, there, &known)
                        .map(|(around, given)| (around.clone(), given.to_vec()))
                        .or_else(|| Self::between(top, &piece, there, &known))?;
                    let given: Vec<Poly> = given.into_iter().filter(|fact| !facts.nonneg(Some(fact.clone()))).collect();
                    let fixed = |poly: &Poly| self.locator.invariant(p, body, poly);
                    if !fixed(&around.lo) || !fixed(&around.hi) || !given.iter().all(fixed) {
                        return None;
                    }
                    let length = around.hi.sub(&around.lo)?;
                    let mut count = self.outside_term(p, item, &length)?;
                    if !facts.nonneg(Some(length)) {
                        count = or_none(count);
                    }
                    for fact in given {
                        count = if_positive(self.outside_term(p, item, &fact.plus(1)?)?, count);
                    }
                    let hull = elements(&pointer, self.outside_term(p, item, &around.lo)?, count);
                    if !hulls.contains(&hull) {
                        hulls.push(hull);
                    }
                }
            }
        }
        Some(hulls)
    }

    /// The structs of a root in which the elements of a piece of a member are.
    fn structs_of(&self, loc: Loc, piece: &Piece) -> Option<Piece> {
        let count = self.members(loc)?.hi.as_constant()?;
        if count == 1 || piece.is_whole() {
            return Some(piece.clone());
        }
        let whole = |poly: &Poly| poly.divide(&Poly::constant(count));
        let lo = (0..count).find_map(|k| whole(&piece.lo.plus(-k)?))?;
        let hi = (0..count).find_map(|k| whole(&piece.hi.plus(k)?))?;
        Some(Piece { lo, hi })
    }

    /// Whether an item runs once at most in each call of a head.
    pub(super) fn runs_once_a_head(&self, p: ProcId, item: ItemId) -> bool {
        let proc = &self.flow.program.procs[p];
        let Some((region, _)) = self.positions[p.index()][item.index()] else { return false };
        let parents = std::iter::successors(Some(region), |at| proc.regions[*at].parent.map(|(outer, _)| outer));
        let mut around = parents.filter_map(|region| proc.regions[region].parent);
        if self.locator.recursive(p) || around.any(|(_, item)| matches!(proc.items[item].kind, ItemKind::Loop { .. })) {
            return false;
        }
        let procs = self.flow.program.procs.ids();
        let calls = procs.flat_map(|q| {
            let calls = walk::calls(&self.flow.program.procs[q]);
            calls.into_iter().filter(|(_, callee)| *callee == p).map(move |(call, _)| (q, call))
        });
        let calls: Vec<(ProcId, ItemId)> = calls.collect();
        match calls[..] {
            [] => true,
            [(caller, call)] => !self.flow.heads.contains(&p) && self.runs_once_a_head(caller, call),
            _ => false,
        }
    }

    /// The pointer to a root that comes from the caller, if it means the same all the time.
    fn pointer_to(&self, p: ProcId, root: Root) -> Option<Expr> {
        let param = |k: u32| &self.flow.program.procs[p].params[k as usize];
        match root {
            Root::Formal(q, k) if q == p && !self.is_resized(p, root) => {
                Some(Expr::value(param(k).entry?, param(k).ty.clone()))
            }
            Root::Cell(cell) => {
                let place = self.locator.place_of(p, cell)?;
                let pointer = Expr::load(place);
                self.never_written(p, &pointer).then_some(pointer)
            }
            _ => None,
        }
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
}

/// A pointer to rows, as one to what they are made of.
fn to_numbers(pointer: Expr) -> Expr {
    match pointer.ty.target() {
        Some(rows @ Type::Array(_)) => {
            let ty = Type::pointer(rows.innermost().clone());
            Expr::cast(pointer, ty)
        }
        _ => pointer,
    }
}

/// Elements behind a pointer.
fn elements(pointer: &Expr, at: Expr, count: Expr) -> Hull {
    let path = vec![Step::Index(vec![Subscript { at, dim: Dim::default() }])];
    let ty = pointer.ty.target().cloned().unwrap_or_default();
    Hull { first: Place { base: Base::At(Box::new(pointer.clone())), path, ty }, count }
}

/// A count if a number is positive, else 0.
fn if_positive(what: Expr, count: Expr) -> Expr {
    let (zero, ty) = (number(0), count.ty.clone());
    let some = ExprKind::Binary(Binary::Greater, Box::new(what), Box::new(zero.clone()));
    let kind = ExprKind::Select(Box::new(Expr { kind: some, ty: Type::int() }), Box::new(count), Box::new(zero));
    Expr { kind, ty }
}

/// All between two pieces that are surely there, if another piece is in it.
fn between(piece: &Piece, there: &[Piece], facts: &Facts) -> Option<Piece> {
    let facts = piece.filled(facts);
    let some = |other: &&Piece| facts.nonneg(other.hi.sub(&other.lo).and_then(|length| length.plus(-1)));
    let lo = there.iter().filter(some).find(|other| facts.at_most(&other.lo, &piece.lo))?.lo.clone();
    let hi = there.iter().filter(some).find(|other| facts.at_most(&piece.hi, &other.hi))?.hi.clone();
    Some(Piece { lo, hi })
}
