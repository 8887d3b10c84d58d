//! The copy of a procedure that says which memory it reaches, for `--check`: see [`crate::check::Watch`].

use super::state::Body;
use crate::emit::c::expr::{Exprs, NAME, Naming, PREFIX};
use crate::ir::*;

impl Body<'_> {
    /// For `--check`: the copy of a procedure says that it writes to a place.
    pub(super) fn says_write(&mut self, to: &Place) {
        if let Some((watch, proc)) = self.watch
            && let Some(number) = watch.access(proc, to, true)
        {
            let size = if to.ty.target().is_some() { "void *".into() } else { self.exprs.ty(&to.ty) };
            let address = self.address(to);
            self.statement(&format!("(void){}_reached({address}, sizeof({size}), {number});", self.unit.witness));
        }
    }

    /// For `--check`: the copy of a procedure says that it calls what has none.
    pub(super) fn says_unseen(&mut self, callee: &Callee) {
        if let (Some((watch, _)), Callee::Proc(callee)) = (self.watch, callee)
            && let Some(number) = watch.unseen(*callee)
        {
            self.statement(&format!("{}_unseen({number});", self.unit.witness));
        }
    }
}

impl Exprs<'_> {
    /// A read of a place by way of a function that hears of it, and how tightly the text binds.
    pub(crate) fn read_for_check(&self, expr: &Expr, place: &Place, names: &dyn Naming) -> Option<(String, u8)> {
        let pointer = || self.ty(&Type::pointer(expr.ty.clone()));
        if let Some((hears, number)) = names.watched(place) {
            let ty = Type::pointer(place.ty.clone());
            let address = self.expr(&Expr { kind: ExprKind::Address(Box::new(place.clone())), ty }, 0, names);
            let size = self.ty(&expr.ty);
            return Some((format!("(*({}){hears}({address}, sizeof({size}), {number}))", pointer()), NAME));
        }
        let prefix = names.notes_pointers().filter(|_| crate::check::is_followed(place))?;
        Some((format!("*({}){prefix}_followed(&{})", pointer(), self.place(place, names)), PREFIX))
    }
}
