//! Which variables, objects and expressions of a reverse sweep hold adjoints, or point to some.

use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

use super::wide::Given;
use crate::ir::*;

/// What holds adjoints.
pub(super) struct Shadows<'a> {
    pub(super) objects: Vec<bool>,
    pub(super) vars: Vec<bool>,
    pub(super) of_value: Vec<VarId>,
    globals: &'a BTreeSet<GlobalId>,
}

impl<'a> Shadows<'a> {
    pub(super) fn find(given: &Given<'a>, proc: &Proc) -> Self {
        let own: FxHashSet<&str> = given.primal.objects.iter().map(|object| object.name.as_str()).collect();
        let mut shadows = Shadows {
            objects: proc.objects.iter().map(|object| !own.contains(object.name.as_str())).collect(),
            vars: vec![false; proc.vars.len()],
            of_value: proc.values.iter().map(|value| value.var).collect(),
            globals: given.common.globals,
        };
        for (param, role) in proc.params.iter().zip(given.roles) {
            if let (Some(var), ReverseParam::Adjoint(_) | ReverseParam::Seed) = (param.var, role) {
                shadows.vars[var.index()] = true;
            }
        }
        for item in &proc.items {
            if let ItemKind::Sweep(SweepItem::Pop { what: Popped::Pointer { shadow: Some(value), .. } }) = &item.kind {
                shadows.vars[proc.values[*value].var.index()] = true;
            }
        }
        loop {
            let new: Vec<VarId> =
                proc.values.iter().filter(|value| shadows.found(proc, value)).map(|v| v.var).collect();
            if new.is_empty() {
                return shadows;
            }
            new.into_iter().for_each(|var| shadows.vars[var.index()] = true);
        }
    }

    /// Whether a value of a variable that was none so far is an adjoint.
    fn found(&self, proc: &Proc, value: &Value) -> bool {
        let var = |other: ValueId| self.vars[proc.values[other].var.index()];
        let is = match &value.def {
            Def::Is(expr) => self.expr(expr),
            def => proc.merged(def).into_iter().flatten().any(var),
        };
        is && !self.vars[value.var.index()]
    }

    /// Whether an expression is an adjoint, or points to one.
    pub(super) fn expr(&self, expr: &Expr) -> bool {
        if matches!(expr.ty, Type::Int { .. }) {
            return false;
        }
        match &expr.kind {
            ExprKind::Value(value) => self.vars[self.of_value[value.index()].index()],
            ExprKind::Load(place) | ExprKind::Address(place) => self.place(place),
            ExprKind::Unary(_, x) | ExprKind::Cast(x) => self.expr(x),
            ExprKind::Binary(_, x, y) | ExprKind::Select(_, x, y) => self.expr(x) || self.expr(y),
            ExprKind::Function(_, args) => args.iter().any(|x| self.expr(x)),
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Null | ExprKind::Verbatim(_) => false,
        }
    }

    pub(super) fn place(&self, place: &Place) -> bool {
        match &place.base {
            Base::Object(object) => self.objects.get(object.index()).copied().unwrap_or(true),
            Base::Global(global) => self.globals.contains(global),
            Base::At(pointer) => self.expr(pointer),
        }
    }

    /// Whether an item computes or changes adjoints of reals, one by one.
    pub(super) fn assigns(&self, proc: &Proc, kind: &ItemKind) -> bool {
        if let ItemKind::Let { value } = kind {
            let def = &proc.values[*value].def;
            matches!(def, Def::Is(expr) if matches!(expr.ty, Type::Float { .. }) && self.expr(expr))
        } else if let ItemKind::Store { to, .. } | ItemKind::Sweep(SweepItem::Accumulate { to, .. }) = kind {
            matches!(to.ty, Type::Float { .. }) && self.place(to)
        } else {
            false
        }
    }
}
