//! Regions and items as C.

use std::sync::atomic::Ordering;

use super::state::Body;
use crate::emit::c::calls;
use crate::emit::c::expr::Naming;
use crate::emit::c::unit::params;
use crate::ir::*;
use crate::stack::deep;

impl<'a> Body<'a> {
    pub(super) fn region(&mut self, region: RegionId) {
        deep(|| self.region_here(region));
    }

    fn region_here(&mut self, region: RegionId) {
        let items = &self.proc.regions[region].items;
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
        if self.index.idle.contains(&id) {
            return 1;
        }
        if self.skipped.contains(&id) {
            if self.by_variable {
                self.declare_for(id);
            }
            return 1;
        }
        let item = &self.proc.items[id];
        self.origin(item);
        self.declare_for(id);
        match &item.kind {
            ItemKind::Let { value } => {
                let Def::Is(from) = &self.proc.values[*value].def else { return 1 };
                self.assign(*value, from);
            }
            ItemKind::Store { to, from } => {
                self.says_write(to);
                let place = self.place(&self.writable(to));
                let itself = |x: &Expr| matches!(&x.kind, ExprKind::Load(place) if **place == *to);
                let update = match &from.kind {
                    ExprKind::Binary(_, left, _) if itself(left) => self.update(&place, from),
                    _ => None,
                };
                let text = update.unwrap_or_else(|| format!("{place} = {}", self.assigned(from)));
                self.statement(&format!("{text};"));
            }
            ItemKind::Sweep(SweepItem::Accumulate { to, from }) => self.accumulate(to, from),
            ItemKind::Given { .. } => self.unit.problem("a step of a given derivative is left"),
            kind @ ItemKind::Call { args, result, .. } if kind.resizes() && self.proc.role == Role::Forward => {
                let text = calls::heap_resize(&self.heap, &self.tape, &self.expr(&args[0]), &self.expr(&args[1]));
                match result {
                    Some(result) => self.define(*result, &text),
                    None => self.statement(&format!("(void){text};")),
                }
            }
            ItemKind::Call { callee, args, result, into } => {
                into.iter().for_each(|into| self.says_write(into));
                let entered = self.watch.and_then(|(watch, proc)| watch.entered(proc, id));
                if let Some(number) = entered {
                    self.statement(&format!("{}_calls({number});", self.unit.witness));
                }
                self.says_unseen(callee);
                self.call(callee, args, *result, into.as_ref());
                if entered.is_some() {
                    self.statement(&format!("{}_leaves();", self.unit.witness));
                }
            }
            ItemKind::Branch { on, then, otherwise, joins } => self.branch(on, *then, *otherwise, joins),
            ItemKind::Loop { test, at, body, carried } => self.repetition(id, test, *at, *body, carried),
            ItemKind::DeclareVar { .. } => {}
            ItemKind::Declare { object } => return self.declare(*object, behind),
            ItemKind::Alloc { object, count, zeroed } => self.alloc(*object, count, *zeroed),
            ItemKind::Free { pointer } => {
                let text = format!("free({});", self.expr(pointer));
                self.statement(&text);
            }
            ItemKind::Sweep(SweepItem::Release { pointer, contents }) => {
                let text = calls::heap_free(&self.heap, &self.tape, &self.expr(pointer), *contents);
                self.statement(&format!("{text};"));
            }
            ItemKind::Sweep(SweepItem::Undo { what }) => {
                let text = calls::heap_undo(&self.heap, &self.tape, *what);
                self.statement(&format!("{text};"));
            }
            ItemKind::Sweep(SweepItem::Clear { object }) => self.clear(*object),
            ItemKind::Sweep(SweepItem::Push { what }) => self.push(id, what),
            ItemKind::Sweep(SweepItem::Pop { what }) => self.pop(id, what),
            ItemKind::Sweep(SweepItem::Witness { notes, site, value }) => self.witness(*notes, *site, value),
            ItemKind::Sweep(SweepItem::Rehearsal { step }) => self.rehearsal(*step),
            ItemKind::Sweep(SweepItem::Shadowed { place, shadow }) => self.shadowed(place, shadow),
            ItemKind::Sweep(SweepItem::Snapshot(snapshot)) => self.snapshot(snapshot),
            ItemKind::Sweep(SweepItem::Nothing) => {}
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
        let own = self.proc.items[id].kind.assigned();
        let own = own.filter(|_| self.by_variable).map(|value| self.slot(value));
        for slot in self.scopes.declared_at(id).to_vec() {
            if !self.declared[slot] && own != Some(slot) {
                let var = self.slot_vars[slot].first().copied().unwrap_or(VarId(0));
                self.declare_slot(slot, &self.proc.vars[var].ty);
            }
        }
    }

    /// What is assigned to a variable or to memory; a pointer may lack the `const` of what it comes from.
    pub(super) fn assigned(&self, from: &Expr) -> String {
        let drops =
            matches!(&from.kind, ExprKind::Load(_) | ExprKind::Address(_) | ExprKind::Value(_) | ExprKind::Select(..));
        // The row of an array is a pointer to its elements where extents vary.
        let is_row = self.exprs.is_flat(&from.ty) && !matches!(from.kind, ExprKind::Value(_));
        if is_row || from.ty.target().is_some() && drops && self.may_be_const(from) {
            return format!("({}){}", self.exprs.ty(&from.ty), self.exprs.expr(from, 12, self));
        }
        self.expr(from)
    }

    fn may_be_const(&self, from: &Expr) -> bool {
        let base = match &from.kind {
            ExprKind::Value(value) => return self.by_variable && self.constants(*value).any(),
            ExprKind::Load(_) => return true,
            ExprKind::Select(_, then, otherwise) => return self.may_be_const(then) || self.may_be_const(otherwise),
            ExprKind::Address(place) if self.exprs.constant_member(place).is_some() => return true,
            ExprKind::Address(place) => &place.base,
            _ => return false,
        };
        match base {
            Base::Object(object) => self.proc.objects[*object].constant,
            Base::Global(global) => self.unit.program.globals[*global].constant,
            Base::At(pointer) => self.may_be_const(pointer),
        }
    }

    /// What the variable of a value is declared as: a declaration that is copied has the user's qualifiers.
    fn constants(&self, value: ValueId) -> Constants {
        self.proc.vars[self.proc.values[value].var].constants
    }

    /// A place that is written through a pointer to what the source declares constant and writes all the same: its cast.
    fn writable(&self, place: &Place) -> Place {
        let mut place = place.clone();
        if let Base::At(pointer) = &mut place.base
            && self.leads_to_constants(pointer)
        {
            let ty = pointer.ty.clone();
            **pointer = Expr { kind: ExprKind::Cast(pointer.clone()), ty };
        }
        place
    }

    fn leads_to_constants(&self, pointer: &Expr) -> bool {
        match &pointer.kind {
            ExprKind::Value(value) => self.by_variable && self.constants(*value).is_led_to(),
            ExprKind::Load(place) => self.exprs.is_read_only(place),
            _ => false,
        }
    }

    fn accumulate(&mut self, to: &Place, from: &Expr) {
        let to = self.place(&self.writable(to));
        let text = match &from.kind {
            ExprKind::Unary(Unary::Negate, operand) => format!("{to} -= {};", self.exprs.bare(operand, 9, self)),
            _ => format!("{to} += {};", self.expr(from)),
        };
        self.statement(&text);
    }

    fn call(&mut self, callee: &Callee, args: &[Expr], result: Option<ValueId>, into: Option<&Place>) {
        let mut list = Vec::new();
        let name = match callee {
            Callee::Proc(id) if self.watch.is_some_and(|(watch, _)| watch.copied.contains(id)) => {
                self.unit.sweep_name(*id, Role::Primal)
            }
            Callee::Proc(id) => self.unit.program.procs[*id].name.clone(),
            Callee::External { function: External::Stop(reason), .. } => return self.stop(reason),
            Callee::External { function, .. } => function.name().to_string(),
            Callee::Sweep(id, role) => {
                if *role != Role::Tangent {
                    list.push(self.tape.clone());
                }
                self.unit.sweep_name(*id, *role)
            }
        };
        let params = match callee {
            Callee::Sweep(id, role) => self.unit.sweeps.get(&(*id, *role)).map(|known| known.1.clone()),
            Callee::Proc(id) => Some(params(&self.unit.program.procs[*id])),
            Callee::External { .. } => None,
        };
        let of_sweep = matches!(callee, Callee::Sweep(..)) && !self.by_variable;
        // The user's functions, and forward sweeps, take pointers to rows.
        let takes_rows = |position: usize| match callee {
            Callee::Proc(id) | Callee::Sweep(id, Role::Forward) if !self.by_variable => {
                let param = self.unit.program.procs[*id].params.get(position);
                param.is_some_and(|param| matches!(param.ty.target(), Some(Type::Array(_))))
            }
            _ => false,
        };
        // What only the body of a function with a rule has is no argument of the function.
        let own = match callee {
            Callee::Proc(id) => args.len() - self.unit.program.procs[*id].rule.as_ref().map_or(0, |rule| rule.extra),
            Callee::External { .. } | Callee::Sweep(..) => args.len(),
        };
        for (position, arg) in args.iter().take(own).enumerate() {
            let param = params.as_ref().and_then(|params| params.get(position));
            let ty = param.map(|(param, _)| self.exprs.ty(&param.ty));
            // A pointer to arrays goes where a pointer to elements is expected.
            let other = of_sweep && arg.ty.target().is_some() && ty.as_ref() != Some(&self.exprs.ty(&arg.ty));
            let writes = param.is_some_and(|(param, _)| !param.read_only && matches!(param.ty, Type::Pointer(_)));
            let text = match ty {
                _ if takes_rows(position)
                    || param.is_some_and(|(param, constants)| self.lacks_const(arg, &param.ty, *constants)) =>
                {
                    format!("(void *){}", self.exprs.expr(arg, 12, self))
                }
                Some(ty) if other || self.by_variable && writes && self.may_be_constant(arg) => {
                    format!("({ty}){}", self.exprs.expr(arg, 12, self))
                }
                _ if self.by_variable => self.expr(arg),
                _ => self.assigned(arg),
            };
            list.push(text);
        }
        let text = match callee {
            Callee::External { function: External::Volatile, .. } => list.join(" = "),
            _ => format!("{name}({})", list.join(", ")),
        };
        match (result, into) {
            (Some(result), _) if matches!(callee, Callee::Proc(id) if self.unit.program.procs[*id].result_is_constant) =>
            {
                let ty = self.exprs.ty(self.ty(result));
                self.define(result, &format!("({ty}){text}"));
            }
            (Some(result), _) => self.define(result, &text),
            (None, Some(into)) => {
                let text = format!("{} = {text};", self.place(into));
                self.statement(&text);
            }
            (None, None) => self.statement(&format!("{text};")),
        }
    }

    /// Says why, and stops the program.
    fn stop(&mut self, reason: &Reason) {
        let why = match reason {
            Reason::Unnamed(pointer) => format!("{pointer} is none of the functions that the sources name there"),
            Reason::NoMemory => "adtape: there is no memory".into(),
        };
        self.statement(&format!("fputs(\"{why}\\n\", stderr);"));
        self.statement("abort();");
    }

    /// Whether an argument is a local array of pointers and the parameter leads to pointers to `const`: C knows no way
    /// from one to the other, and the array may have been declared anew without `const`.
    fn lacks_const(&self, arg: &Expr, param: &Type, constants: Constants) -> bool {
        let is_array = matches!(&arg.kind, ExprKind::Address(place) if place.base.object().is_some());
        let leads_to_pointers = arg.ty.target().is_some_and(|to| to.target().is_some());
        self.by_variable && is_array && leads_to_pointers && constants.is_last(param)
    }

    /// Whether the source may declare what a pointer leads to as `const`: a cast that takes this away is no part of it.
    fn may_be_constant(&self, pointer: &Expr) -> bool {
        let proc = self.proc;
        let mut found = false;
        walk::values(pointer, &mut |value| {
            let var = proc.values[value].var;
            found |= match proc.params.iter().find(|param| param.var == Some(var)) {
                Some(param) => param.read_only,
                None => {
                    let statement = self.index.declaring.get(&var).and_then(|item| proc.items[*item].statement);
                    let is_copied = statement.is_some_and(|statement| self.copies.whole.contains_key(&statement));
                    is_copied && proc.vars[var].constants.any()
                }
            };
        });
        found
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
        // Nothing but these changes in the arms.
        let changed = self.scopes.changed_in(then).chain(self.scopes.changed_in(otherwise));
        let changed: Vec<usize> = changed.filter(|_| self.by_variable).collect();
        let before: Vec<Option<ValueId>> = changed.iter().map(|slot| self.current[*slot]).collect();
        let has_else = !self.proc.regions[otherwise].items.is_empty();
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
            if !is_then && opened < self.out.len() && self.out.chain(length, self.indent) {
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

    /// Brings the values that arms or passes end with to where the joined or carried values are expected.
    pub(super) fn arrive(&mut self, pairs: Vec<(ValueId, ValueId)>) {
        let mut moves = Vec::new();
        for (to, from) in pairs {
            if self.proc.values[from].def == Def::Undefined {
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
        let object = &self.proc.objects[id];
        let mut name = self.objects[id.index()].clone();
        for dim in &object.shape {
            name += &format!("[{}]", dim.extent.as_deref().map_or_else(String::new, |extent| self.expr(extent)));
        }
        let declaration = self.exprs.declare(&object.elem, &name);
        // A scalar takes its first value where it is declared.
        if let Some(next) = behind.first()
            && let ItemKind::Store { to: Place { base: Base::Object(other), path, .. }, from } =
                &self.proc.items[*next].kind
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
        let object = &self.proc.objects[id];
        let name = self.objects[id.index()].clone();
        match &object.elem {
            Type::Float { .. } if object.shape.is_empty() => self.statement(&format!("{name} = 0;")),
            _ if object.shape.is_empty() => self.statement(&format!("memset(&{name}, 0, sizeof {name});")),
            _ => self.statement(&format!("memset({name}, 0, sizeof {name});")),
        }
    }

    fn alloc(&mut self, id: ObjectId, count: &Expr, zeroed: bool) {
        let name = self.objects[id.index()].clone();
        let object = &self.proc.objects[id];
        // Behind the number of elements come the extents of each.
        let dims = object.shape.get(1..).unwrap_or_default().to_vec();
        let reached = natural::Reached { elem: object.elem.clone(), dims, behind_pointer: false };
        let elem = reached.ty().unwrap_or_else(|| object.elem.clone());
        let declaration = self.exprs.declare(&Type::pointer(elem.clone()), &name);
        let count = self.exprs.bare(count, 0, self);
        let tailed = match &elem {
            Type::Struct(id) => Some(&self.exprs.program.types.structs[*id]).filter(|of| of.has_tail()),
            _ => None,
        };
        // The array that such a struct ends with is part of the size: no adjoint takes more than so many of its reals.
        let (count, elem) = match tailed.and_then(|of| of.adjoints) {
            Some((of, directions)) => (format!("({count}) * {directions}"), Type::Struct(of)),
            None => (count, elem),
        };
        let elem = self.exprs.ty(&elem);
        let text = if object.life == Life::Stable && self.watch.is_none() {
            let size = format!("(int64_t)sizeof({elem})");
            let call = calls::heap_alloc(&self.heap, &self.tape, &count, &size, zeroed);
            format!("{declaration} = {call};")
        } else if self.by_variable {
            let call = if zeroed { "calloc" } else { "malloc" };
            if zeroed {
                format!("{declaration} = {call}((size_t)({count}), sizeof({elem}));")
            } else {
                format!("{declaration} = {call}((size_t)({count}) * sizeof({elem}));")
            }
        } else {
            self.unit.allocates.store(true, Ordering::Relaxed);
            format!("{declaration} = {}((size_t)({count}), sizeof({elem}));", self.unit.allocator)
        };
        self.statement(&text);
    }
}
