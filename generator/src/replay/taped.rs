//! Pops: the mirror image of the pushes, and what they bring back.

use super::reverse::{Group, Walk};
use super::state::{Replay, Res, Side, Taped, open};
use super::terms::{P, Spot, T, Term, Version, Way, unnamed};
use crate::ir::*;

impl Replay<'_> {
    pub(super) fn take_nested(&mut self, walk: &mut Walk, of: ItemId) -> Res<()> {
        if !self.has_tape(of) {
            return Ok(());
        }
        match walk.tape.pop() {
            Some(top) if top == of => Ok(()),
            _ => Err(self.refuted("pops do not mirror pushes")),
        }
    }

    pub(super) fn pop(&mut self, walk: &mut Walk, what: &Popped) -> Res<()> {
        self.written = None;
        let Some(top) = walk.tape.last().copied() else {
            return Err(self.refuted("more is popped than was pushed"));
        };
        let r = self.r;
        // The arm of a branch, popped in front of it.
        if let (Popped::Bits { value, bits: 1 }, ItemKind::Branch { then, otherwise, .. }) =
            (what, &self.f.items[top].kind)
        {
            let mut arms = Vec::new();
            for arm in [then, otherwise] {
                let last = self.f.regions[*arm].items.iter().rev().find(|item| self.has_tape(**item));
                let Some(Taped::Bits(told, 1)) = last.and_then(|item| self.taped.get(item)) else {
                    return Err(self.refuted("pops do not mirror pushes"));
                };
                arms.push(*told);
            }
            let on = self.conditions[&top];
            let t = self.choose(on, arms[0], arms[1]);
            if !self.told.insert(top) {
                return Err(self.refuted("the arm of a branch is popped twice"));
            }
            self.names[value.index()] = Some(t);
            return Ok(());
        }
        let Some(taped) = self.taped.get(&top).cloned() else { return Err(self.refuted("pops do not mirror pushes")) };
        walk.tape.pop();
        let ty = |value: &ValueId| unnamed(r.type_of(*value));
        match (what, taped) {
            (Popped::Value(value), Taped::Value(t, of)) if ty(value) == of => self.names[value.index()] = Some(t),
            (Popped::Bits { value, bits }, Taped::Bits(t, of)) if *bits == of => self.names[value.index()] = Some(t),
            (Popped::Count(value), Taped::Count(t)) => self.names[value.index()] = Some(t),
            (Popped::Memory(place), Taped::Value(t, of)) if unnamed(&place.ty) == of => {
                let place = self.place(Side::Reverse, place)?;
                let place = self.as_stored(walk, place);
                if let Term::Load(_, from) = *self.terms.get(t)
                    && self.same_place(from, place)
                {
                    self.saving.insert(top);
                }
                self.restore(place, t);
            }
            (Popped::Elements { place, count }, Taped::Elements(from, number, version, of)) if place.ty == of => {
                let place = self.place(Side::Reverse, place)?;
                let count = self.integer(Side::Reverse, count)?;
                if !self.same_place(place, from) || !self.same(count, number) {
                    return Err(self.refuted("other elements are popped than were pushed"));
                }
                self.saving.insert(top);
                self.pop_elements(walk, place, count, version)?;
            }
            (Popped::Pointer { value, shadow, bases, shadows }, Taped::Pointer(t, from)) => {
                let mut mirrored = true;
                let bases = bases.iter().map(|base| self.eval(Side::Reverse, base)).collect::<Res<Vec<_>>>()?;
                // If only the shadow is needed, its bases stand for those of the pointer.
                let own: Vec<T> = from.iter().map(|base| self.shadow(*base)).collect();
                mirrored &= bases == from || shadow.is_some() && bases == own;
                if let Some(shadow) = shadow {
                    let shadows = shadows.iter().map(|base| self.eval(Side::Reverse, base)).collect::<Res<Vec<_>>>()?;
                    mirrored &= shadows == own;
                    let of = self.shadow(t);
                    self.names[shadow.index()] = Some(of);
                }
                if !mirrored {
                    return Err(self.refuted("a pointer is popped with other bases than it was pushed with"));
                }
                self.names[value.index()] = Some(t);
                if bases != from {
                    let lost = self.fresh();
                    self.names[value.index()] = Some(lost);
                }
            }
            _ => return Err(self.refuted("pops do not mirror pushes")),
        }
        Ok(())
    }

    /// A place as the store at hand named it, if it is the place of that store.
    fn as_stored(&mut self, walk: &Walk, place: P) -> P {
        let Some(Group::Item(item)) = walk.group else { return place };
        match self.stored.get(&item).copied() {
            Some(stored) if self.same_place(stored, place) => stored,
            _ => place,
        }
    }

    /// Memory gets a value back: that of the state at hand, or it is damaged.
    pub(super) fn restore(&mut self, place: P, value: T) {
        let here = self.read(self.at, place);
        if self.same(here, value) {
            self.restored(place);
        } else {
            self.damaged(place);
        }
    }

    fn pop_elements(&mut self, walk: &Walk, first: P, count: T, version: Version) -> Res<()> {
        // The old elements of a loop, in front of it.
        if let Some(Group::Item(item)) = walk.group
            && matches!(self.f.items[item].kind, ItemKind::Loop { .. })
        {
            if version != self.before[item.index()] {
                return Err(self.refuted("elements are popped in another state than they were pushed in"));
            }
            self.runs.push((item, first, count));
            return Ok(());
        }
        // The contents of an object, where its life ends or it is freed.
        let Spot { root, steps } = self.terms.get_spot(first).clone();
        let object = match *self.terms.get(root) {
            Term::Object(object) => object,
            _ => return open("elements of no object"),
        };
        let all = self.extent(object)?;
        if !self.is_first(&steps) || !self.same(all, count) {
            return Err(self.refuted("not all contents of an object come back"));
        }
        let whole = self.terms.spot(Spot { root, steps: if steps.is_empty() { steps } else { vec![Way::All] } });
        // What was pushed must be what the state at hand has.
        let holds = self.unwritten_since(version, whole);
        if holds {
            self.restored(whole);
            let terms = &self.terms;
            self.damage.retain(|section| section.place.is_none_or(|place| terms.get_spot(place).root != root));
            for place in self.pointers_to_objects(object) {
                self.damaged(place);
            }
        }
        Ok(())
    }

    /// Where an object has pointers to objects of the procedure: the reverse sweep has those elsewhere.
    fn pointers_to_objects(&mut self, object: ObjectId) -> Vec<P> {
        let (f, root) = (self.f, self.terms.make(Term::Object(object)));
        let mut all = Vec::new();
        for (at, item) in f.items.iter().enumerate() {
            let ItemKind::Store { to: Place { ty: Type::Pointer(_), .. }, .. } = &item.kind else { continue };
            let Some(&place) = self.stored.get(&ItemId::new(at)) else { continue };
            if self.terms.get_spot(place).root != root {
                continue;
            }
            let pointer = self.read(self.behind[at], place);
            if self.terms.mentions(pointer, &|term| matches!(term, Term::Object(_))) {
                all.push(place);
            }
        }
        all
    }

    /// Whether a place is the same in the state at hand and in an earlier or later one.
    fn unwritten_since(&mut self, version: Version, place: P) -> bool {
        version == self.at || self.read(self.at, place) == self.read(version, place)
    }

    /// Whether steps lead to an object itself, or to its first element.
    pub(super) fn is_first(&self, steps: &[Way]) -> bool {
        match *steps {
            [] => true,
            [Way::At(at)] => self.terms.constant(at) == Some(0),
            _ => false,
        }
    }

    /// Refuses a block, or the shadow of one, that has not the size of the block of the primal.
    pub(super) fn as_large(&mut self, own: ObjectId, count: &Expr) -> Res<()> {
        let (Origin::Primal(of) | Origin::Shadow(of)) = self.given.origins.objects[own.index()] else { return Ok(()) };
        let (here, there) = (self.integer(Side::Reverse, count)?, self.extent(of)?);
        self.agree(here, there, "a block is made again with another size")
    }

    /// Refuses an array, or the shadow of one, whose extents are not those of the array of the primal: they are evaluated
    /// where it is made again, before all is back that the program reads them from.
    pub(super) fn as_long(&mut self, own: ObjectId) -> Res<()> {
        let (Origin::Primal(of) | Origin::Shadow(of)) = self.given.origins.objects[own.index()] else { return Ok(()) };
        let (made, primal) = (&self.r.objects[own].shape, &self.f.objects[of].shape);
        let extents =
            made.iter().zip(primal).filter_map(|(here, there)| here.extent.as_deref().zip(there.extent.as_deref()));
        for (here, there) in extents {
            let (here, there) = (self.integer(Side::Reverse, here)?, self.integer(Side::Forward, there)?);
            self.agree(here, there, "an array is made again with another size")?;
        }
        Ok(())
    }

    /// The number of elements of an array of numbers with one dimension.
    pub(super) fn length(&mut self, root: T) -> Option<T> {
        let Term::Object(object) = *self.terms.get(root) else { return None };
        let this = &self.f.objects[object];
        if this.shape.len() != 1 || !matches!(this.elem, Type::Float { .. } | Type::Int { .. }) {
            return None;
        }
        self.extent(object).ok()
    }

    pub(super) fn extent(&mut self, object: ObjectId) -> Res<T> {
        let f = self.f;
        let this = &f.objects[object];
        if this.life == Life::Heap {
            let count = f.items.iter().find_map(|item| item.kind.count_of(object));
            let Some(count) = count else { return open("a block without a size") };
            return self.integer(Side::Forward, count);
        }
        let mut all = self.terms.number(1);
        for dim in &this.shape {
            let Some(extent) = &dim.extent else { return open("an array whose extents are not known") };
            let extent = self.integer(Side::Forward, extent)?;
            let Some(product) = self.terms.product(all, extent) else { return open("large extents") };
            all = product;
        }
        Ok(all)
    }

    pub(super) fn whole_of(&mut self, object: ObjectId, root: T) -> P {
        let this = &self.f.objects[object];
        let is_scalar = this.shape.is_empty() && this.elem.is_number() && this.life != Life::Heap;
        let steps = if is_scalar { Vec::new() } else { vec![Way::All] };
        self.terms.spot(Spot { root, steps })
    }

    /// The local objects of a region are gone where its reversal begins, until they are made again: as a rule by the items
    /// that reverse it, in a pass that has run again by that.
    pub(super) fn lose_locals(&mut self, region: RegionId) {
        let around = |region: &RegionId| self.f.regions[*region].parent;
        let mut all = std::iter::successors(around(&region), |(region, _)| around(region));
        if all.any(|(_, item)| self.passes.contains_key(&item)) {
            return;
        }
        let locals = self.f.objects.ids().filter(|object| self.f.objects[*object].life == Life::Region(region));
        for object in locals.collect::<Vec<_>>() {
            let root = self.terms.make(Term::Object(object));
            let whole = self.whole_of(object, root);
            self.damaged(whole);
        }
    }
}
