//! The registry and checkpoints: a copy of what is alive, and the exchange of what is alive for what was (Alg. 4).

#![forbid(unsafe_code)]

use super::moved::Moved;
use super::object::{LifeState, Object, RangeKind, Serial};
use super::saved::{Bounds, Saved, SavedObject};
use super::side_tables::Adjoint;
use super::{Registry, describe, value};
use crate::error::Error;
use crate::sync::{Ordering, UNORDERED};
use std::collections::HashMap;
use std::ffi::{CStr, CString};

/// What a restoration changes.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    /// Objects that end.
    pub out: Vec<Object>,
    /// Objects that are alive again.
    pub into: Vec<Object>,
    /// How many are born, by lane: the next ones get the serials that followed.
    pub births: Vec<u64>,
}

impl Registry {
    pub fn number(&self) -> u64 {
        self.side_tables.number
    }

    /// All that are alive, by serial.
    pub fn list_by_serial(&self) -> Vec<Object> {
        let mut all = Vec::new();
        for lane in self.claimed() {
            self.settle_lane(lane);
            lane.objects.for_each(|_, object| all.extend((object.state == LifeState::Alive).then_some(object)));
        }
        all.sort_by_key(|object| object.serial);
        all
    }

    /// A copy of what is alive. `is_stable` and `has_contents` say of each object what [`SavedObject`] says.
    pub fn save(&self, is_stable: impl Fn(&Object) -> bool, has_contents: impl Fn(&Object) -> bool) -> Saved {
        let objects = self.list_by_serial();
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let mut labels: Vec<CString> = Vec::new();
        let mut saved = Saved { set: self.number(), objects: Vec::with_capacity(objects.len()), ..Saved::default() };
        for object in &objects {
            let label = *numbers.entry(object.label).or_insert_with(|| {
                labels.push(self.label(object.label).into());
                labels.len() as u32 - 1
            });
            let (is_stable, has_contents) = (is_stable(object), has_contents(object));
            saved.objects.push(SavedObject { is_stable, has_contents, ..SavedObject::new(object, label) });
        }
        saved.labels = labels;
        saved.births = self.births_by_lane();
        if !self.side_tables.is_empty() {
            saved.bounds = self
                .side_tables
                .change(|tables| tables.bounds.iter().map(|(serial, bounds)| (*serial, bounds.clone())).collect());
            saved.bounds.sort_by_key(|(serial, _)| *serial);
            saved.bounds.retain(|(serial, _)| self.alive(*serial).is_some());
        }
        saved
    }

    /// The object that begins at `base` has these bounds; none: they are not known.
    pub fn set_bounds(&self, lane: u16, base: u64, bounds: &[(i64, i64)]) -> Result<(), Error> {
        let (_, object) = self.exact(lane, base)?;
        self.set_bounds_of(object.serial, object.kind, bounds);
        Ok(())
    }

    pub fn set_bounds_of(&self, serial: Serial, kind: RangeKind, bounds: &[(i64, i64)]) {
        if kind != RangeKind::Allocatable {
            self.side_tables.any_has_bounds.store(true, UNORDERED);
        }
        self.side_tables.change(|tables| match bounds {
            [] => tables.bounds.remove(&serial),
            bounds => tables.bounds.insert(serial, bounds.to_vec()),
        });
    }

    pub fn bounds(&self, serial: Serial) -> Bounds {
        if self.side_tables.is_empty() {
            Bounds::new()
        } else {
            self.side_tables.change(|tables| tables.bounds.get(&serial).cloned().unwrap_or_default())
        }
    }

    /// The number of a label.
    pub fn number_of(&self, label: &CStr) -> u32 {
        self.labels.number(label).1
    }

    /// Ends objects and lets others be alive again, or changes nothing. Adjoints of those that end are kept apart.
    pub fn exchange(&self, exchange: &Exchange) -> Result<(), Error> {
        let Exchange { out, into, births } = exchange;
        for lane in 0..births.len() {
            self.make_lane(lane as u16);
        }
        self.claimed().for_each(|lane| self.settle_lane(lane));
        out.iter().for_each(|object| self.take_object(object));
        for (i, object) in into.iter().enumerate() {
            if let Err(error) = self.place(*object).map(drop) {
                into[..i].iter().for_each(|object| self.take_object(object));
                out.iter().for_each(|object| _ = self.place(*object).expect("it was there before"));
                return Err(error);
            }
        }
        self.side_tables.change(|tables| {
            for object in out.iter().filter(|object| object.adjoint_base != 0) {
                let Object { adjoint_base: base, adjoint_bytes, bytes, .. } = *object;
                tables.detached.insert(object.serial, Adjoint { base, adjoint_bytes, bytes });
            }
            out.iter().for_each(|object| drop(tables.bounds.remove(&object.serial)));
        });
        into.iter().for_each(|object| self.associate(object));
        self.rewind(births);
        Ok(())
    }

