//! From sweeps to C.
//!
//! The generated file includes the user's sources, so types, macros, statics and passive functions are there under
//! their names. Behind them come shadows of globals, the sweeps of every procedure, and for each head a function that
//! runs both.

mod apart;
mod asserted;
mod beginning;
mod body;
pub mod calls;
mod clashes;
mod constant;
pub mod expr;
mod header;
mod helpers;
mod implicit;
mod needed;
mod objects;
mod outside;
mod preamble;
mod rows;
mod shadows;
mod statics;
mod text;
mod types;
mod unit;
mod wrapper;

use super::options::{Options, Output};
use crate::check::Watch;
use crate::emit::body::tangents::head_of;
use crate::ir::*;
use crate::refuse::Refusal;
use crate::sweeps::{Adjoint, Sweeps, Tangents};
use text::{LIBRARY, Text};
use unit::{Rounding, Unit};

/// The adjoint as C.
pub fn adjoint(adjoint: &Adjoint, options: &Options) -> Result<Output, Vec<Refusal>> {
    both(adjoint, None, false, options)
}

/// The adjoint and the tangent as C, in one file.
pub fn with_tangent(adjoint: &Adjoint, tangents: &Tangents, options: &Options) -> Result<Output, Vec<Refusal>> {
    both(adjoint, Some(tangents), false, options)
}

/// The adjoint as C that checks itself at run time: see [`crate::check`]. The tangent goes into the same file.
pub fn checked(adjoint: &Adjoint, tangents: &Tangents, options: &Options) -> Result<Output, Vec<Refusal>> {
    both(adjoint, Some(tangents), true, options)
}

