//! clang's syntax tree while clang writes it: one thread reads, this one parses what is complete.
//!
//! clang prints one token a line, each declaration at file scope indented by four blanks. Three quarters of the text are
//! indentation, which goes at once, and so do lines, columns and who includes a file.

use super::tree::{Growing, Tree};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ExitStatus};
use std::sync::{OnceLock, mpsc};
use std::thread::Builder;

/// Declarations are parsed together until they have this size.
const PART_BYTES: usize = 1 << 18;
/// Parts of a tree; the last one holds what is left.
const PARTS: usize = 4096;

/// Members of positions that nothing reads.
const UNREAD: [&[u8]; 1] = [b"\"col\": "];
const LINE: &[u8] = b"\"line\": ";
const FILE: &[u8] = b"\"file\": ";
/// Begins the position of a node's last token, behind that of its first.
const END: &[u8] = b"\"end\": {";
/// Nodes that may stand inside each other. clang indents each by four blanks more than the one around it, and nothing turns
/// that off: twice the depth is four times the blanks. A chain of so many `else if` has 4 GB of them.
pub const DEEPEST: usize = 2500;
const BLANKS_OF_A_NODE: usize = 4;

/// Such a member that is an object, and may be the last of its position.
const INCLUDED: &[u8] = b"\"includedFrom\": {";

/// Why a tree cannot be read.
#[derive(Debug)]
pub enum Unreadable {
    /// The source is not encoded in UTF-8.
    Encoding,
    /// More than [`DEEPEST`] nodes inside each other, at this line of a file.
    Deep { file: String, line: u32 },
    /// What is wrong with the compiler's output.
    Tree(String),
}

/// The text of one tree, from which its nodes borrow: each part is a list of declarations.
pub struct Parts(Box<[OnceLock<String>]>);

impl Default for Parts {
    fn default() -> Self {
        Parts((0..PARTS).map(|_| OnceLock::new()).collect())
    }
}

/// What a compiler said.
pub struct Said<'a> {
    pub status: ExitStatus,
    pub tree: Result<Tree<'a>, Unreadable>,
    pub errors: Vec<u8>,
}

/// Parses what a compiler writes.
pub fn read(mut compiler: Child, parts: &Parts) -> std::io::Result<Said<'_>> {
    let (output, errors) = (compiler.stdout.take(), compiler.stderr.take());
    std::thread::scope(|scope| {
        let (sender, ready) = mpsc::channel();
        let errors = Builder::new().spawn_scoped(scope, || {
            let mut said = Vec::new();
            errors.map(|mut errors| errors.read_to_end(&mut said));
            said
        })?;
        let reader = Builder::new().spawn_scoped(scope, move || {
            let output = output.map(|output| BufReader::with_capacity(1 << 17, output));
            output.map_or(Ok(()), |output| split(output, parts, &|part| sender.send(part).unwrap_or_default()))
        })?;
        let mut growing = Ok(Growing::default());
        for part in ready {
            let text = parts.0[part].get().map_or("", String::as_str);
            growing = growing.and_then(|tree| tree.with(text).map_err(Unreadable::Tree));
        }
        let whole = reader.join().unwrap_or_else(|fault| std::panic::resume_unwind(fault));
        if matches!(whole, Err(Unreadable::Deep { .. })) {
            compiler.kill()?;
        }
        let tree = whole.and(growing).map(Growing::finish);
        Ok(Said { status: compiler.wait()?, tree, errors: errors.join().unwrap_or_default() })
    })
}

/// Cuts a tree into parts, and says which of them is complete.
fn split(mut from: impl BufRead, parts: &Parts, ready: &dyn Fn(usize)) -> Result<(), Unreadable> {
    let failed = |error: std::io::Error| Unreadable::Tree(error.to_string());
    let (mut line, mut text, mut next, mut inside) = (Vec::new(), Vec::new(), 0, false);
    let mut complete = |text: &mut Vec<u8>| {
        while text.last().is_some_and(|last| b",\n".contains(last)) {
            text.pop();
        }
        text.push(b']');
        let part = String::from_utf8(std::mem::take(text)).map_err(|_| Unreadable::Encoding)?;
        if parts.0[next].set(part).is_ok() {
            ready(next);
        }
        next += 1;
        Ok::<bool, Unreadable>(next + 1 < PARTS)
    };
    let (mut cut, mut blanks, mut included) = (true, 0, false);
    let mut position = Position::default();
    loop {
        line.clear();
        if from.read_until(b'\n', &mut line).map_err(failed)? == 0 {
            return Err(Unreadable::Tree("it ends too early".into()));
        }
        match &line[..] {
            b"  \"inner\": [\n" if !inside => inside = true,
            b"  ]\n" if inside => break,
            b"}\n" => return Ok(()),
            _ if inside => {
                if text.is_empty() {
                    text.push(b'[');
                }
                blanks = indentation(&line, blanks);
                let token = &line[blanks..];
                if blanks > DEEPEST * BLANKS_OF_A_NODE {
                    return Err(Unreadable::Deep { file: position.file, line: position.first });
                }
                if included {
                    included = !token.starts_with(b"}");
                    if token == b"}\n" && text.ends_with(b",\n") {
                        text.truncate(text.len() - b",\n".len());
                    }
                } else if token.starts_with(INCLUDED) {
                    included = true;
                } else if position.is_line(token) {
                    // Nothing else reads it.
                } else if !UNREAD.iter().any(|key| token.starts_with(key)) {
                    text.extend_from_slice(token);
                }
                if cut && blanks == 4 && line[4] == b'}' && text.len() >= PART_BYTES {
                    cut = complete(&mut text)?;
                }
            }
            _ => {}
        }
    }
    if !text.is_empty() {
        complete(&mut text)?;
    }
    std::io::copy(&mut from, &mut std::io::sink()).map_err(failed)?;
    Ok(())
}

