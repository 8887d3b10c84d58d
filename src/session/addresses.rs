//! Addresses in both sweeps: what each line of Alg. 2 and Alg. 3 needs is one call.
//!
//! *Live map*: the ranges that are alive, M of the paper. *Rebase map*: where an object of the forward sweep and its
//! adjoint lie now, M̄. *Pair*: base and offset of a pointer that may leave its range. A pointer goes onto the tape as
//! the object that it points into and an offset; so it is found again wherever the object lies then, and an address
//! that has another owner meanwhile is not mistaken.

#![forbid(unsafe_code)]

use super::lane::{Numbered, lane_of};
use super::snapshot::ByLabel;
use crate::error::{Error, Status};
use crate::map::registry::{
    Arrival, Located, Object, Place, Present, RangeKind, RangeRecord, Record, Registry, Serial, Target, Variables,
    Wait, pack, unpack,
};
use crate::site::Site;
use crate::sync::{Arc, Mutex};
use crate::tape::core::located;
use crate::tape::{Cursor, Type};
use std::ffi::{CStr, CString};

/// The program's objects: which are alive, and where. Shared by all threads; each call may be made by any. Addresses
/// are plain numbers, 0 is NULL, sizes and offsets are in bytes.
///
/// ```
/// # use adtape::*;
/// # fn main() -> Result<(), Error> {
/// let (session, tape) = (Session::new(), Tape::new()?);
/// let addresses = session.addresses();
/// // Forward sweep: a block, a pointer into it that is about to be overwritten, the end of the block.
/// let block = vec![0.5_f64; 100];
/// let base = block.as_ptr().addr();
/// addresses.live_add(base, 800, RangeKind::Heap, "x (double[100])")?;
/// addresses.push_pointer(&tape, base + 24)?;
/// addresses.live_end(&tape, base)?;
/// drop(block);
/// // Reverse sweep: the block comes back, elsewhere perhaps, and has an adjoint; so does the pointer.
/// addresses.live_begin_reverse()?;
/// let range = addresses.pop_range(&tape)?;
/// let (block, adjoint) = (vec![0.5_f64; 100], vec![0.0_f64; 100]);
/// addresses.rebase_add(&range, block.as_ptr().addr(), adjoint.as_ptr().addr(), 800)?;
/// let pointer = addresses.pop_pointer(&tape, 0, 0)?;
/// assert_eq!(pointer.address, (&raw const block[3]).addr());
/// assert_eq!(pointer.adjoint, (&raw const adjoint[3]).addr());
/// addresses.rebase_remove(block.as_ptr().addr())?;
/// # Ok(())
/// # }
/// ```
pub struct Addresses {
    pub(super) numbered: Arc<Numbered>,
    /// For checkpoints of everything.
    pub(super) by_label: Arc<Mutex<ByLabel>>,
}

/// A range of addresses and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveRange {
    /// The birth number of the object, which it keeps when its address changes.
    pub serial: u64,
    /// Where it lies; from the tape: where it lay in the forward sweep.
    pub base: usize,
    /// Its size.
    pub bytes: usize,
    /// What sort of memory it is.
    pub kind: RangeKind,
    /// Where its adjoint lies, 0 if it has none; 0 from the tape.
    pub adjoint_base: usize,
    /// The size of the adjoint.
    pub adjoint_bytes: usize,
    pub(crate) label: u32,
}

impl LiveRange {
    pub(super) fn of(object: &Object) -> LiveRange {
        LiveRange {
            adjoint_base: object.adjoint_base as usize,
            adjoint_bytes: object.adjoint_bytes as usize,
            ..LiveRange::of_record(&RangeRecord::of(object))
        }
    }

    pub(super) fn of_record(record: &RangeRecord) -> LiveRange {
        let RangeRecord { serial, base, bytes, kind, label } = *record;
        let (base, bytes) = (base as usize, bytes as usize);
        LiveRange { serial: serial.0, base, bytes, kind, adjoint_base: 0, adjoint_bytes: 0, label }
    }

    fn record(&self) -> RangeRecord {
        let LiveRange { serial, base, bytes, kind, label, .. } = *self;
        RangeRecord { serial: Serial(serial), base: base as u64, bytes: bytes as u64, kind, label }
    }
}

/// A pointer as it is now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// The pointer; 0 if it is NULL or waits.
    pub address: usize,
    /// The same place in the adjoint; 0 if there is none.
    pub adjoint: usize,
    /// In bytes from the object's base; of a pair, what was pushed.
    pub offset: isize,
    /// Its object is not back yet: the variables wait, and are among what [`Addresses::rebase_add`] returns then.
    pub waits: bool,
}

