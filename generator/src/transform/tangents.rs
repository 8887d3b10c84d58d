//! From a program to its tangents.

use super::build::{context, heads_of, refuse_list, sweep_name};
use super::{Choices, Tangents, given, implicit};
use crate::flow::required::Required;
use crate::flow::{self, Flow, Head};
use crate::ir::*;
use crate::normal::forms::{Form, Forms, Obstacles};
use crate::normal::specialise::specialised;
use crate::plan::facts::Analysed;
use crate::proofs::Demoted;
use crate::refuse::Refusal;
use crate::statics;
use crate::sweep::context::Context;
use crate::sweep::tangent;

/// Writes the tangents of all procedures that the heads reach and that carry derivatives.
pub fn tangent(program: &Program, heads: &[Head], choices: &Choices) -> Result<Tangents, Vec<Refusal>> {
    let heads = &*implicit::heads(program, heads)?;
    let program = flow::order::settled(program, heads, &|program| statics::filled(program, heads))?;
    let program = statics::computed(program, heads);
    let look = |form: &Form| {
        let found = tangent_of(&form.program, heads, choices);
        found.map_err(|refusals| Obstacles { refusals, understood: true })
    };
    Forms { heads, several: false, look: &look }.tangent(&program)
}

fn tangent_of(program: &Program, heads: &[Head], choices: &Choices) -> Result<Tangents, Vec<Refusal>> {
    specialised(program, heads, |flow| built(flow, heads, choices))?.or_else(|refusals| {
        // A list of active and passive nodes wants one tangent of the function that makes them.
        built(&Flow::analyse(program, heads)?, heads, choices).map_err(|_| refusals)
    })
}

/// The tangents of a program that is analysed.
fn built(flow: &Flow, heads: &[Head], choices: &Choices) -> Result<Tangents, Vec<Refusal>> {
    let analysed = flow.program;
    let facts = Analysed { flow, required: Required::new(flow) };
    let mut program = analysed.clone();
    statics::mark(&mut program, &facts, &heads_of(analysed, heads))?;
    let global_tangents = statics::shadows(&mut program, flow, heads, "_d")?;
    let (interfaces, nothing) = (vec![None; analysed.procs.len()], Demoted::new());
    if !choices.one_call {
        flow::lasting::check(flow, &facts.required, heads)?;
    }
    let cx = context(analysed, &facts, &interfaces, &global_tangents, choices, &nothing);
    let live = carriers(&cx);
    let (mut tangents, mut refusals) = (Vec::new(), Vec::new());
    for id in flow::walk::callees_first(analysed).into_iter().filter(|id| live[id.index()]) {
        let built = refuse_list(&analysed.procs[id], true).and_then(|()| tangent::build(&cx, id, &live));
        match built {
            Ok(mut proc) => {
                let primal = &analysed.procs[id];
                let put = |rule| given::tangent(primal, &mut proc, rule, choices.check);
                let called = primal.rule.as_deref().map_or(Ok(()), put);
                refusals.extend(called.err());
                tangents.push((id, sweep_name(analysed, id), proc));
            }
            Err(more) => refusals.extend(more),
        }
    }
    refusals.extend(given::counts_messages(analysed));
    let mut heads = heads_of(analysed, heads);
    heads.retain(|head| !analysed.is_residual(*head));
    if refusals.is_empty() { Ok(Tangents { program, global_tangents, tangents, heads }) } else { Err(refusals) }
}

/// Which procedures carry derivatives, themselves or in what they call: one that only calls others may have nothing
/// active of its own, where these work on globals.
fn carriers(cx: &Context) -> Vec<bool> {
    let mut live: Vec<bool> = (0..cx.program.procs.len()).map(|at| carries(cx, ProcId::new(at))).collect();
    let calls: Vec<Vec<ProcId>> = cx.program.procs.iter().map(callees).collect();
    let mut stack: Vec<usize> = (0..live.len()).filter(|at| live[*at]).collect();
    while let Some(callee) = stack.pop() {
        for (caller, called) in calls.iter().enumerate() {
            if !live[caller] && called.contains(&ProcId::new(callee)) {
                live[caller] = true;
                stack.push(caller);
            }
        }
    }
    live
}

fn callees(proc: &Proc) -> Vec<ProcId> {
    flow::walk::calls(proc).into_iter().map(|(_, callee)| callee).collect()
}

/// Whether a procedure has active parameters, an active result, a guard, or touches active globals.
fn carries(cx: &Context, id: ProcId) -> bool {
    let proc = &cx.program.procs[id];
    (0..proc.params.len()).any(|k| cx.facts.active_param(id, k))
        || cx.facts.active_result(id)
        || tangent::gives_pointer(cx, id)
        || proc.is_guarded()
        || (0..proc.values.len()).any(|k| cx.facts.active_value(id, ValueId::new(k)))
        || proc.items.iter().any(|item| {
            let ItemKind::Store { to, from } = &item.kind else { return false };
            match to.ty {
                Type::Pointer(_) => cx.facts.active_pointer(id, from),
                _ => cx.facts.active_place(id, to),
            }
        })
}
