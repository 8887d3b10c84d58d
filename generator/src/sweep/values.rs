//! Values in the reverse sweep: names that are there, recipes that are followed, stores as the last resort.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

use super::builder::{Builder, Named};
use super::reverse::bytes;
use super::shadow;
use crate::ir::*;
use crate::plan::cut::{self, Candidate};
use crate::plan::decisions;
use crate::plan::game::{How, Token};
use crate::refuse::Class;
use crate::stack::deep;

/// Recipes that are followed inside each other by recursion.
const NESTED: usize = 32;

/// Values that are compared when one has to be stored.
const CANDIDATES: usize = 64;

/// Values among which the least to store is searched.
const LARGEST_CUT: usize = 1000;

/// Regions of which more than [`LARGEST_CUT`] of these values are.
pub(super) fn crowded(primal: &Proc, wanted: &BTreeSet<ValueId>) -> FxHashSet<RegionId> {
    let mut counts: FxHashMap<RegionId, usize> = FxHashMap::default();
    wanted.iter().for_each(|value| *counts.entry(primal.values[*value].region).or_default() += 1);
    counts.into_iter().filter(|(_, count)| *count > LARGEST_CUT).map(|(region, _)| region).collect()
}

/// What a loop may store in each pass to carry a variable backwards.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Carrying {
    AtAnyCost,
    Freely,
}

