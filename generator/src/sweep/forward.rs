//! The forward sweep: the procedure as the user wrote it, with the pushes that the reverse sweep pops.
//!
//! Pushes mirror the pops of [`super::reverse`], kind by kind: memory before it is overwritten (that of whole loops in
//! front of them), the count of a loop
//! behind it, the bit of a branch at the end of the arm, contents of locals and then the record at the end of a region.
//!
//! The passes of a loop that is run again push nothing inside: in front of each are the elements that it overwrites,
//! behind it what it began with. `copied` is what the reverse sweep runs again.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

use super::bases;
use super::builder::Stored;
use super::context::Context;
use super::items::{binary, counter, reads_own, site};
use super::reverse::load;
use crate::flow::required::{Hull, Snapshots};
use crate::ir::*;
use crate::plan::control;
use crate::plan::{Interface, ProcPlan, Run};

struct Builder<'a> {
    cx: &'a Context<'a>,
    id: ProcId,
    plan: &'a ProcPlan,
    interfaces: &'a [Option<Interface>],
    out: Proc,
    /// Copies of values whose variable changes before the record is pushed.
    saved: FxHashMap<ValueId, ValueId>,
    /// For pointers with several bases: the number of the base, a value beside each value.
    numbers: FxHashMap<ValueId, ValueId>,
    /// Objects whose contents are kept where their life ends.
    kept: Vec<ObjectId>,
    /// The item that defines each value by an expression.
    lets: FxHashMap<ValueId, ItemId>,
    /// What is pushed of what the reverse sweep may find that it does not need.
    stored: BTreeMap<ItemId, Stored>,
}

/// What a region is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Pushed for and popped.
    Taped,
    /// A pass that the reverse sweep runs again.
    Plain,
    /// The pass as it is run again: what it begins with and what it computes have names there.
    Copied,
}

/// The forward sweep of a procedure that follows the plan of its reverse sweep.
pub fn build(cx: &Context, id: ProcId, plan: &ProcPlan, interfaces: &[Option<Interface>]) -> Proc {
    let mut builder = Builder::new(cx, id, plan, interfaces);
    builder.region(RegionId(0), None, Form::Taped);
    super::tidy::tidy_values(&mut builder.out);
    builder.out.shrink();
    builder.out
}

/// A pass of a loop with its pushes, among what the procedure was, and what some of the pushes store.
pub(super) fn copied(cx: &Context, id: ProcId, plan: &ProcPlan, body: RegionId) -> (Proc, BTreeMap<ItemId, Stored>) {
    let primal = &cx.program.procs[id];
    let mut plan = plan.clone();
    // What is stored outside needs no numbers of bases here.
    plan.records.retain(|region, _| primal.is_within(*region, body));
    let mut builder = Builder::new(cx, id, &plan, cx.interfaces);
    builder.region(body, None, Form::Copied);
    (builder.out, builder.stored)
}

impl<'a> Builder<'a> {
    fn new(cx: &'a Context<'a>, id: ProcId, plan: &'a ProcPlan, interfaces: &'a [Option<Interface>]) -> Self {
        let mut out = cx.program.procs[id].clone();
        out.role = Role::Forward;
        let set: Vec<VarId> = out.values.iter().filter(|v| !matches!(v.def, Def::Entry(_))).map(|v| v.var).collect();
        for (k, param) in out.params.iter_mut().enumerate() {
            param.apart = param.var.is_some_and(|var| !set.contains(&var)) && cx.facts.filled_apart(id, k);
        }
        let numbers = bases::number(cx, id, plan, &mut out);
        let objects = (0..cx.program.procs[id].objects.len()).map(ObjectId::new);
        let kept = objects.filter(|object| cx.facts.keep(id, *object)).collect();
        let lets = out.items.iter().enumerate().filter_map(|(at, item)| {
            let ItemKind::Let { value } = item.kind else { return None };
            Some((value, ItemId::new(at)))
        });
        let (saved, lets) = (FxHashMap::default(), lets.collect());
        Builder { cx, id, plan, interfaces, out, saved, numbers, kept, lets, stored: BTreeMap::new() }
    }
}

