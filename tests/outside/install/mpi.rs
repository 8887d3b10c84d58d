//! `libadtape_mpi`, installed with an MPI's compiler, and compiled later from the source that is installed.

use super::*;

const MPI_PROGRAM: &str = r#"
#include <adtape.h>
#include <adtape_mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  double x = 1.0, xb = 2.0;
  adtape_MPI_Init(&argc, &argv);
  adtape_MPI_Bcast(&x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  adtape_MPI_Bcast_b_at(&xb);
  if (xb != 2.0) return 1;
  puts("popped what was pushed");
  adtape_MPI_Finalize();
  return 0;
}
"#;

const KIT_PROGRAM: &str = r#"
#include <ampi/ampi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  double x = 1.0, xb = 2.0;
  AMPI_Init_NT(&argc, &argv);
  FW_AMPI_Bcast(&x, 1, AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
  BW_AMPI_Bcast(&xb, 1, AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
  if (xb != 2.0) return 1;
  puts("popped what was pushed");
  AMPI_Finalize_NT();
  return 0;
}
"#;

const PROJECT: &str = "
cmake_minimum_required(VERSION 3.16)
project(check LANGUAGES C Fortran)
find_package(adtape 0.1 REQUIRED COMPONENTS mpi)
foreach(kind mpi mpi_static mpi_kit mpi_kit_static)
  add_executable(c_${kind} check.c)
  target_link_libraries(c_${kind} PRIVATE adtape::${kind})
endforeach()
foreach(kind mpi_fortran mpi_fortran_static)
  add_executable(f_${kind} check.f90)
  target_link_libraries(f_${kind} PRIVATE adtape::${kind})
endforeach()
";

const MPI_PROGRAM_IN_FORTRAN: &str = r#"
program check
  use mpi_f08
  use adtape_mpi
  implicit none
  double precision :: x, xb
  x = 1
  xb = 2
  call adtape_MPI_Init()
  call adtape_MPI_Bcast(x, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
  call adtape_MPI_Bcast_b_at(xb)
  if (xb /= 2) error stop
  print '(a)', 'popped what was pushed'
  call adtape_MPI_Finalize()
end program
"#;

/// The compiler of an MPI that is here.
fn mpicc(test: &str) -> Option<&'static str> {
    let found = ["mpicc.mpich", "mpicc.openmpi"].into_iter().find(|name| Command::new(name).arg("-v").output().is_ok());
    if found.is_none() {
        crate::common::skip(test, "no mpicc.mpich and no mpicc.openmpi");
    }
    found
}

fn says_what_it_should(program: &Path, prefix: &Path) {
    let mut command = Command::new(program);
    command.env("LD_LIBRARY_PATH", prefix.join("lib"));
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    assert_eq!(stdout(&mut command), SAYS);
}

/// Of `make matrix`: a third installation.
mod matrix {
    use super::*;

    #[test]
    fn mpi_program_builds_through_pkg_config_and_cmake() {
        let Some(mpicc) = mpicc("mpi_program_builds_through_pkg_config_and_cmake") else { return };
        let (prefix, directory) = (scratch("install_mpi_prefix"), scratch("install_mpi"));
        let mpifort = mpicc.replace("mpicc", "mpifort");
        let compilers = [format!("MPICC={mpicc}"), format!("MPIFC={mpifort}")];
        make_install(&[&[format!("PREFIX={}", prefix.display())], &compilers[..]].concat());
        for (compiler, std, file, text, package) in [
            (mpicc, "c99", "check.c", MPI_PROGRAM, "adtape-mpi"),
            (mpicc, "c99", "kit.c", KIT_PROGRAM, "adtape-mpi-kit"),
            (&mpifort, "f2018", "check.f90", MPI_PROGRAM_IN_FORTRAN, "adtape-mpi-fortran"),
        ] {
            fs::write(directory.join(file), text).expect("scratch directory is writable");
            for package in [package.to_owned(), format!("{package}-static")] {
                let program = directory.join(&package);
                let mut command = Command::new(compiler);
                command.current_dir(&directory).args([
                    &format!("-std={std}"),
                    "-Wall",
                    "-Wextra",
                    file,
                    "-o",
                    &package,
                ]);
                run(command.args(pkg_config(&prefix, &["--cflags", "--libs", &package])));
                says_what_it_should(&program, &prefix);
            }
        }
        fs::write(directory.join("CMakeLists.txt"), PROJECT).expect("scratch directory is writable");
        let build = directory.join("build");
        let mut configure = Command::new("cmake");
        configure.arg("-S").arg(&directory).arg("-B").arg(&build).arg(format!("-DMPI_C_COMPILER={mpicc}"));
        configure.arg(format!("-DMPI_Fortran_COMPILER={mpifort}"));
        run(configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display())));
        run(Command::new("cmake").arg("--build").arg(&build));
        for kind in ["c_mpi", "c_mpi_static", "c_mpi_kit", "c_mpi_kit_static", "f_mpi_fortran", "f_mpi_fortran_static"]
        {
            says_what_it_should(&build.join(kind), &prefix);
        }
    }

    /// The command that `make install` names where it has no MPICC.
    #[test]
    fn installed_source_of_the_mpi_library_compiles_in_one_command() {
        let Some(mpicc) = mpicc("installed_source_of_the_mpi_library_compiles_in_one_command") else { return };
        let (prefix, directory) = (moved(), scratch("install_mpi_source"));
        let source = directory.join("check.c");
        fs::write(&source, MPI_PROGRAM).expect("scratch directory is writable");
        let mut build = Command::new(prefix.join("share/adtape/mpi/build.sh"));
        run(build.arg(prefix.join("lib")).arg(&directory).env("MPICC", mpicc));
        let program = directory.join("check");
        let mut compiler = Command::new(mpicc);
        compiler.arg("-I").arg(prefix.join("include")).arg(&source).arg(directory.join("libadtape_mpi.a"));
        run(compiler.args(pkg_config(prefix, &["--libs", "adtape-static"])).arg("-o").arg(&program));
        says_what_it_should(&program, prefix);
    }
}
