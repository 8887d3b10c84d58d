//! The Fortran module, as programs see it: every program of `tests/fortran` at several levels of optimisation,
//! plain, with steps of one page, in check and in profile mode, and every error that the module can end in.
//!
//! `FC` and `CC` name the compilers (default gfortran and gcc): `FC=flang-new-19 CC=clang-19 cargo test -p adtape-outside
//! fortran::`.

use crate::common::{STRICT, cc, clean, fc, fortran_module, levels, linked, root, run, scratch, skip};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

mod lto;

const SIGABRT: i32 = 6;

/// Stop code of the error handler of errors.F90.
const HANDLED: i32 = 9;

fn is_gfortran() -> bool {
    fc().contains("gfortran")
}

/// Flags of the compiler at hand for the test programs.
fn flags() -> Vec<&'static str> {
    let strict: &[&str] = if is_gfortran() { &STRICT } else { &[] };
    let threads: &[&str] = if is_gfortran() { &["-fopenmp"] } else { &[] };
    [&["-g"], strict, threads].concat()
}

/// Whether there is a Fortran compiler; says which test is skipped if not.
fn compiler(test: &str) -> bool {
    let found = Command::new(fc()).arg("--version").output().is_ok();
    if !found {
        skip(test, &format!("{} not found", fc()));
    }
    found
}

fn sources() -> PathBuf {
    root().join("fortran-bindings")
}

/// The programs that are compiled against it.
fn programs() -> PathBuf {
    root().join("tests/fortran")
}

/// The directory of support.mod and support.o, built on the first call.
fn support() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let out = scratch("fortran_support");
        let mut compiler = Command::new(fc());
        compiler.current_dir(&out).args(flags()).arg("-I").arg(fortran_module(&fc())).arg("-c");
        run(compiler.arg(programs().join("support.f90")).args(["-o", "support.o"]));
        out
    })
}

/// Compiles a program against the module, with further flags or objects; returns what the compiler said and the
/// executable.
fn compile(source: &Path, further: &[&str]) -> (Output, PathBuf) {
    let name = source.file_stem().expect("a file").to_str().expect("a name in ASCII");
    let of_the_name = further.iter().filter(|flag| flag.starts_with("-O") || flag.starts_with("-f"));
    let level: String = of_the_name.copied().collect();
    let directory = scratch(&format!("fortran_{name}{}{level}", further.len()));
    let program = directory.join(name);
    let mut command = Command::new(fc());
    command.current_dir(&directory).args(flags()).arg("-I").arg(programs());
    for modules in [&fortran_module(&fc()), support()] {
        command.arg("-I").arg(modules);
    }
    command.arg("-cpp").args(further).arg(source).arg(support().join("support.o"));
    if further.contains(&lto::FLAG) {
        command.arg(lto::inlined(further, &directory));
    }
    command.arg(fortran_module(&fc()).join("libadtape_fortran.a")).args(linked());
    let said = run(command.arg("-o").arg(&program));
    (said, program)
}

/// A command without adtape's variables in its environment, nor a backtrace by gfortran's run-time library.
fn quiet(program: &Path) -> Command {
    let mut command = clean(program);
    command.env("GFORTRAN_ERROR_BACKTRACE", "0");
    command
}

/// Compiles a test program at every level of optimisation and runs it in every mode.
fn passes(file: &str) {
    passes_at(file, &levels());
}

/// The same at these levels.
fn passes_at(file: &str, levels: &[String]) {
    let name = file.split('.').next().expect("a name");
    if !compiler(name) {
        return;
    }
    // An optimiser may take it for granted that a procedure keeps no address of an argument; without one nothing is.
    for level in levels {
        passes_with(file, &[level]);
    }
}

/// Compiles a test program with these flags and runs it in every mode.
fn passes_with(file: &str, flags: &[&str]) {
    let name = file.split('.').next().expect("a name");
    let (_, program) = compile(&programs().join(file), flags);
    let profile = ("ADTAPE_PROFILE", env!("CARGO_TARGET_TMPDIR"));
    for mode in [None, Some(("ADTAPE_STEP", "4096")), Some(("ADTAPE_CHECK", "1")), Some(profile)] {
        let output = run(quiet(&program).envs(mode));
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains(&format!("{name}: checks passed: ")), "{flags:?} {mode:?}: {said}");
    }
}

