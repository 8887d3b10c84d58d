//! Regions and items: the tree, definitions, what is visible where, what each item demands.

use super::{Checker, Context};
use crate::ir::print;
use crate::ir::*;

impl Checker<'_> {
    /// Walks a region; what it defines is out of sight afterwards.
    pub(super) fn region(&mut self, id: RegionId) {
        self.region_then(id, |_| {});
    }

    /// Walks a region and checks its end, where its values are still visible.
    fn region_then(&mut self, id: RegionId, at_end: impl FnOnce(&mut Self)) {
        if std::mem::replace(&mut self.visited_regions[id.index()], true) {
            self.error(format!("region {} has two parents", id.0));
            return;
        }
        let visible = self.visible.clone();
        let alive = self.alive.clone();
        for (index, value) in self.proc.values.iter().enumerate() {
            if value.region == id && matches!(value.def, Def::Undefined | Def::Head(..) | Def::Entry(_)) {
                self.visible[index] = true;
            }
        }
        for &item in &self.proc.regions[id].items {
            self.item(item, id);
        }
        self.context = Context::Whole;
        at_end(self);
        if id == RegionId(0) {
            self.result();
        }
        self.visible = visible;
        self.alive = alive;
    }

    fn result(&mut self) {
        self.context = Context::Named("return".into());
        if let Some(result) = &self.proc.result {
            self.expr(result);
            self.same(&result.ty, &self.proc.result_type, "the result");
        }
        if let Some(object) = self.proc.result_object {
            self.object(object);
            if let Some(object) = self.proc.objects.get(object.index()) {
                self.same(&object.elem, &self.proc.result_type, "the result");
            }
        }
    }

    /// Notes the definition of a value in a region.
    pub(super) fn define(&mut self, value: ValueId, region: RegionId) {
        let Some(known) = self.proc.values.get(value.index()) else {
            return self.error(format!("value {} does not exist", value.0));
        };
        let proc = self.proc;
        let is_new = !std::mem::replace(&mut self.defined[value.index()], true);
        self.demand(is_new, || format!("{} has two definitions", print::value(proc, value)));
        self.demand(known.region == region, || format!("{} belongs to another region", print::value(proc, value)));
        self.visible[value.index()] = true;
    }

    fn defines(&mut self, value: ValueId, region: RegionId, def: &Def) {
        self.define(value, region);
        let found = self.proc.values.get(value.index()).map(|known| &known.def);
        if found != Some(def) {
            let name = print::value(self.proc, value);
            self.error(format!("the definition of {name} is {found:?}, not {def:?}"));
        }
    }

    fn item(&mut self, id: ItemId, region: RegionId) {
        if std::mem::replace(&mut self.visited_items[id.index()], true) {
            return self.error(format!("item {} stands in two places", id.0));
        }
        let item = &self.proc.items[id];
        self.context = Context::Item(id, "");
        self.allowed_in_role(&item.kind);
        match &item.kind {
            ItemKind::Let { value } => {
                let Some(Value { def: Def::Is(from), var, .. }) = self.proc.values.get(value.index()) else {
                    return self.error("the value is not defined by an expression");
                };
                self.expr(from);
                self.same(&from.ty, &self.proc.vars[*var].ty, "the expression");
                self.define(*value, region);
            }
            ItemKind::Store { to, from } | ItemKind::Sweep(SweepItem::Accumulate { to, from }) => {
                self.expr(from);
                self.written(to);
                self.same(&from.ty, &to.ty, "the expression");
                self.demand(to.ty.is_scalar(), || "no scalar is stored".into());
                let accumulates = matches!(item.kind, ItemKind::Sweep(SweepItem::Accumulate { .. }));
                self.demand(!accumulates || to.ty.is_float(), || "no real is accumulated".into());
            }
            ItemKind::Call { callee, args, result, into } => {
                self.call(id, region, callee, args, (*result, into.as_ref()));
            }
            ItemKind::Branch { on, then, otherwise, joins } => {
                self.test(on);
                self.branch(id, region, (*then, *otherwise), joins);
            }
            ItemKind::Loop { test, at, body, carried } => self.repetition(id, region, (test, *at), *body, carried),
            ItemKind::DeclareVar { var } => {
                self.demand(var.index() < self.proc.vars.len(), || "there is no such variable".into());
            }
            ItemKind::Declare { object } => self.declare(*object, &Life::Region(region)),
            ItemKind::Sweep(SweepItem::Clear { object }) => {
                self.demand(object.index() < self.proc.objects.len(), || "there is no such object".into());
            }
            ItemKind::Alloc { object, count, .. } => {
                self.integer(count);
                let stable = self.proc.objects.get(object.index()).is_some_and(|object| object.life == Life::Stable);
                self.declare(*object, if stable { &Life::Stable } else { &Life::Heap });
            }
            ItemKind::Sweep(SweepItem::Undo { .. }) => {}
            ItemKind::Free { pointer } | ItemKind::Sweep(SweepItem::Release { pointer, .. }) => {
                self.expr(pointer);
                self.demand(pointer.ty.target().is_some(), || "no pointer is freed".into());
            }
            ItemKind::Given { args, needs, when } => {
                args.iter().chain(needs).chain(when).for_each(|part| self.expr(part));
                let loads = needs.iter().all(|need| matches!(need.kind, ExprKind::Load(_)));
                self.demand(loads, || "a given derivative reads what is no place".into());
            }
            ItemKind::Sweep(SweepItem::Push { what }) => self.pushed(what),
            ItemKind::Sweep(SweepItem::Pop { what }) => self.popped(id, region, what),
            ItemKind::Sweep(SweepItem::Witness { value, .. }) => {
                self.expr(value);
                self.demand(value.ty.is_scalar(), || "no scalar is noted".into());
            }
            ItemKind::Sweep(SweepItem::Shadowed { place, shadow }) => {
                self.place(place, false);
                self.place(shadow, false);
                self.demand(place.ty == shadow.ty, || "a place and its adjoint have one type".into());
            }
            ItemKind::Sweep(SweepItem::Rehearsal { .. } | SweepItem::Nothing) => {}
            ItemKind::Sweep(SweepItem::Snapshot(snapshot)) => self.snapshot(id, region, snapshot),
        }
    }

    fn allowed_in_role(&mut self, kind: &ItemKind) {
        use Role::*;
        let roles: &[Role] = if matches!(kind, ItemKind::Call { callee: Callee::Sweep(..), .. }) {
            &[Forward, Reverse, Tangent]
        } else if let ItemKind::Sweep(item) = kind {
            match item {
                // A reverse sweep pushes where it runs a pass again.
                SweepItem::Push { .. } | SweepItem::Witness { .. } | SweepItem::Rehearsal { .. } => &[Forward, Reverse],
                SweepItem::Release { .. } => &[Forward],
                SweepItem::Snapshot(snapshot) if matches!(snapshot.at, SnapshotAt::Head { .. }) => &[Forward],
                SweepItem::Pop { .. } | SweepItem::Shadowed { .. } | SweepItem::Undo { .. } => &[Reverse],
                SweepItem::Snapshot(_) => &[Reverse],
                SweepItem::Accumulate { .. } => &[Reverse, Tangent],
                SweepItem::Clear { .. } | SweepItem::Nothing => &[Forward, Reverse, Tangent],
            }
        } else {
            return;
        };
        let role = self.proc.role;
        self.demand(roles.contains(&role), || format!("this has no place in a procedure of role {role:?}"));
    }

    fn declare(&mut self, object: ObjectId, life: &Life) {
        let Some(known) = self.proc.objects.get(object.index()) else {
            return self.error(format!("object {} does not exist", object.0));
        };
        self.demand(known.life == *life, || format!("the life of {} is {:?}, not {life:?}", known.name, known.life));
        for dim in &known.shape {
            self.dim(dim);
        }
        self.alive[object.index()] = true;
    }

    fn call(
        &mut self,
        id: ItemId,
        region: RegionId,
        callee: &Callee,
        args: &[Expr],
        (result, into): (Option<ValueId>, Option<&Place>),
    ) {
        for arg in args {
            self.argument(arg);
        }
        if let Some(into) = into {
            self.written(into);
        }
        if let Some(result) = result {
            self.defines(result, region, &Def::Result(id));
        }
        let target = match callee {
            Callee::External { .. } => return self.demand(into.is_none(), || "a struct of an external".into()),
            Callee::Proc(target) | Callee::Sweep(target, _) => target,
        };
        let Some(target) = self.program.procs.find(*target) else {
            return self.error(format!("procedure {} does not exist", target.0));
        };
        // A sweep's parameters are known where it is made, not here.
        if matches!(callee, Callee::Sweep(..)) {
            return;
        }
        let (found, expected) = (args.len(), target.params.len());
        let fits = found == expected || (target.has_list && found > expected);
        self.demand(fits, || format!("{found} arguments for {expected} parameters"));
        for (arg, param) in args.iter().zip(&target.params) {
            self.same(&arg.ty, &param.ty, &format!("the argument for {}", param.name));
        }
        if let Some(value) = result.and_then(|result| self.proc.values.get(result.index())) {
            self.same(&self.proc.vars[value.var].ty, &target.result_type, "the variable of the result");
        }
        if let Some(into) = into {
            self.same(&into.ty, &target.result_type, "the place of the result");
        }
    }

    fn parent(&mut self, child: RegionId, region: RegionId, id: ItemId) {
        let found = self.proc.regions[child].parent;
        self.demand(found == Some((region, id)), || format!("region {} has another parent: {found:?}", child.0));
    }

    /// A use of the value at the end of a region, by a join or a loop. Sweeps that name values, not variables, pass
    /// on values of other variables too.
    fn passed_on(&mut self, value: ValueId, var: VarId) {
        self.value(value);
        if self.proc.role == Role::Reverse {
            let found = self.proc.values.get(value.index()).map(|known| &self.proc.vars[known.var].ty);
            let fits = found == Some(&self.proc.vars[var].ty);
            self.demand(fits, || "a value of another type is passed on".into());
        } else {
            self.belongs(value, var);
        }
    }

    fn belongs(&mut self, value: ValueId, var: VarId) {
        let found = self.proc.values.get(value.index()).map(|known| known.var);
        if found != Some(var) {
            let name = print::value(self.proc, value);
            self.error(format!("{name} is a value of another variable"));
        }
    }

    fn branch(&mut self, id: ItemId, region: RegionId, arms: (RegionId, RegionId), joins: &[Join]) {
        for (arm, is_then) in [(arms.0, true), (arms.1, false)] {
            self.parent(arm, region, id);
            self.region_then(arm, |checker| {
                checker.context = Context::Item(id, " (joins)");
                for join in joins {
                    checker.passed_on(if is_then { join.then } else { join.otherwise }, join.var);
                }
            });
        }
        self.context = Context::Item(id, "");
        for (position, join) in joins.iter().enumerate() {
            let position = u32::try_from(position).unwrap_or(u32::MAX);
            self.belongs(join.out, join.var);
            self.defines(join.out, region, &Def::Join(id, position));
            let again = joins.iter().filter(|other| other.var == join.var).count() > 1;
            self.demand(!again, || "a variable is joined twice".into());
        }
    }

    fn repetition(
        &mut self,
        id: ItemId,
        region: RegionId,
        (test, at): (&Expr, TestAt),
        body: RegionId,
        carried: &[Carried],
    ) {
        self.parent(body, region, id);
        for each in carried {
            self.passed_on(each.init, each.var);
            let again = carried.iter().filter(|other| other.var == each.var).count() > 1;
            self.demand(!again, || "a variable is carried twice".into());
        }
        // Heads belong to the body; a test that comes first reads them too.
        let visible = self.visible.clone();
        for (position, each) in carried.iter().enumerate() {
            self.belongs(each.head, each.var);
            self.defines(each.head, body, &Def::Head(id, u32::try_from(position).unwrap_or(u32::MAX)));
        }
        if at == TestAt::Before {
            self.test(test);
        }
        self.visible = visible;
        self.region_then(body, |checker| {
            checker.context = Context::Item(id, " (ends)");
            for each in carried {
                checker.passed_on(each.end, each.var);
            }
            if at == TestAt::After {
                checker.test(test);
            }
        });
        self.context = Context::Item(id, "");
        for (position, each) in carried.iter().enumerate() {
            self.belongs(each.out, each.var);
            self.defines(each.out, region, &Def::Out(id, u32::try_from(position).unwrap_or(u32::MAX)));
        }
    }

    fn pushed(&mut self, what: &Pushed) {
        match what {
            Pushed::Value(value) => {
                self.expr(value);
                self.demand(value.ty.is_scalar(), || "what is pushed is no scalar".into());
            }
            Pushed::Bits { value, bits } => {
                self.integer(value);
                self.demand((1..=62).contains(bits), || format!("{bits} bits are pushed"));
            }
            Pushed::Count(value) => self.integer(value),
            Pushed::Elements { place, count } => {
                self.place(place, false);
                self.integer(count);
            }
            Pushed::Pointer { value, bases, base } => {
                self.integer(base);
                for pointer in bases.iter().chain([value]) {
                    self.expr(pointer);
                    self.demand(pointer.ty.target().is_some(), || "what is pushed is no pointer".into());
                }
                self.demand(!bases.is_empty(), || "there is no base".into());
            }
        }
    }

    fn popped(&mut self, id: ItemId, region: RegionId, what: &Popped) {
        match what {
            Popped::Value(value) => {
                let ty = self.popped_into(*value, id, region);
                self.demand(ty.is_scalar(), || "what is popped is no scalar".into());
            }
            Popped::Count(value) => self.popped_integer(*value, id, region),
            Popped::Memory(place) => self.written(place),
            Popped::Bits { value, bits } => {
                self.demand((1..=62).contains(bits), || format!("{bits} bits are popped"));
                self.popped_integer(*value, id, region);
            }
            Popped::Elements { place, count } => {
                self.integer(count);
                self.written(place);
            }
            Popped::Pointer { value, shadow, bases, shadows } => {
                for pointer in bases.iter().chain(shadows) {
                    self.expr(pointer);
                    self.demand(pointer.ty.target().is_some(), || "a base is no pointer".into());
                }
                self.demand(!bases.is_empty(), || "there is no base".into());
                let matching = shadow.is_none() || shadows.len() == bases.len();
                self.demand(matching, || "each base needs its shadow".into());
                for popped in [Some(value), shadow.as_ref()].into_iter().flatten() {
                    let ty = self.popped_into(*popped, id, region);
                    self.demand(ty.target().is_some(), || "what is popped is no pointer".into());
                }
            }
        }
    }

    fn snapshot(&mut self, id: ItemId, region: RegionId, snapshot: &Snapshot) {
        let Snapshot { at, memory, from, among, to, more } = snapshot;
        if let SnapshotAt::Head { passes: Some(passes), .. } = at {
            self.integer(passes);
        }
        for (place, count) in memory {
            self.written(place);
            self.integer(count);
        }
        from.iter().for_each(|value| self.expr(value));
        let types: Vec<Type> = to.iter().map(|value| self.popped_into(*value, id, region)).collect();
        if !matches!(at, SnapshotAt::First) && !to.is_empty() {
            let fits = from.iter().map(|value| &value.ty).eq(&types);
            self.demand(fits, || "what is kept and what comes back differ".into());
        }
        let all = if from.is_empty() { types } else { from.iter().map(|value| value.ty.clone()).collect() };
        let pointers = all.iter().map(|ty| matches!(ty, Type::Pointer(_)));
        let fits = among.len() == all.len() && pointers.zip(among).all(|(is, among)| is || among.is_empty());
        self.demand(fits, || "only a pointer is kept by its number among others".into());
        for pointer in among.iter().flatten() {
            self.expr(pointer);
            self.demand(matches!(pointer.ty, Type::Pointer(_)), || "one of these is no pointer".into());
        }
        more.iter().for_each(|more| self.popped_integer(*more, id, region));
    }

    fn popped_integer(&mut self, value: ValueId, id: ItemId, region: RegionId) {
        let ty = self.popped_into(value, id, region);
        self.demand(ty.is_integer(), || "what is popped is no integer".into());
    }

    /// Notes that an item pops a value: the type of its variable.
    fn popped_into(&mut self, value: ValueId, id: ItemId, region: RegionId) -> Type {
        self.defines(value, region, &Def::Popped(id));
        self.proc.values.get(value.index()).map_or(Type::Void, |known| self.proc.vars[known.var].ty.clone())
    }
}
