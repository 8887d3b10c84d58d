//! Removes from a sweep what nothing uses: values that have no effect, locals that are only declared.

use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

use super::dead;
use crate::ir::parts::{PartMut, parts_mut, parts_of_dim_mut, parts_of_item_mut, parts_of_place_mut};
use crate::ir::*;

/// Removes values that have no effect, what does nothing, and objects that nobody reads. Returns the pops that went.
pub fn tidy(proc: &mut Proc) -> BTreeSet<ItemId> {
    let mut gone = BTreeSet::new();
    loop {
        gone.extend(dead::remove(proc, dead::Extent::All));
        if !retain_items(proc, needed) {
            return gone;
        }
    }
}

/// Removes from a sweep that follows the user's statements the values that have no effect, and locals that are only set.
pub fn tidy_values(proc: &mut Proc) {
    loop {
        dead::remove(proc, dead::Extent::Values);
        let may_go = |kind: &ItemKind| {
            let clears = matches!(kind, ItemKind::Sweep(SweepItem::Clear { .. }));
            clears || matches!(kind, ItemKind::Declare { .. } | ItemKind::Store { .. })
        };
        let kept = |proc: &Proc, item: ItemId, used: &BTreeSet<ObjectId>| {
            !may_go(&proc.items[item].kind) || needed(proc, item, used)
        };
        if !retain_items(proc, kept) {
            return;
        }
    }
}

/// Keeps the items that are needed beside the objects that something reads. Whether any went.
fn retain_items(proc: &mut Proc, needed: impl Fn(&Proc, ItemId, &BTreeSet<ObjectId>) -> bool) -> bool {
    let objects = objects_used(proc);
    let mut changed = false;
    for at in proc.regions.ids() {
        let mut items = std::mem::take(&mut proc.regions[at].items);
        let before = items.len();
        items.retain(|item| needed(proc, *item, &objects));
        changed |= items.len() != before;
        proc.regions[at].items = items;
    }
    changed
}

fn needed(proc: &Proc, item: ItemId, objects: &BTreeSet<ObjectId>) -> bool {
    let kind = &proc.items[item].kind;
    if let ItemKind::Declare { object }
    | ItemKind::Sweep(SweepItem::Clear { object })
    | ItemKind::Alloc { object, .. } = kind
    {
        objects.contains(object)
    } else if let ItemKind::Free { pointer } = kind {
        match &pointer.kind {
            ExprKind::Address(place) => place.base.object().is_none_or(|object| objects.contains(&object)),
            _ => true,
        }
    } else if let ItemKind::Store { to: Place { base: Base::Object(object), .. }, .. } = kind {
        objects.contains(object)
    } else {
        true
    }
}

/// The values that some item reads.
pub fn values_used(proc: &Proc) -> FxHashSet<ValueId> {
    let mut used = FxHashSet::default();
    for_each_item(proc, &mut |item| {
        walk::values_of_item(proc, item, &mut |value| {
            used.insert(value);
        });
        walk::values_of_extents(proc, item, &mut |value| {
            used.insert(value);
        });
    });
    if let Some(result) = &proc.result {
        walk::values(result, &mut |value| {
            used.insert(value);
        });
    }
    used
}

/// The objects that something reads, or adds to, or whose address is taken: declaring, clearing, setting and freeing
/// alone are no use.
pub fn objects_used(proc: &Proc) -> BTreeSet<ObjectId> {
    let mut used: BTreeSet<ObjectId> = proc.result_object.into_iter().collect();
    let mut base = |place: &Place| {
        if let Base::Object(object) = place.base {
            used.insert(object);
        }
    };
    if let Some(result) = &proc.result {
        walk::expressions(result, &mut |e: &Expr| {
            if let ExprKind::Load(place) | ExprKind::Address(place) = &e.kind {
                base(place);
            }
        });
    }
    for_each_item(proc, &mut |item| {
        let kind = &proc.items[item].kind;
        let names =
            |pointer: &Expr| matches!(&pointer.kind, ExprKind::Address(place) if matches!(place.base, Base::Object(_)));
        if matches!(kind, ItemKind::Free { pointer } if names(pointer)) {
            return;
        }
        // A store alone, or a note of where an adjoint lies, uses no object.
        let only_mentions = matches!(kind, ItemKind::Store { .. } | ItemKind::Sweep(SweepItem::Shadowed { .. }));
        walk::operands(proc, item, &mut |operand| match operand {
            Ok(expr) => walk::expressions(expr, &mut |e: &Expr| {
                if let ExprKind::Load(place) | ExprKind::Address(place) = &e.kind {
                    base(place);
                }
            }),
            Err(place) => {
                walk::in_place(place, &mut |e: &Expr| {
                    if let ExprKind::Load(place) | ExprKind::Address(place) = &e.kind {
                        base(place);
                    }
                });
                if !only_mentions {
                    base(place);
                }
            }
        });
    });
    used
}

fn for_each_item(proc: &Proc, see: &mut dyn FnMut(ItemId)) {
    for region in &proc.regions {
        region.items.iter().for_each(|item| see(*item));
    }
}