impl Builder<'_> {
    fn item(&mut self, like: Option<ItemId>, kind: ItemKind) -> ItemId {
        let (span, statement) = match like {
            Some(item) => (self.out.items[item].span, self.out.items[item].statement),
            None => (Span::default(), None),
        };
        self.out.items.push(Item { kind, span, statement });
        ItemId::new(self.out.items.len() - 1)
    }

    fn push(&mut self, items: &mut Vec<ItemId>, like: Option<ItemId>, what: Pushed) -> ItemId {
        let item = self.item(like, ItemKind::Sweep(SweepItem::Push { what }));
        items.push(item);
        item
    }

    fn record(&mut self, items: &mut Vec<ItemId>, region: RegionId, value: ValueId) {
        let what = self.recorded(value);
        let push = self.push(items, None, what);
        self.stored.insert(push, Stored::Record(region, value));
    }

    /// Inserts what belongs into a region and the regions inside it. `bit`: what its end puts on the tape, for an arm
    /// of a branch.
    fn region(&mut self, region: RegionId, bit: Option<(ItemId, i128)>, form: Form) {
        let old = std::mem::take(&mut self.out.regions[region].items);
        let record = self.plan.records.get(&region).filter(|_| form != Form::Copied).cloned().unwrap_or_default();
        let mut items = Vec::new();
        // The check needs to know what the first run of a pass reads, in functions that it calls, too.
        let rehearsed = form == Form::Plain && self.cx.check;
        let inside = form != Form::Plain || rehearsed;
        // What the loop steps by stays at the end, where a `for` has it.
        let cut = old.len() - if rehearsed { 0 } else { steps(&self.out, region, &old, &record) };
        let mut changed = FxHashMap::default();
        for (at, &item) in old[..cut].iter().enumerate().filter(|_| !record.is_empty()) {
            changes(&self.out, item, &mut |var| {
                changed.insert(var, at);
            });
        }
        let mut defined: FxHashMap<ItemId, Vec<ValueId>> = FxHashMap::default();
        for &value in &record {
            match self.out.values[value].def {
                Def::Head(..) | Def::Entry(_) => self.save(&mut items, region, &changed, 0, value),
                Def::Is(_) => defined.entry(self.lets[&value]).or_default().push(value),
                Def::Join(item, _) | Def::Out(item, _) | Def::Result(item) => {
                    defined.entry(item).or_default().push(value);
                }
                Def::Undefined | Def::Popped(_) => {}
            }
        }
        let (late, early): (Vec<_>, Vec<_>) = record.into_iter().partition(|value| self.plan.late.contains(value));
        // A pointer into a block goes on the tape while the block is there. One of the stable heap stays.
        let stable = self.cx.facts.stable();
        let frees = |item: &ItemId| !stable && matches!(self.out.items[*item].kind, ItemKind::Free { .. });
        let last = if late.is_empty() { cut } else { cut - old[..cut].iter().rev().take_while(|i| frees(i)).count() };
        if rehearsed {
            items.push(self.item(None, ItemKind::Sweep(SweepItem::Rehearsal { step: Rehearsal::Begin })));
        }
        for (at, &item) in old[..cut].iter().enumerate() {
            if inside {
                self.witness(&mut items, item, false);
                self.before(&mut items, item);
            }
            if at >= last {
                continue;
            }
            items.push(item);
            if inside {
                self.witness(&mut items, item, true);
                self.behind(&mut items, item);
            }
            for value in defined.remove(&item).unwrap_or_default() {
                self.save(&mut items, region, &changed, at + 1, value);
            }
        }
        if rehearsed {
            items.push(self.item(None, ItemKind::Sweep(SweepItem::Rehearsal { step: Rehearsal::End })));
        }
        for value in late {
            self.record(&mut items, region, value);
        }
        for object in self.kept.clone().into_iter().filter(|_| form == Form::Taped) {
            let this = &self.out.objects[object];
            let here = match this.life {
                Life::Region(home) => home == region,
                Life::Param(_) => region == RegionId(0) && self.cx.facts.written(self.id, object),
                _ => false,
            };
            if here {
                let (place, count) = super::contents(this, object, &this.shape.clone());
                self.push(&mut items, None, Pushed::Elements { place, count });
            }
        }
        for value in early {
            self.record(&mut items, region, value);
        }
        items.extend(&old[last..cut]);
        if let Some((branch, bit)) = bit {
            let value = Expr::int(bit);
            let push = self.push(&mut items, None, Pushed::Bits { value, bits: 1 });
            self.stored.insert(push, Stored::Arm(branch));
        }
        for &item in &old[cut..] {
            if inside {
                self.witness(&mut items, item, false);
            }
            items.push(item);
            if inside {
                self.witness(&mut items, item, true);
            }
        }
        self.out.regions[region].items = items;
    }

    /// Notes the operands of the adjoint of an item: in front of it, or, of those that it defines, behind it.
    fn witness(&mut self, items: &mut Vec<ItemId>, item: ItemId, own: bool) {
        let all = self.plan.witnesses.get(&item).into_iter().flatten().enumerate();
        for (k, operand) in all {
            if reads_own(&self.out.items[item].kind, operand) != own {
                continue;
            }
            let kind = ItemKind::Sweep(SweepItem::Witness {
                notes: true,
                site: site(self.id, item, k),
                value: operand.clone(),
            });
            let witness = self.item(Some(item), kind);
            items.push(witness);
        }
    }

    fn before(&mut self, items: &mut Vec<ItemId>, item: ItemId) {
        let kind = self.out.items[item].kind.clone();
        if let ItemKind::Store { to, .. } = kind {
            if self.cx.facts.push_old(self.id, item) && !self.plan.runs.contains_key(&item) {
                self.push(items, Some(item), Pushed::Value(load(to)));
            }
        } else if let ItemKind::Loop { body, .. } = kind {
            let stores = self.out.regions[body].items.clone();
            for Run { first, count } in stores.iter().filter_map(|store| self.plan.runs.get(store)).cloned() {
                self.push(items, Some(item), Pushed::Elements { place: first, count });
                self.swap_with_init(items);
            }
        } else if let ItemKind::Free { pointer } = kind {
            if self.cx.facts.stable() {
                let contents = self.cx.facts.push_old(self.id, item);
                self.out.items[item].kind = ItemKind::Sweep(SweepItem::Release { pointer, contents });
                return;
            }
            for object in self.cx.facts.blocks(self.id, &pointer) {
                let Some(count) = self.count(object).filter(|_| self.cx.facts.keep(self.id, object)) else {
                    continue;
                };
                let place = self.out.objects[object].first(object);
                self.push(items, Some(item), Pushed::Elements { place, count });
            }
        }
    }

    /// Puts the last push in front of the first value of a loop's index, so that this stays with the loop.
    fn swap_with_init(&self, items: &mut [ItemId]) {
        let [.., before, push] = items else { return };
        let ItemKind::Let { value } = self.out.items[*before].kind else { return };
        let mut reads = false;
        walk::values_of_item(&self.out, *push, &mut |read| reads |= read == value);
        if !reads {
            std::mem::swap(before, push);
        }
    }

    fn count(&self, object: ObjectId) -> Option<Expr> {
        self.out.items.iter().find_map(|item| item.kind.count_of(object)).cloned()
    }

    fn behind(&mut self, items: &mut Vec<ItemId>, item: ItemId) {
        if let ItemKind::Call { callee, .. } = &mut self.out.items[item].kind {
            if let Callee::Proc(id) = *callee
                && self.interfaces[id.index()].as_ref().is_some_and(|interface| interface.live)
            {
                *callee = Callee::Sweep(id, Role::Forward);
            }
        } else if let ItemKind::Branch { then, otherwise, .. } = self.out.items[item].kind {
            let stored = self.plan.bits.contains(&item);
            self.region(then, stored.then_some((item, 1)), Form::Taped);
            self.region(otherwise, stored.then_some((item, 0)), Form::Taped);
        } else if let ItemKind::Loop { body, .. } = self.out.items[item].kind {
            match self.plan.again.get(&item) {
                Some(hulls) => self.plain(item, body, hulls),
                None => self.region(body, None, Form::Taped),
            }
            if self.plan.counts.contains(&item) {
                self.counter(items, item, body);
            }
        }
    }

    /// A pass that the reverse sweep runs again: what it overwrites goes on the tape in front of it, or a snapshot is kept
    /// of some passes.
    fn plain(&mut self, item: ItemId, body: RegionId, hulls: &[Hull]) {
        let mut items = Vec::new();
        if let Some((snapshots, heads)) = self.plan.snapshots.get(&item) {
            let Snapshots { most, memory, passes, pointers } = snapshots.clone();
            let memory = memory.into_iter().map(|Hull { first, count }| (first, count)).collect();
            let from = heads.iter().map(|head| self.out.value_expr(*head)).collect();
            let origins = |head| pointers.get(head).into_iter().flatten();
            let among = heads.iter().map(|head| origins(head).map(|of| self.out.value_expr(*of)).collect()).collect();
            let at = SnapshotAt::Head { most, passes };
            let kind = ItemKind::Sweep(SweepItem::Snapshot(Box::new(Snapshot {
                at,
                memory,
                from,
                among,
                to: Vec::new(),
                more: None,
            })));
            items.push(self.item(Some(item), kind));
        }
        for Hull { first, count } in hulls.iter().cloned() {
            self.push(&mut items, Some(item), Pushed::Elements { place: first, count });
        }
        self.region(body, None, Form::Plain);
        self.out.regions[body].items.splice(0..0, items);
    }

    /// Counts the passes of a loop, and stores their number behind it.
    fn counter(&mut self, items: &mut Vec<ItemId>, item: ItemId, body: RegionId) {
        let ty = counter(self.out.language);
        let span = self.out.items[item].span;
        self.out.vars.push(Var::new("passes", ty.clone(), VarKind::Temporary, span));
        let var = VarId::new(self.out.vars.len() - 1);
        let outer = self.out.regions[body].parent.expect("a loop's body").0;
        let ItemKind::Loop { carried, .. } = &self.out.items[item].kind else { return };
        let slot = carried.len() as u32;
        let mut define = |def, region| {
            self.out.values.push(Value { var, def, region, span });
            ValueId::new(self.out.values.len() - 1)
        };
        let init = define(Def::Is(zero(&ty)), outer);
        let head = define(Def::Head(item, slot), body);
        let one = Expr::constant(1, ty.clone());
        let next = binary(Binary::Add, Expr::value(head, ty.clone()), one, ty.clone());
        let end = define(Def::Is(next), body);
        let out = define(Def::Out(item, slot), outer);
        if let ItemKind::Loop { carried, .. } = &mut self.out.items[item].kind {
            carried.push(Carried { var, init, head, end, out });
        }
        let first = self.item(None, ItemKind::Let { value: init });
        let ItemKind::Loop { carried, .. } = &self.out.items[item].kind else { return };
        let begins = |item: &&ItemId| {
            let ItemKind::Let { value } = self.out.items[**item].kind else { return false };
            carried.iter().any(|each| each.init == value)
        };
        let inits = items[..items.len() - 1].iter().rev().take_while(begins).count();
        items.insert(items.len() - 1 - inits, first);
        let count = self.item(None, ItemKind::Let { value: end });
        let inside = self.out.regions[body].items.clone();
        let at = inside.len() - steps(&self.out, body, &inside, &[]);
        self.out.regions[body].items.insert(at, count);
        let push = self.push(items, None, Pushed::Count(Expr::value(out, ty)));
        self.stored.insert(push, Stored::Count(item));
    }

    /// Copies a value of the record right behind its definition, if its variable changes before the end of the region.
    /// `changed`: the last position at which an item of the region changes a variable.
    fn save(
        &mut self,
        items: &mut Vec<ItemId>,
        region: RegionId,
        changed: &FxHashMap<VarId, usize>,
        from: usize,
        value: ValueId,
    ) {
        let var = self.out.values[value].var;
        if changed.get(&var).is_none_or(|last| *last < from) {
            return;
        }
        for value in [Some(value), self.numbers.get(&value).copied()].into_iter().flatten() {
            let var = self.out.values[value].var;
            let var = self.out.vars[var].clone();
            let span = var.span;
            self.out.vars.push(Var { name: format!("{}_s", var.name), kind: VarKind::Temporary, ..var });
            let copy = VarId::new(self.out.vars.len() - 1);
            let def = Def::Is(self.out.value_expr(value));
            self.out.values.push(Value { var: copy, def, region, span });
            let new = ValueId::new(self.out.values.len() - 1);
            self.saved.insert(value, new);
            let item = self.item(None, ItemKind::Let { value: new });
            items.push(item);
        }
    }

    fn recorded(&mut self, value: ValueId) -> Pushed {
        let from = self.saved.get(&value).copied().unwrap_or(value);
        let var = &self.out.vars[self.out.values[value].var];
        let expr = self.out.value_expr(from);
        match (&var.ty, var.kind) {
            (Type::Pointer(_), _) if !bases::is_bits(self.cx, self.id, value) => {
                let var = self.out.values[value].var;
                let mut bases = bases::of_variable(self.cx, self.id, var).unwrap_or_default();
                bases.extend(bases::may_be_null(self.cx, self.id, var).then(|| bases::null(&expr.ty)));
                let zero = Expr::int(0);
                let number = self.numbers.get(&value).map(|number| self.saved.get(number).unwrap_or(number));
                let base = number.map_or(zero, |number| self.out.value_expr(*number));
                Pushed::Pointer { value: expr, bases, base: Box::new(base) }
            }
            (_, VarKind::Flag) => Pushed::Bits { value: expr, bits: 1 },
            _ => Pushed::Value(expr),
        }
    }
}

