//! Calls of MPI in sources of C and Fortran: names outside of comments and texts.

use std::path::Path;

/// How a source is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C,
    /// A line continues behind `&`, and a comment begins with `!`.
    Free,
    /// A comment has its letter in the first column.
    Fixed,
}

/// By the ending of the file's name; None of what is no source.
pub fn language(path: &Path) -> Option<Language> {
    let ending = path.extension()?.to_str()?.to_lowercase();
    match ending.as_str() {
        "c" | "h" | "cc" | "cpp" | "cxx" | "c++" | "hpp" | "hh" | "hxx" | "cu" => Some(Language::C),
        "f90" | "f95" | "f03" | "f08" | "f18" => Some(Language::Free),
        "f" | "for" | "ftn" | "f77" | "fpp" | "inc" => Some(Language::Fixed),
        _ => None,
    }
}

/// Names that a source may call, with their lines, from 1.
pub fn names(text: &str, language: Language) -> Vec<(usize, String)> {
    match language {
        Language::C => in_c(text),
        Language::Free | Language::Fixed => in_fortran(text, language == Language::Fixed),
    }
}

/// A line with this comment calls what has no derivative.
const PASSIVE: &str = "adtape: passive";

/// Whether the line says that its call moves no value with a derivative.
pub fn is_passive(text: &str, line: usize) -> bool {
    text.lines().nth(line - 1).is_some_and(|line| line.contains(PASSIVE))
}

fn is_of_names(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A text without comments and strings, which become blanks; lines stay.
fn in_c(text: &str) -> Vec<(usize, String)> {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '/' if rest.starts_with("//") => end_of_line(rest),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |at| at + 4),
            '"' | '\'' => end_of_text(rest, c),
            _ => 0,
        };
        if length == 0 {
            code.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            code.extend(rest[..length].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            rest = &rest[length..];
        }
    }
    let words = |(line, text): (usize, &str)| words(text).map(move |(at, name)| (line, at, name)).collect::<Vec<_>>();
    code.lines().enumerate().flat_map(words).map(|(line, _, name)| (line + 1, name)).collect()
}

/// Up to the end of the line, which a backslash puts off.
fn end_of_line(text: &str) -> usize {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if !line.trim_end_matches(['\n', '\r']).ends_with('\\') {
            return at - usize::from(line.ends_with('\n'));
        }
    }
    at
}

/// Behind the closing quote, or at the end of the line: an apostrophe may stand alone in text that is not compiled, and
/// between the digits of a number of C++.
fn end_of_text(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' if !escaped => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// Names in a text, with the place behind each.
fn words(text: &str) -> impl Iterator<Item = (usize, String)> + '_ {
    let begins = move |at: usize| !text[..at].chars().next_back().is_some_and(is_of_names);
    text.char_indices().filter(move |(at, c)| is_of_names(*c) && begins(*at)).map(|(at, _)| {
        let name: String = text[at..].chars().take_while(|c| is_of_names(*c)).collect();
        (at + name.len(), name)
    })
}

/// Names behind `call`, or before a bracket: `use mpi, only: MPI_Send` and `external MPI_SEND` call nothing.
fn in_fortran(text: &str, fixed: bool) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (line, text) in text.lines().enumerate() {
        if fixed && text.starts_with(['c', 'C', '*', 'd', 'D']) {
            continue;
        }
        let code = without_texts(text);
        let mut before = String::new();
        for (behind, name) in words(&code) {
            let is_call = before.eq_ignore_ascii_case("call");
            if is_call || code[behind..].trim_start().starts_with('(') {
                found.push((line + 1, name.clone()));
            }
            before = name;
        }
    }
    found
}

/// A line of Fortran up to its comment, with blanks for its texts.
fn without_texts(line: &str) -> String {
    let mut code = String::new();
    let mut quote = None;
    for c in line.chars() {
        match quote {
            Some(open) => {
                if c == open {
                    quote = None;
                }
                code.push(' ');
            }
            None if c == '!' => break,
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                code.push(' ');
            }
            None => code.push(c),
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_comments_and_texts_of_c_are_no_calls() {
        let text = "/* MPI_A\n MPI_B */ MPI_C(x); // MPI_D \\\n MPI_E\n\"MPI_F \\\" MPI_G\" MPI_H\n'\"' MPI_I 1'000\nMPI_J\n#define S MPI_K\n";
        let found: Vec<_> = names(text, Language::C).into_iter().filter(|(_, name)| name.starts_with("MPI")).collect();
        let expected = [(2, "MPI_C"), (4, "MPI_H"), (5, "MPI_I"), (6, "MPI_J"), (7, "MPI_K")];
        assert_eq!(found, expected.map(|(line, name)| (line, name.to_owned())));
    }

    #[test]
    fn calls_of_fortran_are_behind_call_or_before_a_bracket() {
        let text = "use mpi, only: MPI_A\ncall mpi_b ( x ) ! MPI_C(x)\nprint *, 'MPI_D(', \"it's MPI_E(\"\nx = MPI_F(y); call MPI_G\n";
        let found: Vec<_> =
            names(text, Language::Free).into_iter().filter(|(_, n)| n.to_lowercase().starts_with("mpi")).collect();
        assert_eq!(found, [(2, "mpi_b".to_owned()), (4, "MPI_F".to_owned()), (4, "MPI_G".to_owned())]);
        let fixed = "c     call MPI_A(x)\n*     call MPI_B(x)\n      call MPI_C(x)\n     & MPI_D(y)\n";
        let found: Vec<_> = names(fixed, Language::Fixed).into_iter().filter(|(_, n)| n.starts_with("MPI")).collect();
        assert_eq!(found, [(3, "MPI_C".to_owned()), (4, "MPI_D".to_owned())]);
    }
}
