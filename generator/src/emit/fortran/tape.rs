//! Pushes and pops.

use super::expr::is_truth;
use super::place::Block;
use super::state::Body;
use super::words::{bind, is_logical, type_text};
use crate::ir::*;

impl Body<'_> {
    /// Writes a push.
    pub fn push(&mut self, what: &Pushed) {
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
        match self.elements(place, count) {
            Block::Whole(name, _) => format!("call {}({name})", self.tape(call)),
            Block::Column { name, range: [first, last], others } => {
                let at: Vec<String> = std::iter::once(format!("{first}:{last}")).chain(others).collect();
                format!("call {}({name}({}))", self.tape(call), at.join(", "))
            }
            Block::Beyond(first) => {
                let suffix = match type_text(&place.ty).as_str() {
                    "real(4)" => "r4",
                    "real(8)" => "r8",
                    "integer(8)" => "i8",
                    "integer(4)" => "i4",
                    "logical" => "l4",
                    _ => return self.problem("a block of small integers"),
                };
                let helper = self.unit.helper(&format!("{call}_elements_{suffix}")).unwrap_or_default();
                format!("call {helper}({first}, int({}))", self.number(count, bind::ANY))
            }
        }
    }

    /// Pops a truth value: the last statement that this takes.
    pub fn pop_truth(&mut self, name: &str, bits: u8) -> String {
        let control = self.taken.fresh("control");
        self.extra.insert(("integer(4)".into(), control.clone()));
        let text = format!("call {}({control}, {bits})", self.tape("pop_control"));
        self.statement(&text);
        format!("{name} = {control} /= 0")
    }

    /// Writes a pop.
    pub fn pop(&mut self, what: &Popped) {
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
