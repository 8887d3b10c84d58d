//! What is asked of texts that nothing writes: comparisons of parts and of joined ones, where something stands in one, how
//! long one is. Sweeps ask it in the words of the program, with the values of subscripts in them.
//!
//! ```text
//!   if (name(1:2) == 'rk')            a call of `(`, `:`, `) == 'rk'`, with name, 1 and 2 in front of them
//!   index(trim(name)//'.nc', '.')     the same, an integer
//! ```

use super::state::{Called, Lower, Memory, Reader, Result};
use super::types::logical;
use crate::front::jumps::Ends;
use crate::ir::*;
use crate::refuse::Class;
use crate::stack::deep;
use adtape_fortran::scope::value::Value as Constant;
use adtape_fortran::tree::expression::{Argument, ArgumentValue, Expr as Written, ExprKind as Kind, Part, Section};
use adtape_fortran::tree::operator::Binary as Operator;
use adtape_fortran::tree::statement::{Guard, SelectArm};

/// Functions of texts that give a number or a logical.
pub const ASKING: [&str; 11] =
    ["len", "len_trim", "index", "scan", "verify", "ichar", "iachar", "lge", "lgt", "lle", "llt"];

/// Values, and the words around and between them.
struct Phrase {
    words: Vec<String>,
    values: Vec<Expr>,
}

impl Phrase {
    fn new(words: &str) -> Phrase {
        Phrase { words: vec![words.to_owned()], values: Vec::new() }
    }

    fn word(&mut self, word: &str) {
        self.words.last_mut().expect("it begins with words").push_str(word);
    }

    fn value(&mut self, value: Expr) {
        self.values.push(value);
        self.words.push(String::new());
    }
}

impl Reader<'_> {
    /// What calls name for an expression with these words.
    fn phrase(&mut self, words: Vec<String>) -> String {
        if let Some((name, _)) = self.fortran.phrases.iter().find(|(_, known)| **known == words) {
            return name.clone();
        }
        let name = self.unique("phrase");
        self.fortran.taken.push(name.clone());
        self.fortran.phrases.insert(name.clone(), words);
        name
    }
}

