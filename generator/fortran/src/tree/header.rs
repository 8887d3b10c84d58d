//! The first statement of a program unit or a procedure.

use super::attribute::Bind;
use super::expression::{Ident, TypeSpec};
use crate::form::Label;
use crate::source::Span;

/// The first statement of a program unit or a procedure.
#[derive(Clone, Debug)]
pub struct Header {
    /// What it is.
    pub kind: UnitKind,
    /// Its name; a main program and block data may lack one.
    pub name: Option<Ident>,
    /// `pure`, `elemental` …
    pub prefixes: Vec<Prefix>,
    /// The type in front of `function`.
    pub result_type: Option<TypeSpec>,
    /// Dummy arguments.
    pub arguments: Vec<Dummy>,
    /// The name of the result.
    pub result: Option<Ident>,
    /// Its name in C.
    pub bind: Option<Bind>,
    /// Its place.
    pub span: Span,
}

/// The last statement of a construct or a program unit.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Its label.
    pub label: Option<Label>,
    /// Its place.
    pub span: Span,
}

/// What a unit is.
#[derive(Clone, Debug)]
pub enum UnitKind {
    /// A main program; without a PROGRAM statement its name is none.
    Program,
    /// A module.
    Module,
    /// A submodule: its module, and the submodule above it.
    Submodule(Ident, Option<Ident>),
    /// Block data.
    BlockData,
    /// A subroutine.
    Subroutine,
    /// A function.
    Function,
    /// `module procedure name`, whose interface is elsewhere.
    ModuleProcedure,
}

impl UnitKind {
    /// The word in its END statement.
    pub fn word(&self) -> &'static str {
        match self {
            UnitKind::Program => "program",
            UnitKind::Module => "module",
            UnitKind::Submodule(..) => "submodule",
            UnitKind::BlockData => "block data",
            UnitKind::Subroutine => "subroutine",
            UnitKind::Function => "function",
            UnitKind::ModuleProcedure => "procedure",
        }
    }
}

/// A word in front of `subroutine` or `function`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prefix {
    /// `elemental`
    Elemental,
    /// `impure`
    Impure,
    /// `module`
    Module,
    /// `non_recursive`
    NonRecursive,
    /// `pure`
    Pure,
    /// `recursive`
    Recursive,
}

impl Prefix {
    /// Every prefix.
    pub const ALL: [Prefix; 6] =
        [Prefix::Elemental, Prefix::Impure, Prefix::Module, Prefix::NonRecursive, Prefix::Pure, Prefix::Recursive];

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Prefix::Elemental => "elemental",
            Prefix::Impure => "impure",
            Prefix::Module => "module",
            Prefix::NonRecursive => "non_recursive",
            Prefix::Pure => "pure",
            Prefix::Recursive => "recursive",
        }
    }
}

/// A dummy argument.
#[derive(Clone, Debug)]
pub enum Dummy {
    /// A name.
    Name(Ident),
    /// `*`: an alternate return.
    Label(Span),
}
