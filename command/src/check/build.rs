//! What checks in both languages need: compilers, flags, a folder, a run.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::say;
use crate::words::words;

/// Exit status where a check failed.
pub const WRONG: u8 = 4;
/// Exit status where all was right that could be compared, but something could not.
const INCOMPLETE: u8 = 5;
/// Nothing calls the program's own `main`, so that the libraries that it needs need not be there. The jump table of a
/// `switch` would refer to it.
pub const ONLY_WHAT_IS_CALLED: [&str; 3] = ["-ffunction-sections", "-fno-jump-tables", "-Wl,--gc-sections"];

/// Runs the driver; the exit status where something is wrong.
pub fn finished(program: &Path, driver: &str) -> Result<(), u8> {
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

pub fn failed(what: &str) -> u8 {
    say::plain(what, 1)
}

/// The program that compiles: `CC` may name it with arguments of its own, as `ccache gcc` does.
pub struct Compiler {
    pub words: Vec<String>,
}

impl Compiler {
    pub fn new() -> Result<Compiler, u8> {
        Compiler::named("CC", "cc")
    }

    /// The one that a variable of the environment names, else the usual one.
    pub fn named(variable: &str, usual: &str) -> Result<Compiler, u8> {
        let named = std::env::var(variable).unwrap_or_default();
        // The path of a program may have blanks.
        let words = if Path::new(&named).is_file() {
            vec![named]
        } else {
            words(variable, &named).map_err(|what| failed(&what))?
        };
        Ok(Compiler { words: if words.is_empty() { vec![usual.into()] } else { words } })
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        command
    }
}

/// Runs a compiler on the driver's program; `install`: what helps where it is not there.
pub fn built(build: &mut Command, compiler: &Compiler, driver: &str, install: &str) -> Result<(), u8> {
    let name = &compiler.words[0];
    let separator = if install.is_empty() { "" } else { ": " };
    let built = build.output();
    let built = built.map_err(|error| failed(&format!("{name} does not run: {error}{separator}{install}")))?;
    if built.status.success() {
        return Ok(());
    }
    say::tell(&String::from_utf8_lossy(&built.stderr));
    Err(failed(&format!("{name} does not build {driver} with the adjoint")))
}

/// Whether a compiler builds an empty program with these flags.
pub fn takes(compiler: &Compiler, folder: &Path, (file, text): (&str, &str), flags: &[&str]) -> std::io::Result<bool> {
    let source = folder.join(file);
    std::fs::write(&source, text)?;
    let output = compiler.command().args(flags).arg("-o").arg(folder.join("empty")).arg(&source).output()?;
    Ok(output.status.success())
}

/// A folder that goes when the check ends.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> std::io::Result<Folder> {
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
