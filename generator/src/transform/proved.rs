//! The adjoint of one program: what must be kept, sweeps under it, their proof, until nothing changes.

use super::build::{heads_of, sweeps};
use super::{Adjoint, Choices, Sweeps, deferred, wide};
use crate::flow::required::Required;
use crate::flow::{self, Flow, Head};
use crate::ir::*;
use crate::known::{self, Known};
use crate::normal::stable;
use crate::plan::flow_facts::Analysed;
use crate::plan::{again, checkpoint};
use crate::proofs::{self, Contracts, Demoted};
use crate::refuse::Refusal;
use crate::replay::Verdict;
use crate::statics;
use std::collections::{BTreeMap, BTreeSet};

/// Loops of a program.
pub(super) type Loops = BTreeSet<(ProcId, ItemId)>;

/// The adjoint of a program that is analysed; `also`: loops that run again besides those that are named.
pub(super) fn planned_of(
    flow: &Flow,
    heads: &[Head],
    choices: &Choices,
    also: &Loops,
) -> Result<Adjoint, Vec<Refusal>> {
    let analysed = flow.program;
    stable::check(flow, heads)?;
    let again = again::loops(analysed, &choices.again, true).into_iter().chain(also.iter().copied()).collect();
    let checkpoints = checkpoint::checkpoints(analysed, &choices.checkpoints)?;
    let mut facts = Analysed { flow, required: Required::with_again(flow, again, checkpoints.clone(), choices.split) };
    let mut program = analysed.clone();
    statics::mark(&mut program, &facts, &heads_of(analysed, heads))?;
    let global_shadows = statics::shadows(&mut program, flow, heads, "_b")?;
    if !choices.one_call {
        flow::lasting::check(flow, &facts.required, heads)?;
    }
    let (mut demoted, mut demotions, mut steps, mut proofs) = (Demoted::new(), 0, 0, 0);
    let (mut known, mut contracts) = (Known::new(), Contracts::new());
    let mut as_a_whole = BTreeSet::new();
    let mut sweeps = loop {
        let settled = settled(analysed, &mut facts, &global_shadows, choices, &demoted, &mut known, &mut steps);
        let why = |p, item| facts.required.once(p, item).map(str::to_owned);
        let refused = checkpoint::refused(analysed, &checkpoints, &why);
        if !refused.is_empty() {
            return Err(refused);
        }
        let mut sweeps = settled?;
        if deferred::defer(flow, heads, choices, &as_a_whole, &mut facts.required, &mut sweeps) {
            known::give_back(&mut known, sweeps);
            continue;
        }
        if let Some(fault) = choices.fault {
            sweeps.iter_mut().filter(|each| each.verdict == Verdict::Unjudged).for_each(|each| fault(each, proofs));
            proofs += 1;
        }
        proofs::prove_all(flow, &program, &global_shadows, &mut sweeps, &mut contracts);
        let refused = proofs::refused(&sweeps);
        if refused.is_empty() {
            let unproved = deferred::unproved(&sweeps);
            if unproved.is_empty() {
                break sweeps;
            }
            for proc in unproved {
                facts.required.want_contents(proc);
                known.remove(&proc);
                as_a_whole.insert(proc);
            }
            known::give_back(&mut known, sweeps);
            continue;
        }
        let kept = proofs::keep_instead(analysed, &sweeps, &mut facts.required, &mut demoted);
        if kept == 0 {
            return Err(refused);
        }
        demotions += kept;
        known::give_back(&mut known, sweeps);
    };
    deferred::explain(&mut sweeps);
    let (asked, split) = (heads.to_vec(), choices.split);
    let heads = heads_of(analysed, heads);
    let written = heads.iter().map(|&head| (head, written(flow, head))).collect();
    let told_apart = heads.iter().map(|&head| (head, told_apart(flow, head))).collect();
    let steps = steps + facts.required.steps();
    let wide = choices.vector.map(|directions| wide::widen(&mut program, &global_shadows, &mut sweeps, directions));
    Ok(Adjoint { program, global_shadows, sweeps, heads, asked, written, told_apart, split, wide, demotions, steps })
}

/// Sweeps that ask for nothing new: what a plan reads again must be kept in memory, which may need stores, which may
/// change the plan.
fn settled(
    analysed: &Program,
    facts: &mut Analysed,
    global_shadows: &BTreeMap<GlobalId, GlobalId>,
    choices: &Choices,
    demoted: &Demoted,
    known: &mut Known,
    steps: &mut u64,
) -> Result<Vec<Sweeps>, Vec<Refusal>> {
    loop {
        let found = sweeps(analysed, facts, global_shadows, choices, demoted, known, steps);
        let refused = found.is_err() || !facts.required.refusals().is_empty();
        if refused && facts.required.forbid_all() {
            // What cannot be run again can be reversed all the same, maybe.
            facts.required.run();
            known.clear();
            continue;
        }
        let (again, unfit) = found?;
        let mut new = false;
        for (proc, item) in unfit {
            new |= facts.required.forbid(proc, item);
        }
        for (proc, item, expr) in again {
            new |= facts.required.demand(proc, item, &expr);
        }
        if !new {
            break;
        }
        facts.required.run();
    }
    if !facts.required.refusals().is_empty() {
        return Err(facts.required.refusals().to_vec());
    }
    Ok(known::take(known, &flow::walk::callees_first(analysed)))
}

fn told_apart(flow: &Flow, head: ProcId) -> Vec<(String, Vec<String>)> {
    let touched = flow.reads(head, RegionId(0)) | flow.writes(head, RegionId(0));
    let name = |loc: flow::Loc| flow.points.locs.c_name(flow.program, loc);
    let is_variable = |loc: flow::Loc| match flow.points.locs.root(loc) {
        flow::Root::Global(global) => !flow.program.globals[global].constant,
        _ => true,
    };
    let all = flow.points.told_apart(&touched).into_iter().filter(|(loc, _)| is_variable(*loc));
    all.map(|(loc, same)| (name(loc), same.into_iter().map(name).collect())).collect()
}

fn written(flow: &Flow, head: ProcId) -> Vec<bool> {
    let writes: flow::Set =
        flow.writes(head, RegionId(0)).iter().flat_map(|loc| flow.points.aliases(head, *loc)).collect();
    let root = |k: usize| flow::Root::Formal(head, k as u32);
    let params = 0..flow.program.procs[head].params.len();
    params.map(|k| writes.iter().any(|loc| flow.points.locs.root(*loc) == root(k))).collect()
}
