//! Procedures that make memory for what calls them: they allocate or free a dummy argument, a component of one, a variable
//! of a module or of their host, or return an array that they have allocated. Each call of one is
//! [written out](super::written_out), so that the memory belongs to the procedure that calls it. So are calls of those
//! that return to a label of their caller.
//!
//! ```text
//!   call setup(n, w)      setup allocates its dummy: 'w' of the caller is an array from here on
//!   call init(n)          init allocates 'flux' of a module: an array of the head, which hands it on to what names it
//! ```

use super::bound::may_call;
use super::jumps::blocks;
use super::lasting::Allocations;
use super::state::{Called, Reader};
use adtape_fortran::scope::program::{ScopeId, ScopeKind, SymbolId, Type as Declared};
use adtape_fortran::tree::attribute::Intent;
use adtape_fortran::tree::expression::{Argument, ArgumentValue, Reference};
use adtape_fortran::tree::header::{Dummy, UnitKind};
use adtape_fortran::tree::statement::{Action, Statement};
use adtape_fortran::tree::walk::Node;
use rustc_hash::{FxHashMap, FxHashSet};

/// What the statements of a procedure do with memory.
struct Doing {
    /// Variables that it allocates, frees or moves, or whose components it does.
    moved: FxHashSet<SymbolId>,
    /// What it calls, and which variables it passes to which dummies.
    calls: Vec<(ScopeId, Vec<(SymbolId, SymbolId)>)>,
}

impl<'t> Reader<'t> {
    /// Finds the procedures that make memory for what calls them.
    pub fn find_makers(&mut self, heads: &[ScopeId]) {
        let mut doing: FxHashMap<ScopeId, Doing> = FxHashMap::default();
        let mut open = heads.to_vec();
        while let Some(at) = open.pop() {
            if !doing.contains_key(&at) && !self.passive.contains_key(&at) {
                let does = self.doing(at);
                open.extend(does.calls.iter().map(|(callee, _)| *callee));
                doing.insert(at, does);
            }
        }
        let mut allocations = Allocations::default();
        for (at, does) in &doing {
            self.allocations(*at, &mut allocations);
            does.calls.iter().for_each(|(_, passed)| self.passed_on(passed, &mut allocations));
        }
        self.makers.lasting = self.lasting(&allocations);
        self.find_allocating(&doing);
        doing.values_mut().for_each(|does| does.moved.retain(|id| !self.makers.lasting.contains(id)));
        loop {
            let mut found: Vec<(ScopeId, SymbolId)> = Vec::new();
            for (at, does) in &doing {
                for (callee, passed) in &does.calls {
                    let Some(of) = doing.get(callee) else { continue };
                    let own = of.moved.iter().copied().filter(|id| self.is_outside(*id, *callee));
                    let through = passed.iter().filter(|(_, dummy)| of.moved.contains(dummy)).map(|(id, _)| *id);
                    let more = own.chain(through).filter(|id| !does.moved.contains(id));
                    found.extend(more.map(|id| (*at, id)));
                }
            }
            if found.is_empty() {
                break;
            }
            for (at, id) in found {
                doing.get_mut(&at).expect("known").moved.insert(id);
            }
        }
        let moving = doing.values().flat_map(|does| &does.moved).copied().filter(|id| self.is_of_module(*id));
        self.makers.moving = moving.collect();
        self.makers.heads = heads.iter().copied().collect();
        let takers = self.takers(&doing);
        let is_one = |at: &ScopeId| takers.contains(at) || self.makes(*at, &doing[at]);
        let is_maker = |at: &ScopeId| is_one(at) && !calls_itself(*at, &doing);
        self.makers.procedures = doing.keys().copied().filter(is_maker).collect();
    }

    /// Finds the procedures that allocate variables that stay allocated, or call one that does.
    fn find_allocating(&mut self, doing: &FxHashMap<ScopeId, Doing>) {
        let lasting = &self.makers.lasting;
        let own = doing.iter().filter(|(_, does)| does.moved.iter().any(|id| lasting.contains(id)));
        let mut found: FxHashSet<ScopeId> = own.map(|(at, _)| *at).collect();
        loop {
            let calls = |does: &Doing| does.calls.iter().any(|(callee, _)| found.contains(callee));
            let more = doing.iter().filter(|(at, does)| !found.contains(at) && calls(does));
            let more: Vec<ScopeId> = more.map(|(at, _)| *at).collect();
            if more.is_empty() {
                break;
            }
            found.extend(more);
        }
        self.makers.allocating = found;
    }

    /// The procedures that get a variable whose components a procedure around the call has allocated.
    fn takers(&self, doing: &FxHashMap<ScopeId, Doing>) -> FxHashSet<ScopeId> {
        let mut beside: FxHashSet<SymbolId> = FxHashSet::default();
        for (at, does) in doing {
            let is_own = |id: &&SymbolId| {
                let symbol = self.names.symbol(**id);
                let is_derived = matches!(self.names.symbol_type(**id), Declared::Derived(_));
                is_derived && !symbol.flags.dummy && !self.is_outside(**id, *at)
            };
            beside.extend(does.moved.iter().filter(is_own));
        }
        let mut takers = FxHashSet::default();
        loop {
            let before = (beside.len(), takers.len());
            for (callee, passed) in doing.values().flat_map(|does| &does.calls) {
                for (actual, dummy) in passed {
                    if beside.contains(actual) {
                        beside.insert(*dummy);
                        takers.insert(*callee);
                    }
                }
            }
            if before == (beside.len(), takers.len()) {
                takers.retain(|at| doing.contains_key(at));
                return takers;
            }
        }
    }

