//! `libadtape_mpi` under one MPI or several: the programs of `mpi/tests`, on a few ranks.
//!
//! `TEST_MPIS="openmpi mpich"` names the MPIs. By default it is MPICH, whose ranks start soonest; `make matrix` asks for
//! Open MPI.
//!
//! `MPI_PROGRAMS=100000 FROM=1` runs that many random programs (`make mpi-random`).

mod checkpoints;
mod errors;
mod example;
mod fortran;
mod kit;

use crate::common::{
    build_release, clean, fortran_module, linked, linked_statically, root, run, scratch, skip, stdout,
};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, OnceLock};

/// An MPI: its name, which Debian puts behind those of its commands.
type Mpi = &'static str;
const MPIS: [Mpi; 2] = ["openmpi", "mpich"];

/// Each MPI that is asked for and here.
fn mpis(test: &str) -> Vec<Mpi> {
    let asked_for = std::env::var("TEST_MPIS").unwrap_or_else(|_| MPIS[1].to_owned());
    let unknown = asked_for.split_whitespace().find(|name| !MPIS.contains(name));
    assert!(unknown.is_none() && !asked_for.trim().is_empty(), "TEST_MPIS is {asked_for:?}, of {MPIS:?}");
    let is_asked_for = |mpi: &Mpi| asked_for.split_whitespace().any(|name| name == *mpi);
    let is_here = |mpi: &Mpi| {
        let here = clean(format!("mpicc.{mpi}")).arg("--version").output().is_ok();
        if !here {
            skip(test, &format!("mpicc.{mpi} not found"));
        }
        here
    };
    MPIS.into_iter().filter(is_asked_for).filter(is_here).collect()
}

/// A few ranks, and as few as will do where a rank that waits keeps its core: MPICH's do.
fn several(mpi: Mpi) -> usize {
    if mpi == MPIS[1] { 2 } else { 3 }
}

// ---- building ------------------------------------------------------------------------------------------------------

/// libadtape_mpi as a user builds it for an MPI, with further flags.
fn build(mpi: Mpi, name: &str, flags: &str) -> PathBuf {
    let directory = scratch(&format!("mpi-{mpi}{name}"));
    let mut build = clean(root().join("mpi/build.sh"));
    build.arg(build_release()).arg(&directory);
    run(build.env("MPICC", format!("mpicc.{mpi}")).env("CFLAGS", format!("-Wpedantic -Werror {flags}")));
    directory
}

/// The directory with libadtape_mpi as it is by default.
fn library(mpi: Mpi) -> &'static Path {
    static BUILT: [OnceLock<PathBuf>; 2] = [OnceLock::new(), OnceLock::new()];
    BUILT[usize::from(mpi == MPIS[1])].get_or_init(|| build(mpi, "", ""))
}

/// A program of mpi/tests, with further flags.
fn compile(mpi: Mpi, program: &str, flags: &[&str]) -> PathBuf {
    compile_with(mpi, library(mpi), program, flags)
}