/// A pointer variable that waits, or waited; or one that was set already, see `held`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiter {
    /// The address of the variable.
    pub variable: usize,
    /// What it is to be set to now; 0 while it waits.
    pub value: usize,
    /// The object that it waits for; 0 if it waits for an address of the forward sweep.
    pub serial: u64,
    /// In bytes from the object's base; else that address.
    pub offset: isize,
    /// None if it waits, or waited. Else it was set to this before, to a younger object at the same address, and is to be
    /// set anew only if it, and the variable of its adjoint or primal, still hold what they were set to: else the program
    /// has set it since.
    pub held: Option<usize>,
}

/// Counts of the maps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct LiveStats {
    /// Ranges that are alive.
    pub ranges: u64,
    /// Bytes in them.
    pub bytes: u64,
    /// Objects born.
    pub births: u64,
    /// Ranges that died and whose place is remembered, for pointers that still point there.
    pub dead: u64,
    /// Pointer variables that wait for their object.
    pub waiting: u64,
    /// Pointers pushed that were both the end of a range and the base of another, which was taken.
    pub ambiguous: u64,
}

impl Addresses {
    pub(super) fn new() -> Addresses {
        Addresses { numbered: Numbered::new(), by_label: Arc::default() }
    }

    pub(super) fn registry(&self) -> &Registry {
        &self.numbered.registry
    }

    pub(super) fn lane(&self) -> Result<u16, Error> {
        lane_of(&self.numbered)
    }

    // ---- the live map ----------------------------------------------------------------------------------

    /// A variable or block comes alive (Alg. 2, lines 3 and 10). Returns its serial. Of a label, the first word is the
    /// name. Example: [`Addresses`].
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

    pub(crate) fn live_add_c(&self, base: usize, bytes: usize, kind: RangeKind, label: &CStr) -> Result<u64, Error> {
        let lane = self.lane()?;
        self.numbered.registry.add(lane, base as u64, bytes as u64, kind, label).map(|serial| serial.0)
    }

    /// It dies in the forward sweep (lines 4 and 13).
    pub fn live_remove(&self, base: usize) -> Result<(), Error> {
        self.numbered.registry.remove(self.lane()?, base as u64).map(drop)
    }

    /// [`push_range`](Addresses::push_range) and [`live_remove`](Addresses::live_remove) in one.
    #[track_caller]
    pub fn live_end(&self, tape: &Cursor, base: usize) -> Result<(), Error> {
        self.live_end_at(tape, base, Site::caller())
    }

    pub(crate) fn live_end_at(&self, tape: &Cursor, base: usize, site: Site) -> Result<(), Error> {
        let (value, object) = self.push_found(tape, base, site)?;
        self.numbered.registry.end(self.lane()?, value, &object)
    }

    /// What lives at `base` has its adjoint at `adjoint_base`, from now on.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let session = Session::new();
    /// let addresses = session.addresses();
    /// let (x, x_adjoint) = ([1.0_f32; 8], [0.0_f64; 8]);
    /// addresses.live_add(x.as_ptr().addr(), 32, RangeKind::Stack, "x")?;
    /// addresses.live_set_adjoint(x.as_ptr().addr(), x_adjoint.as_ptr().addr(), 64)?;
    /// let tape = Tape::new()?;
    /// addresses.push_pointer(&tape, (&raw const x[5]).addr())?;
    /// assert_eq!(addresses.pop_pointer(&tape, 0, 0)?.adjoint, (&raw const x_adjoint[5]).addr());
    /// # Ok(())
    /// # }
    /// ```
    pub fn live_set_adjoint(&self, base: usize, adjoint_base: usize, adjoint_bytes: usize) -> Result<(), Error> {
        self.numbered.registry.set_adjoint(self.lane()?, base as u64, adjoint_base as u64, adjoint_bytes as u64)
    }

    /// The range that an address is in.
    pub fn live_find(&self, address: usize) -> Result<LiveRange, Error> {
        let registry = &self.numbered.registry;
        let place = registry.find(self.lane()?, address as u64)?;
        let object = place.and_then(|place| registry.alive(place.serial));
        object.map(|object| LiveRange::of(&object)).ok_or_else(|| {
            Error::new(
                Status::NoRange,
                format!("{address:#x} is in no range that is alive\n  what lay there has ended, or it is NULL"),
            )
        })
    }

