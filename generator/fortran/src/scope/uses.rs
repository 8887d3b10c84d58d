//! USE: names of modules, renamed or not; modules without source are opaque.

use super::intrinsic::{Export, intrinsic_module};
use super::program::{Class, Program, ScopeId, ScopeKind, SymbolId};
use crate::source::Span;
use crate::tree::declaration::{Declaration, DeclarationKind, GenericName, Use};
use crate::tree::header::UnitKind;
use rustc_hash::{FxHashMap, FxHashSet};

impl<'t> Program<'t> {
    /// Brings the names of modules to every scope that uses them. Modules come before their users.
    pub(super) fn resolve_uses(&mut self) {
        let mut done = FxHashSet::default();
        for scope in 0..u32::try_from(self.scopes.len()).expect("fewer scopes than that") {
            self.resolve_scope(ScopeId(scope), &mut done, &mut Vec::new());
        }
    }

    fn resolve_scope(&mut self, scope: ScopeId, done: &mut FxHashSet<ScopeId>, open: &mut Vec<ScopeId>) {
        if done.contains(&scope) || open.contains(&scope) {
            return;
        }
        open.push(scope);
        self.set_submodule_host(scope);
        for module_use in uses(self.declarations(scope)) {
            if let Some(module) = self.module(&module_use.module.name) {
                self.resolve_scope(module, done, open);
            }
            self.resolve_use(scope, module_use);
        }
        open.pop();
        done.insert(scope);
    }

    /// The declarations of a unit or an interface body.
    pub(super) fn declarations(&self, scope: ScopeId) -> &'t [Declaration] {
        match self.scope(scope).kind {
            ScopeKind::Unit(unit) => &unit.declarations,
            ScopeKind::Body(body) => &body.declarations,
            ScopeKind::Construct => &[],
        }
    }

    /// A submodule's host is its parent.
    fn set_submodule_host(&mut self, scope: ScopeId) {
        let Some(header) = self.header(scope) else { return };
        let UnitKind::Submodule(module, above) = &header.kind else { return };
        let host = match above {
            Some(above) => self.modules.get(&*format!("{}:{}", module.name, above.name)).copied(),
            None => self.module(&module.name),
        };
        match host {
            Some(host) => {
                self.scope_mut(scope).host = Some(host);
                self.scope_mut(scope).implicit = None;
            }
            None => self.scope_mut(scope).opaque.push(module),
        }
    }

    /// Takes the names of a USE statement over.
    pub(super) fn resolve_use(&mut self, scope: ScopeId, module_use: &'t Use) {
        let name = &module_use.module;
        let exported = match (self.module(&name.name), intrinsic_module(&name.name)) {
            (Some(module), _) if module_use.intrinsic != Some(true) => Some(self.exported(module)),
            (_, Some(exports)) if module_use.intrinsic != Some(false) => {
                Some(self.intrinsic_exports(scope, &name.name, exports))
            }
            _ => None,
        };
        let Some(exported) = exported else {
            self.use_opaque(scope, module_use);
            return;
        };
        let renamed = |key: &(bool, Box<str>)| {
            let original = |item: &(GenericName, Option<GenericName>)| item.1.as_ref().map(Program::generic_key);
            module_use.items.iter().any(|item| original(item).as_ref() == Some(key))
        };
        if !module_use.only {
            for (key, symbol) in exported.iter().filter(|(key, _)| !renamed(key)) {
                self.bring(scope, key.clone(), *symbol);
            }
        }
        for (local, original) in &module_use.items {
            let key = Program::generic_key(original.as_ref().unwrap_or(local));
            match exported.get(&key) {
                Some(symbol) => self.bring(scope, Program::generic_key(local), *symbol),
                None => {
                    let text = format!("module {} has no public name {}", name.name, key.1);
                    self.report(scope, name.span, text);
                }
            }
        }
        // What a module took from one without source may be anything.
        if let Some(module) = self.module(&name.name)
            && !module_use.only
        {
            let opaque = self.scope(module).opaque.clone();
            self.scope_mut(scope).opaque.extend(opaque);
        }
    }

    /// Names of a module without source: those that ONLY lists, or any.
    fn use_opaque(&mut self, scope: ScopeId, module_use: &'t Use) {
        let module = &module_use.module;
        for (local, _) in &module_use.items {
            let (is_name, key) = Program::generic_key(local);
            let symbol = self.add_symbol(scope, &key, module.span, Class::Opaque(module.name.clone()));
            self.bring(scope, (is_name, key), symbol);
        }
        if !module_use.only {
            self.scope_mut(scope).opaque.push(module);
        }
    }

    /// Makes a name stand for a symbol. Generics of one name from several modules are put together.
    fn bring(&mut self, scope: ScopeId, (is_name, key): (bool, Box<str>), symbol: SymbolId) {
        let here = self.scope(scope);
        let names = if is_name { &here.names } else { &here.operators };
        let symbol = match names.get(&key).copied() {
            Some(known) if known == symbol => return,
            Some(known) => match (&self.symbol(known).class, &self.symbol(symbol).class) {
                (Class::Generic(first), Class::Generic(second)) => {
                    let all = first.iter().chain(second).copied().collect();
                    self.add_symbol(scope, &key, Span::default(), Class::Generic(all))
                }
                // A declaration of the scope's own hides nothing of a module: compilers refuse it where it matters.
                _ => return,
            },
            None => symbol,
        };
        let here = self.scope_mut(scope);
        let names = if is_name { &mut here.names } else { &mut here.operators };
        names.insert(key, symbol);
    }

    /// What a module hands on.
    fn exported(&self, module: ScopeId) -> FxHashMap<(bool, Box<str>), SymbolId> {
        let scope = self.scope(module);
        let public = |key: &str| scope.access.named.get(key).copied().unwrap_or(!scope.access.is_private);
        let names = scope.names.iter().map(|(key, symbol)| ((true, key.clone()), *symbol));
        let operators = scope.operators.iter().map(|(key, symbol)| ((false, key.clone()), *symbol));
        names.chain(operators).filter(|((_, key), _)| public(key)).collect()
    }

    /// The names of a module that every compiler has.
    fn intrinsic_exports(
        &mut self,
        scope: ScopeId,
        module: &str,
        exports: &[Export],
    ) -> FxHashMap<(bool, Box<str>), SymbolId> {
        let mut exported = FxHashMap::default();
        for (name, values) in exports {
            let class = if values.is_empty() { Class::Opaque(module.into()) } else { Class::Known(values) };
            exported.insert((true, (*name).into()), self.add_symbol(scope, name, Span::default(), class));
        }
        exported
    }
}

/// The USE statements among declarations.
fn uses(declarations: &[Declaration]) -> impl Iterator<Item = &Use> {
    declarations.iter().filter_map(|declaration| match &declaration.kind {
        DeclarationKind::Use(module_use) => Some(module_use),
        _ => None,
    })
}
