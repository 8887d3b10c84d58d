//! Expressions and types.

use super::{Printer, Style, list};
use crate::stack::deep;
use crate::tree::expression::{
    Argument, ArgumentValue, Expr, ExprKind, Ident, ImpliedDo, KindSelector, KindSuffix, Length, Part, Reference,
    Section, TypeSpec,
};

impl Printer {
    pub fn expr(&self, expr: &Expr) -> String {
        deep(|| self.expr_kind(&expr.kind))
    }

    pub fn exprs(&self, exprs: &[Expr]) -> String {
        list(exprs, |expr| self.expr(expr))
    }

    fn expr_kind(&self, kind: &ExprKind) -> String {
        match kind {
            ExprKind::Integer(text, kind) | ExprKind::Real(text, kind) => format!("{text}{}", suffix(kind.as_ref())),
            ExprKind::Complex(real, imaginary) => format!("({}, {})", self.expr(real), self.expr(imaginary)),
            ExprKind::Logical(value, kind) => format!(".{value}.{}", suffix(kind.as_ref())),
            ExprKind::Text(text, kind) => format!("{}'{}'", prefix(kind.as_ref()), text.replace('\'', "''")),
            ExprKind::Hollerith(text) => format!("{}H{text}", text.chars().count()),
            ExprKind::Boz(text) => format!("{}'{}'", &text[..1], &text[1..]),
            ExprKind::Reference(reference) => self.reference(reference),
            ExprKind::Unary(operator, operand) => self.grouped(format!("{} {}", operator.text(), self.expr(operand))),
            ExprKind::Binary(operator, left, right) => {
                self.grouped(format!("{} {} {}", self.expr(left), operator.text(), self.expr(right)))
            }
            ExprKind::Parenthesised(inner) => format!("({})", self.expr(inner)),
            ExprKind::Array(spec, items) => match spec {
                Some(spec) => format!("[{} :: {}]", self.type_name(spec), self.exprs(items)),
                None => format!("[{}]", self.exprs(items)),
            },
            ExprKind::ImpliedDo(implied) => self.implied_do(implied),
            ExprKind::Substring(text, section) => format!("{}({})", self.expr(text), self.section(section)),
        }
    }

    fn grouped(&self, text: String) -> String {
        match self.style {
            Style::Fortran => text,
            Style::Tree => format!("{{{text}}}"),
        }
    }

    fn implied_do(&self, implied: &ImpliedDo) -> String {
        let spec = implied.spec.as_ref().map(|spec| format!("{} :: ", self.type_spec(spec))).unwrap_or_default();
        let (items, bounds) = (self.exprs(&implied.items), self.exprs(&implied.bounds));
        format!("({items}, {spec}{} = {bounds})", implied.variable.name)
    }

    pub fn reference(&self, reference: &Reference) -> String {
        reference.parts.iter().map(|part| self.part(part)).collect::<Vec<_>>().join("%")
    }

    fn part(&self, part: &Part) -> String {
        let mut text = part.name.name.to_string();
        for arguments in &part.lists {
            text.push_str(&format!("({})", self.arguments(arguments)));
        }
        if let Some(image) = &part.image {
            text.push_str(&format!("[{}]", self.arguments(image)));
        }
        text
    }

    pub fn arguments(&self, arguments: &[Argument]) -> String {
        list(arguments, |argument| self.argument(argument))
    }

    fn argument(&self, argument: &Argument) -> String {
        let keyword = argument.keyword.as_ref().map(|keyword| format!("{} = ", keyword.name)).unwrap_or_default();
        let value = match &argument.value {
            ArgumentValue::Expr(expr) => self.expr(expr),
            ArgumentValue::Section(section) => self.section(section),
            ArgumentValue::Label(label) => format!("*{}", label.number),
            ArgumentValue::Star(_) => "*".to_owned(),
            ArgumentValue::StarFrom(lower) => format!("{}:*", self.expr(lower)),
            ArgumentValue::AssumedRank(_) => "..".to_owned(),
            ArgumentValue::Percent(name, value) => format!("%{}({})", name.name, self.expr(value)),
        };
        keyword + &value
    }

    fn section(&self, section: &Section) -> String {
        let bound = |bound: &Option<Box<Expr>>| bound.as_ref().map(|bound| self.expr(bound)).unwrap_or_default();
        let stride = section.stride.as_ref().map(|stride| format!(":{}", self.expr(stride))).unwrap_or_default();
        format!("{}:{}{stride}", bound(&section.lower), bound(&section.upper))
    }

    pub fn type_spec(&self, spec: &TypeSpec) -> String {
        let word = |polymorphic: bool| if polymorphic { "class" } else { "type" };
        match spec {
            TypeSpec::Number(base, None) => base.text().to_owned(),
            TypeSpec::Number(base, Some(KindSelector::Kind(kind))) => format!("{}({})", base.text(), self.expr(kind)),
            TypeSpec::Number(base, Some(KindSelector::Bytes(bytes))) => format!("{}*{bytes}", base.text()),
            TypeSpec::Character(length, kind) => {
                let length = length.as_ref().map(|length| format!("len={}", self.length(length)));
                let kind = kind.as_ref().map(|kind| format!("kind={}", self.expr(kind)));
                let selectors: Vec<String> = length.into_iter().chain(kind).collect();
                if selectors.is_empty() {
                    "character".to_owned()
                } else {
                    format!("character({})", selectors.join(", "))
                }
            }
            TypeSpec::Derived { polymorphic, name, parameters } => {
                let parameters = self.parameters(parameters);
                format!("{}({}{parameters})", word(*polymorphic), name.name)
            }
            TypeSpec::Unlimited { polymorphic } => format!("{}(*)", word(*polymorphic)),
        }
    }

    /// The type where a derived one stands without `type`.
    pub fn type_name(&self, spec: &TypeSpec) -> String {
        match spec {
            TypeSpec::Derived { name, parameters, .. } => format!("{}{}", name.name, self.parameters(parameters)),
            _ => self.type_spec(spec),
        }
    }

    fn parameters(&self, parameters: &[Argument]) -> String {
        if parameters.is_empty() { String::new() } else { format!("({})", self.arguments(parameters)) }
    }

    pub fn length(&self, length: &Length) -> String {
        match length {
            Length::Expr(length) => self.expr(length),
            Length::Assumed => "*".to_owned(),
            Length::Deferred => ":".to_owned(),
        }
    }
}

fn kind(kind: &KindSuffix) -> String {
    match kind {
        KindSuffix::Number(number) => number.to_string(),
        KindSuffix::Name(name) => name.name.to_string(),
    }
}

fn suffix(suffix: Option<&KindSuffix>) -> String {
    suffix.map(|suffix| format!("_{}", kind(suffix))).unwrap_or_default()
}

fn prefix(prefix: Option<&KindSuffix>) -> String {
    prefix.map(|prefix| format!("{}_", kind(prefix))).unwrap_or_default()
}

/// Names with commas between them.
pub fn names(names: &[Ident]) -> String {
    list(names, |name| name.name.to_string())
}
