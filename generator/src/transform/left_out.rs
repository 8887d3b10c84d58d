//! What the forward sweep leaves out, because only the caller or nobody wants it: results, and loops that run again in the
//! reverse sweep anyway.
//!
//! ```text
//!   double misfit(…) { for (i = 0; i < n; i++) sum += …; return sum; }
//!   misfit_b           gives no sum: the reverse sweep runs each pass, with a tape, and reverses it; forward, none runs
//! ```
//!
//! A loop may be left out if it runs again, stores nothing for that, leaves no value that something else reads, and
//! overwrites only variables and blocks of its procedure that nothing else touches. Replay proves the sweeps without it.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

use crate::flow::walk as flow_walk;
use crate::flow::{Flow, Loc, Root, effects::Effects};
use crate::ir::*;
use crate::sweep::tidy;
use crate::sweeps::{Deferred, Sweeps};

/// Results that the caller of an adjoint does not get.
#[derive(Clone, Debug, Default)]
pub struct Unwanted {
    /// The procedure's own.
    pub result: bool,
    /// Those behind pointer arguments, by position.
    pub behind: Vec<u32>,
}

/// Finds what the forward sweep of a procedure may leave out.
pub fn find(flow: &Flow, sweeps: &Sweeps, unwanted: &Unwanted) -> Deferred {
    let this = Finder::new(flow, &sweeps.forward, sweeps.proc);
    let reached = this.outside(&BTreeSet::new());
    let again = sweeps.plan.again.keys().copied().filter(|item| reached.contains(item)).collect();
    let is_free = |k: &u32| !sweeps.interface.params.contains(&ReverseParam::Primal(*k));
    let behind = unwanted.behind.iter().copied().filter(is_free).collect();
    this.find(again, &Unwanted { behind, ..*unwanted })
}

/// The loops of a procedure, not inside others, that its forward sweep may leave out if they run again.
pub fn costless(flow: &Flow, p: ProcId, unwanted: &Unwanted) -> Vec<ItemId> {
    let f = &flow.program.procs[p];
    let (mut loops, mut regions) = (Vec::new(), vec![RegionId(0)]);
    while let Some(region) = regions.pop() {
        for item in &f.regions[region].items {
            if matches!(f.items[*item].kind, ItemKind::Loop { .. }) {
                loops.push(*item);
            } else if let ItemKind::Branch { then, otherwise, .. } = f.items[*item].kind {
                regions.extend([then, otherwise]);
            }
        }
    }
    let found = Finder::new(flow, f, p).find(loops.clone(), unwanted);
    loops.retain(|item| found.items.contains(item));
    loops
}

/// A forward sweep of some of its items, without what nobody needs then.
fn only(f: &Proc, items: &BTreeSet<ItemId>, without_result: bool) -> Proc {
    let mut forward = f.clone();
    for region in &mut forward.regions {
        region.items.retain(|item| items.contains(item));
    }
    if without_result && forward.result.take().is_some() {
        forward.result_type = Type::Void;
    }
    tidy::tidy(&mut forward);
    forward
}

struct Finder<'a> {
    flow: &'a Flow<'a>,
    f: &'a Proc,
    p: ProcId,
    /// The items that read or overwrite something of each object of the procedure.
    touching: FxHashMap<ObjectId, Vec<ItemId>>,
}

impl<'a> Finder<'a> {
    fn new(flow: &'a Flow<'a>, f: &'a Proc, p: ProcId) -> Self {
        let mut this = Finder { flow, f, p, touching: FxHashMap::default() };
        let mut touching: FxHashMap<ObjectId, Vec<ItemId>> = FxHashMap::default();
        for item in this.outside(&BTreeSet::new()) {
            let kind = &f.items[item].kind;
            let begins_or_ends = kind.begun().is_some() || matches!(kind, ItemKind::Free { .. });
            // All contents, where the life of an object ends: these are what nobody needs then.
            let saves =
                |what: &Pushed| matches!(what, Pushed::Elements { place, .. } if matches!(place.base, Base::Object(_)));
            if begins_or_ends || matches!(kind, ItemKind::Sweep(SweepItem::Push { what }) if saves(what)) {
                continue;
            }
            for object in this.reads(item).into_iter().chain(this.written(item)).filter_map(|loc| this.object(loc)) {
                touching.entry(object).or_default().push(item);
            }
        }
        this.touching = touching;
        this
    }

    /// What may be left out if some loops run again.
    fn find(&self, again: Vec<ItemId>, unwanted: &Unwanted) -> Deferred {
        let mut items: BTreeSet<ItemId> = unwanted.behind.iter().flat_map(|k| self.stores_behind(*k)).collect();
        let loops: Vec<(ItemId, BTreeSet<ObjectId>)> =
            again.into_iter().filter_map(|item| Some((item, self.written_alone(item)?))).collect();
        items.extend(loops.iter().map(|(item, _)| *item));
        // What a loop leaves may be what another one begins with.
        while !items.is_empty() || unwanted.result && self.f.result.is_some() {
            let mut others = self.outside(&items);
            let forward = only(self.f, &others, unwanted.result);
            let used = tidy::values_used(&forward);
            let is_used = |item: &ItemId| {
                let ItemKind::Loop { carried, .. } = &self.f.items[*item].kind else { return false };
                carried.iter().any(|c| used.contains(&c.out))
            };
            let needed: Vec<ItemId> = items.iter().copied().filter(is_used).collect();
            if needed.is_empty() {
                let left_out = loops.iter().filter(|(item, _)| items.contains(item));
                let unread = left_out.flat_map(|(_, objects)| objects.iter().copied()).collect();
                let kept: BTreeSet<&ItemId> = forward.regions.iter().flat_map(|region| &region.items).collect();
                others.retain(|item| !kept.contains(item));
                items.extend(others);
                return Deferred { forward: Some(forward), items, unread };
            }
            items.retain(|item| !needed.contains(item));
        }
        Deferred::default()
    }

