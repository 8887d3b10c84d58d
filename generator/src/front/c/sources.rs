//! The texts of the source files, and spans in them.

use super::joint::Joint;
use super::tree::{Location, Node, Pos};
use crate::ir::{Source, Span};
use rustc_hash::FxHashMap;

/// Source files that messages, literals and copied text come from.
#[derive(Default)]
pub struct Sources {
    /// As the program keeps them.
    pub list: Vec<Source>,
    line_starts: Vec<Vec<u32>>,
    by_path: FxHashMap<String, usize>,
}

impl Sources {
    /// Those of a program, under the numbers that they have there.
    pub fn of(list: Vec<Source>) -> Sources {
        let line_starts = list.iter().map(|source| line_starts(&source.text)).collect();
        let by_path = list.iter().enumerate().map(|(at, source)| (source.path.clone(), at)).collect();
        Sources { list, line_starts, by_path }
    }

    /// The number of a file; it is read at its first mention. A file that cannot be read has no text.
    pub fn number(&mut self, path: &str, main: bool) -> usize {
        if let Some(number) = self.by_path.get(path) {
            self.list[*number].main |= main;
            return *number;
        }
        let text = std::fs::read(path).map(readable).unwrap_or_default();
        let starts = line_starts(&text);
        self.list.push(Source { path: path.to_string(), text, main, origins: Vec::new() });
        self.line_starts.push(starts);
        self.by_path.insert(path.to_string(), self.list.len() - 1);
        self.list.len() - 1
    }

    /// Takes several sources in one text; `path` is the compiler's name for it.
    pub fn joint(&mut self, path: &str, joint: &Joint) {
        let number = self.number(path, true);
        self.line_starts[number] = line_starts(&joint.text);
        self.list[number].text.clone_from(&joint.text);
        let origin = |&(from, file, line): &(u32, usize, u32)| (from, joint.files[file].clone(), line);
        self.list[number].origins = joint.origins.iter().map(origin).collect();
    }

    /// Takes a text that no file has.
    pub fn given(&mut self, path: &str, text: &str) {
        let number = self.number(path, false);
        self.line_starts[number] = line_starts(text);
        self.list[number].text = text.to_string();
    }

    /// Line and column in the text, from 1.
    pub fn line_column(&self, source: usize, offset: u32) -> (u32, u32) {
        let starts = &self.line_starts[source];
        let line = starts.partition_point(|start| *start <= offset).max(1);
        (line as u32, offset - starts[line - 1] + 1)
    }

    /// Where the line begins that is so many lines behind that of a byte.
    pub fn line_start(&self, source: usize, at: u32, lines: u32) -> u32 {
        let starts = &self.line_starts[source];
        let (line, _) = self.line_column(source, at);
        starts.get((line - 1 + lines) as usize).copied().unwrap_or(at)
    }

    /// The file and the line that a byte was written in.
    pub fn place(&self, source: usize, at: u32) -> (&str, u32) {
        let (line, _) = self.line_column(source, at);
        match self.list[source].origin(at) {
            Some((from, path, first)) => (path, first + line - self.line_column(source, *from).0),
            None => (&self.list[source].path, line),
        }
    }

    /// The bytes from `start` to `end`, with the position of the first.
    pub fn span(&self, source: usize, start: u32, end: u32) -> Span {
        let (mut line, column) = self.line_column(source, start);
        if let Some((_, _, first)) = self.list[source].origin(start) {
            line = *first;
        }
        Span { source: source as u32, start, end: end.max(start), line, column }
    }

    /// The whole text of a source.
    pub fn all(&self, source: usize) -> &str {
        &self.list[source].text
    }

    /// Text of a range of bytes; empty if the file has none there.
    pub fn text(&self, source: usize, start: u32, end: u32) -> &str {
        self.list[source].text.get(start as usize..end as usize).unwrap_or("")
    }
}

/// Where the lines of a text begin.
fn line_starts(text: &str) -> Vec<u32> {
    let behind = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1);
    std::iter::once(0).chain(behind).collect()
}

/// Bytes as text in which each byte keeps its offset: what is no UTF-8 becomes question marks.
pub fn readable(bytes: Vec<u8>) -> String {
    let plain = |error: std::string::FromUtf8Error| {
        error.into_bytes().into_iter().map(|byte| if byte.is_ascii() { char::from(byte) } else { '?' }).collect()
    };
    String::from_utf8(bytes).unwrap_or_else(plain)
}

/// Positions of one tree: its files are numbered among all sources.
pub struct Files {
    /// Number of each file of the tree among the sources.
    pub numbers: Vec<usize>,
}

impl Files {
    /// Reads the files of a tree.
    pub fn new(paths: &[String], sources: &mut Sources, main: &str) -> Files {
        Files { numbers: paths.iter().map(|path| sources.number(path, path == main)).collect() }
    }

    fn source(&self, pos: Pos) -> Option<usize> {
        self.numbers.get(pos.file as usize).copied()
    }

    /// The text that a node stands for, macros unexpanded. A macro with arguments ends behind its parentheses.
    pub fn span(&self, node: &Node, sources: &Sources) -> Span {
        let (begin, end) = (node.begin, node.end);
        let Some(source) = self.source(begin.at) else { return self.point(node.location, sources) };
        if self.source(end.at) != Some(source) {
            return sources.span(source, begin.at.offset, begin.at.offset + begin.at.length);
        }
        let mut behind = end.at.offset + end.at.length;
        if end.spelled.is_some() {
            behind = behind_arguments(&sources.list[source].text, behind);
        }
        sources.span(source, begin.at.offset, behind)
    }

    /// The token at a position.
    pub fn point(&self, location: Location, sources: &Sources) -> Span {
        match self.source(location.at) {
            Some(source) => sources.span(source, location.at.offset, location.at.offset + location.at.length),
            None => Span::default(),
        }
    }

    /// The spelling of the node's first token: a literal as it is written, in a macro or not.
    pub fn first_token<'s>(&self, node: &Node, sources: &'s Sources) -> &'s str {
        let pos = node.begin.spelled.unwrap_or(node.begin.at);
        match self.source(pos) {
            Some(source) => sources.text(source, pos.offset, pos.offset + pos.length),
            None => "",
        }
    }
}

/// `behind` is the end of a macro's name: the end of its arguments, if it has any.
fn behind_arguments(text: &str, behind: u32) -> u32 {
    let bytes = text.as_bytes();
    let mut at = behind as usize;
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    if bytes.get(at) != Some(&b'(') {
        return behind;
    }
    let mut depth = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return at as u32 + 1;
                }
            }
            b'"' | b'\'' => at = behind_quote(bytes, at, *byte),
            _ => {}
        }
        at += 1;
    }
    behind
}

/// Position of the quote that closes the one at `at`.
pub fn behind_quote(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    at += 1;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at
}
