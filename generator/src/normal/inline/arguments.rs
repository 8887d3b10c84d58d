//! Structs that are passed by value from memory that the call overwrites, copied in front of it.
//!
//! ```text
//!   cross(&basis[0], basis[1], basis[2]);    ──►    vec v0 = basis[1], v1 = basis[2];
//!                                                   cross(&basis[0], v0, v1);
//! ```
//!
//! The reverse sweep passes the arguments before it has restored anything, so they must still be there.

use super::splice;
use crate::flow::{Flow, Head, walk};
use crate::ir::*;

/// The program with such copies; `None` if nothing is to be copied, or what is to be copied is large.
pub fn copied(program: &Program, heads: &[Head]) -> Option<Program> {
    let flow = Flow::analyse(program, heads).ok()?;
    let mut found = program.clone();
    let mut changed = false;
    for (p, proc) in found.procs.iter_mut().enumerate() {
        let id = ProcId::new(p);
        let calls = walk::calls(proc).into_iter().map(|(item, callee)| (item, overwritten(&flow, id, item), callee));
        let calls: Vec<_> = calls.filter(|(_, args, _)| !args.is_empty()).collect();
        for (item, args, callee) in &calls {
            let callee = &program.procs[*callee];
            args.iter().try_for_each(|k| copy(program, proc, *item, *k, &callee.params[*k].name))?;
        }
        if !calls.is_empty() {
            splice::tidy(proc);
            changed = true;
        }
    }
    (changed && validate::program(&found).is_ok()).then_some(found)
}

/// The arguments of a call that are structs in memory which the call may overwrite.
fn overwritten(flow: &Flow, p: ProcId, item: ItemId) -> Vec<usize> {
    let ItemKind::Call { args, .. } = &flow.program.procs[p].items[item].kind else {
        return Vec::new();
    };
    let written = &flow.effects.item(p, item).writes;
    let lost = |arg: &Expr| match &arg.kind {
        ExprKind::Load(place) if matches!(arg.ty, Type::Struct(_)) => flow.may_be_in(p, place, written),
        _ => false,
    };
    (0..args.len()).filter(|k| lost(&args[*k])).collect()
}

/// Copies an argument in front of its call.
fn copy(program: &Program, proc: &mut Proc, item: ItemId, argument: usize, name: &str) -> Option<()> {
    let (region, at) = proc.positions()[item.index()]?;
    let span = proc.items[item].span;
    let ItemKind::Call { args, .. } = &proc.items[item].kind else { return None };
    let ExprKind::Load(from) = args[argument].kind.clone() else { return None };
    let name = splice::unique(proc, name);
    let (elem, life) = (from.ty.clone(), Life::Region(region));
    proc.objects.push(Object { name, elem, shape: Vec::new(), life, constant: false, span });
    let object = ObjectId::new(proc.objects.len() - 1);
    let to = Place { base: Base::Object(object), path: Vec::new(), ty: from.ty.clone() };
    let mut kinds = vec![ItemKind::Declare { object }];
    kinds.extend(splice::copies(program, &to, &from)?);
    let items: Vec<ItemId> = kinds.into_iter().map(|kind| splice::add(proc, kind, span)).collect();
    proc.regions[region].items.splice(at..at, items);
    if let ItemKind::Call { args, .. } = &mut proc.items[item].kind {
        args[argument] = splice::load(to);
    }
    Some(())
}
