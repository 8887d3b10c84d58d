//! Terms that depend on a condition: values that arms of branches leave, and how often loops run.

use super::state::Replay;
use super::terms::{T, Term, unnamed};
use crate::ir::*;

/// The type at which the distance of an index from its bound is exact, if it is.
pub(super) const DISTANCE: Type = Type::signed(64);

impl Replay<'_> {
    /// Whether a term is 0 or 1.
    pub(super) fn is_truth(&self, t: T) -> bool {
        matches!(
            self.terms.get(t),
            Term::Binary(
                Binary::Less | Binary::LessEqual | Binary::Equal | Binary::NotEqual | Binary::And | Binary::Or,
                ..
            )
        )
    }

    /// A condition as a term that is equal for equal truths.
    pub(super) fn truth(&mut self, t: T) -> T {
        match *self.terms.get(t) {
            Term::Choose(c, x, y) if self.terms.constant(x) == Some(1) && self.terms.constant(y) == Some(0) => {
                self.truth(c)
            }
            Term::Binary(Binary::NotEqual, x, y, _) if self.terms.constant(y) == Some(0) => self.truth(x),
            Term::Binary(Binary::NotEqual, x, y, _) if self.terms.constant(x) == Some(0) => self.truth(y),
            _ => t,
        }
    }

    pub(super) fn choose(&mut self, c: T, x: T, y: T) -> T {
        let c = self.truth(c);
        if let Some(c) = self.terms.constant(c) {
            return if c != 0 { x } else { y };
        }
        let (x, y) = (self.in_arm(c, true, x), self.in_arm(c, false, y));
        if x == y {
            return x;
        }
        if let Some(known) = self.trips_of_choice(c, x, y).or_else(|| self.chosen_shadow(c, x, y)) {
            return known;
        }
        self.terms.make(Term::Choose(c, x, y))
    }

    /// A term where a condition holds or not, if it has a choice by this very condition.
    fn in_arm(&mut self, c: T, holds: bool, t: T) -> T {
        if !self.has_choice(c, t, 4) {
            return t;
        }
        // Nothing else that is known here has a part in it.
        let here = std::mem::take(&mut self.known);
        self.assume_truth(c, holds);
        let found = self.resolve(t);
        self.known = here;
        self.resolved.clear();
        found
    }

    /// Whether a number is a choice by this condition, or is computed from one, so many operations deep.
    fn has_choice(&self, c: T, t: T, depth: u32) -> bool {
        match self.terms.get(t) {
            Term::Choose(other, ..) if *other == c => true,
            term @ (Term::Int(_) | Term::Unary(..) | Term::Binary(..) | Term::Cast(..)) if depth > 0 => {
                self.terms.parts(term).into_iter().any(|part| self.has_choice(c, part, depth - 1))
            }
            _ => false,
        }
    }

    /// `a < b ? y + (b - a) : y`, `a < b ? y - (b - a) : y`, and the number of steps of more than one from `a` to `b`.
    fn trips_of_choice(&mut self, c: T, x: T, y: T) -> Option<T> {
        let Term::Binary(op @ (Binary::Less | Binary::LessEqual), a, b, ty) = self.terms.get(c).clone() else {
            return None;
        };
        if !ty.is_integer() {
            return None;
        }
        let distance = self.distance(op, a, b)?;
        for (low, high, sign) in [(y, x, 1), (x, y, -1)] {
            if self.terms.sum(high, low, -1)? == distance {
                let trips = self.trips(distance, 1);
                return self.terms.sum(y, trips, sign);
            }
        }
        let one = self.terms.number(1);
        let quotient = self.terms.sum(x, one, -1)?;
        let Term::Binary(Binary::Divide, above, by, _) = *self.terms.get(quotient) else { return None };
        let by = self.terms.constant(by).filter(|by| *by > 1)?;
        let expected = self.terms.sum(distance, one, -1)?;
        let above = self.narrow(above, &ty);
        if self.is_compared_exactly(a, b, &ty) {
            self.terms.is_exactly(distance, &DISTANCE);
        }
        (self.terms.constant(y) == Some(0) && above == expected).then(|| self.trips(distance, by))
    }

    /// Whether a comparison tells which of two integers is less: of unsigned ones only where both are exact.
    pub(super) fn is_compared_exactly(&self, a: T, b: T, ty: &Type) -> bool {
        let signed = matches!(ty, Type::Int { signed: true, .. });
        ty.is_integer() && (signed || self.terms.is_exact(a, ty) && self.terms.is_exact(b, ty))
    }

    /// A sum with numbers at the type of a comparison in place of a wider one, which changes none of them.
    fn narrow(&mut self, t: T, ty: &Type) -> T {
        let ty = unnamed(ty);
        let mut narrowed = rustc_hash::FxHashMap::default();
        for part in self.terms.parts(&Term::Int(self.terms.poly(t))) {
            let Term::Cast(x, from, Type::Int { bits: to, .. }) = self.terms.get(part).clone() else { continue };
            let (Type::Int { bits: own, signed: own_sign, .. }, Type::Int { bits, signed, .. }) = (&from, &ty) else {
                continue;
            };
            if to > *own && from == ty {
                narrowed.insert(part.0, x);
            } else if own < bits && *bits < to && (*signed || !own_sign) {
                narrowed.insert(part.0, self.terms.convert(x, &from, &ty));
            }
        }
        let by = |_: ProcId, atom: ValueId| narrowed.get(&atom.0).map(|x| self.terms.poly(*x));
        match self.terms.poly(t).replace(&by) {
            Some(poly) => self.terms.int(poly),
            None => t,
        }
    }

    /// How far `a` is from where `a < b` (or `a <= b`) no longer holds.
    pub(super) fn distance(&mut self, op: Binary, a: T, b: T) -> Option<T> {
        let distance = self.terms.sum(b, a, -1)?;
        let one = self.terms.number(1);
        if op == Binary::LessEqual { self.terms.sum(distance, one, 1) } else { Some(distance) }
    }

    /// How far a row reaches that has as many elements as this number: from its start, so that there are none if that is
    /// negative.
    pub(super) fn up_to(&self, number: T) -> T {
        match *self.terms.get(number) {
            Term::Trips(distance, 1) => distance,
            _ => number,
        }
    }

    /// How many steps of `by` it takes from a distance to 0 or below.
    pub(super) fn trips(&mut self, distance: T, by: i128) -> T {
        match self.terms.constant(distance) {
            Some(n) => self.terms.number(if n > 0 { (n - 1) / by + 1 } else { 0 }),
            None => self.terms.make(Term::Trips(distance, by)),
        }
    }
}
