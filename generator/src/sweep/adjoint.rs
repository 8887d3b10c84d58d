//! The adjoint of an expression: `seed` is what the adjoint of its result is, each active leaf gets its share added.

use super::items::{binary, cast, negate};
use super::reverse::Builder;
use super::shadow::Shadows;
use crate::ir::*;
use crate::plan::recompute::cost;
use crate::refuse::Class;

impl Builder<'_> {
    /// Whether a derivative flows through the expression.
    pub(super) fn active(&self, expr: &Expr) -> bool {
        if !matches!(expr.ty, Type::Float { .. }) {
            return false;
        }
        match &expr.kind {
            ExprKind::Value(v) => self.cx.facts.active_value(self.id, *v),
            ExprKind::Load(place) => self.cx.facts.active_place(self.id, place),
            ExprKind::Unary(_, x) | ExprKind::Cast(x) => self.active(x),
            ExprKind::Binary(_, x, y) => self.active(x) || self.active(y),
            ExprKind::Select(_, x, y) => self.active(x) || self.active(y),
            ExprKind::Function(function, args) => {
                !function.is_piecewise_constant() && args.iter().any(|x| self.active(x))
            }
            _ => false,
        }
    }

    /// Adds the expression's share of `seed` to the adjoints of its active leaves.
    pub(super) fn adjoint(&mut self, expr: &Expr, seed: Expr) {
        if !self.active(expr) {
            return;
        }
        match &expr.kind {
            ExprKind::Value(v) => {
                let to = self.adjoint_of(self.primal.values[v.index()].var);
                self.emit(ItemKind::Accumulate { to, from: seed });
            }
            ExprKind::Load(place) => {
                let to = self.place(place);
                self.note_place(place);
                self.note_shadow(place, &to);
                self.emit(ItemKind::Accumulate { to, from: seed });
            }
            ExprKind::Unary(Unary::Negate, x) => self.adjoint(x, negate(seed)),
            ExprKind::Cast(x) => self.adjoint(x, cast(seed, &x.ty)),
            ExprKind::Binary(op, x, y) => self.adjoint_of_binary(*op, expr, x, y, seed),
            ExprKind::Function(function, args) => self.adjoint_of_function(*function, expr, args, seed),
            _ => self.refuse(Class::Derivative, "this operation has no derivative here".into(), "write it as an if"),
        }
    }

    fn adjoint_of_binary(&mut self, op: Binary, expr: &Expr, x: &Expr, y: &Expr, seed: Expr) {
        let (first, second) = (self.active(x), self.active(y));
        // A seed that is used twice is evaluated once.
        let seed = if first && second && cost(&seed) > 1 { self.bind("seed", seed) } else { seed };
        let ty = &expr.ty;
        match op {
            Binary::Add => {
                self.adjoint(x, seed.clone());
                self.adjoint(y, seed);
            }
            Binary::Subtract => {
                self.adjoint(x, seed.clone());
                self.adjoint(y, negate(seed));
            }
            Binary::Multiply => {
                if first {
                    let factor = self.operand(y);
                    self.adjoint(x, binary(Binary::Multiply, factor, seed.clone(), ty.clone()));
                }
                if second {
                    let factor = self.operand(x);
                    self.adjoint(y, binary(Binary::Multiply, factor, seed, ty.clone()));
                }
            }
            Binary::Divide => {
                let divisor = self.operand(y);
                let share = binary(Binary::Divide, seed, divisor.clone(), ty.clone());
                if !second {
                    self.adjoint(x, share);
                    return;
                }
                let share = self.bind("share", share);
                let dividend = self.operand(x);
                let quotient = binary(Binary::Divide, dividend, divisor, ty.clone());
                if first {
                    self.adjoint(x, share.clone());
                }
                self.adjoint(y, negate(binary(Binary::Multiply, quotient, share, ty.clone())));
            }
            _ => self.refuse(Class::Derivative, "this operator has no derivative".into(), ""),
        }
    }

    fn adjoint_of_function(&mut self, function: functions::Function, expr: &Expr, args: &[Expr], seed: Expr) {
        let active: Vec<usize> = (0..args.len()).filter(|k| self.active(&args[*k])).collect();
        let seed = if active.len() > 1 && cost(&seed) > 1 { self.bind("seed", seed) } else { seed };
        let reads: Vec<functions::Reads> = active.iter().map(|k| function.reads(*k)).collect();
        let result = reads.iter().any(|reads| reads.result);
        let mut named = args.to_vec();
        for (k, arg) in args.iter().enumerate() {
            if result || reads.iter().any(|reads| reads.args.get(k).is_some_and(|read| *read)) {
                let value = self.operand(arg);
                named[k] = if cost(&value) > 0 { self.bind("x", value) } else { value };
            }
        }
        let result = Expr { kind: ExprKind::Function(function, named.clone()), ty: expr.ty.clone() };
        for k in active {
            let share = match function.partial(k, &named, &result) {
                functions::Partial::Zero => continue,
                functions::Partial::One => seed.clone(),
                functions::Partial::Is(partial) => binary(Binary::Multiply, partial, seed.clone(), expr.ty.clone()),
                functions::Partial::Steep(partial) => share(partial, seed.clone()),
                functions::Partial::Refused(why) => {
                    let what = format!("'{}': {why}, and its argument {} is active", function.c_name(), k + 1);
                    self.refuse(Class::Derivative, what, "keep this argument independent of the inputs");
                    continue;
                }
            };
            self.adjoint(&args[k], share);
        }
    }
}

/// `partial * derivative`, but 0 where one of them is 0 and the other has no finite value.
pub(super) fn share(partial: Expr, derivative: Expr) -> Expr {
    let ty = partial.ty.clone();
    let bits = if let Type::Float { bits } = ty { bits } else { 64 };
    Expr { kind: ExprKind::Function(functions::Function::share(bits), vec![partial, derivative]), ty }
}
