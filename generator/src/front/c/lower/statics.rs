//! What functions declare inside that their sweeps must declare too: types, and variables with static storage.

use super::scan::between_commas;
use super::state::Declared;
use crate::directives::{Directive, directives, names_other, rename, without_comments};
use crate::front::c::sources::Sources;
use crate::ir::{Object, Span, Static};
use crate::names::words;
use rustc_hash::{FxHashMap, FxHashSet};

/// Each declaration once, with variables under the names of the globals.
pub fn declarations(all: &[Declared], globals: &[Object], sources: &Sources) -> Vec<Static> {
    let mut found: Vec<Static> = Vec::new();
    let mut macros: FxHashMap<u32, Vec<Directive>> = FxHashMap::default();
    for one in all {
        let renamed = |word: &str| {
            let own = all.iter().filter(|other| other.function == one.function);
            let variable = own.filter_map(|other| other.variable.as_ref()).find(|(name, _)| name == word);
            variable.map(|(_, global)| globals[global.index()].name.clone())
        };
        let text = sources.text(one.span.source as usize, one.span.start, one.span.end);
        let whole = sources.all(one.span.source as usize);
        let macros = macros.entry(one.span.source).or_insert_with(|| directives(whole).collect());
        let text = expanded(without_comments(text), macros, one.span);
        let text = static_first(rename(&only(&text, &|word| renamed(word).is_some()), &|word, front| {
            if names_other(front) { None } else { renamed(word) }
        }));
        let global = one.variable.as_ref().map(|(_, global)| *global);
        let same = |known: &&mut Static| known.span.source == one.span.source && known.span.start == one.span.start;
        match found.iter_mut().find(same) {
            Some(known) => {
                known.globals.extend(global);
                known.initial.extend(global.zip(one.initial));
                if one.span.end > known.span.end {
                    (known.text, known.span) = (text, one.span);
                }
            }
            None => {
                let function = one.function.clone();
                found.push(Static {
                    function,
                    globals: global.into_iter().collect(),
                    text,
                    span: one.span,
                    initial: global.zip(one.initial).into_iter().collect(),
                    scratch: false,
                    lasting: None,
                });
            }
        }
    }
    // An enumeration without a name may stand inside another declaration, which holds it.
    let spans: Vec<Span> = found.iter().map(|known| known.span).collect();
    let inside = |span: Span| {
        let holds = |other: &Span| other.source == span.source && other.start < span.start && other.end >= span.end;
        spans.iter().any(holds)
    };
    found.retain(|known| !known.globals.is_empty() || !inside(known.span));
    found
}

/// A declaration of several variables without those that are no globals: `static int i, count[3]` as `static int
/// count[3]`.
fn only(text: &str, is_global: &dyn Fn(&str) -> bool) -> String {
    let parts: Vec<&str> = between_commas(text).collect();
    let kept: Vec<&str> = parts.iter().copied().filter(|part| is_global(declared(part).1)).collect();
    let is_plain = !text.contains(['"', '\'', '(']);
    if !is_plain || kept.is_empty() || kept.len() == parts.len() {
        return text.to_string();
    }
    if kept[0] == parts[0] {
        return kept.join(",");
    }
    let (ty, _) = declared(parts[0]);
    format!("{} {}", ty.trim_end_matches(['*', ' ']), kept.join(",").trim_start())
}

/// What stands in front of the name of a variable, and the name: the last word in front of extents and initialiser.
fn declared(part: &str) -> (&str, &str) {
    let front = part.split(['[', '=']).next().unwrap_or_default().trim_end();
    let name = words(front).last().unwrap_or_default();
    (front.strip_suffix(name).unwrap_or_default(), name)
}

/// `const static double x[2]` as compilers want it: the storage class first.
fn static_first(text: String) -> String {
    let word = "static ";
    match text.find(word) {
        Some(at) if at > 0 && text[..at].chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ' ' | '*')) => {
            format!("{word}{}{}", &text[..at], &text[at + word.len()..])
        }
        _ => text,
    }
}

/// The text with macros replaced that mean something else, or nothing, at the end of the source: the sweeps stand
/// there. `directives` are those of the source, in order.
fn expanded(mut text: String, directives: &[Directive], span: Span) -> String {
    let before = directives.partition_point(|line| line.at < span.start as usize);
    let behind = directives.partition_point(|line| line.at < span.end as usize);
    let changed: FxHashSet<&str> = directives[behind..].iter().map(|line| line.name).collect();
    let of = |line: &&Directive| changed.contains(line.name);
    let meant: FxHashMap<&str, &Directive> =
        directives[..before].iter().filter(of).map(|line| (line.name, line)).collect();
    if meant.is_empty() {
        return text;
    }
    for _ in 0..NESTED {
        let body = |word: &str, _: &str| {
            let line = meant.get(word)?;
            (line.defines && !line.body.starts_with('(')).then(|| line.body.trim().to_string())
        };
        let new = rename(&text, &body);
        if new == text {
            break;
        }
        text = new;
    }
    text
}

/// Macros whose bodies name other macros are followed that far.
const NESTED: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_globals_of_a_declaration_stay() {
        let is_global = |word: &str| matches!(word, "count" | "t");
        for (text, kept) in [
            ("static int i, status, count[3]", "static int count[3]"),
            ("static double *p, t[2] = {1, 2}, *q, count", "static double t[2] = {1, 2}, count"),
            ("static int count = 1, i", "static int count = 1"),
            ("static const int *i, *t", "static const int *t"),
            ("static double t[2] = {1, 2}", "static double t[2] = {1, 2}"),
            ("static int (*f)(int, int), t", "static int (*f)(int, int), t"),
        ] {
            assert_eq!(only(text, &is_global), kept);
        }
    }

    #[test]
    fn the_storage_class_comes_first() {
        let first = |text: &str| static_first(text.to_string());
        assert_eq!(first("const static double x[2] = {1, 2}"), "static const double x[2] = {1, 2}");
        assert_eq!(first("static const char *s = \"a static b\""), "static const char *s = \"a static b\"");
        assert_eq!(first("typedef struct { int a; } non_static t"), "typedef struct { int a; } non_static t");
    }

    #[test]
    fn macros_that_end_behind_a_declaration_are_replaced() {
        let source = "#define N 8\n#define M (2 * N)\n#define K 3\nstatic double x[M] = {K};\n#undef N\n#undef M\n";
        let (start, end) = (source.find("static").unwrap() as u32, source.find(';').unwrap() as u32);
        let span = Span { start, end, ..Span::default() };
        let text = expanded("static double x[M] = {K}".into(), &directives(source).collect::<Vec<_>>(), span);
        assert_eq!(text, "static double x[(2 * 8)] = {K}");
    }
}
