//! Where variables of the primal live: which are read at all, and the region that holds all of one.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

use crate::ir::nesting::Nesting;
use crate::ir::*;

/// The values that expressions, joins and the starts of loops read.
pub(super) fn read(proc: &Proc) -> FxHashSet<ValueId> {
    let mut read = FxHashSet::default();
    for (at, item) in proc.items.iter().enumerate() {
        let mut see = |value: ValueId| {
            read.insert(value);
        };
        walk::values_of_operands(proc, ItemId::new(at), &mut see);
        if let ItemKind::Branch { joins, .. } = &item.kind {
            joins.iter().for_each(|join| {
                see(join.then);
                see(join.otherwise);
            });
        } else if let ItemKind::Loop { carried, .. } = &item.kind {
            carried.iter().for_each(|c| see(c.init));
        }
    }
    read
}

/// The active real variables by the innermost region that contains every definition and every use of one.
pub(super) fn vars(proc: &Proc, active: impl Fn(ValueId) -> bool) -> FxHashMap<RegionId, Vec<VarId>> {
    let homes = homes(proc);
    let mut vars = BTreeSet::new();
    for (at, value) in proc.values.iter().enumerate() {
        let real = matches!(proc.vars[value.var].ty, Type::Float { .. });
        if real && homes.contains_key(&value.var) && active(ValueId::new(at)) {
            vars.insert(value.var);
        }
    }
    let mut of_regions: FxHashMap<RegionId, Vec<VarId>> = FxHashMap::default();
    vars.into_iter().for_each(|var| of_regions.entry(homes[&var]).or_default().push(var));
    of_regions
}

/// The innermost region that contains every definition and every use of each real variable.
fn homes(proc: &Proc) -> FxHashMap<VarId, RegionId> {
    let mut homes: FxHashMap<VarId, RegionId> = FxHashMap::default();
    let nesting = Nesting::new(proc, &proc.positions());
    let mut see = |var: VarId, region: RegionId| {
        let home = homes.entry(var).or_insert(region);
        *home = nesting.common(proc, *home, region);
    };
    for value in &proc.values {
        if value.def != Def::Undefined {
            see(value.var, value.region);
        }
    }
    for (at, region) in proc.regions.iter().enumerate() {
        for item in &region.items {
            walk::values_of_item(proc, *item, &mut |value| {
                see(proc.values[value].var, RegionId::new(at));
            });
        }
    }
    if let Some(result) = &proc.result {
        walk::values(result, &mut |value| see(proc.values[value].var, RegionId(0)));
    }
    homes
}