/// At -O2 it takes gfortran ten seconds to compile: `make matrix` does.
#[test]
fn every_type_and_rank_comes_back_whole_and_in_sections() {
    let named = std::env::var_os("TEST_LEVELS").map(|_| levels());
    passes_at("types.F90", &named.unwrap_or_else(|| vec!["-O0".to_owned()]));
}

/// Of `make matrix`.
mod matrix {
    use super::*;

    #[test]
    fn error_without_handler_says_what_and_where_and_aborts() {
        if !compiler("error_without_handler_says_what_and_where_and_aborts") {
            return;
        }
        let mut faults = Vec::new();
        for (i, case) in tested_cases().iter().enumerate() {
            // "default": another handler is installed and the default restored.
            let (output, said) = provoke(errors_program(), case, if i % 10 == 0 { "default" } else { "" });
            if output.status.signal() != Some(SIGABRT) || !said.starts_with("adtape: error: ") {
                faults.push(format!("{}: {}: {said}", case.name, output.status));
            }
            faults.extend(lacking(case, &said));
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    #[test]
    fn every_type_and_rank_comes_back_as_users_compile_it() {
        passes("types.F90");
    }
}

#[test]
fn arrays_of_every_origin_come_back_in_place() {
    passes("sections.f90");
}

#[test]
fn components_of_arrays_come_back_and_no_array_is_moved() {
    passes("components.f90");
}

#[test]
fn checkpoints_come_back_with_bounds_and_state() {
    passes("checkpoints.f90");
}

#[test]
fn control_and_counts_come_back() {
    passes("control.f90");
}

#[test]
fn marks_and_repeat_regions_hold() {
    passes("marks.f90");
}

#[test]
fn statistics_say_what_was_pushed() {
    passes("statistics.f90");
}

#[test]
fn tapes_are_independent_and_can_be_handed_over() {
    passes("tapes.f90");
}

#[test]
fn addresses_come_back_wherever_their_objects_lie() {
    passes("addresses.f90");
}

#[test]
fn automatic_and_allocatable_targets_are_seen_through_popped_pointers() {
    passes("automatic.f90");
}

#[test]
fn fortran_pointers_come_back_wherever_their_targets_lie() {
    passes("associations.f90");
}

#[test]
fn fortran_pointers_wait_for_targets_that_are_not_there_or_are_refused() {
    passes("associations_waiting.f90");
}

#[test]
fn allocatables_and_memory_of_pointers_come_back_with_bounds_and_values() {
    passes("allocations.f90");
}

#[test]
fn characters_of_deferred_length_come_back_with_it() {
    passes("texts.f90");
}

#[test]
fn pointers_to_scalars_and_derived_types_wait_for_their_targets() {
    passes("pointers.f90");
}

#[test]
fn pointers_of_class_come_back_with_the_type_of_their_objects() {
    passes("polymorphic.f90");
}

#[test]
fn random_programs_of_pointers_agree_with_a_model_of_where_they_point() {
    passes("associations_random.f90");
}

#[test]
fn derivative_tests_name_what_is_wrong_of_internal_procedures_in_both_kinds() {
    passes("derivatives.f90");
}

#[test]
fn waypoints_name_the_step_whose_adjoint_is_wrong() {
    passes("waypoints.f90");
}

#[test]
fn drivers_give_the_same_gradient_by_every_schedule() {
    passes("drivers.f90");
}

#[test]
fn blocks_of_the_stable_heap_come_back_in_place() {
    passes("heap.f90");
}

#[test]
fn random_programs_agree_with_the_model() {
    passes("random.f90");
}

#[test]
fn every_test_program_is_run_here() {
    let this = fs::read_to_string(root().join("tests/outside/fortran.rs")).expect("this file");
    for entry in fs::read_dir(programs()).expect("the tests") {
        let file = entry.expect("an entry").file_name().into_string().expect("a name");
        let program = file.ends_with("90") && file != "support.f90";
        assert!(!program || this.contains(&format!("passes(\"{file}\")")), "{file} is not run");
    }
}

#[test]
fn push_and_pop_of_sections_make_no_temporary_arrays() {
    if !compiler("push_and_pop_of_sections_make_no_temporary_arrays") {
        return;
    }
    if !is_gfortran() {
        return; // Only gfortran says where it makes them.
    }
    let (said, _) = compile(&programs().join("sections.f90"), &["-Warray-temporaries", "-Wno-error"]);
    let said = String::from_utf8_lossy(&said.stderr);
    let lines: Vec<&str> = said.lines().collect();
    // Those of components and substrings, which gfortran always makes.
    let is_part = |code: &str| ["x%", "y%", ")%", ")(", "(v)", "(re)"].iter().any(|part| code.contains(part));
    let copied: Vec<&str> = (2..lines.len())
        .filter(|i| lines[*i].contains("Creating array temporary"))
        .filter_map(|i| lines[i - 2].split_once('|'))
        .map(|(_, code)| code.trim())
        .collect();
    assert!(copied.iter().any(|code| code.contains("push_bytes")), "the warning is recognised: {said}");
    let is_ours = |code: &str| code.contains("call push(") || code.contains("call pop(");
    assert_eq!(copied.iter().find(|code| is_ours(code) && !is_part(code)), None);
}

/// The program in the head of adtape.F90, compiled and run as a new user would.
#[test]
fn example_in_the_source_of_the_module_prints_two_equal_numbers() {
    if !compiler("example_in_the_source_of_the_module_prints_two_equal_numbers") {
        return;
    }
    let text = fs::read_to_string(sources().join("adtape.F90")).expect("the module");
    let program: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("!     "))
        .skip_while(|line| !line.starts_with("program"))
        .take_while(|line| !line.is_empty())
        .collect();
    let end = program.iter().position(|line| line.starts_with("end program")).expect("an end");
    let source = scratch("fortran_head").join("example.f90");
    fs::write(&source, program[..=end].join("\n")).expect("write the example");
    let (_, program) = compile(&source, &[]);
    let said = String::from_utf8_lossy(&run(&mut quiet(&program)).stdout).into_owned();
    let numbers: Vec<f64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert!(numbers.len() == 2 && (numbers[0] - numbers[1]).abs() < 1e-14, "{said}");
}

// ---- errors -----------------------------------------------------------------------------------------------------

/// A line of errors.txt.
struct Case {
    name: String,
    environment: Vec<(String, String)>,
    threads: bool,
    /// The limit of the address space, in KiB.
    limit: Option<String>,
    full_disk: bool,
    status: String,
    substrings: Vec<String>,
}

/// The sources with the cases, and the procedures that they are in.
const ERRORS: [(&str, &str); 2] = [("errors.F90", "provoke"), ("errors_addresses.F90", "provoke_address")];

fn errors_file(name: &str) -> PathBuf {
    programs().join("errors").join(name)
}

fn cases() -> Vec<Case> {
    let sources = ERRORS.map(|(file, _)| (file, fs::read_to_string(errors_file(file)).expect(file)));
    let table = fs::read_to_string(errors_file("errors.txt")).expect("errors.txt");
    let line_of = |mark: &str| {
        let line_in = |text: &str| text.lines().position(|line| line.ends_with(&format!("!@{mark}")));
        let found = sources.iter().find_map(|(file, text)| Some(format!("{file}:{} ", line_in(text)? + 1)));
        found.unwrap_or_else(|| panic!("no !@{mark}"))
    };
    let read = |line: &str| {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let [name, environment, status, substrings] = fields[..] else { panic!("four fields in: {line}") };
        let words = || environment.split_whitespace();
        let pairs = words().filter_map(|word| word.split_once('='));
        let (limits, variables): (Vec<_>, Vec<_>) = pairs.partition(|(name, _)| *name == "ulimit_v");
        Case {
            name: name.to_owned(),
            environment: variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            limit: limits.first().map(|(_, kib)| (*kib).to_owned()),
            full_disk: words().any(|word| word == "full"),
            threads: words().any(|word| word == "threads"),
            status: format!("ADTAPE_STATUS_{status}"),
            substrings: substrings
                .split(" ; ")
                .map(|part| part.strip_prefix('@').map_or_else(|| part.to_owned(), line_of))
                .collect(),
        }
    };
    table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(read).collect()
}

/// The program of all error cases.
fn errors_program() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| build_errors_program(&[]))
}

