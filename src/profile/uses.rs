//! What places did on the tapes of the process.

#![forbid(unsafe_code)]

use super::seen::Same;
use super::stretches::UNIT;
use crate::site::Site;
use crate::sync::{Arc, Mutex, UNORDERED, Unordered};
use std::collections::HashMap;

/// A count that is kept in [`UNIT`]s.
fn whole(count: &Unordered) -> u64 {
    (count.load(UNORDERED) + UNIT / 2) / UNIT
}

/// Operations, and the bits that they moved, in [`UNIT`]s.
#[derive(Default)]
pub(super) struct Tally {
    pub operations: Unordered,
    pub bits: Unordered,
}

/// Adds to what one thread writes alone.
#[inline]
fn add(to: &Unordered, n: u64) {
    to.store(to.load(UNORDERED).wrapping_add(n), UNORDERED);
}

impl Tally {
    /// An operation that stands for `weight` of them, in [`UNIT`]s.
    #[inline]
    pub fn add(&self, weight: u64, bits: u64) {
        add(&self.operations, weight);
        add(&self.bits, weight * bits);
    }

    fn read(&self) -> (u64, u64) {
        (whole(&self.operations), whole(&self.bits))
    }
}

/// What was moved.
#[derive(Default)]
pub(super) struct Moves {
    pub pushes: Tally,
    pub pops: Tally,
    /// Values that were pushed.
    pub values: Unordered,
    pub repeated: Tally,
    pub unchanged: Tally,
    /// Bits that never changed from a push to the next, in [`UNIT`]s.
    pub never_changed: Unordered,
    pub held: Tally,
}

/// What one place did on one tape.
#[derive(Default)]
pub(super) struct Use {
    pub moves: Moves,
    /// Bits of its pushes that are on the tape, now and when the process had most on its tapes.
    pub live: Unordered,
    pub at_peak: Unordered,
}

impl Use {
    #[inline]
    pub fn pushed(&self, weight: u64, values: u64, bits: u64) {
        self.moves.pushes.add(weight, bits);
        add(&self.moves.values, weight * values);
        add(&self.live, weight * bits);
    }

    /// What a push had in common with the one before it.
    #[inline]
    pub fn compared(&self, weight: u64, same: Same) {
        if same.bits > 0 {
            self.moves.unchanged.add(same.times * weight, same.bits);
        }
        add(&self.moves.never_changed, (same.times * weight * same.never).wrapping_sub(same.changed));
    }

    /// So many bits left the tape, in [`UNIT`]s.
    #[inline]
    pub fn left(&self, bits: u64) {
        self.live.store(self.live.load(UNORDERED).saturating_sub(bits), UNORDERED);
    }
}

/// A place that a tape's operations came from.
pub(super) struct Entry {
    pub site: Site,
    pub kind: &'static str,
    pub entry: Arc<Use>,
}

/// A thread that had tapes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Thread {
    pub number: u64,
    pub name: Option<String>,
}

/// What a lane has in common with whoever asks.
pub(super) struct Tape {
    pub thread: Thread,
    pub entries: Mutex<Vec<Entry>>,
    /// As of the last time that somebody looked: bytes on it; the most bits that were; bytes in memory and in a store;
    /// bytes of records.
    pub len: Unordered,
    pub peak: Unordered,
    pub resident: Unordered,
    pub spilled: Unordered,
    pub overhead: Unordered,
}

/// Counts of a place, taken at some time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub operations: u64,
    pub bits: u64,
    pub values: u64,
    pub pops: (u64, u64),
    pub live: u64,
    pub at_peak: u64,
    pub repeated: (u64, u64),
    pub unchanged: (u64, u64),
    pub never_changed: u64,
    pub held: (u64, u64),
}

impl Counts {
    fn of(entry: &Use) -> Counts {
        let moves = &entry.moves;
        let ((operations, bits), pops) = (moves.pushes.read(), moves.pops.read());
        Counts {
            operations,
            bits,
            values: whole(&moves.values),
            pops,
            live: whole(&entry.live),
            at_peak: whole(&entry.at_peak),
            repeated: moves.repeated.read(),
            unchanged: moves.unchanged.read(),
            never_changed: whole(&moves.never_changed),
            held: moves.held.read(),
        }
    }

    pub fn add(&mut self, other: &Counts) {
        let sum = |a: (u64, u64), b: (u64, u64)| (a.0 + b.0, a.1 + b.1);
        self.operations += other.operations;
        self.bits += other.bits;
        self.values += other.values;
        self.pops = sum(self.pops, other.pops);
        self.live += other.live;
        self.at_peak += other.at_peak;
        self.repeated = sum(self.repeated, other.repeated);
        self.unchanged = sum(self.unchanged, other.unchanged);
        self.never_changed += other.never_changed;
        self.held = sum(self.held, other.held);
    }
}

