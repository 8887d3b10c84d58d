//! The reverse sweep on terms, group by group.

use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

use super::section::Section;
use super::state::{Replay, Res, Side, open};
use super::sums::Linear;
use super::terms::{P, Spot, Term, Way};
use crate::ir::*;
use crate::stack::deep;

/// What a group of items reverses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// The result of the procedure.
    Result,
    /// An item.
    Item(ItemId),
    /// What is left for the arguments.
    Arguments,
}

/// A region of the forward sweep that is being reversed.
pub(super) struct Walk {
    pub region: RegionId,
    /// The items from here on are reversed.
    pub reversed: usize,
    /// What is on the tape, last on top.
    pub tape: Vec<ItemId>,
    pub group: Option<Group>,
    /// Damage in front of a call, branch or loop that is about to be reversed, and what was back then.
    pub around: Vec<Section>,
    pub back: FxHashSet<P>,
    /// What passes of the loop that is about to be reversed have filled: see [`Replay::filled_by_loops`].
    pub filled: Vec<P>,
    /// Whether what the group's item has inside has been reversed.
    pub entered: bool,
}

impl Replay<'_> {
    pub(super) fn reverse(&mut self) -> Res<()> {
        self.at = self.last;
        let params: Vec<ReverseParam> = self.given.params.clone();
        for (param, role) in self.r.params.iter().zip(&params) {
            let Some(entry) = param.entry else {
                let Some(object) = param.object else {
                    return open("a parameter of the reverse sweep without a value");
                };
                self.passed_as_it_was(object);
                continue;
            };
            let t = match role {
                ReverseParam::Primal(k) => {
                    let t = self.terms.make(Term::Entry(*k));
                    self.terms.is_exactly(t, &param.ty);
                    t
                }
                ReverseParam::Adjoint(k) => {
                    let of = self.terms.make(Term::Entry(*k));
                    self.terms.make(Term::Shadow(of))
                }
                // A struct has its adjoint behind a pointer.
                ReverseParam::Seed => self.terms.make(Term::Seed),
            };
            self.names[entry.index()] = Some(t);
        }
        self.begin_without()?;
        self.reverse_region(RegionId(0), RegionId(0))
    }

    pub(super) fn has_tape(&self, item: ItemId) -> bool {
        self.on_tape[item.index()]
    }

    /// Reverses a region: `own` of the reverse sweep reverses `region` of the forward sweep.
    pub(super) fn reverse_region(&mut self, region: RegionId, own: RegionId) -> Res<()> {
        let r = self.r;
        deep(|| self.reverse_items(region, &r.regions[own].items))
    }

    /// Reverses a region by these items of the reverse sweep.
    pub(super) fn reverse_items(&mut self, region: RegionId, own: &[ItemId]) -> Res<()> {
        let items = &self.f.regions[region].items;
        let mut tape: Vec<ItemId> = items.iter().copied().filter(|item| self.has_tape(*item)).collect();
        if let Some((_, branch)) = self.f.regions[region].parent
            && self.told.contains(&branch)
        {
            // The bit was popped in front of the branch.
            tape.pop();
        }
        let first = if region == RegionId(0) && self.result_is_reversed() { Some(Group::Result) } else { None };
        let reversed = items.len();
        let (around, back) = (Vec::new(), FxHashSet::default());
        let filled = Vec::new();
        let mut walk = Walk { region, reversed, tape, group: first, around, back, filled, entered: false };
        self.lose_locals(region);
        for &item in own {
            self.reverse_item(&mut walk, item)?;
        }
        let ended = walk.group == Some(Group::Arguments);
        self.finish(&mut walk)?;
        self.pass_to(&mut walk, 0)?;
        if region == RegionId(0) && !ended {
            walk.group = Some(Group::Arguments);
            self.finish(&mut walk)?;
        }
        if !walk.tape.is_empty() {
            return Err(self.refuted("what the forward sweep pushed is not popped"));
        }
        self.at = self.starts[&region];
        let damage = std::mem::take(&mut self.damage);
        self.damage = damage.into_iter().filter_map(|section| self.outside(section, region)).collect();
        Ok(())
    }

    fn result_is_reversed(&self) -> bool {
        self.given.params.contains(&ReverseParam::Seed)
    }

    /// Passes over items that the reverse sweep leaves alone, down to position `to`.
    fn pass_to(&mut self, walk: &mut Walk, to: usize) -> Res<()> {
        let f = self.f;
        while walk.reversed > to {
            walk.reversed -= 1;
            let item = f.regions[walk.region].items[walk.reversed];
            self.pass_over(item)?;
        }
        Ok(())
    }

    /// An item that nothing in the reverse sweep comes from.
    pub(super) fn pass_over(&mut self, item: ItemId) -> Res<()> {
        let f = self.f;
        let this = &f.items[item];
        if let ItemKind::Sweep(SweepItem::Push { .. }) = &this.kind {
            return Ok(());
        } else if let ItemKind::Branch { then, otherwise, .. } = &this.kind {
            if self.has_tape(item) && !self.told.remove(&item) {
                self.span = this.span;
                return Err(self.refuted("what a branch pushed is not popped"));
            }
            for region in [then, otherwise] {
                self.at = self.ends[region];
                for inner in f.regions[*region].items.clone().into_iter().rev() {
                    self.pass_over(inner)?;
                }
            }
            let writes = self.effects.get(&item).cloned().unwrap_or_default();
            self.add_damage(writes);
        } else if let ItemKind::Loop { body, .. } = &this.kind {
            if self.has_tape(item) {
                self.span = this.span;
                return Err(self.refuted("what a loop pushed is not popped"));
            }
            if self.never_runs(item) {
                self.at = self.before[item.index()];
                return Ok(());
            }
            let around = self.damage.clone();
            for inner in f.regions[*body].items.clone().into_iter().rev() {
                self.pass_over(inner)?;
            }
            // What one pass writes is in what all of them do.
            self.damage = around;
            let writes = self.effects.get(&item).cloned().unwrap_or_default();
            self.add_damage(writes);
        } else if matches!(this.kind, ItemKind::Store { .. }) {
            self.unwrite(item)?;
            self.at = self.before[item.index()];
            let demanded = self.demanded(item)?;
            self.unchanged(item, &demanded)?;
        } else if matches!(this.kind, ItemKind::Let { .. }) {
            self.at = self.before[item.index()];
            let demanded = self.demanded(item)?;
            self.unchanged(item, &demanded)?;
            let ended = self.ended_by(item);
            ended.into_iter().for_each(|ended| self.end_adjoint(ended));
        } else if let ItemKind::Given { when, .. } = &this.kind {
            self.pass_over_given(when, this.span)?;
        } else if let ItemKind::Call { callee, .. } = &this.kind {
            let ended = self.ended_by(item);
            ended.into_iter().for_each(|ended| self.end_adjoint(ended));
            if matches!(callee, Callee::Sweep(..)) {
                self.span = this.span;
                return Err(self.refuted("a call is not reversed"));
            }
            let mut writes = self.call_writes(item);
            writes.extend(self.given_to(item)?);
            self.add_damage(writes);
            let demanded = self.demanded(item)?;
            self.unchanged(item, &demanded)?;
        }
        self.at = self.before[item.index()];
        Ok(())
    }

    /// A store is undone: its place is damaged, unless its old contents are back already. Whether it is.
    fn unwrite(&mut self, item: ItemId) -> Res<bool> {
        let place = self.stored[&item];
        let runs = self.run.clone();
        let Some((of, first)) = runs.into_iter().find(|(of, first)| self.is_of_run(*of, *first, place)) else {
            self.damaged(place);
            return Ok(true);
        };
        let pass = self.terms.make(Term::Pass(of));
        let (with, without) = (self.early(first, pass, 1)?, self.early(first, pass, 0)?);
        self.restored(with);
        self.damaged(without);
        // What is damaged takes the whole row along, of which this element is back.
        self.back.insert(place);
        Ok(false)
    }

    fn unchanged(&mut self, item: ItemId, demanded: &BTreeMap<P, Linear>) -> Res<()> {
        if demanded.is_empty() {
            return Ok(());
        }
        let before = std::mem::replace(&mut self.span, self.f.items[item].span);
        self.compare(demanded, None)?;
        self.span = before;
        Ok(())
    }

    pub(super) fn call_writes(&mut self, item: ItemId) -> Vec<Section> {
        let given = self.given;
        given.calls.get(&item).map(|effect| self.sections_of_call(item, &effect.may)).unwrap_or_default()
    }

    pub(super) fn add_damage(&mut self, more: Vec<Section>) {
        for section in more {
            self.no_longer_back(&section);
            let known = self.damage.contains(&section);
            section.place.iter().filter(|place| !(known && self.made.contains(place))).for_each(|place| {
                self.certain.remove(place);
            });
            if !known {
                self.damage.push(section);
            }
        }
    }

    // ---- groups --------------------------------------------------------------------------------------------------

    /// Ends the group at hand.
    fn finish(&mut self, walk: &mut Walk) -> Res<()> {
        self.written = None;
        let Some(group) = walk.group.take() else {
            return self.compare(&BTreeMap::new(), None);
        };
        let mut may_clear = None;
        if let Group::Item(item) = group
            && !walk.entered
        {
            if matches!(self.f.items[item].kind, ItemKind::Loop { .. }) {
                self.only_elements(item)?;
            } else if matches!(self.f.items[item].kind, ItemKind::Branch { .. }) {
                self.only_told(walk, item)?;
            }
        }
        let demanded = match group {
            Group::Item(item) => {
                self.span = self.f.items[item].span;
                self.item = Some(item);
                if let ItemKind::Let { value } | ItemKind::Call { result: Some(value), .. } = self.f.items[item].kind {
                    may_clear = self.variable(value);
                }
                self.demanded(item)?
            }
            Group::Result => {
                (self.span, self.item) = (self.f.span, None);
                let mut demanded = BTreeMap::new();
                if let Some(object) = self.f.result_object {
                    demanded = self.demanded_by_result(object)?;
                } else if let Some(result) = &self.f.result {
                    let seed = self.terms.make(Term::Seed);
                    let seed = Linear::from([((seed, Vec::new()), 1)]);
                    let at = std::mem::replace(&mut self.at, self.last);
                    self.spread(result, &seed, &mut demanded)?;
                    self.at = at;
                }
                demanded
            }
            Group::Arguments => {
                (self.span, self.item) = (self.f.span, None);
                let mut demanded = BTreeMap::new();
                for role in self.given.params.clone() {
                    let ReverseParam::Adjoint(k) = role else { continue };
                    let param = &self.f.params[k as usize];
                    if let (Type::Struct(_), Some(object)) = (&param.ty, param.object) {
                        self.demand_for_argument(k, object, &mut demanded)?;
                    }
                    let (Type::Float { .. }, Some(entry)) = (&param.ty, param.entry) else { continue };
                    let Some(from) = self.variable(entry) else { continue };
                    let from = self.found_before(from)?;
                    let from = self.linear(from)?;
                    let of = self.terms.make(Term::Entry(k));
                    let root = self.terms.make(Term::Shadow(of));
                    let zero = self.terms.number(0);
                    let to = self.terms.spot(Spot { root, steps: vec![Way::At(zero)] });
                    let found = self.found_before(to)?;
                    let mut sum = self.linear(found)?;
                    for (product, count) in from {
                        *sum.entry(product).or_default() += count;
                    }
                    demanded.insert(to, sum);
                }
                demanded
            }
        };
        let ended = if let Group::Item(item) = group { self.ended_by(item) } else { None };
        let is_cleared = match ended {
            Some(ended) => self.is_cleared(ended)?,
            None => true,
        };
        self.compare(&demanded, may_clear)?;
        if let Some(ended) = ended.filter(|_| !is_cleared) {
            self.end_adjoint(ended);
        }
        Ok(())
    }

    /// Begins the group of an item at a position of its region.
    fn begin(&mut self, walk: &mut Walk, item: ItemId, position: usize) -> Res<()> {
        self.finish(walk)?;
        if position >= walk.reversed {
            return Err(self.refuted("items are reversed in another order than last first"));
        }
        self.pass_to(walk, position + 1)?;
        walk.reversed = position;
        walk.group = Some(Group::Item(item));
        walk.entered = false;
        self.span = self.f.items[item].span;
        self.item = Some(item);
        walk.around = self.damage.clone();
        walk.back.clone_from(&self.back);
        walk.filled = self.filled.iter().filter(|(of, _)| *of == item).map(|(_, place)| *place).collect();
        let kind = &self.f.items[item].kind;
        if matches!(kind, ItemKind::Store { .. }) {
            let found = self.as_found(item);
            self.written = self.unwrite(item)?.then_some(found);
        } else if matches!(kind, ItemKind::Call { .. }) {
            let mut writes = self.call_writes(item);
            writes.extend(self.given_to(item)?);
            self.add_damage(writes);
        } else if let ItemKind::Branch { .. } | ItemKind::Loop { .. } = kind {
            let writes = self.effects.get(&item).cloned().unwrap_or_default();
            self.add_damage(writes);
        }
        self.at = self.before[item.index()];
        Ok(())
    }

    fn reverse_item(&mut self, walk: &mut Walk, item: ItemId) -> Res<()> {
        let r = self.r;
        let origin = self.given.origins.items.get(item.index()).copied().flatten();
        let position = origin.and_then(|origin| match self.positions.get(origin.index()) {
            Some(Some((region, position))) if *region == walk.region => Some(*position),
            _ => None,
        });
        match (origin, position) {
            (Some(origin), Some(position)) if walk.group != Some(Group::Item(origin)) => {
                self.begin(walk, origin, position)?;
            }
            (None, _) if self.is_for_argument(item) && walk.group != Some(Group::Arguments) => {
                self.finish(walk)?;
                self.pass_to(walk, 0)?;
                walk.group = Some(Group::Arguments);
            }
            _ => {}
        }
        match &r.items[item].kind {
            ItemKind::Let { value } => {
                let Def::Is(expr) = &r.values[*value].def else { return open("a value without a definition") };
                let t = self.eval(Side::Reverse, expr)?;
                self.names[value.index()] = Some(t);
            }
            ItemKind::Sweep(SweepItem::Pop { what }) => self.pop(walk, what)?,
            ItemKind::Store { to, from } => {
                let place = self.place(Side::Reverse, to)?;
                if self.is_shadow(self.terms.get_spot(place).root) && matches!(to.ty, Type::Float { .. }) {
                    let value = self.eval(Side::Reverse, from)?;
                    self.store_adjoint(place, value)?;
                } else if matches!(to.ty, Type::Pointer(_)) {
                    let value = self.eval(Side::Reverse, from)?;
                    self.set_pointer(place, value)?;
                } else {
                    return open("a number that the reverse sweep stores");
                }
            }
            ItemKind::Sweep(SweepItem::Accumulate { to, from }) => {
                let place = self.place(Side::Reverse, to)?;
                if !self.is_shadow(self.terms.get_spot(place).root) {
                    return Err(self.refuted("something is added to memory of the primal"));
                }
                let value = self.eval(Side::Reverse, from)?;
                self.accumulate(place, value, &to.ty)?;
            }
            ItemKind::Declare { object } | ItemKind::Alloc { object, .. } => {
                let kind = &r.items[item].kind;
                if let ItemKind::Alloc { count, .. } = kind {
                    self.as_large(*object, count)?;
                } else {
                    self.as_long(*object)?;
                }
                self.declare(*object, matches!(kind, ItemKind::Alloc { zeroed: true, .. }))?;
            }
            ItemKind::Sweep(SweepItem::Clear { object }) => {
                let root = self.object(Side::Reverse, *object);
                self.clear_adjoint(root)?;
            }
            ItemKind::Free { .. }
            | ItemKind::DeclareVar { .. }
            | ItemKind::Sweep(
                SweepItem::Nothing
                | SweepItem::Witness { .. }
                | SweepItem::Rehearsal { .. }
                | SweepItem::Shadowed { .. },
            ) => {}
            ItemKind::Sweep(SweepItem::Snapshot(_)) => {
                return Err(self.refuted("a snapshot comes back where no pass begins"));
            }
            ItemKind::Branch { on, then, otherwise, joins } => {
                if !joins.is_empty() {
                    return open("a value that a branch of the reverse sweep chooses");
                }
                let Some(of) = origin.filter(|_| position.is_some()) else {
                    return Err(self.refuted("a branch of the reverse sweep reverses no branch"));
                };
                walk.entered = true;
                self.reverse_branch(walk, of, on, [*then, *otherwise])?;
            }
            ItemKind::Loop { .. } => {
                let Some(of) = origin.filter(|_| position.is_some()) else {
                    return Err(self.refuted("a loop of the reverse sweep reverses no loop"));
                };
                self.take_nested(walk, of)?;
                walk.entered = true;
                let around = walk.around.clone();
                self.back.clone_from(&walk.back);
                let filled = std::mem::take(&mut walk.filled);
                self.reverse_loop(of, item, around, &filled)?;
                self.span = self.f.items[of].span;
                self.at = self.before[of.index()];
            }
            ItemKind::Call { callee, args, result, into } => {
                if result.is_some() || into.is_some() {
                    return open("a call with a result in a reverse sweep");
                }
                let Some(of) = origin.filter(|_| position.is_some()) else {
                    return Err(self.refuted("a call of the reverse sweep reverses no call"));
                };
                self.reverse_call(walk, of, callee, args)?;
            }
            ItemKind::Given { args, needs, .. } => {
                let Some(of) = origin.filter(|_| position.is_some()) else {
                    return Err(self.refuted("a given derivative belongs to no step of the forward sweep"));
                };
                self.reverse_given(of, args, needs)?;
            }
            ItemKind::Sweep(SweepItem::Push { .. }) => {
                return Err(self.refuted("something is pushed in a reverse sweep"));
            }
            ItemKind::Sweep(SweepItem::Release { .. } | SweepItem::Undo { .. }) => {
                return open("an item that is not modelled");
            }
        }
        Ok(())
    }

    pub(super) fn declare(&mut self, object: ObjectId, zeroed: bool) -> Res<()> {
        let root = self.object(Side::Reverse, object);
        match self.given.origins.objects[object.index()] {
            Origin::Primal(of) => {
                let whole = self.whole_of(of, root);
                self.made.insert(whole);
                self.damaged(whole);
            }
            Origin::Shadow(_) | Origin::Variable(_) | Origin::Own => {
                let terms = &self.terms;
                self.shadow_pointers.retain(|place, _| terms.get_spot(*place).root != root);
                self.declare_adjoint(root);
                if zeroed {
                    self.clear_adjoint(root)?;
                }
            }
        }
        Ok(())
    }
}
