//! Procedures that compute nothing with a derivative: they write messages, stop the program, or know constants of the
//! machine. Sweeps call them as they are, and know nothing of their texts.
//!
//! ```text
//!   call xermsg('SLATEC', 'DRF', 'X is negative', ier, 1)   what it writes is read by nobody but its like
//!   eps = d1mach(4)                                         its result depends on integers and texts alone
//! ```

use super::state::{Called, Outside, Passive, Reader};
use crate::ir::ProcId;
use adtape_fortran::scope::program::{self as scope, Basic, ScopeId, ScopeKind, SymbolId, Type as Declared};
use adtape_fortran::tree::attribute::Intent;
use adtape_fortran::tree::expression::{Argument, ArgumentValue, Ident, Reference};
use adtape_fortran::tree::header::{Dummy, UnitKind};
use adtape_fortran::tree::statement::{Action, Statement, StopKind, Transfer, TransferKind};
use adtape_fortran::tree::unit::Unit;
use adtape_fortran::tree::walk::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// What a procedure does, as far as its statements show.
#[derive(Default)]
struct Does {
    dummies: Vec<SymbolId>,
    /// What it calls.
    calls: Vec<ScopeId>,
    /// What it names.
    named: FxHashSet<SymbolId>,
    written: FxHashSet<SymbolId>,
    /// Variables that it passes, and to which dummies.
    passed: Vec<(SymbolId, SymbolId)>,
    /// Whether it does something that says too little here: a call without source, a pointer assignment.
    unclear: bool,
    /// Whether it reads or writes files or texts.
    transfers: bool,
    /// Whether it may learn something from a file: it does more than write, or asks how that went.
    asks: bool,
    /// Whether it stops the program.
    stops: bool,
}

impl<'t> Reader<'t> {
    /// Finds the passive procedures among those that the heads reach.
    pub fn find_passive(&mut self, heads: &[ScopeId]) {
        let mut does: FxHashMap<ScopeId, Does> = FxHashMap::default();
        let mut open = heads.to_vec();
        while let Some(at) = open.pop() {
            if let Entry::Vacant(free) = does.entry(at) {
                let found = free.insert(self.does(at));
                open.extend(&found.calls);
            }
        }
        passed_on(&mut does);
        let confined = self.confined(heads, &does);
        let needs = |at: &&ScopeId| below(**at, &does).iter().any(|one| self.must_be_passive(*one, &does[one]));
        let asked: FxHashSet<ScopeId> =
            confined.iter().filter(|at| self.may_be_passive(**at, &does[*at])).filter(needs).copied().collect();
        self.find_outside(&does);
        for at in &asked {
            let all = below(*at, &does);
            let stops = all.iter().any(|at| does[at].stops);
            let same = !self.depends_on_state(*at, &does);
            let heard = self.is_heard(&all, &does, &asked);
            let one = &does[at];
            let known = Passive { dummies: one.dummies.clone(), written: one.written.clone(), stops, heard, same };
            self.passive.insert(*at, known);
        }
    }

    /// Notes what each procedure and its callees name from outside, and what they write.
    fn find_outside(&mut self, does: &FxHashMap<ScopeId, Does>) {
        for (at, one) in does {
            let is_outside = |id: &&SymbolId| {
                let symbol = self.names.symbol(**id);
                symbol.flags.in_common || symbol.scope != *at
            };
            let named = one.named.iter().filter(is_outside).copied().collect();
            let written = one.written.iter().filter(is_outside).copied().collect();
            let dummies = one.dummies.iter().filter(|dummy| one.written.contains(dummy)).copied().collect();
            self.alone.insert(*at, Outside { named, written, dummies });
        }
        for at in does.keys() {
            let found = self.with_callees(*at, below(*at, does));
            self.outside.insert(*at, found);
        }
    }

    /// What a procedure and these, which it calls, do with what is no argument.
    fn with_callees(&self, scope: ScopeId, all: impl IntoIterator<Item = ScopeId>) -> Outside {
        let mut found = Outside::default();
        for one in all.into_iter().filter_map(|at| self.alone.get(&at)) {
            found.named.extend(&one.named);
            found.written.extend(&one.written);
        }
        found.dummies.extend(self.alone.get(&scope).into_iter().flat_map(|own| &own.dummies));
        found
    }

