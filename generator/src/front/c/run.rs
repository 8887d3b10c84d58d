//! Runs clang.

use super::stream::{self, DEEPEST, Parts, Unreadable};
use super::tree::{Tree, Unordered};
use crate::ir::Span;
use crate::refuse::{Class, Refusal};
use crate::stack;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

/// The oldest major version whose syntax trees were read in tests.
const OLDEST: u32 = 14;

/// A compiler that is asked for its version.
pub struct Asked(String, Result<Child, Refusal>);

/// Asks a compiler for its version.
pub fn ask(clang: &str) -> Asked {
    let mut command = Command::new(clang);
    let running = command.arg("--version").stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    Asked(clang.to_string(), running.map_err(|error| unless_missing(clang, &error).unwrap_or_else(missing)))
}

/// Address space is short: the compiler cannot be started, or stops.
fn short(clang: &str) -> Option<Refusal> {
    let limit = stack::limit()?;
    let what = format!(
        "adtape: error: {clang} cannot run: the address space of each process is limited to {limit} bytes (ulimit -v)"
    );
    let help =
        "raise the limit, or run clang -Xclang -ast-dump=json -fsyntax-only elsewhere and pass its output with --ast";
    Some(Refusal { class: Class::Memory, span: Span::default(), what, help: help.to_string() })
}

/// Address space is short, unless there is no such program.
fn unless_missing(clang: &str, error: &std::io::Error) -> Option<Refusal> {
    let is_missing = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied);
    short(clang).filter(|_| !is_missing)
}

/// Whether a process stopped in front of its first instruction: the loader found no room for a library.
fn did_not_start(status: ExitStatus) -> bool {
    status.code().is_none_or(|code| code == 127)
}

fn missing() -> Refusal {
    let what = "adtape: needs clang (14 or newer) to read C; Debian: apt install clang".to_string();
    Refusal { class: Class::Head, span: Span::default(), what, help: String::new() }
}

impl Asked {
    /// Refuses a compiler that is too old, or none.
    pub fn check(self) -> Result<(), Refusal> {
        let output = self.1?.wait_with_output().map_err(|_| missing())?;
        if did_not_start(output.status)
            && let Some(short) = short(&self.0)
        {
            return Err(short);
        }
        match major_version(&String::from_utf8_lossy(&output.stdout)) {
            Some(major) if major >= OLDEST && output.status.success() => Ok(()),
            _ => Err(missing()),
        }
    }
}

/// `Debian clang version 14.0.6` is 14.
fn major_version(text: &str) -> Option<u32> {
    let (_, behind) = text.split_once("clang version ")?;
    behind.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// `isdigit` and its kin are functions, and no accesses of the C library's tables.
const CALLS_OF_CTYPE: &str = "-D__NO_CTYPE";

/// The syntax tree of a file, whose text goes into `parts`.
pub fn tree<'a>(clang: &str, arguments: &[String], file: &str, parts: &'a Parts) -> Result<Tree<'a>, Refusal> {
    let fail = |what: String, help: &str| {
        Err(Refusal { class: Class::Language, span: Span::default(), what, help: help.to_string() })
    };
    let compiler = Command::new(clang)
        .args([CALLS_OF_CTYPE, "-Xclang", "-ast-dump=json", "-fsyntax-only", "-fno-color-diagnostics"])
        .args(arguments)
        .args(["-Wno-everything", "-Wunsequenced", "-x", "c", file])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let said = match compiler.and_then(|compiler| stream::read(compiler, parts)) {
        Ok(said) => said,
        Err(error) => {
            let short = unless_missing(clang, &error);
            return short.map_or_else(|| fail(format!("{clang} does not run: {error}"), ""), Err);
        }
    };
    let is_deep = matches!(said.tree, Err(Unreadable::Deep { .. }));
    if !said.status.success() && !is_deep {
        let errors = String::from_utf8_lossy(&said.errors);
        if (did_not_start(said.status) || errors.contains("out of memory"))
            && let Some(short) = short(clang)
        {
            return Err(short);
        }
        if said.status.code().is_none() || errors.contains("PLEASE submit a bug report") {
            return fail(
                format!(
                    "{clang} fails on {file}: {}; an expression with very many operators can be the reason",
                    said.status
                ),
                "split long expressions",
            );
        }
        let help = if errors.contains("'omp.h' file not found") {
            "install clang's header of OpenMP (on Debian libomp-dev), or pass -I and -D"
        } else {
            "mend the file, or pass -I and -D"
        };
        return fail(format!("{clang} does not accept {file}:\n{}", errors.trim_end()), help);
    }
    let unordered = unordered(&String::from_utf8_lossy(&said.errors));
    said.tree.map(|tree| Tree { unordered, ..tree }).or_else(|why| match why {
        Unreadable::Deep { file, line } => fail(
            format!("{file}:{line}: more than {DEEPEST} operators or statements stand inside each other"),
            "split a long expression into several statements, and a long chain of else if into a switch",
        ),
        Unreadable::Encoding => fail(format!("{file} is not encoded in UTF-8"), "convert the file to UTF-8"),
        Unreadable::Tree(why) => fail(format!("clang's syntax tree of {file} is not understood: {why}"), ""),
    })
}

