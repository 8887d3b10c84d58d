//! Names without a declaration, and what references make of declared ones.
//!
//! A name that no declaration, no module and no host knows is a variable typed by its first letter, or a procedure if it
//! is called. With IMPLICIT NONE it is reported, unless a module without source may declare it.

use super::intrinsic::{ResultType, intrinsic};
use super::program::{Class, Implicit, Program, ScopeId, SymbolId};
use crate::tree::expression::{Argument, ArgumentValue, Base, Ident, Reference, TypeSpec};
use crate::tree::statement::{Action, Control, Guard, Indices, Select, SelectArm, Statement};
use crate::tree::unit::Unit;
use crate::tree::walk::{self, Node};

/// How a name is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// By itself or as a variable.
    Plain,
    /// With parentheses behind it.
    Function,
    /// By CALL.
    Subroutine,
}

impl<'t> Program<'t> {
    /// Adds the names that a unit uses without declaring them, then those of the units in it.
    pub(super) fn add_undeclared(&mut self, unit: &'t Unit) {
        let Some(scope) = self.scope_of(unit) else { return };
        self.add_statement_functions(scope, unit);
        let mut nodes = Vec::new();
        unit.declarations.iter().for_each(|declared| walk::declaration(declared, &mut |node| nodes.push(node)));
        walk::block(&unit.body, &mut |node| nodes.push(node));
        let mut scopes = vec![scope];
        for node in nodes {
            let here = *scopes.last().expect("the unit's own");
            match node {
                Node::Enter(statement) => {
                    let inner = self.add_construct(statement, here);
                    self.declare_in_construct(inner, statement);
                    scopes.push(inner);
                }
                Node::EnterArm(select, arm) => {
                    let inner = self.add_construct(arm, here);
                    self.declare_in_arm(inner, select, arm);
                    scopes.push(inner);
                }
                Node::Leave => drop(scopes.pop()),
                Node::Operator(_) | Node::Assigned(..) => {}
                Node::Index(name) => self.add_name(scope, here, name, Use::Plain),
                Node::Callee(callee) if callee.parts.len() == 1 => {
                    self.add_name(scope, here, &callee.parts[0].name, Use::Subroutine);
                }
                Node::Reference(reference) | Node::Callee(reference) => self.add_reference(scope, here, reference),
            }
        }
        self.report_untyped(scope);
        unit.contained.iter().for_each(|contained| self.add_undeclared(contained));
    }

    /// Reports names that are declared without a type where IMPLICIT NONE gives them none.
    fn report_untyped(&mut self, scope: ScopeId) {
        let is_untyped = |id: &SymbolId| {
            let symbol = self.symbol(*id);
            let is_value = matches!(symbol.class, Class::Variable | Class::Constant);
            let is_own = symbol.scope == scope && symbol.spec.is_none() && !symbol.is_implicit;
            is_value && is_own && self.implicit_spec(scope, &symbol.name).is_none()
        };
        let mut untyped: Vec<SymbolId> = self.scope(scope).names.values().copied().filter(is_untyped).collect();
        untyped.sort_by_key(|id| self.symbol(*id).span.from);
        for id in untyped {
            let symbol = self.symbol(id);
            let (span, text) = (symbol.span, format!("{} has no type: declare it", symbol.name));
            self.report(scope, span, text);
        }
    }

    fn declare_in_construct(&mut self, scope: ScopeId, statement: &'t Statement) {
        match &statement.action {
            Action::Block(declarations, _) => self.add_declarations(scope, declarations),
            Action::Associate(pairs, _) => {
                for (name, value) in pairs {
                    let symbol = self.declare(scope, name);
                    self.symbol_mut(symbol).class = Class::Associated(value);
                }
            }
            Action::Select(select) => {
                let Some(name) = &select.name else { return };
                let symbol = self.declare(scope, name);
                self.symbol_mut(symbol).class = Class::Associated(&select.selector);
            }
            Action::Forall(indices, _) | Action::ForallAction(indices, _) => self.declare_indices(scope, indices),
            Action::Do(looped) => {
                if let Control::Concurrent(indices, _) = &looped.control {
                    self.declare_indices(scope, indices);
                }
            }
            _ => {}
        }
    }

    /// The selector's name stands for it as one of the guard's type.
    fn declare_in_arm(&mut self, scope: ScopeId, select: &'t Select, arm: &'t SelectArm) {
        let (Guard::TypeIs(spec) | Guard::ClassIs(spec)) = &arm.guard else { return };
        let Some(name) = select.name.as_ref().or_else(|| select.selector.name()) else { return };
        let symbol = self.declare(scope, name);
        let symbol = self.symbol_mut(symbol);
        symbol.class = Class::Associated(&select.selector);
        symbol.spec = Some(spec);
    }

    fn declare_indices(&mut self, scope: ScopeId, indices: &'t Indices) {
        for (name, ..) in &indices.indices {
            let symbol = self.declare(scope, name);
            self.symbol_mut(symbol).spec = indices.spec.as_ref();
        }
    }

    fn add_reference(&mut self, unit: ScopeId, here: ScopeId, reference: &Reference) {
        let part = &reference.parts[0];
        let called = reference.parts.len() == 1 && part.lists.first().is_some_and(|list| may_be_call(list));
        self.add_name(unit, here, &part.name, if called { Use::Function } else { Use::Plain });
    }

