//! Pushes, pops and what `--check` notes, as C.

use super::state::Body;
use crate::emit::c::calls;
use crate::ir::*;

impl<'a> Body<'a> {
    /// Prints a push.
    pub(super) fn push(&mut self, item: ItemId, what: &Pushed) {
        match what {
            Pushed::Value(value) if self.push_in_record(item, value) => {}
            _ => self.push_one(what),
        }
    }

    /// Prints a pop.
    pub(super) fn pop(&mut self, item: ItemId, what: &Popped) {
        match what {
            Popped::Value(value) => {
                if let Some(text) = self.pop_from_record(item, self.ty(*value)) {
                    return self.define(*value, &text);
                }
            }
            Popped::Memory(place) => {
                if let Some(text) = self.pop_from_record(item, &place.ty) {
                    let text = format!("{} = {text};", self.place(place));
                    return self.statement(&text);
                }
            }
            _ => {}
        }
        self.pop_one(what);
    }

    fn push_one(&mut self, what: &Pushed) {
        let tape = self.tape.clone();
        let text = match what {
            Pushed::Value(value) => {
                let Some(scalar) = calls::on_tape(&value.ty) else { return self.unit.problem("a push of no scalar") };
                let text = if scalar.exact || scalar.suffix == "bool" {
                    self.expr(value)
                } else {
                    format!("({}){}", scalar.c_type, self.exprs.expr(value, 12, self))
                };
                calls::push(&tape, scalar.suffix, &text)
            }
            Pushed::Bits { value, bits } => {
                let text = match value.kind {
                    ExprKind::Int(n) => n.to_string(),
                    _ => format!("(uint64_t){}", self.exprs.expr(value, 12, self)),
                };
                calls::push_bits(&tape, &text, *bits)
            }
            Pushed::Count(value) => calls::push_count(&tape, &format!("(int64_t){}", self.exprs.expr(value, 12, self))),
            Pushed::Elements { place, count } => {
                let (suffix, first, count) = self.elements(place, count, "const ");
                calls::push_array(&tape, suffix, &first, &count)
            }
            Pushed::Pointer { value, bases, base } => {
                let (bases, or_null) = real(bases);
                let counted = if in_bytes(&value.ty, bases) {
                    Some("char *".to_string())
                } else {
                    is_signed_or_not(&value.ty, bases).then(|| self.exprs.ty(&value.ty))
                };
                let expr = |e: &Expr, outer: u8| match &counted {
                    Some(pointer) => format!("(const {pointer}){}", self.exprs.expr(e, 12, self)),
                    None => self.exprs.expr(e, outer, self),
                };
                let text = expr(value, 10);
                let mut from = expr(&bases[0], 10);
                if bases.len() > 1 {
                    let number = self.exprs.expr(base, 7, self);
                    for (index, other) in bases.iter().enumerate().skip(1) {
                        from = format!("({number} == {index} ? {} : {from})", expr(other, 1));
                    }
                }
                let offset = if or_null {
                    format!("{} ? (int64_t)({text} - {from}) : INT64_MIN", self.exprs.expr(value, 3, self))
                } else {
                    format!("(int64_t)({text} - {from})")
                };
                let offset = calls::push(&tape, "i64", &offset);
                if bases.len() > 1 {
                    self.statement(&format!("{offset};"));
                    calls::push_bits(
                        &tape,
                        &format!("(uint64_t){}", self.exprs.expr(base, 12, self)),
                        pointer_bits(bases),
                    )
                } else {
                    offset
                }
            }
        };
        self.statement(&format!("{text};"));
    }

