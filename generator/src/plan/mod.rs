//! What the reverse sweep asks for and how it gets it: a name, a recipe, or, last, a store.
//!
//! The plan of a procedure is found by building its reverse sweep (`sweep::reverse`) until nothing changes: the first
//! time collects what is asked for, the second chooses stores by what they bring, the third has these from the start.

pub(crate) mod affine;
pub mod again;
pub mod checkpoint;
pub mod control;
pub mod cut;
pub(crate) mod decisions;
pub(crate) mod exprs;
pub mod facts;
pub mod game;
pub mod levels;
pub mod recompute;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::flow::required::{Hull, Snapshots};
use crate::ir::{Expr, ItemId, ObjectId, Place, RegionId, ReverseParam, Span, ValueId};

/// What the two sweeps of a procedure agree on.
#[derive(Clone, Debug, Default)]
pub struct ProcPlan {
    /// Values that are stored: pushed at the end of their region, popped at its start in the reverse sweep.
    pub records: BTreeMap<RegionId, Vec<ValueId>>,
    /// Those of them that point into an object of their region: pushed before its contents, popped behind them.
    pub late: BTreeSet<ValueId>,
    /// Branches whose arm is stored, one bit each.
    pub bits: BTreeSet<ItemId>,
    /// Loops whose passes are counted on the tape.
    pub counts: BTreeSet<ItemId>,
    /// Stores whose loops push what they overwrite at once.
    pub runs: BTreeMap<ItemId, Run>,
    /// Loops whose passes the reverse sweep runs again, with what is stored in front of each pass.
    pub again: BTreeMap<ItemId, Vec<Hull>>,
    /// Those of them that run again from snapshots: what these have, and which values that the loop carries.
    pub snapshots: BTreeMap<ItemId, (Snapshots, Vec<ValueId>)>,
    /// Objects of pointers that find adjoints by their offsets from one array.
    pub by_offset: BTreeSet<ObjectId>,
    /// Whether the reverse sweep computes sums of reals again, which come out alike if both sweeps round alike.
    pub sums: bool,
    /// For `--check`: the operands that the adjoint of an item reads, in the order in which it reads them.
    pub witnesses: BTreeMap<ItemId, Vec<Expr>>,
    /// For `--explain`.
    pub explanations: Vec<Explanation>,
}

/// Consecutive elements that the passes of a loop overwrite, in terms of values from outside of the loop.
#[derive(Clone, Debug)]
pub struct Run {
    /// The element of the first pass.
    pub first: Place,
    /// How many there are.
    pub count: Expr,
}

/// One line of `--explain`.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The source it is about.
    pub span: Span,
    /// What: a variable, a place, a branch, a loop.
    pub what: String,
    /// How it comes back, or that it is stored, and why.
    pub how: String,
    /// What is known of that.
    pub kind: Explained,
    /// The lines whose adjoints read it, where it is stored.
    pub readers: Arc<[u32]>,
    /// Bytes on the tape each time; 0 for what is not stored. A bit is 1/8.
    pub bytes: f64,
}

impl Explanation {
    /// A line of which nobody knows more.
    pub fn new(span: Span, what: impl Into<String>, how: impl Into<String>, bytes: f64) -> Explanation {
        Explanation { span, what: what.into(), how: how.into(), kind: Explained::Other, readers: Arc::default(), bytes }
    }
}

/// What an explanation is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Explained {
    /// Memory that is stored before it is overwritten.
    Overwritten,
    /// A value that is stored, and that could be computed again from what is there.
    Kept,
    /// Anything else.
    #[default]
    Other,
}

impl Eq for Explanation {}

impl Hash for Explanation {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.span, &self.what, &self.how).hash(state);
    }
}

/// How a reverse sweep is called.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interface {
    /// Parameters behind the tape, in order.
    pub params: Vec<ReverseParam>,
    /// Whether there is anything to do.
    pub live: bool,
}
