//! What a run works on: the program that it reads, and the files that it writes.

use std::path::{Path, PathBuf};

use adtape_generate::emit::{Options, Output};
use adtape_generate::flow::Head;
use adtape_generate::front::{self, Input, is_fortran};
use adtape_generate::ir::Program;
use adtape_generate::refuse::{Class, Refusal};

use crate::messages::{Level, Message, emit};
use crate::options::{Common, PRINTED};
use crate::{depfile, flags, heads, origin, outputs, report, say};

/// Why a source cannot be read whose name says that it is not C.
pub fn language(file: &str) -> Option<String> {
    let extension = Path::new(file).extension()?.to_string_lossy().into_owned();
    // Compilers take `.C` for C++.
    let known = if extension == "C" { "cpp".to_string() } else { extension.to_ascii_lowercase() };
    let (what, help) = match known.as_str() {
        "cpp" | "cc" | "cxx" | "c++" | "hpp" | "hh" | "hxx" => {
            ("C++", "put what is to be differentiated into a C source with plain functions, which C++ can call")
        }
        "cu" | "cuh" | "cl" | "hip" => ("code for a device", "differentiate a version for the host, written in C"),
        "py" | "jl" | "m" | "rs" | "go" | "java" => {
            ("neither", "put what is to be differentiated into a source in C or Fortran")
        }
        _ => return None,
    };
    Some(format!("{file} is {what}, and adtape reads C and Fortran\nhelp: {help}"))
}

/// Whether a source is an adjoint that adtape wrote.
pub fn is_adjoint(file: &str) -> bool {
    let text = std::fs::read(file).unwrap_or_default();
    let first = text.split(|byte| *byte == b'\n').next().map(String::from_utf8_lossy).unwrap_or_default();
    first.contains(": the adjoint of ") && first.contains("written by adtape")
}

/// Behind the name of a model, the end of that of its tangent.
pub const TANGENT: &str = "_d";

pub fn output(common: &Common, suffix: &str) -> PathBuf {
    match (&common.output, common.files.first()) {
        (Some(path), _) if path != PRINTED => PathBuf::from(path),
        (_, first) => {
            let stem = first.and_then(|file| Path::new(file).file_stem()).unwrap_or_default().to_string_lossy();
            let extension = if first.is_some_and(|file| is_fortran(file)) { "f90" } else { "c" };
            PathBuf::from(format!("{stem}{suffix}.{extension}"))
        }
    }
}

/// What a run works on.
pub struct Job {
    /// The sources.
    pub files: Vec<String>,
    pub heads: Vec<Head>,
    pub program: Program,
    pub output: PathBuf,
    /// For the compiler that reads the sources.
    pub arguments: Vec<String>,
    pub one_call: bool,
    /// For the head of what is written: the command, and what it read.
    pub command: Vec<String>,
    pub inputs: Vec<String>,
    pub compares: bool,
    /// Whether the generated file goes to standard output.
    pub prints: bool,
    /// Where a rule of make goes that names what was read, and what it names beside the inputs.
    pub depfile: Option<(String, Vec<String>)>,
}