fn compile_with(mpi: Mpi, library: &Path, program: &str, flags: &[&str]) -> PathBuf {
    let own = library.file_name().expect("a name").to_string_lossy();
    let binary = scratch(&format!("{own}-{program}{}", flags.concat().replace('/', "-"))).join(program);
    let mut compiler = clean(format!("mpicc.{mpi}"));
    compiler.current_dir(root()).args(["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]);
    compiler.args(["-Impi/include", "-Iinclude"]).args(flags).arg(format!("mpi/tests/{program}.c"));
    compiler.arg(library.join("libadtape_mpi.a")).args(linked());
    run(compiler.arg("-o").arg(&binary));
    binary
}

// ---- running -------------------------------------------------------------------------------------------------------

const SECONDS: &str = "300";
const CHECK: &[(&str, &str)] = &[("ADTAPE_CHECK", "1")];

/// A program on some ranks, a single one without mpiexec. They give way to each other where they wait. One program runs
/// at a time.
fn on_ranks(mpi: Mpi, ranks: usize, program: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> Output {
    let _alone = alone();
    let mut command = clean("timeout");
    command.args(["-k", "5", SECONDS]);
    if ranks > 1 {
        command.arg(format!("mpiexec.{mpi}")).args(["-n", &ranks.to_string()]);
    }
    command.arg(program).args(arguments).envs(settings.iter().copied());
    give_way(&mut command).output().expect("timeout runs")
}

fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Ranks give way to each other where they wait, and root may start them.
fn give_way(command: &mut Command) -> &mut Command {
    for variable in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] {
        command.env(variable, "1");
    }
    command.env("OMPI_MCA_mpi_yield_when_idle", "1").env("OMPI_MCA_rmaps_base_oversubscribe", "1");
    command.env("MPIR_CVAR_POLLS_BEFORE_YIELD", "1")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn passes(mpi: Mpi, ranks: usize, program: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> String {
    let output = on_ranks(mpi, ranks, program, arguments, settings);
    let all = said(&output);
    assert!(output.status.success(), "{mpi}, {ranks} ranks, {arguments:?}, {settings:?}: {}\n{all}", output.status);
    all
}

// ---- the tests -----------------------------------------------------------------------------------------------------

#[test]
fn calls_and_their_reverse_agree_with_what_they_are_by_hand() {
    for mpi in mpis("calls") {
        let program = compile(mpi, "calls", &[]);
        for settings in [&[], CHECK] {
            passes(mpi, 2, &program, &[], settings);
        }
    }
}

#[test]
fn large_messages_and_their_reverse_agree_with_what_they_are_by_hand() {
    for mpi in mpis("large messages") {
        let program = compile(mpi, "large", &[]);
        for settings in [&[], CHECK] {
            passes(mpi, 3, &program, &[], settings);
        }
    }
}

/// On how many ranks, how many programs under each MPI by default, and in which proportion of a larger number. Under MPICH
/// ranks that wait take the cores from the others, and a program on three or four ranks takes 50 times as long as on two.
const RANDOM: [(usize, [u64; 2]); 4] = [(1, [20, 20]), (2, [80, 160]), (3, [40, 2]), (4, [30, 1])];

/// Half of the programs run where all messages but single values are large.
#[test]
fn random_programs_agree_with_the_serial_model() {
    let number = |name| std::env::var(name).ok().map(|text: String| text.parse::<u64>().expect("a number"));
    let (all, from) = (number("MPI_PROGRAMS"), number("FROM").unwrap_or(1));
    for mpi in mpis("random") {
        let large = build(mpi, "-all-large", "-DADTAPE_MPI_LARGE_BYTES=16");
        let programs = [library(mpi), &large].map(|library| compile_with(mpi, library, "random", &[]));
        let own_of = |counts: [u64; 2]| counts[usize::from(mpi == MPIS[1])];
        let sum: u64 = RANDOM.iter().map(|(_, counts)| own_of(*counts)).sum();
        for (ranks, counts) in RANDOM {
            let own = own_of(counts);
            let total = all.map_or(own, |all| (all * own).div_ceil(sum));
            let mut first = from;
            // Some at a time, each within the time limit.
            while first < from + total {
                let count = (from + total - first).min(own * 5);
                for (program, count) in programs.iter().zip([count.div_ceil(2), count / 2]) {
                    let numbers = [first.to_string(), count.to_string()];
                    let arguments = numbers.each_ref().map(String::as_str);
                    passes(mpi, ranks, program, &arguments, &[]);
                    first += count;
                }
            }
            if ranks == 2 {
                passes(mpi, ranks, &programs[0], &["1", "10"], CHECK);
            }
        }
    }
}

/// The example of docs/mpi.md in a language.
fn page_example(language: &str) -> String {
    let page = std::fs::read_to_string(root().join("docs/mpi.md")).expect("docs/mpi.md");
    let begin = format!("<!-- example: whole, two ranks -->\n```{language}\n");
    let (_, text) = page.split_once(&begin).expect("an example");
    text.split_once("```").expect("its end").0.to_owned()
}

fn prints_what_the_page_says(mpi: Mpi, program: &Path) {
    for (ranks, settings) in [(1, &[][..]), (2, &[]), (several(mpi), CHECK)] {
        let said = passes(mpi, ranks, program, &[], settings);
        assert!(said.contains("gradient in the direction agrees: yes"), "{mpi}, {ranks} ranks: {said}");
    }
}

#[test]
fn example_of_the_page_gives_the_right_gradient() {
    for mpi in mpis("example") {
        let directory = scratch(&format!("mpi-{mpi}-page"));
        std::fs::write(directory.join("model.c"), page_example("c")).expect("written");
        let mut compiler = clean(format!("mpicc.{mpi}"));
        compiler.current_dir(root()).args(["-std=c11", "-O2", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]);
        compiler.args(["-Iinclude", "-Impi/include"]).arg(directory.join("model.c"));
        compiler.arg(library(mpi).join("libadtape_mpi.a")).args(linked_statically());
        run(compiler.arg("-o").arg(directory.join("model")));
        prints_what_the_page_says(mpi, &directory.join("model"));
    }
}

#[test]
fn every_wrong_use_ends_in_an_error_that_says_what_is_wrong() {
    for mpi in mpis("errors") {
        let program = compile(mpi, "errors", &[]);
        let list = stdout(clean(&program).arg("--list"));
        let cases: Vec<_> = list.lines().filter_map(|line| line.split_once(' ')).collect();
        errors::every_case_is_in_the_table(&cases.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        for (name, ranks) in cases {
            let ranks: usize = ranks.parse().expect("a number");
            // On one rank there is nothing in which MPIs differ, and MPICH starts at once.
            if ranks > 1 || mpi == MPIS[1] {
                errors::check(name, mpi == MPIS[1], |settings| on_ranks(mpi, ranks, &program, &[name], settings));
            }
        }
    }
}

#[test]
fn header_compiles_without_a_warning_in_c_and_in_cpp() {
    for mpi in mpis("header") {
        let file = scratch(&format!("mpi-header-{mpi}")).join("header.c");
        std::fs::write(
            &file,
            "#include \"adtape_mpi_run.h\"\n#include \"adtape_mpi_test.h\"\n#include \"adtape_mpi_run.h\"\n",
        )
        .expect("written");
        let include = stdout(clean(format!("mpicc.{mpi}")).arg("-show"));
        let folders: Vec<_> = include.split_whitespace().filter(|word| word.starts_with("-I")).collect();
        for (compiler, language, std) in [("gcc", "c", "c99"), ("clang", "c", "c11"), ("g++", "c++", "c++17")] {
            let mut command = Command::new(compiler);
            command.args(["-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", language]).args(&folders);
            command.arg(format!("-std={std}")).arg("-DOMPI_SKIP_MPICXX").arg("-DMPICH_SKIP_MPICXX");
            run(command
                .args(["include", "mpi/include"].map(|name| format!("-I{}", root().join(name).display())))
                .arg(&file));
        }
    }
}

/// The calls of the headers, and no other names, which might be the program's.
#[test]
fn shared_library_exports_what_the_headers_declare() {
    let read = |name: &str| std::fs::read_to_string(root().join("mpi/include").join(name)).expect("the header");
    let header = read("adtape_mpi.h") + &read("adtape_mpi_run.h") + &read("adtape_mpi_test.h");
    let words = header.split(|c: char| !c.is_alphanumeric() && c != '_');
    let types = ["int ", "void ", "int64_t ", "double ", "const char *", "adtape_status_t "];
    let code = header.lines().filter(|line| types.iter().any(|name| line.starts_with(name)));
    let declared: Vec<_> = code.filter_map(|line| line.split('(').next()?.rsplit([' ', '*']).next()).collect();
    assert!(words.count() > 500 && declared.len() > 40, "{declared:?}");
    // Check mode takes the place of MPI's one-sided calls.
    let windows = std::fs::read_to_string(root().join("mpi/src/windows.c")).expect("the part");
    let of_mpi = windows.lines().filter_map(|line| line.strip_prefix("MPIS_OWN int ")?.split('(').next());
    let declared: Vec<_> = declared.into_iter().chain(of_mpi).collect();
    assert!(declared.contains(&"MPI_Get"), "{declared:?}");
    for mpi in mpis("symbols") {
        let table =
            stdout(Command::new("nm").args(["-D", "--defined-only"]).arg(library(mpi).join("libadtape_mpi.so")));
        let mut exported: Vec<_> = table.lines().filter_map(|line| line.split_whitespace().last()).collect();
        let mut expected = declared.clone();
        exported.sort_unstable();
        expected.sort_unstable();
        assert_eq!(exported, expected);
    }
}

/// On one rank there are no others to tell apart; on several, each verdict is that of all.
#[test]
fn derivative_tests_over_ranks_see_wrong_gradients_and_wrong_seeds() {
    for mpi in mpis("derivative tests") {
        let program = compile(mpi, "verify", &[]);
        for ranks in [1, several(mpi)] {
            let said = passes(mpi, ranks, &program, &[], &[]);
            let explained = said.matches("was seeded on all of them").count();
            assert_eq!(explained, usize::from(ranks > 1), "{said}");
        }
    }
}

#[test]
fn programs_work_with_the_shared_library() {
    for mpi in mpis("shared") {
        let (own, release) = (library(mpi).display().to_string(), build_release().display().to_string());
        let paths = [format!("-L{own}"), format!("-L{release}"), format!("-Wl,-rpath,{own}:{release}")];
        let [mine, theirs, search] = &paths;
        let binary = scratch(&format!("mpi-shared-{mpi}")).join("calls");
        let mut compiler = clean(format!("mpicc.{mpi}"));
        compiler.current_dir(root()).args(["-std=gnu11", "-Impi/include", "-Iinclude", "mpi/tests/calls.c"]);
        compiler.args([mine, theirs, search, "-ladtape_mpi", "-ladtape", "-o"]).arg(&binary);
        run(&mut compiler);
        passes(mpi, 2, &binary, &[], &[]);
    }
}

/// Run by `make matrix` alone.
mod matrix {
    use super::*;

    /// A machine often has both, and a program finds the library that was compiled for the other one. That of Open MPI
    /// names variables which MPICH does not have.
    #[test]
    fn library_of_another_mpi_is_an_error_that_names_both() {
        if let [own, other] = mpis("another MPI")[..] {
            let program = compile_with(own, library(other), "large", &["-DOF_ANOTHER_MPI"]);
            let text = said(&on_ranks(own, 1, &program, &[], &[]));
            assert!(text.contains("libadtape_mpi is compiled for MPICH or a relative"), "{text}");
            assert!(text.contains("the program runs Open MPI"), "{text}");
        }
    }

    /// The C part on its own has no undefined behaviour and leaves its bounds nowhere. MPI itself leaves memory behind.
    #[test]
    fn programs_pass_the_sanitizers() {
        for mpi in mpis("sanitizers").into_iter().take(1) {
            let directory = scratch("mpi-sanitized");
            let compiler = || {
                let mut compiler = clean(format!("mpicc.{mpi}"));
                compiler.current_dir(root()).args(["-std=gnu11", "-O1", "-g", "-Impi/include", "-Iinclude"]);
                compiler.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
                compiler
            };
            let library = directory.join("adtape_mpi.o");
            run(compiler().args(["-c", "mpi/adtape_mpi.c", "-o"]).arg(&library));
            let sanitized = |program: &str| {
                let (binary, source) = (directory.join(program), format!("mpi/tests/{program}.c"));
                let mut compiler = compiler();
                run(compiler.arg(source).arg(&library).args(linked_statically()).arg("-o").arg(&binary));
                binary
            };
            let [random, calls, checkpoints, driver] = ["random", "calls", "checkpoints", "driver"].map(sanitized);
            let settings = [("ASAN_OPTIONS", "detect_leaks=0"), CHECK[0]];
            passes(mpi, 3, &random, &["1001", "20"], &settings[..1]);
            passes(mpi, 2, &random, &["2001", "10"], &settings);
            passes(mpi, 2, &calls, &[], &settings[..1]);
            let files = ["checkpoints", "driver"].map(|name| scratch(&format!("mpi-sanitized-files-{name}")));
            let [first, second] = files.map(|files| files.display().to_string());
            passes(mpi, 2, &checkpoints, &[&first, "failures"], &settings[..1]);
            passes(mpi, 2, &driver, &[&second], &settings);
        }
    }
}