/// The warnings of a compiler about operands without an order.
fn unordered(said: &str) -> Vec<Unordered> {
    let of = |line: &str| {
        let (place, what) = line.strip_suffix(" [-Wunsequenced]")?.split_once(": warning: ")?;
        let (place, column) = place.rsplit_once(':')?;
        let (path, line) = place.rsplit_once(':')?;
        let (line, column) = (line.parse().ok()?, column.parse().ok()?);
        Some(Unordered { path: path.to_string(), line, column, what: what.to_string() })
    };
    said.lines().filter_map(of).collect()
}

/// A syntax tree that was written before.
pub fn stored(file: &str) -> Result<String, Refusal> {
    std::fs::read_to_string(file).map_err(|error| {
        let what = format!("adtape: cannot read the syntax tree {file}: {error}");
        Refusal { class: Class::Head, span: Span::default(), what, help: String::new() }
    })
}

/// The name that clang gives to a text without a file.
pub const TEXT: &str = "<stdin>";

/// A text with the includes of several sources.
pub fn includes(files: &[String]) -> String {
    files.iter().map(|file| format!("#include \"{}\"\n", absolute(file))).collect()
}

fn absolute(file: &str) -> String {
    std::path::absolute(file).map_or_else(|_| file.to_string(), |path| path.to_string_lossy().into())
}

/// The syntax tree of [`includes`], in which sources and headers beside them have the names that they have where a
/// source is read alone.
pub fn as_given(tree: String, files: &[String]) -> String {
    given(files).iter().fold(tree, |tree, (path, given)| tree.replace(path, given))
}

/// The name of a file that the compiler has from [`includes`], as [`as_given`] has it.
pub fn name_as_given(path: &str, files: &[String]) -> String {
    let known = given(files).into_iter().find_map(|(from, to)| Some(to + path.strip_prefix(&from)?));
    known.unwrap_or_else(|| path.to_string())
}

/// Sources, and the folders that they are in, by the names of the compiler that differ from those of the user.
fn given(files: &[String]) -> Vec<(String, String)> {
    let folder = |file: &str| Path::new(file).parent().map(|path| path.to_string_lossy().into_owned());
    let mut names: Vec<(String, String)> = files.iter().map(|file| (absolute(file), file.clone())).collect();
    names.extend(files.iter().filter_map(|file| {
        let given = folder(file)?;
        Some((folder(&absolute(file))? + "/", if given.is_empty() { "./".into() } else { given + "/" }))
    }));
    // What lies in a folder of a folder comes first.
    names.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
    names.retain(|(path, given)| path != given);
    names
}

/// The syntax tree of a text, or what the compiler has against it.
pub fn tree_of_text(clang: &str, arguments: &[String], text: &str) -> Result<String, String> {
    let tree = [CALLS_OF_CTYPE, "-Xclang", "-ast-dump=json", "-fsyntax-only", "-Wno-everything"];
    let mut command = Command::new(clang);
    command.args(tree).args(arguments).args(["-fno-color-diagnostics", "-x", "c", "-"]);
    read(&mut command, text, without_blanks)
}

/// What the compiler prints of a declaration in a text, or what it has against the text.
pub fn declaration_of_text(clang: &str, arguments: &[String], text: &str, name: &str) -> Result<String, String> {
    let tree = [CALLS_OF_CTYPE, "-Xclang", "-ast-dump=json", "-Xclang", "-ast-dump-filter", "-Xclang", name];
    let mut command = Command::new(clang);
    command.args(tree).args(["-fsyntax-only", "-Wno-everything"]).args(arguments);
    output(command.args(["-fno-color-diagnostics", "-x", "c", "-"]), text)
}

/// The syntax tree of a file as text, or what the compiler has against it.
pub fn tree_of_file(clang: &str, arguments: &[String], file: &str) -> Result<String, String> {
    let tree = [CALLS_OF_CTYPE, "-Xclang", "-ast-dump=json", "-fsyntax-only", "-Wno-everything"];
    let mut command = Command::new(clang);
    command.args(tree).args(arguments).args(["-fno-color-diagnostics", "-x", "c", file]);
    read(&mut command, "", without_blanks)
}

