//! What is refused, and with which words: one small program a reason, in `refusals/`, each with the message that it
//! gets. `ADTAPE_BLESS=1` writes the messages anew. Variants of the programs are refused as well, or written; none is
//! a fault of the generator.

use crate::common::each;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/refusals")
}

/// The programs, in the order of their names.
fn programs() -> Vec<String> {
    let files = fs::read_dir(folder()).expect("the folder of the programs");
    let name = |file: &PathBuf| file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let paths = files.map(|file| file.expect("a file").path());
    let mut names: Vec<String> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "c")).filter_map(|path| name(&path)).collect();
    names.sort();
    names
}

/// Asks for the adjoint of `f`.
fn adjoint(folder: &Path, file: &str, inputs: &str) -> Output {
    let head = format!("f(f)/({inputs})");
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    command.current_dir(folder).args(["adjoint", file, "--head", &head, "-o"]);
    command.arg(std::env::temp_dir().join(format!("adtape-refused-{}-{file}", std::process::id())));
    command.output().expect("the command runs")
}

fn output(file: &str) -> PathBuf {
    std::env::temp_dir().join(format!("adtape-refused-{}-{file}", std::process::id()))
}

/// What `f` is differentiated by: its parameter `x`, or `coordinates`, `p`.
fn inputs(text: &str) -> &'static str {
    let parameters = text.lines().find_map(|line| line.strip_prefix("double f(")).unwrap_or_default();
    let names = ["coordinates", "x", "p"];
    names
        .into_iter()
        .find(|name| parameters.contains(&format!("{name})")) || parameters.contains(&format!("{name},")))
        .unwrap_or("x")
}

#[test]
fn each_program_is_refused_with_its_reason() {
    let programs = programs();
    assert!(programs.len() >= 40, "{} programs", programs.len());
    let wrong = Mutex::new(Vec::new());
    each(&programs, |name| {
        let file = format!("{name}.c");
        let text = fs::read_to_string(folder().join(&file)).expect("a program");
        let found = adjoint(&folder(), &file, inputs(&text));
        let said = String::from_utf8_lossy(&found.stderr).into_owned();
        assert_eq!(found.status.code(), Some(3), "{name}: {said}");
        assert!(
            said.contains(&format!("{file}:")) && said.contains("refused: ") && said.contains("help: "),
            "{name}: {said}"
        );
        assert!(!said.contains("internal"), "{name}: {said}");
        assert!(!output(&file).exists(), "{name} leaves a file");
        let golden = folder().join(format!("{name}.txt"));
        if std::env::var_os("ADTAPE_BLESS").is_some() {
            fs::write(&golden, &said).expect("a golden");
        }
        if fs::read_to_string(&golden).unwrap_or_default() != said {
            wrong.lock().expect("no other check stopped").push(format!("{name}:\n{said}"));
        }
    });
    let wrong = wrong.into_inner().expect("no check stopped");
    assert!(wrong.is_empty(), "other messages than in command/tests/refusals:\n{}", wrong.join("\n"));
}

/// Ways to change a program that may leave it refused, make it another one, or make it no C at all.
const CHANGES: &[(&str, &str)] = &[
    ("double", "float"),
    ("double", "int"),
    ("double x", "double *x"),
    ("*x", "x"),
    ("const ", ""),
    ("const ", "volatile "),
    ("int n", "unsigned char n"),
    ("struct", "union"),
    ("return ", "return 2.0 * "),
    ("return ", "if (0) return "),
    (" = ", " += "),
    (" * ", " / "),
    (" * ", " % "),
    ("[0]", "[n]"),
    ("[0]", "[-1]"),
    ("x", "(x, x)"),
    ("static ", ""),
    ("static ", "extern "),
    ("(", "(void)("),
    ("i++", "i--"),
    ("i < ", "x[i] < "),
    ("1", "0"),
    ("0.0", "1e999"),
    ("; ", ";; "),
    ("->", "."),
    ("&", "*"),
    ("malloc", "calloc"),
    ("}\n", ""),
    ("{", "{ do {} while (0); "),
    ("if (", "while ("),
    ("sizeof *a", "sizeof a"),
];

/// Every program with one change at one place; `every`: of these, each so manieth.
fn variants(every: usize) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for name in programs() {
        let text = fs::read_to_string(folder().join(format!("{name}.c"))).expect("a program");
        for (number, (from, to)) in CHANGES.iter().enumerate() {
            for (place, (at, _)) in text.match_indices(from).enumerate() {
                let changed = format!("{}{to}{}", &text[..at], &text[at + from.len()..]);
                all.push((format!("{name}-{number}-{place}.c"), changed));
            }
        }
    }
    all.into_iter().step_by(every).collect()
}

/// Runs the variants; how many were refused.
fn run(variants: &[(String, String)]) -> usize {
    let folder = std::env::temp_dir().join(format!("adtape-variants-{}-{}", std::process::id(), variants.len()));
    fs::create_dir_all(&folder).expect("a folder");
    let refused = AtomicUsize::new(0);
    each(variants, |(file, text)| {
        fs::write(folder.join(file), text).expect("a variant");
        let found = adjoint(&folder, file, inputs(text));
        let said = String::from_utf8_lossy(&found.stderr).into_owned();
        let written = output(file).exists();
        match found.status.code() {
            // A parameter that is gone is a wrong head.
            Some(2 | 3) => {
                assert!(!written && !said.is_empty(), "{file} is refused and leaves a file, or no reason:\n{text}");
                refused.fetch_add(1, Ordering::Relaxed);
            }
            Some(0) => {
                assert!(written, "{file} succeeds and leaves no file:\n{text}");
                fs::remove_file(output(file)).expect("the file is ours");
                let _ = fs::remove_file(output(file).with_extension("h"));
            }
            status => panic!("{file} ends with {status:?}:\n{said}\n{text}"),
        }
    });
    fs::remove_dir_all(&folder).expect("the folder is ours");
    refused.into_inner()
}

/// One in EVERY of them; `EVERY=1` tries all, which takes minutes.
#[test]
fn variants_are_refused_or_written() {
    let every = std::env::var("EVERY").map_or(29, |text| text.parse().expect("EVERY is a number"));
    let variants = variants(every);
    assert!((variants.len() + 1) * every >= 1000, "{} variants", variants.len());
    assert!(run(&variants) > variants.len() / 2);
}
