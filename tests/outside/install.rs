//! `make install` into an empty prefix: the files that are there, and programs in C and Fortran built against them
//! through pkg-config and through CMake, where they were installed and where the tree was moved to.
//!
//! `FC` names the Fortran compiler (default gfortran).

mod kit;
mod mpi;

use crate::common::{build_release, fc, files_below, root, run, scratch, stdout};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const C_PROGRAM: &str = r#"
#include <adtape.h>
#include <stdio.h>
int main(void) {
  adtape_t *t = adtape_self();
  double x = 0.0, a[3] = {0.0, 0.0, 0.0};
  const double b[3] = {1.0, 2.0, 3.0};
  adtape_push_f64(t, 42.5);
  adtape_push_array_f64(t, b, 3);
  adtape_pop_array_f64(t, a, 3);
  adtape_pop_f64(t, &x);
  if (x != 42.5 || a[0] != 1.0 || a[2] != 3.0) return 1;
  puts("popped what was pushed");
  return 0;
}
"#;

const FORTRAN_PROGRAM: &str = "
program check
  use, intrinsic :: iso_fortran_env, only: real64
  use adtape
  implicit none
  real(real64) :: x, a(3, 2), b(3, 2)
  x = 42.5_real64
  b = reshape([1, 2, 3, 4, 5, 6], [3, 2])
  call push(x)
  call push(b(1:3:2, :))
  x = 0
  a = 0
  call pop(a(1:3:2, :))
  call pop(x)
  if (x /= 42.5_real64 .or. any(a(1:3:2, :) /= b(1:3:2, :)) .or. any(a(2, :) /= 0)) error stop 'popped something else'
  print '(a)', 'popped what was pushed'
end program
";

const SAYS: &str = "popped what was pushed";

const CMAKE_PROJECT: &str = "
cmake_minimum_required(VERSION 3.16)
project(check LANGUAGES C Fortran)
find_package(adtape 0.1 REQUIRED COMPONENTS fortran)
foreach(kind adtape static)
  add_executable(c_${kind} check.c)
  target_link_libraries(c_${kind} PRIVATE adtape::${kind})
endforeach()
foreach(kind kit kit_static)
  add_executable(c_${kind} kit.c)
  target_link_libraries(c_${kind} PRIVATE adtape::${kind})
endforeach()
foreach(kind kit_admm2020 kit_admm2020_static)
  add_executable(c_${kind} admm2020.c)
  target_link_libraries(c_${kind} PRIVATE adtape::${kind})
endforeach()
set(kinds fortran fortran_static)
if(CMAKE_Fortran_COMPILER_ID STREQUAL GNU)
  list(APPEND kinds fortran_lto fortran_lto_static)
endif()
foreach(kind IN LISTS kinds)
  add_executable(f_${kind} check.f90)
  target_link_libraries(f_${kind} PRIVATE adtape::${kind})
endforeach()
";

/// Runs `make install` with these variables, on what build_release() has built.
fn make_install(variables: &[String]) {
    let target = build_release().parent().expect("a target directory");
    // The command takes minutes to build; where it goes is seen with anything in its place.
    static STAND_IN: OnceLock<PathBuf> = OnceLock::new();
    let stand_in = STAND_IN.get_or_init(|| {
        let path = scratch("install_command").join("adtape");
        fs::write(&path, "#!/bin/sh\necho stand-in\n").expect("write a stand-in");
        path
    });
    run(Command::new("make")
        .current_dir(root())
        .arg("install")
        .args(variables)
        .env("COMMAND", stand_in)
        .env("CARGO_TARGET_DIR", target)
        // Variables of the make that runs these tests, if one does.
        .env_remove("MAKEFLAGS")
        .env_remove("MAKELEVEL")
        .env_remove("MPICC"));
}

/// A tree that lies where it was installed.
fn installed() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let prefix = scratch("install_prefix");
        make_install(&[format!("PREFIX={}", prefix.display())]);
        prefix
    })
}

/// A tree that lies elsewhere: staged under DESTDIR for a prefix that does not exist.
fn moved() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let stage = scratch("install_stage");
        make_install(&["PREFIX=/opt/adtape-not-there".to_owned(), format!("DESTDIR={}", stage.display())]);
        assert!(!Path::new("/opt/adtape-not-there").exists(), "DESTDIR is heeded");
        stage.join("opt/adtape-not-there")
    })
}

