//! Derived types and enumerations.

use super::cursor::{Cursor, Parsed};
use super::keyword::{Class, Keyword};
use super::parser::Parser;
use crate::lex::Sign;
use crate::tree::attribute::Attribute;
use crate::tree::declaration::{Binding, Declaration, DeclarationKind, DerivedType};
use crate::tree::expression::{Expr, Ident};

impl<'a> Cursor<'a> {
    /// Whether TYPE begins a definition, not a declaration.
    pub fn is_type_definition(&self) -> bool {
        let mut next = *self;
        next.keyword("type") && !next.at(Sign::Open)
    }

    fn derived_header(&mut self) -> Parsed<DerivedType> {
        self.keyword("type");
        let attributes: Vec<Attribute> = self.attributes()?;
        let name = self.name()?;
        let mut parameters = Vec::new();
        if self.eat(Sign::Open) {
            parameters = self.names()?;
            self.expect(Sign::Close)?;
        }
        self.end()?;
        Ok(DerivedType {
            name,
            attributes,
            parameters,
            sequence: false,
            private: false,
            components: Vec::new(),
            bindings: Vec::new(),
            contains: false,
        })
    }

    fn binding(&mut self) -> Parsed<Binding> {
        if self.keyword("generic") {
            let attributes = self.attributes()?;
            let name = self.generic_name()?;
            self.expect(Sign::Points)?;
            let procedures = self.names()?;
            self.end()?;
            return Ok(Binding::Generic(attributes, name, procedures));
        }
        if self.keyword("final") {
            self.eat_colons();
            let names = self.names()?;
            self.end()?;
            return Ok(Binding::Final(names));
        }
        if !self.keyword("procedure") {
            return Err(self.fault("a procedure of the type is missing"));
        }
        let mut interface = None;
        if self.eat(Sign::Open) {
            interface = Some(self.name()?);
            self.expect(Sign::Close)?;
        }
        let attributes = self.attributes()?;
        let names = self.list(|cursor| {
            let name = cursor.name()?;
            let procedure = if cursor.eat(Sign::Points) { Some(cursor.name()?) } else { None };
            Ok((name, procedure))
        })?;
        self.end()?;
        Ok(Binding::Procedure(interface, attributes, names))
    }
}

impl<'a> Parser<'a> {
    /// Reads a derived type, up to its END TYPE.
    pub fn derived_type(&mut self) -> DeclarationKind {
        let start = self.span();
        let header = self.cursor().derived_header();
        let header = self.reported(header);
        self.advance();
        let mut derived = header;
        loop {
            match self.class() {
                Some(Class::Keyword(Keyword::EndType)) => {
                    self.advance();
                    break;
                }
                None => {
                    self.report(start, "END TYPE is missing");
                    break;
                }
                Some(class) if self.cursor().header(class).is_some() || ends_unit(class) => {
                    self.report(start, "END TYPE is missing");
                    break;
                }
                Some(class) => {
                    let line = self.type_line(class, derived.as_ref().is_some_and(|derived| derived.contains));
                    self.advance();
                    if let Some(derived) = &mut derived {
                        line.add_to(derived);
                    }
                }
            }
        }
        derived.map_or(DeclarationKind::Unread, |derived| DeclarationKind::Derived(Box::new(derived)))
    }

    fn type_line(&mut self, class: Class, contains: bool) -> TypeLine {
        let (label, span) = (self.label(), self.span());
        let mut cursor = self.cursor();
        if let Some(kind) = self.verbatim() {
            return TypeLine::Component(Declaration { label, kind, span });
        }
        match class {
            Class::Keyword(Keyword::Private) => return TypeLine::Private,
            Class::Keyword(Keyword::Sequence) => return TypeLine::Sequence,
            Class::Keyword(Keyword::Contains) => return TypeLine::Contains,
            _ => {}
        }
        if contains {
            let binding = cursor.binding();
            return TypeLine::Binding(self.reported(binding).unwrap_or(Binding::Unread));
        }
        let component = match class {
            Class::Keyword(keyword) => cursor.declaration(keyword),
            Class::Unread => Ok(DeclarationKind::Unread),
            _ => Err(cursor.fault("a component is missing")),
        };
        let kind = self.reported(component).unwrap_or(DeclarationKind::Unread);
        TypeLine::Component(Declaration { label, kind, span })
    }

    /// Reads an enumeration, up to its END ENUM.
    pub fn enumeration(&mut self) -> DeclarationKind {
        let start = self.span();
        self.advance();
        let mut enumerators: Vec<(Ident, Option<Expr>)> = Vec::new();
        loop {
            let mut cursor = match self.class() {
                Some(Class::Keyword(Keyword::Enumerator)) => self.cursor(),
                Some(Class::Keyword(Keyword::EndEnum)) => {
                    self.advance();
                    return DeclarationKind::Enum(enumerators);
                }
                Some(Class::Directive) => {
                    self.advance();
                    continue;
                }
                _ => {
                    self.report(start, "END ENUM is missing");
                    return DeclarationKind::Enum(enumerators);
                }
            };
            cursor.keyword("enumerator");
            cursor.eat_colons();
            let line = cursor.list(Cursor::enumerator).and_then(|line| cursor.end().map(|()| line));
            enumerators.extend(self.reported(line).unwrap_or_default());
            self.advance();
        }
    }
}

/// A line of a derived type.
enum TypeLine {
    Private,
    Sequence,
    Contains,
    Component(Declaration),
    Binding(Binding),
}

impl TypeLine {
    fn add_to(self, derived: &mut DerivedType) {
        match self {
            TypeLine::Private if derived.contains => derived.bindings.push(Binding::Private),
            TypeLine::Private => derived.private = true,
            TypeLine::Sequence => derived.sequence = true,
            TypeLine::Contains => derived.contains = true,
            TypeLine::Component(component) => derived.components.push(component),
            TypeLine::Binding(binding) => derived.bindings.push(binding),
        }
    }
}

/// Whether a statement ends a program unit.
pub fn ends_unit(class: Class) -> bool {
    use Keyword as K;
    matches!(
        class,
        Class::Keyword(
            K::End
                | K::EndFunction
                | K::EndModule
                | K::EndProcedure
                | K::EndProgram
                | K::EndSubmodule
                | K::EndSubroutine
                | K::EndBlockData
        )
    )
}
