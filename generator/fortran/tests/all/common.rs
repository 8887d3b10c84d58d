//! What tests of this folder share.

use adtape_fortran::scope::program::{Program, Type};
use adtape_fortran::source::{Form, Source};
use adtape_fortran::{Reading, print, read};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Reads a text that no preprocessor has seen.
pub fn read_text(name: &str, text: &str, form: Form) -> (Source, Reading) {
    let source = Source::of_text(name, text, form, &mut |_, _| None);
    let reading = read(&source, form);
    (source, reading)
}

/// The tree of a text that can be read as a whole.
pub fn tree_of(name: &str, text: &str, form: Form) -> String {
    let (source, reading) = read_text(name, text, form);
    let messages: Vec<String> = reading.messages.iter().map(|message| message.in_source(&source)).collect();
    assert!(messages.is_empty(), "{}\n{text}", messages.join("\n"));
    print::tree(&reading.file)
}

/// The folder of the sources that tests read.
pub fn files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files")
}

/// Says that a test is skipped and why. In CI nothing may be skipped.
pub fn skip(test: &str, why: &str) {
    let line = format!("SKIPPED {test}: {why}\n");
    std::io::stderr().write_all(line.as_bytes()).expect("standard error is open");
    assert!(std::env::var_os("CI").is_none(), "in CI no test may be skipped; {line}");
}

/// A type as text: `real 8`, `derived point`.
pub fn type_text(program: &Program, type_: &Type) -> String {
    match type_ {
        Type::Basic(basic, Some(kind)) => format!("{basic:?} {kind}").to_lowercase(),
        Type::Basic(basic, None) => format!("{basic:?} unknown").to_lowercase(),
        Type::Derived(id) => format!("derived {}", program.symbol(*id).name),
        Type::Unlimited => "unlimited".to_owned(),
        Type::Opaque => "opaque".to_owned(),
    }
}
