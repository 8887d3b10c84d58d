//! From a program to its sweeps: analyses, plans, forward and reverse sweep of every procedure that has a derivative.

mod costless;
mod deferred;
mod left_out;
mod tangents;
mod wide;

use std::collections::{BTreeMap, BTreeSet};

use crate::flow::required::Required;
use crate::flow::{self, Flow, Head};
use crate::ir::*;
use crate::known::{self, Finished, Known};
use crate::plan::again;
use crate::plan::facts::Facts;
use crate::plan::flow_facts::Analysed;
use crate::plan::recompute::Definitions;
use crate::plan::{Interface, checkpoint};
use crate::proofs::{Contracts, Demoted};
use crate::refuse::{Class, Refusal};
use crate::replay::{Given, Verdict};
use crate::specialise::specialised;
use crate::sweep::reverse::{self, Built, Context, Start};
use crate::sweep::{forward, reverse::declared};
pub use crate::sweeps::{Adjoint, Choices, Deferred, Sweeps, Tangents};
use crate::{frees, inline, parallel, proofs, stable, statics};
use costless::Loops;
pub use tangents::tangent;

/// Writes the sweeps of all procedures that the heads reach and that have something to reverse.
pub fn adjoint(program: &Program, heads: &[Head], choices: &Choices) -> Result<Adjoint, Vec<Refusal>> {
    let program = &*flow::order::settled(program, heads, &|program| statics::filled(program, heads))?;
    with_blocks(program, heads, choices).or_else(|refusals| {
        let copied = inline::copied(program, heads);
        let found = inline::by_index(copied.as_ref().unwrap_or(program), heads);
        let untyped = inline::untyped(program, heads);
        let others = copied.iter().chain(&found).chain(&untyped);
        others.filter_map(|other| with_blocks(other, heads, choices).ok()).next().ok_or(refusals)
    })
}

/// The adjoint of a program with its blocks where they are; else without functions that make them for others; else with
/// blocks on the stable heap.
fn with_blocks(program: &Program, heads: &[Head], choices: &Choices) -> Result<Adjoint, Vec<Refusal>> {
    let as_it_is = match stable::moves(program) {
        Some(refusal) => Err(vec![refusal]),
        None => or_inlined(program, heads, &|program| with_members(program, heads, choices)),
    };
    as_it_is.or_else(|refusals| on_heap(program, heads, choices, refusals)).or_else(|refusals| {
        let inlined = inline::constructors(program, heads);
        inlined.and_then(|inlined| on_heap(&inlined, heads, choices, Vec::new()).ok()).ok_or(refusals)
    })
}

/// The adjoint of a program with its blocks on the stable heap; if that is refused, without what the program does where
/// it gets no memory, because the stable heap ends it there. `refusals`: of the program as it is.
fn on_heap(
    program: &Program,
    heads: &[Head],
    choices: &Choices,
    refusals: Vec<Refusal>,
) -> Result<Adjoint, Vec<Refusal>> {
    let (made, mut on_heap) = (stable::makes_blocks(program), stable::blocks(program, heads));
    let mut moved = made;
    while let Ok(flow) = Flow::analyse(&on_heap, heads)
        && let Some(more) = stable::variables(&on_heap, &flow)
    {
        (on_heap, moved) = (more, true);
    }
    if !moved || choices.vector.is_some() {
        return Err(refusals);
    }
    let found = with_members(&on_heap, heads, choices).or_else(|others| {
        let decided = inline::without_tests(&on_heap);
        decided.and_then(|decided| with_members(&decided, heads, choices).ok()).ok_or(others)
    });
    // A program without blocks is refused for what its variables do.
    found.map_err(|others| if made { others } else { refusals })
}

/// What a program gives; if it is refused, what it gives without functions that make or free memory for others.
fn or_inlined<T>(
    program: &Program,
    heads: &[Head],
    give: &dyn Fn(&Program) -> Result<T, Vec<Refusal>>,
) -> Result<T, Vec<Refusal>> {
    give(program).or_else(|refusals| {
        let inlined = inline::constructors(program, heads);
        inlined.and_then(|inlined| give(&inlined).ok()).ok_or(refusals)
    })
}

/// With calls of small functions with structs written out, if that is accepted.
fn with_members(program: &Program, heads: &[Head], choices: &Choices) -> Result<Adjoint, Vec<Refusal>> {
    let written = inline::by_value(program, heads).map(|written| adjoint_of(&written, heads, choices));
    written.and_then(Result::ok).map_or_else(|| adjoint_of(program, heads, choices), Ok)
}

fn adjoint_of(program: &Program, heads: &[Head], choices: &Choices) -> Result<Adjoint, Vec<Refusal>> {
    specialised(program, heads, |flow| {
        let later = frees::worth_a_look(flow.program).then(|| frees::later(flow.program, flow)).flatten();
        match later {
            Some(later) => costless::planned(&Flow::analyse(&later, heads)?, heads, choices),
            None => costless::planned(flow, heads, choices),
        }
    })
}

/// The adjoint of a program that is analysed; `also`: loops that run again besides those that are named.
fn planned_of(flow: &Flow, heads: &[Head], choices: &Choices, also: &Loops) -> Result<Adjoint, Vec<Refusal>> {
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

/// Expressions that sweeps read again from memory: procedure, item at which the program evaluates them, expression.
type Again = Vec<(ProcId, ItemId, Expr)>;

/// Loops that cannot be run again after all.
type Unfit = Vec<(ProcId, ItemId)>;

/// The sweeps of all procedures, as far as they are not known yet. Returns what they read again from memory, and the
/// loops that cannot be run again.
fn sweeps(
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
fn refuse_list(proc: &Proc, live: bool) -> Result<(), Vec<Refusal>> {
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

fn context<'a>(
    program: &'a Program,
    facts: &'a dyn Facts,
    interfaces: &'a [Option<Interface>],
    global_shadows: &'a BTreeMap<GlobalId, GlobalId>,
    choices: &Choices,
    stored: &'a Demoted,
) -> Context<'a> {
    let Choices { dear, check, vector, .. } = *choices;
    Context { program, facts, interfaces, global_shadows, dear, check, wide: vector.is_some(), stored }
}

/// Builds the reverse sweep until it asks for nothing new: what is asked for, then stores by what they bring, then
/// with these known from the start.
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
    loop {
        let built = reverse::build(cx, id, &definitions, &start)?;
        *steps += built.steps();
        let mixed = built.mixed();
        if *built.asked() == start.records && mixed.is_empty() {
            return Ok(built.finish());
        }
        // Records and mixed loops only grow, and there are finitely many of both.
        start.records = built.asked().clone();
        start.mixed.extend(mixed);
    }
}

/// The stem of the names of a procedure's sweeps, different for each copy.
fn sweep_name(program: &Program, id: ProcId) -> String {
    let name = &program.procs[id].name;
    match program.procs.iter().take(id.index()).filter(|proc| proc.name == *name).count() {
        0 => name.clone(),
        copy => format!("{name}_{copy}"),
    }
}

fn heads_of(program: &Program, heads: &[Head]) -> Vec<ProcId> {
    heads.iter().filter_map(|head| head.find(program)).collect()
}
