//! Broken adjoints (tests/broken) that only a derivative test finds: it fails each that the table gives to it, says why,
//! and names the waypoint right behind the guilty line. Check mode has nothing to say of them: their push and pop match.

use crate::common::root;
use crate::programs::Language::{self, C, Fortran};
use crate::programs::{Set, command, compile};
use std::fs;

const BROKEN: Set = Set { name: "broken_derivatives", modules: &[] };

/// How many lines behind the guilty one the waypoint stands at most.
const NEAR: u32 = 9;

/// Rows of the table that the derivative test finds: the program, all that is said, what stands on the guilty line.
fn rows() -> Vec<(String, Vec<String>, String)> {
    let text = fs::read_to_string(root().join("tests/broken/table.txt")).expect("the table");
    let rows = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let fields = rows.map(|line| line.split(" | ").map(|field| field.trim().to_owned()).collect::<Vec<_>>());
    let found = fields.filter_map(|fields| {
        let [file, found, named] = &fields[..] else { panic!("three columns: {fields:?}") };
        let says = found.strip_prefix("derivative: ")?.split(" & ").map(str::to_owned).collect();
        Some((file.clone(), says, named.clone()))
    });
    found.collect()
}

/// The line of a program's file that stands in the report behind one of these words.
fn line_behind(said: &str, file: &str) -> Option<u32> {
    let words = ["    wrong at ", "first waypoint of the reverse sweep already, "];
    let place = words.iter().find_map(|words| said.split_once(words))?.1.split_once(&format!("{file}:"))?.1;
    place[..place.find(|c: char| !c.is_ascii_digit())?].parse().ok()
}

/// The number of the one line of a program that has a text in it.
fn guilty_line(file: &str, text: &str) -> u32 {
    let source = fs::read_to_string(root().join("tests/broken").join(file)).expect("the program");
    let mut found = source.lines().zip(1..).filter(|(line, _)| line.contains(text)).map(|(_, number)| number);
    let (Some(first), None) = (found.next(), found.next()) else { panic!("\"{text}\" stands once in {file}") };
    first
}

fn found(language: Language, extension: &str, least: usize) {
    let (mut tried, mut missing) = (0, false);
    for (file, says, named) in rows() {
        let Some(stem) = file.strip_suffix(extension) else { continue };
        let Some(program) = compile(&BROKEN, &format!("tests/broken/{stem}"), language) else {
            missing = true;
            break;
        };
        let guilty = guilty_line(&file, &named);
        for check in ["0", "1"] {
            let output = command(&program, &[], &[("ADTAPE_CHECK", check)]).output().expect("it runs");
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{file}: {said}");
            for says in &says {
                assert!(said.contains(says), "{file} says \"{says}\":\n{said}");
            }
            let line = line_behind(&said, &file).unwrap_or_else(|| panic!("{file}: no line is named:\n{said}"));
            assert!(
                (guilty..=guilty + NEAR).contains(&line),
                "{file}: line {guilty} is guilty, {line} is named:\n{said}"
            );
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

/// Run by `make matrix` alone.
mod matrix {
    use super::*;

    #[test]
    fn derivative_test_finds_broken_adjoints_in_fortran() {
        found(Fortran, ".f90", 3);
    }
}
