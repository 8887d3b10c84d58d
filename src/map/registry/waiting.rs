//! Pointers whose target is still to come: known by the address of the pointer variable, set when the target comes.
//!
//! A variable *waits* if its object is not back: it is NULL meanwhile. It *follows* if it was set to a place in an object
//! that is reused, which has the addresses of others that died before its birth. The variable may have been left by one
//! of those, with an address that came to mean something else; nobody can know. So when the birth of the object is
//! reversed, the address, as the forward sweep knew it, becomes what the variable is to be set to: an object that comes
//! back where that address is gets the variable, provided that it holds still what it was set to.
//!
//! ```text
//!   pop ---- not back ----> waits ---- comes ----.
//!    `------ reused ---> follows the object <----' if it is reused
//!                             |  ^
//!           birth is reversed v  | comes, and is reused
//!                      follows the address ---- comes, and is not reused ----> done
//! ```

#![forbid(unsafe_code)]

mod wait;

pub(crate) use wait::{Arrival, Target, Variables, Wait};

use super::object::{Object, Serial};
use crate::sync::{AtomicU64, AtomicUsize, ForkLock, Holdable, LockGuard, Ordering};
use std::collections::{BTreeMap, BTreeSet};

/// A base and a number of bytes.
pub(crate) type Extent = (u64, u64);

/// See the module.
pub(super) struct Waiting {
    /// How many variables wait or follow, to be read without the lock.
    count: AtomicUsize,
    /// How many wait.
    waits: AtomicUsize,
    /// The bits ([`bit`]) of those variables.
    bits: AtomicU64,
    table: ForkLock<Table>,
}

/// At most so many variables follow without being in the trees.
const RECENT: usize = if cfg!(loom) { 2 } else { 16 };

/// One of 64 bits for a variable: the high bits of its product with 2^64 / golden ratio.
fn bit(variable: u64) -> u64 {
    1 << (variable.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58)
}

/// A variable that is popped in a loop follows one object after the other. So those that follow objects go into a short
/// list first, and into the trees when it is full or somebody asks for what only the trees find.
#[derive(Default)]
struct Table {
    /// Each with the variable. None of them is in the trees.
    recent: Vec<(u64, Wait)>,
    /// The bits of all variables that were in the trees since they were empty.
    bits: u64,
    by_variable: BTreeMap<u64, Wait>,
    /// Each with the variable.
    by_serial: BTreeSet<(Serial, u64)>,
    by_address: BTreeSet<(u64, u64)>,
    /// How many wait.
    waits: usize,
}

impl Table {
    fn len(&self) -> usize {
        self.recent.len() + self.by_variable.len()
    }

    fn get(&self, variable: u64) -> Option<&Wait> {
        let recent = self.recent.iter().find(|(there, _)| *there == variable);
        recent.map(|(_, wait)| wait).or_else(|| self.by_variable.get(&variable))
    }

    /// As [`follow`](Table::follow), of a variable in the list. Whether it is one.
    #[inline(always)]
    fn follow_again(&mut self, variable: u64, wait: &Wait) -> bool {
        let there = self.recent.iter_mut().find(|(there, _)| *there == variable);
        there.map(|(_, there)| *there = *wait).is_some()
    }

    /// A variable was set to a place in an object, and follows that.
    fn follow(&mut self, variable: u64, wait: Wait) {
        debug_assert!(wait.held.is_some() && matches!(wait.target, Target::Object(..)));
        self.remove(variable);
        if self.recent.len() == RECENT {
            self.index_recent();
        }
        self.recent.push((variable, wait));
    }

    /// Puts those of the list into the trees.
    fn index_recent(&mut self) {
        for (variable, wait) in std::mem::take(&mut self.recent) {
            self.insert(variable, wait);
        }
    }

    fn insert(&mut self, variable: u64, wait: Wait) {
        self.remove(variable);
        self.bits |= bit(variable);
        self.by_variable.insert(variable, wait);
        self.waits += usize::from(wait.held.is_none());
        match wait.target {
            Target::Object(serial, _) => self.by_serial.insert((serial, variable)),
            Target::Forward(address) => self.by_address.insert((address, variable)),
        };
    }