/// What a thread's tapes did: pushes, their bits, the most bits that one of them held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OfThread {
    pub operations: u64,
    pub bits: u64,
    pub peak: u64,
}

/// A site and what it moves; sites of code by their address.
pub(super) type Key = (usize, &'static str);

/// The tapes of the process, and what those did that are gone.
#[derive(Default)]
pub(super) struct Tapes {
    there: Vec<Arc<Tape>>,
    gone: HashMap<Key, (Site, Counts)>,
    threads_gone: HashMap<Thread, OfThread>,
}

impl Tapes {
    pub fn add(&mut self, tape: Arc<Tape>) {
        self.there.push(tape);
    }

    /// A tape is freed; what it still held is gone.
    pub fn remove(&mut self, tape: &Arc<Tape>) {
        let Some(at) = self.there.iter().position(|other| Arc::ptr_eq(other, tape)) else { return };
        self.there.swap_remove(at);
        add_counts(&mut self.gone, tape, |counts| counts.live = 0);
        add_thread(&mut self.threads_gone, tape);
    }

    /// Bits on all tapes.
    pub fn live(&self) -> u64 {
        self.uses(|entry| whole(&entry.live))
    }

    /// What was noted of the peak.
    pub fn at_peak(&self) -> u64 {
        let gone: u64 = self.gone.values().map(|(_, counts)| counts.at_peak).sum();
        gone + self.uses(|entry| whole(&entry.at_peak))
    }

    /// Pushes.
    pub fn operations(&self) -> u64 {
        let gone: u64 = self.gone.values().map(|(_, counts)| counts.operations).sum();
        let there = |entry: &Use| Counts::of(entry).operations;
        gone + self.uses(there)
    }

    /// Pushes, in a child of fork. A thread that the child does not have may have the uses of its tape: they are not counted.
    pub fn inherited(&mut self) -> u64 {
        self.there.retain(|tape| tape.entries.try_lock().is_some());
        self.operations()
    }

    fn uses(&self, count: impl Fn(&Use) -> u64) -> u64 {
        let of_tape = |tape: &Arc<Tape>| tape.entries.lock().iter().map(|entry| count(&entry.entry)).sum::<u64>();
        self.there.iter().map(of_tape).sum()
    }

    /// The process has most on its tapes now.
    pub fn note_peak(&mut self) {
        self.gone.values_mut().for_each(|(_, counts)| counts.at_peak = 0);
        for tape in &self.there {
            for entry in tape.entries.lock().iter() {
                entry.entry.at_peak.store(entry.entry.live.load(UNORDERED), UNORDERED);
            }
        }
    }

    /// Counts by site and kind.
    pub fn counts(&self) -> HashMap<Key, (Site, Counts)> {
        let mut all = self.gone.clone();
        self.there.iter().for_each(|tape| add_counts(&mut all, tape, |_| ()));
        all
    }

    pub fn threads(&self) -> Vec<(Thread, OfThread)> {
        let mut all = self.threads_gone.clone();
        self.there.iter().for_each(|tape| add_thread(&mut all, tape));
        let mut all: Vec<_> = all.into_iter().collect();
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        all
    }

    /// Bytes on the tapes, of them in a store, in memory, and of the records of watched tapes.
    pub fn sizes(&self) -> [u64; 4] {
        let sum = |part: fn(&Tape) -> &Unordered| self.there.iter().map(|tape| part(tape).load(UNORDERED)).sum::<u64>();
        [sum(|t| &t.len), sum(|t| &t.spilled), sum(|t| &t.resident), sum(|t| &t.overhead)]
    }
}

/// Adds what a tape counted, after a change to it.
fn add_counts(all: &mut HashMap<Key, (Site, Counts)>, tape: &Tape, change: impl Fn(&mut Counts)) {
    for Entry { site, kind, entry } in tape.entries.lock().iter() {
        let (_, sum) = all.entry((site.address(), kind)).or_insert((*site, Counts::default()));
        let mut counts = Counts::of(entry);
        change(&mut counts);
        sum.add(&counts);
    }
}

fn add_thread(all: &mut HashMap<Thread, OfThread>, tape: &Tape) {
    let sum = all.entry(tape.thread.clone()).or_default();
    let mut live = 0;
    for entry in tape.entries.lock().iter() {
        let counts = Counts::of(&entry.entry);
        sum.operations += counts.operations;
        sum.bits += counts.bits;
        live += counts.live;
    }
    sum.peak = sum.peak.max(tape.peak.load(UNORDERED)).max(live);
}
