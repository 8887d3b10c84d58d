//! The user's text: files, their lines, and places in them.
//!
//! A [`Source`] is one stream of physical lines. A line knows the file and the number under which the user finds it,
//! whatever brought it here: the file itself, an INCLUDE line, or a line marker of the preprocessor. A [`Place`] is a
//! line of the stream and a byte of that line.
//!
//! ```text
//!   model.F90 ── cpp ──►  # 1 "model.F90"        stream   file         number
//!                         module m          ──►  0        model.F90    1
//!                         # 1 "sizes.h" 1        1        sizes.h      1
//!                         integer :: n           2        model.F90    3
//!                         # 3 "model.F90" 2
//! ```

use std::ops::Range;

/// The column behind which a line in fixed form is comment, unless the user says otherwise.
pub const FIXED_COLUMNS: usize = 72;

/// How lines make statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Statements in columns 7 to `columns`.
    Fixed {
        /// The last column of a statement.
        columns: usize,
    },
    /// Statements anywhere, continued by `&`.
    Free,
}

impl Form {
    /// The form that compilers take for a file of this name.
    pub fn of_name(name: &str) -> Form {
        let extension = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        match extension.as_str() {
            "f" | "for" | "ftn" | "f77" | "fpp" => Form::Fixed { columns: FIXED_COLUMNS },
            _ => Form::Free,
        }
    }

    /// The form of a text in a file of this name. Some files with the name of fixed form are in free form: they have a line
    /// that fixed form cannot have.
    pub fn of_text(name: &str, text: &str) -> Form {
        let named = Form::of_name(name);
        if named != Form::Free && text.lines().any(is_free) { Form::Free } else { named }
    }
}

/// Whether a line has a letter where fixed form has labels.
fn is_free(line: &str) -> bool {
    if line.starts_with(['c', 'C', 'd', 'D', '*', '!', '#']) {
        return false;
    }
    let label = line.chars().take(5).take_while(|c| !matches!(c, '!' | '\t'));
    label.into_iter().any(|c| c.is_ascii_alphabetic())
}

/// A character of the text: a line of the stream and a byte in it, both from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Place {
    /// The line of the stream.
    pub line: u32,
    /// The byte of the line.
    pub column: u32,
}

/// A part of the text, from its first character to the one behind its last.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// The first character.
    pub from: Place,
    /// The character behind the last.
    pub to: Place,
}

impl Span {
    /// From the beginning of `self` to the end of `last`.
    pub fn to(self, last: Span) -> Span {
        Span { from: self.from, to: last.to }
    }
}

/// A place as the user counts: both numbers from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position<'a> {
    /// The file's name.
    pub file: &'a str,
    /// The line of the file.
    pub line: u32,
    /// The character of the line.
    pub column: u32,
}

/// A physical line.
struct Line {
    file: u32,
    number: u32,
    text: Range<usize>,
}

/// The lines of one file and of all that it includes, in the order in which a compiler reads them.
#[derive(Default)]
pub struct Source {
    files: Vec<String>,
    text: String,
    lines: Vec<Line>,
}

/// Finds the file of an INCLUDE line: given its name and the including file's, the path and the text.
pub type Find<'a> = dyn FnMut(&str, &str) -> Option<(String, String)> + 'a;

impl Source {
    /// The lines of a file that no preprocessor has seen.
    pub fn of_text(name: &str, text: &str, form: Form, find: &mut Find) -> Source {
        let mut source = Source::default();
        source.add(name, text, form, find, &mut vec![name.to_owned()]);
        source
    }

    /// The lines that a preprocessor wrote, whose line markers say where each is from.
    pub fn of_preprocessed(name: &str, text: &str, form: Form, find: &mut Find) -> Source {
        let mut source = Source::default();
        let (mut file, mut number) = (source.file(name), 1);
        for line in text.lines() {
            if let Some((marked, path)) = line_marker(line) {
                (file, number) = (source.file(path), marked);
                continue;
            }
            let from = source.files[file as usize].clone();
            source.add_line(file, number, line, form, find, &mut vec![from]);
            number += 1;
        }
        source
    }

    fn add(&mut self, name: &str, text: &str, form: Form, find: &mut Find, open: &mut Vec<String>) {
        let file = self.file(name);
        for (line, number) in text.lines().zip(1..) {
            self.add_line(file, number, line, form, find, open);
        }
    }

    /// Adds a line, or the lines of the file that it includes. A file that includes itself stays unincluded there.
    fn add_line(&mut self, file: u32, number: u32, line: &str, form: Form, find: &mut Find, open: &mut Vec<String>) {
        let from = open.last().cloned().unwrap_or_default();
        let found = included(line, form).and_then(|name| find(name, &from)).filter(|(path, _)| !open.contains(path));
        if let Some((path, text)) = found {
            open.push(path.clone());
            self.add(&path, &text, form, find, open);
            open.pop();
            return;
        }
        let start = self.text.len();
        self.text.push_str(line);
        self.lines.push(Line { file, number, text: start..self.text.len() });
    }

    fn file(&mut self, name: &str) -> u32 {
        let known = self.files.iter().position(|file| file == name);
        let number = known.unwrap_or_else(|| {
            self.files.push(name.to_owned());
            self.files.len() - 1
        });
        u32::try_from(number).expect("fewer files than that")
    }

    /// The text of a line of the stream, without its end.
    pub fn line(&self, line: u32) -> &str {
        &self.text[self.lines[line as usize].text.clone()]
    }

    /// The number of lines.
    pub fn line_count(&self) -> u32 {
        u32::try_from(self.lines.len()).expect("fewer lines than that")
    }

