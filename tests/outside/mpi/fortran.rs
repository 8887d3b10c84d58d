//! The calls from Fortran: `mpi/tests/calls.F90` by `use mpi_f08`, `use mpi` and `mpif.h`, and the page's example.

use super::{
    CHECK, MPIS, Mpi, clean, fortran_module, library, linked, mpis, on_ranks, page_example, passes,
    prints_what_the_page_says, root, run, said, scratch, skip,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The directory with the module `adtape` and its archive, compiled by the compiler that MPI's wrappers call.
fn adtape_module() -> PathBuf {
    fortran_module("gfortran")
}

/// The directory with the module `adtape_mpi` and its archive, built for an MPI as a user builds it.
fn module(mpi: Mpi) -> &'static Path {
    static BUILT: [OnceLock<PathBuf>; 2] = [OnceLock::new(), OnceLock::new()];
    BUILT[usize::from(mpi == MPIS[1])].get_or_init(|| {
        let directory = scratch(&format!("mpi-fortran-{mpi}"));
        let mut build = clean(root().join("mpi/build_fortran.sh"));
        build.arg(&directory).env("MPICC", format!("mpicc.{mpi}")).env("MPIFC", format!("mpifort.{mpi}"));
        run(build.env("CFLAGS", "-O1 -g -Wall -Wextra -Wpedantic -Werror").env("FCFLAGS", "-O1 -g"));
        directory
    })
}

/// Both modules with their archives, into one directory, as the example's rules would build them.
pub fn copy_modules(mpi: Mpi, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for file in [&*adtape_module(), module(mpi)].into_iter().flat_map(|from| fs::read_dir(from).expect("a directory")) {
        let file = file.expect("a file");
        fs::copy(file.path(), to.join(file.file_name())).expect("copied");
    }
}

fn compile(mpi: Mpi, source: &Path, name: &str, flags: &[&str]) -> PathBuf {
    compile_with(mpi, source, name, flags, &[])
}

/// With archives that come before the library's.
pub fn compile_with(mpi: Mpi, source: &Path, name: &str, flags: &[&str], archives: &[&str]) -> PathBuf {
    let directory = scratch(&format!("mpi-{mpi}-fortran-{name}"));
    let (own, theirs, binary) = (module(mpi), adtape_module(), directory.join(name));
    let mut compiler = clean(format!("mpifort.{mpi}"));
    compiler
        .current_dir(&directory)
        .args(["-g", "-O1", "-I"])
        .arg(own)
        .arg("-I")
        .arg(root().join("mpi/tests"))
        .arg("-I")
        .arg(&theirs)
        .args(flags)
        .arg(source);
    compiler.args(archives).arg(own.join("libadtape_mpi_fortran.a")).arg(library(mpi).join("libadtape_mpi.a"));
    compiler.arg(theirs.join("libadtape_fortran.a")).args(linked());
    run(compiler.arg("-o").arg(&binary));
    binary
}

pub fn mpis_with_fortran(test: &str) -> Vec<Mpi> {
    let is_here = |mpi: &Mpi| {
        let here = clean(format!("mpifort.{mpi}")).arg("--version").output().is_ok();
        if !here {
            skip(test, &format!("mpifort.{mpi} not found"));
        }
        here
    };
    mpis(test).into_iter().filter(is_here).collect()
}

/// With all warnings that are not about MPI's own interfaces: those of mpif.h do not agree with each other.
const WARNINGS: [&str; 4] = ["-Wall", "-Werror", "-Wno-unused-dummy-argument", "-Wno-unused-variable"];

#[test]
fn calls_from_fortran_agree_with_what_they_are_by_hand() {
    calls_agree(&["F08", "MPIF"]);
}

/// By what MPI is declared: `mpi_f08`, `mpi`, `mpif.h` with the module `adtape_mpi`, `mpif.h` alone.
fn calls_agree(names: &[&str]) {
    for mpi in mpis_with_fortran("fortran") {
        let source = root().join("mpi/tests/calls.F90");
        for name in names {
            let define = format!("-DWITH_{name}");
            let flags = if *name == "MPIF" { &["-w", "-fallow-argument-mismatch"] } else { &WARNINGS[..] };
            let program = compile(mpi, &source, name, &[&[define.as_str()], flags].concat());
            passes(mpi, 2, &program, &[], if *name == "F08" { CHECK } else { &[] });
        }
    }
}

/// The module `adtape_mpi_run`: checkpoints of all ranks, a driver on all ranks.
#[test]
fn long_run_from_fortran_keeps_its_state_and_has_the_right_gradient() {
    for mpi in mpis_with_fortran("long runs in Fortran") {
        let program = compile(mpi, &root().join("mpi/tests/run.F90"), "run", &WARNINGS);
        for ranks in [1, 2] {
            let files = scratch(&format!("mpi-{mpi}-fortran-files-{ranks}")).display().to_string();
            let said = passes(mpi, ranks, &program, &[&files], &[]);
            assert!(said.contains("all right") && said.contains("bytes on the tape"), "{said}");
        }
    }
}

