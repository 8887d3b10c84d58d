//! Elements that a loop overwrites one by one, and that come back at once, in front of the reversed loop.

use super::section::{Passes, Section};
use super::state::{Replay, Res, Taped, open};
use super::terms::{P, Spot, T, Term, Way};
use crate::ir::*;

impl Replay<'_> {
    /// A loop of which nothing is reversed: the elements that it overwrote have come back in front of it, if any.
    pub(super) fn only_elements(&mut self, item: ItemId) -> Res<()> {
        self.pass_over(item)?;
        while let Some(k) = self.runs.iter().position(|(of, ..)| *of == item) {
            let (_, first, count) = self.runs.remove(k);
            let row = self.row_of_run(first, count)?;
            self.row_is_back(row);
        }
        Ok(())
    }

    /// The elements that come back: as many as the loop has passes, or none.
    pub(super) fn row_of_run(&mut self, first: P, count: T) -> Res<P> {
        let count = self.up_to(count);
        self.early(first, count, 0)
    }

    /// The elements that come back in front of an inner loop at once.
    pub(super) fn element_runs(&mut self, of: ItemId) -> Vec<(ItemId, P, T)> {
        if self.passes.contains_key(&of) {
            // What is popped for it belongs to one pass.
            return Vec::new();
        }
        let (r, given) = (self.r, self.given);
        let pops = r.items.iter().zip(&given.origins.items);
        let is_run =
            |item: &Item| matches!(item.kind, ItemKind::Sweep(SweepItem::Pop { what: Popped::Elements { .. } }));
        let runs = pops.filter(|(item, origin)| **origin == Some(of) && is_run(item)).count();
        let Some((region, at)) = self.positions[of.index()].filter(|_| runs > 0) else { return Vec::new() };
        let before = &self.f.regions[region].items[..at];
        let pushed = before.iter().rev().take(runs + 1).filter_map(|item| match self.taped.get(item) {
            Some(Taped::Elements(first, count, ..)) => Some((of, *first, *count)),
            _ => None,
        });
        pushed.take(runs).collect()
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
        let none = self.terms.number(0);
        let more = self.terms.number(more);
        let Some(end) = self.terms.sum(pass, more, 1) else { return open("large subscripts") };
        self.elements(first, none, end)
    }

    /// The elements of the passes behind this one: no pass up to it has overwritten them.
    pub(super) fn late(&mut self, of: ItemId, first: P) -> Res<P> {
        let (pass, one, end) = (self.terms.make(Term::Pass(of)), self.terms.number(1), self.loops[&of].inside);
        let Some(from) = self.terms.sum(pass, one, 1) else { return open("large subscripts") };
        self.elements(first, from, end)
    }

    fn elements(&mut self, first: P, from: T, to: T) -> Res<P> {
        let Spot { root, mut steps } = self.terms.get_spot(first).clone();
        let Some(Way::At(at)) = steps.pop() else { return open("elements without a subscript") };
        let (Some(from), Some(to)) = (self.terms.sum(at, from, 1), self.terms.sum(at, to, 1)) else {
            return open("large subscripts");
        };
        steps.push(Way::Range(from, to));
        Ok(self.terms.spot(Spot { root, steps }))
    }

    /// Whether one store of a loop, and nothing else in it, writes the elements that come back at once.
    pub(super) fn run_is_alone(&mut self, body: RegionId, of: ItemId, first: P) -> Res<()> {
        let inside = self.loops[&of].inside;
        let elements = self.early(first, inside, 0)?;
        let mut own = 0;
        for &item in &self.f.regions[body].items {
            let writes = if matches!(self.f.items[item].kind, ItemKind::Store { .. }) {
                let place = self.stored[&item];
                if self.is_of_run(of, first, place) {
                    own += 1;
                    continue;
                }
                vec![self.section(place)]
            } else {
                self.written_by(item)
            };
            for section in writes {
                let closed = self.close_all(&section, of, Passes::All);
                if closed.iter().any(|section| self.meets(elements, section)) {
                    return Err(self.refuted("a loop writes elements that come back at once in another way, too"));
                }
            }
        }
        match own {
            1 => Ok(()),
            0 => Err(self.refuted("elements come back at once that the loop does not write")),
            _ => Err(self.refuted("a pass writes an element twice that comes back at once")),
        }
    }

    /// What an item other than a store may write.
    fn written_by(&mut self, item: ItemId) -> Vec<Section> {
        if let ItemKind::Branch { .. } | ItemKind::Loop { .. } = self.f.items[item].kind {
            self.effects.get(&item).cloned().unwrap_or_default()
        } else if matches!(self.f.items[item].kind, ItemKind::Call { .. }) {
            self.call_writes(item)
        } else if let ItemKind::Declare { object } | ItemKind::Alloc { object, .. } = self.f.items[item].kind {
            let root = self.terms.make(Term::Object(object));
            let whole = self.terms.spot(Spot { root, steps: vec![Way::All] });
            vec![self.section(whole)]
        } else {
            Vec::new()
        }
    }
}