    /// The items outside of some of them.
    fn outside(&self, without: &BTreeSet<ItemId>) -> BTreeSet<ItemId> {
        let (mut all, mut regions) = (BTreeSet::new(), vec![RegionId(0)]);
        while let Some(region) = regions.pop() {
            for item in self.f.regions[region].items.iter().filter(|item| !without.contains(item)) {
                all.insert(*item);
                regions.extend(self.f.items[*item].kind.regions());
            }
        }
        all
    }

    /// The stores of the whole procedure to what an argument points to, if nothing else touches that.
    fn stores_behind(&self, k: u32) -> Vec<ItemId> {
        let Some(entry) = self.f.params[k as usize].entry else { return Vec::new() };
        let is_store = |item: &ItemId| {
            let ItemKind::Store { to: Place { base: Base::At(pointer), ty: Type::Float { .. }, .. }, .. } =
                &self.f.items[*item].kind
            else {
                return false;
            };
            pointer.kind == ExprKind::Value(entry)
        };
        let stores: Vec<ItemId> = self.f.regions[RegionId::BODY].items.iter().copied().filter(is_store).collect();
        let locs: FxHashSet<Loc> = stores.iter().flat_map(|item| self.written(*item)).collect();
        let touches = |loc: &Loc| locs.contains(loc);
        let alone = self.outside(&BTreeSet::new()).iter().all(|item| {
            !self.reads(*item).iter().any(touches)
                && (stores.contains(item) || !self.written(*item).any(|loc| touches(&loc)))
        });
        if alone && !self.result_reads(&touches) { stores } else { Vec::new() }
    }

    /// The objects that a loop overwrites, if they are the procedure's own and nothing outside touches them, and the loop
    /// does nothing else that is seen outside.
    fn written_alone(&self, item: ItemId) -> Option<BTreeSet<ObjectId>> {
        let ItemKind::Loop { body, .. } = self.f.items[item].kind else { return None };
        let inside = flow_walk::items(self.f, body);
        let only_computes = |item: &ItemId| {
            matches!(
                self.f.items[*item].kind,
                ItemKind::Let { .. }
                    | ItemKind::Store { .. }
                    | ItemKind::Branch { .. }
                    | ItemKind::Loop { .. }
                    | ItemKind::Call { callee: Callee::Proc(_), .. }
                    | ItemKind::Declare { .. }
                    | ItemKind::DeclareVar { .. }
                    | ItemKind::Sweep(SweepItem::Nothing)
            )
        };
        if !inside.iter().all(only_computes) {
            return None;
        }
        let points = &self.flow.points;
        let locs = &self.flow.effects.of_region(self.p, body).writes;
        let is_own = |loc: &Loc| match points.locs.root(*loc) {
            Root::Object(q, object) if q == self.p => {
                let life = &self.f.objects[object].life;
                matches!(life, Life::Region(_) | Life::Heap) && !points.escapes(points.locs.root_top(*loc))
            }
            _ => false,
        };
        if !locs.iter().all(is_own) {
            return None;
        }
        let objects: BTreeSet<ObjectId> = locs.iter().filter_map(|loc| self.object(*loc)).collect();
        if objects.is_empty() {
            return Some(objects);
        }
        let inside: FxHashSet<ItemId> = inside.into_iter().collect();
        let touching = objects.iter().filter_map(|object| self.touching.get(object)).flatten();
        let alone = touching.into_iter().all(|other| *other == item || inside.contains(other));
        let touches = |loc: &Loc| self.object(*loc).is_some_and(|object| objects.contains(&object));
        (alone && !self.result_reads(&touches)).then_some(objects)
    }

    fn object(&self, loc: Loc) -> Option<ObjectId> {
        match self.flow.points.locs.root(loc) {
            Root::Object(q, object) if q == self.p => Some(object),
            _ => None,
        }
    }

    /// What an item itself reads; a call with what its callee does.
    fn reads(&self, item: ItemId) -> BTreeSet<Loc> {
        let program = &self.flow.program.procs[self.p];
        let points = &self.flow.points;
        let mut all: BTreeSet<Loc> = BTreeSet::new();
        if item.index() < program.items.len() {
            all.extend(Effects::loads(self.flow.program, points, self.p, item));
            if matches!(self.f.items[item].kind, ItemKind::Call { .. }) {
                all.extend(&self.flow.effects.item(self.p, item).reads);
            }
        }
        let mut see = |place: &Place| all.extend(points.cells(self.p, place));
        walk::operands(self.f, item, &mut |operand| match operand {
            Ok(e) => flow_walk::loads(e).into_iter().for_each(&mut see),
            Err(place) if matches!(self.f.items[item].kind, ItemKind::Sweep(SweepItem::Push { .. })) => see(place),
            Err(_) => {}
        });
        all.iter().flat_map(|loc| points.aliases(self.p, *loc)).collect()
    }

    /// What an item itself overwrites.
    fn written(&self, item: ItemId) -> impl Iterator<Item = Loc> {
        let known = item.index() < self.flow.program.procs[self.p].items.len();
        let acts = known && self.f.items[item].kind.regions().is_empty();
        let writes = acts.then(|| self.flow.effects.item(self.p, item).writes.clone()).into_iter().flatten();
        writes.flat_map(|loc| self.flow.points.aliases(self.p, loc))
    }

    fn result_reads(&self, touches: &dyn Fn(&Loc) -> bool) -> bool {
        let loads = self.f.result.iter().flat_map(|result| flow_walk::loads(result));
        loads.into_iter().any(|place| self.flow.points.cells(self.p, place).iter().any(touches))
    }
}
