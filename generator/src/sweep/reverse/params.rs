//! Parameters of the reverse sweep: arguments, adjoints, seed.

use crate::ir::*;
use crate::sweep::builder::{Builder, Named};
use crate::sweep::context::Context;

/// The parameters of a reverse sweep before those that it does not need are dropped: role, name, type, declaration.
pub(crate) fn declared(cx: &Context, id: ProcId) -> Vec<(ReverseParam, String, Type, String)> {
    let proc = &cx.program.procs[id];
    let mut all = Vec::new();
    for (k, param) in proc.params.iter().enumerate() {
        let position = k as u32;
        all.push((ReverseParam::Primal(position), param.name.clone(), param.ty.clone(), param.declaration.clone()));
        // The adjoint of what is on the stable heap is found by the argument.
        let entry = param.entry.filter(|_| matches!(param.ty, Type::Pointer(_)));
        let on_heap = entry.is_some_and(|entry| cx.facts.on_heap(id, &proc.value_expr(entry)));
        if cx.facts.active_param(id, k) && !on_heap {
            let (ty, declaration) = match &param.ty {
                Type::Pointer(_) => (param.ty.clone(), written(&param.declaration)),
                ty => (Type::pointer(ty.clone()), String::new()),
            };
            all.push((ReverseParam::Adjoint(position), format!("{}_b", param.name), ty, declaration));
        }
    }
    if cx.facts.active_result(id) {
        let ty = match &proc.result_type {
            ty @ Type::Struct(_) => Type::pointer(ty.clone()),
            ty => ty.clone(),
        };
        all.push((ReverseParam::Seed, format!("{}_b", proc.name), ty, String::new()));
    }
    all
}

/// A parameter's declaration without `const`: adjoints and tangents are written.
pub(crate) fn written(declaration: &str) -> String {
    let mut text = String::new();
    let mut word = String::new();
    for c in declaration.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        if word != "const" {
            text.push_str(&word);
        }
        word.clear();
        text.push(c);
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Builder<'_> {
    /// Declares every parameter that the sweep may need: arguments, adjoints, seed.
    pub(super) fn declare_params(&mut self) {
        for (role, name, ty, declaration) in declared(self.cx, self.id) {
            let value = self.declare_param(role, &name, &ty, &declaration);
            match role {
                ReverseParam::Primal(_) => self.arguments.push(value.map(|value| Named { value, shadow: None })),
                ReverseParam::Adjoint(k) if matches!(self.primal.params[k as usize].ty, Type::Pointer(_)) => {
                    self.arguments[k as usize].as_mut().expect("declared before").shadow = value;
                }
                _ => {}
            }
        }
    }

    fn declare_param(&mut self, role: ReverseParam, name: &str, ty: &Type, declaration: &str) -> Option<Expr> {
        let position = self.out.params.len() as u32;
        // A struct is an object, passed as it was at entry if nothing writes it, else a local of the sweep.
        let object = match role {
            ReverseParam::Primal(k) => self.primal.params[k as usize].object,
            _ => None,
        };
        let object = object.filter(|object| !self.cx.facts.written(self.id, *object));
        if let Some(object) = object {
            self.out.objects[object].life = Life::Param(position);
        }
        let scalar = !matches!(ty, Type::Struct(_));
        let var = scalar.then(|| self.variable(name, ty, VarKind::User));
        let entry = var.map(|var| self.define(var, Def::Entry(position), RegionId(0)));
        self.out.params.push(Param {
            name: name.into(),
            ty: ty.clone(),
            declaration: declaration.into(),
            var,
            entry,
            object,
            shape: Vec::new(),
            read_only: false,
            apart: matches!(role, ReverseParam::Adjoint(k) if self.cx.facts.apart(self.id, k as usize)),
            no_alias: false,
            undefined_at_entry: false,
        });
        self.params.push(role);
        entry.map(|value| Expr::value(value, ty.clone()))
    }

    pub(super) fn seed(&self) -> Expr {
        let at = self.params.iter().position(|p| *p == ReverseParam::Seed);
        self.argument(at.expect("an active result has a seed"))
    }

    pub(in crate::sweep) fn argument(&self, at: usize) -> Expr {
        let param = &self.out.params[at];
        Expr::value(param.entry.expect("declared with a value"), param.ty.clone())
    }
}
