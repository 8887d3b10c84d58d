//! Checks that a program obeys the rules of [`super::types`]: after each pass in tests, and before anything is written.
//!
//! - Regions form a tree; each item stands in one region; each value has one definition, which its [`Def`] names.
//! - A use stands where its value is visible: behind the definition, in its region or one inside.
//! - An object that lives in a region is used there only, behind its declaration.
//! - Types agree ([`Type::same`]); conversions are explicit; arithmetic has at least the width of `int`.
//! - Places follow types, and all extents but the first behind a pointer are known.
//! - Calls have as many arguments as their callee has parameters.
//! - Pushes stand in forward sweeps, pops and accumulations in sweeps that run backwards or carry tangents.

mod exprs;
mod items;

use super::natural::Scope;
use super::print;
use super::*;
use rustc_hash::FxHashSet;

/// Everything that is wrong with a program: procedure, item and rule.
pub fn program(program: &Program) -> Result<(), Vec<String>> {
    let mut errors = Vec::new();
    let nothing = Proc::default();
    let mut top = Checker::new(program, &nothing);
    top.top();
    errors.append(&mut top.errors);
    for each in &program.procs {
        errors.extend(proc(program, each));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Everything that is wrong with one procedure.
pub fn proc(program: &Program, proc: &Proc) -> Vec<String> {
    let mut checker = Checker::new(program, proc);
    checker.handles();
    // What follows indexes without fear.
    if checker.errors.is_empty() {
        checker.signature();
        checker.region(RegionId(0));
        checker.leftovers();
    }
    checker.errors
}

/// What is checked, for messages.
enum Context {
    /// The procedure as a whole.
    Whole,
    /// By name.
    Named(String),
    /// An item, by the first line of its text, and which part of it.
    Item(ItemId, &'static str),
}

struct Checker<'a> {
    program: &'a Program,
    proc: &'a Proc,
    scope: Scope<'a>,
    /// Values that are visible here.
    visible: Vec<bool>,
    /// Values whose definition was met.
    defined: Vec<bool>,
    /// Objects that are alive here.
    alive: Vec<bool>,
    visited_items: Vec<bool>,
    visited_regions: Vec<bool>,
    context: Context,
    errors: Vec<String>,
}

impl<'a> Checker<'a> {
    fn new(program: &'a Program, proc: &'a Proc) -> Self {
        Checker {
            program,
            proc,
            scope: Scope::new(program, proc),
            visible: vec![false; proc.values.len()],
            defined: vec![false; proc.values.len()],
            alive: vec![false; proc.objects.len()],
            visited_items: vec![false; proc.items.len()],
            visited_regions: vec![false; proc.regions.len()],
            context: Context::Whole,
            errors: Vec::new(),
        }
    }

    fn error(&mut self, what: impl AsRef<str>) {
        let name = &self.proc.name;
        let context = match &self.context {
            Context::Whole => String::new(),
            Context::Named(name) => format!(" in `{name}`"),
            Context::Item(item, part) => {
                let text = print::item(self.program, self.proc, *item);
                format!(" in `{}{part}`", text.lines().next().unwrap_or_default())
            }
        };
        self.errors.push(format!("{name}: {}{context}", what.as_ref()));
    }

    fn demand(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            let what = what();
            self.error(what);
        }
    }

    fn ty(&self, ty: &Type) -> String {
        print::ty(self.program, ty)
    }

    fn same(&mut self, found: &Type, expected: &Type, what: &str) {
        if !found.same(expected) {
            let what = format!("{what} has type {}, not {}", self.ty(found), self.ty(expected));
            self.error(what);
        }
    }

    /// Structs and globals.
    fn top(&mut self) {
        let mut names = FxHashSet::default();
        for global in &self.program.globals {
            self.context = Context::Named(format!("global {}", global.name));
            self.demand(names.insert(&global.name), || "the name is not unique".into());
            self.demand(global.life == Life::Global, || "life is not Global".into());
            self.object_type(global);
        }
        let mut procs = FxHashSet::default();
        for proc in &self.program.procs {
            self.context = Context::Named(format!("proc {}", proc.name));
            self.demand(procs.insert((&proc.name, proc.role as u8)), || "the name is not unique".into());
        }
        for structure in &self.program.types.structs {
            self.context = Context::Named(structure.name.clone());
            for field in &structure.fields {
                self.known_type(&field.ty);
            }
        }
    }

    fn object_type(&mut self, object: &Object) {
        self.known_type(&object.elem);
        let is_array = matches!(object.elem, Type::Array(_) | Type::Void);
        self.demand(!is_array, || format!("the element type of {} is an array or void", object.name));
    }

    fn known_type(&mut self, ty: &Type) {
        match ty {
            Type::Struct(id) => {
                let known = id.index() < self.program.types.structs.len();
                self.demand(known, || format!("struct {} does not exist", id.0));
            }
            Type::Pointer(inner) => self.known_type(inner),
            Type::Array(row) => self.known_type(&row.elem),
            Type::Int { bits, .. } => {
                let known = matches!(bits, 1 | 8 | 16 | 32 | 64);
                self.demand(known, || format!("an integer of {bits} bits"));
            }
            Type::Float { bits } => {
                let known = matches!(bits, 32 | 64 | 80);
                self.demand(known, || format!("a floating type of {bits} bits"));
            }
            Type::Void | Type::Opaque(_) => {}
        }
    }

    /// Every handle of the procedure's tables is in range.
    fn handles(&mut self) {
        let proc = self.proc;
        self.demand(!proc.regions.is_empty(), || "there is no body".into());
        let vars = proc.vars.len();
        for value in &proc.values {
            self.demand(value.var.index() < vars, || format!("variable {} does not exist", value.var.0));
            self.demand(value.region.index() < proc.regions.len(), || "a value's region does not exist".into());
        }
        for item in proc.regions.iter().flat_map(|region| &region.items) {
            self.demand(item.index() < proc.items.len(), || format!("item {} does not exist", item.0));
        }
        for item in &proc.items {
            for region in item.kind.regions() {
                self.demand(region.index() < proc.regions.len(), || format!("region {} does not exist", region.0));
            }
            if let Some(statement) = item.statement {
                let known = statement.index() < proc.statements.len();
                self.demand(known, || format!("statement {} does not exist", statement.0));
            }
        }
        let mut names = FxHashSet::default();
        for object in &proc.objects {
            self.demand(names.insert(&object.name), || format!("two objects are called {}", object.name));
            self.object_type(object);
        }
        for var in &proc.vars {
            self.known_type(&var.ty);
            self.demand(var.ty.is_scalar(), || format!("variable {} is no scalar", var.name));
        }
    }

    fn signature(&mut self) {
        let proc = self.proc;
        for (position, param) in proc.params.iter().enumerate() {
            self.context = Context::Named(format!("parameter {}", param.name));
            let position = u32::try_from(position).unwrap_or(u32::MAX);
            match (param.var, param.entry, param.object) {
                (Some(var), Some(entry), None) => {
                    let def = proc.values.get(entry.index()).map(|value| (value.var, &value.def));
                    self.demand(def == Some((var, &Def::Entry(position))), || "its entry is another value".into());
                    if let Some(var) = proc.vars.get(var.index()) {
                        self.same(&var.ty, &param.ty, "the variable");
                    }
                    self.define(entry, RegionId(0));
                }
                (None, None, Some(object)) => {
                    let known = proc.objects.get(object.index()).map(|object| &object.life);
                    self.demand(known == Some(&Life::Param(position)), || "its object has another life".into());
                    if let Some(alive) = self.alive.get_mut(object.index()) {
                        *alive = true;
                    }
                }
                _ => self.error("it needs a variable and its entry, or an object"),
            }
        }
        self.context = Context::Whole;
        let is_struct = matches!(proc.result_type, Type::Struct(_));
        let is_void = proc.result_type == Type::Void;
        self.demand(proc.result_object.is_some() == is_struct, || "only a struct is returned by an object".into());
        self.demand(proc.result.is_some() != (is_void || is_struct), || "a result that fits no result type".into());
    }

    /// Values, items and regions that nothing reached, and what is expected at the end.
    fn leftovers(&mut self) {
        self.context = Context::Whole;
        for value in self.proc.values.ids() {
            let undefined = self.proc.values[value].def == Def::Undefined;
            if !self.defined[value.index()] && !undefined {
                let name = print::value(self.proc, value);
                self.error(format!("no item defines {name}"));
            }
        }
        for index in 0..self.proc.items.len() {
            self.demand(self.visited_items[index], || format!("item {index} stands in no region"));
        }
        for index in 0..self.proc.regions.len() {
            self.demand(self.visited_regions[index], || format!("region {index} belongs to no item"));
        }
    }
}

#[cfg(test)]
mod tests;
