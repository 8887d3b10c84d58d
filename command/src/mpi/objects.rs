//! Calls of MPI in what a compiler or linker has made: names that a file needs from elsewhere, by function where the file
//! tells which function needs them.

use object::read::archive::ArchiveFile;
use object::{Object, ObjectKind, ObjectSection, ObjectSymbol, RelocationTarget, SymbolKind};
use std::collections::BTreeSet;

/// A file that holds machine code.
pub struct Needs {
    /// Member of an archive and function, as far as they are known, and the symbol.
    pub names: BTreeSet<(String, String)>,
    /// `libadtape_mpi` is part of it, whose own calls are among the names.
    pub holds_library: bool,
}

/// Whether the file begins as objects and archives do.
pub fn is_object(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF") || bytes.starts_with(b"!<arch>\n") || bytes.starts_with(b"!<thin>\n")
}

/// What the objects of a file need from elsewhere; or why they cannot be read.
pub fn needs(bytes: &[u8]) -> Result<Needs, String> {
    let mut needs = Needs { names: BTreeSet::new(), holds_library: false };
    if bytes.starts_with(b"!<thin>\n") {
        return Err("it is a thin archive: give its members".to_owned());
    }
    if !bytes.starts_with(b"!<arch>\n") {
        add("", bytes, &mut needs)?;
        return Ok(needs);
    }
    let archive = ArchiveFile::parse(bytes).map_err(|cause| cause.to_string())?;
    for member in archive.members() {
        let member = member.map_err(|cause| cause.to_string())?;
        let data = member.data(bytes).map_err(|cause| cause.to_string())?;
        if is_object(data) {
            let name = String::from_utf8_lossy(member.name()).into_owned();
            add(&name, data, &mut needs)?;
        }
    }
    Ok(needs)
}

fn add(member: &str, bytes: &[u8], needs: &mut Needs) -> Result<(), String> {
    let file = object::File::parse(bytes).map_err(|cause| cause.to_string())?;
    let symbols = || file.symbols().chain(file.dynamic_symbols());
    let own = |symbol: &object::Symbol| symbol.is_definition() && symbol.name() == Ok("adtape_MPI_Init");
    if symbols().any(|symbol| own(&symbol)) {
        // An object of the library is no part of the program; a program that has it in itself is one.
        if file.kind() == ObjectKind::Relocatable {
            return Ok(());
        }
        needs.holds_library = true;
    }
    if file.kind() == ObjectKind::Relocatable {
        by_function(member, &file, needs);
        return Ok(());
    }
    for symbol in symbols().filter(|symbol| symbol.is_undefined()) {
        if let Ok(name) = symbol.name() {
            // The version of a symbol is no part of its name.
            let name = name.split('@').next().unwrap_or_default();
            needs.names.insert((member.to_owned(), name.to_owned()));
        }
    }
    Ok(())
}

/// Names by the functions whose code refers to them.
fn by_function(member: &str, file: &object::File, needs: &mut Needs) {
    let mut functions: Vec<_> = file.symbols().filter(|s| s.is_definition() && s.kind() == SymbolKind::Text).collect();
    functions.sort_by_key(|symbol| (symbol.section_index().map(|index| index.0), symbol.address()));
    for section in file.sections() {
        for (offset, relocation) in section.relocations() {
            let RelocationTarget::Symbol(target) = relocation.target() else { continue };
            let Ok(symbol) = file.symbol_by_index(target) else { continue };
            let (true, Ok(name)) = (symbol.is_undefined(), symbol.name()) else { continue };
            let inside = functions
                .iter()
                .rev()
                .find(|function| function.section_index() == Some(section.index()) && function.address() <= offset);
            let function = inside.and_then(|function| function.name().ok()).unwrap_or_default();
            let place = match (member, function) {
                ("", function) => function.to_owned(),
                (member, "") => member.to_owned(),
                (member, function) => format!("{member}: {function}"),
            };
            needs.names.insert((place, name.to_owned()));
        }
    }
}

/// The name of a call by that of its symbol, and whether Fortran calls it: `mpi_send_`, `mpi_send_f08_`,
/// `mpi_send_f08ts_`, `MPIR_Send_cdesc`, and names of the modules with these procedures.
pub fn call(symbol: &str) -> (String, bool) {
    if let Some(name) = symbol.strip_prefix("MPIR_").and_then(|rest| rest.strip_suffix("_cdesc")) {
        return (format!("MPI_{name}"), true);
    }
    let name = symbol.rsplit_once("_MOD_").map_or(symbol, |(_, name)| name);
    let fortran = name.ends_with('_') || name.len() < symbol.len();
    if !fortran {
        return (name.to_owned(), false);
    }
    let name = name.trim_end_matches('_');
    let name = ["_f08ts", "_f08", "_cptr"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    (name.to_owned(), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_fortran_are_those_of_its_calls() {
        for symbol in ["mpi_send_", "mpi_send__", "mpi_send_f08_", "mpi_send_f08ts_", "__mpi_f08_MOD_mpi_send_f08ts"] {
            assert_eq!(call(symbol), ("mpi_send".to_owned(), true), "{symbol}");
        }
        assert_eq!(call("MPIR_Send_cdesc"), ("MPI_Send".to_owned(), true));
        assert_eq!(call("MPI_Send"), ("MPI_Send".to_owned(), false));
    }
}