    /// Gives an object that is born, or alive again, the adjoint that was kept for it.
    pub(super) fn associate(&self, object: &Object) {
        if let Some(Adjoint { base, adjoint_bytes, .. }) = self.side_tables.take_adjoint(object)
            && let Some((slot, _)) = self.lane(object.serial.lane()).objects.get(object.serial)
        {
            let value = value(object.serial, slot);
            self.update(value, |there| (there.adjoint_base, there.adjoint_bytes) = (base, adjoint_bytes));
        }
    }

    /// Takes an object that is alive out of the maps, as if it had never been.
    fn take_object(&self, object: &Object) {
        if let Some((slot, _)) = self.lane(object.serial.lane()).objects.get(object.serial) {
            let value = value(object.serial, slot);
            self.leave(value, object);
            self.erase(value, |_| true);
            self.waiting.released(object.serial, None);
            self.lose(object);
        }
    }

    /// How many were born, by lane.
    pub fn births_by_lane(&self) -> Vec<u64> {
        self.claimed().map(|lane| lane.births.load(Ordering::Relaxed)).collect()
    }

    /// The next births get the serials after these; the dead of later births are forgotten.
    fn rewind(&self, births: &[u64]) {
        for (i, lane) in self.claimed().enumerate() {
            let births = births.get(i).copied().unwrap_or(0);
            lane.births.store(births, Ordering::Relaxed);
            let mut gone = Vec::new();
            lane.objects.for_each(|slot, object| {
                if object.state == LifeState::Dead && object.serial.birth() > births {
                    gone.push((value(object.serial, slot), object));
                }
            });
            for (value, object) in gone {
                self.forget_place(&object, value);
                self.forget(value);
            }
        }
    }

    /// An object is gone as if it had never been. Its death may have taken the place of others, which are dead still.
    pub(super) fn lose(&self, object: &Object) {
        if object.reused {
            self.with_dead(object, |dead| dead.lose(object.range(0)));
        }
    }

    /// Pointer variables in a range that gets other contents wait no more.
    pub fn overwritten(&self, base: u64, bytes: u64) {
        self.waiting.forget_inside(base, bytes);
    }

    /// The reverse sweep is back where a checkpoint was taken: what lies below was recorded when these objects lay at
    /// these bases.
    pub fn compose(&self, moved: &[(Serial, u64)]) {
        let there: Vec<(u64, Object, u64)> = moved
            .iter()
            .filter_map(|(serial, base)| {
                let lane = self.lane(serial.lane());
                self.settle_lane(lane);
                let (slot, object) = lane.objects.get(*serial)?;
                (object.state == LifeState::Alive).then_some((value(*serial, slot), object, *base))
            })
            .collect();
        for (value, object, _) in &there {
            self.note_moved(object, |moved| moved.remove(object.forward_base, *value));
        }
        for (value, object, base) in there {
            self.update(value, |object| object.forward_base = base);
            if base != object.base && object.bytes > 0 {
                if object.kind == RangeKind::Stack {
                    self.lane(object.home).has_moved.store(1, Ordering::Relaxed);
                }
                let stack = (object.kind == RangeKind::Stack).then_some(object.home);
                self.note_moved(&object, |moved| moved.insert(value, |value| self.whereabouts(value, stack)));
            }
        }
    }

    fn note_moved(&self, object: &Object, note: impl FnOnce(&mut Moved)) {
        match object.kind {
            RangeKind::Stack => note(&mut self.lane(object.home).stack().moved),
            _ => note(&mut self.past().moved),
        }
    }

    /// The adjoints that were kept apart are forgotten.
    pub fn forget_detached(&self) -> u64 {
        self.side_tables.change(|tables| tables.detached.drain().count() as u64)
    }

    /// An error while adjoints wait for objects that the section should have brought back.
    pub(super) fn check_detached(&self) -> Result<(), Error> {
        match self.side_tables.detached() {
            None => Ok(()),
            Some((serial, adjoint, count)) => {
                Err(describe::detached(serial, adjoint.bytes, count, self.alive(serial).map(|object| object.bytes)))
            }
        }
    }

    /// The live range that an address is in, if there is one.
    pub fn alive_at(&self, lane: u16, address: u64) -> Option<Object> {
        let range = self.range_of(lane, address).filter(|range| address < range.end())?;
        self.object(range.value)
    }

    /// An object as messages describe it.
    pub fn describe_object(&self, object: &Object) -> String {
        self.describe().object(object)
    }
}
