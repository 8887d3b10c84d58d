//! The number of the base that a pointer points into, kept beside the pointer in the forward sweep.
//!
//! A pointer goes on the tape as an offset from its base (Alg. 3 of the pointer paper, with bases by name). A pointer
//! that may have one of several bases needs to know which: an integer variable follows it, with a definition of the
//! same kind for each of the pointer's.

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

use super::context::Context;
use super::items::binary;
use crate::ir::*;
use crate::plan::ProcPlan;

/// The bases of a pointer variable: those of all its values, so that numbers mean the same everywhere.
pub fn of_variable(cx: &Context, id: ProcId, var: VarId) -> Option<Vec<Expr>> {
    named(cx, id, var).or_else(|| loaded(cx, id, var).map(|(_, base)| vec![base]))
}

/// The base that the reverse sweep of a variable loads from memory, with the item at which the program loads it.
pub fn read_again(cx: &Context, id: ProcId, var: VarId) -> Option<(ItemId, Expr)> {
    if named(cx, id, var).is_some() { None } else { loaded(cx, id, var) }
}

/// Bases that have names: arguments and objects.
fn named(cx: &Context, id: ProcId, var: VarId) -> Option<Vec<Expr>> {
    let primal = &cx.program.procs[id];
    let mut all: Vec<Expr> = Vec::new();
    for (at, value) in primal.values.iter().enumerate() {
        if value.var == var && value.def != Def::Undefined {
            for base in cx.facts.bases(id, &primal.value_expr(ValueId::new(at)))? {
                if !all.contains(&base) {
                    all.push(base);
                }
            }
        }
    }
    (!all.is_empty()).then_some(all)
}

/// Whether the reverse sweep can use the bits of a pointer: it leads into the stable heap, or nothing active hangs on it
/// and it means the same in both sweeps. Without the heap only what has no base is kept so: a table that another function
/// declares inside.
pub fn is_bits(cx: &Context, id: ProcId, value: ValueId) -> bool {
    let primal = &cx.program.procs[id];
    let pointer = primal.value_expr(value);
    let is_plain = cx.facts.fixed(id, &pointer) && !cx.facts.active_pointer(id, &pointer);
    if cx.facts.stable() {
        return cx.facts.on_heap(id, &pointer) || is_plain;
    }
    is_plain && of_variable(cx, id, primal.values[value].var).is_none()
}

/// The pointer in memory that all values of a variable are offsets from: `p = m->data`, `p = rows[0]`. The procedure
/// never writes it, so both sweeps load the same.
fn loaded(cx: &Context, id: ProcId, var: VarId) -> Option<(ItemId, Expr)> {
    let primal = &cx.program.procs[id];
    let mut base: Option<(ValueId, &Expr)> = None;
    for (at, value) in primal.values.iter().enumerate().filter(|(_, value)| value.var == var) {
        let expr = match &value.def {
            // They merge values of the same variable.
            Def::Undefined | Def::Join(..) | Def::Head(..) | Def::Out(..) => continue,
            Def::Entry(_) | Def::Result(_) | Def::Popped(_) => return None,
            Def::Is(expr) => expr,
        };
        for pointer in pointers_in(expr) {
            match &pointer.kind {
                ExprKind::Value(from) if primal.values[*from].var == var => {}
                ExprKind::Load(place) if lies_still(primal, place) && cx.facts.never_written(id, pointer) => {
                    if base.replace((ValueId::new(at), pointer)).is_some_and(|(_, other)| other != pointer) {
                        return None;
                    }
                }
                _ => return None,
            }
        }
    }
    let (value, base) = base.filter(|(_, base)| base.ty == primal.vars[var].ty)?;
    let defines = |item: &Item| matches!(item.kind, ItemKind::Let { value: defined } if defined == value);
    Some((ItemId::new(primal.items.iter().position(defines)?), base.clone()))
}

