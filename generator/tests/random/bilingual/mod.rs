//! Random programs that exist in Fortran and in C. Values, tangents and adjoints of both must agree, and the tangents with
//! the adjoints: the front ends, the emitters and what the languages mean are each other's oracle.
//!
//! `BILINGUAL=10000 FROM=1 cargo test --release -p adtape-generate --test random bilingual -- --nocapture` runs more.

mod expr;
mod make;
mod stmt;
mod text;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use adtape_generate::emit::{self, Options};
use adtape_generate::front::{self, Input};
use adtape_generate::refuse::Refusal;
use adtape_generate::transform::{self, Choices};

use crate::common;
use make::Program;

/// Programs that are built into one.
const AT_ONCE: usize = 25;

/// Writes a program with its adjoint and its tangent in one language; an error is the reason of a refusal.
fn generate(folder: &Path, program: &Program, is_fortran: bool) -> Result<(), String> {
    let seed = program.seed;
    let (file, suffix, text) = if is_fortran {
        (format!("m{seed}.f90"), "f90", &program.fortran)
    } else {
        (format!("m{seed}.c"), "c", &program.c)
    };
    let path = folder.join(&file);
    std::fs::write(&path, text).unwrap();
    let own = if is_fortran { String::new() } else { format!("_{seed}") };
    let variables = format!("x y z g{own} gw{own}");
    let heads = [common::head(&format!("f{own}({variables})/({variables})"))];
    let said = |all: Vec<Refusal>| all.iter().map(|refusal| refusal.what.clone()).collect::<Vec<_>>().join("; ");
    let files = vec![path.to_string_lossy().into_owned()];
    let input = Input { files, heads: vec![heads[0].proc.clone()], ..Input::default() };
    let choices = Choices { one_call: true, ..Choices::default() };
    let source = front::read(&input).map_err(said)?;
    let adjoint = transform::adjoint(&source, &heads, &choices).map_err(said)?;
    let tangents = transform::tangent(&source, &heads, &choices).map_err(said)?;
    let options = Options { file: format!("m{seed}_b.{suffix}"), includes: vec![file] };
    let output = emit::with_tangent(&adjoint, &tangents, &options).map_err(said)?;
    std::fs::write(folder.join(format!("m{seed}_b.{suffix}")), output.source).unwrap();
    if !is_fortran {
        std::fs::write(folder.join(format!("m{seed}_b.h")), output.header).unwrap();
    }
    Ok(())
}

/// The table of programs that the driver goes through.
fn table(seeds: &[u64]) -> String {
    let mut out = String::new();
    for seed in seeds {
        let _ = write!(
            out,
            "values_t __m{seed}_MOD_f;\nderivatives_t __m{seed}_MOD_f_d, __m{seed}_MOD_f_b;\n\
             extern double __m{seed}_MOD_g, __m{seed}_MOD_g_d, __m{seed}_MOD_g_b;\n\
             extern double __m{seed}_MOD_gw[4], __m{seed}_MOD_gw_d[4], __m{seed}_MOD_gw_b[4];\n\
             extern double g_{seed}, g_{seed}_d, g_{seed}_b, gw_{seed}[4], gw_{seed}_d[4], gw_{seed}_b[4];\n\
             void f_{seed}(int n, double *x, double *y, double *z);\n\
             void f_{seed}_d(int n, double *x, double *x1, double *y, double *y1, double *z, double *z1);\n\
             void f_{seed}_b(int n, double *x, double *x1, double *y, double *y1, double *z, double *z1);\n\
             static void values_{seed}(const int *n, double *x, double *y, double *z) {{ f_{seed}(*n, x, y, z); }}\n\
             static void tangent_{seed}(const int *n, double *x, double *x1, double *y, double *y1, double *z, double *z1) \
             {{ f_{seed}_d(*n, x, x1, y, y1, z, z1); }}\n\
             static void adjoint_{seed}(const int *n, double *x, double *x1, double *y, double *y1, double *z, double *z1) \
             {{ f_{seed}_b(*n, x, x1, y, y1, z, z1); }}\n"
        );
    }
    out += "const struct program programs[] = {\n";
    for seed in seeds {
        let _ = writeln!(
            out,
            "{{{seed}, {{{{__m{seed}_MOD_f, __m{seed}_MOD_f_d, __m{seed}_MOD_f_b, \
             {{&__m{seed}_MOD_g, &__m{seed}_MOD_g_d, &__m{seed}_MOD_g_b}}, \
             {{__m{seed}_MOD_gw, __m{seed}_MOD_gw_d, __m{seed}_MOD_gw_b}}}}, \
             {{values_{seed}, tangent_{seed}, adjoint_{seed}, {{&g_{seed}, &g_{seed}_d, &g_{seed}_b}}, \
             {{gw_{seed}, gw_{seed}_d, gw_{seed}_b}}}}}}}},"
        );
    }
    let _ = write!(out, "}};\nconst int program_count = {};\n", seeds.len());
    out
}

