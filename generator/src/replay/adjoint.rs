//! What the adjoint of an item has to do, from the item itself, and what its group in the reverse sweep does.
//!
//! Adjoints are linear: a group adds to each adjoint a sum of products, each of one adjoint that was there before and of
//! factors that the forward sweep computed. Both sides are brought to that form and compared. The order of factors is
//! that of their numbers, so it does not matter in which order the sweep multiplies.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

use super::state::{Replay, Res, Stop};
use super::sums::{Holds, Linear, is_share};
use super::terms::{P, T, Term};
use crate::ir::*;

impl Replay<'_> {
    // ---- what the sweep does -------------------------------------------------------------------------------------

    pub(super) fn declare_adjoint(&mut self, root: T) {
        self.adjoints.local.insert(root, Holds::Nothing);
    }

    pub(super) fn clear_adjoint(&mut self, root: T) -> Res<()> {
        if self.adjoints.local.get(&root) != Some(&Holds::Nothing) {
            return Err(self.refuted("an adjoint is cleared that may hold something"));
        }
        // Only the sweep itself writes what the primal does not have.
        let is_own = matches!(self.terms.get(root), Term::Own(_));
        self.adjoints.local.insert(root, if is_own { Holds::Zero } else { Holds::Something });
        Ok(())
    }

    /// An adjoint that was of use in the group at hand only.
    pub(super) fn forget_adjoint(&mut self, root: T) {
        let terms = &self.terms;
        self.adjoints.left.retain(|place, _| terms.get_spot(*place).root != root);
        self.declare_adjoint(root);
    }

    pub(super) fn local_holds(&self, root: T) -> Option<Holds> {
        self.adjoints.local.get(&root).copied()
    }

    pub(super) fn found(&mut self, place: P) -> Res<T> {
        let place = self.resolve_place(place);
        if let Some(&known) = self.adjoints.found.get(&place) {
            return Ok(known);
        }
        let root = self.terms.get_spot(place).root;
        let t = match self.adjoints.local.get(&root) {
            Some(Holds::Nothing) => return Err(self.refuted("an adjoint is read before it is set")),
            Some(Holds::Zero) => self.terms.make(Term::Float("0.0".into())),
            Some(Holds::Something) if self.is_never_read(root) => self.terms.make(Term::Float("0.0".into())),
            _ => self.terms.make(Term::Adjoint(place)),
        };
        self.adjoints.found.insert(place, t);
        Ok(t)
    }

    /// Whether an adjoint belongs to an object that the forward sweep never reads. It begins as 0, and stays 0.
    fn is_never_read(&self, root: T) -> bool {
        let Term::Shadow(of) = *self.terms.get(root) else { return false };
        matches!(self.terms.get(of), Term::Object(object) if !self.read.contains(object))
    }

    fn content(&mut self, place: P) -> Res<T> {
        let place = self.resolve_place(place);
        match self.adjoints.left.get(&place) {
            Some(&left) => Ok(left),
            None => {
                let root = self.terms.get_spot(place).root;
                if self.adjoints.local.get(&root) == Some(&Holds::Something) {
                    self.adjoints.read.insert(root);
                }
                self.found(place)
            }
        }
    }

    /// Whether the group has set an adjoint to 0.
    pub(super) fn is_cleared(&mut self, place: P) -> Res<bool> {
        let place = self.resolve_place(place);
        match self.adjoints.left.get(&place) {
            Some(&left) => Ok(self.linear(left)?.is_empty()),
            None => Ok(false),
        }
    }

    /// What an adjoint holds is of no use from here on: it belongs to a value that ends here.
    pub(super) fn end_adjoint(&mut self, place: P) {
        let root = self.terms.get_spot(place).root;
        if self.adjoints.local.get(&root) != Some(&Holds::Zero) {
            self.declare_adjoint(root);
        }
    }

    /// Begins a pass: what was read before.
    pub(super) fn begin_reads(&mut self) -> FxHashSet<T> {
        std::mem::take(&mut self.adjoints.read)
    }

    /// Ends a pass that began with these adjoints: those of no use now must not have been read, as the next pass will.
    pub(super) fn end_reads(&mut self, began: &Locals, before: FxHashSet<T>) -> Res<()> {
        let is_lost = |root: &T| {
            let began = began.get(root).is_some_and(|holds| *holds != Holds::Nothing);
            began && self.adjoints.local.get(root) == Some(&Holds::Nothing)
        };
        if self.adjoints.read.iter().any(is_lost) {
            return Err(self.refuted("an adjoint is read in a pass that the pass before it has not set to 0"));
        }
        self.adjoints.read.extend(before);
        Ok(())
    }

    /// The adjoint that lies at a place; for a pointer, the shadow of the pointer that the primal has there.
    pub(super) fn load_adjoint(&mut self, place: P, ty: &Type) -> Res<T> {
        if !matches!(ty, Type::Float { .. }) {
            return self.load_shadow(place, ty);
        }
        self.in_order(place)?;
        self.content(place)
    }

    /// What was added to a place must not be what is read or set now by another name.
    fn in_order(&mut self, place: P) -> Res<()> {
        for added in self.adjoints.added.clone() {
            if added == place || self.adjoints_apart(added, place) {
                continue;
            }
            if !self.is_located(added) || !self.is_located(place) {
                self.doubt(super::state::SECTIONS);
                continue;
            }
            return Err(self.refuted("an adjoint is read or cleared behind an addition that may change it"));
        }
        Ok(())
    }

    /// Whether the primal names the place of an adjoint.
    fn is_located(&mut self, place: P) -> bool {
        self.unshadowed(place).is_none_or(|primal| self.cells(primal).is_some())
    }

    fn adjoints_apart(&mut self, a: P, b: P) -> bool {
        // No pointer leads to an object whose address nobody takes.
        if [a, b].into_iter().any(|place| self.is_never_read(self.terms.get_spot(place).root)) {
            return self.terms.get_spot(a).root != self.terms.get_spot(b).root;
        }
        // What a caller passes for the adjoint of a value is no memory of the procedure.
        if self.is_of_value(a) && self.is_of_object(b) || self.is_of_object(a) && self.is_of_value(b) {
            return true;
        }
        match (self.unshadowed(a), self.unshadowed(b)) {
            (Some(a), Some(b)) => self.disjoint(a, b),
            (None, None) => self.terms.get_spot(a).root != self.terms.get_spot(b).root,
            _ => true,
        }
    }

    pub(super) fn store_adjoint(&mut self, place: P, value: T) -> Res<()> {
        let place = self.resolve_place(place);
        self.in_order(place)?;
        let root = self.terms.get_spot(place).root;
        // What a new adjoint holds is 0: nothing has been added to it yet.
        if self.adjoints.local.get(&root) == Some(&Holds::Nothing) && !self.adjoints.found.contains_key(&place) {
            let zero = self.terms.make(Term::Float("0.0".into()));
            self.adjoints.found.insert(place, zero);
        } else {
            self.found(place)?;
        }
        self.adjoints.left.insert(place, value);
        Ok(())
    }

    pub(super) fn accumulate(&mut self, place: P, value: T, ty: &Type) -> Res<()> {
        let place = self.resolve_place(place);
        let old = self.content(place)?;
        let new = self.terms.make(Term::Binary(Binary::Add, old, value, ty.clone()));
        self.adjoints.left.insert(place, new);
        self.adjoints.added.push(place);
        Ok(())
    }

    // ---- comparison ----------------------------------------------------------------------------------------------

    /// Compares what the group has done with what the item demands: sums by place. The group may clear one more, which
    /// holds nothing.
    pub(super) fn compare(&mut self, demanded: &BTreeMap<P, Linear>, may_clear: Option<P>) -> Res<()> {
        let left = std::mem::take(&mut self.adjoints.left);
        for (&place, &t) in &left {
            let done = self.linear(t)?;
            let expected = match demanded.get(&place) {
                Some(expected) => expected.clone(),
                None => {
                    let found = self.found(place)?;
                    self.linear(found)?
                }
            };
            let (done_here, expected_here) = (self.resolved_linear(&done), self.resolved_linear(&expected));
            let cleared = may_clear == Some(place) && !demanded.contains_key(&place) && done.is_empty();
            if done_here != expected_here && !cleared {
                let seen = &mut FxHashMap::default();
                if self.timeless_linear(&done_here, seen) == self.timeless_linear(&expected_here, seen) {
                    self.doubt(super::state::SECTIONS);
                } else {
                    return Err(self.refuted("an adjoint is not what the derivative demands"));
                }
            }
            let root = self.terms.get_spot(place).root;
            if self.adjoints.local.contains_key(&root) {
                let scalar = self.terms.get_spot(place).steps.is_empty();
                let holds = if done.is_empty() && scalar { Holds::Zero } else { Holds::Something };
                self.adjoints.local.insert(root, holds);
            }
        }
        for (&place, expected) in demanded {
            if left.contains_key(&place) {
                continue;
            }
            let found = self.found(place)?;
            let found = self.linear(found)?;
            if *expected != found {
                return Err(self.refuted("an adjoint is not changed as the derivative demands"));
            }
        }
        self.adjoints.found.clear();
        self.adjoints.added.clear();
        Ok(())
    }

    fn timeless_linear(&mut self, sum: &Linear, seen: &mut FxHashMap<T, T>) -> Linear {
        let mut new = Linear::new();
        for ((atom, factors), count) in sum {
            let mut factors: Vec<(T, bool)> = factors.iter().map(|(t, by)| (self.timeless(*t, seen), *by)).collect();
            factors.sort();
            *new.entry((*atom, factors)).or_default() += count;
        }
        new
    }

    fn resolved_linear(&mut self, sum: &Linear) -> Linear {
        if self.known.is_empty() {
            return sum.clone();
        }
        let mut new = Linear::new();
        for ((atom, factors), count) in sum {
            // What is a product here may have been one of several values before.
            let (mut parts, mut flips) = (Vec::new(), false);
            for (t, divides) in factors {
                let t = self.resolve(*t);
                flips ^= self.factors(t, *divides, &mut parts);
            }
            parts.sort();
            let atom = self.resolve(*atom);
            *new.entry((atom, parts)).or_default() += if flips { -count } else { *count };
        }
        new.retain(|_, count| *count != 0);
        new
    }

    /// A term as a sum of products of adjoints.
    pub(super) fn linear(&self, t: T) -> Res<Linear> {
        let mut sum = Linear::new();
        self.add_linear(t, &mut Vec::new(), 1, &mut sum)?;
        sum.retain(|_, count| *count != 0);
        Ok(sum)
    }

    fn add_linear(&self, t: T, factors: &mut Vec<(T, bool)>, sign: i64, sum: &mut Linear) -> Res<()> {
        match self.terms.get(t) {
            Term::Seed | Term::Adjoint(_) | Term::Returned(..) => {
                let mut sorted = factors.clone();
                sorted.sort();
                *sum.entry((t, sorted)).or_default() += sign;
                Ok(())
            }
            Term::Float(text) if literal(text) == Some(0.0) => Ok(()),
            Term::Unary(Unary::Negate, x, _) => self.add_linear(*x, factors, -sign, sum),
            Term::Cast(x, ..) => self.add_linear(*x, factors, sign, sum),
            Term::Binary(Binary::Add, x, y, _) => {
                self.add_linear(*x, factors, sign, sum)?;
                self.add_linear(*y, factors, sign, sum)
            }
            Term::Binary(Binary::Subtract, x, y, _) => {
                self.add_linear(*x, factors, sign, sum)?;
                self.add_linear(*y, factors, -sign, sum)
            }
            Term::Binary(op @ (Binary::Multiply | Binary::Divide), x, y, _) => {
                if !self.terms.is_linear(*x) && !self.terms.is_linear(*y) && self.is_nothing(t) {
                    return Ok(());
                }
                let (with, by) = if self.terms.is_linear(*x) { (x, y) } else { (y, x) };
                if !self.terms.is_linear(*with) || self.terms.is_linear(*by) || (*op == Binary::Divide && with != x) {
                    return Err(self.not_linear());
                }
                let kept = factors.len();
                let flips = self.factors(*by, *op == Binary::Divide, factors);
                self.add_linear(*with, factors, if flips { -sign } else { sign }, sum)?;
                factors.truncate(kept);
                Ok(())
            }
            Term::Function(function, args) if is_share(*function) => {
                let kept = factors.len();
                let flips = self.factors(args[0], false, factors);
                self.add_linear(args[1], factors, if flips { -sign } else { sign }, sum)?;
                factors.truncate(kept);
                Ok(())
            }
            _ => Err(self.not_linear()),
        }
    }

    /// Whether a term is 0 times something: an adjoint whose parts cancel each other, and what is made of it.
    fn is_nothing(&self, t: T) -> bool {
        match self.terms.get(t) {
            Term::Float(text) => literal(text) == Some(0.0),
            Term::Unary(Unary::Negate, x, _) | Term::Cast(x, ..) | Term::Binary(Binary::Divide, x, ..) => {
                self.is_nothing(*x)
            }
            Term::Binary(Binary::Multiply, x, y, _) => self.is_nothing(*x) || self.is_nothing(*y),
            Term::Function(function, args) => is_share(*function) && self.is_nothing(args[1]),
            _ => false,
        }
    }

    fn not_linear(&self) -> Stop {
        self.refuted("what is added to an adjoint is no product of an adjoint")
    }

    /// Adds the factors of a term; whether the sign changes.
    pub(super) fn factors(&self, t: T, divides: bool, factors: &mut Vec<(T, bool)>) -> bool {
        match self.terms.get(t) {
            Term::Unary(Unary::Negate, x, _) => !self.factors(*x, divides, factors),
            Term::Binary(Binary::Multiply, x, y, _) => {
                self.factors(*x, divides, factors) != self.factors(*y, divides, factors)
            }
            Term::Binary(Binary::Divide, x, y, _) => {
                self.factors(*x, divides, factors) != self.factors(*y, !divides, factors)
            }
            _ if self.is_one(t) => false,
            _ => {
                factors.push((t, divides));
                false
            }
        }
    }

    fn is_one(&self, t: T) -> bool {
        match self.terms.get(t) {
            Term::Float(text) => literal(text) == Some(1.0),
            Term::Cast(x, ..) => self.terms.constant(*x) == Some(1),
            _ => false,
        }
    }
}