impl<'t> Lower<'_, 't> {
    /// Two texts that are compared, if one of them is more than a constant or the name of a variable.
    pub fn compared_texts(
        &mut self,
        operator: &Operator,
        left: &'t Written,
        right: &'t Written,
    ) -> Result<Option<Expr>> {
        if !self.is_text(left) || !self.is_text(right) {
            return Ok(None);
        }
        // Both are compared without other words.
        if self.known_text(left).is_some() && self.known_text(right).is_some() {
            return Ok(None);
        }
        let sign = match operator {
            Operator::Equal => "==",
            Operator::NotEqual => "/=",
            Operator::Less => "<",
            Operator::LessEqual => "<=",
            Operator::Greater => ">",
            Operator::GreaterEqual => ">=",
            _ => return Ok(None),
        };
        let mut phrase = Phrase::new("");
        self.words_of(left, &mut phrase)?;
        phrase.word(&format!(" {sign} "));
        self.words_of(right, &mut phrase)?;
        Ok(Some(self.asked(phrase, logical())))
    }

    /// `index(a, b)` and its like.
    pub fn asked_of_texts(&mut self, expr: &'t Written, name: &str, part: &'t Part) -> Result<Expr> {
        let mut phrase = Phrase::new(&format!("{name}("));
        for (position, argument) in part.lists.iter().flatten().enumerate() {
            let ArgumentValue::Expr(value) = &argument.value else { return self.not_here(expr, name) };
            phrase.word(if position > 0 { ", " } else { "" });
            if let Some(keyword) = &argument.keyword {
                phrase.word(&format!("{} = ", keyword.name));
            }
            if self.is_text(value) {
                self.words_of(value, &mut phrase)?;
            } else if let Some(Constant::Logical(known, _)) = self.names.constant(self.scope, value) {
                phrase.word(if known { ".true." } else { ".false." });
            } else {
                return self.not_here(expr, name);
            }
        }
        phrase.word(")");
        let ty = if matches!(name, "lge" | "lgt" | "lle" | "llt") { logical() } else { Type::int() };
        Ok(self.asked(phrase, ty))
    }

    fn asked(&mut self, phrase: Phrase, ty: Type) -> Expr {
        let span = self.b.span;
        let var = self.b.var("answer", ty, VarKind::Temporary, span);
        let function = External::Passive { call: self.reader.phrase(phrase.words), same: true };
        self.b.call(Callee::External { function, returns: true, unknown: false }, phrase.values, Some(var), None);
        self.b.get(var)
    }

    /// The words of a text, and the values in them.
    fn words_of(&mut self, expr: &'t Written, phrase: &mut Phrase) -> Result<()> {
        if let Some(Constant::Text(_)) = self.names.constant(self.scope, expr) {
            let known = self.text(expr)?;
            phrase.value(known);
            return Ok(());
        }
        match &expr.kind {
            Kind::Parenthesised(inner) => return self.words_of(inner, phrase),
            Kind::Binary(Operator::Concat, left, right) => {
                self.words_of(left, phrase)?;
                phrase.word("//");
                return self.words_of(right, phrase);
            }
            Kind::Reference(reference) => {
                let [part] = &reference.parts[..] else { return self.text(expr).map(drop) };
                if let (Called::Intrinsic(name), Some([only])) =
                    (self.called(part), part.lists.first().map(Vec::as_slice))
                    && let ("trim" | "adjustl" | "adjustr", ArgumentValue::Expr(inner)) = (&*name, &only.value)
                {
                    phrase.word(&format!("{name}("));
                    self.words_of(inner, phrase)?;
                    phrase.word(")");
                    return Ok(());
                }
                if self.part_of_text(part, phrase)? {
                    return Ok(());
                }
            }
            _ => {}
        }
        let known = self.text(expr)?;
        phrase.value(known);
        Ok(())
    }

    /// `name(i:k)` of a text that nothing writes. Says whether it is such a part.
    fn part_of_text(&mut self, part: &'t Part, phrase: &mut Phrase) -> Result<bool> {
        let [list] = &part.lists[..] else { return Ok(false) };
        let [Argument { value: ArgumentValue::Section(Section { lower, upper, stride: None, .. }), .. }] = &list[..]
        else {
            return Ok(false);
        };
        let Some(id) = self.names.lookup(self.scope, &part.name.name) else { return Ok(false) };
        if self.names.symbol(id).dims.is_some() {
            return Ok(false);
        }
        let whole = match self.memory.get(&id) {
            Some(Memory::Var(var)) => Some(self.b.get(*var)),
            Some(Memory::Value(value)) if matches!(value.kind, ExprKind::Value(_)) => Some(value.clone()),
            Some(_) => None,
            None => self.text_of_module(id),
        };
        let Some(whole) = whole else { return Ok(false) };
        phrase.value(whole);
        phrase.word("(");
        for (bound, end) in [(lower, ":"), (upper, ")")] {
            if let Some(bound) = bound {
                let bound = self.integer(bound)?;
                phrase.value(bound);
            }
            phrase.word(end);
        }
        Ok(true)
    }

    /// SELECT CASE of a text that is no constant and no variable as a whole.
    pub fn text_cases(&mut self, on: &'t Written, arms: &[&'t SelectArm]) -> Result<Ends> {
        let Some((first, rest)) = arms.split_first() else { return Ok(Ends::falls()) };
        self.b.span = self.span(first.span);
        let Guard::Values(values) = &first.guard else { return Ok(self.block(&first.block)) };
        let mut phrase = Phrase::new("");
        for (position, value) in values.iter().enumerate() {
            phrase.word(if position > 0 { " .or. " } else { "" });
            match &value.value {
                ArgumentValue::Expr(value) => {
                    self.words_of(on, &mut phrase)?;
                    phrase.word(" == ");
                    self.words_of(value, &mut phrase)?;
                }
                ArgumentValue::Section(Section { lower, upper, .. }) => {
                    for (bound, sign) in [(lower, ">="), (upper, "<=")] {
                        let Some(bound) = bound else { continue };
                        phrase.word(if sign == "<=" && lower.is_some() { " .and. " } else { "" });
                        self.words_of(on, &mut phrase)?;
                        phrase.word(&format!(" {sign} "));
                        self.words_of(bound, &mut phrase)?;
                    }
                }
                _ => return self.refuse(first.span, Class::Language, "a case that is no value", ""),
            }
        }
        let test = self.asked(phrase, logical());
        self.b.begin_branch(test);
        let then = self.block(&first.block);
        self.b.otherwise();
        let otherwise = deep(|| self.text_cases(on, rest))?;
        self.b.end_branch();
        Ok(then.or(otherwise))
    }
}
