//! The tangent of a procedure: the primal with, before each assignment, the derivative of what it assigns.
//!
//! `f_d` takes the arguments of `f`, each active one followed by its tangent (a pointer by a pointer, a scalar by
//! value), and last a pointer to the tangent of an active result.
//!
//! Every value of an active variable has a tangent value with the same kind of definition: a join has a join, what a
//! loop carries is carried. The tangent of a pointer is its shadow.

mod followed;
mod returned;
mod state;

pub(crate) use returned::gives_pointer;

use super::context::Context;
use super::items::{binary, negate};
use super::reverse::{dereferenced, load, written};
use super::shadow::{self, Shadows};
use crate::ir::*;
use crate::refuse::{Class, Refusal};
use rustc_hash::FxHashMap;
use state::Builder;
use std::collections::BTreeSet;

/// The tangent of a procedure. `live`: which procedures have one.
pub fn build(cx: &Context, id: ProcId, live: &[bool]) -> Result<Proc, Vec<Refusal>> {
    let primal = &cx.program.procs[id];
    let out = Proc { role: Role::Tangent, ..primal.clone() };
    let mut builder = Builder {
        cx,
        id,
        primal,
        out,
        vars: FxHashMap::default(),
        values: FxHashMap::default(),
        followed: followed::followed(cx, id, primal),
        shadows: FxHashMap::default(),
        result: None,
        at: RegionId(0),
        span: primal.span,
        statement: None,
        refusals: Vec::new(),
    };
    builder.variables();
    builder.objects();
    let entries = builder.params();
    builder.definitions();
    for region in 0..primal.regions.len() {
        builder.region(RegionId::new(region), if region == 0 { &entries } else { &[] }, live);
    }
    builder.give_result();
    if !builder.refusals.is_empty() {
        return Err(builder.refusals);
    }
    super::tidy::tidy_values(&mut builder.out);
    Ok(builder.out)
}

