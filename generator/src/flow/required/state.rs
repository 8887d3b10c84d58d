//! What is required while it is computed.

use crate::flow::Flow;
use crate::flow::locate::Locator;
use crate::flow::locs::Loc;
use crate::flow::sections::{self, Piece, Secs};
use crate::ir::{Expr, ItemId, ObjectId, Place, ProcId, RegionId, ValueId};
use crate::refuse::Refusal;
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a procedure, or a pass of a region, does to memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sum {
    /// Its adjoint needs these contents, as they are at its exit. May-set.
    pub required: Secs,
    /// It surely overwrites these. Must-set.
    pub killed: Secs,
    /// It may read these.
    pub read: Secs,
    /// It may write these.
    pub written: Secs,
    /// It may read these before it writes them itself.
    pub exposed: Secs,
}

/// What the analysis decides.
#[derive(Clone, Debug, Default)]
pub(super) struct Verdict {
    pub(super) pushed: BTreeSet<(ProcId, ItemId)>,
    pub(super) kept: BTreeSet<(ProcId, ObjectId)>,
    /// What is stored in front of each pass of a loop that is run again.
    pub(super) hulls: BTreeMap<(ProcId, ItemId), Vec<Hull>>,
    /// What is kept of loops that are run again from snapshots.
    pub(super) snapshots: BTreeMap<(ProcId, ItemId), Snapshots>,
    /// Loops that cannot be run again after all.
    pub(super) unfit: BTreeMap<(ProcId, ItemId), String>,
    /// What callers require at the entry of procedures.
    pub(super) entry: BTreeMap<ProcId, Secs>,
    pub(super) refusals: Vec<Refusal>,
}

impl Verdict {
    /// Adds what was decided for another procedure.
    pub(super) fn join(&mut self, other: Verdict) {
        let Verdict { pushed, kept, hulls, snapshots, unfit, entry, refusals } = other;
        self.pushed.extend(pushed);
        self.kept.extend(kept);
        self.hulls.extend(hulls);
        self.snapshots.extend(snapshots);
        self.unfit.extend(unfit);
        entry.iter().for_each(|(callee, required)| sections::union(self.entry.entry(*callee).or_default(), required));
        self.refusals.extend(refusals);
    }
}

/// What the transfer functions carry through a region.
#[derive(Default)]
pub(super) struct State {
    /// What the adjoint of everything before needs.
    pub(super) req: Secs,
    /// What happened since the region began; `required` is not used.
    pub(super) sum: Sum,
    /// Collects decisions; `None` while only a summary is made.
    pub(super) verdict: Option<Verdict>,
}

/// The result of the analysis.
pub struct Required<'f> {
    pub(super) flow: &'f Flow<'f>,
    pub(super) locator: Locator<'f>,
    /// Callees first.
    pub(super) waves: Arc<Vec<Vec<ProcId>>>,
    pub(super) needs: Arc<Vec<Vec<Vec<Expr>>>>,
    pub(super) demands: Arc<BTreeMap<(ProcId, ItemId), Vec<Expr>>>,
    /// Branches of which a bit says which arm ran.
    pub(super) stored: BTreeSet<(ProcId, ItemId)>,
    /// Loops whose passes the reverse sweep runs again, one at a time.
    pub(super) again: BTreeSet<(ProcId, ItemId)>,
    /// How many snapshots are kept of those of them that run again from snapshots.
    pub(super) checkpoints: BTreeMap<(ProcId, ItemId), u32>,
    /// Why others that were to be run again are not.
    pub(super) once: BTreeMap<(ProcId, ItemId), String>,
    /// Procedures that keep all memory that they overwrite.
    pub(super) whole: BTreeSet<ProcId>,
    /// What comes back to the state in front of a head's call, because a part of it does.
    pub(super) lasting: BTreeSet<Loc>,
    /// Objects whose contents nobody needs where their life ends, whatever is required there.
    pub(super) unread: BTreeSet<(ProcId, ObjectId)>,
    /// Whether other forward sweeps may run between the two of a head.
    pub(super) split: bool,
    pub(super) sums: Arc<Vec<Sum>>,
    pub(super) entry: Arc<Vec<Secs>>,
    pub(super) verdict: Arc<Verdict>,
    /// The region of each item, and its position there.
    pub(super) positions: Arc<Vec<Positions>>,
    /// What each item accesses by itself; does not change.
    pub(super) accesses: RefCell<FxHashMap<(ProcId, ItemId), Arc<Access>>>,
    /// A pass of each region, from nothing.
    pub(super) passes: RefCell<FxHashMap<(ProcId, RegionId), Arc<State>>>,
    /// What the items of each region write.
    pub(super) writers: RefCell<FxHashMap<(ProcId, RegionId), Arc<Writers>>>,
    /// Items that were visited, and writers that were compared with loads.
    pub(super) steps: Cell<u64>,
}

/// For each item of a procedure, its region and where it stands there.
pub(super) type Positions = Vec<Option<(RegionId, usize)>>;

/// Stores before which old contents are kept, objects whose contents are kept where their life ends,
/// what is stored in front of the passes of loops that are run again, and what snapshots of loops have.
pub type Decisions = (Vec<ItemId>, Vec<ObjectId>, Vec<(ItemId, Vec<Hull>)>, Vec<(ItemId, Snapshots)>);

/// What an item accesses by itself, without the regions in it.
pub(super) struct Access {
    /// What its adjoint needs.
    pub(super) needs: Secs,
    /// What its expressions read, each.
    pub(super) reads: Vec<Secs>,
}

/// By location: the positions of the items of a region that may write it, with what they write.
pub(super) type Writers = BTreeMap<Loc, Vec<(usize, Piece)>>;

/// Consecutive elements that a pass overwrites, in terms of values that are there when it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    /// The first.
    pub first: Place,
    /// How many.
    pub count: Expr,
}

/// What is kept of a loop that runs again from snapshots.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshots {
    /// How many snapshots at once.
    pub most: u32,
    /// Memory that each has, in terms of values from outside of the loop.
    pub memory: Vec<Hull>,
    /// How many passes there are at most, in terms of such values; `None`: not known in front of the loop.
    pub passes: Option<Expr>,
    /// By pointer that a pass begins with: the values from outside of the loop of which it is one. None if it means the
    /// same in both sweeps.
    pub pointers: BTreeMap<ValueId, Vec<ValueId>>,
}
