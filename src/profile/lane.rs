//! What a tape counts for itself.

#![forbid(unsafe_code)]

use super::process::{Process, process};
use super::rest::{Look, Rest};
use super::seen::Seen;
use super::uses::{Entry, Tape, Thread, Use};
use crate::site::Site;
use crate::sync::{Arc, Mutex, StaticCounter, UNORDERED, Unordered};
use std::cell::Cell;
use std::ops::Range;

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
}

pub(crate) struct Lane {
    process: &'static Process,
    tape: Arc<Tape>,
    /// What a person reads of what a place pushes.
    name: fn(u32) -> &'static str,
    /// By the number of the place; none of a place that did nothing here.
    counters: Vec<Option<Counter>>,
    /// Bits on the tape, and as they were published last.
    live: u64,
    published: u64,
    /// The last operation was a push.
    rising: bool,
    /// Bits that were popped and whose push left a record of more.
    debt: u64,
    last: Pushed,
    seen: Seen,
    /// Bits until the next call path, between two of them, and since the last one.
    until_path: u64,
    path_step: u64,
    since_path: u64,
    levels: Vec<Level>,
    rest: Rest,
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
            passed: word(),
            len: word(),
            peak: word(),
            resident: word(),
            spilled: word(),
            overhead: word(),
        });
        process.tapes.lock().add(tape.clone());
        Some(Lane {
            process,
            tape,
            name,
            counters: Vec::new(),
            live: 0,
            published: 0,
            rising: false,
            debt: 0,
            last: Pushed { place: u32::MAX, site: Site::UNKNOWN, what: 0, values: 0, bits: 0, from: 0 },
            seen: Seen::default(),
            until_path: 0,
            path_step: super::paths::FIRST_STEP,
            since_path: 0,
            levels: Vec::new(),
            rest: Rest::new(),
            pushes: 0,
        })
    }

    // ---- operations --------------------------------------------------------------------------------

    #[inline(always)]
    pub fn pushed(&mut self, push: Pushed) {
        let Pushed { place, values, bits, .. } = push;
        let counter = match self.counters.get(place as usize) {
            Some(Some(counter)) => counter,
            _ => self.begin(place, push.site, push.what),
        };
        counter.shared.pushed(values, bits);
        self.pushes += 1;
        self.live += bits;
        self.rising = true;
        self.last = push;
        self.since_path += bits;
        if self.since_path > self.until_path {
            self.take_path(push.site);
        }
    }

    /// The number of what was pushed last, when it is known.
    #[inline(always)]
    pub fn saw(&mut self, digest: u64) {
        let Pushed { place, from, bits, .. } = self.last;
        let Some(Some(counter)) = self.counters.get_mut(place as usize) else { return };
        if counter.last.replace(digest) == Some(digest) {
            counter.shared.sweep.repeated.add(1, bits);
        }
        if from != 0 {
            let times = self.seen.unchanged(place, from, digest);
            if times > 0 {
                counter.shared.sweep.unchanged.add(times, times * bits);
            }
        }
    }

    /// A pop of `bits` bits at a place.
    #[inline(always)]
    pub fn popped(&mut self, place: u32, site: Site, what: u32, bits: u64) {
        if self.rising {
            self.turn();
        }
        let counter = match self.counters.get(place as usize) {
            Some(Some(counter)) => counter,
            _ => self.begin(place, site, what),
        };
        counter.shared.sweep.pops.add(1, bits);
    }

    /// Bits that a place had pushed left the tape; `held`: the variable that they go to had them.
    #[inline(always)]
    pub fn left(&mut self, place: u32, bits: u64, held: bool) {
        self.live = self.live.saturating_sub(bits);
        if let Some(Some(counter)) = self.counters.get(place as usize) {
            counter.shared.left(bits);
            if held {
                counter.shared.sweep.held.add(1, bits);
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
    }

    pub fn start(&mut self) {
        let live = self.counters.iter().map(|counter| match counter {
            Some(counter) => counter.shared.live.load(UNORDERED),
            None => 0,
        });
        self.levels.push(Level { live: live.collect(), sum: self.live, debt: self.debt });
    }

    pub fn reset(&mut self) {
        let Some(level) = self.levels.last() else { return };
        for (place, counter) in self.counters.iter().enumerate() {
            if let Some(counter) = counter {
                counter.shared.live.store(level.live.get(place).copied().unwrap_or(0), UNORDERED);
            }
        }
        (self.live, self.debt) = (level.sum, level.debt);
    }

    pub fn end(&mut self) {
        self.levels.pop();
    }

    // ---- what others see ---------------------------------------------------------------------------

    /// The tape is about to hold less.
    #[inline(never)]
    pub fn turn(&mut self) {
        self.rising = false;
        if self.live > self.published + self.published / 64 {
            self.publish();
        }
    }

    /// Whether the tape rests.
    #[inline]
    pub fn rests(&self) -> bool {
        self.rest.rests()
    }

    /// From now on all operations are counted, or no longer.
    pub fn see_all(&mut self, on: bool) {
        if self.rest.see_all(on) {
            self.tape.begin_sweep();
        }
    }

    /// Decides whether the tape, of `len` bytes, rests now; true if that begins: what is known of it is to be forgotten.
    pub fn look(&mut self, len: usize, region: bool) -> bool {
        match self.rest.look(len, self.pushes, region) {
            Look::Watches | Look::Rests => {}
            Look::Passes => self.tape.passed.store(self.tape.passed.load(UNORDERED) + 1, UNORDERED),
            Look::Ends => self.tape.begin_sweep(),
            Look::Begins => {
                self.clear();
                self.publish();
                self.process.estimated.store(true, UNORDERED);
                return true;
            }
        }
        false
    }

    /// What the cursor of a resting tape may pass.
    pub fn window(&self, len: usize) -> Range<usize> {
        self.rest.window(len)
    }

    /// Once in a while: bytes on the tape, of it in memory and in a store, and of its records.
    pub fn tick(&mut self, len: u64, resident: u64, spilled: u64, overhead: u64) {
        self.tape.len.store(len, UNORDERED);
        self.tape.resident.store(resident, UNORDERED);
        self.tape.spilled.store(spilled, UNORDERED);
        self.tape.overhead.store(overhead, UNORDERED);
        self.publish();
        self.process.look_at_the_time();
    }

    fn publish(&mut self) {
        let change = self.live.wrapping_sub(self.published);
        let sum = self.process.live.fetch_add(change, UNORDERED).wrapping_add(change);
        self.published = self.live;
        self.tape.peak.store(self.tape.peak.load(UNORDERED).max(self.live), UNORDERED);
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