impl Builder<'_> {
    // ---- what there is ---------------------------------------------------------------------------------------------

    /// Makes a tangent variable, and tangent values without definitions yet, for each variable that needs them.
    fn variables(&mut self) {
        for (at, value) in self.primal.values.iter().enumerate() {
            let id = ValueId::new(at);
            let active = match &self.primal.vars[value.var].ty {
                Type::Float { .. } => self.cx.facts.active_value(self.id, id),
                Type::Pointer(_) => {
                    let this = self.primal.value_expr(id);
                    self.cx.facts.active_pointer(self.id, &this)
                }
                _ => false,
            };
            if active && !self.vars.contains_key(&value.var) {
                let var = self.primal.vars[value.var].clone();
                self.out.vars.push(Var { name: format!("{}_d", var.name), kind: VarKind::Temporary, ..var });
                self.vars.insert(value.var, VarId::new(self.out.vars.len() - 1));
            }
        }
        for (at, value) in self.primal.values.iter().enumerate() {
            if let Some(&var) = self.vars.get(&value.var) {
                self.out.values.push(Value { var, def: Def::Undefined, ..value.clone() });
                self.values.insert(ValueId::new(at), ValueId::new(self.out.values.len() - 1));
            }
        }
    }

    /// Objects that have tangents, and variables to which a pointer to what has one may lead: theirs are 0.
    fn objects(&mut self) {
        let leads = |value: &ValueId| self.values.contains_key(value) && self.followed[value.index()];
        let pointers = self.primal.values.ids().filter(leads).map(|value| self.primal.value_expr(value));
        let pointers = pointers.filter(|pointer| matches!(pointer.ty, Type::Pointer(_)));
        let led: BTreeSet<ObjectId> = pointers.flat_map(|pointer| self.cx.facts.blocks(self.id, &pointer)).collect();
        for (at, object) in self.primal.objects.iter().enumerate() {
            let is_led = matches!(object.life, Life::Region(_)) && led.contains(&ObjectId::new(at));
            if is_led || self.cx.facts.active_object(self.id, ObjectId::new(at)) {
                let name = super::unique_parameter(self.cx.program, &self.out, format!("{}_d", object.name));
                let shadow = Object { name, constant: false, ..object.clone() };
                self.out.objects.push(shadow);
                self.shadows.insert(ObjectId::new(at), ObjectId::new(self.out.objects.len() - 1));
            }
        }
    }

    /// Puts tangents behind their parameters. Returns the definitions of tangents of passive arguments.
    fn params(&mut self) -> Vec<ItemId> {
        let mut params: Vec<Param> = Vec::new();
        let mut items = Vec::new();
        for (k, param) in self.primal.params.iter().enumerate() {
            let position = params.len() as u32;
            if let Some(entry) = param.entry {
                self.out.values[entry].def = Def::Entry(position);
            }
            params.push(param.clone());
            if let Some(object) = param.object {
                self.out.objects[object].life = Life::Param(position);
                if let Some(&shadow) = self.shadows.get(&object) {
                    self.out.objects[shadow].life = Life::Param(position + 1);
                    let name = self.out.objects[shadow].name.clone();
                    params.push(Param { name, object: Some(shadow), ..param.clone() });
                }
                continue;
            }
            let Some(tangent) = param.entry.and_then(|entry| self.values.get(&entry).copied()) else { continue };
            if self.cx.facts.active_param(self.id, k) {
                self.out.values[tangent].def = Def::Entry(position + 1);
                let var = Some(self.out.values[tangent].var);
                let name = super::unique_parameter(self.cx.program, self.primal, format!("{}_d", param.name));
                let declaration = written(&param.declaration);
                params.push(Param { name, declaration, var, entry: Some(tangent), ..param.clone() });
            } else {
                let zero = zero(&param.ty);
                items.push(self.definition(tangent, zero));
            }
        }
        if self.cx.facts.active_result(self.id) || gives_pointer(self.cx, self.id) {
            let name = super::unique_parameter(self.cx.program, self.primal, format!("{}_d", self.primal.name));
            let ty = self.primal.result_type.clone();
            let ty = Type::pointer(ty);
            self.out.vars.push(Var::new(name.clone(), ty.clone(), VarKind::Temporary, self.span));
            let var = VarId::new(self.out.vars.len() - 1);
            let def = Def::Entry(params.len() as u32);
            self.out.values.push(Value { var, def, region: RegionId(0), span: self.span });
            let entry = ValueId::new(self.out.values.len() - 1);
            params.push(Param {
                name,
                ty,
                apart: false,
                no_alias: false,
                undefined_at_entry: false,
                declaration: String::new(),
                var: Some(var),
                entry: Some(entry),
                object: None,
                shape: Vec::new(),
                read_only: false,
            });
            self.result = Some(entry);
        }
        self.out.params = params;
        items
    }

    /// Tangents of joins and of what loops carry.
    fn definitions(&mut self) {
        for at in self.primal.items.ids() {
            let values = self.values.clone();
            let of = |value: &ValueId| values.get(value).copied();
            let kind = &self.primal.items[at].kind;
            if let ItemKind::Branch { joins, .. } = kind {
                for join in joins {
                    let Some(out) = of(&join.out) else { continue };
                    let (Some(then), Some(otherwise)) = (of(&join.then), of(&join.otherwise)) else { continue };
                    let ItemKind::Branch { joins, .. } = &mut self.out.items[at].kind else { continue };
                    let var = self.vars[&join.var];
                    self.out.values[out].def = Def::Join(at, joins.len() as u32);
                    joins.push(Join { var, then, otherwise, out });
                }
            } else if let ItemKind::Loop { carried, .. } = kind {
                for c in carried {
                    let Some(out) = of(&c.out) else { continue };
                    let (Some(init), Some(head), Some(end)) = (of(&c.init), of(&c.head), of(&c.end)) else {
                        continue;
                    };
                    let ItemKind::Loop { carried, .. } = &mut self.out.items[at].kind else { continue };
                    let (var, slot) = (self.vars[&c.var], carried.len() as u32);
                    self.out.values[head].def = Def::Head(at, slot);
                    self.out.values[out].def = Def::Out(at, slot);
                    carried.push(Carried { var, init, head, end, out });
                }
            }
        }
    }

    fn give_result(&mut self) {
        let Some(to) = self.result else { return };
        let pointer = self.out.value_expr(to);
        if let Some(object) = self.primal.result_object {
            let ty = self.primal.result_type.clone();
            let from = self.place(&Place { base: Base::Object(object), path: Vec::new(), ty: ty.clone() });
            self.give_struct(&dereferenced(pointer, &ty), &from);
            return;
        }
        let Some(result) = self.primal.result.clone() else { return };
        let from = match result.ty {
            Type::Pointer(_) => shadow::pointer(self, &result),
            _ => self.derivative(&result).unwrap_or_else(|| zero(&result.ty)),
        };
        let store = self.item(ItemKind::Store { to: dereferenced(pointer, &result.ty), from });
        self.out.regions[RegionId::BODY].items.push(store);
    }

    // ---- items -----------------------------------------------------------------------------------------------------

    fn item(&mut self, kind: ItemKind) -> ItemId {
        self.out.items.push(Item { kind, span: self.span, statement: self.statement });
        ItemId::new(self.out.items.len() - 1)
    }

    fn definition(&mut self, value: ValueId, expr: Expr) -> ItemId {
        self.out.values[value].def = Def::Is(expr);
        self.item(ItemKind::Let { value })
    }

    fn region(&mut self, region: RegionId, first: &[ItemId], live: &[bool]) {
        self.at = region;
        let mut items = first.to_vec();
        for item in self.primal.regions[region].items.clone() {
            let this = &self.primal.items[item];
            (self.span, self.statement) = (this.span, this.statement);
            let (before, behind) = self.around(item, &this.kind, live);
            items.extend(before);
            items.push(item);
            items.extend(behind);
        }
        let own = self.out.regions[region].items.split_off(0);
        debug_assert_eq!(own, self.primal.regions[region].items);
        self.out.regions[region].items = items;
    }

    /// What goes before and behind an item.
    fn around(&mut self, item: ItemId, kind: &ItemKind, live: &[bool]) -> (Vec<ItemId>, Vec<ItemId>) {
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        match kind {
            ItemKind::Let { value } => {
                if let (Some(&tangent), Def::Is(expr)) = (self.values.get(value), &self.primal.values[*value].def) {
                    let derivative = match &expr.ty {
                        Type::Pointer(_) if self.followed[value.index()] => shadow::pointer(self, expr),
                        ty => self.derivative(expr).unwrap_or_else(|| zero(ty)),
                    };
                    before.push(self.definition(tangent, derivative));
                }
            }
            ItemKind::Store { to, from } => {
                let from = match &to.ty {
                    Type::Pointer(_) if self.is_shadowed(to, from) => Some(shadow::pointer(self, from)),
                    Type::Pointer(_) if self.cx.facts.active_pointer_anywhere(self.id, from) => {
                        self.pointer_stored();
                        None
                    }
                    Type::Float { .. } if self.cx.facts.active_place(self.id, to) => {
                        Some(self.derivative(from).unwrap_or_else(|| zero(&to.ty)))
                    }
                    _ => None,
                };
                let store = from.map(|from| (self.place(to), from));
                // `x -= passive` leaves the tangent as it is.
                let changes = |(to, from): &(Place, Expr)| !matches!(&from.kind, ExprKind::Load(old) if **old == *to);
                if let Some((to, from)) = store.filter(changes) {
                    before.push(self.item(ItemKind::Store { to, from }));
                }
            }
            ItemKind::Call { callee: Callee::Proc(callee), args, result, into } if live[callee.index()] => {
                self.call(item, *callee, args, *result, into.as_ref(), (&mut before, &mut behind));
            }
            ItemKind::Call { callee, args, result: Some(result), .. } if kind.resizes() => {
                self.resized(callee, args, *result, &mut before);
            }
            ItemKind::Call { result: Some(result), .. } => behind.extend(self.without(*result)),
            ItemKind::Call { into: Some(into), .. } => self.struct_returned(into),
            ItemKind::DeclareVar { var } => {
                if let Some(&var) = self.vars.get(var) {
                    before.push(self.item(ItemKind::DeclareVar { var }));
                }
            }
            ItemKind::Declare { object } => {
                if let Some(&object) = self.shadows.get(object) {
                    behind.push(self.item(ItemKind::Declare { object }));
                    behind.push(self.item(ItemKind::Sweep(SweepItem::Clear { object })));
                }
            }
            ItemKind::Alloc { object, count, .. } => {
                if let Some(&object) = self.shadows.get(object) {
                    behind.push(self.item(ItemKind::Alloc { object, count: count.clone(), zeroed: true }));
                }
            }
            ItemKind::Free { pointer } => {
                if self.cx.facts.active_pointer(self.id, pointer) {
                    let pointer = shadow::pointer(self, pointer);
                    before.push(self.item(ItemKind::Free { pointer }));
                }
            }
            ItemKind::Call { .. }
            | ItemKind::Branch { .. }
            | ItemKind::Loop { .. }
            | ItemKind::Given { .. }
            | ItemKind::Sweep(_) => {}
        }
        (before, behind)
    }

    fn call(
        &mut self,
        item: ItemId,
        callee: ProcId,
        args: &[Expr],
        result: Option<ValueId>,
        into: Option<&Place>,
        (before, behind): (&mut Vec<ItemId>, &mut Vec<ItemId>),
    ) {
        let mut passed = Vec::new();
        for (k, arg) in args.iter().enumerate() {
            passed.push(arg.clone());
            if !self.cx.facts.active_param(callee, k) {
                continue;
            }
            passed.push(match &arg.ty {
                Type::Pointer(_) => shadow::pointer(self, arg),
                Type::Struct(_) => match &arg.kind {
                    ExprKind::Load(place) => load(self.place(place)),
                    _ => unreachable!("a struct is passed from memory"),
                },
                ty => self.derivative(arg).unwrap_or_else(|| zero(ty)),
            });
        }
        if let Some(into) = into {
            if self.cx.facts.active_result(callee) {
                passed.push(Expr::address(self.place(into)));
            }
        } else if self.cx.facts.active_result(callee) || gives_pointer(self.cx, callee) {
            let ty = self.cx.program.procs[callee].result_type.clone();
            let object = ObjectId::new(self.out.objects.len());
            let name = super::unique(&self.out, "derivative_of_call".into());
            self.out.objects.push(Object {
                name,
                elem: ty.clone(),
                shape: Vec::new(),
                life: Life::Region(self.at),
                constant: false,
                span: self.span,
            });
            before.push(self.item(ItemKind::Declare { object }));
            let place = Place { base: Base::Object(object), path: Vec::new(), ty };
            passed.push(Expr::address(place.clone()));
            if let Some(&tangent) = result.and_then(|result| self.values.get(&result)) {
                behind.push(self.definition(tangent, load(place)));
            }
        } else if let Some(result) = result {
            behind.extend(self.without(result));
        }
        if let ItemKind::Call { callee: called, args, .. } = &mut self.out.items[item].kind {
            *called = Callee::Sweep(callee, Role::Tangent);
            *args = passed;
        }
    }

    // ---- derivatives -----------------------------------------------------------------------------------------------

    /// The derivative of an expression; `None` for 0.
    fn derivative(&mut self, expr: &Expr) -> Option<Expr> {
        if !matches!(expr.ty, Type::Float { .. }) {
            return None;
        }
        let ty = expr.ty.clone();
        let multiply = |x: Expr, y: Expr| binary(Binary::Multiply, x, y, ty.clone());
        match &expr.kind {
            ExprKind::Value(v) => {
                let tangent = self.values.get(v).copied()?;
                let active = self.cx.facts.active_value(self.id, *v);
                active.then(|| self.out.value_expr(tangent))
            }
            ExprKind::Load(place) => self.cx.facts.active_place(self.id, place).then(|| load(self.place(place))),
            ExprKind::Unary(Unary::Negate, x) => self.derivative(x).map(negate),
            ExprKind::Cast(x) => self.derivative(x).map(|x| Expr::cast(x, expr.ty.clone())),
            ExprKind::Binary(Binary::Add, x, y) => match (self.derivative(x), self.derivative(y)) {
                (Some(x), Some(y)) => Some(binary(Binary::Add, x, y, ty.clone())),
                (x, y) => x.or(y),
            },
            ExprKind::Binary(Binary::Subtract, x, y) => match (self.derivative(x), self.derivative(y)) {
                (Some(x), Some(y)) => Some(binary(Binary::Subtract, x, y, ty.clone())),
                (x, y) => x.or(y.map(negate)),
            },
            ExprKind::Binary(Binary::Multiply, x, y) => {
                let first = self.derivative(x).map(|d| multiply(d, (**y).clone()));
                let second = self.derivative(y).map(|d| multiply((**x).clone(), d));
                sum(first, second)
            }
            ExprKind::Binary(Binary::Divide, x, y) => {
                let second = self.derivative(y).map(|d| negate(multiply(expr.clone(), d)));
                let above = sum(self.derivative(x), second)?;
                Some(binary(Binary::Divide, above, (**y).clone(), ty.clone()))
            }
            ExprKind::Function(function, args) => {
                let mut total = None;
                for (k, arg) in args.iter().enumerate() {
                    let Some(inner) = self.derivative(arg) else { continue };
                    let term = match function.partial(k, args, expr) {
                        functions::Partial::Zero => continue,
                        functions::Partial::One => inner,
                        // An argument that is not taken may have an infinite tangent.
                        functions::Partial::Is(partial) if function.selects() => super::adjoint::share(partial, inner),
                        functions::Partial::Is(partial) => multiply(partial, inner),
                        functions::Partial::Steep(partial) => super::adjoint::share(partial, inner),
                        functions::Partial::Refused(why) => {
                            let what = format!("'{}': {why}, and its argument {} is active", function.c_name(), k + 1);
                            self.refuse(Class::Derivative, what, "keep this argument independent of the inputs");
                            continue;
                        }
                    };
                    total = sum(total, Some(term));
                }
                total
            }
            _ => None,
        }
    }

    /// Refuses a place that has no tangent, where one is asked for.
    fn none_beside(&mut self, place: &Place, name: &str) -> Base {
        let what = format!("'{name}' has no tangent here, and a pointer to what has one may point to it");
        self.refuse(Class::Pointer, what, "use different pointers for active and passive arrays");
        place.base.clone()
    }

    fn refuse(&mut self, class: Class, what: String, help: &str) {
        let refusal = Refusal { class, span: self.span, what, help: help.into() };
        if !self.refusals.contains(&refusal) {
            self.refusals.push(refusal);
        }
    }
}

