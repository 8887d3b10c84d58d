//! `adtape adjoint --verify`: whether a generated file is what its command would write.

use std::fs;
use std::path::{Path, PathBuf};

use crate::options::What;
use crate::origin::{hash_of, quoted, read, stale};
use crate::{generate, outputs, say};

/// `adtape adjoint --verify`: whether the command that wrote a file would write it again as it is.
pub fn verify(file: &str) -> Result<(), u8> {
    let text = fs::read_to_string(file)
        .map_err(|cause| say::error(&format!("{file} cannot be read: {cause}"), "name a generated .c file", 1))?;
    if !outputs::is_generated(&text) {
        return Err(say::error(&format!("{file} was not written by adtape"), "name a generated .c file", 2));
    }
    let Some(origin) = read(&text) else {
        let what = "its head does not name the command that wrote it; a header is checked with its .c file";
        return Err(stale(file, what, "name the .c file, or write it again"));
    };
    let command: Vec<String> = origin.command.iter().map(|argument| quoted(argument)).collect();
    let command = format!("write it again: adtape {}", command.join(" "));
    let version = env!("CARGO_PKG_VERSION");
    if origin.version != version {
        return Err(stale(
            file,
            &format!("adtape {} wrote it, and this is adtape {version}", origin.version),
            &command,
        ));
    }
    let Some(what) = What::of(&origin.command) else {
        return Err(stale(file, "this adtape does not understand the command in its head", &command));
    };
    let written = generate::output_of(&what);
    let Some(folder) = folder(Path::new(file), &written) else {
        let what = format!("it was written as {}: from there, its inputs cannot be found", written.display());
        return Err(stale(file, &what, "move it back, or write it again"));
    };
    if let Err(cause) = std::env::set_current_dir(&folder) {
        return Err(say::error(&format!("{}: {cause}", folder.display()), "permit to enter the folder", 1));
    }
    let changed: Vec<String> =
        origin.inputs.iter().filter(|(hash, path)| hash_of(path) != *hash).map(|(_, path)| change(path)).collect();
    if !changed.is_empty() {
        return Err(stale(file, &changed.join(", "), &command));
    }
    generate::compare(what)?;
    say::print(&format!("{file} is up to date\n"));
    Ok(())
}

fn change(path: &str) -> String {
    if Path::new(path).exists() { format!("{path} has changed") } else { format!("{path} is not there") }
}

/// The folder that a file was written from under the name `written`.
fn folder(file: &Path, written: &Path) -> Option<PathBuf> {
    if outputs::are_one(file, written) {
        return Some(PathBuf::from("."));
    }
    let file = file.canonicalize().ok()?;
    let mut folder = file.clone();
    for _ in written.components().filter(|part| *part != std::path::Component::CurDir) {
        folder.pop();
    }
    (folder.join(written).canonicalize().ok()? == file).then_some(folder)
}