    /// What a procedure and its callees do with what is no argument, for the procedures that it gets as arguments.
    pub fn outside_of(&self, id: ProcId) -> Outside {
        let (mut open, mut seen, mut scopes) = (vec![id], FxHashSet::default(), FxHashSet::default());
        while let Some(at) = open.pop() {
            if seen.insert(at) {
                scopes.extend(self.reached[at.index()].bodies(self.names).into_iter().map(|(scope, _)| scope));
                open.extend(&self.reached[at.index()].calls);
            }
        }
        self.with_callees(self.reached[id.index()].scope, scopes)
    }

    /// The procedures of which nothing but a result and arguments can leave: what they call is like them, no other one
    /// shares a variable with them, and none calls those whose arguments may carry a derivative.
    fn confined(&self, heads: &[ScopeId], does: &FxHashMap<ScopeId, Does>) -> FxHashSet<ScopeId> {
        let may_be = |at: &&ScopeId| !heads.contains(at) && self.may_be_confined(**at, &does[*at]);
        let mut confined: FxHashSet<ScopeId> = does.keys().filter(may_be).copied().collect();
        loop {
            let others = |at: &ScopeId| !confined.contains(at);
            let wrong = |at: &&ScopeId| {
                let is_called = || does.iter().any(|(caller, one)| others(caller) && one.calls.contains(at));
                does[*at].calls.iter().any(others)
                    || self.shares_with_others(**at, does, &others)
                    || !self.may_be_passive(**at, &does[*at]) && is_called()
            };
            let lost: Vec<ScopeId> = confined.iter().filter(wrong).copied().collect();
            if lost.is_empty() {
                return confined;
            }
            confined.retain(|at| !lost.contains(at));
        }
    }

