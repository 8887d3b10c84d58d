//! What functions declare inside, for their sweeps.

use std::collections::BTreeSet;

use crate::ir::{GlobalId, Program};
use crate::names;
use crate::refuse::Refusal;
use crate::statics::changes;

/// What a function declares inside and this body of one of its sweeps names, or such declarations name. Variables that
/// stand in a declaration with others, and that the body does not name, are marked as not used.
pub fn of_body(program: &Program, function: &str, body: &str) -> String {
    let mut text = String::new();
    for declared in program.statics.iter().rev().filter(|declared| declared.function == function) {
        // Copied text may hold the declaration.
        if declared.scratch || declared.globals.is_empty() && body.contains(&declared.text) {
            continue;
        }
        let own = |word: &str| match &declared.globals[..] {
            // A type: its name is the last word of a typedef, the second of a struct or an enumeration. The words of an
            // enumeration are its enumerators.
            [] => {
                let mut words = names::words(&declared.text);
                let enumerates = words.clone().take(2).any(|word| word == "enum");
                words.clone().last() == Some(word)
                    || words.clone().nth(1) == Some(word)
                    || enumerates && words.any(|enumerator| enumerator == word)
            }
            globals => globals.iter().any(|id| program.globals[*id].name == word),
        };
        if names::words(body).chain(names::words(&text)).any(own) {
            let all = declared.globals.iter().map(|id| &program.globals[*id].name);
            let spare = all.filter(|name| !names::words(body).chain(names::words(&text)).any(|word| word == *name));
            let spare: String = spare.map(|name| format!("    (void){name};\n")).collect();
            text = format!("    {};\n{spare}{text}", declared.text);
        }
    }
    text
}

/// Declares the static variables that sweeps share.
pub fn shared(program: &Program, bodies: &str) -> String {
    let named = |global: &GlobalId| {
        let name = &program.globals[*global].name;
        names::words(bodies).any(|word| word == name)
    };
    let scratch = program.statics.iter().filter(|declared| declared.scratch);
    let used = scratch.filter(|declared| declared.globals.iter().any(named));
    used.map(|declared| format!("{};\n", declared.text)).collect()
}

/// Refuses variables with static storage inside functions that bring a value from one call to the next and that sweeps
/// name: those would have copies of them.
pub fn copied(program: &Program, bodies: &str) -> Result<(), Vec<Refusal>> {
    let lasting = || program.statics.iter().filter_map(|declared| declared.lasting.map(|changed| (declared, changed)));
    if lasting().next().is_none() {
        return Ok(());
    }
    let words: BTreeSet<&str> = names::words(bodies).collect();
    let name = |global: GlobalId| program.globals[global].name.as_str();
    let named = lasting().filter(|(declared, _)| declared.globals.iter().any(|global| words.contains(name(*global))));
    let refusals: Vec<Refusal> = named.map(|(declared, changed)| changes(program, declared, changed)).collect();
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}
