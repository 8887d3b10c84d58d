//! Functions that give a constant of their own, `return &white;`, written where they are called.
//!
//! The sweeps of the caller declare the constant, too: one each. Where a program can notice that, because it compares the
//! address with another one, stores it, or gets it from a function that stays a call, nothing is written out.

use std::collections::BTreeSet;

use crate::flow::{Flow, Head, Root, walk};
use crate::ir::*;

use super::splice;

/// Whether a procedure may return the address of a constant that a function declares inside.
pub fn returns(program: &Program, proc: &Proc) -> bool {
    let is = |base: &Base| matches!(base, Base::Global(global) if is_inside(program, *global));
    matches!(proc.result_type, Type::Pointer(_)) && splice::returns(proc, &is)
}

fn is_inside(program: &Program, global: GlobalId) -> bool {
    program.statics.iter().any(|declared| declared.globals.contains(&global) && splice::is_constant(program, declared))
}

/// Whether the program cannot notice how many copies there are of a constant that `p` returns.
pub fn may_be_copied(flow: &Flow, p: ProcId) -> bool {
    let (program, points) = (flow.program, &flow.points);
    let leads = |q: ProcId, pointer: &Expr| -> Vec<GlobalId> {
        let roots = flow.targets(q, pointer).into_iter().map(|target| points.locs.root(target));
        roots.filter_map(|root| if let Root::Global(global) = root { Some(global) } else { None }).collect()
    };
    let Some(result) = &program.procs[p].result else { return false };
    let given = leads(p, result);
    let stored = points.stored();
    let is_stored = |global: &GlobalId| points.locs.find(Root::Global(*global)).is_none_or(|top| stored.contains(&top));
    let of_given = |q: ProcId, pointer: &Expr| {
        let formal =
            flow.targets(q, pointer).into_iter().any(|target| matches!(points.locs.root(target), Root::Formal(..)));
        formal || leads(q, pointer).iter().any(|global| given.contains(global))
    };
    let mut compared = false;
    for (q, proc) in program.procs.iter().enumerate() {
        let q = ProcId::new(q);
        let mut look = |e: &Expr| {
            walk::expr(e, &mut |part| {
                if let ExprKind::Binary(_, a, b) = &part.kind {
                    let both = [a, b].into_iter().all(|side| matches!(side.ty, Type::Pointer(_)) && of_given(q, side));
                    compared |= both;
                }
            });
        };
        proc.result.iter().for_each(&mut look);
        for item in &proc.items {
            walk::of_item(proc, item).into_iter().for_each(&mut look);
        }
    }
    !compared && !given.iter().any(is_stored)
}

/// Declares in each procedure the constants of others that it names. Returns whether their names are free there, and no
/// call gives one any more.
pub fn declare(program: &mut Program, heads: &[Head]) -> bool {
    let (mut more, mut is_free) = (Vec::new(), true);
    for proc in &program.procs {
        let (named, taken) = (globals(proc), splice::names(proc));
        let other = |declared: &&Static| {
            declared.function != proc.name && declared.globals.iter().any(|global| named.contains(global))
        };
        let functions: BTreeSet<&str> = program.statics.iter().filter(other).map(|s| s.function.as_str()).collect();
        let copied = program.statics.iter().filter(|declared| functions.contains(&declared.function.as_str()));
        for declared in copied {
            is_free &= !declared.globals.iter().any(|global| taken.contains(&program.globals[*global].name));
            more.push(Static { function: proc.name.clone(), ..declared.clone() });
        }
    }
    let reached = walk::reached(program, heads);
    let calls =
        program.procs.iter().zip(&reached).filter(|(_, reached)| **reached).flat_map(|(proc, _)| walk::calls(proc));
    let done = calls.into_iter().all(|(_, callee)| !returns(program, &program.procs[callee]));
    program.statics.extend(more);
    is_free && done
}

/// The variables with static storage that a procedure names.
fn globals(proc: &Proc) -> BTreeSet<GlobalId> {
    let mut found = BTreeSet::new();
    let mut see = |e: &Expr| {
        if let ExprKind::Load(place) | ExprKind::Address(place) = &e.kind {
            found.extend(place.base.global());
        }
    };
    proc.result.iter().for_each(|result| walk::expr(result, &mut see));
    for item in &proc.items {
        walk::of_item(proc, item).into_iter().for_each(|e| walk::expr(e, &mut see));
    }
    found
}
