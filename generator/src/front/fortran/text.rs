//! Texts: constants, and arguments that nothing writes. Sweeps compare them, and pass them on.

use super::state::{Called, Lower, Memory, Passive, Result};
use super::types::text;
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::scope::program::{Basic, ScopeId, SymbolId, Type as Declared};
use adtape_fortran::scope::value::Value as Constant;
use adtape_fortran::tree::expression::{
    Argument, ArgumentValue, Expr as Written, ExprKind as Kind, Reference, Section,
};
use adtape_fortran::tree::operator::Binary as Operator;

/// What stands for the part of a message that is not known.
const UNKNOWN: &str = "...";

/// Most characters of a constant that stand in one line.
const MOST: usize = 60;

/// A text constant.
fn constant(value: &str) -> Expr {
    let all: Vec<char> = value.chars().collect();
    let parts = all.chunks(MOST).map(|part| format!("'{}'", part.iter().collect::<String>().replace('\'', "''")));
    let parts: Vec<String> = parts.collect();
    Expr::verbatim(if parts.is_empty() { "''".to_string() } else { parts.join(" // ") }, text())
}

impl<'t> Lower<'_, 't> {
    /// Whether an expression is a text.
    pub fn is_text(&self, expr: &Written) -> bool {
        matches!(self.names.type_of(self.scope, expr).type_, Declared::Basic(Basic::Character, _))
    }

    /// Whether a reference is a text.
    pub fn names_text(&self, reference: &Reference) -> bool {
        matches!(self.names.type_of_reference(self.scope, reference).type_, Declared::Basic(Basic::Character, _))
    }

    /// A text whose value is known where it is needed: a constant, or an argument that nothing writes.
    pub fn known_text(&mut self, expr: &'t Written) -> Option<Expr> {
        if let Some(Constant::Text(value)) = self.names.constant(self.scope, expr) {
            return Some(constant(&value));
        }
        match &expr.kind {
            Kind::Parenthesised(inner) => self.known_text(inner),
            Kind::Reference(reference) => {
                let part = &reference.parts[0];
                let id = self.names.lookup(self.scope, &part.name.name);
                let whole = id.is_some_and(|id| self.is_whole_text(id, reference));
                match id.and_then(|id| self.memory.get(&id)) {
                    Some(Memory::Var(var)) if whole => {
                        let var = *var;
                        Some(self.b.get(var))
                    }
                    Some(Memory::Value(value)) if whole => Some(value.clone()),
                    Some(_) => None,
                    // Blanks at the end make no difference.
                    None => match (self.called(part), part.lists.first().map(Vec::as_slice)) {
                        (Called::Intrinsic(name), Some([only])) if &*name == "trim" => match &only.value {
                            ArgumentValue::Expr(value) => self.known_text(value),
                            _ => None,
                        },
                        _ if whole => self.text_of_module(id?),
                        _ => None,
                    },
                }
            }
            _ => None,
        }
    }

    /// A variable of a module that no procedure writes, by its name.
    pub fn text_of_module(&mut self, id: SymbolId) -> Option<Expr> {
        let symbol = self.names.symbol(id);
        let module = self.reader.module(symbol.scope)?;
        let is_written = self.reader.outside.values().any(|outside| outside.written.contains(&id));
        let is_plain = symbol.dims.is_none() && !symbol.flags.allocatable && !symbol.flags.pointer;
        let known = *self.reader.fortran.texts.entry(symbol.name.to_string()).or_insert(module);
        (!is_written && is_plain && known == module).then(|| Expr::verbatim(&*symbol.name, text()))
    }

    /// Whether a reference is all of a text: its name, or the range of all its characters.
    fn is_whole_text(&self, id: SymbolId, reference: &'t Reference) -> bool {
        let [part] = &reference.parts[..] else { return false };
        let Some(list) = part.lists.first() else { return true };
        let [Argument { value: ArgumentValue::Section(Section { lower, upper, stride: None, .. }), .. }] = &list[..]
        else {
            return false;
        };
        let is = |bound: &'t Written, value: Option<i128>| {
            let bound = self.names.constant_integer(self.scope, bound);
            bound.is_some() && bound == value
        };
        lower.as_ref().is_none_or(|lower| is(lower, Some(1)))
            && upper.as_ref().is_none_or(|upper| is(upper, self.names.length(id)))
    }

    /// A text that is compared, or passed on.
    pub fn text(&mut self, expr: &'t Written) -> Result<Expr> {
        if let Some(known) = self.known_text(expr) {
            return Ok(known);
        }
        let what = "this text is computed with: only constants and arguments that nothing writes can be";
        self.refuse(expr.span, Class::Type, what, "pass a number or a logical, and branch on it")
    }

    /// A text as an argument of this length, if that is constant.
    pub fn text_argument(&mut self, dummy: SymbolId, actual: &'t Written) -> Result<Expr> {
        let value = self.text(actual)?;
        let Some(length) = self.names.length(dummy).and_then(|length| usize::try_from(length).ok()) else {
            return Ok(value);
        };
        if let Some(Constant::Text(known)) = self.names.constant(self.scope, actual)
            && known.chars().count() >= length
        {
            return Ok(constant(&known.chars().take(length).collect::<String>()));
        }
        let symbol = actual.name().and_then(|name| self.names.lookup(self.scope, &name.name));
        if symbol.and_then(|symbol| self.names.length(symbol)) == i128::try_from(length).ok() {
            return Ok(value);
        }
        let what = format!("this text and '{}' have different lengths", self.names.symbol(dummy).name);
        self.refuse(actual.span, Class::Type, what, "declare them alike")
    }

    /// A message, with dots for what is not known of it.
    fn message(&self, expr: &'t Written) -> String {
        if let Some(Constant::Text(value)) = self.names.constant(self.scope, expr) {
            return value.to_string();
        }
        match &expr.kind {
            Kind::Binary(Operator::Concat, left, right) => {
                let (left, right) = (self.message(left), self.message(right));
                if left.ends_with(UNKNOWN) && right == UNKNOWN { left } else { left + &right }
            }
            _ => UNKNOWN.to_string(),
        }
    }

    /// Calls a procedure that computes nothing with a derivative, as it is.
    pub fn call_passive(&mut self, scope: ScopeId, reference: &'t Reference, result: Option<VarId>) -> Result<()> {
        self.refuse_moving(scope, reference)?;
        let passive = &self.reader.passive[&scope];
        let Passive { stops, heard, same, .. } = *passive;
        let dummies = passive.dummies.clone();
        let list = reference.parts[0].lists.first().map_or(&[][..], |list| list);
        let (mut args, mut keywords, mut is_known) = (Vec::new(), Vec::new(), true);
        for (position, argument) in list.iter().enumerate() {
            let place = self.reader.position_of(&dummies, position, argument);
            let (Some(dummy), ArgumentValue::Expr(value)) = (place.map(|place| dummies[place]), &argument.value) else {
                let what = format!("an argument fits no dummy of '{}'", reference.parts[0].name.name);
                return self.refuse(reference.span, Class::Language, what, "");
            };
            if argument.keyword.is_some() {
                keywords.push(self.names.symbol(dummy).name.to_string());
            }
            if !self.is_text(value) {
                let value = self.scalar(value)?;
                args.push(value);
            } else if let Some(known) = self.known_text(value) {
                args.push(known);
            } else if result.is_some() || heard {
                args.push(self.text(value)?);
            } else {
                is_known = false;
                args.push(constant(&self.message(value)));
            }
        }
        // Like output, it is left out of the sweeps.
        if result.is_none() && !is_known && !stops {
            return Ok(());
        }
        let name = self.passive_name(scope, &reference.parts[0].name.name);
        let call = keywords.iter().fold(name, |name, keyword| format!("{name} {keyword}"));
        let callee = Callee::External { function: External::Passive { call, same }, returns: true, unknown: false };
        self.b.call(callee, args, result, None);
        Ok(())
    }

    /// What calls name a passive procedure.
    fn passive_name(&mut self, scope: ScopeId, called: &str) -> String {
        let header = self.names.header(scope).and_then(|header| header.name.as_ref());
        let name = header.map_or(called, |name| &*name.name).to_string();
        let module = self.names.scope(scope).host.and_then(|host| self.reader.module(host));
        let known = FortranPassive { name: name.clone(), module };
        let all = &mut self.reader.fortran.passive;
        // Modules may have procedures of one name.
        let key = match module {
            Some(module) if all.get(&name).is_some_and(|other| *other != known) => format!("{name}_of_{module}"),
            _ => name,
        };
        all.entry(key.clone()).or_insert(known);
        key
    }
}
