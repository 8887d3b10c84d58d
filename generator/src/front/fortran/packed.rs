//! PACK with a mask, UNPACK, and the places that MAXLOC and MINLOC find in an array of several dimensions: each is put into
//! memory, in front of the statement that reads it.

use super::make::*;
use super::state::{Array, Lower, Result};
use super::types::logical;
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::tree::expression::Expr as Written;

impl<'t> Lower<'_, 't> {
    /// Whether the elements of an expression are in memory already, by its place in the tree.
    pub fn is_in_memory(&self, expr: &Written) -> bool {
        self.constructed.contains_key(&std::ptr::from_ref(expr).addr())
    }

    /// Notes where the elements of an expression are.
    pub fn note_memory(&mut self, expr: &Written, array: Array) {
        self.constructed.insert(std::ptr::from_ref(expr).addr(), array);
    }

    /// The type of the elements of an expression.
    pub fn element_type(&mut self, expr: &'t Written) -> Result<Type> {
        match self.reader.scalar_type(&self.names.type_of(self.scope, expr).type_) {
            Ok(ty) => Ok(ty),
            Err(why) => self.refuse(expr.span, Class::Type, why, ""),
        }
    }

    /// The elements of an expression of arrays, in memory of their own.
    pub fn copied(&mut self, name: &str, value: &'t Written) -> Result<Array> {
        let ty = self.element_type(value)?;
        self.hoist_parts(value)?;
        let shape = self.shape(value)?;
        let array = self.scratch(name, ty, &shape);
        self.set_elements(&array, &mut |this, at| this.element(value, at))?;
        Ok(array)
    }

    /// Gives each element of an array a value.
    pub fn set_elements(
        &mut self,
        array: &Array,
        value: &mut dyn FnMut(&mut Self, &[Expr]) -> Result<Expr>,
    ) -> Result<()> {
        self.nest(&array.extents(), &mut |this, at| {
            let from = convert(value(this, at)?, &array.elem);
            this.b.emit(ItemKind::Store { to: array.element(at.to_vec()), from });
            Ok(())
        })
    }

    /// A counter that is 0.
    fn counter(&mut self, name: &str) -> VarId {
        let span = self.b.span;
        let var = self.b.var(name, Type::int(), VarKind::Temporary, span);
        self.b.assign(var, Expr::int(0));
        var
    }

    fn count_on(&mut self, counter: VarId) {
        let next = self.b.get(counter).offset(1);
        self.b.assign(counter, next);
    }

    /// `pack(array, mask, vector)`: the elements where the mask holds; the others are those of the vector.
    pub fn packed(
        &mut self,
        expr: &'t Written,
        (array, mask): (&'t Written, &'t Written),
        vector: Option<&'t Written>,
    ) -> Result<()> {
        if self.is_in_memory(expr) {
            return Ok(());
        }
        if self.names.type_of(self.scope, mask).rank == Some(0) {
            return self.refuse(mask.span, Class::Language, "PACK with a scalar mask", "write it as a branch");
        }
        let on = self.copied("mask", mask)?;
        let ty = self.element_type(array)?;
        self.hoist_parts(array)?;
        let shape = on.extents();
        let packed = match vector {
            Some(vector) => self.copied("packed", vector)?,
            None => {
                let count = self.counter("count");
                self.nest(&shape, &mut |this, at| {
                    this.b.begin_branch(Expr::load(on.element(at.to_vec())));
                    this.count_on(count);
                    this.b.end_branch();
                    Ok(())
                })?;
                let count = self.b.get(count);
                self.scratch("packed", ty.clone(), &[count])
            }
        };
        let next = self.counter("next");
        self.nest(&shape, &mut |this, at| {
            this.b.begin_branch(Expr::load(on.element(at.to_vec())));
            let from = convert(this.element(array, at)?, &ty);
            let to = packed.element(vec![this.b.get(next)]);
            this.b.emit(ItemKind::Store { to, from });
            this.count_on(next);
            this.b.end_branch();
            Ok(())
        })?;
        self.note_memory(expr, packed);
        Ok(())
    }

    /// `unpack(vector, mask, field)`: the elements of the vector where the mask holds, those of the field elsewhere.
    pub fn unpacked(&mut self, expr: &'t Written, [vector, mask, field]: [&'t Written; 3]) -> Result<()> {
        if self.is_in_memory(expr) {
            return Ok(());
        }
        let on = self.copied("mask", mask)?;
        let from = self.copied("vector", vector)?;
        self.hoist_parts(field)?;
        let is_scalar = self.names.type_of(self.scope, field).rank == Some(0);
        let shape = on.extents();
        let all = self.scratch("unpacked", from.elem.clone(), &shape);
        let next = self.counter("next");
        self.nest(&shape, &mut |this, at| {
            let to = all.element(at.to_vec());
            this.b.begin_branch(Expr::load(on.element(at.to_vec())));
            let value = Expr::load(from.element(vec![this.b.get(next)]));
            this.b.emit(ItemKind::Store { to: to.clone(), from: value });
            this.count_on(next);
            this.b.otherwise();
            let value = this.element(field, if is_scalar { &[] } else { at })?;
            this.b.emit(ItemKind::Store { to, from: convert(value, &from.elem) });
            this.b.end_branch();
            Ok(())
        })?;
        self.note_memory(expr, all);
        Ok(())
    }

    /// The subscripts of the largest or smallest element, from 1; all 0 if there is none.
    pub fn located(
        &mut self,
        expr: &'t Written,
        largest: bool,
        (array, mask): (&'t Written, Option<&'t Written>),
    ) -> Result<()> {
        if self.is_in_memory(expr) {
            return Ok(());
        }
        let ty = self.element_type(array)?;
        self.hoist_parts(array)?;
        mask.map_or(Ok(()), |mask| self.hoist_parts(mask))?;
        let shape = self.shape(array)?;
        let places = self.scratch("places", Type::int(), &[Expr::int(shape.len() as i128)]);
        let vars: Vec<VarId> = shape.iter().map(|_| self.counter("place")).collect();
        let span = self.b.span;
        let best = self.b.var("best", ty.clone(), VarKind::Temporary, span);
        self.b.assign(best, zero(&ty));
        let op = if largest { Binary::Greater } else { Binary::Less };
        self.nest(&shape, &mut |this, at| {
            if let Some(mask) = mask {
                let is_scalar = this.names.type_of(this.scope, mask).rank == Some(0);
                let on = this.element(mask, if is_scalar { &[] } else { at })?;
                this.b.begin_branch(on);
            }
            let x = this.element(array, at)?;
            let x = this.simple(x);
            let first = Expr::binary(Binary::Equal, this.b.get(vars[0]), Expr::int(0), logical());
            let better = Expr::binary(op, x.clone(), this.b.get(best), logical());
            this.b.begin_branch(Expr::binary(Binary::Or, first, better, logical()));
            this.b.assign(best, x);
            for (var, at) in vars.iter().zip(at) {
                this.b.assign(*var, convert(at.clone(), &Type::int()).offset(1));
            }
            this.b.end_branch();
            if mask.is_some() {
                this.b.end_branch();
            }
            Ok(())
        })?;
        for (k, var) in vars.into_iter().enumerate() {
            let from = self.b.get(var);
            self.b.emit(ItemKind::Store { to: places.element(vec![Expr::int(k as i128)]), from });
        }
        self.note_memory(expr, places);
        Ok(())
    }
}
