//! Whether two terms are equal where the reverse sweep is: in the arm of a branch, in a pass of a loop.

use super::state::{Replay, Res, SECTIONS};
use super::terms::{P, Spot, T, Term, Version, Way};
use crate::ir::*;
use rustc_hash::FxHashMap;

impl Replay<'_> {
    /// Whether two terms are equal here.
    pub(super) fn same(&mut self, a: T, b: T) -> bool {
        a == b || self.resolve(a) == self.resolve(b)
    }

    pub(super) fn same_place(&mut self, a: P, b: P) -> bool {
        a == b || self.resolve_place(a) == self.resolve_place(b)
    }

    /// Takes a condition as true, and each of several that are joined.
    pub(super) fn assume_holds(&mut self, condition: T) {
        let condition = self.truth(condition);
        match *self.terms.get(condition) {
            Term::Binary(Binary::And, a, b, _) => {
                self.assume_holds(a);
                self.assume_holds(b);
            }
            Term::Binary(Binary::Equal, a, b, _) => {
                let is_number = |t: T| self.terms.constant(t).is_some();
                let (what, is) = if is_number(a) { (b, a) } else { (a, b) };
                if self.terms.constant(is).is_some() {
                    self.assume(what, is);
                }
                self.assume_truth(condition, true);
            }
            _ => self.assume_truth(condition, true),
        }
    }

    /// Takes a condition as true or false.
    pub(super) fn assume_truth(&mut self, condition: T, holds: bool) {
        if self.terms.constant(condition).is_some() {
            return;
        }
        let is = self.terms.number(i128::from(holds));
        // A number that is true may be any but 0.
        let is = (!holds || self.is_truth(condition)).then_some(is);
        self.known.push((condition, is));
        self.resolved.clear();
    }

    pub(super) fn assume(&mut self, what: T, is: T) {
        self.known.push((what, Some(is)));
        self.resolved.clear();
    }

    pub(super) fn forget(&mut self, known: usize) {
        self.known.truncate(known);
        self.resolved.clear();
    }

    /// A term with what is known here.
    pub(super) fn resolve(&mut self, t: T) -> T {
        if let Some(&known) = self.resolved.get(&t) {
            return known;
        }
        if let Some(is) = self.known_to_be(t) {
            self.resolved.insert(t, is);
            return is;
        }
        let new = match self.terms.get(t).clone() {
            Term::Int(poly) => {
                let parts = self.terms.parts(&Term::Int(poly.clone()));
                let new: FxHashMap<u32, T> = parts.into_iter().map(|part| (part.0, self.resolve(part))).collect();
                let by = |_: ProcId, atom: ValueId| new.get(&atom.0).map(|t| self.terms.poly(*t));
                match poly.replace(&by) {
                    Some(poly) => self.terms.int(poly),
                    None => t,
                }
            }
            Term::Choose(c, x, _) if self.known.contains(&(c, None)) => self.resolve(x),
            Term::Choose(c, x, y) => {
                let c = self.resolve(c);
                let c = self.truth(c);
                match self.terms.constant(c) {
                    Some(0) => self.resolve(y),
                    Some(_) => self.resolve(x),
                    None if self.known.contains(&(c, None)) => self.resolve(x),
                    None => {
                        let (x, y) = (self.resolve(x), self.resolve(y));
                        self.choose(c, x, y)
                    }
                }
            }
            Term::Trips(distance, by) => {
                let distance = self.resolve(distance);
                self.trips(distance, by)
            }
            Term::Unary(op, x, ty) => {
                let x = self.resolve(x);
                self.terms.make(Term::Unary(op, x, ty))
            }
            Term::Cast(x, from, to) => {
                // More may be known to be exact by now.
                let x = self.resolve(x);
                self.terms.convert(x, &from, &to)
            }
            Term::Binary(op, x, y, ty) => {
                let (x, y) = (self.resolve(x), self.resolve(y));
                let folded = self.folded(op, x, y, &ty);
                folded.unwrap_or_else(|| self.terms.make(Term::Binary(op, x, y, ty)))
            }
            Term::Function(function, args) => {
                let args = args.into_iter().map(|arg| self.resolve(arg)).collect();
                self.terms.make(Term::Function(function, args))
            }
            Term::Load(version, place) => {
                let here = self.resolve_place(place);
                let found = if here == place { t } else { self.read(version, here) };
                let is_load = matches!(self.terms.get(found), Term::Load(..));
                if is_load { found } else { self.resolve(found) }
            }
            Term::Address(place) => {
                let place = self.resolve_place(place);
                self.address(place)
            }
            Term::Adjoint(place) => {
                let place = self.resolve_place(place);
                self.terms.make(Term::Adjoint(place))
            }
            Term::Shadow(x) => {
                let x = self.resolve(x);
                self.terms.make(Term::Shadow(x))
            }
            _ => t,
        };
        // What the parts turn out to be may tell more.
        let new = if new == t { t } else { self.known_to_be(new).unwrap_or(new) };
        self.resolved.insert(t, new);
        new
    }

    fn known_to_be(&self, t: T) -> Option<T> {
        self.known.iter().find_map(|(what, is)| is.filter(|_| *what == t))
    }

    pub(super) fn resolve_place(&mut self, place: P) -> P {
        let Spot { root, steps } = self.terms.get_spot(place).clone();
        let root = self.resolve(root);
        let steps = steps.into_iter().map(|step| match step {
            Way::At(at) => Way::At(self.resolve(at)),
            Way::Range(from, to) => Way::Range(self.resolve(from), self.resolve(to)),
            other => other,
        });
        let steps = steps.collect();
        self.terms.spot(Spot { root, steps })
    }

    /// A term with every load as if it were from the beginning: equal for terms that differ in states of memory only.
    pub(super) fn timeless(&mut self, t: T, seen: &mut FxHashMap<T, T>) -> T {
        if let Some(&known) = seen.get(&t) {
            return known;
        }
        let new = match self.terms.get(t).clone() {
            Term::Int(poly) => {
                let parts = self.terms.parts(&Term::Int(poly.clone()));
                let new: FxHashMap<u32, T> =
                    parts.into_iter().map(|part| (part.0, self.timeless(part, seen))).collect();
                let by = |_: ProcId, atom: ValueId| new.get(&atom.0).map(|t| self.terms.poly(*t));
                let poly = poly.replace(&by);
                poly.map_or(t, |poly| self.terms.int(poly))
            }
            Term::Choose(c, x, y) => {
                let [c, x, y] = [c, x, y].map(|t| self.timeless(t, seen));
                self.terms.make(Term::Choose(c, x, y))
            }
            Term::Unary(op, x, ty) => {
                let x = self.timeless(x, seen);
                self.terms.make(Term::Unary(op, x, ty))
            }
            Term::Cast(x, from, to) => {
                let x = self.timeless(x, seen);
                self.terms.make(Term::Cast(x, from, to))
            }
            Term::Binary(op, x, y, ty) => {
                let [x, y] = [x, y].map(|t| self.timeless(t, seen));
                self.terms.make(Term::Binary(op, x, y, ty))
            }
            Term::Function(function, args) => {
                let args = args.into_iter().map(|arg| self.timeless(arg, seen)).collect();
                self.terms.make(Term::Function(function, args))
            }
            Term::Load(_, place) => {
                let Spot { root, steps } = self.terms.get_spot(place).clone();
                let root = self.timeless(root, seen);
                let steps = steps.into_iter().map(|step| match step {
                    Way::At(at) => Way::At(self.timeless(at, seen)),
                    other => other,
                });
                let steps = steps.collect();
                let place = self.terms.spot(Spot { root, steps });
                self.terms.make(Term::Load(Version(0), place))
            }
            _ => t,
        };
        seen.insert(t, new);
        new
    }

    /// Refuses a term that is not the one that is expected.
    pub(super) fn agree(&mut self, found: T, expected: T, what: &str) -> Res<()> {
        if self.same(found, expected) { Ok(()) } else { self.differ(found, expected, what) }
    }

    /// Two terms differ that should not. If they differ in states of memory only, the proofs may be too weak.
    pub(super) fn differ(&mut self, a: T, b: T, what: &str) -> Res<()> {
        let (a, b) = (self.resolve(a), self.resolve(b));
        let seen = &mut FxHashMap::default();
        if self.timeless(a, seen) != self.timeless(b, seen) {
            return Err(self.refuted(what));
        }
        self.doubt(SECTIONS);
        Ok(())
    }

    /// Notes that the procedure is not proved, and goes on: it may be refuted yet.
    pub(super) fn doubt(&mut self, what: &str) {
        if self.doubted.is_none() {
            self.doubted = Some((what.to_owned(), self.span));
        }
    }
}
