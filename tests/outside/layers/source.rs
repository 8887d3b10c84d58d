//! The sources of a crate of the workspace, as the tests read them.

use crate::common::{files_below, root};
use std::fs;

pub struct Source {
    /// As in `src/tape/mark.rs`, below the folder of the crate.
    pub path: String,
    pub text: String,
}

impl Source {
    /// The module that the file holds: `["tape", "mark"]`, empty for the crate root.
    pub fn module(&self) -> Vec<String> {
        let inner = self.path.strip_prefix("src/").unwrap_or(&self.path).trim_end_matches(".rs");
        let parts = inner.split('/').filter(|part| !matches!(*part, "lib" | "main" | "mod"));
        parts.map(str::to_owned).collect()
    }
}

/// The sources of the crate in a folder of the workspace; `""` is the library.
pub fn read_sources(folder: &str) -> Vec<Source> {
    let mut sources = Vec::new();
    let folder = root().join(folder);
    for path in files_below(&folder.join("src"), |_| true) {
        if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(&folder).expect("below the folder").to_string_lossy().into_owned();
            sources.push(Source { path: name, text: fs::read_to_string(&path).expect("source is UTF-8") });
        }
    }
    let is_root = |source: &Source| matches!(source.path.as_str(), "src/lib.rs" | "src/main.rs");
    assert!(sources.iter().any(is_root), "{}: no src/lib.rs or src/main.rs", folder.display());
    sources
}

pub fn source(path: &str, text: &str) -> Source {
    Source { path: path.to_owned(), text: text.to_owned() }
}
