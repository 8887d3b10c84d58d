//! `--depfile`: what a generated file was made of, as a rule of make, which Ninja, CMake and Meson read, too.
//!
//! ```text
//! build/model_b.c: model.c own.h
//!
//! own.h:
//! ```
//!
//! The second rule lets make go on where a header is no longer there. Headers of the system are not named.

use std::path::{Path, PathBuf};

use crate::options::Common;
use crate::{flags, outputs};

/// Where the rule goes, and what it names beside the inputs; or why it cannot go there.
pub fn wanted(
    common: &Common,
    inputs: &[String],
    written: &[PathBuf],
) -> Result<Option<(String, Vec<String>)>, String> {
    let Some(file) = &common.depfile else { return Ok(None) };
    let own = |other: &Path| Path::new(file) == other || outputs::are_one(Path::new(file), other);
    let taken = inputs.iter().map(Path::new).chain(written.iter().map(PathBuf::as_path)).any(own);
    if taken {
        return Err(format!("--depfile {file}: it is read or written already: name another file"));
    }
    let database = common.commands.as_deref().map(flags::database);
    Ok(Some((file.clone(), database.into_iter().map(|path| path.to_string_lossy().into_owned()).collect())))
}

/// Writes the rule.
pub fn write((file, others): &(String, Vec<String>), output: &Path, inputs: &[String]) -> Result<(), u8> {
    let all: Vec<String> = inputs.iter().chain(others).map(|path| escaped(path)).collect();
    let mut text = format!("{}: {}\n", escaped(&output.to_string_lossy()), all.join(" \\\n  "));
    all.iter().skip(1).for_each(|path| text += &format!("\n{path}:\n"));
    outputs::write(Path::new(file), &text)
}

/// A path as make reads it.
fn escaped(path: &str) -> String {
    let mut text = String::new();
    for c in path.chars() {
        match c {
            ' ' | '#' => text.extend(['\\', c]),
            '$' => text += "$$",
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn paths_are_written_as_make_reads_them() {
        assert_eq!(escaped("a b/$x#.h"), "a\\ b/$$x\\#.h");
    }
}
