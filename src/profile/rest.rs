//! Which sweeps of a tape a profile counts.
//!
//! The first ones, up to a million pushes, are *watched*: each operation is counted. After that a tape *rests* now
//! and then for a few sweeps, in which it is as fast as without a profile, and the next one that is watched stands for
//! those, too. A sweep begins and ends where the tape crosses a gate near its bottom: a tape that rests has its cursor
//! opened up to there only, so that it comes by. What never gets back to the bottom is watched as a whole.

#![forbid(unsafe_code)]

use std::ops::Range;

/// Pushes of a tape that are watched before it rests.
const ALL: u64 = 1 << 20;
/// A sweep begins above this many bytes, and ends below half of them.
const GATE: usize = 64 << 10;
/// The most sweeps that are passed over at once.
const MOST: u64 = 32;

pub(super) struct Rest {
    resting: bool,
    /// While it rests: it was below the gate since the last sweep began.
    low: bool,
    /// Sweeps that begin until one is watched.
    left: u64,
    /// How many the next rest takes.
    next: u64,
    /// Somebody asks for what is counted meanwhile.
    never: bool,
}

/// What comes of [`Rest::look`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Watches,
    /// A rest begins.
    Begins,
    Rests,
    /// A sweep begins that is passed over.
    Passes,
    /// One that is watched.
    Ends,
}

impl Rest {
    pub fn new() -> Rest {
        Rest { resting: false, low: false, left: 0, next: 4, never: false }
    }

    pub fn rests(&self) -> bool {
        self.resting
    }

    /// From now on all is watched, or no longer; whether that ends a rest.
    pub fn see_all(&mut self, on: bool) -> bool {
        self.never = on;
        on && std::mem::take(&mut self.resting)
    }

    /// The tape holds `len` bytes; `pushes` of it were watched; it has a repeat region or not.
    pub fn look(&mut self, len: usize, pushes: u64, region: bool) -> Look {
        if self.resting {
            if len < GATE / 2 {
                self.low = true;
            } else if len >= GATE && std::mem::take(&mut self.low) {
                self.left -= 1;
                if self.left == 0 {
                    self.resting = false;
                    return Look::Ends;
                }
                return Look::Passes;
            }
            return Look::Rests;
        }
        if self.never || region || pushes < ALL || len >= GATE / 2 {
            return Look::Watches;
        }
        (self.resting, self.low) = (true, true);
        // The sweep behind those that are passed over is watched.
        self.left = self.next + 1;
        self.next = (2 * self.next).min(MOST);
        Look::Begins
    }

    /// What the cursor of a resting tape of `len` bytes may pass without coming by, in bytes from its bottom.
    pub fn window(&self, len: usize) -> Range<usize> {
        if len >= GATE { GATE / 2..usize::MAX } else { 0..GATE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sweep_is_watched_or_passed_over() {
        let (mut rest, mut pushes, mut passed, mut watched) = (Rest::new(), 0, 0, 0);
        let sweeps = 1000;
        for _ in 0..sweeps {
            let mut whole = true;
            for len in (0..2 * GATE).step_by(1024).chain((0..2 * GATE).step_by(1024).rev()) {
                match rest.look(len, pushes, false) {
                    Look::Passes => passed += 1,
                    Look::Watches | Look::Ends => pushes += 10_000,
                    Look::Begins | Look::Rests => {}
                }
                whole &= !(rest.rests() && len >= GATE);
            }
            watched += u64::from(whole);
        }
        assert_eq!(passed + watched, sweeps);
        assert!((20..80).contains(&watched), "{watched}");
    }

    #[test]
    fn small_tapes_regions_and_exact_counts_are_watched() {
        let mut rest = Rest::new();
        assert_eq!(rest.look(0, ALL - 1, false), Look::Watches);
        assert_eq!(rest.look(0, ALL, true), Look::Watches);
        assert_eq!(rest.look(GATE, ALL, false), Look::Watches);
        assert_eq!(rest.look(0, ALL, false), Look::Begins);
        assert!(rest.see_all(true) && !rest.see_all(true));
        assert_eq!(rest.look(0, ALL, false), Look::Watches);
    }
}