    /// All ranges that are alive, by address.
    pub fn live_list(&self) -> Vec<LiveRange> {
        self.numbered.registry.list().iter().map(LiveRange::of).collect()
    }

    /// The label of a range.
    pub fn label(&self, range: &LiveRange) -> String {
        self.label_c(range.label).to_string_lossy().into_owned()
    }

    /// The label with this number, whose text lives as long as the session.
    pub(crate) fn label_c(&self, number: u32) -> &CStr {
        self.numbered.registry.label(number)
    }

    /// Counts.
    pub fn stats(&self) -> LiveStats {
        let registry = &self.numbered.registry;
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

    // ---- ranges on the tape ----------------------------------------------------------------------------

    /// PUSHRANGE: pushes what brings the range that begins at `base` back (lines 4 and 13).
    #[track_caller]
    pub fn push_range(&self, tape: &Cursor, base: usize) -> Result<(), Error> {
        self.push_range_at(tape, base, Site::caller())
    }

    pub(crate) fn push_range_at(&self, tape: &Cursor, base: usize, site: Site) -> Result<(), Error> {
        self.push_found(tape, base, site).map(drop)
    }

    /// Pushes the range that begins at `base`, and returns what the registry found.
    fn push_found(&self, tape: &Cursor, base: usize, site: Site) -> Result<(u64, Object), Error> {
        let found = self.numbered.registry.exact(self.lane()?, base as u64);
        let (value, object) = found.map_err(|e| located(e, "push", Type::Range, 1, site))?;
        tape.push_words(Type::Range, pack_range(&RangeRecord::of(&object)), site)?;
        Ok((value, object))
    }

    /// POPRANGE: the range whose death is to be reversed (lines 6 and 14).
    #[track_caller]
    pub fn pop_range(&self, tape: &Cursor) -> Result<LiveRange, Error> {
        self.pop_range_at(tape, Site::caller())
    }

    pub(crate) fn pop_range_at(&self, tape: &Cursor, site: Site) -> Result<LiveRange, Error> {
        tape.pop_words(Type::Range, site, |words| {
            unpack_range(words).map(|record| LiveRange::of_record(&record)).ok_or_else(|| corrupt("range"))
        })
    }

    // ---- the rebase map --------------------------------------------------------------------------------

    /// The reversal point of a section: what is alive stays where it is, with its adjoint; addresses of the forward
    /// sweep are those of now. If a checkpoint was restored since, the section has come to the state that its adjoints
    /// belong to; else this is an error and changes nothing.
    pub fn live_begin_reverse(&self) -> Result<(), Error> {
        self.numbered.registry.turn()
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
        let mut waiters = Vec::new();
        let now =
            Present { base: new_base as u64, adjoint_base: adjoint_base as u64, adjoint_bytes: adjoint_bytes as u64 };
        self.rebase_add_setting(range, now, |arrival: Arrival| {
            let Arrival { variable, value, offset, held } = arrival;
            let (variable, value, offset) = (variable as usize, value as usize, offset as isize);
            let held = held.map(|held| held as usize);
            waiters.push(Waiter { variable, value, serial: range.serial, offset, held });
        })?;
        Ok(waiters)
    }

    /// The same, and sets each of the `variables`, before another thread restores it to something else.
    pub(crate) fn rebase_add_setting(
        &self,
        range: &LiveRange,
        now: Present,
        variables: impl Variables,
    ) -> Result<(), Error> {
        self.numbered.registry.restore(self.lane()?, &range.record(), now, variables)
    }

    /// The birth of what lies at `new_base` is reversed (lines 7 and 11).
    pub fn rebase_remove(&self, new_base: usize) -> Result<(), Error> {
        self.numbered.registry.unbear(self.lane()?, new_base as u64).map(drop)
    }

    /// Where an address of this section's forward sweep, which came back among other data, points now. If its object is
    /// not back, the variables wait (0 stands for none).
    pub fn rebase_pointer(&self, address: usize, variable: usize, adjoint_variable: usize) -> Result<Restored, Error> {
        self.rebase_pointer_clearing(address, variable, adjoint_variable, &|_| ())
    }

    /// The same, and variables that wait are set to NULL by `clear`, before another thread sets them to what they wait
    /// for.
    pub(crate) fn rebase_pointer_clearing(
        &self,
        address: usize,
        variable: usize,
        adjoint_variable: usize,
        clear: &dyn Fn(usize),
    ) -> Result<Restored, Error> {
        let (lane, target) = (self.lane()?, Target::Forward(address as u64));
        let variables = [(0, target), (variable, target), (adjoint_variable, target)];
        if address == 0 {
            return Ok(self.null(&variables));
        }
        self.restored(0, None, &variables, clear, || self.numbered.registry.rebase(lane, address as u64))
    }

    // ---- pointers on the tape --------------------------------------------------------------------------

    /// Pushes a pointer that is about to be overwritten, if it is NULL or in a range (line 18).
    #[track_caller]
    pub fn push_pointer(&self, tape: &Cursor, address: usize) -> Result<(), Error> {
        self.push_pointer_at(tape, address, Site::caller())
    }

    pub(crate) fn push_pointer_at(&self, tape: &Cursor, address: usize, site: Site) -> Result<(), Error> {
        let place = self.numbered.registry.find(self.lane()?, address as u64);
        let place = place.map_err(|e| located(e, "push", Type::Pointer, 1, site))?;
        tape.push_record(Type::Pointer, pack(place), site)
    }

    /// Pops a pointer: its value and its adjoint's now (line 20). If its object is not back, the variables at these
    /// addresses wait (0 stands for none).
    #[track_caller]
    pub fn pop_pointer(&self, tape: &Cursor, variable: usize, adjoint_variable: usize) -> Result<Restored, Error> {
        self.pop_pointer_at(tape, variable, adjoint_variable, &|_| (), Site::caller())
    }

    /// The same; `clear` as in [`rebase_pointer_clearing`](Addresses::rebase_pointer_clearing).
    pub(crate) fn pop_pointer_at(
        &self,
        tape: &Cursor,
        variable: usize,
        adjoint_variable: usize,
        clear: &dyn Fn(usize),
        site: Site,
    ) -> Result<Restored, Error> {
        tape.pop_record(Type::Pointer, site, |record| {
            self.restored_place(read(record, "pointer")?, false, [0, variable, adjoint_variable], clear)
        })
    }

    /// Pushes a pointer as the base of an object and an offset, which may lead out of it (Alg. 3, line 18*).
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let (session, tape, x) = (Session::new(), Tape::new()?, [0.0_f64; 4]);
    /// let (addresses, base) = (session.addresses(), x.as_ptr().addr());
    /// addresses.live_add(base, 32, RangeKind::Stack, "x")?;
    /// addresses.push_pair(&tape, base, 4000)?;
    /// assert_eq!(addresses.pop_pair(&tape, 0, 0)?.address, base + 4000);
    /// assert_eq!(addresses.push_pointer(&tape, base + 4000).unwrap_err().status(), Status::NoRange);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn push_pair(&self, tape: &Cursor, base: usize, offset: isize) -> Result<(), Error> {
        self.push_pair_at(tape, base, offset, Site::caller())
    }

