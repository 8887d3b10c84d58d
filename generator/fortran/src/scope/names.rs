//! Scopes and the names that declarations give them.

use super::program::{Access, Class, Flags, Implicit, Program, Scope, ScopeId, ScopeKind, Symbol, SymbolId};
use crate::source::Span;
use crate::tree::attribute::Attribute;
use crate::tree::declaration::{Declaration, DeclarationKind, Entity, Entry, GenericName, Init, Listed};
use crate::tree::expression::{Expr, ExprKind, Ident, TypeSpec};
use crate::tree::header::{Dummy, Header, UnitKind};
use crate::tree::statement::Action;
use crate::tree::unit::Unit;

impl<'t> Program<'t> {
    /// Adds the scope of a unit, of what it contains, and their declared names.
    pub(super) fn add_unit(&mut self, unit: &'t Unit, file: usize, host: Option<ScopeId>) -> ScopeId {
        let scope = self.add_scope(ScopeKind::Unit(unit), file, host, std::ptr::from_ref(unit).addr());
        if let (Some(name), None) = (&unit.header.name, host) {
            match &unit.header.kind {
                UnitKind::Module => drop(self.modules.insert(name.name.clone(), scope)),
                UnitKind::Submodule(module, _) => {
                    self.modules.insert(format!("{}:{}", module.name, name.name).into(), scope);
                }
                UnitKind::Subroutine | UnitKind::Function => {
                    self.external.insert(name.name.clone(), scope);
                }
                UnitKind::Program | UnitKind::BlockData | UnitKind::ModuleProcedure => {}
            }
        }
        self.add_header(scope, &unit.header);
        self.add_declarations(scope, &unit.declarations);
        for statement in &unit.body {
            if let Action::Declaration(declaration) = &statement.action {
                self.add_declaration(scope, &declaration.kind);
            }
        }
        for contained in &unit.contained {
            let inner = self.add_unit(contained, file, Some(scope));
            let Some(name) = &contained.header.name else { continue };
            let known = self.scope(scope).names.get(&name.name).map(|known| &self.symbol(*known).class);
            if let Some(Class::Procedure(interface)) = known {
                self.interfaces.insert(inner, *interface);
            }
            let symbol = self.declare_procedure(scope, name);
            self.symbol_mut(symbol).class = Class::Procedure(inner);
        }
        scope
    }

    pub(super) fn add_scope(
        &mut self,
        kind: ScopeKind<'t>,
        file: usize,
        host: Option<ScopeId>,
        maker: usize,
    ) -> ScopeId {
        let id = ScopeId(u32::try_from(self.scopes.len()).expect("fewer scopes than that"));
        // Program units and interface bodies begin with Fortran's own rule; what they contain asks its host.
        let own = host.is_none() || matches!(kind, ScopeKind::Body(_));
        let implicit = own.then_some(Implicit::USUAL);
        self.scopes.push(Scope {
            kind,
            file,
            host,
            names: Default::default(),
            operators: Default::default(),
            used: Vec::new(),
            implicit,
            opaque: Vec::new(),
            import: None,
            access: Access::default(),
            saves_all: false,
        });
        self.made_by.insert(maker, id);
        id
    }

    /// Adds the scope of a construct.
    pub(super) fn add_construct<T>(&mut self, node: &'t T, host: ScopeId) -> ScopeId {
        let file = self.scope(host).file;
        self.add_scope(ScopeKind::Construct, file, Some(host), std::ptr::from_ref(node).addr())
    }

    pub(super) fn add_header(&mut self, scope: ScopeId, header: &'t Header) {
        self.add_dummies(scope, &header.arguments);
        // A procedure that no unit contains knows its own name; others find it in their host.
        let is_own = matches!(header.kind, UnitKind::Subroutine) || header.result.is_some();
        if let (true, None, Some(name)) = (is_own, self.scope(scope).host, &header.name) {
            let symbol = self.declare(scope, name);
            self.symbol_mut(symbol).class = Class::Procedure(scope);
        }
        if matches!(header.kind, UnitKind::Function) {
            let Some(name) = header.result.as_ref().or(header.name.as_ref()) else { return };
            let symbol = self.declare(scope, name);
            let symbol = self.symbol_mut(symbol);
            symbol.flags.result = true;
            symbol.spec = header.result_type.as_ref();
        }
    }

