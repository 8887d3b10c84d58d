//! The adjoint of one program: what must be kept, sweeps under it, their proof, until nothing changes.

use super::build::{heads_of, sweeps};
use super::{Adjoint, Choices, Sweeps, commute, deferred, given, value, wide};
use crate::flow::required::Required;
use crate::flow::{self, Flow, Head};
use crate::ir::*;
use crate::known::{self, Known};
use crate::normal::stable;
use crate::plan::facts::Analysed;
use crate::plan::{again, checkpoint};
use crate::proofs::{self, Contracts, Demoted};
use crate::refuse::Refusal;
use crate::replay::Verdict;
use crate::statics;
use std::collections::{BTreeMap, BTreeSet};

/// Loops of a program.
pub(super) type Loops = BTreeSet<(ProcId, ItemId)>;

/// A program that is analysed, with sweeps that are not proved: nothing is in their way.
pub(super) struct Read<'f> {
    facts: Analysed<'f>,
    /// The program with the shadows of its globals.
    program: Program,
    global_shadows: BTreeMap<GlobalId, GlobalId>,
    checkpoints: BTreeMap<(ProcId, ItemId), u32>,
    known: Known,
    steps: u64,
    /// What was settled first.
    sweeps: Vec<Sweeps>,
}

/// The adjoint of a program that is analysed; `also`: loops that run again besides those that are named.
pub(super) fn planned_of(
    flow: &Flow,
    heads: &[Head],
    choices: &Choices,
    also: &Loops,
) -> Result<Adjoint, Vec<Refusal>> {
    prove(read(flow, heads, choices, also)?, flow, heads, choices)
}

/// Reads a program; refused is what is in the way of its sweeps.
pub(super) fn read<'f>(
    flow: &'f Flow<'f>,
    heads: &[Head],
    choices: &Choices,
    also: &Loops,
) -> Result<Read<'f>, Vec<Refusal>> {
    let analysed = flow.program;
    stable::check(flow, heads)?;
    let again = again::loops(analysed, &choices.again, true).into_iter().chain(also.iter().copied()).collect();
    let checkpoints = checkpoint::checkpoints(analysed, &choices.checkpoints)?;
    let facts = Analysed { flow, required: Required::with_again(flow, again, checkpoints.clone(), choices.split) };
    let mut program = analysed.clone();
    statics::mark(&mut program, &facts, &heads_of(analysed, heads))?;
    let global_shadows = statics::shadows(&mut program, flow, heads, "_b")?;
    if !choices.one_call {
        flow::lasting::check(flow, &facts.required, heads)?;
    }
    let (known, steps, sweeps) = (Known::new(), 0, Vec::new());
    let mut this = Read { facts, program, global_shadows, checkpoints, known, steps, sweeps };
    this.sweeps = this.settled(choices, &Demoted::new())?;
    Ok(this)
}

impl Read<'_> {
    /// Sweeps that ask for nothing new, from snapshots where the user wants these.
    fn settled(&mut self, choices: &Choices, demoted: &Demoted) -> Result<Vec<Sweeps>, Vec<Refusal>> {
        let analysed = self.facts.flow.program;
        let (facts, shadows) = (&mut self.facts, &self.global_shadows);
        let settled = settled(analysed, facts, shadows, choices, demoted, &mut self.known, &mut self.steps);
        let why = |p, item| facts.required.once(p, item).map(str::to_owned);
        let refused = checkpoint::refused(analysed, &self.checkpoints, &why);
        if refused.is_empty() { settled } else { Err(refused) }
    }
}

/// Proves what was read. What cannot be proved is stored, taped or kept instead ([`proofs::keep_instead`]): in each round
/// one more value, loop or procedure at least, of which there are finitely many.
pub(super) fn prove(mut read: Read, flow: &Flow, heads: &[Head], choices: &Choices) -> Result<Adjoint, Vec<Refusal>> {
    let analysed = flow.program;
    let (mut demoted, mut demotions, mut proofs, mut decisions) = (Demoted::new(), 0, 0, Vec::new());
    let (mut contracts, mut as_a_whole) = (Contracts::new(), BTreeSet::new());
    let mut first = Some(std::mem::take(&mut read.sweeps));
    let mut sweeps = loop {
        let mut sweeps = match first.take() {
            Some(first) => first,
            None => read.settled(choices, &demoted)?,
        };
        let Read { facts, program, global_shadows, known, .. } = &mut read;
        if deferred::defer(flow, heads, choices, &as_a_whole, &mut facts.required, &mut sweeps) {
            known::give_back(known, sweeps);
            continue;
        }
        if let Some(fault) = choices.fault {
            sweeps.iter_mut().filter(|each| each.verdict == Verdict::Unjudged).for_each(|each| fault(each, proofs));
            proofs += 1;
        }
        proofs::prove_all(flow, program, global_shadows, &mut sweeps, &mut contracts);
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
            known::give_back(known, sweeps);
            continue;
        }
        let kept = proofs::keep_instead(analysed, &sweeps, &mut facts.required, &mut demoted);
        if kept.is_empty() {
            return Err(refused);
        }
        demotions += kept.len();
        decisions.extend(kept);
        known::give_back(known, sweeps);
    };
    deferred::explain(&mut sweeps);
    given::perform(&read.program, &mut sweeps, choices.vector.is_some())?;
    if !choices.in_order && choices.vector.is_none() {
        commute::rearrange(&mut sweeps, &read.global_shadows);
    }
    if choices.value {
        value::check(flow, heads, &sweeps)?;
    }
    let Read { facts, mut program, global_shadows, steps, .. } = read;
    let (asked, split, value) = (heads.to_vec(), choices.split, choices.value);
    let heads = heads_of(analysed, heads);
    let written = heads.iter().map(|&head| (head, written(flow, head))).collect();
    let told_apart = heads.iter().map(|&head| (head, told_apart(flow, head))).collect();
    let steps = steps + facts.required.steps();
    let wide = choices.vector.map(|directions| wide::widen(&mut program, &global_shadows, &mut sweeps, directions));
    Ok(Adjoint {
        program,
        global_shadows,
        sweeps,
        heads,
        asked,
        written,
        told_apart,
        split,
        value,
        wide,
        decisions,
        demotions,
        steps,
    })
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
            let stored = facts.required.store_arms();
            if stored.is_empty() {
                break;
            }
            known.retain(|proc, _| !stored.contains(proc));
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
        flow::Root::Global(global) => !flow.program.globals[global].constant && flow.program.wire != Some(global),
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
