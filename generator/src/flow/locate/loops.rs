//! Variables that count loops, and those that change with them.

use super::state::Locator;
use crate::flow::locate::state::Index;
use crate::flow::poly::{Facts, Poly};
use crate::flow::walk;
use crate::ir::{Binary, Expr, ExprKind, ItemId, ItemKind, ProcId, RegionId, TestAt, Type, ValueId};

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

impl Locator<'_> {
    /// The variable that counts a loop with its test before the passes.
    pub fn index(&self, p: ProcId, item: ItemId) -> Option<Index> {
        if let Some(known) = self.indexes.borrow().get(&(p, item)) {
            return known.clone();
        }
        if self.open.contains((p, item)) {
            return None;
        }
        let proved = self.proved.get();
        let find = || self.open.during((p, item), || self.find_index(p, item));
        let found = self.meanwhile(&self.indexes_meanwhile, (p, item), find);
        self.proved.set(proved);
        if self.open.is_empty() {
            self.indexes.borrow_mut().insert((p, item), found.clone());
            self.forget_meanwhile();
        }
        found
    }

    fn find_index(&self, p: ProcId, item: ItemId) -> Option<Index> {
        let ItemKind::Loop { test, at: TestAt::Before, body, carried } = &self.program.procs[p].items[item].kind else {
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
                for c in carried.iter().filter(|c| self.type_of(p, c.head).is_integer()) {
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

    /// A variable that changes by the same amount in each pass, in terms of the index of the loop.
    pub(super) fn carried(&self, p: ProcId, v: ValueId, item: ItemId, k: u32) -> Option<Poly> {
        if self.open.contains((p, item)) {
            return None;
        }
        let index = self.index(p, item)?;
        if index.head == v || !index.dense() {
            return None;
        }
        let ItemKind::Loop { carried, body, .. } = &self.program.procs[p].items[item].kind else {
            return None;
        };
        let c = &carried[k as usize];
        let end = self.open.during((p, item), || self.value(p, c.end, &self.facts(p, *body)));
        let step = end.sub(&self.atom(p, v))?;
        if !self.invariant(p, *body, &step) {
            return None;
        }
        self.proved.set(true);
        let init = self.value(p, c.init, &self.facts_of_item(p, item));
        init.add(&step.mul(&self.passes_before(p, &index)?)?)
    }

    /// How many passes went before the one whose index is the head.
    pub(super) fn passes_before(&self, p: ProcId, index: &Index) -> Option<Poly> {
        let head = self.atom(p, index.head);
        if index.up { head.sub(&index.lo) } else { index.hi.sub(&head)?.plus(-1) }
    }

    /// A variable behind a loop that ends only by its index.
    pub(super) fn behind(&self, p: ProcId, item: ItemId, k: u32, facts: &Facts) -> Option<Poly> {
        let ItemKind::Loop { carried, body, .. } = &self.program.procs[p].items[item].kind else {
            return None;
        };
        if self.open.contains((p, item)) {
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
        let end = self.open.during((p, item), || self.value(p, c.end, &self.facts(p, *body)));
        let step = end.sub(&self.atom(p, c.head))?;
        if !self.invariant(p, *body, &step) {
            return None;
        }
        let init = self.value(p, c.init, &outer);
        init.add(&step.mul(&index.hi.sub(&index.lo)?)?)
    }

    /// Whether no value of `region` is in a polynomial.
    pub fn invariant(&self, p: ProcId, region: RegionId, poly: &Poly) -> bool {
        let proc = &self.program.procs[p];
        !poly.any(&|q, v| q == p && walk::contains(proc, region, proc.values[v].region))
    }
}
