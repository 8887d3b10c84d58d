//! Program units: header, declarations, actions, procedures behind CONTAINS, END.

use super::cursor::Cursor;
use super::declare::{is_declaration, may_follow_actions};
use super::derived::ends_unit;
use super::keyword::{Class, Keyword};
use super::parser::Parser;
use crate::stack::deep;
use crate::tree::attribute::Attribute;
use crate::tree::declaration::{Declaration, DeclarationKind, Entity};
use crate::tree::expression::{Argument, ArgumentValue, Ident, Reference};
use crate::tree::header::{End, Header, UnitKind};
use crate::tree::statement::{Action, Block, Statement};
use crate::tree::unit::{File, Unit};

impl<'a> Parser<'a> {
    /// Reads all units.
    pub fn file(&mut self) -> File {
        let mut file = File::default();
        let mut before = Vec::new();
        while self.class().is_some() {
            if let Some(kind) = self.verbatim() {
                before.push(Declaration { label: self.label(), kind, span: self.span() });
                self.advance();
                continue;
            }
            let position = self.position();
            let mut unit = self.unit();
            unit.declarations.splice(0..0, before.drain(..));
            if self.position() == position {
                let message = self.cursor().fault("no program unit begins here");
                self.report(message.span, message.text);
                self.advance();
                continue;
            }
            file.units.push(unit);
        }
        file
    }

    /// Reads a unit. Without a header it is a main program.
    fn unit(&mut self) -> Unit {
        let span = self.span();
        let class = self.class().unwrap_or(Class::Unknown);
        let parsed = self.cursor().header(class);
        let is_program = parsed.is_none();
        let header = match parsed {
            None => main_program(span),
            Some(header) => {
                let header = self.reported(header);
                self.advance();
                header.unwrap_or_else(|| main_program(span))
            }
        };
        let mut declarations = self.declarations();
        let mut body = Block::new();
        loop {
            let block = self.block();
            if !self.at_late_declaration() {
                body.extend(block);
                break;
            }
            // Only statement functions can precede a declaration: `block` stops at no other.
            declarations.extend(block.into_iter().filter_map(statement_function));
            declarations.extend(self.declarations());
        }
        let contains = self.class() == Some(Class::Keyword(Keyword::Contains));
        let mut contained = Vec::new();
        if contains {
            self.advance();
            contained = deep(|| self.contained());
        }
        let end = self.unit_end(&header, is_program);
        Unit { header, declarations, body, contains, contained, end }
    }

    /// Whether a declaration stands behind what may have been statement functions.
    fn at_late_declaration(&self) -> bool {
        self.class().is_some_and(|class| {
            is_declaration(class) && !may_follow_actions(class) && self.cursor().header(class).is_none()
        })
    }

    fn contained(&mut self) -> Vec<Unit> {
        let mut units = Vec::new();
        let mut before = Vec::new();
        while let Some(class) = self.class() {
            if ends_unit(class) {
                break;
            }
            if let Some(kind) = self.verbatim() {
                before.push(Declaration { label: self.label(), kind, span: self.span() });
            } else if let Class::Keyword(Keyword::Include) = class {
                let included = self.cursor().declaration(Keyword::Include);
                let kind = self.reported(included).unwrap_or(DeclarationKind::Unread);
                before.push(Declaration { label: None, kind, span: self.span() });
            } else if self.cursor().header(class).is_some() {
                let mut unit = self.unit();
                unit.declarations.splice(0..0, before.drain(..));
                units.push(unit);
                continue;
            } else if class != Class::Unread {
                let message = self.cursor().fault("a procedure is missing behind CONTAINS");
                self.report(message.span, message.text);
            }
            self.advance();
        }
        units
    }

    /// Takes the END statement of a unit.
    fn unit_end(&mut self, header: &Header, is_program: bool) -> End {
        let end = End { label: self.label(), span: self.span() };
        let name = header.name.as_ref().map_or("", |name| &name.name);
        let word = header.kind.word().to_uppercase();
        match self.class().filter(|class| ends_unit(*class)) {
            None if is_program && self.class().is_some() => {}
            None => self.report(header.span, format!("END {word} is missing")),
            Some(Class::Keyword(keyword)) => {
                let mut cursor = self.cursor();
                let expected = end_words(&header.kind).iter().any(|word| cursor.keyword(word));
                if !expected {
                    cursor.keyword("end");
                }
                let named = cursor.eat_name();
                let other = named.as_ref().is_some_and(|end| *end.name != *name);
                if (!expected && keyword != Keyword::End) || other || !cursor.is_done() {
                    self.report(end.span, format!("END {word} {name} is missing here"));
                }
                self.advance();
            }
            Some(_) => self.advance(),
        }
        end
    }

