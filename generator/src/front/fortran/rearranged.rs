//! Functions whose elements are those of their argument at other places.

use super::make::*;
use super::state::{Lower, Result};
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
            "cshift" => self.shifted(expr, part, at),
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

    /// An element of an array whose elements go round in one dimension.
    fn shifted(&mut self, expr: &'t Written, part: &'t Part, at: &[Expr]) -> Result<Expr> {
        let list = self.arguments(part, &["array", "shift", "dim"]);
        let (Some(array), Some(by)) = (list[0], list[1]) else { return self.not_here(expr, "cshift") };
        let dim = match list.get(2).copied().flatten() {
            None => Some(0),
            Some(dim) => self.names.constant_integer(self.scope, dim).and_then(|dim| usize::try_from(dim - 1).ok()),
        };
        let shape = self.shape(array)?;
        let is_scalar = self.names.type_of(self.scope, by).rank == Some(0);
        let Some(dim) = dim.filter(|dim| *dim < shape.len() && is_scalar) else {
            return self.not_here(expr, "cshift");
        };
        let by = self.integer(by)?;
        let ty = Type::int();
        let (by, extent) = (convert(by, &ty), self.simple(convert(shape[dim].clone(), &ty)));
        let rest = |a: Expr| Expr::binary(Binary::Remainder, a, extent.clone(), ty.clone());
        // The remainder has the sign of the sum.
        let turned = rest(add(convert(at[dim].clone(), &ty), rest(by)));
        let turned = self.simple(turned);
        let mut subscripts = at.to_vec();
        subscripts[dim] = rest(add(turned, extent.clone()));
        self.element(array, &subscripts)
    }
}
