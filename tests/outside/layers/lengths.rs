//! No source file is over 500 lines, unless ARCHITECTURE.md says why ("Long files").

use crate::common::{files_below, root};
use std::collections::BTreeMap;
use std::fs;

const MOST_LINES: usize = 500;
/// Folders with sources of the workspace's own.
const FOLDERS: [&str; 13] = [
    "src",
    "include",
    "tests",
    "ctests",
    "benches",
    "examples",
    "fortran-bindings",
    "kit",
    "mpi",
    "generator",
    "command",
    "tools",
    "scripts",
];
/// Files that nobody writes by hand lie in here.
const GENERATED: [&str; 2] = ["fortran-bindings/generated/", "mpi/fortran/generated/"];
const ENDINGS: [&str; 7] = ["rs", "c", "h", "f90", "F90", "inc", "py"];

/// The files of the folders and their lines, without what was built or generated.
fn count() -> BTreeMap<String, usize> {
    let mut lines = BTreeMap::new();
    for path in FOLDERS.iter().flat_map(|folder| files_below(&root().join(folder), |name| name != "target")) {
        let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned();
        let is_source = path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known));
        if is_source && !GENERATED.iter().any(|folder| name.starts_with(folder)) {
            lines.insert(name, fs::read_to_string(&path).expect("source is UTF-8").lines().count());
        }
    }
    lines
}

/// The files that a text lists with a reason: lines of "## Long files" like "* `path`: reason".
fn listed(text: &str) -> Vec<String> {
    let section = text.split("\n## ").find(|section| section.starts_with("Long files"));
    let lines = section.unwrap_or_default().lines().filter_map(|line| line.strip_prefix("* `"));
    let named = lines.filter_map(|line| line.split_once("`: ").filter(|(_, reason)| !reason.trim().is_empty()));
    named.map(|(path, _)| path.to_owned()).collect()
}

/// What is wrong with the list, a line for each file.
fn faults(lines: &BTreeMap<String, usize>, listed: &[String]) -> Vec<String> {
    let is_long = |path: &String| lines.get(path).is_some_and(|lines| *lines > MOST_LINES);
    let long = lines.iter().filter(|(path, lines)| **lines > MOST_LINES && !listed.contains(path));
    let mut faults: Vec<String> = long
        .map(|(path, lines)| {
            format!("{path} has {lines} lines: split it, or say in ARCHITECTURE.md, \"Long files\", why it is long")
        })
        .collect();
    let stale = listed.iter().filter(|path| !is_long(path));
    faults.extend(stale.map(|path| format!("{path} is no long file: take it off the list in ARCHITECTURE.md")));
    faults
}

#[test]
fn no_file_is_long_without_a_reason() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let faults = faults(&count(), &listed(&text));
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn long_file_and_stale_reason_are_seen() {
    let lines = BTreeMap::from([("a.rs".to_owned(), 501), ("b.rs".to_owned(), 500)]);
    let list = |text: &str| listed(&format!("# Title\n\n## Long files\n\nWhy.\n\n{text}\n\n## Next\n"));
    assert_eq!(faults(&lines, &list("* `a.rs`: one table")), [""; 0]);
    for wrong in ["", "* `a.rs`: ", "* `a.rs`: one table\n* `b.rs`: one table", "* `a.rs`: one table\n* `c.rs`: gone"] {
        assert_eq!(faults(&lines, &list(wrong)).len(), 1, "{wrong:?}");
    }
}
