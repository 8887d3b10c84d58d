//! Loops whose passes are run again, one at a time: the forward sweep stores what a pass overwrites, and no more; the
//! reverse sweep brings that back, runs the pass again with a tape, and reverses it.
//!
//! - **Hulls**: in front of each pass the forward sweep stores the elements that the pass surely overwrites, of every
//!   location that is exposed in the pass or required in front of it. The elements are there because all of them are
//!   written. A location of which the pass may write more than that makes the loop unfit: it is analysed once more as
//!   a loop that is not run again.
//! - **Needed**: a pass finds what it read if memory holds what is exposed in it, without its own hulls. That is meant
//!   of all locations, not only of those that the loop does not write: a pass may read an element that a later pass
//!   overwrites. In front of that later pass the element is required, so its hull has it.
//! - **Induction**, last pass first: when the reverse sweep comes to a pass, what is required behind it is there. With
//!   its hulls, all that it exposes and all that is required in front of it is there. So it computes what it
//!   computed, and its reversal leaves what is required in front of it.

use std::collections::BTreeSet;

use super::super::locs::{Loc, Root};
use super::super::poly::{Atom, Facts, Poly};
use super::super::sections::{self, Piece, Secs};
use super::super::walk;
use super::state::{Required, Sum};
use crate::flow::required::state::Hull;
use crate::ir::{
    Base, Binary, Callee, Def, Dim, Expr, ExprKind, ItemId, ItemKind, Life, ObjectId, Place, Proc, ProcId, RegionId,
    Step, Subscript, Type, ValueId,
};