/// All files and links below a directory, relative to it, sorted.
fn files(directory: &Path) -> Vec<String> {
    let relative = |path: PathBuf| path.strip_prefix(directory).expect("below the top").display().to_string();
    let mut found: Vec<String> = files_below(directory, |_| true).into_iter().map(relative).collect();
    found.sort();
    found
}

fn pkg_config(prefix: &Path, arguments: &[&str]) -> Vec<String> {
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")).args(arguments);
    stdout(&mut command).split_whitespace().map(str::to_owned).collect()
}

/// Compiles one source with what pkg-config says of a package, runs it, and checks what it says.
fn build_and_run(prefix: &Path, compiler: &[&str], file: &str, text: &str, package: &str) -> PathBuf {
    let tree = if prefix == moved() { "moved" } else { "installed" };
    let directory = scratch(&format!("install_{package}_{tree}_{}", compiler.join("")));
    let (source, program) = (directory.join(file), directory.join("check"));
    fs::write(&source, text).expect("scratch directory is writable");
    let mut command = Command::new(compiler[0]);
    command.args(&compiler[1..]).arg(&source).arg("-o").arg(&program);
    run(command.args(pkg_config(prefix, &["--cflags", "--libs", package])));
    let said = stdout(Command::new(&program).env("LD_LIBRARY_PATH", prefix.join("lib")));
    assert_eq!(said, SAYS);
    program
}

/// Of adtape's shared libraries, any: a linker drops those that the program itself does not call.
fn needs_shared_adtape(program: &Path) -> bool {
    let text = stdout(Command::new("objdump").arg("-p").arg(program));
    text.lines().any(|line| line.contains("NEEDED") && line.contains("libadtape"))
}

fn holds_the_files_listed(prefix: &Path) {
    let compiler = stdout(Command::new(root().join("scripts/install/build_fortran.sh")).arg("--name"));
    let mut expected: Vec<String> = [
        "bin/adtape",
        "include/adtape.h",
        "include/adtape_mpi.h",
        "include/adtape_mpi_run.h",
        "include/adtape_mpi_test.h",
        "lib/cmake/adtape/adtapeAdjoint.cmake",
        "lib/cmake/adtape/adtapeConfig.cmake",
        "lib/cmake/adtape/adtapeConfigVersion.cmake",
        "lib/libadtape.a",
        "lib/libadtape.so",
        "lib/libadtape.so.0",
        concat!("lib/libadtape.so.", env!("CARGO_PKG_VERSION")),
        "lib/libadtape_kit.a",
        "lib/libadtape_kit.so",
        "lib/libadtape_kit.so.0",
        concat!("lib/libadtape_kit.so.", env!("CARGO_PKG_VERSION")),
        "lib/libadtape_kit_calls.a",
        "lib/libadtape_kit_admm2020.a",
        "lib/libadtape_kit_admm2020.so",
        "lib/libadtape_kit_admm2020.so.0",
        concat!("lib/libadtape_kit_admm2020.so.", env!("CARGO_PKG_VERSION")),
        "lib/pkgconfig/adtape-fortran-lto-static.pc",
        "lib/pkgconfig/adtape-fortran-lto.pc",
        "lib/pkgconfig/adtape-fortran-static.pc",
        "lib/pkgconfig/adtape-fortran.pc",
        "lib/pkgconfig/adtape-kit-admm2020-static.pc",
        "lib/pkgconfig/adtape-kit-admm2020.pc",
        "lib/pkgconfig/adtape-kit-static.pc",
        "lib/pkgconfig/adtape-kit.pc",
        "lib/pkgconfig/adtape-static.pc",
        "lib/pkgconfig/adtape.pc",
        "share/adtape/installed.txt",
        "share/adtape/fortran/adtape.F90",
        "share/adtape/fortran/adtape_glue.c",
        "share/adtape/fortran/adtape_inlined.c",
        "share/adtape/fortran/build_fortran.sh",
        "share/adtape/kit/admm_tapenade_interface.f90",
        "share/adtape/kit/adtape_kit.c",
        "share/adtape/kit/adtape_kit_admm2020.c",
        "share/adtape/kit/adtape_kit_calls.c",
        "share/adtape/kit/adtape_kit_lto.c",
        "share/adtape/mpi/adtape_mpi.c",
        "include/adtape/fftw/fftw3.h",
        "include/adtape/kit/ampi/ampi.h",
        "include/adtape/kit/ampi/ampif.h",
        "share/adtape/mpi/build.sh",
        "share/adtape/mpi/build_fortran.sh",
        "share/doc/adtape/LICENSE-APACHE",
        "share/doc/adtape/LICENSE-MIT",
    ]
    .map(str::to_owned)
    .to_vec();
    let tops = |directory: &str, suffix: &str| {
        files(&root().join(directory))
            .into_iter()
            .filter(|file| !file.contains('/') && file.ends_with(suffix))
            .collect()
    };
    let headers: Vec<String> = tops("include/adtape", ".h");
    assert!(headers.iter().any(|file| file == "inline.h"), "{headers:?}");
    expected.extend(headers.iter().map(|file| format!("include/adtape/{file}")));
    expected.extend(files(&root().join("kit/include")).iter().map(|file| format!("include/adtape/kit/{file}")));
    expected.extend(files(&root().join("kit/src")).iter().map(|file| format!("share/adtape/kit/src/{file}")));
    for folder in ["fortran", "kit"] {
        let sources = files(&root().join("mpi").join(folder));
        expected.extend(sources.iter().map(|file| format!("share/adtape/mpi/{folder}/{file}")));
    }
    expected.extend(files(&root().join("mpi/src")).iter().map(|file| format!("share/adtape/mpi/src/{file}")));
    let pages: Vec<String> = tops("command/man", ".1");
    assert!(pages.iter().any(|page| page == "adtape-report.1"), "{pages:?}");
    expected.extend(pages.iter().map(|page| format!("share/man/man1/{page}")));
    for folder in ["", "generated/", "glue/"] {
        let included: Vec<String> = tops(&format!("fortran-bindings/{folder}"), ".inc");
        assert!(!included.is_empty(), "fortran-bindings/{folder}");
        expected.extend(included.iter().map(|file| format!("share/adtape/fortran/{folder}{file}")));
    }
    for file in ["adtape.mod", "libadtape_fortran.a", "adtape_derived.inc", "adtape_polymorphic.inc"] {
        expected.push(format!("lib/adtape/fortran/{compiler}/{file}"));
    }
    expected.sort();
    assert_eq!(files(prefix), expected, "{}", prefix.display());
    assert_eq!(fs::read_link(prefix.join("lib/libadtape.so")).expect("a link"), Path::new("libadtape.so.0"));
}

