//! Copies of passes: each item of a copy must be that of the pass, with other names.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

use super::given::Given;
use crate::ir::*;

/// Values of the primal that one value of the reverse sweep stands for.
pub(super) type Equals = FxHashMap<ValueId, BTreeSet<ValueId>>;

pub(super) struct Merge<'a> {
    pub(super) f: &'a mut Proc,
    pub(super) r: &'a Proc,
    pub(super) given: &'a Given,
    pub(super) of: &'a Equals,
    /// Of values with one name in the copy the one that stands for all: see [`one_for_equals`].
    pub(super) one_for_equals: FxHashMap<ValueId, ValueId>,
    /// By value that the copy defines: that of the forward sweep.
    pub(super) names: FxHashMap<ValueId, ValueId>,
    pub pass: Pass,
}

pub(super) fn is(holds: bool) -> Result<(), ()> {
    holds.then_some(()).ok_or(())
}

/// A pass that is run again.
#[derive(Debug, Default)]
pub(super) struct Pass {
    /// Its pushes in the forward sweep.
    pub outer: Vec<ItemId>,
    /// Items of the pass that the copy has.
    pub kept: FxHashSet<ItemId>,
    /// Values of the reverse sweep that the copy reads, and what they must be in the forward sweep.
    pub read: BTreeSet<(ValueId, ValueId)>,
    /// Values that the copy defines, and those of the forward sweep that they are.
    pub defined: Vec<(ValueId, ValueId)>,
    /// How it comes to its head, if that is from a snapshot.
    pub way: Option<WayBack>,
}

impl<'a> Merge<'a> {
    pub(super) fn new(f: &'a mut Proc, (r, given, of): (&'a Proc, &'a Given, &'a Equals), pass: Pass) -> Merge<'a> {
        Merge { f, r, given, of, one_for_equals: one_for_equals(of), names: FxHashMap::default(), pass }
    }
}

