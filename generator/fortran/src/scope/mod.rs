//! The meaning of names: scopes, types, constants, the memory of COMMON blocks.
//!
//! ```text
//!   resolve   names, interfaces   scopes and what declarations say    program: what is known
//!             uses                names of modules
//!             implicit            names without a declaration
//!   asked     kinds, references   type and rank of an expression
//!             constants, folded_calls   values            value: arithmetic
//!             shapes              bounds
//!             generic             the specific procedure of a call
//!             common              layout of COMMON and EQUIVALENCE
//!             intrinsic           one table of the procedures and modules that compilers have
//! ```
//!
//! A module whose source is not given is opaque: its names stand for something unknown, and what depends on them has no
//! type, kind or value here. Whoever needs one of those refuses, with the name of the module.

pub mod common;
pub mod components;
mod constants;
mod folded_calls;
pub mod generic;
mod implicit;
mod interfaces;
pub mod intrinsic;
pub mod kinds;
mod names;
pub mod program;
mod references;
pub mod shapes;
pub mod uses;
pub mod value;

use crate::tree::unit::File;
use program::Program;

/// Resolves the names of a program's files, which may come in any order.
pub fn resolve<'t>(files: &[&'t File]) -> Program<'t> {
    let mut program = Program::default();
    for (number, file) in files.iter().enumerate() {
        for unit in &file.units {
            program.add_unit(unit, number, None);
        }
    }
    program.resolve_uses();
    program.take_interfaces();
    files.iter().flat_map(|file| &file.units).for_each(|unit| program.add_undeclared(unit));
    program
}
