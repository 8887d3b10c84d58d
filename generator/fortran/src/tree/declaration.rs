//! Declarations.

use super::attribute::{Attribute, Bind, Dim};
use super::expression::{Expr, Ident, Length, Reference, TypeSpec};
use super::header::{Dummy, End, Header};
use crate::form::Label;
use crate::source::Span;

/// A declaration.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The statement's label.
    pub label: Option<Label>,
    /// What it declares.
    pub kind: DeclarationKind,
    /// Its place.
    pub span: Span,
}

/// What is declared.
#[derive(Clone, Debug)]
pub enum DeclarationKind {
    /// `integer, save :: i = 1, j`.
    Type(TypeSpec, Vec<Attribute>, Vec<Entity>),
    /// `procedure(f), pointer :: p => null()`.
    Procedure(ProcedureInterface, Vec<Attribute>, Vec<Entity>),
    /// `dimension a(3)`, `external f`: an attribute of entities.
    Attribute(Attribute, Vec<Entity>),
    /// `public :: a, operator(+)`: an attribute of names that others see; without names of all.
    Access(Attribute, Vec<GenericName>),
    /// `save a, /block/`, `bind(c) :: /block/`; without names of all.
    Lasting(Attribute, Vec<Listed>),
    /// `parameter (a = 1)`.
    Parameter(Vec<(Ident, Expr)>),
    /// `common /block/ a, b(3)`.
    Common(Vec<CommonBlock>),
    /// `equivalence (a, b(2))`.
    Equivalence(Vec<Vec<Reference>>),
    /// `data a, b / 1, 3*2.0 /`.
    Data(Vec<DataSet>),
    /// `implicit none`: of types, of externals.
    ImplicitNone(bool, bool),
    /// `implicit real(8) (a-h, o-z)`.
    Implicit(Vec<(TypeSpec, Vec<(char, char)>)>),
    /// `use m, only: a => b`.
    Use(Use),
    /// `import`.
    Import(Import),
    /// `namelist /group/ a, b`.
    Namelist(Vec<(Ident, Vec<Ident>)>),
    /// A derived type.
    Derived(Box<DerivedType>),
    /// An interface block.
    Interface(Box<Interface>),
    /// `enum, bind(c)` with its enumerators.
    Enum(Vec<(Ident, Option<Expr>)>),
    /// `f(x, y) = x + y`.
    StatementFunction(Ident, Vec<Ident>, Expr),
    /// `entry name(arguments) result(r)`.
    Entry(Entry),
    /// `format (…)`: its text, parentheses included.
    Format(Box<str>),
    /// `pointer (p, x)` of Cray.
    CrayPointer(Vec<(Ident, Entity)>),
    /// `include 'file'` whose file was not found.
    Include(Box<str>),
    /// A directive: its sentinel and its text.
    Directive(Box<str>, Box<str>),
    /// A statement that could not be read; a message says why.
    Unread,
}

/// A name with what its declaration adds.
#[derive(Clone, Debug)]
pub struct Entity {
    /// The name.
    pub name: Ident,
    /// Its dimensions.
    pub dims: Option<Vec<Dim>>,
    /// Its codimensions.
    pub codims: Option<Vec<Dim>>,
    /// `*8`: the length of a character, in extended Fortran also bytes of a number.
    pub length: Option<Length>,
    /// Its first value.
    pub init: Option<Init>,
}

/// A first value.
#[derive(Clone, Debug)]
pub enum Init {
    /// `= value`
    Value(Expr),
    /// `=> target`
    Pointer(Expr),
    /// `/ 1, 2 /`
    Data(Vec<DataValue>),
}

/// The interface of procedures that are declared without a body.
#[derive(Clone, Debug)]
pub enum ProcedureInterface {
    /// `procedure()`
    Implicit,
    /// `procedure(name)`
    Name(Ident),
    /// `procedure(real)`
    Type(TypeSpec),
}

/// The name of an interface, or what else it extends.
#[derive(Clone, Debug)]
pub enum GenericName {
    /// A name.
    Name(Ident),
    /// `operator(+)`, `operator(.mine.)`: the operator as it is written.
    Operator(Box<str>, Span),
    /// `assignment(=)`
    Assignment(Span),
    /// `read(formatted)`: both words.
    Transfer(Box<str>, Box<str>, Span),
}

