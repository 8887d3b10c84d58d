//! The demo's gradient, in C, with a tape of so many times the memory that it may have, and in memory: one program each,
//! which compute a gradient whenever they are asked.

use super::{TIMES, Times};
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const PROGRAM: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/demo_gradient");
const DEMO: &str = "examples/shallow_water";
/// Bytes of its tape: what the demo prints.
pub const BYTES: u64 = 2_250_000_000;

/// Compiles the model, its adjoint and the library.
fn build() {
    std::env::set_current_dir(env!("CARGO_MANIFEST_DIR")).expect("the repository is there");
    let executable = std::env::current_exe().expect("this program has a path");
    let target = executable.ancestors().nth(3).expect("a target directory");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
    run(Command::new(cargo).args(["build", "--release", "--quiet", "--lib", "--target-dir"]).arg(target));
    let model = ["model", "ghosts", "tangent", "adjoint_loops", "adjoint", "fourdvar", "page", "vectors"]
        .map(|part| format!("{DEMO}/c/{part}.c"));
    let common = ["memory", "reversal", "terminal"].map(|part| format!("{DEMO}/common/{part}.c"));
    run(Command::new("cc")
        .args(["-O2", "-Iinclude", &format!("-I{DEMO}/common"), &format!("-I{DEMO}/c"), "-o", PROGRAM])
        .arg("benches/c/demo_gradient.c")
        .args(model.iter().chain(&common))
        .arg(target.join("release/libadtape.a"))
        .args(["-lpthread", "-ldl", "-lm"]));
}

fn run(command: &mut Command) {
    let status = command.status().expect("the compiler starts");
    assert!(status.success(), "{command:?}: {status}");
}

pub struct Demo {
    program: Child,
    ask: Option<ChildStdin>,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Demo {
    /// The program with a tape that spills to a directory, and the one in memory.
    pub fn both(directory: &Path) -> [Demo; 2] {
        build();
        [true, false].map(|spills| {
            let mut command = Command::new(PROGRAM);
            if spills {
                command.env("ADTAPE_MEMORY_LIMIT", (BYTES / TIMES).to_string());
                command.env("ADTAPE_SPILL_DIRECTORY", directory);
            }
            let mut program =
                command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the demo's gradient starts");
            let (ask, answers) = (program.stdin.take(), program.stdout.take().expect("piped"));
            Demo { program, ask, answers: BufReader::new(answers).lines() }
        })
    }

    /// Seconds of both sweeps of a gradient; cost and norm are the `expected`, once there are some.
    pub fn gradient(&mut self, expected: &mut Option<String>) -> Times {
        self.ask.as_mut().expect("open").write_all(b"\n").expect("the demo's gradient is there");
        let line = self.answers.next().expect("an answer").expect("text");
        let mut parts = line.splitn(3, ' ');
        let mut seconds = || parts.next().expect("seconds").parse::<f64>().expect("a number");
        let times = [seconds(), seconds()];
        let result = parts.next().expect("cost and norm");
        assert_eq!(result, expected.get_or_insert_with(|| result.to_owned()), "gradients differ");
        times
    }

    /// Ends the program.
    pub fn end(mut self) {
        drop(self.ask.take());
        let status = self.program.wait().expect("the program was started");
        assert!(status.success(), "the demo's gradient: {status}");
    }
}
