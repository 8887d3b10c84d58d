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
#[derive(Clone, Debug)]
pub struct Output {
    /// The C file.
    pub source: String,
    /// Its header.
    pub header: String,
    /// For `--check`: one more C file. Else empty.
    pub check: String,
}
