//! Values of expressions: conversions and arithmetic as C defines them.

use super::{Frame, LARGE, Machine, Ptr, Run, Val};
use crate::ast::*;
use crate::dual::{Dual, math};

impl Machine<'_> {
    pub(super) fn pointer(&mut self, frame: &mut Frame, expr: &Expr) -> Run<Ptr> {
        match self.expr(frame, expr)?.0 {
            Val::Ptr(ptr) => Ok(ptr),
            _ => Err("no pointer"),
        }
    }

    pub(super) fn int(&mut self, frame: &mut Frame, expr: &Expr) -> Run<i128> {
        match self.expr(frame, expr)?.0 {
            Val::Int(value) => Ok(value),
            _ => Err("no integer"),
        }
    }

    pub(super) fn truth(&mut self, frame: &mut Frame, expr: &Expr) -> Run<bool> {
        match self.expr(frame, expr)?.0 {
            Val::Int(value) => Ok(value != 0),
            Val::Real(dual) => Ok(dual.v != 0.0),
            _ => Err("no number"),
        }
    }

    pub(super) fn invoke(&mut self, frame: &mut Frame, callee: usize, args: &[Expr]) -> Run<Vec<Val>> {
        let proc = &self.program.procs[callee];
        let mut values = Vec::new();
        for (arg, param) in args.iter().zip(&proc.vars) {
            values.push(self.converted(frame, arg, &param.ty)?);
        }
        self.call(callee, values)
    }

    /// The scalars of a value of a type.
    pub(super) fn converted(&mut self, frame: &mut Frame, expr: &Expr, to: &Ty) -> Run<Vec<Val>> {
        if let Ty::Struct(_) = to {
            return match expr {
                Expr::Load(lv) => {
                    let spot = self.place(frame, lv)?;
                    let cells = self.program.cells(to);
                    let (object, at) = self.span(spot.at, cells)?;
                    Ok(self.objects[object][at..at + cells].to_vec())
                }
                Expr::Call(callee, args) => self.invoke(frame, *callee, args),
                _ => Err("no struct"),
            };
        }
        let value = self.expr(frame, expr)?;
        Ok(vec![self.convert(value, to)?])
    }

    pub(super) fn convert(&mut self, (value, _): (Val, Ty), to: &Ty) -> Run<Val> {
        Ok(match (value, to) {
            (Val::Int(value), Ty::Int(to)) => Val::Int(to.wrap(value)),
            (Val::Int(value), Ty::F32) => Val::Real(Dual::of(f64::from(value as f32))),
            (Val::Int(value), Ty::F64) => Val::Real(Dual::of(value as f64)),
            (Val::Real(dual), Ty::F32) => self.checked(dual.rounded())?,
            (Val::Real(dual), Ty::F64) => self.checked(dual)?,
            (Val::Real(dual), Ty::Int(to)) => {
                let whole = dual.v.trunc() as i128;
                if to.wrap(whole) != whole {
                    return Err("a real outside of the integer's range");
                }
                Val::Int(whole)
            }
            (Val::Ptr(_), Ty::Ptr(_)) => value,
            _ => return Err("another type"),
        })
    }

    pub(super) fn checked(&mut self, dual: Dual) -> Run<Val> {
        let of_pole = dual.steep && !dual.is_finite();
        if !of_pole {
            self.largest = self.largest.max(dual.d.abs());
        }
        if dual.v.abs() < LARGE && (of_pole || dual.d.abs() < LARGE) {
            Ok(Val::Real(dual))
        } else {
            Err("a large value")
        }
    }

    /// A result; the product of an infinite derivative with 0, or the difference of two, is no number, and raises that.
    fn computed(&mut self, operands: &[Dual], result: Dual) -> Run<Val> {
        if result.d.is_nan() && !operands.iter().any(|of| of.d.is_nan()) {
            return Err("an infinite derivative is asked for");
        }
        self.checked(result)
    }

    pub(super) fn expr(&mut self, frame: &mut Frame, expr: &Expr) -> Run<(Val, Ty)> {
        let i32 = Ty::Int(Int::I32);
        Ok(match expr {
            Expr::Int(value, ty) => (Val::Int(i128::from(*value)), Ty::Int(*ty)),
            Expr::Real(value, true) => (Val::Real(Dual::of(f64::from(*value as f32))), Ty::F32),
            Expr::Real(value, false) => (Val::Real(Dual::of(*value)), Ty::F64),
            Expr::Load(lv) => {
                let spot = self.place(frame, lv)?;
                (self.get(spot.at)?, spot.ty)
            }
            Expr::Addr(lv) => {
                let spot = self.place(frame, lv)?;
                (Val::Ptr(spot.at), Ty::ptr(spot.ty))
            }
            Expr::Decay(lv) => {
                let spot = self.place(frame, lv)?;
                let Ty::Array(of, extent) = spot.ty else { return Err("no array") };
                let cells = if extent == VARIABLE { spot.at.high } else { extent * self.program.cells(&of) };
                (Val::Ptr(Ptr { low: spot.at.at, high: spot.at.at + cells, ..spot.at }), Ty::Ptr(of))
            }
            Expr::Move(base, by) => {
                let base = self.expr(frame, base)?;
                let by = self.expr(frame, by)?;
                self.moved(base, by)?
            }
            Expr::Un(Un::Not, of) => (Val::Int(i128::from(!self.truth(frame, of)?)), i32),
            Expr::Un(op, of) => match (op, self.expr(frame, of)?) {
                (Un::Minus, (Val::Real(of), ty)) => (self.checked(Dual { v: -of.v, d: -of.d, ..of })?, ty),
                (Un::Minus, (Val::Int(of), Ty::Int(ty))) => ranged(-of, ty.promoted())?,
                (Un::Invert, (Val::Int(of), Ty::Int(ty))) => ranged(!of, ty.promoted())?,
                _ => return Err("no number"),
            },
            Expr::Bin(Bin::Both, a, b) => (Val::Int((self.truth(frame, a)? && self.truth(frame, b)?).into()), i32),
            Expr::Bin(Bin::Either, a, b) => (Val::Int((self.truth(frame, a)? || self.truth(frame, b)?).into()), i32),
            Expr::Bin(op, a, b) => {
                let a = self.expr(frame, a)?;
                let b = self.expr(frame, b)?;
                self.binary(frame, *op, a, b)?
            }
            Expr::Cast(ty, of) => {
                let value = self.expr(frame, of)?;
                (self.convert(value, ty)?, ty.clone())
            }
            Expr::Cond(of) => {
                let ty = self.program.ty(frame.proc, expr);
                let value = if self.truth(frame, &of[0])? { &of[1] } else { &of[2] };
                let value = self.expr(frame, value)?;
                (self.convert(value, &ty)?, ty)
            }
            Expr::Math(name, args, float) => {
                let ty = if *float { Ty::F32 } else { Ty::F64 };
                let mut values = Vec::new();
                for arg in args {
                    let value = self.expr(frame, arg)?;
                    let Val::Real(dual) = self.convert(value, &ty)? else { return Err("no real") };
                    values.push(dual);
                }
                let result = math(name, &values, *float)?;
                let is_pole = result.steep && !values.iter().any(|of| of.steep);
                self.poles += usize::from(is_pole && !result.is_finite());
                (if is_pole { self.checked(result)? } else { self.computed(&values, result)? }, ty)
            }
            Expr::Call(callee, args) => {
                let values = self.invoke(frame, *callee, args)?;
                let value = *values.first().ok_or("no result")?;
                (value, self.program.procs[*callee].ret.clone())
            }
            Expr::Bump(lv, delta, after) => {
                let (old, new, ty) = self.bump(frame, lv, *delta)?;
                (if *after { old } else { new }, ty)
            }
        })
    }

    pub(super) fn binary(&mut self, _: &Frame, op: Bin, a: (Val, Ty), b: (Val, Ty)) -> Run<(Val, Ty)> {
        let truth = |value: bool| Ok((Val::Int(value.into()), Ty::Int(Int::I32)));
        if let (Val::Ptr(p), Val::Ptr(q)) = (a.0, b.0) {
            return match op {
                Bin::Eq => truth(p.object == q.object && p.at == q.at),
                Bin::Ne => truth(p.object != q.object || p.at != q.at),
                _ if p.object != q.object => Err("pointers into two objects"),
                Bin::Lt => truth(p.at < q.at),
                Bin::Gt => truth(p.at > q.at),
                Bin::Le => truth(p.at <= q.at),
                Bin::Ge => truth(p.at >= q.at),
                Bin::Sub => match &a.1 {
                    Ty::Ptr(of) => {
                        let cells = self.program.cells(of) as i128;
                        Ok((Val::Int((p.at as i128 - q.at as i128) / cells), Ty::Int(Int::I64)))
                    }
                    _ => Err("no such pointers"),
                },
                _ => Err("no such pointers"),
            };
        }
        if let (Bin::Shl | Bin::Shr, (Val::Int(x), Ty::Int(of)), (Val::Int(by), _)) = (op, &a, &b) {
            let of = of.promoted();
            if *by < 0 || *by >= i128::from(of.bits()) || *x < 0 {
                return Err("a shift that is not defined");
            }
            return ranged(if op == Bin::Shl { x << by } else { x >> by }, of);
        }
        let ty = a.1.common(&b.1);
        let (x, y) = (self.convert(a, &ty)?, self.convert(b, &ty)?);
        match (x, y, &ty) {
            (Val::Int(x), Val::Int(y), Ty::Int(of)) => match op {
                Bin::Add => ranged(x + y, *of),
                Bin::Sub => ranged(x - y, *of),
                Bin::Mul => ranged(x * y, *of),
                Bin::Div | Bin::Rem if y == 0 => Err("division by zero"),
                Bin::Div => ranged(x / y, *of),
                Bin::Rem => ranged(x % y, *of),
                Bin::And => ranged(x & y, *of),
                Bin::Or => ranged(x | y, *of),
                Bin::Xor => ranged(x ^ y, *of),
                Bin::Lt => truth(x < y),
                Bin::Le => truth(x <= y),
                Bin::Gt => truth(x > y),
                Bin::Ge => truth(x >= y),
                Bin::Eq => truth(x == y),
                _ => truth(x != y),
            },
            (Val::Real(x), Val::Real(y), ty) => {
                let (v, d) = match op {
                    Bin::Add => (x.v + y.v, x.d + y.d),
                    Bin::Sub => (x.v - y.v, x.d - y.d),
                    Bin::Mul => (x.v * y.v, x.d * y.v + x.v * y.d),
                    Bin::Div if y.v.abs() < 1e-3 => return Err("division by little"),
                    Bin::Div => (x.v / y.v, x.d / y.v - x.v * y.d / (y.v * y.v)),
                    Bin::Lt => return truth(x.v < y.v),
                    Bin::Le => return truth(x.v <= y.v),
                    Bin::Gt => return truth(x.v > y.v),
                    Bin::Ge => return truth(x.v >= y.v),
                    Bin::Eq => return truth(x.v == y.v),
                    Bin::Ne => return truth(x.v != y.v),
                    _ => return Err("no integer"),
                };
                let value = Dual::from(&[x, y], v, d);
                let value = if *ty == Ty::F32 { value.rounded() } else { value };
                Ok((self.computed(&[x, y], value)?, ty.clone()))
            }
            _ => Err("no numbers"),
        }
    }
}

/// An integer of a type: it wraps if the type is unsigned, and must fit otherwise.
fn ranged(value: i128, of: Int) -> Run<(Val, Ty)> {
    let wrapped = of.wrap(value);
    if of.signed() && wrapped != value {
        return Err("signed overflow");
    }
    Ok((Val::Int(wrapped), Ty::Int(of)))
}
