//! Regions and items as C.

use super::{Body, Naming};
use crate::emit::calls;
use crate::ir::*;

impl<'a> Body<'a> {
    pub(super) fn region(&mut self, region: RegionId) {
        let items = &self.proc.regions[region.index()].items;
        let mut at = 0;
        while at < items.len() {
            at += match self.copied(region, at) {
                Some(count) => count,
                None => {
                    self.comments(items[at]);
                    self.item(items[at], &items[at + 1..])
                }
            };
        }
    }

    /// Prints an item; how many it took, with those behind it that belong to the same C statement.
    fn item(&mut self, id: ItemId, behind: &'a [ItemId]) -> usize {
        if self.skipped.contains(&id) {
            if self.by_variable {
                self.declare_for(id);
            }
            return 1;
        }
        let item = &self.proc.items[id.index()];
        self.origin(item);
        self.declare_for(id);
        match &item.kind {
            ItemKind::Let { value } => {
                let Def::Is(from) = &self.proc.values[value.index()].def else { return 1 };
                self.assign(*value, from);
            }
            ItemKind::Store { to, from } => {
                let place = self.place(to);
                let itself = |x: &Expr| matches!(&x.kind, ExprKind::Load(place) if place == to);
                let update = match &from.kind {
                    ExprKind::Binary(_, left, _) if itself(left) => self.update(&place, from),
                    _ => None,
                };
                let text = update.unwrap_or_else(|| format!("{place} = {}", self.assigned(from)));
                self.statement(&format!("{text};"));
            }
            ItemKind::Accumulate { to, from } => self.accumulate(to, from),
            ItemKind::Call { callee, args, result, into } => self.call(callee, args, *result, into.as_ref()),
            ItemKind::Branch { on, then, otherwise, joins } => self.branch(on, *then, *otherwise, joins),
            ItemKind::Loop { test, at, body, carried } => self.repetition(id, test, *at, *body, carried),
            ItemKind::DeclareVar { .. } => {}
            ItemKind::Declare { object } => return self.declare(*object, behind),
            ItemKind::Alloc { object, count, zeroed } => self.alloc(*object, count, *zeroed),
            ItemKind::Free { pointer } => {
                let text = format!("free({});", self.expr(pointer));
                self.statement(&text);
            }
            ItemKind::Clear { object } => self.clear(*object),
            ItemKind::Push { what } => self.push(what),
            ItemKind::Pop { what } => self.pop(what),
            ItemKind::Witness { site, value } => self.witness(*site, value),
            ItemKind::Shadowed { place, shadow } => self.shadowed(place, shadow),
            ItemKind::Comment { text } => self.statement(&format!("/* {text} */")),
        }
        1
    }

    /// Names the source line that a part of the reverse sweep belongs to.
    fn origin(&mut self, item: &Item) {
        let here = (item.span.source, item.span.line);
        if self.by_variable || item.span.line == 0 || here == self.line {
            return;
        }
        self.line = here;
        if let Some(source) = self.unit.program.sources.get(item.span.source as usize) {
            let name = source.path_at(item.span.start).rsplit('/').next().unwrap_or_default();
            self.statement(&format!("/* {name}:{} */", item.span.line));
        }
    }

    /// Declares the variables that must exist when an item begins, but for the one that it assigns itself.
    fn declare_for(&mut self, id: ItemId) {
        let own = match &self.proc.items[id.index()].kind {
            ItemKind::Let { value } => Some(*value),
            ItemKind::Call { result, .. } => *result,
            _ => None,
        };
        let own = own.filter(|_| self.by_variable).map(|value| self.slot(value));
        for slot in self.scopes.declared_at(id).to_vec() {
            if !self.declared[slot] && own != Some(slot) {
                let var = self.slot_vars[slot].first().map_or(0, |var| var.index());
                self.declare_slot(slot, &self.proc.vars[var].ty);
            }
        }
    }

