//! From sources to generated files.

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use adtape_generate::emit::{self, Options, Output};
use adtape_generate::flow::Head;
use adtape_generate::front::{self, Input};
use adtape_generate::ir::Program;
use adtape_generate::plan::again::{self, Named};
use adtape_generate::plan::checkpoint;
use adtape_generate::refuse::Refusal;
use adtape_generate::transform::{self, Choices};
use clap::Args;

use crate::{Common, What, check, explain, heads, origin, outputs, report, say};

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

impl Wishes {
    fn suffix(&self) -> &'static str {
        if self.vector.is_some() { "_bv" } else { "_b" }
    }

    fn choices(&self, one_call: bool) -> Choices {
        let again = self.again.iter().map(|text| Named::parse(text)).collect();
        let checkpoints = self.checkpoint.clone();
        let (dear, split, derivatives_only, vector) = (self.dear, self.split, self.derivatives_only, self.vector);
        Choices { again, checkpoints, dear, one_call, split, derivatives_only, vector, ..Choices::default() }
    }
}

/// `adtape adjoint`; the exit status where it fails.
pub fn adjoint(common: &Common, wishes: &Wishes) -> Result<(), u8> {
    let job = Job::new(common, wishes.suffix())?;
    let choices = wishes.choices(common.one_call);
    if let Some(what) = again::unknown(&job.program, &choices.again) {
        say::tell(&format!("adtape: --again: {what}\n"));
        return Err(2);
    }
    let names: Vec<Named> = choices.checkpoints.iter().map(|(name, _)| name.clone()).collect();
    if let Some(what) = again::unknown(&job.program, &names) {
        say::tell(&format!("adtape: --checkpoint: {what}\n"));
        return Err(2);
    }
    let adjoint = transform::adjoint(&job.program, &job.heads, &choices).map_err(|all| job.refused(&all))?;
    // The process ends soon, and nobody needs the memory back piece by piece.
    let adjoint = ManuallyDrop::new(adjoint);
    let output = if wishes.tangent {
        let tangents = transform::tangent(&job.program, &job.heads, &choices).map_err(|all| job.refused(&all))?;
        emit::with_tangent(&adjoint, &tangents, &job.options())
    } else {
        emit::adjoint(&adjoint, &job.options())
    };
    let output = output.map_err(|all| job.refused(&all))?;
    // Nothing is written before all that can be refused is there.
    let checked =
        wishes.check.as_ref().map(|driver| checked(&job, wishes).map(|output| (driver, output))).transpose()?;
    job.write(&output)?;
    report::dropped(&job.program, &job.files);
    if adjoint.demotions > 0 {
        let values = if adjoint.demotions == 1 { "value is" } else { "values are" };
        let why = "because computing again could not be proved right; please report this program";
        say::tell(&format!("adtape: note: {} {values} stored, {why}\n", adjoint.demotions));
    }
    if wishes.explain {
        say::print(&explain::text(&adjoint, &job.files));
    }
    if let Some(file) = &wishes.explain_html {
        if job.reads_or_writes(Path::new(file)) {
            return Err(say::error(
                &format!("{file} is no name for the page: it is read or written"),
                "name another",
                2,
            ));
        }
        say::write(file, &explain::page(&adjoint))?;
    }
    match checked {
        Some((driver, output)) => check::run(&output, &job, driver),
        None => Ok(()),
    }
}

/// The adjoint that checks itself.
fn checked(job: &Job, wishes: &Wishes) -> Result<Output, u8> {
    let choices = Choices { check: true, vector: None, ..wishes.choices(job.one_call) };
    let adjoint = transform::adjoint(&job.program, &job.heads, &choices).map_err(|all| job.refused(&all))?;
    let includes = job.files.iter().enumerate().map(|(k, file)| check::include(k, file)).collect();
    let options = Options { includes, ..job.options() };
    let tangents = transform::tangent(&job.program, &job.heads, &choices).map_err(|all| job.refused(&all))?;
    emit::checked(&adjoint, &tangents, &options).map_err(|all| job.refused(&all))
}

/// `adtape tangent`.
pub fn tangent(common: &Common) -> Result<(), u8> {
    let job = Job::new(common, TANGENT)?;
    let choices = Choices { one_call: common.one_call, ..Choices::default() };
    let tangents = transform::tangent(&job.program, &job.heads, &choices).map_err(|all| job.refused(&all))?;
    let output = emit::tangent(&tangents, &job.options()).map_err(|all| job.refused(&all))?;
    job.write(&output)?;
    report::dropped(&job.program, &job.files);
    Ok(())
}

