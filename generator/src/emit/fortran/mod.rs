//! From sweeps to Fortran.
//!
//! The user's files with modules are written again, with the sweeps of each module's procedures in front of its end, and
//! are compiled in place of the original. Procedures that no module contains have their sweeps in a module of their own,
//! and an external procedure for each head. A sweep takes every array by the address of its first element, with its
//! extents as parameters, so an assumed shape has one more parameter for each dimension.

mod allocated;
mod check;
mod comments;
mod expr;
mod head;
mod helpers;
mod item;
mod leaves;
mod lines;
mod memory;
mod names;
mod parts;
mod place;
mod shared;
mod snapshot;
mod state;
mod sweep;
mod tape;
mod told;
mod unit;
mod witness;
mod words;

use super::body::remembered::taken_for_computed;
use super::body::tangents::tangents_of;
use super::{Options, Output};
use crate::ir::*;
use crate::refuse::{Class, Refusal};
use crate::sweeps::{Adjoint, Tangents};
use allocated::add_allocations;
use parts::Parts;
use unit::{Sweep, Unit};

/// The adjoint as Fortran.
///
/// # Errors
/// What cannot be written.
pub fn adjoint(adjoint: &Adjoint, fortran: &Fortran, options: &Options) -> Result<Output, Vec<Refusal>> {
    let unit = unit_of_adjoint(adjoint, fortran, options)?;
    let mut parts = parts_of_adjoint(&unit, adjoint);
    add_allocations(&mut parts, &[&unit]);
    parts.open(&unit);
    finish(&[&unit], &parts, "adjoint", &adjoint.heads, options)
}

/// The adjoint and the tangent as Fortran, in one file.
///
/// # Errors
/// What cannot be written.
pub fn with_tangent(
    adjoint: &Adjoint,
    tangents: &Tangents,
    fortran: &Fortran,
    options: &Options,
) -> Result<Output, Vec<Refusal>> {
    let first = unit_of_adjoint(adjoint, fortran, options)?;
    let mut parts = parts_of_adjoint(&first, adjoint);
    let unit = unit_of_tangents(tangents, fortran, options, Some(&first))?;
    add_tangents(&mut parts, &unit, tangents);
    add_allocations(&mut parts, &[&first, &unit]);
    parts.open(&first);
    parts.open(&unit);
    finish(&[&first, &unit], &parts, "adjoint and the tangent", &adjoint.heads, options)
}

/// The adjoint as Fortran that checks itself at run time: see [`crate::check`]. The tangent goes into the same file.
///
/// # Errors
/// What cannot be written.
pub fn checked(
    adjoint: &Adjoint,
    tangents: &Tangents,
    fortran: &Fortran,
    options: &Options,
) -> Result<Output, Vec<Refusal>> {
    let mut first = unit_of_adjoint(adjoint, fortran, options)?;
    first.checks = true;
    let unit = unit_of_tangents(tangents, fortran, options, Some(&first))?;
    refuse_unchecked(&first, adjoint)?;
    let mut parts = Parts::default();
    sweeps_of(&mut parts, &first, adjoint);
    tangents.tangents.iter().for_each(|(id, ..)| parts.sweep(&unit, *id, Role::Tangent));
    unit.copies().into_iter().for_each(|id| parts.sweep(&unit, id, Role::Primal));
    let mut check = check::Check::new(&first, &unit, adjoint, tangents);
    for (number, head) in adjoint.heads.iter().enumerate() {
        check.head(&mut parts, number, *head);
    }
    check.tellers(&mut parts);
    parts.add_shadows(&first);
    parts.add_shadows(&unit);
    add_allocations(&mut parts, &[&first, &unit]);
    parts.open(&first);
    parts.open(&unit);
    let mut output = finish(&[&first, &unit], &parts, "adjoint", &adjoint.heads, options)?;
    let (title, rest) = output.source.split_once('\n').unwrap_or_default();
    output.source = format!("{title}\n{}{rest}", check.module());
    Ok(Output { check: check.text(), ..output })
}

fn refused<T>(span: Span, what: String, help: &str) -> Result<T, Vec<Refusal>> {
    Err(vec![Refusal { class: Class::Language, span, what, help: help.to_string() }])
}

