//! Programs in C and in Fortran, compiled against the library as users get it, and what they print.

// Each test file uses some of it.
#![allow(dead_code)]

use crate::common::{clean, fc, fortran_module, linked, linked_statically, root, run, scratch, skip};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

#[derive(Clone, Copy, PartialEq)]
pub enum Language {
    C,
    Fortran,
}

/// Programs that share modules.
pub struct Set {
    /// Begins the names of their scratch directories.
    pub name: &'static str,
    /// Fortran modules that all of them use, in an order in which they can be compiled.
    pub modules: &'static [&'static str],
}

// ---- compiling ---------------------------------------------------------------------------------------

fn link(compiler: &mut Command) {
    run(compiler.args(linked()));
}

fn stem(source: &str) -> &str {
    source.rsplit('/').next().and_then(|file| file.split('.').next()).expect("a file's name")
}

/// A source in C as a program; a warning is an error.
pub fn compile_c(set: &Set, source: &str, optimisation: &str) -> PathBuf {
    let program = scratch(&format!("{}-{}-c{optimisation}", set.name, stem(source))).join(stem(source));
    let mut gcc = Command::new("gcc");
    gcc.current_dir(root()).args(["-std=c11", "-g", optimisation, "-Iinclude"]);
    gcc.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", source]).arg("-o").arg(&program);
    link(&mut gcc);
    program
}

fn has_fortran() -> bool {
    Command::new(fc()).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// The Fortran compiler with the flags of a user's program.
fn fortran() -> Command {
    let mut compiler = Command::new(fc());
    compiler.current_dir(root()).args(["-O2", "-g", "-I"]).arg(fortran_module(&fc()));
    if fc().contains("gfortran") {
        compiler.args(["-std=f2018", "-Wall"]);
    }
    compiler
}

/// The directory with the objects and module files of what the programs share.
fn fortran_objects(set: &Set) -> PathBuf {
    static COMPILED: Mutex<BTreeMap<&str, PathBuf>> = Mutex::new(BTreeMap::new());
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let compile = || {
        let directory = scratch(&format!("{}-fortran-modules", set.name));
        for source in set.modules {
            let mut compiler = fortran();
            compiler.arg("-J").arg(&directory).arg("-c");
            run(compiler.arg(source).arg("-o").arg(directory.join(format!("{}.o", stem(source)))));
        }
        directory
    };
    compiled.entry(set.name).or_insert_with(compile).clone()
}

/// A source in Fortran as a program, `variant` of it linked with more objects and flags.
pub fn link_fortran(set: &Set, source: &str, variant: &str, more: &[&str]) -> PathBuf {
    let own = scratch(&format!("{}-{}-fortran{variant}", set.name, stem(source)));
    let program = own.join(stem(source));
    let objects = fortran_objects(set);
    let mut compiler = fortran();
    compiler.arg("-I").arg(&objects).arg("-J").arg(&own).arg(source);
    for module in set.modules.iter().rev() {
        compiler.arg(objects.join(format!("{}.o", stem(module))));
    }
    compiler.arg(fortran_module(&fc()).join("libadtape_fortran.a"));
    compiler.args(more).arg("-o").arg(&program);
    if more.is_empty() {
        link(&mut compiler);
    } else {
        // What wraps functions wraps them in the library, too.
        run(compiler.args(linked_statically()));
    }
    program
}

/// `path`.c or `path`.f90 as a program; None, after having said so, where the compiler is missing.
pub fn compile(set: &Set, path: &str, language: Language) -> Option<PathBuf> {
    match language {
        Language::C => Some(compile_c(set, &format!("{path}.c"), "-O2")),
        Language::Fortran if has_fortran() => Some(link_fortran(set, &format!("{path}.f90"), "", &[])),
        Language::Fortran => {
            skip(&format!("{path}.f90"), &format!("{} not found", fc()));
            None
        }
    }
}

// ---- running -----------------------------------------------------------------------------------------

pub fn command(program: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> Command {
    let mut command = clean(program);
    command.args(arguments).envs(settings.iter().copied());
    command
}

/// What a run prints in which all checks passed.
pub fn checked(program: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> String {
    let Output { stdout, stderr, .. } = run(&mut command(program, arguments, settings));
    let text = String::from_utf8(stdout).expect("the examples print UTF-8");
    assert!(!text.contains("FAILED"), "{text}");
    assert_eq!(text.trim_end().lines().last(), Some("all checks passed"), "{text}");
    assert!(stderr.is_empty(), "{}", String::from_utf8_lossy(&stderr));
    text
}

/// The number behind `label: ` in the first line that has one after the line `section`.
pub fn number_in(text: &str, section: &str, label: &str) -> f64 {
    let start = text.find(section).unwrap_or_else(|| panic!("no \"{section}\" in\n{text}"));
    let value = text[start..].lines().find_map(|line| line.strip_prefix(label)?.strip_prefix(": "));
    let value = value.unwrap_or_else(|| panic!("no \"{label}\" in\n{text}"));
    let digits = value.trim().split([',', ' ']).next().unwrap_or_default();
    digits.parse().unwrap_or_else(|_| panic!("\"{label}\" is \"{value}\", not a number"))
}
pub fn number(text: &str, label: &str) -> f64 {
    number_in(text, "", label)
}

/// Runs a program that must not pass; what it says on standard error.
pub fn does_not_pass(program: &Path, arguments: &[&str]) -> String {
    // Without a core file: it may well end by a segmentation fault.
    let mut shell = command(Path::new("/bin/sh"), &["-c", "ulimit -c 0; exec \"$0\" \"$@\""], &[]);
    let output = shell.arg(program).args(arguments).output().expect("a shell runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success() && !text.contains("all checks passed"), "{arguments:?}: {text}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}
