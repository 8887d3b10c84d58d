//! The types that the header's prototypes name, so that it compiles alone.
//!
//! Types of headers come with the `#include`s of these headers alone: see [`super::needed`]. Types that the source declares
//! itself stand in the header as the source has them, and so do those of headers that count as sources.

use std::collections::{BTreeMap, BTreeSet};

use super::needed::{Headers, Place};
use super::{beginning, header};
use crate::directives::{Directive, directives, guard, without_comments};
use crate::ir::{DeclaredType, Field, ProcId, Program, Source, Span, StructId, Type, print};
use crate::names::code;

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
    let mut needed = Needed::new(program, Headers::of(program, includes));
    needed.of_prototypes(prototypes);
    let standard: String = needed.standard.iter().map(|header| format!("#include <{header}>\n")).collect();
    if !needed.names_sources {
        return standard;
    }
    let above = match &needed.headers {
        Some(_) => String::new(),
        None => beginning::of_heads(program, includes, heads),
    };
    let pieces = needed.text();
    if needed.headers.is_some() && pieces.is_empty() {
        return standard;
    }
    format!(
        "{standard}/* Types of the sources. Define {OWN_TYPES} first where these types are declared in another way. */\n\
         #ifndef {OWN_TYPES}\n{above}{pieces}#endif\n"
    )
}

/// A part of the header, in front of its prototypes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    /// A macro of a source that a header needs, and what stands behind it.
    Macro(String, String),
    /// A header, by its number.
    Header(usize),
    /// A declaration of a source, or a macro that one needs.
    Own(String),
}

/// What prototypes need.
struct Needed<'p> {
    program: &'p Program,
    headers: Option<Headers<'p>>,
    /// Headers of C.
    standard: BTreeSet<&'static str>,
    chosen: BTreeSet<usize>,
    pieces: BTreeSet<(Place, Piece)>,
    /// Whether a type of the sources, or of their headers, is named.
    names_sources: bool,
    /// Words, and whether a declaration names them: a macro counts there only.
    open: Vec<(String, bool)>,
    seen: BTreeSet<(String, bool)>,
}

