//! Procedures as arguments. What a call passes is known, so each procedure that takes some is read once for each choice:
//!
//! ```text
//!   call integrate(density, 0d0, 1d0, s)      integrate for f = density: f(x) there calls density
//! ```
//!
//! A procedure inside of another one brings the variables of that one along, as it does where it is called.

use super::state::{Bound, Called, Lower, Procedure, Reader, Result};
use crate::refuse::Class;
use adtape_fortran::scope::intrinsic::intrinsic;
use adtape_fortran::scope::program::{self as scope, ScopeId, ScopeKind, SymbolId};
use adtape_fortran::tree::expression::{ArgumentValue, Ident, Part, Reference};
use adtape_fortran::tree::walk::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Whether a reference may be a call: a function without parentheses is passed.
pub fn may_call(node: &Node) -> bool {
    match node {
        Node::Callee(_) => true,
        Node::Reference(reference) => reference.parts.iter().any(|part| !part.lists.is_empty()),
        Node::Operator(_) | Node::Assigned(..) | Node::Index(_) => false,
        Node::Enter(_) | Node::EnterArm(..) | Node::Leave => false,
    }
}

impl<'t> Reader<'t> {
    /// Whether a symbol is a dummy that stands for a procedure.
    pub fn is_procedure_dummy(&self, id: SymbolId) -> bool {
        let symbol = self.names.symbol(id);
        let is_procedure = match symbol.class {
            scope::Class::External(_) => true,
            // An interface body says what it is like.
            scope::Class::Procedure(inner) => !matches!(self.names.scope(inner).kind, ScopeKind::Unit(_)),
            _ => false,
        };
        symbol.flags.dummy && !symbol.flags.pointer && is_procedure
    }

