//! What the text takes from macros, enumerators and conditions, asserted where the sources are included.
//!
//! The forward sweep names them as the source does, and the reverse sweep has their values. A header that has changed
//! since, or another `-D`, would give the gradient of neither model. A macro with arguments is compared at one point.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

use super::beginning;
use crate::directives::directives;
use crate::ir::{Condition, Meaning, Proc, Program, SourceId};
use crate::names::{code, words};

/// How deep macros may name each other; those that are defined by themselves have no value.
const DEEPEST: usize = 32;

/// Words of casts to numbers.
const TYPES: &str = "double float long int short char unsigned signed";

/// The assertions.
pub(super) fn values(program: &Program) -> String {
    // In a text of several sources no macro is left.
    if program.sources.iter().any(|source| !source.origins.is_empty()) {
        return String::new();
    }
    let sources = program.sources.iter().filter(|source| {
        let has_proc = program.procs.iter().any(|proc| beginning::home(program, &proc.span) == Some(&source.path));
        source.main || has_proc
    });
    let texts: Vec<String> = sources.map(|source| without_directives(&code(&source.text))).collect();
    let used: BTreeSet<&str> = texts.iter().flat_map(|text| words(text)).collect();
    let macros = Macros::of(program);
    let enumerators: FxHashMap<&str, i128> = program.c.named.iter().filter_map(enumerator).collect();
    let mut text = String::new();
    for name in used {
        // A macro of this name hides the constant.
        let (call, value) = match (macros.value(name), enumerators.get(name)) {
            (Some(found), _) => found,
            (None, Some(value)) if !macros.0.contains_key(name) => (name.to_string(), value.to_string()),
            _ => continue,
        };
        let why = format!("\"{name} has changed: run adtape again\"");
        text += &if is_integer(&value) {
            format!("__extension__ _Static_assert(({call}) == ({value}), {why});\n")
        } else {
            // clang compares no reals there by itself.
            let equal = format!("__builtin_fpclassify(1, 1, 1, 1, 0, ({call}) == ({value}) ? 1.0 : 0.0)");
            format!("__extension__ _Static_assert({equal},\n                             {why});\n")
        };
    }
    let conditions = conditions(program);
    let about = |what: &str, text: String| if text.is_empty() { text } else { format!("/* {what} */\n{text}") };
    about("The reverse sweep has what these stood for.", text)
        + &about("Both sweeps have what these conditions left of the functions.", conditions)
}

/// Assertions that conditions in functions of the program, and around them, take the arms that they took.
fn conditions(program: &Program) -> String {
    let lines = |proc: &Proc| {
        let path = beginning::home(program, &proc.span)?;
        let text =
            program.sources[SourceId(proc.span.source)].text.get(proc.span.start as usize..proc.span.end as usize)?;
        Some((path, proc.span.line, proc.span.line + text.matches('\n').count() as u32))
    };
    let procs: BTreeSet<(&str, u32, u32)> = program.procs.iter().filter_map(lines).collect();
    let mut text = String::new();
    for condition in program.c.preprocessed.conditions.iter() {
        let here: Vec<(u32, u32)> =
            procs.iter().filter(|(path, ..)| *path == condition.path).map(|(_, first, last)| (*first, *last)).collect();
        asserted(condition, &here, &mut text);
    }
    text
}

/// A condition with an error in each arm that was not taken; nothing if it touches none of the lines.
fn asserted(condition: &Condition, lines: &[(u32, u32)], out: &mut String) {
    if !lines.iter().any(|(first, last)| *first <= condition.last && condition.first <= *last) {
        return;
    }
    let all = condition.arms.iter().flat_map(|arm| words(&arm.directive).skip(1)).filter(|name| *name != "defined");
    let names: Vec<&str> = all.collect::<BTreeSet<_>>().into_iter().collect();
    let error = match &names[..] {
        [] => String::new(),
        [name] => format!("#error \"{name} has changed: run adtape again\"\n"),
        names => format!("#error \"one of {} has changed: run adtape again\"\n", names.join(", ")),
    };
    for arm in &condition.arms {
        *out += &format!("{}\n", arm.directive);
        if arm.taken {
            arm.inside.iter().for_each(|inner| asserted(inner, lines, out));
        } else {
            *out += &error;
        }
    }
    let is_else = |directive: &str| directive.starts_with("#else");
    if condition.arms.iter().any(|arm| arm.taken) && !condition.arms.iter().any(|arm| is_else(&arm.directive)) {
        *out += &format!("#else\n{error}");
    }
    *out += "#endif\n";
}