#[test]
fn installation_holds_the_files_listed_and_no_more() {
    holds_the_files_listed(moved());
}

#[test]
fn installed_text_files_name_no_place() {
    for file in files(moved()).iter().filter(|file| file.ends_with(".pc") || file.ends_with(".cmake")) {
        let text = fs::read_to_string(moved().join(file)).expect("a text file");
        assert!(!text.contains("not-there") && !text.contains('@'), "{file}:\n{text}");
    }
}

fn c_program_builds(prefix: &Path) {
    let warnings = ["cc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"];
    let shared = build_and_run(prefix, &warnings, "check.c", C_PROGRAM, "adtape");
    assert!(needs_shared_adtape(&shared));
    let alone = build_and_run(prefix, &warnings, "check.c", C_PROGRAM, "adtape-static");
    assert!(!needs_shared_adtape(&alone));
}

#[test]
fn c_program_builds_through_pkg_config() {
    c_program_builds(moved());
}

#[test]
fn wholly_static_c_program_builds_through_pkg_config() {
    build_and_run(moved(), &["cc", "-static"], "check.c", C_PROGRAM, "adtape-static");
}

/// With the shared library's package, whose private libraries a static one needs.
#[test]
fn pkg_config_static_names_what_a_static_program_needs() {
    let directory = scratch("install_pkg_config_static");
    fs::write(directory.join("check.c"), C_PROGRAM).expect("scratch directory is writable");
    let libraries = pkg_config(moved(), &["--static", "--cflags", "--libs", "adtape"]);
    assert!(libraries.contains(&"-ldl".to_owned()), "{libraries:?}");
    let mut cc = Command::new("cc");
    run(cc.current_dir(&directory).args(["-static", "check.c", "-o", "check"]).args(&libraries));
    assert_eq!(stdout(&mut Command::new(directory.join("check"))), SAYS);
}

