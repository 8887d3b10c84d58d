//! Syntax tree to intermediate representation.
//!
//! ```text
//!   program ── function ── list of statements ── statement ── expression ── place
//!                            │ jumps: guards       │ switch      │ call, memory (malloc, memcpy)
//!                            │ and loops           │ declaration │ order (unsequenced effects)
//! ```
//!
//! A function is lowered when the first call of it is met, so that its effects are known at its calls.

mod automatic;
mod call;
mod choices;
mod convert;
mod declare;
mod deep;
mod dispatch;
mod effects;
mod expression;
mod function;
mod given;
mod hoist;
mod initialise;
mod inline;
mod jumps;
mod library;
mod loops;
mod make;
mod memory;
mod names;
mod place;
mod reach;
mod reports;
mod results;
mod rows;
mod scan;
mod scratch;
mod segments;
mod size;
mod statement;
mod statics;
mod stored;
mod structs;
mod switch;
mod text;
mod volatile;
mod wrappers;

use super::sources::Sources;
use super::tree::{Node, Unordered};
use super::types::{CType, Qualified};
use super::unit::{Structs, Unit};
use super::views;
use crate::front::Unread;
use crate::ir::build::Builder;
use crate::ir::*;
use crate::refuse::{Class, Refusal};
use crate::stack::deep;
use choices::Choices;
use effects::{Effects, Summary};
use given::{Given, Key};
use names::Names;
use reports::{assigns_reals, is_report, is_text, prints_arguments};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is lowered so far.
pub struct Reader<'a> {
    units: Vec<Unit<'a>>,
    sources: Sources,
    structs: Structs,
    globals: Vec<Object>,
    /// Those whose initialiser has addresses of others.
    led: Vec<GlobalId>,
    statics: Vec<statics::Declared>,
    /// Unit (for statics) and name or identity of a global.
    global_numbers: FxHashMap<(Option<usize>, String), GlobalId>,
    procs: Vec<Option<Proc>>,
    proc_numbers: FxHashMap<Key, ProcId>,
    /// Names of the procedures in C, where two static functions have one.
    link_names: FxHashMap<(Option<usize>, String), String>,
    /// Effects of each procedure; unknown while it is being lowered.
    summaries: Vec<Option<Summary>>,
    /// Whether a procedure calls itself, while it is being lowered.
    recursive: Vec<bool>,
    refusals: Vec<Refusal>,
    /// Those of procedures that are lowered, while one that calls them is not yet: it may be lowered once more.
    settled: Vec<Refusal>,
    /// Procedures that a call may come back into, so that their static variables are no locals.
    kept: FxHashSet<ProcId>,
    /// Calls so far of procedures that are being lowered, but for calls of themselves.
    reentered: usize,
    /// Function pointers at file scope that are taken to hold the function of their initialiser: both, and a call.
    assumed: Vec<(String, String, Span)>,
    /// See [`Program::externs`].
    externs: Vec<String>,
    /// Names of variables that functions assign, or take the address of.
    changed: FxHashSet<String>,
    /// Whether no function keeps an address beyond its call; found out when it is needed.
    addresses_stay: Option<bool>,
    /// Functions that sources store; found out when it is needed.
    stored_functions: Option<stored::Stored>,
    /// Functions that only report and that cannot be read.
    reports: FxHashSet<(Option<usize>, String)>,
    /// Variables whose writes need no order: see [`scratch`].
    scratch: FxHashSet<String>,
    /// Expressions without an order, in any function.
    unordered: Vec<Unordered>,
}

/// Lowers the heads and all that they reach.
pub fn program(
    units: Vec<Unit<'_>>,
    sources: Sources,
    unordered: Vec<Unordered>,
    heads: &[String],
) -> std::result::Result<Program, Unread> {
    let mut reader = Reader {
        units,
        sources,
        structs: Structs::default(),
        globals: Vec::new(),
        led: Vec::new(),
        statics: Vec::new(),
        global_numbers: FxHashMap::default(),
        procs: Vec::new(),
        proc_numbers: FxHashMap::default(),
        link_names: FxHashMap::default(),
        summaries: Vec::new(),
        recursive: Vec::new(),
        refusals: Vec::new(),
        settled: Vec::new(),
        kept: FxHashSet::default(),
        reentered: 0,
        assumed: Vec::new(),
        externs: Vec::new(),
        changed: FxHashSet::default(),
        addresses_stay: None,
        stored_functions: None,
        reports: FxHashSet::default(),
        scratch: FxHashSet::default(),
        unordered,
    };
    reader.structs.views = views::find(&reader.units, heads);
    reader.scratch = scratch::find(&reader.units, heads);
    for head in heads {
        if reader.procedure(0, head, true, Vec::new()).is_none() {
            reader.refusals.push(Refusal {
                class: Class::Head,
                span: Span::default(),
                what: format!("the sources do not define the head '{head}'"),
                help: "name a function that one of the files defines".to_string(),
            });
        }
    }
    reader.finish()
}

