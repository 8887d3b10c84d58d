//! `adtape inspect`: what is in a file of checkpoints, and whether its checksums are right; `--export` for other tools.
//! The library reads the file: there is no second parser.

mod npy;

use crate::say::{self, bytes, cannot_write, columns, grouped, plural};
use adtape::{CheckpointReader, Error, ReadOnlyFile, SectionInfo, SectionKind, Store};
use std::collections::BTreeSet;
use std::path::Path;

/// Read at once.
const PART: usize = 1 << 20;

/// Prints sections, types, shapes and checksums; writes values where they are wanted.
pub fn inspect(file: &str, export: Option<&str>, as_json: bool) -> Result<(), u8> {
    let stored = ReadOnlyFile::open(file).map_err(|error| say::failed(&error, status_of(&error)))?;
    let names = stored.names().map_err(|error| say::failed(&error, 1))?;
    let size = std::fs::metadata(file).map_or(0, |metadata| metadata.len());
    if !as_json {
        say::print(&format!("{file}: {}, {}\n", plural(names.len() as u64, "checkpoint"), bytes(size)));
        if let [name] = &names[..] {
            note_other_name(file, name);
        }
    }
    let (mut status, mut entries) = (Ok(()), Vec::new());
    for name in &names {
        let folder = export.map(|folder| match names.len() {
            1 => folder.to_owned(),
            _ => format!("{folder}/{name}"),
        });
        let (listed, contents, broken) = match checkpoint(&stored, name, folder.as_deref(), as_json) {
            Ok(read) => read,
            Err(failed) => {
                status = Err(failed);
                continue;
            }
        };
        entries.push(json(name, contents, &listed, broken.as_ref()));
        status = damaged(&listed, broken.as_ref()).and(status);
    }
    if as_json {
        let all = serde_json::json!({ "format": 1, "file": file, "bytes": size, "checkpoints": entries });
        say::print(&format!("{all:#}\n"));
    }
    status
}

/// A file that cannot be opened is no damaged one.
fn status_of(error: &Error) -> u8 {
    if error.status() == adtape::Status::Io { 1 } else { 4 }
}

fn note_other_name(file: &str, name: &str) {
    let called = Path::new(file).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let expected = format!("{name}.adtape");
    if called != expected && !called.ends_with(".adtapes") {
        say::print(&format!("  it was {expected} when it was written: only under that name a store finds it\n"));
    }
}

/// One row of the table.
struct Listed {
    info: SectionInfo,
    /// What is wrong with the values.
    damage: Option<Error>,
    exported: Option<String>,
}

/// Sections of a checkpoint, bytes of its contents, and what ends the list before its end.
type Read = (Vec<Listed>, u64, Option<Error>);

/// Reads a checkpoint; prints its table, unless JSON is wanted.
fn checkpoint(stored: &ReadOnlyFile, name: &str, export: Option<&str>, as_json: bool) -> Result<Read, u8> {
    if !as_json {
        say::print(&format!("\n{name}\n"));
    }
    let mut reader = CheckpointReader::open(stored, name).map_err(|error| say::failed(&error, status_of(&error)))?;
    if let Some(folder) = export {
        std::fs::create_dir_all(folder).map_err(|cause| cannot_write(folder, &cause))?;
    }
    let (mut listed, mut files) = (Vec::new(), BTreeSet::new());
    // What ends the list before its end.
    let broken = loop {
        let info = match reader.peek() {
            Ok(Some(info)) => info,
            Ok(None) => break None,
            Err(error) => break Some(error),
        };
        let file =
            export.filter(|_| is_array(&info)).map(|folder| format!("{folder}/{}", file_name(&info, &mut files)));
        let damage = read(&mut reader, &info, file.as_deref())?;
        let exported = file.filter(|_| damage.is_none());
        listed.push(Listed { info, damage, exported });
        if let Err(error) = reader.skip() {
            break Some(error);
        }
    };
    if !as_json {
        say::print(&table(&listed));
        say::print(&format!("  {} of contents, {}\n", bytes(reader.bytes()), plural(listed.len() as u64, "section")));
    }
    if let Some(folder) = export {
        index(folder, &listed)?;
    }
    Ok((listed, reader.bytes(), broken))
}

/// Says what is damaged; the exit status.
fn damaged(listed: &[Listed], broken: Option<&Error>) -> Result<(), u8> {
    let damages = listed.iter().filter_map(|one| one.damage.as_ref()).chain(broken);
    // Several sections may lie in one block.
    let mut said = BTreeSet::new();
    for error in damages {
        if said.insert(error.message().to_owned()) {
            say::failed(error, 4);
        }
    }
    if said.is_empty() { Ok(()) } else { Err(4) }
}

/// Whether other tools can make something of its values.
fn is_array(info: &SectionInfo) -> bool {
    info.allocated && matches!(info.kind, SectionKind::Values | SectionKind::Allocatable)
}

