//! Loops that run again from snapshots: the way to the head of a pass.
//!
//! ```text
//!   first                snapshot of an earlier pass, or of this one
//!   ┌ advance            a pass: a copy of it, which pushes nothing
//!   └ next               its snapshot, if it is time
//!   a copy of the pass, with pushes, and its reversal
//! ```
//!
//! What the run-time library promises, and its tests show: the snapshots that come back are those of the handle, the last
//! one in front of the pass at hand; as many passes run as lie between; passes come to their turn last one first, each
//! once. With that, by **induction** from the snapshot on:
//!
//! - All snapshots have the same parts, each at the same place, kept first in a pass: what comes back is what memory and
//!   the loop's variables held at the head of the pass that was kept.
//! - A copy of a pass does what the pass does: each of its items is one of the pass, and nothing that acts is left out.
//! - It finds what the pass found, whichever it is: memory differs from the pass's state in what any pass writes, and the
//!   parts of the snapshot are back. So it leaves what the pass left, at the head of the next one.

use super::merge::WayBack;
use super::state::{Replay, Res, Side, open};
use super::terms::{P, Spot, T, Term, Way};
use super::way_back::snapshot;
use crate::ir::*;

impl Replay<'_> {
    /// The parts of memory that a snapshot has.
    pub(super) fn parts_of(&mut self, side: Side, snapshot: &Snapshot) -> Res<Vec<(P, T)>> {
        let mut parts = Vec::new();
        for (place, count) in &snapshot.memory {
            parts.push((self.place(side, place)?, self.integer(side, count)?));
        }
        Ok(parts)
    }

    /// The places that come back with a part: all of an object, all of a struct, or a row of elements.
    fn row(&mut self, first: P, count: T, place: &Place) -> Res<P> {
        let Spot { root, steps } = self.terms.get_spot(first).clone();
        let count = self.up_to(count);
        let begins = self.is_first(&steps);
        let all = match *self.terms.get(root) {
            Term::Object(object) if begins => Some(self.extent(object)?),
            Term::Global(global) if begins => {
                let mut all = 1;
                for dim in &self.program.globals[global].shape {
                    match dim.extent.as_deref().map(|extent| &extent.kind) {
                        Some(ExprKind::Int(extent)) => all *= extent,
                        _ => return open("an array whose extents are not known"),
                    }
                }
                Some(self.terms.number(all))
            }
            _ => None,
        };
        if all.is_some_and(|all| self.same(all, count)) {
            return Ok(self.terms.spot(Spot { root, steps: vec![Way::All] }));
        }
        match steps.last() {
            _ if matches!(place.ty, Type::Struct(_)) && self.terms.constant(count) == Some(1) => Ok(self.whole(first)),
            Some(Way::At(_)) => {
                let row = self.early(first, count, 0)?;
                Ok(if matches!(place.ty, Type::Struct(_)) { self.whole(row) } else { row })
            }
            _ if self.terms.constant(count) == Some(1) => Ok(first),
            _ => open("a part of a snapshot that is no row of elements"),
        }
    }

    /// What the snapshots of a loop bring back.
    pub(super) fn rows_of_snapshots(&mut self, way: &WayBack) -> Res<Vec<P>> {
        let Some(kept) = snapshot(self.f, way.head) else { return open("a snapshot") };
        let parts = self.parts_of(Side::Forward, kept)?;
        let mut rows = Vec::new();
        for ((first, count), (place, _)) in parts.into_iter().zip(&kept.memory) {
            rows.push(self.row(first, count, place)?);
        }
        self.join(&mut rows);
        Ok(rows)
    }

    /// The state in front of a pass comes back, and the passes on the way run. Memory is that in front of the pass.
    pub(super) fn come_back(&mut self, way: &WayBack, body: RegionId, rows: &[P]) -> Res<()> {
        let r = self.r;
        let (Some(kept), Some(begins)) = (snapshot(self.f, way.head), snapshot(r, way.first)) else {
            return open("a snapshot");
        };
        let (forward, own) = (self.parts_of(Side::Forward, kept)?, self.parts_of(Side::Reverse, begins)?);
        for (k, ((first, count), (own, number))) in forward.into_iter().zip(own).enumerate() {
            let same_type = kept.memory[k].0.ty == begins.memory[k].0.ty;
            if !same_type || !self.same_place(own, first) || !self.same(count, number) {
                return Err(self.refuted("other elements come back from a snapshot than it has"));
            }
            let is_fixed = self.is_fixed(first, way) && self.is_fixed_term(count, way);
            if !is_fixed {
                return Err(self.refuted("the parts of a snapshot change from pass to pass"));
            }
        }
        for (k, among) in begins.among.iter().enumerate() {
            let mut all = Vec::new();
            for (own, kept) in among.iter().zip(&kept.among[k]) {
                let (own, kept) = (self.eval(Side::Reverse, own)?, self.eval(Side::Forward, kept)?);
                if !self.same(own, kept) || !self.is_fixed_term(kept, way) {
                    return Err(self.refuted("a pointer comes back from a snapshot as another one"));
                }
                all.push(kept);
            }
            if among.len() != kept.among[k].len() {
                return Err(self.refuted("a pointer comes back from a snapshot as another one"));
            }
            if !all.is_empty() {
                let pointer = self.eval(Side::Forward, &kept.from[k])?;
                self.is_among(pointer, &all)?;
            }
        }
        for value in begins.to.iter().chain(&begins.more) {
            let fresh = self.fresh();
            self.names[value.index()] = Some(fresh);
        }
        for &(own, value) in &way.read {
            let expected = self.forward_value(value);
            let Some(t) = self.names[own.index()] else {
                return Err(self.refuted("a value is read before it is defined"));
            };
            self.agree(t, expected, "a pass runs again with another value")?;
        }
        self.at = self.starts[&body];
        for place in self.pointer_places.clone() {
            if rows.iter().any(|row| self.is_inside(place, *row)) {
                let pointer = self.read(self.at, place);
                self.means_the_same(pointer)?;
            }
        }
        for row in rows {
            self.comes_back(*row);
        }
        // Whichever pass it is.
        let (damage, back, certain) = (self.damage.clone(), self.back.clone(), self.certain.clone());
        let lost = self.surely_written(&way.kept, body)?;
        let outer = (std::mem::replace(&mut self.lost_in_pass, lost), std::mem::take(&mut self.arms));
        let of = self.loop_of(way.head)?;
        let around = std::mem::replace(&mut self.rerunning, vec![of]);
        self.rerun(&way.kept, body)?;
        (self.lost_in_pass, self.arms) = outer;
        self.rerunning = around;
        (self.damage, self.back, self.certain) = (damage, back, certain);
        self.at = self.starts[&body];
        for &(own, value) in &way.heads {
            self.names[own.index()] = Some(self.forward_value(value));
        }
        Ok(())
    }

    /// Refuses a pointer to a variable, which lies elsewhere in the other sweep.
    fn means_the_same(&mut self, pointer: T) -> Res<()> {
        let Some(Spot { root, .. }) = self.spot_of_pointer(pointer) else { return Ok(()) };
        match self.terms.get(root) {
            Term::Object(object) if self.f.objects[*object].life != Life::Stable => {
                Err(self.refuted("a pointer to a variable comes back from a snapshot"))
            }
            _ => Ok(()),
        }
    }

    fn loop_of(&self, head: ItemId) -> Res<ItemId> {
        let region = self.positions[head.index()].map(|(region, _)| region);
        let parent = region.and_then(|region| self.f.regions[region].parent);
        parent.map_or_else(|| open("a snapshot outside of a loop"), |(_, item)| Ok(item))
    }

    fn is_fixed(&self, place: P, way: &WayBack) -> bool {
        self.terms.parts_of_spot(place).into_iter().all(|t| self.is_fixed_term(t, way))
    }

    /// Whether a term is the same in all passes of the loop.
    fn is_fixed_term(&self, t: T, way: &WayBack) -> bool {
        let Ok(item) = self.loop_of(way.head) else { return false };
        !self.varies(t, item) && !self.terms.mentions(t, &|term| *term == Term::Pass(item))
    }
}
