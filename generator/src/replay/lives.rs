//! Objects that a region makes: what it leaves of them concerns nobody else.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::section::Section;
use super::state::Replay;
use super::terms::{T, Term};
use crate::ir::*;

impl Replay<'_> {
    /// Whether each run of a region has an object of its own.
    fn is_made_in(&self, object: ObjectId, region: RegionId) -> bool {
        let f = self.f;
        match f.objects[object].life {
            Life::Region(home) => f.is_within(home, region),
            Life::Param(_) => region == RegionId(0),
            Life::Heap => self.is_block_of(object, region),
            _ => false,
        }
    }

    /// Whether a region makes a block, or one inside it does that frees it, too.
    fn is_block_of(&self, block: ObjectId, region: RegionId) -> bool {
        let f = self.f;
        let makes = |item: &Item| matches!(item.kind, ItemKind::Alloc { object, .. } if object == block);
        let leads_to = |pointer: T| match *self.terms.get(pointer) {
            Term::Address(place) => *self.terms.get(self.terms.get_spot(place).root) == Term::Object(block),
            _ => false,
        };
        let frees = |item: &ItemId| {
            let ItemKind::Free { pointer: Expr { kind: ExprKind::Value(pointer), .. } } = &f.items[*item].kind else {
                return false;
            };
            self.values[pointer.index()].is_some_and(leads_to)
        };
        let made = f.items.iter().zip(&self.positions).filter(|(item, _)| makes(item));
        let homes: Vec<(RegionId, usize)> = made.filter_map(|(_, position)| *position).collect();
        let ends_inside = |(home, at): &(RegionId, usize)| {
            f.is_within(*home, region) && f.regions[*home].items[*at..].iter().any(frees)
        };
        homes.iter().any(|(home, _)| *home == region) || !homes.is_empty() && homes.iter().all(ends_inside)
    }

    /// What is left of a section where a region ends, and with it the objects that it has made.
    pub(super) fn outside(&self, section: Section, region: RegionId) -> Option<Section> {
        if let Some(place) = section.place {
            return match self.terms.get(self.terms.get_spot(place).root) {
                Term::Object(object) if self.is_made_in(*object, region) => None,
                _ => Some(section),
            };
        }
        let is_local = |cell: &u32| self.homes.get(cell).is_some_and(|object| self.is_made_in(*object, region));
        let cells: BTreeSet<u32> = section.cells.iter().copied().filter(|cell| !is_local(cell)).collect();
        (!cells.is_empty()).then(|| Section { place: None, cells: Arc::new(cells) })
    }
}
