//! Polynomials over the integers of a program, and proofs that one is not negative.
//!
//! An atom is an integer SSA value, so it does not change while it is in scope, or a term that is not taken apart
//! (`n / 2`). Coefficients are exact: an operation that would leave [`LIMIT`] has no result, and the caller then knows
//! nothing.
//!
//! A **proof** of `p >= 0` from facts `f_i >= 0` is Handelman's form of degree 2,
//! `d p = c + sum c_i f_i + sum c_ij f_i f_j` with `d > 0` and all `c >= 0`. It is searched without a linear program:
//! the highest monomial of `p` is cancelled with a fact or a product of two that has it with the same sign, and so on.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::locs::Loc;
use crate::ir::{ProcId, ValueId};

/// What a polynomial is made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// An integer value, or the offset of a pointer value in what it points to. The flag: it is never negative.
    Value(ProcId, ValueId, bool),
    /// An integer in memory that a procedure never writes, by its location. The flag: it is never negative.
    Steady(ProcId, Loc, bool),
    /// An operation that is not taken apart: a number for it, whether it is never negative, how deep such terms stand
    /// inside each other here, operands.
    Opaque(u16, bool, u32, Arc<(Poly, Poly)>),
    /// Greater than everything. Stands for an end of a section that is not known.
    Infinity,
}

/// A product of atoms, sorted; never empty.
type Monomial = Arc<[Atom]>;

/// A polynomial: a number, and coefficients by monomials.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Poly {
    constant: i128,
    /// Sorted; none of the coefficients is 0. `None` if there are none.
    terms: Option<Arc<Vec<(Monomial, i128)>>>,
}

/// Coefficients stay below this.
pub const LIMIT: i128 = 1 << 100;
/// Polynomials stay below this many monomials.
const TERMS: usize = 24;
/// Facts that a proof reads.
const FACTS: usize = 18;
/// Facts that a proof adds up.
const STEPS: usize = 6;
/// Facts that a search tries before it gives up.
const TRIALS: usize = 200;

impl Poly {
    /// A constant.
    pub fn constant(constant: i128) -> Poly {
        Poly { constant, terms: None }
    }

    /// An atom.
    pub fn atom(a: Atom) -> Poly {
        Poly::product(&[a], 1)
    }

    /// A product of atoms and a number that is not 0.
    fn product(atoms: &[Atom], coefficient: i128) -> Poly {
        if atoms.is_empty() {
            return Poly::constant(coefficient);
        }
        Poly { constant: 0, terms: Some(Arc::new(vec![(atoms.into(), coefficient)])) }
    }

    fn terms(&self) -> &[(Monomial, i128)] {
        self.terms.as_ref().map_or(&[], |terms| terms)
    }

    /// All products with their coefficients, the one of no atoms among them.
    pub fn all(&self) -> impl Iterator<Item = (&[Atom], i128)> {
        let constant = (self.constant != 0).then_some((&[][..], self.constant));
        constant.into_iter().chain(self.terms().iter().map(|(m, c)| (&**m, *c)))
    }

    /// How many products it has.
    fn len(&self) -> usize {
        self.terms().len() + usize::from(self.constant != 0)
    }

    /// The coefficient of a product of atoms.
    fn coefficient(&self, atoms: &[Atom]) -> Option<i128> {
        let terms = self.terms();
        terms.binary_search_by(|(m, _)| (**m).cmp(atoms)).ok().map(|at| terms[at].1)
    }

    /// The product with most factors.
    fn highest(&self) -> Option<(&[Atom], i128)> {
        self.all().max_by_key(|(m, _)| (m.len(), *m))
    }

    /// A value.
    pub fn value(p: ProcId, v: ValueId, natural: bool) -> Poly {
        Poly::atom(Atom::Value(p, v, natural))
    }

    /// An operation that is not taken apart.
    pub fn opaque(op: u16, natural: bool, a: Poly, b: Poly) -> Poly {
        let depth = 1 + a.depth().max(b.depth());
        Poly::atom(Atom::Opaque(op, natural, depth, Arc::new((a, b))))
    }

    /// Greater than everything.
    pub fn infinity() -> Poly {
        Poly::atom(Atom::Infinity)
    }

