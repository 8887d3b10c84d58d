//! Conditions that cost more than their arms: what a branch reads again must be kept where it is overwritten, and a bit
//! on the tape says as well which arm ran.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::state::Required;
use crate::flow::{Set, walk};
use crate::ir::{ItemId, ItemKind, ProcId};

impl Required<'_> {
    /// Takes demands of conditions away that alone keep memory, where each pass that runs the branch overwrites some of it:
    /// a bit a pass is less. Their branches are [stored](Self::is_stored). Takes effect with [`Self::run`]. Returns the
    /// procedures of such branches.
    pub fn store_arms(&mut self) -> BTreeSet<ProcId> {
        let pushed = &self.verdict.pushed;
        let conditions = self.demands.keys().copied().filter(|at| self.is_condition(*at));
        let dear: Vec<_> = conditions.filter(|at| pushed.iter().any(|store| self.overwrites(*store, *at))).collect();
        if dear.is_empty() {
            return BTreeSet::new();
        }
        let mut without = self.fork();
        without.take_away(&dear);
        without.run();
        let for_conditions: Vec<_> = pushed.difference(&without.verdict.pushed).copied().collect();
        let spared = |at: &(ProcId, ItemId)| for_conditions.iter().any(|store| self.overwrites(*store, *at));
        let found: Vec<_> = dear.into_iter().filter(spared).collect();
        self.take_away(&found);
        self.stored.extend(&found);
        found.into_iter().map(|(p, _)| p).collect()
    }

    fn take_away(&mut self, found: &[(ProcId, ItemId)]) {
        let demands = Arc::make_mut(&mut self.demands);
        found.iter().for_each(|at| drop(demands.remove(at)));
        // Memory may have been among this because of them.
        self.lasting.clear();
    }

    /// Whether a bit on the tape says which arm of a branch ran, because its condition reads what nothing else needs.
    pub fn is_stored(&self, p: ProcId, branch: ItemId) -> bool {
        self.stored.contains(&(p, branch))
    }

    /// Whether a demand is that of a condition, in no loop whose passes run again.
    fn is_condition(&self, (p, item): (ProcId, ItemId)) -> bool {
        matches!(self.flow.program.procs[p].items[item].kind, ItemKind::Branch { .. })
            && !self.loops(p, item).iter().any(|around| self.again.contains(&(p, *around)))
    }

    /// Whether a store may overwrite what a condition reads, and runs about as often as the branch.
    fn overwrites(&self, (p, store): (ProcId, ItemId), (q, branch): (ProcId, ItemId)) -> bool {
        let mut read = self.demands[&(q, branch)].iter().flat_map(walk::loads);
        let written = |cells: &Set| {
            let to = self.flow.program.procs[p].items[store].kind.written();
            to.into_iter().any(|to| self.flow.cells(p, to).iter().any(|cell| cells.contains(cell)))
        };
        p == q && self.as_often(p, store, branch) && read.any(|place| written(&self.flow.cells(p, place)))
    }

    /// Whether the loops around a branch are around a store, too, or loops with as many passes.
    fn as_often(&self, p: ProcId, store: ItemId, branch: ItemId) -> bool {
        let (inner, outer) = (self.loops(p, store), self.loops(p, branch));
        let passes = |item| {
            let index = self.locator.index(p, item).filter(|index| index.dense())?;
            index.hi.sub(&index.lo)
        };
        let as_many = |(a, b): (&ItemId, &ItemId)| {
            let more = || passes(*a)?.sub(&passes(*b)?)?.as_constant();
            a == b || more().is_some()
        };
        inner.len() >= outer.len() && inner.iter().zip(&outer).all(as_many)
    }

    /// The loops around an item, outermost first.
    fn loops(&self, p: ProcId, item: ItemId) -> Vec<ItemId> {
        let proc = &self.flow.program.procs[p];
        let region = self.positions[p.index()][item.index()].map(|(region, _)| region);
        let owner = |region| proc.regions[region].parent;
        let around = std::iter::successors(region.and_then(owner), |(region, _)| owner(*region));
        let is_loop = |item: &ItemId| matches!(proc.items[*item].kind, ItemKind::Loop { .. });
        let mut loops: Vec<ItemId> = around.map(|(_, item)| item).filter(is_loop).collect();
        loops.reverse();
        loops
    }
}