/// Whether a place is named by arguments, objects, members and constant subscripts alone.
fn lies_still(proc: &Proc, place: &Place) -> bool {
    let base = match &place.base {
        Base::At(pointer) => match &pointer.kind {
            ExprKind::Value(value) => matches!(proc.values[*value].def, Def::Entry(_)),
            ExprKind::Load(inner) => lies_still(proc, inner),
            _ => false,
        },
        Base::Object(object) => matches!(proc.objects[*object].life, Life::Param(_)),
        Base::Global(_) => true,
    };
    let constant = |step: &Step| match step {
        Step::Index(at) => at.iter().all(|at| matches!(at.at.kind, ExprKind::Int(_))),
        Step::Field(_) => true,
    };
    base && place.path.iter().all(constant)
}

/// Where a pointer comes from.
enum Source<'p> {
    /// An argument.
    Argument(ValueId),
    /// The result of a call, or the tape.
    Given,
    /// An expression that is no value.
    Computed(&'p Expr),
}

/// Where the values of a pointer variable come from, and those of the variables that it is computed from.
fn sources(primal: &Proc, var: VarId) -> Vec<Source<'_>> {
    let (mut vars, mut followed, mut sources) = (vec![var], 0, Vec::new());
    while let Some(&var) = vars.get(followed) {
        followed += 1;
        for (at, value) in primal.values.iter().enumerate().filter(|(_, value)| value.var == var) {
            let expr = match &value.def {
                // They merge values of the same variable.
                Def::Undefined | Def::Join(..) | Def::Head(..) | Def::Out(..) => continue,
                Def::Result(_) | Def::Popped(_) => {
                    sources.push(Source::Given);
                    continue;
                }
                Def::Entry(_) => {
                    sources.push(Source::Argument(ValueId::new(at)));
                    continue;
                }
                Def::Is(expr) => expr,
            };
            for pointer in pointers_in(expr) {
                let ExprKind::Value(from) = pointer.kind else {
                    sources.push(Source::Computed(pointer));
                    continue;
                };
                let from = primal.values[from].var;
                if !vars.contains(&from) {
                    vars.push(from);
                }
            }
        }
    }
    sources
}

/// Whether [`number`] can follow a pointer variable: each value of it, and of the variables that it is computed from, is
/// an argument or an address with one base, or comes from such a value. What is loaded from memory, or returned by a
/// call, may have one of several.
pub fn can_follow(cx: &Context, id: ProcId, var: VarId) -> bool {
    let primal = &cx.program.procs[id];
    let has_one = |pointer: &Expr| cx.facts.bases(id, pointer).is_some_and(|bases| bases.len() <= 1);
    sources(primal, var).into_iter().all(|source| match source {
        Source::Argument(value) => has_one(&primal.value_expr(value)),
        Source::Given => false,
        Source::Computed(pointer) => has_one(pointer),
    })
}

/// Whether a pointer variable may be NULL where it has bases. C computes no NULL as an offset from an array, and
/// compilers take it that such a sum is none. A parameter is its own base, and so is a pointer that is loaded again.
pub fn may_be_null(cx: &Context, id: ProcId, var: VarId) -> bool {
    let is_again = read_again(cx, id, var).is_some();
    sources(&cx.program.procs[id], var).into_iter().any(|source| match source {
        Source::Argument(_) => false,
        Source::Given => true,
        Source::Computed(pointer) => match pointer.kind {
            ExprKind::Address(_) => false,
            ExprKind::Load(_) => !is_again,
            _ => true,
        },
    })
}

/// NULL of a pointer's type.
pub fn null(ty: &Type) -> Expr {
    Expr { kind: ExprKind::Null, ty: ty.clone() }
}

