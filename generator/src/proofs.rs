//! Runs [`crate::replay`] on the sweeps of a program, and gives it what it takes as given: answers of the analyses.
//!
//! What is refused was brought back in a way that is wrong, or that the proofs do not reach. It is **demoted**: stored,
//! instead. What is refused then, too, is not written.

use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::flow::locs::Set;
use crate::flow::required::{Hull, Required};
use crate::flow::{self, Flow, Loc};
use crate::ir::*;
use crate::normal::decisions::Decision;
use crate::parallel;
use crate::plan::{Explanation, ProcPlan};
use crate::refuse::{Class, Refusal};
use crate::replay::{Behind, Cells, Contract, Effect, Extent, Given, Verdict, effects, prove};
use crate::sweeps::Sweeps;

/// The contracts of what is proved.
pub type Contracts = BTreeMap<ProcId, Contract>;

/// Proves the sweeps, callees first, that are not judged yet or call something whose contract is another one than
/// before; sets what is given to each, and its verdict. `before`: the contracts that those which are judged were judged
/// with, and then those of now.
pub fn prove_all(
    flow: &Flow,
    program: &Program,
    global_shadows: &BTreeMap<GlobalId, GlobalId>,
    all: &mut [Sweeps],
    before: &mut Contracts,
) {
    let called: BTreeMap<ProcId, Vec<ReverseParam>> =
        all.iter().map(|each| (each.proc, each.interface.params.clone())).collect();
    let called = Arc::new(called);
    let calls = flow.program.procs.iter().flat_map(flow::walk::calls);
    let callees: BTreeSet<ProcId> = calls.map(|(_, callee)| callee).collect();
    let mut at: FxHashMap<ProcId, &mut Sweeps> = all.iter_mut().map(|each| (each.proc, each)).collect();
    let (mut contracts, mut changed) = (Contracts::new(), BTreeSet::new());
    for wave in flow::walk::waves(flow.program) {
        let (with, without): (Vec<ProcId>, Vec<ProcId>) = wave.iter().partition(|proc| at.contains_key(proc));
        for proc in without.into_iter().filter(|proc| callees.contains(proc)) {
            // What has no sweeps is the same in each round.
            let known = || {
                let given = Given { is_called: true, ..given(flow, proc, &ProcPlan::default(), &contracts) };
                effects(program, &flow.program.procs[proc], &given)
            };
            if let Some(contract) = before.get(&proc).cloned().or_else(known) {
                before.insert(proc, contract.clone());
                contracts.insert(proc, contract);
            }
        }
        let of_wave: Vec<&mut Sweeps> = with.iter().filter_map(|proc| at.remove(proc)).collect();
        let is_open = |each: &&mut Sweeps| {
            let own = flow::walk::calls(&flow.program.procs[each.proc]);
            each.verdict == Verdict::Unjudged || own.iter().any(|(_, callee)| changed.contains(callee))
        };
        let open: Vec<&mut Sweeps> = of_wave.into_iter().filter(is_open).collect();
        let judge = |each: &&mut Sweeps| {
            let mut given = given(flow, each.proc, &each.plan, &contracts);
            given.origins = each.origins.clone();
            given.params = called[&each.proc].clone();
            given.called = Arc::clone(&called);
            given.global_shadows = global_shadows.clone();
            given.is_called = callees.contains(&each.proc);
            given.by_offset = !each.plan.by_offset.is_empty();
            given.left_out.clone_from(&each.deferred.items);
            given.again = each.plan.again.keys().copied().collect();
            let (verdict, contract) = prove(program, &each.forward, &each.reverse, &given);
            (given, verdict, contract)
        };
        let threads = parallel::threads_for(open.iter().map(|each| each.reverse.items.len()));
        let found = parallel::map(&open, threads, judge);
        for (each, (given, verdict, contract)) in open.into_iter().zip(found) {
            let contract = (verdict == Verdict::Proved).then_some(contract);
            if before.get(&each.proc) != contract.as_ref() {
                changed.insert(each.proc);
            }
            match contract {
                Some(contract) => before.insert(each.proc, contract),
                None => before.remove(&each.proc),
            };
            each.verdict = verdict;
            each.given = given;
        }
        contracts.extend(with.into_iter().filter_map(|proc| Some((proc, before.get(&proc)?.clone()))));
    }
}

/// Values that are stored because what would bring them back without could not be proved.
pub type Demoted = BTreeMap<ProcId, BTreeSet<ValueId>>;

