//! Refusals: why a program is not differentiated, where, and the way round.
//!
//! Right or refused: what is not supported, or not understood, ends here. A pass goes on after a refusal where it can,
//! so that the user sees every reason at once.

use crate::ir::Span;

/// The classes of refusals; `docs/generator.md` has a section for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// The source of a function is missing.
    NoSource,
    /// A type: union, bit-field, volatile, atomic, complex, vector.
    Type,
    /// A pointer: cast between types, arithmetic across objects, a target that is not known.
    Pointer,
    /// Control: a `goto` into a `switch`, computed `goto`, `setjmp`, a function pointer.
    Control,
    /// Not differentiable here: an active value that becomes an integer, an active argument without a derivative.
    Derivative,
    /// Order of evaluation that C leaves open: two effects in one expression.
    Order,
    /// Directives of OpenMP, and what depends on threads.
    Threads,
    /// The command line: a head that does not exist, a parameter that is not there.
    Head,
    /// C that the front end does not know.
    Language,
    /// Not proved by the analyses, so not written.
    NotProved,
    /// No refusal of the program: the process gets too little memory.
    Memory,
}

impl Class {
    /// All classes.
    pub const ALL: [Class; 11] = [
        Class::NoSource,
        Class::Type,
        Class::Pointer,
        Class::Control,
        Class::Derivative,
        Class::Order,
        Class::Threads,
        Class::Head,
        Class::Language,
        Class::NotProved,
        Class::Memory,
    ];

    /// A name for tools, which stays.
    pub fn code(self) -> &'static str {
        match self {
            Class::NoSource => "no-source",
            Class::Type => "type",
            Class::Pointer => "pointer",
            Class::Control => "control",
            Class::Derivative => "derivative",
            Class::Order => "order",
            Class::Threads => "threads",
            Class::Head => "head",
            Class::Language => "language",
            Class::NotProved => "not-proved",
            Class::Memory => "memory",
        }
    }
}

/// One reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Its class.
    pub class: Class,
    /// Where.
    pub span: Span,
    /// What is refused and why: "'ext' is called here and its source is not among the inputs".
    pub what: String,
    /// The way round, if there is one: "add the file that defines it".
    pub help: String,
}

impl Refusal {
    /// A call of a function and the rest of its expression may meet.
    pub fn order(name: &str, span: Span) -> Refusal {
        Refusal {
            class: Class::Order,
            span,
            what: format!(
                "C leaves open whether '{name}' or the rest of the expression comes first, and one changes what the other \
                 uses"
            ),
            help: format!("assign the result of '{name}' to a variable in a statement before"),
        }
    }
}
