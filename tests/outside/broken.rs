//! Broken adjoints (tests/broken): check mode finds the mistake of each that its table gives to check mode, and names its
//! line. Right programs give no hint: the other tests in check mode compare standard error with nothing.

use crate::common::root;
use crate::programs::Language::{C, Fortran};
use crate::programs::{Set, command, compile};
use std::fs;

const BROKEN: Set = Set { name: "broken", modules: &[] };

struct Row {
    file: String,
    finds: String,
    says: String,
    line: String,
}

fn table() -> Vec<Row> {
    let text = fs::read_to_string(root().join("tests/broken/table.txt")).expect("the table");
    let rows = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let fields: Vec<&str> = line.split(" | ").map(str::trim).collect();
        let [file, found, named] = fields[..] else { panic!("three columns: {line}") };
        let (finds, says) = found.split_once(": ").unwrap_or_else(|| panic!("found by what: {line}"));
        Row { file: file.into(), finds: finds.into(), says: says.into(), line: named.into() }
    });
    rows.collect()
}

/// `file:line` of the one line of a program that has a text in it.
fn place(file: &str, text: &str) -> String {
    let source = fs::read_to_string(root().join("tests/broken").join(file)).expect("the program");
    let found: Vec<usize> = source.lines().enumerate().filter(|(_, l)| l.contains(text)).map(|(i, _)| i + 1).collect();
    assert_eq!(found.len(), 1, "\"{text}\" stands once in {file}");
    format!("{file}:{}", found[0])
}

fn found_by_check_mode(extension: &str) {
    let language = if extension == ".c" { C } else { Fortran };
    for Row { file, finds, says, line } in table() {
        let Some(stem) = file.strip_suffix(extension) else { continue };
        if finds == "derivative" {
            continue;
        }
        let Some(program) = compile(&BROKEN, &format!("tests/broken/{stem}"), language) else { return };
        let run = |check: &str| {
            let output = command(&program, &[], &[("ADTAPE_CHECK", check)]).output().expect("it runs");
            String::from_utf8_lossy(&output.stderr).into_owned()
        };
        let said = run("1");
        assert!(said.contains(&says), "{file} says \"{says}\":\n{said}");
        // A driver knows steps, not lines.
        let place = if finds == "driver" { line } else { place(&file, &line) };
        assert!(said.contains(&place), "{file} names {place}:\n{said}");
        if finds == "always" {
            assert!(run("0").contains(&place), "{file} names {place} without check mode, too");
        } else {
            assert!(!run("0").contains(&place) || says.contains("popped"), "{file}: nothing but check mode finds it");
        }
    }
}

#[test]
fn check_mode_names_guilty_lines_in_c() {
    found_by_check_mode(".c");
}

#[test]
fn every_program_has_its_row() {
    let rows = table();
    for entry in fs::read_dir(root().join("tests/broken")).expect("the programs") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        if name.ends_with(".c") || name.ends_with(".f90") {
            let found = rows.iter().filter(|row| row.file == name).count();
            assert!(found >= 1, "{name} stands in the table");
        }
    }
    for row in rows {
        if ["check", "always"].contains(&row.finds.as_str()) {
            place(&row.file, &row.line);
        }
        assert!(
            ["check", "always", "driver", "derivative"].contains(&row.finds.as_str()),
            "{}: found by {}",
            row.file,
            row.finds
        );
    }
}

/// Run by `make matrix` alone.
mod matrix {
    use super::*;

    #[test]
    fn check_mode_names_guilty_lines_in_fortran() {
        found_by_check_mode(".f90");
    }
}
