//! Conditions that cost more than their arms: what a branch reads again must be kept where it is overwritten, and a bit
//! on the tape says as well which arm ran.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::state::Required;
use crate::flow::locate::Index;
use crate::flow::locs::Loc;
use crate::flow::poly::Poly;
use crate::flow::walk;
use crate::ir::{ItemId, ItemKind, ProcId};

/// How often a loop runs: loops whose bounds differ by as much, but for a constant, run about as often.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Passes {
    About(Poly),
    /// As often as this loop.
    Of(ItemId),
}

/// By procedure and cell, the loops around stores to it, from the outermost on.
type Overwritten = FxHashMap<(ProcId, Loc), FxHashSet<Vec<Passes>>>;

impl Required<'_> {
    /// Takes demands of conditions away that alone keep memory, where each pass that runs the branch overwrites some of it:
    /// a bit a pass is less. Their branches are [stored](Self::is_stored). Takes effect with [`Self::run`]. Returns the
    /// procedures of such branches.
    pub fn store_arms(&mut self) -> BTreeSet<ProcId> {
        let pushed = &self.verdict.pushed;
        let overwritten = self.overwritten(pushed.iter());
        let conditions = self.demands.keys().copied().filter(|at| self.is_condition(*at));
        let dear: Vec<_> = conditions.filter(|at| self.reads(*at, &overwritten)).collect();
        if dear.is_empty() {
            return BTreeSet::new();
        }
        let mut without = self.fork();
        without.take_away(&dear);
        without.run();
        let for_conditions = self.overwritten(pushed.difference(&without.verdict.pushed));
        let found: Vec<_> = dear.into_iter().filter(|at| self.reads(*at, &for_conditions)).collect();
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

    /// What stores may overwrite, and how often: about as often as their loops run, and as loops around these do.
    fn overwritten<'s>(&self, stores: impl Iterator<Item = &'s (ProcId, ItemId)>) -> Overwritten {
        let mut found = Overwritten::default();
        for &(p, store) in stores {
            let passes: Vec<Passes> = self.loops(p, store).into_iter().map(|around| self.passes(p, around)).collect();
            let written = self.flow.program.procs[p].items[store].kind.written();
            for cell in written.into_iter().flat_map(|to| self.flow.cells(p, to)) {
                let known = found.entry((p, cell)).or_default();
                known.extend((0..=passes.len()).map(|depth| passes[..depth].to_vec()));
            }
        }
        found
    }

    /// Whether a condition reads something that is overwritten about as often as its branch runs.
    fn reads(&self, (p, branch): (ProcId, ItemId), overwritten: &Overwritten) -> bool {
        let read = self.demands[&(p, branch)].iter().flat_map(walk::loads);
        let mut known = read.flat_map(|place| self.flow.cells(p, place)).filter_map(|cell| overwritten.get(&(p, cell)));
        let Some(first) = known.next() else { return false };
        let passes: Vec<Passes> = self.loops(p, branch).into_iter().map(|around| self.passes(p, around)).collect();
        std::iter::once(first).chain(known).any(|known| known.contains(&passes))
    }

    /// How many passes a loop has.
    fn passes(&self, p: ProcId, item: ItemId) -> Passes {
        let index = self.locator.index(p, item).filter(Index::dense);
        let passes = index.and_then(|index| index.hi.sub(&index.lo));
        passes.map_or(Passes::Of(item), |passes| Passes::About(passes.without_constant()))
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
