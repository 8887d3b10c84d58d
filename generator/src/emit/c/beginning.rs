//! The directives that a source begins with, up to its last header, as a generated header repeats them where a stored
//! syntax tree was read: no preprocessor says then which header brings what. See [`super::needed`] for all others.
//!
//! A header that defines a function for other files counts as a source: a second file that includes it would define
//! that function twice. The headers that it includes stand in its place.

use std::path::Path;

use crate::directives::{guard, without_comments};
use crate::ir::{ProcId, Program, Source, Span};

/// The beginnings of the sources that have the heads; of all sources if a head stands in a header.
pub(super) fn of_heads(program: &Program, includes: &[String], heads: &[ProcId]) -> String {
    let home = |head: &ProcId| home(program, &program.procs[*head].span);
    let homes: Vec<_> = heads.iter().filter_map(home).collect();
    let is_source = |home: &&str| program.sources.iter().any(|source| source.main && source.path == **home);
    let in_sources = homes.iter().all(is_source);
    let sources = program.sources.iter().zip(includes);
    let wanted = sources.filter(|(source, _)| !in_sources || homes.contains(&source.path.as_str()));
    wanted.flat_map(|(source, include)| beginning(program, source, include, &[])).map(|line| line + "\n").collect()
}

/// Whether only the generated file may include a file.
pub(super) fn is_own(program: &Program, path: &str) -> bool {
    let mut exported = program.procs.iter().filter(|proc| !proc.is_static);
    program.sources.iter().any(|source| source.main && source.path == path)
        || exported.any(|proc| home(program, &proc.span) == Some(path))
}

/// The file that a place is in.
pub(super) fn home<'p>(program: &'p Program, span: &Span) -> Option<&'p str> {
    Some(program.sources.get(span.source as usize)?.path_at(span.start))
}

/// `include` is the source as the generated file includes it; `around` are the files that include it.
fn beginning(program: &Program, source: &Source, include: &str, around: &[&str]) -> Vec<String> {
    let text = without_comments(&source.text);
    let (mut lines, mut kept, mut depth, mut open) = (Vec::new(), 0, 0_usize, 0);
    let mut continued = false;
    let (guard, around) = (guard(&source.text), [around, &[source.path.as_str()]].concat());
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
            // A header that is not included leaves its guard to a later include.
            if guard.is_none_or(|guard| directive != format!("define {guard}")) {
                lines.push(line.trim_end().to_string());
            }
            continue;
        };
        if !name.trim_end_matches(['"', '>']).ends_with(".h") {
            continue;
        }
        let found = found_from(&source.path, include, name);
        match own_header(program, source, name) {
            Some(header) if around.contains(&header.path.as_str()) => {}
            Some(header) => lines.extend(beginning(program, header, found.trim_matches(['"', '<', '>']), &around)),
            None => lines.push(format!("#include {found}")),
        }
        (kept, open) = (lines.len(), depth);
    }
    lines.truncate(kept);
    lines.extend(std::iter::repeat_n("#endif".to_string(), open));
    lines
}

fn is_kept(directive: &str) -> bool {
    ["include", "if", "el", "endif", "define", "undef"].iter().any(|name| directive.starts_with(name))
}

/// The header of this name, if only the generated file may include it.
fn own_header<'p>(program: &'p Program, source: &Source, name: &str) -> Option<&'p Source> {
    let file = name.trim_matches(['"', '<', '>']);
    let beside = Path::new(&source.path).parent().map(|folder| folder.join(file));
    let is_named = |path: &Path| beside.as_deref() == Some(path) || path.ends_with(file);
    let mut headers = program.sources.iter().filter(|source| is_named(Path::new(&source.path)));
    headers.find(|source| is_own(program, &source.path))
}

/// A header as the generated one includes it: a header beside the file that includes it is found from there. `include` is
/// that file as the generated one would include it.
pub(super) fn found_from(path: &str, include: &str, name: &str) -> String {
    let file = name.trim_matches('"');
    let beside = |path: &str| Path::new(path).parent().map(|folder| folder.join(file));
    match (beside(path), beside(include)) {
        (Some(path), Some(found)) if name.starts_with('"') && path.is_file() => format!("\"{}\"", found.display()),
        _ => name.to_string(),
    }
}
