//! The examples `restart` and `long_run`: killed, forward and in reverse, and started again, they find the gradient of an
//! undisturbed run, bit for bit. The first is killed at any segment; the second, by a driver, at random moments.

use crate::common::{fortran_module, linked_statically, root, run, scratch, skip};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn c_program(name: &str, directory: &Path) -> PathBuf {
    let program = directory.join(name);
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=c11", "-D_DEFAULT_SOURCE", "-g", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"]);
    gcc.arg(root().join("include")).arg(root().join(format!("examples/{name}/{name}.c")));
    run(gcc.args(linked_statically()).arg("-o").arg(&program));
    program
}

/// None, after having said so, where there is no compiler.
fn fortran_program(name: &str, directory: &Path, test: &str) -> Option<PathBuf> {
    if Command::new("gfortran").arg("--version").output().is_err() {
        skip(test, "there is no gfortran");
        return None;
    }
    let (program, module) = (directory.join(name), fortran_module("gfortran"));
    let mut gfortran = Command::new("gfortran");
    gfortran.current_dir(directory).args(["-std=f2018", "-O2", "-g", "-Wall", "-Wextra", "-Werror"]);
    gfortran.args(["-Wno-unused-dummy-argument", "-Wno-maybe-uninitialized", "-I"]).arg(&module);
    gfortran.arg(root().join(format!("examples/{name}/{name}.f90"))).arg(module.join("libadtape_fortran.a"));
    run(gfortran.args(linked_statically()).arg("-o").arg(&program));
    Some(program)
}

// ---- killed at segments ------------------------------------------------------------------------------------------

fn start(program: &Path, files: &Path, kill_after: Option<usize>) -> Output {
    let mut command = Command::new(program);
    command.arg(files).arg("run").args(kill_after.map(|n| n.to_string()));
    command.output().expect("the program starts")
}

fn gradient(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = said.lines().find(|line| line.starts_with("gradient:"));
    line.unwrap_or_else(|| panic!("{said}{}", String::from_utf8_lossy(&output.stderr))).to_owned()
}

/// Kills a program after these numbers of segments, again and again.
fn check(program: &Path, files: &Path, segments: &[usize]) {
    fs::create_dir_all(files).expect("a directory");
    let undisturbed = gradient(&start(program, files, None));
    for &every in segments {
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
    check(&c_program("restart", &directory), &directory.join("files"), &[1, 3, 7, 19, 25]);
}

#[test]
fn fortran_program_that_is_killed_and_started_again_finds_the_same_gradient() {
    let directory = scratch("restart_fortran");
    let test = "fortran_program_that_is_killed_and_started_again_finds_the_same_gradient";
    let Some(program) = fortran_program("restart", &directory, test) else { return };
    check(&program, &directory.join("files"), &[3, 25]);
}

// ---- killed at random moments --------------------------------------------------------------------------------------

/// Points every two milliseconds, so that there are some in a run of a tenth of a second.
fn long_run(program: &Path, size: &str, files: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg(size).arg(files).arg("0.002").env("OMPI_COMM_WORLD_RANK", "3");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The point in the directory, if there is one.
fn point(files: &Path) -> Option<PathBuf> {
    Some(files.join("long_run.r3.point.adtape")).filter(|path| path.exists())
}

fn names(files: &Path) -> Vec<String> {
    let entries = fs::read_dir(files).expect("a directory");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

/// Starts the program and kills it `wait` after `begun` holds, unless it has ended: then what it said.
fn killed(mut command: Command, begun: impl Fn() -> bool, wait: Duration) -> Option<String> {
    let mut child = command.spawn().expect("the program starts");
    while !begun() && child.try_wait().expect("its state").is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(wait);
    let ended = child.try_wait().expect("its state").is_some();
    if !ended {
        child.kill().expect("it can be killed");
    }
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!ended || output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    ended.then_some(said)
}

#[test]
fn driver_in_c_that_is_killed_at_random_moments_and_started_again_finds_the_same_gradient() {
    let directory = scratch("long_run_c");
    check_random_kills(&c_program("long_run", &directory), &directory.join("files"));
}

fn check_random_kills(program: &Path, files: &Path) {
    fs::create_dir_all(files).expect("a directory");
    let undisturbed = gradient(&Command::new(program).output().expect("the program starts"));
    let mut random = SystemTime::now().duration_since(UNIX_EPOCH).expect("a date").as_nanos() as u64;
    println!("seed {random}");
    let (mut kills, mut went_on) = (0, 0);
    // Where writing a point takes longer than the run, the last start of a round seldom finds one behind the first step.
    for round in 0..40 {
        if round >= 4 && went_on > 0 {
            break;
        }
        let said = loop {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Some are killed while they start, some soon after there is a point. Where the machine is slow, processes
            // live longer and longer.
            let starts = random >> 63 == 0;
            let limit = if starts { 100_000 } else { 20_000 };
            let wait = Duration::from_micros((random >> 33) % (limit + 5_000 * kills));
            match killed(long_run(program, "small", files), || starts || point(files).is_some(), wait) {
                Some(said) => break said,
                None => kills += 1,
            }
            let known = |name: &str| name.starts_with("long_run.r3.point.") || name == "long_run.r3.lock";
            let strange = names(files).into_iter().find(|name| !known(name));
            assert_eq!(strange, None, "round {round}");
        };
        went_on += usize::from(said.contains("went on after"));
        assert_eq!(said.lines().find(|line| line.starts_with("gradient:")), Some(&*undisturbed), "round {round}");
        assert_eq!(names(files), [""; 0], "round {round}: nothing is left");
    }
    assert!(kills > 0 && went_on > 0, "{kills} kills, {went_on} resumed");
}

#[test]
fn point_that_is_damaged_or_of_another_run_is_refused_and_said() {
    let directory = scratch("long_run_refused");
    let files = directory.join("files");
    fs::create_dir_all(&files).expect("a directory");
    let program = c_program("long_run", &directory);
    let undisturbed = gradient(&Command::new(&program).output().expect("the program starts"));
    let path = loop {
        // A run that ends takes its point with it.
        killed(long_run(&program, "small", &files), || point(&files).is_some(), Duration::ZERO);
        if let Some(path) = point(&files) {
            break path;
        }
    };
    let whole = fs::read(&path).expect("the point");
    let refused = |size: &str, text: &str| {
        let output = long_run(&program, size, &files).output().expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(text), "{text}: {said}");
    };
    for at in [8, 2000, 4096 + 20, whole.len() / 2, whole.len() - 1] {
        let mut changed = whole.clone();
        changed[at] ^= 4;
        fs::write(&path, &changed).expect("a file");
        refused("small", "long_run.r3.point.adtape");
    }
    for bytes in [0, 100, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..bytes]).expect("a file");
        refused("small", "long_run.r3.point.adtape");
    }
    fs::write(&path, &whole).expect("a file");
    refused("large", "binomial, 20000 steps, 305 snapshots; this one is binomial, 1000000 steps");
    let output = long_run(&program, "small", &files).output().expect("the program starts");
    assert_eq!(gradient(&output), undisturbed, "the point is as it was");
}

/// Run by `make matrix` alone.
mod matrix {
    use super::*;

    #[test]
    fn driver_in_fortran_that_is_killed_at_random_moments_and_started_again_finds_the_same_gradient() {
        let directory = scratch("long_run_fortran");
        let test = "driver_in_fortran_that_is_killed_at_random_moments_and_started_again_finds_the_same_gradient";
        let Some(program) = fortran_program("long_run", &directory, test) else { return };
        check_random_kills(&program, &directory.join("files"));
    }
}