impl<'a> Reader<'a> {
    fn finish(mut self) -> std::result::Result<Program, Unread> {
        for (variable, _, span) in self.assumed.iter().filter(|(variable, ..)| self.changed.contains(variable)) {
            self.refusals.push(Refusal {
                class: Class::Control,
                span: *span,
                what: format!("a function is called through '{variable}', which changes"),
                help: "call the function by its name".to_string(),
            });
        }
        self.refusals.append(&mut self.settled);
        if !self.refusals.is_empty() {
            let mut refusals = self.refusals;
            refusals.sort_by_key(|refusal| (refusal.span.source, refusal.span.start));
            refusals.dedup();
            return Err(Unread { refusals, sources: self.sources.list });
        }
        let statics = statics::declarations(&self.statics, &self.globals, &self.sources);
        let is_unordered = |global: &Object| self.scratch.contains(&global.name) || global.name == declare::ERRNO;
        let hidden = self.global_numbers.iter().filter(|((unit, _), _)| unit.is_some());
        let closed = self.closed();
        let unordered = self.globals.iter().enumerate().filter(|(_, global)| is_unordered(global));
        Ok(Program {
            unordered: unordered.map(|(number, _)| GlobalId::new(number)).collect(),
            statics,
            externs: self.externs,
            preprocessed: Preprocessed::default(),
            outside: Arc::default(),
            uses: self.units.iter_mut().flat_map(|unit| std::mem::take(&mut unit.uses)).collect(),
            named: self.units.iter_mut().flat_map(|unit| std::mem::take(&mut unit.named)).collect(),
            declared: self.units.into_iter().flat_map(|unit| unit.declared).collect(),
            assumed: self.assumed.into_iter().map(|(variable, function, _)| (variable, function)).collect(),
            types: self.structs.types,
            sources: self.sources.list.into(),
            globals: self.globals.into(),
            led: self.led,
            hidden: hidden.map(|(_, global)| *global).collect(),
            closed,
            procs: self.procs.into_iter().flatten().collect(),
        })
    }

    /// The variables of one source that its other functions, which are no procedures, only read.
    fn closed(&self) -> BTreeSet<GlobalId> {
        let procs: FxHashSet<(Option<usize>, &str)> =
            self.proc_numbers.keys().map(|(unit, name, _)| (*unit, name.as_str())).collect();
        let exposed: Vec<FxHashSet<&str>> = self
            .units
            .iter()
            .enumerate()
            .map(|(number, unit)| {
                let is_proc = |name: &str| procs.contains(&(Some(number), name)) || procs.contains(&(None, name));
                let others = unit.functions.iter().filter(|(name, _)| !is_proc(name)).map(|(_, node)| *node);
                let mut found = FxHashSet::default();
                others.chain(unit.definitions.values().copied()).for_each(|node| scan::exposed(node, &mut found));
                found
            })
            .collect();
        let own = self.global_numbers.iter().filter_map(|((unit, name), global)| Some(((*unit)?, name, *global)));
        own.filter(|(unit, name, _)| !exposed[*unit].contains(name.as_str())).map(|(.., global)| global).collect()
    }

    /// The procedure that `name` means in a unit, with these functions as arguments; lowered now if it is not yet.
    /// `anywhere`: as the head of any unit.
    fn procedure(&mut self, unit: usize, name: &str, anywhere: bool, given: Vec<Given>) -> Option<ProcId> {
        let (home, node) = self.definition(unit, name, anywhere)?;
        if !anywhere && prints_arguments(node) {
            return None;
        }
        self.defined(home, node, anywhere, given)
    }

    /// The procedure of a function that takes a list of arguments and only passes it on.
    fn procedure_with_list(&mut self, unit: usize, name: &str) -> Option<ProcId> {
        let (home, node) = self.definition(unit, name, false)?;
        if prints_arguments(node) { self.defined(home, node, false, Vec::new()) } else { None }
    }

