//! What a tape counts for itself.

#![forbid(unsafe_code)]

use super::blocks::Blocks;
use super::process::{Process, process};
use super::seen::Seen;
use super::stretches::{self, Height, Stretches, UNIT};
use super::uses::{Entry, Tape, Thread, Use};
use crate::site::Site;
use crate::sync::{Arc, Mutex, StaticCounter, UNORDERED, Unordered};
use std::cell::Cell;

/// A push, as a lane gets to know it.
#[derive(Clone, Copy)]
pub(crate) struct Pushed {
    /// Its number in the tape's table of places, and what stands there.
    pub place: u32,
    pub site: Site,
    pub what: u32,
    pub values: u64,
    pub bits: u64,
    /// Where the values were; 0 where that is not known.
    pub from: usize,
}

/// The uses of a place, and what it pushed last.
struct Counter {
    shared: Arc<Use>,
    last: Option<u64>,
}

/// What a reset brings back.
struct Level {
    live: Vec<u64>,
    sum: u64,
    debt: u64,
    stretches: Stretches,
}

pub(crate) struct Lane {
    process: &'static Process,
    tape: Arc<Tape>,
    /// What a person reads of what a place pushes.
    name: fn(u32) -> &'static str,
    /// By the number of the place; none of a place that did nothing here.
    counters: Vec<Option<Counter>>,
    /// Bits on the tape, in [`UNIT`]s, and as they were published last, in bits.
    live: u64,
    published: u64,
    /// Bits on the tape as an operation saw them last, where that does not see all of them.
    height: u64,
    /// The last operation was a push.
    rising: bool,
    /// Bits that were popped and whose push left a record of more.
    debt: u64,
    last: Pushed,
    seen: Seen,
    blocks: Blocks,
    /// Bits until the next call path, between two of them, and since the last one.
    until_path: u64,
    path_step: u64,
    since_path: u64,
    levels: Vec<Level>,
    stretches: Stretches,
    /// Pushes that were watched.
    pushes: u64,
}

/// The thread's number, and whether it has one.
fn this_thread(on_main: bool) -> Thread {
    static NEXT: StaticCounter = StaticCounter::new(0);
    thread_local! {
        static NUMBER: Cell<u64> = const { Cell::new(u64::MAX) };
    }
    let number = NUMBER.try_with(|number| {
        if number.get() == u64::MAX {
            number.set(NEXT.fetch_add(1, UNORDERED));
        }
        number.get()
    });
    let name = if on_main { Some("main".to_owned()) } else { std::thread::current().name().map(str::to_owned) };
    Thread { number: number.unwrap_or(u64::MAX), name }
}

impl Lane {
    /// The lane of a new tape of the calling thread, the main one or another; None outside profile mode. `name` is what a
    /// person reads of what a place moves.
    pub fn new(name: fn(u32) -> &'static str, on_main: bool) -> Option<Lane> {
        let process = process()?;
        let word = || Unordered::new(0);
        let tape = Arc::new(Tape {
            thread: this_thread(on_main),
            entries: Mutex::default(),
            len: word(),
            peak: word(),
            resident: word(),
            spilled: word(),
            overhead: word(),
        });
        process.tapes.lock().add(tape.clone());
        static SEED: StaticCounter = StaticCounter::new(1);
        Some(Lane {
            process,
            tape,
            name,
            counters: Vec::new(),
            live: 0,
            published: 0,
            height: 0,
            rising: false,
            debt: 0,
            last: Pushed { place: u32::MAX, site: Site::UNKNOWN, what: 0, values: 0, bits: 0, from: 0 },
            seen: Seen::default(),
            blocks: Blocks::default(),
            until_path: 0,
            path_step: super::paths::FIRST_STEP,
            since_path: 0,
            levels: Vec::new(),
            stretches: Stretches::new(SEED.fetch_add(1, UNORDERED)),
            pushes: 0,
        })
    }

