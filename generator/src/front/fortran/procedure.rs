//! A procedure: its dummies, its result, its body.

use super::jumps::jumped_to;
use super::state::{From, Lower, Memory, Passed, Procedure, Reader, Refused, Result, WrittenOut};
use crate::front::jumps::{Jumping, Jumps};
use crate::ir::build::Builder;
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::scope::program::{self as scope, ScopeId, ScopeKind, SymbolId};
use adtape_fortran::scope::shapes::Upper;
use adtape_fortran::scope::uses::Hidden;
use adtape_fortran::source::Span as Written;
use adtape_fortran::tree::attribute::Intent;
use adtape_fortran::tree::header::UnitKind;
use adtape_fortran::tree::unit::Unit;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

impl<'r, 't> Lower<'r, 't> {
    /// Lowers one that is reached; none if something is refused.
    pub fn procedure(reader: &mut Reader<'t>, id: ProcId) -> Option<Proc> {
        let mut found = Lower::lowered(reader, id);
        // A variable with SAVE that each call sets before it reads it is as good as a local one; others are memory.
        if let Some((proc, _, automatic)) = &found {
            let kept: FxHashSet<SymbolId> = read_at_entry(reader, proc, automatic);
            if !kept.is_empty() {
                reader.reached[id.index()].kept = kept;
                found = Lower::lowered(reader, id);
            }
        }
        let (proc, facts) = match found {
            Some((proc, facts, _)) => (Some(proc), facts),
            None => (None, FortranProc::default()),
        };
        reader.fortran.procs.push(facts);
        proc
    }

    /// The procedure, what is known of it, and its variables with SAVE that are taken as local ones.
    fn lowered(reader: &'r mut Reader<'t>, id: ProcId) -> Option<(Proc, FortranProc, Vec<SymbolId>)> {
        let names = reader.names;
        let (scope, unit) = (reader.reached[id.index()].scope, reader.reached[id.index()].unit);
        let file = names.scope(scope).file;
        let span = reader.texts.span(file, unit.header.span);
        let name = unit.header.name.as_ref().map(|name| name.name.to_string()).unwrap_or_default();
        let host = names.scope(scope).host;
        let takes_procedures = !reader.reached[id.index()].bound.is_empty();
        // The user's own procedure takes no more arguments than its list has, and allocatable ones as they are.
        let is_other = |dummy: &Passed| dummy.from == From::Host || names.symbol(dummy.symbol).flags.allocatable;
        let has_other = reader.reached[id.index()].dummies.iter().any(is_other);
        let allocates = reader.makers.allocating.contains(&scope);
        let is_copied =
            takes_procedures || has_other || allocates || host.is_some_and(|host| reader.module(host).is_none());
        let module = reader.module_around(id);
        // Modules may have procedures of one name.
        let is_taken = reader.fortran.procs.iter().any(|known| known.key == name);
        let key = if is_taken { format!("{name}_{}", id.index()) } else { name.clone() };
        let result = unit.header.result.as_ref().map(|result| result.name.to_string());
        let facts = FortranProc { key: key.clone(), name, result, module, is_copied, ..FortranProc::default() };
        let mut b = Builder::new(&key, Type::Void, span);
        b.proc_mut().language = Language::Fortran;
        let (memory, open) = (FxHashMap::default(), Vec::new());
        let mut jumped = FxHashSet::default();
        jumped_to(&unit.body, &mut jumped);
        let mut lower = Lower {
            reader,
            names,
            id,
            own: scope,
            scope,
            b,
            memory,
            facts,
            open,
            jumps: Jumps::default(),
            jumped,
            returned: 0,
            hoisted: FxHashMap::default(),
            constructed: FxHashMap::default(),
            components: FxHashMap::default(),
            beside: BTreeSet::new(),
            shared: FxHashMap::default(),
            automatic: Vec::new(),
            out: WrittenOut::default(),
            written_back: Vec::new(),
        };
        let before = lower.reader.refusals.len();
        let result = lower.whole(unit).unwrap_or(None);
        lower.refuse_whole();
        if lower.reader.refusals.len() > before {
            return None;
        }
        let Lower { b, facts, automatic, .. } = lower;
        Some((b.finish(result), facts, automatic))
    }

