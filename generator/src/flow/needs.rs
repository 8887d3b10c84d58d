//! Needs: the operands whose values the adjoint of an item reads (TBR paper, section 5.1, Req(I)).
//!
//! ```text
//!   Req(a + b), Req(-a)   nothing of their own        Req(a * b)   b if a is active, a if b is active
//!   Req(a / b)            b, and a if b is active     Req(f(a))    what the partials of f by active operands read
//!   Req(t[k]) active      k, and the pointer          a = e        Req(e), and what leads to a, if a is active
//! ```
//!
//! Partials of exp, sqrt, 1 / x and others read the result in place of the operand. Where that is what the item
//! defines, it is taken from there ([`takes_result`]), and nothing of the operand is needed.
//!
//! A need is an expression: how its value comes back (a name, a recipe, a store) is the planner's choice. Nothing is
//! listed twice. Conditions are not here: whether a branch is recomputed or stored is planned elsewhere.

use super::{Activity, Points, walk};
use crate::ir::{Binary, Callee, Def, Expr, ExprKind, Item, ItemId, ItemKind, Place, ProcId, Program, Type, library};

/// What the adjoint of `item` reads.
pub fn of_item(program: &Program, points: &Points, activity: &Activity, p: ProcId, item: ItemId) -> Vec<Expr> {
    let proc = &program.procs[p];
    let mut needs = Needs { points, activity, p, whole: None, out: Vec::new() };
    let kind = &proc.items[item].kind;
    if let ItemKind::Let { value } = kind
        && let Def::Is(e) = &proc.values[*value].def
    {
        if activity.value(p, *value) {
            needs.whole = Some(e);
            needs.expr(e);
        } else if matches!(e.ty, Type::Pointer(_)) {
            needs.pointer(e);
        }
    }
    if let ItemKind::Store { to, from } = kind {
        // The address is needed to bring old contents back, too.
        needs.address(to);
        if activity.place(points, p, to) {
            let active = |e: &Expr| activity.expr(points, p, e);
            needs.whole = takes_result(to, from, &active).then_some(from);
            needs.expr(from);
        }
    }
    if let ItemKind::Given { args, needs: read, .. } = kind {
        args.iter().for_each(|arg| needs.add(arg));
        for need in read {
            if let ExprKind::Load(place) = &need.kind {
                needs.address(place);
            }
        }
    }
    if let ItemKind::Call { callee: Callee::Proc(_), args, into, .. } = kind {
        // The reverse sweep of the callee may read any argument, but for handles of MPI: no reverse call gets one.
        for arg in args {
            if !library::is_handle(&arg.ty) || gives_handles(program) {
                needs.add(arg);
            }
            if let Type::Float { .. } = arg.ty {
                needs.expr(arg);
            }
        }
        if let Some(into) = into {
            needs.address(into);
        }
    }
    needs.out
}

/// Whether the adjoint of an assignment reads what has been assigned: the result of a function, or `1 / x`, of which
/// partials read that.
pub fn takes_result(to: &Place, from: &Expr, active: &dyn Fn(&Expr) -> bool) -> bool {
    let by_result = match &from.kind {
        ExprKind::Function(function, args) => {
            args.iter().enumerate().any(|(k, arg)| function.reads(k).result && active(arg))
        }
        _ => from.inverted().is_some_and(active),
    };
    let mut reads_old = false;
    crate::ir::walk::expressions(from, &mut |e: &Expr| {
        reads_old |= matches!(&e.kind, ExprKind::Load(place) if **place == *to);
    });
    by_result && !reads_old
}

/// Whether a derivative that the program gives gets a handle of MPI.
fn gives_handles(program: &Program) -> bool {
    let given = |item: &Item| {
        let ItemKind::Given { args, .. } = &item.kind else { return false };
        args.iter().any(|arg| library::is_handle(&arg.ty))
    };
    program.procs.iter().filter(|proc| proc.rule.is_some()).any(|proc| proc.items.iter().any(given))
}

/// What the adjoint of a procedure's result reads.
pub fn of_result(program: &Program, points: &Points, activity: &Activity, p: ProcId) -> Vec<Expr> {
    let mut needs = Needs { points, activity, p, whole: None, out: Vec::new() };
    match &program.procs[p].result {
        Some(e) if activity.result(p) => needs.expr(e),
        _ => {}
    }
    needs.out
}

struct Needs<'a> {
    points: &'a Points<'a>,
    activity: &'a Activity,
    p: ProcId,
    /// What is assigned as a whole, and there where its adjoint is.
    whole: Option<&'a Expr>,
    out: Vec<Expr>,
}

impl Needs<'_> {
    fn add(&mut self, e: &Expr) {
        let constant = matches!(e.kind, ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Null | ExprKind::Verbatim(_));
        if !constant && !self.out.contains(e) {
            self.out.push(e.clone());
        }
    }

    fn active(&self, e: &Expr) -> bool {
        self.activity.expr(self.points, self.p, e)
    }

    /// Subscripts and the pointer of a place.
    fn address(&mut self, place: &Place) {
        let mut parts = Vec::new();
        walk::address(place, &mut |e| parts.push(e));
        parts.into_iter().for_each(|e| self.add(e));
    }

    /// A pointer or an integer that the adjoint of a call, or a shadow pointer, is made of.
    fn pointer(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Address(place) | ExprKind::Load(place) if matches!(e.ty, Type::Pointer(_) | Type::Struct(_)) => {
                self.address(place);
            }
            _ => self.add(e),
        }
    }

    /// The operands that the partial derivatives of `e` read.
    fn expr(&mut self, e: &Expr) {
        if !self.active(e) {
            return;
        }
        match &e.kind {
            ExprKind::Load(place) => self.address(place),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.expr(a),
            ExprKind::Binary(op, a, b) => {
                let (da, db) = (self.active(a), self.active(b));
                match op {
                    Binary::Multiply => {
                        if da {
                            self.add(b);
                        }
                        if db {
                            self.add(a);
                        }
                    }
                    Binary::Divide if self.whole == Some(e) && e.inverted().is_some() => {}
                    Binary::Divide => {
                        self.add(b);
                        if db {
                            self.add(a);
                        }
                    }
                    _ => {}
                }
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Select(c, a, b) => {
                self.add(c);
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Function(function, args) => {
                let is_there = self.whole == Some(e);
                for (k, arg) in args.iter().enumerate() {
                    let reads = function.reads(k);
                    let evaluated = reads.result && !is_there;
                    let is_read = |(_, read): &(&Expr, bool)| *read || evaluated;
                    if self.active(arg) {
                        args.iter().zip(reads.args).filter(is_read).for_each(|(read, _)| self.add(read));
                    }
                }
                args.iter().for_each(|a| self.expr(a));
            }
            _ => {}
        }
    }
}
