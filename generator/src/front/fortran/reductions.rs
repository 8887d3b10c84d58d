//! Reductions, and products of matrices: loops over elements.

use super::expression::promoted;
use super::make::*;
use super::state::{Lower, Result};
use super::types::logical;
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::tree::expression::{Expr as Written, Part};

impl<'t> Lower<'_, 't> {
    /// The product of two elements.
    pub fn product_of(&mut self, a: &'t Written, at: &[Expr], b: &'t Written, other: &[Expr]) -> Result<Expr> {
        let (a, b) = (self.element(a, at)?, self.element(b, other)?);
        let ty = promoted(&a.ty, &b.ty);
        Ok(Expr::binary(Binary::Multiply, convert(a, &ty), convert(b, &ty), ty))
    }

    /// An element of a product of matrices.
    pub fn matrix_product(&mut self, expr: &'t Written, part: &'t Part, at: &[Expr]) -> Result<Expr> {
        let [a, b] = self.given(expr, part, ["matrix_a", "matrix_b"])?;
        let (first, second) = (self.shape(a)?, self.shape(b)?);
        let Some(inner) = first.last().cloned() else { return self.not_here(expr, "matmul") };
        let rows = first.len() - 1;
        if at.len() != rows + second.len() - 1 {
            return self.not_here(expr, "matmul");
        }
        let (row, column) = at.split_at(rows);
        let (row, column) = (row.to_vec(), column.to_vec());
        self.sum_over(expr, &[inner], &mut |this, k| {
            let left: Vec<Expr> = row.iter().chain(k).cloned().collect();
            let right: Vec<Expr> = k.iter().chain(&column).cloned().collect();
            this.product_of(a, &left, b, &right)
        })
    }

    /// A sum over a nest of loops.
    pub fn sum_over(
        &mut self,
        expr: &'t Written,
        shape: &[Expr],
        term: &mut dyn FnMut(&mut Self, &[Expr]) -> Result<Expr>,
    ) -> Result<Expr> {
        let declared = self.names.type_of(self.scope, expr).type_;
        let ty = match self.reader.scalar_type(&declared) {
            Ok(ty) => ty,
            Err(why) => return self.refuse(expr.span, Class::Type, why, ""),
        };
        let span = self.b.span;
        let var = self.b.var("total", ty.clone(), VarKind::Temporary, span);
        self.b.assign(var, zero(&ty));
        self.nest(shape, &mut |this, at| {
            let term = convert(term(this, at)?, &ty);
            let total = Expr::binary(Binary::Add, this.b.get(var), term, ty.clone());
            this.b.assign(var, total);
            Ok(())
        })?;
        Ok(self.b.get(var))
    }

    /// A reduction of a whole array to a scalar.
    pub fn reduction(&mut self, expr: &'t Written, name: &str, part: &'t Part) -> Result<Expr> {
        let is_test = matches!(name, "count" | "any" | "all");
        let names: &[&str] = if is_test { &["mask", "dim"] } else { &["array", "dim", "mask"] };
        let list = self.arguments(part, names);
        let Some(array) = list[0] else { return self.not_here(expr, name) };
        let (mut dim, mut mask) = (list.get(1).copied().flatten(), list.get(2).copied().flatten());
        // The second argument without a name is a mask if it is a logical.
        if let (Some(second), None, false) = (dim, mask, is_test) {
            let ty = self.names.type_of(self.scope, second).type_;
            if self.reader.scalar_type(&ty).is_ok_and(|ty| ty == logical()) {
                (dim, mask) = (None, Some(second));
            }
        }
        if dim.is_some() {
            return self.not_here(expr, &format!("{name} with dim"));
        }
        let of = self.names.type_of(self.scope, array).type_;
        let ty = match self.reader.scalar_type(&of) {
            Ok(_) if name == "count" => Type::int(),
            Ok(ty) => ty,
            Err(why) => return self.refuse(expr.span, Class::Type, why, ""),
        };
        let shape = self.shape(array)?;
        let span = self.b.span;
        let var = self.b.var("total", ty.clone(), VarKind::Temporary, span);
        let begin = match (name, &ty) {
            ("product", Type::Float { .. }) => real(1.0, &ty),
            ("product" | "all", _) => Expr::constant(1, ty.clone()),
            ("maxval" | "minval", Type::Float { bits }) => {
                let most = if *bits == 32 { f64::from(f32::MAX) } else { f64::MAX };
                real(if name == "maxval" { -most } else { most }, &ty)
            }
            ("maxval" | "minval", Type::Int { bits, .. }) => {
                let most = (1_i128 << (bits - 1)) - 1;
                Expr::constant(if name == "maxval" { -most - 1 } else { most }, ty.clone())
            }
            _ => zero(&ty),
        };
        self.b.assign(var, begin);
        self.nest(&shape, &mut |this, at| {
            if let Some(mask) = mask {
                let scalar = this.names.type_of(this.scope, mask).rank == Some(0);
                let on = this.element(mask, if scalar { &[] } else { at })?;
                this.b.begin_branch(on);
            }
            let x = this.element(array, at)?;
            let total = this.b.get(var);
            let next = match name {
                "product" => Expr::binary(Binary::Multiply, total, x, ty.clone()),
                "maxval" | "minval" => this.larger(name == "maxval", total, x),
                "count" => Expr::binary(Binary::Add, total, convert(x, &Type::int()), ty.clone()),
                "any" => Expr::binary(Binary::Or, total, x, logical()),
                "all" => Expr::binary(Binary::And, total, x, logical()),
                "norm2" => {
                    let x = this.simple(x);
                    let square = Expr::binary(Binary::Multiply, x.clone(), x, ty.clone());
                    Expr::binary(Binary::Add, total, square, ty.clone())
                }
                _ => Expr::binary(Binary::Add, total, x, ty.clone()),
            };
            this.b.assign(var, next);
            if mask.is_some() {
                this.b.end_branch();
            }
            Ok(())
        })?;
        let total = self.b.get(var);
        Ok(if name == "norm2" { self.unary_function("sqrt", total) } else { total })
    }
}