/// Reads all values, which checks them, into a file if one is wanted; what is wrong with them.
fn read(reader: &mut CheckpointReader, info: &SectionInfo, file: Option<&str>) -> Result<Option<Error>, u8> {
    let mut writer = match file {
        Some(file) => Some(npy::Writer::create(file, info).map_err(|cause| cannot_write(file, &cause))?),
        None => None,
    };
    let mut part = vec![0; PART.min(usize::try_from(info.bytes()).unwrap_or(PART))];
    let mut at = 0;
    while at < info.bytes() {
        let n = usize::try_from(info.bytes() - at).map_or(part.len(), |left| left.min(part.len()));
        if let Err(error) = reader.peek_bytes(at, &mut part[..n]) {
            drop(writer);
            // Half an array is none.
            file.map(std::fs::remove_file);
            return Ok(Some(error));
        }
        if let (Some(writer), Some(file)) = (&mut writer, file) {
            writer.write(&part[..n]).map_err(|cause| cannot_write(file, &cause))?;
        }
        at += n as u64;
    }
    match (writer, file) {
        (Some(writer), Some(file)) => writer.finish().map(|()| None).map_err(|cause| cannot_write(file, &cause)),
        _ => Ok(None),
    }
}

fn table(listed: &[Listed]) -> String {
    let mut rows = vec![["section", "kind", "type", "shape", "bytes", "checksum", ""].map(str::to_owned).to_vec()];
    for one in listed {
        let info = &one.info;
        rows.push(vec![
            info.name.clone(),
            kind(info).to_owned(),
            info.ty.name().to_owned(),
            shape(info),
            bytes(info.bytes()),
            if one.damage.is_some() { "DAMAGED" } else { "right" }.to_owned(),
            one.exported.as_ref().map(|file| format!("-> {file}")).unwrap_or_default(),
        ]);
    }
    if listed.is_empty() { String::new() } else { columns(&rows, 3) }
}

fn kind(info: &SectionInfo) -> &'static str {
    match info.kind {
        SectionKind::Values => "values",
        SectionKind::Allocatable => "allocatable",
        SectionKind::Pointer => "pointer",
        SectionKind::Ranges => "live ranges",
        SectionKind::Slots => "live pointers",
        SectionKind::Contents => "contents",
        SectionKind::Heap => "heap",
    }
}

/// `100 x 50`, with lower bounds `0:99 x 1:50`, the fastest first; of a list the number of values.
fn shape(info: &SectionInfo) -> String {
    if !info.allocated {
        return "not allocated".to_owned();
    }
    if info.bounds.is_empty() {
        return grouped(info.count);
    }
    let is_usual = info.bounds.iter().all(|(lower, _)| *lower == 0 || *lower == 1);
    let last = |(lower, extent): &(i64, i64)| lower.saturating_add(*extent).saturating_sub(1);
    let dimension = |bounds: &(i64, i64)| {
        if is_usual { bounds.1.to_string() } else { format!("{}:{}", bounds.0, last(bounds)) }
    };
    info.bounds.iter().map(dimension).collect::<Vec<_>>().join(" x ")
}

/// A name that every file system takes, and that no section before had.
fn file_name(info: &SectionInfo, taken: &mut BTreeSet<String>) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    let stem: String = info.name.chars().map(plain).take(100).collect();
    let stem = if stem.starts_with('.') { format!("_{stem}") } else { stem };
    let mut name = format!("{stem}.npy");
    let mut number = 2;
    while !taken.insert(name.to_lowercase()) {
        name = format!("{stem}-{number}.npy");
        number += 1;
    }
    name
}

/// A section, with its bounds, which .npy does not know.
fn entry(one: &Listed) -> serde_json::Value {
    let file = one.exported.as_ref().and_then(|file| Path::new(file).file_name()?.to_str().map(str::to_owned));
    serde_json::json!({
        "section": one.info.name,
        "kind": kind(&one.info),
        "type": one.info.ty.name(),
        "values": one.info.count,
        "lower_bounds": one.info.bounds.iter().map(|(lower, _)| *lower).collect::<Vec<_>>(),
        "extents": one.info.bounds.iter().map(|(_, extent)| *extent).collect::<Vec<_>>(),
        "file": file,
    })
}

/// What `--json` says of a checkpoint.
fn json(name: &str, contents: u64, listed: &[Listed], broken: Option<&Error>) -> serde_json::Value {
    let section = |one: &Listed| {
        let mut all = entry(one);
        all["bytes"] = one.info.bytes().into();
        all["allocated"] = one.info.allocated.into();
        all["damage"] = one.damage.as_ref().map(|error| error.message().to_owned()).into();
        all
    };
    serde_json::json!({
        "name": name,
        "bytes": contents,
        "sections": listed.iter().map(section).collect::<Vec<_>>(),
        "damage": broken.map(|error| error.message().to_owned()),
    })
}

/// Which file has which section.
fn index(folder: &str, listed: &[Listed]) -> Result<(), u8> {
    let entries: Vec<_> = listed.iter().map(entry).collect();
    say::write(&format!("{folder}/sections.json"), &format!("{:#}\n", serde_json::Value::from(entries)))
}
