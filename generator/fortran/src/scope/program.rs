//! What is known of the names of a program: scopes, and symbols in them.
//!
//! ```text
//!   Program ─ Scope     a unit, an interface body, BLOCK, ASSOCIATE; its host is the scope around it
//!             Symbol    what a name stands for; USE lets names of several scopes stand for one symbol
//!             opaque    a name of a module without source: it is there, nothing is known of it
//! ```

use crate::message::Message;
use crate::source::Span;
use crate::tree::attribute::{Dim, Intent};
use crate::tree::declaration::{Body, DerivedType, Entry, GenericName, Import, Init, ProcedureInterface};
use crate::tree::expression::{Expr, Ident, Length, TypeSpec};
use crate::tree::header::Header;
use crate::tree::unit::Unit;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A scope of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ScopeId(pub u32);

/// A symbol of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SymbolId(pub u32);

/// The names of a program and what they stand for.
#[derive(Default)]
pub struct Program<'t> {
    /// Scopes, hosts in front of what they hold.
    pub scopes: Vec<Scope<'t>>,
    /// Symbols.
    pub symbols: Vec<Symbol<'t>>,
    /// What is wrong, each with the number of its file.
    pub messages: Vec<(usize, Message)>,
    /// Modules with source, and submodules as `ancestor:name`.
    pub(super) modules: FxHashMap<Box<str>, ScopeId>,
    /// Procedures that no unit contains.
    pub(super) external: FxHashMap<Box<str>, ScopeId>,
    /// Those of them that are further entries.
    pub(super) entries: FxHashSet<Box<str>>,
    /// Interfaces of separate module procedures, by the procedure's scope.
    pub(super) interfaces: FxHashMap<ScopeId, ScopeId>,
    /// Scopes by the address of the unit, body or statement that makes them.
    pub(super) made_by: FxHashMap<usize, ScopeId>,
}

/// What makes a scope.
#[derive(Clone, Copy)]
pub enum ScopeKind<'t> {
    /// A program unit or a procedure.
    Unit(&'t Unit),
    /// A procedure's interface.
    Body(&'t Body),
    /// BLOCK, ASSOCIATE, SELECT TYPE, or indices that a loop declares.
    Construct,
}

/// A part of the program in which a name stands for one thing.
pub struct Scope<'t> {
    /// What makes it.
    pub kind: ScopeKind<'t>,
    /// The number of its file, to which its spans belong.
    pub file: usize,
    /// The scope around it.
    pub host: Option<ScopeId>,
    /// Its own names and those that USE lists.
    pub names: FxHashMap<Box<str>, SymbolId>,
    /// Operators and other generics without a name: `operator(+)`.
    pub operators: FxHashMap<Box<str>, SymbolId>,
    /// Modules that it uses as a whole. Their names are not copied: every procedure of a model may use thousands.
    pub used: Vec<Used>,
    /// How names without a declaration are typed; none if the host decides.
    pub implicit: Option<Implicit<'t>>,
    /// Modules without source, all of whose names may be here.
    pub opaque: Vec<&'t Ident>,
    /// What an interface body sees of its host.
    pub import: Option<&'t Import>,
    /// Names that a module hands on; none for all.
    pub access: Access,
    /// SAVE without names.
    pub saves_all: bool,
}

/// What a module hands on, by name.
#[derive(Default)]
pub struct Exports {
    /// Names.
    pub names: FxHashMap<Box<str>, SymbolId>,
    /// Operators and other generics without a name.
    pub operators: FxHashMap<Box<str>, SymbolId>,
}

/// A module that is used as a whole.
#[derive(Clone)]
pub struct Used {
    /// What it hands on.
    pub exports: Arc<Exports>,
    /// Names that are renamed here, and so unknown by their own.
    pub hidden: Vec<(bool, Box<str>)>,
}

impl Used {
    /// What a name, or an operator, stands for.
    pub fn get(&self, is_name: bool, key: &str) -> Option<SymbolId> {
        let map = if is_name { &self.exports.names } else { &self.exports.operators };
        let found = map.get(key).copied()?;
        let is_hidden = self.hidden.iter().any(|(kind, name)| *kind == is_name && **name == *key);
        (!is_hidden).then_some(found)
    }
}

/// What a module lets others see.
#[derive(Default)]
pub struct Access {
    /// PRIVATE without names.
    pub is_private: bool,
    /// Names that differ from the rule: public (true) or private.
    pub named: FxHashMap<Box<str>, bool>,
}

/// How names without a declaration are typed, by their first letter.
#[derive(Clone)]
pub struct Implicit<'t> {
    /// IMPLICIT NONE.
    pub none: bool,
    /// A letter's type; where there is none Fortran's own rule holds.
    pub letters: [Option<&'t TypeSpec>; 26],
}

