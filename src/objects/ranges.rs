//! Ranges on the tape, and the rebase map: deaths that are reversed, births that are.

#![forbid(unsafe_code)]

use super::called::{Called, calls};
use super::set::{LiveRange, Objects, Waiter, corrupt};
use super::variables::Writer;
use crate::error::Error;
use crate::map::registry::{Arrival, LABELS, Object, Present, RangeKind, RangeRecord, Serial, Variables};
use crate::tape::failure::located;
use crate::tape::{Cursor, Type};

/// The variables that are set when an object comes back.
struct Arrivals {
    serial: u64,
    writer: Writer,
    /// Those that the caller sets.
    waiters: Vec<Waiter>,
}

impl Variables for &mut Arrivals {
    fn holds(&mut self, variable: u64, value: u64) -> bool {
        self.writer.holds(variable as usize, value)
    }

    fn set(&mut self, Arrival { variable, value, offset, held }: Arrival) {
        let (variable, value, offset) = (variable as usize, value as usize, offset as isize);
        if self.writer.is_library() {
            return self.writer.set(variable, value);
        }
        let held = held.map(|held| held as usize);
        self.waiters.push(Waiter { variable, value, serial: self.serial, offset, held });
    }
}

calls! {
    /// PUSHRANGE: pushes what brings the range that begins at `base` back (lines 4 and 13).
    pub fn push_range(&self, tape: &Cursor, base: usize) -> Result<(), Error> {
        self.push_found(tape, base).map(drop)
    }

    /// POPRANGE: the range whose death is to be reversed (lines 6 and 14).
    pub fn pop_range(&self, tape: &Cursor) -> Result<LiveRange, Error> {
        tape.pop_words(Type::Range, self.site, |words| {
            unpack_range(words).map(|record| LiveRange::of_record(&record)).ok_or_else(|| corrupt("range"))
        })
    }

    /// The death of a range is reversed: it is at `new_base` now, its adjoint, if any, at `adjoint_base` (lines 6 and
    /// 14). Returns the variables that waited for it, which the caller sets, and those that were popped as pointers into
    /// a younger object at its address, which the caller sets if they still hold that ([`Waiter::held`]).
    pub fn rebase_add(
        &self,
        range: &LiveRange,
        new_base: usize,
        adjoint_base: usize,
        adjoint_bytes: usize,
    ) -> Result<Vec<Waiter>, Error> {
        let now =
            Present { base: new_base as u64, adjoint_base: adjoint_base as u64, adjoint_bytes: adjoint_bytes as u64 };
        let waiters = self.bring_back(range, now, self.writer)?;
        self.note(|history| history.came_back(Serial(range.serial), self.site));
        Ok(waiters)
    }

    /// The birth of what lies at `new_base` is reversed (lines 7 and 11).
    pub fn rebase_remove(&self, new_base: usize) -> Result<(), Error> {
        let object = self.registry().undo_birth(self.lane()?, new_base as u64)?;
        self.note(|history| history.undone(object.serial));
        Ok(())
    }
}

impl Called<'_> {
    /// Pushes the range that begins at `base`, and returns what the registry found.
    pub(super) fn push_found(&self, tape: &Cursor, base: usize) -> Result<(u64, Object), Error> {
        let found = self.registry().exact(self.lane()?, base as u64);
        let (value, object) = found.map_err(|e| located(e, "push", Type::Range, 1, self.site))?;
        tape.push_words(Type::Range, pack_range(&RangeRecord::of(&object)), self.site)?;
        Ok((value, object))
    }
}

impl Objects {
    /// The reversal point of a section: what is alive stays where it is, with its adjoint; addresses of the forward
    /// sweep are those of now. If a checkpoint was restored since, the section has come to the state that its adjoints
    /// belong to; else this is an error and changes nothing.
    pub fn live_begin_reverse(&self) -> Result<(), Error> {
        self.registry().turn()
    }

    /// Brings a range back. What the writer sets is not returned. It sets a variable before another thread restores it
    /// to something else.
    pub(crate) fn bring_back(&self, range: &LiveRange, now: Present, writer: Writer) -> Result<Vec<Waiter>, Error> {
        let mut arrivals = Arrivals { serial: range.serial, writer, waiters: Vec::new() };
        self.registry().restore(self.lane()?, &range.record(), now, &mut arrivals)?;
        Ok(arrivals.waiters)
    }
}

/// The words of a range on the tape, which are how [`RangeInfo`](crate::ffi) begins: `include/adtape/inline_objects.h`
/// copies them.
pub(super) fn pack_range(record: &RangeRecord) -> [u64; 4] {
    [(record.kind as u64) | u64::from(record.label) << 32, record.bytes, record.base, record.serial.0]
}

/// The range of these words; None if they are none.
pub(super) fn unpack_range([kind_and_label, bytes, base, serial]: [u64; 4]) -> Option<RangeRecord> {
    let label = Some((kind_and_label >> 32) as u32).filter(|label| *label < LABELS)?;
    let kind = RangeKind::from_code(kind_and_label as i32)?;
    Some(RangeRecord { serial: Serial(serial), base, bytes, kind, label })
}
