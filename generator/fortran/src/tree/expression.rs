//! Expressions, what they refer to, and types, whose kinds and lengths are expressions.

use super::operator::{Binary, Unary};
use crate::form::Label;
use crate::source::Span;
use crate::stack::deep;

/// A name, in lower case, and where it stands.
#[derive(Clone, Debug)]
pub struct Ident {
    /// The name.
    pub name: Box<str>,
    /// Its place, where the user's own spelling is.
    pub span: Span,
}

/// An expression, nested as deeply as it likes.
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
}

/// The kind behind a constant: `_8` or `_wp`.
#[derive(Clone, Debug)]
pub enum KindSuffix {
    /// A number.
    Number(u32),
    /// A named constant.
    Name(Ident),
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `12_8`: its digits.
    Integer(Box<str>, Option<KindSuffix>),
    /// `1.5d0`: as it is written, in lower case.
    Real(Box<str>, Option<KindSuffix>),
    /// `(re, im)`.
    Complex(Box<Expr>, Box<Expr>),
    /// `.true.`.
    Logical(bool, Option<KindSuffix>),
    /// `'text'`: its characters.
    Text(Box<str>, Option<KindSuffix>),
    /// `4Htext`: its characters.
    Hollerith(Box<str>),
    /// `z'ff'`: the letter of the base, then the digits.
    Boz(Box<str>),
    /// A variable, a part of one, a call, a constructor.
    Reference(Reference),
    /// `-a`.
    Unary(Unary, Box<Expr>),
    /// `a + b`.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `(a)`, which keeps the order of evaluation.
    Parenthesised(Box<Expr>),
    /// `[real :: a, b]`.
    Array(Option<Box<TypeSpec>>, Vec<Expr>),
    /// `(a(i), i = 1, n)`.
    ImpliedDo(Box<ImpliedDo>),
    /// `'text'(1:2)`.
    Substring(Box<Expr>, Box<Section>),
}

/// A loop in a list.
#[derive(Clone, Debug)]
pub struct ImpliedDo {
    /// The type of its variable, where the loop declares it.
    pub spec: Option<TypeSpec>,
    /// What each pass lists.
    pub items: Vec<Expr>,
    /// Its variable.
    pub variable: Ident,
    /// First, last, and a step.
    pub bounds: Vec<Expr>,
}

/// `a%b(i)%c`: names with what stands in parentheses behind them.
#[derive(Clone, Debug)]
pub struct Reference {
    /// At least one.
    pub parts: Vec<Part>,
    /// The place of all of them.
    pub span: Span,
}

/// A part of a reference.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name.
    pub name: Ident,
    /// What stands in parentheses, one list for each pair: `s(i)(1:2)`.
    pub lists: Vec<Vec<Argument>>,
    /// What stands in brackets: the image.
    pub image: Option<Vec<Argument>>,
}

/// An item in parentheses.
#[derive(Clone, Debug)]
pub struct Argument {
    /// `keyword =`.
    pub keyword: Option<Ident>,
    /// The item.
    pub value: ArgumentValue,
}

/// What is passed, or selected.
#[derive(Clone, Debug)]
pub enum ArgumentValue {
    /// A value or a subscript.
    Expr(Expr),
    /// `a:b:c`; `:` alone may also be a length that is deferred.
    Section(Section),
    /// `*10`: where to go on after an alternate return.
    Label(Label),
    /// `*`: a default unit or format, an assumed size or length.
    Star(Span),
    /// `1:*`: a lower bound, the last of the codimensions of an allocated object.
    StarFrom(Expr),
    /// `..`: an assumed rank.
    AssumedRank(Span),
    /// `%val(x)`, `%ref(x)`, `%loc(x)`.
    Percent(Ident, Expr),
}

/// `lower:upper:stride`, each optional.
#[derive(Clone, Debug)]
pub struct Section {
    /// The first.
    pub lower: Option<Box<Expr>>,
    /// The last.
    pub upper: Option<Box<Expr>>,
    /// From one to the next.
    pub stride: Option<Box<Expr>>,
    /// Its place.
    pub span: Span,
}

/// A type.
#[derive(Clone, Debug)]
pub enum TypeSpec {
    /// A number or a truth value.
    Number(Base, Option<KindSelector>),
    /// `character`: its length and its kind.
    Character(Option<Length>, Option<Box<Expr>>),
    /// `type(name(parameters))`, `class(name)`.
    Derived {
        /// `class`.
        polymorphic: bool,
        /// The type.
        name: Ident,
        /// Its parameters.
        parameters: Vec<Argument>,
    },
    /// `type(*)` or, polymorphic, `class(*)`.
    Unlimited {
        /// `class`.
        polymorphic: bool,
    },
}

/// A type of numbers or truth values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// `integer`
    Integer,
    /// `real`
    Real,
    /// `double precision`
    DoublePrecision,
    /// `complex`
    Complex,
    /// `double complex`
    DoubleComplex,
    /// `logical`
    Logical,
    /// `byte`
    Byte,
}

impl Base {
    /// The type as it is written.
    pub fn text(self) -> &'static str {
        match self {
            Base::Integer => "integer",
            Base::Real => "real",
            Base::DoublePrecision => "double precision",
            Base::Complex => "complex",
            Base::DoubleComplex => "double complex",
            Base::Logical => "logical",
            Base::Byte => "byte",
        }
    }
}

/// How a kind is selected.
#[derive(Clone, Debug)]
pub enum KindSelector {
    /// `(8)`, `(kind=wp)`.
    Kind(Box<Expr>),
    /// `*8`: bytes, both parts of a complex number together.
    Bytes(u32),
}

/// The length of a character.
#[derive(Clone, Debug)]
pub enum Length {
    /// Given.
    Expr(Box<Expr>),
    /// `*`: the argument's or the constant's.
    Assumed,
    /// `:`: set by ALLOCATE or an assignment.
    Deferred,
}

impl Clone for Expr {
    fn clone(&self) -> Expr {
        deep(|| Expr { kind: self.kind.clone(), span: self.span })
    }
}

impl std::fmt::Debug for Expr {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        deep(|| self.kind.fmt(f))
    }
}

impl Drop for Expr {
    fn drop(&mut self) {
        let may_be_deep = match &self.kind {
            ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Parenthesised(_) | ExprKind::Complex(..) => true,
            ExprKind::Array(..) | ExprKind::ImpliedDo(_) => true,
            ExprKind::Reference(reference) => reference.parts.iter().any(|part| !part.lists.is_empty()),
            _ => false,
        };
        if may_be_deep {
            let kind = std::mem::replace(&mut self.kind, ExprKind::Logical(false, None));
            deep(|| drop(kind));
        }
    }
}

impl Expr {
    /// The reference that the expression is.
    pub fn reference(&self) -> Option<&Reference> {
        match &self.kind {
            ExprKind::Reference(reference) => Some(reference),
            _ => None,
        }
    }

    /// The name that the expression is, without anything behind it.
    pub fn name(&self) -> Option<&Ident> {
        self.reference().and_then(Reference::name)
    }
}

impl Reference {
    /// The name, if nothing stands behind it.
    pub fn name(&self) -> Option<&Ident> {
        match self.parts.as_slice() {
            [Part { name, lists, image: None }] if lists.is_empty() => Some(name),
            _ => None,
        }
    }
}