    fn defined(&mut self, home: usize, node: &'a Node<'a>, anywhere: bool, given: Vec<Given>) -> Option<ProcId> {
        let name = node.name.as_ref();
        let is_static = node.storage == "static" || (node.inline && node.storage != "extern");
        let key = (is_static.then_some(home), name.to_string());
        let special = (key.0, key.1.clone(), given.clone());
        if let Some(known) = self.proc_numbers.get(&special) {
            return Some(*known);
        }
        if self.reports.contains(&key) {
            return None;
        }
        let id = ProcId::new(self.procs.len());
        let clash = self.link_names.keys().filter(|(_, other)| other == name).count();
        self.proc_numbers.insert(special, id);
        self.procs.push(None);
        self.summaries.push(None);
        self.recursive.push(false);
        let new_name = if clash == 0 { name.to_string() } else { format!("{name}_{}", clash + 1) };
        let link_name = self.link_names.entry(key.clone()).or_insert(new_name).clone();
        let (outer, settled) = (std::mem::take(&mut self.refusals), self.settled.len());
        let (reentered, declared) = (self.reentered, self.statics.len());
        let (mut proc, mut summary, automatic) = Lower::new(self, home, id, &given).function(node, &link_name);
        if automatic && (self.recursive[id.index()] || self.reentered > reentered) {
            self.kept.insert(id);
            self.refusals.clear();
            let callees = self.statics.split_off(declared);
            self.statics.extend(callees.into_iter().filter(|declared| declared.function != link_name));
            (proc, summary, _) = Lower::new(self, home, id, &given).function(node, &link_name);
        }
        if std::mem::take(&mut self.recursive[id.index()]) {
            // A call of itself adds nothing to the effects of a function, so these are final now, and known at the call.
            self.refusals.clear();
            self.summaries[id.index()] = Some(summary);
            (proc, summary, _) = Lower::new(self, home, id, &given).function(node, &link_name);
        }
        let is_refused = !self.refusals.is_empty() || self.settled.len() > settled;
        if is_refused && !anywhere && is_report(&proc, &self.structs.types) && !assigns_reals(node) {
            // What only reports is called as it is, if it cannot be read.
            self.refusals = outer;
            self.settled.truncate(settled);
            self.forget_from(id);
            self.reports.insert(key);
            return None;
        }
        self.settled.append(&mut self.refusals);
        self.refusals = outer;
        proc.is_static = is_static;
        self.procs[id.index()] = Some(proc);
        self.summaries[id.index()] = Some(summary);
        Some(id)
    }

    /// Forgets a procedure and those that were lowered after it: they are lowered again where they are called.
    fn forget_from(&mut self, id: ProcId) {
        self.proc_numbers.retain(|_, known| known.index() < id.index());
        self.procs.truncate(id.index());
        self.summaries.truncate(id.index());
        self.recursive.truncate(id.index());
    }

    fn definition(&self, unit: usize, name: &str, anywhere: bool) -> Option<(usize, &'a Node<'a>)> {
        if let Some(node) = self.units.get(unit)?.functions.get(name) {
            return Some((unit, node));
        }
        let others = self.units.iter().enumerate();
        let mut found = others.filter_map(|(number, unit)| Some((number, *unit.functions.get(name)?)));
        found.find(|(_, node)| anywhere || node.storage != "static")
    }
}

/// What a declaration of the source is in the procedure.
#[derive(Clone, Debug)]
enum Binding {
    /// A scalar in SSA form.
    Var(VarId),
    /// Memory of this procedure.
    Object(ObjectId),
    /// Memory with static storage.
    Global(GlobalId),
    /// A struct whose address is never taken: a binding for each member.
    Split(StructId, Vec<Binding>),
    /// A number that never changes.
    Constant(i128),
    /// A stream of `stdio.h`.
    Stream(String),
}

/// A statement that control may leave for: `return`, a loop's end, a label.
type Target = usize;

/// How a statement ends.
#[derive(Clone, Debug, Default, PartialEq)]
struct Ends {
    /// Control may reach what follows.
    falls: bool,
    /// It may also leave for these, with their flags set.
    leaves: BTreeSet<Target>,
}

impl Ends {
    fn falls() -> Ends {
        Ends { falls: true, ..Ends::default() }
    }

    fn leaves(target: Target) -> Ends {
        Ends { falls: false, leaves: [target].into() }
    }

    /// Either of two.
    fn or(mut self, other: Ends) -> Ends {
        self.falls |= other.falls;
        self.leaves.extend(other.leaves);
        self
    }
}

type Result<T> = std::result::Result<T, Box<Refusal>>;