fn sum(x: Option<Expr>, y: Option<Expr>) -> Option<Expr> {
    match (x, y) {
        (Some(x), Some(y)) => {
            let ty = x.ty.clone();
            Some(binary(Binary::Add, x, y, ty))
        }
        (x, y) => x.or(y),
    }
}

impl Shadows for Builder<'_> {
    fn place(&mut self, place: &Place) -> Place {
        let base = match &place.base {
            Base::Object(object) => match self.shadows.get(object) {
                Some(shadow) => Base::Object(*shadow),
                None => self.none_beside(place, &self.primal.objects[*object].name),
            },
            Base::Global(global) => match self.cx.global_shadows.get(global) {
                Some(shadow) => Base::Global(*shadow),
                None => self.none_beside(place, &self.cx.program.globals[*global].name),
            },
            Base::At(pointer) => Base::At(Box::new(shadow::pointer(self, pointer))),
        };
        Place { base, ..place.clone() }
    }

    fn nowhere(&self, pointer: &Expr) -> bool {
        self.cx.facts.nowhere(self.id, pointer)
    }

    fn value(&mut self, value: ValueId) -> Expr {
        match self.values.get(&value) {
            Some(&tangent) => self.out.value_expr(tangent),
            None => {
                let var = self.primal.values[value].var;
                let name = self.primal.vars[var].name.clone();
                let what = format!("the pointer '{name}' has no tangent here, but what it points to may have one");
                self.refuse(Class::Pointer, what, "use different pointers for active and passive arrays");
                zero(self.primal.type_of(value))
            }
        }
    }

    fn primal(&mut self, expr: &Expr) -> Expr {
        walk::replace(expr, &mut |_| None)
    }
}