    fn whole(&mut self, unit: &'t Unit) -> Result<Option<Expr>> {
        self.dummies(unit)?;
        let result = self.result(unit)?;
        self.locals()?;
        self.returned = self.target("returned");
        self.block_to(&unit.body, unit.end.label);
        self.all_freed(unit);
        for (var, to) in std::mem::take(&mut self.written_back) {
            let from = self.b.get(var);
            self.b.emit(ItemKind::Store { to, from });
        }
        Ok(match result {
            Some(Memory::Var(var)) => Some(self.b.get(var)),
            Some(Memory::Scalar(place)) => Some(Expr::load(place)),
            _ => None,
        })
    }

    /// Notes a refusal.
    pub fn refuse<T>(&mut self, at: Written, class: Class, what: impl Into<String>, help: &str) -> Result<T> {
        let span = self.span(at);
        self.reader.refuse(span, class, what, help);
        Err(Refused)
    }

    /// A place in the sources.
    pub fn span(&mut self, at: Written) -> Span {
        let file = self.names.scope(self.own).file;
        self.reader.texts.span(file, at)
    }

    /// Whether a scalar is passed to a dummy that is written.
    pub fn is_addressed(&self, id: SymbolId) -> bool {
        self.reader.reached[self.id.index()].addressed.contains(&id)
    }

    /// Whether a name is a dummy that the calls at hand leave out.
    pub fn is_absent(&self, id: SymbolId) -> bool {
        self.reader.reached[self.id.index()].lacks(id) || self.out.absent.contains(&id)
    }

    /// A parameter: its variable and its value at entry.
    pub fn param(
        &mut self,
        name: &str,
        ty: Type,
        kind: DummyKind,
        intent: Option<Intent>,
        symbol: SymbolId,
    ) -> (VarId, ValueId) {
        let span = self.span(self.names.symbol(symbol).span);
        let var = self.b.var(name, ty.clone(), VarKind::User, span);
        let position = u32::try_from(self.b.proc().params.len()).expect("fewer parameters than that");
        let entry = self.b.entry(var, position);
        let is_memory = matches!(kind, DummyKind::Scalar | DummyKind::Array);
        let read_only = is_memory && intent == Some(Intent::In);
        let declaration = format!("{} @", if is_memory { "pointer" } else { "value" });
        self.b.proc_mut().params.push(Param {
            name: name.to_string(),
            ty,
            declaration,
            var: Some(var),
            entry: Some(entry),
            object: None,
            shape: Vec::new(),
            read_only,
            apart: false,
            no_alias: is_memory && !self.names.symbol(symbol).flags.target,
            undefined_at_entry: is_memory && intent == Some(Intent::Out),
        });
        let intent = intent.map(|intent| match intent {
            Intent::In => "in",
            Intent::Out => "out",
            Intent::InOut => "inout",
        });
        let bounds = if kind.bound_of().is_some() { Vec::new() } else { self.bounds_text(symbol) };
        self.facts.dummies.push(FortranDummy {
            kind,
            bounds,
            intent,
            is_named: false,
            length: None,
            is_allocatable: false,
        });
        (var, entry)
    }