/// Adds number variables for all pointers with several bases that the plan stores: value of the pointer to value of
/// the number.
pub fn number(cx: &Context, id: ProcId, plan: &ProcPlan, out: &mut Proc) -> FxHashMap<ValueId, ValueId> {
    let is_pointer = |value: &ValueId| matches!(out.vars[out.values[*value].var].ty, Type::Pointer(_));
    let stored = plan.records.values().flatten().copied().filter(is_pointer).filter(|value| !is_bits(cx, id, *value));
    let several = |var: &VarId| of_variable(cx, id, *var).is_some_and(|bases| bases.len() > 1);
    let mut vars: BTreeSet<VarId> = stored.map(|value| out.values[value].var).filter(several).collect();
    if vars.is_empty() {
        return FxHashMap::default();
    }
    // What a numbered pointer is computed from is numbered too, if it has several bases.
    loop {
        let mut more = vars.clone();
        for value in &out.values {
            if let (true, Def::Is(expr)) = (vars.contains(&value.var), &value.def) {
                more.extend(values_in(expr).map(|from| out.values[from].var).filter(several));
            }
        }
        if more.len() == vars.len() {
            break;
        }
        vars = more;
    }
    let mut numbering = Numbering { cx, id, numbers: FxHashMap::default(), vars: FxHashMap::default() };
    for var in vars {
        let Var { name, span, .. } = out.vars[var].clone();
        out.vars.push(Var::new(format!("{name}_k"), Type::int(), VarKind::Temporary, span));
        numbering.vars.insert(var, VarId::new(out.vars.len() - 1));
    }
    numbering.values(out);
    numbering.structure(out);
    numbering.items(out);
    numbering.numbers
}

struct Numbering<'a> {
    cx: &'a Context<'a>,
    id: ProcId,
    numbers: FxHashMap<ValueId, ValueId>,
    vars: FxHashMap<VarId, VarId>,
}

impl Numbering<'_> {
    fn values(&mut self, out: &mut Proc) {
        for at in out.values.ids() {
            let value = out.values[at].clone();
            if let Some(&var) = self.vars.get(&value.var) {
                let number = out.values.add(Value { var, def: Def::Undefined, ..value });
                self.numbers.insert(at, number);
            }
        }
    }

    fn structure(&self, out: &mut Proc) {
        for id in out.items.ids() {
            let of = |value: ValueId| self.numbers.get(&value).copied();
            let kind = &mut out.items[id].kind;
            if let ItemKind::Branch { joins, .. } = kind {
                for join in joins.clone() {
                    let (Some(out_), Some(then), Some(otherwise)) = (of(join.out), of(join.then), of(join.otherwise))
                    else {
                        continue;
                    };
                    out.values[out_].def = Def::Join(id, joins.len() as u32);
                    joins.push(Join { var: self.vars[&join.var], then, otherwise, out: out_ });
                }
            } else if let ItemKind::Loop { carried, .. } = kind {
                for c in carried.clone() {
                    let (Some(init), Some(head)) = (of(c.init), of(c.head)) else { continue };
                    let (Some(end), Some(out_)) = (of(c.end), of(c.out)) else { continue };
                    let slot = carried.len() as u32;
                    out.values[head].def = Def::Head(id, slot);
                    out.values[out_].def = Def::Out(id, slot);
                    carried.push(Carried { var: self.vars[&c.var], init, head, end, out: out_ });
                }
            }
        }
    }

    /// A definition before each definition of a pointer; the numbers of arguments at the start of the body.
    fn items(&self, out: &mut Proc) {
        for at in 0..out.regions.len() {
            let region = RegionId::new(at);
            let mut items = Vec::new();
            let entries = if at == 0 { self.entries(out) } else { Vec::new() };
            for (number, expr) in entries {
                items.push(define(out, number, expr, None));
            }
            for item in std::mem::take(&mut out.regions[region].items) {
                if let ItemKind::Let { value } = out.items[item].kind
                    && let Some(&number) = self.numbers.get(&value)
                    && let Def::Is(expr) = out.values[value].def.clone()
                {
                    let expr = self.number_of(out, value, &expr);
                    items.push(define(out, number, expr, Some(item)));
                }
                items.push(item);
            }
            out.regions[region].items = items;
        }
    }

    fn entries(&self, out: &Proc) -> Vec<(ValueId, Expr)> {
        let number = |entry: ValueId| {
            let bases = of_variable(self.cx, self.id, out.values[entry].var).unwrap_or_default();
            let own = self.cx.facts.bases(self.id, &out.value_expr(entry)).unwrap_or_default();
            let position = own.first().and_then(|own| bases.iter().position(|base| base == own));
            (self.numbers[&entry], self.constant(position.unwrap_or(0)))
        };
        let params = out.params.iter().filter_map(|param| param.entry);
        params.filter(|entry| self.numbers.contains_key(entry)).map(number).collect()
    }

    fn constant(&self, k: usize) -> Expr {
        Expr::int(k as i128)
    }

    /// Which base of `value` the expression that defines it points into, or a part of this expression.
    fn number_of(&self, out: &Proc, value: ValueId, expr: &Expr) -> Expr {
        let bases = |value: ValueId| of_variable(self.cx, self.id, out.values[value].var).unwrap_or_default();
        let to = bases(value);
        let expr = match offset_from(expr) {
            Origin::One(pointer) => pointer,
            Origin::Chosen(on, arms) => {
                let [then, otherwise] = arms.map(|arm| Box::new(self.number_of(out, value, arm)));
                if then == otherwise {
                    return *then;
                }
                return Expr { kind: ExprKind::Select(Box::new(on.clone()), then, otherwise), ty: Type::int() };
            }
        };
        match values_in(expr).next().and_then(|from| Some((from, *self.numbers.get(&from)?))) {
            Some((from, number)) => {
                let from = bases(from);
                let number = out.value_expr(number);
                let position = |base: &Expr| to.iter().position(|other| other == base).unwrap_or(0);
                let last = from.last().map_or(0, position);
                let choose = |rest: Expr, (k, base): (usize, &Expr)| {
                    let is = binary(Binary::Equal, number.clone(), self.constant(k), Type::int());
                    let here = self.constant(position(base));
                    Expr::select(is, here, rest, Type::int())
                };
                if from == to {
                    return number;
                }
                from.iter().enumerate().rev().skip(1).fold(self.constant(last), choose)
            }
            None => {
                let own = self.cx.facts.bases(self.id, expr).unwrap_or_default();
                let position = own.first().and_then(|base| to.iter().position(|other| other == base));
                self.constant(position.unwrap_or(0))
            }
        }
    }
}

