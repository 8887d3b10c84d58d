//! Where values, variables and objects of a procedure are mentioned, found once.

use crate::ir::*;
use crate::sweep::tidy;
use rustc_hash::{FxHashMap, FxHashSet};

/// Mentions in a procedure.
pub(in crate::emit) struct Index<'a> {
    /// Values that any item reads.
    pub(in crate::emit) read: FxHashSet<ValueId>,
    /// How many items that stand in a region read each value.
    pub(in crate::emit) readers: FxHashMap<ValueId, usize>,
    /// The item that defines each value by an expression.
    pub(in crate::emit) lets: FxHashMap<ValueId, ItemId>,
    /// The items that stand in a region and name each object.
    pub(in crate::emit) naming: FxHashMap<ObjectId, Vec<ItemId>>,
    /// Objects that an item in a region declares.
    pub(in crate::emit) declared: FxHashSet<ObjectId>,
    /// The item that declares each variable of C.
    pub(in crate::emit) declaring: FxHashMap<VarId, ItemId>,
    /// The user's variables by name.
    pub(in crate::emit) variables: FxHashMap<&'a str, Vec<VarId>>,
    /// Objects that live in a region, by name.
    pub(in crate::emit) locals: FxHashMap<&'a str, Vec<ObjectId>>,
    /// Variables that something beside the source's own statements reads where they may have no value yet.
    pub(in crate::emit) unset: FxHashSet<VarId>,
    /// Pointers that are subscripted.
    pub(in crate::emit) arrays: FxHashSet<VarId>,
    /// In a reverse sweep, definitions of values that nothing printed names: only outermost extents of places do, which
    /// say nothing about where an element lies.
    pub(in crate::emit) idle: FxHashSet<ItemId>,
}

