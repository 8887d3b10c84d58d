//! Variables of a procedure that the procedures inside of it name: arguments that each call passes on.

use super::state::{From, Passed, Reader};
use crate::ir::{DummyKind, ProcId};
use adtape_fortran::scope::program::{self as scope, ScopeId, ScopeKind, SymbolId, Type as Declared};
use adtape_fortran::scope::shapes::Upper;
use adtape_fortran::tree::expression::Expr as Written;
use adtape_fortran::tree::header::UnitKind;
use adtape_fortran::tree::walk::{self, Node};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

impl<'t> Reader<'t> {
    /// Gives procedures inside of others what they name of those as arguments, behind all others.
    pub fn find_hosted(&mut self) {
        let mut hosted: Vec<BTreeSet<SymbolId>> =
            (0..self.reached.len()).map(|at| self.named_of_hosts(ProcId::new(at))).collect();
        loop {
            let mut grown = false;
            for at in 0..hosted.len() {
                for callee in self.reached[at].calls.clone() {
                    let more = hosted[callee.index()].iter().filter(|id| !self.lives_in(at, **id));
                    let more: Vec<SymbolId> = more.copied().collect();
                    let before = hosted[at].len();
                    hosted[at].extend(more);
                    grown |= hosted[at].len() > before;
                }
            }
            if !grown {
                break;
            }
        }
        for (at, symbols) in hosted.into_iter().enumerate() {
            for symbol in symbols {
                let declared = self.names.symbol(symbol);
                let is_derived = matches!(self.names.symbol_type(symbol), Declared::Derived(_));
                let kind = match declared.dims {
                    Some(_) => DummyKind::Array,
                    None if is_derived => DummyKind::Scalar,
                    None => DummyKind::Value,
                };
                self.reached[at].dummies.push(Passed { symbol, kind, from: From::Host });
                // They live as long as the procedure that declares them runs.
                for host in self.reached.iter_mut().filter(|other| other.scope == declared.scope) {
                    host.named.insert(symbol);
                }
            }
        }
    }

    /// What a procedure names of the procedures around it, and what the bounds of that name.
    fn named_of_hosts(&self, id: ProcId) -> BTreeSet<SymbolId> {
        let mut named: FxHashSet<SymbolId> = self.reached[id.index()].named.clone();
        for (scope, unit) in self.reached[id.index()].bodies(self.names) {
            for declared in &unit.declarations {
                walk::declaration(declared, &mut |node| self.note(scope, &node, &mut named));
            }
        }
        let at = id.index();
        let mut found = BTreeSet::new();
        let mut open: Vec<SymbolId> = named.into_iter().filter(|id| self.is_of_host(*id, at)).collect();
        while let Some(symbol) = open.pop() {
            if !found.insert(symbol) {
                continue;
            }
            let mut named = FxHashSet::default();
            for bound in self.names.bounds(symbol).unwrap_or_default() {
                let upper = match bound.upper {
                    Upper::Expr(upper) => Some(upper),
                    Upper::Star | Upper::Assumed | Upper::Deferred => None,
                };
                let all: Vec<&'t Written> = bound.lower.into_iter().chain(upper).collect();
                all.into_iter().for_each(|e| walk::expr(e, &mut |node| self.note(bound.scope, &node, &mut named)));
            }
            open.extend(named.into_iter().filter(|id| self.is_of_host(*id, at)));
        }
        found
    }

    fn note(&self, scope: ScopeId, node: &Node, named: &mut FxHashSet<SymbolId>) {
        if let Node::Reference(reference) = node {
            named.extend(self.names.lookup(scope, &reference.parts[0].name.name));
        }
    }

    /// Whether a variable is one of this procedure, or of a module and allocated in its calls.
    fn lives_in(&self, at: usize, id: SymbolId) -> bool {
        let procedure = &self.reached[at];
        let scope = self.names.symbol(id).scope;
        let is_own = scope == procedure.scope || procedure.written_out.contains(&scope);
        is_own || self.makers.moving.contains(&id) && self.makers.heads.contains(&procedure.scope)
    }

    /// Whether a symbol is a variable of a procedure around this one, or of a module and the head allocates it.
    fn is_of_host(&self, id: SymbolId, at: usize) -> bool {
        let symbol = self.names.symbol(id);
        let is_procedure = match self.names.scope(symbol.scope).kind {
            ScopeKind::Unit(unit) => matches!(unit.header.kind, UnitKind::Subroutine | UnitKind::Function),
            _ => false,
        };
        let is_variable = matches!(symbol.class, scope::Class::Variable);
        let is_text = matches!(self.names.symbol_type(id), Declared::Basic(scope::Basic::Character, _));
        let is_procedure = is_procedure || self.makers.moving.contains(&id);
        !self.lives_in(at, id) && is_procedure && is_variable && !is_text && !symbol.flags.in_common
    }
}