impl Scope<'_> {
    /// What a name, or an operator, stands for in this scope alone.
    pub fn find(&self, is_name: bool, key: &str) -> Option<SymbolId> {
        let own = if is_name { &self.names } else { &self.operators };
        own.get(key).copied().or_else(|| self.used.iter().find_map(|used| used.get(is_name, key)))
    }
}

impl Implicit<'_> {
    /// Fortran's own rule for every letter.
    pub(super) const USUAL: Self = Implicit { none: false, letters: [None; 26] };
}

/// What a name stands for.
pub struct Symbol<'t> {
    /// Its name where it is declared.
    pub name: Box<str>,
    /// The scope that declares it.
    pub scope: ScopeId,
    /// Where it is declared.
    pub span: Span,
    /// What it is.
    pub class: Class<'t>,
    /// Its type as it is written; none for one that its first letter decides.
    pub spec: Option<&'t TypeSpec>,
    /// Its own length, if it is a character.
    pub length: Option<&'t Length>,
    /// Its dimensions.
    pub dims: Option<&'t [Dim]>,
    /// Its codimensions.
    pub codims: Option<&'t [Dim]>,
    /// Its first value, or the constant's.
    pub init: Option<&'t Init>,
    /// The value that PARAMETER gives it.
    pub value: Option<&'t Expr>,
    /// INTENT.
    pub intent: Option<Intent>,
    /// Attributes.
    pub flags: Flags,
    /// Its type was decided by its first letter, or must be.
    pub is_implicit: bool,
}