/// Refuses what the check does not compare: variables with SAVE, derived types, and heads outside of modules with assumed
/// shapes, because what the check calls has no interface for them.
fn refuse_unchecked(unit: &Unit, adjoint: &Adjoint) -> Result<(), Vec<Refusal>> {
    let is_compared = |derived: Option<&FortranType>, home: &Home| match home {
        Home::Module(_) => derived.is_none_or(|of| of.is_bare),
        Home::Block => derived.is_none(),
        Home::Saved(_) | Home::Constant(_) => false,
    };
    refuse_shadows(unit, "--check does not compare", &is_compared)?;
    for &head in &adjoint.heads {
        let proc = &unit.program.procs[head];
        if let Some(param) = proc.params.iter().find(|param| unit.derived(&param.ty).is_some()) {
            let what = format!("--check does not compare arguments of derived types, as '{}'", param.name);
            let help = "compare the adjoint with differences, or make a head that takes the components";
            return refused(proc.span, what, help);
        }
    }
    for &head in &adjoint.heads {
        let proc = &unit.program.procs[head];
        if let Some(param) = proc.params.iter().find(|param| words::is_text(param.ty.target().unwrap_or(&param.ty))) {
            let what = format!("--check does not pass texts, as '{}'", param.name);
            return refused(proc.span, what, "make a head that passes the text on");
        }
    }
    for &head in adjoint.heads.iter().filter(|head| unit.facts(**head).module.is_none()) {
        let proc = &unit.program.procs[head];
        if (0..proc.params.len()).any(|k| unit.is_extent(head, k)) {
            let what =
                format!("'{}' has arguments of assumed shape and stands in no module: no check calls it", proc.name);
            let help = "put it into a module, or declare the extents";
            return refused(proc.span, what, help);
        }
    }
    Ok(())
}

/// Whether a variable of a derived type, or of another one, has derivatives at such a place.
type IsFine<'a> = dyn Fn(Option<&FortranType>, &Home) -> bool + 'a;

/// Refuses derivatives of variables with static storage, but for some; `why` not.
fn refuse_shadows(unit: &Unit, why: &str, is_fine: &IsFine) -> Result<(), Vec<Refusal>> {
    for (shadow, primal) in &unit.shadows {
        let object = &unit.program.globals[*primal];
        let derived = unit.derived(&object.elem);
        if is_fine(derived, &unit.stored(*shadow).home) {
            continue;
        }
        let kind = match derived {
            Some(of) if of.is_bare => "allocatable variables",
            Some(_) => "variables of derived types",
            None => "variables in COMMON or with SAVE",
        };
        let what = format!("{why} {kind}, as '{}'", object.name);
        let help = "make it a variable of a module, of constant extents and of a type that Fortran has";
        return refused(object.span, what, help);
    }
    Ok(())
}

/// Refuses derived types that have derivatives: they hold one adjoint of each real.
fn refuse_wide(unit: &Unit) -> Result<(), Vec<Refusal>> {
    let is_wide = |derived: Option<&FortranType>, home: &Home| match home {
        Home::Module(_) => derived.is_none(),
        Home::Block | Home::Saved(_) | Home::Constant(_) => false,
    };
    refuse_shadows(unit, "--vector has no adjoints of", &is_wide)?;
    for each in unit.sweeps.values() {
        let types = &unit.program.types.structs;
        let is_wide = |ty: &Type| ty.as_struct().is_some_and(|id| types[id].adjoints.is_some());
        let params = each.proc.params.iter().filter_map(|param| param.ty.target());
        let objects = each.proc.objects.iter().map(|object| &object.elem);
        if params.chain(objects).any(|ty| is_wide(ty.innermost())) {
            let what = "--vector has no adjoints of variables of derived types".to_string();
            let help = "call the adjoint once for each direction";
            return refused(each.proc.span, what, help);
        }
    }
    Ok(())
}

/// The tangent as Fortran.
///
/// # Errors
/// What cannot be written.
pub fn tangent(tangents: &Tangents, fortran: &Fortran, options: &Options) -> Result<Output, Vec<Refusal>> {
    let unit = unit_of_tangents(tangents, fortran, options, None)?;
    let mut parts = Parts::default();
    add_tangents(&mut parts, &unit, tangents);
    add_allocations(&mut parts, &[&unit]);
    parts.open(&unit);
    finish(&[&unit], &parts, "tangent", &tangents.heads, options)
}

/// The name of the output as names of Fortran may begin.
fn stem(options: &Options) -> String {
    let stem = options.file.rsplit_once('.').map_or(&*options.file, |(stem, _)| stem);
    let stem: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    // A name begins with a letter.
    if stem.starts_with(|c: char| c.is_ascii_alphabetic()) { stem } else { format!("file_{stem}") }
}

/// Names the sweeps.
fn unit_of_adjoint<'a>(
    adjoint: &'a Adjoint,
    fortran: &'a Fortran,
    options: &Options,
) -> Result<Unit<'a>, Vec<Refusal>> {
    let mut unit = Unit::new(&adjoint.program, fortran, stem(options));
    unit.directions = adjoint.wide.as_ref().map(|wide| wide.directions);
    let several = if adjoint.wide.is_some() { "v" } else { "" };
    unit.shadows = adjoint.global_shadows.iter().map(|(primal, shadow)| (*shadow, *primal)).collect();
    let heads: Vec<(ProcId, String)> = adjoint.heads.iter().map(|head| (*head, adjoint.name(*head))).collect();
    unit.head_names("adjoint", &heads)?;
    for each in &adjoint.sweeps {
        let primals = (0..each.runs_forward().params.len()).map(|k| ReverseParam::Primal(k as u32)).collect();
        for (proc, suffix, roles) in
            [(each.runs_forward(), "fwd", primals), (&each.reverse, "rev", each.interface.params.clone())]
        {
            let name = format!("{}_{suffix}{several}", each.name);
            if adjoint.split && adjoint.heads.contains(&each.proc) {
                let sweep = if proc.role == Role::Forward { "forward sweep" } else { "reverse sweep" };
                unit.is_free(sweep, each.proc, &name)?;
            }
            let name = unit.taken.fresh(&name);
            unit.sweeps.insert((each.proc, proc.role), Sweep { name, proc, roles });
        }
    }
    if unit.directions.is_some() {
        refuse_wide(&unit)?;
    }
    unit.stepwise = adjoint.sweeps.iter().filter(|each| !each.plan.again.is_empty()).map(|each| each.proc).collect();
    unit.copy_callees();
    unit.shared = shared::shared(&unit);
    Ok(unit)
}

