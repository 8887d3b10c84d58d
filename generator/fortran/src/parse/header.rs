//! First statements of program units and procedures.

use super::cursor::{Cursor, Parsed};
use super::keyword::{Class, Keyword};
use crate::lex::Sign;
use crate::tree::attribute::Bind;
use crate::tree::expression::{Ident, TypeSpec};
use crate::tree::header::{Dummy, Header, Prefix, UnitKind};

impl<'a> Cursor<'a> {
    /// Takes the first statement of a unit; none if the statement is not one.
    pub fn header(&mut self, class: Class) -> Option<Parsed<Header>> {
        use Keyword as K;
        let Class::Keyword(keyword) = class else { return None };
        match keyword {
            K::Program => Some(self.program()),
            K::BlockData => Some(self.block_data()),
            K::Submodule => Some(self.submodule()),
            K::Module if !self.is_module_procedure() && !self.is_procedure() => Some(self.module()),
            K::Module if self.is_module_procedure() => Some(self.module_procedure()),
            K::Module
            | K::Subroutine
            | K::Function
            | K::Pure
            | K::Elemental
            | K::Impure
            | K::Recursive
            | K::NonRecursive
            | K::Integer
            | K::Real
            | K::DoublePrecision
            | K::Complex
            | K::DoubleComplex
            | K::Logical
            | K::Byte
            | K::Character
            | K::Type
            | K::Class => {
                if self.is_procedure() {
                    Some(self.procedure())
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    /// Whether prefixes and a type lead to `subroutine` or `function` with a name.
    fn is_procedure(&self) -> bool {
        let mut next = *self;
        next.prefixes().is_ok()
            && (next.keyword("subroutine") && next.peek_name().is_some()
                || next.keyword("function") && next.peek_name().is_some() && next.second_at(Sign::Open))
    }

    /// Whether it is `module procedure name`.
    fn is_module_procedure(&self) -> bool {
        let mut next = *self;
        next.keyword("module") && next.keyword("procedure") && next.peek_name().is_some() && {
            next.advance();
            next.is_done()
        }
    }

    fn plain(&self, kind: UnitKind, name: Option<Ident>) -> Header {
        Header {
            kind,
            name,
            prefixes: Vec::new(),
            result_type: None,
            arguments: Vec::new(),
            result: None,
            bind: None,
            span: self.span(),
        }
    }

    fn finished(&self, start: crate::source::Span, mut header: Header) -> Parsed<Header> {
        header.span = self.span_from(start);
        self.end().map(|()| header)
    }

    fn program(&mut self) -> Parsed<Header> {
        let start = self.span();
        self.keyword("program");
        let name = self.name()?;
        // `PROGRAM MAIN (INPUT, OUTPUT)`, of other days.
        if self.at(Sign::Open) {
            self.arguments()?;
        }
        self.finished(start, self.plain(UnitKind::Program, Some(name)))
    }

    fn module(&mut self) -> Parsed<Header> {
        let start = self.span();
        self.keyword("module");
        let name = self.name()?;
        self.finished(start, self.plain(UnitKind::Module, Some(name)))
    }

    fn module_procedure(&mut self) -> Parsed<Header> {
        let start = self.span();
        self.keyword("moduleprocedure");
        let name = self.name()?;
        self.finished(start, self.plain(UnitKind::ModuleProcedure, Some(name)))
    }

    fn block_data(&mut self) -> Parsed<Header> {
        let start = self.span();
        self.keyword("blockdata");
        let name = self.eat_name();
        self.finished(start, self.plain(UnitKind::BlockData, name))
    }

    fn submodule(&mut self) -> Parsed<Header> {
        let start = self.span();
        self.keyword("submodule");
        self.expect(Sign::Open)?;
        let module = self.name()?;
        let above = if self.eat(Sign::Colon) { Some(self.name()?) } else { None };
        self.expect(Sign::Close)?;
        let name = self.name()?;
        self.finished(start, self.plain(UnitKind::Submodule(module, above), Some(name)))
    }

    fn prefixes(&mut self) -> Parsed<(Vec<Prefix>, Option<TypeSpec>)> {
        let (mut prefixes, mut result_type) = (Vec::new(), None);
        loop {
            let behind = |prefix: &Prefix| {
                let mut next = *self;
                (next.keyword(prefix.word()) && next.peek_name().is_some()).then_some((*prefix, next))
            };
            if let Some((prefix, next)) = Prefix::ALL.iter().find_map(behind) {
                prefixes.push(prefix);
                *self = next;
                continue;
            }
            if result_type.is_some() || self.at_keyword("subroutine") || self.at_keyword("function") {
                return Ok((prefixes, result_type));
            }
            result_type = Some(self.type_spec()?);
        }
    }

    fn procedure(&mut self) -> Parsed<Header> {
        let start = self.span();
        let (prefixes, result_type) = self.prefixes()?;
        let kind = if self.keyword("subroutine") { UnitKind::Subroutine } else { UnitKind::Function };
        if matches!(kind, UnitKind::Function) {
            self.keyword("function");
        }
        let name = self.name()?;
        let arguments = self.dummies()?;
        let (result, bind) = self.header_suffix()?;
        let plain = self.plain(kind, Some(name));
        self.finished(start, Header { prefixes, result_type, arguments, result, bind, ..plain })
    }

    /// Takes dummy arguments, if there are parentheses.
    pub fn dummies(&mut self) -> Parsed<Vec<Dummy>> {
        if !self.eat(Sign::Open) || self.eat(Sign::Close) {
            return Ok(Vec::new());
        }
        let dummies = self.list(|cursor| {
            let span = cursor.span();
            if cursor.eat(Sign::Times) { Ok(Dummy::Label(span)) } else { Ok(Dummy::Name(cursor.name()?)) }
        })?;
        self.expect(Sign::Close)?;
        Ok(dummies)
    }

    /// Takes `result(r)` and `bind(c)`, in any order.
    pub fn header_suffix(&mut self) -> Parsed<(Option<Ident>, Option<Bind>)> {
        let (mut result, mut bind) = (None, None);
        loop {
            if result.is_none() && self.keyword("result") {
                self.expect(Sign::Open)?;
                result = Some(self.name()?);
                self.expect(Sign::Close)?;
            } else if bind.is_none() && self.keyword("bind") {
                bind = Some(self.bind()?);
            } else {
                return Ok((result, bind));
            }
        }
    }
}
