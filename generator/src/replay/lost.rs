//! What a pass that runs again surely does not find: then it is refused, not only unproved.

use super::state::{Replay, Res};
use super::terms::{P, Spot, T, Term, Way};
use crate::ir::*;

impl Replay<'_> {
    /// Refuses a part of a pass that the copy has not, unless it writes only what the reverse sweep never reads.
    pub(super) fn left_out(&mut self, item: ItemId) -> Res<()> {
        let f = self.f;
        let mut all = vec![item];
        all.extend(f.items[item].kind.regions().into_iter().flat_map(|region| self.items_inside(region)));
        for item in all {
            let kind = &f.items[item].kind;
            let stores = matches!(kind, ItemKind::Store { to, .. }
                if !matches!(to.base, Base::Object(object) if !self.is_read(object)));
            if stores || matches!(kind, ItemKind::Call { .. }) {
                self.span = f.items[item].span;
                return Err(self.refuted("a pass runs again without all that it does"));
            }
        }
        Ok(())
    }

    /// Whether the reverse sweep reads an object of the primal, or takes its address.
    fn is_read(&self, object: ObjectId) -> bool {
        let (r, given) = (self.r, self.given);
        let names = |place: &Place| match place.base {
            Base::Object(own) => given.origins.objects.get(own.index()) == Some(&Origin::Primal(object)),
            _ => false,
        };
        r.regions.iter().flat_map(|region| &region.items).any(|item| {
            let writes = matches!(
                r.items[*item].kind,
                ItemKind::Store { .. } | ItemKind::Sweep(SweepItem::Accumulate { .. } | SweepItem::Shadowed { .. })
            );
            let mut all = Vec::new();
            walk::operands(r, *item, &mut |operand| match operand {
                Ok(expr) => walk::expressions(expr, &mut |part| all.extend(place_of(part))),
                Err(place) => {
                    all.extend((!writes).then_some(place));
                    walk::in_place(place, &mut |part| all.extend(place_of(part)));
                }
            });
            all.into_iter().any(names)
        })
    }

    /// Whether a place that is surely read in every pass is surely lost in some of them: the first or the last of each
    /// loop.
    pub(super) fn is_surely_lost(&mut self, place: P) -> bool {
        let loops: Vec<ItemId> = self.rerunning.iter().copied().take(3).collect();
        'choices: for choice in 0..1 << loops.len() {
            let (mut at, mut runs) = (Vec::new(), Vec::new());
            for (k, item) in loops.iter().enumerate() {
                let pass = self.terms.make(Term::Pass(*item));
                // As often as in this pass of the loops around.
                let Some(inside) = self.in_passes(self.loops[item].inside, &at) else { return false };
                if self.terms.constant(inside).is_some_and(|inside| inside <= 0) {
                    continue 'choices;
                }
                let (zero, one) = (self.terms.number(0), self.terms.number(1));
                let end = if choice >> k & 1 == 0 { Some(zero) } else { self.terms.sum(inside, one, -1) };
                let Some(end) = end else { return false };
                at.push((pass, end));
                runs.push((zero, inside));
            }
            let Some((root, around, low, high)) = self.row_at(place, &at) else { return false };
            // Each of the loops runs.
            let known = self.facts_about(&[low, high], &runs);
            let [low, high] = [low, high].map(|t| self.terms.poly(t));
            let mut lost = false;
            for section in self.lost_in_pass.clone() {
                let Some((other, path, from, to)) = self.row_at(section, &at) else { continue };
                let [from, to] = [from, to].map(|t| self.terms.poly(t));
                lost |= other == root && path == around && known.at_most(&from, &low) && known.at_most(&high, &to);
            }
            let mut back = false;
            for section in self.back.clone() {
                let row = self.row_at(section, &at).filter(|(other, path, ..)| *other == root && *path == around);
                let Some((_, _, from, to)) = row else {
                    back |= !self.disjoint(section, place);
                    continue;
                };
                let [from, to] = [from, to].map(|t| self.terms.poly(t));
                back |= !(known.at_most(&high, &from) || known.at_most(&to, &low) || known.at_most(&to, &from));
            }
            if lost && !back {
                return true;
            }
        }
        false
    }

    /// Root, way, first element and the one behind the last of a place in certain passes of loops.
    fn row_at(&mut self, place: P, passes: &[(T, T)]) -> Option<(T, Vec<Way>, T, T)> {
        let Spot { root, mut steps } = self.terms.get_spot(place).clone();
        let one = self.terms.number(1);
        let (from, to) = match steps.pop() {
            Some(Way::At(at)) => (at, self.terms.sum(at, one, 1)?),
            Some(Way::Range(from, to)) => (from, to),
            _ => return None,
        };
        Some((root, steps, self.in_passes(from, passes)?, self.in_passes(to, passes)?))
    }

    /// A number in certain passes of loops.
    fn in_passes(&mut self, t: T, passes: &[(T, T)]) -> Option<T> {
        let poly = self.terms.poly(t).replace(&|_, atom| {
            passes.iter().find(|(pass, _)| pass.0 == atom.0).map(|(_, end)| self.terms.poly(*end))
        })?;
        Some(self.terms.int(poly))
    }
}

/// The place that an expression loads, or whose address it takes.
fn place_of(expr: &Expr) -> Option<&Place> {
    match &expr.kind {
        ExprKind::Load(place) | ExprKind::Address(place) => Some(place),
        _ => None,
    }
}
