//! What the sweeps of all procedures share.

use crate::ir::*;
use crate::plan::Interface;
use crate::plan::facts::Analysed;
use std::collections::{BTreeMap, BTreeSet};

/// What all procedures share.
pub struct Context<'a> {
    /// The program.
    pub program: &'a Program,
    /// The analyses.
    pub facts: &'a Analysed<'a>,
    /// How the reverse sweeps that are finished are called.
    pub interfaces: &'a [Option<Interface>],
    /// Shadows of globals.
    pub global_shadows: &'a BTreeMap<GlobalId, GlobalId>,
    /// Largest cost at which a real is recomputed.
    pub dear: u32,
    /// Whether operands are noted for `--check`.
    pub check: bool,
    /// Whether there are several directions, so that adjoints are laid out in another way than the program's memory.
    pub wide: bool,
    /// Values that are stored, whatever brings them back without.
    pub stored: &'a BTreeMap<ProcId, BTreeSet<ValueId>>,
}
