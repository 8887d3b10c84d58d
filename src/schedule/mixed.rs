//! Storage units that hold a state or the tape of one step (Maddison 2024).
//!
//! A stored tape saves its step from being run again, a stored state helps all steps behind it. With s units free, the
//! least number of extra steps for n steps whose first state is present is
//!
//! ```text
//!   T(n, s) = min( T(n − 1, s − 1)                           record the first step and keep its tape
//!                  min over 1 < m < n of m + T(m, s) + T(n − m, s − 1) )    store the state, advance m steps
//!   T(1, s) = 0
//! ```
//!
//! T is not convex in n, so nothing shorter than trying every m is known: the table takes steps² · units operations.
//! Tapes are recorded and used up last in, first out, so that they can all lie on one tape.

#![forbid(unsafe_code)]

use super::action::{Action, Place, Prediction};
use crate::error::{Error, Status};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The table takes as many operations at most.
const MOST_WORK: u64 = 1 << 32;

#[derive(Clone, Copy)]
struct Unit {
    step: u64,
    is_tape: bool,
}

#[derive(Clone)]
pub(super) struct Mixed {
    units: u64,
    /// m for each number of free units (from 0) and of steps (from 0); 0: keep the tape.
    advance: Vec<Vec<u32>>,
    extra_steps: u64,
    stack: Vec<Unit>,
    present: Option<u64>,
    end: u64,
    /// The uppermost state was loaded for the last time.
    used_up: bool,
    turned: bool,
}

impl Mixed {
    pub(super) fn new(steps: u64, units: u64) -> Result<Mixed, Error> {
        if steps <= units.saturating_add(1) {
            return Ok(Mixed::store_all(steps));
        }
        if u128::from(steps) * u128::from(steps) * u128::from(units) > u128::from(MOST_WORK) {
            return Err(Error::new(
                Status::BadArgument,
                format!(
                    "a mixed schedule of {steps} steps and {units} units takes too long to find\n  \
                     steps² · units may be {MOST_WORK} at most; a binomial schedule has no limit"
                ),
            ));
        }
        let (advance, extra_steps) = table(steps as usize, units as usize);
        Ok(Mixed { units, advance, extra_steps, ..Mixed::store_all(steps) })
    }

    pub(super) fn store_all(steps: u64) -> Mixed {
        let present = (steps > 0).then_some(0);
        let (advance, stack) = (Vec::new(), Vec::new());
        Mixed { units: steps, advance, extra_steps: 0, stack, present, end: steps, used_up: false, turned: false }
    }

    /// How far to advance after the first of n ≥ 2 steps is stored, with that many units free; 0: keep its tape.
    fn advance(&self, free: u64, n: u64) -> u64 {
        let row = self.advance.get(free as usize).and_then(|row| row.get(n as usize));
        row.copied().map_or(0, u64::from)
    }

    pub(super) fn end_at(&mut self, step: u64) {
        (self.end, self.present) = (step, None);
    }

    pub(super) fn next(&mut self) -> Option<Action> {
        let depth = self.stack.len() as u64;
        let top = self.stack.last().copied();
        let place = Place::memory(depth.saturating_sub(1));
        if let Some(unit) = top.filter(|unit| self.used_up || unit.step >= self.end) {
            self.used_up = false;
            self.stack.pop();
            return Some(Action::Drop { step: unit.step, place });
        }
        let Some(step) = self.present else {
            let unit = top?;
            if unit.is_tape {
                self.stack.pop();
                self.end = unit.step;
                let first = !self.turned;
                self.turned = true;
                return Some(Action::Reverse { step: unit.step, place, first });
            }
            // Its unit is free again for what comes next, unless the state is needed once more.
            self.used_up = self.end - unit.step == 1 || self.advance(self.units - depth + 1, self.end - unit.step) == 0;
            self.present = Some(unit.step);
            return Some(Action::Load { step: unit.step, place });
        };
        if step + 1 == self.end {
            (self.end, self.present) = (step, None);
            let first = !self.turned;
            self.turned = true;
            return Some(Action::Turn { step, first });
        }
        let stored = top.is_some_and(|unit| !unit.is_tape && unit.step == step);
        let free = self.units - depth + u64::from(stored);
        let length = self.advance(free, self.end - step);
        if length > 0 && stored {
            self.present = Some(step + length);
            return Some(Action::Advance { from: step, to: step + length });
        }
        let place = Place::memory(depth);
        self.stack.push(Unit { step, is_tape: length == 0 });
        if length == 0 {
            self.present = Some(step + 1);
            return Some(Action::Record { step, place });
        }
        Some(Action::Save { step, place })
    }

    pub(super) fn predict(&self) -> Prediction {
        let mut sum = Prediction { extra_steps: self.extra_steps, ..Prediction::default() };
        if self.advance.is_empty() {
            return sum;
        }
        // Free units and length from the greatest down: a part only leads to smaller ones. A state is saved where a
        // part begins that is not in front of the cut of another.
        let mut parts = BTreeMap::from([((Reverse(self.units), Reverse(self.end)), (1, 1))]);
        while let Some(((Reverse(free), Reverse(n)), (times, unsaved))) = parts.pop_first() {
            if n <= 1 {
                continue;
            }
            let mut part = |free: u64, n: u64, times: u64, unsaved: u64| {
                let entry = parts.entry((Reverse(free), Reverse(n))).or_insert((0, 0));
                *entry = (entry.0 + times, entry.1 + unsaved);
            };
            match self.advance(free, n) {
                0 => part(free - 1, n - 1, times, times),
                m => {
                    sum.memory_saves += unsaved;
                    sum.memory_loads += times;
                    part(free, m, times, 0);
                    part(free - 1, n - m, times, times);
                }
            }
        }
        sum
    }
}

/// m for each number of free units and steps, and T(steps, units).
fn table(steps: usize, units: usize) -> (Vec<Vec<u32>>, u64) {
    let unreachable = u64::MAX / 4;
    let mut before = vec![unreachable; steps + 1];
    before[1] = 0;
    let mut advance = vec![vec![0; 2]];
    for _ in 1..=units {
        let mut extra = vec![0; steps + 1];
        let mut lengths = vec![0_u32; steps + 1];
        for n in 2..=steps {
            let mut best = before[n - 1];
            for m in 2..n {
                let with = m as u64 + extra[m] + before[n - m];
                if with < best {
                    (best, lengths[n]) = (with, m as u32);
                }
            }
            extra[n] = best;
        }
        advance.push(lengths);
        before = extra;
    }
    (advance, before[steps])
}
