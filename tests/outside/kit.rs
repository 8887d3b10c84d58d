//! The kit layer: the names of Tapenade's run-time over the tape. Its tests are programs that make the calls as
//! generated adjoints do, linked against the static and the shared library, compiled anew against the headers, and
//! compiled with the source for -flto.

mod addresses;
mod lto;
mod reports;
mod shared;
mod sites;
mod symbols;

use crate::common::{build_release, cc, clean, fc, levels, linked_statically, root, run, scratch, skip, stdout};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

// ---- building ----------------------------------------------------------------------------------------

/// The directory of libadtape_kit.a, libadtape_kit.so.0 and what goes with them, built as `make install` builds them.
fn build_kit() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let directory = scratch("kit-library");
        run(Command::new(root().join("kit/build.sh")).arg(build_release()).arg(&directory));
        directory
    })
}

/// How a test program gets the kit's calls.
#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    /// Separately compiled, static library.
    Static,
    /// Separately compiled, shared library: what -ladtape_kit finds.
    Shared,
    /// Separately compiled, all calls in the shared library, through the linker's table: as programs that are linked
    /// already.
    Table,
    /// Compiled anew against the headers.
    Inline,
    /// Compiled with the source for -flto.
    Lto,
}

fn link(compiler: &mut Command, how: How) {
    let (release, kit) = (build_release(), build_kit());
    if [How::Shared, How::Table].contains(&how) {
        let library = if how == How::Shared { "-ladtape_kit" } else { "-l:libadtape_kit.so.0" };
        compiler.arg("-L").arg(kit).arg("-L").arg(release).args([library, "-ladtape", "-lm"]);
        // Also for what the kit's library needs, not only for what the program does.
        compiler.arg(format!("-Wl,--disable-new-dtags,-rpath,{}:{}", kit.display(), release.display()));
        return;
    }
    if how != How::Lto {
        compiler.arg(kit.join("libadtape_kit.a"));
    }
    compiler.args(linked_statically());
}

fn include(compiler: &mut Command) {
    compiler.arg("-I").arg(root().join("kit/include")).arg("-I").arg(root().join("include"));
}

/// Compiles sources of kit/tests or, with a slash in their name, of the repository, to a program.
fn compile(compiler: &str, sources: &[&str], how: How, flags: &[&str]) -> PathBuf {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let stem = Path::new(sources[0]).file_stem().expect("a file name").to_string_lossy();
    let program = scratch(&format!("kit-{stem}-{}", NUMBER.fetch_add(1, Ordering::Relaxed))).join("program");
    let mut command = Command::new(compiler);
    command.args(["-O2", "-g"]).args(flags);
    for source in sources {
        command.arg(if source.contains('/') { root().join(source) } else { root().join("kit/tests").join(source) });
    }
    match how {
        How::Inline => {
            include(command.arg("-DKIT_INLINE"));
        }
        How::Lto => {
            include(command.arg("-flto=auto").arg(root().join("kit/adtape_kit_lto.c")));
        }
        _ => {}
    }
    command.arg("-o").arg(&program);
    link(&mut command, how);
    run(&mut command);
    program
}

/// The C compiler of a program: for -flto the one whose -flto the Fortran compiler understands.
fn cc_for(how: How) -> String {
    if how == How::Lto { "gcc".to_owned() } else { cc() }
}

fn has(compiler: &str, test: &str) -> bool {
    let there = Command::new(compiler).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !there {
        skip(test, &format!("{compiler} not found"));
    }
    there
}

/// Whether the Fortran compiler and the C compiler behind `gcc` understand each other's -flto.
fn has_gnu_lto(test: &str) -> bool {
    let gnu = has(&fc(), test) && stdout(Command::new(fc()).arg("--version")).starts_with("GNU");
    if !gnu {
        skip(test, &format!("{} is not the GNU compiler", fc()));
    }
    gnu
}

// ---- running -----------------------------------------------------------------------------------------