/// A variable or a COMMON block in a list.
#[derive(Clone, Debug)]
pub enum Listed {
    /// A variable.
    Name(Ident),
    /// `/block/`
    Block(Ident),
}

/// A part of a COMMON block.
#[derive(Clone, Debug)]
pub struct CommonBlock {
    /// Its name; none for blank COMMON.
    pub name: Option<Ident>,
    /// Its members.
    pub members: Vec<Entity>,
}

/// Objects with their first values.
#[derive(Clone, Debug)]
pub struct DataSet {
    /// Variables and implied loops.
    pub objects: Vec<Expr>,
    /// Their values.
    pub values: Vec<DataValue>,
}

/// `3*0.0`
#[derive(Clone, Debug)]
pub struct DataValue {
    /// How often.
    pub repeat: Option<Expr>,
    /// The value.
    pub value: Expr,
}

/// `use, intrinsic :: module, only: local => name`
#[derive(Clone, Debug)]
pub struct Use {
    /// `intrinsic` (true) or `non_intrinsic`.
    pub intrinsic: Option<bool>,
    /// The module.
    pub module: Ident,
    /// Nothing but the items.
    pub only: bool,
    /// Names taken over: under which name, and that of the module if it is another.
    pub items: Vec<(GenericName, Option<GenericName>)>,
}

/// `import`, what a body sees of its host.
#[derive(Clone, Debug)]
pub enum Import {
    /// `import, all` or `import` without names.
    All,
    /// `import, none`.
    None,
    /// `import, only: a` or `import :: a`.
    Names(Vec<Ident>),
}

/// A derived type.
#[derive(Clone, Debug)]
pub struct DerivedType {
    /// Its name.
    pub name: Ident,
    /// `abstract`, `extends(…)`, `bind(c)`, `public`.
    pub attributes: Vec<Attribute>,
    /// The names of its parameters.
    pub parameters: Vec<Ident>,
    /// `sequence`
    pub sequence: bool,
    /// `private`, for the components.
    pub private: bool,
    /// Declarations of components and parameters.
    pub components: Vec<Declaration>,
    /// What stands behind `contains`.
    pub bindings: Vec<Binding>,
    /// There is a `contains`.
    pub contains: bool,
}

/// A line behind the `contains` of a derived type.
#[derive(Clone, Debug)]
pub enum Binding {
    /// `private`
    Private,
    /// `procedure(interface), attributes :: name => procedure`
    Procedure(Option<Ident>, Vec<Attribute>, Vec<(Ident, Option<Ident>)>),
    /// `generic, attributes :: name => procedures`
    Generic(Vec<Attribute>, GenericName, Vec<Ident>),
    /// `final :: procedures`
    Final(Vec<Ident>),
    /// A line that could not be read.
    Unread,
}

/// An interface block.
#[derive(Clone, Debug)]
pub struct Interface {
    /// `abstract`
    pub is_abstract: bool,
    /// What it extends.
    pub name: Option<GenericName>,
    /// What it lists.
    pub items: Vec<InterfaceItem>,
}

/// A line of an interface block.
#[derive(Clone, Debug)]
pub enum InterfaceItem {
    /// A procedure's interface.
    Body(Box<Body>),
    /// `module procedure a` (true) or `procedure a`.
    Procedures(bool, Vec<Ident>),
    /// A directive: its sentinel and its text.
    Directive(Box<str>, Box<str>),
    /// A line that could not be read.
    Unread,
}

/// A procedure's interface.
#[derive(Clone, Debug)]
pub struct Body {
    /// The procedure.
    pub header: Header,
    /// Declarations of its arguments and its result.
    pub declarations: Vec<Declaration>,
    /// The last statement.
    pub end: End,
}

/// Another entry of a procedure.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name.
    pub name: Ident,
    /// Its arguments.
    pub arguments: Vec<Dummy>,
    /// The name of its result.
    pub result: Option<Ident>,
    /// Its name in C.
    pub bind: Option<Bind>,
}
