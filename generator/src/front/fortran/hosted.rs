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
                    let scope = self.reached[at].scope;
                    let more = hosted[callee.index()].iter().filter(|id| self.names.symbol(**id).scope != scope);
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
        let (scope, unit) = (self.reached[id.index()].scope, self.reached[id.index()].unit);
        let mut named: FxHashSet<SymbolId> = self.reached[id.index()].named.clone();
        for declared in &unit.declarations {
            walk::declaration(declared, &mut |node| self.note(scope, &node, &mut named));
        }
        let mut found = BTreeSet::new();
        let mut open: Vec<SymbolId> = named.into_iter().filter(|id| self.is_of_host(*id, scope)).collect();
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
            open.extend(named.into_iter().filter(|id| self.is_of_host(*id, scope)));
        }
        found
    }

    fn note(&self, scope: ScopeId, node: &Node, named: &mut FxHashSet<SymbolId>) {
        if let Node::Reference(reference) = node {
            named.extend(self.names.lookup(scope, &reference.parts[0].name.name));
        }
    }

    /// Whether a symbol is a variable of a procedure around this one.
    fn is_of_host(&self, id: SymbolId, own: ScopeId) -> bool {
        let symbol = self.names.symbol(id);
        let is_procedure = match self.names.scope(symbol.scope).kind {
            ScopeKind::Unit(unit) => matches!(unit.header.kind, UnitKind::Subroutine | UnitKind::Function),
            _ => false,
        };
        let is_variable = matches!(symbol.class, scope::Class::Variable);
        let is_text = matches!(self.names.symbol_type(id), Declared::Basic(scope::Basic::Character, _));
        symbol.scope != own && is_procedure && is_variable && !is_text && !symbol.flags.in_common
    }
}
