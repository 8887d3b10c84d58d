//! Pointers in the memory of a procedure: members of local structs.
//!
//! A pointer in memory has a shadow in the same place of the shadow's memory. The forward sweep knows no shadows, so the
//! reverse sweep sets pointers again where it enters the region of the object: both the pointer and its shadow, from
//! the expression that was stored last. So each member must be set at one place that always runs, before it is read.
//! A pointer that is stored anywhere else is refused, unless what it points to is passive and outlives the procedure,
//! a head hands it on at file scope, or no procedure reads it.

use super::builder::Builder;
use super::items::{binary, cast};
use super::leaves;
use super::reverse::{dereferenced, load};
use super::shadow::{self, Shadows};
use crate::ir::*;
use crate::refuse::Class;

const HELP: &str = "keep the pointer in a variable, or set the member once, where its struct is declared";

const HELP_AT_FILE_SCOPE: &str =
    "let the function that the head names set it to memory of its caller, once, before anything reads it";

impl Builder<'_> {
    /// Refuses pointers that are stored where the reverse sweep cannot set them again.
    pub(super) fn stored_pointers(&mut self) {
        let before = self.span;
        for at in self.primal.items.ids() {
            let item = &self.primal.items[at];
            self.span = item.span;
            if let ItemKind::Store { to, from } = &item.kind
                && is_pointer(&to.ty)
                && from.kind != ExprKind::Null
                && !self.is_set_again(to)
                && !self.is_by_offset(to)
                && self.is_lost(from)
                && !self.cx.facts.never_read(self.id, to)
                && !self.cx.facts.on_heap(self.id, from)
                && !self.cx.facts.hands_on(self.id, at)
            {
                let what = "a pointer is stored in memory: the reverse sweep cannot set its adjoint".into();
                let global = matches!(to.base, Base::Global(_));
                self.refuse(Class::Pointer, what, if global { HELP_AT_FILE_SCOPE } else { HELP });
            } else if let ItemKind::Call { into: Some(into), .. } = &item.kind
                && self.points(&into.ty)
            {
                let what = "a struct with pointers is returned: the reverse sweep cannot set their adjoints".into();
                self.refuse(Class::Pointer, what, "let the function set a struct that its caller passes");
            }
        }
        self.span = before;
    }

    /// Whether the object of a place is set again where the reverse sweep enters its region.
    fn is_set_again(&self, to: &Place) -> bool {
        let Base::Object(object) = to.base else { return false };
        matches!(self.primal.objects[object].life, Life::Region(_))
    }

    /// Whether the reverse sweep needs more than the pointer that memory holds at the end.
    fn is_lost(&self, from: &Expr) -> bool {
        (self.cx.facts.stable() && !self.cx.facts.fixed(self.id, from))
            || self.cx.facts.active_pointer_anywhere(self.id, from)
            || !self.cx.facts.blocks(self.id, from).is_empty()
    }

    /// Whether there is a pointer in a type that leads to memory.
    fn points(&self, ty: &Type) -> bool {
        match ty {
            Type::Pointer(_) => ty.leads_to_memory(),
            Type::Array(row) => self.points(&row.elem),
            Type::Struct(id) => self.cx.program.types.structs[*id].fields.iter().any(|field| self.points(&field.ty)),
            _ => false,
        }
    }

    /// The pointers in the shadow of a struct that is passed by value: those of the adjoint that is passed.
    pub(super) fn pointers_of_param(&mut self, object: ObjectId) {
        let Life::Param(k) = self.primal.objects[object].life else { return };
        let ty = self.primal.objects[object].elem.clone();
        let Some(at) = self.params.iter().position(|p| *p == ReverseParam::Adjoint(k)) else { return };
        if !self.points(&ty) {
            return;
        }
        if self.stores_of(object).next().is_some() || self.cx.facts.sets_pointers(self.id, object) {
            let what = "a pointer in a struct that is passed by value is changed".into();
            self.refuse(Class::Pointer, what, "copy the pointer to a variable, and change that");
            return;
        }
        let from = dereferenced(self.argument(at), &ty);
        let to = Place { base: Base::Object(self.shadow_of(object)), path: Vec::new(), ty };
        let (Some(to), Some(from)) = (leaves::pointers(self.cx.program, &to), leaves::pointers(self.cx.program, &from))
        else {
            let what = "a large struct with pointers is passed by value".to_owned();
            self.refuse(Class::Type, what, "pass a pointer to it");
            return;
        };
        for (to, from) in to.into_iter().zip(from) {
            self.emit(ItemKind::Store { to, from: load(from) });
        }
    }

    /// Stores of the pointers by which a head hands memory to what it calls: their adjoints are set where its reverse sweep
    /// begins.
    fn pointers_at_file_scope(&self) -> Vec<ItemId> {
        let hands_on = |at: &ItemId| {
            let ItemKind::Store { to, from } = &self.primal.items[*at].kind else { return false };
            let Base::Global(global) = to.base else { return false };
            is_pointer(&to.ty)
                && self.cx.global_shadows.contains_key(&global)
                && self.cx.facts.active_pointer_anywhere(self.id, from)
                && !self.cx.facts.on_heap(self.id, from)
                && self.cx.facts.hands_on(self.id, *at)
        };
        self.primal.items.ids().filter(hands_on).collect()
    }

    fn set_at_file_scope(&mut self, item: ItemId) {
        let Item { kind, span, .. } = &self.primal.items[item];
        let ItemKind::Store { to, from } = kind else { return };
        self.span = *span;
        if !self.reads_again(item, from) {
            return;
        }
        let (to, value) = (self.place(to), shadow::pointer(self, from));
        self.emit(ItemKind::Store { to, from: value });
    }

    /// Sets the pointers in the objects of a region again.
    pub(super) fn pointers_of_region(&mut self, region: RegionId) {
        let before = self.span;
        let home = |object: &ObjectId| {
            let life = &self.primal.objects[*object].life;
            let around = matches!(life, Life::Region(outer) if self.primal.is_within(region, *outer));
            around && self.home_of_pointers(*object) == Some(region)
        };
        let objects: Vec<ObjectId> = self.primal.objects.ids().filter(home).collect();
        let mut last: Vec<(ItemId, Option<ObjectId>)> = Vec::new();
        // One may be set from another: all are set in the order of the program.
        if region == RegionId(0) {
            last.extend(self.pointers_at_file_scope().into_iter().map(|item| (item, None)));
        }
        for object in objects {
            let (keep, active) = (self.cx.facts.keep(self.id, object), self.cx.facts.active_object(self.id, object));
            let plain = self.cx.facts.plain_pointers(self.id, object);
            if !self.points(&self.primal.objects[object].elem) || !(keep || active) || plain {
                continue;
            }
            let stores: Vec<ItemId> = self.stores_of(object).collect();
            self.span = self.primal.objects[object].span;
            if self.plan.by_offset.contains(&object) {
                continue;
            }
            if self.cx.facts.sets_pointers(self.id, object) || !self.set_once(region, object, &stores) {
                let name = &self.primal.objects[object].name;
                let what = format!("a pointer in '{name}' may change while '{name}' lives, or is not always set");
                self.refuse(Class::Pointer, what, HELP);
                continue;
            }
            for &item in &stores {
                last.retain(|(other, _)| self.target(*other) != self.target(item));
                last.push((item, Some(object)));
            }
        }
        last.sort_by_key(|(item, _)| self.primal.regions[region].items.iter().position(|i| i == item));
        for (item, object) in last {
            match object {
                Some(object) => self.set_again(item, object),
                None => self.set_at_file_scope(item),
            }
        }
        self.span = before;
    }

    /// Finds the objects whose pointers change, or are set in loops, and lead into one array each, that both sweeps can
    /// name: the reverse sweep has the pointers as they were, and finds adjoints by their offsets.
    pub(super) fn find_offsets(&mut self) {
        for object in self.primal.objects.ids() {
            let Object { life, elem, .. } = &self.primal.objects[object];
            let region = match life {
                Life::Region(region) => Some(*region),
                Life::Heap => None,
                _ => continue,
            };
            let stores: Vec<ItemId> = self.stores_of(object).collect();
            let calls = |item: &ItemId| matches!(self.primal.items[*item].kind, ItemKind::Call { .. });
            let is_row = matches!(&self.primal.objects[object].shape[..], [] | [Dim { extent: Some(_) }]);
            let touched = |call: &ItemId| self.cx.facts.touches(self.id, *call, object);
            let changed = |call: ItemId| self.cx.facts.writes_pointers(self.id, call, object) || !is_row;
            let passed = || self.primal.items.ids().filter(calls).filter(touched).any(changed);
            if self.points(elem)
                && !self.cx.wide
                && (self.cx.facts.keep(self.id, object) || self.cx.facts.active_object(self.id, object))
                && (self.cx.facts.sets_pointers(self.id, object)
                    || region.is_none_or(|region| !self.set_once(region, object, &stores)))
                && self.cx.facts.offsets_only(self.id, object)
                && !passed()
            {
                self.plan.by_offset.insert(object);
            }
        }
    }

    /// Sets the pointers in the shadows of such objects, as a call that is being reversed expects them.
    pub(super) fn set_offsets(&mut self) {
        let Some(call) = self.reversed else { return };
        let touched = |object: &ObjectId| self.cx.facts.touches(self.id, call, *object);
        for object in self.plan.by_offset.iter().copied().filter(touched).collect::<Vec<_>>() {
            let this = &self.out.objects[object];
            match this.shape.first().and_then(|dim| dim.extent.clone()) {
                Some(count) => self.each(*count, &mut |builder, at| builder.set_offsets_at(object, Some(at))),
                None => self.set_offsets_at(object, None),
            }
        }
    }

    /// Sets those of one element.
    fn set_offsets_at(&mut self, object: ObjectId, at: Option<Expr>) {
        let mut element = self.primal.objects[object].first(object);
        if let (Some(at), Some(Step::Index(subscripts))) = (at, element.path.first_mut()) {
            subscripts[0].at = at;
            subscripts[0].dim = Dim::default();
        }
        let Some(pointers) = leaves::pointers(self.cx.program, &element) else {
            let what = "a large struct with pointers is passed to a function".to_owned();
            self.refuse(Class::Type, what, "keep its pointers in variables");
            return;
        };
        for from in pointers {
            let pointer = load(from.clone());
            if !self.cx.facts.active_pointer(self.id, &pointer) {
                continue;
            }
            let Some(base) = self.cx.facts.only_base(self.id, &pointer) else { continue };
            let value = self.behind_base(pointer, &base);
            let to = Place { base: Base::Object(self.shadow_of(object)), ..from };
            self.emit(ItemKind::Store { to, from: value });
        }
    }

    /// A loop of the sweep over so many elements.
    fn each(&mut self, count: Expr, body: &mut dyn FnMut(&mut Self, Expr)) {
        let ty = Type::size();
        let value = |value| Expr::value(value, Type::size());
        let number = |n| Expr::constant(n, Type::size());
        let var = self.variable("k", &ty, VarKind::Temporary);
        let init = self.define(var, Def::Is(number(0)), self.at);
        self.emit(ItemKind::Let { value: init });
        let reversed = self.item(ItemKind::Sweep(SweepItem::Nothing));
        let (inside, outer) = self.open(reversed);
        let head = self.define(var, Def::Head(reversed, 0), inside);
        body(self, value(head));
        let next = binary(Binary::Add, value(head), number(1), ty.clone());
        let end = self.define(var, Def::Is(next), inside);
        self.emit(ItemKind::Let { value: end });
        self.at = outer;
        let out = self.define(var, Def::Out(reversed, 0), outer);
        let test = Expr::binary(Binary::Less, value(head), cast(count, &ty), Type::int());
        let carried = vec![Carried { var, init, head, end, out }];
        self.place_item(reversed, ItemKind::Loop { test, at: TestAt::Before, body: inside, carried });
    }

    /// The shadow of a pointer of the sweep that leads into an array of the primal.
    fn behind_base(&mut self, pointer: Expr, base: &Expr) -> Expr {
        let shadow = shadow::pointer(self, base);
        let (this, base) = (Box::new(pointer.clone()), Box::new(self.primal(base)));
        let long = Type::long();
        let at = Expr { kind: ExprKind::Binary(Binary::PointerDifference, this, base), ty: long };
        let path = vec![Step::Index(vec![Subscript { at, dim: Dim::default() }])];
        let ty = pointer.ty.target().cloned().unwrap_or_default();
        let place = Place { base: Base::At(Box::new(shadow)), path, ty };
        Expr { kind: ExprKind::Address(Box::new(place)), ty: pointer.ty }
    }

    /// Whether a place is in such an object.
    pub(super) fn is_by_offset(&self, place: &Place) -> bool {
        let inside = self.cx.facts.inside(self.id, place);
        inside.is_some_and(|objects| objects.iter().all(|object| self.plan.by_offset.contains(object)))
    }

    /// The shadow of a pointer that is read from such an object; `None` for other memory.
    pub(super) fn by_offset(&mut self, place: &Place) -> Option<Expr> {
        let inside = self.cx.facts.inside(self.id, place);
        let known = |object: &ObjectId| self.plan.by_offset.contains(object);
        let pointer = load(place.clone());
        match inside {
            Some(objects) if !objects.is_empty() && objects.iter().all(known) => {
                let base = self.cx.facts.only_base(self.id, &pointer)?;
                let pointer = self.primal(&pointer);
                Some(self.behind_base(pointer, &base))
            }
            _ if self.plan.by_offset.is_empty() => None,
            Some(objects) if !objects.iter().any(known) => None,
            _ => {
                let what = "the pointer that is read here may lie in a table whose pointers change, or elsewhere";
                self.refuse(Class::Pointer, what.into(), "read it from the table itself");
                None
            }
        }
    }

    /// Asks for what a pointer that is stored is read from, where the reverse sweep begins; whether that is possible.
    fn reads_again(&mut self, item: ItemId, from: &Expr) -> bool {
        if !walk::loads(from) {
            return true;
        }
        if !self.cx.facts.steady(self.id, item, from) {
            let what = "the pointer that is stored here is read from memory that changes".into();
            self.refuse(Class::NotProved, what, "read it into a variable first");
            return false;
        }
        self.again.push((item, from.clone()));
        true
    }

    fn set_again(&mut self, item: ItemId, object: ObjectId) {
        let ItemKind::Store { to, from } = &self.primal.items[item].kind else { return };
        self.span = self.primal.items[item].span;
        if !self.reads_again(item, from) {
            return;
        }
        let (to, from) = (to.clone(), from.clone());
        if self.cx.facts.keep(self.id, object) {
            let place = self.primal_place(&to);
            let value = self.primal(&from);
            self.emit(ItemKind::Store { to: place, from: value });
        }
        if self.cx.facts.active_object(self.id, object) && self.cx.facts.active_pointer(self.id, &from) {
            let place = self.place(&to);
            let value = shadow::pointer(self, &from);
            self.emit(ItemKind::Store { to: place, from: value });
        }
    }

    fn target(&self, item: ItemId) -> Option<&Place> {
        if let ItemKind::Store { to, .. } = &self.primal.items[item].kind { Some(to) } else { None }
    }

    /// The stores of pointers into an object, by its name.
    fn stores_of(&self, object: ObjectId) -> impl Iterator<Item = ItemId> {
        let primal = self.primal;
        let of = move |item: &ItemId| {
            let ItemKind::Store { to, .. } = &primal.items[*item].kind else { return false };
            is_pointer(&to.ty) && to.base == Base::Object(object)
        };
        primal.items.ids().filter(of)
    }

    /// The region whose entry sets the pointers in an object again: its own, or, where they are not set once in that,
    /// the innermost one that has all that concerns them. That is the rest of a function behind an early return, say.
    fn home_of_pointers(&self, object: ObjectId) -> Option<RegionId> {
        let this = &self.primal.objects[object];
        let Life::Region(mut region) = this.life else { return None };
        if !self.points(&this.elem) {
            return Some(region);
        }
        let stores: Vec<ItemId> = self.stores_of(object).collect();
        if stores.is_empty() || self.set_once(region, object, &stores) {
            return Some(region);
        }
        let declared = |item: &ItemId| matches!(self.primal.items[*item].kind, ItemKind::Declare { object: this } if this == object);
        loop {
            let items = self.primal.regions[region].items.iter();
            let concerned: Vec<ItemId> =
                items.copied().filter(|item| !declared(item) && self.concerns(*item, object, &stores)).collect();
            let [only] = concerned[..] else { return Some(region) };
            let item = &self.primal.items[only];
            let inner = item.kind.regions().into_iter().filter(|inner| {
                let items = &self.primal.regions[*inner].items;
                items.iter().any(|item| self.concerns(*item, object, &stores))
            });
            match inner.collect::<Vec<RegionId>>()[..] {
                [inner] if !self.reads_pointer(only, object) => region = inner,
                _ => return Some(region),
            }
        }
    }

    /// Whether an item, or one inside of it, reads or sets a pointer of the object.
    fn concerns(&self, item: ItemId, object: ObjectId, stores: &[ItemId]) -> bool {
        let inner = self.primal.items[item].kind.regions();
        let items = |region: &RegionId| &self.primal.regions[*region].items;
        stores.contains(&item)
            || !self.leaves_alone(item, object)
            || inner.iter().flat_map(items).any(|item| self.concerns(*item, object, stores))
    }

    /// Whether an item's own expressions read a pointer of the object.
    fn reads_pointer(&self, item: ItemId, object: ObjectId) -> bool {
        let own = crate::flow::walk::of_item(self.primal, &self.primal.items[item]);
        own.into_iter().any(|e| self.reads_pointer_in(e, object))
    }

    /// Whether an expression reads a pointer of the object.
    fn reads_pointer_in(&self, e: &Expr, object: ObjectId) -> bool {
        let mut found = false;
        crate::flow::walk::expr(e, &mut |x| {
            if let ExprKind::Load(place) = &x.kind
                && is_pointer(&place.ty)
            {
                found |= match &place.base {
                    Base::Object(other) => *other == object,
                    Base::Global(_) => false,
                    Base::At(pointer) => self.cx.facts.blocks(self.id, pointer).contains(&object),
                };
            }
        });
        found
    }

    /// Whether each pointer in the object is set in the object's own region, and none is read before the last of them.
    fn set_once(&self, region: RegionId, object: ObjectId, stores: &[ItemId]) -> bool {
        let items = &self.primal.regions[region].items;
        let position = |item: &ItemId| items.iter().position(|other| other == item);
        let Some(positions) = stores.iter().map(position).collect::<Option<Vec<usize>>>() else { return false };
        let steady = |step: &Step| match step {
            Step::Field(_) => true,
            Step::Index(all) => all.iter().all(|subscript| matches!(subscript.at.kind, ExprKind::Int(_))),
        };
        if !stores.iter().all(|item| self.target(*item).is_some_and(|to| to.path.iter().all(steady))) {
            return false;
        }
        let declared = |item: &ItemId| matches!(self.primal.items[*item].kind, ItemKind::Declare { object: this } if this == object);
        let first = items.iter().position(declared).unwrap_or(0);
        let last = positions.into_iter().max().unwrap_or(first);
        items[first..last].iter().all(|item| self.leaves_alone(*item, object))
    }

    /// Whether an item reads no pointer of the object.
    fn leaves_alone(&self, item: ItemId, object: ObjectId) -> bool {
        let reads = |e: &Expr| self.reads_pointer_in(e, object);
        let kind = &self.primal.items[item].kind;
        if let ItemKind::Let { value } = kind {
            return matches!(&self.primal.values[*value].def, Def::Is(e) if !reads(e));
        }
        if let ItemKind::Store { to, from } = kind {
            let address = Expr { kind: ExprKind::Address(Box::new(to.clone())), ty: Type::Void };
            return !reads(from) && !reads(&address);
        }
        let regions = kind.regions();
        if regions.is_empty() {
            // A call that cannot reach the object is no reader of it.
            return matches!(kind, ItemKind::Declare { .. }) || !self.cx.facts.touches(self.id, item, object);
        }
        // The zeros of an initialiser may be a loop over an array beside the pointer.
        !self.reads_pointer(item, object)
            && regions
                .into_iter()
                .all(|region| self.primal.regions[region].items.iter().all(|inner| self.leaves_alone(*inner, object)))
    }
}

fn is_pointer(ty: &Type) -> bool {
    matches!(ty, Type::Pointer(_))
}
