//! Calls of small functions on integers and pointers, written as what they return: `max(i, j)`, `wrap(k, n)`,
//! `at(matrix, i)`.
//!
//! Indices, bounds and conditions are made of them, and the reverse sweep can evaluate an expression again, or see that a
//! loop counts, where it would have to store the result of a call. A pointer that a function returns has no adjoint, and
//! the address that it computes has one.

use crate::ir::*;

/// Operations of the expression that takes the place of a call.
const LARGEST: u32 = 16;

/// The result of a procedure that does nothing else, in terms of the arguments.
pub fn result(proc: &Proc, args: &[Expr]) -> Option<Expr> {
    let integer = |ty: &Type| matches!(ty, Type::Int { .. });
    let pointer = |ty: &Type| matches!(ty, Type::Pointer(_));
    let is_integer = match &proc.result_type {
        Type::Pointer(_) => proc.params.iter().all(|param| integer(&param.ty) || pointer(&param.ty)),
        result => integer(result) && proc.params.iter().all(|param| integer(&param.ty)),
    };
    let is_plain = |item: &Item| matches!(item.kind, ItemKind::Let { .. } | ItemKind::Branch { .. });
    if !is_integer || !proc.objects.is_empty() || !proc.items.iter().all(is_plain) {
        return None;
    }
    let loads = pointer(&proc.result_type);
    let mut inline = Inline { proc, args, left: LARGEST, loads, is_behind: false };
    inline.expr(proc.result.as_ref()?).filter(|result| result.ty == proc.result_type)
}

/// The pointer that a procedure returns at its end, read behind the call: `return net->output;` where the procedure fills
/// what that leads to. `args`: as they are behind the call, too.
pub fn pointer_behind(proc: &Proc, args: &[Expr]) -> Option<Expr> {
    if !matches!(proc.result_type, Type::Pointer(_)) {
        return None;
    }
    let mut inline = Inline { proc, args, left: LARGEST, loads: true, is_behind: true };
    inline.expr(proc.result.as_ref()?).filter(|result| result.ty == proc.result_type)
}

struct Inline<'p> {
    proc: &'p Proc,
    args: &'p [Expr],
    /// Operations that may still come.
    left: u32,
    /// Whether it may read memory: a pointer in a struct.
    loads: bool,
    /// Whether it is read behind the call: what is read before the procedure ends may be another number then.
    is_behind: bool,
}

impl Inline<'_> {
    /// An expression of the procedure in terms of its arguments.
    fn expr(&mut self, expr: &Expr) -> Option<Expr> {
        let kind = match &expr.kind {
            ExprKind::Int(_) | ExprKind::Null => return Some(expr.clone()),
            ExprKind::Value(value) => return self.value(*value),
            ExprKind::Cast(x) => ExprKind::Cast(self.boxed(x)?),
            ExprKind::Unary(op, x) => ExprKind::Unary(*op, self.boxed(x)?),
            ExprKind::Binary(op, x, y) => ExprKind::Binary(*op, self.boxed(x)?, self.boxed(y)?),
            ExprKind::Select(on, x, y) => ExprKind::Select(self.boxed(on)?, self.boxed(x)?, self.boxed(y)?),
            ExprKind::Address(place) => ExprKind::Address(Box::new(self.place(place)?)),
            ExprKind::Load(place) if self.loads => ExprKind::Load(Box::new(self.place(place)?)),
            _ => return None,
        };
        self.left = self.left.checked_sub(1)?;
        Some(Expr { kind, ty: expr.ty.clone() })
    }

    /// A place behind an argument.
    fn place(&mut self, place: &Place) -> Option<Place> {
        let base = match &place.base {
            Base::At(pointer) => Base::At(self.boxed(pointer)?),
            Base::Global(global) => Base::Global(*global),
            Base::Object(_) => return None,
        };
        let mut path = Vec::new();
        for step in &place.path {
            path.push(match step {
                Step::Field(field) => Step::Field(*field),
                Step::Index(subscripts) => {
                    let mut moved = Vec::new();
                    for subscript in subscripts {
                        let known = |expr: &Expr| matches!(expr.kind, ExprKind::Int(_));
                        if !subscript.dim.extent.as_deref().is_none_or(known) {
                            return None;
                        }
                        moved.push(Subscript { at: self.expr(&subscript.at)?, dim: subscript.dim.clone() });
                    }
                    Step::Index(moved)
                }
            });
        }
        Some(Place { base, path, ty: place.ty.clone() })
    }

    /// Whether nothing is done behind the definition of a value.
    fn is_last(&self, value: ValueId) -> bool {
        let body = self.proc.regions[RegionId::BODY].items.iter().rev();
        let mut behind = body.map(|item| &self.proc.items[*item].kind);
        let is_passed = |kind: &&ItemKind| matches!(kind, ItemKind::Let { .. } | ItemKind::DeclareVar { .. });
        behind.by_ref().take_while(is_passed).any(|kind| *kind == ItemKind::Let { value })
    }

    fn boxed(&mut self, expr: &Expr) -> Option<Box<Expr>> {
        self.expr(expr).map(Box::new)
    }

    fn value(&mut self, value: ValueId) -> Option<Expr> {
        let ty = self.proc.type_of(value);
        match &self.proc.values[value].def {
            Def::Entry(k) => {
                let arg = self.args.get(*k as usize).filter(|arg| arg.ty == *ty)?;
                self.left = self.left.checked_sub(operations(arg))?;
                Some(arg.clone())
            }
            Def::Is(expr) if self.is_behind && walk::loads(expr) && !self.is_last(value) => None,
            Def::Is(expr) => self.expr(expr),
            Def::Join(item, k) if !self.is_behind => {
                let ItemKind::Branch { on, joins, .. } = &self.proc.items[*item].kind else { return None };
                let join = &joins[*k as usize];
                self.left = self.left.checked_sub(1)?;
                let on = self.boxed(on)?;
                let (then, otherwise) = (self.value(join.then)?, self.value(join.otherwise)?);
                Some(Expr { kind: ExprKind::Select(on, Box::new(then), Box::new(otherwise)), ty: ty.clone() })
            }
            _ => None,
        }
    }
}

/// Operations of an argument, each time that it is read; too many where it is more than arithmetic.
fn operations(expr: &Expr) -> u32 {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Null | ExprKind::Value(_) => 0,
        ExprKind::Address(_) => 2,
        ExprKind::Cast(x) | ExprKind::Unary(_, x) => 1 + operations(x),
        ExprKind::Binary(_, x, y) => 1 + operations(x) + operations(y),
        ExprKind::Select(on, x, y) => 1 + operations(on) + operations(x) + operations(y),
        ExprKind::Load(place) if place.path.len() < 3 => 2,
        _ => LARGEST + 1,
    }
}