impl Job {
    pub fn new(common: &Common, suffix: &str) -> Result<Job, u8> {
        let usage = |what: String| say::plain(&what, 2);
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
        let fortran = common.files.iter().filter(|file| is_fortran(file)).count();
        if fortran > 0 && fortran < common.files.len() {
            return Err(usage("sources in C and in Fortran: give those of one language".into()));
        }
        if fortran > 0 {
            // Names have no case there.
            for head in &mut heads {
                let all = head.dependents.iter_mut().chain(&mut head.independents);
                all.chain([&mut head.proc]).for_each(|name| name.make_ascii_lowercase());
            }
        }
        if fortran > 0 && (common.without_source || !common.ast.is_empty()) {
            return Err(usage("--without-source and --ast are for sources in C".into()));
        }
        let wanted = if fortran > 0 { "f90" } else { "c" };
        if output.extension().is_none_or(|extension| extension != wanted) {
            return Err(usage(format!("{} does not end in .{wanted}", output.display())));
        }
        let arguments = flags::arguments(common).map_err(usage)?;
        if !common.ast.is_empty() && common.ast.len() != common.files.len() {
            let (trees, files) = (common.ast.len(), common.files.len());
            return Err(usage(format!("there are {trees} syntax trees for {files} sources: one --ast for each")));
        }
        if let Some(file) = common.files.iter().find(|file| is_adjoint(file)) {
            let help = "for second derivatives write the tangent first, and then the adjoint of its file";
            let what = format!("{file} is an adjoint");
            let text = format!("adtape: error: refused: {what}\nhelp: {help}\n");
            let (level, code, places) = (Level::Error, Class::Language.code(), Vec::new());
            emit(Message { level, code, what, help: help.into(), places, text });
            return Err(3);
        }
        let input = Input {
            trees: common.ast.clone(),
            files: common.files.clone(),
            arguments: arguments.clone(),
            clang: common.clang.clone(),
            without_source: common.without_source,
            passive: common.passive.clone(),
            heads: heads.iter().map(|head| head.proc.clone()).collect(),
        };
        let program = front::read_or_explain(&input)
            .map_err(|unread| report::refusals(&unread.refusals, &unread.sources, &common.files))?;
        name_results(&program, &mut heads);
        let (files, one_call) = (common.files.clone(), common.one_call);
        let written = [output.clone(), output.with_extension("h")];
        let inputs = origin::inputs(common, &program.files(), &written);
        let (command, compares) = (common.command.clone(), common.compares);
        let prints = common.output.as_deref() == Some(PRINTED);
        let depfile = depfile::wanted(common, &inputs, &written).map_err(usage)?;
        let job =
            Job { files, heads, program, output, arguments, one_call, command, inputs, compares, prints, depfile };
        if prints {
            return Ok(job);
        }
        if let Some(path) = job.overwritten() {
            return Err(usage(format!("{path} is read, so it cannot be written: name another file with -o")));
        }
        match written.iter().find_map(|path| outputs::taken(path)) {
            Some(what) => Err(usage(what)),
            None => Ok(job),
        }
    }

    /// A source or header that this run would overwrite; files of an earlier run may be.
    pub fn overwritten(&self) -> Option<String> {
        let read = self.program.sources.iter().filter(|source| !outputs::is_generated(&source.text));
        let mut all = read.map(|source| &source.path).chain(&self.files);
        let written = [self.output.clone(), self.output.with_extension("h")];
        all.find(|read| written.iter().any(|path| outputs::are_one(path, Path::new(read)))).cloned()
    }

    /// Whether a file is an input or an output of this run.
    pub fn reads_or_writes(&self, path: &Path) -> bool {
        let written = [&self.output, &self.output.with_extension("h")].map(|other| outputs::are_one(path, other));
        written.contains(&true) || self.inputs.iter().any(|other| outputs::are_one(path, Path::new(other)))
    }

    pub fn refused(&self, all: &[Refusal]) -> u8 {
        report::refusals(all, &self.program.sources, &self.files)
    }

    /// How the generated file is called, and what it includes.
    pub fn options(&self) -> Options {
        let file = self.output.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Options { file, includes: self.files.iter().map(|file| self.include(file)).collect() }
    }

    /// A source as the generated file includes it: relative where both are in one directory.
    pub fn include(&self, file: &str) -> String {
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

    pub fn write(&self, output: &Output) -> Result<(), u8> {
        let source = origin::with_head(&output.source, &self.command, &self.inputs);
        let header = self.output.with_extension("h");
        let mut files = vec![(&self.output, &source), (&header, &output.header)];
        if self.prints {
            say::print_raw(&source);
            files.clear();
        }
        // Fortran has no header.
        for (path, text) in files.into_iter().filter(|(_, text)| !text.is_empty()) {
            if !self.compares {
                outputs::write(path, text)?;
            } else if std::fs::read(path).ok().as_deref() != Some(text.as_bytes()) {
                let what = "its command would write another text now";
                return Err(origin::stale(&path.to_string_lossy(), what, "run the command that stands in its head"));
            }
        }
        let rule = self.depfile.as_ref().filter(|_| !self.compares);
        rule.map_or(Ok(()), |wanted| depfile::write(wanted, &self.output, &self.inputs))
    }
}

/// Lets heads name the result of a function by its variable, as `function energy(x) result(total)` declares it.
fn name_results(program: &Program, heads: &mut [Head]) {
    let Some(fortran) = &program.fortran else { return };
    for head in heads {
        let of_head = fortran.procs.iter().find(|known| known.key == head.proc);
        let Some(result) = of_head.and_then(|known| known.result.as_ref()) else { continue };
        let named = head.dependents.iter_mut().filter(|name| *name == result);
        named.for_each(|name| name.clone_from(&head.proc));
    }
}