    /// Suffix, address and number of elements; what is no number goes byte by byte.
    fn elements(&self, place: &Place, count: &Expr, constant: &str) -> (&'static str, String, String) {
        let first = self.address(place);
        let number = match count.kind {
            ExprKind::Int(n) => n.to_string(),
            _ => format!("(int64_t){}", self.exprs.expr(count, 12, self)),
        };
        match calls::scalar(&place.ty) {
            Some(scalar) if scalar.exact => (scalar.suffix, first, number),
            Some(scalar) if scalar.suffix != "bool" => {
                (scalar.suffix, format!("({constant}{} *)({first})", scalar.c_type), number)
            }
            _ => {
                let bytes = format!("{number} * (int64_t)sizeof({})", self.exprs.ty(&place.ty));
                ("i8", format!("({constant}int8_t *)({first})"), bytes)
            }
        }
    }

    fn pop_one(&mut self, what: &Popped) {
        let tape = self.tape.clone();
        match what {
            Popped::Value(value) => {
                let ty = self.ty(*value);
                let Some(scalar) = calls::on_tape(ty) else { return self.unit.problem("a pop of no scalar") };
                let name = self.values[value.index()].clone();
                if scalar.exact {
                    let text = format!("{};", self.exprs.declare(ty, &name));
                    self.statement(&text);
                    self.statement(&format!("{};", calls::pop(&tape, scalar.suffix, &format!("&{name}"))));
                } else {
                    let raw = self.raw(&name, &scalar);
                    let text = format!("({}){raw}", self.exprs.ty(ty));
                    self.define(*value, &text);
                }
            }
            Popped::Memory(place) => {
                let Some(scalar) = calls::on_tape(&place.ty) else { return self.unit.problem("a pop of no scalar") };
                if scalar.exact {
                    let address = self.address(place);
                    return self.statement(&format!("{};", calls::pop(&tape, scalar.suffix, &address)));
                }
                let raw = self.raw("old", &scalar);
                let text = format!("{} = ({}){raw};", self.place(place), self.exprs.ty(&place.ty));
                self.statement(&text);
            }
            Popped::Bits { value, bits } => {
                let text = format!("({}){}", self.exprs.ty(self.ty(*value)), calls::pop_bits(&tape, *bits));
                self.define(*value, &text);
            }
            Popped::Count(value) => {
                let text = format!("({}){}", self.exprs.ty(self.ty(*value)), calls::pop_count(&tape));
                self.define(*value, &text);
            }
            Popped::Elements { place, count } => {
                let (suffix, first, count) = self.elements(place, count, "");
                self.statement(&format!("{};", calls::pop_array(&tape, suffix, &first, &count)));
            }
            Popped::Pointer { value, shadow, bases, shadows } => self.pop_pointer(*value, *shadow, bases, shadows),
        }
    }

    fn raw(&mut self, wish: &str, scalar: &calls::Scalar) -> String {
        let raw = self.locals.fresh(&format!("{wish}_raw"));
        self.statement(&format!("{} {raw};", scalar.c_type));
        self.statement(&format!("{};", calls::pop(&self.tape.clone(), scalar.suffix, &format!("&{raw}"))));
        raw
    }

    fn pop_pointer(&mut self, value: ValueId, shadow: Option<ValueId>, bases: &[Expr], shadows: &[Expr]) {
        let name = self.values[value.index()].clone();
        let ((bases, or_null), (shadows, _)) = (real(bases), real(shadows));
        let number = (bases.len() > 1).then(|| {
            let number = self.locals.fresh(&format!("{name}_base"));
            let call = calls::pop_bits(&self.tape, pointer_bits(bases));
            self.statement(&format!("const uint64_t {number} = {call};"));
            number
        });
        let scalar = calls::Scalar { suffix: "i64", c_type: "int64_t", exact: true };
        let offset = self.raw(&name, &scalar);
        let define = |this: &mut Self, value: ValueId, bases: &[Expr]| {
            let in_bytes = in_bytes(this.ty(value), bases);
            let base = |base: &Expr| {
                if in_bytes { format!("(char *){}", this.exprs.expr(base, 12, this)) } else { this.assigned(base) }
            };
            let mut from = base(&bases[0]);
            for (index, other) in bases.iter().enumerate().skip(1) {
                let number = number.as_deref().unwrap_or_default();
                from = format!("({number} == {index} ? {} : {from})", base(other));
            }
            let mut text = if in_bytes {
                format!("({})({from} + {offset})", this.exprs.ty(this.ty(value)))
            } else {
                format!("{from} + {offset}")
            };
            if or_null {
                text = format!("{offset} == INT64_MIN ? NULL : {text}");
            }
            this.define(value, &text);
        };
        if self.is_read(value) {
            define(self, value, bases);
        }
        if let Some(shadow) = shadow {
            define(self, shadow, shadows);
        }
    }

