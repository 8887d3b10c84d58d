//! Removes values that have no effect. A value is live if something with an effect reads it, by way of other live
//! values: a carried variable whose only reader is its own update is dead, and so is what is popped for nobody.

use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

use crate::ir::*;

/// How much may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Definitions, joins, carried variables, results of calls: what the user's statements do stays.
    Values,
    /// Also pops into values, and branches and loops that do nothing.
    All,
}

/// Removes what is dead. Returns the pops that went: the forward sweep must not push for them.
pub fn remove(proc: &mut Proc, extent: Extent) -> BTreeSet<ItemId> {
    let (mut gone, mut kept) = (BTreeSet::new(), Vec::new());
    let mut live = Live { proc: &*proc, extent, values: FxHashSet::default() };
    live.run();
    let held = proc.holding(|item| live.acts(item), |_| false);
    for region in &proc.regions {
        let stays = |item: &ItemId| held[item.index()] || live.stays(*item);
        let (stays, goes): (Vec<_>, Vec<_>) = region.items.iter().partition(|item| stays(item));
        gone.extend(
            goes.into_iter()
                .filter(|item: &ItemId| matches!(proc.items[*item].kind, ItemKind::Sweep(SweepItem::Pop { .. }))),
        );
        kept.push(stays);
    }
    let values = live.values;
    for (region, items) in proc.regions.iter_mut().zip(kept) {
        region.items = items;
    }
    for at in 0..proc.items.len() {
        shrink(proc, ItemId::new(at), &values);
    }
    gone
}

struct Live<'a> {
    proc: &'a Proc,
    extent: Extent,
    values: FxHashSet<ValueId>,
}

impl Live<'_> {
    fn run(&mut self) {
        let proc = self.proc;
        if let Some(result) = &proc.result {
            walk::values(result, &mut |value| {
                self.values.insert(value);
            });
        }
        loop {
            let before = self.values.len();
            self.region(RegionId(0));
            if self.values.len() == before {
                return;
            }
        }
    }

    /// Marks what a region reads, last item first. Whether something in it acts.
    fn region(&mut self, region: RegionId) -> bool {
        let mut acts = false;
        for &item in self.proc.regions[region].items.iter().rev() {
            acts |= self.item(item);
        }
        acts
    }

    fn item(&mut self, item: ItemId) -> bool {
        let proc = self.proc;
        let kind = &proc.items[item].kind;
        let has_no_effect = matches!(kind, ItemKind::DeclareVar { .. } | ItemKind::Sweep(SweepItem::Nothing));
        let only_defines = matches!(kind, ItemKind::Let { .. } | ItemKind::Sweep(SweepItem::Pop { .. }));
        if has_no_effect || only_defines && !self.stays(item) {
            return false;
        }
        if let ItemKind::Branch { then, otherwise, joins, .. } = kind {
            for join in joins {
                if self.values.contains(&join.out) {
                    self.values.extend([join.then, join.otherwise]);
                }
            }
            let first = self.region(*then);
            let second = self.region(*otherwise);
            let used = joins.iter().any(|join| self.values.contains(&join.out));
            if !(first || second || used || self.extent == Extent::Values) {
                return false;
            }
        } else if let ItemKind::Loop { body, carried, .. } = kind {
            for c in carried {
                if self.values.contains(&c.head) || self.values.contains(&c.out) {
                    self.values.extend([c.init, c.end]);
                }
            }
            let acts = self.region(*body);
            let used = carried.iter().any(|c| self.values.contains(&c.out));
            if !(acts || used || self.extent == Extent::Values) {
                return false;
            }
        } else if let ItemKind::Sweep(SweepItem::Pop { what: Popped::Pointer { shadow: Some(shadow), bases, .. } }) =
            kind
            && !self.values.contains(shadow)
        {
            for base in bases {
                walk::values(base, &mut |value| {
                    self.values.insert(value);
                });
            }
            return true;
        }
        let mut see = |value| {
            self.values.insert(value);
        };
        walk::values_of_extents(proc, item, &mut see);
        walk::values_of_operands(proc, item, &mut see);
        !matches!(proc.items[item].kind, ItemKind::Let { .. })
    }

    /// Whether an item stays where it is, whatever is inside it.
    fn stays(&self, item: ItemId) -> bool {
        let kind = &self.proc.items[item].kind;
        if let ItemKind::Let { value } = kind {
            self.values.contains(value)
        } else if self.extent != Extent::All {
            true
        } else if let ItemKind::Branch { joins, .. } = kind {
            joins.iter().any(|join| self.values.contains(&join.out))
        } else if let ItemKind::Loop { carried, .. } = kind {
            carried.iter().any(|c| self.values.contains(&c.out))
        } else {
            let defined = kind.defined();
            let only_pops = matches!(kind, ItemKind::Sweep(SweepItem::Pop { .. })) && !defined.is_empty();
            !only_pops || defined.iter().any(|value| self.values.contains(value))
        }
    }

    /// Whether an item does something that keeps what is around it.
    fn acts(&self, item: ItemId) -> bool {
        let kind = &self.proc.items[item].kind;
        let is_passive =
            matches!(kind, ItemKind::Let { .. } | ItemKind::DeclareVar { .. } | ItemKind::Sweep(SweepItem::Nothing));
        !is_passive && self.stays(item)
    }
}

/// Drops dead joins, dead carried variables and a dead result; the others get the numbers that they have now.
fn shrink(proc: &mut Proc, item: ItemId, live: &FxHashSet<ValueId>) {
    let mut kind = std::mem::replace(&mut proc.items[item].kind, ItemKind::Sweep(SweepItem::Nothing));
    if let ItemKind::Branch { joins, .. } = &mut kind {
        joins.retain(|join| {
            let stays = live.contains(&join.out);
            if !stays {
                proc.values[join.out].def = Def::Undefined;
            }
            stays
        });
        for (k, join) in joins.iter().enumerate() {
            proc.values[join.out].def = Def::Join(item, k as u32);
        }
    } else if let ItemKind::Loop { carried, .. } = &mut kind {
        carried.retain(|c| {
            let stays = live.contains(&c.head) || live.contains(&c.out);
            if !stays {
                proc.values[c.head].def = Def::Undefined;
                proc.values[c.out].def = Def::Undefined;
            }
            stays
        });
        for (k, c) in carried.iter().enumerate() {
            proc.values[c.head].def = Def::Head(item, k as u32);
            proc.values[c.out].def = Def::Out(item, k as u32);
        }
    } else if let ItemKind::Sweep(SweepItem::Pop { what: Popped::Pointer { value, shadow, bases, shadows } }) =
        &mut kind
    {
        if shadow.is_some() && !live.contains(value) {
            // Only the shadow is needed: it needs no other bases than its own.
            bases.clone_from(shadows);
        } else if let Some(value) = shadow.take_if(|of| !live.contains(of)) {
            proc.values[value].def = Def::Undefined;
            shadows.clear();
        }
    } else if let ItemKind::Call { result, .. } = &mut kind
        && let Some(value) = result.take_if(|value| !live.contains(value))
    {
        proc.values[value].def = Def::Undefined;
    }
    proc.items[item].kind = kind;
}
