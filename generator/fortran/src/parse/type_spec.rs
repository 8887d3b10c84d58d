//! Types, dimensions and attributes.

use super::cursor::{Cursor, Parsed};
use crate::lex::{Kind, Sign};
use crate::tree::attribute::{Attribute, Bind, Dim, Intent};
use crate::tree::expression::{Argument, ArgumentValue, Base, Expr, KindSelector, Length, TypeSpec};

/// The longer words first: in fixed form `doubleprecisionx` begins with one of them.
const BASES: [(&str, Base); 7] = [
    ("doubleprecision", Base::DoublePrecision),
    ("doublecomplex", Base::DoubleComplex),
    ("integer", Base::Integer),
    ("real", Base::Real),
    ("complex", Base::Complex),
    ("logical", Base::Logical),
    ("byte", Base::Byte),
];

const PLAIN_ATTRIBUTES: [Attribute; 24] = [
    Attribute::Abstract,
    Attribute::Allocatable,
    Attribute::Asynchronous,
    Attribute::Automatic,
    Attribute::Contiguous,
    Attribute::Deferred,
    Attribute::External,
    Attribute::Intrinsic,
    Attribute::Kind,
    Attribute::Len,
    Attribute::NoPass,
    Attribute::NonOverridable,
    Attribute::Optional,
    Attribute::Parameter,
    Attribute::Pointer,
    Attribute::Private,
    Attribute::Protected,
    Attribute::Public,
    Attribute::Save,
    Attribute::Static,
    Attribute::Target,
    Attribute::Value,
    Attribute::Volatile,
    Attribute::Pass(None),
];

impl<'a> Cursor<'a> {
    /// Takes a type as a declaration begins with it.
    pub fn type_spec(&mut self) -> Parsed<TypeSpec> {
        if let Some((_, base)) = BASES.iter().find(|(word, _)| self.keyword(word)) {
            return Ok(TypeSpec::Number(*base, self.kind_selector()?));
        }
        if self.keyword("character") {
            return self.character();
        }
        let polymorphic = self.keyword("class");
        if !polymorphic && !self.keyword("type") {
            return Err(self.fault("a type is missing"));
        }
        self.expect(Sign::Open)?;
        let spec = if self.eat(Sign::Times) { TypeSpec::Unlimited { polymorphic } } else { self.derived(polymorphic)? };
        self.expect(Sign::Close)?;
        Ok(spec)
    }

    /// Takes a type behind which the next parenthesis has another meaning: `implicit real*8 (a-h)`.
    pub fn type_without_kind(&mut self) -> Parsed<TypeSpec> {
        if let Some((_, base)) = BASES.iter().find(|(word, _)| self.keyword(word)) {
            let kind = if self.at(Sign::Times) { self.kind_selector()? } else { None };
            return Ok(TypeSpec::Number(*base, kind));
        }
        if !self.keyword("character") {
            return Err(self.fault("a type is missing"));
        }
        let length = if self.eat(Sign::Times) { Some(self.star_length()?) } else { None };
        Ok(TypeSpec::Character(length, None))
    }

    /// Takes a type as it stands in `[type :: …]` and `allocate (type :: …)`: a derived one by its name.
    pub fn type_name(&mut self) -> Parsed<TypeSpec> {
        let known = BASES.iter().any(|(word, _)| self.at_keyword(word)) || self.at_keyword("character");
        let declared = ["type", "class"].iter().any(|word| self.at_keyword(word)) && self.second_at(Sign::Open);
        if known || declared { self.type_spec() } else { self.derived(false) }
    }

    /// Takes the name of a derived type with its parameters; `type(integer)` is the intrinsic type.
    fn derived(&mut self, polymorphic: bool) -> Parsed<TypeSpec> {
        let intrinsic = BASES.iter().any(|(word, _)| self.at_keyword(word)) || self.at_keyword("character");
        if intrinsic && !polymorphic {
            let mut behind = *self;
            if behind.type_spec().is_ok() && (behind.is_done() || behind.at(Sign::Close)) {
                return self.type_spec();
            }
        }
        let name = self.name()?;
        let parameters = if self.at(Sign::Open) { self.arguments()? } else { Vec::new() };
        Ok(TypeSpec::Derived { polymorphic, name, parameters })
    }

    fn kind_selector(&mut self) -> Parsed<Option<KindSelector>> {
        if self.eat(Sign::Times) {
            let bytes = self.label().map_err(|_| self.fault("a number of bytes is missing"))?;
            return Ok(Some(KindSelector::Bytes(bytes.number)));
        }
        if !self.eat(Sign::Open) {
            return Ok(None);
        }
        if self.at_keyword("kind") && self.second_at(Sign::Assign) {
            self.advance();
            self.advance();
        }
        let kind = self.expression()?;
        self.expect(Sign::Close)?;
        Ok(Some(KindSelector::Kind(Box::new(kind))))
    }

    /// Takes what follows `character`.
    fn character(&mut self) -> Parsed<TypeSpec> {
        if self.eat(Sign::Times) {
            let length = self.star_length()?;
            // `CHARACTER*8, X`: a comma of FORTRAN 77.
            if self.at(Sign::Comma) && !self.has_colons() {
                self.advance();
            }
            return Ok(TypeSpec::Character(Some(length), None));
        }
        if !self.at(Sign::Open) {
            return Ok(TypeSpec::Character(None, None));
        }
        let (mut length, mut kind) = (None, None);
        for (i, argument) in self.arguments()?.into_iter().enumerate() {
            let is_kind = match &argument.keyword {
                Some(keyword) => &*keyword.name == "kind",
                None => i == 1,
            };
            match (is_kind, argument.value) {
                (true, ArgumentValue::Expr(value)) => kind = Some(Box::new(value)),
                (false, value) => length = Some(self.length(value)?),
                (true, _) => return Err(self.fault("a kind is missing")),
            }
        }
        Ok(TypeSpec::Character(length, kind))
    }

