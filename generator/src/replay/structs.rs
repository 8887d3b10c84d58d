//! Structs that are passed or returned by value: copies of memory, real by real.
//!
//! ```text
//!   forward sweep        s = add(s, a)            copies s and a into the call, and what it returns into s
//!   reverse sweep        add_rev(.., &s_b, .., &seed_b)
//!     of the callee      result_b += *add_b at its beginning,  *a_b += a_b_1 at its end
//!     of the caller      seed_b = s_b, s_b = 0 in front of it
//! ```

use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

use super::section::Section;
use super::state::{Replay, Res, Side, open};
use super::sums::{Holds, Linear};
use super::terms::{P, Spot, T, Term, Way};
use crate::ir::*;

/// Structs with more reals are not passed by value.
const MANY: usize = 256;

impl Replay<'_> {
    /// The ways to all reals in a type.
    fn ways_to_reals(&mut self, ty: &Type) -> Res<Vec<Vec<Way>>> {
        let mut all = Vec::new();
        self.add_ways(ty, &[], &mut all)?;
        Ok(all)
    }

    fn add_ways(&mut self, ty: &Type, way: &[Way], all: &mut Vec<Vec<Way>>) -> Res<()> {
        match ty {
            Type::Float { .. } if all.len() < MANY => all.push(way.to_vec()),
            Type::Float { .. } => return open("a large struct"),
            Type::Struct(id) => {
                let program = self.program;
                for (k, field) in program.types.structs[*id].fields.iter().enumerate() {
                    self.add_ways(&field.ty, &[way, &[Way::Field(k as u32)]].concat(), all)?;
                }
            }
            Type::Array(_) if !ty.is_open() => {
                let (mut elem, mut count) = (ty, 1u64);
                while let Type::Array(row) = elem
                    && let Some(extent) = row.extent
                {
                    (elem, count) = (&row.elem, count.saturating_mul(extent));
                }
                if count > MANY as u64 {
                    return open("a large struct");
                }
                for k in 0..count {
                    let at = Way::At(self.terms.number(i128::from(k)));
                    self.add_ways(elem, &[way, &[at]].concat(), all)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The places of all reals in a struct.
    fn reals_at(&mut self, place: P, ty: &Type) -> Res<Vec<P>> {
        let Spot { root, steps } = self.terms.get_spot(place).clone();
        let ways = self.ways_to_reals(ty)?;
        let at = |way: Vec<Way>| self.terms.spot(Spot { root, steps: [steps.clone(), way].concat() });
        Ok(ways.into_iter().map(at).collect())
    }

    /// The place that a pointer points to.
    fn behind_pointer(&mut self, pointer: T) -> P {
        let zero = self.terms.number(0);
        self.terms.spot(Spot { root: pointer, steps: vec![Way::At(zero)] })
    }

    /// Whether a place is where a caller wants the adjoint of a value.
    pub(super) fn is_of_value(&self, place: P) -> bool {
        let Term::Shadow(of) = *self.terms.get(self.terms.get_spot(place).root) else { return false };
        matches!(self.terms.get(of), Term::Entry(k) if !matches!(self.f.params[*k as usize].ty, Type::Pointer(_)))
    }

    /// Whether a place is in the shadow of an object of the procedure.
    pub(super) fn is_of_object(&self, place: P) -> bool {
        let Term::Shadow(of) = *self.terms.get(self.terms.get_spot(place).root) else { return false };
        matches!(self.terms.get(of), Term::Object(_))
    }

    fn whole_object(&mut self, object: ObjectId) -> P {
        let root = self.terms.make(Term::Object(object));
        self.terms.spot(Spot { root, steps: Vec::new() })
    }

    // ---- of the procedure ----------------------------------------------------------------------------------------

    /// A struct that the reverse sweep gets as it was passed: damaged if the forward sweep has written it.
    pub(super) fn passed_as_it_was(&mut self, own: ObjectId) {
        let Origin::Primal(object) = self.given.origins.objects[own.index()] else { return };
        let place = self.whole_object(object);
        let whole = self.whole(place);
        let first = self.starts[&RegionId(0)];
        if self.read(self.last, whole) != self.read(first, whole) {
            self.damaged(whole);
        }
    }

    /// Each real of the result gets its adjoint from the seed.
    pub(super) fn demanded_by_result(&mut self, object: ObjectId) -> Res<BTreeMap<P, Linear>> {
        let ty = self.f.objects[object].elem.clone();
        let seed = self.terms.make(Term::Seed);
        let from = self.behind_pointer(seed);
        let place = self.whole_object(object);
        let mut demanded = BTreeMap::new();
        if self.has_shadow(place) {
            let to = self.shadow_place(place);
            self.demand_sums(from, to, &ty, &mut demanded)?;
        }
        Ok(demanded)
    }

    /// Each real of a copy that was passed adds its adjoint to that of the argument.
    pub(super) fn demand_for_argument(
        &mut self,
        argument: u32,
        object: ObjectId,
        demanded: &mut BTreeMap<P, Linear>,
    ) -> Res<()> {
        let ty = self.f.objects[object].elem.clone();
        let place = self.whole_object(object);
        if !self.has_shadow(place) {
            return Ok(());
        }
        let from = self.shadow_place(place);
        let of = self.terms.make(Term::Entry(argument));
        let root = self.terms.make(Term::Shadow(of));
        let to = self.behind_pointer(root);
        self.demand_sums(from, to, &ty, demanded)
    }

    fn demand_sums(&mut self, from: P, to: P, ty: &Type, demanded: &mut BTreeMap<P, Linear>) -> Res<()> {
        for (from, to) in self.reals_at(from, ty)?.into_iter().zip(self.reals_at(to, ty)?) {
            let (added, found) = (self.found_before(from)?, self.found_before(to)?);
            let (added, mut sum) = (self.linear(added)?, self.linear(found)?);
            for (product, count) in added {
                *sum.entry(product).or_default() += count;
            }
            demanded.insert(to, sum);
        }
        Ok(())
    }

    /// Whether an item adds to the adjoint of an argument that is passed by value.
    pub(super) fn is_for_argument(&self, item: ItemId) -> bool {
        let ItemKind::Sweep(SweepItem::Accumulate { to: Place { base: Base::At(pointer), .. }, .. }) =
            &self.r.items[item].kind
        else {
            return false;
        };
        let ExprKind::Value(value) = pointer.kind else { return false };
        let roles = self.given.params.iter().zip(&self.r.params);
        roles.filter(|(_, param)| param.entry == Some(value)).any(|(role, _)| match role {
            ReverseParam::Adjoint(k) => {
                matches!(self.f.params[*k as usize].ty, Type::Float { .. } | Type::Struct(_))
            }
            _ => false,
        })
    }

    /// The place in the copy, of one in the struct that was passed.
    pub(super) fn of_copy(&mut self, place: P) -> P {
        let Spot { root, steps } = self.terms.get_spot(place).clone();
        let Term::Entry(k) = *self.terms.get(root) else { return place };
        match (self.f.params[k as usize].object, &steps[..]) {
            (Some(object), [Way::At(at), rest @ ..]) if self.terms.constant(*at) == Some(0) => {
                let root = self.terms.make(Term::Object(object));
                self.terms.spot(Spot { root, steps: rest.to_vec() })
            }
            _ => place,
        }
    }

    // ---- pointers in adjoints ------------------------------------------------------------------------------------

    /// A pointer in local memory, or its shadow, is set again.
    pub(super) fn set_pointer(&mut self, place: P, value: T) -> Res<()> {
        match self.unshadowed(place) {
            None => self.restore(place, value),
            Some(primal) => {
                let pointer = self.read(self.at, primal);
                let expected = self.shadow(pointer);
                if !self.same(value, expected) {
                    let is_global = matches!(self.terms.get(self.terms.get_spot(primal).root), Term::Global(_));
                    let first = &self.f.regions[RegionId::BODY].items;
                    if is_global && !first.iter().any(|item| self.stored.get(item) == Some(&primal)) {
                        return open("a pointer at file scope that some ways leave as it is");
                    }
                    return Err(self.refuted("the shadow of a pointer is set to something else"));
                }
                self.shadow_pointers.insert(place, value);
            }
        }
        Ok(())
    }

    /// The shadow of a pointer in the memory of adjoints.
    pub(super) fn load_shadow(&mut self, place: P, ty: &Type) -> Res<T> {
        let passed = self.unshadowed(place);
        let primal = passed.map(|passed| self.of_copy(passed));
        let Some(primal) = primal.filter(|_| matches!(ty, Type::Pointer(_))) else {
            return open("a number that is no real in the memory of adjoints");
        };
        if let Some(set) = self.shadow_pointers.get(&place) {
            return Ok(*set);
        }
        if let Term::Object(object) = self.terms.get(self.terms.get_spot(primal).root)
            && !matches!(self.f.objects[*object].life, Life::Param(_))
        {
            let root = self.terms.get_spot(place).root;
            let object = *object;
            if self.shadow_pointers.keys().any(|other| self.terms.get_spot(*other).root == root) {
                return self.any_shadow_pointer(root, object, primal);
            }
            return Err(self.refuted("the shadow of a pointer is read before it is set"));
        }
        let pointer = self.read(self.at, primal);
        // The adjoint of a struct that is passed by value has the shadows of the pointers that were passed.
        let entry = self.starts[&RegionId(0)];
        if passed == Some(primal) || self.read(entry, primal) != pointer {
            self.intact(primal)?;
        }
        Ok(self.shadow(pointer))
    }

    /// The shadow of some pointer of an object: all pointers that the primal stores there have theirs.
    fn any_shadow_pointer(&mut self, root: T, object: ObjectId, primal: P) -> Res<T> {
        let terms = &self.terms;
        let is_here = |place: &P| terms.get_spot(*place).root == root;
        let set: Vec<(P, T)> = self.shadow_pointers.iter().map(|(p, t)| (*p, *t)).filter(|(p, _)| is_here(p)).collect();
        let mut all = FxHashSet::default();
        for (place, is) in set {
            let Some(of) = self.unshadowed(place) else { return open("an array of pointers") };
            let pointer = self.read(self.at, of);
            let expected = self.shadow(pointer);
            if !self.same(is, expected) {
                return open("an array of pointers that change");
            }
            all.insert(of);
        }
        let f = self.f;
        let stores = f.items.iter().enumerate().filter_map(|(at, item)| {
            if let ItemKind::Store { to, .. } = &item.kind
                && matches!(to.ty, Type::Pointer(_))
            {
                self.stored.get(&ItemId::new(at))
            } else {
                None
            }
        });
        let own = |place: &&P| *self.terms.get(self.terms.get_spot(**place).root) == Term::Object(object);
        if stores.filter(own).any(|place| !all.contains(place)) {
            return open("an array of pointers of which some have no adjoint");
        }
        self.intact(primal)?;
        let pointer = self.read(self.at, primal);
        Ok(self.shadow(pointer))
    }

    // ---- of a call -----------------------------------------------------------------------------------------------

    /// What the struct that a call returns overwrites.
    pub(super) fn given_to(&mut self, call: ItemId) -> Res<Vec<Section>> {
        let f = self.f;
        let ItemKind::Call { into: Some(into), .. } = &f.items[call].kind else { return Ok(Vec::new()) };
        let at = std::mem::replace(&mut self.at, self.before[call.index()]);
        let place = self.place(Side::Forward, into);
        self.at = at;
        let whole = self.whole(place?);
        Ok(vec![self.section(whole)])
    }

    /// The adjoint of what a struct is assigned to, if it has one.
    fn shadow_of_struct(&mut self, into: &Place) -> Res<Option<P>> {
        let place = self.place(Side::Forward, into)?;
        let active = self.given.places.get(into).is_some_and(|known| known.active);
        Ok((active && self.has_shadow(place)).then(|| self.shadow_place(place)))
    }

    /// The adjoint of what a call's struct is assigned to is consumed.
    pub(super) fn demanded_by_struct(&mut self, into: &Place, demanded: &mut BTreeMap<P, Linear>) -> Res<()> {
        if let Some(shadow) = self.shadow_of_struct(into)? {
            demanded.extend(self.reals_at(shadow, &into.ty)?.into_iter().map(|real| (real, Linear::new())));
        }
        Ok(())
    }

    /// A call gets the adjoint of the struct that it returned, in memory of its own.
    pub(super) fn is_seed_of_struct(&mut self, call: ItemId, pointer: T) -> Res<()> {
        let f = self.f;
        let ItemKind::Call { into: Some(into), .. } = &f.items[call].kind else { return open("no call") };
        let own = match *self.terms.get(pointer) {
            Term::Address(place) => place,
            _ => return Err(self.refuted("the adjoint of a result has no place of its own")),
        };
        let root = self.terms.get_spot(own).root;
        if !matches!(self.terms.get(root), Term::Own(_)) || !self.terms.get_spot(own).steps.is_empty() {
            return Err(self.refuted("the adjoint of a result has no place of its own"));
        }
        let shadow = self.shadow_of_struct(into)?;
        let expected = shadow.map(|shadow| self.reals_at(shadow, &into.ty)).transpose()?;
        for (k, real) in self.reals_at(own, &into.ty)?.into_iter().enumerate() {
            let wanted = match &expected {
                Some(all) => {
                    let found = self.found_before(all[k])?;
                    self.linear(found)?
                }
                None => Linear::new(),
            };
            if self.holds(real)? != wanted {
                return Err(self.refuted("a call gets another adjoint of its result"));
            }
        }
        self.forget_adjoint(root);
        Ok(())
    }

    /// A call adds to adjoints: local ones must have been set before.
    pub(super) fn begins_with_something(&mut self, pointer: T) -> Res<()> {
        let Term::Address(place) = *self.terms.get(pointer) else { return Ok(()) };
        let root = self.terms.get_spot(place).root;
        if self.local_holds(root) == Some(Holds::Nothing) {
            return Err(self.refuted("an adjoint is passed before it is set"));
        }
        Ok(())
    }
}
