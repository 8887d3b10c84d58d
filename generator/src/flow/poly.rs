//! Polynomials over the integers of a program, and proofs that one is not negative.
//!
//! An atom is an integer SSA value, so it does not change while it is in scope, or a term that is not taken apart
//! (`n / 2`). Coefficients are exact: an operation that would leave [`LIMIT`] has no result, and the caller then knows
//! nothing.
//!
//! A **proof** of `p >= 0` from facts `f_i >= 0` is Handelman's form of degree 2,
//! `d p = c + sum c_i f_i + sum c_ij f_i f_j` with `d > 0` and all `c >= 0`. It is searched without a linear program:
//! the highest monomial of `p` is cancelled with a fact or a product of two that has it with the same sign, and so on.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::ir::{ProcId, ValueId};

/// What a polynomial is made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// An integer value, or the offset of a pointer value in what it points to. The flag: it is never negative.
    Value(ProcId, ValueId, bool),
    /// An operation that is not taken apart: a number for it, whether it is never negative, how deep such terms stand
    /// inside each other here, operands.
    Opaque(u16, bool, u32, Rc<(Poly, Poly)>),
    /// Greater than everything. Stands for an end of a section that is not known.
    Infinity,
}

type Monomial = Vec<Atom>;

/// A polynomial: coefficients by sorted monomials, none of them 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Poly(Rc<BTreeMap<Monomial, i128>>);

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
    pub fn constant(c: i128) -> Poly {
        let mut map = BTreeMap::new();
        if c != 0 {
            map.insert(Vec::new(), c);
        }
        Poly(Rc::new(map))
    }

    /// An atom.
    pub fn atom(a: Atom) -> Poly {
        Poly(Rc::new(BTreeMap::from([(vec![a], 1)])))
    }

    /// A value.
    pub fn value(p: ProcId, v: ValueId, natural: bool) -> Poly {
        Poly::atom(Atom::Value(p, v, natural))
    }

    /// An operation that is not taken apart.
    pub fn opaque(op: u16, natural: bool, a: Poly, b: Poly) -> Poly {
        let depth = 1 + a.depth().max(b.depth());
        Poly::atom(Atom::Opaque(op, natural, depth, Rc::new((a, b))))
    }

    /// Greater than everything.
    pub fn infinity() -> Poly {
        Poly::atom(Atom::Infinity)
    }

    /// `self + scale * other`.
    fn plus_scaled(&self, scale: i128, other: &Poly) -> Option<Poly> {
        let mut map = (*self.0).clone();
        for (m, c) in other.0.iter() {
            let entry = map.entry(m.clone()).or_insert(0);
            *entry = entry.checked_add(scale.checked_mul(*c)?)?;
            if entry.abs() >= LIMIT {
                return None;
            }
            if *entry == 0 {
                map.remove(m);
            }
        }
        (map.len() <= TERMS).then(|| Poly(Rc::new(map)))
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
        let mut out = Poly::default();
        for (m, c) in self.0.iter() {
            for (n, d) in other.0.iter() {
                let mut product: Monomial = m.iter().chain(n).cloned().collect();
                product.sort();
                let c = c.checked_mul(*d).filter(|c| c.abs() < LIMIT)?;
                out = out.plus_scaled(1, &Poly(Rc::new(BTreeMap::from([(product, c)]))))?;
            }
        }
        Some(out)
    }

    /// Most factors of a monomial.
    fn degree(&self) -> usize {
        self.0.keys().map(Vec::len).max().unwrap_or(0)
    }

    /// The constant that it is.
    pub fn as_constant(&self) -> Option<i128> {
        match self.0.len() {
            0 => Some(0),
            1 => self.0.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// The value that it is.
    pub fn as_value(&self) -> Option<(ProcId, ValueId)> {
        let (m, c) = self.0.iter().next()?;
        match (self.0.len(), c, m.as_slice()) {
            (1, 1, [Atom::Value(p, v, _)]) => Some((*p, *v)),
            _ => None,
        }
    }

    /// Whether some value in it satisfies `test`.
    pub fn any(&self, test: &dyn Fn(ProcId, ValueId) -> bool) -> bool {
        self.0.keys().flatten().any(|a| match a {
            Atom::Value(p, v, _) => test(*p, *v),
            Atom::Opaque(.., ab) => ab.0.any(test) || ab.1.any(test),
            Atom::Infinity => false,
        })
    }

    /// How deep terms that are not taken apart stand inside each other.
    pub fn depth(&self) -> u32 {
        let depth = |a: &Atom| match a {
            Atom::Opaque(.., depth, _) => *depth,
            Atom::Value(..) | Atom::Infinity => 0,
        };
        self.atoms().map(depth).max().unwrap_or(0)
    }

    /// Whether an end of it is not known.
    pub fn is_infinite(&self) -> bool {
        self.0.keys().any(|m| m.contains(&Atom::Infinity))
    }

    /// Replaces values; `None` for a value leaves it.
    pub fn replace(&self, by: &dyn Fn(ProcId, ValueId) -> Option<Poly>) -> Option<Poly> {
        let mut out = Poly::default();
        for (m, c) in self.0.iter() {
            let mut term = Poly::constant(*c);
            for a in m {
                let factor = match a {
                    Atom::Value(p, v, _) => by(*p, *v).unwrap_or_else(|| Poly::atom(a.clone())),
                    Atom::Opaque(op, natural, _, ab) => {
                        Poly::opaque(*op, *natural, ab.0.replace(by)?, ab.1.replace(by)?)
                    }
                    Atom::Infinity => Poly::atom(a.clone()),
                };
                term = term.mul(&factor)?;
            }
            out = out.add(&term)?;
        }
        Some(out)
    }

    /// The quotient, if `other` divides it: without remainder, as polynomials.
    pub fn divide(&self, other: &Poly) -> Option<Poly> {
        let (lead, c) = other.0.iter().max_by_key(|(m, _)| (m.len(), (*m).clone()))?;
        let (mut rest, mut quotient) = (self.clone(), Poly::default());
        for _ in 0..TERMS {
            let Some((m, d)) = rest.0.iter().max_by_key(|(m, _)| (m.len(), (*m).clone())) else {
                return Some(quotient);
            };
            if d % c != 0 {
                return None;
            }
            let mut over = m.clone();
            for a in lead {
                over.remove(over.iter().position(|b| b == a)?);
            }
            let term = Poly(Rc::new(BTreeMap::from([(over, d / c)])));
            rest = rest.sub(&term.mul(other)?)?;
            quotient = quotient.add(&term)?;
        }
        None
    }

    /// The values in it.
    pub fn values(&self, out: &mut BTreeSet<(ProcId, ValueId)>) {
        for a in self.0.keys().flatten() {
            match a {
                Atom::Value(p, v, _) => {
                    out.insert((*p, *v));
                }
                Atom::Opaque(.., ab) => {
                    ab.0.values(out);
                    ab.1.values(out);
                }
                Atom::Infinity => {}
            }
        }
    }

    fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.0.keys().flatten()
    }

    /// For messages and tests.
    pub fn show(&self, name: &dyn Fn(ProcId, ValueId) -> String) -> String {
        let mut out = String::new();
        for (m, c) in self.0.iter().rev() {
            let factors: Vec<String> = m
                .iter()
                .map(|a| match a {
                    Atom::Value(p, v, _) => name(*p, *v),
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
            let sign = match (out.is_empty(), *c < 0) {
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
pub struct Facts(Rc<Vec<Poly>>);

impl Facts {
    /// Adds `p >= 0`.
    pub fn add(&mut self, p: Option<Poly>) {
        if let Some(p) = p
            && p.as_constant().is_none()
            && !p.is_infinite()
            && !self.0.contains(&p)
        {
            Rc::make_mut(&mut self.0).push(p);
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
        Rc::ptr_eq(&self.0, &other.0) || self.0.is_empty() && other.0.is_empty()
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
            return p.0.get(&vec![Atom::Infinity]).is_some_and(|c| *c > 0);
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
        let natural = |a: &&&Atom| matches!(a, Atom::Value(_, _, true) | Atom::Opaque(_, true, ..));
        let naturals = atoms.iter().filter(natural).map(|&a| Poly::atom(a.clone()));
        let mut all: Vec<Poly> = out.into_iter().cloned().chain(naturals).collect();
        all.truncate(FACTS);
        all
    }
}

/// Whether `p` is a sum of products of positive numbers with members of `basis`, and a number that is not negative.
/// Gives up after `steps` members in a row and `trials` in all.
fn cancel(p: &Poly, basis: &[Poly], steps: usize, trials: &mut usize) -> bool {
    let highest = p.0.iter().filter(|(m, _)| !m.is_empty()).max_by_key(|(m, _)| (m.len(), *m));
    let Some((m, c)) = highest else { return p.as_constant().is_some_and(|c| c >= 0) };
    if steps == 0 || p.0.len() > 12 {
        return false;
    }
    for b in basis {
        if let Some(d) = b.0.get(m)
            && (*d > 0) == (*c > 0)
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
mod tests {
    use super::*;

    fn v(k: u32) -> Poly {
        Poly::value(ProcId(0), ValueId(k), false)
    }

    #[test]
    fn products_of_facts_prove_a_row_inside_of_a_matrix() {
        // 0 <= i < m, 0 <= j < n gives i n + j < m n, and not i n + j < m n - 1.
        let (i, j, m, n) = (v(0), v(1), v(2), v(3));
        let mut facts = Facts::default();
        for p in [i.clone(), j.clone()] {
            facts.add(Some(p));
        }
        facts.add(m.sub(&i).and_then(|p| p.plus(-1)));
        facts.add(n.sub(&j).and_then(|p| p.plus(-1)));
        let index = i.mul(&n).and_then(|p| p.add(&j)).unwrap();
        let end = m.mul(&n).unwrap();
        assert!(facts.at_most(&index.plus(1).unwrap(), &end));
        assert!(!facts.at_most(&index.plus(2).unwrap(), &end));
        assert!(facts.nonneg(Some(index)));
    }

    #[test]
    fn nothing_is_proved_without_facts() {
        assert!(!Facts::default().nonneg(Some(v(0))));
        assert!(!Facts::default().with(Some(v(0))).nonneg(v(0).plus(-1)));
        assert!(Facts::default().nonneg(Some(Poly::constant(0))));
        assert!(!Facts::default().nonneg(Some(Poly::constant(-1))));
        assert!(!Facts::default().nonneg(Poly::infinity().scale(-1)));
        assert!(Facts::default().nonneg(Some(Poly::value(ProcId(0), ValueId(1), true))));
    }

    #[test]
    fn coefficients_that_grow_too_large_have_no_result() {
        let mut p = Poly::constant(1 << 99);
        assert_eq!(p.plus(1 << 99), None);
        p = v(0).scale(1 << 60).unwrap();
        assert_eq!(p.mul(&p), None);
    }

    #[test]
    fn division_is_exact_or_absent() {
        let (a, b) = (v(0), v(1));
        let step = b.scale(2).unwrap();
        let range = a.mul(&step).unwrap();
        assert_eq!(range.divide(&step), Some(a.clone()));
        assert_eq!(range.plus(1).unwrap().divide(&step), None);
    }
}