/// A source, preprocessed.
pub fn expanded(clang: &str, arguments: &[String], file: &str) -> Result<String, String> {
    output(
        Command::new(clang).args([CALLS_OF_CTYPE, "-E", "-Wno-everything"]).args(arguments).args(["-x", "c", file]),
        "",
    )
}

/// A source, preprocessed, with its comments, and with the includes named.
pub fn preprocessed(clang: &str, arguments: &[String], file: &str) -> Result<String, String> {
    output(
        Command::new(clang)
            .args([CALLS_OF_CTYPE, "-E", "-C", "-dI", "-Wno-everything"])
            .args(arguments)
            .args(["-x", "c", file]),
        "",
    )
}

/// A text, preprocessed, with the macros that it defines, and with the includes named.
pub fn with_macros(clang: &str, arguments: &[String], text: &str) -> Result<String, String> {
    let mut command = Command::new(clang);
    output(command.args(["-E", "-dD", "-dI", "-Wno-everything"]).args(arguments).args(["-x", "c", "-"]), text)
}

/// A text, preprocessed.
pub fn expanded_text(clang: &str, arguments: &[String], text: &str) -> Result<String, String> {
    output(Command::new(clang).args(["-E", "-Wno-everything"]).args(arguments).args(["-x", "c", "-"]), text)
}

/// What a compiler prints that reads a text, or its first complaint.
fn output(compiler: &mut Command, text: &str) -> Result<String, String> {
    read(compiler, text, whole)
}

/// What `keep` keeps of what a compiler prints that reads a text, or its first complaint.
fn read(compiler: &mut Command, text: &str, keep: fn(ChildStdout) -> io::Result<Vec<u8>>) -> Result<String, String> {
    compiler.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = compiler.spawn().and_then(|mut running| {
        if let Some(mut input) = running.stdin.take() {
            input.write_all(text.as_bytes())?;
        }
        let errors = running.stderr.take();
        let errors = std::thread::spawn(move || {
            let mut said = Vec::new();
            errors.map(|mut errors| errors.read_to_end(&mut said));
            said
        });
        let kept = running.stdout.take().map_or(Ok(Vec::new()), keep)?;
        Ok((running.wait()?, kept, errors.join().unwrap_or_default()))
    });
    let (status, kept, said) = run.map_err(|error| error.to_string())?;
    if status.success() {
        return Ok(super::sources::readable(kept));
    }
    let said = String::from_utf8_lossy(&said).into_owned();
    Err(said.lines().find(|line| line.contains("error")).unwrap_or(&said).trim().to_string())
}

fn whole(mut from: impl Read) -> io::Result<Vec<u8>> {
    let mut all = Vec::new();
    from.read_to_end(&mut all)?;
    Ok(all)
}

/// A syntax tree without its indentation, whose bytes grow with the square of the depth. No string of JSON goes over the
/// end of a line.
fn without_blanks(from: impl Read) -> io::Result<Vec<u8>> {
    let (mut from, mut line, mut tree) = (BufReader::with_capacity(1 << 17, from), Vec::new(), Vec::new());
    while from.read_until(b'\n', &mut line)? > 0 {
        tree.extend_from_slice(line.trim_ascii());
        line.clear();
    }
    Ok(tree)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_found_behind_the_vendor() {
        assert_eq!(major_version("Debian clang version 14.0.6\nTarget: x86_64"), Some(14));
        assert_eq!(major_version("Apple clang version 17.0.0 (clang-1700)"), Some(17));
        assert_eq!(major_version("gcc 12"), None);
    }

    #[test]
    fn operands_without_an_order_are_found_with_their_lines() {
        let said = "In file included from a.c:1:\n./b.h:12:7: warning: multiple unsequenced modifications to 'i' \
                    [-Wunsequenced]\n    i = i++ + i++;\n1 warning generated.\n";
        let what = "multiple unsequenced modifications to 'i'".to_string();
        assert_eq!(unordered(said), [Unordered { path: "./b.h".into(), line: 12, column: 7, what }]);
    }

    #[test]
    fn tree_without_indentation_is_the_tree_with_the_blanks_in_strings() {
        let indented =
            "{\n  \"kind\": \"A\",\n  \"inner\": [\n    {\n      \"value\": \"  two  blanks \"\n    }\n  ]\n}\n";
        let kept = without_blanks(indented.as_bytes()).expect("no file fails");
        assert_eq!(kept, br#"{"kind": "A","inner": [{"value": "  two  blanks "}]}"#);
    }

    #[test]
    fn missing_compiler_is_named_with_its_package() {
        let refusal = ask("/no/such/clang").check().unwrap_err();
        assert_eq!(refusal.what, "adtape: needs clang (14 or newer) to read C; Debian: apt install clang");
    }
}
