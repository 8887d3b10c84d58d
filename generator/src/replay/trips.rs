//! How often a loop runs, by its test in any pass.

use super::eval::long;
use super::section::State;
use super::state::{Form, Replay};
use super::terms::{T, Term, Version};
use crate::flow::poly::Poly;
use crate::ir::*;

impl Replay<'_> {
    /// How often a loop runs whose test is this in pass `pass`: as known outside, as known inside, the distance.
    pub(super) fn passes_of(&mut self, test: T, pass: T, item: ItemId) -> Option<(T, T, T)> {
        let test = self.truth(test);
        if self.terms.constant(test) == Some(0) {
            return Some((test, test, test));
        }
        let (op, a, b) = match self.terms.get(test).clone() {
            Term::Binary(op @ (Binary::Less | Binary::LessEqual), a, b, ty) if ty.is_integer() => (op, a, b),
            Term::Binary(Binary::NotEqual, a, b, _) => (Binary::NotEqual, a, b),
            // A number as a test.
            Term::Int(_) | Term::Entry(_) | Term::Cast(..) => (Binary::NotEqual, test, self.terms.number(0)),
            _ => return None,
        };
        // Numbers that wrap around meet at the first pass where their lowest bits are equal.
        let (of, wraps) = self.lowest_bits(a);
        let (to, also_wraps) = self.lowest_bits(b);
        let wraps = wraps.or(also_wraps).filter(|_| op == Binary::NotEqual);
        let distance = if op == Binary::NotEqual { self.terms.sum(of, to, -1)? } else { self.distance(op, a, b)? };
        let (first, slope) = self.linear_in(distance, pass)?;
        let slope = self.terms.constant(slope)?;
        if self.terms.mentions(first, &|term| *term == Term::Pass(item)) || self.varies(first, item) {
            return None;
        }
        match (op, slope) {
            (Binary::NotEqual, -1) => Some((self.wrapped(first, wraps), first, distance)),
            (Binary::NotEqual, 1) => {
                let zero = self.terms.number(0);
                let first = self.terms.sum(zero, first, -1)?;
                let distance = self.terms.sum(zero, distance, -1)?;
                Some((self.wrapped(first, wraps), first, distance))
            }
            (Binary::Less | Binary::LessEqual, -1) => Some((self.trips(first, 1), first, distance)),
            (Binary::Less | Binary::LessEqual, slope) if slope < 0 => {
                let trips = self.trips(first, -slope);
                Some((trips, trips, distance))
            }
            _ => None,
        }
    }

    /// What was made wider to be compared, and its type before.
    fn lowest_bits(&self, t: T) -> (T, Option<Type>) {
        match self.terms.get(t) {
            Term::Cast(x, from @ Type::Int { bits: ..64, .. }, Type::Int { bits: 64, .. }) => (*x, Some(from.clone())),
            _ => (t, None),
        }
    }

    /// A number of passes of which the lowest bits are known. Signed numbers do not wrap around.
    fn wrapped(&mut self, passes: T, ty: Option<Type>) -> T {
        let Some(ty @ Type::Int { bits, signed, .. }) = &ty else { return passes };
        if *signed && self.terms.is_exact(passes, ty) {
            return passes;
        }
        let unsigned = Type::unsigned(*bits);
        self.terms.convert(passes, &unsigned, &long())
    }

    /// How often a loop runs that runs at all and whose index goes by a value that divides its distance; that value. A
    /// loop that ends goes by more than 0, so it is a whole number of steps.
    pub(super) fn whole_steps(&mut self, test: T, pass: T, item: ItemId) -> Option<(T, T)> {
        let test = self.truth(test);
        let (op, a, b) = match self.terms.get(test).clone() {
            Term::Binary(op @ (Binary::Less | Binary::LessEqual), a, b, Type::Int { signed: true, .. }) => (op, a, b),
            _ => return None,
        };
        let distance = self.distance(op, a, b)?;
        let (first, slope) = self.linear_in(distance, pass)?;
        let zero = self.terms.number(0);
        let step = self.terms.sum(zero, slope, -1)?;
        let is_pass = |term: &Term| *term == Term::Pass(item);
        let changes = |this: &Self, t: T| this.varies(t, item) || this.terms.mentions(t, &is_pass);
        if self.terms.constant(step).is_some() || changes(self, first) || changes(self, step) {
            return None;
        }
        let passes = self.terms.poly(first).divide(&self.terms.poly(step))?;
        Some((self.terms.int(passes), step))
    }

    /// Takes it that a loop ends whose passes are at hand.
    pub(super) fn assume_step(&mut self, form: &Form) {
        if let Some(step) = form.goes_by {
            let zero = self.terms.number(0);
            let positive = self.binary(Binary::Less, zero, step, &long(), &long());
            self.assume_truth(positive, true);
        }
    }

    /// `t` as first + pass * slope.
    pub(super) fn linear_in(&mut self, t: T, pass: T) -> Option<(T, T)> {
        let at = |this: &mut Self, n: i128| {
            let poly = this.terms.poly(t).replace(&|_, atom| (atom.0 == pass.0).then(|| Poly::constant(n)))?;
            Some(this.terms.int(poly))
        };
        let (zero, one) = (at(self, 0)?, at(self, 1)?);
        let slope = self.terms.sum(one, zero, -1)?;
        let moved = self.terms.product(slope, pass)?;
        (self.terms.sum(zero, moved, 1)? == t).then_some((zero, slope))
    }

    /// Whether a term may differ from pass to pass beside by the number of the pass.
    pub(super) fn varies(&self, t: T, item: ItemId) -> bool {
        let ItemKind::Loop { body, .. } = &self.f.items[item].kind else { return true };
        let inside = |of: &ItemId| {
            let home = self.positions.get(of.index()).copied().flatten();
            home.is_some_and(|(region, _)| self.f.is_within(region, *body))
        };
        let first = self.loops.get(&item).map_or(Version(0), |form| form.first_state);
        let start_is_own = matches!(self.states[first.0 as usize], State::Havoc { .. });
        self.terms.mentions(t, &|term| match term {
            Term::Head(of, _) => *of == item || inside(of),
            Term::Out(of, _) | Term::Result(of) | Term::Passes(of) | Term::Pass(of) => inside(of),
            Term::Load(version, _) => {
                *version > first || (*version == first && start_is_own && first == self.own_start(item))
            }
            Term::Undefined(_) => false,
            _ => false,
        })
    }
}
