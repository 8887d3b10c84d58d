//! What replay takes as given, and what it says.

use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::contract::{Behind, Cells, Extent};
use crate::ir::*;

/// What a call does to memory: locations, and all that may be the same memory.
#[derive(Clone, Debug, Default)]
pub struct Effect {
    /// Locations that it may write.
    pub writes: Arc<BTreeSet<u32>>,
    /// What it may write.
    pub may: Extent,
    /// What it may read as it finds it.
    pub reads: Extent,
    /// What it may put on the tape as it finds it, only to put it back.
    pub saves: Extent,
    /// What its reverse reads as the call left it.
    pub needs: Extent,
    /// What its reverse does not restore.
    pub leaves: Extent,
    /// See [`Contract::restores`](super::Contract::restores).
    pub restores: Vec<Behind>,
    /// See [`Contract::fills`](super::Contract::fills).
    pub fills: Vec<Behind>,
}

/// What replay takes as given: where the parts of the sweeps come from, and the answers of analyses.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Where the parts of the reverse sweep come from. Checked, not believed.
    pub origins: Origins,
    /// The parameters of the reverse sweep.
    pub params: Vec<ReverseParam>,
    /// The parameters of the reverse sweeps that it calls.
    pub called: Arc<BTreeMap<ProcId, Vec<ReverseParam>>>,
    /// Shadows of globals.
    pub global_shadows: BTreeMap<GlobalId, GlobalId>,
    /// By value of the primal: whether a derivative flows through it.
    pub active: Vec<bool>,
    /// By place that the primal names.
    pub places: FxHashMap<Place, Cells>,
    /// By call of the primal.
    pub calls: FxHashMap<ItemId, Effect>,
    /// Loops whose passes the reverse sweep runs again.
    pub again: BTreeSet<ItemId>,
    /// What the forward sweep leaves out.
    pub left_out: BTreeSet<ItemId>,
    /// Whether pointers in memory find adjoints by their offsets.
    pub by_offset: bool,
    /// Whether another procedure calls it, or it itself: what only callers want to know is then searched for.
    pub is_called: bool,
}

/// What replay says about a procedure.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Nobody has asked yet.
    Unjudged,
    /// All obligations are proved.
    Proved,
    /// Something in it is not modelled: nothing is claimed about the procedure.
    Open {
        /// What.
        construct: String,
        /// Where.
        span: Span,
    },
    /// An obligation is not proved.
    Refused {
        /// Which.
        what: String,
        /// Where.
        span: Span,
        /// The item that was being reversed.
        item: Option<ItemId>,
    },
}
