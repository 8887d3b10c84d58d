//! Derived types, interfaces and generic names. A generic may share its name with a type, whose constructors it adds to,
//! or with one of its procedures.

use super::names::visibility;
use super::program::{Class, Program, ScopeId, ScopeKind, Specific, SymbolId};
use crate::source::Span;
use crate::tree::declaration::{Body, DeclarationKind, DerivedType, Interface, InterfaceItem};
use crate::tree::expression::Ident;
use crate::tree::header::{Prefix, UnitKind};

impl<'t> Program<'t> {
    /// The procedure of a submodule that an interface body of its module describes: one with a whole header.
    pub fn submodule_body(&self, interface: ScopeId) -> Option<ScopeId> {
        let header = self.header(interface).filter(|header| header.prefixes.contains(&Prefix::Module))?;
        let name = &header.name.as_ref()?.name;
        let module = self.scope(interface).host?;
        let is_it = |scope: &ScopeId| {
            let is_procedure = match self.scope(*scope).kind {
                ScopeKind::Unit(unit) => matches!(unit.header.kind, UnitKind::Subroutine | UnitKind::Function),
                _ => false,
            };
            let is_named = self.header(*scope).and_then(|own| own.name.as_ref()).is_some_and(|own| own.name == *name);
            let mut hosts = std::iter::successors(self.scope(*scope).host, |host| self.scope(*host).host);
            is_procedure && is_named && hosts.any(|host| host == module)
        };
        (0..self.scopes.len()).map(|at| ScopeId(at as u32)).find(is_it)
    }

    /// The symbol of a procedure. One that shares its name with a generic is found by [`Program::specific`].
    pub(super) fn declare_procedure(&mut self, scope: ScopeId, name: &Ident) -> SymbolId {
        let symbol = self.declare(scope, name);
        if !matches!(self.symbol(symbol).class, Class::Generic(_)) {
            return symbol;
        }
        let own = self.add_symbol(scope, &name.name, name.span, Class::Variable);
        self.scope_mut(scope).operators.insert(specific_key(&name.name), own);
        own
    }

    /// The procedure that a specific name of a generic stands for.
    pub fn specific(&self, specific: &Specific) -> Option<SymbolId> {
        let own = self.scope(specific.scope).operators.get(&specific_key(&specific.name.name)).copied();
        own.or_else(|| self.lookup(specific.scope, &specific.name.name))
    }

    pub(super) fn add_derived(&mut self, scope: ScopeId, derived: &'t DerivedType) {
        let mut symbol = self.declare(scope, &derived.name);
        if matches!(self.symbol(symbol).class, Class::Generic(_)) {
            // A generic of that name has constructors of the user's own.
            self.scope_mut(scope).operators.insert(derived.name.name.clone(), symbol);
            symbol = self.add_symbol(scope, &derived.name.name, derived.name.span, Class::Variable);
            self.scope_mut(scope).names.insert(derived.name.name.clone(), symbol);
        }
        self.symbol_mut(symbol).class = Class::Derived(derived);
        if let Some(access) = derived.attributes.iter().find_map(visibility) {
            self.scope_mut(scope).access.named.insert(derived.name.name.clone(), access);
        }
    }

    pub(super) fn add_interface(&mut self, scope: ScopeId, interface: &'t Interface) {
        let mut specifics = Vec::new();
        for item in &interface.items {
            match item {
                InterfaceItem::Body(body) => self.add_body(scope, body, interface, &mut specifics),
                InterfaceItem::Procedures(_, names) => {
                    specifics.extend(names.iter().map(|name| Specific { name, scope }));
                }
                InterfaceItem::Directive(..) | InterfaceItem::Unread => {}
            }
        }
        let Some(name) = &interface.name else { return };
        let (is_name, key) = Program::generic_key(name);
        let known = self.scope(scope).names.get(&key).copied().filter(|_| is_name);
        let shared = known.map(|known| &self.symbol(known).class);
        let is_name = is_name && !matches!(shared, Some(Class::Derived(_)));
        if let (true, Some(known), Some(Class::Procedure(_))) = (is_name, known, shared) {
            self.scope_mut(scope).operators.insert(specific_key(&key), known);
            self.scope_mut(scope).names.remove(&key);
        }
        let names = if is_name { &self.scope(scope).names } else { &self.scope(scope).operators };
        if let Some(known) = names.get(&key).copied() {
            match &mut self.symbol_mut(known).class {
                Class::Generic(before) => before.extend(specifics),
                // Its access was declared before.
                class => *class = Class::Generic(specifics),
            }
            return;
        }
        let symbol = self.add_symbol(scope, &key, Span::default(), Class::Generic(specifics));
        let scope = self.scope_mut(scope);
        let names = if is_name { &mut scope.names } else { &mut scope.operators };
        names.insert(key, symbol);
    }

    /// Gives separate module procedures the arguments and results of their interfaces.
    pub(super) fn take_interfaces(&mut self) {
        for scope in (0..u32::try_from(self.scopes.len()).expect("fewer scopes than that")).map(ScopeId) {
            let Some(header) = self.header(scope).filter(|header| matches!(header.kind, UnitKind::ModuleProcedure))
            else {
                continue;
            };
            let above = self.scope(scope).host.and_then(|host| self.scope(host).host);
            let declared = above.zip(header.name.as_ref()).and_then(|(above, name)| self.lookup(above, &name.name));
            let interface = self.interfaces.get(&scope).copied().or_else(|| match self.symbol(declared?).class {
                Class::Procedure(interface) => Some(interface),
                _ => None,
            });
            let Some(interface) = interface else { continue };
            self.interfaces.insert(scope, interface);
            let names = self.scope(interface).names.clone();
            for (name, symbol) in names {
                self.scope_mut(scope).names.entry(name).or_insert(symbol);
            }
        }
    }

    /// The interface of a separate module procedure.
    pub fn interface_of(&self, procedure: ScopeId) -> Option<ScopeId> {
        self.interfaces.get(&procedure).copied()
    }

    fn add_body(&mut self, scope: ScopeId, body: &'t Body, interface: &Interface, specifics: &mut Vec<Specific<'t>>) {
        let file = self.scope(scope).file;
        let inner = self.add_scope(ScopeKind::Body(body), file, Some(scope), std::ptr::from_ref(body).addr());
        // IMPORT first: it decides which names the other declarations see.
        if let Some(import) = body.declarations.iter().find_map(|declaration| match &declaration.kind {
            DeclarationKind::Import(import) => Some(import),
            _ => None,
        }) {
            self.scope_mut(inner).import = Some(import);
        }
        self.add_header(inner, &body.header);
        self.add_declarations(inner, &body.declarations);
        let Some(name) = &body.header.name else { return };
        let symbol = self.declare_procedure(scope, name);
        let is_dummy = self.symbol(symbol).flags.dummy;
        self.symbol_mut(symbol).class = Class::Procedure(inner);
        self.symbol_mut(symbol).flags.external = is_dummy || !interface.is_abstract;
        specifics.push(Specific { name, scope });
    }
}

/// The key of a procedure that shares its name with a generic.
fn specific_key(name: &str) -> Box<str> {
    format!("specific {name}").into()
}
