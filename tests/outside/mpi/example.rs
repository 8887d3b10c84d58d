//! `examples/shallow_water_mpi`, in C and in Fortran: the gradient agrees with the serial program's to rounding, has its
//! bits on one rank, and has the same bits in each run on as many ranks, under each MPI.

use super::checkpoints::{Random, children, signal};
use super::{Mpi, alone, build_release, clean, fortran, give_way, mpis, passes, root, run, scratch};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

const SMALL: (&str, &str) = ("SIZE", "small");

/// A language, as the example's rules call it, which leave its program and its serial program's gradient under such
/// names.
#[derive(Clone, Copy, PartialEq)]
enum Language {
    C,
    Fortran,
}
use Language::{C, Fortran};

impl Language {
    fn name(self, what: &str) -> String {
        format!("{what}_{}", if self == C { "c" } else { "fortran" })
    }

    fn mpis(self, test: &str) -> Vec<Mpi> {
        if self == C { mpis(test) } else { fortran::mpis_with_fortran(test) }
    }
}

/// The directory with the example and its serial program, built by its own rules, and what the latter wrote.
fn built(mpi: Mpi, language: Language) -> &'static Path {
    static BUILT: [OnceLock<PathBuf>; 4] = [const { OnceLock::new() }; 4];
    let place = 2 * usize::from(mpi == super::MPIS[1]) + usize::from(language == Fortran);
    BUILT[place].get_or_init(|| build(mpi, language))
}

fn build(mpi: Mpi, language: Language) -> PathBuf {
    let build = scratch(&language.name(&format!("mpi-{mpi}-shallow-water")));
    if language == Fortran {
        fortran::copy_modules(mpi, &build.join("modules"));
    }
    let mut make = Command::new("make");
    make.current_dir(root()).args(["-f", "examples/shallow_water_mpi/demo.mk"]);
    make.arg(format!("BUILD={}", build.display())).arg(format!("MPICC=mpicc.{mpi}"));
    make.arg(format!("BUILT={}", build_release().display()));
    make.arg(format!("MPIFC=mpifort.{mpi}")).args(["CC=gcc", "FC=gfortran"]);
    make.args(["CFLAGS=-O2 -Wall -Wextra -Wpedantic -Werror", "FFLAGS=-O2 -Wall -Werror -Wno-unused-dummy-argument"]);
    run(make.args(["serial", "shallow_water_mpi"].map(|program| build.join(language.name(program)))));
    let serial = build.join(language.name("serial"));
    run(Command::new(serial).arg(build.join(language.name("gradient"))).env(SMALL.0, SMALL.1));
    build
}

/// What follows a label.
fn value<'a>(said: &'a str, label: &str) -> &'a str {
    let line = said.lines().find_map(|line| line.strip_prefix(label)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("no \"{label}\" in\n{said}"))
}

#[test]
fn model_in_parts_has_the_gradient_of_the_serial_one_and_the_same_bits_in_each_run() {
    agrees_with_serial_program(C);
}

fn agrees_with_serial_program(language: Language) {
    let mut bits: Vec<(usize, String)> = Vec::new();
    let readme = std::fs::read_to_string(root().join("examples/shallow_water_mpi/README.md")).expect("its README");
    for mpi in language.mpis("example on many ranks") {
        let build = built(mpi, language);
        let [program, gradient] = ["shallow_water_mpi", "gradient"].map(|name| build.join(language.name(name)));
        let gradient = gradient.display().to_string();
        let on = |ranks: usize, arguments: &[&str]| passes(mpi, ranks, &program, arguments, &[SMALL]);
        let mut same_bits = |ranks: usize, said: &str| {
            let own = value(said, "all bits of the gradient").to_owned();
            match bits.iter().find(|(others, _)| *others == ranks) {
                Some((_, first)) => assert_eq!(*first, own, "{mpi}, {ranks} ranks"),
                None => bits.push((ranks, own)),
            }
        };
        let is_slow = mpi == super::MPIS[1];
        let most = if is_slow && language == Fortran { 2 } else { 4 };
        for ranks in (1..=most).filter(|ranks| !is_slow || *ranks != 3) {
            let said = on(ranks, &[&gradient]);
            assert!(said.contains("all checks passed"), "{said}");
            let beside = value(&said, "beside the serial program").to_lowercase();
            assert!(beside.ends_with("passed"), "{beside}");
            assert!(ranks > 1 || beside.contains("cost differs by 0.0e+00, gradient by 0.0e+00"), "{beside}");
            assert!(ranks < 4 || readme_shows(&readme, &said), "{said}");
            same_bits(ranks, &said);
        }
        if !is_slow {
            let said = on(2, &[]);
            assert!(value(&said, "Taylor test").ends_with("passed"), "{said}");
            same_bits(2, &said);
        }
        refuses_a_file_of_another_size(mpi, &program, build);
    }
}