    // ---- operations --------------------------------------------------------------------------------

    #[inline(always)]
    pub fn pushed(&mut self, push: Pushed) {
        let Pushed { place, values, bits, .. } = push;
        let weight = self.stretches.weight(bits);
        let counter = match self.counters.get(place as usize) {
            Some(Some(counter)) => counter,
            _ => self.begin(place, push.site, push.what),
        };
        counter.shared.pushed(weight, values, bits);
        self.pushes += 1;
        self.live += weight * bits;
        self.rising = true;
        self.last = push;
        self.since_path += weight * bits / UNIT;
        if self.since_path > self.until_path {
            self.take_path(push.site);
        }
    }

    /// The number of what was pushed last, when it is known.
    #[inline(always)]
    pub fn saw(&mut self, digest: u64) {
        let Pushed { place, from, bits, .. } = self.last;
        let Some(Some(counter)) = self.counters.get_mut(place as usize) else { return };
        let weight = self.stretches.weight(bits);
        if counter.last.replace(digest) == Some(digest) {
            counter.shared.moves.repeated.add(weight, bits);
        }
        if from != 0 {
            counter.shared.compared(weight, self.seen.push((place, from), digest, weight, bits));
        }
    }

    /// The values of what was pushed last, an array of several blocks; `digest` gives values a number.
    pub fn saw_array(&mut self, bytes: &[u8], digest: impl Fn(&[u8]) -> u64) {
        let Pushed { place, from, bits, .. } = self.last;
        let Some(Some(counter)) = self.counters.get_mut(place as usize) else { return };
        let weight = self.stretches.weight(bits);
        let (number, same) = self.blocks.push((place, from), bytes, weight, digest);
        if counter.last.replace(number) == Some(number) {
            counter.shared.moves.repeated.add(weight, bits);
        }
        counter.shared.compared(weight, same);
    }

    /// A pop of `bits` bits at a place.
    #[inline(always)]
    pub fn popped(&mut self, place: u32, site: Site, what: u32, bits: u64) {
        if self.rising {
            self.turn();
        }
        let weight = self.stretches.weight(bits);
        let counter = match self.counters.get(place as usize) {
            Some(Some(counter)) => counter,
            _ => self.begin(place, site, what),
        };
        counter.shared.moves.pops.add(weight, bits);
    }

    /// Bits that a place had pushed left the tape; the variable that they go to had `held` of them.
    #[inline(always)]
    pub fn left(&mut self, place: u32, bits: u64, held: u64) {
        let weight = self.stretches.weight(bits);
        self.live = self.live.saturating_sub(weight * bits);
        if let Some(Some(counter)) = self.counters.get(place as usize) {
            counter.shared.left(weight * bits);
            if held > 0 {
                counter.shared.moves.held.add(weight, held);
            }
        }
    }

    /// Bits that were popped and that no record was taken off for yet.
    #[inline]
    pub fn debt(&mut self) -> &mut u64 {
        &mut self.debt
    }

    #[inline(never)]
    fn begin(&mut self, place: u32, site: Site, what: u32) -> &mut Counter {
        let (at, kind) = (place as usize, (self.name)(what));
        if self.counters.len() <= at {
            self.counters.resize_with(at + 1, || None);
        }
        let tape = &self.tape;
        self.counters[at].get_or_insert_with(|| {
            let shared = Arc::<Use>::default();
            tape.entries.lock().push(Entry { site, kind, entry: shared.clone() });
            Counter { shared, last: None }
        })
    }

    // ---- what moves the tape -----------------------------------------------------------------------

    pub fn clear(&mut self) {
        self.counters.iter().flatten().for_each(|counter| counter.shared.live.store(0, UNORDERED));
        (self.live, self.debt) = (0, 0);
        self.stretches.forget();
    }