    /// The symbol of a name in its own scope, new if it has none.
    pub(super) fn declare(&mut self, scope: ScopeId, name: &Ident) -> SymbolId {
        if let Some(known) = self.scope(scope).names.get(&name.name) {
            return *known;
        }
        let symbol = self.add_symbol(scope, &name.name, name.span, Class::Variable);
        self.scope_mut(scope).names.insert(name.name.clone(), symbol);
        symbol
    }

    pub(super) fn add_symbol(&mut self, scope: ScopeId, name: &str, span: Span, class: Class<'t>) -> SymbolId {
        let id = SymbolId(u32::try_from(self.symbols.len()).expect("fewer symbols than that"));
        self.symbols.push(Symbol {
            name: name.into(),
            scope,
            span,
            class,
            spec: None,
            length: None,
            dims: None,
            codims: None,
            init: None,
            value: None,
            intent: None,
            flags: Flags::default(),
            is_implicit: false,
        });
        id
    }

    /// Adds the names that declarations declare.
    pub(super) fn add_declarations(&mut self, scope: ScopeId, declarations: &'t [Declaration]) {
        for declaration in declarations {
            self.add_declaration(scope, &declaration.kind);
        }
    }

    pub(super) fn add_declaration(&mut self, scope: ScopeId, kind: &'t DeclarationKind) {
        match kind {
            DeclarationKind::Type(spec, attributes, entities) => {
                self.add_entities(scope, Some(spec), attributes, entities)
            }
            DeclarationKind::Procedure(interface, attributes, entities) => {
                self.add_entities(scope, None, attributes, entities);
                for entity in entities {
                    let symbol = self.declare(scope, &entity.name);
                    self.symbol_mut(symbol).class = Class::External(Some(interface));
                }
            }
            DeclarationKind::Attribute(attribute, entities) => {
                self.add_entities(scope, None, std::slice::from_ref(attribute), entities);
            }
            DeclarationKind::Lasting(attribute, listed) => self.add_lasting(scope, attribute, listed),
            DeclarationKind::Parameter(constants) => {
                for (name, value) in constants {
                    self.add_constant(scope, name, value);
                }
            }
            DeclarationKind::Common(blocks) => {
                for member in blocks.iter().flat_map(|block| &block.members) {
                    self.add_entities(scope, None, &[], std::slice::from_ref(member));
                    let symbol = self.declare(scope, &member.name);
                    self.symbol_mut(symbol).flags.in_common = true;
                }
            }
            DeclarationKind::Equivalence(sets) => {
                for object in sets.iter().flatten() {
                    let symbol = self.declare(scope, &object.parts[0].name);
                    self.symbol_mut(symbol).flags.equivalenced = true;
                }
            }
            DeclarationKind::ImplicitNone(types, _) => {
                self.scope_mut(scope).implicit = Some(Implicit { none: *types, ..Implicit::USUAL });
            }
            DeclarationKind::Implicit(rules) => self.add_implicit(scope, rules),
            DeclarationKind::Import(import) => self.scope_mut(scope).import = Some(import),
            DeclarationKind::Access(attribute, names) => self.add_access(scope, attribute, names),
            DeclarationKind::Derived(_)
            | DeclarationKind::Interface(_)
            | DeclarationKind::Enum(_)
            | DeclarationKind::Namelist(_)
            | DeclarationKind::StatementFunction(..)
            | DeclarationKind::Entry(_)
            | DeclarationKind::CrayPointer(_) => self.add_other(scope, kind),
            DeclarationKind::Data(sets) => {
                sets.iter().flat_map(|set| &set.objects).for_each(|object| self.add_initial(scope, object));
            }
            DeclarationKind::Use(_)
            | DeclarationKind::Format(_)
            | DeclarationKind::Include(_)
            | DeclarationKind::Directive(..)
            | DeclarationKind::Unread => {}
        }
    }

