//! The command `adtape`: writes adjoints and tangents of C and Fortran programs, and shows what programs did: profiles,
//! checkpoints, schedules.
//!
//! Exit status: 0 done, and all checks passed; 1 a file cannot be read or written, or a driver cannot be built or fails
//! by itself; 2 wrong command line; 3 refused; 4 a check failed, a checkpoint is damaged, the generator failed, or it got
//! too little memory; 5 a check could not compare everything.

#![deny(unsafe_code)]

mod check;
mod codes;
mod depfile;
mod explain;
mod flags;
mod generate;
mod heads;
mod inspect;
mod job;
#[cfg(test)]
mod manual;
mod memory;
mod messages;
mod mpi;
mod options;
mod origin;
mod outputs;
mod page;
mod pictures;
mod profile;
mod report;
mod say;
mod schedules;
mod verify;
mod words;

use std::process::ExitCode;

use adtape_generate::stack;
use clap::{CommandFactory, Parser};
use options::{Command, Common, What};

#[global_allocator]
static ALLOCATOR: memory::Memory = memory::Memory;

fn main() -> ExitCode {
    // A fault of the generator is no proof of anything: nothing is written, as for what is not proved.
    std::panic::set_hook(Box::new(|fault| {
        // A stack that cannot be had is no fault.
        let internal = || format!("adtape: error: refused: internal: {fault}\nhelp: please report this program\n");
        say::tell(&if stack::is_short() { memory::no_stack() } else { internal() });
        std::process::exit(4);
    }));
    // What is no text was refused by the parser.
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|one| one.to_string_lossy().into_owned()).collect();
    let program = std::iter::once("adtape".to_owned());
    let parsed = if arguments_are_texts() {
        Command::parse_from(program.chain(options::as_long(&arguments)))
    } else {
        Command::parse()
    };
    let what = parsed.what.with(&arguments);
    let sarif = what.common().and_then(|common| {
        messages::begin(common.message_format);
        common.sarif.clone()
    });
    let mut done = on_a_deep_stack(move || run(what));
    if let Some(file) = sarif {
        done = say::write(&file, &messages::sarif()).and(done);
    }
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(status) => ExitCode::from(status),
    }
}

/// Whether all arguments are texts; else the parser says which is not.
fn arguments_are_texts() -> bool {
    std::env::args_os().all(|one| one.into_string().is_ok())
}

fn run(what: What) -> Result<(), u8> {
    match what {
        What::Adjoint { common: Common { verify: Some(file), .. }, .. }
        | What::Tangent { common: Common { verify: Some(file), .. } } => verify::verify(&file),
        What::Adjoint { common, wishes } => generate::adjoint(&common, &wishes),
        What::Tangent { common } => generate::tangent(&common),
        What::Explain { code } => codes::explain(&code),
        What::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Command::command(), "adtape", &mut text);
            say::print_raw(&String::from_utf8_lossy(&text));
            Ok(())
        }
        What::Report { file, html, json } => profile::report(&file, html.as_deref(), json),
        What::Diff { old, new } => profile::diff(&old, &new),
        What::Inspect { checkpoint, export, json } => inspect::inspect(&checkpoint, export.as_deref(), json),
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
