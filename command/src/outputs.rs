//! Files that the generator writes: never in place of one that somebody else wrote, whole or not at all, and only where
//! something changes.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use adtape_generate::emit::SIGNATURE;

use crate::say;

/// The first line of a generated file is shorter, unless it names thousands of heads.
const FIRST_LINE_BYTES: u64 = 1 << 16;

/// Whether a text is of a generated file: its first line says who wrote it.
pub fn is_generated(text: &str) -> bool {
    text.lines().next().is_some_and(|line| {
        line.ends_with(SIGNATURE) || line.starts_with("! ") && line.ends_with(SIGNATURE.trim_end_matches(" */"))
    })
}

/// Whether two names lead to one file: by device and inode, so that links of either kind are seen through.
pub fn are_one(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| fs::metadata(path).map(|found| (found.dev(), found.ino()));
    matches!((identity(one), identity(other)), (Ok(one), Ok(other)) if one == other)
}

/// Why nothing may be written under this name: what is there was not generated.
pub fn taken(path: &Path) -> Option<String> {
    let found = fs::metadata(path).ok()?;
    if !found.is_file() {
        return Some(format!("{} is no file", path.display()));
    }
    let mut first = Vec::new();
    let read = File::open(path).and_then(|file| file.take(FIRST_LINE_BYTES).read_to_end(&mut first));
    let may = read.is_ok() && (found.len() == 0 || is_generated(&String::from_utf8_lossy(&first)));
    let what = "is there, and adtape did not write it: name another file with -o, or remove it first";
    (!may).then(|| format!("{} {what}", path.display()))
}

/// Writes a file whose contents change; what reads it meanwhile has the old text or the new one.
pub fn write(path: &Path, text: &str) -> Result<(), u8> {
    // A link stays one, and leads to the new text.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    if fs::read(&target).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    replace(&target, text).map_err(|cause| say::cannot_write(&path.to_string_lossy(), &cause))
}

fn replace(target: &Path, text: &str) -> std::io::Result<()> {
    let old = fs::metadata(target).ok();
    // A file that is write-protected stays.
    old.as_ref().map(|_| OpenOptions::new().write(true).open(target)).transpose()?;
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let beside: PathBuf = target.with_file_name(format!(".{name}.{}", std::process::id()));
    let written = OpenOptions::new().write(true).create_new(true).open(&beside).and_then(|mut file| {
        old.map(|old| file.set_permissions(old.permissions())).transpose()?;
        file.write_all(text.as_bytes())?;
        drop(file);
        fs::rename(&beside, target)
    });
    if written.is_err() {
        // What is left of it is of no use, and an error is there already.
        let _ = fs::remove_file(&beside);
    }
    written
}
