//! Broken adjoints (tests/broken) that only a derivative test finds: it fails each that the table gives to it, says why,
//! and names what it can see, a component or a factor. Check mode has nothing to say of them: their push and pop match.

mod common;
#[path = "common/programs.rs"]
mod programs;

use common::root;
use programs::Language::{self, C, Fortran};
use programs::{Set, command, compile};
use std::fs;

const BROKEN: Set = Set { name: "broken_derivatives", modules: &[] };

/// Rows of the table that the derivative test finds: the program, what is said, what is named.
fn rows() -> Vec<(String, String, String)> {
    let text = fs::read_to_string(root().join("tests/broken/table.txt")).expect("the table");
    let rows = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let fields = rows.map(|line| line.split(" | ").map(|field| field.trim().to_owned()).collect::<Vec<_>>());
    let found = fields.filter_map(|fields| {
        let [file, found, named] = &fields[..] else { panic!("three columns: {fields:?}") };
        Some((file.clone(), found.strip_prefix("derivative: ")?.to_owned(), named.clone()))
    });
    found.collect()
}

fn found(language: Language, extension: &str, least: usize) {
    let (mut tried, mut missing) = (0, false);
    for (file, says, named) in rows() {
        let Some(stem) = file.strip_suffix(extension) else { continue };
        let Some(program) = compile(&BROKEN, &format!("tests/broken/{stem}"), language) else {
            missing = true;
            break;
        };
        for check in ["0", "1"] {
            let output = command(&program, &[], &[("ADTAPE_CHECK", check)]).output().expect("it runs");
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{file}: {said}");
            assert!(said.contains(&says) && said.contains(&named), "{file} says \"{says}\" and \"{named}\":\n{said}");
            assert!(!said.contains("adtape: error"), "{file}: check mode ends it:\n{said}");
        }
        tried += 1;
    }
    assert!(missing || tried >= least, "{tried} programs");
}

#[test]
fn derivative_test_finds_broken_adjoints_in_c() {
    found(C, ".c", 7);
}

#[test]
fn derivative_test_finds_broken_adjoints_in_fortran() {
    found(Fortran, ".f90", 3);
}
