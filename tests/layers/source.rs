//! The sources of the library, as the tests read them.

use std::fs;
use std::path::Path;

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
    fn walk(root: &Path, directory: &Path, into: &mut Vec<Source>) {
        for entry in fs::read_dir(directory).expect("src is readable") {
            let path = entry.expect("src is readable").path();
            if path.is_dir() {
                walk(root, &path, into);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
                into.push(Source { path: name, text: fs::read_to_string(&path).expect("source is UTF-8") });
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    walk(root, &root.join("src"), &mut sources);
    assert!(sources.iter().any(|source| source.path == "src/lib.rs"), "src/lib.rs not found");
    sources
}

pub fn source(path: &str, text: &str) -> Source {
    Source { path: path.to_owned(), text: text.to_owned() }
}