/// `checks`: the tangent is there for the check, and for no user.
fn both(
    adjoint: &Adjoint,
    tangents: Option<&Tangents>,
    checks: bool,
    options: &Options,
) -> Result<Output, Vec<Refusal>> {
    let program = &adjoint.program;
    let mut unit = Unit::new(program, options);
    unit.checks = checks;
    // Tests of what the program assumes stand in the forward sweep.
    let is_text = |item: &Item| matches!(item.kind, ItemKind::DeclareVar { .. } | ItemKind::Sweep(SweepItem::Nothing));
    let does_nothing = |proc: &Proc| proc.regions[RegionId::BODY].items.iter().all(|item| is_text(&proc.items[*item]));
    let is_empty = |each: &&Sweeps| each.deferred.forward.as_ref().is_some_and(does_nothing);
    let without = adjoint.sweeps.iter().filter(is_empty).filter(|_| program.assumed.is_empty());
    let without = without.filter(|each| *adjoint.result_type(each.proc) == Type::Void);
    unit.left_out = without.map(|each| each.proc).collect();
    unit.stepwise = adjoint.sweeps.iter().filter(|each| !each.plan.again.is_empty()).map(|each| each.proc).collect();
    let sums = adjoint.sweeps.iter().any(|each| each.plan.sums);
    unit.rounding = match (checks || !unit.stepwise.is_empty(), sums) {
        (true, _) => Rounding::All,
        (false, true) => Rounding::Sweeps,
        (false, false) => Rounding::None,
    };
    let several = if adjoint.wide.is_some() { "v" } else { "" };
    unit.name_sweeps(adjoint.sweeps.iter().flat_map(|each| {
        let both = [(each.runs_forward(), "fwd"), (&each.reverse, "rev")];
        both.map(|(proc, suffix)| (each.proc, proc, format!("{}_{suffix}{several}", each.name)))
    }));
    let printable = |id: ProcId| rows::variables(&program.procs[id]).is_empty();
    let watch = checks.then(|| Watch::new(adjoint, &printable));
    let copied = watch.iter().flat_map(|watch| &watch.copied).map(|id| (*id, &program.procs[*id]));
    unit.name_sweeps(copied.map(|(id, proc)| (id, proc, format!("{}_watched", proc.name))));
    let rows = adjoint
        .sweeps
        .iter()
        .flat_map(|each| rows::computed(&each.reverse).into_iter().chain(rows::variables(each.runs_forward())));
    let constant = adjoint.sweeps.iter().flat_map(|each| constant::written(program, &each.reverse));
    let head = |head: ProcId| &program.procs[head].name;
    let heads = adjoint.heads.iter().map(|&id| (format!("the adjoint of '{}'", head(id)), adjoint.name(id)));
    let split = adjoint.sweeps.iter().filter(|each| adjoint.split && adjoint.heads.contains(&each.proc));
    let split = split.flat_map(|each| {
        [("forward", "fwd"), ("reverse", "rev")].map(|(sweep, suffix)| {
            (format!("the {sweep} sweep of '{}'", head(each.proc)), format!("{}_{suffix}{several}", each.name))
        })
    });
    let exported = heads.chain(split).chain(clashes::shadows(program, &adjoint.global_shadows, "adjoint"));
    let refused = clashes::refused(program, &adjoint.global_shadows, exported);
    let beside = tangents.filter(|_| !checks).map(refused_tangents).unwrap_or_default();
    let refused: Vec<Refusal> = refused.into_iter().chain(rows).chain(constant).chain(beside).collect();
    if !refused.is_empty() {
        return Err(refused);
    }
    let mut text = Text::default();
    let sweeps: Vec<(ProcId, &Proc)> = adjoint
        .sweeps
        .iter()
        .flat_map(|each| [each.runs_forward(), &each.reverse].map(|proc| (each.proc, proc)))
        .filter(|(id, proc)| proc.role != Role::Forward || !unit.left_out.contains(id))
        .collect();
    let apart = apart::procs(program);
    for (printed, (id, proc)) in unit.print(&sweeps, true).into_iter().zip(&sweeps) {
        let is_head = adjoint.heads.contains(id);
        let guards = is_head && proc.role == Role::Forward;
        let mut printed = if guards { printed.guarded(program, "adjoint") } else { printed };
        if apart.contains(id) && !is_head {
            printed.attribute = format!("{} ", unit.apart);
        }
        text.proc(program, &proc.name, printed, adjoint.split && is_head && !adjoint.is_residual(*id));
    }
    text.given = objects::taken_as_given(adjoint);
    let mut check = String::new();
    let mut second = None;
    if let Some(tangents) = tangents {
        if let Some(watch) = &watch {
            text.runtime = crate::check::declarations(&unit.witness);
            text.trials = crate::check::trials(adjoint, &unit.witness);
            check = crate::check::runtime(adjoint, Some(watch), &unit.witness);
            for id in &watch.copied {
                let printed = body::watched(&unit, watch, *id, &unit.sweep_name(*id, Role::Primal));
                text.proc(program, &program.procs[*id].name, printed, false);
            }
        }
        let mut other = unit.sibling(&tangents.program);
        other.name_sweeps(tangents.tangents.iter().map(|(id, name, proc)| (*id, proc, format!("{name}_d"))));
        // Nothing compares the tangent of a head without sweeps.
        let idle = |head: &&ProcId| adjoint.sweeps.iter().all(|each| each.proc != **head);
        let idle: Vec<ProcId> =
            adjoint.heads.iter().filter(idle).filter_map(|head| head_of(tangents, program, *head)).collect();
        let used = |id: &ProcId| !checks || !idle.contains(id);
        let tangents_used = tangents.tangents.iter().filter(|(id, ..)| used(id));
        let procs: Vec<(ProcId, &Proc)> = tangents_used.map(|(id, _, proc)| (*id, proc)).collect();
        let exported = if checks { &[] } else { &tangents.heads[..] };
        text.tangents(&other, &procs, exported);
        text.implicit_tangents(&other, tangents);
        if checks {
            second = Some((other, tangents));
        } else {
            statics::copied(&tangents.program, &text.bodies)?;
        }
    }
    for (_, rule, implicit) in adjoint.implicit() {
        let residual = adjoint.heads.iter().find(|head| program.procs[**head].name == implicit.residual);
        let Some(&residual) = residual else { continue };
        if let Some((declaration, derivative)) = implicit::derivative(rule, implicit, &adjoint.name(residual)) {
            text.prototypes += &declaration;
            text.bodies += &derivative;
        }
    }
    for &head in &adjoint.heads {
        if adjoint.is_residual(head) {
            let wrapper = wrapper::adjoint(&unit, adjoint, head, None, None);
            text.prototypes += &format!("static {};\n", wrapper.signature);
            text.bodies += &wrapper.text.replacen(&wrapper.signature, &format!("static {}", wrapper.signature), 1);
            continue;
        }
        let tangent = second.as_ref().and_then(|(other, tangents)| {
            Some((other.sweep_name(head_of(tangents, program, head)?, Role::Tangent), *tangents))
        });
        let wrapper = wrapper::adjoint(&unit, adjoint, head, tangent, watch.as_ref());
        text.documents += &wrapper.document;
        text.bodies += &wrapper.text;
    }
    if adjoint.split {
        text.documents.insert_str(0, &LIBRARY);
    }
    statics::copied(program, &text.bodies)?;
    text.scratch = statics::shared(program, &text.bodies);
    if let Some(tangents) = tangents {
        text.shadows(&tangents.program, &tangents.global_tangents, "tangent");
    }
    text.shadows(program, &adjoint.global_shadows, "adjoint");
    let structs =
        adjoint.wide.iter().flat_map(|wide| &wide.order).map(|id| types::structure(program, *id)).collect::<String>();
    text.globals.insert_str(0, &structs);
    let what = if tangents.is_some() && !checks { "adjoint and the tangent" } else { "adjoint" };
    let heads: Vec<ProcId> = adjoint.heads.iter().copied().filter(|head| !adjoint.is_residual(*head)).collect();
    let output = text.finish(&unit, what, &heads, options)?;
    Ok(Output { check, ..output })
}

