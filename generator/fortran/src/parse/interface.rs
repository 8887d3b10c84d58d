//! Interface blocks.

use super::cursor::{Cursor, Parsed};
use super::keyword::{Class, Keyword};
use super::parser::Parser;
use crate::tree::declaration::{Body, DeclarationKind, GenericName, Interface, InterfaceItem};
use crate::tree::expression::Ident;
use crate::tree::header::End;

impl<'a> Cursor<'a> {
    fn interface_header(&mut self) -> Parsed<(bool, Option<GenericName>)> {
        if self.keyword("abstractinterface") {
            self.end()?;
            return Ok((true, None));
        }
        self.keyword("interface");
        let name = if self.is_done() { None } else { Some(self.generic_name()?) };
        self.end()?;
        Ok((false, name))
    }

    fn interface_procedures(&mut self) -> Parsed<Vec<Ident>> {
        if !self.keyword("moduleprocedure") {
            self.keyword("procedure");
        }
        self.eat_colons();
        let names = self.names()?;
        self.end()?;
        Ok(names)
    }
}

impl<'a> Parser<'a> {
    /// Reads an interface block, up to its END INTERFACE.
    pub fn interface(&mut self) -> DeclarationKind {
        let start = self.span();
        let header = self.cursor().interface_header();
        let (is_abstract, name) = self.reported(header).unwrap_or_default();
        self.advance();
        let mut items = Vec::new();
        loop {
            match self.class() {
                Some(Class::Keyword(Keyword::EndInterface)) => {
                    self.advance();
                    break;
                }
                Some(Class::Keyword(Keyword::End)) | None => {
                    self.report(start, "END INTERFACE is missing");
                    break;
                }
                Some(class) => items.push(self.interface_item(class)),
            }
        }
        DeclarationKind::Interface(Box::new(Interface { is_abstract, name, items }))
    }

    fn interface_item(&mut self, class: Class) -> InterfaceItem {
        if let Some(DeclarationKind::Directive(sentinel, text)) = self.verbatim() {
            self.advance();
            return InterfaceItem::Directive(sentinel, text);
        }
        let mut cursor = self.cursor();
        let module = cursor.at_keyword("moduleprocedure");
        let listed = module || class == Class::Keyword(Keyword::Procedure);
        if listed {
            let names = cursor.interface_procedures();
            let names = self.reported(names);
            self.advance();
            return names.map_or(InterfaceItem::Unread, |names| InterfaceItem::Procedures(module, names));
        }
        let Some(header) = cursor.header(class) else {
            if class != Class::Unread {
                let message = cursor.fault("an interface holds procedures only: no procedure begins here");
                self.report(message.span, message.text);
            }
            self.advance();
            return InterfaceItem::Unread;
        };
        let header = self.reported(header);
        self.advance();
        let declarations = self.declarations();
        let end = self.interface_body_end();
        header.map_or(InterfaceItem::Unread, |header| InterfaceItem::Body(Box::new(Body { header, declarations, end })))
    }

    fn interface_body_end(&mut self) -> End {
        let end = End { label: self.label(), span: self.span() };
        use Keyword as K;
        match self.class() {
            Some(Class::Keyword(K::End | K::EndSubroutine | K::EndFunction | K::EndProcedure)) => self.advance(),
            _ => self.report(end.span, "END of the procedure is missing in the interface"),
        }
        end
    }
}
