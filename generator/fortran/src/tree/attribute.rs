//! Dimensions and attributes as they are written.

use super::expression::{Expr, Ident};

/// One dimension of an array.
#[derive(Clone, Debug)]
pub enum Dim {
    /// `upper` or `lower:upper`.
    Explicit(Option<Expr>, Expr),
    /// `:` or `lower:`: the argument's shape, or one that is deferred.
    Assumed(Option<Expr>),
    /// `*` or `lower:*`: the argument's size, or the constant's shape.
    Star(Option<Expr>),
    /// `..`.
    AssumedRank,
}

/// What happens to a dummy argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intent {
    /// Read.
    In,
    /// Written.
    Out,
    /// Read and written.
    InOut,
}

/// `bind(c, name = 'text')`.
#[derive(Clone, Debug)]
pub struct Bind {
    /// The name.
    pub name: Option<Box<Expr>>,
}

/// What a declaration says about names beside their type.
#[derive(Clone, Debug)]
pub enum Attribute {
    /// `abstract`
    Abstract,
    /// `allocatable`
    Allocatable,
    /// `asynchronous`
    Asynchronous,
    /// `automatic`
    Automatic,
    /// `bind(c)`
    Bind(Bind),
    /// `codimension[…]`
    Codimension(Vec<Dim>),
    /// `contiguous`
    Contiguous,
    /// `deferred`
    Deferred,
    /// `dimension(…)`
    Dimension(Vec<Dim>),
    /// `extends(name)`
    Extends(Ident),
    /// `external`
    External,
    /// `intent(…)`
    Intent(Intent),
    /// `intrinsic`
    Intrinsic,
    /// `kind`, of a type's parameter
    Kind,
    /// `len`, of a type's parameter
    Len,
    /// `nopass`
    NoPass,
    /// `non_overridable`
    NonOverridable,
    /// `optional`
    Optional,
    /// `parameter`
    Parameter,
    /// `pass`, `pass(name)`
    Pass(Option<Ident>),
    /// `pointer`
    Pointer,
    /// `private`
    Private,
    /// `protected`
    Protected,
    /// `public`
    Public,
    /// `save`
    Save,
    /// `static`
    Static,
    /// `target`
    Target,
    /// `value`
    Value,
    /// `volatile`
    Volatile,
}

impl Attribute {
    /// The attribute's own word.
    pub fn word(&self) -> &'static str {
        match self {
            Attribute::Abstract => "abstract",
            Attribute::Allocatable => "allocatable",
            Attribute::Asynchronous => "asynchronous",
            Attribute::Automatic => "automatic",
            Attribute::Bind(_) => "bind",
            Attribute::Codimension(_) => "codimension",
            Attribute::Contiguous => "contiguous",
            Attribute::Deferred => "deferred",
            Attribute::Dimension(_) => "dimension",
            Attribute::Extends(_) => "extends",
            Attribute::External => "external",
            Attribute::Intent(_) => "intent",
            Attribute::Intrinsic => "intrinsic",
            Attribute::Kind => "kind",
            Attribute::Len => "len",
            Attribute::NoPass => "nopass",
            Attribute::NonOverridable => "non_overridable",
            Attribute::Optional => "optional",
            Attribute::Parameter => "parameter",
            Attribute::Pass(_) => "pass",
            Attribute::Pointer => "pointer",
            Attribute::Private => "private",
            Attribute::Protected => "protected",
            Attribute::Public => "public",
            Attribute::Save => "save",
            Attribute::Static => "static",
            Attribute::Target => "target",
            Attribute::Value => "value",
            Attribute::Volatile => "volatile",
        }
    }
}
