//! Declarations.

use super::expression::names;
use super::{Printer, Style, list};
use crate::tree::attribute::{Attribute, Bind, Dim, Intent};
use crate::tree::declaration::{
    CommonBlock, DataSet, DataValue, Declaration, DeclarationKind, Entity, Entry, GenericName, Import, Init, Listed,
    ProcedureInterface, Use,
};
use crate::tree::expression::{Expr, Ident};
use crate::tree::header::Dummy;

impl Printer {
    pub fn declarations(&mut self, declarations: &[Declaration]) {
        for declaration in declarations {
            self.declaration(declaration);
        }
    }

    pub fn declaration(&mut self, declaration: &Declaration) {
        match &declaration.kind {
            DeclarationKind::Derived(derived) => self.derived(derived),
            DeclarationKind::Interface(interface) => self.interface(interface),
            DeclarationKind::Enum(enumerators) => {
                self.line(None, "enum, bind(c)");
                let value = |value: &Expr| format!(" = {}", self.expr(value));
                let text = list(enumerators, |(name, init)| {
                    format!("{}{}", name.name, init.as_ref().map(value).unwrap_or_default())
                });
                self.deeper(|printer| printer.line(None, &format!("enumerator :: {text}")));
                self.line(None, "end enum");
            }
            kind => {
                let text = self.declaration_text(kind);
                self.line(declaration.label, &text);
            }
        }
    }

    fn declaration_text(&self, kind: &DeclarationKind) -> String {
        match kind {
            DeclarationKind::Type(spec, attributes, entities) => {
                format!("{}{} :: {}", self.type_spec(spec), self.attributes(attributes), self.entities(entities))
            }
            DeclarationKind::Procedure(interface, attributes, entities) => {
                let interface = match interface {
                    ProcedureInterface::Implicit => String::new(),
                    ProcedureInterface::Name(name) => name.name.to_string(),
                    ProcedureInterface::Type(spec) => self.type_spec(spec),
                };
                format!("procedure({interface}){} :: {}", self.attributes(attributes), self.entities(entities))
            }
            DeclarationKind::Attribute(attribute, entities) => self.attribute_statement(attribute, entities),
            DeclarationKind::Access(attribute, generics) => match generics.as_slice() {
                [] => attribute.word().to_owned(),
                _ => format!("{} :: {}", attribute.word(), list(generics, generic)),
            },
            DeclarationKind::Lasting(attribute, listed) => self.lasting(attribute, listed),
            DeclarationKind::Parameter(constants) => {
                let text = list(constants, |(name, value)| format!("{} = {}", name.name, self.expr(value)));
                format!("parameter ({text})")
            }
            DeclarationKind::Common(blocks) => {
                format!("common {}", blocks.iter().map(|block| self.common(block)).collect::<Vec<_>>().join(" "))
            }
            DeclarationKind::Equivalence(sets) => {
                let set = |set: &Vec<_>| format!("({})", list(set, |object| self.reference(object)));
                format!("equivalence {}", list(sets, set))
            }
            DeclarationKind::Data(sets) => format!("data {}", list(sets, |set| self.data_set(set))),
            DeclarationKind::ImplicitNone(true, true) => "implicit none (type, external)".to_owned(),
            DeclarationKind::ImplicitNone(false, _) => "implicit none (external)".to_owned(),
            DeclarationKind::ImplicitNone(true, false) => "implicit none".to_owned(),
            DeclarationKind::Implicit(rules) => {
                let letters = |(first, last): &(char, char)| format!("{first}-{last}");
                let rule = |(spec, all): &(_, Vec<_>)| format!("{} ({})", self.type_spec(spec), list(all, letters));
                format!("implicit {}", list(rules, rule))
            }
            DeclarationKind::Use(module_use) => use_text(module_use),
            DeclarationKind::Import(Import::All) => "import".to_owned(),
            DeclarationKind::Import(Import::None) => "import, none".to_owned(),
            DeclarationKind::Import(Import::Names(listed)) => format!("import :: {}", names(listed)),
            DeclarationKind::Namelist(groups) => namelist(groups),
            DeclarationKind::StatementFunction(name, parameters, value) => {
                let mark = if self.style == Style::Tree { "statement function " } else { "" };
                format!("{mark}{}({}) = {}", name.name, names(parameters), self.expr(value))
            }
            DeclarationKind::Entry(entry) => self.entry(entry),
            DeclarationKind::Format(text) => format!("format{text}"),
            DeclarationKind::CrayPointer(pairs) => {
                let pair = |(pointer, target): &(Ident, Entity)| format!("({}, {})", pointer.name, self.entity(target));
                format!("pointer {}", list(pairs, pair))
            }
            DeclarationKind::Include(file) => format!("include '{file}'"),
            DeclarationKind::Directive(sentinel, text) => format!("!{sentinel} {text}"),
            DeclarationKind::Derived(_) | DeclarationKind::Interface(_) | DeclarationKind::Enum(_) => String::new(),
            DeclarationKind::Unread => "! unread".to_owned(),
        }
    }

    fn attribute_statement(&self, attribute: &Attribute, entities: &[Entity]) -> String {
        let colons = if matches!(attribute, Attribute::External | Attribute::Intrinsic) { "" } else { " ::" };
        let word = match attribute {
            Attribute::Intent(_) => self.attribute(attribute),
            _ => attribute.word().to_owned(),
        };
        format!("{word}{colons} {}", self.entities(entities))
    }

    pub fn attributes(&self, attributes: &[Attribute]) -> String {
        attributes.iter().map(|attribute| format!(", {}", self.attribute(attribute))).collect()
    }

