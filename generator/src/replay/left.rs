//! What the reversal of a pass leaves damaged, without running it: so that any pass is reversed with what all later ones
//! have left.

use rustc_hash::FxHashSet;

use super::section::{Passes, Section};
use super::state::{Replay, Res};
use super::terms::{P, T};
use crate::ir::*;

impl Replay<'_> {
    /// What the reverse of one pass leaves damaged of the outside, and the places that it surely restores.
    pub(super) fn left_by(&mut self, region: RegionId, runs: &[(ItemId, P, T)]) -> Res<(Vec<Section>, FxHashSet<P>)> {
        let f = self.f;
        let (mut left, mut all_back): (Vec<Section>, FxHashSet<P>) = (Vec::new(), FxHashSet::default());
        for &item in f.regions[region].items.iter().rev() {
            let (mut more, mut back) = (Vec::new(), FxHashSet::default());
            let kind = &f.items[item].kind;
            if matches!(kind, ItemKind::Store { .. }) {
                let place = self.stored[&item];
                let in_run = runs.iter().any(|(loop_, first, _)| self.is_of_run(*loop_, *first, place));
                if self.undone.contains(&item) {
                    back.insert(place);
                } else if !in_run {
                    more.push(self.section(place));
                }
            } else if matches!(kind, ItemKind::Call { .. }) {
                more.extend(self.left_by_call(item));
                more.extend(self.garbled_by(item));
            } else if let ItemKind::Branch { then, otherwise, .. } = kind {
                let (by_then, in_then) = self.left_by(*then, &[])?;
                let (by_other, in_other) = self.left_by(*otherwise, &[])?;
                back = &in_then & &in_other;
                more.extend(by_then.into_iter().chain(by_other));
            } else if let ItemKind::Loop { body, .. } = kind {
                let elements = self.element_runs(item);
                for section in self.left_by(*body, &elements)?.0 {
                    more.extend(self.close_all(&section, item, Passes::All));
                }
                more.extend(self.garbled_by(item));
            }
            // Whatever the items behind have left there.
            left.retain(|section| section.place.is_none_or(|place| !back.contains(&place)));
            all_back.extend(back);
            for section in more {
                if !left.contains(&section) {
                    left.push(section);
                }
            }
        }
        Ok((left.into_iter().filter_map(|section| self.outside(section, region)).collect(), all_back))
    }

    /// What the reverse of a call does not restore; of a call that is not reversed, all that it writes.
    fn left_by_call(&mut self, item: ItemId) -> Vec<Section> {
        let given = self.given;
        let Some(effect) = given.calls.get(&item) else { return Vec::new() };
        let is_swept = matches!(self.f.items[item].kind, ItemKind::Call { callee: Callee::Sweep(..), .. });
        self.sections_of_call(item, if is_swept { &effect.leaves } else { &effect.may })
    }

    /// Adds what passes on the way to others write beside what snapshots have.
    pub(super) fn leave_by_way(&mut self, of: ItemId, left: &mut Vec<Section>) -> Res<()> {
        let Some(way) = self.passes.get(&of).and_then(|pass| pass.way.as_ref()) else { return Ok(()) };
        let rows = self.rows_of_snapshots(way)?;
        for section in self.effects.get(&of).cloned().unwrap_or_default() {
            let kept = section.place.is_some_and(|place| rows.iter().any(|row| self.is_inside(place, *row)));
            if !kept && !left.contains(&section) {
                left.push(section);
            }
        }
        Ok(())
    }
}
