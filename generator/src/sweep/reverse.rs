//! The reverse sweep of one procedure, built backwards from its items.
//!
//! ```text
//!   forward                          reverse
//!   ┌ region                         ┌ region
//!   │  item 1                        │  pop record: s2, s1
//!   │  item 2                        │  locals and their shadows, contents popped
//!   │  push contents of locals       │  reverse of item 2
//!   └  push record: s1, s2           └  reverse of item 1
//! ```
//!
//! Each item asks for the values that its adjoint reads. The token game answers; what it cannot answer joins the
//! record of its region. The builder runs several times (see [`crate::plan`]): a record that the last run asks for is
//! known from its start.

mod again;
mod origins;
mod params;
mod records;
mod shadows;
mod snapshots;

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) use params::{declared, written};
pub(super) use records::{bytes, dereferenced, load};

pub use super::builder::{Builder, Start};
use super::context::Context;
use super::{Taken, explain, homes, leaves, live};
use crate::ir::*;
use crate::plan::game::{Game, Token};
use crate::plan::levels::Levels;
use crate::plan::recompute::Definitions;
use crate::plan::{Explanation, Interface, ProcPlan};
use crate::refuse::{Class, Refusal};

/// What the last run ends with.
pub struct Built {
    /// The plan that the sweep follows.
    pub plan: ProcPlan,
    /// The sweep.
    pub proc: Proc,
    /// How it is called.
    pub interface: Interface,
    /// Expressions that read memory again, with the item at which the program evaluates them.
    pub again: Vec<(ItemId, Expr)>,
    /// Loops that cannot be run again: the sweep is of no use.
    pub unfit: Vec<ItemId>,
    /// Where its parts come from.
    pub origins: Origins,
}

/// Builds the reverse sweep of a procedure once.
pub fn build<'a>(
    cx: &'a Context<'a>,
    id: ProcId,
    definitions: &'a Definitions,
    start: &'a Start,
) -> Result<Builder<'a>, Vec<Refusal>> {
    let primal = &cx.program.procs[id];
    let mut builder = Builder::new(cx, id, primal, definitions, start);
    builder.body();
    if builder.refusals.is_empty() { Ok(builder) } else { Err(builder.refusals) }
}

impl<'a> Builder<'a> {
    fn new(cx: &'a Context<'a>, id: ProcId, primal: &'a Proc, definitions: &'a Definitions, start: &'a Start) -> Self {
        let out = Proc {
            name: primal.name.clone(),
            language: primal.language,
            role: Role::Reverse,
            objects: primal.objects.clone(),
            regions: vec![Region::default()].into(),
            statements: primal.statements.clone(),
            is_static: primal.is_static,
            span: primal.span,
            ..Proc::default()
        };
        let cleared = live::cleared(primal, id, cx.facts);
        let mut names = Taken::default();
        primal.objects.iter().for_each(|object| names.take(&object.name));
        Builder {
            cx,
            id,
            primal,
            game: Game::new(primal, id, cx.facts, definitions, cx.dear),
            definitions,
            live: live::items(primal, id, cx.facts, cx.interfaces, &cleared),
            cleared,
            taken: names,
            out,
            at: RegionId(0),
            names: Levels::default(),
            loops: Vec::new(),
            plan: ProcPlan::default(),
            start,
            wanted: BTreeSet::new(),
            crowded: super::values::crowded(primal, &start.wanted),
            again: Vec::new(),
            adjoints: FxHashMap::default(),
            nested: 0,
            explained: FxHashSet::default(),
            several: explain::several(primal),
            printer: print::Expressions::new(cx.program, primal),
            vars: homes::vars(primal, |value| cx.facts.active_value(id, value)),
            shadows: FxHashMap::default(),
            arguments: Vec::new(),
            params: Vec::new(),
            regions: Vec::new(),
            pops: Vec::new(),
            late: Vec::new(),
            span: primal.span,
            statement: None,
            refusals: Vec::new(),
            defined: None,
            own: None,
            operands: Vec::new(),
            read: homes::read(primal),
            counts: FxHashMap::default(),
            blocks: BTreeMap::new(),
            stored: BTreeMap::new(),
            again_passes: Vec::new(),
            copies: Copies::default(),
            copied_objects: Vec::new(),
            unfit: Vec::new(),
            reversed: None,
            origins: Vec::new(),
            reads: FxHashMap::default(),
            loads: FxHashMap::default(),
            inverted: FxHashSet::default(),
        }
    }

