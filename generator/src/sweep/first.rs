//! What is added to a scalar's adjoint first is what it begins with: no zero, and no addition to it.

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

use super::tidy::named;
use crate::ir::*;

/// Moves the declaration of each scalar that begins as 0 to the first item of its region that mentions it, if that adds
/// to it, and makes the sum an assignment.
pub fn begin_with_first(proc: &mut Proc) {
    for region in proc.regions.ids() {
        let items = std::mem::take(&mut proc.regions[region].items);
        let mut waiting = zeroed(proc, &items);
        let pairs: BTreeSet<usize> = waiting.values().flat_map(|pair| [*pair, pair + 1]).collect();
        let mut firsts: FxHashMap<usize, (ItemId, usize)> = FxHashMap::default();
        for (at, &item) in items.iter().enumerate() {
            if waiting.is_empty() {
                break;
            }
            if pairs.contains(&at) {
                continue;
            }
            let mut mentioned = BTreeSet::new();
            mentions(proc, item, &mut mentioned);
            for object in mentioned {
                if let Some(pair) = waiting.remove(&object)
                    && adds_to(proc, item, object)
                {
                    firsts.insert(at, (items[pair], pair));
                }
            }
        }
        let gone: BTreeSet<usize> = firsts.values().flat_map(|(_, pair)| [*pair, pair + 1]).collect();
        let mut kept = Vec::with_capacity(items.len());
        for (at, &item) in items.iter().enumerate().filter(|(at, _)| !gone.contains(at)) {
            if let Some((declaration, _)) = firsts.get(&at) {
                kept.push(*declaration);
                let Item { span, statement, .. } = proc.items[item];
                (proc.items[*declaration].span, proc.items[*declaration].statement) = (span, statement);
                let kind = &mut proc.items[item].kind;
                if let ItemKind::Sweep(SweepItem::Accumulate { to, from }) = kind {
                    *kind = ItemKind::Store { to: to.clone(), from: from.clone() };
                }
            }
            kept.push(item);
        }
        proc.regions[region].items = kept;
    }
}

/// Scalars that are declared and set to 0 at once, with the position of the declaration.
fn zeroed(proc: &Proc, items: &[ItemId]) -> FxHashMap<ObjectId, usize> {
    let pair = |(at, pair): (usize, &[ItemId])| {
        let ItemKind::Declare { object } = proc.items[pair[0]].kind else { return None };
        let ItemKind::Store { to, from } = &proc.items[pair[1]].kind else { return None };
        let is_float = matches!(to.ty, Type::Float { .. });
        (is_float && is_scalar(to, object) && *from == zero(&to.ty)).then_some((object, at))
    };
    items.windows(2).enumerate().filter_map(pair).collect()
}

fn is_scalar(place: &Place, object: ObjectId) -> bool {
    place.base == Base::Object(object) && place.path.is_empty()
}

/// Whether the item adds something to a scalar that does not read it.
fn adds_to(proc: &Proc, item: ItemId, object: ObjectId) -> bool {
    let ItemKind::Sweep(SweepItem::Accumulate { to, from }) = &proc.items[item].kind else { return false };
    let mut reads = false;
    walk::expressions(from, &mut |e| {
        if let ExprKind::Load(place) | ExprKind::Address(place) = &e.kind {
            reads |= place.base == Base::Object(object);
        }
    });
    is_scalar(to, object) && !reads
}

/// The objects that an item names, and those that items inside it name.
fn mentions(proc: &Proc, item: ItemId, seen: &mut BTreeSet<ObjectId>) {
    named(proc, item, &mut |object| {
        seen.insert(object);
    });
    for region in proc.items[item].kind.regions() {
        for &inner in &proc.regions[region].items {
            mentions(proc, inner, seen);
        }
    }
}
