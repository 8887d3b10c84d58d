//! The example programs and the programs of the guide: compiled against the static library as users get it, run at their
//! real sizes, run again in check mode with steps of one page, and compared with what their READMEs and the guide say.
//!
//! `FC` and `CC` name the compilers of those in Fortran (default gfortran and gcc):
//! `FC=flang-new-19 CC=clang-19 cargo test -p adtape-outside in_fortran`.

use crate::common::root;
use crate::programs::Language::{self, C, Fortran};
use crate::programs::{Set, checked, command, compile_c, number, number_in};
use std::fs;
use std::path::{Path, PathBuf};

const EXAMPLES: Set = Set { name: "example", modules: &["examples/common/example.f90"] };

/// examples/<name>/<name>, in a language.
fn compile(name: &str, language: Language) -> Option<PathBuf> {
    crate::programs::compile(&EXAMPLES, &format!("examples/{name}/{name}"), language)
}

/// Compiles an example, runs it at its default size and, smaller, in check mode with steps of one page. The program and
/// what its first run prints, or None if the compiler is missing.
fn example(name: &str, language: Language, small: &[&str]) -> Option<(PathBuf, String)> {
    let program = compile(name, language)?;
    checked(&program, small, &CHECK_IN_PAGES);
    let text = default_run(name, language, &program);
    Some((program, text))
}

const CHECK_IN_PAGES: [(&str, &str); 2] = [("ADTAPE_CHECK", "1"), ("ADTAPE_STEP", "4096")];

/// What an example prints at its default size: what its README shows.
fn default_run(name: &str, language: Language, program: &Path) -> String {
    let text = checked(program, &[], &[]);
    if language == C {
        let readme = format!("examples/{name}/README.md");
        compare_outputs(&readme, &read(&readme), &text);
    }
    text
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
    tbr_fig1(C);
}
#[test]
fn tbr_fig1_in_fortran_has_the_gradient_of_complex_steps() {
    tbr_fig1(Fortran);
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
    bratu(C);
}
#[test]
fn bratu_in_fortran_tapes_two_thirds_with_tbr() {
    bratu(Fortran);
}

/// Table 1, its 10^6 in `make matrix`; the paper's 5200000 for 10^4 is a misprint of 520000.
fn counts_are_those_of_table_1(text: &str, steps: f64, size: f64, stored: f64) {
    assert_eq!(number(text, "size of a (largest index)"), size);
    assert_eq!(number(text, "Ps integers on the tape"), stored);
    assert_eq!(number(text, "Pi integers on the tape"), 2.0 * steps);
    assert_eq!(number(text, "Ps floats on the tape"), 20.0 * steps);
    assert_eq!(number(text, "Pi floats on the tape"), 20.0 * steps);
}
fn cheaper_adjoints(language: Language) {
    let Some(program) = compile("cheaper_adjoints", language) else { return };
    checked(&program, &["300"], &CHECK_IN_PAGES);
    for (steps, size, stored) in [("100", 599.0, 5200.0), ("10000", 10_499.0, 520_000.0)] {
        let text = checked(&program, &[steps], &[]);
        counts_are_those_of_table_1(&text, steps.parse().expect("a number"), size, stored);
    }
}
#[test]
fn cheaper_adjoints_in_c_has_the_counts_of_table_1() {
    cheaper_adjoints(C);
}
#[test]
fn cheaper_adjoints_in_fortran_has_the_counts_of_table_1() {
    cheaper_adjoints(Fortran);
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
    control_flow(C);
}
#[test]
fn control_flow_in_fortran_reverses_structured_and_unstructured_graphs() {
    control_flow(Fortran);
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
    flattening(C);
}
#[test]
fn flattening_in_fortran_halves_the_tape_of_a_long_block() {
    flattening(Fortran);
}

