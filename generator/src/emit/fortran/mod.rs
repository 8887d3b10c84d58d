//! From sweeps to Fortran.
//!
//! The user's files with modules are written again, with the sweeps of each module's procedures in front of its end, and
//! are compiled in place of the original. Procedures that no module contains have their sweeps in a module of their own,
//! and an external procedure for each head. A sweep takes every array by the address of its first element, with its
//! extents as parameters, so an assumed shape has one more parameter for each dimension.

mod expr;
mod helpers;
mod item;
mod leaves;
mod lines;
mod memory;
mod names;
mod place;
mod state;
mod sweep;
mod tape;
mod unit;
mod words;

use super::{Options, Output};
use crate::ir::*;
use crate::refuse::{Class, Refusal};
use crate::sweeps::Adjoint;
use std::collections::{BTreeMap, BTreeSet};
use unit::{Sweep, Unit};

/// The adjoint as Fortran.
///
/// # Errors
/// What cannot be written.
pub fn adjoint(adjoint: &Adjoint, fortran: &Fortran, options: &Options) -> Result<Output, Vec<Refusal>> {
    let program = &adjoint.program;
    if adjoint.wide.is_some() {
        let what = "several adjoints at once are not written in Fortran yet".to_string();
        let help = "call the adjoint once for each direction".to_string();
        return Err(vec![Refusal { class: Class::Language, span: Span::default(), what, help }]);
    }
    let stem = options.file.rsplit_once('.').map_or(&*options.file, |(stem, _)| stem);
    let stem: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    // A name begins with a letter.
    let stem = if stem.starts_with(|c: char| c.is_ascii_alphabetic()) { stem } else { format!("file_{stem}") };
    let mut unit = Unit::new(program, fortran, format!("{stem}_functions"));
    unit.shadows = adjoint.global_shadows.iter().map(|(primal, shadow)| (*shadow, *primal)).collect();
    for each in &adjoint.sweeps {
        for (proc, suffix, roles) in
            [(each.runs_forward(), "fwd", None), (&each.reverse, "rev", Some(&each.interface.params[..]))]
        {
            let name = unit.taken.fresh(&format!("{}_{suffix}", each.name));
            unit.sweeps.insert((each.proc, proc.role), Sweep { name, proc, roles });
        }
    }
    for &head in &adjoint.heads {
        let name = adjoint.name(head);
        if fortran.taken.contains(&name) {
            let proc = &program.procs[head];
            let what = format!("'{name}', the name of the adjoint of '{}', is taken", proc.name);
            let help = "give the procedure that has it another name".to_string();
            return Err(vec![Refusal { class: Class::Language, span: proc.span, what, help }]);
        }
    }
    // By module: procedures, and names that others use.
    let mut bodies: BTreeMap<Option<usize>, String> = BTreeMap::new();
    let mut public: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for each in &adjoint.sweeps {
        let module = unit.facts(each.proc).module;
        for role in [Role::Forward, Role::Reverse] {
            *bodies.entry(module).or_default() += &unit.sweep(each.proc, role);
            if let Some(module) = module {
                public.entry(module).or_default().insert(unit.sweeps[&(each.proc, role)].name.clone());
            }
        }
    }
    let mut external = String::new();
    for &head in &adjoint.heads {
        let text = unit.head(adjoint, head);
        match unit.facts(head).module {
            Some(module) => {
                *bodies.entry(Some(module)).or_default() += &text;
                public.entry(module).or_default().insert(adjoint.name(head));
            }
            None => external += &text,
        }
    }
    let mut shadows: BTreeMap<usize, String> = BTreeMap::new();
    for (primal, shadow) in &adjoint.global_shadows {
        let Home::Module(module) = unit.stored(*primal).home else { continue };
        let object = &program.globals[*shadow];
        *shadows.entry(module).or_default() += &shadow_text(&unit, *shadow, object);
        public.entry(module).or_default().insert(object.name.clone());
    }
    let problems = unit.problems();
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut text = format!("! {}: the adjoint of {}, written by adtape.\n", options.file, heads(adjoint));
    let helpers = unit.helpers.borrow();
    if !helpers.is_empty() {
        text += &helpers::module(&unit.helper_module, &helpers);
    }
    if let Some(memory) = memory::module(&unit, adjoint)? {
        text += &memory;
    }
    text += &extended(program, fortran, &bodies, &shadows, &public);
    if let Some(body) = bodies.get(&None) {
        let name = unit.sweep_module();
        text +=
            &format!("!> Sweeps of procedures that no module contains.\nmodule {name}\n  implicit none\n\ncontains\n");
        text += &format!("{body}\nend module {name}\n");
    }
    text += &external;
    Ok(Output { source: text, header: String::new(), check: String::new() })
}

