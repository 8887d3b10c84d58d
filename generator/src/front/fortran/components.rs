//! References to components, part by part: `grid%cell(i)%flux(2)`.

use super::allocation::way_to;
use super::derived::inquiry_name;
use super::make::*;
use super::state::{Array, Lower, Memory, Result, Slot};
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::scope::program::{SymbolId, Type as Declared};
use adtape_fortran::tree::declaration::Init;
use adtape_fortran::tree::expression::{Argument, ArgumentValue, Expr as Written, Ident, Part, Reference};

/// A part of a reference: its number, what it names, and the subscripts of the elements that are left for it.
pub struct Named<'a> {
    pub part: usize,
    pub memory: Memory,
    pub at: &'a [Expr],
}

impl<'t> Lower<'_, 't> {
    /// The last part of a reference. `at`: which element, from 0, where the reference is an array.
    pub fn last_part<'a>(&mut self, reference: &'t Reference, at: &'a [Expr]) -> Result<Named<'a>> {
        self.part_until(reference, at, false)
    }

    /// The part of a reference that makes it an array, or the last one.
    pub fn ranked_part(&mut self, reference: &'t Reference) -> Result<Named<'static>> {
        self.part_until(reference, &[], true)
    }

    fn part_until<'a>(&mut self, reference: &'t Reference, at: &'a [Expr], ranked: bool) -> Result<Named<'a>> {
        let first = &reference.parts[0];
        let symbol = self.symbol(&first.name)?;
        let mut memory = self.memory(symbol, first.name.span)?;
        let mut at = at;
        for (number, part) in reference.parts.iter().enumerate() {
            if part.image.is_some() || part.lists.len() > 1 {
                return self.refuse(reference.span, Class::Type, "a reference of this kind is not supported", "");
            }
            let rank = self.rank_of_part(&memory, part);
            let is_last = number + 1 == reference.parts.len();
            if is_last || ranked && rank > 0 {
                return Ok(Named { part: number, memory, at });
            }
            let (own, rest) = at.split_at(rank.min(at.len()));
            at = rest;
            let place = match &memory {
                Memory::Scalar(place) => place.clone(),
                Memory::Array(array) => {
                    let list = part.lists.first().map(Vec::as_slice);
                    let subscripts = self.subscripts(array, list, own, reference.span)?;
                    array.element(subscripts)
                }
                Memory::Var(_) | Memory::Value(_) => {
                    let what = format!("'{}' has no components", part.name.name);
                    return self.refuse(reference.span, Class::Language, what, "");
                }
            };
            memory = self.component(&place, reference, number + 1)?;
        }
        unreachable!("a reference has a part")
    }

    /// How many dimensions a part of a reference has.
    fn rank_of_part(&self, memory: &Memory, part: &Part) -> usize {
        let Memory::Array(array) = memory else { return 0 };
        let Some(list) = part.lists.first() else { return array.dims.len() };
        let is_ranked = |argument: &&Argument| match &argument.value {
            ArgumentValue::Section(_) => true,
            ArgumentValue::Expr(value) => self.names.type_of(self.scope, value).rank == Some(1),
            _ => false,
        };
        list.iter().filter(is_ranked).count()
    }

    /// A component of what lies at a place.
    pub fn component(&mut self, place: &Place, reference: &'t Reference, number: usize) -> Result<Memory> {
        let name = &reference.parts[number].name;
        if let Type::Struct(id) = place.ty {
            let fields = &self.reader.types.structs[id].fields;
            if let Some(field) = fields.ids().find(|field| *fields[*field].name == *name.name) {
                return match &place.base {
                    Base::Object(object) if fields[field].ty.target().is_some() => {
                        self.beside(place, *object, field, name)
                    }
                    _ => Ok(self.field(place, id, field)),
                };
            }
        }
        let component = match self.names.type_of_parts(self.scope, &reference.parts[..number]).type_ {
            Declared::Derived(id) if self.names.parent_named(id, &name.name).is_some() => {
                if number + 1 < reference.parts.len() {
                    return Ok(Memory::Scalar(place.clone()));
                }
                let what = format!("'{}' names all that the type extends", name.name);
                return self.refuse(name.span, Class::Type, what, "name the components one by one");
            }
            Declared::Derived(id) => self.names.component(id, &name.name),
            _ => None,
        };
        let what = match component.map(|component| self.reader.component_type(&component)) {
            Some(Err(why)) => format!("the component '{}' {why}", name.name),
            Some(Ok(_)) | None => format!("'{}' is no component that is supported", name.name),
        };
        self.refuse(name.span, Class::Type, what, "pass what it holds as an argument of its own")
    }

    /// An allocatable component of a variable of this procedure: an array beside it.
    fn beside(&mut self, place: &Place, object: ObjectId, field: FieldId, name: &Ident) -> Result<Memory> {
        let is_element = place.path.iter().any(|step| matches!(step, Step::Index(_)));
        let known = self.slot_memory(&Slot::Component(object, way_to(place, field))).cloned();
        match known.filter(|_| !is_element) {
            Some(memory) if self.is_alive(&memory) => Ok(memory),
            known => {
                let what = match known {
                    Some(_) => {
                        format!("'{}' is used behind the branch or the loop in which it is allocated", name.name)
                    }
                    None => format!("the statements before have not allocated the component '{}' here", name.name),
                };
                let help = "allocate it there, outside of branches and loops, as a component of a variable that is no \
                            array; or pass a variable whose components are allocated already";
                self.refuse(name.span, Class::Type, what, help)
            }
        }
    }

    /// A member of the struct at a place.
    pub fn field(&self, place: &Place, id: StructId, field: FieldId) -> Memory {
        let known = &self.reader.types.structs[id];
        if let Type::Pointer(_) = known.fields[field].ty {
            return self.allocated(place, id, field);
        }
        let lowers = self.reader.fortran.types.get(&known.name).and_then(|of| of.lowers.get(&known.fields[field].name));
        let path: Vec<Step> = place.path.iter().cloned().chain([Step::Field(field)]).collect();
        let (mut ty, mut dims) = (&known.fields[field].ty, Vec::new());
        while let Type::Array(row) = ty {
            dims.push(Dim::from(row.extent.map(|extent| Expr::int(extent.into()))));
            ty = &row.elem;
        }
        let (base, ty) = (place.base.clone(), ty.clone());
        let Some(lowers) = lowers else { return Memory::Scalar(Place { base, path, ty }) };
        dims.reverse();
        let lowers = lowers.iter().copied().map(Expr::int).collect();
        Memory::Array(Array { path, ..Array::new(base, dims, lowers, ty) })
    }

    /// What an allocatable component holds. Nothing here allocates it, so its bounds are what they are at entry.
    fn allocated(&self, place: &Place, id: StructId, field: FieldId) -> Memory {
        let fields = &self.reader.types.structs[id].fields;
        let member = |field: FieldId| {
            let path = place.path.iter().cloned().chain([Step::Field(field)]).collect();
            Expr::load(Place { base: place.base.clone(), path, ty: fields[field].ty.clone() })
        };
        let Field { name, ty, .. } = &fields[field];
        let inquiry = |function: &str, dim: usize| {
            let name = inquiry_name(function, name, dim);
            fields.ids().find(|field| fields[*field].name == name).map(member)
        };
        let base = Base::At(Box::new(member(field)));
        let elem = ty.target().map_or(Type::Void, |row| row.innermost().clone());
        let dims: Vec<Dim> = (1..).map_while(|dim| inquiry("size", dim)).map(Dim::of).collect();
        if dims.is_empty() {
            let first = Step::Index(vec![Subscript { at: Expr::int(0), dim: Dim::default() }]);
            return Memory::Scalar(Place { base, path: vec![first], ty: elem });
        }
        let lowers = (1..).map_while(|dim| inquiry("lbound", dim)).collect();
        Memory::Array(Array { deferred: true, ..Array::new(base, dims, lowers, elem) })
    }

    /// Does something with each scalar in a place.
    pub fn each_leaf(&mut self, place: &Place, work: &mut dyn FnMut(&mut Self, &Place) -> Result<()>) -> Result<()> {
        let Type::Struct(id) = place.ty else { return work(self, place) };
        for field in self.reader.types.structs[id].fields.ids().collect::<Vec<_>>() {
            let memory = self.field(place, id, field);
            self.each_element(&memory, &mut |this, place| this.each_leaf(place, work))?;
        }
        Ok(())
    }

    /// Does something with a scalar, or with each element of an array.
    fn each_element(&mut self, memory: &Memory, work: &mut dyn FnMut(&mut Self, &Place) -> Result<()>) -> Result<()> {
        match memory {
            Memory::Scalar(place) => work(self, place),
            Memory::Array(array) => {
                let extents = array.extents();
                self.nest(&extents, &mut |this, at| work(this, &array.element(at.to_vec())))
            }
            Memory::Var(_) | Memory::Value(_) => Ok(()),
        }
    }

    /// `a = b` of derived types, component by component.
    pub fn copy_struct(&mut self, to: &Place, from: &Place, reference: &'t Reference) -> Result<()> {
        self.whole_type(to, reference)?;
        self.copy_leaves(to, from)
    }

    /// Copies all numbers of a variable of a derived type.
    fn copy_leaves(&mut self, to: &Place, from: &Place) -> Result<()> {
        let skipped = to.path.len();
        let (to, from) = (to.clone(), from.clone());
        self.each_leaf(&to, &mut |this, leaf| {
            let mut source = from.clone();
            source.path.extend(leaf.path[skipped..].iter().cloned());
            source.ty = leaf.ty.clone();
            this.b.emit(ItemKind::Store { to: leaf.clone(), from: Expr::load(source) });
            Ok(())
        })
    }

    /// Refuses to copy a type of which some components are not read.
    fn whole_type(&mut self, place: &Place, reference: &'t Reference) -> Result<()> {
        let declared = self.names.type_of_reference(self.scope, reference).type_;
        let (Declared::Derived(id), Type::Struct(made)) = (declared, &place.ty) else { return Ok(()) };
        if self.names.components(id).len() == self.reader.types.structs[*made].fields.len() {
            return Ok(());
        }
        let what = format!("'{}' is copied, which has components that are not supported", self.names.symbol(id).name);
        self.refuse(reference.span, Class::Type, what, "assign its components one by one")
    }

    /// `t(1.0, b = 2.0)`: the values of the components of what lies at a place.
    pub fn structure(&mut self, to: &Place, id: SymbolId, value: &'t Reference) -> Result<()> {
        self.whole_type(to, value)?;
        let Type::Struct(made) = to.ty else {
            return self.refuse(value.span, Class::Type, "a number is expected here", "");
        };
        let list = value.parts[0].lists.first().map_or(&[][..], |list| list);
        let components = self.names.components(id);
        let mut given: Vec<Option<&'t Written>> = vec![None; components.len()];
        for (position, argument) in list.iter().enumerate() {
            let named = |name: &str| components.iter().position(|one| *one.entity.name.name == *name);
            let position = argument.keyword.as_ref().map_or(Some(position), |keyword| named(&keyword.name));
            match (position.and_then(|position| given.get_mut(position)), &argument.value) {
                (Some(slot), ArgumentValue::Expr(value)) => *slot = Some(value),
                _ => return self.refuse(value.span, Class::Language, "this value fits no component", ""),
            }
        }
        // All values are known before any component changes.
        let mut values = Vec::new();
        for (component, given) in components.iter().zip(given) {
            let (expr, scope) = match (given, &component.entity.init) {
                (Some(expr), _) => (expr, self.scope),
                (None, Some(Init::Value(expr))) => (expr, component.scope),
                (None, _) => return self.refuse(value.span, Class::Language, "a component has no value", ""),
            };
            let is_derived = self.reader.derived_of(component).is_some();
            values.push((self.in_scope(scope, |this| this.component_value(expr, is_derived))?, value));
        }
        for (field, (value, at)) in
            self.reader.types.structs[made].fields.ids().collect::<Vec<_>>().into_iter().zip(values)
        {
            let memory = self.field(to, made, field);
            self.give(&memory, &value, at)?;
        }
        Ok(())
    }

    /// The value of a component, which stays what it is now.
    fn component_value(&mut self, expr: &'t Written, is_derived: bool) -> Result<Memory> {
        let rank = self.names.type_of(self.scope, expr).rank;
        match (is_derived, rank) {
            (false, Some(0)) => {
                let value = self.scalar(expr)?;
                Ok(Memory::Value(self.b.keep("component", value)))
            }
            (false, Some(_)) => self.copied("component", expr).map(Memory::Array),
            (true, Some(0)) => {
                let from = self.struct_value(expr, &[])?;
                let copy = self.new_struct(expr, "component")?;
                self.copy_leaves(&copy, &from)?;
                Ok(Memory::Scalar(copy))
            }
            (_, _) => {
                let what = "a component that is an array of a derived type, in a constructor";
                self.refuse(expr.span, Class::Type, what, "assign its elements one by one")
            }
        }
    }

    /// Gives a component its value.
    fn give(&mut self, memory: &Memory, value: &Memory, at: &Reference) -> Result<()> {
        match (memory, value) {
            (_, Memory::Value(value)) => self.each_element(memory, &mut |this, to| {
                let from = convert(value.clone(), &to.ty);
                this.b.emit(ItemKind::Store { to: to.clone(), from });
                Ok(())
            }),
            (Memory::Scalar(to), Memory::Scalar(from)) if to.ty == from.ty => self.copy_leaves(to, from),
            (Memory::Array(to), Memory::Array(from)) if to.dims.len() == from.dims.len() => {
                self.set_elements(to, &mut |_, at| Ok(Expr::load(from.element(at.to_vec()))))
            }
            _ => self.refuse(at.span, Class::Type, "the value of a component has another type or shape", ""),
        }
    }

    /// Gives the components of a new variable their first values.
    pub fn first_values(&mut self, id: SymbolId, memory: &Memory) -> Result<()> {
        if !self.reader.has_first_values(id) {
            return Ok(());
        }
        let components = self.names.components(id);
        let memory = memory.clone();
        self.each_element(&memory, &mut |this, place| {
            let Type::Struct(made) = place.ty else { return Ok(()) };
            for component in &components {
                let fields = &this.reader.types.structs[made].fields;
                let Some(field) = fields.ids().find(|field| *fields[*field].name == *component.entity.name.name) else {
                    continue;
                };
                let memory = this.field(place, made, field);
                match &component.entity.init {
                    Some(Init::Value(value)) => this.first_value(&memory, value, component.scope)?,
                    Some(Init::Pointer(_) | Init::Data(_)) => {
                        let what = "a first value of this kind is not supported";
                        return this.refuse(component.entity.name.span, Class::Language, what, "write it behind `=`");
                    }
                    None => {
                        if let Some(inner) = this.reader.derived_of(component) {
                            this.first_values(inner, &memory)?;
                        }
                    }
                }
            }
            Ok(())
        })
    }

    fn first_value(
        &mut self,
        memory: &Memory,
        value: &'t Written,
        scope: adtape_fortran::scope::program::ScopeId,
    ) -> Result<()> {
        if let (Memory::Array(to), Some(1..)) = (memory, self.names.type_of(scope, value).rank) {
            self.in_scope(scope, |this| this.hoist_parts(value))?;
            return self.set_elements(to, &mut |this, at| this.in_scope(scope, |this| this.element(value, at)));
        }
        let value = self.in_scope(scope, |this| this.scalar(value))?;
        self.each_element(memory, &mut |this, to| {
            let from = convert(value.clone(), &to.ty);
            this.b.emit(ItemKind::Store { to: to.clone(), from });
            Ok(())
        })
    }
}