/// Where in the source the tree is: clang prints a file or a line only where it differs from the one printed before.
#[derive(Default)]
struct Position {
    file: String,
    line: u32,
    /// Line of the first token of a node.
    first: u32,
}

impl Position {
    /// Follows the tree; whether the token is a line.
    fn is_line(&mut self, token: &[u8]) -> bool {
        let rest = |key: &[u8]| {
            let value = token.strip_prefix(key)?.trim_ascii_end();
            std::str::from_utf8(value.strip_suffix(b",").unwrap_or(value)).ok()
        };
        if let Some(line) = rest(LINE) {
            self.line = line.parse().unwrap_or(self.line);
            return true;
        }
        if token.starts_with(END) {
            self.first = self.line;
        } else if let Some(file) = rest(FILE) {
            self.file = file.trim_matches('"').to_string();
        }
        false
    }
}

/// How many blanks a line begins with: hardly more or less than the line before.
fn indentation(line: &[u8], before: usize) -> usize {
    const BLANKS: &[u8] = &[b' '; 256];
    // What is deeper than that is skipped in blocks.
    let mut blanks = 0;
    while before - blanks > BLANKS.len() && line[blanks..].starts_with(BLANKS) {
        blanks += BLANKS.len();
    }
    let is_blank = |count: usize| line[blanks..].starts_with(&BLANKS[..count]);
    let mut more = (before - blanks).min(line.len() - blanks).min(BLANKS.len());
    while !is_blank(more) {
        more -= 1;
    }
    blanks += more;
    while line.get(blanks) == Some(&b' ') {
        blanks += 1;
    }
    blanks
}

#[cfg(test)]
mod tests {
    use super::super::tree;
    use super::*;

    #[test]
    fn a_tree_in_parts_is_the_tree_as_a_whole() {
        let declaration = |k: usize| {
            let from = "        \"includedFrom\": {\n          \"file\": \"b.c\"\n        }";
            let last = if k.is_multiple_of(2) { format!(",\n{from}") } else { String::new() };
            let file = if k.is_multiple_of(3) { "      \"file\": \"a.h\",\n" } else { "" };
            let location = format!(
                "      \"loc\": {{\n  {file}        \"offset\": {k},\n        \"line\": 7,\n        \"col\": 3,\n        \"tokLen\": 1{last}\n      }},\n"
            );
            format!(
                "    {{\n      \"id\": \"0x{k:x}\",\n{location}      \"kind\": \"VarDecl\",\n      \"name\": \"v  {k}\"\n    }}"
            )
        };
        let all: Vec<String> = (0..10_000).map(declaration).collect();
        let head = "{\n  \"id\": \"0x1\",\n  \"kind\": \"TranslationUnitDecl\",\n";
        let json = format!("{head}  \"inner\": [\n{}\n  ]\n}}\n", all.join(",\n"));
        let parts = Parts::default();
        let cut = std::cell::RefCell::new(Vec::new());
        split(json.as_bytes(), &parts, &|part| cut.borrow_mut().push(part)).unwrap();
        assert!(cut.borrow().len() > 2, "the text is large enough for several parts");
        let all = cut.borrow().iter().map(|part| parts.0[*part].get().unwrap().as_str()).collect::<Vec<_>>();
        let grown = all.into_iter().try_fold(Growing::default(), Growing::with).unwrap().finish();
        let whole = tree::parse(&json).unwrap();
        assert_eq!(format!("{:?}", grown.root.inner), format!("{:?}", whole.root.inner));
        assert_eq!((grown.files, grown.root.inner.len()), (whole.files, 10_000));
    }

    #[test]
    fn indentation_is_that_of_the_line_whatever_it_was_before() {
        for blanks in [0, 1, 4, 255, 256, 300] {
            let line = " ".repeat(blanks) + "}\n";
            for before in [0, 2, 6, 255, 256, 300, 1000] {
                assert_eq!(indentation(line.as_bytes(), before), blanks, "{before}");
            }
        }
    }

    #[test]
    fn reading_stops_at_the_line_that_is_too_deep() {
        let node = |depth: usize| {
            let blanks = " ".repeat(depth * BLANKS_OF_A_NODE);
            let first = format!("{blanks}\"begin\": {{\n{blanks}\"line\": {depth},\n{blanks}}},\n");
            first + &format!("{blanks}\"end\": {{\n{blanks}\"line\": {},\n{blanks}}},\n", depth + 7)
        };
        let read = |deepest: usize| {
            let nodes: String = (1..=deepest).map(node).collect();
            let json = format!("{{\n  \"inner\": [\n    \"file\": \"a.c\",\n{nodes}  ]\n}}\n");
            split(json.as_bytes(), &Parts::default(), &|_| ())
        };
        assert!(read(DEEPEST).is_ok());
        let last = DEEPEST as u32;
        assert!(matches!(read(DEEPEST + 9), Err(Unreadable::Deep { file, line }) if file == "a.c" && line == last));
    }

    #[test]
    fn a_text_that_ends_in_the_middle_is_no_tree() {
        let parts = Parts::default();
        assert!(split(&b"{\n  \"inner\": [\n    {\n      \"id\": \"0x1\"\n"[..], &parts, &|_| ()).is_err());
    }
}
