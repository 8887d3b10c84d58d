//! Which loops are to be run again.

use std::collections::BTreeSet;

use crate::ir::walk;
use crate::ir::{Carried, Expr, ItemId, ItemKind, Proc, ProcId, Program, Span};

/// Loops by a name of the user: `f` for all loops of a function, `f:i` for those that test the variable `i`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The function; `*` for all.
    pub proc: String,
    /// The variable.
    pub index: Option<String>,
}

impl Named {
    /// From `f` or `f:i`.
    pub fn parse(text: &str) -> Named {
        match text.split_once(':') {
            Some((proc, index)) => Named { proc: proc.trim().into(), index: Some(index.trim().into()) },
            None => Named { proc: text.trim().into(), index: None },
        }
    }
}

/// What the directives in front of a loop say, without `#pragma adjoint` or `!$ad`.
pub(super) fn directives(program: &Program, span: Span) -> Vec<Vec<String>> {
    let Some(source) = program.sources.get(span.source as usize).filter(|_| span.line != 0) else { return Vec::new() };
    let Some(before) = source.text.get(..span.start as usize) else { return Vec::new() };
    // What the line of the loop begins with is no line of its own.
    let lines = before.lines().rev().skip(usize::from(!before.ends_with('\n')));
    if program.fortran.is_some() { in_comments(lines) } else { in_pragmas(before, lines) }
}

/// Those of C: on lines of their own, between which only other ones stand.
fn in_pragmas<'a>(before: &str, lines: impl Iterator<Item = &'a str>) -> Vec<Vec<String>> {
    // The loop around this one may stand on its line.
    let beside = before.rsplit('\n').next().unwrap_or_default();
    if beside.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| matches!(word, "for" | "while" | "do")) {
        return Vec::new();
    }
    let words = lines.map(|line| line.split_whitespace().collect::<Vec<&str>>()).filter(|words| !words.is_empty());
    let pragmas = words.map_while(|words| match words[..] {
        ["#pragma", ..] => Some(words[1..].to_vec()),
        ["#", "pragma", ..] => Some(words[2..].to_vec()),
        _ => None,
    });
    let own = pragmas.filter(|words| words.first() == Some(&"adjoint"));
    own.map(|words| words[1..].iter().map(ToString::to_string).collect()).collect()
}

/// Those of Fortran: comments, between which only other ones stand. In fixed form they may begin with C or a star.
fn in_comments<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Vec<String>> {
    let lines = lines.filter(|line| !line.trim().is_empty()).map(str::to_ascii_lowercase);
    let comments = lines.map_while(|line| {
        let text = line.trim_start();
        let fixed = line.strip_prefix('c').or_else(|| line.strip_prefix('*')).filter(|text| text.starts_with('$'));
        text.strip_prefix('!').or(fixed).map(str::to_string)
    });
    let own = comments.filter_map(|text| {
        let mut words = text.split_whitespace();
        (words.next() == Some("$ad")).then(|| words.map(str::to_string).collect())
    });
    own.collect()
}

/// The variables that a loop's test reads.
fn tested<'a>(proc: &'a Proc, test: &Expr, carried: &[Carried]) -> Vec<&'a str> {
    let mut values = Vec::new();
    walk::values(test, &mut |value| values.push(value));
    carried.iter().filter(|c| values.contains(&c.head)).map(|c| proc.vars[c.var].name.as_str()).collect()
}

/// What is wrong with a name: no function, or no loop, is called so.
pub fn unknown(program: &Program, named: &[Named]) -> Option<String> {
    let of = |named: &Named, proc: &Proc| named.proc == "*" || named.proc == proc.name;
    named.iter().find_map(|named| {
        if !program.procs.iter().any(|proc| of(named, proc)) {
            return Some(format!("the heads reach no function '{}'", named.proc));
        }
        let tests = |name: &str| {
            program.procs.iter().filter(|proc| of(named, proc)).any(|proc| {
                proc.items.iter().any(|item| matches!(&item.kind, ItemKind::Loop { test, carried, .. } if tested(proc, test, carried).contains(&name)))
            })
        };
        let index = named.index.as_ref().filter(|name| !tests(name))?;
        Some(format!("no loop of '{}' tests the variable '{index}'", named.proc))
    })
}

/// The loops that are named, and, if `directed`, those that a directive stands in front of.
pub fn loops(program: &Program, named: &[Named], directed: bool) -> BTreeSet<(ProcId, ItemId)> {
    let mut found = BTreeSet::new();
    // A body that stands for a function has no loop that runs.
    for (at, proc) in program.procs.iter().enumerate().filter(|(_, proc)| proc.rule.is_none()) {
        let all = named.iter().filter(|named| named.proc == proc.name || named.proc == "*");
        let wanted: Vec<&Named> = all.collect();
        for (item, this) in proc.items.iter().enumerate() {
            let item = ItemId::new(item);
            let ItemKind::Loop { test, carried, .. } = &this.kind else { continue };
            let tested = tested(proc, test, carried);
            let tests = |name: &String| tested.contains(&name.as_str());
            let directs = || directed && directives(program, this.span).iter().any(|words| *words == ["again"]);
            if directs() || wanted.iter().any(|named| named.index.as_ref().is_none_or(tests)) {
                found.insert((ProcId::new(at), item));
            }
        }
    }
    found
}
