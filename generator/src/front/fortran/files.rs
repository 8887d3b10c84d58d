//! Which modules a source defines, and which it uses.

use crate::ir::FortranFile;
use adtape_fortran::tree::declaration::DeclarationKind;
use adtape_fortran::tree::header::UnitKind;
use adtape_fortran::tree::unit::{File, Unit};

/// Which modules a source defines, and which it uses.
pub fn modules(file: &File) -> FortranFile {
    let mut found = FortranFile::default();
    file.units.iter().for_each(|unit| see(unit, &mut found));
    found
}

fn see(unit: &Unit, found: &mut FortranFile) {
    let name = || unit.header.name.iter().map(|name| name.name.to_string());
    match &unit.header.kind {
        UnitKind::Module => found.modules.extend(name()),
        UnitKind::Submodule(module, _) => found.uses.push(module.name.to_string()),
        UnitKind::Program
        | UnitKind::BlockData
        | UnitKind::Subroutine
        | UnitKind::Function
        | UnitKind::ModuleProcedure => {}
    }
    let uses = unit.declarations.iter().filter_map(|declaration| match &declaration.kind {
        DeclarationKind::Use(used) => Some(used.module.name.to_string()),
        _ => None,
    });
    found.uses.extend(uses);
    unit.contained.iter().for_each(|inner| see(inner, found));
}
