//! Loops that run again unasked, because it takes no time: none of their passes runs forward then, and a pass that is run
//! where it is reversed needs no tape.
//!
//! ```text
//!   double misfit(…) { for (i = 0; i < n; i++) { r = …; sum += r * r; } return sum; }
//!   misfit_b           computes r where it is read, in place of a tape of n residuals
//! ```
//!
//! A pass that puts something on the tape and takes it off at once is another matter: the processor works on several
//! passes at a time where they only store or only read. Bundle adjustment took 1.2 times as long in such passes.

use std::collections::BTreeSet;

use super::left_out::costless;
use super::proved::{Loops, planned_of, prove, read};
use super::{Adjoint, Choices, Sweeps, deferred};
use crate::flow::{Flow, Head, walk};
use crate::ir::{Callee, ItemId, ItemKind, Proc, ProcId, RegionId, SweepItem};
use crate::plan::{again, checkpoint};
use crate::refuse::Refusal;

/// No more loops than these run again unasked. The time that the proof takes grows with the square of their number.
const MOST: usize = 16;

/// The adjoint of a program that is analysed, in which loops run again where that lets the forward sweep leave them out:
/// what is in its way, else whether it is proved.
pub(super) fn planned(
    flow: &Flow,
    heads: &[Head],
    choices: &Choices,
) -> Result<Result<Adjoint, Vec<Refusal>>, Vec<Refusal>> {
    let loops = candidates(flow, heads, choices);
    // A check leaves nothing out, and compares what is run otherwise.
    let plain = Choices { check: false, fault: None, ..choices.clone() };
    let first = if loops.is_empty() { choices } else { &plain };
    let before = prove(read(flow, heads, first, &Loops::new())?, flow, heads, first);
    Ok(if loops.is_empty() { before } else { before.and_then(|before| better(flow, heads, choices, before, loops)) })
}

/// The adjoint in which such loops run again, if it is the better one.
fn better(
    flow: &Flow,
    heads: &[Head],
    choices: &Choices,
    before: Adjoint,
    loops: Loops,
) -> Result<Adjoint, Vec<Refusal>> {
    let plain = Choices { check: false, fault: None, ..choices.clone() };
    let chosen = chosen(flow, heads, &plain, &before, loops);
    if choices.check || choices.fault.is_some() {
        return planned_of(flow, heads, choices, &chosen.map(|(loops, _)| loops).unwrap_or_default());
    }
    Ok(chosen.map_or(before, |(_, after)| after))
}

/// The loops that had better run again, and the adjoint in which they do.
fn chosen(
    flow: &Flow,
    heads: &[Head],
    choices: &Choices,
    before: &Adjoint,
    mut loops: Loops,
) -> Option<(Loops, Adjoint)> {
    loops.retain(|at| stores(before, *at));
    while !loops.is_empty() {
        let after = planned_of(flow, heads, choices, &loops).ok()?;
        let found: Loops = loops.iter().filter(|at| is_left_out(&after, **at)).copied().collect();
        if found == loops {
            // What a pass reads may have to be stored elsewhere, and a pass may need a tape of its own.
            let dearer = after.demotions > before.demotions || pushes(&after, &loops) > pushes(before, &loops);
            return (!dearer).then_some((loops, after));
        }
        loops = found;
    }
    None
}

/// The loops of heads that nobody named, and that may be left out.
fn candidates(flow: &Flow, heads: &[Head], choices: &Choices) -> Loops {
    if choices.split {
        return Loops::new();
    }
    let mut named = again::loops(flow.program, &choices.again, true);
    named.extend(checkpoint::checkpoints(flow.program, &choices.checkpoints).into_iter().flatten().map(|(at, _)| at));
    let found = heads.iter().filter_map(|head| head.find(flow.program)).flat_map(|p| {
        let unwanted = deferred::unwanted(flow, heads, choices, p);
        costless(flow, p, &unwanted).into_iter().map(move |item| (p, item))
    });
    found.filter(|at| !named.contains(at)).take(MOST).collect()
}

fn is_left_out(adjoint: &Adjoint, (p, item): (ProcId, ItemId)) -> bool {
    adjoint.sweeps.iter().any(|each| each.proc == p && each.deferred.items.contains(&item))
}

/// Whether a loop of the forward sweep stores something, and what it calls does not.
fn stores(adjoint: &Adjoint, (p, item): (ProcId, ItemId)) -> bool {
    adjoint.sweeps.iter().filter(|each| each.proc == p && !each.deferred.items.contains(&item)).any(|each| {
        let f = &each.forward;
        let regions = f.items[item].kind.regions().into_iter();
        let inside: Vec<ItemId> = regions.flat_map(|region| walk::items(f, region)).collect();
        let calls = |item: &ItemId| matches!(f.items[*item].kind, ItemKind::Call { callee: Callee::Sweep(..), .. });
        inside.iter().any(|item| is_push(f, *item)) && !inside.iter().any(calls)
    })
}

fn is_push(proc: &Proc, item: ItemId) -> bool {
    matches!(proc.items[item].kind, ItemKind::Sweep(SweepItem::Push { .. }))
}

/// How many items store something, in forward sweeps outside of some loops and in reverse sweeps.
fn pushes(adjoint: &Adjoint, loops: &Loops) -> usize {
    let count = |each: &Sweeps| {
        let (f, r) = (each.runs_forward(), &each.reverse);
        let inside = loops
            .iter()
            .filter(|(p, _)| *p == each.proc)
            .flat_map(|(_, item)| f.items[*item].kind.regions().into_iter().flat_map(|region| walk::items(f, region)));
        let inside: BTreeSet<ItemId> = inside.collect();
        let forward =
            walk::items(f, RegionId(0)).into_iter().filter(|item| !inside.contains(item) && is_push(f, *item));
        forward.count() + walk::items(r, RegionId(0)).into_iter().filter(|item| is_push(r, *item)).count()
    };
    adjoint.sweeps.iter().map(count).sum()
}
