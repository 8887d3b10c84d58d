//! Pointers and pairs on the tape, and addresses of the forward sweep: where each leads now.

#![forbid(unsafe_code)]

use super::called::{Called, calls};
use super::set::{Objects, Restored, Waiter, corrupt};
use super::variables::Writer;
use crate::error::{Error, bytes, say};
use crate::map::registry::{History, Located, ObjectOffset, Record, Serial, Target, Wait, pack, unpack};
use crate::tape::failure::located;
use crate::tape::{Cursor, Type};

calls! {
    /// Where an address of this section's forward sweep, which came back among other data, points now. If its object is
    /// not back, the variables wait (0 stands for none).
    pub fn rebase_pointer(&self, address: usize, variable: usize, adjoint_variable: usize) -> Result<Restored, Error> {
        if let Some(restored) = self.rebase_at_once(address, [variable, adjoint_variable], self.writer) {
            return Ok(restored);
        }
        let restored = self.restored_address(address as u64, [variable, adjoint_variable], self.writer)?;
        Ok(self.noted(restored, variable, adjoint_variable))
    }

    /// Pushes a pointer that is about to be overwritten, if it is NULL or in a range (line 18).
    pub fn push_pointer(&self, tape: &Cursor, address: usize) -> Result<(), Error> {
        if self.push_pointer_at_once(tape, address).is_some() {
            return Ok(());
        }
        let place = self.registry().find(self.lane()?, address as u64);
        let place = place.map_err(|e| located(e, "push", Type::Pointer, 1, self.site))?;
        tape.push_record(Type::Pointer, pack(place), self.site)
    }

    /// Pops a pointer: its value and its adjoint's now (line 20). If its object is not back, the variables at these
    /// addresses wait (0 stands for none).
    pub fn pop_pointer(&self, tape: &Cursor, variable: usize, adjoint_variable: usize) -> Result<Restored, Error> {
        self.pop_either(tape, false, [0, variable, adjoint_variable])
    }

    /// Pushes a pointer as the base of an object and an offset, which may lead out of it (Alg. 3, line 18*).
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let (objects, tape, x) = (Objects::new(), Tape::new()?, [0.0_f64; 4]);
    /// let base = x.as_ptr().addr();
    /// objects.live_add(base, 32, RangeKind::Stack, "x")?;
    /// objects.push_pair(&tape, base, 4000)?;
    /// assert_eq!(objects.pop_pair(&tape, 0, 0)?.address, base + 4000);
    /// assert_eq!(objects.push_pointer(&tape, base + 4000).unwrap_err().status(), Status::NoRange);
    /// # Ok(())
    /// # }
    /// ```
    pub fn push_pair(&self, tape: &Cursor, base: usize, offset: isize) -> Result<(), Error> {
        if self.push_pair_at_once(tape, base, offset).is_some() {
            return Ok(());
        }
        let place = self.registry().find_pair(self.lane()?, base as u64, offset as i64);
        let place = place.map_err(|e| located(e, "push", Type::Pair, 1, self.site))?;
        tape.push_record(Type::Pair, pack(place), self.site)
    }

    /// Pops a pair (line 20*): `address` is that of base and offset together. The variables that wait are those of the
    /// address and of its adjoint.
    pub fn pop_pair(&self, tape: &Cursor, variable: usize, adjoint_variable: usize) -> Result<Restored, Error> {
        self.pop_pair_and_base(tape, [0, variable, adjoint_variable])
    }
}

impl Called<'_> {
    /// Pops a pair, also with the address of a variable for the base, before the other two.
    #[inline(always)]
    pub(crate) fn pop_pair_and_base(&self, tape: &Cursor, variables: [usize; 3]) -> Result<Restored, Error> {
        self.pop_either(tape, true, variables)
    }

    /// Pops a pointer or a pair.
    #[inline(always)]
    fn pop_either(&self, tape: &Cursor, is_pair: bool, variables: [usize; 3]) -> Result<Restored, Error> {
        match self.pop_recent(tape, variables, self.writer) {
            Some(restored) => Ok(restored),
            None => self.pop_otherwise(tape, is_pair, variables),
        }
    }

    /// Apart, so that what is found at once needs no more registers than it uses.
    #[inline(never)]
    fn pop_otherwise(&self, tape: &Cursor, is_pair: bool, variables: [usize; 3]) -> Result<Restored, Error> {
        if let Some(restored) = self.pop_at_once(tape, is_pair, variables, self.writer) {
            return Ok(restored);
        }
        let (ty, what) = if is_pair { (Type::Pair, "pair") } else { (Type::Pointer, "pointer") };
        let restored = tape.pop_record(ty, self.site, |record| {
            self.restored_place(read(record, what)?, is_pair, variables, self.writer)
        })?;
        Ok(self.noted(restored, variables[1], variables[2]))
    }

    /// In check mode, keeps where a variable was popped that waits, and hints at an adjoint pointer that is NULL.
    #[inline(always)]
    fn noted(&self, restored: Restored, variable: usize, adjoint_variable: usize) -> Restored {
        self.note(|history| {
            if restored.waits {
                history.waits(variable as u64, self.site);
                history.waits(adjoint_variable as u64, self.site);
            } else if restored.address != 0 && restored.adjoint == 0 && adjoint_variable != 0 {
                self.hint_at_adjoint(history, restored.address);
            }
        });
        restored
    }

    #[cold]
    fn hint_at_adjoint(&self, history: &History, address: usize) {
        if let Ok(range) = self.live_find(address)
            && history.hints(self.site)
        {
            let name = if range.label == 0 { String::new() } else { format!(" `{}`", self.label(&range)) };
            say(&format!(
                "adtape: hint: the pointer popped at {} leads into the range{name} of {} at {:#x}, which has no adjoint: the \
                 adjoint pointer is NULL\n  \
                 if nothing there depends on the inputs, all is well; else adtape_live_set_adjoint, or adtape_rebase_add \
                 where the range comes back, says where its adjoint is",
                self.site.named().said(),
                bytes(range.bytes as u64),
                range.base
            ));
        }
    }
}

