//! Reductions, and products of matrices: loops over elements.

use super::expression::promoted;
use super::make::*;
use super::state::{Lower, Result};
use super::types::logical;
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::scope::value::Value as Constant;
use adtape_fortran::tree::expression::{Expr as Written, Part};

/// The functions that take elements together, along all dimensions or one.
pub const REDUCING: [&str; 8] = ["all", "any", "count", "maxval", "minval", "norm2", "product", "sum"];

/// What a reduction is of.
#[derive(Clone, Copy)]
struct Reduced<'t> {
    array: &'t Written,
    /// Along which dimension, from 0; none for all.
    dim: Option<usize>,
    mask: Option<&'t Written>,
}

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

    /// The arguments of a reduction.
    fn reduced(&mut self, expr: &'t Written, name: &str, part: &'t Part) -> Result<Reduced<'t>> {
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
        let rank = usize::from(self.names.type_of(self.scope, array).rank.unwrap_or(0));
        let dim = match dim {
            None => None,
            Some(dim) => {
                let known = self.names.constant_integer(self.scope, dim).and_then(|dim| usize::try_from(dim - 1).ok());
                match known.filter(|dim| *dim < rank) {
                    Some(dim) => Some(dim),
                    None => {
                        let what = format!("the dimension of '{name}' is no constant");
                        return self.refuse(expr.span, Class::Language, what, "write a loop");
                    }
                }
            }
        };
        Ok(Reduced { array, dim, mask })
    }

    /// The extents of a reduction along one dimension.
    pub fn reduced_shape(&mut self, expr: &'t Written, name: &str, part: &'t Part) -> Result<Vec<Expr>> {
        let Reduced { array, dim, .. } = self.reduced(expr, name, part)?;
        let mut shape = self.shape(array)?;
        match dim {
            Some(dim) => drop(shape.remove(dim)),
            None => shape.clear(),
        }
        Ok(shape)
    }

    /// What a reduction begins with.
    fn neutral(name: &str, ty: &Type) -> Expr {
        match (name, ty) {
            ("product", Type::Float { .. }) => real(1.0, ty),
            ("product" | "all", _) => Expr::constant(1, ty.clone()),
            ("maxval" | "minval", Type::Float { bits }) => {
                let most = if *bits == 32 { f64::from(f32::MAX) } else { f64::MAX };
                real(if name == "maxval" { -most } else { most }, ty)
            }
            ("maxval" | "minval", Type::Int { bits, .. }) => {
                let most = (1_i128 << (bits - 1)) - 1;
                Expr::constant(if name == "maxval" { -most - 1 } else { most }, ty.clone())
            }
            _ => zero(ty),
        }
    }

    fn reduce_one(&mut self, name: &str, total: Expr, x: Expr) -> Expr {
        let ty = total.ty.clone();
        match name {
            "product" => Expr::binary(Binary::Multiply, total, x, ty),
            "maxval" | "minval" => self.larger(name == "maxval", total, x),
            "count" => Expr::binary(Binary::Add, total, convert(x, &Type::int()), ty),
            "any" => Expr::binary(Binary::Or, total, x, logical()),
            "all" => Expr::binary(Binary::And, total, x, logical()),
            "norm2" => {
                let x = self.simple(x);
                let square = Expr::binary(Binary::Multiply, x.clone(), x, ty.clone());
                Expr::binary(Binary::Add, total, square, ty)
            }
            _ => Expr::binary(Binary::Add, total, x, ty),
        }
    }

    /// A loop over the elements that a reduction takes together: all, or those along its dimension at these subscripts
    /// of the others. Where a mask says no, nothing is done.
    fn over_reduced(
        &mut self,
        reduced: &Reduced<'t>,
        at: &[Expr],
        body: &mut dyn FnMut(&mut Self, &Expr, Expr) -> Result<()>,
    ) -> Result<()> {
        let Reduced { array, dim, mask } = *reduced;
        let all = self.shape(array)?;
        let shape = dim.map_or(all.clone(), |dim| vec![all[dim].clone()]);
        self.nest(&shape, &mut |this, inner| {
            let mut subscripts = inner.to_vec();
            if let Some(dim) = dim {
                subscripts = at.to_vec();
                subscripts.insert(dim.min(at.len()), inner[0].clone());
            }
            if let Some(mask) = mask {
                let scalar = this.names.type_of(this.scope, mask).rank == Some(0);
                let on = this.element(mask, if scalar { &[] } else { &subscripts })?;
                this.b.begin_branch(on);
            }
            let x = this.element(array, &subscripts)?;
            body(this, &inner[0], x)?;
            if mask.is_some() {
                this.b.end_branch();
            }
            Ok(())
        })
    }

    /// A reduction of a whole array to a scalar, or an element of one along a dimension.
    pub fn reduction(&mut self, expr: &'t Written, name: &str, part: &'t Part, at: &[Expr]) -> Result<Expr> {
        let reduced = self.reduced(expr, name, part)?;
        let of = self.names.type_of(self.scope, reduced.array).type_;
        let ty = match self.reader.scalar_type(&of) {
            Ok(_) if name == "count" => Type::int(),
            Ok(ty) => ty,
            Err(why) => return self.refuse(expr.span, Class::Type, why, ""),
        };
        self.hoist_parts(reduced.array)?;
        if let Some(mask) = reduced.mask {
            self.hoist_parts(mask)?;
        }
        let span = self.b.span;
        let var = self.b.var("total", ty.clone(), VarKind::Temporary, span);
        self.b.assign(var, Self::neutral(name, &ty));
        self.over_reduced(&reduced, at, &mut |this, _, x| {
            let total = this.b.get(var);
            let next = this.reduce_one(name, total, x);
            this.b.assign(var, next);
            Ok(())
        })?;
        let total = self.b.get(var);
        Ok(if name == "norm2" { self.unary_function("sqrt", total) } else { total })
    }

    /// The array in which MAXLOC or MINLOC looks.
    fn located_in(&mut self, expr: &'t Written, name: &str, part: &'t Part) -> Result<Reduced<'t>> {
        let list = self.arguments(part, &["array", "dim", "mask", "kind", "back"]);
        let back = list.get(4).copied().flatten();
        let is_last =
            back.is_some_and(|back| self.names.constant(self.scope, back) != Some(Constant::Logical(false, 4)));
        if is_last || list.len() > 5 {
            return self.not_here(expr, &format!("{name} of the last such element"));
        }
        self.reduced(expr, name, part)
    }

    /// The extents of what MAXLOC or MINLOC gives.
    pub fn location_shape(&mut self, expr: &'t Written, name: &str, part: &'t Part) -> Result<Vec<Expr>> {
        let Reduced { array, dim, mask } = self.located_in(expr, name, part)?;
        let rank = self.names.type_of(self.scope, array).rank.unwrap_or(1);
        if dim.is_some() {
            return self.reduced_shape(expr, name, part);
        }
        if rank > 1 {
            self.located(expr, name == "maxloc", (array, mask))?;
        }
        Ok(vec![Expr::int(rank.into())])
    }

    /// Where the largest or smallest element of a vector stands, or along a dimension; 0 if there is none.
    pub fn location(&mut self, expr: &'t Written, name: &str, part: &'t Part, at: &[Expr]) -> Result<Expr> {
        let reduced = self.located_in(expr, name, part)?;
        if reduced.dim.is_none() && self.names.type_of(self.scope, reduced.array).rank != Some(1) {
            let what = format!("{name} of more than a vector");
            return self.refuse(expr.span, Class::Language, what, "assign the places to a variable first");
        }
        self.hoist_parts(reduced.array)?;
        let of = self.names.type_of(self.scope, reduced.array).type_;
        let Ok(ty) = self.reader.scalar_type(&of) else { return self.not_here(expr, name) };
        let span = self.b.span;
        let place = self.b.var("place", Type::int(), VarKind::Temporary, span);
        let best = self.b.var("best", ty.clone(), VarKind::Temporary, span);
        self.b.assign(place, Expr::int(0));
        self.b.assign(best, zero(&ty));
        let is_vector = self.names.type_of(self.scope, reduced.array).rank == Some(1);
        let (reduced, at) = if is_vector { (Reduced { dim: None, ..reduced }, &[][..]) } else { (reduced, at) };
        let op = if name == "maxloc" { Binary::Greater } else { Binary::Less };
        self.over_reduced(&reduced, at, &mut |this, at, x| {
            let x = this.simple(x);
            let first = Expr::binary(Binary::Equal, this.b.get(place), Expr::int(0), logical());
            let better = Expr::binary(op, x.clone(), this.b.get(best), logical());
            this.b.begin_branch(Expr::binary(Binary::Or, first, better, logical()));
            this.b.assign(best, x);
            this.b.assign(place, convert(at.clone(), &Type::int()).offset(1));
            this.b.end_branch();
            Ok(())
        })?;
        Ok(self.b.get(place))
    }
}