    /// The user's words for a place.
    pub fn position(&self, place: Place) -> Position<'_> {
        let Some(line) = self.lines.get(place.line as usize) else {
            return Position { file: self.files.first().map_or("", |name| name), line: 1, column: 1 };
        };
        let before = self.text[line.text.clone()].char_indices().take_while(|(i, _)| *i < place.column as usize);
        let column = u32::try_from(before.count()).expect("a short line") + 1;
        Position { file: &self.files[line.file as usize], line: line.number, column }
    }

    /// The text of a span; the lines of a longer one with their ends.
    pub fn text(&self, span: Span) -> String {
        let mut text = String::new();
        for number in span.from.line..=span.to.line {
            let line = self.line(number);
            let end = if number == span.to.line { span.to.column as usize } else { line.len() };
            let start = if number == span.from.line { span.from.column as usize } else { 0 };
            text.push_str(line.get(start.min(end)..end.min(line.len())).unwrap_or_default());
            if number < span.to.line {
                text.push('\n');
            }
        }
        text
    }
}

/// The text of a file whatever its encoding: UTF-8 with or without its mark, otherwise one character a byte.
pub fn decode(mut bytes: Vec<u8>) -> String {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    String::from_utf8(bytes).unwrap_or_else(|error| error.as_bytes().iter().map(|byte| char::from(*byte)).collect())
}

/// The programs that preprocess Fortran.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preprocessor {
    /// `gfortran -E -cpp`, which defines its own macros.
    Gfortran,
    /// `cpp -traditional`, which needs no Fortran compiler.
    Cpp,
}

impl Preprocessor {
    /// The command line for a file: `options` are the user's `-D` and `-I`. Its output has line markers.
    pub fn command(self, path: &str, options: &[String]) -> Vec<String> {
        let program: &[&str] = match self {
            Preprocessor::Gfortran => &["gfortran", "-E", "-cpp"],
            Preprocessor::Cpp => &["cpp", "-traditional", "-w"],
        };
        let words = program.iter().map(|word| (*word).to_owned());
        words.chain(options.iter().cloned()).chain([path.to_owned()]).collect()
    }
}

/// The line and the file that a marker `# 12 "model.F90" 2` names.
fn line_marker(line: &str) -> Option<(u32, &str)> {
    let rest = line.strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let (number, path) = rest.split_once(char::is_whitespace)?;
    let path = path.trim_start().strip_prefix('"')?;
    Some((number.parse().ok()?, &path[..path.find('"')?]))
}

/// The file that an INCLUDE line names.
fn included(line: &str, form: Form) -> Option<&str> {
    let start = match form {
        Form::Free => line,
        Form::Fixed { .. } if line.starts_with('\t') => line,
        Form::Fixed { .. } => line.strip_prefix("      ")?,
    };
    let start = start.trim_start();
    let rest = start.get(7..).filter(|_| start[..7].eq_ignore_ascii_case("include"))?.trim_start();
    let quote = rest.chars().next().filter(|first| matches!(first, '\'' | '"'))?;
    let (name, behind) = rest[1..].split_once(quote)?;
    let behind = behind.trim_start();
    (behind.is_empty() || behind.starts_with('!')).then_some(name.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(_: &str, _: &str) -> Option<(String, String)> {
        None
    }

    fn numbers(source: &Source) -> Vec<(String, u32)> {
        let line = |line| source.position(Place { line, column: 0 });
        (0..source.line_count()).map(|i| (line(i).file.to_owned(), line(i).line)).collect()
    }

    #[test]
    fn line_markers_name_the_users_lines() {
        let text = "# 1 \"m.F90\"\nmodule m\n# 1 \"sizes.h\" 1\ninteger n\n# 3 \"m.F90\" 2\nend\n";
        let source = Source::of_preprocessed("m.F90", text, Form::Free, &mut nothing);
        assert_eq!(numbers(&source), [("m.F90".into(), 1), ("sizes.h".into(), 1), ("m.F90".into(), 3)]);
    }

    #[test]
    fn included_lines_stand_where_the_include_line_was() {
        let mut find = |name: &str, from: &str| match (name, from) {
            ("a.inc", "m.f") => Some(("d/a.inc".into(), "      REAL X\n      include \"b.inc\" ! deep\n".into())),
            ("b.inc", "d/a.inc") => Some(("d/b.inc".into(), "      INCLUDE 'a.inc'\n".into())),
            _ => None,
        };
        let text = "      INCLUDE 'a.inc'\n      include 'none'\n      END\n";
        let source = Source::of_text("m.f", text, Form::of_name("m.f"), &mut find);
        let expected = [("d/a.inc", 1), ("d/b.inc", 1), ("m.f", 2), ("m.f", 3)];
        assert_eq!(numbers(&source), expected.map(|(file, line)| (file.to_owned(), line)));
    }

    #[test]
    fn an_include_that_is_part_of_more_is_no_include_line() {
        let fixed = Form::of_name("m.F");
        for (line, form) in [
            ("include 'a' // b", Form::Free),
            ("include = 'a'", Form::Free),
            ("includes 'a'", Form::Free),
            ("     &include 'a'", fixed),
            ("C     include 'a'", fixed),
        ] {
            assert_eq!(included(line, form), None, "{line}");
        }
        assert_eq!(included("\tINCLUDE  'a.h'", fixed), Some("a.h"));
        assert_eq!(included("include\"a.h\"! why", Form::Free), Some("a.h"));
    }

    #[test]
    fn columns_count_characters() {
        let source = Source::of_text("m.f90", "x = 'é' + y\n", Form::Free, &mut nothing);
        let at = source.line(0).find('y').expect("y") as u32;
        assert_eq!(source.position(Place { line: 0, column: at }).column, 11);
        assert_eq!(decode(b"caf\xe9".to_vec()), "café");
    }
}
