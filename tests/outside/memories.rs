//! Programs with blocks and pointers over different memory: the maps of addresses with malloc and free, the stable heap, and
//! an identity map, which is wrong and has to fail; under allocators that move every block. tests/memories/README.md says
//! what each is. They are compiled and run as the examples are.

use crate::common::{cc, root, run, scratch};
use crate::programs::{Language, Set, checked, compile, does_not_pass, link_fortran, number, number_in};
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAMS: Set = Set { name: "memories", modules: &["examples/common/example.f90", "tests/memories/blocks.f90"] };

/// Compiles a program, runs it at its default size and, smaller, in check mode with steps of one page. The program and what
/// its first run prints, or None if the compiler is missing.
fn program(name: &str, language: Language, small: &[&str]) -> Option<(PathBuf, String)> {
    let program = compile(&PROGRAMS, &format!("tests/memories/{name}"), language)?;
    checked(&program, small, &[("ADTAPE_CHECK", "1"), ("ADTAPE_STEP", "4096")]);
    let text = checked(&program, &[], &[]);
    Some((program, text))
}

/// With an allocator whose addresses are not what malloc's are: tests/memories/allocator.c.
fn compile_fortran_with_allocator(name: &str) -> PathBuf {
    let object = scratch(&format!("memories-{name}-allocator")).join("allocator.o");
    let mut compiler = Command::new(cc());
    compiler.current_dir(root()).args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-c"]);
    run(compiler.arg("tests/memories/allocator.c").arg("-o").arg(&object));
    let wraps = "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=CFI_allocate,--wrap=CFI_deallocate";
    let source = format!("tests/memories/{name}.f90");
    link_fortran(&PROGRAMS, &source, "-allocator", &[object.to_str().expect("a path in UTF-8"), wraps])
}

/// Where an address of the forward sweep is taken for one of the reverse sweep, a program must not pass under an allocator
/// that gives other ones; where blocks happen to come back to their places it does, so that nothing else is what fails.
fn identity_map_fails(program: &Path, small: &[&str]) {
    checked(program, &[small, &["kind", "identity"]].concat(), &[]);
    for allocator in ["reuse", "fresh"] {
        does_not_pass(program, &[small, &[allocator, "identity"]].concat());
    }
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
    let (program, text) = program("categories", Language::C, &["300"]).expect("a C compiler");
    assert_eq!(text.matches("the gradient against finite differences: passed").count(), 6, "{text}");
    assert!(text.contains("both gradients are equal bit for bit: passed\n"), "{text}");
    for allocator in ["fresh", "system"] {
        checked(&program, &[allocator], &[]);
    }
    does_not_pass(&program, &["300", "fresh", "identity"]);
}
#[test]
fn categories_in_fortran_have_the_gradients_of_finite_differences() {
    let Some((_, text)) = program("categories", Language::Fortran, &["300"]) else { return };
    assert_eq!(text.matches("the gradient against finite differences: passed").count(), 6, "{text}");
    passes_under_every_allocator("categories", &["300"]);
}

/// What is freed is given back: the most that is alive is far below what is kept where nothing can be.
fn adaptive_mesh(language: Language) {
    let Some((program, text)) = program("adaptive_mesh", language, &["300", "5"]) else { return };
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
/// Programs with blocks and pointers, under every allocator: `reuse`, which is the default, `fresh`, where no address of the
/// forward sweep is valid in the reverse sweep, in C `system`; they have the same gradient over maps and over the stable
/// heap. The program and what it prints.
fn blocks_and_pointers(name: &str, language: Language, small: &str) -> Option<(PathBuf, String)> {
    let (program, text) = program(name, language, &[small])?;
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
    let Some((program, text)) = program("recursion", language, &["100"]) else { return };
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
    let (program, text) = program("restoration", Language::C, &["120"]).expect("a C compiler");
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
    let Some((_, text)) = program("restoration", Language::Fortran, &["40"]) else { return };
    assert!(number_in(&text, "at the end", "cells") > number(&text, "cells"), "{text}");
    assert_eq!(text.matches("run again: passed\n").count(), 2, "{text}");
    let (program, _) = passes_under_every_allocator("restoration", &["125"]);
    for allocator in ["reuse", "fresh"] {
        identity_map_fails_under(allocator, &program, &["125", "identity"]);
    }
}

/// Run by `make matrix` alone.
mod matrix {
    use super::*;

    #[test]
    fn adaptive_mesh_in_fortran_has_the_same_gradient_on_the_heap_and_over_maps() {
        adaptive_mesh(Language::Fortran);
    }

    #[test]
    fn adaptive_mesh_in_c_has_the_same_gradient_on_the_heap_and_over_maps() {
        adaptive_mesh(Language::C);
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
    fn mesh_of_a_hundred_thousand_blocks_has_the_gradient_of_finite_differences() {
        blocks_and_pointers("mesh", Language::C, "500");
    }
}
