//! The way to the head of a pass that runs again from a snapshot: see [`super::snapshots`].

use super::given::Given;
use super::merge::{Equals, Merge, Pass, WayBack, is};
use crate::ir::*;

/// Whether a loop of the reverse sweep runs passes on the way to another one.
pub(super) fn is_advance(r: &Proc, item: ItemId) -> bool {
    let ItemKind::Loop { body, .. } = r.items[item].kind else { return false };
    let last = r.regions[body].items.last();
    last.is_some_and(
        |last| matches!(&r.items[*last].kind, ItemKind::Sweep(SweepItem::Snapshot(snapshot)) if snapshot.at == SnapshotAt::Next),
    )
}

pub(super) fn snapshot(proc: &Proc, item: ItemId) -> Option<&Snapshot> {
    let ItemKind::Sweep(SweepItem::Snapshot(snapshot)) = &proc.items[item].kind else { return None };
    Some(snapshot)
}

/// The way to the head of a pass, if the loop keeps snapshots; an error if the passes on it do something else, or if
/// snapshots have other parts than were kept.
pub(super) fn way_back(
    f: &Proc,
    (r, given, equals): (&Proc, &Given, &Equals),
    of: ItemId,
    own: RegionId,
) -> Result<Option<WayBack>, ()> {
    let ItemKind::Loop { body, carried, .. } = &f.items[of].kind else { return Err(()) };
    let idle = |item: &&ItemId| {
        !matches!(f.items[**item].kind, ItemKind::DeclareVar { .. } | ItemKind::Sweep(SweepItem::Nothing))
    };
    let inside = &f.regions[*body].items;
    let all: Vec<ItemId> = inside.iter().copied().filter(|item| snapshot(f, *item).is_some()).collect();
    let own_items = &r.regions[own].items;
    let firsts: Vec<ItemId> = own_items.iter().copied().filter(|item| snapshot(r, *item).is_some()).collect();
    let advances: Vec<ItemId> = own_items.iter().copied().filter(|item| is_advance(r, *item)).collect();
    let (head, first, advance) = match (&all[..], &firsts[..], &advances[..]) {
        ([], [], []) => return Ok(None),
        ([head], [first], [advance]) => (*head, *first, *advance),
        _ => return Err(()),
    };
    is(inside.iter().find(idle) == Some(&head))?;
    let (Some(kept), Some(begins)) = (snapshot(f, head), snapshot(r, first)) else { return Err(()) };
    let ItemKind::Loop { test, at: TestAt::Before, body: way, carried: own_carried } = &r.items[advance].kind else {
        return Err(());
    };
    let items = &r.regions[*way].items;
    let (Some(goes_on), copy) = (snapshot(r, *items.last().ok_or(())?), &items[..items.len() - 1]) else {
        return Err(());
    };
    is(matches!(kept.at, SnapshotAt::Head { .. }) && begins.at == SnapshotAt::First && begins.from.is_empty())?;
    is(begins.memory == goes_on.memory && begins.memory.len() == kept.memory.len())?;
    let variables = kept.from.len();
    is(begins.among == goes_on.among && begins.among.len() == variables && kept.among.len() == variables)?;
    is(begins.to.len() == variables && goes_on.from.len() == variables && goes_on.to.len() == variables)?;
    // The passes go on as long as the library says.
    let more = own_carried.iter().find(|each| Some(each.init) == begins.more).ok_or(())?;
    let zero = |expr: &Expr| expr.kind == ExprKind::Int(0);
    let asks = |expr: &Expr| expr.kind == ExprKind::Value(more.head);
    is(Some(more.end) == goes_on.more)?;
    is(matches!(&test.kind, ExprKind::Binary(Binary::NotEqual, a, b) if asks(a) && zero(b)))?;
    let mut passes = f.clone();
    let mut merge = Merge::new(&mut passes, (r, given, equals), Pass::default());
    let mut heads = Vec::new();
    for each in own_carried.iter().filter(|each| each.head != more.head) {
        let k = begins.to.iter().position(|value| *value == each.init).ok_or(())?;
        let ExprKind::Value(value) = kept.from[k].kind else { return Err(()) };
        is(carried.iter().any(|of| of.head == value) && each.end == goes_on.to[k])?;
        merge.define(each.head, value)?;
        heads.push((each.out, value));
    }
    merge.region(*body, copy)?;
    for (own, from) in goes_on.from.iter().zip(&kept.from) {
        let (ExprKind::Value(own), ExprKind::Value(value)) = (&own.kind, &from.kind) else { return Err(()) };
        let of = carried.iter().find(|of| of.head == *value).ok_or(())?;
        is(merge.value(*own)? == merge.one_of(of.end))?;
    }
    let Pass { kept, read, .. } = merge.pass;
    Ok(Some(WayBack { head, first, advance, kept, read, heads }))
}