/// Every call of adtape_mpi_run.h is in the module, and the program calls it.
#[test]
fn every_call_of_long_runs_is_tried_from_fortran() {
    let header = fs::read_to_string(root().join("mpi/include/adtape_mpi_run.h")).expect("the header");
    let program = fs::read_to_string(root().join("mpi/tests/run.F90")).expect("the program");
    let names = header.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| name.starts_with("adtape_mpi_"));
    let is_call = |name: &&str| header.contains(&format!("{name}(")) && !name.ends_with("_t");
    let missing: Vec<_> = names.filter(is_call).filter(|name| !program.contains(&format!("{name}("))).collect();
    assert!(missing.is_empty(), "mpi/tests/run.F90 does not call {missing:?}");
}

/// The header is what the interfaces are made of, and the program calls all of it.
#[test]
fn every_call_is_tried_from_fortran() {
    let header = fs::read_to_string(root().join("mpi/include/adtape_mpi.h")).expect("the header");
    let text = |file| fs::read_to_string(root().join("mpi/tests").join(file)).expect("the program");
    let program = text("calls.F90") + &text("calls_waited.inc") + &text("calls_more.inc");
    let code = header.lines().filter(|line| line.starts_with("int ") || line.starts_with("void "));
    let names = code.filter_map(|line| line.split([' ', '(']).nth(1)).filter(|name| !name.contains("_abi0_"));
    let missing: Vec<_> = names.filter(|name| !program.contains(&format!("call {name}("))).collect();
    assert!(missing.is_empty(), "mpi/tests/calls.F90 does not call {missing:?}");
}

#[test]
fn example_of_the_page_in_fortran_gives_the_right_gradient() {
    for mpi in mpis_with_fortran("example in Fortran") {
        let source = scratch(&format!("mpi-{mpi}-fortran-page")).join("model.f90");
        fs::write(&source, page_example("fortran")).expect("written");
        let program = compile(mpi, &source, "model", &["-std=f2018", "-Wall", "-Wextra", "-Werror"]);
        prints_what_the_page_says(mpi, &program);
    }
}

const WITH_GAPS: &str = "\
program gaps
  use mpi_f08
  use adtape_mpi
  implicit none
  real(8) :: x(2, 3)
  x = 0
  call adtape_MPI_Init()
  call adtape_MPI_Barrier(MPI_COMM_WORLD)
  call adtape_MPI_Bcast(x(1, :), 3, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
end program
";

/// An error in Fortran names the line of Fortran.
#[test]
fn section_with_gaps_is_an_error_that_names_its_line() {
    for mpi in mpis_with_fortran("gaps") {
        let source = scratch(&format!("mpi-{mpi}-fortran-gaps-source")).join("gaps.f90");
        fs::write(&source, WITH_GAPS).expect("written");
        let program = compile(mpi, &source, "gaps", &["-O0"]);
        let output = on_ranks(mpi, 1, &program, &[], &[]);
        let text = said(&output);
        assert!(!output.status.success() && text.contains("rank 0: a section of an array with gaps"), "{text}");
        assert!(text.contains("gaps.f90:9"), "{text}");
        let other =
            WITH_GAPS.replace("x(1, :)", "x").replace("WORLD)\nend", "WORLD)\n  call adtape_MPI_Barrier_b()\nend");
        fs::write(&source, other).expect("written");
        let output = on_ranks(mpi, 1, &compile(mpi, &source, "gaps", &["-O0"]), &[], &[]);
        let text = said(&output);
        assert!(!output.status.success() && text.contains("reverse of MPI_Barrier"), "{text}");
        assert!(text.contains("gaps.f90:10"), "{text}");
    }
}

/// The module knows what a buffer is made of. MPI_REAL8 is another name for what x is.
#[test]
fn datatype_of_another_precision_is_an_error() {
    for mpi in mpis_with_fortran("precision") {
        let source = scratch(&format!("mpi-{mpi}-fortran-precision-source")).join("precision.f90");
        for (datatype, is_right) in [("MPI_REAL8", true), ("MPI_REAL", false), ("MPI_COMPLEX", false)] {
            let program = WITH_GAPS.replace("x(1, :)", "x").replace("MPI_DOUBLE_PRECISION", datatype);
            fs::write(&source, program.replace("\nend", "\n  call adtape_MPI_Bcast_b_at(x)\nend")).expect("written");
            let output = on_ranks(mpi, 1, &compile(mpi, &source, "precision", &["-O0"]), &[], &[]);
            let text = said(&output);
            let found = text.contains("rank 0: a datatype of single precision for a buffer of double precision");
            assert!(output.status.success() == is_right && found != is_right, "{datatype}: {text}");
            assert!(is_right || text.contains("precision.f90:9"), "{text}");
        }
    }
}

/// Run by `make matrix` alone.
mod matrix {
    #[test]
    fn calls_by_the_module_mpi_and_by_both_headers_agree_with_what_they_are_by_hand() {
        super::calls_agree(&["MPI", "MODULE"]);
    }
}
