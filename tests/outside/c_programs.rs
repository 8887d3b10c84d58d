//! The programs of `ctests`, built and run as users build and run theirs: with gcc, against the static library and
//! some against the shared one. Each program is a test of its own, in every mode of the tape that it makes sense in.
//!
//! What every error says is in the table of `c_programs/errors.rs`; `ctests/across/errors.c` provokes them.

mod errors;

use crate::common::{
    SYSTEM_LIBRARIES, build_release, clean, files_below, linked_statically, root, run, scratch, skip, stdout,
};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const WARNINGS: [&str; 3] = ["-Wall", "-Wextra", "-Wpedantic"];

type Mode = &'static [(&'static str, &'static str)];
const PLAIN: Mode = &[];
const CHECK: Mode = &[("ADTAPE_CHECK", "1")];
/// Its file goes there.
const PROFILE: Mode = &[("ADTAPE_PROFILE", env!("CARGO_TARGET_TMPDIR"))];
/// Growth and the edges of repeat regions at every page.
const STEPS: Mode = &[("ADTAPE_STEP", "4096")];
/// A move at every doubling, too.
const MOVES: Mode = &[("ADTAPE_STEP", "4096"), ("ADTAPE_RESERVE", "4096")];
const ALL_MODES: [Mode; 5] = [PLAIN, CHECK, PROFILE, STEPS, MOVES];

/// The status of a program that says that it cannot run here.
const SKIPPED: i32 = 77;

// ---- building and running ------------------------------------------------------------------------------------

/// The folders of `ctests`: one for each theme, and one for what is across them.
const FOLDERS: [&str; 8] = ["process", "tape", "objects", "heap", "checkpoint", "driver", "verify", "across"];

/// A program's source; no two folders have one of the same name.
fn source(program: &str) -> PathBuf {
    let paths = FOLDERS.map(|folder| root().join("ctests").join(folder).join(format!("{program}.c")));
    paths.into_iter().find(|path| path.exists()).unwrap_or_else(|| panic!("no folder of ctests has {program}.c"))
}

fn compiler(name: &str, flags: &[&str]) -> Command {
    let mut command = Command::new(name);
    command.args(WARNINGS).args(flags);
    for folder in ["include", "ctests"] {
        command.arg("-I").arg(root().join(folder));
    }
    command
}

/// Builds a program into the scratch directory of the test `test`, against the static library.
fn build(test: &str, program: &str, flags: &[&str]) -> PathBuf {
    let binary = scratch(&format!("c_{test}")).join(program);
    let mut gcc = compiler("gcc", &["-std=gnu11", "-Werror"]);
    run(gcc.args(flags).arg(source(program)).args(linked_statically()).arg("-o").arg(&binary));
    binary
}

fn in_mode(program: impl AsRef<std::ffi::OsStr>, mode: Mode) -> Command {
    let mut command = clean(program);
    command.envs(mode.iter().copied());
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Builds a program and runs it in each mode.
fn check(program: &str, flags: &[&str], modes: &[Mode], arguments: &[&str]) {
    let binary = build(program, program, &[&["-g", "-O2"], flags].concat());
    for mode in modes {
        let output = in_mode(&binary, mode).args(arguments).output().expect("the program starts");
        if output.status.code() == Some(SKIPPED) {
            return skip(program, said(&output).trim().trim_start_matches("SKIPPED: "));
        }
        assert!(output.status.success(), "{program} in mode {mode:?}: {}\n{}", output.status, said(&output));
    }
}

macro_rules! programs {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            check(stringify!($name), &[], &ALL_MODES, &[]);
        })*
    };
}

// One for each section of the headers, by theme.
programs! { error, settings }
programs! { tape, scalar, array, section, control, mark, repeat, stats, entry }
programs! { objects, live, range, rebase, pointer, pair, descriptor }
programs! { heap, block, snapshot, join }
programs! { store, store_files, checkpoint, restoration }
programs! { schedule, driver, passes, variable }
programs! { derivative, waypoint }
// Threads that share nothing but the process.
programs! { threads, thread_end }

/// Where the library computes, it raises nothing that the program has not raised: a test of a wrong gradient divided by
/// a component of 0.
#[test]
fn programs_work_with_floating_point_traps_on() {
    let traps = root().join("ctests/traps.h").display().to_string();
    for program in ["derivative", "waypoint", "driver", "schedule", "variable", "passes", "stats", "checkpoint"] {
        let binary = build("traps", program, &["-g", "-O1", "-include", &traps]);
        for mode in [PLAIN, CHECK, PROFILE] {
            let output = in_mode(&binary, mode).output().expect("the program starts");
            assert!(output.status.success(), "{program} in mode {mode:?}: {}\n{}", output.status, said(&output));
        }
    }
}