impl<'a> Index<'a> {
    pub(in crate::emit) fn new(proc: &'a Proc) -> Index<'a> {
        let (mut read, mut readers, mut declaring) = (FxHashSet::default(), FxHashMap::default(), FxHashMap::default());
        for item in proc.items.ids() {
            if let ItemKind::DeclareVar { var } = proc.items[item].kind {
                declaring.entry(var).or_insert(item);
            }
            walk::values_of_item(proc, item, &mut |value| {
                read.insert(value);
            });
        }
        let (mut naming, mut declared, mut lets) =
            (FxHashMap::<_, Vec<_>>::default(), FxHashSet::default(), FxHashMap::default());
        for &item in proc.regions.iter().flat_map(|region| &region.items) {
            let mut own = FxHashSet::default();
            walk::values_of_item(proc, item, &mut |value| {
                own.insert(value);
            });
            own.into_iter().for_each(|value| *readers.entry(value).or_default() += 1);
            tidy::named(proc, item, &mut |object| naming.entry(object).or_default().push(item));
            if let ItemKind::Declare { object } = proc.items[item].kind {
                declared.insert(object);
            } else if let ItemKind::Let { value } = proc.items[item].kind {
                lets.insert(value, item);
            }
        }
        let mut variables = FxHashMap::<&str, Vec<VarId>>::default();
        for (at, var) in proc.vars.iter().enumerate().filter(|(_, var)| var.kind == VarKind::User) {
            variables.entry(&var.name).or_default().push(VarId::new(at));
        }
        let mut locals = FxHashMap::<&str, Vec<ObjectId>>::default();
        let local = |object: &&Object| matches!(object.life, Life::Region(_));
        for (at, object) in proc.objects.iter().enumerate().filter(|(_, object)| local(object)) {
            locals.entry(&object.name).or_default().push(ObjectId::new(at));
        }
        let (unset, arrays, idle) = (unset(proc), arrays(proc), idle(proc, &lets));
        Index { read, readers, lets, naming, declared, declaring, variables, locals, unset, arrays, idle }
    }
}

/// See [`Index::idle`]; `lets`: the item that defines each value.
fn idle(proc: &Proc, lets: &FxHashMap<ValueId, ItemId>) -> FxHashSet<ItemId> {
    if proc.role != Role::Reverse {
        return FxHashSet::default();
    }
    // For each value, how often it is mentioned, less how often in an outermost extent.
    let mut printed = FxHashMap::<ValueId, i64>::default();
    let mut outermost = FxHashSet::default();
    if let Some(result) = &proc.result {
        walk::values(result, &mut |value| *printed.entry(value).or_default() += 1);
    }
    for &item in proc.regions.iter().flat_map(|region| &region.items) {
        walk::values_of_item(proc, item, &mut |value| *printed.entry(value).or_default() += 1);
        extents(proc, item, &mut |value| *printed.entry(value).or_default() += 1);
        outer_extents(proc, item, &mut |value| {
            *printed.entry(value).or_default() -= 1;
            outermost.insert(value);
        });
    }
    let (mut found, mut open) = (FxHashSet::default(), outermost.into_iter().collect::<Vec<_>>());
    while let Some(value) = open.pop() {
        if printed[&value] == 0
            && let Some(&item) = lets.get(&value)
            && found.insert(item)
        {
            // What a definition that goes mentions is mentioned once less.
            walk::values_of_item(proc, item, &mut |value| {
                *printed.entry(value).or_default() -= 1;
                open.push(value);
            });
        }
    }
    found
}

/// The values in the extents of the object that an item declares, allocates or clears.
fn extents(proc: &Proc, item: ItemId, see: &mut dyn FnMut(ValueId)) {
    if let ItemKind::Declare { object }
    | ItemKind::Alloc { object, .. }
    | ItemKind::Sweep(SweepItem::Clear { object }) = proc.items[item].kind
    {
        let bounds = proc.objects[object].shape.iter().map(|dim| &dim.extent);
        bounds.flatten().for_each(|bound| walk::values(bound, see));
    }
}

/// The values in the outermost extents of the places in an item.
fn outer_extents(proc: &Proc, item: ItemId, see: &mut dyn FnMut(ValueId)) {
    walk::places_of_item(proc, item, &mut |place| {
        for step in &place.path {
            if let Step::Index(subscripts) = step
                && let Some(extent) = subscripts.first().and_then(|first| first.dim.extent.as_deref())
            {
                walk::values(extent, see);
            }
        }
    });
}

fn unset(proc: &Proc) -> FxHashSet<VarId> {
    let undefined = undefined(proc);
    let mut found = FxHashSet::default();
    for &item in proc.regions.iter().flat_map(|region| &region.items) {
        if proc.items[item].statement.is_none() {
            walk::values_of_item(proc, item, &mut |value| {
                if undefined.contains(&value) {
                    found.insert(proc.values[value].var);
                }
            });
        }
    }
    found
}

/// The values that may come from that of a variable that has none yet.
fn undefined(proc: &Proc) -> FxHashSet<ValueId> {
    let mut merged_into = FxHashMap::<ValueId, Vec<ValueId>>::default();
    let mut open = Vec::new();
    for value in proc.values.ids() {
        let def = &proc.values[value].def;
        if *def == Def::Undefined {
            open.push(value);
        }
        for from in proc.merged(def).into_iter().flatten() {
            merged_into.entry(from).or_default().push(value);
        }
    }
    let mut found: FxHashSet<ValueId> = open.iter().copied().collect();
    while let Some(value) = open.pop() {
        let more = merged_into.get(&value).into_iter().flatten();
        open.extend(more.copied().filter(|value| found.insert(*value)));
    }
    found
}

/// Pointers that some subscript other than 0 goes with.
fn arrays(proc: &Proc) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    for item in proc.items.ids() {
        walk::places_of_item(proc, item, &mut |place| {
            if let (Base::At(pointer), Some(Step::Index(subscripts))) = (&place.base, place.path.first())
                && let (ExprKind::Value(value), Some(first)) = (&pointer.kind, subscripts.first())
                && first.at.kind != ExprKind::Int(0)
            {
                found.insert(proc.values[*value].var);
            }
        });
    }
    found
}
