//! Results that an adjoint leaves where the head puts them, for those who want the value with the gradient: what a head
//! returns, the forward sweep returns, too. What it leaves in memory must outlive the reverse sweep, which brings old
//! contents back and runs passes again.
//!
//! A result in memory is there at the end if no reverse sweep writes it. An argument is followed through the reverse sweep
//! of the head alone: it may be read there, and nothing else may be done with it.

use super::Sweeps;
use crate::flow::{Flow, Head, Root};
use crate::ir::parts::{Part, parts_of_item};
use crate::ir::walk::{parts, parts_of_place};
use crate::ir::*;
use crate::refuse::{Class, Refusal};
use crate::stack::deep;

/// Refuses results of heads that the reverse sweeps may overwrite, or that no caller can use.
pub(super) fn check(flow: &Flow, heads: &[Head], sweeps: &[Sweeps]) -> Result<(), Vec<Refusal>> {
    let program = flow.program;
    let refusals: Vec<Refusal> = heads
        .iter()
        .filter_map(|head| Some((head, head.find(program)?)))
        .filter(|(_, p)| !program.is_residual(*p))
        .flat_map(|(head, p)| refused(flow, head, p, sweeps))
        .collect();
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

fn refused(flow: &Flow, head: &Head, p: ProcId, sweeps: &[Sweeps]) -> Vec<Refusal> {
    let (program, proc) = (flow.program, &flow.program.procs[p]);
    let refusal =
        |what: String, help: &str| Refusal { class: Class::NotProved, span: proc.span, what, help: help.into() };
    let lost = head.dependents.iter().filter(|name| is_lost(flow, name, p, sweeps)).map(|name| {
        let what = format!("--value: the reverse sweep changes '{name}' again, so its value is lost");
        refusal(what, "return the result, copy it last into an argument that nothing reads, or leave --value out")
    });
    let leads = holds_pointer(program, &proc.result_type).then(|| {
        let what =
            format!("--value: '{}' returns a pointer, and the reverse sweep may free what it leads to", proc.name);
        refusal(what, "return numbers, or leave --value out")
    });
    lost.chain(leads).collect()
}

/// Whether reverse sweeps may change a result in memory.
fn is_lost(flow: &Flow, name: &str, p: ProcId, sweeps: &[Sweeps]) -> bool {
    let (program, proc) = (flow.program, &flow.program.procs[p]);
    let (first, _) = Head::path(name);
    if let Some(k) = proc.params.iter().position(|param| param.name == first) {
        let this = sweeps.iter().find(|each| each.proc == p);
        return shares(flow, p, Root::Formal(p, k as u32)) || this.is_some_and(|this| changes_argument(this, k as u32));
    }
    let Some(global) = program.globals.iter().position(|global| global.name == first) else { return false };
    let global = GlobalId::new(global);
    shares(flow, p, Root::Global(global)) || sweeps.iter().any(|each| changes_global(&each.reverse, global))
}

/// Whether what a root leads to may be another object, too, that the head touches.
fn shares(flow: &Flow, p: ProcId, root: Root) -> bool {
    let touched = flow.reads(p, RegionId::BODY) | flow.writes(p, RegionId::BODY);
    let locs = &flow.points.locs;
    let own = touched.iter().filter(|loc| locs.root(**loc) == root);
    own.flat_map(|loc| flow.points.aliases(p, *loc)).any(|other| locs.root(other) != root)
}

/// Whether the reverse sweep of a head does more with an argument than to read numbers behind it.
fn changes_argument(sweeps: &Sweeps, k: u32) -> bool {
    let reverse = &sweeps.reverse;
    let Some(at) = sweeps.interface.params.iter().position(|role| *role == ReverseParam::Primal(k)) else {
        return false;
    };
    let Some(entry) = reverse.params[at].entry else { return true };
    Reading { proc: reverse, of: Object::Behind(entry) }.does_more()
}

/// Whether a reverse sweep does more with a variable at file scope than to read numbers of it.
fn changes_global(reverse: &Proc, global: GlobalId) -> bool {
    let this = Reading { proc: reverse, of: Object::Global(global) };
    let runs_other = |item: &Item| {
        let ItemKind::Call { callee, .. } = &item.kind else { return false };
        matches!(callee, Callee::Proc(_)) || matches!(callee, Callee::Sweep(_, role) if *role != Role::Reverse)
    };
    this.does_more() || reverse.items.iter().any(runs_other)
}

fn holds_pointer(program: &Program, ty: &Type) -> bool {
    match ty {
        Type::Pointer(_) => true,
        Type::Array(row) => holds_pointer(program, &row.elem),
        Type::Struct(id) => program.types.structs[*id].fields.iter().any(|field| holds_pointer(program, &field.ty)),
        Type::Void | Type::Int { .. } | Type::Float { .. } | Type::Opaque(_) => false,
    }
}

/// An object outside of a procedure.
#[derive(Clone, Copy)]
enum Object {
    /// What a pointer leads to.
    Behind(ValueId),
    /// A variable at file scope.
    Global(GlobalId),
}

/// How a procedure treats an object: whether it only reads numbers there.
struct Reading<'a> {
    proc: &'a Proc,
    of: Object,
}

impl Reading<'_> {
    /// Whether a place with this base is in the object.
    fn is_own(&self, base: &Base) -> bool {
        match (base, self.of) {
            (Base::Global(global), Object::Global(own)) => *global == own,
            (Base::At(pointer), Object::Behind(_)) => self.leads(pointer),
            _ => false,
        }
    }

    /// Whether an expression is the pointer to the object.
    fn leads(&self, expr: &Expr) -> bool {
        matches!((&expr.kind, self.of), (ExprKind::Value(value), Object::Behind(own)) if *value == own)
    }

    fn does_more(&self) -> bool {
        self.proc.items.iter().any(|item| {
            let mut found = false;
            if let ItemKind::Let { value } = item.kind
                && let Def::Is(expr) = &self.proc.values[value].def
            {
                found |= self.hands_on(expr);
            }
            parts_of_item(&item.kind, &mut |part| {
                found |= match part {
                    Part::Expr(expr) => self.hands_on(expr),
                    Part::Read(place) => self.reaches(place),
                    Part::Written(place) => self.is_own(&place.base) || self.reaches(place),
                    Part::Used(value) => matches!(self.of, Object::Behind(own) if *value == own),
                    Part::Defined(_) | Part::Var(_) | Part::Object(_) | Part::Region(_) => false,
                }
            });
            found
        })
    }

    /// Whether an expression has the pointer to the object, or a pointer that is kept in the object.
    fn hands_on(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Load(place) if self.is_own(&place.base) => {
                !matches!(expr.ty, Type::Float { .. } | Type::Int { .. }) || self.reaches(place)
            }
            ExprKind::Address(place) if self.is_own(&place.base) => true,
            _ if self.leads(expr) => true,
            _ => {
                let mut found = false;
                parts(expr, &mut |part| found |= deep(|| self.hands_on(part)));
                found
            }
        }
    }

    /// Whether the expressions of a place, but for the base of one in the object, do.
    fn reaches(&self, place: &Place) -> bool {
        let mut found = false;
        let own = self.is_own(&place.base);
        parts_of_place(place, &mut |part| found |= !(own && self.leads(part)) && self.hands_on(part));
        found
    }
}