/// A program with pointers; its gradient is checked against finite differences, and nothing is left alive.
fn pointers(name: &str, language: Language, small: &[&str]) -> Option<String> {
    let (_, text) = example(name, language, small)?;
    for label in ["bytes on the tape after the adjoint", "ranges left alive", "pointers left waiting"] {
        assert!(text.contains(&format!("{label}: 0, as expected\n")), "{text}");
    }
    Some(text)
}
#[test]
fn linked_list_in_c_comes_back_node_by_node() {
    pointers("linked_list", C, &["500"]);
}
#[test]
fn linked_list_in_fortran_comes_back_node_by_node() {
    pointers("linked_list", Fortran, &["500"]);
}
#[test]
fn sparse_matrix_in_c_shrinks_as_it_grew_by_realloc() {
    pointers("sparse_matrix", C, &["300"]);
}
#[test]
fn sparse_matrix_in_fortran_shrinks_as_it_grew_by_move_alloc() {
    pointers("sparse_matrix", Fortran, &["300"]);
}
#[test]
fn marching_pairs_in_c_come_back_right() {
    pointers("marching", C, &["200"]);
}
#[test]
fn marching_pairs_in_fortran_come_back_right() {
    pointers("marching", Fortran, &["200"]);
}
#[test]
fn recursion_in_c_finds_its_stack_variables_in_other_frames() {
    pointers("recursion", C, &["100"]);
}
#[test]
fn recursion_in_fortran_finds_its_local_variables_in_other_frames() {
    pointers("recursion", Fortran, &["100"]);
}
/// Cells that are missing lie elsewhere after the restoration, and the section has the same result.
#[test]
fn restoration_of_a_list_that_grew_and_shrank_has_the_same_result_bit_for_bit() {
    let (_, text) = example("restoration", C, &["120"]).expect("a C compiler");
    assert!(number(&text, "of them allocated") > 600.0, "{text}");
    assert_eq!(text.matches("half way and run again: passed\n").count(), 1, "{text}");
}
/// The field has other bounds when the checkpoint is restored, the second time with as many cells.
#[test]
fn restoration_of_a_model_in_fortran_has_the_same_result_bit_for_bit() {
    let Some((_, text)) = example("restoration", Fortran, &["40"]) else { return };
    assert!(number_in(&text, "at the end", "cells") > number(&text, "cells"), "{text}");
    assert_eq!(text.matches("run again: passed\n").count(), 2, "{text}");
}

/// Killed and resumed by tests/outside/restart.rs.
fn long_run(language: Language) {
    let Some((_, text)) = example("long_run", language, &["small"]) else { return };
    assert_eq!(number(&text, "forward runs extra"), 1.98);
    assert!(text.contains("adtape: derivative test by complex step: passed\n"), "{text}");
}
#[test]
fn long_run_in_c_has_the_gradient_of_a_complex_step() {
    long_run(C);
}
#[test]
fn long_run_in_fortran_has_the_gradient_of_a_complex_step() {
    long_run(Fortran);
}

// ---- the guide ---------------------------------------------------------------------------------------

const GUIDE: &str = "docs/guide.md";

/// Everything recorded, what TBR asks for, and sections: each is shorter than the one before. Its mistake stops the
/// program, and in check mode both sites are named.
fn guide(language: Language) {
    let Some(program) = compile("guide", language) else { return };
    checked(&program, &["1000"], &CHECK_IN_PAGES);
    let text = checked(&program, &[], &[]);
    let everything = number(&text, "tape bytes if everything is recorded");
    let required = number(&text, "tape bytes of the forward sweep");
    let sections = number(&text, "tape bytes by sections of 300 steps");
    assert!(required < everything / 3.0 && sections < required / 100.0, "{text}");

    mistake(&program, &[]);
    let text = mistake(&program, &[("ADTAPE_CHECK", "1")]);
    let file = if language == C { "guide.c:" } else { "guide.f90:" };
    for site in ["pushed: one control bit at ", "popped: one f64 at "] {
        assert!(text.contains(&format!("{site}{file}")), "{text}");
    }
}
#[test]
fn guide_in_c_passes_its_checks() {
    guide(C);
}
#[test]
fn guide_in_fortran_passes_its_checks() {
    guide(Fortran);
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
    let program = compile_c(&EXAMPLES, "examples/guide/guide.c", "-O0");
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

/// Of `make matrix`: a run of ten seconds.
mod matrix {
    use super::*;

    /// What is freed is given back: of 1.3 million cells at most 121 thousand are alive.
    #[test]
    fn adaptive_mesh_in_c_gives_back_what_it_frees() {
        let text = pointers("adaptive_mesh", C, &["300", "5"]).expect("a C compiler");
        assert!(number(&text, "most bytes of cells alive") < 16e6, "{text}");
    }

    fn cheaper_adjoints(language: Language) {
        let (name, own) = ("cheaper_adjoints", Set { name: "long-example", ..EXAMPLES });
        let Some(program) = crate::programs::compile(&own, &format!("examples/{name}/{name}"), language) else {
            return;
        };
        counts_are_those_of_table_1(&default_run(name, language, &program), 1e6, 1_000_499.0, 52_000_000.0);
    }
    #[test]
    fn cheaper_adjoints_in_c_has_the_last_counts_of_table_1() {
        cheaper_adjoints(C);
    }
    #[test]
    fn cheaper_adjoints_in_fortran_has_the_last_counts_of_table_1() {
        cheaper_adjoints(Fortran);
    }

    #[test]
    fn adaptive_mesh_in_fortran_gives_back_what_it_frees() {
        let Some(text) = pointers("adaptive_mesh", Fortran, &["300", "5"]) else { return };
        assert_eq!(number(&text, "cells made"), 1_344_000.0);
        assert!(number(&text, "most bytes of cells alive") < 16e6, "{text}");
    }
}
