//! Items of the generator's intermediate form: no match over their kinds has an arm for all others, so that a new kind
//! does not compile where it must be handled; and what reads programs knows no item that only sweeps have.

use super::source::{Source, read_sources, source};
use super::tokens::{Token, tokens};

/// The types whose variants are the kinds.
const KINDS: [&str; 2] = ["ItemKind", "SweepItem"];
/// Matches over one of them, at most: places where a new kind is added, two of them in what prints C and Fortran.
const MOST_MATCHES: usize = 9;

/// Where the closing bracket for the opening one at `open` is.
fn closing(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    tokens.len()
}

/// The first token from `at` on, outside of brackets, of which `is` says so.
fn outside(tokens: &[Token], mut at: usize, end: usize, is: impl Fn(usize) -> bool) -> usize {
    while at < end && !is(at) {
        let opens = matches!(tokens[at].text.as_str(), "(" | "[" | "{");
        at = if opens { closing(tokens, at) + 1 } else { at + 1 };
    }
    at.min(end)
}

/// The patterns of a match whose arms stand between two tokens, each with its guard.
fn patterns(tokens: &[Token], mut at: usize, end: usize) -> Vec<&[Token]> {
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.text == text);
    let mut patterns = Vec::new();
    while at < end {
        let arrow = outside(tokens, at, end, |at| is(at, "=") && is(at + 1, ">"));
        patterns.push(&tokens[at..arrow]);
        let body = arrow + 2;
        let behind =
            if is(body, "{") { closing(tokens, body) + 1 } else { outside(tokens, body, end, |at| is(at, ",")) };
        at = behind + usize::from(is(behind, ","));
    }
    patterns
}

/// Whether a pattern, without its guard, names a kind.
fn names(pattern: &[Token], kinds: &[&str]) -> bool {
    let pattern = pattern.split(|token| token.text == "if").next().unwrap_or_default();
    pattern.windows(2).any(|two| kinds.contains(&two[0].text.as_str()) && two[1].text == "::")
}

/// Whether an arm takes all that is left: `_`, or a name.
fn takes_all(pattern: &[Token]) -> bool {
    matches!(pattern, [only] if only.text.starts_with(|c: char| c == '_' || c.is_lowercase()))
}

/// The matches of a text that have an arm for one of these kinds: line, and whether it has one for all others.
fn matches_over(text: &str, kinds: &[&str]) -> Vec<(usize, bool)> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    for at in (0..tokens.len()).filter(|at| tokens[*at].text == "match") {
        let open = outside(&tokens, at + 1, tokens.len(), |at| tokens[at].text == "{");
        let patterns = patterns(&tokens, open + 1, closing(&tokens, open));
        if patterns.iter().any(|pattern| names(pattern, kinds)) {
            found.push((tokens[at].line, patterns.iter().any(|pattern| takes_all(pattern))));
        }
    }
    found
}

/// Whether a file names an item that only sweeps have, or a part of one.
fn names_sweep_item(source: &Source) -> bool {
    tokens(&source.text).iter().any(|token| token.text == "SweepItem")
}

#[test]
fn matches_over_items_have_no_arm_for_all_others() {
    let mut faults = Vec::new();
    for source in read_sources("generator") {
        let open = matches_over(&source.text, &KINDS).into_iter().filter(|(_, is_open)| *is_open);
        faults.extend(open.map(|(line, _)| format!("generator/{}:{line}", source.path)));
    }
    let advice = "name all kinds, ask for parts (generator/src/ir/parts.rs), or use `if let` to find one kind";
    assert!(faults.is_empty(), "\nmatches over items that ignore a new kind: {advice}\n{}", faults.join("\n"));
}

#[test]
fn new_item_is_added_in_few_places() {
    for kind in KINDS {
        let mut places = Vec::new();
        for source in read_sources("generator") {
            let found = matches_over(&source.text, &[kind]);
            places.extend(found.into_iter().map(|(line, _)| format!("generator/{}:{line}", source.path)));
        }
        assert!(places.len() <= MOST_MATCHES, "\nmatches over {kind}: ask for parts instead\n{}", places.join("\n"));
    }
}

#[test]
fn what_reads_programs_knows_no_item_of_sweeps() {
    let reads_programs =
        |source: &Source| ["front", "flow"].iter().any(|name| source.module().starts_with(&[name.to_string()]));
    let sources = read_sources("generator");
    let found: Vec<&str> = sources
        .iter()
        .filter(|source| reads_programs(source) && names_sweep_item(source))
        .map(|source| &*source.path)
        .collect();
    assert_eq!(found, [""; 0]);
}

#[test]
fn arm_for_all_other_items_is_seen() {
    for open in [
        "match kind { ItemKind::Let { value } => see(value), _ => {} }",
        "match &item.kind { ItemKind::Let { .. } => {} other => see(other), }",
        "match f(|x| { x }) { (ItemKind::Let { .. }, _) if a => 1, _ => 2 }",
        "match a { A => match b { SweepItem::Undo { .. } => 1, _ => 2 }, B => 3 }",
    ] {
        assert!(matches_over(open, &KINDS).contains(&(1, true)), "{open}");
    }
    for closed in [
        "match kind { ItemKind::Let { .. } | ItemKind::Free { .. } => {} ItemKind::Sweep(_) => {} }",
        "match kind { kind if kind.resizes() => 1, ItemKind::Let { .. } => 2, ItemKind::Free { .. } => 3 }",
        "match ty { Type::Pointer(_) if matches!(kind, ItemKind::Let { .. }) => 1, _ => 2 }",
        "match ty { Type::Void => ItemKind::Let { value }, _ => { ItemKind::Free { pointer } } }",
        "matches!(kind, ItemKind::Let { .. } if a) && b",
    ] {
        assert!(!matches_over(closed, &KINDS).contains(&(1, true)), "{closed}");
    }
    assert!(names_sweep_item(&source("src/flow/a.rs", "use crate::ir::SweepItem;")));
    assert!(!names_sweep_item(&source("src/flow/a.rs", "// as a SweepItem\nItemKind::Sweep(_)")));
}