    fn length(&self, value: ArgumentValue) -> Parsed<Length> {
        match value {
            ArgumentValue::Expr(value) => Ok(Length::Expr(Box::new(value))),
            ArgumentValue::Star(_) => Ok(Length::Assumed),
            ArgumentValue::Section(section) if section.lower.is_none() && section.upper.is_none() => {
                Ok(Length::Deferred)
            }
            _ => Err(self.fault("a length is missing")),
        }
    }

    /// Takes a length behind `*`: `8`, `(*)`, `(n)`.
    pub fn star_length(&mut self) -> Parsed<Length> {
        if let Some((Kind::Integer, _)) = self.peek() {
            return Ok(Length::Expr(Box::new(self.primary()?)));
        }
        let arguments = self.arguments()?;
        match <[Argument; 1]>::try_from(arguments) {
            Ok([argument]) => self.length(argument.value),
            Err(_) => Err(self.fault("one length is missing")),
        }
    }

    /// Whether `::` follows outside of parentheses.
    pub fn has_colons(&self) -> bool {
        self.has_outside(|next| next.at(Sign::Colon) && next.second_at(Sign::Colon))
    }

    /// Takes `(1:n, *)`.
    pub fn dims(&mut self) -> Parsed<Vec<Dim>> {
        self.expect(Sign::Open)?;
        let dims = self.list(Cursor::dim)?;
        self.expect(Sign::Close)?;
        Ok(dims)
    }

    /// Takes `[1:n, *]`.
    pub fn codims(&mut self) -> Parsed<Vec<Dim>> {
        self.expect(Sign::OpenBracket)?;
        let dims = self.list(Cursor::dim)?;
        self.expect(Sign::CloseBracket)?;
        Ok(dims)
    }

    fn dim(&mut self) -> Parsed<Dim> {
        if self.eat(Sign::Period) {
            self.expect(Sign::Period)?;
            return Ok(Dim::AssumedRank);
        }
        if self.eat(Sign::Times) {
            return Ok(Dim::Star(None));
        }
        if self.eat(Sign::Colon) {
            return Ok(Dim::Assumed(None));
        }
        let first: Expr = self.expression()?;
        if !self.eat(Sign::Colon) {
            return Ok(Dim::Explicit(None, first));
        }
        if self.eat(Sign::Times) {
            return Ok(Dim::Star(Some(first)));
        }
        let ends = [Sign::Comma, Sign::Close, Sign::CloseBracket].iter().any(|sign| self.at(*sign));
        if ends { Ok(Dim::Assumed(Some(first))) } else { Ok(Dim::Explicit(Some(first), self.expression()?)) }
    }

    /// Takes an attribute.
    pub fn attribute(&mut self) -> Parsed<Attribute> {
        if self.keyword("dimension") {
            return Ok(Attribute::Dimension(self.dims()?));
        }
        if self.keyword("codimension") {
            return Ok(Attribute::Codimension(self.codims()?));
        }
        if self.keyword("intent") {
            return Ok(Attribute::Intent(self.intent()?));
        }
        if self.keyword("bind") {
            return Ok(Attribute::Bind(self.bind()?));
        }
        if self.keyword("extends") {
            self.expect(Sign::Open)?;
            let parent = self.name()?;
            self.expect(Sign::Close)?;
            return Ok(Attribute::Extends(parent));
        }
        let found = PLAIN_ATTRIBUTES.iter().find(|attribute| self.is_word(attribute.word()));
        let Some(found) = found else { return Err(self.fault("an attribute is missing")) };
        self.advance();
        if !matches!(found, Attribute::Pass(_)) || !self.eat(Sign::Open) {
            return Ok(found.clone());
        }
        let name = self.name()?;
        self.expect(Sign::Close)?;
        Ok(Attribute::Pass(Some(name)))
    }

    /// Whether the next name is a word as a whole.
    pub fn is_word(&self, word: &str) -> bool {
        self.peek_name() == Some(word)
    }

    /// Takes `(in out)`.
    pub fn intent(&mut self) -> Parsed<Intent> {
        self.expect(Sign::Open)?;
        let intent = if self.keyword("inout") {
            Intent::InOut
        } else if self.keyword("in") {
            Intent::In
        } else if self.keyword("out") {
            Intent::Out
        } else {
            return Err(self.fault("`in`, `out` or `inout` is missing"));
        };
        self.expect(Sign::Close)?;
        Ok(intent)
    }

    /// Takes `(c, name = 'text')`.
    pub fn bind(&mut self) -> Parsed<Bind> {
        self.expect(Sign::Open)?;
        if !self.keyword("c") {
            return Err(self.fault("`c` is missing"));
        }
        let mut name = None;
        if self.eat(Sign::Comma) {
            if !self.keyword("name") {
                return Err(self.fault("`name =` is missing"));
            }
            self.expect(Sign::Assign)?;
            name = Some(Box::new(self.expression()?));
        }
        self.expect(Sign::Close)?;
        Ok(Bind { name })
    }
}
