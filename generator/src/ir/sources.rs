//! The sources of a program: their text, places in it, what the preprocessor knows of them, the types that they declare.

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
    /// What the sources and their own headers define: names, and what stands behind each.
    pub macros: Vec<(String, String)>,
    /// Words of the sources that are macros behind them.
    pub hidden: Vec<String>,
    /// Names of the sources, at file scope, that headers behind them declare.
    pub taken: Vec<String>,
    /// Whether there are directives of OpenMP, or may be some.
    pub has_directives: bool,
    /// Directives of OpenMP in functions that the heads reach: the sweeps have none of them.
    pub dropped: Vec<Dropped>,
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
    /// A function with its body.
    Function,
    /// A function without one.
    Prototype,
    /// A variable, and its type as it is written.
    Variable(String),
    /// A type, and how it is written.
    Type(String),
    /// A constant of an enumeration, and its value, if the front end knows it.
    Enumerator(Option<i128>),
}
