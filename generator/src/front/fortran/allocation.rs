//! ALLOCATE, DEALLOCATE and MOVE_ALLOC of variables of the procedure, and allocation by assignment.
//!
//! ```text
//!   allocate (a(n, 0:m))       an array that lives from here on, until its region of statements ends
//!   deallocate (a)             nothing names it from here on
//!   a = x*y                    where 'a' is not allocated: allocates it with the shape of the value
//!   allocate (s%a(n))          an allocatable component of a variable of the procedure: an array beside the variable
//! ```

use super::derived::inquiry_name;
use super::make::*;
use super::state::{Array, Lower, Memory, Result, Slot};
use super::types::logical;
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::scope::program::SymbolId;
use adtape_fortran::source::Span as At;
use adtape_fortran::tree::expression::{Argument, ArgumentValue, Expr as Written, Reference};

/// Dimensions and lower bounds.
type Bounds = (Vec<Dim>, Vec<Expr>);

impl<'t> Lower<'_, 't> {
    /// `allocate (a(n, 0:m), b, source=x, stat=k)`
    pub fn allocate(&mut self, typed: bool, objects: &'t [Argument], span: At) -> Result<()> {
        if typed {
            return self.refuse(span, Class::Language, "ALLOCATE with a type is not supported", "");
        }
        let named = |keyword: &str| {
            let has = |object: &&Argument| object.keyword.as_ref().is_some_and(|known| *known.name == *keyword);
            objects.iter().find(has).and_then(|object| match &object.value {
                ArgumentValue::Expr(value) => Some(value),
                _ => None,
            })
        };
        let (source, mold) = (named("source"), named("mold"));
        for object in objects.iter().filter(|object| object.keyword.is_none()) {
            let ArgumentValue::Expr(value) = &object.value else { continue };
            let Some(reference) = value.reference() else { continue };
            if let Some(id) = self.lasting_of(reference)? {
                let bounds = self.bounds_to_allocate(reference, source.or(mold), span)?;
                let array = self.allocate_lasting(id, bounds, span)?;
                source.map(|source| self.fill_array(&array, source)).transpose()?;
                continue;
            }
            let slot = self.allocate_one(reference, source.or(mold), span)?;
            if let Some(source) = source {
                self.assign_source(&slot, reference, source)?;
            }
        }
        self.no_failure(objects)
    }

    /// `stat=k` is 0: what fails otherwise stops the program.
    fn no_failure(&mut self, objects: &'t [Argument]) -> Result<()> {
        for object in objects {
            let is_status = object.keyword.as_ref().is_some_and(|keyword| &*keyword.name == "stat");
            if let (true, ArgumentValue::Expr(status)) = (is_status, &object.value)
                && let Some(reference) = status.reference()
            {
                let spot = self.place(reference, &[])?;
                self.assign_spot(spot, Expr::int(0), reference)?;
            }
        }
        Ok(())
    }

    fn allocate_one(&mut self, reference: &'t Reference, like: Option<&'t Written>, span: At) -> Result<Slot> {
        let Some(slot) = self.slot(reference)? else {
            let (name, help) = match &reference.parts[..] {
                [part] => (
                    format!("'{}' is allocated here", part.name.name),
                    "allocate variables of the procedure; those of modules and arguments before the adjoint is called",
                ),
                _ => (
                    "a component is allocated".to_string(),
                    "allocate it where the adjoint is called, or use a variable of the procedure that is no array",
                ),
            };
            return self.refuse(span, Class::Language, name, help);
        };
        let name = self.slot_name(&slot);
        if self.slot_memory(&slot).is_some() {
            let what = format!("'{name}' is allocated a second time");
            return self.refuse(span, Class::Language, what, "deallocate it before, or use another variable");
        }
        if self.is_scalar_slot(&slot) {
            return self.new_scalar(&slot, span).map(|()| slot);
        }
        let bounds = self.bounds_to_allocate(reference, like, span)?;
        self.new_array(&slot, bounds, span)?;
        Ok(slot)
    }

    /// The bounds that ALLOCATE gives: those behind the name, or those of SOURCE or MOLD.
    fn bounds_to_allocate(&mut self, reference: &'t Reference, like: Option<&'t Written>, span: At) -> Result<Bounds> {
        match (reference.parts.last().and_then(|part| part.lists.first()), like) {
            (Some(list), _) => self.allocated_bounds(list, span),
            (None, Some(like)) => self.bounds_like(like),
            (None, None) => self.refuse(span, Class::Language, "bounds are missing", ""),
        }
    }

    /// The allocatable variable of this procedure, or the component of one, that a reference names; none for others.
    pub fn slot(&mut self, reference: &'t Reference) -> Result<Option<Slot>> {
        let (last, way) = reference.parts.split_last().expect("a reference has a part");
        let Some(first) = way.first() else {
            let id = self.symbol(&last.name)?;
            if let Some(slot) = self.out.slots.get(&id) {
                return Ok(Some(slot.clone()));
            }
            return Ok(self.is_our_allocatable(id).then_some(Slot::Variable(id)));
        };
        if way.iter().any(|part| !part.lists.is_empty()) {
            return Ok(None);
        }
        let id = self.symbol(&first.name)?;
        let symbol = self.names.symbol(id);
        let is_own = self.owns(symbol.scope) && (!symbol.flags.dummy || self.out.dummies.contains(&id));
        if !is_own || self.names.is_saved(id) {
            return Ok(None);
        }
        let Memory::Scalar(mut place) = self.memory(id, first.name.span)? else { return Ok(None) };
        for number in 1..way.len() {
            let Memory::Scalar(inner) = self.component(&place, reference, number)? else { return Ok(None) };
            place = inner;
        }
        let (Base::Object(object), Type::Struct(id)) = (&place.base, &place.ty) else { return Ok(None) };
        let fields = &self.reader.types.structs[*id].fields;
        let field = fields.ids().find(|field| *fields[*field].name == *last.name.name);
        let field = field.filter(|field| fields[*field].ty.target().is_some());
        Ok(field.map(|field| Slot::Component(*object, way_to(&place, field))))
    }

    /// What a slot holds, if the statements before have allocated it.
    pub fn slot_memory(&self, slot: &Slot) -> Option<&Memory> {
        match slot {
            Slot::Variable(id) => self.memory.get(id),
            Slot::Component(..) => self.components.get(slot),
        }
    }

    fn fill_slot(&mut self, slot: &Slot, memory: Memory) {
        if let Slot::Component(object, _) = slot {
            self.beside.insert(*object);
        }
        match slot {
            Slot::Variable(id) => self.memory.insert(*id, memory),
            Slot::Component(..) => self.components.insert(slot.clone(), memory),
        };
    }

    pub fn empty_slot(&mut self, slot: &Slot) -> Option<Memory> {
        match slot {
            Slot::Variable(id) => self.memory.remove(id),
            Slot::Component(..) => self.components.remove(slot),
        }
    }

    fn slot_name(&self, slot: &Slot) -> String {
        let Slot::Component(object, way) = slot else {
            let Slot::Variable(id) = slot else { unreachable!("there are two kinds") };
            return self.names.symbol(*id).name.to_string();
        };
        let known = &self.b.proc().objects[*object];
        let (mut name, mut ty) = (known.name.clone(), known.elem.clone());
        for field in way {
            let Type::Struct(id) = ty else { break };
            let inner = &self.reader.types.structs[id].fields[*field];
            name = format!("{name}_{}", inner.name);
            ty = inner.ty.clone();
        }
        name
    }

    /// The type of an element of what a slot holds.
    fn slot_type(&mut self, slot: &Slot, span: At) -> Result<Type> {
        match slot {
            Slot::Variable(id) => self.type_of_symbol(*id, span),
            Slot::Component(..) => {
                let field = self.slot_field(slot).expect("a component").1;
                Ok(field.ty.target().map_or(Type::Void, |row| row.innermost().clone()))
            }
        }
    }

    /// The type that has a component, and the component.
    fn slot_field(&self, slot: &Slot) -> Option<(&Struct, &Field)> {
        let Slot::Component(object, way) = slot else { return None };
        let structs = &self.reader.types.structs;
        let (last, way) = way.split_last()?;
        let mut ty = &self.b.proc().objects[*object].elem;
        for field in way {
            let Type::Struct(id) = ty else { return None };
            ty = &structs[*id].fields[*field].ty;
        }
        let Type::Struct(id) = ty else { return None };
        Some((&structs[*id], &structs[*id].fields[*last]))
    }

    fn is_scalar_slot(&self, slot: &Slot) -> bool {
        match slot {
            Slot::Variable(id) => self.names.symbol(*id).dims.is_none(),
            Slot::Component(..) => self.slot_field(slot).is_some_and(|(of, field)| {
                let size = inquiry_name("size", &field.name, 1);
                of.fields.iter().all(|other| other.name != size)
            }),
        }
    }

    /// A scalar that is allocated from here on.
    fn new_scalar(&mut self, slot: &Slot, span: At) -> Result<()> {
        if let Slot::Variable(id) = slot {
            return self.memory(*id, span).map(drop);
        }
        let (name, ty) = (self.slot_name(slot), self.slot_type(slot, span)?);
        if !self.b.at_top() || matches!(ty, Type::Struct(_)) {
            let what = format!("'{name}', a component, is allocated here");
            return self.refuse(span, Class::Language, what, "allocate it outside of branches and loops");
        }
        let place = self.span(span);
        let unique = self.unique_array(&name);
        let Array { base, .. } = self.declared_array(&unique, ty.clone(), Vec::new(), Vec::new(), place);
        self.fill_slot(slot, Memory::Scalar(Place { base, path: Vec::new(), ty }));
        Ok(())
    }

    /// Whether a variable is an allocatable one of this procedure, with a life of its own.
    fn is_our_allocatable(&self, id: SymbolId) -> bool {
        let symbol = self.names.symbol(id);
        let is_own = self.owns(symbol.scope) && !symbol.flags.dummy && !self.names.is_saved(id);
        symbol.flags.allocatable && (is_own || self.lives_here(id))
    }

    /// A name that no other array of the procedure has.
    pub fn unique_array(&self, name: &str) -> String {
        let numbered = (2..).map(|count| format!("{name}_{count}"));
        let mut names = std::iter::once(name.to_string()).chain(numbered);
        names.find(|name| !self.facts.lowers.contains_key(name)).expect("numbers never end")
    }

    /// An array that is allocated from here on.
    fn new_array(&mut self, slot: &Slot, (dims, lowers): Bounds, span: At) -> Result<()> {
        let (name, ty) = (self.slot_name(slot), self.slot_type(slot, span)?);
        let is_struct = matches!(ty, Type::Struct(_));
        if is_struct && (!self.b.at_top() || matches!(slot, Slot::Component(..))) {
            let what = format!("'{name}', of a derived type, is allocated as a component, in a branch or in a loop");
            return self.refuse(span, Class::Language, what, "allocate a variable, outside of branches and loops");
        }
        let unique = self.unique_array(&name);
        let place = self.span(span);
        let array = Array { deferred: true, ..self.declared_array(&unique, ty, dims, lowers, place) };
        let memory = Memory::Array(array);
        if let Slot::Variable(id) = slot {
            self.begun(*id, &memory, span)?;
        }
        self.fill_slot(slot, memory);
        Ok(())
    }

    /// Refuses a variable as a whole whose components are arrays beside it.
    pub fn refuse_whole(&mut self) {
        let beside = self.beside.clone();
        if beside.is_empty() {
            return;
        }
        let proc = self.b.proc();
        let mut found = Vec::new();
        for (id, item) in proc.items.by_id() {
            walk::places_of_item(proc, id, &mut |place| {
                let is_beside = place.base.object().is_some_and(|object| beside.contains(&object));
                if is_beside && (place.ty.as_struct().is_some() || place.ty.target().is_some()) {
                    found.push(item.span);
                }
            });
        }
        for span in found {
            let what = "a variable whose components this procedure allocates is used as a whole here";
            let help = "pass its components, or allocate them where the adjoint is called";
            self.reader.refuse(span, Class::Language, what, help);
        }
    }

    fn allocated_bounds(&mut self, list: &'t [Argument], span: At) -> Result<Bounds> {
        let (mut dims, mut lowers) = (Vec::new(), Vec::new());
        for argument in list {
            let (lower, upper) = match &argument.value {
                ArgumentValue::Expr(upper) => (Expr::int(1), self.integer(upper)?),
                ArgumentValue::Section(section) => match (&section.lower, &section.upper) {
                    (Some(lower), Some(upper)) => (self.integer(lower)?, self.integer(upper)?),
                    _ => return self.refuse(span, Class::Language, "a bound is missing", ""),
                },
                _ => return self.refuse(span, Class::Language, "a bound of this kind is not supported", ""),
            };
            let lower = self.steady(lower);
            let extent = self.steady(subtract(upper, lower.clone()).offset(1));
            dims.push(Dim::of(extent));
            lowers.push(lower);
        }
        Ok((dims, lowers))
    }

    /// The bounds that an array gets from a value: those of a whole array, else from 1 on.
    fn bounds_like(&mut self, value: &'t Written) -> Result<Bounds> {
        self.hoist_parts(value)?;
        let shape = self.shape(value)?;
        let mut dims = Vec::new();
        for extent in shape {
            dims.push(Dim::of(self.steady(extent)));
        }
        let mut lowers = vec![Expr::int(1); dims.len()];
        if let Some(reference) = value.reference().filter(|one| self.is_variable(one) && self.is_whole(one))
            && let Memory::Array(array) = self.last_part(reference, &[])?.memory
        {
            lowers = array.lowers.into_iter().map(|lower| self.steady(lower)).collect();
        }
        Ok((dims, lowers))
    }

    /// `source=`: the value of a new variable.
    fn assign_source(&mut self, slot: &Slot, to: &'t Reference, source: &'t Written) -> Result<()> {
        if let Some(Memory::Array(array)) = self.slot_memory(slot).cloned() {
            return self.fill_array(&array, source);
        }
        let value = self.scalar(source)?;
        let spot = self.place(to, &[])?;
        self.assign_spot(spot, value, to)
    }

    /// Gives the elements of a new array their values.
    fn fill_array(&mut self, array: &Array, value: &'t Written) -> Result<()> {
        if matches!(array.elem, Type::Struct(_)) {
            let what = "a variable of a derived type gets its value where it is allocated";
            return self.refuse(value.span, Class::Type, what, "allocate it, then assign its elements");
        }
        self.hoist_parts(value)?;
        let is_scalar = self.names.type_of(self.scope, value).rank == Some(0);
        let same = if is_scalar {
            let value = self.scalar(value)?;
            Some(self.simple(value))
        } else {
            None
        };
        self.set_elements(array, &mut |this, at| {
            let from = match &same {
                Some(same) => same.clone(),
                None => this.element(value, at)?,
            };
            let is_truth = array.elem == logical();
            if is_truth != (from.ty == logical()) {
                return this.refuse(value.span, Class::Type, "a number and a logical are mixed", "");
            }
            Ok(from)
        })
    }

    /// `a = b` that allocates `a`: it was not allocated, or it had another shape. Says whether it was such a one.
    pub fn allocated_by(&mut self, target: &'t Reference, value: &'t Written) -> Result<bool> {
        let has_shape = self.names.type_of(self.scope, value).rank.is_some_and(|rank| rank > 0);
        if !has_shape || target.parts.iter().any(|part| !part.lists.is_empty()) {
            return Ok(false);
        }
        let Some(slot) = self.slot(target)?.filter(|slot| !self.is_scalar_slot(slot)) else { return Ok(false) };
        // In a loop a pass would find what the one before made.
        let (before, is_alive) = match self.slot_memory(&slot) {
            None => (None, false),
            Some(memory @ Memory::Array(array)) if array.deferred => {
                (Some(array.lowers.clone()), self.is_alive(memory))
            }
            Some(_) => return Ok(false),
        };
        if is_alive && !self.b.at_top() {
            return Ok(false);
        }
        let (dims, lowers) = self.bounds_like(value)?;
        if let Some(before) = before {
            let extents: Vec<Expr> = dims.iter().filter_map(|dim| dim.extent.as_deref().cloned()).collect();
            // Where the shapes are equal, the bounds stay.
            let from_one = |lowers: &[Expr]| lowers.iter().all(|lower| known(lower) == Some(1));
            let is_clear = from_one(&before) && from_one(&lowers);
            if !is_clear || is_alive && self.reference_shape(target)? == extents {
                return Ok(false);
            }
        }
        let old = self.empty_slot(&slot);
        self.new_array(&slot, (dims, lowers), target.span)?;
        let Some(Memory::Array(new)) = self.empty_slot(&slot) else { return Ok(false) };
        // The value may read what the name stood for.
        old.filter(|_| is_alive).into_iter().for_each(|old| self.fill_slot(&slot, old));
        let filled = self.fill_array(&new, value);
        self.fill_slot(&slot, Memory::Array(new));
        filled.map(|()| true)
    }

    /// `deallocate (a)`: nothing names it from here on.
    pub fn deallocate(&mut self, objects: &'t [Argument]) -> Result<()> {
        for object in objects.iter().filter(|object| object.keyword.is_none()) {
            let ArgumentValue::Expr(value) = &object.value else { continue };
            let slot = match value.reference() {
                Some(reference) => self.slot(reference)?,
                None => None,
            };
            let Some(slot) = slot.filter(|slot| self.is_allocated_here(slot)) else {
                let what = match value.name() {
                    Some(name) => format!("'{}' is deallocated here", name.name),
                    None => "a component is deallocated".to_string(),
                };
                let help = "deallocate it in the branch or the loop in which this procedure allocated it, or behind \
                            the call of the adjoint";
                return self.refuse(value.span, Class::Language, what, help);
            };
            if !self.is_scalar_slot(&slot) || matches!(slot, Slot::Component(..)) {
                self.empty_slot(&slot);
            }
            if let Slot::Variable(id) = slot {
                self.out.freed.insert(id);
            }
        }
        self.no_failure(objects)
    }

    /// Whether an array was allocated among the statements at hand, not in a branch or a loop around them.
    pub fn is_allocated_here(&self, slot: &Slot) -> bool {
        match self.slot_memory(slot) {
            Some(Memory::Array(Array { base: Base::Object(object), .. })) => {
                self.b.proc().objects[*object].life == Life::Region(self.b.region())
            }
            Some(Memory::Var(_) | Memory::Scalar(_)) => self.b.at_top(),
            Some(Memory::Array(_) | Memory::Value(_)) | None => false,
        }
    }

    /// Whether what an array lives in goes on where a name stands.
    pub fn is_alive(&self, memory: &Memory) -> bool {
        let Memory::Array(Array { base: Base::Object(object), deferred: true, .. }) = memory else { return true };
        match self.b.proc().objects[*object].life {
            Life::Region(region) => self.b.proc().is_within(self.b.region(), region),
            _ => true,
        }
    }

    /// `call move_alloc(a, b)` of two variables of the procedure.
    pub fn move_allocation(&mut self, reference: &'t Reference) -> Result<()> {
        let list = self.arguments(&reference.parts[0], &["from", "to"]);
        let mut slots = Vec::new();
        for at in [0, 1] {
            let given = list.get(at).copied().flatten().and_then(|value| value.reference());
            slots.extend(given.map(|given| self.slot(given)).transpose()?.flatten());
        }
        if let [from, to] = &slots[..] {
            let is_free = self.slot_memory(to).is_none() || self.is_allocated_here(to);
            if is_free && self.is_allocated_here(from) && !self.is_scalar_slot(from) {
                let memory = self.empty_slot(from).expect("it is allocated");
                self.fill_slot(to, memory);
                return Ok(());
            }
        }
        let what = "MOVE_ALLOC of what was not allocated among these statements";
        self.refuse(reference.span, Class::Language, what, "copy the array")
    }
}

/// The components from an object on to one of what lies at a place.
pub fn way_to(place: &Place, field: FieldId) -> Vec<FieldId> {
    let way = place.path.iter().filter_map(|step| match step {
        Step::Field(field) => Some(*field),
        Step::Index(_) => None,
    });
    way.chain([field]).collect()
}
