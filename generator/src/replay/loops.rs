//! Loops of the reverse sweep: as many passes as forward, last first, each the reverse of its own.

use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

use super::memory::lead_into;
use super::passes::step_of;
use super::section::{Passes, Section};
use super::state::{Form, Replay, Res, Side, open};
use super::terms::{P, Spot, T, Term, Way};
use crate::flow::poly::{Facts, Poly};
use crate::ir::*;

impl Replay<'_> {
    /// `own` of the reverse sweep reverses the loop `of`. `around`: the damage behind the loop. `filled`: what is back there
    /// if the loop has passes.
    pub(super) fn reverse_loop(&mut self, of: ItemId, own: ItemId, around: Vec<Section>, filled: &[P]) -> Res<()> {
        let (f, r) = (self.f, self.r);
        let ItemKind::Loop { body, carried, .. } = &f.items[of].kind else {
            return Err(self.refuted("a loop of the reverse sweep reverses no loop"));
        };
        let ItemKind::Loop { test, at, body: own_body, carried: own_carried } = &r.items[own].kind else {
            return open("a loop");
        };
        if *at != TestAt::Before {
            return open("a loop of the reverse sweep that tests behind its passes");
        }
        let form = self.loops[&of].clone();
        let (runs, others) = std::mem::take(&mut self.runs).into_iter().partition(|(item, ..)| *item == of);
        let runs: Vec<(ItemId, P, T)> = runs;
        self.runs = others;
        let known = self.known.len();
        // Inside, the loop runs at least once.
        let (outside, inside) = (form.passes, form.inside);
        if outside != inside {
            self.assume(outside, inside);
        }
        if let Some(test) = form.test {
            self.assume_holds(test);
        }
        self.assume_step(&form);
        let needed = self.needs.count();
        let one = self.terms.number(1);
        let pass = self.terms.make(Term::Pass(of));
        if form.test.is_some_and(|test| self.ends_at_once(&form, carried, test)) {
            let zero = self.terms.number(0);
            self.assume(pass, zero);
            for (head, c) in form.heads.iter().zip(carried) {
                if matches!(self.terms.get(*head), Term::Head(..)) {
                    let init = self.forward_value(c.init);
                    self.assume(*head, init);
                }
            }
        }
        // Passes of the reverse sweep before the one at hand.
        let behind = self.terms.sum(inside, one, -1).and_then(|last| self.terms.sum(last, pass, -1));
        let Some(behind) = behind else { return open("large numbers") };
        let mut carries = Vec::new();
        let mut steps = Vec::new();
        for c in own_carried {
            let Some(init) = self.names[c.init.index()] else {
                return Err(self.refuted("a value is read before it is defined"));
            };
            let is_real = matches!(r.vars[c.var].ty, Type::Float { .. });
            let step = match step_of(r, *own_body, c.head, c.end) {
                Some(terms) if !is_real => self.sum_of(Side::Reverse, &terms, &r.vars[c.var].ty)?,
                _ => None,
            };
            let head = match step {
                Some(step) => {
                    let init = self.resolve(init);
                    self.stepped(init, behind, step)?
                }
                None => {
                    let Some((head, start)) = self.carried_backwards(of, carried, init) else {
                        return Err(self.refuted("a loop of the reverse sweep begins with what the loop did not leave"));
                    };
                    carries.push((c.end, c.out, start.0, start.1));
                    head
                }
            };
            let ty = &r.vars[c.var].ty;
            if step.is_some() && self.terms.is_exact(init, ty) {
                self.terms.is_exactly(head, ty);
            }
            self.names[c.head.index()] = Some(head);
            steps.push((step, init));
        }
        self.runs_as_often(of, test, own_carried, &steps, known)?;
        if self.never_runs(of) {
            // Neither loop has a pass.
            self.forget(known);
            for c in own_carried {
                self.names[c.out.index()] = self.names[c.init.index()];
            }
            self.damage = around;
            return Ok(());
        }
        // A pass, with what all later passes left.
        let (mut left, _) = self.left_by(*body, &runs)?;
        self.leave_by_way(of, &mut left)?;
        let locals = self.locals_before_inner();
        self.set_locals(&locals);
        let read = self.begin_reads();
        let outer_run = std::mem::replace(&mut self.run, runs.iter().map(|(item, first, _)| (*item, *first)).collect());
        let (back, certain, told) = (self.back.clone(), self.certain.clone(), self.told.clone());
        let (begun, own_items) = loop {
            let closed = left.iter().flat_map(|section| self.close_all(section, of, Passes::Later));
            let later: Vec<Section> = closed.collect();
            self.damage = around.clone();
            self.add_damage(later);
            let begun = self.damage.clone();
            for (_, first, _) in &runs {
                self.run_is_alone(*body, of, *first)?;
                let early = self.early(*first, pass, 1)?;
                self.damaged(early);
            }
            self.at = self.ends[body];
            filled.iter().for_each(|place| self.comes_back(*place));
            for (_, first, _) in &runs {
                let late = self.late(of, *first)?;
                self.back.insert(late);
            }
            if !self.passes.contains_key(&of) {
                break (begun, r.regions[*own_body].items.clone());
            }
            let own_items = self.run_again(of, *body, *own_body)?;
            let garbled = self.garbled_in(*body).into_iter().filter_map(|section| self.outside(section, *body));
            let more: Vec<Section> = garbled.filter(|section| !left.contains(section)).collect();
            if more.is_empty() {
                break (begun, own_items);
            }
            // So do later passes.
            left.extend(more);
            (self.back, self.certain, self.told) = (back.clone(), certain.clone(), told.clone());
        };
        self.reverse_items(*body, &own_items)?;
        self.end_reads(&locals, read)?;
        let back_in_pass = std::mem::replace(&mut self.back, back);
        self.certain = certain;
        self.run = outer_run;
        for (_, first, _) in &runs {
            let early = self.early(*first, pass, 0)?;
            self.mended(early);
        }
        for section in self.damage.clone() {
            let mut expected = begun.iter().chain(&left);
            if !expected.any(|other| section == *other || self.is_part(&section, other)) {
                return Err(self.refuted("a reversed pass leaves memory damaged that the others need"));
            }
        }
        for (end, _, head, _) in &carries {
            let end = self.names[end.index()];
            let end = end.ok_or_else(|| self.refuted("a value is read before it is defined"))?;
            self.agree(end, *head, "a reversed pass does not recover what the loop carries")?;
        }
        let locals = self.locals_before_inner();
        self.set_locals(&locals);
        self.forget(known);
        self.close_needs(of, needed);
        let all: Vec<Section> = left.iter().flat_map(|section| self.close_all(section, of, Passes::All)).collect();
        self.damage = around;
        let rows = self.covered(of, *body, &runs, &back_in_pass)?;
        self.add_damage(all);
        self.back_behind(of, back_in_pass, rows);
        self.garbled_again(of);
        for (c, (step, init)) in own_carried.iter().zip(steps) {
            let out = match step {
                Some(step) => self.stepped(init, outside, step)?,
                None => match carries.iter().find(|(_, out, ..)| *out == c.out) {
                    Some((.., before)) => *before,
                    None => return open("a carried value"),
                },
            };
            self.names[c.out.index()] = Some(out);
        }
        Ok(())
    }

    /// Whether each pass sets a flag that has to be 0 for another one to follow: then there is no second pass.
    fn ends_at_once(&mut self, form: &Form, carried: &[Carried], test: T) -> bool {
        let test = self.truth(test);
        match *self.terms.get(test) {
            Term::Binary(Binary::And, a, b, _) => {
                self.ends_at_once(form, carried, a) || self.ends_at_once(form, carried, b)
            }
            Term::Binary(Binary::Equal, a, b, _) => {
                let end = self.flag(form, a, b).map(|k| self.forward_value(carried[k].end));
                // Not 0 at any width.
                end.and_then(|end| self.terms.constant(end)).is_some_and(|end| (1..128).contains(&end))
            }
            _ => false,
        }
    }

    pub(super) fn never_runs(&self, of: ItemId) -> bool {
        self.loops.get(&of).is_some_and(|form| self.terms.constant(form.passes) == Some(0))
    }

    /// Damage that is gone behind a reversed loop: each pass has restored an element or a row, and all passes a row of
    /// them.
    fn covered(&mut self, of: ItemId, body: RegionId, runs: &[(ItemId, P, T)], in_pass: &FxHashSet<P>) -> Res<Vec<P>> {
        let f = self.f;
        let mut rows = Vec::new();
        for place in in_pass {
            rows.extend(self.row_of_rows(*place, of));
        }
        for (_, first, count) in runs {
            rows.push(self.row_of_run(*first, *count)?);
        }
        for item in &f.regions[body].items {
            let Some(place) = self.stored.get(item).copied().filter(|_| self.undone.contains(item)) else { continue };
            let section = self.section(place);
            let row = self.close(&section, of, Passes::All);
            let pass = self.terms.make(Term::Pass(of));
            let Some(Way::At(at)) = self.terms.get_spot(place).steps.last().copied() else { continue };
            let Some((_, slope)) = self.linear_in(at, pass) else { continue };
            if matches!(self.terms.constant(slope), Some(1 | -1)) {
                rows.extend(row.place);
            }
        }
        for &row in &rows {
            self.undamaged(row);
        }
        Ok(rows)
    }

    /// The row of elements that rows of all passes make, without gaps between them.
    fn row_of_rows(&mut self, place: P, of: ItemId) -> Option<P> {
        let Some(Way::Range(from, to)) = self.terms.get_spot(place).steps.last().copied() else { return None };
        let pass = self.terms.make(Term::Pass(of));
        let ((_, slope), length) = (self.linear_in(from, pass)?, self.terms.sum(to, from, -1)?);
        let is_dense = match self.terms.constant(slope) {
            Some(slope) => slope != 0 && self.terms.constant(length).is_some_and(|length| length >= slope.abs()),
            // Rows that are as long as their distance have none between them; if it is not above 0, nothing is in them.
            None => length == slope,
        };
        if !is_dense {
            return None;
        }
        let section = self.section(place);
        let row = self.close(&section, of, Passes::All).place?;
        let around = self.terms.get_spot(place).steps.len() - 1;
        let (whole, own) = (self.terms.get_spot(row).clone(), self.terms.get_spot(place).clone());
        let is_row = matches!(whole.steps.last(), Some(Way::Range(..))) && whole.steps[..around] == own.steps[..around];
        is_row.then_some(row)
    }

    /// Damage inside a row of elements is gone.
    fn undamaged(&mut self, row: P) {
        for section in std::mem::take(&mut self.damage) {
            if !section.place.is_some_and(|place| self.is_inside(place, row)) {
                self.damage.push(section);
            }
        }
    }

    /// A row of elements holds what the state at hand has.
    pub(super) fn row_is_back(&mut self, row: P) {
        self.undamaged(row);
        self.back.insert(row);
    }

    /// Notes what a reversed loop has brought back for certain: rows of elements, one each pass, and, if it surely runs,
    /// what its first pass brought back wherever it is.
    fn back_behind(&mut self, of: ItemId, in_pass: FxHashSet<P>, rows: Vec<P>) {
        for place in rows {
            let meets = |this: &mut Self, section: &Section| match section.place {
                // All of an object that was made again, which is damaged but for what comes back.
                Some(whole) if this.made.contains(&whole) => false,
                _ => this.meets(place, section),
            };
            if !self.damage.clone().iter().any(|section| meets(self, section)) {
                self.back.insert(place);
            }
        }
        if !self.surely_runs(of) {
            return;
        }
        let is_pass = |term: &Term| *term == Term::Pass(of);
        for place in in_pass {
            let parts = self.terms.parts_of_spot(place);
            if parts.into_iter().all(|t| !self.varies(t, of) && !self.terms.mentions(t, &is_pass)) {
                self.undamaged(place);
                self.restored(place);
            }
        }
    }

    /// Whether a loop runs at least once: its test holds for the first pass.
    fn surely_runs(&mut self, of: ItemId) -> bool {
        let (passes, test) = (self.loops[&of].passes, self.loops[&of].test);
        if let Some(passes) = self.terms.constant(passes) {
            return passes > 0;
        }
        if let Term::Trips(distance, _) = *self.terms.get(passes) {
            let facts = self.facts_about(&[distance], &[]);
            return facts.nonneg(self.terms.poly(distance).plus(-1));
        }
        let (Some(test), ItemKind::Loop { carried, .. }) = (test, &self.f.items[of].kind) else { return false };
        let first = self.first_test(of, test, carried);
        self.terms.constant(first).is_some_and(|first| first != 0)
    }

    /// The test of a loop in front of its first pass.
    pub(super) fn first_test(&mut self, of: ItemId, test: T, carried: &[Carried]) -> T {
        let known = self.known.len();
        let (pass, zero) = (self.terms.make(Term::Pass(of)), self.terms.number(0));
        self.assume(pass, zero);
        for (k, c) in carried.iter().enumerate() {
            let init = self.forward_value(c.init);
            self.assume(self.loops[&of].heads[k], init);
        }
        let first = self.resolve(test);
        self.forget(known);
        first
    }

    /// Whether a section is surely in another one.
    fn is_part(&mut self, section: &Section, of: &Section) -> bool {
        match (section.place, of.place) {
            (_, None) => !section.cells.is_empty() && section.cells.is_subset(&of.cells),
            (Some(place), Some(other)) => {
                let (a, b) = (self.terms.get_spot(place), self.terms.get_spot(other));
                if a.root == b.root && lead_into(&a.steps, &b.steps) {
                    return true;
                }
                self.is_inside(place, other)
            }
            (None, Some(_)) => false,
        }
    }

    /// Whether a place is certainly a part of a row of elements.
    pub(super) fn is_inside(&mut self, place: P, row: P) -> bool {
        let (a, b) = (self.terms.get_spot(place).clone(), self.terms.get_spot(row).clone());
        if let [around @ .., row @ Way::Range(..), Way::All] = &b.steps[..] {
            let Some(step) = a.steps.get(around.len()).filter(|_| a.root == b.root && a.steps.starts_with(around))
            else {
                return false;
            };
            let [place, row] = [step, row].map(|last| {
                let steps = around.iter().chain([last]).copied().collect();
                self.terms.spot(Spot { root: a.root, steps })
            });
            return self.is_inside(place, row);
        }
        if b.steps.contains(&Way::All) {
            return a.root == b.root && lead_into(&a.steps, &b.steps);
        }
        let (Some((last, before)), Some((Way::Range(from, to), around))) = (a.steps.split_last(), b.steps.split_last())
        else {
            return false;
        };
        if a.root != b.root || before != around {
            return false;
        }
        let one = self.terms.number(1);
        let (low, high) = match *last {
            Way::At(at) => match self.terms.sum(at, one, 1) {
                Some(next) => (at, next),
                None => return false,
            },
            Way::Range(low, high) => (low, high),
            // A row that has all elements.
            Way::All if before.is_empty() => match self.length(a.root) {
                Some(length) => (self.terms.number(0), length),
                None => return false,
            },
            _ => return false,
        };
        // An empty section has nothing to be restored.
        let facts = self.facts_about(&[low, high, *from, *to], &[(low, high)]);
        let to = self.granted(*to, &facts);
        let [low, high, from] = [low, high, *from].map(|t| self.terms.poly(t));
        facts.at_most(&from, &low) && facts.at_most(&high, &to)
    }

    /// A number in which what is there on a condition is there, where the condition is known to hold.
    fn granted(&mut self, t: T, facts: &Facts) -> Poly {
        let mut poly = self.terms.poly(t);
        loop {
            let mut atoms = BTreeSet::new();
            poly.values(&mut atoms);
            let granted = atoms.into_iter().find_map(|(_, atom)| {
                let Term::Choose(condition, some, none) = *self.terms.get(T(atom.0)) else { return None };
                let Term::Binary(Binary::Less, a, b, _) = *self.terms.get(condition) else { return None };
                let holds = facts.nonneg(self.terms.less(a, b));
                if !holds || self.terms.constant(none) != Some(0) {
                    return None;
                }
                let some = self.up_to(some);
                Some((atom, self.terms.poly(some)))
            });
            let Some((atom, some)) = granted else { return poly };
            match poly.replace(&|_, other| (other == atom).then(|| some.clone())) {
                Some(replaced) => poly = replaced,
                None => return poly,
            }
        }
    }

    /// What a carried value of the reversed loop is, if it begins with what a variable of the loop was behind it: its
    /// value at the end of a pass; at the start of a pass, and before the loop.
    fn carried_backwards(&mut self, of: ItemId, carried: &[Carried], init: T) -> Option<(T, (T, T))> {
        let form = self.loops[&of].clone();
        for (k, c) in carried.iter().enumerate() {
            let out = self.values[c.out.index()]?;
            let (end, before) = (self.forward_value(c.end), self.forward_value(c.init));
            let head = form.heads[k];
            if self.same(out, init) {
                return Some((end, (head, before)));
            }
            let shadow = self.shadow(out);
            if self.same(shadow, init) {
                let (end, head, before) = (self.shadow(end), self.shadow(head), self.shadow(before));
                return Some((end, (head, before)));
            }
        }
        None
    }

    /// Obligation 5: the reversed loop runs as often as the loop did. `known`: how much is known in front of the loop.
    fn runs_as_often(
        &mut self,
        of: ItemId,
        test: &Expr,
        carried: &[Carried],
        steps: &[(Option<T>, T)],
        known: usize,
    ) -> Res<()> {
        // The number of passes in terms of the reversed loop's own passes, counted from the first.
        let own = self.fresh();
        let names = self.names.clone();
        for (c, (step, init)) in carried.iter().zip(steps) {
            let head = match step {
                Some(step) => self.stepped(*init, own, *step)?,
                None => self.fresh(),
            };
            let ty = &self.r.vars[c.var].ty;
            self.terms.is_exactly(head, ty);
            self.names[c.head.index()] = Some(head);
        }
        let inside = self.known.split_off(known);
        self.resolved.clear();
        let t = self.condition(Side::Reverse, test)?;
        let t = self.resolve(t);
        let found = self.passes_of(t, own, of);
        let forward = self.resolve(self.loops[&of].passes);
        self.names = names;
        let same = match found {
            // A distance that is never negative, because the loop ends at it, is its own number of passes.
            Some((passes, ..)) if passes == forward => Ok(()),
            Some((passes, ..)) if matches!(*self.terms.get(passes), Term::Trips(d, 1) if d == forward) => Ok(()),
            Some((passes, ..)) => {
                self.differ(passes, forward, "a loop of the reverse sweep may run another number of passes")
            }
            None => Err(self.refuted("nobody knows how often a loop of the reverse sweep runs")),
        };
        self.known.extend(inside);
        self.resolved.clear();
        same
    }
}