impl<'p> Needed<'p> {
    fn new(program: &'p Program, headers: Option<Headers<'p>>) -> Needed<'p> {
        Needed {
            program,
            headers,
            standard: BTreeSet::new(),
            chosen: BTreeSet::new(),
            pieces: BTreeSet::new(),
            names_sources: false,
            open: Vec::new(),
            seen: BTreeSet::new(),
        }
    }

    fn of_prototypes(&mut self, prototypes: &str) {
        self.open = header::types_named(&code(prototypes)).into_iter().map(|word| (word, false)).collect();
        while let Some((word, inside)) = self.open.pop() {
            if self.seen.insert((word.clone(), inside)) {
                self.word(&word, inside);
            }
        }
    }

    fn word(&mut self, word: &str, inside: bool) {
        let standard = STANDARD.iter().find(|(names, _)| names.split(' ').any(|name| name == word));
        if let Some((_, header)) = standard {
            self.standard.insert(header);
            return;
        }
        let program = self.program;
        for declared in program.c.declared.iter().filter(|declared| declared.names.iter().any(|name| name == word)) {
            self.names_sources = true;
            match in_source(program, self.headers.as_ref(), declared) {
                Some((at, once, text)) => self.own(at, &once, word, &text),
                None => self.header_of(declared),
            }
        }
        if !inside {
            return;
        }
        let mut is_defined = false;
        for number in program.sources.ids() {
            let source = &program.sources[number];
            if self.is_own(&source.path)
                && let Some((at, text)) = macro_of(source, word)
            {
                is_defined = true;
                self.own((number.0, at), word, word, &text);
            }
        }
        let defining = self.headers.as_ref().filter(|_| !is_defined).and_then(|headers| headers.defining(word));
        defining.into_iter().for_each(|at| self.choose(at));
    }

    fn is_own(&self, path: &str) -> bool {
        match &self.headers {
            Some(headers) => headers.is_own(path),
            None => beginning::is_own(self.program, path),
        }
    }

    /// Takes the text of a source, once: `once` is the macro for that, the word itself if that is a macro.
    fn own(&mut self, at: (u32, u32), once: &str, word: &str, text: &str) {
        self.open.extend(header::named_inside(&code(text)).into_iter().map(|word| (word, true)));
        let defines = if once == word { String::new() } else { format!("#define {once}\n") };
        let text = format!("#ifndef {once}\n{defines}{text}\n#endif\n");
        // What a header declares stands in front of the sources that include it.
        let source = self.program.sources.get(at.0 as usize);
        let header = source.filter(|source| !source.main).and_then(|source| guard(&source.text));
        let text = match header {
            Some(header) => format!("#ifndef {header}\n{text}#endif\n"),
            None => text,
        };
        let place = match (&self.headers, source) {
            (Some(headers), Some(source)) => headers.place(source.path_at(at.1), line_of(source, at.1)),
            _ => vec![u32::from(source.is_some_and(|source| source.main)), at.0, at.1],
        };
        self.pieces.insert((place, Piece::Own(text)));
    }

    /// Chooses the header that has a declaration.
    fn header_of(&mut self, declared: &DeclaredType) {
        let Some(source) = self.program.sources.get(declared.span.source as usize) else { return };
        let path = source.path_at(declared.span.start);
        let found = self.headers.as_ref().filter(|headers| !headers.is_own(path)).map(|headers| headers.with(path));
        found.into_iter().flatten().for_each(|at| self.choose(at));
    }

    /// Takes a header, and what stands in front of it as far as it needs that.
    fn choose(&mut self, at: usize) {
        let Some(headers) = self.headers.as_ref().filter(|_| self.chosen.insert(at)) else { return };
        let before = headers.before(at);
        let place = headers.directive(at);
        let macros = before.macros.into_iter().map(|(name, body)| (place.clone(), Piece::Macro(name, body)));
        self.pieces.extend(macros);
        self.pieces.insert((place, Piece::Header(at)));
        self.open.extend(before.names.into_iter().map(|name| (name, true)));
        before.headers.into_iter().for_each(|other| self.choose(other));
    }

    /// All pieces in the order of the sources.
    fn text(&self) -> String {
        let outermost = self.headers.as_ref().map(|headers| headers.outermost(self.chosen.clone())).unwrap_or_default();
        let mut text = String::new();
        let mut defined: BTreeMap<&str, &str> = BTreeMap::new();
        for (_, piece) in &self.pieces {
            text += &match piece {
                Piece::Own(own) => own.clone(),
                Piece::Header(at) => match self.headers.as_ref().filter(|_| outermost.contains(at)) {
                    Some(headers) => format!("#include {}\n", headers.name(*at)),
                    None => continue,
                },
                Piece::Macro(name, body) => match defined.insert(name, body) {
                    Some(before) if before == body => continue,
                    Some(_) => format!("#undef {name}\n#define {name}{body}\n"),
                    None => format!("#ifndef {name}\n#define {name}{body}\n#endif\n"),
                },
            };
        }
        text
    }
}

/// The line of a byte, in the file that it comes from.
fn line_of(source: &Source, at: u32) -> u32 {
    match source.origin(at) {
        Some((from, _, line)) => line + source.text[*from as usize..at as usize].matches('\n').count() as u32,
        None => source.text[..at as usize].matches('\n').count() as u32 + 1,
    }
}

/// A declaration that a source has itself, and not one of its headers: where it is, a macro for it, its text.
fn in_source(
    program: &Program,
    headers: Option<&Headers>,
    declared: &DeclaredType,
) -> Option<((u32, u32), String, String)> {
    let source = program.sources.get(declared.span.source as usize)?;
    let path = source.path_at(declared.span.start);
    let is_own = headers.map_or_else(|| beginning::is_own(program, path), |headers| headers.is_own(path));
    if !is_own || source.text.contains("#pragma pack") {
        return None;
    }
    // `typedef struct tag { ... } name, *pointer;` declares three names.
    let (mut first, mut end) = (declared, declared.span.end);
    for other in program.c.declared.iter().filter(|other| other.span.source == declared.span.source) {
        if other.span.start <= first.span.start && first.span.start < other.span.end {
            end = end.max(other.span.end);
            first = if other.span.start < first.span.start { other } else { first };
        }
    }
    let begins = |other: &&DeclaredType| at(&other.span) == at(&first.span);
    let name = program.c.declared.iter().find(begins)?.names.first()?;
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
        while let Some(inner) = ty.inside() {
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
