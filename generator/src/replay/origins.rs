//! Pointers that change places: which terms a pointer is one of, whatever the pass.

use std::collections::BTreeSet;

use super::section::{Passes, Section};
use super::state::{Replay, Res};
use super::terms::{P, T, Term};
use crate::ir::*;

/// More terms than this are not told apart.
const MOST: usize = 8;

impl Replay<'_> {
    /// The terms of which a pointer is one that loops hand on and branches choose; NULL may be among them. Each is the same
    /// in all passes of these loops.
    pub(super) fn origins(&mut self, pointer: T) -> Option<Vec<T>> {
        let f = self.f;
        let (mut found, mut loops, mut seen) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let mut open = vec![pointer];
        while let Some(t) = open.pop() {
            if !seen.insert(t) {
                continue;
            }
            match *self.terms.get(t) {
                Term::Head(item, k) | Term::Out(item, k) => {
                    let ItemKind::Loop { carried, .. } = &f.items[item].kind else { return None };
                    let each = carried.get(k as usize)?;
                    // What a pass leaves is not known before it has run.
                    if self.running.contains(&item) {
                        return None;
                    }
                    loops.insert(item);
                    open.extend([self.values[each.init.index()]?, self.values[each.end.index()]?]);
                }
                Term::Choose(_, x, y) => open.extend([x, y]),
                Term::Undefined(_) => {}
                _ => drop(found.insert(t)),
            }
        }
        let changes = |of: &T| {
            let is_pass = |item: &ItemId| self.terms.mentions(*of, &|term| *term == Term::Pass(*item));
            loops.iter().any(|item| self.varies(*of, *item) || is_pass(item))
        };
        let known = found.len() <= MOST && !found.contains(&pointer) && !found.iter().any(changes);
        known.then(|| found.into_iter().collect())
    }

    /// The places of which one is one, behind a pointer that is one of several.
    pub(super) fn one_of(&mut self, place: P) -> Option<Vec<P>> {
        let spot = self.terms.get_spot(place).clone();
        let mut all = Vec::new();
        for origin in self.origins(spot.root)? {
            if *self.terms.get(origin) != Term::Null {
                all.push(self.under(origin, &spot.steps)?);
            }
        }
        Some(all)
    }

    /// A section of one pass, for several: in parts, where its pointer is one of several.
    pub(super) fn close_all(&mut self, section: &Section, item: ItemId, passes: Passes) -> Vec<Section> {
        let closed = self.close(section, item, passes);
        let Some(place) = section.place.filter(|_| closed.place.is_none()) else { return vec![closed] };
        let Some(all) = self.one_of(place) else { return vec![closed] };
        let part = |place| Section { place: Some(place), cells: section.cells.clone() };
        all.into_iter().map(|place| self.close(&part(place), item, passes)).collect()
    }

    /// Refuses a snapshot that keeps a pointer by its number among others, if it may be none of them.
    pub(super) fn is_among(&mut self, pointer: T, among: &[T]) -> Res<()> {
        let origins = self.origins(pointer).unwrap_or_else(|| vec![pointer]);
        if origins.iter().all(|origin| among.contains(origin)) {
            return Ok(());
        }
        Err(self.refuted("a pointer is kept by its number among others and may be none of these"))
    }

    /// The shadow of a pointer, if that is what is chosen: by comparing it with all that it may be.
    pub(super) fn chosen_shadow(&mut self, condition: T, then: T, otherwise: T) -> Option<T> {
        let equal = |this: &Self, t: T| match *this.terms.get(t) {
            Term::Binary(Binary::Equal, a, b, _) => Some([a, b]),
            _ => None,
        };
        let [a, b] = equal(self, condition)?;
        for (pointer, first) in [(a, b), (b, a)] {
            let Some(mut open) = self.origins(pointer) else { continue };
            let (mut is, mut shadow, mut rest) = (first, then, otherwise);
            loop {
                if self.shadow(is) != shadow {
                    break;
                }
                open.retain(|origin| *origin != is);
                if let [last] = open[..]
                    && self.shadow(last) == rest
                {
                    return Some(self.shadow(pointer));
                }
                let Term::Choose(next, x, y) = *self.terms.get(rest) else { break };
                let Some(other) = equal(self, next).and_then(|two| two.into_iter().find(|t| *t != pointer)) else {
                    break;
                };
                if equal(self, next).is_none_or(|two| !two.contains(&pointer)) {
                    break;
                }
                (is, shadow, rest) = (other, x, y);
            }
        }
        None
    }
}
