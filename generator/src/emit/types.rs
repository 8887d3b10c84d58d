//! The types that the header's prototypes name, so that it compiles alone.
//!
//! Types of headers come with the `#include`s that the source begins with, and the conditions around them. Types that
//! the source declares itself stand in the header as the source has them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::names::{code, words};
use crate::directives::{Directive, directives, without_comments};
use crate::ir::{DeclaredType, ProcId, Program, Source, Span};

/// What a file defines before it includes the header if it declares the types in its own way.
pub(super) const OWN_TYPES: &str = "ADTAPE_OWN_TYPES";

/// Headers of C that declare names without which a prototype does not compile.
const STANDARD: &[(&str, &str)] = &[
    ("size_t ptrdiff_t", "stddef.h"),
    ("int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t", "stdint.h"),
    ("bool", "stdbool.h"),
    ("FILE", "stdio.h"),
];

/// Lines for the header in front of the prototypes of its heads; `includes` are the sources as the generated file
/// includes them.
pub(super) fn declarations(program: &Program, includes: &[String], heads: &[ProcId], prototypes: &str) -> String {
    let (mut standard, mut own, mut needs_headers) = (BTreeSet::new(), BTreeMap::new(), false);
    // Words, and whether a declaration here names them: a macro counts there only.
    let mut open: Vec<(String, bool)> = words(&code(prototypes)).map(|word| (word.into(), false)).collect();
    let mut seen = BTreeSet::new();
    while let Some((word, inside)) = open.pop() {
        if !seen.insert((word.clone(), inside)) {
            continue;
        }
        if let Some((_, header)) = STANDARD.iter().find(|(names, _)| names.split(' ').any(|name| name == word)) {
            standard.insert(format!("#include <{header}>\n"));
            continue;
        }
        let mut found = Vec::new();
        for declared in program.declared.iter().filter(|declared| declared.names.contains(&word)) {
            needs_headers = true;
            found.extend(in_source(program, declared));
        }
        for (number, source) in program.sources.iter().enumerate().filter(|(_, source)| source.main && inside) {
            let (at, text) = macro_of(source, &word).unwrap_or_default();
            found.extend((!text.is_empty()).then(|| ((number as u32, at), word.clone(), text)));
        }
        for (at, guard, text) in found {
            open.extend(words(&code(&text)).map(|word| (word.into(), true)));
            let defines = if guard == word { String::new() } else { format!("#define {guard}\n") };
            own.insert(at, format!("#ifndef {guard}\n{defines}{text}\n#endif\n"));
        }
    }
    let standard: String = standard.into_iter().collect();
    if !needs_headers {
        return standard;
    }
    let home = |head: &ProcId| {
        let span = program.procs[head.index()].span;
        program.sources.get(span.source as usize).map(|source| source.path_at(span.start))
    };
    let homes: Vec<_> = heads.iter().filter_map(home).collect();
    let sources = program.sources.iter().zip(includes).filter(|(source, _)| homes.contains(&source.path.as_str()));
    let above: String = sources.map(|(source, include)| beginning(source, include)).collect();
    let own: String = own.into_values().collect();
    format!(
        "{standard}/* Types of the sources. Define {OWN_TYPES} first where these types are declared in another way. */\n\
         #ifndef {OWN_TYPES}\n{above}{own}#endif\n"
    )
}

/// A declaration that a source has itself, and not one of its headers: where it is, a macro for it, its text.
fn in_source(program: &Program, declared: &DeclaredType) -> Option<((u32, u32), String, String)> {
    let source = program.sources.get(declared.span.source as usize)?;
    let home = source.path_at(declared.span.start);
    let is_own = program.sources.iter().any(|source| source.main && source.path == home);
    if !is_own || source.text.contains("#pragma pack") {
        return None;
    }
    // `typedef struct tag { ... } name, *pointer;` declares three names.
    let (mut first, mut end) = (declared, declared.span.end);
    for other in program.declared.iter().filter(|other| other.span.source == declared.span.source) {
        if other.span.start <= first.span.start && first.span.start < other.span.end {
            end = end.max(other.span.end);
            first = if other.span.start < first.span.start { other } else { first };
        }
    }
    let begins = |other: &&DeclaredType| at(&other.span) == at(&first.span);
    let name = program.declared.iter().find(begins)?.names.first()?;
    let (text, behind) = source.text.get(first.span.start as usize..)?.split_at((end - first.span.start) as usize);
    let rest = behind.find(';').map_or("", |end| &behind[..end]);
    let rest = if text.starts_with("typedef") || rest.trim_start().starts_with("__attribute__") { rest } else { "" };
    let kind = if text.starts_with("typedef") { "TYPE" } else { "TAG" };
    Some((at(&first.span), format!("ADTAPE_{kind}_{name}"), format!("{text}{rest};")))
}

fn at(span: &Span) -> (u32, u32) {
    (span.source, span.start)
}

/// The definition of a macro without arguments, where it stands.
fn macro_of(source: &Source, name: &str) -> Option<(u32, String)> {
    let text = &source.text;
    let mut lines = directives(text).filter(|line| line.defines && line.name == name);
    let Directive { at, body, .. } = lines.find(|line| body_is_whole(line.body))?;
    Some((at as u32, format!("#define {name}{}", without_comments(body).trim_end())))
}

/// Whether a macro has no arguments, and ends on its line.
fn body_is_whole(body: &str) -> bool {
    body.starts_with([' ', '\t']) && !body.ends_with('\\')
}

/// The directives that a source begins with, up to its last header.
fn beginning(source: &Source, include: &str) -> String {
    let text = without_comments(&source.text);
    let (mut lines, mut kept, mut depth, mut open) = (Vec::new(), 0, 0_usize, 0);
    let mut continued = false;
    for line in text.lines() {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        let is_part = continued || directive.is_some_and(is_kept);
        continued = is_part && line.trim_end().ends_with('\\');
        let Some(directive) = directive.filter(|_| is_part) else {
            if is_part {
                lines.push(line.to_string());
            } else if line.starts_with('{') || line.trim_end().ends_with(") {") || line.trim_end().ends_with("){") {
                break;
            }
            continue;
        };
        if directive.starts_with("if") {
            depth += 1;
        } else if directive.starts_with("endif") {
            depth = depth.saturating_sub(1);
        }
        let Some(name) = directive.strip_prefix("include").map(str::trim) else {
            lines.push(line.trim_end().to_string());
            continue;
        };
        if name.trim_end_matches(['"', '>']).ends_with(".h") {
            lines.push(format!("#include {}", found_from(source, include, name)));
            (kept, open) = (lines.len(), depth);
        }
    }
    lines.truncate(kept);
    lines.extend(std::iter::repeat_n("#endif".to_string(), open));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn is_kept(directive: &str) -> bool {
    ["include", "if", "el", "endif", "define", "undef"].iter().any(|name| directive.starts_with(name))
}

/// A header as the generated one includes it: a header beside the source is found from there.
fn found_from(source: &Source, include: &str, name: &str) -> String {
    let file = name.trim_matches('"');
    let beside = |path: &str| Path::new(path).parent().map(|folder| folder.join(file));
    match (beside(&source.path), beside(include)) {
        (Some(path), Some(found)) if name.starts_with('"') && path.is_file() => format!("\"{}\"", found.display()),
        _ => name.to_string(),
    }
}