    /// Reads declarations up to the first statement that is none.
    pub fn declarations(&mut self) -> Vec<Declaration> {
        let mut declarations = Vec::new();
        while let Some(class) = self.class() {
            let (label, span) = (self.label(), self.span());
            if class == Class::Assign && is_statement_function(self.cursor(), &declarations) {
                let assignment = self.cursor().action();
                let action = self.reported(assignment).unwrap_or(Action::Unread);
                self.advance();
                declarations.extend(statement_function(Statement { label, name: None, action, span, end: None }));
                continue;
            }
            let starts_procedure = || self.cursor().header(class).is_some();
            if class == Class::Unread {
                declarations.push(Declaration { label, kind: DeclarationKind::Unread, span });
                self.advance();
                continue;
            }
            if !is_declaration(class) || starts_procedure() {
                break;
            }
            let kind = self.declaration_kind(class);
            declarations.push(Declaration { label, kind, span });
        }
        declarations
    }

    /// Reads a declaration, which may be a whole block.
    pub fn declaration_kind(&mut self, class: Class) -> DeclarationKind {
        if let Some(kind) = self.verbatim() {
            self.advance();
            return kind;
        }
        match class {
            Class::Keyword(Keyword::Type) if self.cursor().is_type_definition() => self.derived_type(),
            Class::Keyword(Keyword::Interface | Keyword::AbstractInterface) => self.interface(),
            Class::Keyword(Keyword::Enum) => self.enumeration(),
            Class::Keyword(keyword) => {
                let declaration = self.cursor().declaration(keyword);
                let kind = self.reported(declaration).unwrap_or(DeclarationKind::Unread);
                self.advance();
                kind
            }
            _ => {
                self.advance();
                DeclarationKind::Unread
            }
        }
    }
}

fn main_program(span: crate::source::Span) -> Header {
    Header {
        kind: UnitKind::Program,
        name: None,
        prefixes: Vec::new(),
        result_type: None,
        arguments: Vec::new(),
        result: None,
        bind: None,
        span,
    }
}

/// The words that may end a unit beside END.
fn end_words(kind: &UnitKind) -> &'static [&'static str] {
    match kind {
        UnitKind::Program => &["endprogram"],
        UnitKind::Module => &["endmodule"],
        UnitKind::Submodule(..) => &["endsubmodule"],
        UnitKind::BlockData => &["endblockdata"],
        UnitKind::Subroutine => &["endsubroutine", "endprocedure"],
        UnitKind::Function => &["endfunction", "endprocedure"],
        UnitKind::ModuleProcedure => &["endprocedure"],
    }
}

/// Whether an assignment defines a statement function for certain: `f(x, y) = …` where `f` is declared as a scalar.
/// Elsewhere the scopes decide, or declarations that follow.
fn is_statement_function(mut cursor: Cursor, declarations: &[Declaration]) -> bool {
    let Ok(target) = cursor.reference() else { return false };
    if parameters(&target).is_none() {
        return false;
    }
    let name = &*target.parts[0].name.name;
    let is_array = |entity: &Entity| *entity.name.name == *name && entity.dims.is_some();
    let mut scalar = false;
    for declaration in declarations {
        let array = match &declaration.kind {
            DeclarationKind::Type(_, attributes, entities) => {
                let declared = entities.iter().any(|entity| *entity.name.name == *name);
                scalar |= declared;
                let dims = attributes.iter().any(|attribute| matches!(attribute, Attribute::Dimension(_)));
                (declared && dims) || entities.iter().any(is_array)
            }
            DeclarationKind::Attribute(_, entities) => entities.iter().any(is_array),
            DeclarationKind::Common(blocks) => blocks.iter().flat_map(|block| &block.members).any(is_array),
            _ => false,
        };
        if array {
            return false;
        }
    }
    scalar
}

/// The arguments of what may be a statement function: names only.
fn parameters(target: &Reference) -> Option<Vec<Ident>> {
    let [part] = target.parts.as_slice() else { return None };
    let [list] = part.lists.as_slice() else { return None };
    if part.image.is_some() {
        return None;
    }
    let name = |argument: &Argument| match &argument.value {
        ArgumentValue::Expr(value) if argument.keyword.is_none() => value.name().cloned(),
        _ => None,
    };
    list.iter().map(name).collect()
}

/// Whether a statement may be a statement function, or anything that may stand between two of them.
pub fn may_be_statement_function(statement: &Statement) -> bool {
    match &statement.action {
        Action::Assign(target, _) => parameters(target).is_some(),
        Action::Declaration(_) | Action::Unread => true,
        _ => false,
    }
}

/// The statement as a declaration.
fn statement_function(statement: Statement) -> Option<Declaration> {
    let Statement { label, action, span, .. } = statement;
    let kind = match action {
        Action::Assign(target, value) => {
            let parameters = parameters(&target)?;
            DeclarationKind::StatementFunction(target.parts[0].name.clone(), parameters, value)
        }
        Action::Declaration(declaration) => declaration.kind,
        _ => DeclarationKind::Unread,
    };
    Some(Declaration { label, kind, span })
}
