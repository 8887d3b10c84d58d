//! Steps of a procedure whose derivative is given: that is called once, with the arguments of the procedure, and what it
//! reads is what the forward sweep had there.

use super::state::{Replay, Res, Side};
use crate::ir::*;

impl Replay<'_> {
    /// A step that nothing in the reverse sweep comes from: there may be no derivative.
    pub(super) fn pass_over_given(&mut self, when: &[Expr], span: Span) -> Res<()> {
        let has_derivative = self.given.params.iter().any(|param| !matches!(param, ReverseParam::Primal(_)));
        if has_derivative && (when.is_empty() || when.iter().any(|of| self.is_active(of))) {
            self.span = span;
            return Err(self.refuted("a given derivative is left out"));
        }
        Ok(())
    }

    /// A given derivative gets the arguments of its procedure, and reads what the forward sweep had there.
    pub(super) fn reverse_given(&mut self, of: ItemId, passed: &[Expr], found: &[Expr]) -> Res<()> {
        let f = self.f;
        let ItemKind::Given { args, needs, .. } = &f.items[of].kind else {
            return Err(self.refuted("a given derivative belongs to no step of the forward sweep"));
        };
        if needs.is_empty() && !self.performed.insert(of) {
            return Err(self.refuted("a given derivative is called twice"));
        }
        if args.len() != passed.len() || needs.len() != found.len() {
            return Err(self.refuted("a given derivative reads something else than forward"));
        }
        for (need, found) in needs.iter().zip(found) {
            let (ExprKind::Load(place), ExprKind::Load(at)) = (&need.kind, &found.kind) else {
                return Err(self.refuted("a given derivative reads what is no place"));
            };
            let (place, at) = (self.place(Side::Forward, place)?, self.place(Side::Reverse, at)?);
            let (place, at) = (self.address(place), self.address(at));
            self.agree(at, place, "a given derivative reads another place than forward")?;
        }
        for (expected, found) in args.iter().chain(needs).zip(passed.iter().chain(found)) {
            let (expected, found) = (self.eval(Side::Forward, expected)?, self.eval(Side::Reverse, found)?);
            self.agree(found, expected, "a given derivative reads what is not there any more")?;
        }
        Ok(())
    }
}
