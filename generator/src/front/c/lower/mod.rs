//! Syntax tree to intermediate representation.
//!
//! ```text
//!   program ── function ── list of statements ── statement ── expression ── place
//!                            │ jumps: guards       │ switch      │ call, memory (malloc, memcpy)
//!                            │ and loops           │ declaration │ order (unsequenced effects)
//! ```
//!
//! A function is lowered when the first call of it is met, so that its effects are known at its calls.

mod aligned;
mod automatic;
mod call;
mod choices;
mod convert;
mod declare;
mod deep;
mod dispatch;
mod effects;
mod expression;
mod external;
mod forwarded;
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
mod mpi;
mod names;
mod order;
mod place;
mod reach;
mod reports;
mod results;
mod rows;
mod rules;
mod scan;
mod scratch;
mod size;
mod sized;
mod state;
mod statement;
mod statics;
mod stored;
mod structs;
mod switch;
mod text;
mod volatile;
mod wrappers;

use super::mpi::body::WIRE;
use super::rules::Rules;
use super::sources::Sources;
use super::tree::{Node, Unordered};
use super::types::{CType, Qualified};
use super::unit::{Structs, Unit};
use super::views;
use crate::front::Unread;
use crate::front::jumps::{Ends, Jumping, Jumps, Target};
use crate::front::pieces::{Part, Piece};
use crate::ir::build::Builder;
use crate::ir::*;
use crate::refuse::{Class, Refusal};
use crate::stack::deep;
use effects::{Effects, Summary};
use reports::{assigns_reals, is_report, is_text, prints_arguments};
use rustc_hash::{FxHashMap, FxHashSet};
use state::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Lowers the heads and all that they reach.
pub fn program(
    units: Vec<Unit<'_>>,
    sources: Sources,
    unordered: Vec<Unordered>,
    heads: &[String],
    rules: Rules,
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
        rules: Arc::new(rules),
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
    reader.residuals();
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
        let wire = self.global_numbers.get(&(None, WIRE.to_string())).copied();
        let hidden = self.global_numbers.iter().filter(|((unit, _), global)| unit.is_some() || Some(**global) == wire);
        let closed = self.closed();
        let unordered = self.globals.iter().enumerate().filter(|(_, global)| is_unordered(global));
        Ok(Program {
            fortran: None,
            unordered: unordered.map(|(number, _)| GlobalId::new(number)).collect(),
            statics,
            c: Surroundings {
                externs: self.externs,
                preprocessed: Preprocessed::default(),
                outside: Arc::default(),
                uses: self.units.iter_mut().flat_map(|unit| std::mem::take(&mut unit.uses)).collect(),
                named: self.units.iter_mut().flat_map(|unit| std::mem::take(&mut unit.named)).collect(),
                declared: self.units.into_iter().flat_map(|unit| unit.declared).collect(),
            },
            assumed: self.assumed.into_iter().map(|(variable, function, _)| (variable, function)).collect(),
            remembered: Vec::new(),
            wire,
            types: self.structs.types,
            sources: self.sources.list.into(),
            globals: self.globals.into(),
            led: self.led,
            hidden: hidden.map(|(_, global)| *global).collect(),
            closed,
            procs: self.procs.into_iter().flatten().collect(),
        })
    }

    /// Lowers the residuals of solvers that the heads reach.
    fn residuals(&mut self) {
        let rules = self.procs.iter().flatten().filter_map(|proc| Some((proc.rule.clone()?, proc.span)));
        let wanted: Vec<_> = rules.filter_map(|(rule, span)| Some((rule.implicit.clone()?, span))).collect();
        for (implicit, span) in wanted {
            let residual = &implicit.residual;
            let found = self.procedure(0, residual, true, Vec::new());
            let count = found.and_then(|id| self.procs[id.index()].as_ref()).map(|proc| proc.params.len());
            if count != Some(implicit.args.len()) {
                self.refusals.push(Refusal {
                    class: Class::NoSource,
                    span,
                    what: match count {
                        Some(_) => format!("'{residual}' has another number of parameters than the directive gives it"),
                        None => format!("the sources do not define the residual '{residual}'"),
                    },
                    help: "the residual is a function of the sources: docs/rules.md".to_string(),
                });
            }
        }
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
        if let Some((function, rule, span)) = self.rules.clone().of_body(name) {
            proc = standing_for(proc, function, rule, span);
        } else {
            self.refusals.extend(mpi::copied_request(&proc));
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

/// A procedure made of the body that stands for a function: of its name, written where its rule is.
fn standing_for(mut proc: Proc, function: &str, rule: &Arc<Rule>, span: Span) -> Proc {
    for item in &mut proc.items {
        (item.span, item.statement) = (span, None);
    }
    proc.values.iter_mut().for_each(|value| value.span = span);
    Proc { name: function.to_string(), rule: Some(rule.clone()), span, ..proc }
}
