//! By variable: where each C variable is declared.

use crate::ir::nesting::Nesting;
use crate::ir::*;
use rustc_hash::FxHashMap;

/// Homes of variables of the output: the innermost region around every mention, and the first item there that mentions it.
#[derive(Default)]
pub(in crate::emit) struct Scopes {
    /// Variables to be declared at an item, at the latest.
    pub(in crate::emit) first: FxHashMap<ItemId, Vec<usize>>,
    /// By region: the variables whose home is around it and that it or a region inside it assigns, and how often.
    pub(in crate::emit) changed: Vec<Vec<(usize, usize)>>,
    /// The region around all mentions of each variable.
    pub(in crate::emit) homes: Vec<Option<RegionId>>,
}

impl Scopes {
    pub(in crate::emit) fn new(proc: &Proc, slots: &[usize], count: usize) -> Scopes {
        if slots.is_empty() {
            return Scopes { changed: vec![Vec::new(); proc.regions.len()], ..Scopes::default() };
        }
        let mut mentions: Vec<Vec<(RegionId, Option<ItemId>)>> = vec![Vec::new(); count];
        let mut changed: Vec<FxHashMap<usize, usize>> = vec![FxHashMap::default(); proc.regions.len()];
        let slot = |value: ValueId| slots[proc.values[value].var.index()];
        for (index, region) in proc.regions.iter().enumerate() {
            let at = RegionId::new(index);
            for &item in &region.items {
                let mut see = |value| mentions[slot(value)].push((at, Some(item)));
                walk::values_of_item(proc, item, &mut see);
                proc.items[item].kind.defined().into_iter().for_each(&mut see);
                if let ItemKind::Declare { object } = proc.items[item].kind {
                    for dim in &proc.objects[object].shape {
                        dim.extent.iter().for_each(|bound| walk::values(bound, &mut see));
                    }
                }
                for value in proc.items[item].kind.defined() {
                    *changed[index].entry(slot(value)).or_default() += 1;
                }
            }
        }
        if let Some(result) = &proc.result {
            walk::values(result, &mut |value| mentions[slot(value)].push((RegionId(0), None)));
        }
        let mut scopes = Scopes { homes: vec![None; count], ..Scopes::default() };
        let positions = proc.positions();
        let nesting = Nesting::new(proc, &positions);
        for (slot, mentions) in mentions.iter().enumerate() {
            scopes.settle(proc, slot, mentions, &nesting, &positions);
        }
        scopes.sum_up(proc, changed, &nesting, &positions);
        scopes
    }

    /// Finds the home of a variable, and the item there that mentions it first, itself or by what is inside.
    fn settle(
        &mut self,
        proc: &Proc,
        slot: usize,
        mentions: &[(RegionId, Option<ItemId>)],
        nesting: &Nesting,
        positions: &[Option<(RegionId, usize)>],
    ) {
        let regions = mentions.iter().map(|mention| mention.0);
        let Some(home) = regions.reduce(|home, region| nesting.common(proc, home, region)) else { return };
        self.homes[slot] = Some(home);
        let at = |item: ItemId| positions[item.index()].map(|(_, position)| position);
        let own = mentions.iter().filter(|mention| mention.0 == home).filter_map(|mention| mention.1);
        let own = own.min_by_key(|item| at(*item));
        let inside = mentions.iter().map(|mention| mention.0).filter(|region| *region != home);
        let inside = inside.min_by_key(|region| nesting.number(*region)).and_then(|region| within(proc, home, region));
        if let Some(item) = own.into_iter().chain(inside).min_by_key(|item| at(*item)) {
            self.first.entry(item).or_default().push(slot);
        }
    }

    /// Adds to what regions assign what those inside them do. Nothing outside its home mentions a variable.
    fn sum_up(
        &mut self,
        proc: &Proc,
        mut changed: Vec<FxHashMap<usize, usize>>,
        nesting: &Nesting,
        positions: &[Option<(RegionId, usize)>],
    ) {
        self.changed = vec![Vec::new(); changed.len()];
        for region in nesting.inner_first() {
            let here = std::mem::take(&mut changed[region.index()]);
            let leaves = |slot: usize| self.homes[slot].is_none_or(|home| !nesting.is_within(home, region));
            let here: Vec<(usize, usize)> = here.into_iter().filter(|(slot, _)| leaves(*slot)).collect();
            if let Some((outer, _)) = proc.around(region, positions) {
                let outer = &mut changed[outer.index()];
                here.iter().for_each(|(slot, times)| *outer.entry(*slot).or_default() += times);
            }
            self.changed[region.index()] = here;
        }
    }

    pub(in crate::emit) fn declared_at(&self, item: ItemId) -> &[usize] {
        self.first.get(&item).map_or(&[], Vec::as_slice)
    }

    /// The C variables from outside that a region and those inside it assign.
    pub(in crate::emit) fn changed_in(&self, region: RegionId) -> impl Iterator<Item = usize> {
        self.changed[region.index()].iter().map(|(slot, _)| *slot)
    }

    /// How often a region and those inside it assign a C variable from outside.
    pub(in crate::emit) fn times_changed(&self, region: RegionId, slot: usize) -> usize {
        self.changed[region.index()].iter().find(|(changed, _)| *changed == slot).map_or(0, |(_, times)| *times)
    }
}

/// The item of a region around another one that holds it.
fn within(proc: &Proc, outer: RegionId, region: RegionId) -> Option<ItemId> {
    let around = |at: &(RegionId, ItemId)| proc.regions[at.0].parent;
    std::iter::successors(proc.regions[region].parent, around).find(|at| at.0 == outer).map(|at| at.1)
}