/// Copies a tree to its place `top` and has `make uninstall` with these variables remove it: what somebody else put there stays.
fn uninstalls(variables: &[String], from: &Path, top: &Path) {
    // Other tests build against the trees themselves.
    fs::create_dir_all(top).expect("scratch directory is writable");
    run(Command::new("cp").arg("-a").arg(from.join(".")).arg(top));
    fs::write(top.join("include/other.h"), "").expect("a file of somebody else");
    let uninstall = || {
        let mut make = Command::new("make");
        make.current_dir(root()).arg("uninstall").args(variables).env_remove("MAKEFLAGS").env_remove("MAKELEVEL");
        make
    };
    run(&mut uninstall());
    assert_eq!(files(top), ["include/other.h"]);
    assert!(["bin", "lib", "share"].iter().all(|folder| !top.join(folder).exists()));
    let again = uninstall().output().expect("make");
    let said = String::from_utf8_lossy(&again.stderr);
    assert!(!again.status.success() && said.contains("nothing is installed under"), "{said}");
}

#[test]
fn uninstall_removes_what_install_put_there_and_nothing_else() {
    let stage = scratch("uninstall_stage");
    let variables = ["PREFIX=/opt/adtape-not-there".to_owned(), format!("DESTDIR={}", stage.display())];
    uninstalls(&variables, moved(), &stage.join("opt/adtape-not-there"));
}

/// Whether no push of a double is left as a call.
fn inlines(program: &Path) -> bool {
    let code = stdout(Command::new("objdump").arg("-d").arg(program));
    !code.lines().any(|line| line.contains("call") && line.contains("adtape_fortran_self_push_f64"))
}

fn fortran_program_builds(prefix: &Path) {
    let shared = build_and_run(prefix, &[&fc()], "check.f90", FORTRAN_PROGRAM, "adtape-fortran");
    assert!(needs_shared_adtape(&shared));
    let alone = build_and_run(prefix, &[&fc()], "check.f90", FORTRAN_PROGRAM, "adtape-fortran-static");
    assert!(!needs_shared_adtape(&alone));
    if stdout(Command::new(fc()).arg("--version")).starts_with("GNU") {
        for package in ["adtape-fortran-lto", "adtape-fortran-lto-static"] {
            let flags = [&fc(), "-O2", "-march=native"];
            assert!(inlines(&build_and_run(prefix, &flags, "check.f90", FORTRAN_PROGRAM, package)), "{package}");
        }
        assert!(!inlines(&alone), "the test's own check");
    }
}

#[test]
fn fortran_program_builds_through_pkg_config() {
    fortran_program_builds(moved());
}

/// Configures and builds a CMake project of C and Fortran programs over each target; runs them all.
fn build_and_run_with_cmake(prefix: &Path, name: &str) -> String {
    let directory = scratch(name);
    let files = [
        ("CMakeLists.txt", CMAKE_PROJECT),
        ("check.c", C_PROGRAM),
        ("check.f90", FORTRAN_PROGRAM),
        ("kit.c", kit::C_PROGRAM),
        ("admm2020.c", kit::ADMM2020_PROGRAM),
    ];
    for (file, text) in files {
        fs::write(directory.join(file), text).expect("scratch directory is writable");
    }
    let build = directory.join("build");
    let mut configure = Command::new("cmake");
    configure.arg("-S").arg(&directory).arg("-B").arg(&build).arg(format!("-DCMAKE_Fortran_COMPILER={}", fc()));
    configure.arg("-DCMAKE_BUILD_TYPE=Release");
    let log = stdout(configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display())));
    run(Command::new("cmake").arg("--build").arg(&build));
    let static_or_shared = |name: &str| [name.to_owned(), format!("{name}_static")];
    let mut programs = vec!["c_adtape".to_owned(), "c_static".to_owned()];
    programs.extend(["c_kit", "c_kit_admm2020", "f_fortran"].into_iter().flat_map(static_or_shared));
    if stdout(Command::new(fc()).arg("--version")).starts_with("GNU") {
        programs.extend(static_or_shared("f_fortran_lto"));
        assert!(inlines(&build.join("f_fortran_lto_static")) && !inlines(&build.join("f_fortran_static")));
    }
    for program in programs {
        assert_eq!(stdout(&mut Command::new(build.join(&program))), SAYS, "{program}");
        assert_eq!(needs_shared_adtape(&build.join(&program)), !program.contains("static"), "{program}");
    }
    log
}

