//! Which pointers lead to tangents. One variable may point to a passive array first and to an active one later; the
//! values of its first life need no pointer to tangents, and there are none to point to.

use crate::ir::*;
use crate::sweep::context::Context;

/// For each value of a procedure whether it is, or becomes, a pointer to what has tangents: by its own targets, as part
/// of another such pointer, by a join or in a loop. What is passed, stored, returned or freed counts, too: what becomes
/// of it is decided elsewhere.
pub(super) fn followed(cx: &Context, id: ProcId, proc: &Proc) -> Vec<bool> {
    let points = |value: ValueId| matches!(*proc.type_of(value), Type::Pointer(_));
    let leads = |value: &ValueId| points(*value) && cx.facts.active_pointer(id, &proc.value_expr(*value));
    let mut open: Vec<ValueId> = proc.values.ids().filter(leads).collect();
    let mut pointers = |expr: &Expr| {
        if let Type::Pointer(_) = expr.ty {
            walk::values(expr, &mut |value| open.push(value));
        }
    };
    for item in &proc.items {
        if let ItemKind::Call { args, .. } = &item.kind {
            args.iter().for_each(&mut pointers);
        } else if let ItemKind::Store { from: pointer, .. } | ItemKind::Free { pointer } = &item.kind {
            pointers(pointer);
        }
    }
    proc.result.iter().for_each(&mut pointers);
    let mut found = vec![false; proc.values.len()];
    while let Some(value) = open.pop() {
        if !points(value) || std::mem::replace(&mut found[value.index()], true) {
            continue;
        }
        match &proc.values[value].def {
            Def::Is(expr) => walk::values(expr, &mut |value| open.push(value)),
            Def::Join(item, slot) => {
                if let ItemKind::Branch { joins, .. } = &proc.items[*item].kind {
                    let join = &joins[*slot as usize];
                    open.extend([join.then, join.otherwise]);
                }
            }
            Def::Head(item, slot) | Def::Out(item, slot) => {
                if let ItemKind::Loop { carried, .. } = &proc.items[*item].kind {
                    let c = &carried[*slot as usize];
                    open.extend([c.init, c.end]);
                }
            }
            _ => {}
        }
    }
    found
}