    /// What is assigned to a variable or to memory; a pointer may lack the `const` of what it comes from.
    pub(super) fn assigned(&self, from: &Expr) -> String {
        let drops = matches!(&from.kind, ExprKind::Load(_) | ExprKind::Address(_) | ExprKind::Value(_));
        // The row of an array is a pointer to its elements where extents vary.
        let is_row = self.exprs.is_flat(&from.ty) && !matches!(from.kind, ExprKind::Value(_));
        if is_row || from.ty.target().is_some() && drops && self.may_be_const(from) {
            return format!("({}){}", self.exprs.ty(&from.ty), self.exprs.expr(from, 12, self));
        }
        self.expr(from)
    }

    fn may_be_const(&self, from: &Expr) -> bool {
        let base = match &from.kind {
            ExprKind::Value(value) => {
                let var = self.proc.values[value.index()].var;
                let param = self.proc.params.iter().find(|param| param.var == Some(var));
                let at = self.proc.vars[var.index()].span;
                let source = self.unit.program.sources.get(at.source as usize);
                // A declaration that was copied has the user's qualifiers.
                let declared = source.and_then(|source| source.text.get(at.start as usize..at.end as usize));
                let is_const = |text: &str| text.contains("const");
                return self.by_variable
                    && (param.is_some_and(|param| is_const(&param.declaration)) || declared.is_some_and(is_const));
            }
            ExprKind::Load(_) => return true,
            ExprKind::Address(place) => &place.base,
            _ => return false,
        };
        match base {
            Base::Object(object) => self.proc.objects[object.index()].constant,
            Base::Global(global) => self.unit.program.globals[global.index()].constant,
            Base::At(pointer) => self.may_be_const(pointer),
        }
    }

    fn accumulate(&mut self, to: &Place, from: &Expr) {
        let to = self.place(to);
        let text = match &from.kind {
            ExprKind::Unary(Unary::Negate, operand) => format!("{to} -= {};", self.exprs.bare(operand, 9, self)),
            _ => format!("{to} += {};", self.expr(from)),
        };
        self.statement(&text);
    }

    fn call(&mut self, callee: &Callee, args: &[Expr], result: Option<ValueId>, into: Option<&Place>) {
        let mut list = Vec::new();
        let name = match callee {
            Callee::Proc(id) => self.unit.program.procs[id.index()].name.clone(),
            Callee::External { name, .. } => name.clone(),
            Callee::Sweep(id, role) => {
                if *role != Role::Tangent {
                    list.push(self.tape.clone());
                }
                self.unit.sweep_name(*id, *role)
            }
        };
        let params = match callee {
            Callee::Sweep(id, role) if !self.by_variable => {
                self.unit.sweeps.get(&(*id, *role)).map(|known| &known.1[..])
            }
            _ => None,
        };
        for (position, arg) in args.iter().enumerate() {
            let param = params.and_then(|params| params.get(position)).map(|ty| self.exprs.ty(ty));
            let text = match param {
                // A pointer to arrays goes where a pointer to elements is expected.
                Some(param) if arg.ty.target().is_some() && param != self.exprs.ty(&arg.ty) => {
                    format!("({param}){}", self.exprs.expr(arg, 12, self))
                }
                _ if self.by_variable => self.expr(arg),
                _ => self.assigned(arg),
            };
            list.push(text);
        }
        let text = format!("{name}({})", list.join(", "));
        match (result, into) {
            (Some(result), _) => self.define(result, &text),
            (None, Some(into)) => {
                let text = format!("{} = {text};", self.place(into));
                self.statement(&text);
            }
            (None, None) => self.statement(&format!("{text};")),
        }
    }

    // ---- control -------------------------------------------------------------------------------------------------

    pub(super) fn forget(&mut self, slots: &[usize]) {
        if self.by_variable {
            slots.iter().for_each(|slot| self.current[*slot] = None);
        }
    }