    fn unit_of(&self, scope: ScopeId) -> &'t Unit {
        let ScopeKind::Unit(unit) = self.names.scope(scope).kind else { unreachable!("a procedure with a body") };
        unit
    }

    fn does(&self, scope: ScopeId) -> Does {
        let unit = self.unit_of(scope);
        let mut does = Does { dummies: self.dummy_symbols(scope, unit), ..Does::default() };
        does.unclear = does.dummies.len() < unit.header.arguments.len();
        self.targets(scope, &unit.body, &mut does.written);
        for dummy in &does.dummies {
            if matches!(self.names.symbol(*dummy).intent, Some(Intent::Out | Intent::InOut)) {
                does.written.insert(*dummy);
            }
        }
        actions(&unit.body, &mut does);
        self.each(scope, &unit.body, &mut |this, here, node| match node {
            Node::Reference(reference) | Node::Callee(reference) => {
                let part = &reference.parts[0];
                does.named.extend(this.names.lookup(here, &part.name.name));
                match this.called(here, part) {
                    Called::Procedure(other) => {
                        does.calls.push(other);
                        does.passed.extend(this.passed_variables(here, other, reference));
                    }
                    Called::Unknown(Some(module)) if asks_processor(&module, &part.name.name) => {}
                    Called::Unknown(_) => {
                        let dummy = this.names.lookup(here, &part.name.name);
                        for other in dummy.and_then(|id| this.possible.get(&id)).into_iter().flatten() {
                            does.calls.push(*other);
                            does.passed.extend(this.passed_variables(here, *other, reference));
                        }
                        does.unclear = true;
                    }
                    Called::Entry => does.unclear = true,
                    Called::Intrinsic(_) | Called::Statement(..) | Called::Nothing => {}
                }
            }
            Node::Index(name) => does.named.extend(this.names.lookup(here, &name.name)),
            Node::Operator(_) | Node::Assigned(..) | Node::Enter(_) | Node::EnterArm(..) | Node::Leave => {}
        });
        does
    }

    /// The dummies of a procedure, those without a name left out.
    pub fn dummy_symbols(&self, scope: ScopeId, unit: &Unit) -> Vec<SymbolId> {
        let names = unit.header.arguments.iter().filter_map(|dummy| match dummy {
            Dummy::Name(name) => self.names.scope(scope).names.get(&name.name).copied(),
            Dummy::Label(_) => None,
        });
        names.collect()
    }

    /// Variables that a call passes, whole or in part, and the dummies that they go to.
    pub fn passed_variables(&self, here: ScopeId, callee: ScopeId, reference: &Reference) -> Vec<(SymbolId, SymbolId)> {
        let dummies = self.dummy_symbols(callee, self.unit_of(callee));
        let list = reference.parts[0].lists.first().map_or(&[][..], |list| list);
        let one = |(position, argument): (usize, &Argument)| {
            let dummy = *dummies.get(self.position_of(&dummies, position, argument)?)?;
            let ArgumentValue::Expr(value) = &argument.value else { return None };
            let name = &value.reference()?.parts[0].name.name;
            Some((self.names.lookup(here, name)?, dummy))
        };
        let is_passed = |argument: &&Argument| !matches!(argument.value, ArgumentValue::Label(_));
        list.iter().filter(is_passed).enumerate().filter_map(one).collect()
    }

    /// Texts that a call of a passive procedure passes to be written.
    pub fn passed_texts(&self, here: ScopeId, callee: ScopeId, reference: &Reference) -> Vec<SymbolId> {
        let written = &self.passive[&callee].written;
        let pairs = self.passed_variables(here, callee, reference).into_iter();
        pairs.filter(|(_, dummy)| written.contains(dummy)).map(|(variable, _)| variable).collect()
    }

    /// Which of these dummies an actual argument belongs to.
    pub fn position_of(&self, dummies: &[SymbolId], position: usize, argument: &Argument) -> Option<usize> {
        match &argument.keyword {
            None => (position < dummies.len()).then_some(position),
            Some(keyword) => dummies.iter().position(|dummy| self.names.symbol(*dummy).name == keyword.name),
        }
    }

    /// Whether the statements of a procedure show all that it does.
    fn may_be_confined(&self, scope: ScopeId, does: &Does) -> bool {
        let names = self.names;
        let is_of_procedure = names.scope(scope).host.is_some_and(|host| match names.scope(host).kind {
            ScopeKind::Unit(unit) => !matches!(unit.header.kind, UnitKind::Module),
            _ => true,
        });
        let in_common = does.named.iter().any(|id| names.symbol(*id).flags.in_common);
        !does.unclear && !is_of_procedure && !in_common
    }

    /// Whether arguments and result of a procedure show that nothing with a derivative leaves it.
    fn may_be_passive(&self, scope: ScopeId, does: &Does) -> bool {
        let names = self.names;
        let is_text = |id: &SymbolId| matches!(names.symbol_type(*id), Declared::Basic(Basic::Character, _));
        let is_number = |id: &SymbolId| matches!(names.symbol_type(*id), Declared::Basic(..));
        let is_real = |id: &SymbolId| !matches!(names.symbol_type(*id), Declared::Basic(basic, _) if basic != Basic::Real && basic != Basic::Complex);
        let fits = does.dummies.iter().all(|dummy| {
            let symbol = names.symbol(*dummy);
            is_number(dummy)
                && symbol.dims.is_none()
                && !symbol.flags.pointer
                && (is_text(dummy) || !does.written.contains(dummy))
        });
        let variables = does.named.iter().filter(|id| matches!(names.symbol(**id).class, scope::Class::Variable));
        let outside: Vec<&SymbolId> = variables.filter(|id| names.symbol(**id).scope != scope).collect();
        if !fits {
            return false;
        }
        match names.result_symbol(scope) {
            Some(result) => {
                let reads = does.dummies.iter().any(is_real) || outside.iter().any(|id| is_real(id));
                let scalar = names.bounds(result).is_none() && is_number(&result) && !is_text(&result);
                scalar && !(is_real(&result) && reads)
            }
            None => true,
        }
    }

    /// Whether a procedure has what no sweep computes with.
    fn must_be_passive(&self, scope: ScopeId, does: &Does) -> bool {
        let names = self.names;
        let is_text = |id: &SymbolId| matches!(names.symbol_type(*id), Declared::Basic(Basic::Character, _));
        let is_own = |id: &&SymbolId| {
            let symbol = names.symbol(**id);
            symbol.scope == scope && matches!(symbol.class, scope::Class::Variable)
        };
        let mut own = does.named.iter().filter(is_own);
        does.transfers
            || does.dummies.iter().any(is_text)
            || own.any(|id| {
                let keeps = names.is_saved(*id) && does.written.contains(id);
                keeps || is_text(id) || names.symbol(*id).flags.equivalenced
            })
    }

    /// Whether a procedure reads a variable from outside that others write, or writes one that others name.
    fn shares_with_others(
        &self,
        scope: ScopeId,
        does: &FxHashMap<ScopeId, Does>,
        others: &dyn Fn(&ScopeId) -> bool,
    ) -> bool {
        let own = &does[&scope];
        let is_outside = |id: &&SymbolId| {
            let symbol = self.names.symbol(**id);
            matches!(symbol.class, scope::Class::Variable) && symbol.scope != scope
        };
        own.named.iter().filter(is_outside).any(|id| {
            let writes = own.written.contains(id);
            does.iter().any(|(at, one)| others(at) && (one.written.contains(id) || writes && one.named.contains(id)))
        })
    }

    /// Whether the result of a function depends on more than its arguments. What it calls and gives nothing to write can
    /// change nothing of that.
    fn depends_on_state(&self, scope: ScopeId, does: &FxHashMap<ScopeId, Does>) -> bool {
        let (mut open, mut seen) = (vec![scope], FxHashSet::default());
        while let Some(at) = open.pop() {
            let one = &does[&at];
            let lasts = |id: &SymbolId| {
                let symbol = self.names.symbol(*id);
                let is_variable = matches!(symbol.class, scope::Class::Variable);
                is_variable && (symbol.scope != at || self.names.is_saved(*id))
            };
            let written = |id: &SymbolId| does.values().any(|other| other.written.contains(id));
            if one.asks || one.named.iter().any(|id| lasts(id) && written(id)) {
                return true;
            }
            let matters = |other: &&ScopeId| {
                let is_function = self.names.result_symbol(**other).is_some();
                is_function || does[*other].dummies.iter().any(|dummy| does[*other].written.contains(dummy))
            };
            open.extend(one.calls.iter().filter(matters).filter(|other| seen.insert(**other)));
        }
        false
    }

    /// Whether a passive function reads what these procedures write.
    fn is_heard(&self, all: &FxHashSet<ScopeId>, does: &FxHashMap<ScopeId, Does>, asked: &FxHashSet<ScopeId>) -> bool {
        let functions = asked.iter().filter(|at| self.names.result_symbol(**at).is_some());
        let read: FxHashSet<SymbolId> = functions.flat_map(|at| &does[at].named).copied().collect();
        let is_read = |at: &ScopeId, id: &SymbolId| self.names.symbol(*id).scope != *at && read.contains(id);
        all.iter().any(|at| does[at].written.iter().any(|id| is_read(at, id)))
    }
}

