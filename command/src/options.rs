//! The command line.

use adtape_generate::plan::again::Named;
use adtape_generate::plan::checkpoint;
use clap::{Args, Parser, Subcommand};

use crate::messages::Format;
use crate::schedules;

const STATUS: &str = "\
Exit status:
  0  done, and all checks passed
  1  a file cannot be read or written, or a driver cannot be built or fails by itself
  2  wrong command line
  3  refused
  4  a check failed, a checkpoint is damaged, the generator failed, or it got too little memory
  5  a check found nothing wrong, but could not compare everything";

#[derive(Parser)]
#[command(
    name = "adtape",
    version,
    about = "Adjoints and tangents of C and Fortran programs; profiles, checkpoints, schedules"
)]
#[command(after_help = STATUS)]
pub struct Command {
    #[command(subcommand)]
    pub what: What,
}

#[derive(Subcommand, Clone)]
pub enum What {
    /// Write the adjoint: f_b, which runs forward and reverse sweep
    Adjoint {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        wishes: Wishes,
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
        /// Print JSON in place of tables: bytes and counts as numbers
        #[arg(long)]
        json: bool,
    },
    /// Explain the code of a message: what it means, and what to do
    Explain {
        /// The code, as --message-format json and --sarif name it: pointer, no-source
        code: String,
    },
    /// Print what lets a shell complete commands and options
    ///
    /// bash: adtape completions bash >~/.local/share/bash-completion/completions/adtape
    Completions {
        /// The shell
        shell: clap_complete::Shell,
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
        /// Print JSON in place of tables
        #[arg(long)]
        json: bool,
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
pub struct Common {
    /// Sources in C, which the generated file includes, or in Fortran, whose modules it has with the derivatives in them
    #[arg(required = true)]
    pub files: Vec<String>,
    /// Say whether this generated file is what its command, which stands in its head, would write now: exit status 0; else
    /// 4, and what has changed
    #[arg(long, value_name = "FILE", exclusive = true)]
    pub verify: Option<String>,
    /// What to differentiate: 'f(y)/(x) g(z)/(w)', results by the name of their function
    #[arg(long, required = true, value_name = "f(y)/(x)")]
    pub head: Vec<String>,
    /// Where headers are looked for
    #[arg(short = 'I', value_name = "DIRECTORY")]
    pub include: Vec<String>,
    /// Where headers of the system are looked for; as compilers do, the command takes -isystem DIRECTORY, too
    #[arg(long = "isystem", value_name = "DIRECTORY")]
    pub system: Vec<String>,
    /// A file that is read in front of each source; -include FILE does the same
    #[arg(long = "include", value_name = "FILE")]
    pub included: Vec<String>,
    /// A macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// A macro that is not defined
    #[arg(short = 'U', value_name = "NAME")]
    pub undefine: Vec<String>,
    /// The language standard of the sources, for the compiler that reads them: c99, gnu11
    #[arg(long, value_name = "STANDARD")]
    pub std: Option<String>,
    /// Take the flags of the sources from a compilation database, compile_commands.json, or from the one in this folder
    #[arg(short = 'p', value_name = "DATABASE")]
    pub commands: Option<String>,
    /// Write what the generated file was made of to this file, as a rule of make: sources and their own headers
    #[arg(long, value_name = "FILE")]
    pub depfile: Option<String>,
    /// Flags for the compiler that reads the sources
    #[arg(last = true, value_name = "FLAG")]
    pub reader: Vec<String>,
    /// A syntax tree that clang wrote (-Xclang -ast-dump=json -fsyntax-only), one for each source in their order: clang does
    /// not run
    #[arg(long, value_name = "FILE")]
    pub ast: Vec<String>,
    /// The generated file; by default in the working directory, named after the first source; - prints it
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<String>,
    /// The compiler that reads the sources
    #[arg(long, value_name = "PROGRAM", default_value = "clang")]
    pub clang: String,
    /// How refusals, warnings and notes are written
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    pub message_format: Format,
    /// Write refusals, warnings and notes to this file, too, in SARIF
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<String>,
    /// Accepts variables that keep what depends on the inputs from call to call: the derivative is that of one call
    #[arg(long)]
    pub one_call: bool,
    /// A function through which no derivative passes, and which leaves the memory of the program alone: a log, a clock;
    /// 'timer_*' for all with such a name
    #[arg(long, value_name = "FUNCTION")]
    pub passive: Vec<String>,
    /// Declare in the generated file what the sources define, instead of including them: it links with their object files,
    /// and with other generated files of them
    #[arg(long, conflicts_with = "ast")]
    pub without_source: bool,
    /// The arguments that the text depends on, for its head.
    #[arg(skip)]
    pub command: Vec<String>,
    /// Whether files are compared instead of written.
    #[arg(skip)]
    pub compares: bool,
}

impl What {
    /// The options of what writes generated files.
    pub fn common(&self) -> Option<&Common> {
        match self {
            What::Adjoint { common, .. } | What::Tangent { common } => Some(common),
            _ => None,
        }
    }

    /// What a command line without the program's name asks for.
    pub fn of(arguments: &[String]) -> Option<What> {
        let program = std::iter::once("adtape".to_owned()).chain(as_long(arguments));
        Some(Command::try_parse_from(program).ok()?.what.with(arguments))
    }

    /// Keeps the arguments for the head of what is written.
    pub fn with(mut self, arguments: &[String]) -> What {
        if let What::Adjoint { common, .. } | What::Tangent { common } = &mut self {
            common.command = that_count(arguments);
        }
        self
    }
}

// What the options of `adtape adjoint` say. No comment for readers of the help, which would stand there.
#[derive(Args, Clone)]
pub struct Wishes {
    /// Export the forward and the reverse sweep of each head, f_fwd and f_rev, too
    #[arg(long)]
    pub split: bool,
    /// Write the tangent of each head, f_d, into the same file: two files would both include the source
    #[arg(long, conflicts_with = "vector")]
    pub tangent: bool,
    /// Say for each value how it comes back in the reverse sweep, or why it is stored
    #[arg(long)]
    pub explain: bool,
    /// Write the same as a page with the annotated sources
    #[arg(long, value_name = "FILE")]
    pub explain_html: Option<String>,
    /// Build and run this driver with the adjoint, and compare: every operand that the reverse sweep reads, bit for
    /// bit, with what the forward sweep had; the adjoint with the tangent and with differences
    #[arg(long, value_name = "DRIVER")]
    pub check: Option<String>,
    /// Largest cost at which a real is computed again instead of stored
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub dear: u32,
    /// Compute derivatives only: results that the heads name, behind pointers, stay as they are where nothing else needs
    /// them
    #[arg(long, conflicts_with = "split")]
    pub derivatives_only: bool,
    /// Give the value with the gradient: the adjoint returns what the function returns, and results behind arguments hold
    /// their values afterwards
    #[arg(long, conflicts_with = "derivatives_only")]
    pub value: bool,
    /// Add to adjoints in the order in which the reversed program does: loops whose passes commute do not run
    /// upwards, and no sum is split among the parts of vectors
    #[arg(long)]
    pub in_order: bool,
    /// Compute K adjoints at once, one for each direction: writes f_bv, which records once and whose adjoints are
    /// arrays of K
    #[arg(long, value_name = "K", conflicts_with = "check", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub vector: Option<u32>,
    /// Run the passes of loops again in the reverse sweep instead of taping them: those that i counts in f, or all of
    /// f; * for all functions
    #[arg(long, value_name = "f[:i]")]
    pub again: Vec<String>,
    /// Run the passes of loops again from N snapshots instead of taping them: for long time loops
    #[arg(long, value_name = "f[:i]=N", value_parser = checkpoint::parse)]
    pub checkpoint: Vec<(Named, u32)>,
}

/// Arguments of which those that compilers write with one dash and a word have two.
pub fn as_long(arguments: &[String]) -> Vec<String> {
    let mut behind = false;
    let long = |argument: &String| {
        behind |= argument == "--";
        let word = |option| Some((option, argument.strip_prefix(option)?));
        match ["-isystem", "-include"].into_iter().find_map(word).filter(|_| !behind) {
            Some((option, "")) => format!("-{option}"),
            Some((option, rest)) => format!("-{option}={rest}"),
            None => argument.clone(),
        }
    };
    arguments.iter().map(long).collect()
}

/// The arguments of a run that its text depends on.
pub fn that_count(arguments: &[String]) -> Vec<String> {
    let (mut kept, mut all) = (Vec::new(), arguments.iter());
    while let Some(argument) = all.next() {
        let (name, joined) = argument.split_once('=').map_or((argument.as_str(), false), |(name, _)| (name, true));
        if argument == "-o" && all.as_slice().first().is_some_and(|file| file == PRINTED) {
            all.next();
            continue;
        }
        match ASIDE.iter().find(|(option, _)| *option == name) {
            Some((_, follows)) if *follows && !joined => drop(all.next()),
            Some(_) => {}
            None => kept.push(argument.clone()),
        }
        if argument == "--" {
            kept.extend(all.by_ref().cloned());
        }
    }
    kept
}

/// Options without influence on the text, and whether a value follows.
const ASIDE: [(&str, bool); 6] = [
    ("--explain", false),
    ("--explain-html", true),
    ("--check", true),
    ("--depfile", true),
    ("--message-format", true),
    ("--sarif", true),
];

/// The name of a generated file that is printed.
pub const PRINTED: &str = "-";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_change_no_text_are_left_out() {
        let all = ["adjoint", "--check", "d.c", "a.c", "--explain", "--explain-html=p", "--dear", "3", "--", "--check"];
        let all: Vec<String> = all.iter().map(ToString::to_string).collect();
        assert_eq!(that_count(&all), ["adjoint", "a.c", "--dear", "3", "--", "--check"]);
        let all = ["adjoint", "a.c", "--depfile", "a.d", "-o", "-", "--depfile=b.d"].map(String::from);
        assert_eq!(that_count(&all), ["adjoint", "a.c"]);
    }

    #[test]
    fn options_of_compilers_have_one_dash() {
        let all =
            ["-isystem", "a", "-include", "b.h", "-isystem/c", "-Include", "--", "-include", "d"].map(String::from);
        let long = ["--isystem", "a", "--include", "b.h", "--isystem=/c", "-Include", "--", "-include", "d"];
        assert_eq!(as_long(&all), long);
    }
}
