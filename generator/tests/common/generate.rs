//! Adjoint and tangent of a program of the tests, built with a driver and run.

use std::path::Path;
use std::process::Command;

use adtape_generate::emit::{self, Options, Output};
use adtape_generate::flow::Head;
use adtape_generate::front::{self, Input};
use adtape_generate::transform::{Choices, adjoint, tangent};

use super::{Scratch, flags, head, traps};

/// Copies a source to model.c, and writes its adjoint and its tangent beside it: model_b.c, model_d.c, their headers.
pub fn both(folder: &Scratch, source: &Path, of: &str, choices: &Choices) -> (Output, Output) {
    both_of(folder, source, &[head(of)], choices)
}

/// Writes adjoint and tangent for several heads.
pub fn both_of(folder: &Scratch, source: &Path, heads: &[Head], choices: &Choices) -> (Output, Output) {
    let text = std::fs::read_to_string(source).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
    let model = folder.write("model.c", &text);
    let input = Input {
        files: vec![model.to_string_lossy().into_owned()],
        heads: heads.iter().map(|head| head.proc.clone()).collect(),
        ..Input::default()
    };
    let refused = |what| -> Output { panic!("{}: {what:#?}", source.display()) };
    let program = front::read(&input).unwrap_or_else(|what| panic!("{}: {what:#?}", source.display()));
    let options = |file: &str| Options { file: file.into(), includes: vec!["model.c".into()] };
    let reverse = adjoint(&program, heads, choices).and_then(|sweeps| emit::adjoint(&sweeps, &options("model_b.c")));
    let forward = tangent(&program, heads, choices).and_then(|sweeps| emit::tangent(&sweeps, &options("model_d.c")));
    let (reverse, forward) = (reverse.unwrap_or_else(refused), forward.unwrap_or_else(refused));
    for (name, output) in [("model_b", &reverse), ("model_d", &forward)] {
        folder.write(&format!("{name}.c"), &output.source);
        folder.write(&format!("{name}.h"), &output.header);
    }
    (reverse, forward)
}

/// Compiles with these arguments and the library, and whatever a program raises ends it; what the compiler said.
pub fn build(folder: &Scratch, compiler: &str, arguments: &[&str]) -> String {
    let mut build = Command::new(compiler);
    build.current_dir(&folder.0).args(["-std=gnu99", "-fopenmp-simd", "-Wall", "-Wextra"]).args(arguments);
    if !arguments.contains(&"-c") {
        build.arg(traps());
    }
    // Libraries come behind what needs them.
    build.args(flags());
    let built = build.output().expect("the compiler runs");
    let said = String::from_utf8_lossy(&built.stderr).into_owned();
    assert!(built.status.success(), "{compiler}: {said}");
    said
}

/// What a program says that must succeed. A wrong count must end in an error, not in a machine without memory.
pub fn run(folder: &Scratch, program: &str) -> String {
    let mut run = Command::new("timeout");
    run.arg("20").arg(folder.0.join(program)).env("ADTAPE_MEMORY_LIMIT", "100M");
    let run = run.output().expect("the program runs");
    let said = String::from_utf8_lossy(&run.stdout).trim().to_string();
    assert!(run.status.success(), "{program}: {}\n{said}{}", run.status, String::from_utf8_lossy(&run.stderr));
    said
}