    fn branch(&mut self, on: &Expr, then: RegionId, otherwise: RegionId, joins: &[Join]) {
        if !self.by_variable {
            for join in joins {
                let text = format!("{};", self.exprs.declare(self.ty(join.out), &self.values[join.out.index()]));
                self.statement(&text);
            }
        }
        let on = self.expr(on);
        self.statement(&format!("if ({on}) {{"));
        let mut changed = self.scopes.changed_in(self.proc, then);
        changed.extend(self.scopes.changed_in(self.proc, otherwise));
        // Nothing but these changes in the arms.
        changed.retain(|_| self.by_variable);
        let before: Vec<Option<ValueId>> = changed.iter().map(|slot| self.current[*slot]).collect();
        let has_else = !self.proc.regions[otherwise.index()].items.is_empty();
        for (arm, is_then) in [(then, true), (otherwise, false)] {
            changed.iter().zip(&before).for_each(|(slot, held)| self.current[*slot] = *held);
            let (length, line) = (self.out.len(), self.line);
            if !is_then {
                self.statement("} else {");
            }
            let opened = self.out.len();
            self.indent += 1;
            self.region(arm);
            let from = |join: &Join| if is_then { join.then } else { join.otherwise };
            self.arrive(joins.iter().map(|join| (join.out, from(join))).collect());
            self.indent -= 1;
            if !is_then && !has_else && self.out.len() == opened {
                self.out.truncate(length);
            }
            if !is_then && self.chain(length, opened) {
                self.forget(&changed);
                joins.iter().for_each(|join| self.holds(join.out));
                return;
            }
            if !is_then {
                self.line = line;
            }
        }
        self.statement("}");
        self.forget(&changed);
        for join in joins {
            self.holds(join.out);
        }
    }

    /// Turns `} else {` at `length` into `} else if` if what follows from `opened` on is one `if` and nothing else.
    fn chain(&mut self, length: usize, opened: usize) -> bool {
        if opened >= self.out.len() {
            return false;
        }
        let inner = "    ".repeat(self.indent + 1);
        let mut lines: Vec<&str> = self.out[opened..].lines().collect();
        // The line of the source is that of the `if` in front.
        if lines.first().is_some_and(|line| line.trim_start().starts_with("/* ") && line.ends_with(" */")) {
            lines.remove(0);
        }
        let starts = |line: &str, what: &str| line.strip_prefix(&inner).is_some_and(|rest| rest.starts_with(what));
        let deeper = |line: &str| line.strip_prefix(&inner).is_some_and(|rest| rest.starts_with("    "));
        let Some((first, rest)) = lines.split_first() else { return false };
        let ends = rest.iter().position(|line| *line == format!("{inner}}}"));
        let between = |line: &&str| deeper(line) || starts(line, "} else");
        if !starts(first, "if (") || ends != Some(rest.len() - 1) || !rest[..rest.len() - 1].iter().all(between) {
            return false;
        }
        let mut text = format!("{}}} else {}\n", "    ".repeat(self.indent), &first[inner.len()..]);
        for line in rest {
            text += &line[4..];
            text.push('\n');
        }
        self.out.truncate(length);
        self.out.push_str(&text);
        true
    }

    /// Brings the values that arms or passes end with to where the joined or carried values are expected.
    pub(super) fn arrive(&mut self, pairs: Vec<(ValueId, ValueId)>) {
        let mut moves = Vec::new();
        for (to, from) in pairs {
            if self.proc.values[from.index()].def == Def::Undefined {
                continue;
            }
            let name = if self.by_variable {
                let slot = self.slot(to);
                if self.current[slot] == Some(from) {
                    continue;
                }
                self.slot_names[slot].clone()
            } else {
                self.values[to.index()].clone()
            };
            moves.push((name, self.value(from), self.ty(to).clone()));
        }
        self.moves(moves);
    }

    // ---- memory --------------------------------------------------------------------------------------------------

    fn declare(&mut self, id: ObjectId, behind: &[ItemId]) -> usize {
        let object = &self.proc.objects[id.index()];
        let mut name = self.objects[id.index()].clone();
        for dim in &object.shape {
            name += &format!("[{}]", dim.extent.as_ref().map_or_else(String::new, |extent| self.expr(extent)));
        }
        let declaration = self.exprs.declare(&object.elem, &name);
        // A scalar takes its first value where it is declared.
        if let Some(next) = behind.first()
            && let ItemKind::Store { to: Place { base: Base::Object(other), path, .. }, from } =
                &self.proc.items[next.index()].kind
            && *other == id
            && path.is_empty()
            && object.shape.is_empty()
        {
            let text = format!("{declaration} = {};", self.assigned(from));
            self.statement(&text);
            return 2;
        }
        // The old value of a scalar may be stored before it has one.
        let zero = if object.shape.is_empty() && object.elem.is_scalar() { " = 0" } else { "" };
        self.statement(&format!("{declaration}{zero};"));
        1
    }

