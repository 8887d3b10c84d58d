//! At the head of the generated file: which memory the adjoint takes for different objects, and which may be one; which
//! functions it takes for what their rules say.

use std::collections::BTreeSet;

use crate::emit::body::remembered::taken_for_computed;
use crate::ir::{Callee, External, Item, ItemKind, Program};
use crate::sweeps::Adjoint;

/// A comment for the heads that reach several objects.
pub(super) fn taken_as_given(adjoint: &Adjoint) -> String {
    let mut text = String::new();
    for head in &adjoint.heads {
        let Some(objects) = adjoint.told_apart.get(head).filter(|objects| objects.len() > 1) else { continue };
        let name = adjoint.name(*head);
        let all: Vec<&str> = objects.iter().map(|(object, _)| object.as_str()).collect();
        let shared: Vec<String> = objects
            .iter()
            .filter(|(_, same)| !same.is_empty())
            .map(|(object, same)| format!("{object} with {}", same.join(", ")))
            .collect();
        let given = format!("{name} takes these for different memory: {}", all.join(", "));
        let given = match &shared[..] {
            [] => format!("{given}."),
            shared => format!(
                "{given}; but these may be parts of one object, their adjoints then of one, as far apart: {}.",
                shared.join("; ")
            ),
        };
        text += &wrap(&given);
    }
    let rules = adjoint.rules();
    if !rules.is_empty() {
        text += &wrap(&format!("By their rules are taken: {}.", rules.join(", ")));
    }
    let passive = passive(&adjoint.program);
    if !passive.is_empty() {
        let all: Vec<&str> = passive.into_iter().collect();
        text += &wrap(&format!("No derivative passes through these, which leave memory alone: {}.", all.join(", ")));
    }
    text + &begun(&adjoint.program)
}

/// The functions that are passive by the word of the program.
fn passive(program: &Program) -> BTreeSet<&str> {
    let procs = program.procs.iter().filter(|proc| proc.rule.is_none());
    let called =
        procs.flat_map(|proc| proc.regions.iter().flat_map(|region| &region.items).map(|item| &proc.items[*item]));
    called.filter_map(named).collect()
}

/// The function that is called, if it is passive by the word of the program.
fn named(item: &Item) -> Option<&str> {
    let ItemKind::Call { callee: Callee::External { function, .. }, .. } = &item.kind else { return None };
    if let External::Passive { call: name, .. } = function { Some(name) } else { None }
}

/// A comment for each function that is taken to begin with what it computes.
pub(super) fn begun(program: &Program) -> String {
    taken_for_computed(program).iter().map(|sentence| wrap(sentence)).collect()
}

/// A comment of lines that are not too long.
fn wrap(text: &str) -> String {
    let mut lines = vec![String::from("/*")];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("never empty");
        if last.len() + word.len() > 114 {
            lines.push(format!(" * {word}"));
        } else {
            *last += &format!(" {word}");
        }
    }
    lines.join("\n") + " */\n"
}
