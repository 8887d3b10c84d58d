//! Numbers that are rounded by a large constant, `(x + 6755399441055744.0) - 6755399441055744.0`: the sum has no bits for
//! a fraction. By the operators the derivative is 1, but what they compute is a staircase: refused.

use super::{Flow, walk};
use crate::ir::{Binary, Def, Expr, ExprKind, ItemKind, Proc, ProcId, RegionId, Span, Type};
use crate::refuse::{Class, Refusal};

/// Refuses what rounds a number through which a derivative flows.
pub fn refusals(flow: &Flow) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    for p in walk::callees_first(flow.program) {
        let proc = &flow.program.procs[p];
        for id in walk::items(proc, RegionId(0)) {
            let item = &proc.items[id];
            let ends_here = if let ItemKind::Let { value } = &item.kind {
                !flow.active_value(p, *value)
            } else if let ItemKind::Store { to, .. } = &item.kind {
                !flow.active_place(p, to)
            } else {
                !matches!(item.kind, ItemKind::Call { .. })
            };
            if !ends_here {
                walk::of_item(proc, item).into_iter().for_each(|e| see(flow, p, e, item.span, &mut refusals));
            }
        }
        proc.result.iter().for_each(|e| see(flow, p, e, proc.span, &mut refusals));
    }
    refusals
}

fn see(flow: &Flow, p: ProcId, e: &Expr, span: Span, refusals: &mut Vec<Refusal>) {
    // No derivative flows through integers.
    if !matches!(e.ty, Type::Float { .. }) {
        return;
    }
    match &e.kind {
        ExprKind::Unary(_, x) | ExprKind::Cast(x) => see(flow, p, x, span, refusals),
        ExprKind::Binary(_, x, y) | ExprKind::Select(_, x, y) => {
            see(flow, p, x, span, refusals);
            see(flow, p, y, span, refusals);
        }
        ExprKind::Function(_, args) => args.iter().for_each(|x| see(flow, p, x, span, refusals)),
        _ => {}
    }
    let found = rounded(&flow.program.procs[p], e).filter(|(x, _)| flow.active_expr(p, x));
    if let Some((_, by)) = found {
        refusals.push(Refusal {
            class: Class::Derivative,
            span,
            what: format!("{by} is added and taken away here, which rounds to an integer: the derivative is 0, not 1"),
            help: "write rint(x), whose derivative is known to be 0".into(),
        });
    }
}

/// What is rounded, and by which constant.
fn rounded<'a>(proc: &'a Proc, e: &'a Expr) -> Option<(&'a Expr, f64)> {
    let (inner, last) = moved(proc, e)?;
    let (x, first) = moved(proc, behind_names(proc, inner))?;
    // From here on, numbers of the type have no bits for a half.
    let least = match e.ty {
        Type::Float { bits: 32 } => (1u64 << 22) as f64,
        Type::Float { bits: 64 } => (1u64 << 51) as f64,
        _ => (1u64 << 62) as f64,
    };
    (first == -last && first.abs() >= least).then_some((x, first.abs()))
}

/// What a constant is added to or taken from, and the constant with its sign.
fn moved<'a>(proc: &'a Proc, e: &'a Expr) -> Option<(&'a Expr, f64)> {
    match &e.kind {
        ExprKind::Binary(Binary::Add, x, y) => {
            let by = |c: &'a Expr| behind_names(proc, c).literal();
            by(y).map(|c| (&**x, c)).or_else(|| by(x).map(|c| (&**y, c)))
        }
        ExprKind::Binary(Binary::Subtract, x, y) => Some((x, -behind_names(proc, y).literal()?)),
        _ => None,
    }
}

/// The expression that defines a value, if it is one.
fn behind_names<'a>(proc: &'a Proc, mut e: &'a Expr) -> &'a Expr {
    while let ExprKind::Value(value) = e.kind {
        match &proc.values[value].def {
            Def::Is(known) => e = known,
            _ => break,
        }
    }
    e
}