    pub(super) fn shadowed(&mut self, place: &Place, shadow: &Place) {
        let Type::Float { bits: bits @ (32 | 64) } = place.ty else { return };
        let (place, shadow) = (self.place(place), self.place(shadow));
        self.statement(&format!("{}_shadowed(&{place}, &{shadow}, {bits});", self.unit.witness));
    }

    pub(super) fn rehearsal(&mut self, step: Rehearsal) {
        let witness = self.unit.witness.clone();
        match step {
            Rehearsal::Begin => {
                let (notes, mark) = (self.locals.fresh("notes"), self.locals.fresh("mark"));
                self.statement(&format!("const size_t {notes} = {witness}_noted();"));
                self.statement(&format!("{};", calls::take_mark(&self.tape, &mark)));
                self.rehearsals.push((notes, mark));
            }
            Rehearsal::Again => {
                let notes = self.locals.fresh("notes");
                self.statement(&format!("const size_t {notes} = {witness}_noted();"));
                self.rehearsals.push((notes, String::new()));
            }
            Rehearsal::End => {
                let Some((notes, mark)) = self.rehearsals.pop() else { return self.unit.problem("an end alone") };
                self.statement(&format!("{witness}_rehearsed({notes});"));
                self.statement(&format!("{};", calls::reset_to_mark(&self.tape, &mark)));
            }
            Rehearsal::Compare(site) => {
                let Some((notes, _)) = self.rehearsals.pop() else { return self.unit.problem("an end alone") };
                self.statement(&format!("{witness}_repeated({site}u, {notes});"));
            }
        }
    }

    pub(super) fn witness(&mut self, notes: bool, site: u32, value: &Expr) {
        let Some(scalar) = calls::scalar(&value.ty) else { return };
        let role = if notes { "note" } else { "compare" };
        let text = match scalar.suffix {
            "f32" | "f64" | "f80" => {
                format!("{}_{role}_{}({site}u, {});", self.unit.witness, scalar.suffix, self.expr(value))
            }
            _ => format!("{}_{role}_i64({site}u, (int64_t){});", self.unit.witness, self.exprs.expr(value, 12, self)),
        };
        self.statement(&text);
    }
}

/// Bits that hold the number of a base.
fn pointer_bits(bases: &[Expr]) -> u8 {
    let mut bits = 1;
    while bases.len() > 1 << bits {
        bits += 1;
    }
    bits
}

/// The bases of a pointer, and whether it may be NULL instead.
fn real(bases: &[Expr]) -> (&[Expr], bool) {
    match bases {
        [real @ .., Expr { kind: ExprKind::Null, .. }] => (real, true),
        real => (real, false),
    }
}

/// Whether a base may be declared as a pointer to integers of the same width with or without a sign, to which C
/// converts it and from which it does not subtract it.
fn is_signed_or_not(ty: &Type, bases: &[Expr]) -> bool {
    matches!(ty.target(), Some(Type::Int { .. })) && bases.iter().any(|base| !matches!(base.kind, ExprKind::Value(_)))
}

/// Whether the offset of a pointer counts bytes: a base is an array of structs, and the pointer leads to a member.
fn in_bytes(ty: &Type, bases: &[Expr]) -> bool {
    bases.iter().any(|base| base.ty != *ty)
}