fn heads(adjoint: &Adjoint) -> String {
    let names: Vec<&str> = adjoint.heads.iter().map(|head| adjoint.program.procs[*head].name.as_str()).collect();
    names.join(", ")
}

/// The declaration of an adjoint in a module.
fn shadow_text(unit: &Unit, shadow: GlobalId, object: &Object) -> String {
    let lowers = state::bounds(&unit.stored(shadow).lowers, object.shape.len());
    let dims = object.shape.iter().rev().zip(lowers).map(|(dim, lower)| {
        let extent = match dim.extent.as_ref().map(|extent| &extent.kind) {
            Some(ExprKind::Int(extent)) => *extent,
            _ => 1,
        };
        format!("{lower}:{}", lower + extent - 1)
    });
    let dims: Vec<String> = dims.collect();
    let dims = if dims.is_empty() { String::new() } else { format!("({})", dims.join(", ")) };
    let (ty, zero) = (unit.type_text(&object.elem), unit.zero(&object.elem));
    format!("  {ty}, save :: {}{dims} = {zero}\n", object.name)
}

/// The files of modules that get something, with it in them.
fn extended(
    program: &Program,
    fortran: &Fortran,
    bodies: &BTreeMap<Option<usize>, String>,
    shadows: &BTreeMap<usize, String>,
    public: &BTreeMap<usize, BTreeSet<String>>,
) -> String {
    let grows = |module: usize| bodies.contains_key(&Some(module)) || shadows.contains_key(&module);
    let mut text = String::new();
    for (number, source) in program.sources.iter().enumerate() {
        let lines: Vec<&str> = source.text.lines().collect();
        // Those of this file, with the lines of their CONTAINS.
        let modules: Vec<(usize, &FortranModule, Option<u32>)> = fortran
            .modules
            .iter()
            .enumerate()
            .filter(|(at, module)| module.source as usize == number && grows(*at))
            .map(|(at, module)| (at, module, contains_line(&lines, module)))
            .collect();
        if modules.is_empty() {
            continue;
        }
        for (at, line) in lines.iter().enumerate() {
            let here = at as u32 + 1;
            for (module, known, contains) in &modules {
                if here == contains.unwrap_or(known.end) {
                    if let Some(shadows) = shadows.get(module) {
                        text += shadows;
                    }
                    if let Some(names) = public.get(module) {
                        let mut out = lines::Lines { indent: 1, ..lines::Lines::default() };
                        out.line(&format!("public :: {}", names.iter().cloned().collect::<Vec<_>>().join(", ")));
                        text += &out.text;
                    }
                }
                if here == known.end
                    && let Some(body) = bodies.get(&Some(*module))
                {
                    if contains.is_none() {
                        text += "contains\n";
                    }
                    text += body;
                    text.push('\n');
                }
            }
            text += line;
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

/// The line of a module's CONTAINS.
fn contains_line(lines: &[&str], module: &FortranModule) -> Option<u32> {
    let first = module.contains? as usize;
    let is_contains = |line: &str| {
        let word: String = line.trim_start().chars().take_while(|c| c.is_ascii_alphabetic()).collect();
        word.eq_ignore_ascii_case("contains")
    };
    (1..=first).rev().find(|at| lines.get(at - 1).is_some_and(|line| is_contains(line))).map(|at| at as u32)
}