/// Why tangents cannot be written.
fn refused_tangents(tangents: &Tangents) -> Vec<Refusal> {
    let program = &tangents.program;
    let heads = tangents
        .tangents
        .iter()
        .filter(|(id, ..)| tangents.heads.contains(id))
        .map(|(id, name, _)| (format!("the tangent of '{}'", program.procs[*id].name), format!("{name}_d")));
    let exported = heads.chain(clashes::shadows(program, &tangents.global_tangents, "tangent"));
    let mut refused = clashes::refused(program, &tangents.global_tangents, exported);
    refused.extend(tangents.tangents.iter().flat_map(|(.., proc)| rows::variables(proc)));
    refused
}

/// The tangent as C.
pub fn tangent(tangents: &Tangents, options: &Options) -> Result<Output, Vec<Refusal>> {
    let refused = refused_tangents(tangents);
    if !refused.is_empty() {
        return Err(refused);
    }
    let mut unit = Unit::new(&tangents.program, options);
    unit.rounding = Rounding::None;
    unit.name_sweeps(tangents.tangents.iter().map(|(id, name, proc)| (*id, proc, format!("{name}_d"))));
    let mut text = Text { given: objects::begun(&tangents.program), ..Text::default() };
    let procs: Vec<(ProcId, &Proc)> = tangents.tangents.iter().map(|(id, _, proc)| (*id, proc)).collect();
    text.tangents(&unit, &procs, &tangents.heads);
    text.implicit_tangents(&unit, tangents);
    statics::copied(&tangents.program, &text.bodies)?;
    text.scratch = statics::shared(&tangents.program, &text.bodies);
    text.shadows(&tangents.program, &tangents.global_tangents, "tangent");
    text.finish(&unit, "tangent", &tangents.heads, options)
}
