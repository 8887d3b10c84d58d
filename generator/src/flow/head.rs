//! Heads: what is to be differentiated, and what the user allows.

use crate::ir::{ProcId, Program};

/// A procedure to differentiate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its name.
    pub proc: String,
    /// The outputs: pointer parameters, globals, the result under the procedure's name, or members (`net->w`).
    pub dependents: Vec<String>,
    /// The inputs, named likewise.
    pub independents: Vec<String>,
}

impl Head {
    /// The first procedure of the head's name.
    pub fn find(&self, program: &Program) -> Option<ProcId> {
        program.procs.iter().position(|proc| proc.name == self.proc).map(ProcId::new)
    }

    /// Whether it names a variable, or a member of it.
    pub fn names(&self, variable: &str) -> bool {
        self.dependents.iter().chain(&self.independents).any(|name| Head::path(name).0 == variable)
    }

    /// The variable of a name, and the members behind it: `net->w` and `net.w` are `w` of `net`.
    pub fn path(name: &str) -> (&str, Vec<&str>) {
        let mut parts = name.split(['.', '-']).map(|part| part.trim_start_matches('>'));
        (parts.next().unwrap_or_default(), parts.collect())
    }
}

/// What the user allows.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Arguments of a head of one type may be the same memory.
    pub may_alias: bool,
}
