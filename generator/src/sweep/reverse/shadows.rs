//! Where the reverse sweep of a procedure finds adjoints.

use super::super::shadow::{self, Shadows};
use super::load;
use crate::ir::*;
use crate::refuse::Class;
use crate::sweep::builder::Builder;

impl Shadows for Builder<'_> {
    fn place(&mut self, place: &Place) -> Place {
        let path = self.primal_place(&Place { base: Base::Object(ObjectId(0)), ..place.clone() }).path;
        let base = match &place.base {
            Base::Object(object) => Base::Object(self.shadow_of(*object)),
            Base::Global(global) => Base::Global(self.shadow_of_global(*global)),
            Base::At(pointer) => Base::At(Box::new(shadow::pointer(self, pointer))),
        };
        Place { base, path, ty: place.ty.clone() }
    }

    fn value(&mut self, value: ValueId) -> Expr {
        let named = self.require(value);
        named.shadow.unwrap_or_else(|| {
            let var = self.primal.values[value].var;
            let name = self.primal.vars[var].name.clone();
            let what = format!("the pointer '{name}' has no adjoint here, but what it points to may have one");
            self.refuse(Class::Pointer, what, "use different pointers for active and passive arrays");
            zero(&named.value.ty)
        })
    }

    fn primal(&mut self, expr: &Expr) -> Expr {
        Builder::primal(self, expr)
    }

    fn nowhere(&self, pointer: &Expr) -> bool {
        self.cx.facts.nowhere(self.id, pointer)
    }

    fn on_heap(&self, pointer: &Expr) -> bool {
        self.cx.facts.on_heap(self.id, pointer)
    }

    fn loaded(&mut self, place: &Place) -> ExprKind {
        if let Some(shadow) = self.by_offset(place) {
            return shadow.kind;
        }
        if self.cx.facts.half_on_heap(self.id, &load(place.clone())) {
            let what = "the pointer that is read here may lead to a block, or to memory that is none".into();
            self.refuse(Class::Pointer, what, "keep pointers to blocks and other pointers in different variables");
        }
        ExprKind::Load(Box::new(self.place(place)))
    }
}