/// What a symbol is.
#[derive(Clone)]
pub enum Class<'t> {
    /// A variable.
    Variable,
    /// A named constant.
    Constant,
    /// What holds the address of another variable: a pointer of Cray.
    Address,
    /// A procedure of the program: its scope.
    Procedure(ScopeId),
    /// Another entry of a procedure, in the procedure's scope.
    Entry(ScopeId, &'t Entry),
    /// A procedure without a body here: EXTERNAL, a dummy, or called without a declaration.
    External(Option<&'t ProcedureInterface>),
    /// An intrinsic procedure.
    Intrinsic,
    /// The specific procedures of a generic name, and more from other interfaces of that name.
    Generic(Vec<Specific<'t>>),
    /// A derived type.
    Derived(&'t DerivedType),
    /// A namelist.
    Namelist(&'t [Ident]),
    /// A statement function.
    StatementFunction(Vec<&'t Ident>, &'t Expr),
    /// What ASSOCIATE or SELECT TYPE names.
    Associated(&'t Expr),
    /// A name of a module without source, or of a compiler's own.
    Opaque(Box<str>),
    /// A constant of an enumeration: the last value given before it, and how many constants ago.
    Enumerator(Option<&'t Expr>, i128),
    /// An integer constant of a compiler's own module; an array if it has several values.
    Known(&'static [i128]),
}

/// A specific procedure of a generic.
#[derive(Clone, Copy)]
pub struct Specific<'t> {
    /// Its name in the scope of the interface.
    pub name: &'t Ident,
    /// The scope in which the name stands for it.
    pub scope: ScopeId,
}

macro_rules! flags {
    ($($name:ident $doc:literal,)*) => {
        /// Attributes of a symbol.
        #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
        pub struct Flags {
            $(#[doc = $doc] pub $name: bool,)*
        }

        impl Flags {
            /// The attributes that are there, as words.
            pub fn words(&self) -> Vec<&'static str> {
                let all = [$((self.$name, stringify!($name)),)*];
                all.into_iter().filter(|(there, _)| *there).map(|(_, word)| word).collect()
            }
        }
    };
}

flags! {
    allocatable "ALLOCATABLE", asynchronous "ASYNCHRONOUS", contiguous "CONTIGUOUS", dummy "A dummy argument",
    external "EXTERNAL", intrinsic "INTRINSIC", optional "OPTIONAL", pointer "POINTER", protected "PROTECTED",
    result "The result of a function", saved "SAVE, or a first value", target "TARGET", by_value "VALUE",
    volatile "VOLATILE", in_common "A member of a COMMON block", equivalenced "In an EQUIVALENCE",
    bound "BIND(C)",
}

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// A number, a truth value or characters, with the kind if that is known.
    Basic(Basic, Option<u8>),
    /// A derived type.
    Derived(SymbolId),
    /// `class(*)` or `type(*)`.
    Unlimited,
    /// Nothing is known: it depends on a module without source.
    Opaque,
}

/// A type of Fortran's own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Basic {
    /// `integer`
    Integer,
    /// `real`
    Real,
    /// `complex`
    Complex,
    /// `logical`
    Logical,
    /// `character`
    Character,
}

impl<'t> Program<'t> {
    /// A scope.
    pub fn scope(&self, id: ScopeId) -> &Scope<'t> {
        &self.scopes[id.0 as usize]
    }

    /// A symbol.
    pub fn symbol(&self, id: SymbolId) -> &Symbol<'t> {
        &self.symbols[id.0 as usize]
    }

    pub(super) fn scope_mut(&mut self, id: ScopeId) -> &mut Scope<'t> {
        &mut self.scopes[id.0 as usize]
    }

    pub(super) fn report(&mut self, scope: ScopeId, span: Span, text: String) {
        let file = self.scope(scope).file;
        self.messages.push((file, Message::new(span, text)));
    }

    pub(super) fn symbol_mut(&mut self, id: SymbolId) -> &mut Symbol<'t> {
        &mut self.symbols[id.0 as usize]
    }

    /// Whether a variable keeps its value from call to call, EQUIVALENCE left aside.
    pub fn is_saved(&self, id: SymbolId) -> bool {
        let symbol = self.symbol(id);
        let may_be = matches!(symbol.class, Class::Variable) && !symbol.flags.dummy && !symbol.flags.result;
        let is_automatic = || {
            let bounds = self.bounds(id).unwrap_or_default();
            !symbol.flags.allocatable && bounds.iter().any(|bound| bound.extent(self).is_none())
        };
        symbol.flags.saved || may_be && self.scope(symbol.scope).saves_all && !is_automatic()
    }

    /// The scope of a module with source.
    pub fn module(&self, name: &str) -> Option<ScopeId> {
        self.modules.get(name).copied()
    }

    /// The scope of a procedure that no unit contains.
    pub fn external(&self, name: &str) -> Option<ScopeId> {
        self.external.get(name).copied().filter(|_| !self.is_entry(name))
    }

    /// Whether a procedure that no unit contains has a further entry of this name.
    pub fn is_entry(&self, name: &str) -> bool {
        self.entries.contains(name)
    }

    /// The names of procedures that no unit contains.
    pub fn externals(&self) -> impl Iterator<Item = &str> {
        self.external.keys().map(|name| &**name)
    }

    /// The scope that a unit, an interface body or a statement makes.
    pub fn scope_of<T>(&self, node: &T) -> Option<ScopeId> {
        self.made_by.get(&std::ptr::from_ref(node).addr()).copied()
    }

    /// The symbol that a name stands for in a scope, its hosts included.
    pub fn lookup(&self, scope: ScopeId, name: &str) -> Option<SymbolId> {
        let mut at = scope;
        loop {
            if let Some(found) = self.scope(at).find(true, name) {
                return Some(found);
            }
            if !self.sees_host(at, name) {
                return None;
            }
            at = self.scope(at).host?;
        }
    }

    /// Whether a scope sees a name of its host.
    pub fn sees_host(&self, scope: ScopeId, name: &str) -> bool {
        let scope = self.scope(scope);
        match (scope.kind, scope.import) {
            (ScopeKind::Body(body), None) => is_module_procedure(&body.header),
            (_, None | Some(Import::All)) => true,
            (_, Some(Import::None)) => false,
            (_, Some(Import::Names(names))) => names.iter().any(|import| *import.name == *name),
        }
    }

    /// The header of the procedure or unit that makes a scope.
    pub fn header(&self, scope: ScopeId) -> Option<&'t Header> {
        match self.scope(scope).kind {
            ScopeKind::Unit(unit) => Some(&unit.header),
            ScopeKind::Body(body) => Some(&body.header),
            ScopeKind::Construct => None,
        }
    }

    /// The name of a generic as a key of [`Scope::names`] or [`Scope::operators`].
    pub fn generic_key(name: &GenericName) -> (bool, Box<str>) {
        match name {
            GenericName::Name(name) => (true, name.name.clone()),
            GenericName::Operator(operator, _) => (false, normal_operator(operator)),
            GenericName::Assignment(_) => (false, "=".into()),
            GenericName::Transfer(direction, form, _) => (false, format!("{direction}({form})").into()),
        }
    }
}

/// `.eq.` as `==`.
fn normal_operator(operator: &str) -> Box<str> {
    let normal = match operator {
        ".eq." => "==",
        ".ne." => "/=",
        ".lt." => "<",
        ".le." => "<=",
        ".gt." => ">",
        ".ge." => ">=",
        other => other,
    };
    normal.into()
}

/// Whether a body is that of a separate module procedure, which sees its host.
fn is_module_procedure(header: &Header) -> bool {
    header.prefixes.contains(&crate::tree::header::Prefix::Module)
}