    fn remove(&mut self, variable: u64) {
        if let Some(i) = self.recent.iter().position(|(there, _)| *there == variable) {
            self.recent.swap_remove(i);
            return;
        }
        let Some(wait) = self.by_variable.remove(&variable) else { return };
        if self.by_variable.is_empty() {
            self.bits = 0;
        }
        self.waits -= usize::from(wait.held.is_none());
        match wait.target {
            Target::Object(serial, _) => self.by_serial.remove(&(serial, variable)),
            Target::Forward(address) => self.by_address.remove(&(address, variable)),
        };
    }

    /// Variables in `[base, base + bytes)` wait no more.
    fn forget_inside(&mut self, base: u64, bytes: u64) {
        if bytes == 0 {
            return;
        }
        self.recent.retain(|(variable, _)| *variable < base || variable - base >= bytes);
        while let Some((variable, _)) = self.by_variable.range(base..).next()
            && variable - base < bytes
        {
            let variable = *variable;
            self.remove(variable);
        }
    }

    /// The contents of a range are elsewhere, as far as they are `kept`: variables in it wait where they are now, and
    /// those in the rest no more.
    fn shift(&mut self, base: u64, bytes: u64, kept: u64, to: u64) {
        let inside = self.by_variable.range(base..base.saturating_add(bytes));
        let inside: Vec<(u64, Wait)> = inside.map(|(variable, wait)| (*variable, *wait)).collect();
        inside.iter().for_each(|(variable, _)| self.remove(*variable));
        for (variable, wait) in inside.into_iter().filter(|(variable, _)| variable - base < kept) {
            let moved = variable - base + to;
            self.insert(moved, wait);
            if let Some(other) = self.by_variable.get_mut(&wait.beside).filter(|other| other.beside == variable) {
                other.beside = moved;
            }
        }
    }

    /// As [`Registry::memory_moved`](super::Registry::memory_moved).
    fn moved(&mut self, (base, bytes): Extent, to: Option<Extent>) {
        self.index_recent();
        let (there, room) = to.unwrap_or((base, 0));
        let kept = bytes.min(room);
        if there == base { self.forget_inside(base + kept, bytes - kept) } else { self.shift(base, bytes, kept, there) }
    }

    /// As [`Waiting::of`].
    fn of(&self, serial: Serial, base: u64, bytes: u64) -> Vec<(u64, i64, Wait)> {
        let by_serial = self.by_serial.range((serial, 0)..=(serial, u64::MAX)).map(|(_, variable)| variable);
        let by_address = self.by_address.range((base, 0)..(base + bytes, 0)).map(|(_, variable)| variable);
        let found = by_serial.chain(by_address).map(|variable| {
            let wait = self.by_variable[variable];
            let offset = match wait.target {
                Target::Object(_, offset) => offset,
                Target::Forward(address) => (address - base) as i64,
            };
            (*variable, offset, wait)
        });
        found.filter(|(.., wait)| wait.held.is_none()).collect()
    }

    /// Those of `by_address` in `[base, base + bytes]`.
    fn following(&self, base: u64, bytes: u64) -> impl Iterator<Item = &(u64, u64)> {
        self.by_address.range((base, 0)..).take_while(move |(address, _)| address - base <= bytes)
    }

    /// Whether a variable follows an address in `[base, base + bytes]`.
    #[inline(never)]
    fn follows(&self, base: u64, bytes: u64) -> bool {
        self.following(base, bytes).next().is_some()
    }

    /// The variables that follow an address in `[base, base + bytes]`, as [`Table::of`].
    fn followers(&self, base: u64, bytes: u64) -> Vec<(u64, i64, Wait)> {
        let found = self.following(base, bytes).filter_map(|(address, variable)| {
            let wait = self.by_variable[variable];
            let here = wait.held.is_some() && (wait.pair.is_none() || *address == base);
            here.then(|| (*variable, wait.pair.unwrap_or((address - base) as i64), wait))
        });
        found.collect()
    }

    /// What a variable that follows was set to, and the variable beside it, as far as both are there still.
    fn held_by(&self, variable: u64, wait: &Wait) -> Option<Vec<(u64, u64)>> {
        let mut held = vec![(variable, wait.held?)];
        if wait.beside != 0 {
            let other = self.get(wait.beside).filter(|other| other.beside == variable)?;
            held.push((wait.beside, other.held?));
        }
        Some(held)
    }

