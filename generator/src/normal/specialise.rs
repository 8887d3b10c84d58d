//! One copy of a procedure for each pattern of active arguments.
//!
//! A function that is called with an active array here and with a passive one there has, in the first call, an adjoint
//! of that array, and none in the second. One reverse sweep for both would need memory for adjoints that nobody wants,
//! of passive arguments of the head among others. So each call gets the copy of the procedure that fits it.

use std::collections::BTreeMap;

use crate::flow::{Flow, Head, Loc, Root, Set, walk};
use crate::ir::{Callee, Expr, Item, ItemId, ItemKind, ProcId, Program, Type};
use crate::refuse::Refusal;

/// More copies than this of one procedure are not worth it: calls share them from there on.
const COPIES: usize = 8;

/// Which arguments carry derivatives, in a call or into a procedure; last, whether the result does.
type Pattern = Vec<bool>;

/// What `give` makes of the analysis of the program in which every call finds a procedure whose active parameters are
/// its own active arguments. Refused is what the analyses do not understand.
pub fn specialised<T>(program: &Program, heads: &[Head], give: impl FnOnce(&Flow) -> T) -> Result<T, Vec<Refusal>> {
    let mut program = program.clone();
    // A copy may need copies of what it calls, so one round for each level of the call tree.
    let mut rounds = program.procs.len() + 1;
    loop {
        let flow = Flow::analyse(&program, heads)?;
        let split = if rounds == 0 { None } else { split(&flow, heads) };
        rounds = rounds.saturating_sub(1);
        let Some(next) = split.or_else(|| pruned(&program, heads)) else { return Ok(give(&flow)) };
        program = next;
    }
}

/// The program without the procedures that only calls reached which go to copies now, if there are such: nothing would
/// call their sweeps.
fn pruned(program: &Program, heads: &[Head]) -> Option<Program> {
    let reached = walk::reached(program, heads);
    if reached.iter().all(|reached| *reached) {
        return None;
    }
    let (mut program, mut kept) = (program.clone(), 0);
    let renumbered: Vec<Option<ProcId>> = reached
        .iter()
        .map(|reached| {
            kept += usize::from(*reached);
            reached.then(|| ProcId::new(kept - 1))
        })
        .collect();
    let mut at = 0;
    program.procs.retain(|_| {
        at += 1;
        reached[at - 1]
    });
    let is_moved = |callee: ProcId| renumbered[callee.index()].is_some_and(|id| id != callee);
    let calls_moved =
        |item: &Item| matches!(item.kind, ItemKind::Call { callee: Callee::Proc(callee), .. } if is_moved(callee));
    for p in program.procs.ids() {
        if !program.procs[p].items.iter().any(calls_moved) {
            continue;
        }
        for item in &mut program.procs[p].items {
            if let ItemKind::Call { callee: Callee::Proc(callee), .. } = &mut item.kind
                && let Some(id) = renumbered[callee.index()]
            {
                *callee = id;
            }
        }
    }
    Some(program)
}

/// The program with a copy of the procedure for each call that differs from it, if there is one.
fn split(flow: &Flow, heads: &[Head]) -> Option<Program> {
    let mut program: Option<Program> = None;
    let mut groups: BTreeMap<(ProcId, Pattern), Vec<(ProcId, ItemId)>> = BTreeMap::new();
    for (p, proc) in flow.program.procs.iter().enumerate() {
        for (k, item) in proc.items.iter().enumerate() {
            if let ItemKind::Call { callee: Callee::Proc(callee), args, .. } = &item.kind {
                let pattern = args.iter().map(|arg| carries(flow, ProcId::new(p), arg)).collect();
                groups.entry((*callee, pattern)).or_default().push((ProcId::new(p), ItemId::new(k)));
            }
        }
    }
    let is_head = |proc: ProcId| heads.iter().any(|head| head.proc == flow.program.procs[proc].name);
    let patterns: Vec<ProcId> = groups.keys().map(|(callee, _)| *callee).collect();
    for ((callee, pattern), calls) in groups {
        // A copy for the only pattern there is would be no better.
        if !is_head(callee) && patterns.iter().filter(|other| **other == callee).count() < 2 {
            continue;
        }
        let now = program.as_ref().unwrap_or(flow.program);
        let name = &now.procs[callee].name;
        let copies = now.procs.iter().filter(|proc| proc.name == *name).count();
        if pattern == params(flow, callee) || copies > COPIES {
            continue;
        }
        let program = program.get_or_insert_with(|| flow.program.clone());
        let copy = ProcId::new(program.procs.len());
        program.procs.add(flow.program.procs[callee].clone());
        for (caller, item) in calls {
            if let ItemKind::Call { callee, .. } = &mut program.procs[caller].items[item].kind {
                *callee = Callee::Proc(copy);
            }
        }
    }
    program
}

fn params(flow: &Flow, proc: ProcId) -> Pattern {
    let params = flow.program.procs[proc].params.iter().enumerate();
    params
        .map(|(k, param)| match &param.ty {
            Type::Pointer(_) => {
                let root = Root::Formal(proc, k as u32);
                flow.points.locs.find(root).is_some_and(|top| reaches(flow, proc, Set::from([top])))
            }
            Type::Float { .. } => param.entry.is_some_and(|entry| flow.active_value(proc, entry)),
            _ => false,
        })
        .collect()
}

fn carries(flow: &Flow, proc: ProcId, arg: &Expr) -> bool {
    match &arg.ty {
        Type::Pointer(_) => reaches(flow, proc, flow.targets(proc, arg)),
        Type::Float { .. } => flow.active_expr(proc, arg),
        _ => false,
    }
}

/// Whether something active lies in these locations or behind pointers in them.
fn reaches(flow: &Flow, proc: ProcId, from: Set) -> bool {
    let (mut seen, mut stack): (Set, Vec<Loc>) = (Set::new(), from.into_iter().collect());
    while let Some(loc) = stack.pop() {
        for leaf in flow.points.locs.leaves(loc) {
            if !seen.insert(leaf) {
                continue;
            }
            if flow.points.locs.is_real(leaf) && flow.activity.loc(leaf) {
                return true;
            }
            if let Type::Pointer(_) = flow.points.locs.ty(leaf) {
                stack.extend(flow.points.contents(proc, leaf));
            }
        }
    }
    false
}
