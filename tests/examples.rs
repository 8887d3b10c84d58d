//! The example programs and the programs of the guide: compiled against the static library as users get it, run at their
//! real sizes, run again in check mode with steps of one page, and compared with what their READMEs and the guide say.
//!
//! `FC` and `CC` name the compilers of those in Fortran (default gfortran and gcc):
//! `FC=flang-new-19 CC=clang-19 cargo test --test examples in_fortran`.

mod common;

use common::{build_release, cc, clean, fc, root, run, scratch, skip};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

#[derive(Clone, Copy, PartialEq)]
enum Language {
    C,
    Fortran,
}

// ---- compiling ---------------------------------------------------------------------------------------

fn link(compiler: &mut Command) {
    compiler.arg(build_release().join("libadtape.a")).args(["-lpthread", "-ldl", "-lm"]);
    run(compiler);
}

/// examples/<name>/<name>.c as a program; a warning is an error.
fn compile_c(name: &str, optimisation: &str) -> PathBuf {
    let program = scratch(&format!("example-{name}-c{optimisation}")).join(name);
    let mut gcc = Command::new("gcc");
    gcc.current_dir(root()).args(["-std=c11", "-g", optimisation, "-Iinclude"]);
    gcc.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror"]);
    gcc.arg(format!("examples/{name}/{name}.c")).arg("-o").arg(&program);
    link(&mut gcc);
    program
}

fn has_fortran() -> bool {
    Command::new(fc()).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// The Fortran compiler with the flags of a user's program.
fn fortran() -> Command {
    let mut compiler = Command::new(fc());
    compiler.current_dir(root()).args(["-O2", "-g"]);
    if fc().contains("gfortran") {
        compiler.args(["-std=f2018", "-Wall"]);
    }
    compiler
}

/// The directory with the Fortran module and the objects and module files of what the examples share.
fn fortran_objects() -> &'static Path {
    static COMPILED: OnceLock<PathBuf> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let directory = scratch("example-fortran-module");
        let mut build = Command::new(root().join("scripts/install/build_fortran.sh"));
        build.args([&root().join("fortran-bindings"), &root().join("include"), &directory]);
        run(build.env("FC", fc()).env("FCFLAGS", "-O2 -g").env("CC", cc()));
        for name in ["example", "blocks"] {
            let mut compiler = fortran();
            compiler.arg("-I").arg(&directory).arg("-J").arg(&directory).arg("-c");
            compiler.arg(format!("examples/common/{name}.f90")).arg("-o").arg(directory.join(format!("{name}.o")));
            run(&mut compiler);
        }
        directory
    })
}

/// examples/<name>/<name>.f90 as a program.
fn compile_fortran(name: &str) -> PathBuf {
    link_fortran(name, "", &[])
}

/// The same with an allocator whose addresses are not what malloc's are: examples/common/allocator.c.
fn compile_fortran_with_allocator(name: &str) -> PathBuf {
    let object = scratch(&format!("example-{name}-allocator")).join("allocator.o");
    let mut compiler = Command::new(cc());
    compiler.current_dir(root()).args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-c"]);
    run(compiler.arg("examples/common/allocator.c").arg("-o").arg(&object));
    let wraps = "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=CFI_allocate,--wrap=CFI_deallocate";
    link_fortran(name, "-allocator", &[object.to_str().expect("a path in UTF-8"), wraps])
}

fn link_fortran(name: &str, variant: &str, more: &[&str]) -> PathBuf {
    let own = scratch(&format!("example-{name}-fortran{variant}"));
    let program = own.join(name);
    let objects = fortran_objects();
    let mut compiler = fortran();
    compiler.arg("-I").arg(objects).arg("-J").arg(&own).arg(format!("examples/{name}/{name}.f90"));
    for object in ["blocks.o", "example.o", "libadtape_fortran.a"] {
        compiler.arg(objects.join(object));
    }
    link(compiler.args(more).arg("-o").arg(&program));
    program
}

/// None, after having said so, where the compiler is missing.
fn compile(name: &str, language: Language) -> Option<PathBuf> {
    match language {
        Language::C => Some(compile_c(name, "-O2")),
        Language::Fortran if has_fortran() => Some(compile_fortran(name)),
        Language::Fortran => {
            skip(&format!("examples/{name}/{name}.f90"), &format!("{} not found", fc()));
            None
        }
    }
}