    /// A variable was set to an object; it follows it if the object is reused.
    fn set(&mut self, variable: u64, wait: Wait, target: Target, value: u64, reused: bool) {
        let wait = Wait { target, held: Some(value), ..wait };
        if reused && wait.is_told_apart() { self.insert(variable, wait) } else { self.remove(variable) }
    }

    /// As [`Waiting::released`].
    fn released(&mut self, serial: Serial, forward_base: Option<u64>) {
        let follows = |(_, wait): &(u64, Wait)| matches!(wait.target, Target::Object(there, _) if there == serial);
        if self.recent.iter().any(follows) {
            self.index_recent();
        }
        if self.by_serial.is_empty() {
            return;
        }
        let of_object = self.by_serial.range((serial, 0)..=(serial, u64::MAX));
        let of_object: Vec<u64> = of_object.map(|(_, variable)| *variable).collect();
        for variable in of_object {
            let wait = self.by_variable[&variable];
            match (wait.target, forward_base) {
                _ if wait.held.is_none() => {}
                (Target::Object(_, by), Some(base)) => {
                    let address = if wait.pair.is_some() { base } else { base.wrapping_add_signed(by) };
                    self.insert(variable, Wait { target: Target::Forward(address), ..wait });
                }
                _ => self.remove(variable),
            }
        }
    }
}

