//! Which parts of a tape a profile counts.
//!
//! The first million pushes are all counted. Then the tape is cut into *stretches*, from the bottom up: one is *watched*,
//! each operation of it counted, the next *rests*, and is as fast as without a profile. A stretch begins at a push and
//! ends with the pop of what that pushed, so that what a watched one pushed is popped watched, too. How far one that
//! rests reaches is random.
//!
//! A push is watched if it begins in a watched stretch, or if one begins inside of it. A control bit has no bytes, unless
//! it fills a word. So a push of n bytes is watched
//! with the probability (W + n) / (W + R), and stands for (W + R) / (W + n) pushes: [`Stretches::weight`].

#![forbid(unsafe_code)]

use crate::hash::mix;

/// Pushes of a tape that are all watched.
pub(super) const ALL: u64 = 1 << 20;
/// Bytes of a stretch that is watched, and on average of one that rests.
const WATCHED: usize = 4 << 10;
const RESTS: usize = 31 * WATCHED;
/// Weights are multiples of 1 / UNIT.
pub(super) const UNIT: u64 = 16;

/// How much is on a tape: bytes, and control bits that fill no word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Height {
    pub bytes: usize,
    pub bits: u32,
}

/// A part of the tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stretch {
    /// Where the push begins that it begins with.
    begin: Height,
    /// No push above so many bytes belongs to it.
    end: usize,
    rests: bool,
    /// It does not stand for others.
    exact: bool,
    /// Records below it.
    depth: u64,
}

/// All of a tape.
#[derive(Clone)]
pub(crate) struct Stretches {
    top: Stretch,
    /// Those below it, from the bottom up.
    below: Vec<Stretch>,
    random: u64,
    /// Somebody asks for what is counted meanwhile.
    never: bool,
    /// There were stretches that rest.
    samples: bool,
}

impl Stretches {
    pub fn new(seed: u64) -> Stretches {
        Stretches { top: whole(BOTTOM, 0), below: Vec::new(), random: mix(seed), never: false, samples: false }
    }

    /// A number less than `n`.
    fn less_than(&mut self, n: usize) -> usize {
        self.random = mix(self.random.wrapping_add(0x9e37_79b9_7f4a_7c15));
        (self.random >> 16) as usize % n
    }

    /// Bytes of the next stretch that rests: three quarters to five quarters of [`RESTS`].
    fn length(&mut self) -> usize {
        RESTS * 3 / 4 + self.less_than(RESTS / 2)
    }

    fn push(&mut self, stretch: Stretch) {
        self.below.push(std::mem::replace(&mut self.top, stretch));
    }

    /// Takes the top off, but not the last one; whether it did.
    fn pop(&mut self) -> bool {
        let below = self.below.pop();
        self.top = below.unwrap_or(self.top);
        below.is_some()
    }

    #[inline(always)]
    pub fn rests(&self) -> bool {
        self.top.rests
    }

    /// Whether a push on a tape of `len` bytes belongs to the top stretch, if that is watched; false where one begins.
    #[inline(always)]
    pub fn holds(&self, len: usize) -> bool {
        self.top.begin.bytes < len && len < self.top.end
    }

    /// Records below the top stretch: a pop that finds no more of them is one of the stretch below.
    #[inline(always)]
    pub fn depth(&self) -> u64 {
        self.top.depth
    }

    /// Some stretches stand for others.
    pub fn samples(&self) -> bool {
        self.samples
    }

    /// For how many operations one stands that moves `bits` bits, in [`UNIT`]s.
    #[inline(always)]
    pub fn weight(&self, bits: u64) -> u64 {
        match self.top {
            Stretch { exact: true, .. } => UNIT,
            _ if bits <= 128 => UNIT * (WATCHED + RESTS) as u64 / (WATCHED + 8) as u64,
            _ => (UNIT * (WATCHED + RESTS) as u64 / (WATCHED as u64 + bits / 8)).max(UNIT),
        }
    }

    /// From now on all is watched, or no longer.
    pub fn see_all(&mut self, on: bool) {
        self.never = on;
        if !on && self.samples && self.top.exact {
            self.top.end = self.top.begin.bytes;
        }
    }

    /// Nothing is known of what is on the tape.
    pub fn forget(&mut self) {
        let end = if self.samples { 0 } else { usize::MAX };
        (self.top, self.below) = (Stretch { end, ..whole(BOTTOM, 0) }, Vec::new());
    }

