//! Builds and runs a driver with a generated file that checks itself.

mod fortran;

use std::path::{Path, PathBuf};
use std::process::Command;

use adtape_generate::emit::Output;

use crate::job::Job;
use crate::say;

/// Exit status where a check failed.
const WRONG: u8 = 4;
/// Exit status where all was right that could be compared, but something could not.
const INCOMPLETE: u8 = 5;
/// Nothing calls the program's own `main`, so that the libraries that it needs need not be there. The jump table of a
/// `switch` would refer to it.
const ONLY_WHAT_IS_CALLED: [&str; 3] = ["-ffunction-sections", "-fno-jump-tables", "-Wl,--gc-sections"];
const SANITIZERS: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// Builds `driver` with the generated text and runs it, under sanitizers where the compiler has them; the exit status
/// where something is wrong.
///
/// The environment may name the compiler (`CC`), and the flags that find the library (`ADTAPE_FLAGS`); by default
/// `pkg-config` finds it.
pub fn run(output: &Output, job: &Job, driver: &str) -> Result<(), u8> {
    if job.program.fortran.is_some() {
        return fortran::run(output, job, driver);
    }
    let no_folder = |error| failed(&format!("cannot make a folder for the check: {error}"));
    let folder = Folder::new().map_err(no_folder)?;
    for (k, source) in job.files.iter().enumerate() {
        if let Some(there) = linked(source) {
            std::os::unix::fs::symlink(there, folder.0.join(link(k))).map_err(no_folder)?;
        }
    }
    let source = folder.0.join(job.options().file);
    let check = folder.0.join("check.c");
    let header = source.with_extension("h");
    for (path, text) in [(&source, &output.source), (&header, &output.header), (&check, &output.check)] {
        std::fs::write(path, text).map_err(|error| failed(&format!("cannot write {}: {error}", path.display())))?;
    }
    let compiler = Compiler::new()?;
    let program = folder.0.join("check");
    let sanitizers = sanitizers(&compiler, &folder.0);
    if sanitizers.is_empty() {
        let name = &compiler.words[0];
        say::tell(&format!("check: {name} has no sanitizers: accesses outside of arrays are not noticed\n"));
    }
    let mut build = compiler.command();
    build
        .args(["-std=gnu99", "-g1", "-O1", "-w"])
        .args(ONLY_WHAT_IS_CALLED)
        .args(sanitizers)
        .arg(format!("-I{}", folder.0.display()));
    build.args(&job.arguments).arg("-o").arg(&program).arg(driver).args([&source, &check]).args(flags()?).arg("-lm");
    let name = &compiler.words[0];
    let built = build.output().map_err(|error| failed(&format!("{name} does not run: {error}")))?;
    if !built.status.success() {
        say::tell(&String::from_utf8_lossy(&built.stderr));
        return Err(failed(&format!("{name} does not build {driver} with the adjoint")));
    }
    finished(&program, driver)
}

/// Runs the driver; the exit status where something is wrong.
fn finished(program: &Path, driver: &str) -> Result<(), u8> {
    let mut run = Command::new(program);
    // Leaks of the driver are its own; a stack that moves would hide which memory is the caller's.
    run.env("ASAN_OPTIONS", format!("detect_leaks=0:detect_stack_use_after_return=0:exitcode={WRONG}"));
    run.env("UBSAN_OPTIONS", format!("print_stacktrace=1:exitcode={WRONG}"));
    let status = run.status().map_err(|error| failed(&format!("{driver} does not run: {error}")))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(code) if code == i32::from(WRONG) => {
            failed(&format!("the check with {driver} failed"));
            Err(WRONG)
        }
        Some(code) if code == i32::from(INCOMPLETE) => {
            failed(&format!("the check with {driver} is incomplete: see 'not compared' above"));
            Err(INCOMPLETE)
        }
        Some(code) => Err(failed(&format!("{driver} ended with status {code}"))),
        None => {
            failed(&format!("the check with {driver} failed: {status}"));
            Err(WRONG)
        }
    }
}

