//! Where a generated file comes from, in its head: version, command line, and a hash of each input.
//!
//! ```text
//! /* model_b.c: the adjoint of f, written by adtape. */
//! /* version: 0.1.0
//!  * command: adtape adjoint model.c --head 'f(f)/(x)' -DN=3
//!  * input: 0f3a5c1e9b7d2486 model.c
//!  * Compile it with ... */
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use crate::options::Common;
use crate::{outputs, say};

const VERSION: &str = " version: ";
const COMMAND: &str = " * command: ";
const INPUT: &str = " * input: ";
const LAST: &str = " * Compile it with the -I, -D and -U of the command; adtape adjoint --verify says whether it is up to \
                    date. */\n";

/// What the head of a generated file says.
pub struct Origin {
    pub version: String,
    pub command: Vec<String>,
    /// Hashes and names.
    pub inputs: Vec<(String, String)>,
}

/// The generated text with its head behind its first line; `command` are the arguments that count.
pub fn with_head(text: &str, command: &[String], inputs: &[String]) -> String {
    let command: Vec<String> = command.iter().map(|argument| quoted(argument)).collect();
    let inputs = inputs.iter().map(|path| format!("{INPUT}{} {}\n", hash_of(path), quoted(path)));
    let inputs: String = inputs.collect();
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let version = env!("CARGO_PKG_VERSION");
    if first.starts_with('!') {
        let head = format!("{VERSION}{version}\n{COMMAND}adtape {}\n{inputs}", command.join(" "));
        let lines: String = head.lines().map(|line| format!("!{}\n", line.trim_start_matches(" *"))).collect();
        return format!("{first}\n{lines}{rest}");
    }
    format!("{first}\n/*{VERSION}{version}\n{COMMAND}adtape {}\n{inputs}{LAST}{rest}", command.join(" "))
}

/// The inputs of a run, each once, without the files that it writes.
pub fn inputs(common: &Common, read: &[String], written: &[PathBuf]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for path in common.files.iter().chain(&common.ast).chain(read) {
        let path = path.strip_prefix("./").unwrap_or(path);
        let known = found.iter().any(|other| other == path || outputs::are_one(Path::new(path), Path::new(other)));
        let own = written.iter().any(|other| outputs::are_one(Path::new(path), other));
        if !known && !own && Path::new(path).is_file() {
            found.push(path.to_string());
        }
    }
    found
}

pub fn read(text: &str) -> Option<Origin> {
    let head = if text.starts_with('!') { of_fortran(text) } else { text.split_once("\n/*")?.1.to_string() };
    let head = head.strip_prefix(VERSION)?;
    let (version, rest) = head.split_once('\n')?;
    let mut origin = Origin { version: version.to_string(), command: Vec::new(), inputs: Vec::new() };
    for line in rest.lines() {
        if let Some(command) = line.strip_prefix(COMMAND) {
            origin.command = unquoted(command).split_off(1);
        } else if let Some((hash, path)) = line.strip_prefix(INPUT).and_then(|input| input.split_once(' ')) {
            origin.inputs.push((hash.to_string(), unquoted(path).concat()));
        } else {
            break;
        }
    }
    (!origin.command.is_empty()).then_some(origin)
}

/// The head of a file in Fortran, as one in C has it.
fn of_fortran(text: &str) -> String {
    let lines = text.lines().skip(1).map_while(|line| line.strip_prefix('!'));
    let lines = lines.map(|line| if line.starts_with(VERSION) { format!("{line}\n") } else { format!(" *{line}\n") });
    lines.collect()
}

/// FNV-1a, which finds what changed by accident. A file that cannot be read has the hash of none.
pub fn hash_of(path: &str) -> String {
    let Ok(bytes) = fs::read(path) else { return "-".into() };
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

/// An argument as a shell reads it, on one line and without what begins or ends a comment of C.
pub fn quoted(argument: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-+=./:,%@".contains(c);
    if !argument.is_empty() && argument.chars().all(is_plain) {
        return argument.to_string();
    }
    let inside = argument.replace('\'', r"'\''").replace('\n', r"'$'\n''");
    format!("'{}'", inside.replace("*/", "*''/").replace("/*", "/''*"))
}

/// The arguments of a command line as [`quoted`] writes them.
fn unquoted(line: &str) -> Vec<String> {
    let (mut words, mut word, mut open, mut some) = (Vec::new(), String::new(), false, false);
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match c {
            '\'' => (open, some) = (!open, true),
            ' ' if !open => {
                if std::mem::take(&mut some) {
                    words.push(std::mem::take(&mut word));
                }
            }
            '\\' if !open && rest.starts_with(r"\'") => {
                word.push('\'');
                length = 2;
            }
            '$' if !open && rest.starts_with(r"$'\n'") => {
                word.push('\n');
                length = r"$'\n'".len();
            }
            c => {
                word.push(c);
                some = true;
            }
        }
        rest = &rest[length..];
    }
    words.extend(some.then_some(word));
    words
}

/// Says that a generated file is not what its command would write; the exit status.
pub fn stale(file: &str, what: &str, help: &str) -> u8 {
    say::error(&format!("{file} is not up to date: {what}"), help, 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_comes_back_from_the_head() {
        let all = ["adjoint", "a b.c", "--head", "f(f)/(x)", "-DS='\"*/\"'", "-I/*", "", "it's\n*", "-Dé=1"];
        let command: Vec<String> = all.iter().map(ToString::to_string).collect();
        let text = with_head("/* o.c, written by adtape. */\nint x;\n", &command, &[]);
        assert_eq!(text.matches("*/").count(), 2, "{text}");
        assert_eq!(text.matches("/*").count(), 2, "{text}");
        assert!(text.ends_with("*/\nint x;\n"), "{text}");
        assert_eq!(read(&text).expect("a head").command, command);
        let text = with_head("! o.f90, written by adtape.\nend\n", &command, &[]);
        assert!(text.ends_with("\nend\n") && read(&text).expect("a head").command == command, "{text}");
    }
}