    /// A push of `n` bytes comes on a tape with `depth` records, of which `pushes` were watched.
    pub fn rise(&mut self, height: Height, n: usize, depth: u64, pushes: u64) {
        let len = height.bytes;
        while self.top.begin > height && self.pop() {}
        let top = self.top;
        if self.never {
            if top.rests {
                self.push(whole(height, depth));
            }
            return;
        }
        if !self.samples {
            if pushes < ALL {
                return;
            }
            self.samples = true;
            self.top.end = len;
        }
        let top = self.top;
        if len < top.end && (!top.rests || len + n <= top.end) && top.begin < height {
            return;
        }
        let bottom = top.begin == height && !self.pop();
        let (mut rests, mut end) = (self.top.rests, self.top.end);
        if bottom || self.top.exact {
            // Any point of a watched stretch and one that rests.
            let point = self.less_than(WATCHED + RESTS);
            (rests, end) = (point >= WATCHED, len + 1 + if point < WATCHED { point } else { point - WATCHED });
        }
        // From one stretch to the next, to that with the push.
        loop {
            if !rests && len < end || rests && len + n <= end {
                break;
            }
            rests = !rests;
            let begin = end;
            end += if rests { self.length() } else { WATCHED };
            if !rests && begin >= len {
                break;
            }
        }
        let next = Stretch { begin: height, end, rests, exact: false, depth };
        if bottom {
            self.top = next;
        } else {
            self.push(next);
        }
    }

    /// A pop comes on a tape with `depth` records.
    pub fn fall(&mut self, height: Height, depth: u64) {
        let belongs = |top: &Stretch| top.begin < height && (top.rests || depth > top.depth);
        while !belongs(&self.top) && self.pop() {}
        if self.top.exact && self.samples && !self.never {
            // All of it was watched while there were few pushes. What replaces it is sampled.
            self.top.end = self.top.end.min(height.bytes);
        }
    }

    /// What the cursor may pass when the tape rests and has `len` bytes, in bytes from its bottom. None where the next
    /// operation may be one of another stretch.
    pub fn window(&self, len: usize) -> Option<(usize, usize)> {
        let begin = self.top.begin.bytes;
        (self.top.rests && len > begin).then(|| (begin + 1, self.top.end.max(len)))
    }
}

const BOTTOM: Height = Height { bytes: 0, bits: 0 };

