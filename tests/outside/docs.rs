//! The pages of docs/ say what is true: every example compiles without a warning, runs and holds, every message is
//! what the library says, nothing public is left out, and every link and path leads somewhere.

mod examples;
mod paths;

use crate::common::{declarations, fortran_module, inlined, root, run, scratch, skip};
use adtape::{Error, Spill, Status, Tape, process};
use examples::{blocks, build, c_source, check_all, examples, fortran_source, page};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

#[test]
fn examples_in_c_compile_without_warnings_and_hold() {
    let (blocks, directory) = (examples("c"), scratch("docs_c"));
    let source = directory.join("examples.c");
    fs::write(&source, c_source(&blocks)).expect("write the examples");
    let flags = ["-std=c11", "-g", "-fopenmp", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"];
    check_all(&build("gcc", &flags, &source), &blocks);
}

fn fortran_is_here(test: &str) -> bool {
    let here = Command::new("gfortran").arg("--version").output().is_ok();
    if !here {
        skip(test, "there is no gfortran");
    }
    here
}

/// Where the module is, as a flag of the compiler, and its archive.
fn module() -> [String; 2] {
    let module = fortran_module("gfortran");
    [format!("-I{}", module.display()), module.join("libadtape_fortran.a").display().to_string()]
}

/// What docs/tools.md says of sweeps in two languages, in check mode, which compares types.
#[test]
fn value_pushed_in_fortran_is_popped_in_c_and_the_other_way_round() {
    if !fortran_is_here("value_pushed_in_fortran_is_popped_in_c_and_the_other_way_round") {
        return;
    }
    let directory = scratch("docs_mixed");
    let [module, library] = module();
    let (c, fortran) = (directory.join("half.c"), directory.join("mixed.f90"));
    let half = "#include <adtape.h>\n#include <stdlib.h>\nvoid half(void) {\ndouble x[2];\nbool b;\nint32_t i;\n\
                adtape_pop_i32(adtape_self(), &i);\nadtape_pop_bool(adtape_self(), &b);\n\
                adtape_pop_array_f64(adtape_self(), x, 2);\nif (x[1] != 2.0 || !b || i != 7) exit(1);\n\
                adtape_push_array_f64(adtape_self(), x, 2);\n}\n";
    fs::write(&c, half).expect("write half.c");
    let main = "program mixed\nuse, intrinsic :: iso_c_binding\nuse adtape\nimplicit none\ninterface\n\
                subroutine half() bind(c)\nend subroutine\nend interface\nreal(c_double) :: x(2)\n\
                call push([1.0_c_double, 2.0_c_double])\ncall push_bool(.true._c_bool)\ncall push(7)\ncall half()\n\
                x = 0\ncall pop(x)\nif (x(1) /= 1 .or. x(2) /= 2) error stop\nend program\n";
    fs::write(&fortran, main).expect("write mixed.f90");
    let program = build("gfortran", &["half.c", &module, &library], &fortran);
    run(Command::new(program).env("ADTAPE_CHECK", "1"));
}

// ---- completeness ------------------------------------------------------------------------------------

/// All words of a text that may be names.
fn names(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The public functions of the header, macros aside: what is followed by a parenthesis and does not end in one.
fn c_functions() -> BTreeSet<String> {
    let header = declarations() + &inlined();
    let code = header.lines().filter(|line| !line.trim_start().starts_with(['/', '*']) && !line.ends_with('\\'));
    let mut found = BTreeSet::new();
    for line in code {
        for (i, _) in line.match_indices("adtape_") {
            let name: String = line[i..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            let called = line[i + name.len()..].starts_with('(') && !line[..i].ends_with('_');
            if called && !name.ends_with('_') && !name.starts_with("adtape_abi0_") {
                found.insert(name);
            }
        }
    }
    found
}

/// The families that inline.h defines for every type, as adtape_push_<type>.
fn c_families() -> BTreeSet<String> {
    let inline = inlined();
    let parts =
        inline.split("##name").filter_map(|before| before.rsplit_once("adtape_").map(|(_, verb)| verb.to_owned()));
    let families: BTreeSet<String> =
        parts.filter(|verb| !verb.contains(' ')).map(|v| format!("adtape_{v}<type>")).collect();
    assert!(families.contains("adtape_push_<type>") && families.contains("adtape_local_pop_<type>"), "{families:?}");
    families
}

/// The suffix and the constant of every type in the tables of inline.h.
fn c_types() -> Vec<(String, String)> {
    let inline = inlined();
    let rows = inline.lines().filter_map(|line| line.trim().strip_prefix("X(")?.split_once(')').map(|(row, _)| row));
    let types: Vec<_> = rows
        .filter_map(|row| {
            let fields: Vec<&str> = row.split(", ").collect();
            fields.last()?.starts_with("ADTAPE_TYPE_").then(|| (fields[0].to_owned(), fields[2].to_owned()))
        })
        .filter(|(_, constant)| constant != "ADTAPE_TYPE_…")
        .collect();
    assert!(types.len() >= 20, "{types:?}");
    types
}

fn missing<'a>(wanted: impl IntoIterator<Item = &'a String>, text: &str) -> Vec<&'a String> {
    let there = names(text);
    wanted.into_iter().filter(|name| !there.contains(name.as_str())).collect()
}

fn code(page: &'static str, language: &str, declarations: bool) -> String {
    let chosen = blocks(page).into_iter().filter(|b| b.language == language && b.is("declarations") == declarations);
    chosen.map(|block| block.text).collect()
}

/// The pages of the reference, one after the other.
const REFERENCE: [&str; 8] = [
    "reference",
    "reference/process",
    "reference/tape",
    "reference/objects",
    "reference/heap",
    "reference/checkpoint",
    "reference/driver",
    "reference/verify",
];

fn reference() -> String {
    REFERENCE.map(page).concat()
}

fn reference_code(language: &str, declarations: bool) -> String {
    REFERENCE.map(|name| code(name, language, declarations)).concat()
}

#[test]
fn reference_has_every_c_call_with_its_declaration_and_an_example() {
    let (functions, reference) = (c_functions(), reference());
    assert!(functions.contains("adtape_self") && functions.contains("adtape_stats"), "{functions:?}");
    assert_eq!(missing(&functions, &reference_code("c", true)), Vec::<&String>::new(), "without a declaration");
    assert_eq!(missing(&functions, &reference_code("c", false)), Vec::<&String>::new(), "without an example");
    for family in c_families() {
        assert!(reference.contains(&format!("`{family}`")), "{family} is missing");
    }
    for (suffix, constant) in c_types() {
        let row = reference.lines().find(|line| line.starts_with(&format!("| `{suffix}` |")));
        assert!(row.is_some_and(|row| row.contains(&constant)), "{suffix} is missing in the table of types");
    }
}

/// Constants and fields of structures.
#[test]
fn reference_has_every_constant_and_field_of_the_header() {
    let header = declarations();
    let mut wanted = BTreeSet::new();
    for line in header.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let constants = names(line).into_iter().filter(|n| n.starts_with("ADTAPE_") && !n.ends_with("_H"));
        wanted.extend(constants.map(str::to_owned));
        // Fields: int64_t name;
        let types = ["    int64_t ", "    int32_t ", "    bool "];
        let field = types.iter().find_map(|of| line.strip_prefix(of)).and_then(|rest| rest.strip_suffix(';'));
        wanted.extend(field.filter(|name| !name.contains(['[', '('])).map(str::to_owned));
    }
    assert!(wanted.contains("ADTAPE_STATUS_OK") && wanted.contains("peak_bytes"));
    assert_eq!(missing(&wanted, &reference()), Vec::<&String>::new());
}