impl Required<'_> {
    /// Why the passes of a loop may not run twice, whatever is required around it.
    pub(super) fn runs_once(&self, p: ProcId, item: ItemId) -> Option<String> {
        let proc = &self.flow.program.procs[p];
        let ItemKind::Loop { body, carried, .. } = &proc.items[item].kind else { return None };
        if self.locator.recursive(p) {
            return Some("its function calls itself".into());
        }
        if !self.has_no_other_effects(p, *body) {
            return Some(
                "it calls a function without source or one that calls itself, or makes a lasting block".into(),
            );
        }
        if self.has_snapshots(p, *body) {
            return Some("a loop inside it runs again from snapshots".into());
        }
        let carried = self.checkpoints.contains_key(&(p, item)).then_some(carried).into_iter().flatten();
        for each in carried {
            let var = &proc.vars[each.var];
            let read = |id: &ItemId| {
                let mut read = false;
                crate::ir::walk::values_of_item(proc, *id, &mut |value| read |= value == each.head);
                read
            };
            if !var.ty.is_number()
                && walk::items(proc, *body).iter().any(read)
                && self.kept_pointer(p, item, each.head).is_none()
            {
                return Some(format!("a pass hands the pointer '{}' to the next one", var.name));
            }
        }
        (!self.blocks_stay_inside(p, *body)).then(|| "it makes or frees a block that it does not have alone".into())
    }

    /// Whether a loop in a region, or in what that calls, runs again from snapshots.
    fn has_snapshots(&self, p: ProcId, region: RegionId) -> bool {
        let proc = &self.flow.program.procs[p];
        walk::items(proc, region).into_iter().any(|item| {
            let kind = &proc.items[item].kind;
            if matches!(kind, ItemKind::Loop { .. }) {
                self.checkpoints.contains_key(&(p, item))
            } else if let ItemKind::Call { callee: Callee::Proc(g), .. } = kind {
                !self.locator.recursive(*g) && self.has_snapshots(*g, RegionId(0))
            } else {
                false
            }
        })
    }

    /// Whether a region does nothing but compute: it calls no function without source. What happens where it ends the
    /// program is nothing that runs again.
    fn has_no_other_effects(&self, p: ProcId, region: RegionId) -> bool {
        let proc = &self.flow.program.procs[p];
        let computes = |item: &ItemId| {
            let kind = &proc.items[*item].kind;
            if let ItemKind::Call { callee, .. } = kind {
                let Callee::Proc(g) = callee else { return false };
                // What stands for a function is not that function.
                if let Some(rule) = &self.flow.program.procs[*g].rule {
                    return rule.repeats;
                }
                return !self.locator.recursive(*g) && self.has_no_other_effects(*g, RegionId(0));
            }
            // Blocks on the stable heap come and go once in each sweep.
            if let ItemKind::Alloc { object, .. } = kind {
                return proc.objects[*object].life != Life::Stable;
            }
            if let ItemKind::Free { pointer } = kind {
                let (targets, points) = (self.flow.targets(p, pointer), &self.flow.points);
                let leads_nowhere = targets.is_empty() && points.has_stable();
                return !leads_nowhere && !targets.into_iter().any(|target| points.is_stable(target));
            }
            kind.regions().into_iter().all(|region| self.has_no_other_effects(p, region))
        };
        self.ends_program(p, region) || proc.regions[region].items.iter().all(computes)
    }

    /// Whether whoever enters a region does not come out of it.
    fn ends_program(&self, p: ProcId, region: RegionId) -> bool {
        let proc = &self.flow.program.procs[p];
        proc.regions[region].items.iter().any(|item| {
            if let ItemKind::Call { callee: Callee::External { returns, .. }, .. } = proc.items[*item].kind {
                !returns
            } else if let ItemKind::Call { callee: Callee::Proc(g), .. } = proc.items[*item].kind {
                !self.locator.recursive(g) && self.ends_program(g, RegionId(0))
            } else {
                false
            }
        })
    }

    /// Whether a region frees no block but its own, and leaves none behind.
    fn blocks_stay_inside(&self, p: ProcId, region: RegionId) -> bool {
        let proc = &self.flow.program.procs[p];
        let own = |object: &ObjectId| made_in(proc, *object, region) && self.flow.confined(p, *object, region);
        walk::items(proc, region).into_iter().all(|item| {
            let kind = &proc.items[item].kind;
            if let ItemKind::Free { pointer } = kind {
                let root = |target: &Loc| self.flow.points.locs.root(*target);
                let is_own = |target| matches!(root(target), Root::Object(q, object) if q == p && own(&object));
                return self.flow.targets(p, pointer).iter().all(is_own);
            }
            !matches!(kind, ItemKind::Alloc { object, .. } if !own(object))
        })
    }

    /// What must be there, with the hulls of a pass, when the pass is run again.
    pub(super) fn needed_again(&self, p: ProcId, pass: &Sum, facts: &Facts) -> Secs {
        let mut needed = pass.exposed.clone();
        sections::kill(&mut needed, &pass.killed, facts);
        sections::union(&mut needed, &self.read_in_terms(p, &pass.killed));
        needed
    }

    /// What to store in front of a pass, given what is required there and what the pass and its pushes may read before
    /// they overwrite it; an error says what cannot be stored. What only pushes read is stored if it can be.
    pub(super) fn hulls_of_pass(
        &self,
        (p, item): (ProcId, ItemId),
        pass: &Sum,
        (required, pushed): (&Secs, &Secs),
        facts: &Facts,
    ) -> Result<Vec<Hull>, String> {
        let proc = &self.flow.program.procs[p];
        let ItemKind::Loop { body, .. } = proc.items[item].kind else { return Ok(Vec::new()) };
        let mut needed = required.clone();
        sections::union(&mut needed, &pass.exposed);
        let mut hulls = Vec::new();
        for (&loc, written) in &pass.written {
            if matches!(self.flow.points.locs.root(loc), Root::Object(q, o) if q == p && made_in(proc, o, body)) {
                continue;
            }
            let hit = |set: &Secs| written.iter().any(|piece| self.hit(p, set, loc, piece, facts));
            let mut of = |set: &Secs| -> Result<(), String> {
                for hull in self.hulls_at((p, item, body), pass, loc, set, facts)? {
                    if !hulls.contains(&hull) {
                        hulls.push(hull);
                    }
                }
                Ok(())
            };
            if hit(&needed) {
                of(&needed)?;
            }
            if hit(pushed) {
                of(pushed).unwrap_or_default();
            }
        }
        Ok(hulls)
    }

    /// What to store of a location in front of a pass that may overwrite some of what is needed there.
    fn hulls_at(
        &self,
        (p, item, body): (ProcId, ItemId, RegionId),
        pass: &Sum,
        loc: Loc,
        needed: &Secs,
        facts: &Facts,
    ) -> Result<Vec<Hull>, String> {
        let none = Vec::new();
        let sure = pass.killed.get(&loc).unwrap_or(&none);
        let mut left = Secs::from([(loc, pass.written[&loc].clone())]);
        sections::kill(&mut left, &Secs::from([(loc, sure.clone())]), facts);
        if !left.is_empty() {
            return Err(format!(
                "it is not sure that a pass overwrites all that it may overwrite: {}",
                self.show(&left)
            ));
        }
        let mut hulls = Vec::new();
        for (k, piece) in sure.iter().enumerate() {
            let within = |(other, whole): (usize, &Piece)| {
                other != k && piece.inside(whole, facts) && (other < k || !whole.inside(piece, facts))
            };
            let again = sure.iter().enumerate().any(within);
            if !again && self.hit(p, needed, loc, piece, facts) {
                let hull = self.hull_of(p, item, body, loc, piece, facts);
                let unnamed = || {
                    let name = self.flow.points.locs.name(self.flow.program, loc);
                    format!("a pass overwrites what has no name where it begins: {name}")
                };
                hulls.push(hull.ok_or_else(unnamed)?);
            }
        }
        Ok(hulls)
    }

    /// A polynomial in terms of values that are there, and of integers in memory that is never written.
    pub(super) fn term(&self, p: ProcId, poly: &Poly, is_there: &dyn Fn(ValueId) -> bool) -> Option<Expr> {
        let proc = &self.flow.program.procs[p];
        number_term(poly, &|atom| match atom {
            Atom::Value(q, v, _) if *q == p => {
                let ty = proc.vars[proc.values.get(v.index())?.var].ty.clone();
                (ty.is_integer() && is_there(*v)).then_some(Expr::value(*v, ty))
            }
            Atom::Steady(q, loc, _) if *q == p => {
                let place = self.locator.place_of(p, *loc)?;
                Some(Expr::load(place))
            }
            _ => None,
        })
    }

    /// What the terms of sections read in memory: it must be there where these are evaluated.
    pub(super) fn read_in_terms(&self, p: ProcId, sections: &Secs) -> Secs {
        let mut locs = BTreeSet::new();
        for piece in sections.values().flatten() {
            [&piece.lo, &piece.hi].into_iter().for_each(|end| end.steady(p, &mut locs));
        }
        let mut out = Secs::new();
        for place in locs.into_iter().filter_map(|loc| self.locator.place_of(p, loc)) {
            self.loads(p, &Expr::load(place), &Facts::default(), &mut out);
        }
        out
    }

    /// A section in terms of values that are there when a pass begins.
    fn hull_of(&self, p: ProcId, item: ItemId, body: RegionId, loc: Loc, piece: &Piece, facts: &Facts) -> Option<Hull> {
        let proc = &self.flow.program.procs[p];
        let term = |poly: &Poly| self.term(p, poly, &|v| is_there(proc, v, item, body));
        let length = piece.hi.sub(&piece.lo)?;
        let count = term(&length)?;
        let count = if facts.nonneg(Some(length)) { count } else { or_none(count) };
        let ty = self.flow.points.locs.ty(loc).clone();
        if !ty.is_number() || !self.flow.points.locs.path(loc).is_empty() {
            return None;
        }
        let first = self.element((p, item), loc, &ty, term(&piece.lo)?)?;
        Some(Hull { first, count })
    }

    /// An element of a location, by its number, where a pass of a loop begins.
    fn element(&self, (p, item): (ProcId, ItemId), loc: Loc, ty: &Type, at: Expr) -> Option<Place> {
        let proc = &self.flow.program.procs[p];
        let root = self.flow.points.locs.root(loc);
        let (base, object) = match root {
            Root::Formal(q, k) if q == p && !self.is_resized(p, root) => {
                let param = &proc.params[k as usize];
                let pointer = Expr::value(param.entry?, param.ty.clone());
                if param.ty.target() != Some(ty) {
                    return None;
                }
                let subscript = Subscript { at, dim: Dim::default() };
                let path = vec![Step::Index(vec![subscript])];
                return Some(Place { base: Base::At(Box::new(pointer)), path, ty: ty.clone() });
            }
            Root::Object(q, o) if q == p => (self.base_of(p, item, o)?, &proc.objects[o]),
            Root::Global(g) => (Base::Global(g), &self.flow.program.globals[g]),
            _ => return None,
        };
        let place = |path| Place { base: base.clone(), path, ty: ty.clone() };
        match &object.shape[..] {
            _ if object.elem != *ty => None,
            [] if !object.life.is_block() => (at.kind == ExprKind::Int(0)).then(|| place(Vec::new())),
            [] => Some(place(vec![Step::Index(vec![Subscript { at, dim: Dim::default() }])])),
            [dim] => Some(place(vec![Step::Index(vec![Subscript { at, dim: dim.clone() }])])),
            dims => {
                let zero = |dim: &Dim| Subscript { at: Expr::constant(0, at.ty.clone()), dim: dim.clone() };
                let start = place(vec![Step::Index(dims.iter().map(zero).collect())]);
                let pointer = Expr { kind: ExprKind::Address(Box::new(start)), ty: Type::pointer(ty.clone()) };
                let path = vec![Step::Index(vec![Subscript { at, dim: Dim::default() }])];
                Some(Place { base: Base::At(Box::new(pointer)), path, ty: ty.clone() })
            }
        }
    }
}

