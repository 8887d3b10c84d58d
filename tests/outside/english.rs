//! What a machine can find of the house style (docs/style.md): phrases that make a reader read a sentence twice, and long
//! lines of prose.

use crate::common::{files_below, root};
use std::fs;
use std::path::Path;

/// Columns of a line of a page. Tables, headings, links and what is quoted may have more.
const WIDTH: usize = 120;

/// Directories without prose of ours.
const NOT_OURS: [&str; 5] = ["target", ".git", "artifacts", "corpus", "seeds"];

/// Pages that quote the phrases.
const QUOTING: [&str; 2] = ["docs/style.md", "tests/outside/english.rs"];

const SOURCES: [&str; 9] = ["rs", "c", "h", "f90", "F90", "inc", "sh", "toml", "in"];

/// A phrase, and whether it is one only where a comment or a line of a page begins.
const PHRASES: [(&str, bool, &str); 18] = [
    ("That ", true, "write \"Checks that …\" or \"Whether …\""),
    ("Of a ", true, "begin with the subject"),
    ("Of an ", true, "begin with the subject"),
    ("Of the ", true, "begin with the subject"),
    ("Of each ", true, "begin with the subject"),
    ("Of one ", true, "begin with the subject"),
    ("Of what ", true, "begin with the subject"),
    ("The same.", true, "name it"),
    ("The same of ", true, "name it"),
    ("The same with", true, "name it"),
    ("The same where", true, "name it"),
    ("The same for ", true, "name it"),
    (" is told", false, "it knows, or it gets an argument"),
    (" are told", false, "they know, or they get an argument"),
    ("looked at", false, "code reads, compares, searches"),
    (" looks at", false, "code reads, compares, searches"),
    ("not look at", false, "code reads, compares, searches"),
    ("without a look", false, "code reads, compares, searches"),
];

/// The prose of a line of a source: its comment, without the sign that begins it.
fn comment(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let signs = ["///", "//!", "//", "/*", "* ", "!>", "!", "#"];
    let rest = signs.iter().find_map(|sign| line.strip_prefix(sign))?;
    Some(rest.trim_start())
}

fn is(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|extension| extensions.iter().any(|e| *e == extension))
}

/// What is wrong with the prose of one line; `begins` where a paragraph or a comment begins with it.
fn faults(prose: &str, begins: bool) -> impl Iterator<Item = &'static str> {
    let wrong = move |(phrase, at_begin, _): &&(&str, bool, &str)| {
        if *at_begin { begins && prose.starts_with(phrase) } else { prose.contains(phrase) }
    };
    PHRASES.iter().filter(wrong).map(|(_, _, instead)| *instead)
}

#[test]
fn prose_is_plain() {
    let mut report = String::new();
    let mut lines_read = 0;
    for path in files_below(root(), |name| !NOT_OURS.contains(&name)) {
        let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned();
        let page = is(&path, &["md"]);
        if QUOTING.contains(&name.as_str()) || !(page || is(&path, &SOURCES)) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        let (mut begins, mut quoted) = (true, false);
        for (i, line) in text.lines().enumerate() {
            let prose = if page { Some(line.trim_start()) } else { comment(line) };
            if let Some(prose) = prose {
                lines_read += 1;
                for instead in faults(prose, begins) {
                    report += &format!("{name}:{}: {instead}: {prose}\n", i + 1);
                }
            }
            begins = prose.is_none_or(str::is_empty);
            quoted ^= page && line.trim_start().starts_with("```");
            let free = quoted || line.starts_with(['|', '#', '<']) || line.contains("](");
            if page && !free && line.chars().count() > WIDTH {
                report += &format!("{name}:{}: more than {WIDTH} columns\n", i + 1);
            }
        }
    }
    assert!(lines_read > 10_000, "the prose was not found: {lines_read} lines");
    assert!(report.is_empty(), "see docs/style.md\n{report}");
}

#[test]
fn faults_are_found() {
    for (prose, begins, count) in [
        ("That the tape is empty.", true, 1),
        ("That the tape is empty.", false, 0),
        ("Checks that the tape is empty.", true, 0),
        ("it is told so and looked at", false, 2),
    ] {
        assert_eq!(faults(prose, begins).count(), count, "{prose}");
    }
}
