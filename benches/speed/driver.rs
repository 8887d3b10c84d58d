//! Where rounds come from: a C program that is asked for them line by line, or the loops of the Rust API in this process.

use crate::figures::{Figure, Runs};
use crate::programs::Programs;
use crate::rust_tape;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The two halves of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sweep {
    Forward,
    Reverse,
}

impl Sweep {
    pub fn operation(self) -> &'static str {
        match self {
            Sweep::Forward => "push",
            Sweep::Reverse => "pop",
        }
    }
}

/// Times of one round, in ns: adtape's sweeps and the reference's.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    pub ours: [f64; 2],
    pub reference: [f64; 2],
}

impl Round {
    pub fn ours(&self, sweep: Sweep) -> f64 {
        self.ours[sweep as usize].max(1.0)
    }

    pub fn reference(&self, sweep: Sweep) -> f64 {
        self.reference[sweep as usize].max(1.0)
    }
}

/// A running source of rounds of one figure.
pub enum Source {
    Program { child: Child, input: Option<ChildStdin>, output: BufReader<ChildStdout>, request: String },
    RustTape { count: u64 },
}

impl Source {
    pub fn start(programs: &Programs, figure: &Figure) -> Source {
        let mut command = match figure.runs {
            Runs::Static => Command::new(programs.path("bench_static")),
            Runs::Shared => Command::new(programs.path("bench_shared")),
            Runs::Lto => Command::new(programs.path("bench_lto")),
            Runs::Clang => Command::new(programs.path("bench_clang")),
            Runs::Checked => {
                let mut command = Command::new(programs.path("bench_static"));
                command.env("ADTAPE_CHECK", "1");
                command
            }
            Runs::Rust => return Source::RustTape { count: figure.count },
        };
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program was built");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Source::Program { child, input, output, request: format!("{} {} {}", figure.name, figure.count, figure.bytes) }
    }

    pub fn rounds(&mut self, count: u64) -> Vec<Round> {
        let (input, output, request) = match self {
            Source::RustTape { count: values } => return rust_tape::rounds(*values, count),
            Source::Program { input, output, request, .. } => (input, output, request),
        };
        let input = input.as_mut().expect("open until the source is dropped");
        writeln!(input, "{request} {count}").expect("the program reads");
        let lines = (0..count).map(|_| {
            let mut line = String::new();
            output.read_line(&mut line).expect("the program answers");
            parse(&line).unwrap_or_else(|| panic!("the program for \"{request}\" answered {line:?}"))
        });
        lines.collect()
    }
}

fn parse(line: &str) -> Option<Round> {
    let times: Vec<f64> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let [a, b, c, d] = times[..] else { return None };
    Some(Round { ours: [a, b], reference: [c, d] })
}

impl Drop for Source {
    fn drop(&mut self) {
        if let Source::Program { child, input, .. } = self {
            // The end of its input ends the program.
            drop(input.take());
            let _ = child.wait();
        }
    }
}
