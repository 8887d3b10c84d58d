//! Small sources and their trees: `tests/files/*.f90`, `*.f` beside `*.tree`. `BLESS=1` writes the trees anew.

use crate::common::{files, read_text, tree_of};
use adtape_fortran::source::Form;
use std::fs;

/// The sources, by name.
fn sources() -> Vec<(String, String)> {
    let entries = fs::read_dir(files()).expect("the folder").map(|entry| entry.expect("an entry").path());
    let is_source = |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "f90" || end == "f");
    let mut paths: Vec<_> = entries.filter(is_source).collect();
    paths.sort();
    let name = |path: &std::path::PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), fs::read_to_string(path).expect("a source"))).collect()
}

#[test]
fn trees_are_as_printed() {
    let mut wrong = Vec::new();
    for (name, text) in sources() {
        let (source, reading) = read_text(&name, &text, Form::of_name(&name));
        let mut found: String = reading.messages.iter().map(|message| message.in_source(&source) + "\n").collect();
        found.push_str(&adtape_fortran::print::tree(&reading.file));
        let path = files().join(&name).with_extension("tree");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &found).expect("the tree written");
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        if let Some((line, (expected, found))) =
            (1..).zip(expected.lines().zip(found.lines())).find(|(_, (expected, found))| expected != found)
        {
            wrong.push(format!("{name}: line {line} of the tree\n  expected {expected}\n  found    {found}"));
        } else if expected.lines().count() != found.lines().count() {
            wrong.push(format!("{name}: {} lines, not {}", found.lines().count(), expected.lines().count()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn printed_fortran_is_read_as_the_same_tree() {
    for (name, text) in sources().iter().filter(|(name, _)| !name.starts_with("faults")) {
        let tree = tree_of(name, text, Form::of_name(name));
        let (_, reading) = read_text(name, text, Form::of_name(name));
        let again = adtape_fortran::print::fortran(&reading.file);
        assert_eq!(tree, tree_of(name, &again, Form::Free), "{name}");
    }
}

#[test]
fn fixed_form_gives_the_tree_of_free_form() {
    for (name, text) in sources().iter().filter(|(name, _)| !name.starts_with("faults")) {
        let tree = tree_of(name, text, Form::of_name(name));
        let (_, reading) = read_text(name, text, Form::of_name(name));
        let free = adtape_fortran::print::fortran(&reading.file);
        let fixed = crate::fixed::of_free(&free);
        assert_eq!(tree, tree_of(name, &fixed, Form::Fixed { columns: 72 }), "{name}\n{fixed}");
    }
}