    // ---- the procedure -------------------------------------------------------------------------------------------

    fn body(&mut self) {
        self.declare_params();
        self.find_offsets();
        self.stored_pointers();
        let entries = self.primal.params.iter().enumerate();
        let given = entries.filter_map(|(k, param)| Some((param.entry?, Token::Entry(k as u32), None))).collect();
        self.enter(RegionId(0), given, &[]);
        if let Some(result) = &self.primal.result
            && self.cx.facts.active_result(self.id)
        {
            let seed = self.seed();
            self.adjoint(result, seed);
        }
        if let Some(object) = self.primal.result_object
            && self.cx.facts.active_result(self.id)
        {
            let ty = self.primal.result_type.clone();
            let from = dereferenced(self.seed(), &ty);
            let to = Place { base: Base::Object(self.shadow_of(object)), path: Vec::new(), ty };
            self.add_struct(&to, &from);
        }
        self.items(RegionId(0));
        for (k, param) in self.primal.params.iter().enumerate() {
            let Some(at) = self.params.iter().position(|p| *p == ReverseParam::Adjoint(k as u32)) else { continue };
            let to = dereferenced(self.argument(at), &param.ty);
            match (&param.ty, param.var, param.object) {
                (Type::Float { .. }, Some(var), _) => {
                    let from = load(self.adjoint_of(var));
                    self.emit(ItemKind::Sweep(SweepItem::Accumulate { to, from }));
                }
                (Type::Struct(_), _, Some(object)) => {
                    let base = Base::Object(self.shadow_of(object));
                    self.add_struct(&to, &Place { base, path: Vec::new(), ty: param.ty.clone() });
                }
                _ => {}
            }
        }
        self.leave();
    }

    /// Adds every real of one struct to its counterpart in another.
    pub(super) fn add_struct(&mut self, to: &Place, from: &Place) {
        let reals = |place: &Place| leaves::reals(self.cx.program, place);
        let (Some(to), Some(from)) = (reals(to), reals(from)) else {
            let what = "a large struct that is passed or returned by value".to_owned();
            self.refuse(Class::Type, what, "pass a pointer to it");
            return;
        };
        for (to, from) in to.into_iter().zip(from) {
            self.emit(ItemKind::Sweep(SweepItem::Accumulate { to, from: load(from) }));
        }
    }

    /// The records of the plan, with the values that nothing reads in the end.
    pub fn asked(&self) -> &BTreeMap<RegionId, Vec<ValueId>> {
        &self.plan.records
    }

    /// What had to be stored, directly or by way of another value.
    pub fn wanted(&self) -> &BTreeSet<ValueId> {
        &self.wanted
    }

    /// Loops that store in front of them what they overwrite, and put something else on the tape in their passes.
    pub fn mixed(&self) -> Vec<ItemId> {
        super::runs::mixed(self.primal, &self.plan)
    }

    /// Moves of the token game that were tried.
    pub fn steps(&self) -> u64 {
        self.game.steps()
    }

    /// The sweep without what nothing reads.
    pub fn finish(mut self) -> Built {
        self.call_once();
        let pushes = self.run_again();
        self.tidy(pushes);
        super::first::begin_with_first(&mut self.out);
        self.name_readers();
        let used = super::tidy::values_used(&self.out);
        let objects = super::tidy::objects_used(&self.out);
        let recursive = self.cx.interfaces[self.id.index()].is_some();
        let read = |param: &Param| match param.object {
            Some(object) => objects.contains(&object),
            None => param.entry.is_some_and(|entry| used.contains(&entry)),
        };
        let params = self.out.params.iter().zip(&self.params);
        let kept: Vec<bool> =
            params.map(|(param, role)| recursive || !matches!(role, ReverseParam::Primal(_)) || read(param)).collect();
        let mut at = 0;
        for (k, keep) in kept.iter().enumerate() {
            let param = &mut self.out.params[k];
            // An entry that nobody reads keeps a definition, but no parameter.
            if let Some(entry) = param.entry {
                self.out.values[entry].def = if *keep { Def::Entry(at) } else { Def::Undefined };
            }
            if let Some(object) = param.object {
                self.out.objects[object].life = Life::Param(at);
            }
            at += u32::from(*keep);
        }
        let mut keep = kept.iter();
        self.out.params.retain(|_| *keep.next().expect("one for each"));
        let mut keep = kept.iter();
        self.params.retain(|_| *keep.next().expect("one for each"));
        let origins = self.compact();
        // A guard is in the forward sweep alone: calls are made of this, not of the program's own function.
        let live = !self.live.is_empty() || self.cx.facts.active_result(self.id) || self.primal.is_guarded();
        let interface = Interface { params: self.params, live };
        Built { plan: self.plan, proc: self.out, interface, again: self.again, unfit: self.unfit, origins }
    }

