//! Several sources as one text, where their files cannot be included one behind the other.
//!
//! Headers without a guard, macros that change the meaning of a file behind, static names that two files use: each
//! stands in the way of `#include "a.c"` and `#include "b.c"` in one file. So each source is preprocessed alone, which
//! leaves no macro to the next one. Headers of the system stay includes. A declaration that an earlier source had word
//! for word goes; a static name or a type that an earlier source uses for something else gets another name.

mod lex;
mod names;
mod parts;

use crate::directives::{Directive, directives};
use crate::ir::Part;
use lex::{Lexer, Token};
use names::What;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The sources as one text.
pub struct Joint {
    /// To be compiled, and to stand in the generated file.
    pub text: String,
    /// Files that the text comes from.
    pub files: Vec<String>,
    /// Where the text comes from another line than the one that follows: offset, number of the file, line.
    pub origins: Vec<(u32, usize, u32)>,
    /// What stands above all of them: includes, and macros that choose what these declare.
    pub head: String,
    /// The declarations one by one.
    pub parts: Vec<Part>,
    /// New names of each source.
    pub renamed: Vec<FxHashMap<String, String>>,
}

/// Macros that choose what the system's headers declare.
const FEATURES: &[&str] = &[
    "_GNU_SOURCE",
    "_DEFAULT_SOURCE",
    "_BSD_SOURCE",
    "_SVID_SOURCE",
    "_ISOC99_SOURCE",
    "_POSIX_C_SOURCE",
    "_POSIX_SOURCE",
    "_XOPEN_SOURCE",
    "_USE_MATH_DEFINES",
    "__STDC_WANT_IEC_60559_BFP_EXT__",
];

/// One source, preprocessed.
struct Unit {
    declarations: Vec<Vec<Token>>,
    /// What each name is, and the declarations that declare it.
    names: BTreeMap<String, (What, Vec<usize>)>,
}

/// Makes one text of preprocessed sources. `agree`: where a source declares a function of another one, its declaration
/// becomes that of the definition, from which it may differ in the types of pointers.
pub fn join(preprocessed: &[String], agree: bool) -> Joint {
    let mut text = Preprocessed::default();
    let units: Vec<Unit> = preprocessed.iter().map(|source| text.unit(source)).collect();
    let mut words = FxHashSet::default();
    for token in units.iter().flat_map(|unit| unit.declarations.iter().flatten()).filter(|token| token.is_word()) {
        words.insert(token.text.clone());
    }
    let head = text.head();
    let mut parts = Vec::new();
    let mut writer = Writer { text: head.clone(), ..Writer::default() };
    let mut renamed = Vec::new();
    // Names of earlier sources with their declarations; declarations of earlier sources.
    let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut written: FxHashSet<String> = FxHashSet::default();
    for (number, unit) in units.iter().enumerate() {
        let own = |unit: &Unit, name: &str| unit.names.get(name).is_some_and(|(what, _)| *what == What::Shared);
        let shared = |name: &str| (0..units.len()).any(|other| other != number && own(&units[other], name));
        let new = rename(unit, number, &known, &shared, &mut words);
        let mut here = Vec::new();
        for declaration in &unit.declarations {
            let defined = if agree { defined_elsewhere(declaration, number, &units) } else { Vec::new() };
            let declaration = if defined.is_empty() { with_names(declaration, &new) } else { defined };
            let key = key(&declaration);
            if !written.contains(&key) {
                writer.declaration(&declaration);
                parts.extend(parts::of(&declaration));
                here.push(key);
            }
        }
        written.extend(here);
        for (name, (_, at)) in &unit.names {
            let name = new.get(name).unwrap_or(name);
            known.entry(name.clone()).or_insert_with(|| keys(unit, at));
        }
        renamed.push(new);
    }
    writer.text.push('\n');
    Joint { text: writer.text, files: text.files, origins: writer.origins, head, parts, renamed }
}

/// The declarations of functions that another unit defines, as there; empty if this is anything else.
fn defined_elsewhere(declaration: &[Token], number: usize, units: &[Unit]) -> Vec<Token> {
    let is_definition = |tokens: &[Token]| tokens.last().is_some_and(|token| token.text == "}");
    let names: Vec<String> = names::declared(declaration).into_iter().map(|found| found.name).collect();
    if is_definition(declaration) || names.is_empty() {
        return Vec::new();
    }
    let mut all = Vec::new();
    for name in names {
        let others = units.iter().enumerate().filter(|(other, _)| *other != number);
        let known = others.filter_map(|(_, unit)| Some((unit, unit.names.get(&name)?)));
        let mut definitions = known.flat_map(|(unit, (what, at))| {
            at.iter().filter(|_| *what == What::Shared).map(|at| unit.declarations[*at].as_slice())
        });
        let Some(tokens) = definitions.find(|tokens| is_definition(tokens)) else { return Vec::new() };
        let Some(open) = tokens.iter().position(|token| token.text == "{") else { return Vec::new() };
        let head = &tokens[..open];
        let end = match head.iter().position(|token| token.text == ";") {
            // Parameters in the old style.
            Some(_) => head.iter().position(|token| token.text == "(").unwrap_or_default() + 1,
            None => head.len(),
        };
        all.extend(head[..end].iter().cloned());
        let place = head[0].place;
        let sign = |text: &str| Token { before: String::new(), text: text.into(), place };
        if end < head.len() {
            all.push(sign(")"));
        }
        all.push(sign(";"));
    }
    all
}

