//! The sources of the library, as the tests read them.

use crate::common::{files_below, root};
use std::fs;

pub struct Source {
    /// As in `src/tape/mark.rs`.
    pub path: String,
    pub text: String,
}

impl Source {
    /// The module that the file holds: `["tape", "mark"]`, empty for the crate root.
    pub fn module(&self) -> Vec<String> {
        let inner = self.path.strip_prefix("src/").unwrap_or(&self.path).trim_end_matches(".rs");
        let parts = inner.split('/').filter(|part| !matches!(*part, "lib" | "mod"));
        parts.map(str::to_owned).collect()
    }
}

pub fn read_sources() -> Vec<Source> {
    let mut sources = Vec::new();
    for path in files_below(&root().join("src"), |_| true) {
        if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned();
            sources.push(Source { path: name, text: fs::read_to_string(&path).expect("source is UTF-8") });
        }
    }
    assert!(sources.iter().any(|source| source.path == "src/lib.rs"), "src/lib.rs not found");
    sources
}

pub fn source(path: &str, text: &str) -> Source {
    Source { path: path.to_owned(), text: text.to_owned() }
}
