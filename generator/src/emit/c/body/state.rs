//! A procedure while it is printed.

use crate::check::Watch;
use crate::emit::body::{Down, Head, Index, Lines, Records, Scopes};
use crate::emit::c::expr::Exprs;
use crate::emit::c::unit::Unit;
use crate::ir::*;
use crate::names::Names;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Prints one procedure.
pub(super) struct Body<'a> {
    pub(super) unit: &'a Unit<'a>,
    pub(super) proc: &'a Proc,
    pub(super) exprs: Exprs<'a>,
    pub(super) by_variable: bool,
    pub(super) tape: String,
    pub(super) heap: String,
    pub(super) locals: Names,
    /// Names of functions that generated code may call where the user's does not.
    pub(super) library: Names,
    /// By value: the name of each value. By variable: unused.
    pub(super) values: Vec<String>,
    /// By variable: the C variable of each variable.
    pub(super) slots: Vec<usize>,
    pub(super) slot_names: Vec<String>,
    /// By variable: the variables of each C variable.
    pub(super) slot_vars: Vec<Vec<VarId>>,
    /// By variable: the C variables of each name.
    pub(super) slots_named: FxHashMap<String, Vec<usize>>,
    pub(super) objects: Vec<String>,
    /// Where values and objects are mentioned.
    pub(super) index: Index<'a>,
    pub(super) scopes: Scopes,
    /// By variable: which value each C variable holds.
    pub(super) current: Vec<Option<ValueId>>,
    pub(super) declared: Vec<bool>,
    /// By variable: values that have a constant of their own.
    pub(super) kept: RefCell<BTreeMap<ValueId, String>>,
    pub(super) fresh_kept: RefCell<Vec<ValueId>>,
    pub(super) out: Lines,
    pub(super) indent: usize,
    /// The source line that was named last.
    pub(super) line: (u32, u32),
    /// By value: lets that a `for` has taken into its head.
    pub(super) skipped: FxHashSet<ItemId>,
    /// Numbers that go on the tape together.
    pub(super) records: Records,
    /// Names that the parameters have in C, those without use among them.
    pub(super) params: Vec<String>,
    /// By variable: loops that are printed as `for`.
    pub(super) heads: FxHashMap<ItemId, Head>,
    /// By value: loops that count down in their test.
    pub(super) downs: FxHashMap<ItemId, Down>,
    /// By value: numbers that loops begin with.
    pub(super) begins: FxHashMap<ValueId, ItemId>,
    /// By variable: the user's text.
    pub(super) copies: Copies,
    /// The names of the handles of loops that run again from snapshots, innermost last.
    pub(super) handles: Vec<String>,
    /// For `--check`: names of what passes that run twice began with.
    pub(super) rehearsals: Vec<(String, String)>,
    /// Items of the primal come first.
    pub(super) primal_items: usize,
    /// For `--check`: what a copy of the procedure says.
    pub(super) watch: Option<(&'a Watch<'a>, ProcId)>,
}

/// The printed procedure: declarator and body.
pub(crate) struct Printed {
    /// What stands in front of its prototype.
    pub(crate) attribute: String,
    /// `double f_fwd(adtape_t *t, double *x)`.
    pub(crate) signature: String,
    /// What comes first in the body.
    pub(crate) begins: String,
    /// The other lines of the body.
    pub(crate) body: String,
}

/// What is known of the statements of a procedure.
#[derive(Default)]
pub(super) struct Copies {
    /// Items of the primal that come from a statement or one inside it, by statement.
    pub(super) items: BTreeMap<StatementId, BTreeSet<ItemId>>,
    /// Statements whose text the sweep may take as it is, as far as that does not depend on the place.
    pub(super) whole: BTreeMap<StatementId, String>,
    /// The region of each item of the sweep.
    pub(super) regions: Vec<Option<RegionId>>,
    /// Items that mention a variable, by variable.
    pub(super) mentions: FxHashMap<VarId, BTreeSet<ItemId>>,
    /// Comments above statements that were printed already.
    pub(super) commented: BTreeSet<StatementId>,
}
