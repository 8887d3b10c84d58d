//! `generate` writes the generated files; `generate --check` says which are stale. Both from the root of the repository.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new(".");
    let outcome = match std::env::args().nth(1).as_deref() {
        None => adtape_tools::write(root).map(|count| println!("generate: {count} files written")),
        Some("--check") => adtape_tools::differences(root).and_then(|faults| match faults.as_slice() {
            [] => Ok(()),
            faults => Err(format!("{}\n  `make bless` writes them", faults.join("\n"))),
        }),
        Some(other) => Err(format!("unknown argument {other}; usage: generate [--check]")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("generate: {what}");
            ExitCode::FAILURE
        }
    }
}