/// What a compiler says against a file; none where it is content.
fn compile(folder: &Path, compiler: &str, flags: &[&str], file: &str, object: &str) -> Option<String> {
    let mut command = Command::new(compiler);
    command.current_dir(folder).args(flags).args(["-O0", "-w", "-c", file, "-o", object]);
    let output = command.output().unwrap();
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

/// What compilers say against a program.
fn compile_both(folder: &Path, seed: u64) -> Option<String> {
    let into_module = format!("-I{}", common::fortran_module().display());
    let flags = ["-fcheck=all", &into_module];
    compile(folder, "gfortran", &flags, &format!("m{seed}_b.f90"), &format!("m{seed}_f.o"))
        .or_else(|| compile(folder, "gcc", &[&common::include()], &format!("m{seed}_b.c"), &format!("m{seed}_c.o")))
}

/// What became of some programs that were compiled in both languages.
fn run(folder: &Path, seeds: &[u64]) -> Vec<String> {
    let text = include_str!("driver.c").replace("extern const struct program programs[];", &table(seeds));
    std::fs::write(folder.join("driver.c"), text.replace("extern const int program_count;\n", "")).unwrap();
    let mut command = Command::new("gfortran");
    command.current_dir(folder).args(["-O0", "-w", "driver.c", "-o", "driver"]);
    command.args(seeds.iter().flat_map(|seed| [format!("m{seed}_f.o"), format!("m{seed}_c.o")]));
    command.arg(common::fortran_module().join("libadtape_fortran.a")).args(common::flags());
    let built = command.output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let mut outcomes: Vec<String> = Vec::new();
    while outcomes.len() < seeds.len() {
        let from = outcomes.len().to_string();
        let ran = Command::new(folder.join("driver")).arg(from).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout);
        let of_line = |line: &str| line.split_once(' ').map_or(line, |(_, outcome)| outcome).to_owned();
        outcomes.extend(said.lines().map(of_line));
        if !ran.status.success() || outcomes.len() < seeds.len() {
            let errors = String::from_utf8_lossy(&ran.stderr);
            outcomes.push(format!("wrong: the run ended: {}", errors.lines().take(3).collect::<Vec<_>>().join(" ")));
        }
    }
    outcomes
}

/// What became of programs with these seeds.
fn judged(folder: &Path, seeds: &[u64]) -> Vec<(u64, String)> {
    let generated = common::made_of(seeds, |&seed| {
        let program = make::program(seed);
        let languages = [(true, "Fortran"), (false, "C")];
        let refused = languages.iter().find_map(|(is_fortran, language)| {
            let why = generate(folder, &program, *is_fortran).err()?;
            Some(format!("refused in {language}: {why}"))
        });
        let wrong = || Some(format!("wrong: does not compile: {}", compile_both(folder, seed)?));
        refused.or_else(wrong)
    });
    let ready: Vec<u64> =
        seeds.iter().zip(&generated).filter(|(_, said)| said.is_none()).map(|(seed, _)| *seed).collect();
    let mut ran = run(folder, &ready).into_iter();
    seeds.iter().zip(generated).map(|(seed, said)| (*seed, said.or_else(|| ran.next()).expect("an outcome"))).collect()
}

#[test]
fn programs_in_fortran_and_in_c_have_the_same_derivatives() {
    let (from, programs) = (crate::number("FROM", 1), crate::number("BILINGUAL", 6));
    let folder = common::Scratch::new(&format!("bilingual-from-{from}"));
    let (mut counts, mut wrong) = (BTreeMap::<String, usize>::new(), Vec::new());
    let seeds: Vec<u64> = (from..from + programs).collect();
    for seeds in seeds.chunks(AT_ONCE) {
        for (seed, outcome) in judged(&folder.0, seeds) {
            let class: String = outcome.chars().filter(|c| !c.is_ascii_digit()).take(150).collect();
            *counts.entry(class).or_default() += 1;
            if outcome.contains("internal: ") {
                println!("seed {seed}: {outcome}");
            }
            if outcome.starts_with("wrong") {
                println!("seed {seed}: {outcome}");
                wrong.push(seed);
            }
        }
    }
    counts.iter().for_each(|(class, count)| println!("{count:7} {class}"));
    let right = counts.get("right").copied().unwrap_or_default();
    assert!(wrong.is_empty(), "wrong: {wrong:?}");
    assert!(2 * right > seeds.len(), "of {} programs {right} are right", seeds.len());
}