/// How many items at the end of a loop's body only step what the loop carries, and are not on the record.
fn steps(proc: &Proc, body: RegionId, items: &[ItemId], record: &[ValueId]) -> usize {
    let Some((_, item)) = proc.regions[body].parent else { return 0 };
    let ItemKind::Loop { carried, .. } = &proc.items[item].kind else { return 0 };
    let steps = |item: &&ItemId| {
        let ItemKind::Let { value } = proc.items[**item].kind else { return false };
        let Some(each) = carried.iter().find(|each| each.end == value) else { return false };
        let Def::Is(next) = &proc.values[value].def else { return false };
        let mut evenly = !walk::loads(next) && !record.contains(&value);
        walk::values(next, &mut |other| evenly &= other == each.head || !control::inside(proc, other, body));
        evenly
    };
    items.iter().rev().take_while(steps).count()
}

/// Calls `see` on every variable that an item, or one inside it, assigns.
fn changes(proc: &Proc, item: ItemId, see: &mut dyn FnMut(VarId)) {
    let kind = &proc.items[item].kind;
    if let Some(value) = kind.assigned() {
        see(proc.values[value].var);
    }
    for region in kind.regions() {
        proc.regions[region].items.iter().for_each(|inner| changes(proc, *inner, see));
    }
}
