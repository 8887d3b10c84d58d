//! What the planner asks the analyses.

use crate::flow::required::{Hull, Snapshots};
use crate::ir::{Expr, ItemId, ObjectId, Place, ProcId, RegionId, ValueId};

/// Answers about a whole program. Every answer errs on the safe side: "active" and "store" when in doubt,
/// "steady" only when proved.
pub trait Facts {
    /// Whether a derivative flows through the value.
    fn active_value(&self, proc: ProcId, value: ValueId) -> bool;
    /// Whether a derivative flows through what lies at the place.
    fn active_place(&self, proc: ProcId, place: &Place) -> bool;
    /// Whether some target of the pointer is active, so that the pointer needs a shadow.
    fn active_pointer(&self, proc: ProcId, pointer: &Expr) -> bool;
    /// The same, in the procedure or in any of its callers.
    fn active_pointer_anywhere(&self, proc: ProcId, pointer: &Expr) -> bool;
    /// Whether anything inside the object is active, so that it needs a shadow.
    fn active_object(&self, proc: ProcId, object: ObjectId) -> bool;
    /// Whether the parameter (a pointer, a scalar or a struct) has an adjoint.
    fn active_param(&self, proc: ProcId, param: usize) -> bool;
    /// Whether the procedure reaches what a pointer parameter points to, and what the pointer's adjoint points to, in
    /// no other way.
    fn apart(&self, proc: ProcId, param: usize) -> bool;
    /// Whether the procedure writes what a pointer parameter points to, which is memory of the program itself that
    /// nothing else in the procedure reaches.
    fn filled_apart(&self, proc: ProcId, param: usize) -> bool;
    /// Whether the procedure's result is active.
    fn active_result(&self, proc: ProcId) -> bool;
    /// Whether the store overwrites what the adjoint of something before it reads.
    fn push_old(&self, proc: ProcId, store: ItemId) -> bool;
    /// Whether the contents of a local object or a heap block are read by the adjoint of something before the end
    /// of its life.
    fn keep(&self, proc: ProcId, object: ObjectId) -> bool;
    /// What is stored in front of each pass of a loop, if the reverse sweep runs its passes again.
    fn hulls(&self, proc: ProcId, item: ItemId) -> Option<&[Hull]>;
    /// What snapshots of a loop have, if the reverse sweep runs its passes again from snapshots.
    fn snapshots(&self, proc: ProcId, item: ItemId) -> Option<&Snapshots>;
    /// Why a loop that was to be run again is not.
    fn once(&self, proc: ProcId, item: ItemId) -> Option<&str>;
    /// Whether every load of the expression, evaluated at the item, still yields that at the end of the item's region,
    /// and again when the reverse sweep enters this region.
    fn steady(&self, proc: ProcId, item: ItemId, expr: &Expr) -> bool;
    /// Whether every load of the expression, evaluated at the item, yields that from the beginning of the item's region to
    /// its end, in both sweeps.
    fn still(&self, proc: ProcId, item: ItemId, expr: &Expr) -> bool;
    /// Whether every load of the expression, evaluated just before the item (a branch or a loop), still yields that
    /// behind it, and again when the reverse sweep comes back to it.
    fn across(&self, proc: ProcId, item: ItemId, expr: &Expr) -> bool;
    /// Whether the passes of a loop overwrite one element after the other by this store, and no pass reads what may be
    /// an element that it or a pass before it has overwritten.
    fn one_by_one(&self, proc: ProcId, item: ItemId, store: ItemId) -> bool;
    /// Whether every comparison by order, and every difference, of two pointers in the expression comes out alike in
    /// both sweeps: both point into one object. Objects may lie in another order in the reverse sweep.
    fn ordered(&self, proc: ProcId, expr: &Expr) -> bool;
    /// Bases from which a pointer is an offset, each an address that both sweeps can name (a parameter, an object);
    /// `None` if they are not known.
    fn bases(&self, proc: ProcId, pointer: &Expr) -> Option<Vec<Expr>>;
    /// Whether the procedure, and those that it calls, leave the memory that `expr` loads as it is.
    fn never_written(&self, proc: ProcId, expr: &Expr) -> bool;
    /// The heap objects that a pointer may point to the start of.
    fn blocks(&self, proc: ProcId, pointer: &Expr) -> Vec<ObjectId>;
    /// Whether every access to a heap object of the procedure happens while its region runs, and none in a callee that
    /// keeps the pointer.
    fn confined(&self, proc: ProcId, object: ObjectId, region: RegionId) -> bool;
    /// Whether a pointer in the object may be written other than by a store that names the object.
    fn sets_pointers(&self, proc: ProcId, object: ObjectId) -> bool;
    /// Whether an item may write a pointer in the object.
    fn writes_pointers(&self, proc: ProcId, item: ItemId, object: ObjectId) -> bool;
    /// Whether a store gives a pointer at file scope the one value that it has while a head runs.
    fn hands_on(&self, proc: ProcId, store: ItemId) -> bool;
    /// Whether no procedure reads a pointer at this place.
    fn never_read(&self, proc: ProcId, place: &Place) -> bool;
    /// Whether the item may read or write anything of the object.
    fn touches(&self, proc: ProcId, item: ItemId, object: ObjectId) -> bool;
    /// Whether the program keeps its blocks on the stable heap.
    fn stable(&self) -> bool;
    /// Whether a pointer leads nowhere: it is NULL whenever it has a value.
    fn nowhere(&self, proc: ProcId, pointer: &Expr) -> bool;
    /// Whether a pointer leads to blocks of the stable heap only.
    fn on_heap(&self, proc: ProcId, pointer: &Expr) -> bool;
    /// Whether a pointer may lead to a block of the stable heap, and to other memory.
    fn half_on_heap(&self, proc: ProcId, pointer: &Expr) -> bool;
    /// Whether all that a pointer may lead to is at the same address in both sweeps.
    fn fixed(&self, proc: ProcId, pointer: &Expr) -> bool;
    /// Whether the pointers in an object mean the same in both sweeps, and their adjoints need none of the object.
    fn plain_pointers(&self, proc: ProcId, object: ObjectId) -> bool;
    /// The first number of the array in memory of the caller, or at file scope, that a pointer to numbers is sure to lead
    /// into: the adjoint lies as far behind the array's adjoint. `None` if it may lead elsewhere.
    fn only_base(&self, proc: ProcId, pointer: &Expr) -> Option<Expr>;
    /// Whether the pointers in an object mean the same in both sweeps, and each has an [`Facts::only_base`] if derivatives
    /// flow where it leads.
    fn offsets_only(&self, proc: ProcId, object: ObjectId) -> bool;
    /// The objects of the procedure that a place may be in; `None` if it may be elsewhere.
    fn inside(&self, proc: ProcId, place: &Place) -> Option<Vec<ObjectId>>;
    /// Whether the procedure, or one that it calls, may write the object.
    fn written(&self, proc: ProcId, object: ObjectId) -> bool;
}