    fn attribute(&self, attribute: &Attribute) -> String {
        let word = attribute.word();
        match attribute {
            Attribute::Bind(bind) => self.bind(bind),
            Attribute::Codimension(dims) => format!("{word}[{}]", self.dims(dims)),
            Attribute::Dimension(dims) => format!("{word}({})", self.dims(dims)),
            Attribute::Extends(name) | Attribute::Pass(Some(name)) => format!("{word}({})", name.name),
            Attribute::Intent(Intent::In) => format!("{word}(in)"),
            Attribute::Intent(Intent::Out) => format!("{word}(out)"),
            Attribute::Intent(Intent::InOut) => format!("{word}(inout)"),
            _ => word.to_owned(),
        }
    }

    pub fn bind(&self, bind: &Bind) -> String {
        match &bind.name {
            Some(name) => format!("bind(c, name={})", self.expr(name)),
            None => "bind(c)".to_owned(),
        }
    }

    fn dims(&self, dims: &[Dim]) -> String {
        list(dims, |dim| match dim {
            Dim::Explicit(None, upper) => self.expr(upper),
            Dim::Explicit(Some(lower), upper) => format!("{}:{}", self.expr(lower), self.expr(upper)),
            Dim::Assumed(None) => ":".to_owned(),
            Dim::Assumed(Some(lower)) => format!("{}:", self.expr(lower)),
            Dim::Star(None) => "*".to_owned(),
            Dim::Star(Some(lower)) => format!("{}:*", self.expr(lower)),
            Dim::AssumedRank => "..".to_owned(),
        })
    }

    fn entities(&self, entities: &[Entity]) -> String {
        list(entities, |entity| self.entity(entity))
    }

    pub fn entity(&self, entity: &Entity) -> String {
        let mut text = entity.name.name.to_string();
        if let Some(dims) = &entity.dims {
            text.push_str(&format!("({})", self.dims(dims)));
        }
        if let Some(dims) = &entity.codims {
            text.push_str(&format!("[{}]", self.dims(dims)));
        }
        if let Some(length) = &entity.length {
            text.push_str(&format!("*({})", self.length(length)));
        }
        match &entity.init {
            None => {}
            Some(Init::Value(value)) => text.push_str(&format!(" = {}", self.expr(value))),
            Some(Init::Pointer(target)) => text.push_str(&format!(" => {}", self.expr(target))),
            Some(Init::Data(values)) => text.push_str(&format!(" /{}/", self.data_values(values))),
        }
        text
    }

    fn lasting(&self, attribute: &Attribute, listed: &[Listed]) -> String {
        let word = self.attribute(attribute);
        let item = |item: &Listed| match item {
            Listed::Name(name) => name.name.to_string(),
            Listed::Block(name) => format!("/{}/", name.name),
        };
        if listed.is_empty() { word } else { format!("{word} :: {}", list(listed, item)) }
    }

    fn common(&self, block: &CommonBlock) -> String {
        let name = block.name.as_ref().map(|name| &*name.name).unwrap_or_default();
        format!("/{name}/ {}", self.entities(&block.members))
    }

    fn data_set(&self, set: &DataSet) -> String {
        format!("{} /{}/", self.exprs(&set.objects), self.data_values(&set.values))
    }

    fn data_values(&self, values: &[DataValue]) -> String {
        list(values, |value| match &value.repeat {
            Some(repeat) => format!("{}*{}", self.expr(repeat), self.expr(&value.value)),
            None => self.expr(&value.value),
        })
    }

    fn entry(&self, entry: &Entry) -> String {
        let result = entry.result.as_ref().map(|name| format!(" result({})", name.name)).unwrap_or_default();
        let bind = entry.bind.as_ref().map(|bind| format!(" {}", self.bind(bind))).unwrap_or_default();
        format!("entry {}({}){result}{bind}", entry.name.name, dummies(&entry.arguments))
    }
}

/// Dummy arguments with commas between them.
pub fn dummies(dummies: &[Dummy]) -> String {
    list(dummies, |dummy| match dummy {
        Dummy::Name(name) => name.name.to_string(),
        Dummy::Label(_) => "*".to_owned(),
    })
}

/// The name of an interface.
pub fn generic(name: &GenericName) -> String {
    match name {
        GenericName::Name(name) => name.name.to_string(),
        GenericName::Operator(operator, _) => format!("operator({operator})"),
        GenericName::Assignment(_) => "assignment(=)".to_owned(),
        GenericName::Transfer(direction, form, _) => format!("{direction}({form})"),
    }
}

fn namelist(groups: &[(Ident, Vec<Ident>)]) -> String {
    let group = |(group, listed): &(Ident, Vec<Ident>)| format!("/{}/ {}", group.name, names(listed));
    format!("namelist {}", groups.iter().map(group).collect::<Vec<_>>().join(" "))
}

fn use_text(module_use: &Use) -> String {
    let nature = match module_use.intrinsic {
        None => "",
        Some(true) => ", intrinsic ::",
        Some(false) => ", non_intrinsic ::",
    };
    let item = |(local, renamed): &(GenericName, Option<GenericName>)| match renamed {
        None => generic(local),
        Some(name) => format!("{} => {}", generic(local), generic(name)),
    };
    let only = if module_use.only {
        ", only: "
    } else if module_use.items.is_empty() {
        ""
    } else {
        ", "
    };
    format!("use{nature} {}{only}{}", module_use.module.name, list(&module_use.items, item))
}