impl Objects {
    /// Pointer variables that wait for their object, by address.
    pub fn waiting(&self) -> Vec<Waiter> {
        let waiter = |(variable, wait): (u64, Wait)| {
            let (serial, offset) = match wait.target {
                Target::Object(serial, offset) => (serial.0, offset as isize),
                Target::Forward(address) => (0, address as isize),
            };
            Waiter { variable: variable as usize, value: 0, serial, offset, held: None }
        };
        self.registry().waiting().into_iter().map(waiter).collect()
    }

    /// Where a place is now; if it is not, the variables wait: of the base, of the place, of the place in the adjoint.
    /// With `is_pair` the place belongs to the object whose base it has, wherever the offset leads.
    fn restored_place(
        &self,
        place: Option<ObjectOffset>,
        is_pair: bool,
        [base_variable, variable, adjoint_variable]: [usize; 3],
        writer: Writer,
    ) -> Result<Restored, Error> {
        let ObjectOffset { serial, offset } = place.unwrap_or(ObjectOffset { serial: Serial(0), offset: 0 });
        let (base, target) = (Target::Object(serial, 0), Target::Object(serial, offset));
        let variables = [(base_variable, base), (variable, target), (adjoint_variable, target)];
        let pair = is_pair.then_some(offset);
        match place {
            Some(place) => self.restored(offset, pair, &variables, writer, || self.registry().locate(place)),
            None => Ok(self.null(&variables, writer)),
        }
    }

    /// Where an address of the forward sweep is now; if it is not, the variables wait: of the address, of its place in the
    /// adjoint.
    fn restored_address(
        &self,
        address: u64,
        [variable, adjoint_variable]: [usize; 2],
        writer: Writer,
    ) -> Result<Restored, Error> {
        let (lane, target) = (self.lane()?, Target::Forward(address));
        let variables = [(0, target), (variable, target), (adjoint_variable, target)];
        if address == 0 {
            return Ok(self.null(&variables, writer));
        }
        self.restored(0, None, &variables, writer, || self.registry().rebase(lane, address))
    }

    /// What `look` finds, which the variables are set to; while it finds nothing, they, in the order of
    /// [`restored_place`](Objects::restored_place), wait.
    fn restored(
        &self,
        offset: i64,
        pair: Option<i64>,
        variables: &[(usize, Target); 3],
        writer: Writer,
        look: impl Fn() -> Result<Option<Located>, Error>,
    ) -> Result<Restored, Error> {
        let registry = &self.registry();
        let addresses = variables.map(|(variable, _)| variable);
        let mut now = look()?;
        if now.is_none() {
            for (i, (variable, target)) in variables.iter().enumerate().filter(|(_, (variable, _))| *variable != 0) {
                registry.wait(*variable as u64, wait(addresses, pair, i, *target), || writer.set(*variable, 0));
            }
            // The object may have come before the variables waited.
            now = look().inspect_err(|_| self.settle(variables))?;
        }
        let offset = offset as isize;
        let Some(now) = now else { return Ok(Restored { offset, waits: true, ..Restored::default() }) };
        if now.reused {
            self.follow(&now, pair, addresses);
        } else {
            self.settle(variables);
        }
        let base = now.address.wrapping_add_signed(-(offset as i64));
        for (value, variable) in [base, now.address, now.adjoint].into_iter().zip(addresses) {
            writer.set(variable, value as usize);
        }
        Ok(Restored { address: now.address as usize, adjoint: now.adjoint as usize, offset, waits: false })
    }

    /// Variables, in the order of [`restored_place`](Objects::restored_place), are about to be set to a place in an object
    /// that is reused, and follow it.
    #[inline(never)]
    pub(super) fn follow(&self, now: &Located, pair: Option<i64>, variables: [usize; 3]) {
        let (values, addresses) = (now.values(), variables.map(|variable| variable as u64));
        let follows = |i: usize| {
            let target = Target::Object(now.place.serial, if i == 0 { 0 } else { now.place.offset });
            Wait { held: Some(values[i]), ..wait(variables, pair, i, target) }
        };
        // An adjoint that is not there is NULL, which much other memory holds.
        if now.adjoint == 0 || !self.registry().follow_again(addresses, follows) {
            self.registry().follow((0..3).filter(|i| addresses[*i] != 0).map(|i| (addresses[i], follows(i))));
        }
    }

    fn null(&self, variables: &[(usize, Target); 3], writer: Writer) -> Restored {
        self.settle(variables);
        variables.iter().for_each(|(variable, _)| writer.set(*variable, 0));
        Restored::default()
    }

    fn settle(&self, variables: &[(usize, Target); 3]) {
        for (variable, _) in variables.iter().filter(|(variable, _)| *variable != 0) {
            self.registry().settle(*variable as u64);
        }
    }
}

/// What the `i`th of three variables, in the order of [`restored_place`](Objects::restored_place), waits for.
#[inline(always)]
fn wait([_, primal, adjoint]: [usize; 3], pair: Option<i64>, i: usize, target: Target) -> Wait {
    let pair = pair.map(|offset| if i == 0 { 0 } else { offset });
    let beside = [0, adjoint, primal][i] as u64;
    Wait { pair, beside, ..Wait::new(target, i == 2) }
}

fn read(record: Record, what: &str) -> Result<Option<ObjectOffset>, Error> {
    unpack(record).ok_or_else(|| corrupt(what))
}
