//! Text of statements and comments, as the user wrote it.

use crate::directives::{Directive, directives};
use crate::ir::{Program, Span, Statement};
use crate::names::{self, words};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The macros of the sources.
pub(crate) struct Macros<'a> {
    /// Names that mean different things at different places: macros that are defined twice, or anywhere but in a header,
    /// or that are undefined behind the sources.
    unstable: FxHashSet<&'a str>,
    /// For each source: where a name is defined last.
    last: Vec<FxHashMap<&'a str, usize>>,
    /// Whether nothing is copied.
    hide: bool,
    /// Those that are undefined behind the sources.
    pub(crate) undone: BTreeSet<&'a str>,
}

impl<'a> Macros<'a> {
    pub(crate) fn of_program(program: &'a Program) -> Macros<'a> {
        let (mut once, mut unstable, mut last) = (FxHashMap::default(), FxHashSet::default(), Vec::new());
        for (number, source) in program.sources.by_id() {
            let mut of_source = FxHashMap::default();
            for Directive { at, defines, name, .. } in directives(&source.text) {
                if !defines || once.insert(name, number).is_some() {
                    unstable.insert(name);
                }
                if defines {
                    of_source.insert(name, at);
                }
            }
            last.push(of_source);
        }
        // A macro of one main file would also hold in the text of another one, which comes first.
        if program.sources.iter().filter(|source| source.main).count() > 1 {
            unstable.extend(once.iter().filter(|(_, number)| program.sources[**number].main).map(|(name, _)| *name));
        }
        let undone = names::macros_undone(program);
        unstable.extend(names::with_users(program, undone.clone()));
        Macros { unstable, last, hide: names::has_own_bool(program), undone }
    }

    /// Whether a word of a statement may mean something else in a copy behind all sources. A macro that is defined
    /// behind the statement would hold in the copy, but not in the original.
    fn change(&self, word: &str, span: Span) -> bool {
        let last = self.last.get(span.source as usize).and_then(|source| source.get(word));
        self.unstable.contains(word) || last.is_some_and(|at| *at >= span.end as usize)
    }
}

/// The text of a statement with the comments around it, without the indentation that it has in the source.
pub(super) fn of_statement(program: &Program, statement: &Statement, macros: &Macros) -> Option<String> {
    let span = statement.span;
    let source = &program.sources.get(span.source as usize)?.text;
    let text = source.get(span.start as usize..span.end as usize)?;
    let whole = text.ends_with([';', '}']);
    let plain = !text.contains("\\\n") && !text.lines().any(|line| line.trim_start().starts_with('#'));
    let block = text.starts_with('{');
    if macros.hide
        || !statement.copyable
        || block
        || !whole
        || !plain
        || words(text).any(|word| macros.change(word, span))
    {
        return None;
    }
    let line = source[..span.start as usize].rfind('\n').map_or(0, |at| at + 1);
    let margin: String = source[line..].chars().take_while(|c| *c == ' ' || *c == '\t').collect();
    let mut copied = String::new();
    for (at, line) in text.lines().enumerate() {
        let line = if at == 0 { line } else { line.strip_prefix(&margin).unwrap_or(line.trim_start()) };
        copied += line.trim_end();
        copied.push('\n');
    }
    let behind = source.get(span.end as usize..)?.lines().next().unwrap_or_default().trim();
    let ends = behind.starts_with("//") || behind.starts_with("/*") && behind.find("*/") == Some(behind.len() - 2);
    if ends && !behind.ends_with('\\') {
        copied.truncate(copied.trim_end().len());
        copied += &format!(" {behind}\n");
    }
    Some(copied)
}

/// The comment that stands directly above a statement.
pub(super) fn comment(program: &Program, statement: &Statement) -> Option<String> {
    let span = statement.span;
    let source = &program.sources.get(span.source as usize)?.text;
    let above = source.get(..span.start as usize)?;
    let line = above.rfind('\n')?;
    if !above[line..].trim().is_empty() {
        return None;
    }
    let mut lines: Vec<&str> = Vec::new();
    let mut open = false;
    for line in above[..line].lines().rev() {
        let line = line.trim();
        let ends = line.ends_with("*/");
        let begins = line.starts_with("/*");
        match (open, ends, begins) {
            (false, true, true) if line.find("*/") == Some(line.len() - 2) => {}
            (false, true, false) if !line.contains("/*") && line.find("*/") == Some(line.len() - 2) => open = true,
            (false, ..) if line.starts_with("//") && !line.ends_with('\\') => {}
            (true, false, true) => open = false,
            (true, false, false) if !line.contains("/*") => {}
            _ => break,
        }
        lines.push(line);
    }
    if open || lines.is_empty() {
        return None;
    }
    lines.reverse();
    let aligned = |line: &str| if line.starts_with('*') { format!(" {line}\n") } else { format!("{line}\n") };
    Some(lines.into_iter().map(aligned).collect())
}