fn key(tokens: &[Token]) -> String {
    tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
}

fn keys(unit: &Unit, at: &[usize]) -> BTreeSet<String> {
    at.iter().map(|at| key(&unit.declarations[*at])).collect()
}

/// New names for those of a source that an earlier source uses for something else, or another source shares.
fn rename(
    unit: &Unit,
    number: usize,
    known: &BTreeMap<String, BTreeSet<String>>,
    shared: &dyn Fn(&str) -> bool,
    words: &mut FxHashSet<String>,
) -> FxHashMap<String, String> {
    let mut new: FxHashMap<String, String> = FxHashMap::default();
    loop {
        let before = new.len();
        for (name, (what, at)) in &unit.names {
            if *what == What::Shared || new.contains_key(name) {
                continue;
            }
            let means_more = |at: &usize| unit.declarations[*at].iter().any(|token| new.contains_key(&token.text));
            let other = known.get(name).is_some_and(|before| {
                *what == What::Variable || *before != keys(unit, at) || at.iter().any(means_more)
            });
            if other || shared(name) {
                let mut fresh = format!("{name}_{}", number + 1);
                while !words.insert(fresh.clone()) {
                    fresh.push('_');
                }
                new.insert(name.clone(), fresh);
            }
        }
        if new.len() == before {
            return new;
        }
    }
}

fn with_names(tokens: &[Token], new: &FxHashMap<String, String>) -> Vec<Token> {
    let mut all = tokens.to_vec();
    // Whether each open brace is that of a struct.
    let mut braces = Vec::new();
    let word = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
    let is_struct = |word: &str| matches!(word, "struct" | "union");
    for (at, token) in all.iter_mut().enumerate() {
        let before = word(at.checked_sub(1));
        match word(Some(at)) {
            "{" => braces.push(is_struct(before) || is_struct(word(at.checked_sub(2)))),
            "}" => drop(braces.pop()),
            _ => {}
        }
        let declared = braces.last() == Some(&true)
            && matches!(word(Some(at + 1)), ";" | "," | "[" | ":")
            && !matches!(before, "struct" | "union" | "enum" | ":" | "[");
        let member = declared || matches!(before, "." | "->");
        if let Some(name) = new.get(&token.text).filter(|_| !member) {
            token.text = name.clone();
        }
    }
    all
}

/// What is read of the compiler's output.
#[derive(Default)]
struct Preprocessed {
    files: Vec<String>,
    features: Vec<String>,
    /// Headers of the system, in order.
    includes: Vec<String>,
}

impl Preprocessed {
    fn unit(&mut self, text: &str) -> Unit {
        let mut lexer = Lexer::default();
        let (mut file, mut line, mut system, mut include) = (0, 0, false, String::new());
        for whole in text.split_inclusive('\n') {
            if let Some((number, path, flags)) = marker(whole) {
                let entered = flags.contains(&"1");
                system = flags.contains(&"3") || path.starts_with('<');
                if entered && system && !include.is_empty() && !self.includes.contains(&include) {
                    self.includes.push(std::mem::take(&mut include));
                }
                if !system {
                    file = self.number(path);
                }
                if entered {
                    include.clear();
                }
                line = number;
                continue;
            }
            if system {
                continue;
            }
            match whole.trim().strip_suffix("/* clang -E -dI */").and_then(|text| text.trim().strip_prefix("#include "))
            {
                Some(name) => include = name.trim().replacen('"', "<", 1).replacen('"', ">", 1),
                None if whole.trim() == "#pragma once" => {}
                None => lexer.line(whole, (file, line)),
            }
            line += 1;
        }
        let declarations = lex::declarations(lexer.tokens);
        let mut names: BTreeMap<String, (What, Vec<usize>)> = BTreeMap::new();
        for (at, declaration) in declarations.iter().enumerate() {
            for found in names::declared(declaration) {
                let entry = names.entry(found.name).or_insert((found.what, Vec::new()));
                // `static` in one declaration holds for those without.
                if entry.0 == What::Shared {
                    entry.0 = found.what;
                }
                if !entry.1.contains(&at) {
                    entry.1.push(at);
                }
            }
        }
        Unit { declarations, names }
    }

    fn number(&mut self, path: &str) -> usize {
        if let Some(number) = self.files.iter().position(|known| known == path) {
            return number;
        }
        let text = std::fs::read(Path::new(path)).unwrap_or_default();
        for Directive { name, body, .. } in directives(&String::from_utf8_lossy(&text)).filter(|line| line.defines) {
            if FEATURES.contains(&name) && !self.features.iter().any(|known| known.contains(name)) {
                self.features.push(format!("#ifndef {name}\n#define {name}{body}\n#endif\n"));
            }
        }
        self.files.push(path.to_string());
        self.files.len() - 1
    }

