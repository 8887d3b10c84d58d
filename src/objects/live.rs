//! The live map: what comes alive and dies in the forward sweep, and reports.

#![forbid(unsafe_code)]

use super::called::{Called, calls};
use super::ranges::pack_range;
use super::set::{LiveRange, LiveStats, Objects, Waiter};
use crate::error::{Error, Status};
use crate::map::registry::{Extents, RangeKind, Serial};
use crate::tape::{Cursor, Type};
use std::ffi::{CStr, CString};

calls! {
    /// [`push_range`](Objects::push_range) and [`live_remove`](Objects::live_remove) in one.
    pub fn live_end(&self, tape: &Cursor, base: usize) -> Result<(), Error> {
        if self.live_end_at_once(tape, base).is_some() {
            return Ok(());
        }
        let (registry, lane) = (self.registry(), self.lane()?);
        if let Some(record) = registry.frame(lane, base as u64) {
            tape.push_words(Type::Range, pack_range(&record), self.site)?;
            // Another thread may have asked for it meanwhile.
            if !registry.end_frame(lane, &record) {
                registry.remove(lane, base as u64)?;
            }
            self.note(|history| history.ended(record.serial, self.site, false));
            return Ok(());
        }
        let (value, object) = self.push_found(tape, base)?;
        registry.end(lane, value, &object)?;
        self.note(|history| history.ended(object.serial, self.site, false));
        Ok(())
    }

    /// A variable or block comes alive (Alg. 2, lines 3 and 10). Returns its serial. Of a label, the first word is the
    /// name. Example: [`Objects`].
    pub fn live_add(&self, base: usize, bytes: usize, kind: RangeKind, label: &str) -> Result<u64, Error> {
        // Most labels are short: no memory for those.
        let mut short = [0; 64];
        if label.len() < short.len() {
            short[..label.len()].copy_from_slice(label.as_bytes());
            if let Ok(label) = CStr::from_bytes_with_nul(&short[..=label.len()]) {
                return self.live_add_c(base, bytes, kind, label);
            }
        }
        let label = CString::new(label.replace('\0', "?")).expect("no NUL is left");
        self.live_add_c(base, bytes, kind, &label)
    }

    /// It dies in the forward sweep (lines 4 and 13).
    pub fn live_remove(&self, base: usize) -> Result<(), Error> {
        let object = self.registry().remove(self.lane()?, base as u64)?;
        self.note(|history| history.ended(object.serial, self.site, true));
        Ok(())
    }
}

impl Called<'_> {
    pub(crate) fn live_add_c(&self, base: usize, bytes: usize, kind: RangeKind, label: &CStr) -> Result<u64, Error> {
        let lane = self.lane()?;
        let serial = self.registry().add(lane, base as u64, bytes as u64, kind, label)?;
        self.note(|history| history.born(serial, self.site));
        Ok(serial.0)
    }
}

impl Objects {
    /// What lives at `base` has its adjoint at `adjoint_base`, from now on.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let objects = Objects::new();
    /// let (x, x_adjoint) = ([1.0_f32; 8], [0.0_f64; 8]);
    /// objects.live_add(x.as_ptr().addr(), 32, RangeKind::Stack, "x")?;
    /// objects.live_set_adjoint(x.as_ptr().addr(), x_adjoint.as_ptr().addr(), 64)?;
    /// let tape = Tape::new()?;
    /// objects.push_pointer(&tape, (&raw const x[5]).addr())?;
    /// assert_eq!(objects.pop_pointer(&tape, 0, 0)?.adjoint, (&raw const x_adjoint[5]).addr());
    /// # Ok(())
    /// # }
    /// ```
    pub fn live_set_adjoint(&self, base: usize, adjoint_base: usize, adjoint_bytes: usize) -> Result<(), Error> {
        self.registry().set_adjoint(self.lane()?, base as u64, adjoint_base as u64, adjoint_bytes as u64)
    }

    /// The range that an address is in.
    pub fn live_find(&self, address: usize) -> Result<LiveRange, Error> {
        let registry = &self.registry();
        let place = registry.find(self.lane()?, address as u64)?;
        let object = place.and_then(|place| registry.alive(place.serial));
        object.map(|object| LiveRange::of(&object)).ok_or_else(|| {
            Error::new(
                Status::NoRange,
                format!("{address:#x} is in no range that is alive\n  what lay there has ended, or it is NULL"),
            )
        })
    }

    /// The object that an address is in, if it is alive.
    pub(crate) fn extents(&self, address: u64) -> Option<Extents> {
        let registry = &self.registry();
        let place = registry.find(self.lane().ok()?, address).ok()??;
        registry.alive(place.serial).map(|object| Extents::of(&object))
    }

