//! The files of a program, and places in them.

use crate::front::Unread;
use crate::ir;
use crate::refuse::{Class, Refusal};
use adtape_fortran::form::converted;
use adtape_fortran::source::{Form, Preprocessor, Source, Span, decode};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file that the command line names, as it is read.
pub struct Text {
    /// Its lines, with those of the files that it includes.
    pub source: Source,
    /// Its form.
    pub form: Form,
    /// Whether a preprocessor wrote them.
    pub preprocessed: bool,
}

/// All files.
#[derive(Default)]
pub struct Texts {
    /// Those of the command line.
    pub sources: Vec<Text>,
    /// All that places name.
    pub files: Vec<ir::Source>,
    numbers: FxHashMap<String, usize>,
    /// By file: where each line begins.
    starts: Vec<Vec<usize>>,
    /// Files that the sources include, in any order.
    included: Vec<String>,
}

impl Texts {
    /// Reads a file; its preprocessor runs first where its name asks for that.
    pub fn load(&mut self, path: &str, arguments: &[String]) -> Result<(), Refusal> {
        let unread = |what: String, help: &str| Refusal {
            class: Class::Language,
            span: ir::Span::default(),
            what,
            help: help.to_string(),
        };
        let bytes = std::fs::read(path).map_err(|error| unread(format!("{path} cannot be read: {error}"), ""))?;
        let text = decode(bytes);
        self.file(path, true, Some(&text));
        let folders: Vec<PathBuf> = folders(arguments);
        let mut included = Vec::new();
        let mut find = |name: &str, from: &str| {
            let beside = Path::new(from).parent().unwrap_or(Path::new("")).to_path_buf();
            let mut paths = std::iter::once(beside).chain(folders.iter().cloned()).map(|folder| folder.join(name));
            paths.find_map(|path| {
                let bytes = std::fs::read(&path).ok()?;
                included.push(path.to_string_lossy().into_owned());
                Some((path.to_string_lossy().into_owned(), decode(bytes)))
            })
        };
        let preprocessed = is_preprocessed(path);
        let (form, source) = if preprocessed {
            let text = preprocess(path, arguments)
                .map_err(|error| unread(error, "install gfortran, or name a file that is preprocessed already"))?;
            self.included.extend(entered(&text));
            let form = Form::of_text(path, &text);
            (form, Source::of_preprocessed(path, &text, form, &mut find))
        } else {
            let form = Form::of_text(path, &text);
            (form, Source::of_text(path, &text, form, &mut find))
        };
        self.sources.push(Text { source, form, preprocessed });
        self.included.extend(included);
        Ok(())
    }

    /// Numbers the files that the sources include. They come behind all sources.
    pub fn number_included(&mut self) {
        for path in std::mem::take(&mut self.included) {
            self.file(&path, false, None);
        }
    }

    fn file(&mut self, path: &str, main: bool, text: Option<&str>) -> usize {
        if let Some(known) = self.numbers.get(path) {
            return *known;
        }
        let text = match text {
            Some(text) => text.to_string(),
            None => std::fs::read(path).map(decode).unwrap_or_default(),
        };
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        self.starts.push(std::iter::once(0).chain(ends).collect());
        self.files.push(ir::Source { path: path.to_string(), text, main, origins: Vec::new() });
        self.numbers.insert(path.to_string(), self.files.len() - 1);
        self.files.len() - 1
    }

    /// The place that a part of a file's lines is.
    pub fn span(&mut self, file: usize, span: Span) -> ir::Span {
        let (from, to) = (self.place(file, span.from), self.place(file, span.to));
        let end = if to.source == from.source { to.start.max(from.start) } else { from.start };
        ir::Span { end, ..from }
    }

    fn place(&mut self, file: usize, place: adtape_fortran::source::Place) -> ir::Span {
        let position = self.sources[file].source.position(place);
        let (path, line, column) = (position.file.to_string(), position.line, position.column);
        let number = self.file(&path, false, None);
        let starts = &self.starts[number];
        let start = starts.get(line as usize - 1).copied().unwrap_or(0) + column as usize - 1;
        let start = u32::try_from(start.min(self.files[number].text.len())).unwrap_or(u32::MAX);
        ir::Span { source: u32::try_from(number).unwrap_or(u32::MAX), start, end: start, line, column }
    }

    /// A file's lines behind the preprocessor and in free form; none if that is what the file has.
    pub fn copied(&self, file: usize) -> Option<String> {
        let Text { source, preprocessed, form } = &self.sources[file];
        let lines: Vec<&str> = match preprocessed {
            true => (0..source.line_count()).map(|line| source.line(line)).collect(),
            false => self.files[file].text.lines().collect(),
        };
        let all = |lines: &mut dyn Iterator<Item = &str>| lines.map(|line| format!("{line}\n")).collect();
        match *form {
            Form::Fixed { columns } => {
                let free = converted(&lines, columns);
                Some(all(&mut free.iter().map(String::as_str)))
            }
            Form::Free => preprocessed.then(|| all(&mut lines.into_iter())),
        }
    }

    /// The line, from 1, where a place stands in what is copied of a file: its own, or the preprocessor's.
    pub fn copied_line(&mut self, file: usize, span: Span) -> u32 {
        if self.sources[file].preprocessed { span.from.line + 1 } else { self.span(file, span).line }
    }

    /// The refusals, with the texts that they point into.
    pub fn unread(&self, refusals: Vec<Refusal>) -> Unread {
        Unread { refusals, sources: self.files.clone() }
    }
}

/// Whether compilers preprocess a file of this name.
fn is_preprocessed(path: &str) -> bool {
    let extension = path.rsplit('.').next().unwrap_or_default();
    extension.starts_with(|c: char| c.is_ascii_uppercase()) || extension.eq_ignore_ascii_case("fpp")
}

/// The files that a preprocessor says it has read: `# 1 "include/sizes.h" 1`.
fn entered(text: &str) -> impl Iterator<Item = String> {
    let name = |line: &str| {
        let (number, behind) = line.strip_prefix("# ")?.split_once(" \"")?;
        let (path, _) = behind.split_once('"')?;
        let is_file = number.bytes().all(|byte| byte.is_ascii_digit()) && Path::new(path).is_file();
        is_file.then(|| path.to_string())
    };
    text.lines().filter_map(name)
}

fn folders(arguments: &[String]) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.strip_prefix("-I") {
            Some("") => folders.extend(rest.next().map(PathBuf::from)),
            Some(folder) => folders.push(PathBuf::from(folder)),
            None => {}
        }
    }
    folders
}

/// What the preprocessor writes; the first one that runs.
fn preprocess(path: &str, arguments: &[String]) -> Result<String, String> {
    let mut said = String::new();
    for preprocessor in [Preprocessor::Gfortran, Preprocessor::Cpp] {
        let words = preprocessor.command(path, arguments);
        match Command::new(&words[0]).args(&words[1..]).output() {
            Ok(output) if output.status.success() => return Ok(decode(output.stdout)),
            Ok(output) => said = String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_string(),
            Err(error) if said.is_empty() => said = format!("{}: {error}", words[0]),
            Err(_) => {}
        }
    }
    Err(format!("{path} cannot be preprocessed: {said}"))
}
