//! The sweeps of all procedures under one state of what must be kept in memory.

use super::{Choices, Deferred, Sweeps};
use crate::flow::{self, Head};
use crate::ir::*;
use crate::known::{Finished, Known};
use crate::parallel;
use crate::plan::Interface;
use crate::plan::facts::Analysed;
use crate::plan::recompute::Definitions;
use crate::proofs::Demoted;
use crate::refuse::{Class, Refusal};
use crate::replay::{Given, Verdict};
use crate::sweep::context::Context;
use crate::sweep::forward;
use crate::sweep::reverse::{self, Built, Start, declared};
use std::collections::BTreeMap;

/// Expressions that sweeps read again from memory: procedure, item at which the program evaluates them, expression.
pub(super) type Again = Vec<(ProcId, ItemId, Expr)>;

/// Loops that cannot be run again after all.
pub(super) type Unfit = Vec<(ProcId, ItemId)>;

/// The sweeps of all procedures, as far as they are not known yet. Returns what they read again from memory, and the
/// loops that cannot be run again.
pub(super) fn sweeps(
    program: &Program,
    facts: &Analysed,
    global_shadows: &BTreeMap<GlobalId, GlobalId>,
    choices: &Choices,
    demoted: &Demoted,
    known: &mut Known,
    steps: &mut u64,
) -> Result<(Again, Unfit), Vec<Refusal>> {
    let mut interfaces: Vec<Option<Interface>> = vec![None; program.procs.len()];
    let recursive = flow::walk::recursive(program);
    let order = flow::walk::callees_first(program);
    for &id in order.iter().filter(|id| recursive[id.index()]) {
        let cx = context(program, facts, &interfaces, global_shadows, choices, demoted);
        let params = declared(&cx, id).into_iter().map(|(role, ..)| role).collect();
        interfaces[id.index()] = Some(Interface { params, live: true });
    }
    let (mut refusals, mut forks) = (BTreeMap::new(), Vec::new());
    for wave in flow::walk::waves(program) {
        let mut open = Vec::new();
        for id in wave {
            let decisions = facts.required.decisions(id);
            let callees = flow::walk::calls(&program.procs[id]).into_iter();
            let called: Vec<Option<Interface>> =
                callees.map(|(_, callee)| interfaces[callee.index()].clone()).collect();
            match known.get(&id).filter(|same| same.decisions == decisions && same.called == called) {
                Some(same) => interfaces[id.index()] = Some(same.interface.clone()),
                None => open.push((id, decisions, called)),
            }
        }
        let finish = |facts: &Analysed, id| {
            let cx = context(program, facts, &interfaces, global_shadows, choices, demoted);
            finished(&cx, id, recursive[id.index()])
        };
        let threads = parallel::threads_for(open.iter().map(|(id, ..)| program.procs[*id].items.len()));
        let built = if threads == 1 {
            open.iter().map(|(id, ..)| finish(facts, *id)).collect()
        } else {
            forks.resize_with(threads, || Analysed { flow: facts.flow, required: facts.required.fork() });
            parallel::each(&open, &mut forks, |facts, (id, ..)| finish(facts, *id))
        };
        for ((id, decisions, called), built) in open.into_iter().zip(built) {
            match built {
                Ok((interface, sweeps, again, unfit, moves)) => {
                    *steps += moves;
                    interfaces[id.index()] = Some(interface.clone());
                    known.insert(id, Finished { decisions, called, interface, sweeps, again, unfit });
                }
                Err(more) => {
                    refusals.insert(id, more);
                    interfaces[id.index()].get_or_insert_default();
                }
            }
        }
    }
    if refusals.is_empty() {
        let finished: Vec<(ProcId, &Finished)> = order.iter().filter_map(|id| Some((*id, known.get(id)?))).collect();
        let again = finished.iter().flat_map(|(_, each)| each.again.iter().cloned()).collect();
        let unfit = finished.iter().flat_map(|(id, each)| each.unfit.iter().map(|item| (*id, *item))).collect();
        Ok((again, unfit))
    } else {
        Err(order.iter().filter_map(|id| refusals.remove(id)).flatten().collect())
    }
}

/// The sweeps of a procedure, and how the reverse sweep is called; what is read again from memory; loops that cannot be
/// run again; moves of the game.
type Outcome = (Interface, Option<Sweeps>, Again, Vec<ItemId>, u64);