impl Merge<'_> {
    /// Puts the pushes of a copy into a region; an error if the copy has anything that the region has not.
    pub(super) fn region(&mut self, region: RegionId, copy: &[ItemId]) -> Result<(), ()> {
        let old = std::mem::take(&mut self.f.regions[region].items);
        let (mut new, mut at) = (Vec::new(), 0);
        for &item in copy {
            match self.given.origins.copies.items.get(&item).copied().ok_or(())? {
                Some(of) => {
                    let found = old[at..].iter().position(|other| *other == of).ok_or(())?;
                    new.extend(&old[at..=at + found]);
                    at += found + 1;
                    self.item(item, of)?;
                    self.pass.kept.insert(of);
                }
                None => new.extend(self.added(item, region)?),
            }
        }
        new.extend(&old[at..]);
        self.f.regions[region].items = new;
        Ok(())
    }

    /// An item that only the copy has.
    fn added(&mut self, item: ItemId, region: RegionId) -> Result<Option<ItemId>, ()> {
        let Item { mut kind, span, statement } = self.r.items[item].clone();
        // Loops inside have passes that are tried, too.
        let tries = |step: &Rehearsal| matches!(step, Rehearsal::Begin | Rehearsal::End);
        if let ItemKind::Let { value } = &mut kind {
            let Def::Is(mut expr) = self.r.values[*value].def.clone() else { return Err(()) };
            self.rename_expr(&mut expr)?;
            *value = self.new_value(*value, Def::Is(expr), region);
        } else if let ItemKind::Sweep(SweepItem::Push { .. }) = kind {
            self.rename(&mut kind)?;
        } else if !matches!(&kind, ItemKind::Sweep(SweepItem::Rehearsal { step }) if tries(step)) {
            let is_idle = matches!(
                kind,
                ItemKind::DeclareVar { .. }
                    | ItemKind::Sweep(SweepItem::Nothing | SweepItem::Witness { .. } | SweepItem::Rehearsal { .. })
            );
            return is_idle.then_some(None).ok_or(());
        }
        self.f.items.push(Item { kind, span, statement });
        let new = ItemId::new(self.f.items.len() - 1);
        self.pass.kept.insert(new);
        Ok(Some(new))
    }

    /// A value of the forward sweep for one that only the copy has.
    fn new_value(&mut self, own: ValueId, def: Def, region: RegionId) -> ValueId {
        let Value { var, span, .. } = self.r.values[own];
        self.f.vars.push(self.r.vars[var].clone());
        self.f.values.push(Value { var: VarId::new(self.f.vars.len() - 1), def, region, span });
        let new = ValueId::new(self.f.values.len() - 1);
        self.names.insert(own, new);
        new
    }

    /// Whether an item of the copy is this one of the pass, with other names.
    fn item(&mut self, own: ItemId, of: ItemId) -> Result<(), ()> {
        let mut copy = self.r.items[own].kind.clone();
        let mut pass = self.f.items[of].kind.clone();
        rewrite::item_exprs(&mut pass, &mut |expr| self.unify(expr));
        if let (ItemKind::Let { value }, ItemKind::Let { value: to }) = (&copy, &pass) {
            let Def::Is(mut expr) = self.r.values[*value].def.clone() else { return Err(()) };
            self.rename_expr(&mut expr)?;
            let Def::Is(mut first) = self.f.values[*to].def.clone() else { return Err(()) };
            self.unify(&mut first);
            is(first == expr)?;
            return self.define(*value, *to);
        }
        if let (ItemKind::Loop { .. }, ItemKind::Loop { .. }) = (&copy, &pass) {
            return self.repeat(own, of);
        }
        if let (ItemKind::DeclareVar { .. }, ItemKind::DeclareVar { .. })
        | (ItemKind::Sweep(SweepItem::Nothing), ItemKind::Sweep(SweepItem::Nothing)) = (&copy, &pass)
        {
            return Ok(());
        }
        self.rename(&mut copy)?;
        if let ItemKind::Call { callee: own, args: own_args, result: own_result, into: own_into } = copy {
            let ItemKind::Call { callee: ran, args, result, into } = pass else { return Err(()) };
            let same = match (&own, &ran) {
                (Callee::Sweep(id, Role::Forward), Callee::Proc(other)) => id == other,
                _ => own == ran,
            };
            is(same && own_args == args && own_into == into)?;
            if let Some(value) = own_result {
                self.define(value, result.ok_or(())?)?;
            }
            if let ItemKind::Call { callee, .. } = &mut self.f.items[of].kind {
                *callee = own;
            }
            return Ok(());
        }
        if let ItemKind::Branch { on: own_on, then: own_then, otherwise: own_otherwise, joins: own_joins } = copy {
            let ItemKind::Branch { on, then, otherwise, joins } = pass else { return Err(()) };
            is(own_on == on)?;
            let r = self.r;
            self.region(then, &r.regions[own_then].items)?;
            self.region(otherwise, &r.regions[own_otherwise].items)?;
            for own in own_joins {
                let out = self.known(own.out).ok_or(())?;
                let join = joins.iter().find(|join| join.out == out).ok_or(())?;
                let arms = [join.then, join.otherwise].map(|arm| self.one_of(arm));
                is([self.value(own.then)?, self.value(own.otherwise)?] == arms)?;
                self.define(own.out, out)?;
            }
            return Ok(());
        }
        if let ItemKind::Declare { object } | ItemKind::Alloc { object, .. } = &mut copy {
            *object = self.object(*object)?;
        }
        let is_plain = matches!(copy, ItemKind::Store { .. } | ItemKind::Free { .. }) || copy.begun().is_some();
        is(is_plain && copy == pass)
    }

    fn repeat(&mut self, own: ItemId, of: ItemId) -> Result<(), ()> {
        let r = self.r;
        let ItemKind::Loop { test: own_test, at: own_at, body: own_body, carried: own_carried } = &r.items[own].kind
        else {
            return Err(());
        };
        let ItemKind::Loop { mut test, at, body, carried } = self.f.items[of].kind.clone() else {
            return Err(());
        };
        self.unify(&mut test);
        let mut added = Vec::new();
        for own in own_carried {
            let init = self.value(own.init)?;
            match self.known(own.head) {
                Some(head) => {
                    let each = carried.iter().find(|each| each.head == head).ok_or(())?;
                    is(init == self.one_of(each.init))?;
                    self.define(own.head, each.head)?;
                }
                None => {
                    let slot = (carried.len() + added.len()) as u32;
                    let head = self.new_value(own.head, Def::Head(of, slot), body);
                    added.push((own, Carried { var: self.f.values[head].var, init, head, end: head, out: head }));
                }
            }
        }
        is(*own_at == at)?;
        if at == TestAt::Before {
            self.test(own_test, &test)?;
        }
        self.region(body, &r.regions[*own_body].items)?;
        if at == TestAt::After {
            self.test(own_test, &test)?;
        }
        let outer = self.f.regions[body].parent.ok_or(())?.0;
        for own in own_carried {
            let end = self.value(own.end)?;
            match self.known(own.head) {
                Some(head) => {
                    let each = carried.iter().find(|each| each.head == head).ok_or(())?;
                    is(end == self.one_of(each.end))?;
                    self.define(own.out, each.out)?;
                }
                None => {
                    let position = added.iter().position(|(other, _)| other.head == own.head).ok_or(())?;
                    let slot = (carried.len() + position) as u32;
                    let out = self.new_value(own.out, Def::Out(of, slot), outer);
                    let new = &mut added[position].1;
                    (new.end, new.out) = (end, out);
                }
            }
        }
        if let ItemKind::Loop { carried, .. } = &mut self.f.items[of].kind {
            carried.extend(added.into_iter().map(|(_, new)| new));
        }
        Ok(())
    }

    fn test(&mut self, own: &Expr, test: &Expr) -> Result<(), ()> {
        let mut renamed = own.clone();
        self.rename_expr(&mut renamed)?;
        is(renamed == *test)
    }

    // ---- names ---------------------------------------------------------------------------------------------------

    pub(super) fn define(&mut self, own: ValueId, to: ValueId) -> Result<(), ()> {
        self.pass.defined.push((own, to));
        is(*self.names.entry(own).or_insert(to) == to)
    }

    /// A value of the copy in the forward sweep; one from around the copy is noted.
    pub(super) fn value(&mut self, own: ValueId) -> Result<ValueId, ()> {
        if let Some(known) = self.names.get(&own) {
            return Ok(*known);
        }
        let of = self.of.get(&own).ok_or(())?;
        self.pass.read.extend(of.iter().map(|of| (own, *of)));
        self.known(own).ok_or(())
    }

    /// The value of the forward sweep that stands for all that a value of the copy is.
    fn known(&self, own: ValueId) -> Option<ValueId> {
        self.of.get(&own)?.first().copied()
    }

    /// What stands for a value of the forward sweep.
    pub(super) fn one_of(&self, value: ValueId) -> ValueId {
        self.one_for_equals.get(&value).copied().unwrap_or(value)
    }

    /// Gives values of the forward sweep that have one name in the copy one name.
    fn unify(&self, expr: &mut Expr) {
        if let ExprKind::Value(value) = &mut expr.kind {
            *value = self.one_of(*value);
        }
        rewrite::operands(expr, &mut |operand| self.unify(operand));
    }

    fn object(&self, own: ObjectId) -> Result<ObjectId, ()> {
        match self.given.origins.objects.get(own.index()) {
            Some(Origin::Primal(of)) => Ok(*of),
            _ => Err(()),
        }
    }

    /// Gives the expressions of an item the names of the forward sweep.
    fn rename(&mut self, kind: &mut ItemKind) -> Result<(), ()> {
        let mut renamed = Ok(());
        rewrite::item_places(kind, &mut |place| renamed = renamed.and(self.rename_base(place)));
        rewrite::item_exprs(kind, &mut |expr| renamed = renamed.and(self.rename_values(expr)));
        renamed
    }

    fn rename_expr(&mut self, expr: &mut Expr) -> Result<(), ()> {
        let mut renamed = Ok(());
        rewrite::expr_places(expr, &mut |place| renamed = renamed.and(self.rename_base(place)));
        renamed.and(self.rename_values(expr))
    }

    fn rename_base(&self, place: &mut Place) -> Result<(), ()> {
        if let Base::Object(object) = &mut place.base {
            *object = self.object(*object)?;
        }
        Ok(())
    }

    fn rename_values(&mut self, expr: &mut Expr) -> Result<(), ()> {
        if let ExprKind::Value(value) = &mut expr.kind {
            *value = self.value(*value)?;
        }
        let mut renamed = Ok(());
        rewrite::operands(expr, &mut |operand| renamed = renamed.and(self.rename_values(operand)));
        renamed
    }
}

/// Values that have one name in the copy, each with the first of them. That they are equal is proved where the copy reads
/// the name: see [`Pass::read`].
pub(super) fn one_for_equals(of: &Equals) -> FxHashMap<ValueId, ValueId> {
    let several = of.values().filter(|equals| equals.len() > 1);
    several.flat_map(|equals| equals.iter().filter_map(|each| Some((*each, *equals.first()?)))).collect()
}

/// How a pass comes to its head.
#[derive(Debug)]
pub(super) struct WayBack {
    /// The snapshot in the forward sweep.
    pub head: ItemId,
    /// In the reverse sweep: the snapshot, and the loop of passes behind it.
    pub first: ItemId,
    pub advance: ItemId,
    /// Items of the pass that the passes on the way have.
    pub kept: FxHashSet<ItemId>,
    /// Values of the reverse sweep that they read, and what they must be in the forward sweep.
    pub read: BTreeSet<(ValueId, ValueId)>,
    /// What the way leads to: values of the reverse sweep, and what the loop carries at the head of the pass.
    pub heads: Vec<(ValueId, ValueId)>,
}