fn enumerator(named: &crate::ir::Named) -> Option<(&str, i128)> {
    match named.meaning {
        Meaning::Enumerator(value) => Some((&named.name, value?)),
        Meaning::Function(_) | Meaning::Prototype(_) | Meaning::Variable(_) | Meaning::Type(_) => None,
    }
}

fn without_directives(text: &str) -> String {
    let mut continued = false;
    let mut kept = String::new();
    for line in text.lines() {
        let is_part = continued || line.trim_start().starts_with('#');
        continued = is_part && line.trim_end().ends_with('\\');
        if !is_part {
            kept += line;
            kept.push('\n');
        }
    }
    kept
}

/// The macros of the sources that have one definition and keep it: what stands behind each name.
struct Macros<'p>(FxHashMap<&'p str, &'p str>);

impl<'p> Macros<'p> {
    fn of(program: &'p Program) -> Macros<'p> {
        let (mut all, mut changing) = (FxHashMap::default(), FxHashSet::default());
        for (name, body) in &program.c.preprocessed.macros {
            if all.insert(name.as_str(), body.as_str()).is_some_and(|other| other != body) {
                changing.insert(name.as_str());
            }
        }
        for source in &program.sources {
            changing.extend(directives(&source.text).filter(|line| !line.defines).map(|line| line.name));
        }
        all.retain(|name, _| !changing.contains(name));
        Macros(all)
    }

    /// A use of a macro that stands for a number, and the number as it is written.
    fn value(&self, name: &str) -> Option<(String, String)> {
        let body = self.0.get(name)?;
        let (call, number) = match parameters(body) {
            None => (name.to_string(), self.expanded(body, &FxHashMap::default(), 0)?),
            Some((names, body)) => {
                // Other numbers for each: no two of them change places.
                let numbers: Vec<String> = (0..names.len()).map(|k| format!("{}.75", k + 1)).collect();
                let given = names.iter().copied().zip(numbers.iter().map(String::as_str)).collect();
                let is_plain = |c: char| c.is_ascii_alphanumeric() || "_ .+-*/()<>?:".contains(c);
                let whole = body.chars().all(is_plain) && !body.contains("++") && !body.contains("--");
                let number = whole.then(|| self.expanded(body, &given, 0)).flatten()?;
                (format!("{name}({})", numbers.join(", ")), number)
            }
        };
        is_expression(&number).then_some((call, number))
    }

    /// A body with what its words stand for; none if one of them is no number.
    fn expanded(&self, body: &str, given: &FxHashMap<&str, &str>, depth: usize) -> Option<String> {
        let (mut out, mut rest) = (String::new(), body.trim());
        if depth > DEEPEST || rest.contains(['"', '\'', ';', '{', '#', '\\', ',']) {
            return None;
        }
        while let Some(c) = rest.chars().next() {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            if c.is_ascii_digit() || c == '.' {
                let end = number_length(rest);
                out += &rest[..end];
                rest = &rest[end..];
            } else if end == 0 {
                out.push(c);
                rest = &rest[c.len_utf8()..];
            } else {
                let word = &rest[..end];
                match (given.get(word), self.0.get(word)) {
                    (Some(number), _) => out += number,
                    (None, Some(inner)) if parameters(inner).is_none() => {
                        out += &self.expanded(inner, &FxHashMap::default(), depth + 1)?;
                    }
                    (None, _) if TYPES.split(' ').any(|ty| ty == word) => out += word,
                    _ => return None,
                }
                rest = &rest[end..];
            }
        }
        Some(out)
    }
}

/// The parameters of a macro, and what stands behind them.
fn parameters(body: &str) -> Option<(Vec<&str>, &str)> {
    let (names, body) = body.strip_prefix('(')?.split_once(')')?;
    Some((names.split(',').map(str::trim).filter(|name| !name.is_empty()).collect(), body))
}

/// The length of what C takes for a number where it reads a text: `1.5e-3`, `0x1p-2`, `10UL`.
fn number_length(text: &str) -> usize {
    let mut last = ' ';
    let ends = |c: char| {
        let is_part = c.is_alphanumeric() || c == '.' || "+-".contains(c) && "eEpP".contains(last);
        last = c;
        !is_part
    };
    text.find(ends).unwrap_or(text.len())
}

/// Whether a number is one that C knows.
fn is_number(text: &str) -> bool {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit()),
        None => digits.trim_end_matches(['f', 'F']).parse::<f64>().is_ok_and(f64::is_finite),
    }
}