    pub fn start(&mut self) {
        let live = self.counters.iter().map(|counter| match counter {
            Some(counter) => counter.shared.live.load(UNORDERED),
            None => 0,
        });
        let (live, stretches) = (live.collect(), self.stretches.clone());
        self.levels.push(Level { live, sum: self.live, debt: self.debt, stretches });
    }

    pub fn reset(&mut self) {
        let Some(level) = self.levels.last() else { return };
        for (place, counter) in self.counters.iter().enumerate() {
            if let Some(counter) = counter {
                counter.shared.live.store(level.live.get(place).copied().unwrap_or(0), UNORDERED);
            }
        }
        (self.live, self.debt, self.stretches) = (level.sum, level.debt, level.stretches.clone());
    }

    pub fn end(&mut self) {
        self.levels.pop();
    }

    // ---- what others see ---------------------------------------------------------------------------

    /// The tape is about to hold less.
    #[inline(never)]
    pub fn turn(&mut self) {
        self.rising = false;
        if self.bits() > self.published + self.published / 64 {
            self.publish();
        }
    }

    /// Bits on the tape.
    fn bits(&self) -> u64 {
        if self.stretches.samples() { self.height } else { self.live / UNIT }
    }

    /// The part of the tape that the next operation belongs to.
    #[inline]
    pub fn stretches(&self) -> &Stretches {
        &self.stretches
    }

    /// From now on all operations are counted, or no longer.
    pub fn see_all(&mut self, on: bool) {
        self.stretches.see_all(on);
    }

    /// A push of `n` bytes comes on a tape with `depth` records. In a repeat region, the stretch stays.
    #[inline]
    pub fn rise(&mut self, height: Height, n: usize, depth: u64) {
        self.height = 8 * height.bytes as u64;
        if self.levels.is_empty() && (self.pushes >= stretches::ALL || self.stretches.samples()) {
            self.rise_between(height, n, depth);
        }
    }

    #[inline(never)]
    fn rise_between(&mut self, height: Height, n: usize, depth: u64) {
        self.stretches.rise(height, n, depth, self.pushes);
        if self.stretches.samples() {
            self.process.estimated.store(true, UNORDERED);
        }
        if self.stretches.rests() {
            self.publish();
        }
    }

    /// A pop comes.
    #[inline]
    pub fn fall(&mut self, height: Height, depth: u64) {
        self.height = 8 * height.bytes as u64;
        self.stretches.fall(height, depth);
    }

    /// Once in a while: bytes on the tape, of it in memory and in a store, and of its records.
    pub fn tick(&mut self, len: u64, resident: u64, spilled: u64, overhead: u64) {
        self.tape.len.store(len, UNORDERED);
        self.tape.resident.store(resident, UNORDERED);
        self.tape.spilled.store(spilled, UNORDERED);
        self.tape.overhead.store(overhead, UNORDERED);
        self.height = 8 * len;
        self.publish();
        self.process.look_at_the_time();
    }

    fn publish(&mut self) {
        let bits = self.bits();
        let change = bits.wrapping_sub(self.published);
        let sum = self.process.live.fetch_add(change, UNORDERED).wrapping_add(change);
        self.published = bits;
        self.tape.peak.store(self.tape.peak.load(UNORDERED).max(bits), UNORDERED);
        let noted = self.process.noted.load(UNORDERED);
        if sum > noted + noted / 64 {
            self.process.note_peak();
        }
    }

    #[inline(never)]
    fn take_path(&mut self, site: Site) {
        let weight = self.since_path;
        if self.process.take_path(site, weight.div_ceil(8), &mut self.path_step) {
            self.since_path = 0;
            self.until_path = super::paths::jitter(8 * self.path_step);
        } else {
            self.until_path = weight + 8 * self.path_step;
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        if self.rising {
            self.publish();
        }
        self.process.tapes.lock().remove(&self.tape);
        self.process.live.fetch_sub(self.published, UNORDERED);
    }
}