/// The program of all error cases, compiled with further flags.
fn build_errors_program(flags: &[&str]) -> PathBuf {
    let object = scratch("fortran_descriptors").join("descriptors.o");
    let mut compile_c = Command::new(cc());
    compile_c.args(["-g", "-c"]).arg(errors_file("descriptors.c")).arg("-o").arg(&object);
    run(&mut compile_c);
    let addresses = errors_file("errors_addresses.F90");
    let further = [&object, &addresses].map(|path| path.to_str().expect("a name in UTF-8"));
    compile(&errors_file("errors.F90"), &[&further, flags].concat()).1
}

/// Runs a case; returns how it ended and what it said on standard error.
fn provoke(program: &Path, case: &Case, how: &str) -> (Output, String) {
    let mut command = match &case.limit {
        None => quiet(program),
        Some(kib) => {
            let mut shell = quiet(Path::new("sh"));
            shell.args(["-c", &format!("ulimit -v {kib} && exec \"$@\""), "sh"]).arg(program);
            shell
        }
    };
    command.args([&case.name, how]).envs(case.environment.clone());
    if case.full_disk {
        command.stdout(fs::File::create("/dev/full").expect("/dev/full"));
    }
    command.stderr(Stdio::piped());
    let output = command.spawn().and_then(|child| child.wait_with_output()).expect("errors can be run");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, said)
}

