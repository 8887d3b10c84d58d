//! USE: names of modules, renamed or not; modules without source are opaque.

use super::intrinsic::{Export, intrinsic_module};
use super::program::{Class, Exports, Program, ScopeId, ScopeKind, SymbolId, Used};
use crate::source::Span;
use crate::tree::declaration::{Declaration, DeclarationKind, Use};
use crate::tree::header::UnitKind;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// How a module hides a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hidden {
    /// PRIVATE names it.
    Alone,
    /// As all names that PUBLIC does not name.
    WithAll,
}

impl<'t> Program<'t> {
    /// Brings the names of modules to every scope that uses them. Modules come before their users.
    pub(super) fn resolve_uses(&mut self) {
        let (mut done, mut known) = (FxHashSet::default(), FxHashMap::default());
        for scope in 0..u32::try_from(self.scopes.len()).expect("fewer scopes than that") {
            self.resolve_scope(ScopeId(scope), &mut done, &mut known, &mut Vec::new());
        }
    }

    fn resolve_scope(
        &mut self,
        scope: ScopeId,
        done: &mut FxHashSet<ScopeId>,
        known: &mut FxHashMap<ScopeId, Arc<Exports>>,
        open: &mut Vec<ScopeId>,
    ) {
        if done.contains(&scope) || open.contains(&scope) {
            return;
        }
        open.push(scope);
        self.set_submodule_host(scope);
        for module_use in uses(self.declarations(scope)) {
            if let Some(module) = self.module(&module_use.module.name) {
                self.resolve_scope(module, done, known, open);
            }
            self.resolve_use(scope, module_use, known);
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
    pub(super) fn resolve_use(
        &mut self,
        scope: ScopeId,
        module_use: &'t Use,
        known: &mut FxHashMap<ScopeId, Arc<Exports>>,
    ) {
        let name = &module_use.module;
        let exported = match (self.module(&name.name), intrinsic_module(&name.name)) {
            (Some(module), _) if module_use.intrinsic != Some(true) => Some(self.exported(module, known)),
            (_, Some(exports)) if module_use.intrinsic != Some(false) => {
                Some(Arc::new(self.intrinsic_exports(scope, &name.name, exports)))
            }
            _ => None,
        };
        let Some(exported) = exported else {
            self.use_opaque(scope, module_use);
            return;
        };
        for (local, original) in &module_use.items {
            let (is_name, key) = Program::generic_key(original.as_ref().unwrap_or(local));
            let map = if is_name { &exported.names } else { &exported.operators };
            match map.get(&key) {
                Some(symbol) => self.bring(scope, Program::generic_key(local), *symbol),
                None if self.opaque_exports(&name.name) => {
                    let symbol = self.add_symbol(scope, &key, name.span, Class::Opaque(name.name.clone()));
                    self.bring(scope, Program::generic_key(local), symbol);
                }
                None => self.report(scope, name.span, format!("module {} has no public name {key}", name.name)),
            }
        }
        if !module_use.only {
            let originals = module_use.items.iter().filter_map(|(_, original)| original.as_ref());
            let hidden = originals.map(Program::generic_key).collect();
            self.use_whole(scope, Used { exports: exported, hidden });
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
        let symbol = match self.scope(scope).find(is_name, &key) {
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

    /// Whether a module may hand on names of one without source.
    fn opaque_exports(&self, module: &str) -> bool {
        self.module(module).is_some_and(|module| !self.scope(module).opaque.is_empty())
    }

    /// Uses a module as a whole. Its generics are put together with those of other modules.
    fn use_whole(&mut self, scope: ScopeId, used: Used) {
        let names = used.exports.names.iter().map(|(key, symbol)| (true, key, *symbol));
        let operators = used.exports.operators.iter().map(|(key, symbol)| (false, key, *symbol));
        let mut shared = Vec::new();
        for (is_name, key, symbol) in names.chain(operators) {
            let is_generic = matches!(self.symbol(symbol).class, Class::Generic(_));
            if is_generic && self.scope(scope).find(is_name, key).is_some_and(|known| known != symbol) {
                shared.push(((is_name, key.clone()), symbol));
            }
        }
        shared.retain(|((is_name, key), _)| used.get(*is_name, key).is_some());
        for (key, symbol) in shared {
            self.bring(scope, key, symbol);
        }
        self.scope_mut(scope).used.push(used);
    }

    /// How a module hides a name from others; none if it does not.
    pub fn hides(&self, module: ScopeId, name: &str) -> Option<Hidden> {
        let access = &self.scope(module).access;
        match access.named.get(name) {
            Some(true) => None,
            Some(false) => Some(Hidden::Alone),
            None => access.is_private.then_some(Hidden::WithAll),
        }
    }

    /// What a module hands on, found once.
    fn exported(&self, module: ScopeId, known: &mut FxHashMap<ScopeId, Arc<Exports>>) -> Arc<Exports> {
        if let Some(exports) = known.get(&module) {
            return exports.clone();
        }
        let scope = self.scope(module);
        let public = |key: &str| scope.access.named.get(key).copied().unwrap_or(!scope.access.is_private);
        let mut exports = Exports::default();
        for is_name in [true, false] {
            let (own, target) =
                if is_name { (&scope.names, &mut exports.names) } else { (&scope.operators, &mut exports.operators) };
            for used in scope.used.iter().rev() {
                let map = if is_name { &used.exports.names } else { &used.exports.operators };
                let seen = map.iter().filter(|(key, _)| public(key) && used.get(is_name, key).is_some());
                target.extend(seen.map(|(key, symbol)| (key.clone(), *symbol)));
            }
            let seen = own.iter().filter(|(key, _)| public(key));
            target.extend(seen.map(|(key, symbol)| (key.clone(), *symbol)));
        }
        let exports = Arc::new(exports);
        known.insert(module, exports.clone());
        exports
    }

    /// The names of a module that every compiler has.
    fn intrinsic_exports(&mut self, scope: ScopeId, module: &str, exports: &[Export]) -> Exports {
        let mut exported = Exports::default();
        for (name, values) in exports {
            let class = if values.is_empty() { Class::Opaque(module.into()) } else { Class::Known(values) };
            exported.names.insert((*name).into(), self.add_symbol(scope, name, Span::default(), class));
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