/// Why a source cannot be read whose name says that it is not C.
fn language(file: &str) -> Option<String> {
    let extension = Path::new(file).extension()?.to_string_lossy().into_owned();
    let (what, help) = match extension.to_ascii_lowercase().as_str() {
        "f" | "for" | "f77" | "f90" | "f95" | "f03" | "f08" | "ftn" => (
            "Fortran",
            "translate it first (f2c for FORTRAN 77), or write the adjoint by hand with the module: docs/guide.md",
        ),
        "cpp" | "cc" | "cxx" | "c++" | "hpp" | "hh" | "hxx" => {
            ("C++", "put what is to be differentiated into a C source with plain functions, which C++ can call")
        }
        "cu" | "cuh" | "cl" | "hip" => ("code for a device", "differentiate a version for the host, written in C"),
        "py" | "jl" | "m" | "rs" | "go" | "java" => ("no C", "put what is to be differentiated into a C source"),
        _ => return None,
    };
    Some(format!("{file} is {what}, and adtape reads C\nhelp: {help}"))
}

/// Whether a source is an adjoint that adtape wrote.
fn is_adjoint(file: &str) -> bool {
    let text = std::fs::read(file).unwrap_or_default();
    let first = text.split(|byte| *byte == b'\n').next().map(String::from_utf8_lossy).unwrap_or_default();
    first.contains(": the adjoint of ") && first.contains("written by adtape")
}

/// The file that a command writes.
pub fn output_of(what: &What) -> PathBuf {
    match what {
        What::Adjoint { common, wishes } => output(common, wishes.suffix()),
        What::Tangent { common } => output(common, TANGENT),
        What::Report { .. } | What::Diff { .. } | What::Inspect { .. } | What::Schedule { .. } | What::Mpi { .. } => {
            PathBuf::new()
        }
    }
}

/// Performs a command that writes generated files, and compares them with those that are there.
pub fn compare(what: What) -> Result<(), u8> {
    match what {
        What::Adjoint { common, wishes } => adjoint(&Common { compares: true, ..common }, &wishes),
        What::Tangent { common } => tangent(&Common { compares: true, ..common }),
        What::Report { .. } | What::Diff { .. } | What::Inspect { .. } | What::Schedule { .. } | What::Mpi { .. } => {
            Ok(())
        }
    }
}

/// Behind the name of a model, the end of that of its tangent.
const TANGENT: &str = "_d";

fn output(common: &Common, suffix: &str) -> PathBuf {
    match (&common.output, common.files.first()) {
        (Some(path), _) => PathBuf::from(path),
        (None, first) => {
            let stem = first.and_then(|file| Path::new(file).file_stem()).unwrap_or_default().to_string_lossy();
            PathBuf::from(format!("{stem}{suffix}.c"))
        }
    }
}

/// What a run works on.
pub struct Job {
    /// The sources.
    pub files: Vec<String>,
    heads: Vec<Head>,
    program: Program,
    output: PathBuf,
    /// For the compiler that reads the sources.
    pub arguments: Vec<String>,
    one_call: bool,
    /// For the head of what is written: the command, and what it read.
    command: Vec<String>,
    inputs: Vec<String>,
    compares: bool,
}