    fn clear(&mut self, id: ObjectId) {
        let object = &self.proc.objects[id.index()];
        let name = self.objects[id.index()].clone();
        match &object.elem {
            Type::Float { .. } if object.shape.is_empty() => self.statement(&format!("{name} = 0;")),
            _ if object.shape.is_empty() => self.statement(&format!("memset(&{name}, 0, sizeof {name});")),
            _ => self.statement(&format!("memset({name}, 0, sizeof {name});")),
        }
    }

    fn alloc(&mut self, id: ObjectId, count: &Expr, zeroed: bool) {
        let name = self.objects[id.index()].clone();
        let object = &self.proc.objects[id.index()];
        let declaration = self.exprs.declare(&Type::Pointer(Box::new(object.elem.clone())), &name);
        let count = self.exprs.bare(count, 0, self);
        let elem = self.exprs.ty(&object.elem);
        let text = if self.by_variable {
            let call = if zeroed { "calloc" } else { "malloc" };
            match zeroed {
                true => format!("{declaration} = {call}((size_t)({count}), sizeof({elem}));"),
                false => format!("{declaration} = {call}((size_t)({count}) * sizeof({elem}));"),
            }
        } else {
            self.unit.allocates.set(true);
            format!("{declaration} = {}((size_t)({count}), sizeof({elem}));", self.unit.allocator)
        };
        self.statement(&text);
    }

    // ---- the tape ------------------------------------------------------------------------------------------------

    fn push(&mut self, what: &Pushed) {
        let tape = self.tape.clone();
        let text = match what {
            Pushed::Value(value) => {
                let Some(scalar) = calls::scalar(&value.ty) else { return self.unit.problem("a push of no number") };
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
                let text = self.exprs.expr(value, 10, self);
                let mut from = self.exprs.expr(&bases[0], 10, self);
                if bases.len() > 1 {
                    let number = self.exprs.expr(base, 7, self);
                    for (index, other) in bases.iter().enumerate().skip(1) {
                        from = format!("({number} == {index} ? {} : {from})", self.exprs.expr(other, 1, self));
                    }
                }
                let offset = calls::push(&tape, "i64", &format!("(int64_t)({text} - {from})"));
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

    fn pop(&mut self, what: &Popped) {
        let tape = self.tape.clone();
        match what {
            Popped::Value(value) => {
                let ty = self.ty(*value);
                let Some(scalar) = calls::scalar(ty) else { return self.unit.problem("a pop of no number") };
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
                let Some(scalar) = calls::scalar(&place.ty) else { return self.unit.problem("a pop of no number") };
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
        let number = (bases.len() > 1).then(|| {
            let number = self.locals.fresh(&format!("{name}_base"));
            let call = calls::pop_bits(&self.tape, pointer_bits(bases));
            self.statement(&format!("const uint64_t {number} = {call};"));
            number
        });
        let scalar = calls::Scalar { suffix: "i64", c_type: "int64_t", exact: true };
        let offset = self.raw(&name, &scalar);
        let define = |this: &mut Self, value: ValueId, bases: &[Expr]| {
            let mut from = this.exprs.expr(&bases[0], 1, this);
            for (index, other) in bases.iter().enumerate().skip(1) {
                let number = number.as_deref().unwrap_or_default();
                from = format!("({number} == {index} ? {} : {from})", this.exprs.expr(other, 1, this));
            }
            this.define(value, &format!("{from} + {offset}"));
        };
        if self.is_read(value) {
            define(self, value, bases);
        }
        if let Some(shadow) = shadow {
            define(self, shadow, shadows);
        }
    }

    fn shadowed(&mut self, place: &Place, shadow: &Place) {
        let Type::Float { bits: bits @ (32 | 64) } = place.ty else { return };
        let (place, shadow) = (self.place(place), self.place(shadow));
        self.statement(&format!("{}_shadowed(&{place}, &{shadow}, {bits});", self.unit.witness));
    }

    fn witness(&mut self, site: u32, value: &Expr) {
        let Some(scalar) = calls::scalar(&value.ty) else { return };
        let role = if self.proc.role == Role::Forward { "note" } else { "compare" };
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
