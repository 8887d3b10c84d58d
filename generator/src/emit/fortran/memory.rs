//! The module of memory that procedures keep or share: variables with SAVE, COMMON blocks and their adjoints.

use super::lines::Lines;
use super::names::Taken;
use super::unit::Unit;
use super::words::type_text;
use crate::ir::*;
use crate::refuse::{Class, Refusal};
use crate::statics::changes;
use std::collections::BTreeSet;

/// The module, if what is written names any such memory.
pub fn module(units: &[&Unit]) -> Result<Option<String>, Vec<Refusal>> {
    let first = units[0];
    let mut out = Lines { indent: 1, ..Lines::default() };
    let mut taken = first.taken.clone();
    units.iter().for_each(|unit| taken.join(&unit.taken));
    for unit in units {
        lasting(unit)?;
    }
    for block in &first.fortran.blocks {
        blocks(units, block, &mut taken, &mut out)?;
    }
    let mut seen = BTreeSet::new();
    for unit in units {
        let named = unit.named.borrow();
        for global in named.iter().filter(|global| matches!(unit.stored(**global).home, Home::Saved(_))) {
            if seen.insert(unit.program.globals[*global].name.clone()) {
                saved(unit, *global, &mut out);
            }
        }
    }
    if out.text.is_empty() {
        return Ok(None);
    }
    let name = first.memory_module();
    let text = &out.text;
    Ok(Some(format!(
        "!> Memory that procedures share or keep.\nmodule {name}\n  implicit none\n{text}end module {name}\n\n"
    )))
}

/// A variable that a procedure keeps, or its derivative.
fn saved(unit: &Unit, global: GlobalId, out: &mut Lines) {
    let object = &unit.program.globals[global];
    let first = match &unit.stored(global).home {
        _ if unit.shadows.contains_key(&global) => " = 0".to_string(),
        Home::Saved(Some(first)) => format!(" = {first}"),
        Home::Saved(None) | Home::Block | Home::Module(_) | Home::Constant(_) => String::new(),
    };
    out.line(&format!(
        "{}, save :: {}{first}",
        type_text(&object.elem),
        declared(&object.name, &unit.bounds_of(global))
    ));
}

/// Refuses variables that bring a value from one call to the next and that sweeps name: sweeps would have copies.
fn lasting(unit: &Unit) -> Result<(), Vec<Refusal>> {
    let named = unit.named.borrow();
    let primal = |global: &GlobalId| unit.shadows.get(global).copied().unwrap_or(*global);
    let named: Vec<GlobalId> = named.iter().map(primal).collect();
    let statics = unit.program.statics.iter().filter(|declared| declared.globals.iter().any(|one| named.contains(one)));
    let refusals = statics.filter_map(|declared| {
        let changed = declared.lasting?;
        Some(changes(unit.program, declared, changed))
    });
    let refusals: Vec<Refusal> = refusals.collect();
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

/// A COMMON block that is named, and those of the derivatives.
fn blocks(units: &[&Unit], block: &FortranBlock, taken: &mut Taken, out: &mut Lines) -> Result<(), Vec<Refusal>> {
    let shadow = |unit: &Unit, part: &BlockPart| part.global.and_then(|global| unit.shadow_of(global));
    let is_named = |unit: &&Unit| {
        let named = unit.named.borrow();
        let is_named = |part: &BlockPart| {
            part.global.is_some_and(|global| named.contains(&global)) || shadow(unit, part).is_some()
        };
        block.parts.iter().any(is_named)
    };
    if !units.iter().any(is_named) {
        return Ok(());
    }
    declare(&block.name, &block.parts, out);
    let stem = if block.name.is_empty() { "blank" } else { &*block.name };
    for unit in units.iter().filter(|unit| block.parts.iter().any(|part| shadow(unit, part).is_some())) {
        let name = format!("{stem}_{}", unit.suffix);
        if unit.fortran.blocks.iter().any(|other| other.name == name) {
            let what = format!("'{name}', the name of the COMMON block of the derivatives of '{stem}', is taken");
            let help = "give the block that has it another name".to_string();
            return Err(vec![Refusal { class: Class::Language, span: Span::default(), what, help }]);
        }
        let parts = block.parts.iter().map(|part| {
            let own = shadow(unit, part).map(|shadow| unit.program.globals[shadow].name.clone());
            let name = own.unwrap_or_else(|| taken.fresh(&format!("{}_{}", part.name, unit.suffix)));
            BlockPart { name, ..part.clone() }
        });
        declare(&name, &parts.collect::<Vec<_>>(), out);
    }
    Ok(())
}

fn declare(block: &str, parts: &[BlockPart], out: &mut Lines) {
    for part in parts {
        out.line(&format!("{} :: {}", type_text(&part.elem), declared(&part.name, &part.bounds)));
    }
    let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    let slashes = if block.is_empty() { String::new() } else { format!("/{block}/ ") };
    out.line(&format!("common {slashes}{}", names.join(", ")));
}

fn declared(name: &str, bounds: &[(i128, i128)]) -> String {
    let dims = bounds.iter().map(|(lower, upper)| match lower {
        1 => upper.to_string(),
        _ => format!("{lower}:{upper}"),
    });
    let dims: Vec<String> = dims.collect();
    if dims.is_empty() { name.to_string() } else { format!("{name}({})", dims.join(", ")) }
}
