//! The example `examples/restart`: killed at any segment, forward and in reverse, and started again, it finds the gradient
//! of an undisturbed run, bit for bit.

mod common;

use common::{build_release, root, run, scratch, skip};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn c_program(directory: &Path) -> PathBuf {
    let program = directory.join("restart");
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=c11", "-D_DEFAULT_SOURCE", "-g", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"]);
    gcc.arg(root().join("include")).arg(root().join("examples/restart/restart.c"));
    run(gcc.arg(build_release().join("libadtape.a")).args(["-lpthread", "-ldl", "-lm", "-o"]).arg(&program));
    program
}

fn fortran_program(directory: &Path) -> PathBuf {
    let program = directory.join("restart");
    let [sources, include] = ["fortran-bindings", "include"].map(|name| root().join(name));
    let mut build = Command::new(root().join("scripts/install/build_fortran.sh"));
    run(build.args([&sources, &include]).arg(directory).env("FC", "gfortran").env("FCFLAGS", "-O1"));
    let mut gfortran = Command::new("gfortran");
    gfortran.current_dir(directory).args(["-std=f2018", "-O2", "-g", "-Wall", "-Wextra", "-Werror"]);
    gfortran.args(["-Wno-unused-dummy-argument", "-Wno-maybe-uninitialized"]);
    gfortran.arg(root().join("examples/restart/restart.f90")).arg("libadtape_fortran.a");
    run(gfortran.arg(build_release().join("libadtape.a")).args(["-lpthread", "-ldl", "-lm", "-o"]).arg(&program));
    program
}

fn start(program: &Path, files: &Path, kill_after: Option<u32>) -> Output {
    let mut command = Command::new(program);
    command.arg(files).arg("run").args(kill_after.map(|n| n.to_string()));
    command.output().expect("the program starts")
}

fn gradient(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = said.lines().find(|line| line.starts_with("gradient:"));
    line.unwrap_or_else(|| panic!("{said}{}", String::from_utf8_lossy(&output.stderr))).to_owned()
}

fn check(program: &Path, files: &Path) {
    fs::create_dir_all(files).expect("a directory");
    let undisturbed = gradient(&start(program, files, None));
    for every in [1, 3, 7, 19, 25] {
        let (mut kills, mut forward, mut reverse) = (0, 0, 0);
        loop {
            let output = start(program, files, Some(every));
            let said = String::from_utf8_lossy(&output.stdout);
            forward += usize::from(said.contains("forward"));
            reverse += usize::from(said.contains("in reverse"));
            if output.status.success() {
                assert_eq!(gradient(&output), undisturbed, "killed every {every} segments");
                break;
            }
            kills += 1;
            assert!(kills <= 40, "{}", String::from_utf8_lossy(&output.stderr));
        }
        assert_eq!(kills, 40 / every, "one segment a time, none twice");
        // What a killed process has in its buffer of standard output is lost with it: some starts are not heard of.
        assert!(every == 1 || forward + reverse > 0);
        assert_eq!(fs::read_dir(files).expect("a directory").count(), 0, "nothing is left");
    }
}

#[test]
fn c_program_that_is_killed_and_started_again_finds_the_same_gradient() {
    let directory = scratch("restart_c");
    check(&c_program(&directory), &directory.join("files"));
}

#[test]
fn fortran_program_that_is_killed_and_started_again_finds_the_same_gradient() {
    if Command::new("gfortran").arg("--version").output().is_err() {
        return skip(
            "fortran_program_that_is_killed_and_started_again_finds_the_same_gradient",
            "there is no gfortran",
        );
    }
    let directory = scratch("restart_fortran");
    check(&fortran_program(&directory), &directory.join("files"));
}
