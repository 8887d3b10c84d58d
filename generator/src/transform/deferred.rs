//! Which forward sweeps leave something out.

use std::collections::BTreeSet;

use super::left_out::{Unwanted, find};
use super::{Choices, Sweeps};
use crate::flow::required::Required;
use crate::flow::{self, Flow, Head};
use crate::ir::*;
use crate::plan::Explanation;
use crate::replay::Verdict;

/// Finds what forward sweeps may leave out, but for those that run as a whole. Whether the sweeps must be built anew for
/// that.
pub(super) fn defer(
    flow: &Flow,
    heads: &[Head],
    choices: &Choices,
    as_a_whole: &BTreeSet<ProcId>,
    required: &mut Required,
    sweeps: &mut [Sweeps],
) -> bool {
    // A check compares with what the forward sweep computed.
    if choices.check || choices.split {
        return false;
    }
    let mut changed = false;
    for each in sweeps.iter_mut().filter(|each| !as_a_whole.contains(&each.proc)) {
        let mut unwanted = unwanted(flow, heads, choices, each.proc);
        unwanted.result &= each.interface.live;
        let deferred = find(flow, each, &unwanted);
        changed |= required.drop_contents(each.proc, &deferred.unread);
        if each.deferred.items != deferred.items {
            each.verdict = Verdict::Unjudged;
        }
        each.deferred = deferred;
    }
    changed
}

/// The results of a procedure that nobody wants: those of a head that no procedure calls.
pub(super) fn unwanted(flow: &Flow, heads: &[Head], choices: &Choices, p: ProcId) -> Unwanted {
    let proc = &flow.program.procs[p];
    let calls = |other: &Proc| flow::walk::calls(other).iter().any(|(_, callee)| *callee == p);
    let head = heads.iter().find(|head| head.proc == proc.name).filter(|_| !flow.program.procs.iter().any(calls));
    head.map_or_else(Unwanted::default, |head| {
        let named = |k: &u32| choices.derivatives_only && head.dependents.contains(&proc.params[*k as usize].name);
        Unwanted { result: !choices.value, behind: (0..proc.params.len() as u32).filter(named).collect() }
    })
}

/// Procedures that leave something out and are not proved; those that are refused store more first.
pub(super) fn unproved(sweeps: &[Sweeps]) -> Vec<ProcId> {
    let is_open = |each: &&Sweeps| matches!(each.verdict, Verdict::Open { .. });
    let unproved = sweeps.iter().filter(is_open).filter(|each| !each.deferred.items.is_empty());
    unproved.map(|each| each.proc).collect()
}

/// Says in the plans what forward sweeps leave out.
pub(super) fn explain(sweeps: &mut [Sweeps]) {
    for each in sweeps {
        for item in &each.deferred.items {
            let Item { kind, span, .. } = &each.forward.items[*item];
            let (what, how) = if let ItemKind::Loop { .. } = kind
                && each.plan.again.contains_key(item)
            {
                ("loop", "left out of the forward sweep: passes run where they are reversed")
            } else if matches!(kind, ItemKind::Loop { .. }) {
                ("loop", "left out of the forward sweep: only the result needs it")
            } else if matches!(kind, ItemKind::Store { .. }) {
                ("result", "left out of the forward sweep: only derivatives are computed")
            } else {
                continue;
            };
            each.plan.explanations.push(Explanation::new(*span, what, how, 0.0));
        }
    }
}