impl Job {
    fn new(common: &Common, suffix: &str) -> Result<Job, u8> {
        let usage = |what: String| {
            say::tell(&format!("adtape: {what}\n"));
            2
        };
        let mut heads = Vec::new();
        for text in &common.head {
            heads.extend(heads::parse(text).map_err(usage)?);
        }
        if heads.is_empty() {
            return Err(usage("there is nothing to differentiate: add --head 'f(y)/(x)'".into()));
        }
        for file in common.files.iter().chain(&common.output) {
            if file.contains(['"', '\n']) {
                return Err(usage(format!("{file}: no #include can name such a file: rename it")));
            }
        }
        if let Some(what) = common.files.iter().find_map(|file| language(file)) {
            return Err(usage(what));
        }
        for file in &common.files {
            match std::fs::metadata(file) {
                Ok(found) if found.is_file() => {}
                Ok(_) => return Err(usage(format!("{file} is no file"))),
                Err(_) => return Err(usage(format!("there is no file {file}"))),
            }
        }
        let output = output(common, suffix);
        if output.extension().is_none_or(|extension| extension != "c") {
            return Err(usage(format!("{} does not end in .c", output.display())));
        }
        let mut arguments: Vec<String> = common.include.iter().map(|path| format!("-I{path}")).collect();
        arguments.extend(common.define.iter().map(|name| format!("-D{name}")));
        arguments.extend(common.undefine.iter().map(|name| format!("-U{name}")));
        arguments.extend(common.std.iter().map(|standard| format!("-std={standard}")));
        if !common.ast.is_empty() && common.ast.len() != common.files.len() {
            let (trees, files) = (common.ast.len(), common.files.len());
            return Err(usage(format!("there are {trees} syntax trees for {files} sources: one --ast for each")));
        }
        if let Some(file) = common.files.iter().find(|file| is_adjoint(file)) {
            let help = "for second derivatives write the tangent first, and then the adjoint of its file";
            say::tell(&format!("adtape: refused: {file} is an adjoint\nhelp: {help}\n"));
            return Err(3);
        }
        let input = Input {
            trees: common.ast.clone(),
            files: common.files.clone(),
            arguments: arguments.clone(),
            clang: common.clang.clone(),
            without_source: common.without_source,
            heads: heads.iter().map(|head| head.proc.clone()).collect(),
        };
        let program = front::read_or_explain(&input)
            .map_err(|unread| report::refusals(&unread.refusals, &unread.sources, &common.files))?;
        let (files, one_call) = (common.files.clone(), common.one_call);
        let written = [output.clone(), output.with_extension("h")];
        let inputs = origin::inputs(common, &program.files(), &written);
        let (command, compares) = (common.command.clone(), common.compares);
        let job = Job { files, heads, program, output, arguments, one_call, command, inputs, compares };
        if let Some(path) = job.overwritten() {
            return Err(usage(format!("{path} is read, so it cannot be written: name another file with -o")));
        }
        match written.iter().find_map(|path| outputs::taken(path)) {
            Some(what) => Err(usage(what)),
            None => Ok(job),
        }
    }

    /// A source or header that this run would overwrite; files of an earlier run may be.
    fn overwritten(&self) -> Option<String> {
        let read = self.program.sources.iter().filter(|source| !outputs::is_generated(&source.text));
        let mut all = read.map(|source| &source.path).chain(&self.files);
        let written = [self.output.clone(), self.output.with_extension("h")];
        all.find(|read| written.iter().any(|path| outputs::are_one(path, Path::new(read)))).cloned()
    }

    /// Whether a file is an input or an output of this run.
    fn reads_or_writes(&self, path: &Path) -> bool {
        let written = [&self.output, &self.output.with_extension("h")].map(|other| outputs::are_one(path, other));
        written.contains(&true) || self.inputs.iter().any(|other| outputs::are_one(path, Path::new(other)))
    }

    fn refused(&self, all: &[Refusal]) -> u8 {
        report::refusals(all, &self.program.sources, &self.files)
    }

    /// How the generated file is called, and what it includes.
    pub fn options(&self) -> Options {
        let file = self.output.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Options { file, includes: self.files.iter().map(|file| self.include(file)).collect() }
    }

    /// A source as the generated file includes it: relative where both are in one directory.
    fn include(&self, file: &str) -> String {
        let folder = |path: &Path| {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            parent.canonicalize().unwrap_or_else(|_| parent.to_path_buf())
        };
        let (path, name) = (Path::new(file), Path::new(file).file_name().unwrap_or_default().to_string_lossy());
        let (here, there) = (folder(&self.output), folder(path));
        match there.strip_prefix(&here) {
            Ok(below) => below.join(&*name).to_string_lossy().into_owned(),
            Err(_) => there.join(&*name).to_string_lossy().into_owned(),
        }
    }

    fn write(&self, output: &Output) -> Result<(), u8> {
        let source = origin::with_head(&output.source, &self.command, &self.inputs);
        for (path, text) in [(&self.output, &source), (&self.output.with_extension("h"), &output.header)] {
            if !self.compares {
                outputs::write(path, text)?;
            } else if std::fs::read(path).ok().as_deref() != Some(text.as_bytes()) {
                let what = "its command would write another text now";
                return Err(origin::stale(&path.to_string_lossy(), what, "run the command that stands in its head"));
            }
        }
        Ok(())
    }
}