/// A program that nobody runs is no test.
#[test]
fn every_program_is_run_here() {
    let this = include_str!("c_programs.rs");
    let words: Vec<&str> = this.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let sources = files_below(&root().join("ctests"), |_| true);
    for path in sources.iter().filter(|path| path.extension().is_some_and(|end| end == "c")) {
        let program = path.file_stem().expect("a name").to_string_lossy();
        assert!(words.contains(&&*program), "{} is in none of the lists of this file", path.display());
        assert_eq!(source(&program), *path, "two folders have a program of this name");
    }
}

#[test]
fn openmp() {
    check("openmp", &["-fopenmp"], &[PLAIN, CHECK], &[]);
}

#[test]
fn small() {
    check("small", &[], &[PLAIN, CHECK, PROFILE], &[]);
}

#[test]
fn spill() {
    check("spill", &[], &[PLAIN, CHECK, STEPS], &[]);
}

#[test]
fn forks() {
    check("forks", &[], &[PLAIN, CHECK, STEPS], &[]);
}

#[test]
fn forks_first() {
    check("forks_first", &[], &[PLAIN, CHECK, PROFILE, MOVES], &[]);
}

#[test]
fn forks_heaps() {
    check("forks_heaps", &[], &[PLAIN, CHECK, MOVES], &[]);
}

#[test]
fn forks_addresses() {
    check("forks_addresses", &[], &[PLAIN, CHECK, MOVES], &[]);
}

#[test]
fn forks_random() {
    check("forks_random", &[], &[PLAIN, CHECK, MOVES], &[]);
}

#[test]
fn forks_threads() {
    check("forks_threads", &[], &[PLAIN, CHECK, STEPS, MOVES], &[]);
}

/// Each case in a process that a shell has put under its limit.
#[test]
fn limits() {
    let binary = build("limits", "limits", &["-g", "-O2"]);
    let list = stdout(in_mode(&binary, PLAIN).arg("--list"));
    let cases: Vec<_> = list.lines().filter_map(|line| line.split_once(": ")).collect();
    assert!(cases.len() >= 10, "{list}");
    for (case, limit) in cases {
        for mode in [PLAIN, CHECK] {
            let script = format!("{limit} && exec \"$0\" {case}");
            let output = in_mode("sh", mode).arg("-c").arg(script).arg(&binary).output().expect("sh");
            assert!(output.status.success(), "{case} in mode {mode:?}: {}\n{}", output.status, said(&output));
        }
    }
}

// ---- the headers ------------------------------------------------------------------------------------------------

/// Compiles the program of the header at a level, in every dialect, and runs it.
fn header_works_in_every_dialect(level: &str) {
    let directory = scratch(&format!("c_header{level}"));
    let c = ["gcc", "clang"].map(|cc| ["c99", "c11", "c17"].map(|std| (cc, "c", std)));
    let cpp = ["g++", "clang++"].map(|cc| (cc, "c++", "c++17"));
    let dialects: Vec<_> = c.concat().into_iter().chain(cpp).collect();
    let check_dialect = |(cc, language, std): (&str, &str, &str)| {
        let binary = directory.join(format!("{cc}_{std}"));
        let mut command = compiler(cc, &["-Wconversion", "-Werror", level, &format!("-std={std}"), "-x", language]);
        command.arg(source("header")).args(["-x", "none"]).args(linked_statically());
        run(command.arg("-o").arg(&binary));
        run(&mut in_mode(&binary, PLAIN));
    };
    // Two at a time.
    let (first, second) = dialects.split_at(dialects.len() / 2);
    std::thread::scope(|scope| {
        scope.spawn(|| second.iter().copied().for_each(check_dialect));
        first.iter().copied().for_each(check_dialect);
    });
}

#[test]
fn header_compiles_without_a_warning_in_every_dialect_and_works_in_each() {
    header_works_in_every_dialect("-O2");
}

// ---- the shared library ------------------------------------------------------------------------------------------

/// gcc with the shared library, which is found at run time under its SONAME.
fn with_shared_library(directory: &Path, flags: &[&str], inputs: &[PathBuf], output: &Path) {
    let release = build_release();
    let mut gcc = compiler("gcc", &["-std=gnu11", "-Werror", "-g"]);
    gcc.args(flags).args(inputs).arg(release.join("libadtape.so")).args(SYSTEM_LIBRARIES);
    for path in [directory, release] {
        gcc.arg(format!("-Wl,-rpath,{}", path.display()));
    }
    run(gcc.arg("-o").arg(output));
}

fn works_with_the_shared_library(program: &str) {
    let directory = scratch(&format!("c_{program}_with_shared_library"));
    let binary = directory.join(program);
    with_shared_library(&directory, &["-O2"], &[source(program)], &binary);
    for mode in [PLAIN, CHECK] {
        run(&mut in_mode(&binary, mode));
    }
    let needed = stdout(Command::new("readelf").arg("-d").arg(&binary));
    assert!(needed.contains("[libadtape.so.0]"), "{needed}");
}

#[test]
fn programs_work_with_the_shared_library() {
    ["header", "entry", "tape", "threads"].into_iter().for_each(works_with_the_shared_library);
}