/// Whether an expression has integers alone.
fn is_integer(value: &str) -> bool {
    let is_hexadecimal = value.contains("0x") || value.contains("0X");
    let real = |c: char| c == '.' || !is_hexadecimal && "eEfF".contains(c);
    !value.contains(real) && !words(value).any(|word| word == "double")
}

/// Whether a text is an expression of numbers, casts and operators: a macro may be half of one, `* 2.0`.
fn is_expression(text: &str) -> bool {
    const BINARY: [&str; 20] =
        ["<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "<", ">", "&", "|", "^", "?", ":"];
    let (mut rest, mut behind_operand) = (text.trim(), false);
    // What is open: parentheses, and conditions that wait for their colon.
    let mut open: Vec<char> = Vec::new();
    while let Some(c) = rest.chars().next() {
        let mut length = 1;
        match c {
            _ if !behind_operand && (c.is_ascii_digit() || c == '.') => {
                length = number_length(rest);
                if !is_number(&rest[..length]) {
                    return false;
                }
                behind_operand = true;
            }
            '(' if !behind_operand => match cast_length(rest) {
                Some(cast) => length = cast,
                None => open.push(c),
            },
            ')' if behind_operand && open.pop() == Some('(') => {}
            '+' | '-' | '!' | '~' if !behind_operand => {}
            _ if behind_operand => {
                let Some(operator) = BINARY.iter().find(|operator| rest.starts_with(**operator)) else { return false };
                match *operator {
                    "?" => open.push('?'),
                    ":" if open.pop() != Some('?') => return false,
                    _ => {}
                }
                length = operator.len();
                behind_operand = false;
            }
            _ => return false,
        }
        rest = rest[length..].trim_start();
    }
    behind_operand && open.is_empty()
}

/// The length of a cast to a type of numbers.
fn cast_length(text: &str) -> Option<usize> {
    let (inside, _) = text.strip_prefix('(')?.split_once(')')?;
    let mut all = inside.split_whitespace().peekable();
    all.peek()?;
    all.all(|word| TYPES.split(' ').any(|ty| ty == word)).then_some(inside.len() + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_expressions_are_none() {
        for whole in
            ["3", "(2.5e-3f)", "-1", "((1 + 2) * 0x1F)", "(double)3 / .5", "1 ? 2 : 3", "(unsigned long)1 << 3", "!0"]
        {
            assert!(is_expression(whole), "{whole}");
        }
        for half in
            ["", "* 2.0", "1.0 /", "1 :", "(1", "1)", "1 2", "1, 2", "3 ? 4", "1.2.3", "()", "(double)", "3d", "+ +"]
        {
            assert!(!is_expression(half), "{half}");
        }
    }

    #[test]
    fn integers_are_told_from_reals() {
        assert!(["3", "0xFEUL", "(1 + 2)"].into_iter().all(is_integer));
        assert!(["3.0", "1e3", "3f", "(double)3"].into_iter().all(|real| !is_integer(real)));
    }
}
