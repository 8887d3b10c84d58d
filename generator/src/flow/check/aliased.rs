//! Calls that pass one array under two names where the language forbids it: the callee's analyses take the names apart.

use super::super::locs::{Loc, Root};
use super::super::{Effects, Points, locate::Locator};
use crate::ir::{Callee, ItemKind, ProcId, Program, RegionId};
use crate::refuse::{Class, Refusal};

/// Refuses a call that passes the same element twice if the callee writes to it.
pub fn calls(program: &Program, points: &Points, effects: &Effects, refusals: &mut Vec<Refusal>) {
    let locator = Locator::new(program, points, effects);
    for (p, proc) in program.procs.by_id() {
        let regions = proc.regions.by_id();
        for (region, id) in regions.flat_map(|(region, body)| body.items.iter().map(move |id| (region, *id))) {
            let item = &proc.items[id];
            let ItemKind::Call { callee: Callee::Proc(g), args, .. } = &item.kind else { continue };
            let params = &program.procs[*g].params;
            if !params.iter().any(|param| param.no_alias) {
                continue;
            }
            let facts = locator.facts(p, region);
            let first: Vec<_> = args.iter().map(|arg| locator.base(p, arg, &facts)).collect();
            let writes = &effects.of_region(*g, RegionId(0)).writes;
            let is_written = |k: usize| formal(points, *g, k).iter().any(|leaf| writes.contains(leaf));
            for b in 1..first.len().min(params.len()) {
                let same = |a: &usize| first[*a].is_some() && first[*a] == first[b];
                let alone = |a: &usize| params[*a].no_alias || params[b].no_alias;
                let Some(a) = (0..b).find(|a| same(a) && alone(a) && (is_written(*a) || is_written(b))) else {
                    continue;
                };
                let what = format!(
                    "'{}' and '{}' of '{}' are one array here, and it is written",
                    params[a].name, params[b].name, program.procs[*g].name
                );
                let help = "pass a copy of it".into();
                refusals.push(Refusal { class: Class::Pointer, span: item.span, what, help });
            }
        }
    }
}

/// What an argument leads to.
fn formal(points: &Points, g: ProcId, k: usize) -> Vec<Loc> {
    let top = points.locs.find(Root::Formal(g, k as u32));
    top.map(|top| points.locs.leaves(top)).into_iter().flatten().collect()
}