impl Builder<'_> {
    /// The name of a value, if it can be had without storing anything.
    pub(super) fn try_value(&mut self, value: ValueId) -> Option<Named> {
        if !self.game.has(value) {
            self.carry_for(value, Carrying::AtAnyCost);
        }
        self.game.has(value).then(|| self.name(value))
    }

    /// Whether the values of an expression can be had without storing anything.
    pub(super) fn can(&mut self, expr: &Expr) -> bool {
        self.can_by(expr, Carrying::AtAnyCost)
    }

    /// The same, where a bit does as well: what a loop stores in each pass to carry a variable is more than that.
    pub(super) fn can_for_a_bit(&mut self, expr: &Expr) -> bool {
        self.can_by(expr, Carrying::Freely)
    }

    fn can_by(&mut self, expr: &Expr, carrying: Carrying) -> bool {
        let mut values = BTreeSet::new();
        walk::values(expr, &mut |v| {
            values.insert(v);
        });
        values.into_iter().all(|v| {
            if !self.game.has(v) {
                self.carry_for(v, carrying);
            }
            self.game.has(v)
        })
    }

    /// Lets loops carry the ends of their variables backwards, innermost loop first, until the value has a token. One
    /// variable that leads to the value is enough.
    fn carry_for(&mut self, value: ValueId, mut carrying: Carrying) {
        for at in (0..self.loops.len()).rev() {
            let (item, level) = (self.loops[at].item, self.loops[at].level);
            // A loop whose passes are being counted is not entered yet.
            if level >= self.names.depth() {
                continue;
            }
            // Loops further out store less often than there are bits.
            let freely = std::mem::replace(&mut carrying, Carrying::AtAnyCost) == Carrying::Freely;
            let ItemKind::Loop { carried, .. } = &self.primal.items[item].kind else { continue };
            let real = |c: &Carried| matches!(self.primal.type_of(c.head), Type::Float { .. });
            let fits = |c: &Carried| !real(c) && !self.game.has(c.end) && self.read.contains(&c.head);
            let mut all: Vec<(u32, &Carried)> = (0..).zip(carried).filter(|(_, c)| fits(c)).collect();
            if freely {
                all.retain(|(_, c)| self.comes_back(c));
            }
            if all.len() > 1
                && let Some(alone) = self.leads_to(&all, value)
            {
                all = vec![alone];
            }
            for (k, c) in all {
                self.game.give(level, c.end, Token::Carried(item, k));
            }
            if self.game.has(value) {
                return;
            }
        }
    }

    /// Whether what a variable of a loop was before a pass is there without a store for it: what it is behind the pass
    /// leads to it, or something else wants it.
    fn comes_back(&mut self, variable: &Carried) -> bool {
        self.start.wanted.contains(&variable.head) || self.game.followers(variable.end).contains(&variable.head)
    }

    /// The variable of a loop whose end leads to a value: best one that leads to its own value before the pass, too, since
    /// what a loop carries must be known there.
    fn leads_to<'c>(&mut self, all: &[(u32, &'c Carried)], value: ValueId) -> Option<(u32, &'c Carried)> {
        let mut found = None;
        for &(k, c) in all {
            let followers = self.game.followers(c.end);
            if followers.contains(&value) {
                if followers.contains(&c.head) {
                    return Some((k, c));
                }
                found = found.or(Some((k, c)));
            }
        }
        found
    }

    /// The name of a value; stores it, or another value that leads to it, if there is no recipe.
    pub(super) fn require(&mut self, value: ValueId) -> Named {
        if let Some(named) = self.try_value(value) {
            return named;
        }
        self.wanted.insert(value);
        if !self.game.visible(value) {
            let what = "internal: a value is asked for where it is not visible".to_owned();
            self.refuse(Class::NotProved, what, "please report this program");
            let zero = zero(self.primal.type_of(value));
            return Named { value: zero.clone(), shadow: Some(zero) };
        }
        for chosen in self.cut(value).unwrap_or_else(|| vec![self.choose(value)]) {
            self.store(chosen);
        }
        self.store(value);
        self.name(value)
    }

    /// Puts a value into the record of its region, unless it has a token by now.
    fn store(&mut self, value: ValueId) {
        if self.game.has(value) {
            return;
        }
        let level = self.game.level_of(value).expect("only what is visible is stored");
        self.game.give(level, value, Token::Named);
        self.record(level, self.primal.values[value].region, value);
    }

    /// The least of reals to store so that all that are asked for in the region of one of them can be computed again.
    /// `None` in the first run, which finds out what is asked for, and for integers, which have more moves.
    fn cut(&mut self, value: ValueId) -> Option<Vec<ValueId>> {
        let real = |this: &Self, v: ValueId| matches!(this.primal.type_of(v), Type::Float { .. });
        if self.start.wanted.is_empty() || !real(self, value) {
            return None;
        }
        let region = |this: &Self, v: ValueId| this.primal.values[v].region;
        if self.crowded.contains(&region(self, value)) {
            return None;
        }
        let of_region = |v: &ValueId| real(self, *v) && region(self, *v) == region(self, value) && !self.game.has(*v);
        let asked: BTreeSet<ValueId> = self.start.wanted.iter().copied().filter(of_region).chain([value]).collect();
        let mut values: Vec<ValueId> = asked.iter().copied().collect();
        let mut positions: FxHashMap<ValueId, usize> = values.iter().enumerate().map(|(at, v)| (*v, at)).collect();
        let mut candidates = Vec::new();
        while let Some(&at) = values.get(candidates.len()) {
            let mut candidate =
                Candidate { weight: self.weight(at), asked: asked.contains(&at), ..Candidate::default() };
            let mut operands = BTreeSet::new();
            if let Some(known) = self.game.repeatable(at) {
                walk::values(&known.expr, &mut |v| {
                    operands.insert(v);
                });
            } else {
                candidate.stored_only = true;
            }
            for operand in operands {
                if self.can(&self.primal.value_expr(operand)) {
                    continue;
                }
                // A pointer on the tape needs more than its bytes.
                if matches!(self.primal.type_of(operand), Type::Pointer(_)) || !self.game.visible(operand) {
                    candidate.stored_only = true;
                    continue;
                }
                candidate.operands.push(*positions.entry(operand).or_insert_with(|| {
                    values.push(operand);
                    values.len() - 1
                }));
            }
            if values.len() > LARGEST_CUT {
                return None;
            }
            candidates.push(candidate);
        }
        Some(cut::least(&candidates).into_iter().map(|at| values[at]).collect())
    }

    /// What it costs to store a value: its bytes, less if it is stored once for many passes of a loop.
    fn weight(&self, value: ValueId) -> u64 {
        let level = self.game.level_of(value).unwrap_or(0);
        let around = self.loops.iter().filter(|open| open.level > level).count().min(2);
        (bytes(self.primal.type_of(value)) as u64) << (6 - 3 * around)
    }

    /// Heuristic H of the paper: the value whose token brings most of what is asked for.
    pub(super) fn choose(&mut self, value: ValueId) -> ValueId {
        let region = self.primal.values[value].region;
        let first = self.start.wanted.is_empty();
        let wanted = &self.start.wanted;
        let mut best = (self.game.gain(value, value, wanted), value);
        let mut candidates = BTreeSet::from([value]);
        let mut front = vec![value];
        'search: while let Some(at) = front.pop() {
            let mut operands = Vec::new();
            if let Some(definition) = self.definitions.get(at) {
                walk::values(&definition.expr, &mut |v| operands.push(v));
            }
            for &other in self.definitions.users(at).iter().chain(&operands) {
                if candidates.len() >= CANDIDATES {
                    break 'search;
                }
                if self.primal.values[other].region == region && candidates.insert(other) {
                    front.push(other);
                }
            }
        }
        let real = |v: ValueId| matches!(self.primal.type_of(v), Type::Float { .. });
        for candidate in candidates {
            let fits = !real(candidate) || (real(value) && !first);
            if candidate == value || !fits || self.game.has(candidate) {
                continue;
            }
            let gain = self.game.gain(candidate, value, wanted);
            if gain > best.0 {
                best = (gain, candidate);
            }
        }
        best.1
    }

    /// The name of a value that has a token; follows its recipe where that was not done yet.
    pub(super) fn name(&mut self, value: ValueId) -> Named {
        self.reads.entry(value).or_default().insert(self.span.line);
        if let Some(named) = self.names.get(value) {
            return named.clone();
        }
        let top = self.names.top();
        match self.game.token(value).cloned().expect("asked for after it has a token") {
            Token::Named => unreachable!("a token of this kind comes with its name"),
            Token::Entry(k) => self.arguments[k as usize].clone().expect("scalars and pointers only"),
            Token::Carried(item, k) => self.carry(item, k),
            Token::Recipe(expr, how) => {
                self.nested += 1;
                if self.nested == NESTED {
                    self.name_operands(value);
                }
                self.note_again(value, how);
                self.explain_recipe(value, &expr, how);
                let this = &self.primal.values[value];
                let name = self.primal.vars[this.var].name.clone();
                let pointer = matches!(expr.ty, Type::Pointer(_));
                let whole = self.primal.value_expr(value);
                let shadowed =
                    pointer && !self.cx.facts.on_heap(self.id, &whole) && self.cx.facts.active_pointer(self.id, &whole);
                let shadow = shadowed.then(|| shadow::pointer(self, &expr));
                let primal = self.primal(&expr);
                let primal = self.bind(&name, primal);
                let shadow = shadow.map(|shadow| self.bind(&format!("{name}_b"), shadow));
                let named = Named { value: primal, shadow };
                self.names.insert(top, value, named.clone());
                self.nested -= 1;
                named
            }
        }
    }

    /// Names all that the recipe of a value leads to, from the beginning: recipes may follow each other as long as the
    /// procedure is.
    fn name_operands(&mut self, value: ValueId) {
        let around = std::mem::take(&mut self.nested);
        let mut seen = FxHashSet::from_iter([value]);
        let mut open = vec![(value, false)];
        while let Some((next, ready)) = open.pop() {
            if ready {
                self.name(next);
                continue;
            }
            let Some(Token::Recipe(expr, _)) = self.game.token(next) else { continue };
            if next != value {
                open.push((next, true));
            }
            let named = |v: &ValueId| self.names.get(*v).is_some();
            walk::values(expr, &mut |v| {
                if !named(&v) && seen.insert(v) {
                    open.push((v, false));
                }
            });
        }
        self.nested = around;
    }

    /// Notes that the definition behind a recipe reads memory again.
    pub(super) fn note_again(&mut self, value: ValueId, how: How) {
        let from = match how {
            How::Recompute => value,
            How::Invert(from) => from,
            How::Same => return,
        };
        if let Some(definition) = self.definitions.get(from).filter(|definition| definition.loads) {
            self.again.push((definition.item, definition.expr.clone()));
        }
    }

    /// An expression of the primal with every value by its name in the sweep.
    pub(super) fn primal(&mut self, expr: &Expr) -> Expr {
        walk::expressions(expr, &mut |e| self.plan.sums |= decisions::is_sum(e));
        let mut values = BTreeSet::new();
        walk::values(expr, &mut |v| {
            values.insert(v);
        });
        let names: FxHashMap<ValueId, Expr> = values.into_iter().map(|v| (v, deep(|| self.require(v)).value)).collect();
        walk::replace(expr, &mut |v| names.get(&v).cloned())
    }

    /// A place of the primal, likewise.
    pub(super) fn primal_place(&mut self, place: &Place) -> Place {
        walk::in_place(place, &mut |e| self.plan.sums |= decisions::is_sum(e));
        let mut values = BTreeSet::new();
        walk::values_of_place(place, &mut |v| {
            values.insert(v);
        });
        let names: FxHashMap<ValueId, Expr> = values.into_iter().map(|v| (v, self.require(v).value)).collect();
        walk::replace_in_place(place, &mut |v| names.get(&v).cloned())
    }

    /// An operand whose value the adjoint of the current item reads.
    pub(super) fn operand(&mut self, expr: &Expr) -> Expr {
        self.note_operand(expr);
        self.primal(expr)
    }

    /// Notes an operand, for `--check` and `--explain`.
    pub(super) fn note_operand(&mut self, expr: &Expr) {
        let constant = matches!(expr.kind, ExprKind::Int(_) | ExprKind::Float(_));
        if self.cx.check && !constant && !self.operands.contains(expr) {
            self.operands.push(expr.clone());
        }
        self.note_loads(expr);
    }

    /// The carried variable of a reversed loop that holds the end of a variable of the primal's loop.
    pub(super) fn carry(&mut self, item: ItemId, k: u32) -> Named {
        let ItemKind::Loop { carried, .. } = &self.primal.items[item].kind else { unreachable!("a loop") };
        let end = carried[k as usize].end;
        let this = &self.primal.vars[carried[k as usize].var];
        let (name, ty) = (this.name.clone(), this.ty.clone());
        let at = self.loops.iter().position(|open| open.item == item).expect("the loop is being reversed");
        let pointer = matches!(ty, Type::Pointer(_));
        let this = self.primal.value_expr(end);
        let active = pointer && !self.cx.facts.on_heap(self.id, &this) && self.cx.facts.active_pointer(self.id, &this);
        let head = self.carried_head(at, &name, &ty);
        let shadow = active.then(|| self.carried_head(at, &format!("{name}_b"), &ty));
        self.loops[at].carried.push((k, head, shadow));
        let expr = |value| Expr::value(value, ty.clone());
        let named = Named { value: expr(head), shadow: shadow.map(expr) };
        self.names.insert(self.loops[at].level, end, named.clone());
        named
    }

    /// One more carried variable of a loop of the sweep: its head.
    pub(super) fn carried_head(&mut self, open: usize, name: &str, ty: &Type) -> ValueId {
        let (reversed, body, slot) = (self.loops[open].reversed, self.loops[open].body, self.loops[open].next);
        self.loops[open].next += 1;
        let var = self.variable(name, ty, VarKind::Temporary);
        self.define(var, Def::Head(reversed, slot), body)
    }

    /// A value for the expression, with an item of its own if it is not a value already.
    pub(super) fn bind_value(&mut self, name: &str, expr: Expr) -> ValueId {
        if let ExprKind::Value(value) = expr.kind {
            return value;
        }
        let var = self.variable(name, &expr.ty.clone(), VarKind::Temporary);
        let value = self.define(var, Def::Is(expr), self.at);
        self.emit(ItemKind::Let { value });
        value
    }
}