/// Whether an object is declared or allocated in a region, or in one inside it.
pub(super) fn made_in(proc: &Proc, object: ObjectId, region: RegionId) -> bool {
    walk::items(proc, region).into_iter().any(|item| proc.items[item].kind.begun() == Some(object))
}

/// Whether a value is there when a pass begins: it comes from outside, or a pass begins with it.
fn is_there(proc: &Proc, value: ValueId, item: ItemId, body: RegionId) -> bool {
    match proc.values[value].def {
        Def::Head(of, _) if of == item => true,
        _ => !walk::contains(proc, body, proc.values[value].region),
    }
}

/// A polynomial as an expression, if all its atoms have a name.
fn number_term(poly: &Poly, name: &dyn Fn(&Atom) -> Option<Expr>) -> Option<Expr> {
    let ty = long();
    let mut sum: Option<Expr> = None;
    let mut products: Vec<_> = poly.all().collect();
    products.sort_by_key(|(atoms, coefficient)| (*coefficient < 0, std::cmp::Reverse(atoms.len())));
    for (atoms, coefficient) in products {
        i32::try_from(coefficient).ok()?;
        let mut factors: Option<Expr> = None;
        for atom in atoms {
            let value = name(atom)?;
            let value = if value.ty == ty { value } else { Expr::cast(value, ty.clone()) };
            factors = Some(match factors {
                Some(before) => product(before, value),
                None => value,
            });
        }
        let size = coefficient.abs();
        let product = match factors {
            Some(factors) if size == 1 => factors,
            Some(factors) => product(number(size), factors),
            None => number(size),
        };
        sum = Some(match sum {
            None if coefficient < 0 => binary(Binary::Subtract, number(0), product),
            None => product,
            Some(sum) => binary(if coefficient < 0 { Binary::Subtract } else { Binary::Add }, sum, product),
        });
    }
    Some(sum.unwrap_or_else(|| number(0)))
}

/// The count, or 0 if it is negative.
pub(super) fn or_none(count: Expr) -> Expr {
    let ty = count.ty.clone();
    let zero = Expr::constant(0, ty.clone());
    let some = ExprKind::Binary(Binary::Greater, Box::new(count.clone()), Box::new(zero.clone()));
    let some = Box::new(Expr { kind: some, ty: Type::int() });
    Expr { kind: ExprKind::Select(some, Box::new(count), Box::new(zero)), ty }
}

/// A count that is known.
pub(super) fn number(n: i128) -> Expr {
    Expr::constant(n, long())
}

/// The product of two counts.
pub(super) fn product(x: Expr, y: Expr) -> Expr {
    binary(Binary::Multiply, x, y)
}

pub(super) fn binary(op: Binary, x: Expr, y: Expr) -> Expr {
    Expr::binary(op, x, y, long())
}

pub(super) fn long() -> Type {
    Type::signed(64)
}