// ---- running -----------------------------------------------------------------------------------------

fn command(program: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> Command {
    let mut command = clean(program);
    command.args(arguments).envs(settings.iter().copied());
    command
}

/// What a run prints in which all checks passed.
fn checked(program: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> String {
    let Output { stdout, stderr, .. } = run(&mut command(program, arguments, settings));
    let text = String::from_utf8(stdout).expect("the examples print UTF-8");
    assert!(!text.contains("FAILED"), "{text}");
    assert_eq!(text.trim_end().lines().last(), Some("all checks passed"), "{text}");
    assert!(stderr.is_empty(), "{}", String::from_utf8_lossy(&stderr));
    text
}

/// The number behind `label: ` in the first line that has one after the line `section`.
fn number_in(text: &str, section: &str, label: &str) -> f64 {
    let start = text.find(section).unwrap_or_else(|| panic!("no \"{section}\" in\n{text}"));
    let value = text[start..].lines().find_map(|line| line.strip_prefix(label)?.strip_prefix(": "));
    let value = value.unwrap_or_else(|| panic!("no \"{label}\" in\n{text}"));
    let digits = value.trim().split([',', ' ']).next().unwrap_or_default();
    digits.parse().unwrap_or_else(|_| panic!("\"{label}\" is \"{value}\", not a number"))
}
fn number(text: &str, label: &str) -> f64 {
    number_in(text, "", label)
}

/// Compiles an example, runs it at its default size and, smaller, in check mode with steps of one page. The program and
/// what its first run prints, or None if the compiler is missing.
fn example(name: &str, language: Language, small: &[&str]) -> Option<(PathBuf, String)> {
    let program = compile(name, language)?;
    checked(&program, small, &[("ADTAPE_CHECK", "1"), ("ADTAPE_STEP", "4096")]);
    let text = checked(&program, &[], &[]);
    if language == Language::C {
        let readme = format!("examples/{name}/README.md");
        compare_outputs(&readme, &read(&readme), &text);
    }
    Some((program, text))
}

// ---- comparing with the documents --------------------------------------------------------------------

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The fenced blocks of a document in one language.
fn blocks(document: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut current: Option<(bool, String)> = None;
    for line in document.lines() {
        match (line.strip_prefix("```"), &mut current) {
            (Some(tag), None) => current = Some((tag == language, String::new())),
            (Some(_), Some(_)) => blocks.extend(current.take().filter(|(wanted, _)| *wanted).map(|(_, text)| text)),
            (None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

/// Lines whose numbers depend on the machine or on the last bits of the mathematical library.
fn varies(line: &str) -> bool {
    ["seconds", "ratio of times", "error ", "remainder", "tangent", "gradient times"]
        .iter()
        .any(|word| line.contains(word))
}

/// Each line that a document shows as output was printed; of a line that varies, its label.
fn compare_outputs(file: &str, document: &str, output: &str) {
    let shown = blocks(document, "text");
    assert!(!shown.is_empty(), "{file} shows no output");
    for line in shown.iter().flat_map(|block| block.lines()) {
        let label = line.split(':').next().unwrap_or_default();
        let found =
            output.lines().any(|printed| if varies(line) { printed.starts_with(label) } else { printed == line });
        assert!(found, "{file} shows \"{line}\", which is not in\n{output}");
    }
}

/// Lines without their indentation, so that a part of a program can be quoted flush left.
fn flush_left(text: &str) -> String {
    text.lines().map(|line| line.trim().to_owned() + "\n").collect()
}

// ---- the examples ------------------------------------------------------------------------------------

/// The figure's run: 11 iterations push one real and two integers each, 11 branch bits and one counter.
fn tbr_fig1(language: Language) {
    let Some((_, text)) = example("tbr_fig1", language, &["1000"]) else { return };
    assert_eq!(number_in(&text, "-- the figure", "tape bytes"), 179.0);
    assert!(number_in(&text, "-- n = 1000000", "tape bytes") >= 16.0 * 1_000_001.0);
}
#[test]
fn tbr_fig1_in_c_has_the_gradient_of_complex_steps() {
    tbr_fig1(Language::C);
}
#[test]
fn tbr_fig1_in_fortran_has_the_gradient_of_complex_steps() {
    tbr_fig1(Language::Fortran);
}

/// 6 values an iteration with TBR, 9 without.
fn bratu(language: Language) {
    let Some((_, text)) = example("bratu", language, &["100"]) else { return };
    assert_eq!(number(&text, "tape bytes with TBR"), 9998.0 * 48.0 + 4.0);
    assert_eq!(number(&text, "tape bytes without TBR"), 9998.0 * 72.0 + 4.0 + 14.0 * 8.0);
    assert!((number(&text, "ratio of tape bytes") - 2.0 / 3.0).abs() < 1e-3);
}
#[test]
fn bratu_in_c_tapes_two_thirds_with_tbr() {
    bratu(Language::C);
}
#[test]
fn bratu_in_fortran_tapes_two_thirds_with_tbr() {
    bratu(Language::Fortran);
}

/// Table 1 up to 10^6; the paper's 5200000 for 10^4 is a misprint of 520000.
fn cheaper_adjoints(language: Language) {
    let Some((program, text)) = example("cheaper_adjoints", language, &["300"]) else { return };
    let smaller = |steps: &str| checked(&program, &[steps], &[]);
    for (text, steps, size, stored) in [
        (smaller("100"), 1e2, 599.0, 5200.0),
        (smaller("10000"), 1e4, 10_499.0, 520_000.0),
        (text, 1e6, 1_000_499.0, 52_000_000.0),
    ] {
        assert_eq!(number(&text, "size of a (largest index)"), size);
        assert_eq!(number(&text, "Ps integers on the tape"), stored);
        assert_eq!(number(&text, "Pi integers on the tape"), 2.0 * steps);
        assert_eq!(number(&text, "Ps floats on the tape"), 20.0 * steps);
        assert_eq!(number(&text, "Pi floats on the tape"), 20.0 * steps);
    }
}
#[test]
fn cheaper_adjoints_in_c_has_the_counts_of_table_1() {
    cheaper_adjoints(Language::C);
}
#[test]
fn cheaper_adjoints_in_fortran_has_the_counts_of_table_1() {
    cheaper_adjoints(Language::Fortran);
}

/// 37 block ids a member: three bits each instead of a byte, the rest of the tape being the same.
fn control_flow(language: Language) {
    let Some((_, text)) = example("control_flow", language, &["500"]) else { return };
    let blocks = number(&text, "unstructured: blocks run");
    let bytes = number(&text, "unstructured: tape bytes, block ids a byte each");
    let bits = number(&text, "unstructured: tape bytes, block ids in three bits");
    assert_eq!(number(&text, "section 2: tape bytes"), 2.0);
    assert!(((bytes - bits) / blocks - 5.0 / 8.0).abs() < 0.02, "{text}");
    // A counter for each orbit in one byte, a branch id in two bits.
    let control = number(&text, "structured: of them for control flow");
    assert!((control / 100_000.0 - 1.25).abs() < 0.01, "{text}");
}
#[test]
fn control_flow_in_c_reverses_structured_and_unstructured_graphs() {
    control_flow(Language::C);
}
#[test]
fn control_flow_in_fortran_reverses_structured_and_unstructured_graphs() {
    control_flow(Language::Fortran);
}

fn flattening(language: Language) {
    let Some((_, text)) = example("flattening", language, &["20", "30"]) else { return };
    for figure in ["-- Fig. 1", "-- Fig. 2, k = 0", "-- Fig. 2, k = 1"] {
        assert_eq!(number_in(&text, figure, "tape bytes with values"), 8e6);
        assert_eq!(number_in(&text, figure, "tape bytes with partials"), 32e6);
    }
    assert_eq!(number_in(&text, "-- ignition", "tape bytes with values"), 64e6);
    assert_eq!(number_in(&text, "-- ignition", "tape bytes with partials"), 32e6);
}
#[test]
fn flattening_in_c_halves_the_tape_of_a_long_block() {
    flattening(Language::C);
}
#[test]
fn flattening_in_fortran_halves_the_tape_of_a_long_block() {
    flattening(Language::Fortran);
}

/// Where an address of the forward sweep is taken for one of the reverse sweep, a program must not pass under an allocator
/// that gives other ones; where blocks happen to come back to their places it does, so that nothing else is what fails.
fn identity_map_fails(program: &Path, small: &[&str]) {
    checked(program, &[small, &["kind", "identity"]].concat(), &[]);
    for allocator in ["reuse", "fresh"] {
        does_not_pass(program, &[small, &[allocator, "identity"]].concat());
    }
}
/// What it says on standard error.
fn does_not_pass(program: &Path, arguments: &[&str]) -> String {
    // Without a core file: it may well end by a segmentation fault.
    let mut shell = command(Path::new("/bin/sh"), &["-c", "ulimit -c 0; exec \"$0\" \"$@\""], &[]);
    let output = shell.arg(program).args(arguments).output().expect("a shell runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success() && !text.contains("all checks passed"), "{arguments:?}: {text}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A Fortran program with the allocators that blocks.h has in it, and what it prints under `fresh`.
fn passes_under_every_allocator(name: &str, small: &[&str]) -> (PathBuf, String) {
    let program = compile_fortran_with_allocator(name);
    checked(&program, small, &[("EXAMPLE_ALLOCATOR", "reuse")]);
    for allocator in ["reuse", "fresh"] {
        checked(&program, small, &[("EXAMPLE_ALLOCATOR", allocator), ("ADTAPE_CHECK", "1"), ("ADTAPE_STEP", "4096")]);
    }
    let text = checked(&program, small, &[("EXAMPLE_ALLOCATOR", "fresh")]);
    (program, text)
}

/// What such a program says on standard error where addresses of the forward sweep are taken for addresses of now.
fn identity_map_fails_under(allocator: &str, program: &Path, arguments: &[&str]) -> String {
    let (allocator, program) = (format!("EXAMPLE_ALLOCATOR={allocator}"), program.to_str().expect("a path in UTF-8"));
    does_not_pass(Path::new("/usr/bin/env"), &[&[&allocator, program], arguments].concat())
}

#[test]
fn categories_in_c_have_the_gradients_of_finite_differences() {
    let (program, text) = example("categories", Language::C, &["300"]).expect("a C compiler");
    assert_eq!(text.matches("the gradient against finite differences: passed").count(), 6, "{text}");
    assert!(text.contains("both gradients are equal bit for bit: passed\n"), "{text}");
    for allocator in ["fresh", "system"] {
        checked(&program, &[allocator], &[]);
    }
    does_not_pass(&program, &["300", "fresh", "identity"]);
}
#[test]
fn categories_in_fortran_have_the_gradients_of_finite_differences() {
    let Some((_, text)) = example("categories", Language::Fortran, &["300"]) else { return };
    assert_eq!(text.matches("the gradient against finite differences: passed").count(), 6, "{text}");
    passes_under_every_allocator("categories", &["300"]);
}

/// What is freed is given back: the most that is alive is far below what is kept where nothing can be.
fn adaptive_mesh(language: Language) {
    let Some((program, text)) = example("adaptive_mesh", language, &["300", "5"]) else { return };
    let alive = number(&text, "most bytes of cells alive on the heap");
    assert_eq!(number(&text, "cells made"), 1_344_000.0);
    assert!(alive > 80_000.0 * 64.0 && alive < 16e6, "{text}");
    if language == Language::C {
        assert!(number(&text, "most cells alive") > 1e5);
        assert!(number(&text, "most bytes of cells kept over malloc") > 10.0 * alive, "{text}");
        assert!(text.contains("the gradient is that of the heap bit for bit: passed"), "{text}");
        checked(&program, &["300", "5", "system"], &[]);
    } else {
        assert!(text.contains("both gradients are equal bit for bit: passed"), "{text}");
    }
    checked(&program, &["300", "5", "fresh"], &[("ADTAPE_CHECK", "1"), ("ADTAPE_STEP", "4096")]);
    identity_map_fails(&program, &["300", "5"]);
}
#[test]
fn adaptive_mesh_in_c_has_the_same_gradient_on_the_heap_and_over_maps() {
    adaptive_mesh(Language::C);
}
#[test]
fn adaptive_mesh_in_fortran_has_the_same_gradient_on_the_heap_and_over_maps() {
    adaptive_mesh(Language::Fortran);
}

/// Programs with blocks and pointers, under every allocator: `reuse`, which is the default, `fresh`, where no address of the
/// forward sweep is valid in the reverse sweep, in C `system`; they have the same gradient over maps and over the stable
/// heap. The program and what it prints.
fn blocks_and_pointers(name: &str, language: Language, small: &str) -> Option<(PathBuf, String)> {
    let (program, text) = example(name, language, &[small])?;
    for allocator in if language == Language::C { ["fresh", "system"] } else { ["fresh", "reuse"] } {
        checked(&program, &[small, allocator], &[("ADTAPE_CHECK", "1"), ("ADTAPE_STEP", "4096")]);
        checked(&program, &[allocator], &[]);
    }
    assert!(text.contains("-- over the stable heap\n"), "{text}");
    assert!(text.contains("both gradients are equal bit for bit: passed\n"), "{text}");
    identity_map_fails(&program, &[small]);
    Some((program, text))
}
#[test]
fn linked_list_comes_back_node_by_node() {
    blocks_and_pointers("linked_list", Language::C, "500");
}
#[test]
fn linked_list_in_fortran_comes_back_node_by_node() {
    let Some((_, text)) = blocks_and_pointers("linked_list", Language::Fortran, "500") else { return };
    assert_eq!(number(&text, "blocks that came back"), 1e5);
    let (program, text) = passes_under_every_allocator("linked_list", &["500"]);
    assert!(text.contains("pointers waiting in the midst of it: 2, as expected"), "{text}");
    for allocator in ["reuse", "fresh"] {
        identity_map_fails_under(allocator, &program, &["500", "identity"]);
    }
}
#[test]
fn sparse_matrix_shrinks_as_it_grew() {
    blocks_and_pointers("sparse_matrix", Language::C, "300");
}
/// 4 entries doubled to 4096 for 7 in each of 300 rows; to 262144 for 20000.
#[test]
fn sparse_matrix_in_fortran_shrinks_as_it_grew_by_move_alloc() {
    let Some((_, text)) = blocks_and_pointers("sparse_matrix", Language::Fortran, "300") else { return };
    assert_eq!(number(&text, "blocks that came back"), 17.0);
    let (program, text) = passes_under_every_allocator("sparse_matrix", &["300"]);
    assert_eq!(number(&text, "allocatables that came back"), 11.0);
    assert_eq!(number(&text, "allocatables that came back elsewhere"), 11.0);
    for allocator in ["reuse", "fresh"] {
        let message = identity_map_fails_under(allocator, &program, &["300", "identity"]);
        assert!(message.contains("there is no array where the row was"), "{message}");
    }
}
#[test]
fn mesh_of_a_hundred_thousand_blocks_has_the_gradient_of_finite_differences() {
    blocks_and_pointers("mesh", Language::C, "500");
}
#[test]
fn mesh_in_fortran_has_the_gradient_of_finite_differences() {
    blocks_and_pointers("mesh", Language::Fortran, "500");
}
#[test]
fn marching_pointers_come_back_right_as_pairs_only() {
    blocks_and_pointers("marching", Language::C, "200");
}
#[test]
fn marching_pairs_in_fortran_come_back_right_and_a_bare_address_is_reported() {
    let Some((program, _)) = blocks_and_pointers("marching", Language::Fortran, "200") else { return };
    let message = does_not_pass(&program, &["alg2"]);
    assert!(message.contains("24 bytes past the end of `row` (real(8), 12)"), "{message}");
}

/// All memory is on the stack. Frames of a routine that is both sweeps may come back where they were, others do not.
fn recursion(language: Language, ways: usize) {
    let Some((program, text)) = example("recursion", language, &["100"]) else { return };
    assert_eq!(text.matches("the gradient of the separate adjoint, bit for bit: passed\n").count(), ways, "{text}");
    does_not_pass(&program, &["100", "identity"]);
}
#[test]
fn recursion_finds_its_stack_variables_in_other_frames_and_on_another_thread() {
    recursion(Language::C, 2);
}
#[test]
fn recursion_in_fortran_finds_its_local_variables_in_other_frames_and_on_another_thread() {
    recursion(Language::Fortran, 2);
}

/// Cells that are missing lie elsewhere after the restoration, and the section has the same result; without the layouts of
/// the pointers it does not.
#[test]
fn restoration_of_a_list_that_grew_and_shrank_has_the_same_result_bit_for_bit() {
    let (program, text) = example("restoration", Language::C, &["120"]).expect("a C compiler");
    for allocator in ["fresh", "system"] {
        checked(&program, &["120", allocator], &[("ADTAPE_CHECK", "1"), ("ADTAPE_STEP", "4096")]);
        checked(&program, &[allocator], &[]);
    }
    assert!(number(&text, "of them allocated") > 600.0 && number(&text, "of them elsewhere now") > 600.0, "{text}");
    assert_eq!(text.matches("half way and run again: passed\n").count(), 2, "{text}");
    for allocator in ["reuse", "fresh"] {
        does_not_pass(&program, &[allocator, "identity"]);
    }
}

/// The field has other bounds when the checkpoint is restored, the second time with as many cells.
#[test]
fn restoration_of_a_model_in_fortran_has_the_same_result_bit_for_bit() {
    let Some((_, text)) = example("restoration", Language::Fortran, &["40"]) else { return };
    assert!(number_in(&text, "at the end", "cells") > number(&text, "cells"), "{text}");
    assert_eq!(text.matches("run again: passed\n").count(), 2, "{text}");
    let (program, _) = passes_under_every_allocator("restoration", &["125"]);
    for allocator in ["reuse", "fresh"] {
        identity_map_fails_under(allocator, &program, &["125", "identity"]);
    }
}

/// Killed and resumed by tests/restart.rs.
fn long_run(language: Language) {
    let Some((_, text)) = example("long_run", language, &["small"]) else { return };
    assert_eq!(number(&text, "forward runs extra"), 1.98);
}
#[test]
fn long_run_in_c_has_the_gradient_of_differences() {
    long_run(Language::C);
}
#[test]
fn long_run_in_fortran_has_the_gradient_of_differences() {
    long_run(Language::Fortran);
}

// ---- the guide ---------------------------------------------------------------------------------------

const GUIDE: &str = "docs/guide.md";

/// Everything recorded, what TBR asks for, and sections: each is shorter than the one before. Its mistake stops the
/// program, and in check mode both sites are named.
fn guide(language: Language) {
    let Some(program) = compile("guide", language) else { return };
    checked(&program, &["1000"], &[("ADTAPE_CHECK", "1"), ("ADTAPE_STEP", "4096")]);
    let text = checked(&program, &[], &[]);
    let everything = number(&text, "tape bytes if everything is recorded");
    let required = number(&text, "tape bytes of the forward sweep");
    let sections = number(&text, "tape bytes by sections of 300 steps");
    assert!(required < everything / 3.0 && sections < required / 100.0, "{text}");

    mistake(&program, &[]);
    let text = mistake(&program, &[("ADTAPE_CHECK", "1")]);
    let file = if language == Language::C { "guide.c:" } else { "guide.f90:" };
    for site in ["pushed: one control bit at ", "popped: one f64 at "] {
        assert!(text.contains(&format!("{site}{file}")), "{text}");
    }
}
#[test]
fn guide_in_c_passes_its_checks() {
    guide(Language::C);
}
#[test]
fn guide_in_fortran_passes_its_checks() {
    guide(Language::Fortran);
}

/// What the mistake of the guide says on standard error, paths shortened to file names.
fn mistake(program: &Path, settings: &[(&str, &str)]) -> String {
    let output = command(program, &["--mistake"], settings).output().expect("the guide's program runs");
    assert!(!output.status.success(), "a mistake went unnoticed: {output:?}");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.split_inclusive(' ').map(|word| &word[word.rfind('/').map_or(0, |slash| slash + 1)..]).collect()
}
#[test]
fn guide_shows_what_its_program_prints() {
    let program = compile_c("guide", "-O0");
    let mut printed = checked(&program, &[], &[]);
    printed += &mistake(&program, &[("ADTAPE_CHECK", "1")]);
    compare_outputs(GUIDE, &read(GUIDE), &printed);
}
#[test]
fn guide_quotes_its_programs() {
    let guide = read(GUIDE);
    for (language, file) in [("c", "examples/guide/guide.c"), ("fortran", "examples/guide/guide.f90")] {
        let program = flush_left(&read(file));
        let quoted = blocks(&guide, language);
        assert!(quoted.len() >= 5, "{GUIDE} quotes {file} {} times only", quoted.len());
        for block in quoted {
            assert!(program.contains(&flush_left(&block)), "{GUIDE} quotes what is not in {file}:\n{block}");
        }
    }
}