/// The public names of the Fortran module, and which of them are procedures.
fn fortran_names() -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut all, mut procedures) = (BTreeSet::new(), BTreeSet::new());
    let module = root().join("fortran-bindings");
    let folders = ["", "generated"].map(|name| fs::read_dir(module.join(name)).expect("a folder"));
    let mut files: Vec<PathBuf> = folders.into_iter().flatten().map(|e| e.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "F90" || e == "inc"));
    for path in files {
        for line in fs::read_to_string(&path).expect("a source").lines().map(str::trim) {
            if let Some(list) = line.strip_prefix("public :: ") {
                procedures.extend(list.split(',').map(|name| name.trim().to_owned()));
            } else if let Some((_, name)) = line.split_once(", public :: ") {
                all.extend(names(name).first().map(|_| name.split([' ', '=']).next().unwrap_or(name).to_owned()));
            }
        }
    }
    all.extend(procedures.iter().cloned());
    (all, procedures)
}

#[test]
fn reference_has_every_public_name_of_the_fortran_module() {
    let (all, procedures) = fortran_names();
    assert!(procedures.contains("push") && all.contains("ADTAPE_TYPE_F64") && all.contains("adtape_tape"), "{all:?}");
    assert_eq!(missing(&all, &reference()), Vec::<&String>::new());
    assert_eq!(missing(&procedures, &reference_code("fortran", false)), Vec::<&String>::new(), "without an example");
}