/// Of `make matrix`.
mod matrix {
    use super::*;

    /// Seeds from `SEED` on, if it is set; the same ones every time otherwise.
    #[test]
    fn random() {
        let seed = std::env::var("SEED").unwrap_or_else(|_| "1".to_owned());
        check("random", &[], &ALL_MODES, &[&seed, "60"]);
    }

    #[test]
    fn large() {
        check("large", &[], &[PLAIN], &[]);
    }

    #[test]
    fn header_works_without_optimisation() {
        header_works_in_every_dialect("-O0");
    }

    #[test]
    fn random_programs_agree_with_the_shared_library() {
        works_with_the_shared_library("random");
    }

    /// Each theme's header, and what they inline, without the others.
    #[test]
    fn every_header_compiles_alone_without_a_warning() {
        let directory = scratch("c_headers_alone");
        let headers = headers();
        assert!(headers.len() >= 9, "{headers:?}");
        for header in headers {
            let header = header.strip_prefix(root().join("include")).expect("a header").display().to_string();
            for (cc, language, std) in
                [("gcc", "c", "c99"), ("clang", "c", "c99"), ("g++", "c++", "c++17"), ("clang++", "c++", "c++17")]
            {
                let file = directory.join(format!("alone.{}", if language == "c" { "c" } else { "cpp" }));
                std::fs::write(&file, format!("#include \"{header}\"\n#include \"{header}\"\n")).expect("written");
                let mut command = compiler(cc, &["-Wconversion", "-Werror", "-fsyntax-only", &format!("-std={std}")]);
                run(command.args(["-x", language]).arg(&file));
            }
        }
    }
}

/// Headers that users include; those of rules are for generated files, in C99.
fn headers() -> Vec<std::path::PathBuf> {
    let mut all = files_below(&root().join("include"), |name| name != "abi");
    all.retain(|path| !["/rules_", "/fftw/"].iter().any(|part| path.to_string_lossy().contains(part)));
    all
}

#[test]
fn headers_of_rules_compile_without_a_warning() {
    let directory = scratch("c_headers_of_rules");
    for header in ["rules_blas", "rules_cblas", "rules_solvers", "rules_implicit", "rules_gsl", "fftw/fftw3"] {
        let file = directory.join(format!("{}.c", header.replace('/', "_")));
        let include = format!("#include \"adtape/{header}.h\"\n");
        std::fs::write(&file, format!("{include}{include}")).expect("written");
        for cc in ["gcc", "clang"] {
            let options = ["-Wextra", "-Werror", "-Wno-unknown-pragmas", "-fsyntax-only", "-std=c99"];
            run(compiler(cc, &options).arg(&file));
        }
    }
}

/// Old programs are compiled as GNU C of 1989, or as ISO C of that year, for which one line says what to do.
#[test]
fn headers_compile_as_gnu_c_of_1989_and_refuse_iso_c_of_that_year_in_one_line() {
    let directory = scratch("c_headers_1989");
    let names: Vec<_> = headers().iter().map(|header| format!("#include \"{}\"\n", header.display())).collect();
    let kit = root().join("kit/include/adStack.h");
    for (name, text) in [("all", names.concat()), ("kit", format!("#include \"{}\"\n", kit.display()))] {
        let file = directory.join(format!("{name}.c"));
        std::fs::write(&file, text).expect("written");
        for cc in ["gcc", "clang"] {
            let include = ["-Iinclude", "-Ikit/include", "-fsyntax-only", "-std=gnu89", "-Wall", "-Werror"];
            run(std::process::Command::new(cc).current_dir(root()).args(include).arg(&file));
        }
    }
    let file = directory.join("iso.c");
    std::fs::write(&file, "#include \"adtape.h\"\n").expect("written");
    for cc in ["gcc", "clang"] {
        let mut command = std::process::Command::new(cc);
        command.current_dir(root()).args(["-Iinclude", "-fsyntax-only", "-std=c89"]).arg(&file);
        let output = command.output().expect("the compiler starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.matches("error:").count() == 1, "{cc}: {said}");
        assert!(said.contains("compile with -std=c99"), "{cc}: {said}");
    }
}

/// However the program is linked: position-independent or not, the constant closed tape is in one place only.
#[test]
fn program_and_its_own_shared_library_have_one_tape_for_each_thread() {
    let directory = scratch("c_shared");
    let module = directory.join("libmodule.so");
    with_shared_library(&directory, &["-O2", "-fPIC", "-shared", "-DMODULE"], &[source("shared")], &module);
    for (i, flags) in
        [&["-O2", "-fPIE", "-pie"][..], &["-O2", "-fno-pie", "-no-pie"], &["-O2", "-fPIC"], &["-O0"]].iter().enumerate()
    {
        let binary = directory.join(format!("shared_{i}"));
        with_shared_library(&directory, flags, &[source("shared"), module.clone()], &binary);
        for mode in [PLAIN, CHECK] {
            run(&mut in_mode(&binary, mode));
        }
    }
}