/// All lines that the README shows, but for the last digits of what the mathematical library has a part in.
fn readme_shows(readme: &str, said: &str) -> bool {
    let (_, shown) = readme.split_once("```text\n").expect("a block");
    let shown = shown.split_once("```").expect("its end").0;
    let label = |line: &str| line.split(':').next().unwrap_or_default().to_owned();
    shown.lines().map(label).eq(said.lines().filter(|line| !line.trim().is_empty()).map(label))
}

fn refuses_a_file_of_another_size(mpi: Mpi, program: &Path, build: &Path) {
    let short = build.join("short");
    std::fs::write(&short, [0; 16]).expect("written");
    let output = super::on_ranks(mpi, 1, program, &[&short.display().to_string()], &[SMALL]);
    let said = super::said(&output);
    assert!(!output.status.success() && said.contains("cannot be read, or is of another size"), "{said}");
}

/// The processes behind mpiexec that have no children: the ranks.
fn ranks_of(process: u32) -> Vec<u32> {
    let below = children(process);
    if below.is_empty() { vec![process] } else { below.into_iter().flat_map(ranks_of).collect() }
}

/// With five checkpoints in files: a rank is killed at random moments, and the program is started again.
#[test]
fn model_whose_ranks_are_killed_goes_on_and_has_the_same_bits() {
    goes_on_after_kills(C);
}

fn goes_on_after_kills(language: Language) {
    if let Some(mpi) = language.mpis("example that is killed").into_iter().next() {
        let build = built(mpi, language);
        let [gradient, files] = ["gradient", "files"].map(|name| build.join(language.name(name)));
        let bits = |said: &str| value(said, "all bits of the gradient").to_owned();
        let program = build.join(language.name("shallow_water_mpi"));
        let undisturbed = bits(&passes(mpi, 2, &program, &[&gradient.display().to_string()], &[SMALL]));
        let (mut random, mut kills) = (Random::new(), 0);
        let _alone = alone();
        std::fs::create_dir_all(&files).expect("a directory");
        // The first is killed at any moment, the second when it has left a point to go on from, and the last never. A job
        // may be done before its kill.
        for _ in 0..60 {
            let mut job = start(mpi, &program, &gradient, &files);
            if kills == 1 {
                wait_for_a_point(&mut job, &files);
            }
            if kills < 2 {
                std::thread::sleep(Duration::from_millis(random.below(if kills == 0 { 1000 } else { 100 })));
                kill_one_rank(&mut job, &mut random);
            }
            let output = job.wait_with_output().expect("it ends");
            let said = super::said(&output);
            assert!(!said.contains("shallow_water_mpi: "), "{mpi}: {said}");
            if output.status.success() {
                assert_eq!(bits(&said), undisturbed, "{mpi}");
                assert!(said.contains("all checks passed"), "{said}");
                if kills == 2 {
                    let before = value(&said, "by a driver").split_whitespace().nth(3).map(str::parse::<u64>);
                    assert!(before.is_some_and(|steps| steps.is_ok_and(|steps| steps > 0)), "{mpi}: {said}");
                    return;
                }
            } else {
                assert!(kills < 2, "{mpi}: {said}");
                kills += usize::from(kills == 0 || has_point(&files));
            }
        }
        panic!("{mpi}: each job was done before its kill");
    }
}

/// Open MPI's mpiexec takes a second or two to end the others: they end soon after it.
fn kill_one_rank(job: &mut Child, random: &mut Random) {
    if job.try_wait().expect("its state").is_none() {
        let ranks = ranks_of(job.id());
        signal("KILL", &[ranks[random.below(ranks.len() as u64) as usize]]);
        std::thread::sleep(Duration::from_millis(random.below(100)));
        signal("KILL", &ranks);
    }
}

fn start(mpi: Mpi, program: &Path, gradient: &Path, files: &Path) -> Child {
    let mut command = clean("timeout");
    command.args(["-k", "5", "100", &format!("mpiexec.{mpi}"), "-n", "2"]).arg(program).args([gradient, files]);
    command.env(SMALL.0, SMALL.1).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    give_way(&mut command).spawn().expect("timeout runs")
}

/// Until all ranks can go on from a point, or the job has ended.
fn wait_for_a_point(job: &mut Child, files: &Path) {
    while job.try_wait().expect("its state").is_none() && !has_point(files) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Behind at least one forward step, with its checkpoints.
fn has_point(files: &Path) -> bool {
    let names: Vec<_> = std::fs::read_dir(files).expect("a directory").flatten().map(|file| file.file_name()).collect();
    let has = |end: &str| names.iter().any(|name| name.to_string_lossy().ends_with(end));
    has(".point-manifest.adtape") && has(".r1.point-step-2.adtape")
}

/// Run by `make matrix` alone.
mod matrix {
    use super::*;

    #[test]
    fn model_in_parts_in_fortran_has_the_gradient_of_the_serial_one_and_the_same_bits_in_each_run() {
        agrees_with_serial_program(Fortran);
    }

    #[test]
    fn model_in_fortran_whose_ranks_are_killed_goes_on_and_has_the_same_bits() {
        goes_on_after_kills(Fortran);
    }
}
