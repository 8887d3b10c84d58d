//! Elements that a loop overwrites one by one, and that come back at once, in front of the reversed loop.

use std::sync::Arc;

use super::sections::Passes;
use super::terms::{P, Spot, T, Term, Way};
use super::{Replay, Res, Taped, open};
use crate::ir::*;

impl Replay<'_> {
    /// A loop of which nothing is reversed: the elements that it overwrote have come back in front of it, if any.
    pub(super) fn only_elements(&mut self, item: ItemId) -> Res<()> {
        self.pass_over(item)?;
        while let Some(k) = self.runs.iter().position(|(of, ..)| *of == item) {
            let (_, first, count) = self.runs.remove(k);
            let row = self.early(first, count, 0)?;
            self.row_is_back(row);
        }
        Ok(())
    }

    /// The elements that come back in front of an inner loop at once.
    pub(super) fn element_run(&mut self, of: ItemId) -> Option<(ItemId, P, T)> {
        let (r, given) = (self.r, self.given);
        let pops = r.items.iter().zip(&given.origins.items);
        let is_run = pops
            .filter(|(_, origin)| **origin == Some(of))
            .any(|(item, _)| matches!(item.kind, ItemKind::Pop { what: Popped::Elements { .. } }));
        if !is_run {
            return None;
        }
        let (region, at) = self.positions[of.index()]?;
        let before = &self.f.regions[region.index()].items[..at];
        before.iter().rev().take(2).find_map(|item| match self.taped.get(item) {
            Some(Taped::Elements(first, count, ..)) => Some((of, *first, *count)),
            _ => None,
        })
    }

    /// Whether a place is element `pass` of those from `first` on.
    pub(super) fn is_of_run(&mut self, of: ItemId, first: P, place: P) -> bool {
        let pass = self.terms.make(Term::Pass(of));
        self.moved_place(first, pass).is_some_and(|expected| expected == place)
    }

    fn moved_place(&mut self, first: P, by: T) -> Option<P> {
        let Spot { root, mut steps } = self.terms.get_spot(first).clone();
        match steps.last_mut() {
            Some(Way::At(at)) => *at = self.terms.sum(*at, by, 1)?,
            _ => return None,
        }
        Some(self.terms.spot(Spot { root, steps }))
    }

    /// The elements of passes up to `pass + more`, which came back too early for the passes before.
    pub(super) fn early(&mut self, first: P, pass: T, more: i128) -> Res<P> {
        let Spot { root, mut steps } = self.terms.get_spot(first).clone();
        let more = self.terms.number(more);
        let (Some(Way::At(at)), Some(by)) = (steps.last().copied(), self.terms.sum(pass, more, 1)) else {
            return open("elements without a subscript");
        };
        let Some(end) = self.terms.sum(at, by, 1) else { return open("large subscripts") };
        steps.pop();
        steps.push(Way::Range(at, end));
        Ok(self.terms.spot(Spot { root, steps }))
    }

    /// Whether nothing else in a loop writes the elements that come back at once.
    pub(super) fn run_is_alone(&mut self, body: RegionId, of: ItemId, first: P) -> Res<()> {
        let inside = self.loops[&of].inside;
        let elements = self.early(first, inside, 0)?;
        let mut others = 0;
        let writes = Arc::clone(&self.writes[&body]);
        for section in writes.iter() {
            if section.place.is_some_and(|place| self.is_of_run(of, first, place)) {
                others += 1;
                continue;
            }
            let closed = self.close_all(section, of, Passes::All);
            if closed.iter().any(|section| self.meets(elements, section)) {
                return Err(self.refuted("a loop writes elements that come back at once in another way, too"));
            }
        }
        if others == 0 {
            return Err(self.refuted("elements come back at once that the loop does not write"));
        }
        Ok(())
    }
}
