//! The names of Adjoinable MPI: `mpi/tests/ampi.c` and `ampi.F90`, with `libadtape_mpi_kit.a` as it is installed.

use super::{CHECK, Mpi, clean, fortran, library, linked_statically, mpis, on_ranks, passes, root, run, said, scratch};
use std::path::PathBuf;

fn compile_c(mpi: Mpi) -> PathBuf {
    let binary = scratch(&format!("mpi-{mpi}-ampi")).join("ampi");
    let mut compiler = clean(format!("mpicc.{mpi}"));
    compiler.current_dir(root()).args(["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]);
    compiler.args(["-Impi/kit/include", "-Impi/include", "-Iinclude", "mpi/tests/ampi.c"]);
    compiler.arg(library(mpi).join("libadtape_mpi_kit.a")).arg(library(mpi).join("libadtape_mpi.a"));
    run(compiler.args(linked_statically()).arg("-o").arg(&binary));
    binary
}

#[test]
fn adjoints_by_the_names_of_adjoinable_mpi_are_right() {
    for mpi in mpis("kit") {
        let program = compile_c(mpi);
        for settings in [&[], CHECK] {
            passes(mpi, 2, &program, &[], settings);
        }
        let text = said(&on_ranks(mpi, 1, &program, &["without-turn"], &[]));
        assert!(text.contains("BW_AMPI_Wait of a receive") && text.contains("mpi/tests/ampi.c:"), "{text}");
    }
}

#[test]
fn adjoints_by_its_names_in_fortran_are_right() {
    for mpi in fortran::mpis_with_fortran("kit in Fortran") {
        let (include, kit) = (root().join("mpi/kit/include"), library(mpi).join("libadtape_mpi_kit.a"));
        let [include, kit] = [include, kit].map(|path| path.display().to_string());
        // The kit comes before what it calls: first of the archives.
        let flags = ["-I", &include, "-w", "-fallow-argument-mismatch"];
        let program = fortran::compile_with(mpi, &root().join("mpi/tests/ampi.F90"), "ampi", &flags, &[&kit]);
        passes(mpi, 2, &program, &[], &[]);
    }
}