fn command(program: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> Command {
    let mut command = clean(program);
    command.args(arguments).envs(settings.iter().copied());
    command
}

/// What a run that must succeed and say nothing on standard error prints.
fn passes(program: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> String {
    let Output { stdout, stderr, .. } = run(&mut command(program, arguments, settings));
    assert!(stderr.is_empty(), "{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).expect("text")
}

const CHECK: (&str, &str) = ("ADTAPE_CHECK", "1");
const PROFILE: (&str, &str) = ("ADTAPE_PROFILE", env!("CARGO_TARGET_TMPDIR"));
const PAGES: (&str, &str) = ("ADTAPE_STEP", "4096");
const BY_TYPE: (&str, &str) = ("ADTAPE_KIT_ORDER", "type");

// ---- random programs ---------------------------------------------------------------------------------

fn random_programs(program: &Path, programs: &str) {
    let seed = ["2500", "1"];
    passes(program, &[programs, seed[0], seed[1]], &[]);
    passes(program, &[programs, seed[0], "1001"], &[PAGES]);
    passes(program, &["20", seed[0], "2001"], &[CHECK]);
    passes(program, &["20", seed[0], "3001"], &[PROFILE, PAGES]);
}

fn random_programs_in_c(how: How) {
    let program = compile(&cc(), &["random.c"], how, &["-w"]);
    random_programs(&program, "60");
    passes(&program, &["60", "2500", "4001", "type"], &[BY_TYPE]);
    passes(&program, &["20", "2500", "5001", "type"], &[BY_TYPE, CHECK, PAGES]);
}

#[test]
fn random_programs_in_c_agree_with_the_model() {
    random_programs_in_c(How::Inline);
}

const RANDOM_FORTRAN: [&str; 3] = ["scalars.f90", "arrays.f90", "random.f90"];

fn compile_random_fortran(how: How) -> PathBuf {
    let modules = format!("-J{}", scratch(&format!("kit-random-modules-{how:?}")).display());
    compile(&fc(), &RANDOM_FORTRAN, how, &[&modules])
}

#[test]
fn random_programs_in_fortran_agree_with_the_model() {
    if has(&fc(), "random_programs_in_fortran_agree_with_the_model") {
        random_programs(&compile_random_fortran(How::Static), "50");
    }
}

// ---- edges -------------------------------------------------------------------------------------------

fn edges_hold(how: How) {
    let program = compile(&cc(), &["edges.c"], how, &["-w"]);
    passes(&program, &[], &[]);
    passes(&program, &["type"], &[]);
    passes(&program, &["type"], &[BY_TYPE]);
    passes(&program, &["type"], &[BY_TYPE, CHECK]);
}

fn calls_hold_at_their_edges(how: How) {
    let program = compile(&cc(), &["limits.c"], how, &["-w"]);
    passes(&program, &["errors"], &[]);
    for settings in [&[][..], &[PAGES], &[CHECK], &[BY_TYPE]] {
        passes(&program, &["values"], settings);
    }
}

#[test]
fn edges_of_the_calls_hold() {
    edges_hold(How::Inline);
}

#[test]
fn every_call_holds_at_its_edges() {
    calls_hold_at_their_edges(How::Static);
}

/// Of `make matrix`: ways to link that are not those of `make test`, and what takes long.
mod matrix {
    use super::*;

    #[test]
    fn random_programs_in_c_agree_with_the_model_linked_otherwise() {
        [How::Static, How::Shared, How::Table].into_iter().for_each(random_programs_in_c);
    }

    #[test]
    fn random_programs_without_optimisation_agree_with_the_model() {
        random_programs(&compile(&cc(), &["random.c"], How::Inline, &["-w", "-O0"]), "20");
        random_programs(&compile(&cc(), &["random.c"], How::Inline, &["-w", "-O0", "-DADTAPE_KIT_CALLS"]), "20");
    }

    #[test]
    fn random_programs_in_fortran_agree_with_the_model_linked_otherwise() {
        if has(&fc(), "random_programs_in_fortran_agree_with_the_model_linked_otherwise") {
            random_programs(&compile_random_fortran(How::Shared), "50");
        }
    }

    #[test]
    fn edges_hold_linked_otherwise() {
        [How::Static, How::Shared].into_iter().for_each(edges_hold);
        [How::Inline, How::Shared].into_iter().for_each(calls_hold_at_their_edges);
    }

    #[test]
    fn binomial_checkpointing_and_fixed_points_hold_with_the_shared_library() {
        binomial_holds_in_c(How::Shared);
        if has(&fc(), "binomial_checkpointing_and_fixed_points_hold_with_the_shared_library") {
            binomial_holds_in_fortran(How::Shared);
        }
    }

    /// Takes the 2 GiB of one such array, on the tape; the program's own array is folded into 5 MiB.
    #[test]
    fn arrays_beyond_two_gib_come_back() {
        passes(&compile(&cc(), &["limits.c"], How::Static, &["-w"]), &["large"], &[]);
    }
}

#[test]
fn further_headers_of_the_kit_may_be_included_beside() {
    for flags in [&["-Wall", "-Werror"][..], &["-DBEFORE"], &["-DOF_2020"]] {
        passes(&compile(&cc(), &["headers.c"], How::Inline, flags), &[], &[]);
    }
}

#[test]
fn program_may_keep_its_own_buffers_above_the_stack() {
    for how in [How::Static, How::Shared] {
        let program = compile(&cc(), &["buffers.c"], how, &[]);
        passes(&program, &["200000"], &[]);
        passes(&program, &["50000"], &[PAGES]);
        passes(&program, &["20000"], &[CHECK]);
    }
}

fn binomial_holds_in_c(how: How) {
    passes(&compile(&cc_for(how), &["binomial.c"], how, &[]), &[], &[]);
    passes(&compile(&cc_for(how), &["binomial.c"], how, &["-DREPLACE"]), &["replaced"], &[]);
}

#[test]
fn binomial_checkpointing_takes_the_least_number_of_steps_and_fixed_points_end() {
    binomial_holds_in_c(How::Static);
}

/// The names in Fortran's spelling, called from Fortran. With `REPLACE` the program's own adFixedPoint_notReduced, in
/// Fortran, goes before the kit's.
fn binomial_holds_in_fortran(how: How) {
    let modules = format!("-J{}", scratch(&format!("kit-binomial-module-{how:?}")).display());
    for flags in [&[][..], &["-DREPLACE"]] {
        passes(&compile(&fc(), &["binomial.F90"], how, &[flags, &[&modules]].concat()), &[], &[]);
    }
}

#[test]
fn binomial_checkpointing_and_fixed_points_serve_fortran() {
    if has(&fc(), "binomial_checkpointing_and_fixed_points_serve_fortran") {
        binomial_holds_in_fortran(How::Static);
    }
}
