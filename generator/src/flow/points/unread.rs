//! Pointers in memory of the caller or at file scope that the program sets and nowhere reads: what they hold is for others.

use super::Points;
use crate::flow::locs::{Loc, Root, Set};
use crate::flow::walk;
use crate::ir::{ProcId, Type};

/// The pointer cells of a closed analysis that no procedure loads, under any name.
pub(super) fn unread(points: &Points) -> Set {
    let is_outside = |cell: &Loc| matches!(points.locs.root(*cell), Root::Global(_) | Root::Formal(..) | Root::Cell(_));
    let mut unread: Set = points.cells.keys().copied().filter(is_outside).collect();
    if unread.is_empty() {
        return unread;
    }
    for (p, proc) in points.program.procs.iter().enumerate() {
        let p = ProcId::new(p);
        let places = walk::exprs(proc).into_iter().flat_map(walk::loads);
        let leaves = places.flat_map(|place| points.cells(p, place)).flat_map(|cell| points.locs.leaves(cell));
        let pointers: Set =
            leaves.filter(|leaf| matches!(points.locs.ty(*leaf), Type::Pointer(_) | Type::Void)).collect();
        unread
            .retain(|cell| !pointers.contains(cell) && !pointers.iter().any(|read| points.may_alias(p, *read, *cell)));
    }
    unread
}
