//! Numbers of one type that go on the tape one after the other: one record, so one comparison for all of them.
//!
//! ```text
//!   push a[i]; a[i] = x; push a[j]; a[j] = y;      const double a_was = a[i]; a[i] = x;
//!                                                  push record {a_was, a[j]}; a[j] = y;
//! ```
//!
//! The last push of a region takes those in front of it along, as long as nothing between them uses the tape. In the
//! reverse sweep the first pop brings all of them, and each goes where it belongs at its own time. Pops mirror pushes,
//! so both sweeps find the same records. Where passes run again, one sweep alone uses the tape: there only pushes that
//! stand side by side go together.

use super::state::Body;
use crate::emit::c::body::state::{Record, Records};
use crate::emit::c::calls;
use crate::ir::*;

/// Numbers of a record at most: they stay in registers or near them until the last one is there.
const LARGEST: usize = 16;

impl Records {
    /// `bridged`: whether items may stand between two pushes.
    pub(super) fn new(proc: &Proc, bridged: bool) -> Records {
        let mut records = Records::default();
        let positions = proc.positions();
        let on_tape = proc.holding(|item| uses_tape(proc, item), |_| false);
        for region in &proc.regions {
            let mut open: Vec<ItemId> = Vec::new();
            for &item in &region.items {
                let this = number(proc, item);
                let goes_on = open.first().is_some_and(|first| this.is_some() && number(proc, *first) == this);
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
fn number(proc: &Proc, item: ItemId) -> Option<(bool, &'static str)> {
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
    calls::scalar(ty).filter(|scalar| scalar.exact).map(|scalar| (is_push, scalar.suffix))
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

impl Body<'_> {
    /// Prints the push of a number that goes on the tape in a record: its old value gets a name, or the record with it
    /// goes on the tape. Whether it is one.
    pub(super) fn push_in_record(&mut self, item: ItemId, value: &Expr) -> bool {
        let Some(&(record, at)) = self.records.parts.get(&item) else { return false };
        let Record { items, side } = &self.records.all[record];
        let (items, side) = (items.clone(), *side);
        if at + 1 < items.len() {
            if at < side {
                let name = self.name_in_record(item, &format!("{}_was", self.called(value)));
                let text = format!("{} = {};", self.constant(&value.ty, &name), self.expr(value));
                self.statement(&text);
            }
            return true;
        }
        let Some(scalar) = calls::scalar(&value.ty) else { return false };
        let values = items.iter().map(|item| {
            if let Some(name) = self.records.names.get(item) {
                return name.clone();
            }
            let push = &self.proc.items[*item].kind;
            let ItemKind::Sweep(SweepItem::Push { what: Pushed::Value(value) }) = push else { return String::new() };
            self.exprs.expr(value, 1, self)
        });
        let all = format!("(const {}[]){{{}}}", scalar.c_type, values.collect::<Vec<_>>().join(", "));
        self.statement(&format!("{};", calls::push_record(&self.tape, scalar.suffix, &all, items.len())));
        true
    }

    /// Brings a record from the tape with the first of its pops. The number that a pop is about, if it is in a record.
    pub(super) fn pop_from_record(&mut self, item: ItemId, ty: &Type) -> Option<String> {
        let &(record, at) = self.records.parts.get(&item)?;
        let (first, count) = (self.records.all[record].items[0], self.records.all[record].items.len());
        let name = self.name_in_record(first, "record");
        if at == 0 {
            let declaration = self.exprs.declare(ty, &format!("{name}[{count}]"));
            self.statement(&format!("{declaration};"));
            let suffix = calls::scalar(ty)?.suffix;
            self.statement(&format!("{};", calls::pop_record(&self.tape, suffix, &name, count)));
        }
        Some(format!("{name}[{}]", count - 1 - at))
    }

    fn name_in_record(&mut self, item: ItemId, wish: &str) -> String {
        let (names, locals) = (&mut self.records.names, &mut self.locals);
        names.entry(item).or_insert_with(|| locals.fresh(wish)).clone()
    }

    /// What a number is called after.
    fn called(&self, value: &Expr) -> String {
        match &value.kind {
            ExprKind::Value(value) => self.proc.vars[self.proc.values[*value].var].name.clone(),
            ExprKind::Load(Place { base, .. }) => match base {
                Base::Object(object) => self.proc.objects[*object].name.clone(),
                Base::Global(global) => self.unit.program.globals[*global].name.clone(),
                Base::At(pointer) => match pointer.kind {
                    ExprKind::Value(_) => self.called(pointer),
                    _ => "element".into(),
                },
            },
            _ => "value".into(),
        }
    }
}
