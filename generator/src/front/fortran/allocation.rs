//! ALLOCATE, DEALLOCATE and MOVE_ALLOC of variables of the procedure, and allocation by assignment.
//!
//! ```text
//!   allocate (a(n, 0:m))       an array that lives from here on, until its region of statements ends
//!   deallocate (a)             nothing names it from here on
//!   a = x*y                    where 'a' is not allocated: allocates it with the shape of the value
//! ```

use super::make::*;
use super::state::{Array, Lower, Memory, Result};
use super::types::logical;
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::scope::program::SymbolId;
use adtape_fortran::source::Span as At;
use adtape_fortran::tree::expression::{Argument, ArgumentValue, Expr as Written, Part, Reference};

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
            let [part] = &reference.parts[..] else {
                let help = "allocate it where the adjoint is called, or use an array of the procedure";
                return self.refuse(value.span, Class::Language, "a component is allocated", help);
            };
            self.allocate_one(part, source.or(mold), span)?;
            if let Some(source) = source {
                self.assign_source(reference, source)?;
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

    fn allocate_one(&mut self, part: &'t Part, like: Option<&'t Written>, span: At) -> Result<()> {
        let id = self.symbol(&part.name)?;
        let symbol = self.names.symbol(id);
        if !self.is_our_allocatable(id) {
            let help =
                "allocate variables of the procedure; those of modules and arguments before the adjoint is called";
            return self.refuse(span, Class::Language, format!("'{}' is allocated here", symbol.name), help);
        }
        if self.memory.contains_key(&id) {
            let what = format!("'{}' is allocated a second time", symbol.name);
            return self.refuse(span, Class::Language, what, "deallocate it before, or use another variable");
        }
        if symbol.dims.is_none() {
            return self.memory(id, span).map(drop);
        }
        let bounds = match (part.lists.first(), like) {
            (Some(list), _) => self.allocated_bounds(list, span)?,
            (None, Some(like)) => self.bounds_like(like)?,
            (None, None) => return self.refuse(span, Class::Language, "bounds are missing", ""),
        };
        self.new_array(id, bounds, span)
    }

    /// Whether a variable is an allocatable one of this procedure, with a life of its own.
    fn is_our_allocatable(&self, id: SymbolId) -> bool {
        let symbol = self.names.symbol(id);
        symbol.scope == self.own && symbol.flags.allocatable && !symbol.flags.dummy && !self.names.is_saved(id)
    }

    /// A variable that is allocated from here on.
    fn new_array(&mut self, id: SymbolId, (dims, lowers): Bounds, span: At) -> Result<()> {
        let name = self.names.symbol(id).name.to_string();
        let ty = self.type_of_symbol(id, span)?;
        if matches!(ty, Type::Struct(_)) && !self.b.at_top() {
            let what = format!("'{name}', of a derived type, is allocated in a branch or a loop");
            return self.refuse(span, Class::Language, what, "allocate it outside of branches and loops");
        }
        let is_taken = |name: &String| self.facts.lowers.contains_key(name);
        let numbered = (2..).map(|count| format!("{name}_{count}"));
        let unique = std::iter::once(name.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or(name);
        let place = self.span(span);
        let array = Array { deferred: true, ..self.declared_array(&unique, ty, dims, lowers, place) };
        let memory = Memory::Array(array);
        self.begun(id, &memory, span)?;
        self.memory.insert(id, memory);
        Ok(())
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
            dims.push(Dim { extent: Some(extent) });
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
            dims.push(Dim { extent: Some(self.steady(extent)) });
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
    fn assign_source(&mut self, to: &'t Reference, source: &'t Written) -> Result<()> {
        let id = self.symbol(&to.parts[0].name)?;
        let Memory::Array(array) = self.memory(id, to.span)? else {
            let value = self.scalar(source)?;
            let spot = self.place(to, &[])?;
            return self.assign_spot(spot, value, to);
        };
        self.fill_array(&array, source)
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
        let Some(name) = target.name() else { return Ok(false) };
        let id = self.symbol(name)?;
        let has_shape = self.names.type_of(self.scope, value).rank.is_some_and(|rank| rank > 0);
        if !self.is_our_allocatable(id) || self.names.symbol(id).dims.is_none() || !has_shape {
            return Ok(false);
        }
        // In a loop a pass would find what the one before made.
        let (before, is_alive) = match self.memory.get(&id) {
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
            let extents: Vec<Expr> = dims.iter().filter_map(|dim| dim.extent.clone()).collect();
            // Where the shapes are equal, the bounds stay.
            let from_one = |lowers: &[Expr]| lowers.iter().all(|lower| known(lower) == Some(1));
            let is_clear = from_one(&before) && from_one(&lowers);
            if !is_clear || is_alive && self.reference_shape(target)? == extents {
                return Ok(false);
            }
        }
        let old = self.memory.remove(&id);
        self.new_array(id, (dims, lowers), target.span)?;
        let Some(Memory::Array(new)) = self.memory.remove(&id) else { return Ok(false) };
        // The value may read what the name stood for.
        old.filter(|_| is_alive).into_iter().for_each(|old| drop(self.memory.insert(id, old)));
        let filled = self.fill_array(&new, value);
        self.memory.insert(id, Memory::Array(new));
        filled.map(|()| true)
    }

    /// `deallocate (a)`: nothing names it from here on.
    pub fn deallocate(&mut self, objects: &'t [Argument]) -> Result<()> {
        for object in objects.iter().filter(|object| object.keyword.is_none()) {
            let ArgumentValue::Expr(value) = &object.value else { continue };
            let Some(name) = value.name() else {
                let help = "deallocate it behind the call of the adjoint";
                return self.refuse(value.span, Class::Language, "a component is deallocated", help);
            };
            let id = self.symbol(name)?;
            if !self.is_our_allocatable(id) || !self.is_allocated_here(id) {
                let what = format!("'{}' is deallocated here", name.name);
                let help = "deallocate it in the branch or the loop in which it was allocated";
                return self.refuse(value.span, Class::Language, what, help);
            }
            if self.names.symbol(id).dims.is_some() {
                self.memory.remove(&id);
            }
        }
        self.no_failure(objects)
    }

    /// Whether an array was allocated among the statements at hand, not in a branch or a loop around them.
    fn is_allocated_here(&self, id: SymbolId) -> bool {
        match self.memory.get(&id) {
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

    /// `allocated(a)`, where the statements before show it.
    pub fn is_allocated(&mut self, expr: &'t Written, name: &'t Written) -> Result<Expr> {
        let id = match name.name() {
            Some(ident) => Some(self.symbol(ident)?),
            None => None,
        };
        if let Some(id) = id.filter(|id| self.is_our_allocatable(*id)) {
            let known = self.memory.get(&id).map(|memory| self.is_alive(memory));
            if known == Some(true) || known.is_none() && self.b.at_top() {
                return Ok(Expr::constant(i128::from(known.is_some()), logical()));
            }
        }
        // An argument is allocated where the procedure is called.
        if let Some(Memory::Array(Array { deferred: true, .. })) = id.and_then(|id| self.memory.get(&id))
            && id.is_some_and(|id| self.names.symbol(id).flags.dummy)
        {
            return Ok(Expr::constant(1, logical()));
        }
        let what = "whether this is allocated depends on what ran before";
        self.refuse(expr.span, Class::Language, what, "allocate it once, outside of branches and loops")
    }

    /// `call move_alloc(a, b)` of two variables of the procedure.
    pub fn move_allocation(&mut self, reference: &'t Reference) -> Result<()> {
        let list = self.arguments(&reference.parts[0], &["from", "to"]);
        let names = [0, 1].map(|at| list.get(at).copied().flatten().and_then(|value| value.name()));
        if let [Some(from), Some(to)] = names {
            let (from, to) = (self.symbol(from)?, self.symbol(to)?);
            let are_ours = self.is_our_allocatable(from) && self.is_our_allocatable(to);
            let is_free = !self.memory.contains_key(&to) || self.is_allocated_here(to);
            if are_ours && is_free && self.is_allocated_here(from) && self.names.symbol(from).dims.is_some() {
                let memory = self.memory.remove(&from).expect("it is allocated");
                self.memory.insert(to, memory);
                return Ok(());
            }
        }
        let what = "MOVE_ALLOC of what was not allocated among these statements";
        self.refuse(reference.span, Class::Language, what, "copy the array")
    }
}
