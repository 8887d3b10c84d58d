//! The command `adtape`: writes adjoints and tangents of C programs, and shows what programs did: profiles, checkpoints,
//! schedules.
//!
//! Exit status: 0 done, and all checks passed; 1 a file cannot be read or written, or a driver cannot be built or fails
//! by itself; 2 wrong command line; 3 refused; 4 a check failed, a checkpoint is damaged, the generator failed, or it got
//! too little memory; 5 a check could not compare everything.

#![deny(unsafe_code)]

mod check;
mod explain;
mod generate;
mod heads;
mod inspect;
#[cfg(test)]
mod manual;
mod memory;
mod mpi;
mod origin;
mod outputs;
mod page;
mod pictures;
mod profile;
mod report;
mod say;
mod schedules;

use std::process::ExitCode;

use adtape_generate::stack;
use clap::{Args, Parser, Subcommand};

const STATUS: &str = "\
Exit status:
  0  done, and all checks passed
  1  a file cannot be read or written, or a driver cannot be built or fails by itself
  2  wrong command line
  3  refused
  4  a check failed, a checkpoint is damaged, the generator failed, or it got too little memory
  5  a check found nothing wrong, but could not compare everything";

#[derive(Parser)]
#[command(name = "adtape", version, about = "Adjoints and tangents of C programs; profiles, checkpoints, schedules")]
#[command(after_help = STATUS)]
struct Command {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Clone)]
enum What {
    /// Write the adjoint: f_b, which runs forward and reverse sweep
    Adjoint {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        wishes: generate::Wishes,
    },
    /// Write the tangent: f_d
    Tangent {
        #[command(flatten)]
        common: Common,
    },
    /// Show a profile: tables, and a page with pictures
    ///
    /// A program writes the profile when it exits, if it runs with ADTAPE_PROFILE=1.
    Report {
        /// The profile
        file: String,
        /// Write a page, too: flame graph, memory over time, runs of drivers; by default beside the profile
        #[arg(long, value_name = "PAGE", num_args = 0..=1, default_missing_value = "")]
        html: Option<String>,
    },
    /// Compare two profiles: what grew, by call site
    Diff {
        /// The profile before
        old: String,
        /// The profile after
        new: String,
    },
    /// Show what is in a file of checkpoints, and check it
    Inspect {
        /// A file that ends in .adtape or .adtapes
        checkpoint: String,
        /// Write each array to this directory, for NumPy and others that read .npy
        #[arg(long, value_name = "DIRECTORY")]
        export: Option<String>,
    },
    /// List the calls of MPI that a converted program still makes itself
    ///
    /// Their derivative is lost without a word: libadtape_mpi sees converted calls only. Exit status 4 if there are any.
    Mpi {
        /// Sources of C or Fortran, what was compiled of them, directories of both
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,
    },
    /// Compare schedules: what the reversal of a loop costs by each of them
    Schedule {
        #[command(flatten)]
        wanted: schedules::Loop,
    },
}

#[derive(Args, Clone)]
struct Common {
    /// C sources; the generated file includes them
    #[arg(required = true)]
    files: Vec<String>,
    /// Say whether this generated file is what its command, which stands in its head, would write now: exit status 0; else
    /// 4, and what has changed
    #[arg(long, value_name = "FILE", exclusive = true)]
    verify: Option<String>,
    /// What to differentiate: 'f(y)/(x) g(z)/(w)', results by the name of their function
    #[arg(long, value_name = "f(y)/(x)")]
    head: Vec<String>,
    /// Where headers are looked for
    #[arg(short = 'I', value_name = "DIRECTORY")]
    include: Vec<String>,
    /// A macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    define: Vec<String>,
    /// A macro that is not defined
    #[arg(short = 'U', value_name = "NAME")]
    undefine: Vec<String>,
    /// The language standard of the sources, for the compiler that reads them: c99, gnu11
    #[arg(long, value_name = "STANDARD")]
    std: Option<String>,
    /// A syntax tree that clang wrote (-Xclang -ast-dump=json -fsyntax-only), one for each source in their order: clang does
    /// not run
    #[arg(long, value_name = "FILE")]
    ast: Vec<String>,
    /// The generated file; by default in the working directory, named after the first source
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// The compiler that reads the sources
    #[arg(long, value_name = "PROGRAM", default_value = "clang")]
    clang: String,
    /// Accepts variables that keep what depends on the inputs from call to call: the derivative is that of one call
    #[arg(long)]
    one_call: bool,
    /// Declare in the generated file what the sources define, instead of including them: it links with their object files,
    /// and with other generated files of them
    #[arg(long, conflicts_with = "ast")]
    without_source: bool,
    /// The arguments that the text depends on, for its head.
    #[arg(skip)]
    command: Vec<String>,
    /// Whether files are compared instead of written.
    #[arg(skip)]
    compares: bool,
}

impl What {
    /// What a command line without the program's name asks for.
    fn of(arguments: &[String]) -> Option<What> {
        let program = std::iter::once("adtape").chain(arguments.iter().map(String::as_str));
        Some(Command::try_parse_from(program).ok()?.what.with(arguments))
    }

    /// Keeps the arguments for the head of what is written.
    fn with(mut self, arguments: &[String]) -> What {
        if let What::Adjoint { common, .. } | What::Tangent { common } = &mut self {
            common.command = origin::that_count(arguments);
        }
        self
    }
}

#[global_allocator]
static ALLOCATOR: memory::Memory = memory::Memory;

fn main() -> ExitCode {
    // A fault of the generator is no proof of anything: nothing is written, as for what is not proved.
    std::panic::set_hook(Box::new(|fault| {
        // A stack that cannot be had is no fault.
        let internal = || format!("adtape: refused: internal: {fault}\nhelp: please report this program\n");
        say::tell(&if stack::is_short() { memory::no_stack() } else { internal() });
        std::process::exit(4);
    }));
    // What is no text was refused by the parser.
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|one| one.to_string_lossy().into_owned()).collect();
    let what = Command::parse().what.with(&arguments);
    match on_a_deep_stack(move || run(what)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(status) => ExitCode::from(status),
    }
}

fn run(what: What) -> Result<(), u8> {
    match what {
        What::Adjoint { common: Common { verify: Some(file), .. }, .. }
        | What::Tangent { common: Common { verify: Some(file), .. } } => origin::verify(&file),
        What::Adjoint { common, wishes } => generate::adjoint(&common, &wishes),
        What::Tangent { common } => generate::tangent(&common),
        What::Report { file, html } => profile::report(&file, html.as_deref()),
        What::Diff { old, new } => profile::diff(&old, &new),
        What::Inspect { checkpoint, export } => inspect::inspect(&checkpoint, export.as_deref()),
        What::Mpi { files } => mpi::list(&files),
        What::Schedule { wanted } => schedules::compare(&wanted),
    }
}

/// Runs the generator where chains of 10^5 definitions and nests of as many operators find room. Pages that nobody
/// touches cost nothing; where so much address space is not to be had, less must do, and more is taken as it is needed.
fn on_a_deep_stack(work: impl FnOnce() -> Result<(), u8> + Send + Clone + 'static) -> Result<(), u8> {
    for most in [8 << 30, 4 << 30, 1 << 30, 1 << 26] {
        let thread = std::thread::Builder::new().stack_size(stack::bytes(most, 8));
        if let Ok(running) = thread.spawn(work.clone()) {
            return running.join().unwrap_or(Err(4));
        }
    }
    work()
}
