//! Shadows: where the adjoint of a place lies. The shadow of a place is the place with the same path in the shadow of
//! its base; the shadow of a pointer is found by the pointer's own expression on shadows (C1 of the pointer paper).

use crate::ir::{Expr, ExprKind, Place, Unary};

/// What a sweep under construction knows about bases and values.
pub trait Shadows {
    /// The shadow of the base, and the path, both in terms of the reverse sweep.
    fn place(&mut self, place: &Place) -> Place;
    /// The shadow of a pointer value.
    fn value(&mut self, value: crate::ir::ValueId) -> Expr;
    /// An expression in terms of the reverse sweep.
    fn primal(&mut self, expr: &Expr) -> Expr;
    /// Whether a pointer is always NULL.
    fn nowhere(&self, pointer: &Expr) -> bool;
    /// Whether the adjoint of what a pointer points to is found by the pointer itself.
    fn on_heap(&self, _pointer: &Expr) -> bool {
        false
    }
    /// The shadow of a pointer that is read from memory.
    fn loaded(&mut self, place: &Place) -> ExprKind {
        ExprKind::Load(Box::new(self.place(place)))
    }
}

/// The shadow of a pointer expression.
pub fn pointer(shadows: &mut dyn Shadows, expr: &Expr) -> Expr {
    let kind = match &expr.kind {
        ExprKind::Value(_) | ExprKind::Load(_) if shadows.nowhere(expr) => ExprKind::Null,
        ExprKind::Value(_) | ExprKind::Load(_) if shadows.on_heap(expr) => {
            ExprKind::Unary(Unary::Adjoint, Box::new(shadows.primal(expr)))
        }
        ExprKind::Value(v) => return shadows.value(*v),
        ExprKind::Address(place) => ExprKind::Address(Box::new(shadows.place(place))),
        ExprKind::Load(place) => shadows.loaded(place),
        ExprKind::Cast(x) => ExprKind::Cast(Box::new(pointer(shadows, x))),
        ExprKind::Select(c, x, y) => {
            let c = shadows.primal(c);
            ExprKind::Select(Box::new(c), Box::new(pointer(shadows, x)), Box::new(pointer(shadows, y)))
        }
        // NULL and whatever else is no address has no adjoint.
        _ => ExprKind::Null,
    };
    Expr { kind, ty: expr.ty.clone() }
}
