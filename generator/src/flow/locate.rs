//! Where in a location a place lies, as a polynomial, and what is known about the values in it.
//!
//! - [`Locator::poly`] reads an integer expression through the definitions of its values. Signed arithmetic is exact,
//!   because its overflow is undefined. Unsigned arithmetic and conversions are exact if no wrap is proved; otherwise
//!   the result is an opaque term: some number, the same one for the same operands. For 64 bits only a wrap below zero
//!   has to be excluded: sums and products that address memory do not pass 2^64 upwards (constants up to 2^16 only, so
//!   that no random number generator is taken for an address).
//! - [`Locator::locate`] flattens subscripts by extents, and follows pointers to the location and offset that they are
//!   sure to have. A pointer with one possible target and an offset that nobody knows has an offset all the same: the
//!   pointer value itself is the atom.
//! - [`Locator::index`] recognises the variable that counts a loop, and [`Locator::facts`] collects what conditions
//!   around a region say. A flag in a condition says nothing.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use super::locs::{Loc, Root};
use super::poly::{Facts, Poly};
use super::sections::Piece;
use super::{Points, walk};
use crate::ir::{
    Base, Binary, Callee, Def, Dim, Expr, ExprKind, FieldId, ItemId, ItemKind, Life, ObjectId, Place, ProcId, Program,
    RegionId, Step, TestAt, Type, Unary, ValueId,
};

/// The variable that counts a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    /// Its value when a pass begins.
    pub head: ValueId,
    /// Least value that a pass may have.
    pub lo: Poly,
    /// Greater by one than the greatest.
    pub hi: Poly,
    /// Whether it grows.
    pub up: bool,
    /// By how much it grows or falls each time; positive.
    pub step: Poly,
    /// Whether the loop ends only by its index: nothing else is in the test.
    pub sole: bool,
}

impl Index {
    /// Whether each of `lo..hi` has a pass, if the loop is not left early.
    pub fn dense(&self) -> bool {
        self.step == Poly::constant(1)
    }

    /// The value of the last pass, if the bounds give it exactly; only for a growing index.
    pub fn last(&self) -> Option<Poly> {
        if self.dense() {
            return self.hi.plus(-1);
        }
        self.hi.sub(&self.lo)?.divide(&self.step)?;
        self.hi.sub(&self.step)
    }
}

/// Reads expressions as polynomials and places as elements of locations.
pub struct Locator<'a> {
    program: &'a Program,
    points: &'a Points<'a>,
    recursive: Vec<bool>,
    facts: RefCell<HashMap<(ProcId, RegionId), Facts>>,
    indexes: RefCell<HashMap<(ProcId, ItemId), Option<Index>>>,
    singles: RefCell<HashMap<(ProcId, Loc), bool>>,
    polys: RefCell<HashMap<(ProcId, ValueId), Option<Poly>>>,
    /// Values that are read otherwise elsewhere: the last reading of each.
    readings: RefCell<HashMap<(ProcId, ValueId), Reading>>,
    /// Whether a proof from facts was used since it was cleared: such a result holds only where the facts do.
    proved: Cell<bool>,
    /// Loops and values that are being read: their heads are atoms meanwhile.
    open: RefCell<Vec<(ProcId, ItemId)>>,
}

/// What a value was found to be, with the facts that were known and the loops that were being read.
struct Reading {
    facts: Facts,
    open: Vec<(ProcId, ItemId)>,
    result: Option<Poly>,
    proved: bool,
}

/// Constants in unsigned arithmetic that are read as numbers.
const SMALL: i128 = 1 << 16;
/// Constants elsewhere.
const LARGE: i128 = 1 << 31;
/// A value whose terms stand deeper inside each other than this is an atom.
const DEPTH: u32 = 4;
/// Opaque terms: conversions begin here, operators below.
const CAST: u16 = 100;

/// The operands of a conjunction.
fn conjuncts<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::Binary(Binary::And, a, b) => {
            conjuncts(a, out);
            conjuncts(b, out);
        }
        ExprKind::Cast(a) if matches!(a.ty, Type::Int { .. }) && matches!(a.kind, ExprKind::Binary(..)) => {
            conjuncts(a, out);
        }
        _ => out.push(e),
    }
}

fn range(ty: &Type) -> Option<(i128, i128)> {
    let Type::Int { bits, signed, .. } = ty else { return None };
    let bits = u32::from(*bits);
    Some(if *signed && bits > 1 { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) })
}

