//! Builds and runs a driver with a generated file that checks itself.

use std::path::{Path, PathBuf};
use std::process::Command;

use adtape_generate::emit::Output;

use crate::say;

/// Exit status where a check failed.
const WRONG: u8 = 4;
/// Nothing calls the program's own `main`, so that the libraries that it needs need not be there. The jump table of a
/// `switch` would refer to it.
const ONLY_WHAT_IS_CALLED: [&str; 3] = ["-ffunction-sections", "-fno-jump-tables", "-Wl,--gc-sections"];
const SANITIZERS: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// Builds `driver` with the generated text and runs it, under sanitizers where the compiler has them; the exit status
/// where something is wrong.
///
/// The environment may name the compiler (`CC`), and the flags that find the library (`ADTAPE_FLAGS`); by default
/// `pkg-config` finds it.
pub fn run(output: &Output, file: &str, driver: &str, arguments: &[String]) -> Result<(), u8> {
    let folder = Folder::new().map_err(|error| failed(&format!("cannot make a folder for the check: {error}")))?;
    let source = folder.0.join(file);
    let check = folder.0.join("check.c");
    let header = source.with_extension("h");
    for (path, text) in [(&source, &output.source), (&header, &output.header), (&check, &output.check)] {
        std::fs::write(path, text).map_err(|error| failed(&format!("cannot write {}: {error}", path.display())))?;
    }
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let program = folder.0.join("check");
    let sanitizers = sanitizers(&compiler, &folder.0);
    if sanitizers.is_empty() {
        say::tell(&format!("check: {compiler} has no sanitizers: accesses outside of arrays are not noticed\n"));
    }
    let mut build = Command::new(&compiler);
    build
        .args(["-std=gnu99", "-g1", "-O1", "-w"])
        .args(ONLY_WHAT_IS_CALLED)
        .args(sanitizers)
        .arg(format!("-I{}", folder.0.display()));
    build.args(arguments).arg("-o").arg(&program).arg(driver).args([&source, &check]).args(flags()?).arg("-lm");
    let built = build.output().map_err(|error| failed(&format!("{compiler} does not run: {error}")))?;
    if !built.status.success() {
        say::tell(&String::from_utf8_lossy(&built.stderr));
        return Err(failed(&format!("{compiler} does not build {driver} with the adjoint")));
    }
    let mut run = Command::new(&program);
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

/// The sanitizers that a program can be built with.
fn sanitizers(compiler: &str, folder: &Path) -> &'static [&'static str] {
    let source = folder.join("empty.c");
    let mut build = Command::new(compiler);
    build.args(SANITIZERS).arg("-o").arg(folder.join("empty")).arg(&source);
    let written = std::fs::write(&source, "int main(void) { return 0; }\n");
    match written.and_then(|()| build.output()) {
        Ok(output) if output.status.success() => &SANITIZERS,
        _ => &[],
    }
}

/// How the compiler finds the library.
fn flags() -> Result<Vec<String>, u8> {
    let words = |text: &str| text.split_whitespace().map(String::from).collect();
    if let Ok(flags) = std::env::var("ADTAPE_FLAGS") {
        return Ok(words(&flags));
    }
    let asked = Command::new("pkg-config").args(["--cflags", "--libs", "adtape"]).output();
    match asked {
        Ok(output) if output.status.success() => Ok(words(&String::from_utf8_lossy(&output.stdout))),
        _ => Err(failed("pkg-config does not know adtape: install it, or set ADTAPE_FLAGS to what finds it")),
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