    /// An object, if it is alive.
    pub(crate) fn extents_of(&self, serial: u64) -> Option<Extents> {
        self.registry().alive(Serial(serial)).map(|object| Extents::of(&object))
    }

    /// All ranges that are alive, by address.
    pub fn live_list(&self) -> Vec<LiveRange> {
        self.registry().list().iter().map(LiveRange::of).collect()
    }

    /// The label of a range.
    pub fn label(&self, range: &LiveRange) -> String {
        self.label_c(range.label).to_string_lossy().into_owned()
    }

    /// The label with this number, whose text lives as long as the set.
    pub(crate) fn label_c(&self, number: u32) -> &CStr {
        self.registry().label(number)
    }

    /// Counts.
    pub fn stats(&self) -> LiveStats {
        let registry = &self.registry();
        let (ranges, bytes) = registry.alive_count();
        LiveStats {
            ranges: ranges as u64,
            bytes,
            births: registry.births(),
            dead: registry.dead() as u64,
            waiting: registry.waiting_count() as u64,
            ambiguous: registry.ambiguous(),
        }
    }

    /// For people: counts, every range that is alive, every variable that waits.
    pub fn report(&self) -> String {
        let LiveStats { ranges, bytes, births, dead, waiting, ambiguous } = self.stats();
        let mut text = format!(
            "ranges alive: {ranges}\nbytes in them: {bytes}\nobjects born: {births}\ndead ranges remembered: {dead}\n\
             pointers waiting: {waiting}\nambiguous pointers: {ambiguous}\n"
        );
        for range in self.live_list() {
            let LiveRange { serial, base, bytes, kind, adjoint_base, adjoint_bytes, .. } = range;
            let label = self.label(&range);
            text += &format!("  {base:#x}: {bytes} bytes, {}, object {serial}", kind.name());
            if adjoint_base != 0 {
                text += &format!(", adjoint {adjoint_base:#x}: {adjoint_bytes} bytes");
            }
            text += if label.is_empty() { "" } else { ", " };
            text += &label;
            text.push('\n');
        }
        for Waiter { variable, serial, offset, .. } in self.waiting() {
            text += &match serial {
                0 => format!("  the pointer at {variable:#x} waits for what lay at {offset:#x}\n"),
                _ => format!("  the pointer at {variable:#x} waits for object {serial}, {offset} bytes in\n"),
            };
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::Ordering;
    use crate::tape::Tape;

    fn is_unchanged(objects: &Objects, serial: u64, changes: u64) -> bool {
        objects.counter(serial).is_some_and(|counter| counter.load(Ordering::Relaxed) == changes)
    }

    #[test]
    fn extents_are_those_of_the_range_wherever_it_lies() -> Result<(), Error> {
        let (objects, tape) = (Objects::new(), Tape::new()?);
        for (base, kind) in [(0x1000, RangeKind::Heap), (0x2000, RangeKind::Stack)] {
            let serial = objects.live_add(base, 64, kind, "x")?;
            objects.live_set_adjoint(base, 0x8000, 32)?;
            let extents = Extents {
                serial,
                base: base as u64,
                bytes: 64,
                adjoint_base: 0x8000,
                adjoint_bytes: 32,
                changes: Extents::PASSING,
            };
            for address in [base, base + 63] {
                let at_once = objects.extents_at_once(address as u64).expect("it is alive");
                assert_eq!(at_once.uncounted(), extents);
                assert!(is_unchanged(&objects, serial, at_once.changes));
                assert_eq!(objects.extents(address as u64), Some(extents));
                assert!(!is_unchanged(&objects, serial, Extents::PASSING));
            }
            assert_eq!(objects.extents(base as u64 + 65), None);
            let counted = objects.extents_of_at_once(serial).expect("it is alive").changes;
            objects.live_set_adjoint(base, 0x8100, 32)?;
            assert!(!is_unchanged(&objects, serial, counted), "its adjoint lies elsewhere");
            let counted = objects.extents_of_at_once(serial).expect("it is alive").changes;
            objects.live_end(&tape, base)?;
            assert!(!is_unchanged(&objects, serial, counted), "it has ended");
            assert_eq!((objects.extents_of_at_once(serial), objects.extents_of(serial)), (None, None));
            let range = objects.pop_range(&tape)?;
            objects.rebase_add(&range, base + 0x400, 0x9000, 64)?;
            let moved = Extents { base: base as u64 + 0x400, adjoint_base: 0x9000, adjoint_bytes: 64, ..extents };
            assert_eq!(objects.extents_of(serial), Some(moved));
            let at_once = objects.extents_of_at_once(serial);
            assert!(at_once.is_none_or(|at_once| at_once.uncounted() == moved));
        }
        Ok(())
    }
}