impl Waiting {
    pub fn new() -> Waiting {
        let (count, waits, bits) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicU64::new(0));
        Waiting { count, waits, bits, table: ForkLock::new(Table::default()) }
    }

    /// What a fork holds.
    pub fn holdable(&self) -> &dyn Holdable {
        &self.table
    }

    fn lock(&self) -> LockGuard<'_, Table> {
        self.table.lock()
    }

    fn change<R>(&self, change: impl FnOnce(&mut Table) -> R) -> R {
        let mut table = self.lock();
        let result = change(&mut table);
        self.count(&table);
        result
    }

    /// Says to those without the lock what there is.
    fn count(&self, table: &Table) {
        let bits = table.recent.iter().fold(table.bits, |bits, (variable, _)| bits | bit(*variable));
        self.bits.store(bits, Ordering::Release);
        self.count.store(table.len(), Ordering::Release);
        self.waits.store(table.waits, Ordering::Release);
    }

    /// Whether one of these variables, of which 0 stands for none, may wait or follow; where not, none does for certain.
    #[inline(always)]
    pub fn may_have(&self, variables: [u64; 3]) -> bool {
        let bits = self.bits.load(Ordering::Acquire);
        bits != 0 && variables.into_iter().any(|variable| variable != 0 && bits & bit(variable) != 0)
    }

    /// How many variables wait.
    pub fn waits(&self) -> usize {
        self.waits.load(Ordering::Acquire)
    }

    /// Whether no variable waits or follows.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    /// Whether a variable waits, or follows an address in `[base, base + bytes]`. With the lock: who began to before has
    /// it, or had it.
    #[inline(always)]
    pub fn concerns(&self, base: u64, bytes: u64) -> bool {
        let table = self.lock();
        table.waits > 0 || !table.by_address.is_empty() && table.follows(base, bytes)
    }

    /// The variable waits for this and nothing else. `clear` sets it to NULL, before anybody sets it to what it waits
    /// for.
    pub fn add(&self, variable: u64, wait: Wait, clear: impl FnOnce()) {
        self.change(|table| {
            table.insert(variable, wait);
            clear();
        });
    }

    /// The variable waits for nothing any more: it has another value.
    pub fn forget(&self, variable: u64) {
        if !self.is_empty() {
            self.change(|table| table.remove(variable));
        }
    }

    /// The variables in a range that ends wait no more.
    pub fn forget_inside(&self, base: u64, bytes: u64) {
        if self.is_empty() || bytes == 0 {
            return;
        }
        self.change(|table| table.forget_inside(base, bytes));
    }

    /// Runs `operation`, which moves memory and says so to the function that it gets. Meanwhile nobody sets a variable:
    /// the value would stay where the memory was.
    pub fn hold<R>(&self, operation: impl FnOnce(&mut dyn FnMut(Extent, Option<Extent>)) -> R) -> R {
        self.change(|table| operation(&mut |from, to| table.moved(from, to)))
    }

    /// Which variables wait for an object that lay at `[base, base + bytes)` in the forward sweep: their addresses, how
    /// far into the object they are to point, and what for.
    pub fn of(&self, serial: Serial, base: u64, bytes: u64) -> Vec<(u64, i64, Wait)> {
        self.lock().of(serial, base, bytes)
    }

    /// The object is back, after the same variables. `set` sets each of them to the value that it returns, unless that is
    /// None: such a variable waits on. Sees each that waited before it was called. Nobody else begins or ends to wait
    /// meanwhile, so that no later value is overwritten.
    #[inline]
    pub fn take(
        &self,
        (serial, base, bytes): (Serial, u64, u64),
        reused: bool,
        mut set: impl FnMut(u64, i64, Wait) -> Option<u64>,
    ) {
        self.change(|table| {
            for (variable, by, wait) in table.of(serial, base, bytes) {
                if let Some(value) = set(variable, by, wait) {
                    table.set(variable, wait, Target::Object(serial, by), value, reused);
                }
            }
        });
    }

    /// As [`follow`](Waiting::follow), if all of these variables, of which 0 stands for none, are in the list. `wait` makes
    /// what each is to follow, in its place: a copy would wait for the parts of what it copies.
    #[inline(always)]
    pub fn follow_again(&self, variables: [u64; 3], wait: impl Fn(usize) -> Wait) -> bool {
        let mut table = self.lock();
        for (i, variable) in variables.into_iter().enumerate().filter(|(_, variable)| *variable != 0) {
            let there = table.recent.iter_mut().find(|(there, _)| *there == variable);
            let Some((_, there)) = there else { return false };
            *there = wait(i);
        }
        true
    }

    /// The variables were set to places in an object that is reused, and follow from now on.
    #[inline(always)]
    pub fn follow(&self, variables: impl IntoIterator<Item = (u64, Wait)>) {
        let mut table = self.lock();
        let mut others = false;
        for (variable, wait) in variables {
            let follows = wait.is_told_apart();
            if follows && table.follow_again(variable, &wait) {
                continue;
            }
            others = true;
            if follows { table.follow(variable, wait) } else { table.remove(variable) }
        }
        if others {
            self.count(&table);
        }
    }

    /// An object ended. Variables in it and in its adjoint wait no more, and what follows it, as in
    /// [`released`](Waiting::released).
    #[inline(always)]
    pub fn ended(&self, object: &Object, forward_base: Option<u64>) {
        if !self.is_empty() {
            self.end_of(object, forward_base);
        }
    }

    #[inline(never)]
    fn end_of(&self, object: &Object, forward_base: Option<u64>) {
        self.change(|table| {
            table.forget_inside(object.base, object.bytes);
            table.forget_inside(object.adjoint_base, object.adjoint_bytes);
            table.released(object.serial, forward_base);
        });
    }

    /// The object ended: what follows it follows the addresses where it lay in the forward sweep, or nothing.
    pub fn released(&self, serial: Serial, forward_base: Option<u64>) {
        if !self.is_empty() {
            self.change(|table| table.released(serial, forward_base));
        }
    }

    /// The object is back: variables that follow an address in it get its place, if `is_meant` says so of the offset and
    /// of what they were set to, and if they hold that; the others follow no more.
    pub fn take_followers(
        &self,
        (serial, base, bytes): (Serial, u64, u64),
        reused: bool,
        variables: &mut impl Variables,
        value: impl Fn(i64, Wait, &[(u64, u64)]) -> Option<u64>,
    ) {
        if self.is_empty() {
            return;
        }
        self.change(|table| {
            let mut now = Vec::new();
            for (variable, by, wait) in table.followers(base, bytes) {
                let held = table.held_by(variable, &wait);
                let held = held.filter(|held| held.iter().all(|(variable, value)| variables.holds(*variable, *value)));
                now.push((variable, by, wait, held.and_then(|held| value(by, wait, &held))));
            }
            // What one variable holds says whether the other is set, so none is set before all were read.
            for (variable, by, wait, value) in now {
                let Some(value) = value else {
                    table.remove(variable);
                    continue;
                };
                variables.set(Arrival { variable, value, offset: by, held: wait.held });
                table.set(variable, wait, Target::Object(serial, by), value, reused);
            }
        });
    }

    /// All that wait, by address of the variable.
    pub fn list(&self) -> Vec<(u64, Wait)> {
        let waits = |(variable, wait): (&u64, &Wait)| wait.held.is_none().then_some((*variable, *wait));
        self.lock().by_variable.iter().filter_map(waits).collect()
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