    fn add_other(&mut self, scope: ScopeId, kind: &'t DeclarationKind) {
        match kind {
            DeclarationKind::Namelist(groups) => {
                for (group, names) in groups {
                    let symbol = self.declare(scope, group);
                    self.symbol_mut(symbol).class = Class::Namelist(names);
                }
            }
            DeclarationKind::Derived(derived) => self.add_derived(scope, derived),
            DeclarationKind::Interface(interface) => self.add_interface(scope, interface),
            DeclarationKind::Enum(enumerators) => {
                let (mut base, mut offset) = (None, 0);
                for (name, value) in enumerators {
                    (base, offset) = if value.is_some() { (value.as_ref(), 0) } else { (base, offset) };
                    let symbol = self.declare(scope, name);
                    self.symbol_mut(symbol).class = Class::Enumerator(base, offset);
                    offset += 1;
                }
            }
            DeclarationKind::StatementFunction(name, parameters, value) => {
                let symbol = self.declare(scope, name);
                self.symbol_mut(symbol).class = Class::StatementFunction(parameters.iter().collect(), value);
            }
            DeclarationKind::Entry(entry) => self.add_entry(scope, entry),
            DeclarationKind::CrayPointer(pairs) => {
                for (pointer, target) in pairs {
                    let symbol = self.declare(scope, pointer);
                    self.symbol_mut(symbol).class = Class::Address;
                    self.add_entities(scope, None, &[Attribute::Pointer], std::slice::from_ref(target));
                }
            }
            _ => {}
        }
    }

    /// Another entry of the procedure: its arguments, its result, and its name where the procedure's own is known.
    fn add_entry(&mut self, scope: ScopeId, entry: &'t Entry) {
        self.add_dummies(scope, &entry.arguments);
        if self.header(scope).is_some_and(|header| matches!(header.kind, UnitKind::Function)) {
            let symbol = self.declare(scope, entry.result.as_ref().unwrap_or(&entry.name));
            self.symbol_mut(symbol).flags.result = true;
        }
        match self.scope(scope).host {
            Some(host) => {
                let symbol = self.declare_procedure(host, &entry.name);
                self.symbol_mut(symbol).class = Class::Entry(scope, entry);
            }
            None => {
                self.external.insert(entry.name.name.clone(), scope);
                self.entries.insert(entry.name.name.clone());
            }
        }
    }

    fn add_dummies(&mut self, scope: ScopeId, dummies: &[Dummy]) {
        for dummy in dummies {
            if let Dummy::Name(name) = dummy {
                let symbol = self.declare(scope, name);
                self.symbol_mut(symbol).flags.dummy = true;
            }
        }
    }

    fn add_entities(
        &mut self,
        scope: ScopeId,
        spec: Option<&'t TypeSpec>,
        attributes: &'t [Attribute],
        entities: &'t [Entity],
    ) {
        for entity in entities {
            let id = self.declare(scope, &entity.name);
            for attribute in attributes {
                self.add_attribute(id, attribute);
                if let Some(public) = visibility(attribute) {
                    self.scope_mut(scope).access.named.insert(entity.name.name.clone(), public);
                }
            }
            let symbol = self.symbol_mut(id);
            symbol.spec = spec.or(symbol.spec);
            symbol.length = entity.length.as_ref().or(symbol.length);
            symbol.dims = entity.dims.as_deref().or(symbol.dims);
            symbol.codims = entity.codims.as_deref().or(symbol.codims);
            if let Some(init) = &entity.init {
                symbol.init = Some(init);
                if let (Class::Constant, Init::Value(value)) = (&symbol.class, init) {
                    symbol.value = Some(value);
                } else {
                    symbol.flags.saved = true;
                }
            }
        }
    }

