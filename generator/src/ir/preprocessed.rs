//! What the preprocessor knows of the sources, and the types that they declare.

use super::Span;

/// Macros of the sources and their headers, and names of theirs that headers of C give another meaning behind them.
#[derive(Clone, Debug, Default)]
pub struct Preprocessed {
    /// Whether the preprocessor was asked: else nothing here is known.
    pub asked: bool,
    /// What the sources and their own headers define: names, and what stands behind each.
    pub macros: Vec<(String, String)>,
    /// Words of the sources that are macros behind them.
    pub hidden: Vec<String>,
    /// Names of the sources, at file scope, that headers behind them declare.
    pub taken: Vec<String>,
}

/// A declaration of a typedef, struct, union or enumeration.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredType {
    /// The typedef or the tag, and enumerators.
    pub names: Vec<String>,
    /// Where it is; `};` and declarators that follow are not part of it.
    pub span: Span,
}