fn unsigned(ty: &Type) -> bool {
    range(ty).is_some_and(|(low, _)| low == 0)
}

/// Number of elements of a type: 1, or the product of the extents of an array.
pub fn count(ty: &Type) -> Option<i128> {
    match ty {
        Type::Array { elem, extent } => Some(i128::from((*extent)?).checked_mul(count(elem)?)?).filter(|c| *c < LARGE),
        _ => Some(1),
    }
}

impl<'a> Locator<'a> {
    /// For a program whose pointers are known.
    pub fn new(program: &'a Program, points: &'a Points<'a>) -> Self {
        Locator {
            program,
            points,
            recursive: walk::recursive(program),
            facts: RefCell::default(),
            indexes: RefCell::default(),
            singles: RefCell::default(),
            polys: RefCell::default(),
            readings: RefCell::default(),
            proved: Cell::new(false),
            open: RefCell::default(),
        }
    }

    /// Whether a procedure can call itself.
    pub fn recursive(&self, p: ProcId) -> bool {
        self.recursive[p.index()]
    }

    // ---- integers ----

    /// An integer expression as a polynomial; `None` if it reads memory or is no integer.
    pub fn poly(&self, p: ProcId, e: &Expr, facts: &Facts) -> Option<Poly> {
        if !matches!(e.ty, Type::Int { .. }) {
            return None;
        }
        match &e.kind {
            ExprKind::Int(c) => (c.abs() < LARGE).then(|| Poly::constant(*c)),
            ExprKind::Value(v) => Some(self.value(p, *v, facts)),
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
        let mut values = std::collections::BTreeSet::new();
        p.values(&mut values);
        let mut out = facts.clone();
        let shared: Vec<&Poly> = facts.iter().filter(|f| f.any(&|q, v| values.contains(&(q, v)))).collect();
        shared.into_iter().for_each(|f| f.values(&mut values));
        for (q, v) in values {
            let proc = &self.program.procs[q.index()];
            let ty = &proc.vars[proc.values[v.index()].var.index()].ty;
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

    fn type_of(&self, p: ProcId, v: ValueId) -> &'a Type {
        let proc = &self.program.procs[p.index()];
        &proc.vars[proc.values[v.index()].var.index()].ty
    }

    /// The atom of a value.
    pub fn atom(&self, p: ProcId, v: ValueId) -> Poly {
        Poly::value(p, v, unsigned(self.type_of(p, v)))
    }

    /// A value, through its definition.
    pub fn value(&self, p: ProcId, v: ValueId, facts: &Facts) -> Poly {
        // Chains of definitions may be as long as the procedure: operands are read first, without recursion.
        let mut open = vec![(v, false)];
        let mut seen = HashSet::new();
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
        let reading = readings.get(&(p, v)).filter(|last| last.facts.is(facts) && last.open == *self.open.borrow())?;
        self.proved.set(self.proved.get() | reading.proved);
        Some(reading.result.clone().unwrap_or_else(|| self.atom(p, v)))
    }

    /// The integers in the definition of a value.
    fn operands(&self, p: ProcId, v: ValueId) -> Vec<ValueId> {
        let proc = &self.program.procs[p.index()];
        let mut found = Vec::new();
        if let Def::Is(e) = &proc.values[v.index()].def {
            walk::expr(e, &mut |e| match e.kind {
                ExprKind::Value(operand) if e.ty.is_integer() => found.push(operand),
                _ => {}
            });
            found.retain(|operand| matches!(proc.values[operand.index()].def, Def::Is(_)));
        }
        found
    }

    fn read(&self, p: ProcId, v: ValueId, facts: &Facts) {
        let before = self.proved.replace(false);
        let open = self.open.borrow().clone();
        let result = match &self.program.procs[p.index()].values[v.index()].def {
            Def::Is(e) => self.poly(p, e, facts).filter(|known| known.depth() <= DEPTH),
            Def::Head(item, k) => self.carried(p, v, *item, *k),
            Def::Out(item, k) => self.behind(p, *item, *k, facts),
            _ => None,
        };
        let proved = self.proved.get();
        if !proved && open.is_empty() {
            self.polys.borrow_mut().insert((p, v), result);
        } else {
            let reading = Reading { facts: facts.clone(), open, result, proved };
            self.readings.borrow_mut().insert((p, v), reading);
        }
        self.proved.set(before | proved);
    }

    /// A variable that changes by the same amount in each pass, in terms of the index of the loop.
    fn carried(&self, p: ProcId, v: ValueId, item: ItemId, k: u32) -> Option<Poly> {
        if self.open.borrow().contains(&(p, item)) {
            return None;
        }
        let index = self.index(p, item)?;
        if index.head == v || !index.dense() {
            return None;
        }
        let ItemKind::Loop { carried, body, .. } = &self.program.procs[p.index()].items[item.index()].kind else {
            return None;
        };
        let c = &carried[k as usize];
        self.open.borrow_mut().push((p, item));
        let facts = self.facts(p, *body);
        let end = self.value(p, c.end, &facts);
        self.open.borrow_mut().pop();
        let step = end.sub(&self.atom(p, v))?;
        if !self.invariant(p, *body, &step) {
            return None;
        }
        self.proved.set(true);
        let init = self.value(p, c.init, &self.facts_of_item(p, item));
        init.add(&step.mul(&self.passes_before(p, &index)?)?)
    }

    /// How many passes went before the one whose index is the head.
    fn passes_before(&self, p: ProcId, index: &Index) -> Option<Poly> {
        let head = self.atom(p, index.head);
        if index.up { head.sub(&index.lo) } else { index.hi.sub(&head)?.plus(-1) }
    }

    /// A variable behind a loop that ends only by its index.
    fn behind(&self, p: ProcId, item: ItemId, k: u32, facts: &Facts) -> Option<Poly> {
        let ItemKind::Loop { carried, body, .. } = &self.program.procs[p.index()].items[item.index()].kind else {
            return None;
        };
        if self.open.borrow().contains(&(p, item)) {
            return None;
        }
        let index = self.index(p, item).filter(|i| i.dense() && i.sole)?;
        let outer = self.facts_of_item(p, item);
        self.proved.set(true);
        if !outer.at_most(&index.lo, &index.hi) && !facts.at_most(&index.lo, &index.hi) {
            return None;
        }
        let c = &carried[k as usize];
        if c.head == index.head {
            return if index.up { Some(index.hi) } else { index.lo.plus(-1) };
        }
        self.open.borrow_mut().push((p, item));
        let end = self.value(p, c.end, &self.facts(p, *body));
        self.open.borrow_mut().pop();
        let step = end.sub(&self.atom(p, c.head))?;
        if !self.invariant(p, *body, &step) {
            return None;
        }
        let init = self.value(p, c.init, &outer);
        init.add(&step.mul(&index.hi.sub(&index.lo)?)?)
    }

    /// Whether no value of `region` is in a polynomial.
    pub fn invariant(&self, p: ProcId, region: RegionId, poly: &Poly) -> bool {
        let proc = &self.program.procs[p.index()];
        !poly.any(&|q, v| q == p && walk::contains(proc, region, proc.values[v.index()].region))
    }

    // ---- loops and conditions ----

    /// The variable that counts a loop with its test before the passes.
    pub fn index(&self, p: ProcId, item: ItemId) -> Option<Index> {
        if let Some(known) = self.indexes.borrow().get(&(p, item)) {
            return known.clone();
        }
        if self.open.borrow().contains(&(p, item)) {
            return None;
        }
        self.open.borrow_mut().push((p, item));
        let proved = self.proved.get();
        let found = self.find_index(p, item);
        self.proved.set(proved);
        self.open.borrow_mut().pop();
        if self.open.borrow().is_empty() {
            self.indexes.borrow_mut().insert((p, item), found.clone());
        }
        found
    }

    fn find_index(&self, p: ProcId, item: ItemId) -> Option<Index> {
        let ItemKind::Loop { test, at: TestAt::Before, body, carried } =
            &self.program.procs[p.index()].items[item.index()].kind
        else {
            return None;
        };
        let outer = self.facts_of_item(p, item);
        let mut parts = Vec::new();
        conjuncts(test, &mut parts);
        for part in &parts {
            // `i != n` ends a growing signed `i` as `i < n` does, or never.
            let sole = parts.len() == 1;
            for fact in self.holds(p, part, true, &outer, sole) {
                let inside = outer.with(Some(fact.clone()));
                for c in carried {
                    let head = self.atom(p, c.head);
                    let found = self.counted(p, *body, c.init, c.end, &head, &fact, &outer, &inside);
                    if let Some((lo, hi, up, step)) = found {
                        let sure = step.as_constant().is_some() || sole;
                        if sure {
                            return Some(Index { head: c.head, lo, hi, up, step, sole });
                        }
                    }
                }
            }
        }
        None
    }

    /// Range, direction and step of a carried variable, if `fact` (not negative in each pass) bounds it.
    #[allow(clippy::too_many_arguments)]
    fn counted(
        &self,
        p: ProcId,
        body: RegionId,
        init: ValueId,
        end: ValueId,
        head: &Poly,
        fact: &Poly,
        outer: &Facts,
        inside: &Facts,
    ) -> Option<(Poly, Poly, bool, Poly)> {
        let step = self.value(p, end, inside).sub(head)?;
        let init = self.value(p, init, outer);
        let fixed = |q: &Poly| self.invariant(p, body, q);
        if !fixed(&step) || !fixed(&init) {
            return None;
        }
        let down = step.as_constant().is_some_and(|c| c < 0);
        if step.as_constant() == Some(0) {
            return None;
        }
        if down {
            // fact = head - lo
            let lo = head.sub(fact)?;
            fixed(&lo).then_some(())?;
            Some((lo, init.plus(1)?, false, step.scale(-1)?))
        } else {
            // fact = hi - 1 - head
            let hi = fact.add(head)?.plus(1)?;
            fixed(&hi).then_some(())?;
            Some((init, hi, true, step))
        }
    }

    /// What is not negative if a condition has an outcome.
    fn holds(&self, p: ProcId, e: &Expr, outcome: bool, facts: &Facts, test: bool) -> Vec<Poly> {
        use Binary::*;
        match &e.kind {
            ExprKind::Unary(Unary::Not, a) => self.holds(p, a, !outcome, facts, test),
            ExprKind::Cast(a) if matches!(a.kind, ExprKind::Binary(..) | ExprKind::Unary(Unary::Not, _)) => {
                self.holds(p, a, outcome, facts, test)
            }
            ExprKind::Binary(And, a, b) if outcome => {
                let mut out = self.holds(p, a, outcome, facts, test);
                out.extend(self.holds(p, b, outcome, facts, test));
                out
            }
            ExprKind::Binary(Or, a, b) if !outcome => {
                let mut out = self.holds(p, a, outcome, facts, test);
                out.extend(self.holds(p, b, outcome, facts, test));
                out
            }
            ExprKind::Binary(op, a, b) => {
                let signed = !unsigned(&a.ty);
                let (Some(a), Some(b)) = (self.poly(p, a, facts), self.poly(p, b, facts)) else { return Vec::new() };
                let less = |a: &Poly, b: &Poly| b.sub(a).and_then(|p| p.plus(-1));
                let out = match (op, outcome) {
                    (Less, true) | (GreaterEqual, false) => vec![less(&a, &b)],
                    (Greater, true) | (LessEqual, false) => vec![less(&b, &a)],
                    (LessEqual, true) | (Greater, false) => vec![b.sub(&a)],
                    (GreaterEqual, true) | (Less, false) => vec![a.sub(&b)],
                    (Equal, true) | (NotEqual, false) => vec![a.sub(&b), b.sub(&a)],
                    (NotEqual, true) if test && signed => vec![less(&a, &b), less(&b, &a)],
                    _ => Vec::new(),
                };
                out.into_iter().flatten().collect()
            }
            // An unsigned number that is not 0.
            ExprKind::Value(_) if outcome && unsigned(&e.ty) => {
                self.poly(p, e, facts).and_then(|p| p.plus(-1)).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// What holds around an item.
    pub fn facts_of_item(&self, p: ProcId, item: ItemId) -> Facts {
        let proc = &self.program.procs[p.index()];
        let region = walk::regions(&proc.items[item.index()]).into_iter().next();
        match region.and_then(|r| proc.regions[r.index()].parent) {
            Some((outer, _)) => self.facts(p, outer),
            None => Facts::default(),
        }
    }

    /// What holds in a region: conditions of branches and loops around it. In the body of a loop the heads are meant.
    pub fn facts(&self, p: ProcId, region: RegionId) -> Facts {
        if let Some(known) = self.facts.borrow().get(&(p, region)) {
            return known.clone();
        }
        let proc = &self.program.procs[p.index()];
        let Some((outer, item)) = proc.regions[region.index()].parent else { return Facts::default() };
        let mut facts = self.facts(p, outer);
        let mut whole = true;
        match &proc.items[item.index()].kind {
            ItemKind::Branch { on, then, .. } => {
                for fact in self.holds(p, on, region == *then, &facts, false) {
                    facts.add(Some(fact));
                }
            }
            ItemKind::Loop { test, at, .. } => {
                if *at == TestAt::Before {
                    for fact in self.holds(p, test, true, &facts, false) {
                        facts.add(Some(fact));
                    }
                }
                whole = !self.open.borrow().contains(&(p, item));
                if let Some(index) = self.index(p, item) {
                    let head = self.atom(p, index.head);
                    facts.add(head.sub(&index.lo));
                    facts.add(index.hi.sub(&head).and_then(|q| q.plus(-1)));
                    facts.add(index.step.plus(-1));
                    if index.up && !index.dense() {
                        facts.add(index.last().and_then(|last| last.sub(&head)));
                    }
                }
            }
            _ => {}
        }
        if whole && self.open.borrow().is_empty() {
            self.facts.borrow_mut().insert((p, region), facts.clone());
        }
        facts
    }

    // ---- places ----

    /// The location and the element that a place is sure to be.
    pub fn locate(&self, p: ProcId, place: &Place, facts: &Facts) -> Option<(Loc, Poly)> {
        let proc = &self.program.procs[p.index()];
        let top = |root| self.points.locs.find(root);
        let (mut loc, mut at, mut shape): (Loc, Poly, Option<&[Dim]>) = match &place.base {
            Base::Object(o) => (top(Root::Object(p, *o))?, Poly::default(), Some(&proc.objects[o.index()].shape)),
            Base::Global(g) => (top(Root::Global(*g))?, Poly::default(), Some(&self.program.globals[g.index()].shape)),
            Base::At(pointer) => {
                let (loc, at) = self.base(p, pointer, facts)?;
                (loc, at, None)
            }
        };
        for (k, step) in place.path.iter().enumerate() {
            match step {
                Step::Index(subscripts) => {
                    let mut flat = Poly::default();
                    for (d, s) in subscripts.iter().enumerate() {
                        if d > 0 {
                            flat = flat.mul(&self.extent(p, &s.dim, facts)?)?;
                        }
                        flat = flat.add(&self.poly(p, &s.at, facts)?)?;
                        if let Some(lower) = &s.dim.lower {
                            flat = flat.sub(&self.poly(p, lower, facts)?)?;
                        }
                    }
                    if let Some(dims) = shape.take() {
                        for dim in &dims[subscripts.len().min(dims.len())..] {
                            flat = flat.mul(&self.extent(p, dim, facts)?)?;
                        }
                    } else if k + 1 == place.path.len() {
                        flat = flat.scale(count(&place.ty)?)?;
                    }
                    at = at.add(&flat)?;
                }
                Step::Field(f) => {
                    at = at.scale(self.field_count(loc, *f)?)?;
                    loc = self.points.locs.child(loc, *f)?;
                    shape = None;
                }
            }
        }
        self.single(p, loc).then_some((loc, at))
    }

    fn extent(&self, p: ProcId, dim: &Dim, facts: &Facts) -> Option<Poly> {
        self.poly(p, dim.extent.as_ref()?, facts)
    }

    /// Number of elements of a member in each struct.
    pub fn field_count(&self, loc: Loc, field: FieldId) -> Option<i128> {
        let Type::Struct(s) = self.points.locs.ty(loc) else { return None };
        count(&self.program.types.structs[s.index()].fields.get(field.index())?.ty)
    }

    /// The location that a pointer is sure to point into, and the element: in elements of the location.
    pub fn base(&self, p: ProcId, e: &Expr, facts: &Facts) -> Option<(Loc, Poly)> {
        match &e.kind {
            ExprKind::Address(place) => self.locate(p, place, facts),
            ExprKind::Cast(a) if matches!(a.ty, Type::Pointer(_)) => self.base(p, a, facts),
            ExprKind::Load(place) => {
                let cells = self.points.cells(p, place);
                let cell = *cells.iter().next().filter(|_| cells.len() == 1)?;
                let outside = self.points.locs.find(Root::Cell(cell))?;
                self.single(p, outside).then_some((outside, Poly::default()))
            }
            ExprKind::Value(v) => self.pointer(p, *v, facts),
            _ => None,
        }
    }

    fn pointer(&self, p: ProcId, v: ValueId, facts: &Facts) -> Option<(Loc, Poly)> {
        let proc = &self.program.procs[p.index()];
        let known = match &proc.values[v.index()].def {
            Def::Entry(k) => Some((self.points.locs.find(Root::Formal(p, *k))?, Poly::default())),
            Def::Is(e) => self.base(p, e, facts),
            Def::Head(item, k) => self.marching(p, v, *item, *k),
            _ => None,
        };
        let known = known.filter(|(loc, _)| self.single(p, *loc));
        known.or_else(|| {
            let e = Expr { kind: ExprKind::Value(v), ty: self.type_of(p, v).clone() };
            let targets = self.points.targets(p, &e);
            let t = *targets.iter().next().filter(|_| targets.len() == 1)?;
            self.single(p, t).then(|| (t, Poly::value(p, v, false)))
        })
    }

    /// A pointer that moves by the same distance in each pass.
    fn marching(&self, p: ProcId, v: ValueId, item: ItemId, k: u32) -> Option<(Loc, Poly)> {
        if self.open.borrow().contains(&(p, item)) {
            return None;
        }
        let index = self.index(p, item).filter(Index::dense)?;
        let ItemKind::Loop { carried, body, .. } = &self.program.procs[p.index()].items[item.index()].kind else {
            return None;
        };
        let c = &carried[k as usize];
        let value = |v| Expr { kind: ExprKind::Value(v), ty: self.type_of(p, v).clone() };
        self.open.borrow_mut().push((p, item));
        let facts = self.facts(p, *body);
        let end = self.base(p, &value(c.end), &facts);
        self.open.borrow_mut().pop();
        let (to, end) = end?;
        let step = end.sub(&Poly::value(p, v, false))?;
        let (from, init) = self.base(p, &value(c.init), &self.facts_of_item(p, item))?;
        if from != to || !self.invariant(p, *body, &step) {
            return None;
        }
        Some((from, init.add(&step.mul(&self.passes_before(p, &index)?)?)?))
    }

    /// The elements that a place may be, for each scalar location: one element if that is sure, otherwise all.
    pub fn pieces(&self, p: ProcId, place: &Place, facts: &Facts) -> Vec<(Loc, Piece)> {
        if let Some((loc, at)) = self.locate(p, place, facts)
            && !matches!(self.points.locs.ty(loc), Type::Struct(_))
            && let Some(piece) = Piece::one(at)
        {
            return vec![(loc, piece)];
        }
        let cells = self.points.cells(p, place);
        cells.into_iter().flat_map(|c| self.points.locs.leaves(c)).map(|l| (l, Piece::whole())).collect()
    }

    /// Number of elements of a scalar location of an object.
    pub fn elements(&self, p: ProcId, loc: Loc) -> Option<Poly> {
        let facts = Facts::default();
        let mut total = match self.points.locs.root(loc) {
            Root::Object(q, o) if q == p => self.object_elements(p, o)?,
            Root::Global(g) => {
                let mut total = Poly::constant(1);
                for dim in &self.program.globals[g.index()].shape {
                    total = total.mul(&self.extent(p, dim, &facts)?)?;
                }
                total
            }
            _ => return None,
        };
        let mut at = self.points.locs.root_top(loc);
        for field in self.points.locs.path(loc) {
            total = total.scale(self.field_count(at, field)?)?;
            at = self.points.locs.child(at, field)?;
        }
        Some(total)
    }

    fn object_elements(&self, p: ProcId, o: ObjectId) -> Option<Poly> {
        let proc = &self.program.procs[p.index()];
        let object = &proc.objects[o.index()];
        if object.life != Life::Heap {
            let mut total = Poly::constant(1);
            for dim in &object.shape {
                total = total.mul(&self.extent(p, dim, &Facts::default())?)?;
            }
            return Some(total);
        }
        let mut counts =
            walk::items(proc, RegionId(0)).into_iter().filter_map(|id| match &proc.items[id.index()].kind {
                ItemKind::Alloc { object, count, .. } if *object == o => Some(count),
                _ => None,
            });
        let found = counts.next()?;
        if counts.next().is_some() { None } else { self.poly(p, found, &Facts::default()) }
    }

    // ---- one memory or several ----

    /// Whether a location is one piece of memory while a procedure runs, so that elements can be told apart: not
    /// several blocks of an allocation, rows of pointers, or objects of other calls.
    pub fn single(&self, p: ProcId, loc: Loc) -> bool {
        let top = self.points.locs.root_top(loc);
        if let Some(known) = self.singles.borrow().get(&(p, top)) {
            return *known;
        }
        self.singles.borrow_mut().insert((p, top), false);
        let single = self.points.locs.folded(top).next().is_none()
            && match self.points.locs.root(top) {
                Root::Global(_) => true,
                Root::Formal(q, _) => q == p && !self.points.kept(p, top),
                Root::Object(q, o) => q == p && self.single_object(p, o, top),
                Root::Cell(cell) => self.single_cell(p, cell, top),
                Root::Literal | Root::Unknown => false,
            };
        self.singles.borrow_mut().insert((p, top), single);
        single
    }

    fn single_object(&self, p: ProcId, o: ObjectId, top: Loc) -> bool {
        let proc = &self.program.procs[p.index()];
        if self.points.kept(p, top) {
            return false;
        }
        if proc.objects[o.index()].life != Life::Heap {
            return !self.recursive(p) || !self.points.escapes(top);
        }
        let allocs: Vec<(RegionId, ItemId)> = (0..proc.regions.len())
            .flat_map(|r| proc.regions[r].items.iter().map(move |&id| (RegionId::new(r), id)))
            .filter(|(_, id)| matches!(proc.items[id.index()].kind, ItemKind::Alloc { object, .. } if object == o))
            .collect();
        let [(region, _)] = allocs[..] else { return false };
        let mut at = region;
        while let Some((outer, item)) = proc.regions[at.index()].parent {
            if matches!(proc.items[item.index()].kind, ItemKind::Loop { .. }) {
                return !self.points.escapes(top) && self.freed_in(p, region, top);
            }
            at = outer;
        }
        true
    }

    /// Whether the block that a region allocates is freed by the same pass of it.
    fn freed_in(&self, p: ProcId, region: RegionId, top: Loc) -> bool {
        let proc = &self.program.procs[p.index()];
        proc.regions[region.index()].items.iter().any(|id| match &proc.items[id.index()].kind {
            ItemKind::Free { pointer } => {
                let targets = self.points.targets(p, pointer);
                targets.len() == 1 && targets.contains(&top)
            }
            _ => false,
        })
    }

    /// Whether a pointer cell is never written, and read only in the first element of its own location: then what it
    /// points to is one piece of memory.
    fn single_cell(&self, p: ProcId, cell: Loc, outside: Loc) -> bool {
        let native = self.points.locs.native(outside);
        if !self.single(p, cell) || self.points.kept(p, outside) || native.is_some_and(|q| q != p) {
            return false;
        }
        let facts = Facts::default();
        let zero =
            |q: ProcId, place: &Place| self.locate(q, place, &facts).is_some_and(|(_, at)| at == Poly::default());
        for (q, proc) in self.program.procs.iter().enumerate() {
            let q = ProcId::new(q);
            let mut good = true;
            let mut check = |e: &Expr| {
                if let ExprKind::Load(place) = &e.kind
                    && self.points.cells(q, place).contains(&cell)
                {
                    let contents = self.points.contents(q, cell);
                    good &= (q == p || native.is_none())
                        && contents.len() == 1
                        && contents.contains(&outside)
                        && zero(q, place);
                }
            };
            for id in walk::items(proc, RegionId(0)) {
                let item = &proc.items[id.index()];
                walk::of_item(proc, item).into_iter().for_each(|e| walk::expr(e, &mut check));
            }
            if let Some(e) = &proc.result {
                walk::expr(e, &mut check);
            }
            if !good {
                return false;
            }
            for (id, _) in walk::calls(proc) {
                let ItemKind::Call { callee: Callee::Proc(_), args, .. } = &proc.items[id.index()].kind else {
                    continue;
                };
                for arg in args.iter().filter(|a| matches!(a.ty, Type::Pointer(_))) {
                    for t in self.points.targets(q, arg) {
                        if self.points.locs.within(cell, t)
                            && self.base(q, arg, &facts).is_none_or(|(l, at)| l != t || at != Poly::default())
                        {
                            return false;
                        }
                    }
                }
            }
        }
        true
    }
}
