//! Structs of which all accesses are known, taken apart: an object for each member whose address is taken, and values for
//! each other scalar. Where branches or loops set a member, they merge its values like those of any variable.
//!
//! A candidate is a struct with a pointer in it that one `malloc` makes or one declaration. Every place behind a pointer
//! to it is named by the struct itself ([`resolved`]); then nothing may mention its address any more.

use std::collections::{BTreeMap, BTreeSet};

use super::apart::Apart;
use super::splice::scalars;
use super::target::{DEPTH, resolved, target};
use crate::flow::walk;
use crate::ir::rewrite;
use crate::ir::*;

/// The calls to which a candidate is passed: their procedures hide what happens to it.
pub fn callees(program: &Program, proc: &Proc) -> Vec<ItemId> {
    let candidates: BTreeSet<ObjectId> = candidates(program, proc).into_keys().collect();
    let is_passed = |arg: &Expr| match &arg.kind {
        ExprKind::Load(place) if matches!(arg.ty, Type::Struct(_)) => candidate(proc, place, &candidates).is_some(),
        _ => whole(program, proc, arg, &candidates).is_some(),
    };
    let passes = |(item, _): &(ItemId, ProcId)| {
        let ItemKind::Call { args, into, .. } = &proc.items[*item].kind else { return false };
        args.iter().any(is_passed) || into.as_ref().is_some_and(|into| candidate(proc, into, &candidates).is_some())
    };
    walk::calls(proc).into_iter().filter(passes).map(|(item, _)| item).collect()
}

/// Takes structs with pointers apart. Returns whether there was one.
pub fn take_apart(program: &Program, proc: &mut Proc) -> bool {
    let found = candidates(program, proc);
    let objects: BTreeSet<ObjectId> = found.keys().copied().collect();
    if objects.is_empty() {
        return false;
    }
    name_places(proc, &objects);
    let apart = Apart::new(program, proc, found);
    apart.map(|apart| apart.run(proc)).is_some()
}

/// Takes all structs apart that can be.
pub fn take_all_apart(program: &Program, proc: &mut Proc) {
    while let Some(apart) = Apart::new(program, proc, structs(program, proc)) {
        apart.run(proc);
    }
}

/// Structs with pointers that are made once, and the items that make them.
fn candidates(program: &Program, proc: &Proc) -> BTreeMap<ObjectId, ItemId> {
    let pointer = |place: &Place| matches!(&place.ty, Type::Pointer(to) if !matches!(**to, Type::Opaque(_)));
    let mut found = structs(program, proc);
    found.retain(|object, _| {
        let place = Place { base: Base::Object(*object), path: Vec::new(), ty: proc.objects[*object].elem.clone() };
        scalars(program, &place).is_some_and(|all| all.iter().any(pointer))
    });
    found
}

/// Structs that are made once, and the items that make them.
fn structs(program: &Program, proc: &Proc) -> BTreeMap<ObjectId, ItemId> {
    let mut made: BTreeMap<ObjectId, Vec<ItemId>> = BTreeMap::new();
    for item in walk::items(proc, RegionId(0)) {
        let kind = &proc.items[item].kind;
        if let ItemKind::Declare { object } = kind {
            made.entry(*object).or_default().push(item);
        } else if let ItemKind::Alloc { object, count, .. } = kind {
            let is_one = matches!(count.kind, ExprKind::Int(1)) || value_is_one(proc, count);
            // A block of several structs counts twice, and is none.
            made.entry(*object).or_default().extend(if is_one { vec![item] } else { vec![item, item] });
        }
    }
    let holds = |object: &ObjectId| {
        let this = &proc.objects[*object];
        let place = Place { base: Base::Object(*object), path: Vec::new(), ty: this.elem.clone() };
        matches!(this.elem, Type::Struct(_))
            && (this.life == Life::Heap || this.shape.is_empty())
            && proc.result_object != Some(*object)
            && scalars(program, &place).is_some()
    };
    let once = made.into_iter().filter(|(_, items)| items.len() == 1);
    once.filter(|(object, _)| holds(object)).map(|(object, items)| (object, items[0])).collect()
}

fn value_is_one(proc: &Proc, count: &Expr) -> bool {
    match &count.kind {
        ExprKind::Int(1) => true,
        ExprKind::Cast(x) => value_is_one(proc, x),
        ExprKind::Value(value) => {
            matches!(&proc.values[*value].def, Def::Is(e) if value_is_one(proc, e))
        }
        _ => false,
    }
}

/// The candidate that a place is in.
fn candidate(proc: &Proc, place: &Place, all: &BTreeSet<ObjectId>) -> Option<ObjectId> {
    match &resolved(proc, place, DEPTH)?.base {
        Base::Object(object) if all.contains(object) => Some(*object),
        _ => None,
    }
}

/// The candidate whose own address, or that of a struct in it, an expression is.
fn whole(program: &Program, proc: &Proc, e: &Expr, all: &BTreeSet<ObjectId>) -> Option<ObjectId> {
    let place = target(proc, e, DEPTH)?;
    match &place.base {
        Base::Object(object) if all.contains(object) && !scalars(program, &place)?.is_empty() => {
            matches!(place.ty, Type::Struct(_)).then_some(*object)
        }
        _ => None,
    }
}

/// Names places behind pointers to candidates by these.
fn name_places(proc: &mut Proc, all: &BTreeSet<ObjectId>) {
    let before = proc.clone();
    rewrite::places(proc, &mut |place| {
        if let Base::At(_) = place.base
            && let Some(named) = resolved(&before, place, DEPTH)
            && matches!(named.base, Base::Object(object) if all.contains(&object))
        {
            *place = named;
        }
    });
}
