//! The check of a program in C.

use std::path::{Path, PathBuf};

use adtape_generate::emit::Output;

use super::build::{Compiler, Folder, ONLY_WHAT_IS_CALLED, built, failed, finished, takes};
use super::library;
use crate::job::Job;
use crate::say;

const SANITIZERS: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// Builds `driver` with the generated text and runs it, under sanitizers where the compiler has them; the exit status
/// where something is wrong.
///
/// The environment may name the compiler (`CC`), and the flags that find the library (`ADTAPE_FLAGS`); by default
/// it is the one beside the command, or the one that `pkg-config` finds.
pub fn run(output: &Output, job: &Job, driver: &str) -> Result<(), u8> {
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
    let empty = ("empty.c", "int main(void) { return 0; }\n");
    let has_sanitizers = takes(&compiler, &folder.0, empty, &SANITIZERS).unwrap_or(false);
    let sanitizers: &[&str] = if has_sanitizers { &SANITIZERS } else { &[] };
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
    build
        .args(&job.arguments)
        .arg("-o")
        .arg(&program)
        .arg(driver)
        .args([&source, &check])
        .args(library::flags(None)?)
        .arg("-lm");
    built(&mut build, &compiler, driver, "")?;
    finished(&program, driver)
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