    // ---- building blocks -----------------------------------------------------------------------------------------

    pub(super) fn refuse(&mut self, class: Class, what: String, help: &str) {
        let refusal = Refusal { class, span: self.span, what, help: help.into() };
        if !self.refusals.contains(&refusal) {
            self.refusals.push(refusal);
        }
    }

    pub(super) fn explain(&mut self, span: Span, what: String, how: impl Into<String>, bytes: f64) {
        self.explain_line(Explanation::new(span, what, how, bytes));
    }

    pub(super) fn explain_line(&mut self, line: Explanation) {
        if self.explained.insert(line.clone()) {
            self.plan.explanations.push(line);
        }
    }

    pub(super) fn variable(&mut self, name: &str, ty: &Type, kind: VarKind) -> VarId {
        self.taken.take(name);
        self.out.vars.push(Var::new(name, ty.clone(), kind, self.span));
        VarId::new(self.out.vars.len() - 1)
    }

    pub(super) fn define(&mut self, var: VarId, def: Def, region: RegionId) -> ValueId {
        self.out.values.push(Value { var, def, region, span: self.span });
        ValueId::new(self.out.values.len() - 1)
    }

    /// An item that is in no region yet.
    pub(super) fn item(&mut self, kind: ItemKind) -> ItemId {
        self.out.items.push(Item { kind, span: self.span, statement: self.statement });
        self.origins.push(self.reversed);
        ItemId::new(self.out.items.len() - 1)
    }

    pub(super) fn emit(&mut self, kind: ItemKind) -> ItemId {
        let item = self.item(kind);
        self.out.regions[self.at].items.push(item);
        item
    }

    /// Gives the expression a name, unless it is a name or a constant.
    pub(super) fn bind(&mut self, name: &str, expr: Expr) -> Expr {
        if matches!(expr.kind, ExprKind::Value(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Null) {
            return expr;
        }
        let ty = expr.ty.clone();
        let var = self.variable(name, &ty, VarKind::Temporary);
        let value = self.define(var, Def::Is(expr), self.at);
        self.emit(ItemKind::Let { value });
        Expr::value(value, ty)
    }

    /// A region inside the current one, which becomes current; returns the one that was.
    pub(super) fn open(&mut self, item: ItemId) -> (RegionId, RegionId) {
        self.out.regions.push(Region { parent: Some((self.at, item)), items: Vec::new() });
        let new = RegionId::new(self.out.regions.len() - 1);
        (new, std::mem::replace(&mut self.at, new))
    }

    // ---- adjoints ------------------------------------------------------------------------------------------------

    fn declare_adjoint(&mut self, var: VarId) {
        let this = &self.primal.vars[var];
        let object = self.scalar_object(format!("{}_b", this.name), this.ty.clone());
        self.adjoints.insert(var, object);
    }

    /// A scalar of the sweep that begins as 0.
    pub(super) fn scalar_object(&mut self, name: String, ty: Type) -> ObjectId {
        let object = ObjectId::new(self.out.objects.len());
        self.out.objects.push(Object {
            name: self.taken.unique(name),
            elem: ty.clone(),
            shape: Vec::new(),
            life: Life::Region(self.at),
            constant: false,
            span: self.span,
        });
        self.emit(ItemKind::Declare { object });
        let to = Place { base: Base::Object(object), path: Vec::new(), ty: ty.clone() };
        self.emit(ItemKind::Store { to, from: zero(&ty) });
        object
    }

    /// The adjoint of a variable.
    pub(super) fn adjoint_of(&mut self, var: VarId) -> Place {
        let ty = self.primal.vars[var].ty.clone();
        let object = self.adjoints.get(&var).copied().unwrap_or_else(|| {
            // Not reached: every active variable has a home. A store into nowhere would be silent, so refuse.
            let name = self.primal.vars[var].name.clone();
            self.refuse(Class::NotProved, format!("internal: no adjoint of '{name}'"), "please report this program");
            ObjectId(0)
        });
        Place { base: Base::Object(object), path: Vec::new(), ty }
    }
}
