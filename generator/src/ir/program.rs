//! Programs.

use super::{
    DeclaredType, Fortran, GlobalId, IdVec, Named, Object, Outside, Preprocessed, Procs, Source, SourceId, Span, Types,
    Use,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A whole program: everything the head reaches, and the globals these procedures name.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Structs.
    pub types: Types,
    /// The source files, whole, so that messages and the forward sweep can quote them.
    pub sources: IdVec<SourceId, Source>,
    /// Variables with static storage, function-local statics among them.
    pub globals: IdVec<GlobalId, Object>,
    /// Procedures with a body, callees anywhere.
    pub procs: Procs,
    /// What functions declare inside that their sweeps must declare too.
    pub statics: Vec<Static>,
    /// What C's front end has for C's output.
    pub c: Surroundings,
    /// Variables with static storage whose initialiser has addresses of others.
    pub led: Vec<GlobalId>,
    /// Variables with static storage that no other file can name, and the shadows of those that no head names.
    pub hidden: BTreeSet<GlobalId>,
    /// Variables with static storage that nothing but procedures of the program may write by name, or give away.
    pub closed: BTreeSet<GlobalId>,
    /// Function pointers at file scope that are taken to hold the function of their initialiser, and that function.
    pub assumed: Vec<(String, String)>,
    /// Functions whose first values are taken for computed.
    pub remembered: Vec<Remembered>,
    /// Variables with static storage that calls in one expression may write in either order: nothing reads what they
    /// leave.
    pub unordered: Vec<GlobalId>,
    /// A variable that no program has: all messages of floating-point numbers travel on it, by the bodies that calls of
    /// MPI have for the analyses.
    pub wire: Option<GlobalId>,
    /// For a program in Fortran: what else its sweeps are written from.
    pub fortran: Option<Arc<Fortran>>,
}

/// What stands in the sources of C around the procedures, most of it as text: only C's front end and C's output read it.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Declarations, inside of functions, of variables at file scope and of functions without source: nothing else may
    /// declare these.
    pub externs: Vec<String>,
    /// What the preprocessor knows of the sources, as far as it was asked.
    pub preprocessed: Preprocessed,
    /// Types that the sources and their headers declare at file scope.
    pub declared: Vec<DeclaredType>,
    /// For a generated file that stands beside the object files of the sources; else empty.
    pub outside: Arc<Outside>,
    /// What declarations of headers, but for the system's, name of other files.
    pub uses: BTreeSet<Use>,
    /// What the sources and their own headers declare at file scope, but for tags.
    pub named: Vec<Named>,
}

impl Program {
    /// The files that the program was read from, without headers of the system.
    pub fn files(&self) -> Vec<String> {
        if self.c.preprocessed.asked {
            return self.c.preprocessed.files.clone();
        }
        let named = self.sources.iter().map(|source| source.path.clone());
        named.filter(|path| !path.starts_with("/usr/")).collect()
    }

    /// Whether a procedure is the residual of a solver, whose derivatives are not for the user.
    pub fn is_residual(&self, proc: super::ProcId) -> bool {
        let mut rules = self.procs.iter().filter_map(|proc| proc.rule.as_deref()?.implicit.as_ref());
        rules.any(|implicit| implicit.residual == self.procs[proc].name)
    }
}

/// A function that keeps in static variables what it computed of its last arguments. It is taken to begin with what it
/// computes of the first values of those arguments: a call with these that comes first finds no other values.
#[derive(Clone, Debug, PartialEq)]
pub struct Remembered {
    /// The function.
    pub function: String,
    /// The variables that keep arguments, and what each begins with, where that is known.
    pub keys: Vec<(GlobalId, Option<f64>)>,
}

/// A declaration inside a function of a type, or of variables with static storage. Nothing outside of the function can
/// name them, so its sweeps declare them anew. The variables hold the same contents always, or are scratch.
#[derive(Clone, Debug, PartialEq)]
pub struct Static {
    /// The function.
    pub function: String,
    /// The variables; none for a type.
    pub globals: Vec<GlobalId>,
    /// The declaration in C, with the variables under the names that [`Program::globals`] has.
    pub text: String,
    /// Where the function has it.
    pub span: Span,
    /// The numbers that variables begin with, where the front end knows them.
    pub initial: Vec<(GlobalId, f64)>,
    /// Whether the variables are written: each call writes them before it reads them, or the first call fills them; its
    /// sweeps share them.
    pub scratch: bool,
    /// One of the variables that brings a value from one call to the next: no sweep may have a copy of it, so only the
    /// function itself names it.
    pub lasting: Option<GlobalId>,
}