    fn makes(&self, at: ScopeId, does: &Doing) -> bool {
        let ScopeKind::Unit(unit) = self.names.scope(at).kind else { return false };
        if unit.header.arguments.iter().any(|dummy| matches!(dummy, Dummy::Label(_))) {
            return true;
        }
        let result = self.names.result_symbol(at).map(|id| self.names.symbol(id));
        let returns = result.is_some_and(|result| result.flags.allocatable && result.dims.is_some());
        returns || does.moved.iter().any(|id| self.names.symbol(*id).flags.dummy || self.is_outside(*id, at))
    }

    fn is_of_module(&self, id: SymbolId) -> bool {
        let symbol = self.names.symbol(id);
        let is_module = match self.names.scope(symbol.scope).kind {
            ScopeKind::Unit(unit) => matches!(unit.header.kind, UnitKind::Module),
            _ => false,
        };
        is_module && symbol.flags.allocatable
    }

    /// Whether a variable belongs to a module or to a procedure around this one.
    fn is_outside(&self, id: SymbolId, scope: ScopeId) -> bool {
        let symbol = self.names.symbol(id);
        let is_of_unit = matches!(self.names.scope(symbol.scope).kind, ScopeKind::Unit(_));
        let is_of_procedure = self.procedure_name(symbol.scope).is_some();
        symbol.scope != scope && is_of_unit && (is_of_procedure || self.is_of_module(id))
    }

    fn doing(&self, scope: ScopeId) -> Doing {
        let ScopeKind::Unit(unit) = self.names.scope(scope).kind else { unreachable!("a procedure with a body") };
        let mut does = Doing { moved: FxHashSet::default(), calls: Vec::new() };
        for dummy in self.dummy_symbols(scope, unit) {
            let symbol = self.names.symbol(dummy);
            if symbol.flags.allocatable && symbol.intent == Some(Intent::Out) {
                does.moved.insert(dummy);
            }
        }
        self.moved_by(scope, &unit.body, &mut does.moved);
        self.each(scope, &unit.body, &mut |this, here, node| {
            if let Node::Reference(reference) | Node::Callee(reference) = node
                && may_call(node)
                && let Called::Procedure(other) = this.called(here, &reference.parts[0])
            {
                let passed = this.passed_variables(here, other, reference);
                let passed = passed.into_iter().filter(|(_, dummy)| {
                    let is_derived = matches!(this.names.symbol_type(*dummy), Declared::Derived(_));
                    is_derived || this.names.symbol(*dummy).flags.allocatable
                });
                does.calls.push((other, passed.collect()));
            }
        });
        does
    }

    /// The variables that the statements of a block allocate, free, move, or give a value as a whole.
    fn moved_by(&self, scope: ScopeId, block: &'t [Statement], moved: &mut FxHashSet<SymbolId>) {
        for statement in block {
            let here = self.names.scope_of(statement).unwrap_or(scope);
            let mut note = |reference: &Reference| {
                let Some(id) = self.names.lookup(here, &reference.parts[0].name.name) else { return };
                let symbol = self.names.symbol(id);
                if symbol.flags.allocatable || reference.parts.len() > 1 {
                    moved.insert(id);
                }
            };
            let values = |list: &'t [Argument]| {
                list.iter().filter_map(|object| match &object.value {
                    ArgumentValue::Expr(value) if object.keyword.is_none() => value.reference(),
                    _ => None,
                })
            };
            match &statement.action {
                Action::Allocate(_, objects) | Action::Deallocate(objects) => values(objects).for_each(&mut note),
                Action::Call(callee) if &*callee.parts[0].name.name == "move_alloc" => {
                    callee.parts[0].lists.iter().flat_map(|list| values(list)).for_each(&mut note);
                }
                Action::Assign(target, value) => {
                    let is_array = self.names.type_of(here, value).rank.is_some_and(|rank| rank > 0);
                    if let ([part], true) = (&target.parts[..], is_array)
                        && part.lists.is_empty()
                    {
                        let id = self.names.lookup(here, &part.name.name);
                        if id.is_some_and(|id| self.names.symbol(id).flags.dummy) {
                            note(target);
                        }
                    }
                }
                _ => {}
            }
            blocks(&statement.action).into_iter().for_each(|inner| self.moved_by(here, inner, moved));
        }
    }
}

/// Whether a procedure may call itself.
fn calls_itself(at: ScopeId, doing: &FxHashMap<ScopeId, Doing>) -> bool {
    let mut seen = FxHashSet::default();
    let mut open: Vec<ScopeId> = vec![at];
    while let Some(next) = open.pop() {
        for (callee, _) in doing.get(&next).into_iter().flat_map(|does| &does.calls) {
            if *callee == at {
                return true;
            }
            if seen.insert(*callee) {
                open.push(*callee);
            }
        }
    }
    false
}
