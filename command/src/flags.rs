//! What the compiler that reads the sources gets: flags of the command line, and those of a compilation database
//! (`compile_commands.json`), as CMake and Meson write it.

use std::path::{Path, PathBuf};

use adtape_generate::front::is_fortran;
use serde::Deserialize;

use crate::options::Common;
use crate::words::words;

/// Where the flags of a database are looked for if its folder is named.
const DATABASE: &str = "compile_commands.json";
/// Flags with a folder behind them.
const FOLDERS: [&str; 4] = ["-isystem", "-iquote", "-idirafter", "-I"];
/// Flags with a file behind them.
const FILES: [&str; 2] = ["-include", "-imacros"];
/// Flags that change what C means, besides macros.
const MEANINGS: [&str; 5] = ["-ansi", "-funsigned-char", "-fsigned-char", "-fshort-enums", "-fno-short-enums"];
/// How flags begin that give types of Fortran another kind.
const KINDS: [&str; 4] = ["-fdefault-", "-freal-", "-finteger-4-integer-8", "-r8"];

/// An entry of a compilation database.
#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    command: String,
}

/// The flags for the compiler that reads the sources, or what is wrong with them.
pub fn arguments(common: &Common) -> Result<Vec<String>, String> {
    let fortran = common.files.first().is_some_and(|file| is_fortran(file));
    if fortran && !(common.system.is_empty() && common.included.is_empty() && common.reader.is_empty()) {
        return Err(
            "-isystem, -include and flags behind -- are for sources in C: no compiler reads Fortran here".into()
        );
    }
    let mut all: Vec<String> = common.include.iter().map(|path| format!("-I{path}")).collect();
    all.extend(common.system.iter().flat_map(|path| ["-isystem".to_owned(), path.clone()]));
    all.extend(common.define.iter().map(|name| format!("-D{name}")));
    all.extend(common.undefine.iter().map(|name| format!("-U{name}")));
    all.extend(common.included.iter().flat_map(|path| ["-include".to_owned(), path.clone()]));
    all.extend(common.std.iter().map(|standard| format!("-std={standard}")));
    if let Some(path) = &common.commands {
        all.extend(of_database(&database(path), &common.files, fortran)?);
    }
    all.extend(common.reader.iter().cloned());
    Ok(all)
}

/// The file of a database, which may be named by its folder.
pub fn database(path: &str) -> PathBuf {
    let path = PathBuf::from(path);
    if path.is_dir() { path.join(DATABASE) } else { path }
}

/// The flags that a database has for the sources: all have the same, because the generated file holds all of them.
fn of_database(database: &Path, files: &[String], fortran: bool) -> Result<Vec<String>, String> {
    let shown = database.display();
    let text = std::fs::read_to_string(database).map_err(|cause| format!("-p {shown}: {cause}"))?;
    let entries: Vec<Entry> = serde_json::from_str(&text).map_err(|cause| format!("-p {shown}: {cause}"))?;
    let mut first: Option<(&str, Vec<String>)> = None;
    for file in files {
        let path = Path::new(file).canonicalize().map_err(|cause| format!("{file}: {cause}"))?;
        let is_of = |entry: &&Entry| entry.directory.join(&entry.file).canonicalize().is_ok_and(|other| other == path);
        let mut found = entries.iter().filter(is_of).peekable();
        if found.peek().is_none() {
            return Err(format!("-p {shown}: {file} is not in it: name its flags with -I, -D and -U instead"));
        }
        for entry in found {
            let flags = kept(entry, fortran)?;
            match &first {
                None => first = Some((file, flags)),
                Some((other, before)) => same(&shown.to_string(), (other, before), (file, &flags))?,
            }
        }
    }
    Ok(first.map(|(_, flags)| flags).unwrap_or_default())
}

/// Refuses sources that are compiled with different flags.
fn same(database: &str, (one, before): (&str, &[String]), (other, flags): (&str, &[String])) -> Result<(), String> {
    if before == flags {
        return Ok(());
    }
    let lacks = |from: &[String], all: &[String]| all.iter().find(|flag| !from.contains(flag)).cloned();
    let differs = lacks(before, flags).or_else(|| lacks(flags, before)).unwrap_or_else(|| "their order".into());
    let files = if one == other { format!("{one} twice") } else { format!("{one} and {other}") };
    let help = "give all of them the same flags, or write a file each with --without-source";
    Err(format!(
        "-p {database}: it has {files} with different flags ({differs}), and one file holds both\nhelp: {help}"
    ))
}

/// The flags of an entry that say what a source means, as they read from the working directory.
fn kept(entry: &Entry, fortran: bool) -> Result<Vec<String>, String> {
    let read = if entry.arguments.is_empty() {
        words("a command of the compilation database", &entry.command)?
    } else {
        entry.arguments.clone()
    };
    let here = std::env::current_dir().ok();
    let path = |text: &str| match &here {
        Some(here) if entry.directory.canonicalize().ok() == here.canonicalize().ok() => text.to_owned(),
        _ => entry.directory.join(text).to_string_lossy().into_owned(),
    };
    let (mut flags, mut all) = (Vec::new(), read.iter().skip(1));
    while let Some(word) = all.next() {
        let mut valued = |options: &[&'static str]| {
            let option = options.iter().copied().find(|option| word.starts_with(option))?;
            let joined = &word[option.len()..];
            Some((option, if joined.is_empty() { all.next()?.clone() } else { joined.to_owned() }))
        };
        if fortran && KINDS.iter().any(|kind| word.starts_with(kind)) {
            let help = "name the kinds in the source: real(8)";
            return Err(format!("{word} gives types of {} another kind\nhelp: {help}", entry.file.display()));
        }
        if let Some((option, folder)) = valued(&FOLDERS) {
            flags.extend(if option == "-I" {
                vec![format!("-I{}", path(&folder))]
            } else {
                vec![option.into(), path(&folder)]
            });
        } else if let Some((option, name)) = valued(&["-D", "-U"]) {
            flags.push(format!("{option}{name}"));
        } else if let Some((option, file)) = valued(&FILES).filter(|_| !fortran) {
            flags.extend([option.into(), path(&file)]);
        } else if !fortran && (word.starts_with("-std=") || MEANINGS.contains(&word.as_str())) {
            flags.push(word.clone());
        }
    }
    if fortran {
        flags.retain(|flag| ["-I", "-D", "-U"].iter().any(|option| flag.starts_with(option)));
    }
    Ok(flags)
}
