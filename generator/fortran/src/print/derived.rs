//! Derived types and interfaces.

use super::declaration::generic;
use super::expression::names;
use super::{Printer, list};
use crate::tree::declaration::{Binding, DerivedType, Interface, InterfaceItem};
use crate::tree::expression::Ident;

impl Printer {
    pub fn derived(&mut self, derived: &DerivedType) {
        let attributes = self.attributes(&derived.attributes);
        let parameters = match derived.parameters.as_slice() {
            [] => String::new(),
            parameters => format!("({})", names(parameters)),
        };
        self.line(None, &format!("type{attributes} :: {}{parameters}", derived.name.name));
        self.deeper(|printer| {
            for (there, word) in [(derived.private, "private"), (derived.sequence, "sequence")] {
                if there {
                    printer.line(None, word);
                }
            }
            printer.declarations(&derived.components);
        });
        if derived.contains {
            self.line(None, "contains");
        }
        self.deeper(|printer| {
            for binding in &derived.bindings {
                let text = printer.binding(binding);
                printer.line(None, &text);
            }
        });
        self.line(None, &format!("end type {}", derived.name.name));
    }

    fn binding(&self, binding: &Binding) -> String {
        match binding {
            Binding::Private => "private".to_owned(),
            Binding::Procedure(interface, attributes, bound) => {
                let interface = interface.as_ref().map(|name| format!("({})", name.name)).unwrap_or_default();
                let one = |(name, procedure): &(Ident, Option<Ident>)| match procedure {
                    Some(procedure) => format!("{} => {}", name.name, procedure.name),
                    None => name.name.to_string(),
                };
                format!("procedure{interface}{} :: {}", self.attributes(attributes), list(bound, one))
            }
            Binding::Generic(attributes, name, procedures) => {
                format!("generic{} :: {} => {}", self.attributes(attributes), generic(name), names(procedures))
            }
            Binding::Final(procedures) => format!("final :: {}", names(procedures)),
            Binding::Unread => "! unread".to_owned(),
        }
    }

    pub fn interface(&mut self, interface: &Interface) {
        let name = interface.name.as_ref().map(|name| format!(" {}", generic(name))).unwrap_or_default();
        let start = if interface.is_abstract { "abstract interface" } else { "interface" };
        self.line(None, &format!("{start}{name}"));
        self.deeper(|printer| {
            for item in &interface.items {
                match item {
                    InterfaceItem::Body(body) => {
                        printer.header(&body.header);
                        printer.deeper(|printer| printer.declarations(&body.declarations));
                        printer.unit_end(&body.header, body.end.label);
                    }
                    InterfaceItem::Procedures(module, procedures) => {
                        let word = if *module { "module procedure" } else { "procedure" };
                        printer.line(None, &format!("{word} :: {}", names(procedures)));
                    }
                    InterfaceItem::Directive(sentinel, text) => printer.line(None, &format!("!{sentinel} {text}")),
                    InterfaceItem::Unread => printer.line(None, "! unread"),
                }
            }
        });
        self.line(None, "end interface");
    }
}
