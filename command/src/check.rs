//! Builds and runs a driver with a generated file that compares operands.

use std::path::{Path, PathBuf};
use std::process::Command;

use adtape_generate::emit::Output;

/// Builds `driver` with the generated text and runs it; the exit status where something is wrong.
///
/// The environment may name the compiler (`CC`), and the flags that find the library (`ADTAPE_FLAGS`); by default
/// `pkg-config` finds it.
pub fn run(output: &Output, file: &str, driver: &str, arguments: &[String]) -> Result<(), u8> {
    let folder = Folder::new().map_err(|error| failed(&format!("cannot make a folder for the check: {error}")))?;
    let source = folder.0.join(file);
    for (path, text) in [(source.clone(), &output.source), (source.with_extension("h"), &output.header)] {
        std::fs::write(&path, text).map_err(|error| failed(&format!("cannot write {}: {error}", path.display())))?;
    }
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let program = folder.0.join("check");
    let mut build = Command::new(&compiler);
    build.args(["-std=gnu99", "-g", "-O1", "-w"]).arg(format!("-I{}", folder.0.display())).args(arguments);
    build.arg("-o").arg(&program).arg(driver).arg(&source).args(flags()?).arg("-lm");
    let built = build.output().map_err(|error| failed(&format!("{compiler} does not run: {error}")))?;
    if !built.status.success() {
        eprint!("{}", String::from_utf8_lossy(&built.stderr));
        return Err(failed(&format!("{compiler} does not build {driver} with the adjoint")));
    }
    let status = Command::new(&program).status().map_err(|error| failed(&format!("{driver} does not run: {error}")))?;
    match status.success() {
        true => Ok(()),
        false => Err(failed(&format!("the check of {driver} failed: {status}"))),
    }
}

fn failed(what: &str) -> u8 {
    eprintln!("adtape: {what}");
    1
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
