//! At the head of the generated file: what functions that keep what they computed last are taken to begin with.

use crate::ir::{Program, Remembered};

/// A sentence for each such function.
pub(in crate::emit) fn taken_for_computed(program: &Program) -> Vec<String> {
    program.remembered.iter().map(|of| sentence(program, of)).collect()
}

fn sentence(program: &Program, of: &Remembered) -> String {
    let Remembered { function, keys } = of;
    let key = |(global, begins): &(_, Option<f64>)| {
        let name = &program.globals[*global].name;
        let name = name.strip_prefix(&format!("{function}_")).unwrap_or(name);
        begins.map_or_else(|| name.to_owned(), |begins| format!("{name} = {begins}"))
    };
    let keys: Vec<String> = keys.iter().map(key).collect();
    format!(
        "{function} keeps what it computed last. What it keeps at first, for {}, is taken for computed, too.",
        keys.join(", ")
    )
}