/// Has both sweeps keep what they could not be proved to do without: loops that run again are taped, else the numbers
/// are stored that refused items read, else refused procedures keep all memory that they overwrite. What of this is new.
pub fn keep_instead(primal: &Program, all: &[Sweeps], required: &mut Required, demoted: &mut Demoted) -> Vec<Decision> {
    let say = |each: &Sweeps, span: Span, what: &str, how: &str| {
        let how = format!("{how}, because what would do without could not be proved");
        Decision { proc: each.name.clone(), line: Explanation::new(span, what, how, 0.0) }
    };
    let (mut taped, mut stored, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    for each in all {
        let loops = forbid(each, required).into_iter().map(|item| each.forward.items[item].span);
        taped.extend(loops.map(|span| say(each, span, "loop", "taped")));
    }
    if !taped.is_empty() {
        required.run();
        return taped;
    }
    for each in all {
        let Proc { values, vars, .. } = &primal.procs[each.proc];
        let new = demote(primal, each, demoted).into_iter().map(|value| &values[value]);
        stored.extend(new.map(|value| say(each, value.span, &vars[value.var].name, "stored")));
    }
    if !stored.is_empty() {
        return stored;
    }
    for each in all.iter().filter(|each| matches!(each.verdict, Verdict::Refused { .. })) {
        if required.keep_all(each.proc) {
            whole.push(say(each, each.forward.span, "memory", "all that is overwritten is stored"));
        }
    }
    if !whole.is_empty() {
        required.run();
    }
    whole
}

/// Demotes the numbers that the refused item of a procedure reads; those that were not demoted before.
fn demote(primal: &Program, sweeps: &Sweeps, demoted: &mut Demoted) -> Vec<ValueId> {
    let Verdict::Refused { item: Some(item), .. } = sweeps.verdict else { return Vec::new() };
    let proc = &primal.procs[sweeps.proc];
    // Items of the forward sweep that are not of the program: pushes.
    if item.index() >= proc.items.len() {
        return Vec::new();
    }
    let before = demoted.get(&sweeps.proc);
    let mut read = BTreeSet::new();
    walk::values_of_item(proc, item, &mut |value| {
        let this = &proc.values[value];
        let is_new = before.is_none_or(|before| !before.contains(&value));
        if is_new && proc.vars[this.var].ty.is_number() && !matches!(this.def, Def::Undefined) {
            read.insert(value);
        }
    });
    if !read.is_empty() {
        demoted.entry(sweeps.proc).or_default().extend(&read);
    }
    read.into_iter().collect()
}

/// Takes those loops from the ones that run again in which an item is refused, or all if it is in none; which.
fn forbid(sweeps: &Sweeps, required: &mut Required) -> Vec<ItemId> {
    let Verdict::Refused { item, .. } = sweeps.verdict else { return Vec::new() };
    let proc = &sweeps.forward;
    let positions = proc.positions();
    let place = item.and_then(|item| positions.get(item.index()).copied().flatten());
    let around = |again: &ItemId| {
        let (ItemKind::Loop { body, .. }, Some((region, _))) = (&proc.items[*again].kind, place) else { return false };
        item == Some(*again) || proc.is_within(region, *body)
    };
    let all: Vec<ItemId> = sweeps.plan.again.keys().copied().collect();
    let concerned: Vec<ItemId> = all.iter().copied().filter(around).collect();
    let concerned = if concerned.is_empty() { all } else { concerned };
    // The user asked for snapshots: what cannot be proved of them is not written.
    let taped = concerned.into_iter().filter(|again| !sweeps.plan.snapshots.contains_key(again));
    taped.filter(|again| required.forbid(sweeps.proc, *again)).collect()
}

/// The obligations that are not proved.
pub fn refused(all: &[Sweeps]) -> Vec<Refusal> {
    let refusal = |each: &Sweeps| match &each.verdict {
        Verdict::Refused { what, span, .. } => Some(Refusal {
            class: Class::NotProved,
            span: *span,
            what: format!("internal: the adjoint of '{}' cannot be proved: {what}", each.name),
            help: "please report this program; the statement in parts, each with a variable of its own, may do".into(),
        }),
        Verdict::Unjudged | Verdict::Proved | Verdict::Open { .. } => None,
    };
    all.iter().filter_map(refusal).collect()
}

fn given(flow: &Flow, id: ProcId, plan: &ProcPlan, contracts: &Contracts) -> Given {
    let proc = &flow.program.procs[id];
    let mut places: FxHashMap<Place, Cells> = FxHashMap::default();
    let mut note = |place: &Place| {
        if !places.contains_key(place) {
            let own = flow.cells(id, place);
            let cells = Cells {
                active: matches!(place.ty, Type::Float { .. } | Type::Struct(_)) && flow.active_place(id, place),
                aliases: closed(flow, id, &own),
                own: numbers(&own),
            };
            places.insert(place.clone(), cells);
        }
    };
    let mut see = |e: &Expr| {
        if let ExprKind::Load(place) | ExprKind::Address(place) = &e.kind {
            note(place);
        }
    };
    for at in 0..proc.items.len() {
        walk::operands(proc, ItemId::new(at), &mut |operand| match operand {
            Ok(expr) => walk::expressions(expr, &mut see),
            Err(place) => {
                walk::in_place(place, &mut see);
                see(&Expr::load(place.clone()));
            }
        });
    }
    if let Some(result) = &proc.result {
        walk::expressions(result, &mut see);
    }
    let of_snapshots = plan.snapshots.values().flat_map(|(snapshots, _)| &snapshots.memory);
    for Hull { first, count } in plan.again.values().flatten().chain(of_snapshots) {
        walk::in_place(first, &mut see);
        walk::expressions(count, &mut see);
    }
    let mut calls = FxHashMap::default();
    for (at, item) in proc.items.iter().enumerate() {
        let ItemKind::Call { callee, .. } = &item.kind else { continue };
        let at = ItemId::new(at);
        let effect = flow.effects.item(id, at);
        let here = |locs: &BTreeSet<u32>, callee: ProcId| -> Set {
            locs.iter().flat_map(|loc| flow.points.up(id, at, callee, Loc(*loc))).collect()
        };
        let up = |locs: &BTreeSet<u32>, callee: ProcId| closed(flow, id, &here(locs, callee));
        let behind = |all: &[Behind], callee: ProcId| -> Vec<Behind> {
            let mut all = all.to_vec();
            let here = |cells: &mut Cells| {
                let own = here(&cells.own, callee);
                *cells = Cells { active: false, aliases: closed(flow, id, &own), own: numbers(&own) };
            };
            for each in &mut all {
                here(&mut each.cells);
                let given = each.numbers.iter_mut().chain([&mut each.from]);
                given.flat_map(|given| &mut given.loads).for_each(|(_, cells, _)| here(cells));
            }
            all
        };
        let extent = |known: &Option<Extent>, callee: ProcId, otherwise: &Arc<BTreeSet<u32>>| match known {
            Some(known) => Extent { places: behind(&known.places, callee), cells: up(&known.cells, callee) },
            None => Extent { places: Vec::new(), cells: otherwise.clone() },
        };
        let contract = match callee {
            Callee::Proc(callee) => contracts.get(callee).map(|contract| (contract, *callee)),
            _ => None,
        };
        let (writes, reads) = (closed(flow, id, &effect.writes), closed(flow, id, &effect.reads));
        let by_location = |cells: &Arc<BTreeSet<u32>>| Extent { places: Vec::new(), cells: cells.clone() };
        let effect = match contract {
            Some((contract, callee)) => Effect {
                may: extent(&contract.writes, callee, &writes),
                reads: extent(&contract.exposed, callee, &reads),
                // What is not known is read already.
                saves: extent(&contract.saved, callee, &Arc::default()),
                needs: extent(&contract.needs, callee, &reads),
                leaves: extent(&contract.leaves, callee, &writes),
                restores: behind(&contract.restores, callee),
                fills: behind(&contract.fills, callee),
                writes,
            },
            None => Effect {
                may: by_location(&writes),
                leaves: by_location(&writes),
                needs: by_location(&reads),
                reads: by_location(&reads),
                writes,
                ..Effect::default()
            },
        };
        calls.insert(at, effect);
    }
    Given {
        active: (0..proc.values.len()).map(|at| flow.active_value(id, ValueId::new(at))).collect(),
        places,
        calls,
        ..Given::default()
    }
}

fn numbers(set: &Set) -> Arc<BTreeSet<u32>> {
    Arc::new(set.iter().map(|loc| loc.0).collect())
}

/// Locations, and all that may be the same memory.
fn closed(flow: &Flow, id: ProcId, set: &Set) -> Arc<BTreeSet<u32>> {
    Arc::new(set.iter().flat_map(|loc| flow.points.aliases(id, *loc)).map(|loc| loc.0).collect())
}