    /// What a reference in a procedure calls.
    pub fn called_in(&self, procedure: &Procedure, here: ScopeId, part: &Part) -> Called<'t> {
        let dummy = self.names.lookup(here, &part.name.name).filter(|id| self.is_procedure_dummy(*id));
        match dummy.and_then(|id| procedure.bound.get(&id)) {
            Some(Bound::Procedure(scope)) => Called::Procedure(*scope),
            Some(Bound::Intrinsic(name)) => Called::Intrinsic(name.clone()),
            None => self.called(here, part),
        }
    }

    /// The procedure that an actual argument is.
    fn passed_procedure(&self, caller: &BTreeMap<SymbolId, Bound>, here: ScopeId, name: &Ident) -> Option<Bound> {
        let names = self.names;
        let Some(id) = names.lookup(here, &name.name) else {
            return names.external(&name.name).map(Bound::Procedure);
        };
        let symbol = names.symbol(id);
        match &symbol.class {
            _ if self.is_procedure_dummy(id) => caller.get(&id).cloned(),
            scope::Class::External(_) => names.external(&symbol.name).map(Bound::Procedure),
            scope::Class::Procedure(inner) => match names.scope(*inner).kind {
                ScopeKind::Unit(_) => Some(Bound::Procedure(*inner)),
                _ => names.external(&symbol.name).map(Bound::Procedure),
            },
            scope::Class::Intrinsic => intrinsic(&symbol.name).map(|_| Bound::Intrinsic(symbol.name.clone())),
            _ => None,
        }
    }

    /// The procedures that contain another one.
    fn procedures_around(&self, scope: ScopeId) -> Vec<ScopeId> {
        let hosts = std::iter::successors(self.names.scope(scope).host, |host| self.names.scope(*host).host);
        hosts.filter(|host| self.procedure_name(*host).is_some()).collect()
    }

    /// The procedures that a call passes, with those that the caller got as far as a procedure inside of it needs them.
    pub fn bound_by(
        &self,
        caller: &BTreeMap<SymbolId, Bound>,
        here: ScopeId,
        callee: ScopeId,
        reference: &Reference,
    ) -> BTreeMap<SymbolId, Bound> {
        let mut bound = BTreeMap::new();
        let ScopeKind::Unit(unit) = self.names.scope(callee).kind else { return bound };
        let dummies = self.dummy_symbols(callee, unit);
        let list = reference.parts[0].lists.first().map_or(&[][..], |list| list);
        for (position, argument) in list.iter().enumerate() {
            let dummy = self.position_of(&dummies, position, argument).map(|at| dummies[at]);
            if let Some(dummy) = dummy.filter(|dummy| self.is_procedure_dummy(*dummy))
                && let ArgumentValue::Expr(value) = &argument.value
                && let Some(name) = value.name()
                && let Some(passed) = self.passed_procedure(caller, here, name)
            {
                bound.insert(dummy, passed);
            }
        }
        // A procedure inside of another one may call what that one got.
        let mut around = self.procedures_around(callee);
        loop {
            let passed = bound.values().filter_map(|passed| match passed {
                Bound::Procedure(scope) => Some(self.procedures_around(*scope)),
                Bound::Intrinsic(_) => None,
            });
            around.extend(passed.flatten().collect::<Vec<_>>());
            let more = caller
                .iter()
                .filter(|(dummy, _)| around.contains(&self.names.symbol(**dummy).scope) && !bound.contains_key(*dummy));
            let more: Vec<_> = more.map(|(dummy, passed)| (*dummy, passed.clone())).collect();
            if more.is_empty() {
                return bound;
            }
            bound.extend(more);
        }
    }

    /// Refuses a procedure that gets one that is inside of it: which of its calls the variables belong to is not known.
    pub fn refuse_own_inside(&mut self, scope: ScopeId, bound: &BTreeMap<SymbolId, Bound>) {
        let is_own = |bound: &&Bound| matches!(bound, Bound::Procedure(inner) if self.procedures_around(*inner).contains(&scope));
        if bound.values().find(is_own).is_none() {
            return;
        }
        let ScopeKind::Unit(unit) = self.names.scope(scope).kind else { return };
        let name = unit.header.name.as_ref().map(|name| name.name.to_string()).unwrap_or_default();
        let span = self.texts.span(self.names.scope(scope).file, unit.header.span);
        let what = format!("'{name}' gets a procedure that is inside of it, and whose variables another call has");
        self.refuse(span, Class::Control, what, "put that procedure into a module, and pass it what it names");
    }

    /// The procedures that calls anywhere pass to each dummy procedure, directly or through others.
    pub fn find_possible(&mut self) {
        let mut possible: FxHashMap<SymbolId, BTreeSet<ScopeId>> = FxHashMap::default();
        let mut handed: FxHashSet<(SymbolId, SymbolId)> = FxHashSet::default();
        let procedures = (0..self.names.scopes.len()).map(|at| ScopeId(at as u32));
        for scope in procedures.filter(|scope| self.procedure_name(*scope).is_some()) {
            let ScopeKind::Unit(unit) = self.names.scope(scope).kind else { continue };
            self.each(scope, &unit.body, &mut |this, here, node| {
                if let Node::Reference(reference) | Node::Callee(reference) = node {
                    this.note_passed(here, reference, &mut possible, &mut handed);
                }
            });
        }
        loop {
            let mut grown = false;
            for (from, to) in &handed {
                let more = possible.get(from).cloned().unwrap_or_default();
                let known = possible.entry(*to).or_default();
                let before = known.len();
                known.extend(more);
                grown |= known.len() > before;
            }
            if !grown {
                break;
            }
        }
        self.possible = possible;
    }

    /// Notes which procedures a call passes to which dummies, and which dummies it hands on.
    fn note_passed(
        &self,
        here: ScopeId,
        reference: &Reference,
        possible: &mut FxHashMap<SymbolId, BTreeSet<ScopeId>>,
        handed: &mut FxHashSet<(SymbolId, SymbolId)>,
    ) {
        let Called::Procedure(callee) = self.called(here, &reference.parts[0]) else { return };
        let ScopeKind::Unit(unit) = self.names.scope(callee).kind else { return };
        let dummies = self.dummy_symbols(callee, unit);
        let list = reference.parts[0].lists.first().map_or(&[][..], |list| list);
        for (position, argument) in list.iter().enumerate() {
            let dummy = self.position_of(&dummies, position, argument).map(|at| dummies[at]);
            let Some(dummy) = dummy.filter(|dummy| self.is_procedure_dummy(*dummy)) else { continue };
            let ArgumentValue::Expr(value) = &argument.value else { continue };
            let Some(name) = value.name() else { continue };
            let own = self.names.lookup(here, &name.name).filter(|id| self.is_procedure_dummy(*id));
            match (own, self.passed_procedure(&BTreeMap::new(), here, name)) {
                (Some(own), _) => drop(handed.insert((own, dummy))),
                (None, Some(Bound::Procedure(passed))) => drop(possible.entry(dummy).or_default().insert(passed)),
                (None, _) => {}
            }
        }
    }
}

impl<'t> Lower<'_, 't> {
    /// What a reference calls here.
    pub fn called(&self, part: &Part) -> Called<'t> {
        self.reader.called_in(&self.reader.reached[self.id.index()], self.scope, part)
    }

    /// What is said of a dummy procedure that no call gives a meaning.
    pub fn no_procedure<T>(&mut self, name: &Ident) -> Result<T> {
        let what = format!("'{}' is an argument, and no call says which procedure it is", name.name);
        let help = "make a head of a procedure that calls this one and passes a procedure by its name";
        self.refuse(name.span, Class::Control, what, help)
    }
}
