//! Numbers of one type that go on the tape one after the other: one record, so one comparison for all of them.
//!
//! ```text
//!   push a[i]; a[i] = x; push a[j]; a[j] = y;      was = a[i]; a[i] = x;
//!                                                  push record {was, a[j]}; a[j] = y;
//! ```
//!
//! The last push of a region takes those in front of it along, as long as nothing between them uses the tape. In the
//! reverse sweep the first pop brings all of them, and each goes where it belongs at its own time. Pops mirror pushes,
//! so both sweeps find the same records. Where passes run again, one sweep alone uses the tape: there only pushes that
//! stand side by side go together.

use crate::ir::*;
use rustc_hash::FxHashMap;

/// Numbers of a record at most: they stay in registers or near them until the last one is there.
const LARGEST: usize = 16;

/// What the type of a number is called on the tape.
pub(in crate::emit) type Suffix = fn(&Type) -> Option<&'static str>;

/// The records of a procedure.
#[derive(Default)]
pub(in crate::emit) struct Records {
    pub(in crate::emit) all: Vec<Record>,
    /// By push or pop: its record, and its position there.
    pub(in crate::emit) parts: FxHashMap<ItemId, (usize, usize)>,
    /// Names of what waits for the last push, and of what the first pop brings.
    pub(in crate::emit) names: FxHashMap<ItemId, String>,
}

/// Numbers that go on the tape together.
pub(in crate::emit) struct Record {
    /// Pushes or pops, in the order of the region.
    pub(in crate::emit) items: Vec<ItemId>,
    /// From where on they stand side by side: these need no names in front of a push.
    pub(in crate::emit) side: usize,
}

impl Records {
    /// `bridged`: whether items may stand between two pushes.
    ///
    /// `suffix`: the type that a number has on the tape; none for what goes there alone.
    pub(in crate::emit) fn new(proc: &Proc, bridged: bool, suffix: Suffix) -> Records {
        let mut records = Records::default();
        let positions = proc.positions();
        let on_tape = proc.holding(|item| uses_tape(proc, item), |_| false);
        for region in &proc.regions {
            let mut open: Vec<ItemId> = Vec::new();
            for &item in &region.items {
                let this = number(proc, item, suffix);
                let goes_on = open.first().is_some_and(|first| this.is_some() && number(proc, *first, suffix) == this);
                if !goes_on && (!bridged || on_tape[item.index()]) {
                    records.close(proc, std::mem::take(&mut open), &positions);
                }
                open.extend(this.map(|_| item));
            }
            records.close(proc, open, &positions);
        }
        records
    }

    /// Notes the records of pushes, or of pops, that follow each other. Both sweeps count from the first push on, which
    /// the last pop mirrors.
    fn close(&mut self, proc: &Proc, items: Vec<ItemId>, positions: &[Option<(RegionId, usize)>]) {
        let Some(first) = items.first() else { return };
        let parts: Vec<&[ItemId]> = if let ItemKind::Sweep(SweepItem::Push { .. }) = proc.items[*first].kind {
            items.chunks(LARGEST).collect()
        } else {
            items.rchunks(LARGEST).collect()
        };
        for items in parts.into_iter().filter(|items| items.len() > 1) {
            let at = |item: &ItemId| positions[item.index()].map(|(_, at)| at);
            let apart = |pair: &[ItemId]| at(&pair[0]).map(|at| at + 1) != at(&pair[1]);
            let side = items.windows(2).rposition(apart).map_or(0, |last| last + 1);
            self.parts.extend(items.iter().enumerate().map(|(k, item)| (*item, (self.all.len(), k))));
            self.all.push(Record { items: items.to_vec(), side });
        }
    }
}

/// What a push or a pop of a number is, and how it goes on the tape, if the tape has that very type.
fn number(proc: &Proc, item: ItemId, suffix: Suffix) -> Option<(bool, &'static str)> {
    let ItemKind::Sweep(item) = &proc.items[item].kind else { return None };
    let (is_push, ty) = if let SweepItem::Push { what: Pushed::Value(value) } = item {
        (true, &value.ty)
    } else if let SweepItem::Pop { what: Popped::Value(value) } = item {
        (false, proc.type_of(*value))
    } else if let SweepItem::Pop { what: Popped::Memory(place) } = item {
        (false, &place.ty)
    } else {
        return None;
    };
    suffix(ty).map(|suffix| (is_push, suffix))
}

/// Whether an item uses the tape by itself.
fn uses_tape(proc: &Proc, item: ItemId) -> bool {
    let kind = &proc.items[item].kind;
    let on_tape = matches!(
        kind,
        ItemKind::Sweep(
            SweepItem::Push { .. }
                | SweepItem::Pop { .. }
                | SweepItem::Release { .. }
                | SweepItem::Undo { .. }
                | SweepItem::Snapshot(_)
                | SweepItem::Rehearsal { .. }
        ) | ItemKind::Call { callee: Callee::Sweep(..), .. }
    );
    let is_stable = matches!(kind, ItemKind::Alloc { object, .. } if proc.objects[*object].life == Life::Stable);
    on_tape || is_stable || kind.resizes()
}