fn sweeps_of(parts: &mut Parts, unit: &Unit, adjoint: &Adjoint) {
    for each in &adjoint.sweeps {
        parts.sweep(unit, each.proc, Role::Forward);
        parts.sweep(unit, each.proc, Role::Reverse);
    }
    unit.copies().into_iter().for_each(|id| parts.sweep(unit, id, Role::Primal));
}

fn parts_of_adjoint(unit: &Unit, adjoint: &Adjoint) -> Parts {
    let mut parts = Parts::default();
    sweeps_of(&mut parts, unit, adjoint);
    for &head in &adjoint.heads {
        parts.head(unit, head, &adjoint.name(head), &unit.adjoint(adjoint, head));
    }
    parts.add_shadows(unit);
    parts
}

/// Names the tangents, `beside` what stands in the same file; those of heads have a procedure for the user in front of them.
fn unit_of_tangents<'a>(
    tangents: &'a Tangents,
    fortran: &'a Fortran,
    options: &Options,
    beside: Option<&Unit>,
) -> Result<Unit<'a>, Vec<Refusal>> {
    let mut unit = Unit::new(&tangents.program, fortran, stem(options));
    unit.suffix = "d";
    beside.iter().for_each(|beside| unit.taken.join(&beside.taken));
    unit.shadows = tangents.global_tangents.iter().map(|(primal, tangent)| (*tangent, *primal)).collect();
    unit.head_names("tangent", &heads_of(tangents))?;
    for (id, name, proc) in &tangents.tangents {
        let mut roles = Vec::new();
        for (k, tangent) in tangents_of(&tangents.program.procs[*id], proc).iter().enumerate() {
            roles.push(ReverseParam::Primal(k as u32));
            tangent.iter().for_each(|_| roles.push(ReverseParam::Adjoint(k as u32)));
        }
        if roles.len() < proc.params.len() {
            roles.push(ReverseParam::Seed);
        }
        let name = unit.taken.fresh(&format!("{name}_tangent"));
        unit.sweeps.insert((*id, Role::Tangent), Sweep { name, proc, roles });
    }
    unit.copy_callees();
    Ok(unit)
}

/// Heads that have a tangent, with its name.
fn heads_of(tangents: &Tangents) -> Vec<(ProcId, String)> {
    let heads = tangents.tangents.iter().filter(|(id, ..)| tangents.heads.contains(id));
    heads.map(|(id, name, _)| (*id, format!("{name}_d"))).collect()
}

fn add_tangents(parts: &mut Parts, unit: &Unit, tangents: &Tangents) {
    tangents.tangents.iter().for_each(|(id, ..)| parts.sweep(unit, *id, Role::Tangent));
    unit.copies().into_iter().for_each(|id| parts.sweep(unit, id, Role::Primal));
    for (head, name) in heads_of(tangents) {
        parts.head(unit, head, &name, &unit.tangent(head, &name));
    }
    parts.add_shadows(unit);
}

/// The output of units that share what is written.
fn finish(
    units: &[&Unit],
    parts: &Parts,
    what: &str,
    heads: &[ProcId],
    options: &Options,
) -> Result<Output, Vec<Refusal>> {
    let problems: Vec<Refusal> = units.iter().flat_map(|unit| unit.problems()).collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    let unit = units[0];
    let names: Vec<&str> = heads.iter().map(|head| unit.program.procs[*head].name.as_str()).collect();
    let mut text = format!("! {}: the {what} of {}, written by adtape.\n", options.file, names.join(", "));
    text.extend(taken_for_computed(unit.program).iter().map(|sentence| format!("! {sentence}\n")));
    let helpers = units.iter().flat_map(|unit| unit.helpers.borrow().clone()).collect();
    text += &helpers::module(&unit.helper_module(), &helpers);
    if let Some(memory) = memory::module(units)? {
        text += &memory;
    }
    let (inside, beside) = parts::sources(unit.fortran, parts);
    text += &parts::extended(unit.program, unit.fortran, parts, &inside);
    if let Some(body) = parts.bodies.get(&None) {
        let name = unit.sweep_module();
        text += "!> Derivatives of procedures that no module contains.\n";
        text += &format!("module {name}\n  implicit none\n\ncontains\n{body}\nend module {name}\n");
    }
    text += &parts.external;
    Ok(Output { source: text, beside, ..Output::default() })
}
