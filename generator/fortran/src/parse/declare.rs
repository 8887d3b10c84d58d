//! Declarations of one statement.

use super::cursor::{Cursor, Parsed};
use super::keyword::{Class, Keyword};
use crate::lex::{Kind, Sign};
use crate::tree::attribute::{Attribute, Dim};
use crate::tree::declaration::{
    CommonBlock, DeclarationKind, Entity, Entry, GenericName, Import, Init, Listed, ProcedureInterface,
};
use crate::tree::expression::{Expr, Ident, Reference, TypeSpec};
use crate::tree::header::Dummy;

/// A rule of IMPLICIT: a type, and the letters that names of the type begin with.
type ImplicitRule = (TypeSpec, Vec<(char, char)>);

/// Whether a statement may stand among declarations.
pub fn is_declaration(class: Class) -> bool {
    use Keyword as K;
    match class {
        Class::Format | Class::Directive => true,
        Class::Keyword(keyword) => {
            matches!(
                keyword,
                K::AbstractInterface
                    | K::Allocatable
                    | K::Asynchronous
                    | K::Automatic
                    | K::Bind
                    | K::Byte
                    | K::Character
                    | K::Class
                    | K::Codimension
                    | K::Common
                    | K::Complex
                    | K::Contiguous
                    | K::Data
                    | K::Dimension
                    | K::DoubleComplex
                    | K::DoublePrecision
                    | K::Entry
                    | K::Enum
                    | K::Equivalence
                    | K::External
                    | K::Implicit
                    | K::Import
                    | K::Include
                    | K::Integer
                    | K::Intent
                    | K::Interface
                    | K::Intrinsic
                    | K::Logical
                    | K::Namelist
                    | K::Optional
                    | K::Parameter
                    | K::Pointer
                    | K::Private
                    | K::Procedure
                    | K::Protected
                    | K::Public
                    | K::Real
                    | K::Save
                    | K::Static
                    | K::Structure
                    | K::Target
                    | K::Type
                    | K::Use
                    | K::Value
                    | K::Volatile
            )
        }
        _ => false,
    }
}

/// Whether a declaration may stand among actions.
pub fn may_follow_actions(class: Class) -> bool {
    use Keyword as K;
    match class {
        Class::Format | Class::Directive => true,
        Class::Keyword(keyword) => matches!(keyword, K::Data | K::Entry | K::Namelist | K::Include),
        _ => false,
    }
}

impl<'a> Cursor<'a> {
    /// Takes a declaration that is a statement by itself.
    pub fn declaration(&mut self, keyword: Keyword) -> Parsed<DeclarationKind> {
        use Keyword as K;
        let kind = match keyword {
            K::Integer
            | K::Real
            | K::DoublePrecision
            | K::Complex
            | K::DoubleComplex
            | K::Logical
            | K::Byte
            | K::Character
            | K::Type
            | K::Class => self.typed()?,
            K::Procedure => self.procedures()?,
            K::Use => DeclarationKind::Use(self.module_use()?),
            K::Import => DeclarationKind::Import(self.import()?),
            K::Implicit => self.implicit()?,
            K::Parameter => self.parameters()?,
            K::Common => self.common()?,
            K::Equivalence => self.equivalence()?,
            K::Data => self.data()?,
            K::Namelist => self.namelist()?,
            K::Entry => self.entry()?,
            K::Include => self.include()?,
            K::Save | K::Bind => self.lasting()?,
            K::Public | K::Private => self.access()?,
            K::Pointer => self.pointer()?,
            K::Structure => return Err(self.fault("STRUCTURE of DEC is not read: write a derived type")),
            _ => {
                let attribute = self.attribute_word()?;
                self.eat_colons();
                DeclarationKind::Attribute(attribute, self.list(Cursor::entity)?)
            }
        };
        self.end()?;
        Ok(kind)
    }

    fn typed(&mut self) -> Parsed<DeclarationKind> {
        let spec = self.type_spec()?;
        let attributes = self.attributes()?;
        Ok(DeclarationKind::Type(spec, attributes, self.list(Cursor::entity)?))
    }

