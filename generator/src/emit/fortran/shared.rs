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

/// The memory that an address leads into: a variable, and the components on the way from there.
#[derive(Clone)]
struct Way {
    root: Root,
    fields: Vec<FieldId>,
}

impl Way {
    /// Whether both may lead into one piece of memory: components of one variable that differ lie apart.
    fn meets(&self, other: &Way) -> bool {
        let is_one_way = || self.fields.iter().zip(&other.fields).all(|(one, other)| one == other);
        self.root == other.root && is_one_way()
    }
}

/// Positions of parameters of a reverse sweep; one twice if it may be a variable with static storage.
type Pairs = BTreeSet<(usize, usize)>;

/// The parameters of reverse sweeps that share memory with others.
pub fn shared(unit: &Unit) -> BTreeSet<(ProcId, usize)> {
    let mut pairs: BTreeMap<ProcId, Pairs> = BTreeMap::new();
    let named = named(unit, Role::Reverse);
    loop {
        let before = pairs.clone();
        for (id, caller) in sweeps(unit, Role::Reverse) {
            let own = pairs.get(&id).cloned().unwrap_or_default();
            for (callee, args) in calls(caller, Role::Reverse) {
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

fn sweeps<'a>(unit: &'a Unit, wanted: Role) -> impl Iterator<Item = (ProcId, &'a Proc)> {
    let sweeps = unit.sweeps.iter().filter(move |((_, role), _)| *role == wanted);
    sweeps.map(|((id, _), sweep)| (*id, sweep.proc))
}

/// The sweeps of a role that a sweep calls.
fn calls(proc: &Proc, wanted: Role) -> impl Iterator<Item = (ProcId, &[Expr])> {
    proc.items.iter().filter_map(move |item| {
        let ItemKind::Call { callee: Callee::Sweep(id, role), args, .. } = &item.kind else { return None };
        (*role == wanted).then_some((*id, &args[..]))
    })
}

/// The pairs that a call makes. `own`: those of the caller; `globals`: what the callee names.
fn given(caller: &Proc, args: &[Expr], own: &Pairs, globals: &BTreeSet<GlobalId>) -> Pairs {
    let ways: Vec<(usize, Way)> =
        args.iter().enumerate().filter_map(|(at, arg)| Some((at, way(caller, arg)?))).collect();
    let mut found = Pairs::new();
    for (at, one) in &ways {
        let is_named = match &one.root {
            Root::Global(global) => globals.contains(global),
            Root::Param(k) => own.contains(&(*k, *k)),
            Root::Object(_) => false,
        };
        if is_named {
            found.insert((*at, *at));
        }
        for (other_at, other) in ways.iter().filter(|(other_at, _)| other_at > at) {
            let are_pair = match (one.root, other.root) {
                (Root::Param(a), Root::Param(b)) => own.contains(&(a.min(b), a.max(b))),
                _ => false,
            };
            if one.meets(other) || are_pair {
                found.insert((*at, *other_at));
            }
        }
    }
    found
}

/// What an address leads into; none of a number.
fn way(proc: &Proc, address: &Expr) -> Option<Way> {
    address.ty.target()?;
    match &address.kind {
        ExprKind::Address(place) | ExprKind::Load(place) => way_to_place(proc, place),
        ExprKind::Cast(inner) => way(proc, inner),
        ExprKind::Value(value) => match &proc.values[*value].def {
            Def::Is(inner) => way(proc, inner),
            Def::Entry(position) => Some(Way { root: Root::Param(*position as usize), fields: Vec::new() }),
            _ => None,
        },
        _ => None,
    }
}

fn way_to_place(proc: &Proc, place: &Place) -> Option<Way> {
    let mut way = match &place.base {
        Base::Object(object) => Way { root: Root::Object(*object), fields: Vec::new() },
        Base::Global(global) => Way { root: Root::Global(*global), fields: Vec::new() },
        Base::At(pointer) => way(proc, pointer)?,
    };
    let fields = place.path.iter().filter_map(|step| match step {
        Step::Field(field) => Some(*field),
        Step::Index(_) => None,
    });
    way.fields.extend(fields);
    Some(way)
}

/// The variables with static storage that each sweep of a role, or what it calls, names.
pub fn named(unit: &Unit, role: Role) -> BTreeMap<ProcId, BTreeSet<GlobalId>> {
    let mut named: BTreeMap<ProcId, BTreeSet<GlobalId>> =
        sweeps(unit, role).map(|(id, proc)| (id, own_globals(proc))).collect();
    loop {
        let mut grown = false;
        for (id, proc) in sweeps(unit, role) {
            let more: BTreeSet<GlobalId> =
                calls(proc, role).filter_map(|(callee, _)| named.get(&callee)).flatten().copied().collect();
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
        walk::places_of_item(proc, *item, &mut |place| found.extend(place.base.global()));
    }
    found
}

/// The variables that stay allocated and that the forward sweep of a head, or what it calls, allocates.
pub fn allocated_by(unit: &Unit, head: ProcId) -> BTreeSet<GlobalId> {
    let (mut open, mut seen, mut found) = (vec![(head, Role::Forward)], Vec::new(), BTreeSet::new());
    while let Some(at) = open.pop() {
        let Some(sweep) = unit.sweeps.get(&at).filter(|_| !seen.contains(&at)) else { continue };
        seen.push(at);
        for item in &sweep.proc.items {
            let ItemKind::Call { callee, .. } = &item.kind else { continue };
            match callee {
                Callee::Sweep(id, role) => open.push((*id, *role)),
                Callee::Proc(id) => open.push((*id, Role::Primal)),
                Callee::External { function, .. } => {
                    let made = unit.fortran.allocations.get(function.name()).filter(|made| !made.asks);
                    found.extend(made.map(|made| made.global));
                }
            }
        }
    }
    found
}

/// The variables with static storage that reverse sweeps bring back.
pub fn brought_back(unit: &Unit) -> BTreeSet<GlobalId> {
    let mut found = BTreeSet::new();
    for (_, proc) in sweeps(unit, Role::Reverse) {
        for item in proc.regions.iter().flat_map(|region| &region.items) {
            if let ItemKind::Sweep(SweepItem::Pop { .. }) | ItemKind::Store { .. } = &proc.items[*item].kind {
                walk::places_of_item(proc, *item, &mut |place| found.extend(place.base.global()));
            }
        }
    }
    found
}
