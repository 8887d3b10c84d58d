//! Powers.

use super::expression::promoted;
use super::make::*;
use super::state::{Lower, Result};
use super::types::logical;
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::tree::expression::Expr as Written;

/// Powers of integers that are written as products.
const MOST_FACTORS: i128 = 8;

impl<'t> Lower<'_, 't> {
    pub fn power(&mut self, expr: &'t Written, base: Expr, exponent: Expr) -> Result<Expr> {
        let (base_type, exponent_type) = (base.ty.clone(), exponent.ty.clone());
        if exponent_type.is_float() || base_type.is_float() && known(&exponent).is_none() {
            let ty = promoted(&base_type, &exponent_type);
            let Type::Float { bits } = ty else { return self.no_power(expr) };
            let Some(pow) = Function::lookup("pow") else { return self.no_power(expr) };
            let args = vec![convert(base, &ty), convert(exponent, &ty)];
            return Ok(Expr::function(pow.at(bits), args, ty));
        }
        let Some(exponent) = known(&exponent) else {
            return self.power_of_integer(base, exponent);
        };
        if exponent == 0 {
            return Ok(convert(Expr::constant(1, Type::int()), &base_type));
        }
        if exponent.abs() > MOST_FACTORS {
            let Type::Float { bits } = base_type else { return self.no_power(expr) };
            let Some(pow) = Function::lookup("pow") else { return self.no_power(expr) };
            let exponent = real(exponent as f64, &base_type);
            return Ok(Expr::function(pow.at(bits), vec![base, exponent], base_type));
        }
        if exponent < 0 && base_type.is_integer() {
            let exponent = Expr::constant(exponent, exponent_type);
            return self.power_of_integer(base, exponent);
        }
        let product = self.product(base, exponent.unsigned_abs());
        if exponent > 0 {
            return Ok(product);
        }
        let one = real(1.0, &base_type);
        Ok(Expr::binary(Binary::Divide, one, product, base_type))
    }

    /// A product of equal factors, by squares, as compilers compute it.
    fn product(&mut self, factor: Expr, count: u128) -> Expr {
        if count == 1 {
            return factor;
        }
        let ty = factor.ty.clone();
        // Nothing is written between the factors.
        let is_simple =
            matches!(factor.kind, ExprKind::Value(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Load(_));
        let factor = if is_simple { factor } else { self.b.keep("factor", factor) };
        let half = self.product(factor.clone(), count / 2);
        let half = if count > 3 { self.b.keep("square", half) } else { half };
        let square = Expr::binary(Binary::Multiply, half.clone(), half, ty.clone());
        if count.is_multiple_of(2) { square } else { Expr::binary(Binary::Multiply, square, factor, ty) }
    }

    fn no_power<T>(&mut self, expr: &'t Written) -> Result<T> {
        let what = "a power of an integer whose exponent is a large constant";
        self.refuse(expr.span, Class::Language, what, "write it as a loop, or with reals")
    }

    /// An integer to an integer that is no constant. It is a fraction, and so 0, for negative exponents of all but 1 and -1.
    fn power_of_integer(&mut self, base: Expr, exponent: Expr) -> Result<Expr> {
        let (ty, exponent_type) = (base.ty.clone(), exponent.ty.clone());
        let is = |op, a: &Expr, b: i128| Expr::binary(op, a.clone(), Expr::constant(b, a.ty.clone()), logical());
        let number = |value: i128| Expr::constant(value, ty.clone());
        let exponent = self.simple(exponent);
        let odd =
            Expr::binary(Binary::BitAnd, exponent.clone(), Expr::constant(1, exponent_type.clone()), exponent_type);
        let sign = Expr::select(is(Binary::Equal, &odd, 0), number(1), number(-1), ty.clone());
        match known(&base) {
            Some(-1) => return Ok(sign),
            Some(two) if two > 1 && two & (two - 1) == 0 => {
                let places = multiply(exponent.clone(), Expr::int(i128::from(two.trailing_zeros())));
                let shifted = Expr::binary(Binary::ShiftLeft, number(1), convert(places, &ty), ty.clone());
                return Ok(Expr::select(is(Binary::Less, &exponent, 0), number(0), shifted, ty));
            }
            _ => {}
        }
        let base = self.simple(base);
        let span = self.b.span;
        let power = self.b.var("power", ty.clone(), VarKind::Temporary, span);
        let fraction = Expr::select(is(Binary::Equal, &base, -1), sign, number(0), ty.clone());
        let inverse = Expr::select(is(Binary::Equal, &base, 1), number(1), fraction, ty.clone());
        let negative = is(Binary::Less, &exponent, 0);
        self.b.assign(power, Expr::select(negative.clone(), inverse, number(1), ty.clone()));
        let none = Expr::constant(0, exponent.ty.clone());
        let factors = Expr::select(negative, none, exponent.clone(), exponent.ty.clone());
        let factors = self.simple(factors);
        self.nest(&[factors], &mut |this, _| {
            let next = Expr::binary(Binary::Multiply, this.b.get(power), base.clone(), ty.clone());
            this.b.assign(power, next);
            Ok(())
        })?;
        Ok(self.b.get(power))
    }
}
