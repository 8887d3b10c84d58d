//! MPI in C sources: messages, and what waits for them.
//!
//! ```text
//!   mpi.h       what programs call, as the generator reads it: no MPI need be there
//!   catalogue   what calls do to buffers
//!   body        the bodies that calls have for the analyses
//! ```
//!
//! A call of MPI is lowered from a body that stands for it, as a function with a rule is. In sweeps it is
//! `adtape_MPI_…`, whose reverse gets the adjoints of its buffers. See `docs/mpi.md`.

pub mod body;
pub mod catalogue;

use crate::front::Input;
use crate::ir::{Derivative, Rule};
use body::Variant;
use catalogue::{Call, Requests};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The header with the calls of generated code.
pub const HEADER: &str = "adtape/rules_mpi.h";

/// What is read in place of the header of an MPI.
pub const TEXT: &str = include_str!("mpi.h");

/// Calls that adtape must make, because it needs a communicator of its own for each. They have no reverse.
pub const MADE: [&str; 10] = [
    "MPI_Init",
    "MPI_Init_thread",
    "MPI_Finalize",
    "MPI_Comm_dup",
    "MPI_Comm_split",
    "MPI_Comm_split_type",
    "MPI_Comm_create",
    "MPI_Comm_create_group",
    "MPI_Cart_create",
    "MPI_Cart_sub",
];

/// A folder with the header of MPI that sources are read with.
pub struct Reading(PathBuf);

impl Reading {
    /// Makes the folder.
    pub fn new() -> io::Result<Reading> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("adtape-reads-mpi-{}-{number}", process::id()));
        std::fs::create_dir_all(&folder)?;
        let reading = Reading(folder);
        std::fs::write(reading.0.join("mpi.h"), TEXT)?;
        Ok(reading)
    }

    /// What the compiler gets: the folder comes before those with the header of an MPI.
    pub fn input(&self, input: &Input) -> Input {
        let mut arguments = vec!["-isystem".to_string(), self.0.to_string_lossy().into_owned()];
        let mut given = input.arguments.iter().peekable();
        while let Some(argument) = given.next() {
            let folder = match argument.strip_prefix("-I") {
                Some("") => given.peek().map_or("", |folder| folder),
                Some(folder) => folder,
                None => "",
            };
            if folder.is_empty() || !Path::new(folder).join("mpi.h").is_file() {
                arguments.push(argument.clone());
                continue;
            }
            arguments.extend(["-idirafter".to_string(), folder.to_string()]);
            if argument == "-I" {
                given.next();
            }
        }
        Input { arguments, ..input.clone() }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        // What stays is a small file among temporary ones.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a call of MPI is to the sweeps.
pub fn rule(call: &Call, variant: Variant) -> Rule {
    let extra = body::extra(call).len();
    let params = call.parameters().count() + extra;
    let travels = variant.travels(call);
    let function = format!("{}MPI_{}", if travels { "adtape_" } else { "" }, call.name);
    let adjoints = body::adjoints(call, variant);
    // What the reverse call does to the adjoint of a buffer it does, whether it gets that or knows it.
    let is_buffer = |k: usize| call.parameters().nth(k).is_some_and(|(_, name)| call.buffer(name).is_some());
    let reverse = travels.then(|| Derivative {
        name: match call.requests {
            Requests::Many => format!("adtape_rule_MPI_{}_b_at", call.name),
            Requests::No | Requests::Begins | Requests::One if adjoints.is_empty() => format!("{function}_b"),
            Requests::No | Requests::Begins | Requests::One => format!("{function}_b_at"),
        },
        behind: (0..params).map(|k| adjoints.contains(&k) || is_buffer(k)).collect(),
        result: false,
        alone: Some(adjoints.clone()),
        in_blocks: (call.requests == Requests::Many)
            .then(|| (format!("adtape_rule_MPI_{}_b_of_blocks", call.name), [0, params - 1])),
    });
    Rule {
        function: if call.notes_completed() { format!("adtape_rule_MPI_{}", call.name) } else { function },
        reverse,
        tangent: (travels && !variant.laid).then(|| Derivative {
            name: format!("adtape_rule_MPI_{}_d", call.name),
            behind: (0..params).map(is_buffer).collect(),
            ..Derivative::default()
        }),
        reads: vec![false; params],
        repeats: false,
        header: Some(HEADER),
        extra,
        opaque: variant.laid,
        keeps: variant.keeps(call),
        trial: None,
        implicit: None,
    }
}

/// The bodies of a call, by name, with their rules and texts.
pub fn bodies(call: &'static Call) -> impl Iterator<Item = (String, Arc<Rule>, String)> {
    Variant::all(call).map(|variant| {
        let name = variant.body(call);
        (name, Arc::new(rule(call, variant)), body::text(call, variant))
    })
}