    fn add_attribute(&mut self, id: SymbolId, attribute: &'t Attribute) {
        let symbol = self.symbol_mut(id);
        let flags = &mut symbol.flags;
        match attribute {
            Attribute::Allocatable => flags.allocatable = true,
            Attribute::Asynchronous => flags.asynchronous = true,
            Attribute::Bind(_) => flags.bound = true,
            Attribute::Codimension(dims) => symbol.codims = Some(dims),
            Attribute::Contiguous => flags.contiguous = true,
            Attribute::Dimension(dims) if !dims.is_empty() => symbol.dims = Some(dims),
            Attribute::External => {
                flags.external = true;
                symbol.class = Class::External(None);
            }
            Attribute::Intent(intent) => symbol.intent = Some(*intent),
            Attribute::Intrinsic => {
                flags.intrinsic = true;
                symbol.class = Class::Intrinsic;
            }
            Attribute::Optional => flags.optional = true,
            Attribute::Parameter => symbol.class = Class::Constant,
            Attribute::Pointer => flags.pointer = true,
            Attribute::Protected => flags.protected = true,
            Attribute::Save | Attribute::Static => flags.saved = true,
            Attribute::Target => flags.target = true,
            Attribute::Value => flags.by_value = true,
            Attribute::Volatile => flags.volatile = true,
            _ => {}
        }
    }

    fn add_lasting(&mut self, scope: ScopeId, attribute: &'t Attribute, listed: &'t [Listed]) {
        for item in listed {
            if let Listed::Name(name) = item {
                let symbol = self.declare(scope, name);
                self.add_attribute(symbol, attribute);
            }
        }
        if listed.is_empty() {
            // SAVE without names: every variable lasts, whether it is declared before, behind or nowhere.
            self.scope_mut(scope).saves_all |= matches!(attribute, Attribute::Save | Attribute::Static);
            let mut all: Vec<SymbolId> = self.scope(scope).names.values().copied().collect();
            all.retain(|id| !self.symbol(*id).flags.dummy);
            all.into_iter().for_each(|id| self.add_attribute(id, attribute));
        }
    }

    /// A variable to which DATA gives a first value lasts.
    fn add_initial(&mut self, scope: ScopeId, object: &'t Expr) {
        match &object.kind {
            ExprKind::Reference(reference) => {
                let symbol = self.declare(scope, &reference.parts[0].name);
                self.symbol_mut(symbol).flags.saved = true;
            }
            ExprKind::Substring(text, _) => self.add_initial(scope, text),
            ExprKind::ImpliedDo(implied) => implied.items.iter().for_each(|item| self.add_initial(scope, item)),
            _ => {}
        }
    }

    fn add_constant(&mut self, scope: ScopeId, name: &Ident, value: &'t Expr) {
        let symbol = self.declare(scope, name);
        let symbol = self.symbol_mut(symbol);
        symbol.class = Class::Constant;
        symbol.value = Some(value);
    }

    fn add_implicit(&mut self, scope: ScopeId, rules: &'t [(TypeSpec, Vec<(char, char)>)]) {
        // Letters without a rule of their own keep the host's.
        let before = self.implicit(scope).map_or(Implicit::USUAL, |(implicit, _)| implicit.clone());
        let implicit = self.scope_mut(scope).implicit.get_or_insert(before);
        for (spec, ranges) in rules {
            for letter in ranges.iter().flat_map(|(first, last)| *first..=*last).filter(char::is_ascii_lowercase) {
                implicit.letters[usize::from(letter as u8 - b'a')] = Some(spec);
            }
        }
    }

    fn add_access(&mut self, scope: ScopeId, attribute: &Attribute, names: &[GenericName]) {
        let public = matches!(attribute, Attribute::Public);
        let access = &mut self.scope_mut(scope).access;
        access.is_private |= names.is_empty() && !public;
        for name in names {
            access.named.insert(Program::generic_key(name).1, public);
        }
    }
}

/// Whether an attribute makes a name public or private.
pub fn visibility(attribute: &Attribute) -> Option<bool> {
    match attribute {
        Attribute::Public => Some(true),
        Attribute::Private => Some(false),
        _ => None,
    }
}