    /// What stands above all sources.
    fn head(&self) -> String {
        let mut head = self.features.concat();
        self.includes.iter().for_each(|name| head += &format!("#include {name}\n"));
        head
    }
}

/// `# 12 "model.c" 1 3`: line, file, flags.
fn marker(line: &str) -> Option<(u32, &str, Vec<&str>)> {
    let (number, rest) = line.strip_prefix("# ")?.split_once(' ')?;
    let (path, flags) = rest.strip_prefix('"')?.rsplit_once('"')?;
    Some((number.parse().ok()?, path, flags.split_whitespace().collect()))
}

#[derive(Default)]
struct Writer {
    text: String,
    origins: Vec<(u32, usize, u32)>,
    last: Option<(usize, u32)>,
}

impl Writer {
    fn declaration(&mut self, tokens: &[Token]) {
        // Whether the line has a statement with another one inside, and open parentheses.
        let (mut guards, mut open) = (false, 0);
        for (at, token) in tokens.iter().enumerate() {
            if self.last.map(|(file, _)| file) != Some(token.place.0) || at == 0 && !token.before.contains('\n') {
                self.text.push('\n');
            }
            guards &= !token.before.contains('\n');
            let follows = at > 0 && tokens[at - 1].text == ";" && open == 0 && token.before.trim().is_empty();
            if guards && follows && !matches!(token.text.as_str(), "else" | "}") {
                // The macro's next statement: on one line compilers warn.
                let line = &self.text[self.text.rfind('\n').map_or(0, |end| end + 1)..];
                let indent = line[..line.len() - line.trim_start().len()].to_string();
                self.text += &format!("\n{indent}");
                (self.last, guards) = (None, false);
            } else {
                self.text += &token.before;
            }
            match token.text.as_str() {
                "(" => open += 1,
                ")" => open -= 1,
                "if" | "else" | "for" | "while" => guards = true,
                _ => {}
            }
            if self.last != Some(token.place) {
                self.last = Some(token.place);
                self.origins.push((self.text.len() as u32, token.place.0, token.place.1));
            }
            self.text += &token.text;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(sources: &[&str]) -> Joint {
        let marked: Vec<String> =
            sources.iter().enumerate().map(|(number, text)| format!("# 1 \"{number}.c\"\n{text}\n")).collect();
        join(&marked, false)
    }

    #[test]
    fn declaration_that_both_have_stands_once() {
        let header = "typedef struct { double a; } pair;\nextern double f(pair);\n";
        let joint = joined(&[&format!("{header}double f(pair p) {{ return p.a; }}"), &format!("{header}double x;")]);
        assert_eq!(joint.text.matches("typedef").count(), 1, "{}", joint.text);
        assert!(joint.renamed.iter().all(FxHashMap::is_empty), "{:?}", joint.renamed);
    }

    #[test]
    fn static_name_of_two_sources_gets_a_second_name_but_not_its_members() {
        let joint = joined(&[
            "static double P[1] = {1}; double *a(void) { return P; }",
            "static double P[1] = {1}; double b(struct s *x) { return P[0] + x->P; }",
        ]);
        assert!(joint.text.contains("P_2[0] + x->P;"), "{}", joint.text);
    }

    #[test]
    fn constant_table_and_function_that_agree_are_shared() {
        let helper = "static const double C[2] = {1, 2};\nstatic double h(int i) { return C[i]; }\n";
        let joint = joined(&[
            &format!("{helper}double a(void) {{ return h(0); }}"),
            &format!("{helper}double b(void) {{ return h(1); }}"),
        ]);
        assert_eq!(joint.text.matches("static").count(), 2, "{}", joint.text);
    }

    #[test]
    fn declaration_of_a_function_becomes_that_of_its_definition() {
        let sources = ["double f(double, void *, int);", "double f(x, p, n) double x, *p; int n; { return p[n]; }"];
        let marked: Vec<String> = sources.iter().map(|text| format!("# 1 \"a.c\"\n{text}\n")).collect();
        let joint = join(&marked, true);
        assert!(joint.text.starts_with("\ndouble f();"), "{}", joint.text);
    }

    #[test]
    fn statements_of_a_macro_stand_in_lines_of_their_own() {
        let joint = joined(&["int f(int x) {\n  if (x) return 0; if (x > 1) return 1; else x++;\n  for (;;) x++; }\n"]);
        let expected = "\n  if (x) return 0;\n  if (x > 1) return 1; else x++;\n  for (;;) x++; }";
        assert!(joint.text.contains(expected), "{}", joint.text);
    }

    #[test]
    fn function_over_another_table_is_another_function() {
        let helper = "static double h(int i) { return C[i]; }\n";
        let joint = joined(&[
            &format!("static const double C[1] = {{1}};\n{helper}"),
            &format!("static const double C[1] = {{2}};\n{helper}"),
        ]);
        assert!(joint.text.contains("double h_2(int i) { return C_2[i]; }"), "{}", joint.text);
    }
}
