//! Sums of products of adjoints and factors, and the adjoints of a reverse sweep: see [`super::adjoint`].

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

use super::terms::{P, T};
use crate::ir::*;

/// A sum: for each adjoint and its factors (whether one divides) how often it is added.
pub(super) type Linear = BTreeMap<Product, i64>;

/// An adjoint and its factors.
pub(super) type Product = (T, Vec<(T, bool)>);

/// The adjoints of the reverse sweep.
#[derive(Default)]
pub(super) struct Adjoints {
    /// By root: what a local adjoint holds.
    pub(super) local: FxHashMap<T, Holds>,
    /// What the group at hand found and left, by place.
    pub(super) found: BTreeMap<P, T>,
    pub(super) left: BTreeMap<P, T>,
    /// Places that the group has added to.
    pub(super) added: Vec<P>,
    /// Local adjoints that were read since the pass at hand began.
    pub(super) read: FxHashSet<T>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Nothing,
    Zero,
    Something,
}

/// Whether a function is the product of a partial and an adjoint.
pub(super) fn is_share(function: Function) -> bool {
    function == Function::share(function.bits)
}

/// The objects that a sweep reads, or whose address it takes.
pub(super) fn objects_read(proc: &Proc) -> BTreeSet<ObjectId> {
    let mut read: BTreeSet<ObjectId> = proc.result_object.into_iter().collect();
    let mut see = |e: &Expr| {
        if let ExprKind::Load(place) | ExprKind::Address(place) = &e.kind {
            read.extend(place.base.object());
        }
    };
    for item in proc.regions.iter().flat_map(|region| &region.items) {
        walk::expressions_of_item(proc, *item, &mut see);
    }
    proc.result.iter().for_each(|result| walk::expressions(result, &mut see));
    read
}
