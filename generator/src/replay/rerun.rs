//! A pass that is run again: it must find what it found the first time.
//!
//! ```text
//!   state behind the pass   ── what the pass began with is popped
//!   state in front of it    ── damaged: what the pass and later ones overwrote; the pass's own hulls are popped
//!                           ── the copy runs: what it reads is back, what it overwrites is back
//!   state behind the pass   ── damaged: what later passes left
//! ```

use super::reverse::Walk;
use super::section::Section;
use super::state::{Replay, Res, Side, Taped, open};
use super::terms::{P, Spot, T, Term, Way};
use crate::ir::*;
use rustc_hash::FxHashSet;

impl Replay<'_> {
    /// Runs a pass of a loop again, in the state behind it. Returns the items of the reverse sweep that reverse it.
    pub(super) fn run_again(&mut self, of: ItemId, body: RegionId, own: RegionId) -> Res<Vec<ItemId>> {
        let r = self.r;
        let pass = &self.passes[&of];
        let items = &r.regions[own].items;
        let copied = |item: &ItemId| self.given.origins.copies.items.contains_key(item);
        let (from, to) = match (items.iter().position(copied), items.iter().rposition(copied)) {
            (Some(first), Some(last)) => (first, last + 1),
            _ => {
                let is_pop = |item: &ItemId| matches!(r.items[*item].kind, ItemKind::Sweep(SweepItem::Pop { .. }));
                let pops = items.iter().enumerate().filter(|(_, item)| is_pop(item)).map(|(at, _)| at + 1);
                let end = std::iter::once(0).chain(pops).nth(pass.outer.len());
                let Some(end) = end else { return Err(self.refuted("what the forward sweep pushed is not popped")) };
                (end, end)
            }
        };
        // Nothing of the pass may have to run with a tape.
        let behind = pass.way.as_ref().and_then(|way| items.iter().position(|item| *item == way.advance));
        let (from, to) = behind.map_or((from, to), |at| (from.max(at + 1), to.max(at + 1)));
        if !items[from..to].iter().all(copied) {
            return Err(self.refuted("a pass is reversed before all of it has run again"));
        }
        let (later, back, certain) = (self.damage.clone(), self.back.clone(), self.certain.clone());
        let mut walk = Walk {
            region: body,
            reversed: self.f.regions[body].items.len(),
            tape: pass.outer.clone(),
            group: None,
            around: Vec::new(),
            back: FxHashSet::default(),
            filled: Vec::new(),
            entered: false,
        };
        let mut in_front = false;
        let mut hulls = Vec::new();
        for &item in &items[..from] {
            let kind = &r.items[item].kind;
            if let ItemKind::Sweep(SweepItem::Pop { what: Popped::Elements { place, count } }) = kind {
                if !in_front {
                    self.step_to_front(body)?;
                    in_front = true;
                }
                hulls.push(self.pop_hull(&mut walk, body, place, count)?);
            } else if let ItemKind::Sweep(SweepItem::Pop { what }) = kind {
                self.pop(&mut walk, what)?;
            } else if let ItemKind::Let { value } = kind {
                let Def::Is(expr) = &r.values[*value].def else {
                    return open("a value without a definition");
                };
                let t = self.eval(Side::Reverse, expr)?;
                self.names[value.index()] = Some(t);
            } else if let ItemKind::Declare { object } = kind {
                self.declare(*object, false)?;
            } else if let Some(way) = pass.way.as_ref().filter(|way| way.first == item) {
                self.step_to_front(body)?;
                in_front = true;
                // What any pass writes.
                let all = self.effects.get(&of).cloned().unwrap_or_default();
                self.add_damage(all);
                hulls = self.rows_of_snapshots(way)?;
                self.come_back(way, body, &hulls.clone())?;
            } else {
                let advances = in_front && pass.way.as_ref().is_some_and(|way| way.advance == item);
                let is_idle = matches!(
                    kind,
                    ItemKind::DeclareVar { .. }
                        | ItemKind::Sweep(SweepItem::Nothing | SweepItem::Witness { .. } | SweepItem::Rehearsal { .. })
                );
                if !advances && !is_idle {
                    return Err(self.refuted("a pass that runs again begins with something else than pops"));
                }
            }
        }
        if !walk.tape.is_empty() {
            return Err(self.refuted("what the forward sweep pushed is not popped"));
        }
        if !in_front {
            self.step_to_front(body)?;
        }
        for &(own, value) in &pass.read {
            let expected = self.forward_value(value);
            let Some(t) = self.names[own.index()] else {
                return Err(self.refuted("a value is read before it is defined"));
            };
            self.agree(t, expected, "a pass runs again with another value")?;
        }
        let lost = self.surely_written(&pass.kept, body)?;
        let outer = (std::mem::replace(&mut self.lost_in_pass, lost), std::mem::take(&mut self.arms));
        let around = std::mem::replace(&mut self.rerunning, vec![of]);
        self.rerun(&pass.kept, body)?;
        (self.lost_in_pass, self.arms) = outer;
        self.rerunning = around;
        for &(copied, value) in &pass.defined {
            if r.values[copied].region == own {
                self.names[copied.index()] = Some(self.forward_value(value));
            }
        }
        self.at = self.ends[&body];
        (self.damage, self.back, self.certain) = (later, back, certain);
        if pass.way.is_some() {
            let all = self.effects.get(&of).cloned().unwrap_or_default();
            self.add_damage(all);
        }
        for place in self.surely_written(&pass.kept, body)?.into_iter().chain(hulls) {
            self.comes_back(place);
        }
        self.filled = self.filled_by_loops(&pass.kept, body)?;
        Ok(items[to..].to_vec())
    }

    /// A place or a row of elements holds what the state at hand has.
    pub(super) fn comes_back(&mut self, place: P) {
        match self.terms.get_spot(place).steps.last() {
            Some(Way::Range(..) | Way::All) => self.row_is_back(place),
            _ => self.restored(place),
        }
    }

    /// From the state behind a pass to that in front of it.
    fn step_to_front(&mut self, body: RegionId) -> Res<()> {
        self.at = self.starts[&body];
        let writes = self.writes[&body].iter().cloned();
        let writes: Vec<Section> = writes.filter_map(|section| self.outside(section, body)).collect();
        self.add_damage(writes);
        Ok(())
    }

    /// The elements that a pass overwrites come back, as they were in front of it.
    fn pop_hull(&mut self, walk: &mut Walk, body: RegionId, place: &Place, count: &Expr) -> Res<P> {
        let Some(top) = walk.tape.pop() else { return Err(self.refuted("more is popped than was pushed")) };
        let Some(Taped::Elements(first, number, version, ty)) = self.taped.get(&top).cloned() else {
            return Err(self.refuted("pops do not mirror pushes"));
        };
        let own = self.place(Side::Reverse, place)?;
        let own_count = self.integer(Side::Reverse, count)?;
        if place.ty != ty || !self.same_place(own, first) || !self.same(own_count, number) {
            return Err(self.refuted("other elements are popped than were pushed"));
        }
        if version != self.starts[&body] {
            return Err(self.refuted("elements are popped in another state than they were pushed in"));
        }
        self.saving.insert(top);
        let at_element = matches!(self.terms.get_spot(first).steps.last(), Some(Way::At(_)));
        let number = self.up_to(number);
        let row = if at_element { self.early(first, number, 0)? } else { first };
        self.comes_back(row);
        Ok(row)
    }

    /// Runs the items of a region that the copy has: what they read must be there.
    pub(super) fn rerun(&mut self, kept: &FxHashSet<ItemId>, region: RegionId) -> Res<()> {
        let f = self.f;
        for &item in &f.regions[region].items {
            self.at = self.before[item.index()];
            let kind = &f.items[item].kind;
            if !kept.contains(&item) {
                self.left_out(item)?;
                continue;
            }
            (self.span, self.item) = (f.items[item].span, Some(item));
            self.read_by(item, kind)?;
            if matches!(kind, ItemKind::Store { .. }) {
                let place = self.stored[&item];
                self.comes_back(place);
            } else if let ItemKind::Branch { then, otherwise, .. } = kind {
                let condition = self.conditions[&item];
                let (before, back) = (self.damage.clone(), self.back.clone());
                let mut in_arms: Option<FxHashSet<P>> = None;
                for (arm, holds) in [(then, true), (otherwise, false)] {
                    if self.terms.constant(condition).is_some_and(|truth| (truth != 0) != holds) {
                        continue;
                    }
                    let known = self.known.len();
                    self.assume_truth(condition, holds);
                    self.arms += 1;
                    self.rerun(kept, *arm)?;
                    self.arms -= 1;
                    self.forget(known);
                    self.damage.clone_from(&before);
                    let in_arm = std::mem::replace(&mut self.back, back.clone());
                    in_arms = Some(in_arms.map_or_else(|| in_arm.clone(), |other| &other & &in_arm));
                }
                self.back.extend(in_arms.unwrap_or_default());
            } else if let ItemKind::Loop { body, test, at, .. } = kind {
                self.rerun_loop(kept, item, *body, (test, *at))?;
            } else if matches!(kind, ItemKind::Call { .. }) {
                for place in self.filled_by_call(item) {
                    self.comes_back(place);
                }
            }
        }
        Ok(())
    }

    fn rerun_loop(
        &mut self,
        kept: &FxHashSet<ItemId>,
        item: ItemId,
        body: RegionId,
        (test, at): (&Expr, TestAt),
    ) -> Res<()> {
        if self.never_runs(item) {
            return Ok(());
        }
        let (before, back) = (self.damage.clone(), self.back.clone());
        let form = self.loops[&item].clone();
        let written = self.surely_written(kept, body)?;
        let pass = self.terms.make(Term::Pass(item));
        for &place in &written {
            if let Some(row) = self.row_of_passes(place, item, pass)? {
                self.row_is_back(row);
            }
        }
        self.at = if at == TestAt::Before { self.starts[&body] } else { self.ends[&body] };
        let mut loads = Vec::new();
        loads_of(test, true, &mut loads);
        for (place, _) in loads {
            let place = self.place(Side::Forward, place)?;
            let parts = self.terms.parts_of_spot(place);
            if parts.iter().any(|t| self.varies(*t, item) || self.terms.mentions(*t, &|term| *term == Term::Pass(item)))
            {
                // The last test is that of no pass.
                self.doubt(super::state::SECTIONS);
            }
            self.intact(place)?;
        }
        let known = self.known.len();
        if form.passes != form.inside {
            self.assume(form.passes, form.inside);
        }
        if let Some(test) = form.test {
            self.assume_holds(test);
        }
        self.assume_step(&form);
        self.rerunning.push(item);
        let exposed = self.exposed.as_ref().map(super::contract::Exposed::count).unwrap_or_default();
        self.rerun(kept, body)?;
        self.close_exposed(item, exposed);
        self.garbled_by_loop(item, body, &written);
        self.rerunning.pop();
        self.forget(known);
        self.damage = before;
        self.back = back;
        for place in self.rows_of_loop(item, written)? {
            self.row_is_back(place);
        }
        Ok(())
    }

    /// Refuses an item that reads what is not there.
    pub(super) fn read_by(&mut self, item: ItemId, kind: &ItemKind) -> Res<()> {
        let f = self.f;
        let only_saves = self.exposed.is_some() && self.saving.contains(&item);
        if let ItemKind::Sweep(SweepItem::Push { what: Pushed::Elements { place, count } }) = kind {
            let (first, count) = (self.place(Side::Forward, place)?, self.integer(Side::Forward, count)?);
            let at_element = matches!(self.terms.get_spot(first).steps.last(), Some(Way::At(_)));
            let count = self.up_to(count);
            let row = if at_element { self.early(first, count, 0)? } else { first };
            if only_saves {
                self.save(row);
            } else {
                self.intact(row)?;
            }
        }
        let mut loads = Vec::new();
        if matches!(kind, ItemKind::Loop { .. }) {
        } else if let ItemKind::Sweep(SweepItem::Push { what: Pushed::Value(Expr { kind: ExprKind::Load(place), .. }) }) =
            kind
            && only_saves
        {
            let at = self.place(Side::Forward, place)?;
            self.save(at);
            walk::parts_of_place(place, &mut |part| loads_of(part, true, &mut loads));
        } else {
            walk::operands(f, item, &mut |operand| match operand {
                Ok(expr) => loads_of(expr, true, &mut loads),
                Err(place) => walk::parts_of_place(place, &mut |part| loads_of(part, true, &mut loads)),
            })
        }
        for (place, surely) in loads {
            let mut at = self.place(Side::Forward, place)?;
            if matches!(place.ty, Type::Struct(_)) {
                at = self.whole(at);
            }
            if surely && self.arms == 0 && self.is_surely_lost(at) {
                let what = self.show_place(at);
                return Err(self.refuted(&format!("a pass that runs again reads {what}, which is not back")));
            }
            self.intact(at)?;
        }
        if matches!(kind, ItemKind::Call { .. }) {
            let given = self.given;
            let reads = given.calls.get(&item).map(|effect| self.sections_of_call(item, &effect.reads));
            for section in reads.unwrap_or_default() {
                self.read_by_call(section)?;
            }
            let saves = given.calls.get(&item).map(|effect| self.sections_of_call(item, &effect.saves));
            for section in saves.unwrap_or_default() {
                self.save_by_call(item, section);
            }
        }
        Ok(())
    }

    fn read_by_call(&mut self, section: Section) -> Res<()> {
        match (section.place, &mut self.exposed) {
            (Some(place), Some(_)) => return self.intact(place),
            (None, Some(exposed)) => {
                exposed.read.cells.extend(section.cells.iter().copied());
                return Ok(());
            }
            _ => {}
        }
        self.may_be_read(section);
        Ok(())
    }

    /// A call may read a part of memory.
    pub(super) fn may_be_read(&mut self, section: Section) {
        if section.place.is_some_and(|place| self.is_back(place)) {
            return;
        }
        if self.damage.clone().iter().any(|damage| self.overlap(damage, &section)) {
            self.doubt("sections in calls that the proofs cannot tell apart");
        }
        match section.place {
            Some(place) => self.need(place),
            None => self.needs.cells.extend(section.cells.iter().copied()),
        }
    }

    /// Places that a region surely overwrites, each time it runs.
    pub(super) fn surely_written(&mut self, kept: &FxHashSet<ItemId>, region: RegionId) -> Res<Vec<P>> {
        let f = self.f;
        let mut all = Vec::new();
        for &item in f.regions[region].items.iter().filter(|item| kept.contains(item)) {
            let kind = &f.items[item].kind;
            if matches!(kind, ItemKind::Store { .. }) {
                all.push(self.stored[&item]);
            } else if matches!(kind, ItemKind::Call { .. }) {
                all.extend(self.filled_by_call(item));
            } else if let ItemKind::Loop { body, .. } = kind
                && !self.never_runs(item)
            {
                let inside = self.surely_written(kept, *body)?;
                all.extend(self.rows_of_loop(item, inside)?);
            } else if let ItemKind::Branch { then, otherwise, .. } = kind {
                let in_other = self.surely_written(kept, *otherwise)?;
                let in_then = self.surely_written(kept, *then)?;
                all.extend(in_then.into_iter().filter(|place| in_other.contains(place)));
            }
        }
        Ok(all)
    }

    /// What all passes of a loop surely overwrite, from what each of them does.
    fn rows_of_loop(&mut self, item: ItemId, written: Vec<P>) -> Res<Vec<P>> {
        let passes = self.loops[&item].passes;
        let count = self.up_to(passes);
        let mut rows = Vec::new();
        for place in written {
            rows.extend(self.row_of_passes(place, item, count)?);
        }
        Ok(rows)
    }

    /// What the first passes of a loop overwrite, if each of them overwrites elements beside those of the one before.
    fn row_of_passes(&mut self, place: P, item: ItemId, count: T) -> Res<Option<P>> {
        let Spot { root, mut steps } = self.terms.get_spot(place).clone();
        let one = self.terms.number(1);
        let (from, to) = match steps.pop() {
            Some(Way::At(at)) => match self.terms.sum(at, one, 1) {
                Some(next) => (at, next),
                None => return Ok(None),
            },
            Some(Way::Range(from, to)) => (from, to),
            _ => return Ok(None),
        };
        let pass = self.terms.make(Term::Pass(item));
        let is_pass = |term: &Term| *term == Term::Pass(item);
        let mut around: Vec<T> = vec![root];
        for step in &steps {
            if let Way::At(at) = step {
                around.push(*at);
            }
        }
        if around.iter().any(|t| self.varies(*t, item) || self.terms.mentions(*t, &is_pass))
            || self.varies(from, item)
            || self.varies(to, item)
        {
            return Ok(None);
        }
        let (Some((low, up)), Some((high, also_up))) = (self.linear_in(from, pass), self.linear_in(to, pass)) else {
            return Ok(None);
        };
        if up != also_up || [low, high, up].iter().any(|t| self.terms.mentions(*t, &is_pass)) {
            return Ok(None);
        }
        let (Some(length), Some(by)) = (self.terms.sum(high, low, -1), self.terms.product(up, count)) else {
            return Ok(None);
        };
        let ends = if length == up {
            self.terms.sum(low, by, 1).map(|end| (low, end))
        } else if self.terms.sum(length, up, 1).is_some_and(|sum| self.terms.constant(sum) == Some(0)) {
            self.terms.sum(high, by, 1).map(|end| (end, high))
        } else {
            None
        };
        let Some((low, high)) = ends else { return Ok(None) };
        steps.push(Way::Range(low, high));
        Ok(Some(self.terms.spot(Spot { root, steps })))
    }
}

/// The places that an expression loads, those in subscripts included, and whether it always does.
pub(super) fn loads_of<'a>(expr: &'a Expr, surely: bool, loads: &mut Vec<(&'a Place, bool)>) {
    if let ExprKind::Load(place) = &expr.kind {
        loads.push((place, surely));
    }
    let always = !matches!(expr.kind, ExprKind::Select(..) | ExprKind::Binary(Binary::And | Binary::Or, ..));
    walk::parts(expr, &mut |part| loads_of(part, surely && always, loads));
}