#[test]
fn programs_build_through_cmake() {
    build_and_run_with_cmake(moved(), "install_cmake_moved");
}

/// Of `make matrix`: the tree that lies where it was installed, and what compiles the module once more.
mod matrix {
    use super::*;

    #[test]
    fn cxx_program_builds_through_pkg_config() {
        build_and_run(moved(), &["c++", "-std=c++17", "-Wall", "-Werror"], "check.cpp", C_PROGRAM, "adtape");
    }

    #[test]
    fn programs_build_where_the_library_was_installed() {
        let prefix = installed();
        holds_the_files_listed(prefix);
        c_program_builds(prefix);
        fortran_program_builds(prefix);
        kit::programs_build_through_pkg_config(prefix);
        kit::program_as_of_2020_builds(prefix);
        build_and_run_with_cmake(prefix, "install_cmake_installed");
    }

    #[test]
    fn uninstall_removes_what_install_put_there_and_nothing_else() {
        let prefix = scratch("uninstall_prefix");
        uninstalls(&[format!("PREFIX={}", prefix.display())], installed(), &prefix);
    }

    #[test]
    fn cmake_compiles_the_module_where_that_of_the_compiler_is_missing() {
        let copy = scratch("install_other_compiler").join("prefix");
        run(Command::new("cp").arg("-a").arg(installed()).arg(&copy));
        fs::remove_dir_all(copy.join("lib/adtape")).expect("the compiled modules");
        let log = build_and_run_with_cmake(&copy, "install_cmake_source");
        assert!(log.contains("compiled from source"), "{log}");
    }

    #[test]
    fn installed_script_compiles_the_module_elsewhere() {
        let out = scratch("install_script");
        let sources = moved().join("share/adtape/fortran");
        run(Command::new(sources.join("build_fortran.sh")).arg(&sources).arg(moved().join("include")).arg(&out));
        assert_eq!(files(&out), ["adtape.mod", "adtape_derived.inc", "adtape_polymorphic.inc", "libadtape_fortran.a"]);
    }

    #[test]
    fn cmake_package_refuses_another_series_and_an_unknown_component() {
        let directory = scratch("install_cmake_refusals");
        // As if that compiler had been found.
        let old = "set(CMAKE_Fortran_COMPILER gfortran-11)\nset(CMAKE_Fortran_COMPILER_ID GNU)\n\
                   set(CMAKE_Fortran_COMPILER_VERSION 11.4.0)\n";
        for (found, wanted, expected) in [
            ("", "0.2 REQUIRED", "adtapeConfig.cmake, version: 0.1"),
            ("", "REQUIRED COMPONENTS x", "no component x"),
            (old, "REQUIRED COMPONENTS fortran", "takes gfortran 12 or later"),
        ] {
            let text = format!(
                "cmake_minimum_required(VERSION 3.16)\nproject(p LANGUAGES C)\n{found}find_package(adtape {wanted})\n"
            );
            fs::write(directory.join("CMakeLists.txt"), text).expect("scratch directory is writable");
            let mut configure = Command::new("cmake");
            configure.arg("-S").arg(&directory).arg("-B").arg(directory.join("build"));
            let prefix = format!("-DCMAKE_PREFIX_PATH={}", moved().display());
            let output = configure.arg(prefix).output().expect("cmake runs");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && said.contains(expected), "{wanted}: {said}");
        }
    }
}

#[test]
fn packages_of_other_managers_have_the_version_of_the_library() {
    let version = env!("CARGO_PKG_VERSION");
    for (file, line) in [
        ("fpm.toml", format!("version = \"{version}\"")),
        ("scripts/packaging/spack/spack_repo/adtape/packages/adtape/package.py", format!("    version(\"{version}\")")),
        ("scripts/packaging/conda/recipe.yaml", format!("  version: \"{version}\"")),
    ] {
        let text = fs::read_to_string(root().join(file)).expect("the file is there");
        assert!(text.lines().any(|other| other == line), "{file} has no line {line}");
    }
    // fpm compiles every Fortran and C file below its folder.
    let compiled = files(&root().join("fortran-bindings"));
    let compiled: Vec<_> =
        compiled.iter().filter(|name| [".F90", ".f90", ".c"].iter().any(|e| name.ends_with(e))).collect();
    assert_eq!(compiled, ["adtape.F90", "adtape_glue.c"]);
}
