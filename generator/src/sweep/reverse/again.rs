//! Loops that are run again: the reversed pass takes back what the pass overwrote, runs it with pushes, and reverses it.
//!
//! ```text
//!   forward                         reverse
//!   ┌ push elements: hulls          ┌ pop record: what the pass began with
//!   │ body, without pushes          │ pop elements: hulls
//!   └ push record: what it          │ copy of the body, with its pushes
//!     began with                    └ reverse of the body, with their pops
//! ```
//!
//! What the body computes in its own region has a name behind the copy, so none of it is stored. Values of the regions
//! inside come back as in any other loop, from what the copy pushed.

use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

use super::bytes;
use crate::flow::required::Hull;
use crate::flow::walk as flow_walk;
use crate::ir::parts::{PartMut, parts_of_item_mut};
use crate::ir::*;
use crate::plan::game::Token;
use crate::sweep::builder::{Builder, Named, Pass, Stored};
use crate::sweep::items::site_of_loop;
use crate::sweep::{forward, tidy};

impl Builder<'_> {
    /// Whether the passes of a region run again.
    pub(in crate::sweep) fn is_run_again(&self, region: RegionId) -> bool {
        self.again_passes.iter().any(|pass| pass.body == region)
    }

    /// Begins the reverse of a pass in the current region of the sweep: what the pass overwrote comes back, and the
    /// pass runs again.
    pub(in crate::sweep) fn enter_again(
        &mut self,
        item: ItemId,
        body: RegionId,
        given: Vec<(ValueId, Token, Option<Named>)>,
        hulls: &[Hull],
    ) {
        self.plan.again.insert(item, hulls.to_vec());
        self.names.enter();
        for (value, _, name) in &given {
            if let Some(name) = name {
                self.names.insert(self.names.top(), *value, name.clone());
            }
        }
        self.regions.push(self.at);
        self.pops.push(Vec::new());
        let mark = self.item(ItemKind::Sweep(SweepItem::Nothing));
        self.late.push((mark, Vec::new()));
        let known = self.start.records.get(&body).cloned().unwrap_or_default();
        let mut given: Vec<(ValueId, Token)> = given.into_iter().map(|(value, token, _)| (value, token)).collect();
        given.extend(known.iter().map(|value| (*value, Token::Named)));
        self.game.enter_closed(body, given);
        let level = self.names.top();
        let from_snapshots = self.cx.facts.snapshots(self.id, item).is_some();
        for value in known {
            // Nothing is pushed behind a pass.
            if from_snapshots {
                self.unfit.push(item);
            }
            if self.is_late(body, value) {
                self.unfit.push(item);
            }
            self.record(level, body, value);
        }
        let read = self.read_inside(body);
        if let Some(snapshots) = self.cx.facts.snapshots(self.id, item).cloned() {
            self.come_from_snapshot(item, body, &read, snapshots);
        }
        for &head in &read {
            if matches!(self.primal.values[head].def, Def::Head(of, _) if of == item) && !self.game.has(head) {
                self.game.give(level, head, Token::Named);
                self.record(level, body, head);
            }
        }
        self.pop_hulls(hulls);
        let outside = self.outside(item, body, &read);
        let names = self.stand_ins(body);
        if self.cx.check {
            self.emit(ItemKind::Sweep(SweepItem::Rehearsal { step: Rehearsal::Again }));
        }
        let copy = self.emit(ItemKind::Sweep(SweepItem::Nothing));
        if self.cx.check {
            self.emit(ItemKind::Sweep(SweepItem::Rehearsal { step: Rehearsal::Compare(site_of_loop(self.id, item)) }));
        }
        let opened = self.name_computed(level, &names);
        self.again_passes.push(Pass { item, body, at: self.at, mark: copy, outside, names, taped: true });
        self.game.open(opened);
        self.objects(body);
        self.out.regions[self.at].items.push(mark);
        self.pointers_of_region(body);
        for var in self.vars.remove(&body).unwrap_or_default() {
            self.declare_adjoint(var);
        }
    }

    fn pop_hulls(&mut self, hulls: &[Hull]) {
        for hull in hulls.iter().rev() {
            let (place, count) = (self.primal_place(&hull.first), self.primal(&hull.count));
            self.emit(ItemKind::Sweep(SweepItem::Pop { what: Popped::Elements { place, count } }));
            let size = bytes(&hull.first.ty);
            let what = self.place_text(&hull.first);
            let (how, bytes) = match hull.count.kind {
                ExprKind::Int(n) => ("elements", size * n as f64),
                _ => ("elements, each", size),
            };
            let how = format!("stored in front of each pass, which is run again: {how}");
            self.explain(self.span, what, how, bytes);
        }
        let how = "its passes are run again, one at a time, before they are reversed".to_owned();
        self.explain(self.span, "loop".into(), how, 0.0);
    }

    /// The values that items of a region read, or extents of what they declare.
    fn read_inside(&self, body: RegionId) -> BTreeSet<ValueId> {
        let mut read = BTreeSet::new();
        for item in flow_walk::items(self.primal, body) {
            walk::values_of_item(self.primal, item, &mut |value| {
                read.insert(value);
            });
            walk::values_of_extents(self.primal, item, &mut |value| {
                read.insert(value);
            });
        }
        read
    }

    /// Names, as values, of what a pass reads and does not compute.
    fn outside(&mut self, item: ItemId, body: RegionId, read: &BTreeSet<ValueId>) -> FxHashMap<ValueId, ValueId> {
        let mut outside = FxHashMap::default();
        for &value in read {
            let this = &self.primal.values[value];
            let is_head = matches!(this.def, Def::Head(of, _) if of == item);
            if is_head || !flow_walk::contains(self.primal, body, this.region) {
                let name = self.primal.vars[this.var].name.clone();
                let named = self.require(value).value;
                outside.insert(value, self.bind_value(&name, named));
            }
        }
        outside
    }

    /// Values that stand for what a pass computes in its own region, until the copy is there.
    pub(super) fn stand_ins(&mut self, body: RegionId) -> BTreeMap<ValueId, ValueId> {
        let mut names = BTreeMap::new();
        for &value in self.definitions.of_region(body) {
            let this = &self.primal.values[value];
            if matches!(this.def, Def::Is(_) | Def::Join(..) | Def::Out(..) | Def::Result(_)) {
                let var = &self.primal.vars[this.var];
                let var = self.variable(&var.name.clone(), &var.ty.clone(), VarKind::Temporary);
                names.insert(value, self.define(var, Def::Undefined, self.at));
            }
        }
        names
    }

    /// Notes the names. A number needs none, and the adjoint of a pointer has none, so their recipes are followed.
    fn name_computed(&mut self, level: usize, names: &BTreeMap<ValueId, ValueId>) -> Vec<ValueId> {
        let mut given = Vec::new();
        for (&value, &name) in names {
            let ty = self.primal.type_of(value).clone();
            let pointer = matches!(ty, Type::Pointer(_));
            let number = |e: &Expr| matches!(e.kind, ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Null);
            if self.game.has(value)
                || self.definitions.get(value).is_some_and(|known| number(&known.expr))
                || (pointer && self.cx.facts.active_pointer(self.id, &self.primal.value_expr(value)))
            {
                continue;
            }
            let named = Named { value: Expr::value(name, ty), shadow: None };
            self.names.insert(level, value, named);
            given.push(value);
        }
        given
    }

    /// Puts the copies of passes in their places, with pushes as the plan has them. Returns what some of these store.
    pub(super) fn run_again(&mut self) -> BTreeMap<ItemId, Stored> {
        let mut pushes = BTreeMap::new();
        let mut names = FxHashMap::default();
        for pass in std::mem::take(&mut self.again_passes) {
            let (copy, stored) = if pass.taped {
                forward::copied(self.cx, self.id, &self.plan, pass.body)
            } else {
                (self.primal.clone(), BTreeMap::new())
            };
            if !self.is_complete(&copy, &pass) {
                self.unfit.push(pass.item);
                return BTreeMap::new();
            }
            let moved = Moved::new(&self.out, self.primal, &copy, &pass);
            pushes.extend(stored.into_iter().map(|(push, stored)| (moved.item(push), stored)));
            names.extend(pass.names.iter().map(|(value, name)| (*name, moved.value(*value))));
            self.note_copy(&copy, &moved, &pass);
            moved.put(copy, &mut self.out, &pass);
        }
        if !names.is_empty() {
            let renamed = |value: &ValueId| names.get(value).copied().unwrap_or(*value);
            rewrite::values(&mut self.out, &mut |value| *value = renamed(value));
            // A pass inside another one reads what the copy of that one computes.
            for of in self.copies.values.values_mut() {
                *of = std::mem::take(of).into_iter().map(|(value, equals)| (renamed(&value), equals)).collect();
            }
        }
        pushes
    }

    /// Notes which parts of the primal those of a copy stand for.
    fn note_copy(&mut self, copy: &Proc, moved: &Moved, pass: &Pass) {
        let of_primal = |item: ItemId| (item.index() < self.primal.items.len()).then_some(item);
        let items = flow_walk::items(copy, pass.body).into_iter();
        self.copies.items.extend(items.map(|item| (moved.item(item), of_primal(item))));
        let names = self.copies.values.entry(pass.item).or_default();
        for value in self.primal.values.ids() {
            names.entry(moved.value(value)).or_default().insert(value);
        }
        self.copied_objects.extend(moved.own.iter().map(|object| (moved.object(*object), *object)));
    }

    /// Whether the sweep has names for all that a copy reads.
    fn is_complete(&self, copy: &Proc, pass: &Pass) -> bool {
        let mut complete = true;
        for item in flow_walk::items(copy, pass.body) {
            walk::values_of_item(copy, item, &mut |value| {
                let this = &copy.values[value];
                let head = matches!(this.def, Def::Head(of, _) if of == pass.item);
                let inside = flow_walk::contains(copy, pass.body, this.region) && !head;
                complete &= inside || pass.outside.contains_key(&value);
            });
        }
        complete
    }

    /// Removes what nothing uses. What is not popped is not pushed, in copies of passes neither.
    pub(super) fn tidy(&mut self, mut pushes: BTreeMap<ItemId, Stored>) {
        loop {
            let gone = tidy::tidy(&mut self.out);
            self.drop_stored(&gone);
            let left: BTreeSet<Stored> = self.stored.values().map(|(stored, _)| *stored).collect();
            let before = pushes.len();
            let mut dropped = BTreeSet::new();
            pushes.retain(|push, stored| left.contains(stored) || !dropped.insert(*push));
            for region in &mut self.out.regions {
                region.items.retain(|item| !dropped.contains(item));
            }
            if pushes.len() == before {
                return;
            }
        }
    }
}

