//! The types that the header's prototypes name, so that it compiles alone.
//!
//! Types of headers come with the `#include`s that the source begins with, and the conditions around them. Types that
//! the source declares itself stand in the header as the source has them, and so do those of headers that count as
//! sources.

use std::collections::{BTreeMap, BTreeSet};

use super::beginning;
use super::names::{code, words};
use crate::directives::{Directive, directives, without_comments};
use crate::ir::{DeclaredType, Field, ProcId, Program, Source, SourceId, Span, StructId, Type, print};

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
        let is_own = |number: &SourceId| inside && beginning::is_own(program, &program.sources[*number].path);
        for number in program.sources.ids().filter(is_own) {
            let defined = macro_of(&program.sources[number], &word);
            found.extend(defined.map(|(at, text)| ((number.0, at), word.clone(), text)));
        }
        for (at, guard, text) in found {
            open.extend(words(&code(&text)).map(|word| (word.into(), true)));
            let defines = if guard == word { String::new() } else { format!("#define {guard}\n") };
            let text = format!("#ifndef {guard}\n{defines}{text}\n#endif\n");
            // What a header declares stands in front of the sources that include it.
            let source = program.sources.get(at.0 as usize);
            let is_main = source.is_some_and(|source| source.main);
            let header = source.filter(|source| !source.main).and_then(|source| beginning::guard(&source.text));
            own.insert(
                (is_main, at),
                match header {
                    Some(header) => format!("#ifndef {header}\n{text}#endif\n"),
                    None => text,
                },
            );
        }
    }
    let standard: String = standard.into_iter().collect();
    if !needs_headers {
        return standard;
    }
    let above = beginning::of_heads(program, includes, heads);
    let own: String = own.into_values().collect();
    format!(
        "{standard}/* Types of the sources. Define {OWN_TYPES} first where these types are declared in another way. */\n\
         #ifndef {OWN_TYPES}\n{above}{own}#endif\n"
    )
}

/// A declaration that a source has itself, and not one of its headers: where it is, a macro for it, its text.
fn in_source(program: &Program, declared: &DeclaredType) -> Option<((u32, u32), String, String)> {
    let source = program.sources.get(declared.span.source as usize)?;
    if !beginning::is_own(program, source.path_at(declared.span.start)) || source.text.contains("#pragma pack") {
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

/// The definition of a struct of adjoints, with the members that hold some or point to some.
pub(super) fn structure(program: &Program, id: StructId) -> String {
    let holds = |field: &&Field| {
        let mut ty = &field.ty;
        while let Type::Pointer(inner) | Type::Array { elem: inner, .. } = ty {
            ty = inner;
        }
        matches!(ty, Type::Float { .. } | Type::Struct(_))
    };
    let known = &program.types.structs[id];
    let member = |field: &Field| print::default_declaration(program, &field.ty).replacen('@', &field.name, 1);
    let shown: Vec<&Field> = known.fields.iter().filter(holds).collect();
    let members: String = shown.iter().map(|field| format!("    {};\n", member(field))).collect();
    // C wants a member in front of an array of any length.
    let needs_one = shown.is_empty() || known.has_tail() && shown.len() == 1;
    let members = if needs_one { format!("    char none;\n{members}") } else { members };
    format!("{} {{\n{members}}};\n", known.name)
}
