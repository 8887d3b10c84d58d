//! By variable: where each C variable is declared.

use super::Body;
use crate::ir::*;

/// Homes of C variables: the innermost region around every mention, and the first item there that mentions it.
#[derive(Default)]
pub(super) struct Scopes {
    /// Variables to be declared at an item, at the latest.
    first: rustc_hash::FxHashMap<ItemId, Vec<usize>>,
    /// What a region changes, by region.
    changed: Vec<Vec<usize>>,
    /// The region around all mentions of each variable.
    pub(super) homes: Vec<Option<RegionId>>,
}

impl Scopes {
    pub(super) fn new(proc: &Proc, slots: &[usize], count: usize) -> Scopes {
        if slots.is_empty() {
            return Scopes { changed: vec![Vec::new(); proc.regions.len()], ..Scopes::default() };
        }
        let mut mentions: Vec<Vec<(RegionId, Option<ItemId>)>> = vec![Vec::new(); count];
        let mut changed = vec![Vec::new(); proc.regions.len()];
        let slot = |value: ValueId| slots[proc.values[value].var.index()];
        for (index, region) in proc.regions.iter().enumerate() {
            let at = RegionId::new(index);
            for &item in &region.items {
                let mut see = |value| mentions[slot(value)].push((at, Some(item)));
                walk::values_of_item(proc, item, &mut see);
                defined(proc, item, &mut see);
                if let ItemKind::Declare { object } = proc.items[item].kind {
                    for dim in &proc.objects[object].shape {
                        dim.extent.iter().chain(&dim.lower).for_each(|bound| walk::values(bound, &mut see));
                    }
                }
                defined(proc, item, &mut |value| changed[index].push(slot(value)));
            }
        }
        if let Some(result) = &proc.result {
            walk::values(result, &mut |value| mentions[slot(value)].push((RegionId(0), None)));
        }
        let mut scopes = Scopes { first: Default::default(), changed, homes: vec![None; count] };
        let positions = proc.positions();
        for (slot, mentions) in mentions.iter().enumerate() {
            scopes.settle(proc, slot, mentions, &positions);
        }
        scopes
    }

    fn settle(
        &mut self,
        proc: &Proc,
        slot: usize,
        mentions: &[(RegionId, Option<ItemId>)],
        positions: &[Option<(RegionId, usize)>],
    ) {
        let mut paths = mentions.iter().map(|(region, item)| path(proc, *region, *item));
        let Some(mut home) = paths.next().map(|path| path.iter().map(|step| step.0).collect::<Vec<_>>()) else {
            return;
        };
        for path in paths {
            let common = home.iter().zip(&path).take_while(|(a, b)| **a == b.0).count();
            home.truncate(common);
        }
        let Some(&home) = home.last() else { return };
        self.homes[slot] = Some(home);
        let here = mentions.iter().filter_map(|(region, item)| {
            path(proc, *region, *item).into_iter().find(|step| step.0 == home).and_then(|step| step.1)
        });
        if let Some(item) = here.min_by_key(|item| positions[item.index()].map(|(_, position)| position)) {
            self.first.entry(item).or_default().push(slot);
        }
    }

    pub(super) fn declared_at(&self, item: ItemId) -> &[usize] {
        self.first.get(&item).map_or(&[], Vec::as_slice)
    }

    /// The C variables that a region and those inside it assign.
    pub(super) fn changed_in(&self, proc: &Proc, region: RegionId) -> Vec<usize> {
        let mut all = self.changed[region.index()].clone();
        for &item in &proc.regions[region].items {
            match &proc.items[item].kind {
                ItemKind::Branch { then, otherwise, .. } => {
                    all.extend(self.changed_in(proc, *then));
                    all.extend(self.changed_in(proc, *otherwise));
                }
                ItemKind::Loop { body, .. } => all.extend(self.changed_in(proc, *body)),
                _ => {}
            }
        }
        all
    }
}

/// The regions around a mention, outermost first, each with the item that holds it there.
fn path(proc: &Proc, region: RegionId, item: Option<ItemId>) -> Vec<(RegionId, Option<ItemId>)> {
    let mut steps = vec![(region, item)];
    let mut at = region;
    while let Some((parent, item)) = proc.regions[at].parent {
        steps.push((parent, Some(item)));
        at = parent;
    }
    steps.reverse();
    steps
}

/// The values that an item defines in its own region or, for heads, in its body.
pub(super) fn defined(proc: &Proc, item: ItemId, see: &mut dyn FnMut(ValueId)) {
    match &proc.items[item].kind {
        ItemKind::Let { value } => see(*value),
        ItemKind::Call { result, .. } => result.iter().for_each(|value| see(*value)),
        ItemKind::Branch { joins, .. } => joins.iter().for_each(|join| see(join.out)),
        ItemKind::Loop { carried, .. } => carried.iter().for_each(|each| {
            see(each.head);
            see(each.out);
        }),
        ItemKind::Pop { what } => match what {
            Popped::Value(value) | Popped::Count(value) | Popped::Bits { value, .. } => see(*value),
            Popped::Pointer { value, shadow, .. } => {
                see(*value);
                shadow.iter().for_each(|shadow| see(*shadow));
            }
            Popped::Memory(_) | Popped::Elements { .. } => {}
        },
        ItemKind::Snapshot(Snapshot { to, more, .. }) => to.iter().chain(more).for_each(|value| see(*value)),
        _ => {}
    }
}

impl Body<'_> {
    /// Declares a variable where it must exist, with a value that nobody reads.
    pub(super) fn declare_slot(&mut self, slot: usize, ty: &Type) {
        self.declared[slot] = true;
        let zero = match ty {
            Type::Pointer(_) => "NULL",
            Type::Float { .. } => "0.0",
            _ => "0",
        };
        let zero = if *ty == (Type::Float { bits: 32 }) { "0.0f" } else { zero };
        let text = format!("{} = {zero};", self.exprs.declare(ty, &self.slot_names[slot].clone()));
        self.statement(&text);
    }
}
