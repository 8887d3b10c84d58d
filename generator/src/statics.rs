//! Variables with static storage: their shadows, and those inside functions.

mod memo;
mod once;
mod reported;

pub use memo::computed;

use std::collections::{BTreeMap, BTreeSet};

use crate::flow::{self, Flow, Head};
use crate::ir::*;
use crate::names::Names;
use crate::plan::facts::Analysed;
use crate::refuse::{Class, Refusal};

/// Marks variables with static storage inside functions that the program writes. The sweeps have variables of their own
/// in their place, unless these may bring a value from one call to the next: functions that keep such a value must stay
/// as they are, and are refused if it has a derivative. What is only reported may differ.
pub fn mark(program: &mut Program, facts: &Analysed, heads: &[ProcId]) -> Result<(), Vec<Refusal>> {
    let (flow, procs) = (facts.flow, 0..program.procs.len());
    let is = |loc: &flow::Loc, global: GlobalId| flow.points.locs.root(*loc) == flow::Root::Global(global);
    let written = |global: &&GlobalId| {
        procs.clone().any(|proc| flow.writes(ProcId::new(proc), RegionId(0)).iter().any(|loc| is(loc, **global)))
    };
    let read_first = |global: GlobalId| {
        procs.clone().any(|proc| facts.required.sum(ProcId::new(proc)).exposed.keys().any(|loc| is(loc, global)))
    };
    let active = |global: &GlobalId| procs.clone().any(|proc| flow.active_global(ProcId::new(proc), *global));
    let mut refusals = Vec::new();
    let mut statics = std::mem::take(&mut program.statics);
    let inside: BTreeSet<GlobalId> = statics.iter().flat_map(|declared| &declared.globals).copied().collect();
    let globals = &program.globals;
    let number = |global: &GlobalId| matches!(globals[*global].elem, Type::Int { .. } | Type::Float { .. });
    let fits = |global: &GlobalId| {
        number(global) && !read_first(*global) || reported::is_reported(flow, heads, &inside, *global)
    };
    let once = filled_once(flow, &statics, &|global| number(global) && written(&global) && !fits(global), &fits);
    for declared in &mut statics {
        let Some(&changed) = declared.globals.iter().find(written) else { continue };
        let suits = |global: &GlobalId| once.contains(global) || fits(global);
        declared.scratch = declared.globals.iter().all(suits);
        declared.lasting = (!declared.scratch).then_some(changed);
        if !declared.scratch && declared.globals.iter().any(active) {
            refusals.push((declared.clone(), changed));
        }
    }
    program.statics = statics;
    let refusals: Vec<Refusal> =
        refusals.into_iter().map(|(declared, changed)| changes(program, &declared, changed)).collect();
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

/// Refuses a variable with static storage inside a function that brings a value from one call to the next.
pub fn changes(program: &Program, declared: &Static, changed: GlobalId) -> Refusal {
    let name = &program.globals[changed].name;
    let (what, help) = match program.fortran {
        None => (
            format!("the static variable '{name}' of a function changes"),
            "leave 'static' out if each call sets it first, else declare it outside of the function",
        ),
        Some(_) => (
            format!("'{name}' keeps its value from call to call (SAVE, DATA or a first value), and changes"),
            "leave SAVE out if each call sets it first, else pass it as an argument, or make it a variable of a module",
        ),
    };
    Refusal { class: Class::Language, span: declared.span, what, help: help.into() }
}

/// The variables with static storage inside functions that the first call fills, whichever call that is, and those that
/// each call finds as it would compute them.
pub fn filled(program: &Program, heads: &[Head]) -> BTreeSet<GlobalId> {
    let Ok(flow) = Flow::analyse(program, heads) else { return BTreeSet::new() };
    let is = |loc: &flow::Loc, global: GlobalId| flow.points.locs.root(*loc) == flow::Root::Global(global);
    let number = |global: GlobalId| matches!(program.globals[global].elem, Type::Int { .. } | Type::Float { .. });
    let written = |global: GlobalId| {
        let mut procs = program.procs.ids();
        procs.any(|proc| flow.writes(proc, RegionId(0)).iter().any(|loc| is(loc, global)))
    };
    let changes = |global: &GlobalId| number(*global) && written(*global) && !program.unordered.contains(global);
    let mut filled = filled_once(&flow, &program.statics, &changes, &|_| false);
    filled.extend(memo::memos(&flow).into_iter().flat_map(|memo| memo.kept));
    filled
}

/// The variables with static storage inside functions that the first call fills: of a function all that `changes` says,
/// or none. `free`: see [`once::fills_once`].
fn filled_once(
    flow: &Flow,
    statics: &[Static],
    changes: &dyn Fn(&GlobalId) -> bool,
    free: &dyn Fn(&GlobalId) -> bool,
) -> BTreeSet<GlobalId> {
    let mut groups: BTreeMap<&str, BTreeSet<GlobalId>> = BTreeMap::new();
    for declared in statics {
        let changed = declared.globals.iter().filter(|global| changes(global));
        groups.entry(&declared.function).or_default().extend(changed);
    }
    let initial = |global: GlobalId| {
        let begins = statics.iter().flat_map(|declared| &declared.initial).find(|(other, _)| *other == global);
        begins.map(|(_, value)| *value)
    };
    let procs = || flow.program.procs.ids();
    groups.retain(|_, group| {
        let active = |p: ProcId| group.iter().any(|global| flow.active_global(p, *global));
        procs().all(|p| !active(p) && once::fills_once(flow, p, group, &initial, free))
    });
    groups.into_values().flatten().collect()
}

/// Adds a shadow to the program for every global that has something active in it. Refuses pointers that an initialiser
/// leads to other variables: nothing would lead their shadows to those of the variables.
pub fn shadows(
    program: &mut Program,
    flow: &Flow,
    heads: &[Head],
    suffix: &str,
) -> Result<BTreeMap<GlobalId, GlobalId>, Vec<Refusal>> {
    let (mut shadows, mut refusals) = (BTreeMap::new(), Vec::new());
    let mut names = None;
    for global in program.globals.ids() {
        let active = program.procs.ids().any(|proc| flow.active_global(proc, global));
        if active && program.led.contains(&global) {
            let object = &program.globals[global];
            refusals.push(Refusal {
                class: Class::Pointer,
                span: object.span,
                what: format!("derivatives flow where the initialiser of '{}' leads", object.name),
                help: "assign the pointers in the function that the head names, or pass them as arguments".into(),
            });
        }
        if active {
            let asked = heads.iter().any(|head| head.names(&program.globals[global].name));
            let hidden = program.hidden.contains(&global) && !asked;
            let wish = format!("{}{suffix}", program.globals[global].name);
            // Others name the shadow of what they name themselves: it has its name, or the clash is refused.
            let name =
                if hidden { names.get_or_insert_with(|| Names::of_program(program, None)).fresh(&wish) } else { wish };
            let shadow = Object { name, constant: false, ..program.globals[global].clone() };
            let shadow = program.globals.add(shadow);
            if hidden {
                program.hidden.insert(shadow);
            }
            shadows.insert(global, shadow);
        }
    }
    if refusals.is_empty() { Ok(shadows) } else { Err(refusals) }
}
