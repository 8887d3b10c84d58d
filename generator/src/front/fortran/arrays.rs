//! Arrays as a whole: shapes, loops over their elements, masks, memory.

use super::make::*;
use super::reductions::REDUCING;
use super::state::{Array, Called, Lower, Result};
use super::types::logical;
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::scope::value::Value as Constant;
use adtape_fortran::tree::expression::{ArgumentValue, Expr as Written, ExprKind as Kind};
use adtape_fortran::tree::statement::{Action, Arm, Statement};

/// Functions whose elements are not those of their argument at the same place.
pub const TRANSFORMED: [&str; 8] = ["cshift", "eoshift", "matmul", "pack", "reshape", "spread", "transpose", "unpack"];

/// A mask, and whether it is to hold.
type Masked = (Array, bool);

impl<'t> Lower<'_, 't> {
    /// The extents of an expression of arrays.
    pub fn shape(&mut self, expr: &'t Written) -> Result<Vec<Expr>> {
        if let Some(array) = self.constructed.get(&std::ptr::from_ref(expr).addr()) {
            return Ok(array.extents());
        }
        if let Some(call) = self.reader.operator(expr)
            && let Called::Procedure(scope) = self.called(&call.parts[0])
            && self.returns_array(scope)
        {
            let array = self.returned_array(expr, scope, call)?;
            return Ok(array.extents());
        }
        match &expr.kind {
            Kind::Parenthesised(inner) | Kind::Unary(_, inner) => self.shape(inner),
            Kind::Binary(_, left, right) => {
                let is_array = self.names.type_of(self.scope, left).rank != Some(0);
                self.shape(if is_array { left } else { right })
            }
            Kind::Array(_, items) => Ok(vec![self.items_count(items)?]),
            Kind::Reference(reference) if self.is_variable(reference) => self.reference_shape(reference),
            Kind::Reference(reference) => {
                let part = &reference.parts[0];
                let list = part.lists.first().map_or(&[][..], |list| list);
                let arguments = list.iter().filter_map(|argument| match &argument.value {
                    ArgumentValue::Expr(value) => Some(value),
                    _ => None,
                });
                let arguments: Vec<&'t Written> = arguments.collect();
                match self.called(part) {
                    Called::Intrinsic(name) if REDUCING.contains(&&*name) => {
                        return self.reduced_shape(expr, &name, part);
                    }
                    Called::Intrinsic(name) if matches!(&*name, "maxloc" | "minloc") => {
                        return self.location_shape(expr, &name, part);
                    }
                    Called::Intrinsic(name) if TRANSFORMED.contains(&&*name) => {
                        return self.transformed_shape(expr, &name, &arguments);
                    }
                    Called::Procedure(scope) if self.returns_array(scope) => {
                        let array = self.returned_array(expr, scope, reference)?;
                        return Ok(array.extents());
                    }
                    _ => {}
                }
                let array = arguments.into_iter().find(|value| self.names.type_of(self.scope, value).rank != Some(0));
                match array {
                    Some(array) => self.shape(array),
                    None => self.refuse(expr.span, Class::Language, "the shape of this expression is not known", ""),
                }
            }
            _ => self.refuse(expr.span, Class::Language, "the shape of this expression is not known", ""),
        }
    }

    fn transformed_shape(&mut self, expr: &'t Written, name: &str, list: &[&'t Written]) -> Result<Vec<Expr>> {
        match (name, list) {
            ("transpose", [matrix]) => {
                let mut shape = self.shape(matrix)?;
                shape.reverse();
                Ok(shape)
            }
            ("matmul", [a, b]) => {
                let (mut first, second) = (self.shape(a)?, self.shape(b)?);
                first.pop();
                first.extend(second.into_iter().skip(1));
                Ok(first)
            }
            ("cshift" | "eoshift", [array, ..]) => self.shape(array),
            ("reshape", [source, shape]) => {
                self.flatten(source)?;
                let Some(Constant::Array(extents, _)) = self.names.constant(self.scope, shape) else {
                    return self.reshaped(shape);
                };
                let extents = extents.iter().map(|extent| match extent {
                    Constant::Integer(extent, _) => Some(Expr::int(*extent)),
                    _ => None,
                });
                match extents.collect() {
                    Some(extents) => Ok(extents),
                    None => self.refuse(expr.span, Class::Language, "the shape of this expression is not known", ""),
                }
            }
            ("pack", [array, mask]) if self.names.constant(self.scope, mask) == Some(Constant::Logical(true, 4)) => {
                self.flatten(array)?;
                self.shape(array)
            }
            ("pack", [array, mask, vector @ ..]) if vector.len() < 2 => {
                self.packed(expr, (array, mask), vector.first().copied())?;
                self.shape(expr)
            }
            ("unpack", [vector, mask, field]) => {
                self.unpacked(expr, [vector, mask, field])?;
                self.shape(mask)
            }
            ("spread", [source, dim, copies]) => {
                let is_array = self.names.type_of(self.scope, source).rank != Some(0);
                let mut shape = if is_array { self.shape(source)? } else { Vec::new() };
                let copies = self.integer(copies)?;
                let dim = self.names.constant_integer(self.scope, dim).and_then(|dim| usize::try_from(dim - 1).ok());
                match dim.filter(|dim| *dim <= shape.len()) {
                    Some(dim) => shape.insert(dim, copies),
                    None => return self.refuse(expr.span, Class::Language, "the dimension is no constant", ""),
                }
                Ok(shape)
            }
            _ => self.refuse(expr.span, Class::Language, "the shape of this expression is not known", ""),
        }
    }

    /// The extents that the second argument of RESHAPE lists.
    fn reshaped(&mut self, shape: &'t Written) -> Result<Vec<Expr>> {
        let Kind::Array(_, items) = &shape.kind else {
            let what = "the shape is no list of extents";
            return self.refuse(shape.span, Class::Language, what, "write it as [n, m], or write loops");
        };
        let mut extents = Vec::new();
        for item in items {
            let extent = self.integer(item)?;
            extents.push(self.simple(extent));
        }
        Ok(extents)
    }

    /// A nest of loops over all elements, the first subscript running fastest: each with its subscripts from 0.
    pub fn nest(&mut self, shape: &[Expr], body: &mut dyn FnMut(&mut Self, &[Expr]) -> Result<()>) -> Result<()> {
        if shape.iter().any(|extent| known(extent).is_some_and(|extent| extent <= 0)) {
            return Ok(());
        }
        let extents: Vec<Expr> = shape.iter().map(|extent| self.extent(extent.clone())).collect();
        let mut vars = Vec::new();
        for (k, extent) in extents.iter().enumerate().rev() {
            let span = self.b.span;
            let var = self.b.var(&format!("k{}", k + 1), Type::int(), VarKind::Temporary, span);
            self.b.assign(var, Expr::int(0));
            self.b.begin_loop();
            let at = self.b.head(var);
            let extent = convert(extent.clone(), &Type::int());
            self.b.test(Expr::binary(Binary::Less, at, extent, logical()), TestAt::Before);
            vars.push(var);
        }
        let at: Vec<Expr> = vars.iter().rev().map(|var| self.b.get(*var)).collect();
        let found = body(self, &at);
        for var in vars.iter().rev() {
            let next = self.b.get(*var).offset(1);
            self.b.assign(*var, next);
            self.b.end_loop();
            self.b.close_scope(*var);
        }
        found
    }

    /// An extent that is the same in all passes.
    fn extent(&mut self, extent: Expr) -> Expr {
        match extent.kind {
            ExprKind::Int(_) | ExprKind::Value(_) => extent,
            _ => self.b.keep("extent", extent),
        }
    }

    /// A new array for so many elements.
    pub fn scratch(&mut self, name: &str, elem: Type, shape: &[Expr]) -> Array {
        let extents: Vec<Expr> = shape.iter().map(|extent| self.extent(extent.clone())).collect();
        let dims: Vec<Dim> = extents.into_iter().map(Dim::of).collect();
        let lowers = vec![Expr::int(1); dims.len()];
        let span = self.b.span;
        self.declared_array(name, elem, dims, lowers, span)
    }

    /// `where (mask) a = b`: the mask is evaluated before anything is assigned.
    pub fn where_statement(&mut self, mask: &'t Written, inner: &'t Statement) -> Result<()> {
        let mask = self.mask(mask)?;
        self.masked(&[(mask, true)], std::slice::from_ref(inner))
    }

    /// `where … elsewhere … end where`.
    pub fn where_construct(&mut self, arms: &'t [Arm]) -> Result<()> {
        self.masked_arms(&[], arms)
    }

    /// The arms of WHERE, as far as the masks around it allow.
    fn masked_arms(&mut self, around: &[Masked], arms: &'t [Arm]) -> Result<()> {
        let mut before = around.to_vec();
        for arm in arms {
            let own = match &arm.condition {
                Some(mask) => Some(self.mask(mask)?),
                None => None,
            };
            let mut all = before.clone();
            all.extend(own.iter().map(|mask| (mask.clone(), true)));
            self.masked(&all, &arm.block)?;
            before.extend(own.map(|mask| (mask, false)));
        }
        Ok(())
    }

    /// The values of a mask.
    fn mask(&mut self, mask: &'t Written) -> Result<Array> {
        self.hoist(mask)?;
        let shape = self.shape(mask)?;
        let array = self.scratch("mask", logical(), &shape);
        self.set_elements(&array, &mut |this, at| this.element(mask, at))?;
        Ok(array)
    }

    /// Assigns where masks hold or do not.
    fn masked(&mut self, masks: &[Masked], block: &'t [Statement]) -> Result<()> {
        for statement in block {
            self.b.span = self.span(statement.span);
            match &statement.action {
                Action::Assign(target, value) => {
                    let masks = masks.to_vec();
                    self.assign_elements(target, value, &mut |_, at| {
                        let all = masks.iter().map(|(mask, holds)| {
                            let mask = Expr::load(mask.element(at.to_vec()));
                            if *holds { mask } else { not(mask) }
                        });
                        all.reduce(|a, b| Expr::binary(Binary::And, a, b, logical()))
                    })?;
                }
                Action::Where(arms) => self.masked_arms(masks, arms)?,
                Action::WhereAction(mask, inner) => {
                    let mut all = masks.to_vec();
                    all.push((self.mask(mask)?, true));
                    self.masked(&all, std::slice::from_ref(&**inner))?;
                }
                _ => {
                    let what = "this statement inside of WHERE is not supported";
                    return self.refuse(statement.span, Class::Language, what, "write loops with IF");
                }
            }
        }
        Ok(())
    }
}
