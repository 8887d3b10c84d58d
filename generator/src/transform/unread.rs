//! Locals that a program only sets. Copies of structs that are made on the way are such locals; analyses would take what
//! is copied for read.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::flow::walk;
use crate::ir::{Base, Item, ItemId, ItemKind, Place, Proc, Program, RegionId};
use crate::sweep::tidy;

/// The program without what only sets locals that nothing reads.
pub(super) fn dropped(program: &Program) -> Cow<'_, Program> {
    if !program.procs.iter().any(sets_unread) {
        return Cow::Borrowed(program);
    }
    let (with, mut program) = (program, program.clone());
    for p in with.procs.ids().filter(|p| sets_unread(&with.procs[*p])) {
        let proc = &mut program.procs[p];
        let before = walk::items(proc, RegionId::BODY);
        tidy::tidy_values(proc);
        let left: BTreeSet<ItemId> = walk::items(proc, RegionId::BODY).into_iter().collect();
        for item in before.into_iter().filter(|item| !left.contains(item)) {
            if let Some(statement) = proc.items[item].statement {
                proc.statements[statement].copyable = false;
            }
        }
    }
    Cow::Owned(program)
}

/// Whether something is stored that nothing reads.
fn sets_unread(proc: &Proc) -> bool {
    let used = tidy::objects_used(proc);
    proc.items.iter().any(|item: &Item| {
        matches!(&item.kind, ItemKind::Store { to: Place { base: Base::Object(object), .. }, .. } if !used.contains(object))
    })
}
