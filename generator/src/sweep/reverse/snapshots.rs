//! Loops that run again from snapshots: the reversed pass begins with the way to its head.
//!
//! ```text
//!   forward                          reverse
//!   ┌ snapshot, if it is time        ┌ the last snapshot comes back
//!   └ body, without pushes           │ ┌ body, without pushes, up to the head of the pass
//!                                    │ └ snapshot, if it is time
//!                                    │ copy of the body, with its pushes
//!                                    └ reverse of the body, with their pops
//! ```

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

use crate::flow::required::{Hull, Snapshots};
use crate::flow::walk as flow_walk;
use crate::ir::*;
use crate::plan::game::Token;
use crate::sweep::bases;
use crate::sweep::builder::Pass;
use crate::sweep::builder::{Builder, Named};
use crate::sweep::items::binary;

impl Builder<'_> {
    /// Emits the way to the head of a pass in the current region. Behind it, what the pass begins with has names.
    pub(super) fn come_from_snapshot(
        &mut self,
        item: ItemId,
        body: RegionId,
        read: &BTreeSet<ValueId>,
        snapshots: Snapshots,
    ) {
        let primal = self.primal;
        let ItemKind::Loop { carried, .. } = &primal.items[item].kind else { return };
        // What the passes read, and what becomes that in a later pass.
        let mut wanted: BTreeSet<ValueId> = read.clone();
        for _ in carried {
            wanted.extend(
                carried.iter().filter(|each| wanted.contains(&each.head)).map(|each| each.end).collect::<Vec<_>>(),
            );
        }
        let kept: Vec<&Carried> = carried.iter().filter(|each| wanted.contains(&each.head)).collect();
        // What comes from around the loop has names in front of everything.
        let is_head = |value: ValueId| matches!(primal.values[value].def, Def::Head(of, _) if of == item);
        let ends = kept.iter().map(|each| each.end).filter(|end| !flow_walk::contains(primal, body, self.home(*end)));
        let mut outside = FxHashMap::default();
        for value in read.iter().copied().chain(ends.collect::<Vec<_>>()) {
            if !is_head(value) && !flow_walk::contains(primal, body, self.home(value)) {
                let name = primal.vars[primal.values[value].var].name.clone();
                let named = self.require(value).value;
                outside.insert(value, self.bind_value(&name, named));
            }
        }
        let among: Vec<Vec<Named>> = kept
            .iter()
            .map(|each| snapshots.pointers.get(&each.head).cloned().unwrap_or_default())
            .map(|origins| origins.into_iter().map(|origin| self.require(origin)).collect())
            .collect();
        let memory: Vec<(Place, Expr)> = snapshots
            .memory
            .iter()
            .map(|Hull { first, count }| (self.primal_place(first), self.primal(count)))
            .collect();
        let at = self.at;
        let first = self.emit(ItemKind::Sweep(SweepItem::Nothing));
        let advance = self.emit(ItemKind::Sweep(SweepItem::Nothing));
        let (inside, _) = self.open(advance);
        let mark = self.emit(ItemKind::Sweep(SweepItem::Nothing));
        let next = self.emit(ItemKind::Sweep(SweepItem::Nothing));
        let names = self.stand_ins(body);
        let mut carries = Vec::new();
        let mut from = Vec::new();
        for each in &kept {
            let Var { name, ty, .. } = primal.vars[each.var].clone();
            let new = self.carry_on(&name, &ty, (first, next, advance), (at, inside), carries.len());
            outside.insert(each.head, new.head);
            carries.push(new);
        }
        for each in &kept {
            // A value of the pass, of its beginning, or from around the loop.
            let end = names.get(&each.end).or_else(|| outside.get(&each.end)).copied();
            let Some(end) = end else {
                self.at = at;
                return self.unfit.push(item);
            };
            from.push(Expr::value(end, primal.vars[each.var].ty.clone()));
        }
        let more = self.carry_on("more", &Type::int(), (first, next, advance), (at, inside), carries.len());
        self.at = at;
        let to = |which: fn(&Carried) -> ValueId| carries.iter().map(which).collect::<Vec<_>>();
        let names_of = |all: &Vec<Named>| all.iter().map(|origin| origin.value.clone()).collect::<Vec<_>>();
        let kept_among: Vec<Vec<Expr>> = among.iter().map(names_of).collect();
        let snapshot = |at, from, to, more| {
            let (memory, among) = (memory.clone(), kept_among.clone());
            ItemKind::Sweep(SweepItem::Snapshot(Box::new(Snapshot { at, memory, from, among, to, more: Some(more) })))
        };
        let begins = snapshot(SnapshotAt::First, Vec::new(), to(|c| c.init), more.init);
        let goes_on = snapshot(SnapshotAt::Next, from, to(|c| c.end), more.end);
        self.out.items[first].kind = begins;
        self.out.items[next].kind = goes_on;
        let head = Expr::value(more.head, Type::int());
        let test = binary(Binary::NotEqual, head, zero(&Type::int()), Type::int());
        let outs: Vec<ValueId> = carries.iter().map(|new| new.out).collect();
        carries.push(more);
        self.out.items[advance].kind = ItemKind::Loop { test, at: TestAt::Before, body: inside, carried: carries };
        let level = self.names.top();
        for ((each, out), among) in kept.iter().zip(outs).zip(among) {
            if !self.game.has(each.head) {
                let Var { name, ty, .. } = primal.vars[each.var].clone();
                let value = Expr::value(out, ty);
                let shadow = self.shadow_among(each.head, &value, among).map(|shadow| {
                    let shadow = self.bind_value(&format!("{name}_b"), shadow);
                    Expr::value(shadow, value.ty.clone())
                });
                self.names.insert(level, each.head, Named { value, shadow });
                self.game.give(level, each.head, Token::Named);
            }
        }
        self.again_passes.push(Pass { item, body, at: inside, mark, outside, names, taped: false });
        self.note_snapshots(&snapshots);
        self.plan.snapshots.insert(item, (snapshots, kept.iter().map(|each| each.head).collect()));
    }

    /// The shadow of a pointer that is one of several, each with its own.
    fn shadow_among(&self, head: ValueId, pointer: &Expr, among: Vec<Named>) -> Option<Expr> {
        let this = self.primal.value_expr(head);
        if !self.cx.facts.active_pointer(self.id, &this) || self.cx.facts.on_heap(self.id, &this) {
            return None;
        }
        let of = |origin: &Named| origin.shadow.clone().unwrap_or_else(|| bases::null(&pointer.ty));
        let (last, others) = among.split_last()?;
        Some(others.iter().rev().fold(of(last), |rest, origin| {
            let is = binary(Binary::Equal, pointer.clone(), origin.value.clone(), Type::int());
            let kind = ExprKind::Select(Box::new(is), Box::new(of(origin)), Box::new(rest));
            Expr { kind, ty: pointer.ty.clone() }
        }))
    }

    fn home(&self, value: ValueId) -> RegionId {
        self.primal.values[value].region
    }

    /// A variable that the passes on the way carry: it comes from the first snapshot, and from the next ones.
    fn carry_on(
        &mut self,
        name: &str,
        ty: &Type,
        (first, next, advance): (ItemId, ItemId, ItemId),
        (at, inside): (RegionId, RegionId),
        slot: usize,
    ) -> Carried {
        let slot = u32::try_from(slot).expect("fewer than 2^32 variables");
        let mut value = |def, region| {
            let var = self.variable(name, ty, VarKind::Temporary);
            (var, self.define(var, def, region))
        };
        let (_, init) = value(Def::Popped(first), at);
        let (_, end) = value(Def::Popped(next), inside);
        let (var, head) = value(Def::Head(advance, slot), inside);
        let out = self.define(var, Def::Out(advance, slot), at);
        Carried { var, init, head, end, out }
    }

    fn note_snapshots(&mut self, snapshots: &Snapshots) {
        let how =
            format!("its passes are run again from {} snapshots at most, and reversed one at a time", snapshots.most);
        self.explain(self.span, "loop".into(), how, 0.0);
        for hull in &snapshots.memory {
            let (what, how) = self.part_text(hull);
            self.explain(self.span, what, how, 0.0);
        }
    }
}