    pub(crate) fn push_pair_at(&self, tape: &Cursor, base: usize, offset: isize, site: Site) -> Result<(), Error> {
        let place = self.numbered.registry.find_pair(self.lane()?, base as u64, offset as i64);
        let place = place.map_err(|e| located(e, "push", Type::Pair, 1, site))?;
        tape.push_record(Type::Pair, pack(place), site)
    }

    /// Pops a pair (line 20*): `address` is that of base and offset together. The variables that wait are those of the
    /// address and of its adjoint.
    #[track_caller]
    pub fn pop_pair(&self, tape: &Cursor, variable: usize, adjoint_variable: usize) -> Result<Restored, Error> {
        self.pop_pair_at(tape, [0, variable, adjoint_variable], &|_| (), Site::caller())
    }

    /// The same, also with the address of a variable for the base, before the other two; `clear` as in
    /// [`rebase_pointer_clearing`](Addresses::rebase_pointer_clearing).
    pub(crate) fn pop_pair_at(
        &self,
        tape: &Cursor,
        variables: [usize; 3],
        clear: &dyn Fn(usize),
        site: Site,
    ) -> Result<Restored, Error> {
        tape.pop_record(Type::Pair, site, |record| self.restored_place(read(record, "pair")?, true, variables, clear))
    }

    /// Pointer variables that wait for their object, by address.
    pub fn waiting(&self) -> Vec<Waiter> {
        let waiter = |(variable, wait): (u64, Wait)| {
            let (serial, offset) = match wait.target {
                Target::Object(serial, offset) => (serial.0, offset as isize),
                Target::Forward(address) => (0, address as isize),
            };
            Waiter { variable: variable as usize, value: 0, serial, offset, held: None }
        };
        self.numbered.registry.waiting().into_iter().map(waiter).collect()
    }

