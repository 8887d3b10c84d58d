//! Variables of procedures, which are frames until somebody asks for them: beside a registry that is asked after each
//! step.

#![forbid(unsafe_code)]

use super::super::*;
use super::{at, status};
use crate::error::Status;
use crate::part::part;
use crate::sync::Ordering;
use fastrand::Rng;

const TOP: u64 = 1 << 46;

/// A registry that has frames, and one that has none: each step is made in both, and they agree.
struct Both {
    lazy: Registry,
    asked: Registry,
    lane: u16,
    /// Base, bytes and serial of what is alive on the stack.
    alive: Vec<(u64, u64, Serial)>,
    tape: Vec<RangeRecord>,
    /// Objects of buffers that nobody has changed since.
    kept: Vec<Extents>,
}

impl Both {
    fn new() -> Both {
        let (lazy, asked) = (Registry::new(), Registry::new());
        let lane = lazy.claim().unwrap();
        assert_eq!(asked.claim().unwrap(), lane);
        Both { lazy, asked, lane, alive: vec![], tape: vec![], kept: vec![] }
    }

    fn ask(&self) {
        self.asked.alive_count();
    }

    fn frames(&self) -> usize {
        self.lazy.lane(self.lane).stack().frames.len()
    }

    fn birth(&mut self, base: u64, bytes: u64, kind: RangeKind) {
        let one = self.lazy.add(self.lane, base, bytes, kind, c"x");
        let other = self.asked.add(self.lane, base, bytes, kind, c"x");
        match (one, other) {
            (Ok(serial), Ok(other)) => {
                assert_eq!(serial, other);
                self.alive.push((base, bytes, serial));
            }
            (one, other) => assert_eq!(one.unwrap_err().to_string(), other.unwrap_err().to_string()),
        }
        self.ask();
    }

    fn death(&mut self, i: usize) {
        let (base, bytes, serial) = self.alive.remove(i);
        let one = RangeRecord::of(&self.lazy.remove(self.lane, base).unwrap());
        assert_eq!(one, RangeRecord::of(&self.asked.remove(self.lane, base).unwrap()));
        assert_eq!((one.serial, one.bytes), (serial, bytes));
        self.tape.push(one);
        self.ask();
    }

    fn find(&self, address: u64) {
        let (one, other) = (self.lazy.find(self.lane, address), self.asked.find(self.lane, address));
        match (one, other) {
            (Err(one), Err(other)) => assert_eq!(one.to_string(), other.to_string()),
            (one, other) => assert_eq!(one.unwrap(), other.unwrap(), "{address:#x}"),
        }
        let missing = 3;
        let [one, other] = [&self.lazy, &self.asked].map(|registry| registry.exact(self.lane, address - missing));
        assert_eq!(status(one.map(drop)), status(other.map(drop)));
    }

    /// What holds a buffer of a message: it is found at once, or not; and a frame stays one.
    fn buffer(&mut self, address: u64) -> bool {
        let counted =
            |kept: &Extents| self.lazy.counter(Serial(kept.serial)).map(|counter| counter.load(Ordering::Relaxed));
        self.kept.retain(|kept| counted(kept) == Some(kept.changes));
        for kept in &self.kept {
            assert!(self.alive.contains(&(kept.base, kept.bytes, Serial(kept.serial))));
        }
        let before = self.frames();
        let found = self.lazy.extents_of_address_at_once(self.lane, address);
        assert_eq!(self.frames(), before);
        let Some(found) = found else { return false };
        let alive = self.alive.iter().find(|(base, bytes, _)| (*base..base + bytes).contains(&address));
        assert_eq!(alive, Some(&(found.base, found.bytes, Serial(found.serial))));
        let asked = self.asked.extents_at_once(Serial(found.serial));
        assert_eq!(asked.map(Extents::uncounted), Some(found.uncounted()));
        self.kept.push(found);
        true
    }

    fn reverse(mut self) {
        let lists = [&self.lazy, &self.asked].map(|registry| registry.list());
        assert!(
            lists[0].iter().zip(&lists[1]).all(|(one, other)| one.serial == other.serial && one.base == other.base)
        );
        assert_eq!((lists[0].len(), self.lazy.dead()), (lists[1].len(), self.asked.dead()));
        while let Some(record) = self.tape.pop() {
            let place = ObjectOffset { serial: record.serial, offset: 1 };
            for registry in [&self.lazy, &self.asked] {
                assert_eq!(registry.locate_both(place).unwrap(), None);
                registry.restore_and_list(self.lane, &record, at((1 << 47) + record.base)).unwrap();
                let back = (1 << 47) + record.base;
                assert_eq!(registry.locate_both(place).unwrap(), Some((back + 1, 0)));
                registry.undo_birth(self.lane, back).unwrap();
            }
        }
    }
}

