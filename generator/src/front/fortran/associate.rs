//! ASSOCIATE: names for variables, parts of arrays and values.

use super::components::Named;
use super::make::*;
use super::state::{Array, Lower, Memory, Result, Spot, Viewed};
use crate::front::jumps::Ends;
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::tree::expression::{ArgumentValue, Expr as Written, Ident, Reference};
use adtape_fortran::tree::statement::Statement;

impl<'t> Lower<'_, 't> {
    pub fn associate(
        &mut self,
        statement: &'t Statement,
        pairs: &'t [(Ident, Written)],
        inner: &'t [Statement],
    ) -> Result<Ends> {
        let here = self.names.scope_of(statement).unwrap_or(self.scope);
        let mut named = Vec::new();
        for (name, value) in pairs {
            named.push((name, self.associated(value)?));
        }
        for (name, memory) in named {
            if let Some(symbol) = self.names.scope(here).find(true, &name.name) {
                self.memory.insert(symbol, memory);
            }
        }
        self.construct(statement, |this| this.in_scope(here, |this| Ok(this.block(inner))))
    }

    /// What a name of ASSOCIATE stands for: the place as it is at the beginning, or a value.
    pub fn associated(&mut self, value: &'t Written) -> Result<Memory> {
        let rank = self.names.type_of(self.scope, value).rank;
        let Some(reference) = value.reference().filter(|reference| self.is_variable(reference)) else {
            if rank == Some(0) {
                let value = self.scalar(value)?;
                return Ok(Memory::Value(self.b.keep("associated", value)));
            }
            return self.copied("associated", value).map(Memory::Array);
        };
        if let Some(name) = reference.name() {
            let symbol = self.symbol(name)?;
            return self.memory(symbol, name.span);
        }
        if rank == Some(0) {
            return match self.place(reference, &[])? {
                Spot::Var(var) => Ok(Memory::Var(var)),
                Spot::Place(place) => Ok(Memory::Scalar(self.steady_place(place))),
            };
        }
        if !self.lies_in_one(reference) {
            let help = "name the array, and its components where they are used";
            let what = "ASSOCIATE names a component of each element of an array";
            return self.refuse(value.span, Class::Language, what, help);
        }
        let Named { part, memory, .. } = self.last_part(reference, &[])?;
        let Memory::Array(mut array) = memory else {
            return self.refuse(value.span, Class::Language, "a scalar stands where an array is expected", "");
        };
        if array.view.is_none() {
            let place = Place { base: array.base, path: array.path, ty: array.elem.clone() };
            let Place { base, path, .. } = self.steady_place(place);
            (array.base, array.path) = (base, path);
        }
        match reference.parts[part].lists.first() {
            None => Ok(Memory::Array(array)),
            Some(_) => self.section(array, reference, part),
        }
    }

    /// A section of an array, with subscripts of its own.
    fn section(&mut self, of: Array, reference: &'t Reference, part: usize) -> Result<Memory> {
        let shape = self.reference_shape(reference)?;
        let mut dims = Vec::new();
        for extent in shape {
            dims.push(Dim::of(self.steady(extent)));
        }
        let mut view = Vec::new();
        for (position, argument) in reference.parts[part].lists.iter().flatten().enumerate() {
            view.push(match &argument.value {
                ArgumentValue::Section(section) => {
                    let (first, stride) = self.first_and_stride(&of, position, section)?;
                    Viewed::Range { first: self.steady(first), stride: self.steady(stride) }
                }
                ArgumentValue::Expr(value) if self.names.type_of(self.scope, value).rank == Some(0) => {
                    let at = self.integer(value)?;
                    Viewed::At(self.steady(subtract(at, of.lowers[position].clone())))
                }
                _ => {
                    let what = "ASSOCIATE names elements by a vector of subscripts";
                    return self.refuse(reference.span, Class::Language, what, "copy them to an array");
                }
            });
        }
        let lowers = vec![Expr::int(1); dims.len()];
        let is_row = self.is_contiguous(reference);
        let elem = of.elem.clone();
        let (base, path) = (of.base.clone(), of.path.clone());
        let array = Array { path, ..Array::new(base, dims, lowers, elem) };
        Ok(Memory::Array(Array { view: Some(Box::new((of, view))), is_row, ..array }))
    }
}
