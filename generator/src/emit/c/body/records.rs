//! Records of numbers on the tape in C: `crate::emit::body::Records` says which.

use super::state::Body;
use crate::emit::body::Record;
use crate::emit::c::calls;
use crate::ir::*;

/// How a number goes on the tape, if the tape has that very type.
pub(super) fn suffix(ty: &Type) -> Option<&'static str> {
    calls::scalar(ty).filter(|scalar| scalar.exact).map(|scalar| scalar.suffix)
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
            ExprKind::Load(place) => match &place.base {
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
