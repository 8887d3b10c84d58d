//! What a front end is given, and what it says where it cannot read.

use crate::ir::Source;
use crate::refuse::Refusal;

/// What is read.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// Source files, as named on the command line.
    pub files: Vec<String>,
    /// Arguments for the preprocessor: `-I`, `-D`, `-U`, `-std=`.
    pub arguments: Vec<String>,
    /// Files with the syntax trees of the sources as clang prints them; where there are none, clang runs.
    pub trees: Vec<String>,
    /// The compiler to run; `clang` if empty.
    pub clang: String,
    /// The generated file leaves the definitions of the sources to their object files.
    pub without_source: bool,
    /// Names of functions through which no derivative passes, maybe with `*` for any letters.
    pub passive: Vec<String>,
    /// Names of the functions to read. Only what they reach is read.
    pub heads: Vec<String>,
}

/// Why a program cannot be read, and the texts that its refusals point into.
#[derive(Clone, Debug, Default)]
pub struct Unread {
    /// All that were met, in the order of the sources.
    pub refusals: Vec<Refusal>,
    /// The sources, headers among them, by the numbers that the refusals use; none if the compiler read nothing.
    pub sources: Vec<Source>,
}

/// Whether a name is one that a pattern means, in which `*` stands for any letters.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((begins, rest)) => name.strip_prefix(begins).is_some_and(|behind| {
            let starts = (0..=behind.len()).filter(|at| behind.is_char_boundary(*at));
            starts.into_iter().any(|at| matches(rest, &behind[at..]))
        }),
    }
}