// ---- local adjoints at the borders of regions --------------------------------------------------------------------------

/// What local adjoints hold.
pub(super) type Locals = FxHashMap<T, Holds>;

impl Replay<'_> {
    /// What local adjoints hold where a region inside begins: another pass or arm may have added to them.
    pub(super) fn locals_before_inner(&self) -> Locals {
        let of = |(root, holds): (&T, &Holds)| (*root, if *holds == Holds::Zero { Holds::Something } else { *holds });
        self.adjoints.local.iter().map(of).collect()
    }

    pub(super) fn locals(&self) -> Locals {
        self.adjoints.local.clone()
    }

    pub(super) fn set_locals(&mut self, locals: &Locals) {
        self.adjoints.local.clone_from(locals);
    }

    /// What local adjoints hold behind a branch.
    pub(super) fn merge_locals(&mut self, arms: &[Locals]) {
        let mut merged = Locals::default();
        for arm in arms {
            for (root, holds) in arm {
                let other = merged.entry(*root).or_insert(*holds);
                if *other != *holds {
                    *other = if [*other, *holds].contains(&Holds::Nothing) { Holds::Nothing } else { Holds::Something };
                }
            }
        }
        self.adjoints.local = merged;
    }

    /// What an adjoint holds now.
    pub(super) fn holds(&mut self, place: P) -> Res<Linear> {
        let t = self.content(place)?;
        self.linear(t)
    }

    /// What an adjoint held when the group began.
    pub(super) fn found_before(&mut self, place: P) -> Res<T> {
        self.found(place)
    }

    /// A call has left something in a local adjoint.
    pub(super) fn put(&mut self, place: P, t: T) {
        let place = self.resolve_place(place);
        self.adjoints.left.insert(place, t);
        self.adjoints.found.insert(place, t);
    }
}