    /// Takes `, attribute … ::`.
    pub fn attributes(&mut self) -> Parsed<Vec<Attribute>> {
        let mut attributes = Vec::new();
        if !self.at(Sign::Comma) {
            self.eat_colons();
            return Ok(attributes);
        }
        while self.eat(Sign::Comma) {
            attributes.push(self.attribute()?);
        }
        if self.eat_colons() { Ok(attributes) } else { Err(self.fault("`::` is missing")) }
    }

    fn procedures(&mut self) -> Parsed<DeclarationKind> {
        self.keyword("procedure");
        self.expect(Sign::Open)?;
        let interface =
            if self.at(Sign::Close) { ProcedureInterface::Implicit } else { self.interface_of_procedure()? };
        self.expect(Sign::Close)?;
        let attributes = self.attributes()?;
        Ok(DeclarationKind::Procedure(interface, attributes, self.list(Cursor::entity)?))
    }

    fn interface_of_procedure(&mut self) -> Parsed<ProcedureInterface> {
        if self.peek_name().is_some() && self.second_at(Sign::Close) {
            let mut typed = *self;
            if let Ok(spec @ (TypeSpec::Number(..) | TypeSpec::Character(..))) = typed.type_name() {
                *self = typed;
                return Ok(ProcedureInterface::Type(spec));
            }
            return Ok(ProcedureInterface::Name(self.name()?));
        }
        Ok(ProcedureInterface::Type(self.type_spec()?))
    }

    /// Takes a name with dimensions, length and first value.
    pub fn entity(&mut self) -> Parsed<Entity> {
        let mut entity = self.member()?;
        entity.init = if self.eat(Sign::Points) {
            Some(Init::Pointer(self.expression()?))
        } else if self.eat(Sign::Assign) {
            Some(Init::Value(self.expression()?))
        } else if self.at(Sign::Slash) {
            Some(Init::Data(self.data_values()?))
        } else {
            None
        };
        Ok(entity)
    }

    /// Takes a name with dimensions and length: a slash behind it begins the next COMMON block.
    fn member(&mut self) -> Parsed<Entity> {
        let name = self.name()?;
        let mut dims = if self.at(Sign::Open) { Some(self.dims()?) } else { None };
        let codims = if self.at(Sign::OpenBracket) { Some(self.codims()?) } else { None };
        let length = if self.eat(Sign::Times) { Some(self.star_length()?) } else { None };
        if dims.is_none() && self.at(Sign::Open) {
            dims = Some(self.dims()?);
        }
        Ok(Entity { name, dims, codims, length, init: None })
    }

    /// Takes the attribute that a statement begins with.
    fn attribute_word(&mut self) -> Parsed<Attribute> {
        let plain = [
            Attribute::Allocatable,
            Attribute::Asynchronous,
            Attribute::Automatic,
            Attribute::Contiguous,
            Attribute::External,
            Attribute::Intrinsic,
            Attribute::Optional,
            Attribute::Pointer,
            Attribute::Protected,
            Attribute::Static,
            Attribute::Target,
            Attribute::Value,
            Attribute::Volatile,
        ];
        if self.keyword("intent") {
            return Ok(Attribute::Intent(self.intent()?));
        }
        if self.keyword("dimension") {
            return Ok(Attribute::Dimension(Vec::<Dim>::new()));
        }
        if self.keyword("codimension") {
            return Ok(Attribute::Codimension(Vec::<Dim>::new()));
        }
        let found = plain.into_iter().find(|attribute| self.keyword(attribute.word()));
        found.ok_or_else(|| self.fault("a declaration is missing"))
    }