fn finished(cx: &Context, id: ProcId, recursive: bool) -> Result<Outcome, Vec<Refusal>> {
    let mut steps = 0;
    let Built { plan, proc: reverse, interface, again, unfit, origins } = planned(cx, id, &mut steps)?;
    let mut interfaces = cx.interfaces;
    let with_own;
    if recursive {
        let mut all = interfaces.to_vec();
        all[id.index()] = Some(interface.clone());
        with_own = all;
        interfaces = &with_own;
    }
    refuse_list(&cx.program.procs[id], interface.live)?;
    let sweeps = interface.live.then(|| {
        let forward = forward::build(cx, id, &plan, interfaces);
        let name = sweep_name(cx.program, id);
        let given = Given::default();
        Sweeps {
            proc: id,
            name,
            forward,
            reverse,
            interface: interface.clone(),
            plan,
            origins,
            deferred: Deferred::default(),
            given,
            verdict: Verdict::Unjudged,
        }
    });
    let again = again.into_iter().map(|(item, expr)| (id, item, expr)).collect();
    Ok((interface, sweeps, again, unfit, steps))
}

/// Refuses sweeps of what has a list of arguments.
pub(super) fn refuse_list(proc: &Proc, live: bool) -> Result<(), Vec<Refusal>> {
    if !(proc.has_list && live) {
        return Ok(());
    }
    Err(vec![Refusal {
        class: Class::Language,
        span: proc.span,
        what: format!("'{}' has a variable number of arguments, and does more than report", proc.name),
        help: "let it report only, and change what the model reads in a function of its own".into(),
    }])
}

pub(super) fn context<'a>(
    program: &'a Program,
    facts: &'a Analysed<'a>,
    interfaces: &'a [Option<Interface>],
    global_shadows: &'a BTreeMap<GlobalId, GlobalId>,
    choices: &Choices,
    stored: &'a Demoted,
) -> Context<'a> {
    let Choices { dear, check, vector, .. } = *choices;
    Context { program, facts, interfaces, global_shadows, dear, check, wide: vector.is_some(), stored }
}

/// Builds the reverse sweep until it asks for nothing new: what is asked for, then stores by what they bring, then
/// with these known from the start, but for those that the others tell.
fn planned(cx: &Context, id: ProcId, steps: &mut u64) -> Result<Built, Vec<Refusal>> {
    let definitions = Definitions::new(&cx.program.procs[id]);
    let nothing = Start::default();
    let first = reverse::build(cx, id, &definitions, &nothing)?;
    *steps += first.steps();
    let demoted = cx.stored.get(&id);
    if first.wanted().is_empty() && demoted.is_none() && first.mixed().is_empty() {
        return Ok(first.finish());
    }
    let mut start = Start { wanted: first.wanted().clone(), ..Start::default() };
    let second = reverse::build(cx, id, &definitions, &start)?;
    *steps += second.steps();
    start.records = second.asked().clone();
    for value in demoted.into_iter().flatten() {
        let record = start.records.entry(cx.program.procs[id].values[*value].region).or_default();
        if !record.contains(value) {
            record.push(*value);
        }
    }
    start.firm = Some(demoted.cloned().unwrap_or_default());
    loop {
        let built = reverse::build(cx, id, &definitions, &start)?;
        *steps += built.steps();
        let mixed = built.mixed();
        if *built.asked() == start.records && mixed.is_empty() {
            return Ok(built.finish());
        }
        // From here on records and mixed loops only grow, and there are finitely many of both.
        let records = built.asked().clone();
        start = Start { records, mixed: start.mixed.into_iter().chain(mixed).collect(), firm: None, ..start };
    }
}

/// The stem of the names of a procedure's sweeps, different for each copy.
pub(super) fn sweep_name(program: &Program, id: ProcId) -> String {
    let name = &program.procs[id].name;
    match program.procs.iter().take(id.index()).filter(|proc| proc.name == *name).count() {
        0 => name.clone(),
        copy => format!("{name}_{copy}"),
    }
}

pub(super) fn heads_of(program: &Program, heads: &[Head]) -> Vec<ProcId> {
    heads.iter().filter_map(|head| head.find(program)).collect()
}