fn tested_cases() -> Vec<Case> {
    cases().into_iter().filter(|case| !case.threads || flags().contains(&"-fopenmp")).collect()
}

/// What is wrong with a message: an expected part that is not in it.
fn lacking(case: &Case, message: &str) -> Option<String> {
    let missing = case.substrings.iter().find(|part| !message.contains(part.as_str()))?;
    Some(format!("{}: no \"{missing}\" in: {message}", case.name))
}

#[test]
fn error_handler_gets_status_and_message_once() {
    if !compiler("error_handler_gets_status_and_message_once") {
        return;
    }
    let mut faults = Vec::new();
    for case in tested_cases() {
        let (output, said) = provoke(errors_program(), &case, "handler");
        let status = format!("{}: ", case.status);
        if output.status.code() != Some(HANDLED) || !said.contains(&status) || !said.contains(" calls: 1") {
            faults.push(format!("{}: {}, not {}once: {said}", case.name, output.status, status));
        }
        faults.extend(lacking(&case, &said));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn program_aborts_where_the_handler_returns() {
    if !compiler("program_aborts_where_the_handler_returns") {
        return;
    }
    for case in tested_cases().iter().filter(|case| case.name.starts_with("underflow")) {
        let (output, said) = provoke(errors_program(), case, "returning");
        assert!(said.contains("the handler returns"), "{}: {said}", case.name);
        assert_eq!(output.status.signal(), Some(SIGABRT), "{}: {}\n{said}", case.name, output.status);
    }
}

#[test]
fn every_case_of_the_errors_program_is_in_the_table() {
    let body = |(file, procedure): (&str, &str)| {
        let source = fs::read_to_string(errors_file(file)).expect(file);
        let (_, rest) = source.split_once(&format!("subroutine {procedure}(name)")).expect("the cases");
        rest.split("end subroutine").next().expect("the cases").to_owned()
    };
    let bodies = ERRORS.map(body).concat();
    let written: BTreeSet<String> = bodies
        .lines()
        .filter_map(|line| line.trim().strip_prefix("case ('"))
        .filter_map(|rest| rest.strip_suffix("')"))
        .map(str::to_owned)
        .collect();
    assert_eq!(written, cases().into_iter().map(|case| case.name).collect());
}