/// Drops items that stand in no region, values without a definition that anybody reads, and objects that nothing names.
/// Returns the new numbers of items, objects and values.
pub fn compact(proc: &mut Proc) -> [Vec<Option<u32>>; 3] {
    let mut kept = vec![false; proc.items.len()];
    for region in reachable(proc) {
        proc.regions[region].items.iter().for_each(|item| kept[item.index()] = true);
    }
    let used = values_used(proc);
    let defined = |def: &Def| match def {
        Def::Join(item, _) | Def::Head(item, _) | Def::Out(item, _) | Def::Result(item) | Def::Popped(item) => {
            kept[item.index()]
        }
        Def::Entry(_) => true,
        Def::Is(_) | Def::Undefined => false,
    };
    let mut values: Vec<bool> =
        proc.values.ids().map(|at| used.contains(&at) || defined(&proc.values[at].def)).collect();
    for (item, _) in proc.items.iter().zip(&kept).filter(|(_, kept)| **kept) {
        if let ItemKind::Let { value } = item.kind {
            values[value.index()] = true;
        }
    }
    let mut objects = vec![false; proc.objects.len()];
    let mut see = |object: ObjectId| objects[object.index()] = true;
    for at in (0..proc.items.len()).filter(|at| kept[*at]) {
        named(proc, ItemId::new(at), &mut see);
    }
    proc.params.iter().filter_map(|param| param.object).for_each(&mut see);
    let regions = reachable(proc);
    let to = Renumbered {
        items: numbers(&kept),
        values: numbers(&values),
        objects: numbers(&objects),
        regions: numbers(&(0..proc.regions.len()).map(|at| regions.contains(&RegionId::new(at))).collect::<Vec<_>>()),
    };
    to.apply(proc);
    proc.shrink();
    [to.items, to.objects, to.values]
}

fn reachable(proc: &Proc) -> BTreeSet<RegionId> {
    let (mut seen, mut stack) = (BTreeSet::new(), vec![RegionId(0)]);
    while let Some(region) = stack.pop() {
        if seen.insert(region) {
            for item in &proc.regions[region].items {
                stack.extend(proc.items[*item].kind.regions());
            }
        }
    }
    seen
}

/// Calls `see` on every object that an item names.
pub fn named(proc: &Proc, item: ItemId, see: &mut dyn FnMut(ObjectId)) {
    let mut base = |place: &Place| {
        if let Base::Object(object) = place.base {
            see(object);
        }
    };
    let mut inside = |e: &Expr| {
        if let ExprKind::Load(place) | ExprKind::Address(place) = &e.kind {
            base(place);
        }
    };
    walk::operands(proc, item, &mut |operand| match operand {
        Ok(expr) => walk::expressions(expr, &mut inside),
        Err(place) => {
            walk::in_place(place, &mut inside);
            inside(&Expr::load(place.clone()));
        }
    });
    if let ItemKind::Declare { object }
    | ItemKind::Sweep(SweepItem::Clear { object })
    | ItemKind::Alloc { object, .. } = proc.items[item].kind
    {
        see(object);
    }
}

/// New numbers of what is kept.
fn numbers(kept: &[bool]) -> Vec<Option<u32>> {
    let mut next = 0;
    kept.iter()
        .map(|keep| {
            keep.then(|| {
                next += 1;
                next - 1
            })
        })
        .collect()
}

struct Renumbered {
    items: Vec<Option<u32>>,
    values: Vec<Option<u32>>,
    objects: Vec<Option<u32>>,
    regions: Vec<Option<u32>>,
}

impl Renumbered {
    fn item(&self, id: &mut ItemId) {
        id.0 = self.items[id.index()].expect("what is kept names what is kept");
    }

    fn value(&self, id: &mut ValueId) {
        id.0 = self.values[id.index()].expect("what is kept names what is kept");
    }

    fn object(&self, id: &mut ObjectId) {
        id.0 = self.objects[id.index()].expect("what is kept names what is kept");
    }

    fn region(&self, id: &mut RegionId) {
        id.0 = self.regions[id.index()].expect("what is kept names what is kept");
    }

    fn expr(&self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Value(v) => self.value(v),
            ExprKind::Load(place) | ExprKind::Address(place) => self.place(place),
            _ => parts_mut(expr, &mut |x| self.expr(x)),
        }
    }

    fn place(&self, place: &mut Place) {
        if let Base::Object(object) = &mut place.base {
            self.object(object);
        }
        parts_of_place_mut(place, &mut |x| self.expr(x));
    }

    fn apply(&self, proc: &mut Proc) {
        retain(&mut proc.items, &self.items);
        retain(&mut proc.values, &self.values);
        retain(&mut proc.objects, &self.objects);
        retain(&mut proc.regions, &self.regions);
        for region in &mut proc.regions {
            if let Some((region, item)) = &mut region.parent {
                self.region(region);
                self.item(item);
            }
            region.items.iter_mut().for_each(|item| self.item(item));
        }
        for value in &mut proc.values {
            self.region(&mut value.region);
            match &mut value.def {
                Def::Is(expr) => self.expr(expr),
                Def::Join(item, _) | Def::Head(item, _) | Def::Out(item, _) | Def::Result(item) | Def::Popped(item) => {
                    self.item(item);
                }
                Def::Entry(_) | Def::Undefined => {}
            }
        }
        for object in &mut proc.objects {
            object.shape.iter_mut().for_each(|dim| parts_of_dim_mut(dim, &mut |bound| self.expr(bound)));
            if let Life::Region(region) = &mut object.life {
                self.region(region);
            }
        }
        for param in &mut proc.params {
            param.entry.iter_mut().for_each(|value| self.value(value));
            param.object.iter_mut().for_each(|object| self.object(object));
        }
        for item in &mut proc.items {
            parts_of_item_mut(&mut item.kind, &mut |part| match part {
                PartMut::Expr(expr) => self.expr(expr),
                PartMut::Read(place) | PartMut::Written(place) => self.place(place),
                PartMut::Used(value) | PartMut::Defined(value) => self.value(value),
                PartMut::Object(object) => self.object(object),
                PartMut::Region(region) => self.region(region),
                PartMut::Var(_) => {}
            });
        }
    }
}

fn retain<T>(all: &mut Vec<T>, kept: &[Option<u32>]) {
    let mut kept = kept.iter();
    all.retain(|_| kept.next().is_some_and(Option::is_some));
}
