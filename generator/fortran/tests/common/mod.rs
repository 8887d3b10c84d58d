//! What tests of this folder share.

pub mod fixed;

use adtape_fortran::source::{Form, Source};
use adtape_fortran::{Reading, print, read};

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
