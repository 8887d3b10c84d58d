//! Regions of the sweep and their records: what is popped at their start.

use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

use crate::ir::*;
use crate::plan::Explanation;
use crate::plan::game::Token;
use crate::refuse::Class;
use crate::sweep::builder::{Builder, Named, Stored};
use crate::sweep::{bases, shadow};

/// Values of a record that are taken off it to see whether the rest tells them.
const MOST_TRIED: usize = 16;

impl Builder<'_> {
    /// Begins the reverse of a region of the primal in the current region of the sweep.
    pub(in crate::sweep) fn enter(
        &mut self,
        region: RegionId,
        given: Vec<(ValueId, Token, Option<Named>)>,
        same: &[(ValueId, ValueId)],
    ) {
        self.names.enter();
        for (value, _, name) in &given {
            if let Some(name) = name {
                self.names.insert(self.names.top(), *value, name.clone());
            }
        }
        self.regions.push(self.at);
        self.pops.push(Vec::new());
        let mut known = self.start.records.get(&region).cloned().unwrap_or_default();
        let mut given: Vec<(ValueId, Token)> = given.into_iter().map(|(value, token, _)| (value, token)).collect();
        if let Some(firm) = &self.start.firm {
            self.drop_superfluous(region, &given, same, firm, &mut known);
        }
        let (late, early): (Vec<_>, Vec<_>) = known.iter().partition(|value| self.is_late(region, **value));
        given.extend(known.iter().map(|value| (*value, Token::Named)));
        self.game.enter(region, given, same);
        let level = self.names.top();
        for value in early {
            self.record(level, region, value);
        }
        let mark = self.item(ItemKind::Sweep(SweepItem::Nothing));
        self.late.push((mark, Vec::new()));
        self.objects(region);
        self.out.regions[self.at].items.push(mark);
        for value in late {
            self.record(level, region, value);
        }
        self.pointers_of_region(region);
        for var in self.vars.remove(&region).unwrap_or_default() {
            self.declare_adjoint(var);
        }
    }

    /// Takes the integers and pointers off a record that follow from the rest of it: one that was stored later may tell
    /// them. The largest first.
    fn drop_superfluous(
        &mut self,
        region: RegionId,
        given: &[(ValueId, Token)],
        same: &[(ValueId, ValueId)],
        firm: &BTreeSet<ValueId>,
        known: &mut Vec<ValueId>,
    ) {
        let is_real = |value: ValueId| matches!(self.primal.type_of(value), Type::Float { .. });
        let mut tried: Vec<ValueId> = known.iter().copied().filter(|v| !is_real(*v) && !firm.contains(v)).collect();
        if known.len() < 2 || tried.len() > MOST_TRIED {
            return;
        }
        tried.sort_by_key(|value| std::cmp::Reverse(bytes(self.primal.type_of(*value)) as u64));
        for value in tried {
            let rest = known.iter().filter(|other| **other != value).map(|other| (*other, Token::Named));
            self.game.enter(region, given.iter().cloned().chain(rest).collect(), same);
            let follows = self.game.has(value);
            self.game.leave();
            if follows {
                known.retain(|other| *other != value);
            }
        }
    }

    /// Ends it: what its loop carries is recovered, and its record is popped at its start.
    pub(in crate::sweep) fn leave(&mut self) {
        self.free_blocks();
        let pops = self.pops.pop().expect("entered");
        let region = self.regions.pop().expect("entered");
        let (mark, late) = self.late.pop().expect("entered");
        let items = &mut self.out.regions[region].items;
        let at = items.iter().position(|item| *item == mark).expect("emitted by `enter`");
        items.splice(at..=at, late.into_iter().rev());
        items.splice(0..0, pops.into_iter().rev());
        self.game.leave();
        self.names.leave();
    }

    /// Puts a value into the record of its region.
    pub(in crate::sweep) fn record(&mut self, level: usize, region: RegionId, value: ValueId) {
        self.plan.records.entry(region).or_default().push(value);
        let this = &self.primal.values[value];
        let var = &self.primal.vars[this.var];
        let (ty, name, kind) = (var.ty.clone(), var.name.clone(), var.kind);
        let stored = self.variable(&name, &ty, VarKind::Temporary);
        let pop = self.item(ItemKind::Sweep(SweepItem::Nothing));
        let new = self.define(stored, Def::Popped(pop), self.regions[level]);
        let expr = Expr::value(new, ty.clone());
        let mut shadow = None;
        let what = match (&ty, kind) {
            (Type::Pointer(_), _) => {
                let (what, with) = self.popped_pointer(value, new, pop, level);
                shadow = with;
                what
            }
            (_, VarKind::Flag) => Popped::Bits { value: new, bits: 1 },
            _ => Popped::Value(new),
        };
        self.out.items[pop].kind = ItemKind::Sweep(SweepItem::Pop { what });
        if self.is_late(region, value) {
            self.plan.late.insert(value);
            self.late[level].1.push(pop);
            if !self.out.regions[self.regions[level]].items.contains(&self.late[level].0) {
                let what = format!("the size of an array depends on '{name}', which points into another one");
                self.refuse(Class::Pointer, what, "keep the size in an integer that does not come from the pointer");
            }
        } else {
            self.pops[level].push(pop);
        }
        self.names.insert(level, value, Named { value: expr, shadow });
        let bytes = if kind == VarKind::Flag { 0.125 } else { bytes(&ty) };
        let (why, kind) = self.why(value);
        let line = Explanation { kind, ..Explanation::new(this.span, name, format!("stored: {why}"), bytes) };
        self.explain_stored(pop, Stored::Record(region, value), line);
    }

    /// Whether a value of the record of a region points into an object that lives there: its pop needs the object.
    pub(super) fn is_late(&self, region: RegionId, value: ValueId) -> bool {
        let var = self.primal.values[value].var;
        let is_pointer = matches!(self.primal.vars[var].ty, Type::Pointer(_));
        let bases = if is_pointer { bases::of_variable(self.cx, self.id, var) } else { None };
        bases.into_iter().flatten().any(|base| match &base.kind {
            ExprKind::Address(place) => place.base.object().is_some_and(|object| self.lives_in(object, region)),
            _ => false,
        })
    }

    fn lives_in(&self, object: ObjectId, region: RegionId) -> bool {
        let makes = |item: &ItemId| {
            let kind = &self.primal.items[*item].kind;
            matches!(kind, ItemKind::Alloc { object: this, .. } if *this == object)
        };
        match self.primal.objects[object].life {
            Life::Region(home) => home == region,
            Life::Param(_) => region == RegionId(0),
            Life::Heap => self.primal.regions[region].items.iter().any(makes),
            _ => false,
        }
    }

    /// A pointer on the tape: the offset from its base, which the reverse sweep can name.
    fn popped_pointer(&mut self, value: ValueId, new: ValueId, pop: ItemId, level: usize) -> (Popped, Option<Expr>) {
        let this = self.primal.value_expr(value);
        if bases::is_bits(self.cx, self.id, value) {
            return (Popped::Value(new), None);
        }
        let var = self.primal.values[value].var;
        let bases = bases::of_variable(self.cx, self.id, var)
            .filter(|bases| bases.len() == 1 || bases::can_follow(self.cx, self.id, var))
            .filter(|bases| !self.cx.wide || bases.iter().all(|base| base.ty == this.ty));
        let active = self.cx.facts.active_pointer(self.id, &this);
        let Some(bases) = bases else {
            let name = self.primal.vars[var].name.clone();
            let what = format!("the reverse sweep cannot name what the pointer '{name}' points into");
            self.refuse(Class::Pointer, what, "keep the array's address in a parameter or in a variable of its own");
            // Nothing is written: any adjoint will do.
            return (Popped::Value(new), active.then_some(this));
        };
        self.again.extend(bases::read_again(self.cx, self.id, var));
        let shadow = active.then(|| {
            let ty = this.ty.clone();
            let var = self.variable("shadow", &ty, VarKind::Temporary);
            let value = self.define(var, Def::Popped(pop), self.regions[level]);
            (value, Expr::value(value, ty))
        });
        let mut shadows: Vec<Expr> =
            if active { bases.iter().map(|base| shadow::pointer(self, base)).collect() } else { Vec::new() };
        let mut bases: Vec<Expr> = bases.iter().map(|base| self.primal(base)).collect();
        if bases::may_be_null(self.cx, self.id, var) {
            bases.push(bases::null(&this.ty));
            shadows.extend(active.then(|| bases::null(&this.ty)));
        }
        let popped = Popped::Pointer { value: new, shadow: shadow.as_ref().map(|s| s.0), bases, shadows };
        (popped, shadow.map(|s| s.1))
    }

    /// Nothing reads what these pops take from the tape: the forward sweep does not push it.
    pub(super) fn drop_stored(&mut self, pops: &BTreeSet<ItemId>) {
        let (mut records, mut lines) = (FxHashSet::default(), FxHashSet::default());
        for (stored, line) in pops.iter().filter_map(|pop| self.stored.remove(pop)) {
            match stored {
                Stored::Record(region, value) => {
                    records.insert((region, value));
                }
                Stored::Arm(branch) => {
                    self.plan.bits.remove(&branch);
                }
                Stored::Count(item) => {
                    self.plan.counts.remove(&item);
                }
            }
            lines.insert(line);
        }
        for (region, record) in &mut self.plan.records {
            record.retain(|value| !records.contains(&(*region, *value)));
        }
        let left: FxHashSet<&Explanation> = self.stored.values().map(|(_, line)| line).collect();
        self.plan.explanations.retain(|line| !lines.contains(line) || left.contains(line));
    }

    /// Says why something is stored, and that this pop takes it from the tape again.
    pub(in crate::sweep) fn explain_stored(&mut self, pop: ItemId, stored: Stored, line: Explanation) {
        self.explain_line(line.clone());
        self.stored.insert(pop, (stored, line));
    }
}

/// Bytes of a scalar on the tape.
pub(in crate::sweep) fn bytes(ty: &Type) -> f64 {
    match ty {
        Type::Int { bits, .. } | Type::Float { bits } => f64::from(*bits) / 8.0,
        _ => 8.0,
    }
}

/// What lies at the place.
pub(in crate::sweep) fn load(place: Place) -> Expr {
    Expr::load(place)
}

/// `*pointer`.
pub(in crate::sweep) fn dereferenced(pointer: Expr, ty: &Type) -> Place {
    let zero = Expr::int(0);
    let subscript = Subscript { at: zero, dim: Dim::default() };
    Place { base: Base::At(Box::new(pointer)), path: vec![Step::Index(vec![subscript])], ty: ty.clone() }
}
