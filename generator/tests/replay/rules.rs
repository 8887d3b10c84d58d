//! Functions whose derivative is given.

use adtape_generate::ir::{ItemId, ItemKind, RegionId, SweepItem};
use adtape_generate::replay::Verdict;
use adtape_generate::transform::Sweeps;

use super::common::head;
use super::{generated, with_fault};

/// Faults in the sweeps of a function with a rule: each reads something else than forward, or twice, or not at all.
#[test]
fn given_derivatives_that_read_what_is_not_there_are_refused() {
    const FILES: [&str; 2] = ["command/tests/rules/vectors.c", "command/tests/rules/matrices.c"];
    fn given(sweeps: &Sweeps, is_call: bool) -> Vec<ItemId> {
        let is = |item: &ItemId| matches!(&sweeps.reverse.items[*item].kind, ItemKind::Given { needs, .. } if needs.is_empty() == is_call);
        sweeps.reverse.regions.iter().flat_map(|region| region.items.iter().copied().filter(is)).collect()
    }
    fn dropped(sweeps: &mut Sweeps, round: u32) {
        let calls = given(sweeps, true);
        if round == 0 {
            sweeps.reverse.regions.iter_mut().for_each(|region| region.items.retain(|item| !calls.contains(item)));
        }
    }
    fn doubled(sweeps: &mut Sweeps, round: u32) {
        for call in given(sweeps, true).into_iter().filter(|_| round == 0) {
            let copy = sweeps.reverse.items[call].clone();
            sweeps.reverse.items.push(copy);
            let of = sweeps.origins.items[call.index()];
            sweeps.origins.items.push(of);
            let new = ItemId::new(sweeps.reverse.items.len() - 1);
            sweeps.reverse.regions[RegionId(0)].items.push(new);
        }
    }
    fn swapped(sweeps: &mut Sweeps, round: u32) {
        for call in given(sweeps, true).into_iter().filter(|_| round == 0) {
            if let ItemKind::Given { args, .. } = &mut sweeps.reverse.items[call].kind {
                let last = args.len() - 1;
                args.swap(0, last);
            }
        }
    }
    fn unneeded(sweeps: &mut Sweeps, round: u32) {
        let needs = given(sweeps, false);
        if round == 0 {
            sweeps.reverse.regions.iter_mut().for_each(|region| region.items.retain(|item| !needs.contains(item)));
        }
    }
    fn unpushed(sweeps: &mut Sweeps, round: u32) {
        if round > 0 {
            return;
        }
        let is = |kind: &ItemKind| matches!(kind, ItemKind::Sweep(SweepItem::Push { .. } | SweepItem::Pop { .. }));
        for proc in [&mut sweeps.forward, &mut sweeps.reverse] {
            let all: Vec<ItemId> = proc.items.ids().filter(|item| is(&proc.items[*item].kind)).collect();
            proc.regions.iter_mut().for_each(|region| region.items.retain(|item| !all.contains(item)));
        }
    }
    type Fault = fn(&mut Sweeps, u32);
    let faults: [(&str, Fault); 5] = [
        ("dropped", dropped),
        ("doubled", doubled),
        ("swapped", swapped),
        ("unneeded", unneeded),
        ("unpushed", unpushed),
    ];
    for file in FILES {
        let heads = [head("f(f x y)/(x y)")];
        assert_eq!(generated(file, &heads).demotions, 0, "{file}");
        for (name, fault) in faults {
            if let Ok(adjoint) = with_fault(file, &heads, Some(fault)) {
                let proved = adjoint.sweeps.iter().all(|each| each.verdict == Verdict::Proved);
                assert!(!proved || adjoint.demotions > 0, "{file}: {name}");
            }
        }
    }
}