#[test]
fn every_status_has_a_section_in_errors_with_a_message_that_was_printed() {
    let header = declarations();
    let blocks = blocks("errors");
    let statuses = names(&header).into_iter().filter(|name| name.starts_with("ADTAPE_STATUS_"));
    // Without the handle of C there is no store to fail: see the test below.
    let elsewhere = ["ADTAPE_STATUS_OK", "ADTAPE_STATUS_POISONED"];
    for status in statuses.filter(|name| !elsewhere.contains(name) && !name.ends_with('_')) {
        let shown =
            blocks.iter().any(|block| block.heading == status && block.output.as_ref().is_some_and(|o| o.len() > 20));
        assert!(shown, "docs/errors.md has no example under the heading {status}");
    }
}

/// A store that keeps nothing.
struct Broken;

impl Spill for Broken {
    fn write(&mut self, _: u64, _: &[u8]) -> Result<(), Error> {
        Ok(())
    }
    fn read(&mut self, _: u64, _: &mut [u8]) -> Result<(), Error> {
        Err(Error::new(Status::Io, "spill file: Input/output error (os error 5)"))
    }
}

/// Only tapes with a store can be poisoned, and only Rust can give them one.
#[test]
fn message_of_a_poisoned_tape_is_the_one_in_errors() {
    process::set_memory_limit(Some(1 << 20));
    let tape = Tape::new().unwrap().with_spill(Box::new(Broken)).unwrap();
    for _ in 0..1 << 18 {
        tape.push(1.0).unwrap();
    }
    let failure = std::iter::repeat_with(|| tape.pop::<f64>()).find_map(Result::err).expect("the store is broken");
    assert_eq!(failure.status(), Status::Io);
    let (poisoned, here) = (tape.push(1.0).unwrap_err(), format!("{}:{}", file!(), line!()));
    assert_eq!(poisoned.status(), Status::Poisoned);
    let errors = page("errors");
    let section =
        errors.split("\n## ").find(|section| section.starts_with("ADTAPE_STATUS_POISONED")).expect("a section");
    let thread = format!("thread {:?}", std::thread::current().name().expect("a test's"));
    let said = poisoned.to_string().replace(&here, "src/main.rs:12").replace(&thread, "the main thread");
    assert!(section.contains(&format!("```text\n{said}\n```")), "{section}\nis not\n{said}");
}

#[test]
fn every_environment_variable_is_documented() {
    let (source, environment) = (read("src/settings.rs"), page("environment"));
    let variables = |text: &str| -> BTreeSet<String> {
        let ours =
            |name: &&str| name.len() > "ADTAPE_".len() && name.starts_with("ADTAPE_") && !name.contains("STATUS");
        let all = names(text).into_iter().filter(ours);
        all.map(str::to_owned).collect()
    };
    let known =
        source.split("const NAMES: ").nth(1).and_then(|rest| rest.split("];").next()).expect("the list of names");
    let read_by_the_library = variables(known);
    assert!(read_by_the_library.contains("ADTAPE_CHECK"));
    assert_eq!(read_by_the_library, variables(&environment), "src/settings.rs beside docs/environment.md");
}

/// Of `make matrix`.
mod matrix {
    use super::*;

    #[test]
    fn examples_in_fortran_compile_without_warnings_and_hold() {
        if !fortran_is_here("examples_in_fortran_compile_without_warnings_and_hold") {
            return;
        }
        let (blocks, directory) = (examples("fortran"), scratch("docs_fortran"));
        let [module, library] = module();
        let source = directory.join("examples.F90");
        fs::write(&source, fortran_source(&blocks)).expect("write the examples");
        // Exact comparisons and an array that is not allocated are what the examples are about.
        let quiet = ["-Wno-unused-dummy-argument", "-Wno-compare-reals", "-Wno-maybe-uninitialized"];
        let flags = ["-std=f2018", "-g", "-fopenmp", "-Wall", "-Wextra", "-Werror", &module, &library];
        check_all(&build("gfortran", &[&flags[..], &quiet].concat(), &source), &blocks);
    }
}
