//! At the head of the generated file: which memory the adjoint takes for different objects, and which may be one.

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
    text
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
