//! Rows of elements: several in one, and what is left of one when others are overwritten.

use super::section::Section;
use super::state::Replay;
use super::terms::{P, Spot, T, Way};

/// Rows that are compared with each other, and those that are made of several.
const ROWS: usize = 32;

impl Replay<'_> {
    /// Adds rows that are made of two of them: what is in `a..c` is in `a..b` or in `b..c`, wherever `b` is.
    pub(super) fn join(&mut self, rows: &mut Vec<P>) {
        let mut k = 0;
        while k < rows.len() && rows.len() < ROWS {
            for l in 0..rows.len() {
                for (x, y) in [(rows[k], rows[l]), (rows[l], rows[k])] {
                    if let Some(whole) = self.joined(x, y)
                        && !rows.contains(&whole)
                    {
                        rows.push(whole);
                    }
                }
            }
            k += 1;
        }
    }

    /// `a..c`, if one place is `a..b` and the other one `b..c`.
    fn joined(&mut self, x: P, y: P) -> Option<P> {
        let (x, y) = (self.terms.get_spot(x).clone(), self.terms.get_spot(y).clone());
        let ((last, before), (next, around)) = (x.steps.split_last()?, y.steps.split_last()?);
        if x.root != y.root || before != around {
            return None;
        }
        let ((from, end), (begin, to)) = (self.ends_of(*last)?, self.ends_of(*next)?);
        (end == begin && from != to).then(|| self.row_between(x.root, before, from, to))
    }

    /// Where elements begin, and what is behind them.
    pub(super) fn ends_of(&mut self, way: Way) -> Option<(T, T)> {
        match way {
            Way::At(at) => {
                let one = self.terms.number(1);
                Some((at, self.terms.sum(at, one, 1)?))
            }
            Way::Range(from, to) => Some((from, to)),
            Way::Field(_) | Way::All => None,
        }
    }

    fn row_between(&mut self, root: T, around: &[Way], from: T, to: T) -> P {
        let steps = around.iter().copied().chain([Way::Range(from, to)]).collect();
        self.terms.spot(Spot { root, steps })
    }

    /// Whether several rows that are back have all of a place between them.
    pub(super) fn is_back_in_several(&mut self, place: P) -> bool {
        let Spot { root, steps } = self.terms.get_spot(place).clone();
        let Some((_, around)) = steps.split_last() else { return false };
        let beside = |other: &P| {
            let spot = self.terms.get_spot(*other);
            spot.root == root && spot.steps.len() == steps.len() && spot.steps.starts_with(around)
        };
        let mut rows: Vec<P> = self.back.iter().copied().filter(beside).collect();
        let alone = rows.len();
        if !(2..ROWS).contains(&alone) {
            return false;
        }
        rows.sort();
        self.join(&mut rows);
        rows[alone..].iter().any(|row| self.is_inside(place, *row))
    }

    /// What is surely left of a row of elements in front of a section that meets it, and behind.
    pub(super) fn remains(&mut self, row: P, section: &Section) -> Vec<P> {
        self.parts_beside(row, section).unwrap_or_default()
    }

    fn parts_beside(&mut self, row: P, section: &Section) -> Option<Vec<P>> {
        let (row, other) = (self.terms.get_spot(row).clone(), self.terms.get_spot(section.place?).clone());
        let ((last, around), (lost, before)) = (row.steps.split_last()?, other.steps.split_last()?);
        if row.root != other.root || around != before || matches!(last, Way::At(_)) {
            return None;
        }
        let ((from, to), (begin, end)) = (self.ends_of(*last)?, self.ends_of(*lost)?);
        let facts = self.facts_about(&[from, to, begin, end], &[(from, to), (begin, end)]);
        let [a, b, c, d] = [from, to, begin, end].map(|t| self.terms.poly(t));
        let mut left = Vec::new();
        // Neither reaches beyond the row; an empty one claims nothing, and is left out where that shows.
        if !facts.at_most(&c, &a) && facts.at_most(&c, &b) {
            left.push(self.row_between(row.root, around, from, begin));
        }
        if !facts.at_most(&b, &d) && facts.at_most(&a, &d) {
            left.push(self.row_between(row.root, around, end, to));
        }
        Some(left)
    }
}
