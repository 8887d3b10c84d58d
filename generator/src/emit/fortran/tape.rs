//! Pushes and pops.

use super::expr::is_truth;
use super::place::Block;
use super::state::Body;
use super::words::{bind, is_logical, suffix, type_text};
use crate::emit::body::Record;
use crate::ir::*;

impl Body<'_> {
    /// Writes a push.
    pub fn push(&mut self, item: ItemId, what: &Pushed) {
        if let Pushed::Value(value) = what
            && self.push_in_record(item, value)
        {
            return;
        }
        if let Pushed::Elements { place, count } = what
            && place.ty.as_struct().is_some()
        {
            return self.whole(place, count, false);
        }
        let text = match what {
            Pushed::Value(value) if is_truth(value) => {
                format!("call {}({}, 1)", self.tape("push_control"), self.number(value, bind::ANY))
            }
            Pushed::Value(value) => format!("call {}({})", self.tape("push"), self.number(value, bind::ANY)),
            Pushed::Bits { value, bits } => {
                format!("call {}({}, {bits})", self.tape("push_control"), self.number(value, bind::ANY))
            }
            Pushed::Count(value) => format!("call {}({})", self.tape("push_count"), self.number(value, bind::ANY)),
            Pushed::Elements { place, count } => self.block("push", place, count),
            Pushed::Pointer { .. } => self.problem("a pointer on the tape"),
        };
        self.statement(&text);
    }

    /// A call with so many elements from a place on.
    fn block(&self, call: &'static str, place: &Place, count: &Expr) -> String {
        let first = match self.elements(place, count) {
            Block::Whole(name, 0) => return format!("call {}({name})", self.tape(call)),
            Block::Whole(name, _) => name,
            Block::Column { name, range: [first, last], others } => {
                let at: Vec<String> = std::iter::once(format!("{first}:{last}")).chain(others).collect();
                format!("{name}({})", at.join(", "))
            }
            Block::Beyond(first) => first,
        };
        let suffix = if is_logical(&place.ty) { Some("l4") } else { suffix(&place.ty) };
        let helper = suffix.and_then(|suffix| self.unit.helper(&format!("{call}_elements_{suffix}")));
        let Some(helper) = helper else { return self.problem("a block of small integers") };
        format!("call {helper}({first}, int({}, 8))", self.number(count, bind::ANY))
    }

    /// Pops a truth value: the last statement that this takes.
    pub fn pop_truth(&mut self, name: &str, bits: u8) -> String {
        let control = self.taken.fresh("control");
        self.extra.insert(("integer(4)".into(), control.clone()));
        let text = format!("call {}({control}, {bits})", self.tape("pop_control"));
        self.statement(&text);
        format!("{name} = {control} /= 0")
    }

    /// Writes the push of a number that goes on the tape in a record: its old value gets a name, or the record with it
    /// goes on the tape. Whether it is one.
    fn push_in_record(&mut self, item: ItemId, value: &Expr) -> bool {
        let Some(&(record, at)) = self.records.parts.get(&item) else { return false };
        let Record { items, side } = &self.records.all[record];
        let (items, side) = (items.clone(), *side);
        let ty = type_text(&value.ty);
        if at + 1 < items.len() {
            if at < side {
                let name = self.taken.fresh("was");
                self.extra.insert((ty, name.clone()));
                self.records.names.insert(item, name.clone());
                let text = self.number(value, bind::ANY);
                self.statement(&format!("{name} = {text}"));
            }
            return true;
        }
        let values = items.iter().map(|item| {
            if let Some(name) = self.records.names.get(item) {
                return name.clone();
            }
            let push = &self.proc.items[*item].kind;
            let ItemKind::Sweep(SweepItem::Push { what: Pushed::Value(value) }) = push else { return String::new() };
            self.number(value, bind::ANY)
        });
        let list = format!("[{ty} :: {}]", values.collect::<Vec<_>>().join(", "));
        self.elements_call("push", &value.ty, &list, &format!("{}_8", items.len()));
        true
    }

    /// Brings a record from the tape with the first of its pops. The number that a pop is about, if it is in a record.
    fn pop_from_record(&mut self, item: ItemId, ty: &Type) -> Option<String> {
        let &(record, at) = self.records.parts.get(&item)?;
        let (first, count) = (self.records.all[record].items[0], self.records.all[record].items.len());
        if at == 0 {
            let name = self.taken.fresh("record");
            self.extra.insert((type_text(ty), format!("{name}({count})")));
            self.elements_call("pop", ty, &name, &format!("{count}_8"));
            self.records.names.insert(first, name);
        }
        let name = self.records.names.get(&first)?;
        Some(format!("{name}({})", count - at))
    }

    /// Writes the call for so many values of one type from an address on.
    fn elements_call(&mut self, call: &str, ty: &Type, first: &str, count: &str) {
        let known = suffix(ty).and_then(|suffix| self.unit.helper(&format!("{call}_elements_{suffix}")));
        let helper = known.map_or_else(|| self.problem("a record of this type"), str::to_string);
        self.statement(&format!("call {helper}({first}, {count})"));
    }

    /// Writes a pop.
    pub fn pop(&mut self, item: ItemId, what: &Popped) {
        let from_record = match what {
            Popped::Value(value) => {
                self.pop_from_record(item, &self.ty(*value).clone()).map(|number| (self.value(*value), number))
            }
            Popped::Memory(place) => self.pop_from_record(item, &place.ty).map(|number| (self.place(place), number)),
            Popped::Bits { .. } | Popped::Count(_) | Popped::Elements { .. } | Popped::Pointer { .. } => None,
        };
        if let Some((to, number)) = from_record {
            return self.statement(&format!("{to} = {number}"));
        }
        if let Popped::Elements { place, count } = what
            && place.ty.as_struct().is_some()
        {
            return self.whole(place, count, true);
        }
        let text = match what {
            Popped::Value(value) if is_logical(self.ty(*value)) => {
                let name = self.value(*value);
                self.pop_truth(&name, 1)
            }
            Popped::Value(value) => format!("call {}({})", self.tape("pop"), self.value(*value)),
            Popped::Memory(place) if is_logical(&place.ty) => {
                let name = self.place(place);
                self.pop_truth(&name, 1)
            }
            Popped::Memory(place) => format!("call {}({})", self.tape("pop"), self.place(place)),
            Popped::Bits { value, bits } if is_logical(self.ty(*value)) => {
                let name = self.value(*value);
                self.pop_truth(&name, *bits)
            }
            Popped::Bits { value, bits } => {
                format!("call {}({}, {bits})", self.tape("pop_control"), self.value(*value))
            }
            Popped::Count(value) => format!("call {}({})", self.tape("pop_count"), self.value(*value)),
            Popped::Elements { place, count } => self.block("pop", place, count),
            Popped::Pointer { .. } => self.problem("a pointer on the tape"),
        };
        self.statement(&text);
    }
}
