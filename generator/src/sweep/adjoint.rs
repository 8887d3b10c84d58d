//! The adjoint of an expression: `seed` is what the adjoint of its result is, each active leaf gets its share added.

use super::builder::Builder;
use super::items::{binary, cast, negate};
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
                args.iter().enumerate().any(|(k, x)| !function.partial_is_zero(k) && self.active(x))
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
                let to = self.adjoint_of(self.primal.values[*v].var);
                self.emit(ItemKind::Sweep(SweepItem::Accumulate { to, from: seed }));
            }
            ExprKind::Load(place) => {
                let to = self.place(place);
                self.note_place(place);
                self.note_shadow(place, &to);
                self.emit(ItemKind::Sweep(SweepItem::Accumulate { to, from: seed }));
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
            Binary::Divide if expr.inverted().is_some() && self.is_there(expr) => {
                let result = self.partial(expr, &[], &mut []);
                let square = binary(Binary::Multiply, result.clone(), result, ty.clone());
                self.adjoint(y, negate(binary(Binary::Multiply, square, seed, ty.clone())));
            }
            Binary::Divide => {
                let divisor = self.operand(y);
                let share = binary(Binary::Divide, seed, divisor.clone(), ty.clone());
                if !second {
                    self.adjoint(x, share);
                    return;
                }
                let share = self.bind("share", share);
                let quotient = match self.result(expr).filter(|value| self.game.has(*value)) {
                    Some(value) => self.operand(&self.primal.value_expr(value)),
                    None => binary(Binary::Divide, self.operand(x), divisor, ty.clone()),
                };
                if first {
                    self.adjoint(x, share.clone());
                }
                self.adjoint(y, negate(binary(Binary::Multiply, quotient, share, ty.clone())));
            }
            _ => self.refuse(Class::Derivative, "this operator has no derivative".into(), ""),
        }
    }

    fn adjoint_of_function(&mut self, function: Function, expr: &Expr, args: &[Expr], seed: Expr) {
        let active: Vec<usize> = (0..args.len()).filter(|k| self.active(&args[*k])).collect();
        let seed = if active.len() > 1 && cost(&seed) > 1 { self.bind("seed", seed) } else { seed };
        let mut named = vec![None; args.len()];
        for k in active {
            let share = match function.partial(k, args, expr) {
                functions::Partial::Zero => continue,
                functions::Partial::One => seed.clone(),
                functions::Partial::Is(partial) => {
                    let partial = self.partial(&partial, args, &mut named);
                    binary(Binary::Multiply, partial, seed.clone(), expr.ty.clone())
                }
                functions::Partial::Steep(partial) => share(self.partial(&partial, args, &mut named), seed.clone()),
                functions::Partial::Refused(why) => {
                    let what = format!("'{}': {why}, and its argument {} is active", function.c_name(), k + 1);
                    self.refuse(Class::Derivative, what, "keep this argument independent of the inputs");
                    continue;
                }
            };
            self.adjoint(&args[k], share);
        }
    }

    /// A partial derivative in the reverse sweep. What the program computes anyway is taken from there: the cosine for
    /// the sine's derivative, a root for its own. Each of the function's arguments is evaluated once.
    fn partial(&mut self, expr: &Expr, args: &[Expr], named: &mut [Option<Expr>]) -> Expr {
        if let Some(value) = self.computed(expr) {
            return self.operand(&self.primal.value_expr(value));
        }
        if let Some(own) = self.own.as_ref().filter(|own| own.from == *expr) {
            let (load, name) = (own.load.clone(), own.name.clone());
            self.note_operand(&load);
            return name;
        }
        if let Some(k) = args.iter().position(|arg| arg == expr) {
            return match &named[k] {
                Some(known) => known.clone(),
                None => {
                    let value = self.operand(expr);
                    let value = if cost(&value) > 0 { self.bind("x", value) } else { value };
                    named[k].insert(value).clone()
                }
            };
        }
        let mut inner = |x: &Expr| Box::new(self.partial(x, args, named));
        let kind = match &expr.kind {
            ExprKind::Unary(op, x) => ExprKind::Unary(*op, inner(x)),
            ExprKind::Cast(x) => ExprKind::Cast(inner(x)),
            ExprKind::Binary(op, x, y) => ExprKind::Binary(*op, inner(x), inner(y)),
            ExprKind::Select(on, x, y) => ExprKind::Select(inner(on), inner(x), inner(y)),
            ExprKind::Function(function, of) => ExprKind::Function(*function, of.iter().map(|x| *inner(x)).collect()),
            other => other.clone(),
        };
        Expr { kind, ty: expr.ty.clone() }
    }

    /// Whether the result is that of the item that is being reversed, which has it.
    fn is_there(&self, expr: &Expr) -> bool {
        self.own.as_ref().is_some_and(|own| own.from == *expr) || self.result(expr).is_some()
    }

    /// The value that is being reversed, if this is the whole of its definition.
    fn result(&self, expr: &Expr) -> Option<ValueId> {
        let is = |value: &ValueId| matches!(&self.primal.values[*value].def, Def::Is(known) if known == expr);
        self.defined.filter(is)
    }

    /// The value that the program computes by this very call of a function, in a region that is being reversed.
    fn computed(&self, expr: &Expr) -> Option<ValueId> {
        if let Some(value) = self.result(expr) {
            return Some(value);
        }
        if !matches!(expr.kind, ExprKind::Function(..)) || walk::loads(expr) {
            return None;
        }
        let mut first = None;
        walk::values(expr, &mut |value| first = first.or(Some(value)));
        let is_this = |value: &ValueId| {
            self.game.visible(*value) && self.definitions.get(*value).is_some_and(|known| known.expr == *expr)
        };
        self.definitions.users(first?).iter().copied().find(is_this)
    }
}

/// `partial * derivative`, but 0 where one of them is 0 and the other has no finite value.
pub(super) fn share(partial: Expr, derivative: Expr) -> Expr {
    let ty = partial.ty.clone();
    let bits = if let Type::Float { bits } = ty { bits } else { 64 };
    Expr::function(Function::share(bits), vec![partial, derivative], ty)
}
