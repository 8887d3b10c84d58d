//! Integer expressions as polynomials, read through the definitions of their values.

use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

use super::state::{Locator, Reading};
use crate::flow::locs::Loc;
use crate::flow::poly::{Atom, Facts, Poly};
use crate::flow::walk;
use crate::ir::{Binary, Def, Expr, ExprKind, ProcId, RegionId, Type, Unary, ValueId};

/// Constants in unsigned arithmetic that are read as numbers.
const SMALL: i128 = 1 << 16;

/// Constants elsewhere.
pub(super) const LARGE: i128 = 1 << 31;

/// A value whose terms stand deeper inside each other than this is an atom.
const DEPTH: u32 = 4;

/// Opaque terms: conversions begin here, operators below.
const CAST: u16 = 100;

fn range(ty: &Type) -> Option<(i128, i128)> {
    let Type::Int { bits, signed, .. } = ty else { return None };
    let bits = u32::from(*bits);
    Some(if *signed && bits > 1 { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) })
}

pub(super) fn unsigned(ty: &Type) -> bool {
    range(ty).is_some_and(|(low, _)| low == 0)
}

impl<'a> Locator<'a> {
    /// An integer expression as a polynomial; `None` if it reads memory that changes, or is no integer.
    pub fn poly(&self, p: ProcId, e: &Expr, facts: &Facts) -> Option<Poly> {
        if !matches!(e.ty, Type::Int { .. }) {
            return None;
        }
        match &e.kind {
            ExprKind::Int(c) => (c.abs() < LARGE).then(|| Poly::constant(*c)),
            ExprKind::Value(v) => Some(self.value(p, *v, facts)),
            ExprKind::Load(place) => {
                let (loc, at) = self.locate(p, place, facts)?;
                self.steady(p, loc).filter(|_| at == Poly::default())
            }
            ExprKind::Unary(Unary::Negate, a) => {
                let a = self.poly(p, a, facts)?;
                if unsigned(&e.ty) { None } else { a.scale(-1) }
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.poly(p, a, facts)?, self.poly(p, b, facts)?);
                self.binary(*op, a, b, &e.ty, facts)
            }
            ExprKind::Cast(a) => {
                let from = a.ty.clone();
                let a = self.poly(p, a, facts)?;
                let (Some((x, y)), Some((low, high))) = (range(&from), range(&e.ty)) else { return None };
                if (low <= x && y <= high) || self.fits(&a, &e.ty, facts) {
                    return Some(a);
                }
                let bits = Poly::constant(high);
                Some(Poly::opaque(CAST, low == 0, a, bits))
            }
            _ => None,
        }
    }

    /// The first integer of a location that a procedure never writes.
    pub fn steady(&self, p: ProcId, loc: Loc) -> Option<Poly> {
        let ty = self.points.locs.ty(loc);
        let writes = &self.effects.of_region(p, RegionId(0)).writes;
        let changes = || writes.iter().any(|&written| self.points.may_alias(p, loc, written));
        if !ty.is_integer() || !self.single(p, loc) || changes() {
            return None;
        }
        Some(Poly::atom(Atom::Steady(p, loc, unsigned(ty))))
    }

    fn binary(&self, op: Binary, a: Poly, b: Poly, ty: &Type, facts: &Facts) -> Option<Poly> {
        use Binary::*;
        let plain = match op {
            Add => a.add(&b),
            Subtract => a.sub(&b),
            Multiply => a.mul(&b),
            ShiftLeft if !unsigned(ty) => {
                let by = b.as_constant().filter(|c| (0..31).contains(c));
                by.and_then(|c| a.scale(1 << c))
            }
            Divide | Remainder | ShiftRight | BitAnd | BitOr | BitXor | ShiftLeft => None,
            _ => return None,
        };
        if matches!(op, Add | Subtract | Multiply | ShiftLeft)
            && let Some(plain) = plain
            && (!unsigned(ty) || self.unwrapped(&a, &b, &plain, ty, facts))
        {
            return Some(plain);
        }
        let code = op as u16 + if unsigned(ty) { 32 } else { 0 };
        let code = code + if matches!(ty, Type::Int { bits: 64, .. }) { 200 } else { 0 };
        Some(Poly::opaque(code, unsigned(ty), a, b))
    }

    /// Whether unsigned arithmetic gave the number that it would give without wrap.
    fn unwrapped(&self, a: &Poly, b: &Poly, p: &Poly, ty: &Type, facts: &Facts) -> bool {
        let large = |p: &Poly| p.as_constant().is_some_and(|c| c.abs() > SMALL);
        !large(a) && !large(b) && self.fits(p, ty, facts)
    }

    /// Whether a number is proved to be one of a type. For 64 bits without sign the upper end is not compared.
    fn fits(&self, p: &Poly, ty: &Type, facts: &Facts) -> bool {
        let Some((low, high)) = range(ty) else { return false };
        if let Some(c) = p.as_constant() {
            return low <= c && c <= high;
        }
        self.proved.set(true);
        let ranges = self.ranges(p, facts);
        let above = ranges.nonneg(p.plus(-low));
        above && ((low == 0 && high > i128::from(i64::MAX)) || ranges.nonneg(Poly::constant(high).sub(p)))
    }

    /// The facts, and that each value in `p` and in them is in the range of its type.
    fn ranges(&self, p: &Poly, facts: &Facts) -> Facts {
        let mut values = BTreeSet::new();
        p.values(&mut values);
        let mut out = facts.clone();
        let shared: Vec<&Poly> = facts.iter().filter(|f| f.any(&|q, v| values.contains(&(q, v)))).collect();
        shared.into_iter().for_each(|f| f.values(&mut values));
        for (q, v) in values {
            let proc = &self.program.procs[q];
            let ty = proc.type_of(v);
            if let Some((low, high)) = range(ty)
                && high < i128::from(i64::MAX)
            {
                let value = Poly::value(q, v, low == 0);
                out.add(Poly::constant(high).sub(&value));
                out.add(value.plus(-low));
            }
        }
        out
    }

    pub(super) fn type_of(&self, p: ProcId, v: ValueId) -> &'a Type {
        let proc = &self.program.procs[p];
        proc.type_of(v)
    }

    /// The atom of a value.
    pub fn atom(&self, p: ProcId, v: ValueId) -> Poly {
        Poly::value(p, v, unsigned(self.type_of(p, v)))
    }

    /// A value, through its definition.
    pub fn value(&self, p: ProcId, v: ValueId, facts: &Facts) -> Poly {
        // Chains of definitions may be as long as the procedure: operands are read first, without recursion.
        let mut open = vec![(v, false)];
        let mut seen = FxHashSet::default();
        while let Some((next, ready)) = open.pop() {
            if !ready && self.known(p, next, facts).is_none() && seen.insert(next) {
                open.push((next, true));
                open.extend(self.operands(p, next).into_iter().map(|operand| (operand, false)));
            } else if ready {
                self.read(p, next, facts);
            }
        }
        self.known(p, v, facts).unwrap_or_else(|| self.atom(p, v))
    }

    /// What a value was found to be.
    fn known(&self, p: ProcId, v: ValueId, facts: &Facts) -> Option<Poly> {
        if let Some(known) = self.polys.borrow().get(&(p, v)) {
            return Some(known.clone().unwrap_or_else(|| self.atom(p, v)));
        }
        let readings = self.readings.borrow();
        let reading = readings.get(&(p, v)).filter(|last| last.facts.is(facts) && self.open.are(&last.open))?;
        self.proved.set(self.proved.get() | reading.proved);
        Some(reading.result.clone().unwrap_or_else(|| self.atom(p, v)))
    }

    /// The integers in the definition of a value.
    fn operands(&self, p: ProcId, v: ValueId) -> Vec<ValueId> {
        let proc = &self.program.procs[p];
        let mut found = Vec::new();
        if let Def::Is(e) = &proc.values[v].def {
            walk::expr(e, &mut |e| match e.kind {
                ExprKind::Value(operand) if e.ty.is_integer() => found.push(operand),
                _ => {}
            });
            found.retain(|operand| matches!(proc.values[*operand].def, Def::Is(_)));
        }
        found
    }

    fn read(&self, p: ProcId, v: ValueId, facts: &Facts) {
        let before = self.proved.replace(false);
        let open = self.open.loops();
        let result = match &self.program.procs[p].values[v].def {
            Def::Is(e) => self.poly(p, e, facts).filter(|known| known.depth() <= DEPTH),
            Def::Head(item, k) => self.carried(p, v, *item, *k),
            Def::Out(item, k) => self.behind(p, *item, *k, facts),
            _ => None,
        };
        let proved = self.proved.get();
        if !proved && open.is_empty() {
            self.polys.borrow_mut().insert((p, v), result);
            self.forget_meanwhile();
        } else {
            let reading = Reading { facts: facts.clone(), open, result, proved };
            self.readings.borrow_mut().insert((p, v), reading);
        }
        self.proved.set(before | proved);
    }
}
