//! The sources of a program: their text, places in it, what the preprocessor knows of them, the types that they declare.

use std::collections::BTreeSet;
use std::sync::Arc;

/// One source file.
#[derive(Clone, Debug)]
pub struct Source {
    /// Path as the user gave it, or as the compiler found it.
    pub path: String,
    /// Contents.
    pub text: String,
    /// Whether it was named on the command line (and is included by the generated file), not found as a header.
    pub main: bool,
    /// Where the text comes from, if it is several sources in one: from each byte on, a path and a line.
    pub origins: Vec<(u32, String, u32)>,
}

impl Source {
    /// The file that the text at a byte comes from.
    pub fn path_at(&self, start: u32) -> &str {
        self.origin(start).map_or(&self.path, |(_, path, _)| path)
    }

    /// The last place at or before a byte whose origin is known.
    pub fn origin(&self, start: u32) -> Option<&(u32, String, u32)> {
        let behind = self.origins.partition_point(|(from, ..)| *from <= start);
        self.origins.get(behind.checked_sub(1)?)
    }
}

/// A place in the sources: a range of bytes, and line and column (from 1) of its first byte. Line 0: no source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Which file.
    pub source: u32,
    /// First byte.
    pub start: u32,
    /// Byte behind the last.
    pub end: u32,
    /// Line of the first byte, from 1.
    pub line: u32,
    /// Column of the first byte, from 1.
    pub column: u32,
}

/// Macros of the sources and their headers, and names of theirs that headers of C give another meaning behind them.
#[derive(Clone, Debug, Default)]
pub struct Preprocessed {
    /// Whether the preprocessor was asked: else nothing here is known.
    pub asked: bool,
    /// The sources and their own headers, those that nothing is used of among them.
    pub files: Vec<String>,
    /// All files, in the order of their text.
    pub inclusions: Arc<Vec<Inclusion>>,
    /// Conditions in the sources and their own headers, those alone that can be asserted behind the sources.
    pub conditions: Arc<Vec<Condition>>,
    /// What the sources and their own headers define: names, and what stands behind each.
    pub macros: Vec<(String, String)>,
    /// Names of C that generated code needs and that are macros of the sources with another meaning.
    pub others: Vec<String>,
    /// Words of the sources that are macros behind them.
    pub hidden: Vec<String>,
    /// Names of the sources, at file scope, that headers behind them declare.
    pub taken: Vec<String>,
    /// Whether there are directives of OpenMP, or may be some.
    pub has_directives: bool,
    /// Directives of OpenMP in functions that the heads reach: the sweeps have none of them.
    pub dropped: Vec<Dropped>,
}

/// A file that the preprocessor entered: a source, a header, or a header of the system with all that it includes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inclusion {
    /// Its path, and those of what a header of the system includes.
    pub files: Vec<String>,
    /// Whether it is a header of the system.
    pub is_system: bool,
    /// As the directive names it that entered it: `"own.h"`, `<math.h>`.
    pub name: String,
    /// The file with the directive, by its number; none for a source.
    pub by: Option<usize>,
    /// The line of the directive there.
    pub line: u32,
    /// What its other directives name: headers that were there already.
    pub again: Vec<String>,
    /// Macros that it defines, among those that a file names that is no header of the system.
    pub defines: BTreeSet<String>,
    /// The macros of other files that its text names, and those that these name: name, what stands behind it, number of
    /// the file.
    pub macros: Vec<(String, String, usize)>,
}

/// A condition of the preprocessor, in a source or in a header of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The file.
    pub path: String,
    /// The line of its first directive.
    pub first: u32,
    /// The line of its last one.
    pub last: u32,
    /// `#if`, `#elif` and `#else`, in order.
    pub arms: Vec<Arm>,
}

/// An arm of a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// `#if N > 2`, on one line and without comments.
    pub directive: String,
    /// Whether the preprocessor takes it behind the sources.
    pub taken: bool,
    /// Conditions inside.
    pub inside: Vec<Condition>,
}

/// What a declaration of a header names and another file declares.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    /// The header.
    pub by: String,
    /// The name.
    pub name: String,
    /// The other file.
    pub of: String,
}

/// What a file needs that leaves the definitions of the sources to their own object files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outside {
    /// Includes, and macros that choose what these declare.
    pub head: String,
    /// Declarations at file scope, without macros.
    pub parts: Vec<Part>,
}

/// A declaration at file scope.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it declares, tags and enumerators among it.
    pub names: Vec<String>,
    /// What it is.
    pub kind: PartKind,
    /// As the sources have it.
    pub whole: String,
    /// Without body or initialiser, if another file may name it; else empty.
    pub outside: String,
    /// Pragmas in front of it that may hold for what follows.
    pub pragmas: String,
}

/// Kinds of declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Of types alone.
    Type,
    /// A function or a variable that other files may name.
    Shared,
    /// A function that each file has by itself.
    StaticFunction,
    /// Such a function without its body.
    StaticPrototype,
    /// A constant that each file has by itself.
    Constant,
    /// A variable that one file has, and no other.
    StaticVariable,
}

/// A directive of OpenMP that the sweeps do not have.
#[derive(Clone, Debug, PartialEq)]
pub struct Dropped {
    /// Where it is.
    pub span: Span,
    /// `omp parallel for`
    pub text: String,
}

/// A declaration of a typedef, struct, union or enumeration.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredType {
    /// The typedef or the tag, and enumerators.
    pub names: Vec<String>,
    /// Where it is; `};` and declarators that follow are not part of it.
    pub span: Span,
}

/// An ordinary name at file scope.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// What it names.
    pub meaning: Meaning,
}

/// What an ordinary name may mean.
#[derive(Clone, Debug, PartialEq)]
pub enum Meaning {
    /// A function with its body, and its type without typedefs: `void *(unsigned long)`; `int ()` without parameters to
    /// go by.
    Function(String),
    /// A function without one, and its type.
    Prototype(String),
    /// A variable, and its type as it is written.
    Variable(String),
    /// A type, and how it is written.
    Type(String),
    /// A constant of an enumeration, and its value, if the front end knows it.
    Enumerator(Option<i128>),
}
