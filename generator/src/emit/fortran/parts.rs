//! What is written, by where it stands: in the user's modules, in a module of its own, outside of both.

use super::lines::Lines;
use super::unit::Unit;
use crate::emit::Beside;
use crate::ir::*;
use std::collections::{BTreeMap, BTreeSet};

/// What is written, by where it stands.
#[derive(Default)]
pub struct Parts {
    /// Procedures by the module that they stand in; those of no module get one of their own.
    pub bodies: BTreeMap<Option<usize>, String>,
    /// By module: declarations of the derivatives of its variables.
    pub shadows: BTreeMap<usize, String>,
    /// By module: names that others use.
    public: BTreeMap<usize, BTreeSet<String>>,
    /// Procedures outside of modules.
    pub external: String,
}

impl Parts {
    /// Adds a sweep or a tangent.
    pub fn sweep(&mut self, unit: &Unit, id: ProcId, role: Role) {
        let module = unit.facts(id).module;
        *self.bodies.entry(module).or_default() += &unit.sweep(id, role);
        self.name(module, &unit.sweeps[&(id, role)].name);
    }

    /// Adds a procedure of a head for the user.
    pub fn head(&mut self, unit: &Unit, head: ProcId, name: &str, text: &str) {
        let module = unit.facts(head).module;
        match module {
            Some(_) => *self.bodies.entry(module).or_default() += text,
            None => self.external += text,
        }
        self.name(module, name);
    }

    /// Lets others see a name.
    pub fn name(&mut self, module: Option<usize>, name: &str) {
        module.iter().for_each(|module| {
            self.public.entry(*module).or_default().insert(name.to_string());
        });
    }

    /// Lets sweeps of other modules see what these need.
    pub fn open(&mut self, unit: &Unit) {
        unit.opened.borrow().iter().for_each(|(module, name)| self.name(Some(*module), name));
    }

    /// Adds derivatives of variables of modules.
    pub fn add_shadows(&mut self, unit: &Unit) {
        for shadow in unit.shadows.keys() {
            let Home::Module(module) = unit.stored(*shadow).home else { continue };
            let object = &unit.program.globals[*shadow];
            *self.shadows.entry(module).or_default() += &shadow_text(unit, *shadow, object);
            self.name(Some(module), &object.name);
        }
    }
}

/// Which sources stand in the output, and which are compiled beside it: those with a module that gets something are in it,
/// and what uses such a module and is used by another one.
pub fn sources(fortran: &Fortran, parts: &Parts) -> (Vec<usize>, Beside) {
    let grows = |module: usize| parts.public.contains_key(&module) || parts.shadows.contains_key(&module);
    let grown = fortran.modules.iter().enumerate().filter(|(at, _)| grows(*at));
    let grown: BTreeSet<usize> = grown.map(|(_, module)| module.source as usize).collect();
    let order = fortran.order();
    // Behind what it needs, each source knows whether that is reached.
    let mut above = grown.clone();
    order.iter().for_each(|file| {
        if fortran.needed(*file).iter().any(|other| above.contains(other)) {
            above.insert(*file);
        }
    });
    let mut below = grown.clone();
    order.iter().rev().for_each(|file| {
        if below.contains(file) {
            below.extend(fortran.needed(*file));
        }
    });
    let is_in = |file: &usize| above.contains(file) && below.contains(file);
    let (inside, others): (Vec<usize>, Vec<usize>) = order.into_iter().partition(is_in);
    let (before, behind) = others.into_iter().partition(|file| below.contains(file));
    (inside, Beside { before, behind })
}

/// The files that stand in the output, with what their modules get.
pub fn extended(program: &Program, fortran: &Fortran, parts: &Parts, inside: &[usize]) -> String {
    let Parts { bodies, shadows, public, .. } = parts;
    let grows = |module: usize| public.contains_key(&module) || shadows.contains_key(&module);
    let mut text = String::new();
    for &number in inside {
        // A preprocessor saw other lines under other conditions, and macros may have the names of variables.
        let copied = fortran.files[number].copied.as_ref();
        let copied = copied.unwrap_or(&program.sources[SourceId::new(number)].text);
        let lines: Vec<&str> = copied.lines().collect();
        // Those of this file, with the lines of their CONTAINS.
        let modules: Vec<(usize, &FortranModule, Option<u32>)> = fortran
            .modules
            .iter()
            .enumerate()
            .filter(|(at, module)| module.source as usize == number && grows(*at))
            .map(|(at, module)| (at, module, contains_line(&lines, module)))
            .collect();
        for (at, line) in lines.iter().enumerate() {
            let here = at as u32 + 1;
            for (module, known, contains) in &modules {
                if here == contains.unwrap_or(known.end) {
                    text += shadows.get(module).map_or("", |shadows| shadows);
                    text += &public.get(module).map(public_text).unwrap_or_default();
                }
                if here == known.end
                    && let Some(body) = bodies.get(&Some(*module))
                {
                    text += if contains.is_none() { "contains\n" } else { "" };
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

/// The statement that lets others see names.
fn public_text(names: &BTreeSet<String>) -> String {
    let mut out = Lines { indent: 1, ..Lines::default() };
    out.line(&format!("public :: {}", names.iter().cloned().collect::<Vec<_>>().join(", ")));
    out.text
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

/// The declaration of the derivative of a variable in a module.
fn shadow_text(unit: &Unit, shadow: GlobalId, object: &Object) -> String {
    if let Some((ty, rank)) = unit.allocatable(&object.elem) {
        let dims = if rank == 0 { String::new() } else { format!("({})", vec![":"; rank].join(", ")) };
        return format!("  {ty}, allocatable, save :: {}{dims}\n", object.name);
    }
    let dims = unit.bounds_of(shadow).into_iter().map(|(first, last)| format!("{first}:{last}"));
    let dims: Vec<String> = dims.collect();
    let dims = if dims.is_empty() { String::new() } else { format!("({})", dims.join(", ")) };
    let (ty, zero) = (unit.type_text(&object.elem), unit.zero(&object.elem));
    format!("  {ty}, save :: {}{dims} = {zero}\n", object.name)
}
