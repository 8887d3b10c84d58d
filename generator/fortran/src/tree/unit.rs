//! Program units and procedures.

use super::declaration::Declaration;
use super::header::{End, Header};
use super::statement::Block;

/// The units of a file, in order.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// The units.
    pub units: Vec<Unit>,
}

/// A program unit, or a procedure in one.
#[derive(Clone, Debug)]
pub struct Unit {
    /// What it is, its name and its arguments.
    pub header: Header,
    /// Declarations.
    pub declarations: Vec<Declaration>,
    /// Actions.
    pub body: Block,
    /// There is a `contains`.
    pub contains: bool,
    /// What stands behind it.
    pub contained: Vec<Unit>,
    /// The last statement.
    pub end: End,
}