    /// Where a place is now; if it is not, the variables wait: of the base, of the place, of the place in the adjoint.
    /// With `is_pair` the place belongs to the object whose base it has, wherever the offset leads.
    fn restored_place(
        &self,
        place: Option<Place>,
        is_pair: bool,
        [base_variable, variable, adjoint_variable]: [usize; 3],
        clear: &dyn Fn(usize),
    ) -> Result<Restored, Error> {
        let Place { serial, offset } = place.unwrap_or(Place { serial: Serial(0), offset: 0 });
        let (base, target) = (Target::Object(serial, 0), Target::Object(serial, offset));
        let variables = [(base_variable, base), (variable, target), (adjoint_variable, target)];
        let pair = is_pair.then_some(offset);
        match place {
            Some(place) => self.restored(offset, pair, &variables, clear, || self.numbered.registry.locate(place)),
            None => Ok(self.null(&variables)),
        }
    }

    /// What `look` finds; while it finds nothing, the variables, in the order of
    /// [`restored_place`](Addresses::restored_place), wait.
    fn restored(
        &self,
        offset: i64,
        pair: Option<i64>,
        variables: &[(usize, Target); 3],
        clear: &dyn Fn(usize),
        look: impl Fn() -> Result<Option<Located>, Error>,
    ) -> Result<Restored, Error> {
        let registry = &self.numbered.registry;
        let [_, (primal, _), (adjoint, _)] = *variables;
        let given = || variables.iter().enumerate().filter(|(_, (variable, _))| *variable != 0);
        let wait = |i: usize, target: Target| {
            let pair = pair.map(|offset| if i == 0 { 0 } else { offset });
            let beside = [0, adjoint, primal][i] as u64;
            Wait { pair, beside, ..Wait::new(target, i == 2) }
        };
        let mut now = look()?;
        if now.is_none() {
            for (i, (variable, target)) in given() {
                registry.wait(*variable as u64, wait(i, *target), || clear(*variable));
            }
            // The object may have come before the variables waited.
            now = look().inspect_err(|_| self.settle(variables))?;
        }
        let offset = offset as isize;
        let Some(now) = now else { return Ok(Restored { offset, waits: true, ..Restored::default() }) };
        if now.reused {
            let base = now.address.wrapping_add_signed(-(offset as i64));
            registry.follow(given().map(|(i, (variable, target))| {
                let target = match target {
                    Target::Forward(_) => Target::Object(now.place.serial, now.place.offset),
                    target => *target,
                };
                let held = Some([base, now.address, now.adjoint][i]);
                (*variable as u64, Wait { held, ..wait(i, target) })
            }));
        } else {
            self.settle(variables);
        }
        Ok(Restored { address: now.address as usize, adjoint: now.adjoint as usize, offset, waits: false })
    }

    fn null(&self, variables: &[(usize, Target); 3]) -> Restored {
        self.settle(variables);
        Restored::default()
    }

    fn settle(&self, variables: &[(usize, Target); 3]) {
        for (variable, _) in variables.iter().filter(|(variable, _)| *variable != 0) {
            self.numbered.registry.settle(*variable as u64);
        }
    }
}

/// The words of a range on the tape.
pub(super) fn pack_range(record: &RangeRecord) -> [u64; 4] {
    [(record.kind as u64) | u64::from(record.label) << 8, record.bytes, record.base, record.serial.0]
}

/// The range of these words; None if they are none.
pub(super) fn unpack_range([kind_and_label, bytes, base, serial]: [u64; 4]) -> Option<RangeRecord> {
    let kind = RangeKind::from_code((kind_and_label & 0xff) as i32).filter(|_| kind_and_label >> 40 == 0)?;
    Some(RangeRecord { serial: Serial(serial), base, bytes, kind, label: (kind_and_label >> 8) as u32 })
}

fn read(record: Record, what: &str) -> Result<Option<Place>, Error> {
    unpack(record).ok_or_else(|| corrupt(what))
}

#[cold]
pub(super) fn corrupt(what: &str) -> Error {
    Error::new(
        Status::Corrupt,
        format!(
            "a {what} is popped where none was pushed\n  \
             pushes and pops do not match; run with ADTAPE_CHECK=1 to see the first that does not"
        ),
    )
}
