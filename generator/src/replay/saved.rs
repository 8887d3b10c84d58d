//! What a pass that runs again saves without having found it: its pushes take what memory held by chance, and its pops
//! put that back.
//!
//! ```text
//!   out = work space, which each pass of the outer loop finds as the later one left it
//!   inner pass 0   saves out (anything), fills it         ── reversed: out holds anything again
//!   inner pass 1   saves out (what pass 0 left), fills it ── reversed: out holds what pass 0 left
//! ```
//!
//! Nothing is wrong with that as long as nobody reads it: behind the reversal of such an item, memory is damaged there. If
//! each pass of a loop surely fills it, only the first one finds anything else than the pass before left.

use super::section::{Passes, Section};
use super::state::{Replay, Res};
use super::terms::{P, Term};
use crate::ir::*;
use rustc_hash::FxHashSet;

impl Replay<'_> {
    /// A call saves a part of memory, in a pass that runs again.
    pub(super) fn save_by_call(&mut self, item: ItemId, section: Section) {
        match (section.place, &mut self.exposed) {
            (Some(place), Some(_)) => return self.save(place),
            (None, Some(exposed)) => return exposed.saved.cells.extend(section.cells.iter().copied()),
            _ => {}
        }
        if section.place.is_some_and(|place| self.is_back(place)) {
            return;
        }
        if self.damage.clone().iter().any(|damage| self.overlap(damage, &section)) {
            let garbled = self.garbled.entry(item).or_default();
            if !garbled.contains(&section) {
                garbled.push(section);
            }
            return;
        }
        match section.place {
            Some(place) => self.need(place),
            None => self.needs.cells.extend(section.cells.iter().copied()),
        }
    }

    /// Notes that a place is saved which the procedure has not written before.
    pub(super) fn save(&mut self, place: P) {
        for place in self.not_back(place) {
            self.exposed.iter_mut().for_each(|exposed| exposed.saved.add(place));
        }
    }

    /// What the items of a loop save without having found it, in all passes. `written`: what each pass surely overwrites.
    pub(super) fn garbled_by_loop(&mut self, item: ItemId, body: RegionId, written: &[P]) {
        let mut all = Vec::new();
        for section in self.garbled_in(body) {
            let closed = self.close_all(&section, item, Passes::All);
            all.extend(closed.into_iter().filter(|section| !all.contains(section)).collect::<Vec<_>>());
        }
        for inner in self.items_inside(body) {
            let Some(sections) = self.garbled.remove(&inner) else { continue };
            let mut each_pass = sections;
            each_pass.retain(|section| !section.place.is_some_and(|place| self.is_filled(place, item, written)));
            if !each_pass.is_empty() {
                self.garbled.insert(inner, each_pass);
            }
        }
        if !all.is_empty() {
            self.garbled.insert(item, all);
        }
    }

    /// What each pass of the loops in a region surely fills, where all of them fill the same.
    pub(super) fn filled_by_loops(&mut self, kept: &FxHashSet<ItemId>, region: RegionId) -> Res<Vec<(ItemId, P)>> {
        let f = self.f;
        let mut all = Vec::new();
        for &item in f.regions[region].items.iter().filter(|item| kept.contains(item)) {
            let ItemKind::Loop { body, .. } = &f.items[item].kind else { continue };
            let written = self.surely_written(kept, *body)?;
            all.extend(written.into_iter().filter(|place| self.is_steady(*place, item)).map(|place| (item, place)));
        }
        Ok(all)
    }

    /// Whether a place is one and the same in all passes of a loop, and each of them surely fills it.
    fn is_filled(&mut self, place: P, item: ItemId, written: &[P]) -> bool {
        let rows = written.iter().copied().filter(|row| self.is_steady(*row, item)).collect::<Vec<_>>();
        self.is_steady(place, item) && rows.into_iter().any(|row| place == row || self.is_inside(place, row))
    }

    /// Whether a place is one and the same in all passes of a loop.
    fn is_steady(&self, place: P, item: ItemId) -> bool {
        let is_pass = |term: &Term| *term == Term::Pass(item);
        let parts = self.terms.parts_of_spot(place);
        parts.iter().all(|t| !self.varies(*t, item) && !self.terms.mentions(*t, &is_pass))
    }

    /// What the items of a region save without having found it.
    pub(super) fn garbled_in(&self, region: RegionId) -> Vec<Section> {
        let mut all = Vec::new();
        for item in &self.f.regions[region].items {
            all.extend(self.garbled_by(*item));
            if let ItemKind::Branch { then, otherwise, .. } = &self.f.items[*item].kind {
                all.extend([then, otherwise].into_iter().flat_map(|arm| self.garbled_in(*arm)));
            }
        }
        all
    }

    /// Behind the reversal of an item, memory holds what the item saved.
    pub(super) fn garbled_again(&mut self, item: ItemId) {
        let garbled = self.garbled_by(item);
        self.add_damage(garbled);
    }

    /// What an item saves without having found it.
    pub(super) fn garbled_by(&self, item: ItemId) -> Vec<Section> {
        self.garbled.get(&item).cloned().unwrap_or_default()
    }
}
