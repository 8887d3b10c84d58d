//! References as places: subscripts, sections.

use super::components::Named;
use super::make::*;
use super::state::{Array, Lower, Memory, Result, Spot};
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::scope::program::{self as scope, SymbolId};
use adtape_fortran::source::Span as Written;
use adtape_fortran::tree::expression::{Argument, ArgumentValue, Ident, Reference, Section};

impl<'t> Lower<'_, 't> {
    /// What a name stands for here.
    pub fn symbol(&mut self, name: &Ident) -> Result<SymbolId> {
        match self.names.lookup(self.scope, &name.name) {
            Some(symbol) => Ok(symbol),
            None => self.refuse(name.span, Class::Language, format!("'{}' is not declared", name.name), "declare it"),
        }
    }

    /// Whether a reference names a variable, or a part of one.
    pub fn is_variable(&self, reference: &Reference) -> bool {
        let symbol = self.names.lookup(self.scope, &reference.parts[0].name.name);
        symbol.map(|symbol| self.names.symbol(symbol)).is_some_and(|symbol| match symbol.class {
            scope::Class::Variable | scope::Class::Associated(_) => true,
            scope::Class::Constant => symbol.dims.is_some(),
            _ => false,
        })
    }

    /// The place of a reference. `at`: which element, from 0, where it is an array; nothing for a scalar.
    pub fn place(&mut self, reference: &'t Reference, at: &[Expr]) -> Result<Spot> {
        let Named { part, memory, at } = self.last_part(reference, at)?;
        match memory {
            Memory::Var(var) => Ok(Spot::Var(var)),
            Memory::Scalar(place) => Ok(Spot::Place(place)),
            Memory::Value(_) => {
                let what = format!("'{}' is no variable", reference.parts[part].name.name);
                self.refuse(reference.span, Class::Language, what, "")
            }
            Memory::Array(array) => {
                let list = reference.parts[part].lists.first().map(Vec::as_slice);
                let subscripts = self.subscripts(&array, list, at, reference.span)?;
                Ok(Spot::Place(array.element(subscripts)))
            }
        }
    }

    /// Subscripts from 0 of an element of a whole array, a section, or by themselves.
    pub fn subscripts(
        &mut self,
        array: &Array,
        list: Option<&'t [Argument]>,
        at: &[Expr],
        span: Written,
    ) -> Result<Vec<Expr>> {
        let Some(list) = list else {
            if at.len() != array.dims.len() {
                return self.refuse(span, Class::Language, "an array stands where a scalar is expected", "");
            }
            return Ok(at.to_vec());
        };
        if list.len() != array.dims.len() {
            return self.refuse(span, Class::Language, "the number of subscripts is not that of the dimensions", "");
        }
        let mut at = at.iter();
        let mut subscripts = Vec::new();
        for (position, argument) in list.iter().enumerate() {
            let lower = array.lowers[position].clone();
            let subscript = match &argument.value {
                ArgumentValue::Expr(value) if self.names.type_of(self.scope, value).rank == Some(1) => {
                    // A vector of subscripts.
                    let Some(at) = at.next() else { return self.no_element(span) };
                    let index = self.element(value, std::slice::from_ref(at))?;
                    subtract(index, lower)
                }
                ArgumentValue::Expr(value) => subtract(self.integer(value)?, lower),
                ArgumentValue::Section(section) => {
                    let Some(at) = at.next() else { return self.no_element(span) };
                    let (first, stride) = self.first_and_stride(array, position, section)?;
                    add(first, multiply(at.clone(), stride))
                }
                _ => return self.refuse(span, Class::Language, "this subscript is not supported", ""),
            };
            subscripts.push(subscript);
        }
        Ok(subscripts)
    }

    fn no_element<T>(&mut self, span: Written) -> Result<T> {
        self.refuse(span, Class::Language, "a section stands where a scalar is expected", "")
    }

    /// Where a section begins, from 0, and its stride.
    pub fn first_and_stride(&mut self, array: &Array, position: usize, section: &'t Section) -> Result<(Expr, Expr)> {
        let lower = array.lowers[position].clone();
        let stride = match &section.stride {
            Some(stride) => self.integer(stride)?,
            None => Expr::int(1),
        };
        let first = match &section.lower {
            Some(first) => subtract(self.integer(first)?, lower),
            None => match known(&stride) {
                Some(1..) => Expr::int(0),
                _ => self.extent_of(array, position, section.span)?.offset(-1),
            },
        };
        Ok((first, stride))
    }

    fn extent_of(&mut self, array: &Array, position: usize, span: Written) -> Result<Expr> {
        match &array.dims[position].extent {
            Some(extent) => Ok(*extent.clone()),
            None => self.refuse(span, Class::Language, "the last bound of this dimension is not known", "write it"),
        }
    }

    /// How many elements a section has: 0 or less if none.
    fn length_of(&mut self, array: &Array, position: usize, section: &'t Section) -> Result<Expr> {
        let (first, stride) = self.first_and_stride(array, position, section)?;
        let last = match &section.upper {
            Some(last) => subtract(self.integer(last)?, array.lowers[position].clone()),
            None => match known(&stride) {
                Some(1..) => self.extent_of(array, position, section.span)?.offset(-1),
                _ => Expr::int(0),
            },
        };
        if known(&stride) == Some(1) {
            return Ok(subtract(last, first).offset(1));
        }
        Ok(divide(add(subtract(last, first), stride.clone()), stride))
    }

    /// The extents of a reference to an array.
    pub fn reference_shape(&mut self, reference: &'t Reference) -> Result<Vec<Expr>> {
        let Named { part, memory: Memory::Array(array), .. } = self.ranked_part(reference)? else {
            return self.refuse(reference.span, Class::Language, "a scalar stands where an array is expected", "");
        };
        let mut shape = Vec::new();
        let Some(list) = reference.parts[part].lists.first() else {
            for position in 0..array.dims.len() {
                shape.push(self.extent_of(&array, position, reference.span)?);
            }
            return Ok(shape);
        };
        for (position, argument) in list.iter().enumerate() {
            match &argument.value {
                ArgumentValue::Section(section) => shape.push(self.length_of(&array, position, section)?),
                ArgumentValue::Expr(value) if self.names.type_of(self.scope, value).rank == Some(1) => {
                    shape.extend(self.shape(value)?);
                }
                _ => {}
            }
        }
        Ok(shape)
    }

    /// Whether a reference is a whole array by its last name: none of its parts before is an array.
    pub fn is_whole(&self, reference: &Reference) -> bool {
        reference.parts.last().is_some_and(|last| last.lists.is_empty()) && self.lies_in_one(reference)
    }

    /// Whether none of the parts before the last one is an array.
    pub fn lies_in_one(&self, reference: &Reference) -> bool {
        let before = &reference.parts[..reference.parts.len() - 1];
        before.is_empty() || self.names.type_of_parts(self.scope, before).rank == Some(0)
    }

    /// Whether the elements of the variable that a reference begins with follow each other.
    fn is_row(&self, reference: &Reference) -> bool {
        let id = self.names.lookup(self.scope, &reference.parts[0].name.name);
        match id.and_then(|id| self.memory.get(&id)) {
            Some(Memory::Array(array)) => array.is_row,
            Some(Memory::Var(_) | Memory::Scalar(_) | Memory::Value(_)) | None => true,
        }
    }

    /// Whether a reference is a row of memory without gaps: whole dimensions, then a range, then single subscripts.
    pub fn is_contiguous(&self, reference: &Reference) -> bool {
        if !self.lies_in_one(reference) || !self.is_row(reference) {
            return false;
        }
        let Some(list) = reference.parts.last().and_then(|last| last.lists.first()) else { return true };
        let mut whole = true;
        list.iter().all(|argument| match &argument.value {
            ArgumentValue::Section(Section { lower, upper, stride, .. }) => {
                let was_whole = std::mem::replace(&mut whole, lower.is_none() && upper.is_none() && stride.is_none());
                was_whole && stride.is_none()
            }
            ArgumentValue::Expr(value) => {
                whole = false;
                self.names.type_of(self.scope, value).rank == Some(0)
            }
            _ => false,
        })
    }

    /// A place whose subscripts stay what they are now.
    pub fn steady_place(&mut self, mut place: Place) -> Place {
        for step in &mut place.path {
            if let Step::Index(subscripts) = step {
                for subscript in subscripts {
                    if !matches!(subscript.at.kind, ExprKind::Int(_) | ExprKind::Value(_)) {
                        subscript.at = self.b.keep("subscript", subscript.at.clone());
                    }
                }
            }
        }
        place
    }
}
