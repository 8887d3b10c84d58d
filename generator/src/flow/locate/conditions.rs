//! What the conditions around a region say.

use super::integers::unsigned;
use super::state::Locator;
use crate::flow::poly::{Facts, Poly};
use crate::ir::{Binary, Expr, ExprKind, ItemId, ItemKind, ProcId, RegionId, TestAt, Unary};

impl Locator<'_> {
    /// What is not negative if a condition has an outcome.
    pub(super) fn holds(&self, p: ProcId, e: &Expr, outcome: bool, facts: &Facts, test: bool) -> Vec<Poly> {
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
        let proc = &self.program.procs[p];
        let region = proc.items[item].kind.regions().into_iter().next();
        match region.and_then(|r| proc.regions[r].parent) {
            Some((outer, _)) => self.facts(p, outer),
            None => Facts::default(),
        }
    }

    /// What holds in a region: conditions of branches and loops around it. In the body of a loop the heads are meant.
    pub fn facts(&self, p: ProcId, region: RegionId) -> Facts {
        if let Some(known) = self.facts.borrow().get(&(p, region)) {
            return known.clone();
        }
        let Some((outer, item)) = self.program.procs[p].regions[region].parent else {
            return Facts::default();
        };
        self.meanwhile(&self.facts_meanwhile, (p, region), || self.find_facts(p, region, outer, item))
    }

    fn find_facts(&self, p: ProcId, region: RegionId, outer: RegionId, item: ItemId) -> Facts {
        let proc = &self.program.procs[p];
        let mut facts = self.facts(p, outer);
        let mut whole = true;
        let kind = &proc.items[item].kind;
        if let ItemKind::Branch { on, then, .. } = kind {
            for fact in self.holds(p, on, region == *then, &facts, false) {
                facts.add(Some(fact));
            }
        } else if let ItemKind::Loop { test, at, .. } = kind {
            if *at == TestAt::Before {
                for fact in self.holds(p, test, true, &facts, false) {
                    facts.add(Some(fact));
                }
            }
            whole = !self.open.contains((p, item));
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
        if whole && self.open.is_empty() {
            self.facts.borrow_mut().insert((p, region), facts.clone());
            self.forget_meanwhile();
        }
        facts
    }
}
