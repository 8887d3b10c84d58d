//! Functions that stay functions of their own.
//!
//! gcc makes a static function that is called once part of its caller. Where both have loops, there are more pointers
//! than registers, and the inner loop fetches its own from memory in each pass. A loop with a fixed number of passes is
//! better inside: it is unrolled there, and local arrays become registers.

use crate::ir::*;
use rustc_hash::FxHashSet;

/// What makes a macro of it; `@` is its name.
pub(super) const MACRO: &str = "\
/* Inner loops keep their pointers in registers in functions of their own. */
#if defined(__GNUC__) && !defined(__clang__)
#define @ __attribute__((noinline))
#else
#define @
#endif

";

/// The procedures that have a loop whose number of passes is not fixed.
pub(super) fn procs(program: &Program) -> FxHashSet<ProcId> {
    let all = program.procs.ids();
    all.filter(|id| program.procs[*id].items.iter().any(|item| varies(program, *id, &item.kind))).collect()
}

/// Whether an item is a loop that goes by something else than numbers.
fn varies(program: &Program, id: ProcId, kind: &ItemKind) -> bool {
    let ItemKind::Loop { test, carried, .. } = kind else { return false };
    let proc = &program.procs[id];
    let mut varies = walk::loads(test);
    walk::values(test, &mut |value| {
        let carries = carried.iter().any(|each| each.head == value);
        varies |= !carries && !is_number(program, id, &proc.value_expr(value));
    });
    varies
}

/// Whether an expression is a number, or a parameter that all calls give one.
fn is_number(program: &Program, id: ProcId, expr: &Expr) -> bool {
    let proc = &program.procs[id];
    match &expr.kind {
        ExprKind::Int(_) => true,
        ExprKind::Value(value) => match &proc.values[*value].def {
            Def::Is(Expr { kind: ExprKind::Int(_), .. }) => true,
            Def::Entry(k) => is_given_numbers(program, id, *k as usize),
            _ => false,
        },
        _ => false,
    }
}

fn is_given_numbers(program: &Program, id: ProcId, k: usize) -> bool {
    let items = program.procs.iter().flat_map(|proc| &proc.items);
    let given = items.filter_map(|item| {
        if let ItemKind::Call { callee: Callee::Proc(called), args, .. } = &item.kind
            && *called == id
        {
            args.get(k)
        } else {
            None
        }
    });
    let given: Vec<&Expr> = given.collect();
    !given.is_empty() && given.iter().all(|arg| matches!(arg.kind, ExprKind::Int(_)))
}
