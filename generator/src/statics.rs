//! Variables with static storage: their shadows, and those inside functions.

use std::collections::BTreeMap;

use crate::flow::{self, Flow};
use crate::ir::*;
use crate::plan::flow_facts::Analysed;
use crate::refuse::{Class, Refusal};

/// Marks variables with static storage inside functions that the program writes. The output has variables of its own in
/// their place, so those are refused that may bring a value from one call to the next.
pub fn mark_scratch(program: &mut Program, facts: &Analysed) -> Result<(), Vec<Refusal>> {
    let (flow, procs) = (facts.flow, 0..program.procs.len());
    let is = |loc: &flow::Loc, global: GlobalId| flow.points.locs.root(*loc) == flow::Root::Global(global);
    let written = |global: &&GlobalId| {
        procs.clone().any(|proc| flow.writes(ProcId::new(proc), RegionId(0)).iter().any(|loc| is(loc, **global)))
    };
    let read_first = |global: GlobalId| {
        procs.clone().any(|proc| facts.required.sum(ProcId::new(proc)).exposed.keys().any(|loc| is(loc, global)))
    };
    let mut refusals = Vec::new();
    let mut statics = std::mem::take(&mut program.statics);
    for declared in &mut statics {
        let Some(&changed) = declared.globals.iter().find(written) else { continue };
        let globals = &program.globals;
        let number = |global: &GlobalId| matches!(globals[global.index()].elem, Type::Int { .. } | Type::Float { .. });
        let fits = |global: &GlobalId| number(global) && (!read_first(*global) || is_printed(program, flow, *global));
        declared.scratch = declared.globals.iter().all(fits);
        if !declared.scratch {
            refusals.push(Refusal {
                class: Class::Language,
                span: declared.span,
                what: format!("the static variable '{}' of a function changes", globals[changed.index()].name),
                help: "declare it outside of the function".into(),
            });
        }
    }
    program.statics = statics;
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

/// Functions that print.
const PRINT: &[&str] = &["printf", "fprintf", "vprintf", "vfprintf", "puts", "fputs"];

/// Functions that write text to where their first argument points.
const WRITE: &[&str] = &["sprintf", "snprintf", "vsnprintf", "strcpy", "strncpy"];

/// Whether a variable is text that the program prints and nothing else: what it keeps from call to call reaches no
/// number.
fn is_printed(program: &Program, flow: &Flow, global: GlobalId) -> bool {
    let is = |loc: &flow::Loc| flow.points.locs.root(*loc) == flow::Root::Global(global);
    let points_there =
        |p: ProcId, arg: &Expr| matches!(arg.ty, Type::Pointer(_)) && flow.points.targets(p, arg).iter().any(is);
    let only_prints = |p: ProcId, id: ItemId| {
        if flow::effects::Effects::loads(program, &flow.points, p, id).iter().any(is) {
            return false;
        }
        match &program.procs[p.index()].items[id.index()].kind {
            ItemKind::Call { callee: Callee::External { name, .. }, args, result, .. } => {
                let written = WRITE.contains(&name.as_str());
                let read = args.iter().skip(usize::from(written)).any(|arg| points_there(p, arg));
                !read || PRINT.contains(&name.as_str()) && result.is_none()
            }
            _ => true,
        }
    };
    let is_text = matches!(program.globals[global.index()].elem, Type::Int { bits: 8, .. });
    is_text
        && program
            .procs
            .iter()
            .enumerate()
            .all(|(p, proc)| (0..proc.items.len()).all(|id| only_prints(ProcId::new(p), ItemId::new(id))))
}

/// Adds a shadow to the program for every global that has something active in it. Refuses pointers that an initialiser
/// leads to other variables: nothing would lead their shadows to those of the variables.
pub fn shadows(program: &mut Program, flow: &Flow, suffix: &str) -> Result<BTreeMap<GlobalId, GlobalId>, Vec<Refusal>> {
    let (mut shadows, mut refusals) = (BTreeMap::new(), Vec::new());
    for at in 0..program.globals.len() {
        let global = GlobalId::new(at);
        let active = (0..program.procs.len()).any(|proc| flow.active_global(ProcId::new(proc), global));
        if active && program.led.contains(&global) {
            let object = &program.globals[at];
            refusals.push(Refusal {
                class: Class::Pointer,
                span: object.span,
                what: format!("derivatives flow where the initialiser of '{}' leads", object.name),
                help: "assign the pointers in the function that the head names, or pass them as arguments".into(),
            });
        }
        if active {
            let shadow = Object {
                name: format!("{}{suffix}", program.globals[at].name),
                constant: false,
                ..program.globals[at].clone()
            };
            program.globals.push(shadow);
            shadows.insert(global, GlobalId::new(program.globals.len() - 1));
        }
    }
    if refusals.is_empty() { Ok(shadows) } else { Err(refusals) }
}