/// Lowers one function.
struct Lower<'r, 'a> {
    reader: &'r mut Reader<'a>,
    unit: usize,
    /// The procedure that is made.
    id: ProcId,
    b: Builder,
    bindings: FxHashMap<u64, Binding>,
    names_in_text: Names<'a>,
    /// Declarations that were refused.
    refused: FxHashMap<u64, Box<Refusal>>,
    /// What its parameters stand for, and by declaration the unit and name of the functions that they are.
    given: Vec<Given>,
    functions: FxHashMap<u64, (usize, String)>,
    /// Parameters for which each call of this copy passes NULL instead of a function.
    without_function: FxHashSet<u64>,
    /// Local variables that hold one of several functions: see `choices.rs`.
    choices: Choices,
    /// Names in scope, innermost last.
    visible: Vec<(String, u64)>,
    /// Names of all objects and variables so far.
    names: FxHashSet<String>,
    /// Declarations whose address is taken.
    addressed: FxHashSet<u64>,
    /// The function's statements.
    body: Option<&'a Node<'a>>,
    /// Declarations of scalars that a statement assigns.
    assigned: FxHashSet<u64>,
    /// Flags of the targets.
    flags: Vec<VarId>,
    /// Where `break` and `continue` lead.
    breaks: Vec<Target>,
    continues: Vec<Target>,
    /// Labels that a `goto` can reach from here.
    labels: FxHashMap<u64, Target>,
    /// Labels inside statements to come that control leaves for from before these.
    entries: FxHashMap<u64, Target>,
    /// Labels inside statements that run again for the jumps to them.
    repeated: FxHashSet<u64>,
    /// Where `return` leads, and the variable that holds the result.
    returns: Target,
    result_var: Option<VarId>,
    result: Option<Expr>,
    result_object: Option<ObjectId>,
    result_type: CType,
    /// Extents of arrays with variable length, by their text.
    extents: FxHashMap<String, Expr>,
    effects: Effects,
    /// Whether statements may stand in front of the expression at hand.
    may_part: bool,
    /// Objects that one expression makes and nothing else names.
    private: FxHashSet<ObjectId>,
    /// Static variables that are assigned before they are read, and whether one is taken as a local.
    assigned_first: FxHashSet<u64>,
    automatic: bool,
    summary: Summary,
    /// Name for the block that the next `malloc` makes.
    block_name: String,
    /// Statement around the current one.
    enclosing: Option<StatementId>,
}

impl<'r, 'a> Lower<'r, 'a> {
    fn new(reader: &'r mut Reader<'a>, unit: usize, id: ProcId, given: &[Given]) -> Lower<'r, 'a> {
        Lower {
            reader,
            unit,
            id,
            b: Builder::new("", Type::Void, Span::default()),
            bindings: FxHashMap::default(),
            names_in_text: Names::default(),
            refused: FxHashMap::default(),
            given: given.to_vec(),
            functions: FxHashMap::default(),
            without_function: FxHashSet::default(),
            choices: Choices::default(),
            visible: Vec::new(),
            names: FxHashSet::default(),
            addressed: FxHashSet::default(),
            body: None,
            assigned: FxHashSet::default(),
            flags: Vec::new(),
            breaks: Vec::new(),
            continues: Vec::new(),
            labels: FxHashMap::default(),
            entries: FxHashMap::default(),
            repeated: FxHashSet::default(),
            returns: 0,
            result_var: None,
            result: None,
            result_object: None,
            result_type: CType::Void,
            extents: FxHashMap::default(),
            effects: Effects::default(),
            may_part: false,
            private: FxHashSet::default(),
            assigned_first: FxHashSet::default(),
            automatic: false,
            summary: Summary::default(),
            block_name: String::new(),
            enclosing: None,
        }
    }

    fn span(&self, node: &Node) -> Span {
        self.reader.units[self.unit].files.span(node, &self.reader.sources)
    }

    fn refuse<T>(&self, node: &Node, class: Class, what: impl Into<String>, help: impl Into<String>) -> Result<T> {
        Err(Box::new(Refusal { class, span: self.span(node), what: what.into(), help: help.into() }))
    }

    /// What is said of a variable whose type has no form here, and the way round.
    fn opaque(&self, name: &str) -> (String, &'static str) {
        if name.starts_with("union ") || self.reader.units[self.unit].is_union(name) {
            let help = "use a struct; in place of the bits of a number, the function that they stand for";
            return (format!("is a union ('{name}'), whose members share memory"), help);
        }
        super::types::opaque(name)
    }

    fn qualified(&mut self, text: &str) -> Qualified {
        self.reader.units[self.unit].ctype(text, &mut self.reader.structs)
    }

    /// The type of an expression or declaration.
    fn ctype(&mut self, node: &Node) -> Qualified {
        self.qualified(node.ty())
    }

    fn ir_type(&mut self, node: &Node) -> Type {
        self.ctype(node).ty.ir()
    }

    /// A name that nothing else in the procedure has.
    fn unique(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_string();
        let mut number = 2;
        while !self.names.insert(name.clone()) {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        name
    }
}
