//! Adjoints that a call passes twice: `call dot(v, v)` may give one array to two dummies that nothing writes, but both
//! adjoints are added to. A dummy with TARGET may be such memory; compilers take others for memory of one name.
//!
//! - **Pairs**: the positions of two adjoints that some call gives one piece of memory, and of one that a variable with
//!   static storage is, which the callee names, too.
//! - **Closure**: a pair of the caller is one of the callee where both are passed on.

use super::unit::Unit;
use crate::ir::*;
use std::collections::{BTreeMap, BTreeSet};

/// The variable that an address leads into.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    Object(ObjectId),
    Global(GlobalId),
    Param(usize),
}

/// Positions of parameters of a reverse sweep; one twice if it may be a variable with static storage.
type Pairs = BTreeSet<(usize, usize)>;

/// The parameters of reverse sweeps that share memory with others.
pub fn shared(unit: &Unit) -> BTreeSet<(ProcId, usize)> {
    let mut pairs: BTreeMap<ProcId, Pairs> = BTreeMap::new();
    let named = named(unit);
    loop {
        let before = pairs.clone();
        for (id, caller) in reverse_sweeps(unit) {
            let own = pairs.get(&id).cloned().unwrap_or_default();
            for (callee, args) in calls(caller) {
                let globals = named.get(&callee).cloned().unwrap_or_default();
                pairs.entry(callee).or_default().extend(given(caller, args, &own, &globals));
            }
        }
        if pairs == before {
            let positions = |(id, pairs): (ProcId, Pairs)| pairs.into_iter().flat_map(move |(a, b)| [(id, a), (id, b)]);
            return pairs.into_iter().flat_map(positions).collect();
        }
    }
}

fn reverse_sweeps<'a>(unit: &'a Unit) -> impl Iterator<Item = (ProcId, &'a Proc)> {
    let sweeps = unit.sweeps.iter().filter(|((_, role), _)| *role == Role::Reverse);
    sweeps.map(|((id, _), sweep)| (*id, sweep.proc))
}

/// The reverse sweeps that a sweep calls.
fn calls(proc: &Proc) -> impl Iterator<Item = (ProcId, &[Expr])> {
    proc.items.iter().filter_map(|item| {
        let ItemKind::Call { callee: Callee::Sweep(id, Role::Reverse), args, .. } = &item.kind else { return None };
        Some((*id, &args[..]))
    })
}

/// The pairs that a call makes. `own`: those of the caller; `globals`: what the callee names.
fn given(caller: &Proc, args: &[Expr], own: &Pairs, globals: &BTreeSet<GlobalId>) -> Pairs {
    let roots: Vec<(usize, Root)> =
        args.iter().enumerate().filter_map(|(at, arg)| Some((at, root(caller, arg)?))).collect();
    let mut found = Pairs::new();
    for (at, one) in &roots {
        let is_named = match one {
            Root::Global(global) => globals.contains(global),
            Root::Param(k) => own.contains(&(*k, *k)),
            Root::Object(_) => false,
        };
        if is_named {
            found.insert((*at, *at));
        }
        for (other_at, other) in roots.iter().filter(|(other_at, _)| other_at > at) {
            let are_pair = match (one, other) {
                (Root::Param(a), Root::Param(b)) => own.contains(&(*a.min(b), *a.max(b))),
                _ => false,
            };
            if one == other || are_pair {
                found.insert((*at, *other_at));
            }
        }
    }
    found
}

/// What an address leads into; none of a number.
fn root(proc: &Proc, address: &Expr) -> Option<Root> {
    address.ty.target()?;
    match &address.kind {
        ExprKind::Address(place) | ExprKind::Load(place) => root_of_place(proc, place),
        ExprKind::Cast(inner) => root(proc, inner),
        ExprKind::Value(value) => match &proc.values[*value].def {
            Def::Is(inner) => root(proc, inner),
            Def::Entry(position) => Some(Root::Param(*position as usize)),
            _ => None,
        },
        _ => None,
    }
}

fn root_of_place(proc: &Proc, place: &Place) -> Option<Root> {
    match &place.base {
        Base::Object(object) => Some(Root::Object(*object)),
        Base::Global(global) => Some(Root::Global(*global)),
        Base::At(pointer) => root(proc, pointer),
    }
}

/// The variables with static storage that each reverse sweep, or what it calls, names.
fn named(unit: &Unit) -> BTreeMap<ProcId, BTreeSet<GlobalId>> {
    let mut named: BTreeMap<ProcId, BTreeSet<GlobalId>> =
        reverse_sweeps(unit).map(|(id, proc)| (id, own_globals(proc))).collect();
    loop {
        let mut grown = false;
        for (id, proc) in reverse_sweeps(unit) {
            let more: BTreeSet<GlobalId> =
                calls(proc).filter_map(|(callee, _)| named.get(&callee)).flatten().copied().collect();
            let own = named.entry(id).or_default();
            let before = own.len();
            own.extend(more);
            grown |= own.len() > before;
        }
        if !grown {
            return named;
        }
    }
}

fn own_globals(proc: &Proc) -> BTreeSet<GlobalId> {
    let mut found = BTreeSet::new();
    for item in proc.regions.iter().flat_map(|region| &region.items) {
        walk::operands(proc, *item, &mut |operand| {
            let mut note = |place: &Place| {
                if let Base::Global(global) = place.base {
                    found.insert(global);
                }
            };
            let mut see = |inner: &Expr| {
                if let ExprKind::Load(place) | ExprKind::Address(place) = &inner.kind {
                    note(place);
                }
            };
            match operand {
                Ok(expr) => walk::expressions(expr, &mut see),
                Err(place) => {
                    walk::in_place(place, &mut see);
                    note(place);
                }
            }
        });
    }
    found
}