/// How the numbers of a copy change where it becomes part of the sweep.
struct Moved {
    vars: u32,
    values: u32,
    objects: u32,
    items: u32,
    regions: u32,
    body: RegionId,
    at: RegionId,
    outside: FxHashMap<ValueId, ValueId>,
    /// Objects that live inside the pass, but not all the time; of a pass without a tape, all that it makes.
    own: BTreeSet<ObjectId>,
}

impl Moved {
    fn new(out: &Proc, primal: &Proc, copy: &Proc, pass: &Pass) -> Moved {
        let number = |length: usize| u32::try_from(length).expect("fewer than 2^32 of a kind");
        let inside = flow_walk::items(copy, pass.body);
        let own = inside.into_iter().filter_map(|item| {
            if let ItemKind::Alloc { object, .. } = copy.items[item].kind {
                Some(object)
            } else if let ItemKind::Declare { object } = copy.items[item].kind
                && (!pass.taped || primal.objects[object].life != Life::Region(pass.body))
            {
                Some(object)
            } else {
                None
            }
        });
        Moved {
            vars: number(out.vars.len()),
            values: number(out.values.len()),
            objects: number(out.objects.len()),
            items: number(out.items.len()),
            regions: number(out.regions.len()),
            body: pass.body,
            at: pass.at,
            outside: pass.outside.clone(),
            own: own.collect(),
        }
    }