    fn pointer(&mut self) -> Parsed<DeclarationKind> {
        self.keyword("pointer");
        if !self.at(Sign::Open) {
            self.eat_colons();
            return Ok(DeclarationKind::Attribute(Attribute::Pointer, self.list(Cursor::entity)?));
        }
        let pair = |cursor: &mut Cursor<'a>| {
            cursor.expect(Sign::Open)?;
            let pointer = cursor.name()?;
            cursor.expect(Sign::Comma)?;
            let target = cursor.entity()?;
            cursor.expect(Sign::Close)?;
            Ok((pointer, target))
        };
        Ok(DeclarationKind::CrayPointer(self.list(pair)?))
    }

    fn lasting(&mut self) -> Parsed<DeclarationKind> {
        let attribute = if self.keyword("save") { Attribute::Save } else { self.attribute()? };
        self.eat_colons();
        if self.is_done() {
            return Ok(DeclarationKind::Lasting(attribute, Vec::new()));
        }
        let listed = |cursor: &mut Cursor<'a>| {
            if !cursor.eat(Sign::Slash) {
                return Ok(Listed::Name(cursor.name()?));
            }
            let name = cursor.name()?;
            cursor.expect(Sign::Slash)?;
            Ok(Listed::Block(name))
        };
        Ok(DeclarationKind::Lasting(attribute, self.list(listed)?))
    }

    fn access(&mut self) -> Parsed<DeclarationKind> {
        let attribute = if self.keyword("public") {
            Attribute::Public
        } else {
            self.keyword("private");
            Attribute::Private
        };
        self.eat_colons();
        let names = if self.is_done() { Vec::new() } else { self.list(Cursor::generic_name)? };
        Ok(DeclarationKind::Access(attribute, names))
    }

    /// Takes a name, `operator(+)`, `assignment(=)` or `read(formatted)`.
    pub fn generic_name(&mut self) -> Parsed<GenericName> {
        let start = self.span();
        let mut behind = *self;
        if behind.keyword("operator") && behind.eat(Sign::Open) {
            let operator: Box<str> = match behind.peek() {
                Some((Kind::Sign(sign), _)) => sign.text().into(),
                Some((Kind::Dotted, word)) => format!(".{word}.").into(),
                _ => return Err(behind.fault("an operator is missing")),
            };
            behind.advance();
            behind.expect(Sign::Close)?;
            *self = behind;
            return Ok(GenericName::Operator(operator, self.span_from(start)));
        }
        behind = *self;
        if behind.keyword("assignment") && behind.eat(Sign::Open) {
            behind.expect(Sign::Assign)?;
            behind.expect(Sign::Close)?;
            *self = behind;
            return Ok(GenericName::Assignment(self.span_from(start)));
        }
        let name = self.name()?;
        if !matches!(&*name.name, "read" | "write") || !self.at(Sign::Open) {
            return Ok(GenericName::Name(name));
        }
        self.expect(Sign::Open)?;
        let form = self.name()?;
        self.expect(Sign::Close)?;
        Ok(GenericName::Transfer(name.name, form.name, self.span_from(start)))
    }

    fn import(&mut self) -> Parsed<Import> {
        self.keyword("import");
        if self.eat(Sign::Comma) {
            if self.keyword("none") {
                return Ok(Import::None);
            }
            if self.keyword("all") {
                return Ok(Import::All);
            }
            if !self.keyword("only") {
                return Err(self.fault("`only`, `none` or `all` is missing"));
            }
            self.expect(Sign::Colon)?;
            return Ok(Import::Names(self.names()?));
        }
        self.eat_colons();
        Ok(if self.is_done() { Import::All } else { Import::Names(self.names()?) })
    }

    fn implicit(&mut self) -> Parsed<DeclarationKind> {
        self.keyword("implicit");
        if self.keyword("undefined") {
            self.skip_brackets();
            return Ok(DeclarationKind::ImplicitNone(true, false));
        }
        if self.keyword("none") {
            let words = if self.eat(Sign::Open) { self.names()? } else { Vec::new() };
            if !words.is_empty() {
                self.expect(Sign::Close)?;
            }
            let has = |word: &str| words.iter().any(|name| &*name.name == word);
            return Ok(DeclarationKind::ImplicitNone(words.is_empty() || has("type"), has("external")));
        }
        Ok(DeclarationKind::Implicit(self.list(Cursor::implicit_rule)?))
    }

    fn implicit_rule(&mut self) -> Parsed<ImplicitRule> {
        // `real (a-h)` has letters where `real (8) (a-h)` has a kind.
        let mut behind = *self;
        while !behind.is_done() && !behind.at(Sign::Open) {
            behind.advance();
        }
        behind.skip_brackets();
        let start = self.span();
        let spec = if behind.at(Sign::Open) { self.type_spec()? } else { self.type_without_kind()? };
        self.expect(Sign::Open)?;
        let letters = self.list(|cursor| {
            let letter = |cursor: &mut Cursor<'a>| {
                let name = cursor.name()?;
                match name.name.chars().next().filter(|_| name.name.len() == 1) {
                    Some(letter) => Ok(letter),
                    None => Err(cursor.fault("a letter is missing")),
                }
            };
            let first = letter(cursor)?;
            Ok((first, if cursor.eat(Sign::Minus) { letter(cursor)? } else { first }))
        })?;
        self.expect(Sign::Close).map_err(|mut message| {
            message.span = self.span_from(start);
            message
        })?;
        Ok((spec, letters))
    }

    fn parameters(&mut self) -> Parsed<DeclarationKind> {
        self.keyword("parameter");
        let bare = !self.eat(Sign::Open);
        let constants = self.list(|cursor| {
            let name = cursor.name()?;
            cursor.expect(Sign::Assign)?;
            Ok((name, cursor.expression()?))
        })?;
        if !bare {
            self.expect(Sign::Close)?;
        }
        Ok(DeclarationKind::Parameter(constants))
    }

    fn common(&mut self) -> Parsed<DeclarationKind> {
        self.keyword("common");
        let mut blocks = Vec::new();
        while !self.is_done() {
            let name = if self.eat(Sign::Concat) { None } else { self.slashed()? };
            let mut members = vec![self.member()?];
            while self.eat(Sign::Comma) {
                if self.at(Sign::Slash) || self.at(Sign::Concat) {
                    break;
                }
                members.push(self.member()?);
            }
            blocks.push(CommonBlock { name, members });
        }
        Ok(DeclarationKind::Common(blocks))
    }

    /// Takes `/name/` or `/ /`, if there is one.
    fn slashed(&mut self) -> Parsed<Option<Ident>> {
        if !self.eat(Sign::Slash) {
            return Ok(None);
        }
        let name = self.eat_name();
        self.expect(Sign::Slash)?;
        Ok(name)
    }

    fn equivalence(&mut self) -> Parsed<DeclarationKind> {
        self.keyword("equivalence");
        let set = |cursor: &mut Cursor<'a>| -> Parsed<Vec<Reference>> {
            cursor.expect(Sign::Open)?;
            let objects = cursor.list(Cursor::reference)?;
            cursor.expect(Sign::Close)?;
            Ok(objects)
        };
        Ok(DeclarationKind::Equivalence(self.list(set)?))
    }

    fn namelist(&mut self) -> Parsed<DeclarationKind> {
        self.keyword("namelist");
        let mut groups = Vec::new();
        while !self.is_done() {
            let Some(group) = self.slashed()? else { return Err(self.fault("`/group/` is missing")) };
            let mut names = vec![self.name()?];
            while self.eat(Sign::Comma) {
                if self.at(Sign::Slash) {
                    break;
                }
                names.push(self.name()?);
            }
            groups.push((group, names));
        }
        Ok(DeclarationKind::Namelist(groups))
    }

    fn entry(&mut self) -> Parsed<DeclarationKind> {
        self.keyword("entry");
        let name = self.name()?;
        let arguments: Vec<Dummy> = self.dummies()?;
        let (result, bind) = self.header_suffix()?;
        Ok(DeclarationKind::Entry(Entry { name, arguments, result, bind }))
    }

    fn include(&mut self) -> Parsed<DeclarationKind> {
        self.keyword("include");
        let Some((Kind::Text, file)) = self.peek() else { return Err(self.fault("a file in quotes is missing")) };
        self.advance();
        Ok(DeclarationKind::Include(file.into()))
    }

    /// Takes `name = value` of an enumerator.
    pub fn enumerator(&mut self) -> Parsed<(Ident, Option<Expr>)> {
        let name = self.name()?;
        Ok((name, if self.eat(Sign::Assign) { Some(self.expression()?) } else { None }))
    }
}