/// A procedure and all that it calls.
fn below(scope: ScopeId, does: &FxHashMap<ScopeId, Does>) -> FxHashSet<ScopeId> {
    let (mut open, mut seen) = (vec![scope], FxHashSet::default());
    while let Some(at) = open.pop() {
        if seen.insert(at) {
            open.extend(&does[&at].calls);
        }
    }
    seen
}

/// Adds what is written because a callee writes its dummy.
fn passed_on(does: &mut FxHashMap<ScopeId, Does>) {
    let mut written: FxHashSet<SymbolId> = does.values().flat_map(|one| &one.written).copied().collect();
    loop {
        let mut grown = false;
        for one in does.values_mut() {
            for (variable, dummy) in &one.passed {
                if written.contains(dummy) && one.written.insert(*variable) {
                    grown |= written.insert(*variable);
                }
            }
        }
        if !grown {
            return;
        }
    }
}

/// Notes what the actions of a block do.
fn actions(block: &[Statement], does: &mut Does) {
    for statement in block {
        match &statement.action {
            Action::Stop(stop) => does.stops |= stop.kind != StopKind::Pause,
            Action::Transfer(transfer) => {
                does.transfers = true;
                does.asks |= may_tell(transfer);
            }
            Action::PointTo(..) | Action::Nullify(_) | Action::Images(..) | Action::Unread => does.unclear = true,
            _ => {}
        }
        super::jumps::blocks(&statement.action).into_iter().for_each(|inner| actions(inner, does));
    }
}

/// Whether a statement of input or output may change what the program computes.
fn may_tell(transfer: &Transfer) -> bool {
    let writes = matches!(transfer.kind, TransferKind::Write | TransferKind::Print | TransferKind::Flush);
    let is_output = |keyword: &Ident| matches!(&*keyword.name, "unit" | "fmt" | "advance" | "rec" | "nml");
    !writes || transfer.controls.iter().filter_map(|control| control.keyword.as_ref()).any(|key| !is_output(key))
}

/// Whether a function of a compiler's module says something of the processor, or of a number.
fn asks_processor(module: &str, function: &str) -> bool {
    module == "ieee_arithmetic" && ["ieee_support_", "ieee_is_"].iter().any(|begin| function.starts_with(begin))
}
