//! Generated C has no warnings of its own, with either compiler. Warnings within the user's text are the user's.

use std::path::Path;
use std::process::Command;

use adtape_generate::emit::{self, Options};
use adtape_generate::flow::Head;
use adtape_generate::front::{self, Input};
use adtape_generate::transform::{Choices, adjoint, tangent};

const FLAGS: &[&str] =
    &["-std=c99", "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Wparentheses", "-Wunused", "-Wsign-compare"];

/// What both compilers say about a generated file, but for lines that are the user's text.
fn warnings(folder: &Path, file: &str, output: &str, user: &str) -> Vec<String> {
    let line_of = |said: &str| said.split(':').nth(1).and_then(|line| line.parse::<usize>().ok());
    let text = |said: &str| line_of(said).and_then(|line| output.lines().nth(line - 1)).unwrap_or_default().trim();
    let copied = |said: &str| text(said).ends_with([';', '}', '/']) && user.contains(text(said));
    let mut found = Vec::new();
    for compiler in ["gcc", "clang"] {
        let mut run = Command::new(compiler);
        run.current_dir(folder).env("LC_ALL", "C").args(FLAGS).arg(file);
        run.arg(format!("-I{}/../include", env!("CARGO_MANIFEST_DIR")));
        let said = run.output().unwrap();
        let said = String::from_utf8_lossy(&said.stderr).into_owned();
        let ours = |line: &&str| {
            line.starts_with(file) && (line.contains("warning:") && !copied(line) || line.contains("error:"))
        };
        found.extend(said.lines().filter(ours).map(|line| format!("{compiler}: {line}")));
    }
    found
}

/// Generates adjoint and tangent of every function of a file whose name begins with `f`, and compiles both.
fn clean(name: &str, refused: &[&str]) {
    let folder =
        std::env::temp_dir().join(format!("adtape-warnings-{}-{}", std::process::id(), name.replace('/', "-")));
    std::fs::create_dir_all(&folder).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
    let model = folder.join("model.c");
    std::fs::copy(&source, &model).unwrap();
    let text = std::fs::read_to_string(&source).unwrap();
    let is_head = |name: &&str| name.starts_with('f') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let mut names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("double ").or(line.strip_prefix("float "))?.split('(').next())
        .filter(is_head)
        .filter(|name| !refused.contains(name))
        .collect();
    names.dedup();
    assert!(!names.is_empty());
    let files = vec![model.to_string_lossy().into_owned()];
    let heads = names.iter().map(|name| (*name).to_string()).collect();
    let program = front::read(&Input { files, heads, ..Input::default() }).unwrap();
    // What a function keeps from call to call is an input and a result.
    let kept = |name: &str| if name == "f_globals" { vec!["scale", "table", "grid"] } else { vec![] };
    let named = |first: &[&str], name: &str| first.iter().copied().chain(kept(name)).map(String::from).collect();
    let of = |name: &&str| Head {
        proc: (*name).into(),
        dependents: named(&[name, "x"], name),
        independents: named(&["x"], name),
    };
    let heads: Vec<Head> = names.iter().map(of).collect();
    let options = |file: &str| Options { file: file.into(), includes: vec!["model.c".into()] };
    let reverse = adjoint(&program, &heads, &Choices::default()).unwrap_or_else(|what| panic!("{what:#?}"));
    let forward = tangent(&program, &heads, &Choices::default()).unwrap_or_else(|what| panic!("{what:#?}"));
    let texts = [
        ("model_b", emit::adjoint(&reverse, &options("model_b.c")).unwrap_or_else(|what| panic!("{what:#?}"))),
        ("model_d", emit::tangent(&forward, &options("model_d.c")).unwrap_or_else(|what| panic!("{what:#?}"))),
    ];
    for (file, output) in texts {
        std::fs::write(folder.join(format!("{file}.c")), &output.source).unwrap();
        std::fs::write(folder.join(format!("{file}.h")), &output.header).unwrap();
        let found = warnings(&folder, &format!("{file}.c"), &output.source, &text);
        assert!(found.is_empty(), "{}\n{}", output.source, found.join("\n"));
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn programs_of_known_kinds_have_no_warnings() {
    clean("programs/warnings.c", &[]);
}

#[test]
fn programs_of_the_other_tests_have_no_warnings() {
    let names = ["callbacks", "copied", "flags_and_counts", "globals", "library", "objects", "pointers_and_recursion"];
    let more = ["frees", "swapped", "jumps", "operations", "rows_and_blocks", "unions"];
    crate::common::each(&[&names[..], &more].concat(), |name| clean(&format!("programs/{name}.c"), &[]));
}

#[test]
fn programs_with_a_meaning_have_no_warnings() {
    clean("meaning/programs.c", &["f_static", "f_logic_pointer", "f_vla", "f_box", "f_box_array"]);
}