    fn add_name(&mut self, unit: ScopeId, here: ScopeId, name: &Ident, used: Use) {
        let Some(known) = self.lookup(here, &name.name) else {
            self.add_unknown(unit, name, used);
            return;
        };
        if used != Use::Plain {
            self.call(unit, known, used);
        }
    }

    /// A declared scalar that is called is a procedure.
    fn call(&mut self, unit: ScopeId, id: SymbolId, used: Use) {
        let symbol = self.symbol(id);
        let is_scalar = symbol.dims.is_none() && !symbol.flags.result && !symbol.flags.in_common;
        let is_own = matches!(symbol.class, Class::Variable) && symbol.scope == unit && is_scalar;
        if !is_own {
            return;
        }
        let known = intrinsic(&symbol.name).filter(|_| used == Use::Function && !symbol.flags.dummy);
        self.symbol_mut(id).class = if known.is_some() { Class::Intrinsic } else { Class::External(None) };
    }

    fn add_unknown(&mut self, unit: ScopeId, name: &Ident, used: Use) {
        let opaque = self.opaque_module(unit);
        // `call merge(…)` calls no function.
        let is_intrinsic = intrinsic(&name.name).is_some_and(|known| match used {
            Use::Plain => false,
            Use::Function => known.result != ResultType::None,
            Use::Subroutine => known.result == ResultType::None,
        });
        let class = match (used, opaque) {
            _ if is_intrinsic => Class::Intrinsic,
            (_, Some(module)) => Class::Opaque(module),
            (Use::Plain, None) => Class::Variable,
            (Use::Function | Use::Subroutine, None) => Class::External(None),
        };
        let untyped =
            matches!(class, Class::Variable) || (used == Use::Function && matches!(class, Class::External(_)));
        if untyped && self.implicit_spec(unit, &name.name).is_none() {
            let text = format!("{} has no type: declare it, or give the module that does", name.name);
            self.report(unit, name.span, text);
        }
        let symbol = self.declare(unit, name);
        let symbol = self.symbol_mut(symbol);
        symbol.class = class;
        symbol.is_implicit = true;
    }

    /// A module without source whose names a scope or its hosts may have.
    pub(super) fn opaque_module(&self, scope: ScopeId) -> Option<Box<str>> {
        let mut at = Some(scope);
        while let Some(scope) = at {
            if let Some(module) = self.scope(scope).opaque.first() {
                return Some(module.name.clone());
            }
            at = self.scope(scope).host;
        }
        None
    }

    /// The rules that hold in a scope, and the scope that has them.
    pub(super) fn implicit(&self, scope: ScopeId) -> Option<(&Implicit<'t>, ScopeId)> {
        let mut at = scope;
        loop {
            let here = self.scope(at);
            match &here.implicit {
                Some(implicit) => return Some((implicit, at)),
                None => at = here.host?,
            }
        }
    }

    /// The type that a name's first letter gives it in a scope; none under IMPLICIT NONE.
    pub(super) fn implicit_spec(&self, scope: ScopeId, name: &str) -> Option<Implied<'t>> {
        let (implicit, at) = self.implicit(scope)?;
        let letter = name.bytes().next().filter(u8::is_ascii_lowercase)?;
        if let Some(spec) = implicit.letters[usize::from(letter - b'a')] {
            return Some(Implied::Spec(spec, at));
        }
        let base = if matches!(letter, b'i'..=b'n') { Base::Integer } else { Base::Real };
        (!implicit.none).then_some(Implied::Base(base))
    }

    /// Finds statement functions among the first actions: assignments to a name with names in parentheses that is no
    /// array. The parser could not tell where a host or a module may declare the name.
    fn add_statement_functions(&mut self, scope: ScopeId, unit: &'t Unit) {
        for statement in &unit.body {
            let (target, value) = match &statement.action {
                Action::Assign(target, value) => (target, value),
                Action::Declaration(_) => continue,
                _ => return,
            };
            let Some(parameters) = parameters(target) else { return };
            let name = &target.parts[0].name;
            let is_function = match self.lookup(scope, &name.name) {
                Some(id) => {
                    let symbol = self.symbol(id);
                    let is_character = matches!(symbol.spec, Some(TypeSpec::Character(..)));
                    matches!(symbol.class, Class::Variable) && symbol.dims.is_none() && !is_character
                }
                None => self.opaque_module(scope).is_none(),
            };
            if !is_function {
                return;
            }
            let symbol = self.declare(scope, name);
            self.symbol_mut(symbol).class = Class::StatementFunction(parameters, value);
        }
    }
}

/// The type of a name without a declaration.
#[derive(Clone, Copy)]
pub enum Implied<'t> {
    /// The type of an IMPLICIT statement, in the scope that has it.
    Spec(&'t TypeSpec, ScopeId),
    /// Fortran's own rule.
    Base(Base),
}

/// Whether a list may be that of a call: no sections.
fn may_be_call(list: &[Argument]) -> bool {
    !list.iter().any(|argument| matches!(argument.value, ArgumentValue::Section(_)))
}

/// The arguments of what may be a statement function: names only.
fn parameters(target: &Reference) -> Option<Vec<&Ident>> {
    let [part] = target.parts.as_slice() else { return None };
    let [list] = part.lists.as_slice() else { return None };
    list.iter().map(argument_name).collect()
}

fn argument_name(argument: &Argument) -> Option<&Ident> {
    match &argument.value {
        ArgumentValue::Expr(value) if argument.keyword.is_none() => value.name(),
        _ => None,
    }
}
