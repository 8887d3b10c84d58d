//! Loops that are run again, as loops that push: the forward sweep that replay reads.
//!
//! The forward sweep runs the passes of such a loop without a tape. In front of a pass it pushes what the pass
//! overwrites, behind it what the pass began with: the **outer** pushes. The reverse sweep takes these back, runs a
//! **copy** of the pass, which pushes, and reverses that. Unfolding puts the pushes of the copy into the pass. It refuses
//! a copy that does anything else than the pass did: each of its items must be that of the pass, with other names.
//! What is left to prove is that the copy finds what the pass found: see [`super::rerun`].

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

use super::given::Given;
use super::merge::{Merge, Pass};
use super::way_back::{is_advance, way_back};
use crate::ir::*;

/// A forward sweep whose loops all push.
pub(super) struct Unfolded {
    pub forward: Proc,
    /// By loop that is run again.
    pub passes: BTreeMap<ItemId, Pass>,
}

/// What is wrong, and the loop.
type Wrong = (&'static str, Option<ItemId>);

const DIFFERS: &str = "a pass that runs again does something else than the first time";

pub(super) fn unfold(forward: &Proc, reverse: &Proc, given: &Given) -> Result<Unfolded, Wrong> {
    let mut whole = Unfolded { forward: forward.clone(), passes: BTreeMap::new() };
    // Loops around others first: the copy of a pass has the outer pushes of loops inside.
    let mut loops: Vec<(usize, ItemId, RegionId)> = Vec::new();
    for &item in &given.again {
        let ItemKind::Loop { body, .. } = forward.items[item].kind else { return Err((DIFFERS, Some(item))) };
        let around = |region: &RegionId| forward.regions[*region].parent.map(|(outer, _)| outer);
        loops.push((std::iter::successors(Some(body), around).count(), item, body));
    }
    loops.sort();
    let nothing = FxHashMap::default();
    for (_, item, body) in loops {
        let reversed = reverse.regions.iter().flat_map(|region| &region.items).find_map(|own| {
            let origin = given.origins.items.get(own.index()).copied().flatten();
            if let ItemKind::Loop { body, .. } = reverse.items[*own].kind
                && origin == Some(item)
                && !is_advance(reverse, *own)
                && !given.origins.copies.items.contains_key(own)
            {
                Some(body)
            } else {
                None
            }
        });
        let Some(own) = reversed else { continue };
        drop_rehearsed(&mut whole.forward, body);
        let is_push =
            |item: &ItemId| matches!(whole.forward.items[*item].kind, ItemKind::Sweep(SweepItem::Push { .. }));
        let outer = whole.forward.regions[body].items.iter().copied().filter(is_push).collect();
        let copied = |item: &ItemId| given.origins.copies.items.contains_key(item);
        let copy: Vec<ItemId> = reverse.regions[own].items.iter().copied().filter(copied).collect();
        let of = given.origins.copies.values.get(&item).unwrap_or(&nothing);
        let way = way_back(&whole.forward, (reverse, given, of), item, own).map_err(|()| (DIFFERS, Some(item)))?;
        let pass = Pass { outer, way, ..Pass::default() };
        let mut merge = Merge::new(&mut whole.forward, (reverse, given, of), pass);
        merge.region(body, &copy).map_err(|()| (DIFFERS, Some(item)))?;
        whole.passes.insert(item, merge.pass);
    }
    Ok(whole)
}

/// Drops what a check pushes in the first run of a pass, and takes back at its end: functions then run as they are.
fn drop_rehearsed(f: &mut Proc, body: RegionId) {
    let (mut inside, mut kept, mut regions) = (false, Vec::new(), Vec::new());
    for item in std::mem::take(&mut f.regions[body].items) {
        if let ItemKind::Sweep(SweepItem::Rehearsal { step }) = f.items[item].kind {
            inside = step == Rehearsal::Begin;
            continue;
        }
        if inside {
            if matches!(f.items[item].kind, ItemKind::Sweep(SweepItem::Push { .. })) {
                continue;
            }
            regions.extend(f.items[item].kind.regions());
            call_as_it_is(f, item);
        }
        kept.push(item);
    }
    f.regions[body].items = kept;
    while let Some(region) = regions.pop() {
        let items = std::mem::take(&mut f.regions[region].items);
        for &item in &items {
            regions.extend(f.items[item].kind.regions());
            call_as_it_is(f, item);
        }
        let goes = |item: &ItemId| {
            matches!(f.items[*item].kind, ItemKind::Sweep(SweepItem::Push { .. } | SweepItem::Rehearsal { .. }))
        };
        f.regions[region].items = items.into_iter().filter(|item| !goes(item)).collect();
    }
}

/// Calls a function in place of its forward sweep.
fn call_as_it_is(f: &mut Proc, item: ItemId) {
    if let ItemKind::Call { callee, .. } = &mut f.items[item].kind
        && let Callee::Sweep(id, Role::Forward) = *callee
    {
        *callee = Callee::Proc(id);
    }
}
