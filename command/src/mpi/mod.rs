//! `adtape mpi`: calls of MPI that a converted program still makes itself, in its sources or in what was compiled of them.
//! The library sees calls with its prefix only, so the derivative of what another one moves is lost without a word.

mod calls;
mod objects;
mod sources;

use crate::say::{self, name, plural};
use calls::{Calls, Kind};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Calls without a counterpart that the library makes itself, besides those that check mode takes the place of.
const OF_LIBRARY: [&str; 2] = ["Issend", "Reduce_local"];

/// What is said of all files together.
#[derive(Default)]
struct Found {
    converted: u64,
    unconverted: u64,
    without: u64,
    /// Their lines say so.
    passive: u64,
    /// What to do, once for each reason, with the names that it is about.
    help: BTreeMap<&'static str, BTreeSet<&'static str>>,
    /// Files that hold the library with calls of its own.
    mixed: Vec<String>,
}

/// Lists the calls; status 4 if there are any.
pub fn list(files: &[String]) -> Result<(), u8> {
    let calls = Calls::new();
    let mut found = Found::default();
    for file in files {
        let path = Path::new(file);
        if path.is_dir() {
            for inner in below(path)? {
                one(&inner, &calls, &mut found)?;
            }
        } else {
            one(path, &calls, &mut found)?;
        }
    }
    found.say()
}

/// Sources, objects and archives in a folder and those in it, by name.
fn below(folder: &Path) -> Result<Vec<PathBuf>, u8> {
    let cannot = |cause: std::io::Error| cannot_read(folder, &cause.to_string());
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .map_err(cannot)?;
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if path.is_symlink() || is_hidden {
            continue;
        }
        if path.is_dir() {
            files.extend(below(&path)?);
        } else if sources::language(&path).is_some() || path.extension().is_some_and(|end| end == "o" || end == "a") {
            files.push(path);
        }
    }
    Ok(files)
}

fn cannot_read(path: &Path, cause: &str) -> u8 {
    let help = "give sources of C or Fortran, what was compiled of them, or a directory of such files";
    say::error(&format!("{} cannot be read: {cause}", path.display()), help, 1)
}

fn one(path: &Path, calls: &Calls, found: &mut Found) -> Result<(), u8> {
    let file = path.display().to_string();
    let language = sources::language(path);
    let bytes = match std::fs::metadata(path) {
        Ok(data) if !data.is_file() => return Err(cannot_read(path, "it is no file")),
        _ => std::fs::read(path).map_err(|cause| cannot_read(path, &cause.to_string()))?,
    };
    if objects::is_object(&bytes) {
        return object(path, &file, &bytes, calls, found);
    }
    let Some(language) = language else {
        return Err(cannot_read(path, "it is neither a source by its name nor machine code"));
    };
    let text = String::from_utf8_lossy(&bytes);
    for (line, word) in sources::names(&text, language) {
        let Some((call, kind)) = calls.named(&word, language != sources::Language::C) else { continue };
        if kind != Kind::Converted && sources::is_passive(&text, line) {
            found.passive += 1;
        } else {
            found.call(&format!("{file}:{line}"), call, kind);
        }
    }
    Ok(())
}

fn object(path: &Path, file: &str, bytes: &[u8], calls: &Calls, found: &mut Found) -> Result<(), u8> {
    let needs = objects::needs(bytes).map_err(|cause| cannot_read(path, &cause))?;
    if needs.holds_library {
        found.mixed.push(file.to_owned());
    }
    let mut listed = BTreeSet::new();
    for (place, symbol) in &needs.names {
        let (word, fortran) = objects::call(symbol);
        let Some((call, kind)) = calls.named(&word, fortran) else { continue };
        let own = kind == Kind::Unconverted || OF_LIBRARY.contains(&call) || word.starts_with("PMPI_");
        if needs.holds_library && own {
            continue;
        }
        if listed.insert((place, call, kind)) {
            let place = if place.is_empty() { file.to_owned() } else { format!("{file}: {place}") };
            found.call(&place, call, kind);
        }
    }
    Ok(())
}

impl Found {
    fn call(&mut self, place: &str, call: &'static str, kind: Kind) {
        let place = name(place);
        match kind {
            Kind::Converted => self.converted += 1,
            Kind::Unconverted => {
                self.unconverted += 1;
                say::print(&format!("{place}: MPI_{call} is not converted: adtape_MPI_{call}\n"));
            }
            Kind::Without(help) => {
                self.without += 1;
                self.help.entry(help).or_default().insert(call);
                say::print(&format!(
                    "{place}: MPI_{call} has no counterpart: the derivative of what it moves is lost\n"
                ));
            }
        }
    }

    fn say(&self) -> Result<(), u8> {
        let mut text = format!(
            "calls that move values: {} converted, {} not converted, {} without a counterpart",
            self.converted, self.unconverted, self.without
        );
        if self.passive > 0 {
            text += &format!(", {} marked as passive", self.passive);
        }
        say::print(&format!("{text}\n"));
        for (help, names) in &self.help {
            let names: Vec<String> = names.iter().map(|name| format!("MPI_{name}")).collect();
            say::print(&format!("help: {}: {help}\n", names.join(", ")));
        }
        if self.unconverted > 0 {
            say::print(
                "help: a call of values without a derivative may stay, on all partners alike: \
                 a comment `adtape: passive` in its line says so\n",
            );
        }
        if let [file, ..] = &self.mixed[..] {
            say::print(&format!(
                "note: {} libadtape_mpi, whose calls are not told from the program's: only those that it does not make \
                 are listed\nhelp: give the objects that it was linked from\n",
                if self.mixed.len() == 1 {
                    format!("{} contains", name(file))
                } else {
                    format!("{} contain", plural(self.mixed.len() as u64, "file"))
                }
            ));
        }
        if self.unconverted + self.without > 0 { Err(4) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Else they were listed for every program that has the library in itself.
    #[test]
    fn calls_of_the_library_are_known() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mpi/src");
        let calls = Calls::new();
        let mut found = BTreeSet::new();
        for path in below(&folder).unwrap() {
            let text = std::fs::read_to_string(&path).unwrap();
            for (_, word) in sources::names(&text, sources::Language::C) {
                if let (false, Some((call, Kind::Without(_)))) = (word.starts_with("PMPI_"), calls.named(&word, false))
                {
                    // What check mode takes the place of is defined there, not called.
                    if !text.contains(&format!("MPIS_OWN int MPI_{call}(")) {
                        found.insert(call);
                    }
                }
            }
        }
        assert_eq!(found.into_iter().collect::<Vec<_>>(), OF_LIBRARY);
    }
}
