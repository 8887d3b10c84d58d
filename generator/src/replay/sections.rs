//! What several passes of a loop write, from what one pass writes.

use super::section::{Passes, Section};
use super::state::{Replay, Res};
use super::terms::{Spot, T, Term, Way};
use crate::flow::poly::Facts;
use crate::ir::*;

impl Replay<'_> {
    /// What the passes of a loop write.
    pub(super) fn closed(&mut self, item: ItemId, body: RegionId) -> Res<Vec<Section>> {
        let all: Vec<Section> = self.writes[&body].to_vec();
        let mut closed: Vec<Section> = Vec::new();
        for section in all {
            for section in self.close_all(&section, item, Passes::All) {
                if !closed.contains(&section) {
                    closed.push(section);
                }
            }
        }
        Ok(closed)
    }

    /// A section of one pass, for several.
    pub(super) fn close(&mut self, section: &Section, item: ItemId, passes: Passes) -> Section {
        let Some(place) = section.place else { return section.clone() };
        let Spot { root, steps } = self.terms.get_spot(place).clone();
        let is_pass = |term: &Term| *term == Term::Pass(item);
        if self.varies(root, item) || self.terms.mentions(root, &is_pass) {
            return Section { place: None, cells: section.cells.clone() };
        }
        let mut new = Vec::new();
        for step in steps {
            let whole = match step {
                Way::Field(_) | Way::All => Some(step),
                Way::At(_) | Way::Range(..) => self.close_range(step, item, passes),
            };
            // Members behind it still tell places apart.
            new.push(whole.unwrap_or(Way::All));
        }
        let place = self.terms.spot(Spot { root, steps: new });
        Section { place: Some(place), cells: section.cells.clone() }
    }

    fn close_range(&mut self, step: Way, item: ItemId, passes: Passes) -> Option<Way> {
        let one = self.terms.number(1);
        let (from, to) = match step {
            Way::At(at) => (at, self.terms.sum(at, one, 1)?),
            Way::Range(from, to) => (from, to),
            _ => return None,
        };
        if self.varies(from, item) || self.varies(to, item) {
            return None;
        }
        let inside = self.loops[&item].inside;
        let last = self.terms.sum(inside, one, -1)?;
        let first = match passes {
            Passes::All => self.terms.number(0),
            Passes::Later => {
                let pass = self.terms.make(Term::Pass(item));
                self.terms.sum(pass, one, 1)?
            }
        };
        let low = self.extreme(step, from, item, [first, last], false)?;
        let high = self.extreme(step, to, item, [first, last], true)?;
        match step {
            Way::At(at) if low == at => Some(step),
            _ => Some(Way::Range(low, high)),
        }
    }

    /// The least or the greatest of an end of a section over several passes.
    fn extreme(&mut self, step: Way, end: T, item: ItemId, [first, last]: [T; 2], greatest: bool) -> Option<T> {
        let pass = self.terms.make(Term::Pass(item));
        let (start, up) = self.linear_in(end, pass)?;
        let is_pass = |term: &Term| *term == Term::Pass(item);
        if [start, up].iter().any(|t| self.terms.mentions(*t, &is_pass)) {
            return None;
        }
        if self.terms.constant(up) == Some(0) {
            return Some(end);
        }
        let mut facts = Facts::default();
        // Without a pass there is no element.
        facts.add(self.terms.poly(self.loops[&item].inside).plus(-1));
        if let Way::Range(from, to) = step {
            facts.add(self.terms.less(from, to));
        }
        if let Some(step) = self.loops[&item].goes_by {
            facts.add(self.terms.poly(step).plus(-1));
        }
        let upwards = facts.nonneg(Some(self.terms.poly(up)));
        let downwards = facts.nonneg(self.terms.poly(up).scale(-1));
        let at = match (upwards, downwards) {
            (true, _) => {
                if greatest {
                    last
                } else {
                    first
                }
            }
            (_, true) => {
                if greatest {
                    first
                } else {
                    last
                }
            }
            _ => return None,
        };
        let moved = self.terms.product(up, at)?;
        self.terms.sum(start, moved, 1)
    }
}
