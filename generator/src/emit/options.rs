//! What the user chooses about the text, and what comes out.

/// What the user chooses about the text.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Name of the generated file, for its first line and the header's name: `model_b.c`.
    pub file: String,
    /// The user's sources as the generated file includes them.
    pub includes: Vec<String>,
}

impl Options {
    /// Name of the header.
    pub(super) fn header(&self) -> String {
        self.file.strip_suffix(".c").unwrap_or(&self.file).to_string() + ".h"
    }
}

/// Generated text.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The C file.
    pub source: String,
    /// Its header.
    pub header: String,
    /// For `--check`: one more C file. Else empty.
    pub check: String,
    /// In Fortran: numbers of the sources that are not in the file, in the order in which they compile.
    pub beside: Beside,
}

/// Numbers of sources that are compiled beside the generated file.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// Before it: it uses their modules.
    pub before: Vec<usize>,
    /// Behind it.
    pub behind: Vec<usize>,
}
