//! Functions whose elements are those of their argument at other places.

use super::make::*;
use super::state::{Lower, Result};
use super::types::logical;
use crate::ir::*;
use adtape_fortran::tree::expression::{Expr as Written, Part};

impl<'t> Lower<'_, 't> {
    /// An element of what such a function gives.
    pub fn rearranged(&mut self, expr: &'t Written, name: &str, part: &'t Part, at: &[Expr]) -> Result<Expr> {
        match name {
            "reshape" | "pack" => {
                let list = self.arguments(part, &["array", "shape"]);
                let (Some(source), false) = (list[0], list.len() > 2) else { return self.not_here(expr, name) };
                let shape = self.shape(expr)?;
                self.in_order(source, &shape, at)
            }
            "cshift" => self.turned(expr, part, at),
            "eoshift" => self.shifted(expr, part, at),
            "matmul" => self.matrix_product(expr, part, at),
            "transpose" => {
                let [matrix] = self.given(expr, part, ["matrix"])?;
                let [row, column] = at else { return self.not_here(expr, name) };
                self.element(matrix, &[column.clone(), row.clone()])
            }
            "spread" => {
                let [source, dim, _] = self.given(expr, part, ["source", "dim", "ncopies"])?;
                let Some(dim) = self.names.constant_integer(self.scope, dim) else { return self.not_here(expr, name) };
                let without = at.iter().enumerate().filter(|(k, _)| *k as i128 + 1 != dim).map(|(_, at)| at.clone());
                let without: Vec<Expr> = without.collect();
                self.element(source, &without)
            }
            _ => self.not_here(expr, name),
        }
    }

    /// The element of an array that has the place in memory which these subscripts have in one of another shape.
    fn in_order(&mut self, source: &'t Written, shape: &[Expr], at: &[Expr]) -> Result<Expr> {
        let (mut place, mut stride) = (Expr::int(0), Expr::int(1));
        for (at, extent) in at.iter().zip(shape) {
            place = add(multiply(at.clone(), stride.clone()), place);
            stride = multiply(stride, extent.clone());
        }
        self.element(source, &[place])
    }

    /// How far CSHIFT or EOSHIFT shifts, in which dimension, and its extent.
    fn shift(&mut self, expr: &'t Written, name: &str, list: &[Option<&'t Written>; 3]) -> Result<(Expr, usize, Expr)> {
        let [Some(array), Some(by), dim] = *list else { return self.not_here(expr, name) };
        let dim = match dim {
            None => Some(0),
            Some(dim) => self.names.constant_integer(self.scope, dim).and_then(|dim| usize::try_from(dim - 1).ok()),
        };
        let shape = self.shape(array)?;
        let is_scalar = self.names.type_of(self.scope, by).rank == Some(0);
        let Some(dim) = dim.filter(|dim| *dim < shape.len() && is_scalar) else {
            return self.not_here(expr, name);
        };
        let by = self.integer(by)?;
        let ty = Type::int();
        Ok((convert(by, &ty), dim, self.simple(convert(shape[dim].clone(), &ty))))
    }

    /// An element of an array whose elements move in one dimension; others come in at the end.
    fn shifted(&mut self, expr: &'t Written, part: &'t Part, at: &[Expr]) -> Result<Expr> {
        let list = self.arguments(part, &["array", "shift", "boundary", "dim"]);
        let given = |at: usize| list.get(at).copied().flatten();
        let Some(array) = given(0) else { return self.not_here(expr, "eoshift") };
        let (by, dim, extent) = self.shift(expr, "eoshift", &[given(0), given(1), given(3)])?;
        let boundary = given(2);
        if boundary.is_some_and(|boundary| self.names.type_of(self.scope, boundary).rank != Some(0)) {
            return self.not_here(expr, "eoshift with an array of boundary values");
        }
        let ty = self.element_type(array)?;
        let from = self.b.keep("from", add(convert(at[dim].clone(), &Type::int()), by));
        let span = self.b.span;
        let var = self.b.var("shifted", ty.clone(), VarKind::Temporary, span);
        let is_above = Expr::binary(Binary::GreaterEqual, from.clone(), Expr::int(0), logical());
        let is_below = Expr::binary(Binary::Less, from.clone(), extent, logical());
        self.b.begin_branch(Expr::binary(Binary::And, is_above, is_below, logical()));
        let mut subscripts = at.to_vec();
        subscripts[dim] = from;
        let value = self.element(array, &subscripts)?;
        self.b.assign(var, value);
        self.b.otherwise();
        let value = match boundary {
            Some(boundary) => convert(self.scalar(boundary)?, &ty),
            None => zero(&ty),
        };
        self.b.assign(var, value);
        self.b.end_branch();
        Ok(self.b.get(var))
    }

    /// An element of an array whose elements go round in one dimension.
    fn turned(&mut self, expr: &'t Written, part: &'t Part, at: &[Expr]) -> Result<Expr> {
        let list = self.arguments(part, &["array", "shift", "dim"]);
        let given = |at: usize| list.get(at).copied().flatten();
        let Some(array) = given(0) else { return self.not_here(expr, "cshift") };
        let (by, dim, extent) = self.shift(expr, "cshift", &[given(0), given(1), given(2)])?;
        let ty = Type::int();
        let rest = |a: Expr| Expr::binary(Binary::Remainder, a, extent.clone(), ty.clone());
        // The remainder has the sign of the sum.
        let turned = rest(add(convert(at[dim].clone(), &ty), rest(by)));
        let turned = self.simple(turned);
        let mut subscripts = at.to_vec();
        subscripts[dim] = rest(add(turned, extent.clone()));
        self.element(array, &subscripts)
    }
}
