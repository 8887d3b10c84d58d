//! What was built for procedures, and from what: only what changes is built and proved anew.

use std::collections::BTreeMap;

use crate::flow::required::Decisions;
use crate::ir::*;
use crate::plan::Interface;
use crate::replay::Verdict;
use crate::sweeps::Sweeps;

/// By procedure.
pub type Known = BTreeMap<ProcId, Finished>;

/// What was built for one procedure.
pub struct Finished {
    /// What the analysis decided for it.
    pub decisions: Decisions,
    /// How its callees were called: with this and the decisions unchanged, so is all else.
    pub called: Vec<Option<Interface>>,
    /// How it is called.
    pub interface: Interface,
    /// `None` if there is nothing to reverse, and while somebody has them.
    pub sweeps: Option<Sweeps>,
    /// What it reads again from memory: procedure, item at which the program evaluates it, expression.
    pub again: Vec<(ProcId, ItemId, Expr)>,
    /// Loops that cannot be run again after all.
    pub unfit: Vec<ItemId>,
}

/// Takes the sweeps of procedures out, in this order.
pub fn take(known: &mut Known, order: &[ProcId]) -> Vec<Sweeps> {
    order.iter().filter_map(|id| known.get_mut(id)?.sweeps.take()).collect()
}

/// Gives sweeps back, but for those that are refused: these are built anew.
pub fn give_back(known: &mut Known, sweeps: Vec<Sweeps>) {
    for each in sweeps {
        if matches!(each.verdict, Verdict::Refused { .. }) {
            known.remove(&each.proc);
        } else if let Some(finished) = known.get_mut(&each.proc) {
            finished.sweeps = Some(each);
        }
    }
}
