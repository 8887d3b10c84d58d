//! What the analysis of pointers knows.

use crate::flow::Options;
use crate::flow::locs::{Loc, Locs, Set};
use crate::ir::{ItemId, ProcId, Program, Span};
use std::collections::{BTreeMap, BTreeSet};

/// What a call makes of the callee's locations: for each whole root of the callee, the caller's locations.
pub type Binding = BTreeMap<Loc, Set>;

/// The result of the analysis.
pub struct Points<'a> {
    pub(super) program: &'a Program,
    /// All locations.
    pub locs: Locs,
    pub(super) values: Vec<Vec<Set>>,
    pub(super) cells: BTreeMap<Loc, Set>,
    /// By procedure: the cells of its own, and those that hold what is its own.
    pub(super) cells_of: BTreeMap<ProcId, Set>,
    pub(super) bindings: BTreeMap<(ProcId, ItemId), Binding>,
    /// For each procedure pairs of locations that may be the same memory, the first of them a whole root.
    pub(super) pairs: Vec<BTreeSet<(Loc, Loc)>>,
    pub(super) grounds: BTreeMap<Loc, Set>,
    pub(super) heads: Vec<ProcId>,
    /// Whether the program keeps its blocks on the stable heap.
    pub(super) has_stable: bool,
    /// The pointers with static storage that the heads set before anything reads them.
    pub(super) set_first: Set,
    /// The pointers outside of the procedures' own memory that they set and nowhere read.
    pub(super) unread: Set,
    /// What of the caller may be one object.
    pub(super) one: One,
    pub(super) options: Options,
    pub(super) grown: bool,
    /// Whether a pointee of type `void` got its type in this closure.
    pub(super) typed: bool,
}

/// Two locations that a procedure takes for one object, with the place that says so.
pub(super) type Related = BTreeMap<(Loc, Loc), Span>;

/// What is one object.
#[derive(Default)]
pub(super) struct One {
    /// By procedure.
    pub(super) related: Vec<Related>,
    /// By procedure and root: the least element that the procedure surely accesses there.
    pub(super) lowest: BTreeMap<(ProcId, Loc), i128>,
    /// By procedure and root: integer arguments by which elements are accessed there, with what is added to them.
    pub(super) by_argument: BTreeSet<(ProcId, Loc, u32, i128)>,
    /// Of objects of the caller and variables at file scope, a whole root and what may be its memory.
    pub(super) pairs: BTreeSet<(Loc, Loc)>,
    /// What is taken for one object, but cannot be.
    pub(super) odd: Related,
}
