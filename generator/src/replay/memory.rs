//! Memory: states of the forward sweep, and where the reverse sweep's memory differs from the state at hand.
//!
//! ```text
//!   entry ── store x[0] ── store x[1] ── havoc (a loop: what it may write) ── ...     states, each from the one before
//!                                                        ▲
//!                                                  reverse sweep: equal to this state, but for the damage
//! ```
//!
//! A load goes back through the states as long as what they write is elsewhere, so loads of unchanged memory are one
//! term wherever they stand. The reverse sweep holds no contents of its own: what it pops is what a state had.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::choices::DISTANCE;
use super::contract::Cells;
use super::section::{OwnAndAliases, Section, State, Written, add_cells};
use super::state::{Replay, Res, Side};
use super::terms::{P, T, Term, Version, Way, unnamed};
use crate::flow::poly::Facts;
use crate::ir::*;

/// States, or runs of them, that a load goes back through.
const BACK: usize = 2000;

impl Replay<'_> {
    pub(super) fn state(&mut self, state: State) -> Version {
        self.states.push(state);
        self.note_state();
        Version(u32::try_from(self.states.len() - 1).expect("fewer than 2^32 states"))
    }

    /// What a place holds in a state.
    pub(super) fn read(&mut self, from: Version, place: P) -> T {
        let (mut at, mut left) = (from, BACK);
        // Both sweeps go back equally far: what is known at one point has no part in it.
        let here = std::mem::take(&mut self.known);
        let found = loop {
            if left == 0 {
                self.is_cut = true;
                break None;
            }
            left -= 1;
            if let Some(before) = self.in_front_of_run(at, place) {
                at = before;
                continue;
            }
            match self.states[at.0 as usize].clone() {
                State::Entry => break None,
                State::Stored { before, place: to, value } => {
                    if to == place {
                        break Some(value);
                    }
                    if !self.disjoint(place, to) {
                        break self.is_by_now(place, to).then_some(value);
                    }
                    at = before;
                }
                State::Havoc { before, writes } => {
                    if writes.iter().any(|section| self.meets(place, section)) {
                        break None;
                    }
                    at = before;
                }
            }
        };
        self.known = here;
        found.unwrap_or_else(|| self.terms.make(Term::Load(at, place)))
    }

    /// Whether two places are one wherever they stand: of their subscripts, more may be known to be exact by now.
    fn is_by_now(&mut self, a: P, b: P) -> bool {
        if self.terms.get_spot(a).root != self.terms.get_spot(b).root {
            return false;
        }
        self.resolved.clear();
        let same = self.same_place(a, b);
        self.resolved.clear();
        same
    }

    pub(super) fn load(&mut self, side: Side, place: &Place) -> Res<T> {
        let at = self.place(side, place)?;
        if side == Side::Reverse && self.is_shadow(self.terms.get_spot(at).root) {
            return self.load_adjoint(at, &place.ty);
        }
        let value = match self.written_at(at).filter(|_| side == Side::Reverse) {
            Some(item) => self.read_written(item, at)?,
            None => {
                if side == Side::Reverse {
                    self.intact(at)?;
                }
                self.read(self.at, at)
            }
        };
        if let Term::Load(_, from) = *self.terms.get(value) {
            if matches!(place.ty, Type::Pointer(_)) {
                self.pointer_places.insert(from);
            }
            // A place that is read as signed and as unsigned has one term, which is exact as the first of them.
            let first = self.loaded_types.entry(value).or_insert_with(|| place.ty.clone());
            if unnamed(first) == unnamed(&place.ty) {
                self.terms.is_exactly(value, &place.ty);
            }
        }
        Ok(value)
    }

    /// Memory as the reverse sweep finds it in front of the reversal of a store.
    pub(super) fn as_found(&self, store: ItemId) -> Written {
        let (damage, back, certain) = (self.damage.clone(), self.back.clone(), self.certain.clone());
        Written { store, damage, back, certain }
    }

    /// The store that is being reversed, if this is its place and nothing has been popped yet.
    fn written_at(&mut self, place: P) -> Option<ItemId> {
        let item = self.written.as_ref()?.store;
        let to = self.stored[&item];
        self.same_place(to, place).then_some(item)
    }

    /// What the store that is being reversed has written, if the reverse sweep found it as the store left it.
    fn read_written(&mut self, item: ItemId, place: P) -> Res<T> {
        let Some(found) = self.written.take() else { unreachable!("the store at hand") };
        let now = self.as_found(item);
        (self.damage, self.back, self.certain) = (found.damage, found.back, found.certain);
        let intact = self.intact(place);
        let found = self.as_found(item);
        (self.damage, self.back, self.certain) = (now.damage, now.back, now.certain);
        self.written = Some(found);
        intact?;
        Ok(self.read(self.behind[item.index()], place))
    }

    /// Refuses a read of what was not restored.
    pub(super) fn intact(&mut self, place: P) -> Res<()> {
        if self.is_back(place) {
            return Ok(());
        }
        if self.exposed.is_some() {
            return self.expose(place);
        }
        let here = self.resolve_place(place);
        for section in self.damage.clone() {
            if !self.meets(place, &section) {
                continue;
            }
            // Lost for certain: this very place, or all of an object.
            let is_lost = section.place.is_some_and(|lost| {
                let same_root = self.terms.get_spot(lost).root == self.terms.get_spot(place).root;
                let certain = self.certain.contains(&lost);
                let whole = same_root && certain && self.made.contains(&lost);
                whole || certain && self.resolve_place(lost) == here
            });
            let what = self.show_place(place);
            if is_lost {
                return Err(self.refuted(&format!("{what} is read, which the reverse sweep has not restored")));
            }
            self.doubt(super::state::SECTIONS);
        }
        let whole = self.terms.get_spot(place).steps.contains(&Way::All);
        let root = self.terms.get_spot(place).root;
        let own = if whole { self.cells_of_root(root) } else { self.cells(place) }.map(|(own, _)| own);
        if own.is_none() {
            return super::state::open("memory that the forward sweep does not name");
        }
        self.need(place);
        Ok(())
    }

    /// Whether a place was restored: by itself, or in a row of elements.
    pub(super) fn is_back(&mut self, place: P) -> bool {
        if self.back.contains(&place) {
            return true;
        }
        let root = self.terms.get_spot(place).root;
        let is_row = |row: &P| {
            let spot = self.terms.get_spot(*row);
            spot.root == root && matches!(spot.steps.last(), Some(Way::Range(..) | Way::All))
        };
        let rows: Vec<P> = self.back.iter().copied().filter(is_row).collect();
        if rows.into_iter().any(|row| self.is_inside(place, row)) {
            return true;
        }
        if self.is_back_in_several(place) {
            return true;
        }
        let all = self.one_of(place).unwrap_or_default();
        !all.is_empty() && all.into_iter().all(|place| self.is_back(place))
    }

    pub(super) fn section(&mut self, place: P) -> Section {
        Section { place: Some(place), cells: self.aliases(place) }
    }

    pub(super) fn damaged(&mut self, place: P) {
        let section = self.section(place);
        self.no_longer_back(&section);
        self.certain.insert(place);
        if !self.damage.contains(&section) {
            self.damage.push(section);
        }
    }

    /// Places in a section that is damaged are not what a pop made them; the rest of a row of elements is.
    pub(super) fn no_longer_back(&mut self, section: &Section) {
        for place in self.back.clone() {
            if self.meets(place, section) {
                self.back.remove(&place);
                let left = self.remains(place, section);
                self.back.extend(left);
            }
        }
        for filled in std::mem::take(&mut self.filled) {
            if !self.meets(filled.1, section) {
                self.filled.push(filled);
            }
        }
    }

    pub(super) fn restored(&mut self, place: P) {
        self.mended(place);
        self.back.insert(place);
    }

    /// This very place is not damaged any more.
    pub(super) fn mended(&mut self, place: P) {
        let here = self.resolve_place(place);
        let damage = std::mem::take(&mut self.damage);
        for section in damage {
            let is_this = section.place.is_some_and(|other| other == place || self.resolve_place(other) == here);
            if !is_this {
                self.damage.push(section);
            }
        }
        self.certain.remove(&place);
    }

    // ---- which places may meet -----------------------------------------------------------------------------------

    pub(super) fn note_cells(&mut self, place: P, known: &Cells) {
        if self.cells_of.contains_key(&place) {
            return;
        }
        self.cells_of.insert(place, (known.own.clone(), known.aliases.clone()));
        let key = self.way_of(place);
        add_cells(self.cells_by_root.entry(key.0).or_default(), known);
        add_cells(self.cells_by_way.entry(key).or_default(), known);
    }

    /// The root and the members on the way.
    fn way_of(&self, place: P) -> (T, Vec<u32>) {
        let spot = self.terms.get_spot(place);
        let fields = spot.steps.iter().filter_map(|step| if let Way::Field(k) = step { Some(*k) } else { None });
        (spot.root, fields.collect())
    }

    pub(super) fn cells(&self, place: P) -> Option<OwnAndAliases> {
        if let Some(known) = self.cells_of.get(&place) {
            return Some(known.clone());
        }
        self.cells_by_way.get(&self.way_of(place)).cloned()
    }

    pub(super) fn aliases(&self, place: P) -> Arc<BTreeSet<u32>> {
        self.cells(place).map(|(_, aliases)| aliases).unwrap_or_default()
    }

    /// Whether a place may be in a part of memory.
    pub(super) fn meets(&mut self, place: P, section: &Section) -> bool {
        match section.place {
            // What the program does not name is where the section is.
            Some(other) if !self.disjoint(place, other) => {
                self.cells_in(other).is_some()
                    || self.cells(place).is_none_or(|(own, _)| !own.is_disjoint(&section.cells))
            }
            Some(_) => false,
            None => match self.cells(place) {
                Some((own, _)) => own.intersection(&section.cells).next().is_some(),
                None => true,
            },
        }
    }

    /// Whether two parts of memory may meet.
    pub(super) fn overlap(&mut self, a: &Section, b: &Section) -> bool {
        match (a.place, b.place) {
            (Some(place), _) => self.meets(place, b),
            (_, Some(place)) => self.meets(place, a),
            _ => a.cells.intersection(&b.cells).next().is_some(),
        }
    }

    pub(super) fn disjoint(&mut self, a: P, b: P) -> bool {
        if a == b {
            return false;
        }
        if let Some(&known) = self.apart.get(&(a, b)) {
            return known || self.disjoint_here(a, b);
        }
        let here = std::mem::take(&mut self.known);
        let found = self.are_disjoint(a, b);
        self.known = here;
        if found || self.cells_are_known(a, b) {
            self.apart.insert((a, b), found);
        }
        found || self.disjoint_here(a, b)
    }

    /// Whether no more can become known of two places: a part of memory may be named before the program names it.
    fn cells_are_known(&self, a: P, b: P) -> bool {
        self.terms.get_spot(a).root == self.terms.get_spot(b).root
            || (self.cells_in(a).is_some() && self.cells_in(b).is_some())
    }

    /// Whether two places are disjoint by what is known in the arm and the pass at hand.
    fn disjoint_here(&mut self, a: P, b: P) -> bool {
        !self.known.is_empty() && self.are_disjoint(a, b)
    }

    fn are_disjoint(&mut self, a: P, b: P) -> bool {
        let (x, y) = (self.terms.get_spot(a).clone(), self.terms.get_spot(b).clone());
        if x.root != y.root {
            let named = |term: &Term| matches!(term, Term::Object(_) | Term::Global(_));
            if named(self.terms.get(x.root)) && named(self.terms.get(y.root)) {
                return true;
            }
            let (Some((_, aliases)), Some((own, _))) = (self.cells_in(a), self.cells_in(b)) else { return false };
            return aliases.is_disjoint(&own);
        }
        for (s, t) in x.steps.iter().zip(&y.steps) {
            match (s, t) {
                (Way::Field(f), Way::Field(g)) if f != g => return true,
                (Way::Field(_), Way::Field(_)) => {}
                (Way::Field(_), _) | (_, Way::Field(_)) => return false,
                (Way::All, _) | (_, Way::All) => {}
                _ => {
                    if self.ranges_apart(*s, *t) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// All locations that a place may be, and what is in it.
    fn cells_in(&self, place: P) -> Option<OwnAndAliases> {
        let spot = self.terms.get_spot(place);
        if spot.steps.contains(&Way::All) { self.cells_of_root(spot.root) } else { self.cells(place) }
    }

    /// All locations that places from a root on may be.
    fn cells_of_root(&self, root: T) -> Option<OwnAndAliases> {
        match self.terms.get(root) {
            // What nothing names is nowhere else.
            Term::Object(object) => Some(self.cells_of_object.get(object).cloned().unwrap_or_default()),
            _ => self.cells_by_root.get(&root).cloned(),
        }
    }

    fn ranges_apart(&mut self, s: Way, t: Way) -> bool {
        let (Some((a, b)), Some((c, d))) = (self.ends_of(s), self.ends_of(t)) else { return false };
        if let (Way::At(a), Way::At(c)) = (s, t)
            && let Some(difference) = self.terms.sum(a, c, -1)
            && let Some(n) = self.terms.constant(difference)
        {
            return n != 0;
        }
        for (from, to) in [(a, b), (c, d)] {
            if let Some(length) = self.terms.sum(to, from, -1)
                && self.terms.constant(length).is_some_and(|length| length <= 0)
            {
                return true;
            }
        }
        // An empty range meets nothing: whoever accesses it has at least one element.
        let facts = self.facts_about(&[a, b, c, d], &[(a, b), (c, d)]);
        let [a, b, c, d] = [a, b, c, d].map(|t| self.terms.poly(t));
        facts.at_most(&b, &c) || facts.at_most(&d, &a)
    }

    /// What is known about the passes that terms mention, where each of these pairs is a number and a greater one.
    pub(super) fn facts_about(&mut self, about: &[T], ascending: &[(T, T)]) -> Facts {
        let mut facts = Facts::default();
        for (condition, is) in self.known.clone() {
            let holds = match is {
                Some(is) => self.terms.constant(is) != Some(0),
                None => true,
            };
            let Term::Binary(op @ (Binary::Less | Binary::LessEqual), a, b, ty) = self.terms.get(condition).clone()
            else {
                continue;
            };
            if !self.is_compared_exactly(a, b, &ty) {
                continue;
            }
            let (a, b) = (self.terms.poly(a), self.terms.poly(b));
            let (less, more, strict) = if holds { (a, b, op == Binary::Less) } else { (b, a, op == Binary::LessEqual) };
            facts.add(more.sub(&less).and_then(|p| p.plus(-i128::from(strict))));
        }
        for item in self.terms.passes(about) {
            let Some(form) = self.loops.get(&item) else { continue };
            let pass = self.terms.make(Term::Pass(item));
            facts.add(Some(self.terms.poly(pass)));
            facts.add(self.terms.less(pass, form.inside));
            if let Some(first) = form.steps_beyond {
                facts.add(Some(self.terms.poly(first)));
            }
        }
        for &(low, high) in ascending {
            facts.add(self.terms.less(low, high));
        }
        self.add_trips(&mut facts);
        facts
    }

    /// A loop's last step is the first that reaches the distance: `0 <= by * trips - distance`, and `< by` where it runs.
    fn add_trips(&self, facts: &mut Facts) {
        let mut atoms = BTreeSet::new();
        for fact in facts.iter() {
            fact.values(&mut atoms);
        }
        for (_, atom) in atoms {
            let Term::Trips(distance, by) = *self.terms.get(T(atom.0)) else { continue };
            let trips = self.terms.poly(T(atom.0));
            if self.terms.is_exact(distance, &DISTANCE) {
                let beyond = trips.scale(by).and_then(|end| end.sub(&self.terms.poly(distance)));
                if facts.nonneg(trips.plus(-1)) {
                    facts.add(beyond.as_ref().and_then(|beyond| beyond.scale(-1)?.plus(by - 1)));
                }
                facts.add(beyond);
            }
        }
    }
}

/// Whether steps lead to what others lead to, or into it.
pub(super) fn lead_into(steps: &[Way], of: &[Way]) -> bool {
    match (steps, of) {
        (_, [Way::All]) | ([], []) => true,
        ([Way::At(_) | Way::Range(..) | Way::All, inner @ ..], [Way::All, rest @ ..]) => lead_into(inner, rest),
        ([step, inner @ ..], [same, rest @ ..]) => step == same && lead_into(inner, rest),
        _ => false,
    }
}