/// All from `begin` on.
fn whole(begin: Height, depth: u64) -> Stretch {
    Stretch { begin, end: usize::MAX, rests: false, exact: true, depth }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::part;

    /// A tape of pushes, which knows of each whether it was watched.
    struct Tape {
        stretches: Stretches,
        pushed: Vec<(usize, bool)>,
        len: usize,
        bits: u32,
        depth: u64,
        pushes: u64,
        /// By the size of a push: how many there were, and how many those that were watched stand for.
        counts: std::collections::BTreeMap<usize, (u64, f64)>,
    }

    impl Tape {
        fn new() -> Tape {
            let (stretches, counts) = (Stretches::new(7), Default::default());
            Tape { stretches, pushed: Vec::new(), len: 0, bits: 0, depth: 0, pushes: ALL, counts }
        }

        fn height(&self) -> Height {
            Height { bytes: self.len, bits: self.bits }
        }

        /// Of `n` bytes; 0 is a control bit, 62 of which are a word.
        fn push(&mut self, n: usize) {
            let moved = if n == 0 && self.bits == 61 { 8 } else { n };
            // As the cursor sees it: inside of the window nobody comes by, and a quick push asks for less.
            let rests = self.stretches.rests();
            let passes = match self.stretches.window(self.len) {
                Some((_, end)) => self.len + moved <= end,
                None => !rests && self.stretches.holds(self.len),
            };
            if !passes {
                self.stretches.rise(self.height(), moved, self.depth, self.pushes);
            }
            let watched = !self.stretches.rests();
            self.pushed.push((n, watched));
            self.depth += u64::from(watched);
            self.len += moved;
            self.bits = if n == 0 { (self.bits + 1) % 62 } else { self.bits };
            let (all, stand_for) = self.counts.entry(n).or_default();
            *all += 1;
            if watched {
                *stand_for += self.stretches.weight(8 * n as u64) as f64 / UNIT as f64;
            }
        }

        fn pop(&mut self) {
            let Some((n, watched)) = self.pushed.pop() else { return };
            let moved = if n == 0 && self.bits == 0 { 8 } else { n };
            let goes_below = |(begin, _)| moved > 0 && self.len - moved < begin;
            if self.stretches.window(self.len).is_none_or(goes_below) {
                self.stretches.fall(self.height(), self.depth);
            }
            assert_eq!(!self.stretches.rests(), watched, "a push of {n} bytes at {}", self.len);
            self.depth -= u64::from(watched);
            self.len -= moved;
            self.bits = if n == 0 { (self.bits + 61) % 62 } else { self.bits };
        }
    }

    #[test]
    fn pops_are_watched_as_their_pushes_were() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut tape = Tape::new();
        for _ in 0..300 {
            for _ in 0..random.usize(0..20_000) {
                tape.push([8, 0, 8, 0, 4, 16, 400, 100_000][random.usize(0..8)]);
            }
            for _ in 0..random.usize(0..25_000) {
                tape.pop();
            }
        }
        while !tape.pushed.is_empty() {
            tape.pop();
        }
        assert_eq!((tape.len, tape.bits, tape.depth), (0, 0, 0));
    }

    #[test]
    fn samples_stand_for_all_whatever_the_size_of_a_push() {
        for sizes in [&[8][..], &[8, 8, 8, 800, 0, 8, 20_000, 0, 0], &[16, 100_000, 8, 0]] {
            let mut tape = Tape::new();
            // Long sweeps, and many that are shorter than a stretch.
            for sweep in 0..part(2000) as usize {
                let pushes = if sweep % 400 == 0 { 300_000 / sizes.len() } else { 300 + 10 * (sweep % 200) };
                (0..pushes).for_each(|_| sizes.iter().for_each(|n| tape.push(*n)));
                while !tape.pushed.is_empty() {
                    tape.pop();
                }
            }
            for (n, (all, stand_for)) in &tape.counts {
                let ratio = stand_for / *all as f64;
                assert!((0.9..1.1).contains(&ratio), "pushes of {n} bytes in {sizes:?}: {ratio}");
            }
        }
    }

    /// An adjoint whose tape never becomes empty, and whose first million pushes reach higher than most later ones.
    #[test]
    fn what_replaces_the_first_pushes_is_sampled() {
        let mut tape = Tape { pushes: 0, ..Tape::new() };
        (0..1000).for_each(|_| tape.push(8));
        (0..100_000).for_each(|_| tape.push(8));
        tape.pushes = ALL;
        // As the slow path does now and then.
        tape.stretches.rise(tape.height(), 8, tape.depth, ALL);
        let before = tape.counts[&8].0;
        let mut watched = 0;
        for _ in 0..1000 {
            while tape.pushed.len() > 1000 {
                tape.pop();
            }
            (0..2000).for_each(|_| tape.push(8));
            watched += tape.pushed[1000..].iter().filter(|(_, watched)| *watched).count();
        }
        let (all, stand_for) = tape.counts[&8];
        assert!(watched < 200_000, "{watched} of 2,000,000");
        let ratio = (stand_for - before as f64) / (all - before) as f64;
        assert!((0.8..1.2).contains(&ratio), "{ratio}");
    }

    #[test]
    fn first_pushes_are_all_watched_and_those_that_somebody_asks_for() {
        let mut stretches = Stretches::new(1);
        let rise = |stretches: &mut Stretches, from: usize, pushes| {
            (from..from + 100_000).for_each(|i| stretches.rise(Height { bytes: 8 * i, bits: 0 }, 8, i as u64, pushes));
            stretches.rests()
        };
        assert!(!rise(&mut stretches, 0, ALL - 1) && !stretches.samples());
        stretches.see_all(true);
        assert!(!rise(&mut stretches, 100_000, ALL) && !stretches.samples());
        stretches.see_all(false);
        (200_000..).find(|i| rise(&mut stretches, *i, ALL)).expect("a stretch that rests");
        stretches.see_all(true);
        stretches.rise(Height { bytes: 1 << 30, bits: 0 }, 8, 0, ALL);
        assert!(!stretches.rests() && stretches.weight(64) == UNIT);
    }
}