    fn item(&self, item: ItemId) -> ItemId {
        ItemId(item.0 + self.items)
    }

    fn value(&self, value: ValueId) -> ValueId {
        self.outside.get(&value).copied().unwrap_or(ValueId(value.0 + self.values))
    }

    fn var(&self, var: VarId) -> VarId {
        VarId(var.0 + self.vars)
    }

    fn object(&self, object: ObjectId) -> ObjectId {
        if self.own.contains(&object) { ObjectId(object.0 + self.objects) } else { object }
    }

    fn region(&self, region: RegionId) -> RegionId {
        if region == self.body { self.at } else { RegionId(region.0 + self.regions) }
    }

    /// Appends the copy to the sweep, and puts the items of the pass in the place of the mark. Nothing else of the copy
    /// stands in a region.
    fn put(&self, mut copy: Proc, out: &mut Proc, pass: &Pass) {
        let all: BTreeSet<ItemId> = flow_walk::items(&copy, self.body).into_iter().collect();
        let kept: BTreeSet<RegionId> = all.iter().flat_map(|item| copy.items[*item].kind.regions()).collect();
        for (at, item) in copy.items.iter_mut().enumerate() {
            if !all.contains(&ItemId::new(at)) {
                item.kind = ItemKind::Sweep(SweepItem::Nothing);
            }
        }
        rewrite::values(&mut copy, &mut |value| *value = self.value(*value));
        rewrite::places(&mut copy, &mut |place| {
            if let Base::Object(object) = &mut place.base {
                *object = self.object(*object);
            }
        });
        for value in &mut copy.values {
            if value.region != self.body && !kept.contains(&value.region) {
                value.def = Def::Undefined;
            }
            value.var = self.var(value.var);
            value.region = self.region(value.region);
            match &mut value.def {
                Def::Join(item, _) | Def::Head(item, _) | Def::Out(item, _) | Def::Result(item) | Def::Popped(item) => {
                    *item = self.item(*item);
                }
                Def::Entry(_) | Def::Undefined | Def::Is(_) => {}
            }
        }
        for item in &mut copy.items {
            parts_of_item_mut(&mut item.kind, &mut |part| match part {
                PartMut::Region(region) => *region = self.region(*region),
                PartMut::Var(var) => *var = self.var(*var),
                PartMut::Object(object) => *object = self.object(*object),
                PartMut::Expr(_) | PartMut::Read(_) | PartMut::Written(_) | PartMut::Used(_) | PartMut::Defined(_) => {}
            });
        }
        for object in &mut copy.objects {
            if let Life::Region(region) = &mut object.life {
                *region = self.region(*region);
            }
        }
        let inside: Vec<ItemId> = copy.regions[self.body].items.iter().map(|item| self.item(*item)).collect();
        for (at, region) in copy.regions.iter_mut().enumerate() {
            if kept.contains(&RegionId::new(at)) {
                region.items.iter_mut().for_each(|item| *item = self.item(*item));
            } else {
                region.items.clear();
            }
            region.parent = region.parent.map(|(outer, item)| (self.region(outer), self.item(item)));
        }
        out.vars.append(&mut copy.vars);
        out.values.append(&mut copy.values);
        out.objects.append(&mut copy.objects);
        out.items.append(&mut copy.items);
        out.regions.append(&mut copy.regions);
        let items = &mut out.regions[pass.at].items;
        let mark = items.iter().position(|item| *item == pass.mark).expect("emitted by `enter_again`");
        items.splice(mark..=mark, inside);
    }
}