fn define(out: &mut Proc, value: ValueId, expr: Expr, like: Option<ItemId>) -> ItemId {
    let (span, statement) =
        like.map_or((Span::default(), None), |item| (out.items[item].span, out.items[item].statement));
    out.values[value].def = Def::Is(expr);
    out.items.push(Item { kind: ItemKind::Let { value }, span, statement });
    ItemId::new(out.items.len() - 1)
}

/// What a pointer is an offset from.
enum Origin<'a> {
    One(&'a Expr),
    /// A condition chooses.
    Chosen(&'a Expr, [&'a Expr; 2]),
}

fn offset_from(expr: &Expr) -> Origin<'_> {
    match &expr.kind {
        ExprKind::Cast(x) => offset_from(x),
        ExprKind::Address(place) => place.base.pointer().map_or(Origin::One(expr), offset_from),
        ExprKind::Select(on, then, otherwise) => Origin::Chosen(on, [then, otherwise]),
        _ => Origin::One(expr),
    }
}

/// The pointers that an expression is an offset from: several, if a condition chooses.
fn pointers_in(expr: &Expr) -> Vec<&Expr> {
    match offset_from(expr) {
        Origin::One(pointer) => vec![pointer],
        Origin::Chosen(_, arms) => arms.into_iter().flat_map(|arm| pointers_in(arm)).collect(),
    }
}

/// Those of them that are values of pointer variables.
fn values_in(expr: &Expr) -> impl Iterator<Item = ValueId> {
    pointers_in(expr).into_iter().filter_map(|pointer| match pointer.kind {
        ExprKind::Value(value) if matches!(pointer.ty, Type::Pointer(_)) => Some(value),
        _ => None,
    })
}