    /// The bounds of an array as they are declared.
    fn bounds_text(&self, symbol: SymbolId) -> Vec<String> {
        let text = adtape_fortran::print::expression;
        let bounds = self.names.bounds(symbol).unwrap_or_default();
        let one = |bound: &adtape_fortran::scope::shapes::Bounds<'t>| {
            let lower = bound.lower.map(|lower| format!("{}:", text(lower))).unwrap_or_default();
            match bound.upper {
                Upper::Expr(upper) => format!("{lower}{}", text(upper)),
                Upper::Star => format!("{lower}*"),
                Upper::Assumed | Upper::Deferred if lower.is_empty() => ":".to_string(),
                Upper::Assumed | Upper::Deferred => lower,
            }
        };
        bounds.iter().map(one).collect()
    }

    fn result(&mut self, unit: &'t Unit) -> Result<Option<Memory>> {
        if !matches!(unit.header.kind, UnitKind::Function) {
            return Ok(None);
        }
        let at = unit.header.span;
        let Some(result) = self.names.result_symbol(self.own) else {
            return self.refuse(at, Class::Language, "the result of the function is not declared", "declare it");
        };
        if self.facts.returns_memory {
            return Ok(None);
        }
        let ty = self.type_of_symbol(result, at)?;
        self.b.proc_mut().result_type = ty.clone();
        let memory = self.memory(result, at)?;
        Ok(Some(memory))
    }

    /// Declares what the body names, so that it lives as long as the procedure runs.
    fn locals(&mut self) -> Result<()> {
        let named = &self.reader.reached[self.id.index()].named;
        let is_local = |id: &SymbolId| {
            let symbol = self.names.symbol(*id);
            let is_variable = matches!(symbol.class, scope::Class::Variable);
            let is_there = self.memory.contains_key(id) || self.is_absent(*id);
            symbol.scope == self.own && is_variable && !symbol.flags.allocatable && !is_there
        };
        let mut locals: Vec<SymbolId> = named.iter().copied().filter(is_local).collect();
        locals.sort_by_key(|id| self.names.symbol(*id).span.from);
        for id in locals {
            // Characters and the like are named by statements that are left out.
            if self.reader.symbol_type(id).is_ok() {
                self.memory(id, self.names.symbol(id).span)?;
            }
        }
        Ok(())
    }
}

/// Those of some variables whose value at entry a procedure reads.
fn read_at_entry(reader: &Reader, proc: &Proc, variables: &[SymbolId]) -> FxHashSet<SymbolId> {
    let mut read: FxHashSet<&str> = FxHashSet::default();
    let mut see = |value: ValueId| {
        let Value { var, def, .. } = &proc.values[value];
        if *def == Def::Undefined {
            read.insert(&proc.vars[*var].name);
        }
    };
    for item in proc.regions.iter().flat_map(|region| &region.items) {
        walk::values_of_item(proc, *item, &mut see);
        walk::values_of_extents(proc, *item, &mut see);
    }
    proc.result.iter().for_each(|result| walk::values(result, &mut see));
    let is_read = |id: &SymbolId| read.contains(&*reader.names.symbol(*id).name);
    variables.iter().copied().filter(is_read).collect()
}

impl<'t> Reader<'t> {
    /// The module that the sweeps of a procedure go to. What takes procedures goes to what passes them, which knows both.
    fn module_around(&mut self, id: ProcId) -> Option<usize> {
        let mut at = id;
        while let Procedure { caller: Some(caller), bound, .. } = &self.reached[at.index()]
            && !bound.is_empty()
        {
            at = *caller;
        }
        let host = self.names.scope(self.reached[at.index()].scope).host;
        let hosts: Vec<ScopeId> = std::iter::successors(host, |host| self.names.scope(*host).host).collect();
        hosts.into_iter().find_map(|host| self.module(host))
    }

    /// The number of a module, if the scope is one's.
    pub fn module(&mut self, scope: ScopeId) -> Option<usize> {
        if let Some(known) = self.modules.get(&scope) {
            return Some(*known);
        }
        let ScopeKind::Unit(unit) = self.names.scope(scope).kind else { return None };
        if !matches!(unit.header.kind, UnitKind::Module) {
            return None;
        }
        let file = self.names.scope(scope).file;
        let end = self.texts.span(file, unit.end.span);
        let contains = unit.contained.first().map(|first| self.texts.copied_line(file, first.header.span));
        let line = self.texts.copied_line(file, unit.end.span);
        let number = self.fortran.modules.len();
        let name = unit.header.name.as_ref().map(|name| name.name.to_string()).unwrap_or_default();
        let all = self.names.scope(scope).names.keys();
        let hidden = all.filter_map(|name| Some((name.to_string(), self.names.hides(scope, name)? == Hidden::Alone)));
        let hidden = hidden.collect();
        self.fortran.modules.push(FortranModule { name, hidden, source: end.source, contains, end: line });
        self.modules.insert(scope, number);
        let names = self.names.scope(scope).names.keys().map(|name| name.to_string());
        self.fortran.taken.extend(names);
        Some(number)
    }
}
