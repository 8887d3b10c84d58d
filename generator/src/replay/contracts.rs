//! Contracts: what a procedure does to memory, in terms of its arguments, so that each call is judged by its own.
//!
//! ```text
//!   callee   subtract(d, x, y, out)       fills out[0 .. d), reads x[0 .. d) and y[0 .. d) as it finds them
//!   call     subtract(d, &x[ix * d], …)   fills xcentered[0 .. d), reads x[ix * d .. ix * d + d), …
//! ```
//!
//! Variables with static storage have one name in both. What has no name, or one that the arguments do not give, is
//! known by its location.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

use super::contract::Reads;
use super::contract::{Argument, Behind, Cells, Contract, Exposed, Extent, Found, Part};
use super::section::{Passes, Section, State};
use super::state::{Replay, Res, open};
use super::terms::{P, Spot, T, Term, Way};
use crate::flow::poly::Poly;
use crate::ir::*;

impl Replay<'_> {
    /// What all passes of a loop need, from what one of them does: all that was noted since there were `from` places.
    pub(super) fn close_needs(&mut self, item: ItemId, from: usize) {
        let mut needs = std::mem::take(&mut self.needs);
        self.close_reads(&mut needs, item, from);
        self.needs = needs;
    }

    /// What all passes of a loop expose.
    pub(super) fn close_exposed(&mut self, item: ItemId, [read, saved]: [usize; 2]) {
        if let Some(mut exposed) = self.exposed.take() {
            self.close_reads(&mut exposed.read, item, read);
            self.close_reads(&mut exposed.saved, item, saved);
            self.exposed = Some(exposed);
        }
    }

    fn close_reads(&mut self, reads: &mut Reads, item: ItemId, from: usize) {
        for place in reads.places.split_off(from) {
            reads.known.remove(&place);
            match self.close_place(place, item) {
                Some(all) => reads.add(all),
                None => reads.cells.extend(self.aliases(place).iter().copied()),
            }
        }
    }

    /// The contract of the procedure, of which all is proved.
    pub(super) fn contract(&mut self) -> Contract {
        let needs = std::mem::take(&mut self.needs);
        let needs = self.as_read(needs);
        let leaves = self.damage.clone();
        let leaves = self.as_extent(&leaves);
        let mut restores: Vec<P> = self.back.iter().copied().collect();
        restores.sort();
        let restores = self.all_behind(restores);
        if !self.given.is_called {
            return Contract { needs, leaves, restores, ..Contract::default() };
        }
        let writes: Vec<Section> = self.writes[&RegionId(0)].to_vec();
        let writes = self.as_extent(&writes);
        let kept: FxHashSet<ItemId> = self.items_inside(RegionId(0)).into_iter().collect();
        let fills = self.surely_written(&kept, RegionId(0)).unwrap_or_default();
        let fills = self.all_behind(fills);
        let (exposed, saved) = self.exposed_by(&kept).unzip();
        Contract { needs, leaves, restores, writes, fills, exposed, saved }
    }

    fn all_behind(&mut self, places: Vec<P>) -> Vec<Behind> {
        places.into_iter().filter_map(|place| self.behind(place)).collect()
    }

    /// What the procedure reads, and what it only saves, before it writes there: it runs again, and nothing is there that
    /// it does not write.
    fn exposed_by(&mut self, kept: &FxHashSet<ItemId>) -> Option<(Extent, Extent)> {
        self.damage.clear();
        self.back.clear();
        self.exposed = Some(Exposed::default());
        let ran = self.rerun(kept, RegionId(0));
        let Exposed { read, saved } = self.exposed.take()?;
        if ran.is_err() || self.doubted.is_some() {
            return None;
        }
        Some((self.as_read(read)?, self.as_read(saved)?))
    }

    /// Notes that a place is read which the procedure has not written before.
    pub(super) fn expose(&mut self, place: P) -> Res<()> {
        for place in self.not_back(place) {
            if self.cells(place).is_none() {
                return open("memory that the forward sweep does not name");
            }
            self.exposed.iter_mut().for_each(|exposed| exposed.read.add(place));
        }
        Ok(())
    }

    /// Notes that the reverse sweep reads a place as the forward sweep left it.
    pub(super) fn need(&mut self, place: P) {
        for place in self.not_back(place) {
            self.needs.add(place);
        }
    }

    /// What may be read by the name of a place and has not come back.
    pub(super) fn not_back(&mut self, place: P) -> Vec<P> {
        let mut all = self.handed_on(place, 3);
        all.retain(|(place, is_here)| !is_here || !self.is_back(*place));
        all.into_iter().map(|(place, _)| place).collect()
    }

    /// The places that one behind a pointer may be which a loop hands on: behind what it was before the loop, and behind
    /// what passes left. Whether it is of here: what the pass at hand leaves stands for what the one before has left.
    fn handed_on(&mut self, place: P, depth: u32) -> Vec<(P, bool)> {
        let as_it_is = vec![(place, true)];
        let Spot { root, steps } = self.terms.get_spot(place).clone();
        let (item, k, is_inside) = match *self.terms.get(root) {
            Term::Head(item, k) => (item, k, true),
            Term::Out(item, k) => (item, k, false),
            _ => return as_it_is,
        };
        let ItemKind::Loop { carried, .. } = &self.f.items[item].kind else { return as_it_is };
        let Some(c) = carried.get(k as usize).filter(|_| depth > 0) else { return as_it_is };
        let (init, end) = (self.forward_value(c.init), self.forward_value(c.end));
        if self.varies(end, item) {
            return as_it_is;
        }
        let (Some(first), Some(mut later)) = (self.under(init, &steps), self.under(end, &steps)) else {
            return as_it_is;
        };
        if !is_inside {
            match self.close_place(later, item) {
                Some(all) => later = all,
                None => return as_it_is,
            }
        }
        let mut all = self.handed_on(first, depth - 1);
        let later = self.handed_on(later, depth - 1);
        all.extend(later.into_iter().map(|(place, is_here)| (place, is_here && !is_inside)));
        all
    }

    /// A place in all passes of a loop.
    fn close_place(&mut self, place: P, item: ItemId) -> Option<P> {
        let section = self.section(place);
        let all = self.close(&section, item, Passes::All).place?;
        let (own, aliases) = self.cells(place)?;
        self.note_cells(all, &Cells { active: false, own, aliases });
        Some(all)
    }

    /// The place to which steps lead from where a pointer points to.
    pub(super) fn under(&mut self, pointer: T, steps: &[Way]) -> Option<P> {
        let mut spot = self.spot_of_pointer(pointer)?;
        let (first, rest) = steps.split_first()?;
        match (*first, spot.steps.last().copied()) {
            (Way::At(by), _) => self.advance(&mut spot, by).ok()?,
            (Way::Range(from, to), Some(Way::At(at))) => {
                let (from, to) = (self.terms.sum(at, from, 1)?, self.terms.sum(at, to, 1)?);
                *spot.steps.last_mut()? = Way::Range(from, to);
            }
            (Way::All, Some(Way::At(_))) => *spot.steps.last_mut()? = Way::All,
            _ => return None,
        }
        spot.steps.extend(rest);
        Some(self.terms.spot(spot))
    }

    // ---- of the procedure ----------------------------------------------------------------------------------------

    /// Parts of memory, for callers; `None` if one of them is unknown.
    fn as_extent(&mut self, sections: &[Section]) -> Option<Extent> {
        let (mut places, mut cells): (Vec<Behind>, BTreeSet<u32>) = (Vec::new(), BTreeSet::new());
        for section in sections {
            let Some(section) = self.outside(section.clone(), RegionId(0)) else { continue };
            match section.place.and_then(|place| self.behind(place)) {
                Some(behind) => places.push(behind),
                None if section.cells.is_empty() => return None,
                None => cells.extend(section.cells.iter().copied()),
            }
        }
        Some(Extent { places, cells: Arc::new(cells) })
    }

    fn as_read(&mut self, reads: Reads) -> Option<Extent> {
        let mut all: Vec<Section> = reads.places.into_iter().map(|place| self.section(place)).collect();
        if !reads.cells.is_empty() {
            all.push(Section { place: None, cells: Arc::new(reads.cells) });
        }
        self.as_extent(&all)
    }

    fn behind(&mut self, place: P) -> Option<Behind> {
        let (own, aliases) = self.cells(place)?;
        let Spot { root, steps } = self.terms.get_spot(place).clone();
        let from = self.given_by(root)?;
        let mut numbers = Vec::new();
        let steps = self.by_arguments(&steps, &mut numbers)?;
        Some(Behind { from, numbers, steps, cells: Cells { active: false, own, aliases } })
    }

    /// What a pointer or an integer is, if the procedure is given it.
    fn given_by(&self, t: T) -> Option<Argument> {
        match *self.terms.get(t) {
            Term::Entry(argument) => Some(Argument { root: Found::Argument(argument), loads: Vec::new() }),
            Term::Global(global) => Some(Argument { root: Found::Global(global), loads: Vec::new() }),
            Term::Load(version, place) if matches!(self.states[version.0 as usize], State::Entry) => {
                let (own, aliases) = self.cells(place)?;
                let Spot { root, steps } = self.terms.get_spot(place);
                let Argument { root, mut loads } = self.given_by(*root)?;
                let mut none = Vec::new();
                let steps = self.by_arguments(steps, &mut none).filter(|_| none.is_empty())?;
                loads.push((steps, Cells { active: false, own, aliases }, self.loaded_types.get(&t)?.clone()));
                Some(Argument { root, loads })
            }
            _ => None,
        }
    }

    /// A way in terms of what is given. `numbers`: integers in memory that it mentions.
    fn by_arguments(&self, steps: &[Way], numbers: &mut Vec<Argument>) -> Option<Vec<Part>> {
        let mut number = |t: T| {
            let poly = self.terms.poly(t);
            let mut atoms = BTreeSet::new();
            poly.values(&mut atoms);
            let mut names = FxHashMap::default();
            for (_, atom) in atoms {
                let given = self.given_by(T(atom.0))?;
                let name = match given.root {
                    Found::Argument(k) if given.loads.is_empty() => {
                        let is_integer = self.f.params[k as usize].ty.is_integer();
                        is_integer.then_some(k as usize)?
                    }
                    _ => {
                        let known = numbers.iter().position(|other| *other == given);
                        self.f.params.len() + known.unwrap_or(numbers.len())
                    }
                };
                if name == self.f.params.len() + numbers.len() {
                    numbers.push(given);
                }
                names.insert(atom, Poly::value(ProcId(0), ValueId::new(name), false));
            }
            poly.replace(&|_, atom| names.get(&atom).cloned())
        };
        let mut parts = Vec::new();
        for step in steps {
            parts.push(match *step {
                Way::Field(field) => Part::Field(field),
                Way::At(at) => Part::At(number(at)?),
                Way::Range(from, to) => Part::Range(number(from)?, number(to)?),
                Way::All => Part::All,
            });
        }
        Some(parts)
    }

    // ---- of a call -----------------------------------------------------------------------------------------------

    /// Parts of memory that a call means.
    pub(super) fn sections_of_call(&mut self, call: ItemId, extent: &Extent) -> Vec<Section> {
        let mut all = Vec::new();
        if !extent.cells.is_empty() {
            all.push(Section { place: None, cells: extent.cells.clone() });
        }
        for behind in &extent.places {
            all.push(match self.place_of_call(call, behind) {
                Some(place) => self.section(place),
                None => Section { place: None, cells: behind.cells.aliases.clone() },
            });
        }
        all
    }

    /// The place that a call means by one of a contract.
    pub(super) fn place_of_call(&mut self, call: ItemId, behind: &Behind) -> Option<P> {
        let ItemKind::Call { args, .. } = &self.f.items[call].kind else { return None };
        let passed = self.passed.get(&call)?.clone();
        let mut numbers = vec![None; passed.len()];
        for (k, arg) in args.iter().enumerate() {
            if let (Some(t), true) = (passed[k], arg.ty.is_integer()) {
                let t = self.terms.convert(t, &arg.ty, &super::eval::long());
                numbers[k] = Some(self.terms.poly(t));
            }
        }
        let pointer = self.given_to_call(call, &passed, &behind.from, &numbers)?;
        for number in &behind.numbers {
            let (_, _, ty) = number.loads.last()?;
            let t = self.given_to_call(call, &passed, number, &numbers);
            numbers.push(t.map(|t| {
                self.terms.is_exactly(t, ty);
                let t = self.terms.convert(t, ty, &super::eval::long());
                self.terms.poly(t)
            }));
        }
        let steps = self.way_of_call(&behind.steps, &numbers)?;
        let place = self.found_at(pointer, steps)?;
        self.note_cells(place, &behind.cells);
        Some(place)
    }

    /// The place to which steps lead from where a pointer points to, or from a variable on.
    fn found_at(&mut self, t: T, steps: Vec<Way>) -> Option<P> {
        match self.terms.get(t) {
            Term::Global(_) => Some(self.terms.spot(Spot { root: t, steps })),
            _ => self.under(t, &steps),
        }
    }

    /// What a call gives to its procedure: a value, or a variable with static storage.
    fn given_to_call(
        &mut self,
        call: ItemId,
        passed: &[Option<T>],
        given: &Argument,
        numbers: &[Option<Poly>],
    ) -> Option<T> {
        let mut t = match given.root {
            Found::Argument(k) => passed[k as usize]?,
            Found::Global(global) => self.terms.make(Term::Global(global)),
        };
        for (steps, cells, _) in &given.loads {
            let steps = self.way_of_call(steps, numbers)?;
            let place = self.found_at(t, steps)?;
            self.note_cells(place, cells);
            t = self.read(self.before[call.index()], place);
        }
        Some(t)
    }

    fn way_of_call(&mut self, steps: &[Part], numbers: &[Option<Poly>]) -> Option<Vec<Way>> {
        let mut number = |poly: &Poly| {
            let mut atoms = BTreeSet::new();
            poly.values(&mut atoms);
            if atoms.iter().any(|(_, k)| numbers[k.index()].is_none()) {
                return None;
            }
            Some(self.terms.int(poly.replace(&|_, k| numbers[k.index()].clone())?))
        };
        let steps = steps.iter().map(|step| {
            Some(match step {
                Part::Field(field) => Way::Field(*field),
                Part::At(at) => Way::At(number(at)?),
                Part::Range(from, to) => Way::Range(number(from)?, number(to)?),
                Part::All => Way::All,
            })
        });
        steps.collect()
    }

    /// Places that a call surely writes.
    pub(super) fn filled_by_call(&mut self, call: ItemId) -> Vec<P> {
        let fills = self.given.calls.get(&call).map(|effect| effect.fills.clone()).unwrap_or_default();
        fills.iter().filter_map(|behind| self.place_of_call(call, behind)).collect()
    }
}