/// Procedures call others; their variables lie below those of the caller, in any order, and end with the procedure. How
/// many frames were there at some step, and how many buffers were found at once, and not.
fn program(seed: u64, questions: u64) -> (usize, [usize; 2]) {
    let mut random = Rng::with_seed(seed);
    let (mut both, mut frames, mut buffers) = (Both::new(), 0, [0, 0]);
    // For each procedure that runs: how many were alive before, and the lowest address.
    let mut calls: Vec<(usize, u64)> = vec![(0, TOP)];
    for _ in 0..600 {
        let (_, low) = *calls.last().expect("one runs");
        if random.u64(..5) < 2 && calls.len() < 40 {
            let (count, sizes) = (random.u64(1..4), [8, 64, 8 * random.u64(1..40)]);
            calls.push((both.alive.len(), low - 1024));
            let mut bases: Vec<(u64, u64)> =
                (0..count).map(|i| (low - 1024 + 330 * i, sizes[random.usize(..3)])).collect();
            if random.bool() {
                bases.reverse();
            }
            bases.into_iter().for_each(|(base, bytes)| both.birth(base, bytes, RangeKind::Stack));
        } else if calls.len() > 1 {
            let (before, _) = calls.pop().expect("one runs");
            while both.alive.len() > before {
                let i =
                    if random.u64(..8) == 0 { random.usize(before..both.alive.len()) } else { both.alive.len() - 1 };
                both.death(i);
            }
        }
        frames += both.frames();
        both.buffer(low - random.u64(..2000));
        if let Some((base, bytes, _)) = both.alive.get(random.usize(..both.alive.len() + 1)) {
            buffers[usize::from(both.buffer(base + random.u64(..*bytes)))] += 1;
        }
        if random.u64(..questions) == 0 {
            let (base, bytes, _) =
                both.alive.get(random.usize(..both.alive.len() + 1)).copied().unwrap_or((low, 8, Serial(0)));
            match random.u64(..4) {
                0 => both.find(base + random.u64(..bytes + 2)),
                1 => both.find(low - random.u64(..2000)),
                2 => both.birth(base + random.u64(..bytes), 8, RangeKind::Stack),
                // In the room, or over a frame.
                _ => both.birth(low - 8 * random.u64(..400), 4, RangeKind::Heap),
            }
            if both.alive.last().is_some_and(|(last, ..)| *last != base) && both.alive.len() > calls.last().unwrap().0 {
                let (last, ..) = both.alive[both.alive.len() - 1];
                assert_eq!(both.lazy.begins_at(both.lane, last).unwrap().serial, both.alive[both.alive.len() - 1].2);
            }
        }
    }
    both.reverse();
    (frames, buffers)
}

#[test]
fn frames_are_found_as_if_they_had_been_in_the_maps_at_once() {
    for questions in [1, 4, 30, 1000] {
        let (mut frames, mut buffers) = (0, [0, 0]);
        for seed in 1..=part(25) {
            let (more, [missed, found]) = program(seed, questions);
            frames += more;
            buffers = [buffers[0] + missed, buffers[1] + found];
        }
        assert!(questions == 1 || frames > 100 * part(25) as usize, "{frames} frames were there at some step");
        assert!(buffers[0] < buffers[1] / 10, "{buffers:?} buffers: {questions}");
    }
}

#[test]
fn more_frames_that_end_at_different_places_than_are_kept_are_remembered() {
    let mut both = Both::new();
    let mut frames = 0;
    for _ in 0..3 {
        for i in 0..3000 {
            both.birth(TOP - 16 * i, 16, RangeKind::Stack);
        }
        for i in (0..3000).rev() {
            both.death(i);
            frames = frames.max(both.frames());
        }
        both.find(TOP - 16 * 1234 + 5);
        assert_eq!((both.lazy.dead(), both.asked.dead()), (3000, 3000));
    }
    assert!(frames > 500, "{frames} at most");
    both.reverse();
}

#[test]
fn another_thread_that_adds_a_range_over_a_frame_is_refused() {
    let registry = Registry::new();
    let (lane, other) = (registry.claim().unwrap(), registry.claim().unwrap());
    for _ in 0..3 {
        registry.add(lane, TOP, 64, RangeKind::Stack, c"x").unwrap();
        assert_eq!(registry.frame(lane, TOP).is_some(), registry.lane(lane).stack().frames.len() > 0);
        for kind in [RangeKind::Heap, RangeKind::Stack] {
            assert_eq!(status(registry.add(other, TOP + 8, 8, kind, c"y")), Status::Overlap);
        }
        let place = registry.find(other, TOP + 8).unwrap().unwrap();
        assert_eq!(registry.locate_both(place).unwrap(), Some((TOP + 8, 0)));
        registry.remove(lane, TOP).unwrap();
    }
    let heap = registry.add(other, TOP + 8, 8, RangeKind::Heap, c"y").unwrap();
    assert_eq!(status(registry.add(lane, TOP, 64, RangeKind::Stack, c"x")), Status::Overlap);
    assert_eq!(registry.find(lane, TOP + 9).unwrap(), Some(ObjectOffset { serial: heap, offset: 1 }));
}
