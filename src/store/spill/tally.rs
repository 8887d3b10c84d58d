//! What all tapes of the process have in files, what went there and came back, and how long threads waited for that.

#![forbid(unsafe_code)]

use crate::sync::{StaticCounter, UNORDERED};
use std::time::{Duration, Instant};

/// Counts of the process.
pub(super) struct Tally {
    used: StaticCounter,
    peak: StaticCounter,
    written: StaticCounter,
    read: StaticCounter,
    waited_nanoseconds: StaticCounter,
}

pub(super) static TALLY: Tally = Tally {
    used: StaticCounter::new(0),
    peak: StaticCounter::new(0),
    written: StaticCounter::new(0),
    read: StaticCounter::new(0),
    waited_nanoseconds: StaticCounter::new(0),
};

/// The counts at one time, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disk {
    pub used: u64,
    pub peak: u64,
    pub written: u64,
    pub read: u64,
    pub waited: Duration,
}

pub(crate) fn disk() -> Disk {
    let now = |counter: &StaticCounter| counter.load(UNORDERED);
    Disk {
        used: now(&TALLY.used),
        peak: now(&TALLY.peak),
        written: now(&TALLY.written),
        read: now(&TALLY.read),
        waited: Duration::from_nanos(now(&TALLY.waited_nanoseconds)),
    }
}

impl Tally {
    /// Counts the room of a place that is taken.
    pub fn take(&self, bytes: u64) {
        let now = self.used.fetch_add(bytes, UNORDERED) + bytes;
        self.peak.fetch_max(now, UNORDERED);
    }

    pub fn give(&self, bytes: u64) {
        self.used.fetch_sub(bytes, UNORDERED);
    }

    pub fn write(&self, bytes: usize) {
        self.written.fetch_add(bytes as u64, UNORDERED);
    }

    pub fn read(&self, bytes: usize) {
        self.read.fetch_add(bytes as u64, UNORDERED);
    }

    /// Does what a thread of the program has to wait for.
    pub fn wait<R>(&self, work: impl FnOnce() -> R) -> R {
        let begin = Instant::now();
        let result = work();
        self.waited_nanoseconds.fetch_add(begin.elapsed().as_nanos() as u64, UNORDERED);
        result
    }
}
