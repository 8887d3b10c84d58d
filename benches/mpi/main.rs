//! Messages and their reverse by `libadtape_mpi`, beside the same by hand in plain MPI: under each MPI that is here. See
//! `benches/README.md`.

#[allow(dead_code, reason = "some of it is for the other benches")]
#[path = "../common/table.rs"]
mod table;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use table::{Bound, Row, Table, Unit};

const MPIS: [&str; 2] = ["openmpi", "mpich"];
const DIRECTORY: &str = env!("CARGO_TARGET_TMPDIR");
/// What a forward call may take beyond MPI's own, in nanoseconds.
const FORWARD: f64 = 80.0;
/// How much longer the reverse may take, of messages of so many bytes.
const REVERSE: [(&str, f64); 4] = [("8", 1.2), ("4096", 1.05), ("65536", 1.05), ("524288", 1.05)];
/// So many processes measure what two ranks take: where memory lies differs between them, and a figure by some per cent.
const STARTS: usize = 3;
/// A way to do by hand what a row's reference does in another way: for comparison.
const BY_HAND: &str = "by hand";

fn run(command: &mut Command) -> String {
    let output = command.stderr(Stdio::inherit()).output().expect("the command starts");
    assert!(output.status.success(), "{command:?}: {}", output.status);
    String::from_utf8(output.stdout).expect("the program prints UTF-8")
}

/// The program, with libadtape and libadtape_mpi.
fn build(mpi: &str) -> PathBuf {
    std::env::set_current_dir(env!("CARGO_MANIFEST_DIR")).expect("the repository is there");
    let executable = std::env::current_exe().expect("this program has a path");
    let target = executable.ancestors().nth(3).expect("a target directory");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
    run(Command::new(cargo).args(["build", "--release", "--quiet", "--lib", "--target-dir"]).arg(target));
    let (release, library) = (target.join("release"), Path::new(DIRECTORY).join(format!("bench-{mpi}")));
    run(Command::new("mpi/build.sh").arg(&release).arg(&library).env("MPICC", format!("mpicc.{mpi}")));
    let program = library.join("exchange");
    let mut compiler = Command::new(format!("mpicc.{mpi}"));
    compiler.args(["-O2", "-Iinclude", "-Impi/include", "benches/mpi/exchange.c", "-o"]).arg(&program);
    compiler.arg(library.join("libadtape_mpi.a")).arg(release.join("libadtape.a"));
    run(compiler.args(["-lpthread", "-ldl", "-lm"]));
    program
}

/// A figure: nanoseconds of an operation, ours and by hand, forward and in reverse; the difference forward, a call, and
/// the ratio in reverse.
struct Figure {
    name: String,
    reverse: [f64; 2],
    forward_more: f64,
    ratio: f64,
}

fn figures(mpi: &str, program: &Path, ranks: &str) -> Vec<Figure> {
    let mut command = Command::new(format!("mpiexec.{mpi}"));
    command.args(["-n", ranks]).arg(program);
    // Root is who runs this in a container.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let figure = |line: &str| {
        let (name, numbers) = line.split_once(';').expect("a figure");
        let numbers: Vec<f64> = numbers.split(';').map(|number| number.parse().expect("a number")).collect();
        let reverse = [numbers[1], numbers[3]];
        Figure { name: name.to_owned(), reverse, forward_more: numbers[4], ratio: numbers[5] }
    };
    run(&mut command).lines().map(figure).collect()
}

/// Of several starts, for each figure that with the middle ratio.
fn middle_figures(mpi: &str, program: &Path, ranks: &str) -> Vec<Figure> {
    let mut starts: Vec<_> = (0..STARTS).map(|_| figures(mpi, program, ranks).into_iter()).collect();
    let mut middle = Vec::new();
    loop {
        let mut figure: Vec<Figure> = starts.iter_mut().filter_map(Iterator::next).collect();
        if figure.is_empty() {
            return middle;
        }
        figure.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
        middle.push(figure.swap_remove(figure.len() / 2));
    }
}

fn rows(mpi: &str) -> Vec<Row> {
    let program = build(mpi);
    let mut rows = Vec::new();
    for figure in figures(mpi, &program, "1").into_iter().filter(|figure| !figure.name.starts_with(BY_HAND)) {
        rows.push(Row {
            title: format!("{}, a call forward, beyond MPI's, {mpi}", figure.name),
            ours: figure.forward_more,
            reference: FORWARD,
            unit: Unit::Nanoseconds,
            ratio: figure.forward_more / FORWARD,
            bound: Some(Bound::AtMost(1.0)),
        });
    }
    for figure in middle_figures(mpi, &program, "2") {
        let [ours, reference] = figure.reverse;
        let bytes = figure.name.split(' ').nth_back(1).unwrap_or_default().to_owned();
        let bound = REVERSE.iter().find(|(size, _)| *size == bytes && !figure.name.starts_with(BY_HAND));
        let bound = bound.map(|(_, bound)| Bound::AtMost(*bound));
        let title = format!("{}, reverse, 2 ranks, {mpi}", figure.name);
        rows.push(Row { title, ours, reference, unit: Unit::Nanoseconds, ratio: figure.ratio, bound });
    }
    rows
}

fn main() {
    // cargo bench adds --bench; a name of a figure is for the other benchmarks.
    if std::env::args().skip(1).any(|argument| !argument.starts_with("--")) {
        return;
    }
    let mut table = Table::default();
    for mpi in MPIS {
        let here = Command::new(format!("mpicc.{mpi}")).arg("--version").output().is_ok();
        if here {
            table.extend(rows(mpi));
        } else {
            println!("no mpicc.{mpi}: the figures of messages under that MPI are left out");
        }
    }
    table.print();
}