    /// `self + scale * other`.
    fn plus_scaled(&self, scale: i128, other: &Poly) -> Option<Poly> {
        let scaled = |a: i128, b: i128| a.checked_add(scale.checked_mul(b)?).filter(|sum| sum.abs() < LIMIT);
        let constant = scaled(self.constant, other.constant)?;
        let (a, b) = (self.terms(), other.terms());
        if b.is_empty() || scale == 0 {
            return Some(Poly { constant, terms: self.terms.clone() });
        }
        let mut terms = Vec::with_capacity(a.len() + b.len());
        let (mut k, mut l) = (0, 0);
        loop {
            let order = match (a.get(k), b.get(l)) {
                (Some((m, _)), Some((n, _))) => m.cmp(n),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let (monomial, c) = match order {
                Ordering::Less => a[k].clone(),
                Ordering::Equal => (a[k].0.clone(), scaled(a[k].1, b[l].1)?),
                Ordering::Greater => (b[l].0.clone(), scaled(0, b[l].1)?),
            };
            k += usize::from(order != Ordering::Greater);
            l += usize::from(order != Ordering::Less);
            if c != 0 {
                terms.push((monomial, c));
            }
        }
        let sum = Poly { constant, terms: (!terms.is_empty()).then(|| Arc::new(terms)) };
        (sum.len() <= TERMS).then_some(sum)
    }

    /// Sum.
    pub fn add(&self, other: &Poly) -> Option<Poly> {
        self.plus_scaled(1, other)
    }

    /// Difference.
    pub fn sub(&self, other: &Poly) -> Option<Poly> {
        self.plus_scaled(-1, other)
    }

    /// Sum with a constant.
    pub fn plus(&self, c: i128) -> Option<Poly> {
        self.add(&Poly::constant(c))
    }

    /// Product with a constant.
    pub fn scale(&self, c: i128) -> Option<Poly> {
        Poly::default().plus_scaled(c, self)
    }

    /// Product.
    pub fn mul(&self, other: &Poly) -> Option<Poly> {
        if let Some(c) = self.as_constant() {
            return other.scale(c);
        }
        if let Some(c) = other.as_constant() {
            return self.scale(c);
        }
        let mut out = Poly::default();
        for (m, c) in self.all() {
            for (n, d) in other.all() {
                let mut product: Vec<Atom> = m.iter().chain(n).cloned().collect();
                product.sort();
                let c = c.checked_mul(d).filter(|c| c.abs() < LIMIT)?;
                out = out.plus_scaled(1, &Poly::product(&product, c))?;
            }
        }
        Some(out)
    }

    /// Most factors of a monomial.
    fn degree(&self) -> usize {
        self.terms().iter().map(|(m, _)| m.len()).max().unwrap_or(0)
    }

    /// The same polynomial modulo two to the power of `bits`: each coefficient is the one nearest to 0.
    pub fn modulo(&self, bits: u8) -> Poly {
        let (whole, half) = (1i128 << bits, 1i128 << (bits - 1));
        let near = |c: i128| (c + half).rem_euclid(whole) - half;
        let terms =
            self.terms().iter().map(|(m, c)| (m.clone(), near(*c))).filter(|(_, c)| *c != 0).collect::<Vec<_>>();
        Poly { constant: near(self.constant), terms: (!terms.is_empty()).then(|| Arc::new(terms)) }
    }

    /// The sum of its products of atoms.
    pub fn without_constant(&self) -> Poly {
        Poly { constant: 0, terms: self.terms.clone() }
    }

    /// The constant that it is.
    pub fn as_constant(&self) -> Option<i128> {
        self.terms.is_none().then_some(self.constant)
    }

    /// The value that it is.
    pub fn as_value(&self) -> Option<(ProcId, ValueId)> {
        match (self.constant, self.terms()) {
            (0, [(m, 1)]) => match **m {
                [Atom::Value(p, v, _)] => Some((p, v)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether some value in it satisfies `test`.
    pub fn any(&self, test: &dyn Fn(ProcId, ValueId) -> bool) -> bool {
        self.any_atom(&|atom| matches!(atom, Atom::Value(p, v, _) if test(*p, *v)))
    }

    /// Whether some atom in it satisfies `test`.
    pub fn any_atom(&self, test: &dyn Fn(&Atom) -> bool) -> bool {
        self.atoms().any(|a| match a {
            Atom::Opaque(.., ab) => ab.0.any_atom(test) || ab.1.any_atom(test),
            atom => test(atom),
        })
    }

    /// How deep terms that are not taken apart stand inside each other.
    pub fn depth(&self) -> u32 {
        let depth = |a: &Atom| match a {
            Atom::Opaque(.., depth, _) => *depth,
            Atom::Value(..) | Atom::Steady(..) | Atom::Infinity => 0,
        };
        self.atoms().map(depth).max().unwrap_or(0)
    }

    /// Whether it is infinity with this sign.
    pub fn is_end(&self, sign: i128) -> bool {
        self.constant == 0 && matches!(self.terms(), [(m, c)] if *c == sign && **m == [Atom::Infinity])
    }

    /// Whether an end of it is not known.
    pub fn is_infinite(&self) -> bool {
        self.atoms().any(|a| *a == Atom::Infinity)
    }

    /// Replaces values; `None` for a value leaves it.
    pub fn replace(&self, by: &dyn Fn(ProcId, ValueId) -> Option<Poly>) -> Option<Poly> {
        self.replace_atoms(&|atom| match atom {
            Atom::Value(p, v, _) => by(*p, *v),
            _ => None,
        })
    }

    /// Replaces atoms; `None` for an atom leaves it.
    pub fn replace_atoms(&self, by: &dyn Fn(&Atom) -> Option<Poly>) -> Option<Poly> {
        let mut out = Poly::constant(self.constant);
        for (m, c) in self.terms() {
            let mut term = Poly::constant(*c);
            for a in m.iter() {
                let factor = match a {
                    Atom::Opaque(op, natural, _, ab) => {
                        Poly::opaque(*op, *natural, ab.0.replace_atoms(by)?, ab.1.replace_atoms(by)?)
                    }
                    atom => by(atom).unwrap_or_else(|| Poly::atom(atom.clone())),
                };
                term = term.mul(&factor)?;
            }
            out = out.add(&term)?;
        }
        Some(out)
    }

    /// The quotient, if `other` divides it: without remainder, as polynomials.
    pub fn divide(&self, other: &Poly) -> Option<Poly> {
        let (lead, c) = other.highest()?;
        let (mut rest, mut quotient) = (self.clone(), Poly::default());
        for _ in 0..TERMS {
            let Some((m, d)) = rest.highest() else { return Some(quotient) };
            if d % c != 0 {
                return None;
            }
            let mut over = m.to_vec();
            for a in lead {
                over.remove(over.iter().position(|b| b == a)?);
            }
            let term = Poly::product(&over, d / c);
            rest = rest.sub(&term.mul(other)?)?;
            quotient = quotient.add(&term)?;
        }
        None
    }

    /// The values in it.
    pub fn values(&self, out: &mut BTreeSet<(ProcId, ValueId)>) {
        for a in self.atoms() {
            match a {
                Atom::Value(p, v, _) => {
                    out.insert((*p, *v));
                }
                Atom::Opaque(.., ab) => {
                    ab.0.values(out);
                    ab.1.values(out);
                }
                Atom::Steady(..) | Atom::Infinity => {}
            }
        }
    }

    /// The locations of integers in memory that a procedure never writes.
    pub fn steady(&self, p: ProcId, out: &mut BTreeSet<Loc>) {
        for a in self.atoms() {
            match a {
                Atom::Steady(q, loc, _) if *q == p => drop(out.insert(*loc)),
                Atom::Opaque(.., ab) => {
                    ab.0.steady(p, out);
                    ab.1.steady(p, out);
                }
                _ => {}
            }
        }
    }

    fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.terms().iter().flat_map(|(m, _)| m.iter())
    }

    /// For messages and tests.
    pub fn show(&self, name: &dyn Fn(ProcId, ValueId) -> String) -> String {
        let mut out = String::new();
        for (m, c) in self.all().collect::<Vec<_>>().into_iter().rev() {
            let factors: Vec<String> = m
                .iter()
                .map(|a| match a {
                    Atom::Value(p, v, _) => name(*p, *v),
                    Atom::Steady(_, loc, _) => format!("at({})", loc.0),
                    Atom::Opaque(.., ab) => format!("op({}, {})", ab.0.show(name), ab.1.show(name)),
                    Atom::Infinity => "inf".into(),
                })
                .collect();
            let size = c.abs();
            let text = match (factors.is_empty(), size) {
                (true, _) => size.to_string(),
                (false, 1) => factors.join("*"),
                (false, _) => format!("{size}*{}", factors.join("*")),
            };
            let sign = match (out.is_empty(), c < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            out += &format!("{sign}{text}");
        }
        if out.is_empty() { "0".into() } else { out }
    }
}

/// Polynomials that are known not to be negative at some point of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts(Arc<Vec<Poly>>);

impl Facts {
    /// Adds `p >= 0`.
    pub fn add(&mut self, p: Option<Poly>) {
        if let Some(p) = p
            && p.as_constant().is_none()
            && !p.is_infinite()
            && !self.0.contains(&p)
        {
            Arc::make_mut(&mut self.0).push(p);
        }
    }

    /// These and `p >= 0`.
    pub fn with(&self, p: Option<Poly>) -> Facts {
        let mut out = self.clone();
        out.add(p);
        out
    }

    /// Whether these are the very same list.
    pub fn is(&self, other: &Facts) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.is_empty() && other.0.is_empty()
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &Poly> {
        self.0.iter()
    }

    /// Whether `p >= 0` is proved.
    pub fn nonneg(&self, p: Option<Poly>) -> bool {
        let Some(p) = p else { return false };
        if let Some(c) = p.as_constant() {
            return c >= 0;
        }
        if p.is_infinite() {
            return p.coefficient(&[Atom::Infinity]).is_some_and(|c| c > 0);
        }
        let mut basis = self.relevant(&p);
        if cancel(&p, &basis, STEPS, &mut { TRIALS }) {
            return true;
        }
        if p.degree() < 2 {
            return false;
        }
        let facts = basis.len();
        for k in 0..facts {
            for l in k..facts {
                basis.extend(basis[k].mul(&basis[l]).filter(|product| product.degree() <= p.degree()));
            }
        }
        cancel(&p, &basis, STEPS, &mut { TRIALS })
    }

    /// Whether `a <= b` is proved.
    pub fn at_most(&self, a: &Poly, b: &Poly) -> bool {
        self.nonneg(b.sub(a))
    }

    /// The facts that may take part in a proof about `p`: they share atoms with it, or with one that does. The latest
    /// first: they are from the innermost scope.
    fn relevant(&self, p: &Poly) -> Vec<Poly> {
        let mut atoms: BTreeSet<&Atom> = p.atoms().collect();
        let mut out: Vec<&Poly> = Vec::new();
        for _ in 0..2 {
            for f in self.0.iter().rev() {
                if out.len() < FACTS && f.atoms().any(|a| atoms.contains(a)) && !out.contains(&f) {
                    out.push(f);
                }
            }
            atoms.extend(out.iter().flat_map(|f| f.atoms()));
        }
        let natural =
            |a: &&&Atom| matches!(a, Atom::Value(.., true) | Atom::Steady(.., true) | Atom::Opaque(_, true, ..));
        let naturals = atoms.iter().filter(natural).map(|&a| Poly::atom(a.clone()));
        let mut all: Vec<Poly> = out.into_iter().cloned().chain(naturals).collect();
        all.truncate(FACTS);
        all
    }
}

/// Whether `p` is a sum of products of positive numbers with members of `basis`, and a number that is not negative.
/// Gives up after `steps` members in a row and `trials` in all.
fn cancel(p: &Poly, basis: &[Poly], steps: usize, trials: &mut usize) -> bool {
    let Some((m, c)) = p.highest().filter(|(m, _)| !m.is_empty()) else { return p.constant >= 0 };
    if steps == 0 || p.len() > 12 {
        return false;
    }
    for b in basis {
        if let Some(d) = b.coefficient(m)
            && (d > 0) == (c > 0)
        {
            if *trials == 0 {
                return false;
            }
            *trials -= 1;
            let rest = if d == c { p.sub(b) } else { p.scale(d.abs()).and_then(|p| p.plus_scaled(-c.abs(), b)) };
            if rest.is_some_and(|rest| cancel(&rest, basis, steps - 1, trials)) {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests;
