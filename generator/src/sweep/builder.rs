//! A reverse sweep while it is built: the state that all files of this folder work on.

use super::Taken;
use super::context::Context;
use crate::ir::*;
use crate::plan::game::Game;
use crate::plan::levels::Levels;
use crate::plan::recompute::Definitions;
use crate::plan::{Explanation, ProcPlan};
use crate::refuse::Refusal;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// What one run of the builder begins with.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// Records that are known already.
    pub records: BTreeMap<RegionId, Vec<ValueId>>,
    /// What the run before asked for and did not get: a store that yields more of these is better.
    pub wanted: BTreeSet<ValueId>,
    /// Loops whose passes put something on the tape: what they overwrite is not stored in front of them.
    pub mixed: BTreeSet<ItemId>,
    /// Values that stay on record though others tell them. None: each record keeps all.
    pub firm: Option<BTreeSet<ValueId>>,
}

/// A value of the primal in the reverse sweep.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) value: Expr,
    pub(super) shadow: Option<Expr>,
}

/// A loop whose reverse is being built.
pub(super) struct OpenLoop {
    pub(super) item: ItemId,
    pub(super) level: usize,
    /// The loop in the reverse sweep, its body, and what it carries: variable of the primal, head, shadow's head.
    pub(super) reversed: ItemId,
    pub(super) body: RegionId,
    pub(super) carried: Vec<(u32, ValueId, Option<ValueId>)>,
    /// Position of the next carried variable of the reversed loop.
    pub(super) next: u32,
}

/// One run.
pub struct Builder<'a> {
    pub(super) cx: &'a Context<'a>,
    pub(super) id: ProcId,
    pub(super) primal: &'a Proc,
    pub(super) game: Game<'a>,
    pub(super) definitions: &'a Definitions,
    pub(super) live: BTreeSet<ItemId>,
    /// See `live::cleared`.
    pub(super) cleared: FxHashSet<ValueId>,
    pub(super) out: Proc,
    pub(super) at: RegionId,
    /// Names of values, by level of the game.
    pub(super) names: Levels<Named>,
    pub(super) loops: Vec<OpenLoop>,
    pub(super) plan: ProcPlan,
    pub(super) start: &'a Start,
    pub(super) wanted: BTreeSet<ValueId>,
    /// Regions of which so many values were asked for that the least to store is not searched.
    pub(super) crowded: FxHashSet<RegionId>,
    pub(super) again: Vec<(ItemId, Expr)>,
    /// Adjoints of scalar variables, each an object of the sweep.
    pub(super) adjoints: FxHashMap<VarId, ObjectId>,
    /// Active real variables by the region that holds all of one: their adjoints are declared there.
    pub(super) vars: FxHashMap<RegionId, Vec<VarId>>,
    /// Names of objects and variables of the sweep.
    pub(super) taken: Taken,
    /// How many recipes are being followed inside each other.
    pub(super) nested: usize,
    /// The explanations that the plan has.
    pub(super) explained: FxHashSet<Explanation>,
    /// Names that stand for values of several lines.
    pub(super) several: FxHashSet<String>,
    /// Prints expressions of the primal.
    pub(super) printer: print::Expressions<'a>,
    pub(super) shadows: FxHashMap<ObjectId, ObjectId>,
    /// Names of the arguments; what each parameter of the sweep is.
    pub(super) arguments: Vec<Option<Named>>,
    pub(super) params: Vec<ReverseParam>,
    /// The region of the sweep that belongs to each level, and the pops of its record.
    pub(super) regions: Vec<RegionId>,
    pub(super) pops: Vec<Vec<ItemId>>,
    /// Each level's pops of pointers into objects of its region, and the item in whose place they stand: behind the
    /// declarations of these objects.
    pub(super) late: Vec<(ItemId, Vec<ItemId>)>,
    pub(super) span: Span,
    pub(super) statement: Option<StatementId>,
    pub(super) refusals: Vec<Refusal>,
    /// The value whose definition is being reversed, or what the store being reversed has put into memory.
    pub(super) defined: Option<ValueId>,
    pub(super) own: Option<Own>,
    /// Operands of the item at hand, for `--check`.
    pub(super) operands: Vec<Expr>,
    /// Values that something reads: heads that nobody reads are not carried.
    pub(super) read: FxHashSet<ValueId>,
    /// Sizes of heap blocks, and the blocks that each region of the sweep allocates.
    pub(super) counts: FxHashMap<ObjectId, Expr>,
    pub(super) blocks: BTreeMap<RegionId, Vec<ObjectId>>,
    /// What each pop into a value takes from the tape, and the line of `--explain` about it.
    pub(super) stored: BTreeMap<ItemId, (Stored, Explanation)>,
    /// Passes that run again in front of their reversal, and the parts of the sweep that do it.
    pub(super) again_passes: Vec<Pass>,
    pub(super) copies: Copies,
    /// Objects of the copies alone, with those of the primal.
    pub(super) copied_objects: Vec<(ObjectId, ObjectId)>,
    /// Loops that cannot be run again after all.
    pub(super) unfit: Vec<ItemId>,
    /// The item that is being reversed, and by item of the sweep the one that it reverses.
    pub(super) reversed: Option<ItemId>,
    pub(super) origins: Vec<Option<ItemId>>,
    /// For `--explain`: which lines read values, and memory by the name of what it belongs to.
    pub(super) reads: FxHashMap<ValueId, BTreeSet<u32>>,
    pub(super) loads: FxHashMap<String, BTreeSet<u32>>,
    /// Values from whose definition others are recovered.
    pub(super) inverted: FxHashSet<ValueId>,
}

/// A pass that runs again.
pub(super) struct Pass {
    pub(super) item: ItemId,
    pub(super) body: RegionId,
    /// The region of the sweep, and the item of it in whose place the copy stands.
    pub(super) at: RegionId,
    pub(super) mark: ItemId,
    /// Values that are there when the pass begins, by value of the primal.
    pub(super) outside: FxHashMap<ValueId, ValueId>,
    /// Names for what the pass computes in its own region, by value of the primal.
    pub(super) names: BTreeMap<ValueId, ValueId>,
    /// Whether it runs with a tape, to be reversed.
    pub(super) taped: bool,
}

/// A value on the tape, by what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stored {
    /// Part of the record of a region.
    Record(RegionId, ValueId),
    /// Which arm of a branch ran.
    Arm(ItemId),
    /// The passes of a loop.
    Count(ItemId),
}

/// What a store has put into memory, where it is still there when the store is reversed.
pub(super) struct Own {
    /// The call of a function that computed it.
    pub(super) from: Expr,
    /// What reads it again.
    pub(super) load: Expr,
    /// Its name in the reverse sweep.
    pub(super) name: Expr,
}