fn failed(what: &str) -> u8 {
    say::tell(&format!("adtape: {what}\n"));
    1
}

/// A source as the file that checks itself includes it: by its path, so that messages name it. The name of a file that is
/// included has no quote, so a directory with one is reached by a link.
pub fn include(k: usize, source: &str) -> String {
    let path = Path::new(source).canonicalize().unwrap_or_else(|_| source.into());
    match (linked(source), path.file_name()) {
        (Some(_), Some(name)) => format!("{}/{}", link(k), name.to_string_lossy()),
        _ => path.to_string_lossy().into_owned(),
    }
}

/// The directory of a source, if its name has a quote.
fn linked(source: &str) -> Option<PathBuf> {
    let path = Path::new(source).canonicalize().ok()?;
    path.parent().filter(|folder| folder.to_string_lossy().contains('"')).map(Path::to_path_buf)
}

/// The link to the directory of a source.
fn link(k: usize) -> String {
    format!("source-{k}")
}

/// The program that compiles: `CC` may name it with arguments of its own, as `ccache gcc` does.
struct Compiler {
    words: Vec<String>,
}

impl Compiler {
    fn new() -> Result<Compiler, u8> {
        Compiler::named("CC", "cc")
    }

    /// The one that a variable of the environment names, else the usual one.
    fn named(variable: &str, usual: &str) -> Result<Compiler, u8> {
        let named = std::env::var(variable).unwrap_or_default();
        // The path of a program may have blanks.
        let words = if Path::new(&named).is_file() { vec![named] } else { words(variable, &named)? };
        Ok(Compiler { words: if words.is_empty() { vec![usual.into()] } else { words } })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        command
    }
}

/// The words of a text as a shell reads them: quotes and backslashes keep blanks inside of a word.
fn words(name: &str, text: &str) -> Result<Vec<String>, u8> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, quote) {
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (_, Some(open)) if c == open => quote = None,
            // Between double quotes a backslash keeps what would end or change the text there.
            ('\\', Some('"')) if !matches!(rest.peek(), Some('"' | '\\' | '$' | '`')) => {
                word.get_or_insert_default().push(c);
            }
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(rest.next()),
            (_, None) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    if let Some(open) = quote {
        return Err(failed(&format!("{name} has no second {open}: {text}")));
    }
    words.extend(word);
    Ok(words)
}

/// The sanitizers that a program can be built with.
fn sanitizers(compiler: &Compiler, folder: &Path) -> &'static [&'static str] {
    let source = folder.join("empty.c");
    let mut build = compiler.command();
    build.args(SANITIZERS).arg("-o").arg(folder.join("empty")).arg(&source);
    let written = std::fs::write(&source, "int main(void) { return 0; }\n");
    match written.and_then(|()| build.output()) {
        Ok(output) if output.status.success() => &SANITIZERS,
        _ => &[],
    }
}

/// How the compiler finds the library.
fn flags() -> Result<Vec<String>, u8> {
    flags_of("adtape")
}

/// How the compiler finds a package.
fn flags_of(package: &str) -> Result<Vec<String>, u8> {
    if let Ok(flags) = std::env::var("ADTAPE_FLAGS") {
        return words("ADTAPE_FLAGS", &flags);
    }
    let asked = Command::new("pkg-config").args(["--cflags", "--libs", package]).output();
    match asked {
        Ok(output) if output.status.success() => {
            words("what pkg-config prints", &String::from_utf8_lossy(&output.stdout))
        }
        _ => Err(failed(&format!(
            "pkg-config does not know {package}: install it, or set ADTAPE_FLAGS to what finds it"
        ))),
    }
}

/// A folder that goes when the check ends.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Folder> {
        let path = std::env::temp_dir().join(format!("adtape-check-{}", std::process::id()));
        std::fs::create_dir(&path)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let path: &Path = &self.0;
        // A folder that stays is no reason to fail.
        let _ = std::fs::remove_dir_all(path);
    }
}
